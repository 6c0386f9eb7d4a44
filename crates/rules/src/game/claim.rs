//! Discs turned by hand. Over the board a player may flip wrongly, and may correct it until the
//! opponent has moved. A [`Game`] always holds the right position, so a correction is a comparison
//! with it, and a second thought about the move itself is a take-back.

use std::fmt;

use super::{Game, Ply};
use crate::{Color, Move, Position, SquareSet};

/// Why a player's last move can be neither corrected nor taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TakeBackError {
    /// The player has not moved in this game.
    #[error("{0} has not moved yet")]
    NoMove(Color),
    /// The opponent has moved since, or passed: the move stands.
    #[error("{opponent} has moved since {player} played {mv}: it stands", opponent = !*.player)]
    TooLate {
        /// The player who asks.
        player: Color,
        /// The player's last ply.
        mv: Move,
    },
}

/// What is wrong with a position that a player claims to have set up by the last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// There is no move that could still be corrected.
    #[error(transparent)]
    NotNow(#[from] TakeBackError),
    /// The claimed position differs from the right one.
    #[error("after {mv}: {difference}")]
    Wrong {
        /// The player's last ply.
        mv: Move,
        /// Where.
        difference: Difference,
    },
}

/// The squares where a claimed position differs from the right one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Discs that are outflanked, but still show the opponent's colour.
    pub missed: SquareSet,
    /// Discs that were flipped, but are not outflanked.
    pub excess: SquareSet,
    /// Squares with a disc too many or too few.
    pub misplaced: SquareSet,
}

impl Difference {
    fn verdict(self, mv: Move) -> Result<(), ClaimError> {
        if self == Difference::default() {
            return Ok(());
        }
        Err(ClaimError::Wrong {
            mv,
            difference: self,
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (squares, what) in [
            (self.missed, "should have been flipped"),
            (self.excess, "should not have been flipped"),
            (self.misplaced, "with a disc too many or too few"),
        ] {
            if !squares.is_empty() {
                write!(f, "{separator}{squares} {what}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

impl Game {
    /// The player's last ply, if it is still the last of the game.
    fn correctable(&self, player: Color) -> Result<Move, TakeBackError> {
        match self.plies.iter().rev().find(|ply| ply.player() == player) {
            None => Err(TakeBackError::NoMove(player)),
            Some(ply) if self.position.to_move == player => {
                Err(TakeBackError::TooLate { player, mv: ply.mv })
            }
            Some(ply) => Ok(ply.mv),
        }
    }

    /// Compares a position that the player has set up by hand in the last move with the right one,
    /// which is the game's. Only discs count; whose turn the claim says it is does not matter.
    ///
    /// This is possible until the opponent has moved.
    pub fn claim(&self, player: Color, claimed: &Position) -> Result<(), ClaimError> {
        let mv = self.correctable(player)?;
        let flips = self.last_flips();
        let (own, opp) = (self.position.discs(player), self.position.discs(!player));
        let (claimed_own, claimed_opp) = (claimed.discs(player), claimed.discs(!player));
        let difference = Difference {
            missed: flips & claimed_opp,
            excess: (opp & claimed_own) | (own & !flips & claimed_opp),
            misplaced: (own | opp) ^ (claimed_own | claimed_opp),
        };
        difference.verdict(mv)
    }

    /// [`Game::claim`] for a player who names the discs that were flipped in the last move.
    pub fn claim_flips(&self, player: Color, flipped: SquareSet) -> Result<(), ClaimError> {
        let mv = self.correctable(player)?;
        let flips = self.last_flips();
        let (missed, excess) = (flips & !flipped, flipped & !flips);
        Difference {
            missed,
            excess,
            misplaced: SquareSet::EMPTY,
        }
        .verdict(mv)
    }

    fn last_flips(&self) -> SquareSet {
        self.plies.last().map_or(SquareSet::EMPTY, Ply::flips)
    }

    /// Takes the player's last ply back, which is possible until the opponent has moved.
    /// [`Game::undo`] has no such limit.
    pub fn take_back(&mut self, player: Color) -> Result<Move, TakeBackError> {
        let mv = self.correctable(player)?;
        self.undo();
        Ok(mv)
    }
}
