//! Files of games and positions in any format, read one record after the other.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use outflank_formats::obf::ScoredPosition;
use outflank_formats::wthor::{Directory, Kind, Names};
use outflank_formats::{AnnotatedGame, Error, Format, Problem, ReadOptions, obf};
use outflank_records::{GameRecord, chunk};
use outflank_rules::Size;
use outflank_run::Location;

use crate::args::{FileFormat, Reading};
use crate::players::open_run;
use crate::progress::say;

/// What a file holds, one after the other.
pub enum Item {
    /// A game of other programs' files.
    Game(Box<AnnotatedGame>),
    /// A game of a run. It has been replayed.
    Record(GameRecord),
    /// A position.
    Position(ScoredPosition),
}

/// What was made of an item.
pub enum Verdict {
    /// It was used.
    Taken,
    /// It cannot be used, for this reason.
    Refused(String),
}

/// What became of all items.
#[derive(Default)]
pub struct Tally {
    /// Items that were used.
    pub taken: u64,
    /// Items that could not be read or used, and were left out.
    pub skipped: u64,
}

impl FileFormat {
    /// The format that a file's name tells.
    pub fn of_path(path: &Path) -> Result<FileFormat> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        Ok(match (Format::of_path(path), extension) {
            (Some(Format::Ggf), _) => FileFormat::Ggf,
            (Some(Format::Sgf), _) => FileFormat::Sgf,
            (Some(Format::Wthor), _) => FileFormat::Wthor,
            (Some(Format::Transcript), _) => FileFormat::Transcript,
            (None, Some("obf" | "OBF")) => FileFormat::Obf,
            (None, Some("rec")) => FileFormat::Rec,
            _ => bail!(
                "{}: its name tells no format; expected one that ends in .ggf, .sgf, .wtb, .txt, .obf or .rec, or the format by an option",
                path.display()
            ),
        })
    }
}

/// Hands all items of these files to `take`, in order. One that cannot be read, or that `take`
/// refuses, is an error, or with `--skip-bad` told on standard error and left out. A folder is a
/// run, of which all committed games are read. `size` is the board of transcripts.
pub fn read_all(
    files: &[PathBuf],
    reading: &Reading,
    size: Size,
    take: impl FnMut(Item) -> Result<Verdict>,
) -> Result<Tally> {
    let mut reader = Reader {
        reading,
        size,
        take,
        tally: Tally::default(),
    };
    for path in files {
        reader.read(path)?;
    }
    Ok(reader.tally)
}

struct Reader<'a, F> {
    reading: &'a Reading,
    size: Size,
    take: F,
    tally: Tally,
}

impl<F: FnMut(Item) -> Result<Verdict>> Reader<'_, F> {
    fn read(&mut self, path: &Path) -> Result<()> {
        if path.is_dir() {
            return self.run(path);
        }
        // A path that leads nowhere is that first, whatever its name.
        path.metadata()
            .with_context(|| format!("{}: cannot be read", path.display()))?;
        let format = match self.reading.input_format {
            Some(format) => format,
            None => FileFormat::of_path(path)?,
        };
        let format = match format {
            FileFormat::Rec => return self.chunk(path),
            FileFormat::Obf => return self.positions(path),
            FileFormat::Ggf => Format::Ggf,
            FileFormat::Sgf => Format::Sgf,
            FileFormat::Wthor => Format::Wthor,
            FileFormat::Transcript => Format::Transcript,
        };
        let names = match format {
            Format::Wthor => names(path, self.reading)?,
            _ => Names::default(),
        };
        let options = ReadOptions {
            skip_bad: true, // it is decided here what becomes of them
            size: self.size,
            names,
        };
        let games = match format.read(open(path)?, &path.display().to_string(), options) {
            Ok(games) => games,
            Err(error) if matches!(error.problem, Problem::Io(_)) => bail!(error),
            Err(error) => return self.bad(error.to_string()),
        };
        for (number, game) in games.enumerate() {
            self.item(path, number, game.map(|game| Item::Game(Box::new(game))))?;
        }
        Ok(())
    }

    fn positions(&mut self, path: &Path) -> Result<()> {
        let positions = obf::read(open(path)?, &path.display().to_string()).skip_bad(true);
        for (number, position) in positions.enumerate() {
            self.item(path, number, position.map(Item::Position))?;
        }
        Ok(())
    }

    fn chunk(&mut self, path: &Path) -> Result<()> {
        let mut bytes = Vec::new();
        open(path)?
            .read_to_end(&mut bytes)
            .with_context(|| format!("{}: cannot be read", path.display()))?;
        match chunk::decode(&bytes) {
            Ok(games) => self.records(path, games),
            Err(error) => self.bad(format!("{}: {error}", path.display())),
        }
    }

    fn run(&mut self, path: &Path) -> Result<()> {
        let run = open_run(&Location::Folder(path.to_owned()))?;
        for entry in run.history()? {
            for chunk in &entry.chunks {
                self.records(&path.join(chunk.key.to_string()), run.read_taken(chunk)?)?;
            }
        }
        Ok(())
    }

    fn records(&mut self, path: &Path, games: Vec<GameRecord>) -> Result<()> {
        for (number, game) in games.into_iter().enumerate() {
            match game.verify() {
                Ok(()) => self.item(path, number, Ok(Item::Record(game)))?,
                Err(error) => {
                    self.bad(format!("{}: game {}: {error}", path.display(), number + 1))?;
                }
            }
        }
        Ok(())
    }

    fn item(&mut self, path: &Path, number: usize, item: Result<Item, Error>) -> Result<()> {
        match item {
            Ok(item) => match (self.take)(item)? {
                Verdict::Taken => self.tally.taken += 1,
                Verdict::Refused(reason) => {
                    self.bad(format!("{}: game {}: {reason}", path.display(), number + 1))?;
                }
            },
            Err(error) if matches!(error.problem, Problem::Io(_)) => bail!(error),
            Err(error) => self.bad(error.to_string())?,
        }
        Ok(())
    }

    fn bad(&mut self, message: String) -> Result<()> {
        if !self.reading.skip_bad {
            bail!("{message} (--skip-bad leaves such games out)");
        }
        say(&format!("left out: {message}"));
        self.tally.skipped += 1;
        Ok(())
    }
}

fn open(path: &Path) -> Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(BufReader::new(file))
}

/// The names that go with a WTHOR file: from the files that were named, or those beside it.
fn names(path: &Path, reading: &Reading) -> Result<Names> {
    let read = |given: &Option<PathBuf>, extension, kind| -> Result<Vec<String>> {
        let found = match given {
            Some(file) => Some(file.clone()),
            None => beside(path, extension)?,
        };
        let Some(file) = found else {
            say(&format!(
                "{}: no .{extension} file beside it: names are numbers",
                path.display()
            ));
            return Ok(Vec::new());
        };
        Ok(Directory::read(open(&file)?, &file.display().to_string(), kind)?.names)
    };
    Ok(Names {
        players: read(&reading.players, "jou", Kind::Players)?,
        tournaments: read(&reading.tournaments, "trn", Kind::Tournaments)?,
    })
}

/// The file with this extension in the folder of a base: of the same name, or the only one.
fn beside(path: &Path, extension: &str) -> Result<Option<PathBuf>> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut found = Vec::new();
    let cannot = || format!("{}: cannot be listed", folder.display());
    for entry in folder.read_dir().with_context(cannot)? {
        let file = entry.with_context(cannot)?.path();
        let its_own = file.extension().and_then(|extension| extension.to_str());
        if its_own.is_some_and(|its_own| its_own.eq_ignore_ascii_case(extension)) {
            if file.file_stem() == path.file_stem() {
                return Ok(Some(file));
            }
            found.push(file);
        }
    }
    Ok(match found.len() {
        1 => found.pop(),
        _ => None,
    })
}
