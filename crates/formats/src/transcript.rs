//! Transcripts: the moves of a game and nothing else, one game a line.
//!
//! ```text
//! f5d6c3d3c4
//! ```
//!
//! Games start at the usual position. Passes are left out, being forced, except one at the very end
//! of a game that was broken off there. Reading accepts all that [`Game::from_transcript`] does:
//! written passes, capitals, blanks, numbers of moves; `%` starts a comment.

use std::io::{BufRead, Write};

use outflank_rules::{Game, Passes, Position, Size};

use crate::lines::Lines;
use crate::records::Source;
use crate::{AnnotatedGame, Error, Problem, Records, WriteError};

/// Reads the games of a file on boards of this size; `file` is its name for errors.
pub fn read<R: BufRead>(input: R, file: &str, size: Size) -> Records<GameSource<R>> {
    Records::new(GameSource {
        lines: Lines::new(input, file),
        size,
    })
}

/// Writes one game and the end of the line. Only the moves are kept.
pub fn write(output: &mut impl Write, game: &Game) -> Result<(), WriteError> {
    Ok(writeln!(output, "{}", format(game)?)?)
}

/// The moves of a game in one word.
pub fn format(game: &Game) -> Result<String, WriteError> {
    let start = game.start();
    let what = if start != Position::start(start.board.size()) {
        Some("a game from another starting position")
    } else if game.plies().is_empty() {
        Some("a game without moves")
    } else {
        None
    };
    if let Some(what) = what {
        return Err(WriteError::Inexpressible {
            format: "a transcript",
            what: what.to_owned(),
        });
    }
    let mut text = game.transcript(Passes::Omitted);
    if game.plies().last().is_some_and(|ply| ply.mv.is_pass()) {
        text.push_str("pa");
    }
    Ok(text)
}

/// The lines of a file of transcripts.
#[derive(Debug)]
pub struct GameSource<R> {
    lines: Lines<R>,
    size: Size,
}

impl<R: BufRead> Source for GameSource<R> {
    type Record = AnnotatedGame;

    fn next_record(&mut self) -> Option<Result<AnnotatedGame, Error>> {
        let line = self.lines.next_content()?;
        Some(line.and_then(|line| {
            let game = Game::from_transcript(Position::start(self.size), &line)
                .map_err(|error| self.lines.error(Problem::Transcript(error)))?;
            if game.plies().is_empty() {
                let problem = Problem::syntax("moves such as f5d6c3", &line);
                return Err(self.lines.error(problem));
            }
            Ok(AnnotatedGame::from(game))
        }))
    }
}
