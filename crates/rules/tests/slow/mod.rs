//! The rules written a second time, slowly and plainly: an array of squares, and walks in eight
//! directions. It shares no code with the crate but the names of squares and colours.
#![allow(dead_code)] // every test file uses its own part

use outflank_rules::{Board, Color, Position, Size, Square, SquareSet};
use rand::{Rng, RngExt};

/// A board as a table of discs, row by row, and the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowBoard {
    pub side: i32,
    pub discs: Vec<Option<Color>>,
    pub to_move: Color,
}

const DIRECTIONS: [(i32, i32); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];

impl SlowBoard {
    pub fn of(position: &Position) -> SlowBoard {
        let size = position.board.size();
        SlowBoard {
            side: size.side() as i32,
            discs: (0..size.area())
                .map(|i| position.disc(size.dense_square(i).expect("on the board")))
                .collect(),
            to_move: position.to_move,
        }
    }

    fn size(&self) -> Size {
        Size::try_from(self.side as u8).expect("a known size")
    }

    pub fn at(&self, column: i32, row: i32) -> Option<Color> {
        self.discs[(row * self.side + column) as usize]
    }

    pub fn is_on_board(&self, column: i32, row: i32) -> bool {
        (0..self.side).contains(&column) && (0..self.side).contains(&row)
    }

    /// All discs that a disc of `mover` on an empty square outflanks.
    pub fn outflanked(&self, mover: Color, column: i32, row: i32) -> Vec<(i32, i32)> {
        let mut all = Vec::new();
        if self.at(column, row).is_some() {
            return all;
        }
        for (dx, dy) in DIRECTIONS {
            let mut line = Vec::new();
            let (mut x, mut y) = (column + dx, row + dy);
            while self.is_on_board(x, y) && self.at(x, y) == Some(!mover) {
                line.push((x, y));
                x += dx;
                y += dy;
            }
            if self.is_on_board(x, y) && self.at(x, y) == Some(mover) {
                all.extend(line);
            }
        }
        all
    }

    pub fn flips(&self, square: Square) -> SquareSet {
        let (column, row) = (square.column() as i32, square.row() as i32);
        if !self.is_on_board(column, row) {
            return SquareSet::EMPTY;
        }
        self.outflanked(self.to_move, column, row)
            .into_iter()
            .map(|(x, y)| Square::new(x as usize, y as usize).expect("on the board"))
            .collect()
    }

    pub fn legal_moves_of(&self, mover: Color) -> SquareSet {
        self.size()
            .squares()
            .filter(|s| {
                !self
                    .outflanked(mover, s.column() as i32, s.row() as i32)
                    .is_empty()
            })
            .collect()
    }

    pub fn legal_moves(&self) -> SquareSet {
        self.legal_moves_of(self.to_move)
    }

    pub fn play(&self, square: Square) -> SlowBoard {
        let (column, row) = (square.column() as i32, square.row() as i32);
        let mut after = self.clone();
        for (x, y) in self.outflanked(self.to_move, column, row) {
            after.discs[(y * self.side + x) as usize] = Some(self.to_move);
        }
        after.discs[(row * self.side + column) as usize] = Some(self.to_move);
        after.to_move = !self.to_move;
        after
    }

    pub fn count(&self, color: Color) -> i32 {
        self.discs
            .iter()
            .filter(|&&disc| disc == Some(color))
            .count() as i32
    }
}

/// Any distribution of discs, reachable or not, of any density and balance.
pub fn random_board(rng: &mut impl Rng, size: Size) -> Board {
    let (filled, own) = (rng.random_range(0.0..1.1), rng.random_range(0.0..1.0));
    let mut sets = [SquareSet::EMPTY; 2];
    for square in size.squares() {
        if rng.random_bool(f64::min(filled, 1.0)) {
            let set = &mut sets[usize::from(rng.random_bool(own))];
            *set = *set | SquareSet::from_bits(square.bit());
        }
    }
    Board::new(size, sets[1], sets[0]).expect("one disc a square")
}

/// A position reached from the start by random legal plies, perhaps a finished game.
pub fn random_reachable(rng: &mut impl Rng, size: Size) -> Position {
    let mut position = Position::start(size);
    for _ in 0..rng.random_range(0..size.area()) {
        let moves: Vec<_> = position.board.moves().collect();
        if moves.is_empty() {
            break;
        }
        position = position
            .apply(moves[rng.random_range(0..moves.len())])
            .expect("a legal move");
    }
    position
}
