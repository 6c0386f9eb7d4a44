//! A guess at a position's final score, to order moves by.
//!
//! The guess is a sum of weights, one for what is on each line, edge and corner of the board
//! (M. Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for
//! Othello", 1997) and one each for the players' numbers of moves. `examples/fit_ordering.rs`
//! learns the weights from positions that this solver has solved.

use std::sync::LazyLock;

use outflank_rules::{Board, Size, Square, Symmetry, bits};

/// Weights per disc of score.
pub const UNIT: i32 = 8;

/// As many patterns lie on the 8x8 board, fewer on smaller ones.
const PATTERNS: usize = 38;

/// Room for them in whole vectors.
const LANES: usize = 48;

/// Numbers of moves are told apart up to this one.
const MOST_MOVES: usize = 31;

static WEIGHTS_EIGHT: &[u8] = include_bytes!("evaluation/8x8.weights");
static WEIGHTS_SIX: &[u8] = include_bytes!("evaluation/6x6.weights");

/// One shape and all its images under the board's symmetries share a table of weights, and so do a
/// content and its mirror image if the shape is its own.
struct Pattern {
    /// The places of the pattern's images, each an ordered list of squares.
    images: Vec<Vec<Square>>,
    /// For each content, its weight's place: the content read as a number in base 3, the first
    /// square the lowest digit; 0 is empty, 1 the mover's, 2 the opponent's.
    weight: Vec<u32>,
}

/// Which weights a board of some size has, and which of them a position takes.
pub struct Layout {
    patterns: Vec<Pattern>,
    own_moves: u32,
    opp_moves: u32,
    weights: usize,
}

impl Layout {
    /// The layout for boards of this size.
    pub fn new(size: Size) -> Layout {
        let mut weights = 0;
        let patterns = shapes(size.side())
            .into_iter()
            .map(|shape| Pattern::new(size, shape, &mut weights))
            .collect();
        let own_moves = weights;
        let opp_moves = own_moves + MOST_MOVES as u32 + 1;
        let weights = opp_moves as usize + MOST_MOVES + 1;
        Layout {
            patterns,
            own_moves,
            opp_moves,
            weights,
        }
    }

    /// The number of weights.
    pub fn weights(&self) -> usize {
        self.weights
    }

    /// The weights that a position's evaluation is the sum of, by their places.
    pub fn active(&self, board: &Board) -> Vec<usize> {
        let digit = |square: &Square| match () {
            () if board.own().contains(*square) => 1,
            () if board.opp().contains(*square) => 2,
            () => 0,
        };
        let mut active = Vec::with_capacity(LANES);
        for pattern in &self.patterns {
            for image in &pattern.images {
                let content = image
                    .iter()
                    .rev()
                    .fold(0, |content, square| 3 * content + digit(square));
                active.push(pattern.weight[content] as usize);
            }
        }
        let moves = |board: &Board| (board.legal_moves().len() as usize).min(MOST_MOVES);
        active.push(self.own_moves as usize + moves(board));
        active.push(self.opp_moves as usize + moves(&board.pass()));
        active
    }
}

/// The shapes: the edge with the two squares inside its corners, the corner, all lines.
fn shapes(side: usize) -> Vec<Vec<(usize, usize)>> {
    let row = |row: usize| (0..side).map(move |column| (column, row));
    let edge = row(0).chain([(1, 1), (side - 2, 1)]).collect();
    let corner = (0..9).map(|i| (i % 3, i / 3)).collect();
    let rows = (1..side / 2).map(|r| row(r).collect());
    let diagonals = (4..=side).map(|length| (0..length).map(|i| (i, side - length + i)).collect());
    [edge, corner]
        .into_iter()
        .chain(rows)
        .chain(diagonals)
        .collect()
}

impl Pattern {
    fn new(size: Size, shape: Vec<(usize, usize)>, weights: &mut u32) -> Pattern {
        let base: Vec<Square> = shape
            .into_iter()
            .filter_map(|(column, row)| Square::new(column, row))
            .collect();
        let mut images: Vec<Vec<Square>> = Vec::new();
        // Where the squares go under the symmetries that map the shape to itself.
        let mut turns: Vec<Vec<usize>> = Vec::new();
        for symmetry in Symmetry::ALL {
            let image: Vec<Square> = base
                .iter()
                .map(|&square| symmetry.square(size, square))
                .collect();
            let place = |list: &[Square], square| list.iter().position(|&other| other == square);
            if let Some(turn) = image.iter().map(|&square| place(&base, square)).collect() {
                turns.push(turn);
            }
            if !images
                .iter()
                .any(|known| known.iter().all(|&square| image.contains(&square)))
            {
                images.push(image);
            }
        }
        let contents = 3usize.pow(base.len() as u32);
        let mut weight = vec![u32::MAX; contents];
        for content in 0..contents {
            if weight[content] == u32::MAX {
                for turn in &turns {
                    weight[turned(content, turn)] = *weights;
                }
                *weights += 1;
            }
        }
        Pattern { images, weight }
    }
}

/// The content whose digit at `turn[i]` is the given content's digit `i`.
fn turned(mut content: usize, turn: &[usize]) -> usize {
    let mut result = 0;
    for &place in turn {
        result += content % 3 * 3usize.pow(place as u32);
        content /= 3;
    }
    result
}

/// Sums of base-3 place values, one for each pattern on the board: a player's share of the
/// patterns' contents.
type Share = [u16; LANES];

/// The edges are the first patterns on the board.
const EDGES: usize = 4;

/// The weights of a board size laid out for speed.
pub(crate) struct Evaluation {
    /// For each square its place value in each pattern.
    values: [Share; 64],
    /// Where each pattern's weights start in its table.
    starts: Share,
    /// The weights of the edges' contents. Any 16 bits are a place in a table.
    edges: Box<[i8; 1 << 16]>,
    /// Those of all other patterns.
    others: Box<[i8; 1 << 16]>,
    own_moves: [i8; MOST_MOVES + 1],
    opp_moves: [i8; MOST_MOVES + 1],
}

/// A position as contents of patterns.
#[derive(Clone, Copy)]
pub(crate) struct Contents {
    own: Share,
    opp: Share,
}

impl Contents {
    /// The same seen by the other player.
    #[inline(always)]
    pub fn reversed(&self) -> Contents {
        Contents {
            own: self.opp,
            opp: self.own,
        }
    }
}

impl Evaluation {
    /// The evaluation for boards of this size; the smallest is solved without.
    pub fn of(size: Size) -> Option<&'static Evaluation> {
        static EIGHT: LazyLock<Evaluation> =
            LazyLock::new(|| Evaluation::new(Size::Eight, WEIGHTS_EIGHT));
        static SIX: LazyLock<Evaluation> =
            LazyLock::new(|| Evaluation::new(Size::Six, WEIGHTS_SIX));
        match size {
            Size::Four => None,
            Size::Six => Some(&SIX),
            Size::Eight => Some(&EIGHT),
        }
    }

    fn new(size: Size, weights: &[u8]) -> Evaluation {
        let layout = Layout::new(size);
        let weight = |place: usize| weights.get(place).map_or(0, |&weight| weight as i8);
        // Lanes without a pattern always read the last weight of a table, which stays 0.
        let mut values = [[0; LANES]; 64];
        let mut starts = [u16::MAX; LANES];
        let mut tables = [Vec::new(), Vec::new()];
        let mut lane = 0;
        for (number, pattern) in layout.patterns.iter().enumerate() {
            let table = &mut tables[usize::from(number > 0)];
            let start = table.len() as u16;
            table.extend(pattern.weight.iter().map(|&place| weight(place as usize)));
            for image in &pattern.images {
                starts[lane] = start;
                for (i, square) in image.iter().enumerate() {
                    values[square.index()][lane] = 3u16.pow(i as u32);
                }
                lane += 1;
            }
        }
        let [edges, others] = tables.map(|mut table: Vec<i8>| {
            table.resize(1 << 16, 0);
            table
                .into_boxed_slice()
                .try_into()
                .expect("the length is right")
        });
        Evaluation {
            values,
            starts,
            edges,
            others,
            own_moves: std::array::from_fn(|i| weight(layout.own_moves as usize + i)),
            opp_moves: std::array::from_fn(|i| weight(layout.opp_moves as usize + i)),
        }
    }

    /// The contents of a position.
    #[inline(always)]
    pub fn contents(&self, own: u64, opp: u64) -> Contents {
        Contents {
            own: self.share(own),
            opp: self.share(opp),
        }
    }

    #[inline(always)]
    fn share(&self, mut discs: u64) -> Share {
        let mut share = [0; LANES];
        while discs != 0 {
            add(
                &mut share,
                &self.values[discs.trailing_zeros() as usize & 63],
            );
            discs &= discs - 1;
        }
        share
    }

    /// The contents after the mover plays, seen by the opponent.
    #[inline(always)]
    pub fn play(&self, contents: &Contents, square: u32, flips: u64) -> Contents {
        let turned = self.share(flips);
        let mut own = contents.opp;
        let mut opp = contents.own;
        for lane in 0..LANES {
            own[lane] = own[lane].wrapping_sub(turned[lane]);
            opp[lane] = opp[lane]
                .wrapping_add(turned[lane])
                .wrapping_add(self.values[square as usize & 63][lane]);
        }
        Contents { own, opp }
    }

    /// The guess, in discs times [`UNIT`] from the mover's view, given the numbers of moves.
    #[inline(always)]
    pub fn evaluate(&self, contents: &Contents, own_moves: u32, opp_moves: u32) -> i32 {
        let mut sum = i32::from(self.own_moves[(own_moves as usize).min(MOST_MOVES)])
            + i32::from(self.opp_moves[(opp_moves as usize).min(MOST_MOVES)]);
        let mut places = self.starts;
        #[expect(
            clippy::needless_range_loop,
            reason = "three arrays in step, which becomes vector code as it stands"
        )]
        for lane in 0..LANES {
            places[lane] = places[lane]
                .wrapping_add(contents.own[lane])
                .wrapping_add(contents.opp[lane].wrapping_mul(2));
        }
        for &place in &places[..EDGES] {
            sum += i32::from(self.edges[usize::from(place)]);
        }
        for &place in &places[EDGES..PATTERNS] {
            sum += i32::from(self.others[usize::from(place)]);
        }
        sum
    }
}

#[inline(always)]
fn add(sum: &mut Share, values: &Share) {
    for lane in 0..LANES {
        sum[lane] = sum[lane].wrapping_add(values[lane]);
    }
}

/// The evaluation of a board in discs times [`UNIT`], from the mover's view: 0 on 4x4.
pub fn evaluate(board: &Board) -> i32 {
    let (own, opp, empty) = (board.own().bits(), board.opp().bits(), board.empty().bits());
    Evaluation::of(board.size()).map_or(0, |evaluation| {
        evaluation.evaluate(
            &evaluation.contents(own, opp),
            bits::legal_moves(own, opp, empty).count_ones(),
            bits::legal_moves(opp, own, empty).count_ones(),
        )
    })
}
