use outflank_rules::{Game, Move};
use outflank_solver::Solver;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::random_move;
use crate::{Player, PlayerError};

/// Plays perfectly, for the most discs, as soon as few enough squares are empty, and like another
/// player until then. Of several best moves it takes each with the same chance, as the game's seed
/// decides. On 4x4, 12 empties are the whole game.
pub struct Perfect {
    name: String,
    empties: u32,
    solver: Solver,
    before: Box<dyn Player>,
    rng: ChaCha8Rng,
}

/// Enough for 20 empties, and quick to clear between games.
const TABLE_BYTES: usize = 1 << 24;

impl Perfect {
    /// A player that solves positions with at most `empties` empty squares, and asks `before`
    /// while there are more.
    pub fn new(empties: u32, before: Box<dyn Player>) -> Perfect {
        Perfect {
            name: format!("perfect:{empties}:{}", before.name()),
            empties,
            solver: Solver::new(TABLE_BYTES),
            before,
            rng: ChaCha8Rng::seed_from_u64(0),
        }
    }
}

impl Player for Perfect {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, game: &Game, seed: u64) -> Result<(), PlayerError> {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        self.before.new_game(game, seed)
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        let board = game.position().board;
        if board.empties() > self.empties {
            return self.before.choose(game);
        }
        let best = self.solver.optimal_moves(&board).1;
        Ok(random_move(best, &mut self.rng))
    }
}

#[cfg(test)]
mod tests {
    use outflank_rules::{Scoring, Size};

    use super::*;
    use crate::players::Random;

    #[test]
    fn the_4x4_game_between_perfect_players_ends_as_solved() {
        // Black 3, White 11, two squares empty: known since the game is small enough to exhaust.
        let mut player = Perfect::new(12, Box::new(Random::new()));
        let mut game = Game::new(Size::Four);
        player.new_game(&game, 0).expect("never fails");
        while !game.is_over() {
            let mv = if game.must_pass() {
                Move::Pass
            } else {
                player.choose(&game).expect("never fails")
            };
            game.play(mv).expect("legal");
        }
        assert_eq!(game.score(Scoring::Tournament), -10);
    }
}
