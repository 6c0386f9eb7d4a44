use std::fmt;
use std::str::FromStr;

use crate::{Board, BoardError, Color, IllegalMove, Move, Scoring, Size, Square, SquareSet};

/// A position with colours: the board as the player to move sees it, and who that is.
///
/// Reads and prints the common notation, one character a square (a1, b1, ... h8) and one for the
/// side to move, and displays as a board:
///
/// ```
/// use outflank_rules::Position;
///
/// let position: Position = "-----ox--xo----- x".parse()?;
/// assert_eq!(position.notation(), "-----OX--XO----- X");
/// assert_eq!(
///     position.to_string(),
///     "  a b c d\n1 . . . .\n2 . O X .\n3 . X O .\n4 . . . .\nBlack to move\n",
/// );
/// # Ok::<(), outflank_rules::ParsePositionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The discs, the mover's first.
    pub board: Board,
    /// The mover.
    pub to_move: Color,
}

/// Text that is no position. Places count the characters of the text from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePositionError {
    /// A character that stands for neither a disc nor an empty square.
    #[error(
        "character {place}, '{found}', is not a square; expected black as b x X *, white as w o O, empty as - ."
    )]
    Square {
        /// Where in the text.
        place: usize,
        /// What is there.
        found: char,
    },
    /// The last character names no side.
    #[error(
        "character {place}, '{found}', is not a side to move; expected black as b x X *, white as w o O"
    )]
    Side {
        /// Where in the text.
        place: usize,
        /// What is there.
        found: char,
    },
    /// All squares of a board, and then nothing.
    #[error(
        "the side to move is missing after the {0} squares; expected black as b x X *, white as w o O"
    )]
    NoSide(usize),
    /// As many characters as no board has squares.
    #[error(
        "{0} characters without blanks; expected 16, 36 or 64 squares and then the side to move"
    )]
    Length(usize),
}

impl Position {
    /// The start, Black to move.
    pub const fn start(size: Size) -> Position {
        Position {
            board: Board::start(size),
            to_move: Color::Black,
        }
    }

    /// The position with these discs.
    pub const fn new(
        size: Size,
        black: SquareSet,
        white: SquareSet,
        to_move: Color,
    ) -> Result<Position, BoardError> {
        let board = match to_move {
            Color::Black => Board::new(size, black, white),
            Color::White => Board::new(size, white, black),
        };
        match board {
            Ok(board) => Ok(Position { board, to_move }),
            Err(error) => Err(error),
        }
    }

    /// The squares with a disc of this colour.
    pub fn discs(&self, color: Color) -> SquareSet {
        if color == self.to_move {
            self.board.own()
        } else {
            self.board.opp()
        }
    }

    /// The colour of the disc on a square, `None` where there is none.
    pub fn disc(&self, square: Square) -> Option<Color> {
        if self.board.own().contains(square) {
            Some(self.to_move)
        } else if self.board.opp().contains(square) {
            Some(!self.to_move)
        } else {
            None
        }
    }

    /// The position after a legal ply.
    pub fn apply(&self, mv: Move) -> Result<Position, IllegalMove> {
        Ok(Position {
            board: self.board.apply(mv)?,
            to_move: !self.to_move,
        })
    }

    /// Black's discs minus White's, counted as `scoring` says, as if the game were over.
    pub fn score(&self, scoring: Scoring) -> i32 {
        self.to_move.sign() * self.board.score(scoring)
    }

    /// The notation that every other program reads: `X`, `O` and `-` for the squares row by row,
    /// a blank, and the side to move.
    pub fn notation(&self) -> String {
        let size = self.board.size();
        let mut text = String::with_capacity(size.area() + 2);
        text.extend(size.squares().map(|square| letter(self.disc(square), '-')));
        text.push(' ');
        text.push(letter(Some(self.to_move), '-'));
        text
    }
}

fn letter(disc: Option<Color>, empty: char) -> char {
    match disc {
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
        None => empty,
    }
}

/// The colour that a letter of the notation stands for.
fn color(letter: char) -> Option<Color> {
    match letter {
        'b' | 'B' | 'x' | 'X' | '*' => Some(Color::Black),
        'w' | 'W' | 'o' | 'O' => Some(Color::White),
        _ => None,
    }
}

impl FromStr for Position {
    type Err = ParsePositionError;

    /// Reads the squares row by row and the side to move, with blanks and line breaks anywhere.
    /// The number of squares tells the size of the board.
    fn from_str(text: &str) -> Result<Position, ParsePositionError> {
        let letters: Vec<(usize, char)> = (1..)
            .zip(text.chars())
            .filter(|(_, c)| !c.is_whitespace())
            .collect();
        let is_square = |c: char| color(c).is_some() || matches!(c, '-' | '.');
        let size = Size::ALL
            .into_iter()
            .find(|size| size.area() + 1 == letters.len());
        let Some((size, (&(place, side), squares))) = size.zip(letters.split_last()) else {
            // A stray character is a better explanation than a wrong count.
            if let Some(&(place, found)) = letters.iter().find(|(_, c)| !is_square(*c)) {
                return Err(ParsePositionError::Square { place, found });
            }
            let boards = Size::ALL.map(Size::area);
            return Err(match letters.len() {
                length if boards.contains(&length) => ParsePositionError::NoSide(length),
                length => ParsePositionError::Length(length),
            });
        };

        let (mut black, mut white) = (0, 0);
        for (square, &(place, found)) in size.squares().zip(squares) {
            match color(found) {
                Some(Color::Black) => black |= square.bit(),
                Some(Color::White) => white |= square.bit(),
                None if is_square(found) => {}
                None => return Err(ParsePositionError::Square { place, found }),
            }
        }
        let to_move = color(side).ok_or(ParsePositionError::Side { place, found: side })?;
        let (black, white) = (SquareSet::from_bits(black), SquareSet::from_bits(white));
        Ok(Position::new(size, black, white, to_move).expect("one disc a square, on the board"))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.board.size();
        f.write_str(" ")?;
        for column in ('a'..).take(size.side()) {
            write!(f, " {column}")?;
        }
        for square in size.squares() {
            if square.column() == 0 {
                write!(f, "\n{}", square.row() + 1)?;
            }
            write!(f, " {}", letter(self.disc(square), '.'))?;
        }
        writeln!(f, "\n{} to move", self.to_move)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_in_every_spelling() {
        for size in Size::ALL {
            let start = Position::start(size);
            let text = start.notation();
            assert_eq!(text.parse(), Ok(start));
            let spaced: String = text.chars().flat_map(|c| [' ', c, '\n']).collect();
            assert_eq!(spaced.parse(), Ok(start));
            for (black, white) in [('x', 'o'), ('*', 'O'), ('b', 'w'), ('B', 'W')] {
                let spelled = text
                    .replace('X', &black.to_string())
                    .replace('O', &white.to_string());
                assert_eq!(spelled.parse(), Ok(start));
                assert_eq!(spelled.replace('-', ".").parse(), Ok(start));
            }
        }
    }

    #[test]
    fn white_to_move_sees_the_same_colours() {
        let text = "XOO-\nOXXO\n....\nX..O w";
        let position: Position = text.parse().expect("a position");
        assert_eq!(position.to_move, Color::White);
        assert_eq!(position.board.own(), position.discs(Color::White));
        assert_eq!(position.discs(Color::Black).len(), 4);
        assert_eq!(position.score(Scoring::Plain), -1);
        assert_eq!(position.board.score(Scoring::Plain), 1);
        assert_eq!(position.notation(), "XOO-OXXO----X--O O");
    }

    #[test]
    fn errors_name_the_place() {
        let error = |text: &str| text.parse::<Position>().expect_err(text);
        assert_eq!(error(""), ParsePositionError::Length(0));
        assert_eq!(error("----------------"), ParsePositionError::NoSide(16));
        assert_eq!(error("----------------XX"), ParsePositionError::Length(18));
        assert_eq!(
            error("---- ---- ---- ---- -"),
            ParsePositionError::Side {
                place: 21,
                found: '-'
            }
        );
        let stray = ParsePositionError::Square {
            place: 7,
            found: 'ü',
        };
        assert_eq!(error("---- -ü-- ---- ---- x"), stray);
        assert_eq!(error("---- -ü"), stray);
        assert!(stray.to_string().contains("character 7, 'ü'"), "{stray}");
    }
}
