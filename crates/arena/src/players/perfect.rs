use outflank_rules::{Game, Move};
use outflank_solver::Solver;

use crate::{Player, PlayerError};

/// Plays perfectly, for the most discs, as soon as few enough squares are empty, and like another
/// player until then. On 4x4, 12 empties are the whole game.
pub struct Perfect {
    name: String,
    empties: u32,
    solver: Solver,
    before: Box<dyn Player>,
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
        }
    }
}

impl Player for Perfect {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, game: &Game, seed: u64) -> Result<(), PlayerError> {
        // Which of several best moves is found may depend on what the table holds.
        self.solver.clear();
        self.before.new_game(game, seed)
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        let board = game.position().board;
        if board.empties() > self.empties {
            return self.before.choose(game);
        }
        Ok(self.solver.exact_with_move(&board).1)
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
