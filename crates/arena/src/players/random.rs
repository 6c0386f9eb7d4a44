use outflank_rules::{Game, Move, SquareSet};
use rand::seq::IteratorRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Player, PlayerError};

/// Plays any legal move with the same probability. The zero of the ladder.
#[derive(Debug)]
pub struct Random {
    rng: ChaCha8Rng,
}

impl Random {
    /// A player whose choices follow from the seed of each game.
    pub fn new() -> Random {
        Random {
            rng: ChaCha8Rng::seed_from_u64(0),
        }
    }
}

impl Default for Random {
    fn default() -> Random {
        Random::new()
    }
}

impl Player for Random {
    fn name(&self) -> &str {
        "random"
    }

    fn new_game(&mut self, _: &Game, seed: u64) -> Result<(), PlayerError> {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        Ok(random_move(game.legal_moves(), &mut self.rng))
    }
}

/// One of the moves, each with the same probability; a pass if there are none.
pub fn random_move(moves: SquareSet, rng: &mut impl Rng) -> Move {
    moves.choose(rng).map_or(Move::Pass, Move::Place)
}
