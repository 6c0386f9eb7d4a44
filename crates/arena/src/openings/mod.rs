//! Where games begin: sets of openings that differ by more than a symmetry.

mod balanced;
mod file;

use std::collections::HashSet;
use std::fmt;

use outflank_rules::{Game, Size, TranscriptError};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::players::random_move;
use crate::symmetry::PositionKey;

pub use balanced::{Balanced, by_alpha_beta, by_evaluator, positions};

/// Openings and where they come from. A match plays them in order, and begins anew after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct OpeningSet {
    source: OpeningSource,
    openings: Vec<Game>,
}

/// Where a set of openings comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum OpeningSource {
    /// The start position alone.
    Start,
    /// Uniformly random moves.
    Random {
        /// The length.
        plies: usize,
        /// The seed of the choice.
        seed: u64,
    },
    /// Positions that a judge sees as nearly equal.
    Balanced {
        /// The length.
        plies: usize,
        /// Who judged.
        judge: String,
        /// The largest value, either way, that counts as equal.
        tolerance: f32,
        /// The seed of the order.
        seed: u64,
    },
    /// A list of the user's.
    File {
        /// Its name.
        name: String,
    },
}

/// Why there are no openings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OpeningError {
    /// Fewer exist, or were found in reasonable time, than wanted.
    #[error("there are only {found} distinct openings ({source_of}); expected {wanted}")]
    TooFew {
        /// What was asked of the generator.
        source_of: OpeningSource,
        /// The number found.
        found: usize,
        /// The number wanted.
        wanted: usize,
    },
    /// A line of a file that is neither a transcript nor a position.
    #[error("{name}, line {line}: {reason}")]
    Line {
        /// The file.
        name: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: LineError,
    },
    /// A file without any opening.
    #[error("{name} has no opening; expected one a line, such as f5d6c3")]
    Empty {
        /// The file.
        name: String,
    },
}

/// What is wrong with a line of a file of openings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LineError {
    /// The transcript cannot be replayed.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// The position cannot be read.
    #[error(transparent)]
    Position(#[from] outflank_rules::ParsePositionError),
    /// The position belongs to another board.
    #[error("the position is one of {found}; expected {expected}")]
    Size {
        /// The board of the position.
        found: Size,
        /// The board of the match.
        expected: Size,
    },
    /// There is nothing left to play.
    #[error("the game is over there: neither player has a move")]
    Over,
}

impl OpeningSet {
    /// The start position alone: one opening, so two games between deterministic players.
    pub fn start(size: Size) -> OpeningSet {
        OpeningSet {
            source: OpeningSource::Start,
            openings: vec![Game::new(size)],
        }
    }

    /// `count` openings of so many uniformly random plies, distinct up to symmetry and not over.
    pub fn random(
        size: Size,
        plies: usize,
        count: usize,
        seed: u64,
    ) -> Result<OpeningSet, OpeningError> {
        let source = OpeningSource::Random { plies, seed };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut seen = HashSet::new();
        let mut openings = Vec::with_capacity(count);
        // So many tries in a row without a new one: there are hardly more.
        let mut patience = 10_000;
        while openings.len() < count && patience > 0 {
            let mut game = Game::new(size);
            while game.plies().len() < plies && !game.is_over() {
                let mv = random_move(game.legal_moves(), &mut rng);
                game.play(mv)
                    .expect("a move of the legal ones, or a forced pass");
            }
            if !game.is_over() && seen.insert(PositionKey::new(&game.position())) {
                openings.push(game);
                patience = 10_000;
            } else {
                patience -= 1;
            }
        }
        OpeningSet::of_at_least(count, source, openings)
    }

    /// Where they come from.
    pub fn source(&self) -> &OpeningSource {
        &self.source
    }

    /// The openings, at least one.
    pub fn openings(&self) -> &[Game] {
        &self.openings
    }

    /// How many of the first `pairs` openings, the set repeated as often as needed, differ by more
    /// than a symmetry.
    pub fn distinct(&self, pairs: usize) -> usize {
        let used = &self.openings[..pairs.min(self.openings.len())];
        let keys: HashSet<PositionKey> = used
            .iter()
            .map(|game| PositionKey::new(&game.position()))
            .collect();
        keys.len()
    }

    fn of_at_least(
        wanted: usize,
        source: OpeningSource,
        openings: Vec<Game>,
    ) -> Result<OpeningSet, OpeningError> {
        // A set is never empty, whatever was asked for.
        let wanted = wanted.max(1);
        if openings.len() < wanted {
            return Err(OpeningError::TooFew {
                source_of: source,
                found: openings.len(),
                wanted,
            });
        }
        Ok(OpeningSet { source, openings })
    }
}

impl fmt::Display for OpeningSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningSource::Start => write!(f, "the start position"),
            OpeningSource::Random { plies, seed } => {
                write!(f, "{plies} random plies, seed {seed}")
            }
            OpeningSource::Balanced {
                plies,
                judge,
                tolerance,
                seed,
            } => write!(
                f,
                "{plies} plies, within {tolerance} of equal for {judge}, seed {seed}"
            ),
            OpeningSource::File { name } => write!(f, "{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_openings_are_distinct_and_repeatable() {
        let set = OpeningSet::random(Size::Eight, 6, 200, 1).expect("enough exist");
        assert_eq!(set.openings().len(), 200);
        assert_eq!(set.distinct(200), 200);
        assert_eq!(set.distinct(1000), 200);
        assert!(set.openings().iter().all(|game| game.plies().len() == 6));
        assert_eq!(
            set,
            OpeningSet::random(Size::Eight, 6, 200, 1).expect("enough exist")
        );
        assert_ne!(
            set,
            OpeningSet::random(Size::Eight, 6, 200, 2).expect("enough exist")
        );
    }

    #[test]
    fn as_many_as_exist_can_be_had_and_not_more() {
        // Up to symmetry there are 3 positions after two plies and 14 after three.
        for (plies, count) in [(0, 1), (1, 1), (2, 3), (3, 14)] {
            assert!(OpeningSet::random(Size::Eight, plies, count, 5).is_ok());
            let error = OpeningSet::random(Size::Eight, plies, count + 1, 5).expect_err("too many");
            assert!(
                matches!(error, OpeningError::TooFew { found, .. } if found == count),
                "{error}"
            );
        }
        // 4x4 games never last 20 plies.
        assert!(OpeningSet::random(Size::Four, 20, 1, 5).is_err());
        assert!(OpeningSet::random(Size::Eight, 20, 0, 5).is_err());
    }
}
