use std::cmp::Reverse;

use outflank_rules::{Game, Move};

use crate::{Player, PlayerError};

/// Turns as many discs as it can at once, and takes the first square in board order (a1, b1, ...)
/// of equals: what a beginner does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl Player for Greedy {
    fn name(&self) -> &str {
        "greedy"
    }

    fn new_game(&mut self, _: &Game, _: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        let board = game.position().board;
        let most = board
            .legal_moves()
            .min_by_key(|&square| Reverse(board.flips(square).len()));
        Ok(most.map_or(Move::Pass, Move::Place))
    }
}
