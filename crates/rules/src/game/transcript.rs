//! Games as text, one move after the other: `f5d6c3`.

use std::fmt;

use super::Game;
use crate::{Color, IllegalMove, Move, Position, SquareSet};

/// What a transcript does with passes. They are always forced, so they can be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Passes {
    /// Left out, as most programs do.
    #[default]
    Omitted,
    /// Written as `pa`.
    Written,
}

/// A transcript that cannot be replayed, and where it fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptError {
    /// The number of the ply, counted from 1 with passes.
    pub ply: usize,
    /// The character of the text where it stands, counted from 1.
    pub place: usize,
    /// What stands there.
    pub found: String,
    /// What is wrong with it.
    pub reason: TranscriptReason,
    /// Whose turn it is.
    pub player: Color,
    /// Where the player could move instead; empty if the player must pass, and after the game.
    pub expected: SquareSet,
}

/// Why a part of a transcript is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranscriptReason {
    /// It is neither a square, a pass nor the number of a move.
    #[error("it is not a move")]
    NotAMove,
    /// It is a move, but against the rules.
    #[error(transparent)]
    Illegal(IllegalMove),
}

impl fmt::Display for TranscriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TranscriptError {
            ply,
            place,
            found,
            reason,
            player,
            expected,
        } = self;
        write!(
            f,
            "ply {ply}, '{found}' at character {place}: {reason}; expected "
        )?;
        match (reason, expected.is_empty()) {
            (TranscriptReason::Illegal(IllegalMove::GameOver), _) => f.write_str("the end"),
            (_, true) => write!(f, "a pass of {player}"),
            (_, false) => write!(f, "{player} on one of {expected}"),
        }
    }
}

impl std::error::Error for TranscriptError {}

/// Takes the next move off the front of a text, or returns how long the unreadable word is.
/// Characters that separate moves are gone already.
fn split_move(text: &str) -> Result<(Move, &str), usize> {
    // The longer words first: "pass" begins with another word for the same.
    for length in [4, 2] {
        if let Some(Ok(mv)) = text.get(..length).map(str::parse) {
            return Ok((mv, &text[length..]));
        }
    }
    Err(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// The text without blanks and numbers of moves (`12.`, `12)`, `12:` or a number alone) in front.
fn skip_separators(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = rest.strip_prefix(['.', ')', ':']);
        match numbered.or_else(|| rest.starts_with(char::is_whitespace).then_some(rest)) {
            Some(rest_after_number) if rest.len() < text.len() => text = rest_after_number,
            _ => return text,
        }
    }
}

impl Game {
    /// Replays a transcript: squares in upper or lower case, with or without blanks, numbers of
    /// moves, and passes (`pa`, `ps`, `pass` or `--`). Passes that are not written are inserted
    /// where they are forced, except at the end, where [`Game::must_pass`] then holds.
    ///
    /// ```
    /// use outflank_rules::{Game, Position, Size};
    ///
    /// let start = Position::start(Size::Eight);
    /// let game = Game::from_transcript(start, "1. F5 d6 2. C3")?;
    /// assert_eq!(game.plies().len(), 3);
    ///
    /// let error = Game::from_transcript(start, "f5 f6 f5").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "ply 3, 'f5' at character 7: f5 is occupied; expected Black on one of d3 c4 e6 f7",
    /// );
    /// # Ok::<(), outflank_rules::TranscriptError>(())
    /// ```
    pub fn from_transcript(start: Position, text: &str) -> Result<Game, TranscriptError> {
        let mut game = Game::from_position(start);
        let mut rest = skip_separators(text);
        while !rest.is_empty() {
            let (word, step) = match split_move(rest) {
                Ok((mv, after)) => (&rest[..rest.len() - after.len()], Ok(mv)),
                Err(length) => (&rest[..length], Err(TranscriptReason::NotAMove)),
            };
            if step.is_ok_and(|mv| !mv.is_pass()) && game.must_pass() {
                game.play(Move::Pass).expect("it is the only legal ply");
            }
            step.and_then(|mv| game.play(mv).map_err(TranscriptReason::Illegal))
                .map_err(|reason| TranscriptError {
                    ply: game.plies().len() + 1,
                    place: text[..text.len() - rest.len()].chars().count() + 1,
                    found: word.to_owned(),
                    reason,
                    player: game.position().to_move,
                    expected: game.legal_moves(),
                })?;
            rest = skip_separators(&rest[word.len()..]);
        }
        Ok(game)
    }

    /// The moves one after the other, two characters each: `f5d6c3`.
    pub fn transcript(&self, passes: Passes) -> String {
        let mut text = String::with_capacity(2 * self.plies.len());
        for ply in &self.plies {
            match (ply.mv, passes) {
                (Move::Place(square), _) => text.push_str(&square.to_string()),
                (Move::Pass, Passes::Written) => text.push_str("pa"),
                (Move::Pass, Passes::Omitted) => {}
            }
        }
        text
    }
}
