use std::collections::VecDeque;

use outflank_rules::{Board, Color, Size, SquareSet};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::{
    Ending, GameRecord, Ownership, ReplayError, Sample, SearchKind, SearchRecord, policy::dense,
};

/// How much a training position counts, by how it was searched. A kind that counts 0 is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KindWeights {
    /// Positions with a full search. Default 1.
    pub full: f32,
    /// Positions with a fast search. Default 0.
    pub fast: f32,
    /// Positions solved exactly. Default 1.
    pub solved: f32,
}

impl Default for KindWeights {
    fn default() -> KindWeights {
        KindWeights {
            full: 1.0,
            fast: 0.0,
            solved: 1.0,
        }
    }
}

impl KindWeights {
    /// The positions of a game that a window with these weights keeps.
    pub fn positions(&self, game: &GameRecord) -> usize {
        let searches = game.plies.iter().filter_map(|ply| ply.search.as_ref());
        searches.filter(|search| self.of(search.kind) > 0.0).count()
    }

    fn of(&self, kind: SearchKind) -> f32 {
        match kind {
            SearchKind::Full => self.full,
            SearchKind::Fast => self.fast,
            SearchKind::Solved => self.solved,
        }
    }
}

/// The latest training positions of a stream of games: every position with a search, the oldest
/// dropped when there are more than the capacity.
///
/// A position takes about 60 bytes: its policy stays quantised until it is sampled. What a window
/// holds depends on the games, their order and the capacity alone, so a trainer that pushes the
/// same games again samples the same positions again.
#[derive(Clone, Debug)]
pub struct Window {
    capacity: usize,
    weights: KindWeights,
    surprise_share: f32,
    games: VecDeque<WindowGame>,
    /// Positions ever pushed.
    pushed: u64,
}

/// One game's training positions.
#[derive(Clone, Debug)]
struct WindowGame {
    /// The number of the first position among all ever pushed.
    first: u64,
    size: Size,
    black_margin: i8,
    ending: Ending,
    /// Black's and White's discs at the end, if known.
    last: Option<(u64, u64)>,
    positions: Box<[Position]>,
    /// The policies of all positions, one after another.
    squares: Box<[u8]>,
    policy_weights: Box<[u16]>,
}

#[derive(Clone, Debug)]
struct Position {
    own: u64,
    opp: u64,
    value: f32,
    /// Where its policy ends; it begins where that of the position before ends.
    policy_end: u32,
    to_move: Color,
    kind: SearchKind,
    ply: u8,
    /// How much it counts, by its kind and its surprise.
    weight: f32,
}

impl Window {
    /// An empty window of at most `capacity` positions.
    pub fn new(capacity: usize, weights: KindWeights) -> Window {
        Window {
            capacity,
            weights,
            surprise_share: 0.0,
            games: VecDeque::new(),
            pushed: 0,
        }
    }

    /// The same window, in which this share (0 to 1) of the weight of a game's fully searched
    /// positions goes to them in proportion to their surprise instead of evenly (Wu 2019, KataGo's
    /// policy surprise weighting): the network learns more where the search found something new.
    pub fn with_surprise_share(self, surprise_share: f32) -> Window {
        Window {
            surprise_share,
            ..self
        }
    }

    /// The number of positions that can be sampled.
    pub fn len(&self) -> usize {
        (self.pushed - self.begin()) as usize
    }

    /// Whether there is nothing to sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many positions were ever pushed.
    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// Memory that the positions take, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let game = |game: &WindowGame| {
            size_of::<WindowGame>() + size_of_val(&*game.positions) + 3 * game.squares.len()
        };
        self.games.iter().map(game).sum()
    }

    /// Changes the capacity. What was dropped before does not come back.
    pub fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity;
        self.drop_oldest();
    }

    /// Appends the training positions of a game and says how many they are; a game that breaks
    /// the rules is refused whole.
    pub fn push(&mut self, record: &GameRecord) -> Result<usize, ReplayError> {
        let mut game = WindowGame {
            first: self.pushed,
            size: record.size,
            black_margin: record.black_margin,
            ending: record.ending,
            last: None,
            positions: Box::default(),
            squares: Box::default(),
            policy_weights: Box::default(),
        };
        let mut positions = Vec::new();
        let mut policies: Vec<(u8, u16)> = Vec::new();
        let mean_surprise = mean_surprise(record);
        let mut replay = record.replay();
        while let Some(step) = replay.next().transpose()? {
            let Some(SearchRecord {
                kind,
                policy,
                value,
                surprise,
                ..
            }) = &step.record.search
            else {
                continue;
            };
            // A forced pass is no position to learn from: the network is never asked there.
            if step.record.mv.is_pass() || self.weights.of(*kind) <= 0.0 {
                continue;
            }
            policies.extend(policy.entries());
            let surprising = match kind {
                SearchKind::Full if mean_surprise > 0.0 => surprise / mean_surprise,
                _ => 1.0,
            };
            positions.push(Position {
                own: step.board.own().bits(),
                opp: step.board.opp().bits(),
                value: *value,
                policy_end: policies.len() as u32,
                to_move: step.to_move,
                kind: *kind,
                ply: step.ply as u8, // a game has at most 120 plies
                weight: self.weights.of(*kind) * (1.0 + self.surprise_share * (surprising - 1.0)),
            });
        }
        let board = *replay.board();
        if board.is_over() {
            let (own, opp) = (board.own().bits(), board.opp().bits());
            game.last = Some(match replay.to_move() {
                Color::Black => (own, opp),
                Color::White => (opp, own),
            });
        }
        let count = positions.len();
        if count > 0 {
            game.positions = positions.into();
            game.squares = policies.iter().map(|&(square, _)| square).collect();
            game.policy_weights = policies.iter().map(|&(_, weight)| weight).collect();
            self.games.push_back(game);
            self.pushed += count as u64;
            self.drop_oldest();
        }
        Ok(count)
    }

    /// A position of the window, `0..len`, the oldest first.
    pub fn get(&self, index: usize) -> Option<Sample> {
        let number = self.begin() + index as u64;
        let game = self
            .games
            .partition_point(|game| game.first <= number)
            .checked_sub(1)?;
        let game = &self.games[game];
        let index = (number - game.first) as usize;
        (index < game.positions.len()).then(|| game.sample(index))
    }

    /// One position, each with the same chance; `None` if the window is empty.
    pub fn sample(&self, rng: &mut impl Rng) -> Option<Sample> {
        if self.is_empty() {
            return None;
        }
        self.get(rng.random_range(0..self.len()))
    }

    /// The number of the oldest position that can be sampled.
    fn begin(&self) -> u64 {
        let oldest = self.games.front().map_or(self.pushed, |game| game.first);
        oldest.max(self.pushed.saturating_sub(self.capacity as u64))
    }

    /// Drops games of which no position can be sampled any more.
    fn drop_oldest(&mut self) {
        let begin = self.begin();
        while self.games.front().is_some_and(|game| game.end() <= begin) {
            self.games.pop_front();
        }
    }
}

/// The mean surprise of a game's full searches; 0 without any.
fn mean_surprise(record: &GameRecord) -> f32 {
    let searches = record.plies.iter().filter_map(|ply| ply.search.as_ref());
    let (mut sum, mut count) = (0.0, 0);
    for search in searches.filter(|search| search.kind == SearchKind::Full) {
        sum += search.surprise;
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / count as f32 }
}

impl WindowGame {
    fn end(&self) -> u64 {
        self.first + self.positions.len() as u64
    }

    fn policy(&self, index: usize) -> Option<[f32; 64]> {
        let start = match index {
            0 => 0,
            _ => self.positions[index - 1].policy_end as usize,
        };
        let range = start..self.positions[index].policy_end as usize;
        let squares = self.squares[range.clone()].iter().copied();
        dense(squares.zip(self.policy_weights[range].iter().copied()))
    }

    fn sample(&self, index: usize) -> Sample {
        let position = &self.positions[index];
        let answered = self
            .positions
            .get(index + 1)
            .is_some_and(|next| next.ply == position.ply + 1);
        let margin = position.to_move.sign() * i32::from(self.black_margin);
        let set = SquareSet::from_bits;
        Sample {
            board: Board::new(self.size, set(position.own), set(position.opp))
                .expect("the position was a board"),
            kind: position.kind,
            policy: self.policy(index),
            reply: if answered {
                self.policy(index + 1)
            } else {
                None
            },
            outcome: margin.signum() as f32,
            margin: (self.ending != Ending::Resigned).then_some(margin as f32),
            search_value: position.value,
            ownership: self.last.map(|(black, white)| match position.to_move {
                Color::Black => Ownership {
                    own: set(black),
                    opp: set(white),
                },
                Color::White => Ownership {
                    own: set(white),
                    opp: set(black),
                },
            }),
            weight: position.weight,
        }
    }
}
