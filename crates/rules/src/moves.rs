use std::fmt;
use std::str::FromStr;

use crate::{Size, Square};

/// One ply: a disc placed, or the pass of a player who has no other move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// A disc placed on an empty square where it outflanks.
    Place(Square),
    /// The forced move of a player who can outflank nothing while the opponent can.
    Pass,
}

/// Text that names neither a square nor a pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a move; expected a square such as f5, or pass")]
pub struct ParseMoveError(pub String);

/// Why a move is against the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The square is not one of this board's.
    #[error("{0} is outside of the {1} board")]
    OffBoard(Square, Size),
    /// Discs go on empty squares only.
    #[error("{0} is occupied")]
    Occupied(Square),
    /// The disc would outflank nothing, and the player has moves that do.
    #[error("a disc on {0} outflanks nothing")]
    OutflanksNothing(Square),
    /// The disc would outflank nothing, and so would any other: the player must pass.
    #[error("a disc on {0} outflanks nothing: there is no legal square, the player must pass")]
    MustPass(Square),
    /// A player who has a move may not pass.
    #[error("a player who has a move may not pass; {0} is one")]
    MayNotPass(Square),
    /// Neither player has a move.
    #[error("the game is over: neither player has a move")]
    GameOver,
}

impl Move {
    /// The square of the disc, `None` for a pass.
    pub const fn square(self) -> Option<Square> {
        match self {
            Move::Place(square) => Some(square),
            Move::Pass => None,
        }
    }

    /// Whether this is the pass.
    pub const fn is_pass(self) -> bool {
        matches!(self, Move::Pass)
    }
}

impl From<Square> for Move {
    fn from(square: Square) -> Move {
        Move::Place(square)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Place(square) => square.fmt(f),
            Move::Pass => f.write_str("pass"),
        }
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Reads a square or one of the usual words for a pass, in upper or lower case: `f5`, `pass`,
    /// `pa`, `ps`, `--`.
    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        if ["pass", "pa", "ps", "--"]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(text))
        {
            return Ok(Move::Pass);
        }
        match text.parse() {
            Ok(square) => Ok(Move::Place(square)),
            Err(_) => Err(ParseMoveError(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_read_back_what_they_print() {
        for square in Size::Eight.squares() {
            let placed = Move::Place(square);
            assert_eq!(placed.to_string().parse(), Ok(placed));
            assert_eq!(placed.to_string().to_uppercase().parse(), Ok(placed));
        }
        for pass in ["pass", "PASS", "pa", "Pa", "PA", "--", "ps"] {
            assert_eq!(pass.parse(), Ok(Move::Pass), "{pass}");
        }
    }

    #[test]
    fn other_text_is_refused_by_name() {
        for text in [
            "", "i1", "a9", "a0", "a", "f55", "é1", "-", "p", "passs", "5f",
        ] {
            let error = text.parse::<Move>().expect_err(text);
            assert!(error.to_string().contains(&format!("'{text}'")), "{error}");
        }
    }
}
