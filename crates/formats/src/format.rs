use std::io::BufRead;
use std::path::Path;

use outflank_rules::Size;

use crate::wthor::Names;
use crate::{AnnotatedGame, Error, WriteError, ggf, sgf, transcript, wthor};

/// The formats that hold games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// [`ggf`].
    Ggf,
    /// [`sgf`].
    Sgf,
    /// [`wthor`], the `.wtb` file.
    Wthor,
    /// [`transcript`].
    Transcript,
}

/// How to read a file of games.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Go on after a record that cannot be read.
    pub skip_bad: bool,
    /// The board of transcripts, which do not tell it.
    pub size: Size,
    /// The names that go with a WTHOR file.
    pub names: Names,
}

/// Games of any format, read one after the other.
pub type Games<'a> = Box<dyn Iterator<Item = Result<AnnotatedGame, Error>> + 'a>;

impl Format {
    /// The format that the ending of a file's name stands for: `ggf`, `sgf`, `wtb`, or `txt` for
    /// transcripts.
    pub fn of_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "ggf" => Format::Ggf,
            "sgf" => Format::Sgf,
            "wtb" => Format::Wthor,
            "txt" => Format::Transcript,
            _ => return None,
        })
    }

    /// Reads games; `file` is the file's name for errors. Fails at once only where a file has a
    /// header, and that is bad.
    pub fn read<'a>(
        self,
        input: impl BufRead + 'a,
        file: &str,
        options: ReadOptions,
    ) -> Result<Games<'a>, Error> {
        let ReadOptions {
            skip_bad,
            size,
            names,
        } = options;
        Ok(match self {
            Format::Ggf => Box::new(ggf::read(input, file).skip_bad(skip_bad)),
            Format::Sgf => Box::new(sgf::read(input, file).skip_bad(skip_bad)),
            Format::Wthor => Box::new(wthor::read_games(input, file, names)?.skip_bad(skip_bad)),
            Format::Transcript => Box::new(transcript::read(input, file, size).skip_bad(skip_bad)),
        })
    }

    /// The text of one game, without the end of the line. A WTHOR file is made of many games, by
    /// [`wthor::Base`].
    pub fn text(self, game: &AnnotatedGame) -> Result<String, WriteError> {
        match self {
            Format::Ggf => ggf::format(game),
            Format::Sgf => sgf::format(game),
            Format::Transcript => transcript::format(game.game()),
            Format::Wthor => Err(WriteError::Inexpressible {
                format: "WTHOR",
                what: "a game as text".to_owned(),
            }),
        }
    }
}
