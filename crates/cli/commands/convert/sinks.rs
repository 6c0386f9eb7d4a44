//! Files of each format, written whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Error, Result, bail};
use outflank_formats::obf::{self, ScoredPosition};
use outflank_formats::wthor::{Base, Date};
use outflank_formats::{AnnotatedGame, Format, ReadOptions};
use outflank_records::{GameRecord, chunk};

use super::kept::Losses;
use crate::args::FileFormat;
use crate::game_files::Item;
use crate::game_records::{to_game, to_record};
use crate::output::{Output, expect_different};
use crate::progress::count;

/// A file to be.
pub trait Sink {
    /// Adds an item, and notes what is not kept of it. The inner error is the reason why the format
    /// cannot hold it.
    fn put(&mut self, item: &Item, losses: &mut Losses) -> Result<Result<(), String>>;

    /// Puts the file at its place, and says what is in it.
    fn finish(self: Box<Self>) -> Result<String>;
}

/// Any item as a game.
fn game_of(item: &Item, losses: &mut Losses) -> Result<AnnotatedGame, String> {
    Ok(match item {
        Item::Game(game) => (**game).clone(),
        Item::Record(record) => {
            if record.searched_plies() > 0 {
                losses.add("searches");
            }
            to_game(record).map_err(|error| error.to_string())?
        }
        Item::Position(ScoredPosition { position, scores }) => {
            if !scores.is_empty() {
                losses.add("scores of moves");
            }
            AnnotatedGame::new(*position)
        }
    })
}

/// GGF, SGF or transcripts.
pub struct Texts {
    output: Output,
    format: Format,
    games: u64,
}

impl Texts {
    pub fn begin(path: &Path, format: FileFormat) -> Result<Texts> {
        Ok(Texts {
            output: Output::begin(path)?,
            format: match format {
                FileFormat::Ggf => Format::Ggf,
                FileFormat::Sgf => Format::Sgf,
                _ => Format::Transcript,
            },
            games: 0,
        })
    }
}

impl Sink for Texts {
    fn put(&mut self, item: &Item, losses: &mut Losses) -> Result<Result<(), String>> {
        let text = game_of(item, losses).and_then(|game| {
            let text = self.format.text(&game).map_err(|error| error.to_string())?;
            losses.compare(&game, &read_back(self.format, &game, &text)?)?;
            Ok(text)
        });
        let text = match text {
            Ok(text) => text,
            Err(reason) => return Ok(Err(reason)),
        };
        let path = self.output.path().to_owned();
        writeln!(self.output, "{text}")
            .with_context(|| format!("{}: cannot be written", path.display()))?;
        self.games += 1;
        Ok(Ok(()))
    }

    fn finish(self: Box<Self>) -> Result<String> {
        let path = self.output.path().to_owned();
        self.output.commit()?;
        Ok(format!("{}: {}", path.display(), count(self.games, "game")))
    }
}

fn read_back(format: Format, game: &AnnotatedGame, text: &str) -> Result<AnnotatedGame, String> {
    let options = ReadOptions {
        size: game.game().start().board.size(),
        ..ReadOptions::default()
    };
    let games = format.read(text.as_bytes(), "the game as written", options);
    let game = games.and_then(|mut games| games.next().transpose());
    match game {
        Ok(Some(game)) => Ok(game),
        Ok(None) => Err("the format cannot hold a game without moves".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// OBF. Of a game, all positions in which there is a move.
pub struct Positions {
    output: Output,
    empties: Option<u32>,
    positions: u64,
}

impl Positions {
    pub fn begin(path: &Path, empties: Option<u32>) -> Result<Positions> {
        Ok(Positions {
            output: Output::begin(path)?,
            empties,
            positions: 0,
        })
    }
}

impl Sink for Positions {
    fn put(&mut self, item: &Item, losses: &mut Losses) -> Result<Result<(), String>> {
        let mut positions = Vec::new();
        if let Item::Position(position) = item {
            positions.push(position.clone());
        } else {
            losses.add("all but the positions");
            let game = match game_of(item, losses) {
                Ok(game) => game,
                Err(reason) => return Ok(Err(reason)),
            };
            let game = game.game();
            let all = (0..=game.plies().len()).filter_map(|plies| game.position_after(plies));
            positions.extend(all.map(|position| ScoredPosition {
                position,
                scores: Vec::new(),
            }));
        }
        let path = self.output.path().to_owned();
        for scored in positions {
            let board = &scored.position.board;
            let is_wanted = self
                .empties
                .is_none_or(|empties| board.empties() == empties)
                && (matches!(item, Item::Position(_)) || !board.legal_moves().is_empty());
            if is_wanted {
                obf::write(&mut self.output, &scored)
                    .with_context(|| format!("{}: cannot be written", path.display()))?;
                self.positions += 1;
            }
        }
        Ok(Ok(()))
    }

    fn finish(self: Box<Self>) -> Result<String> {
        let path = self.output.path().to_owned();
        if self.positions == 0 {
            let which = match self.empties {
                Some(empties) => format!("{empties} empty squares"),
                None => "a legal move".to_owned(),
            };
            bail!(
                "there are no positions with {which} to write to {}",
                path.display()
            );
        }
        self.output.commit()?;
        Ok(format!(
            "{}: {}",
            path.display(),
            count(self.positions, "position")
        ))
    }
}

/// The three files of a WTHOR base.
pub struct Wthor {
    games: Output,
    players: Output,
    tournaments: Output,
    base: Option<Base>,
    year: Option<u16>,
    count: u64,
}

impl Wthor {
    pub fn begin(path: &Path, year: Option<u16>) -> Result<Wthor> {
        let (players, tournaments) = (path.with_extension("jou"), path.with_extension("trn"));
        expect_different([path, &players, &tournaments])?;
        Ok(Wthor {
            games: Output::begin(path)?,
            players: Output::begin(&players)?,
            tournaments: Output::begin(&tournaments)?,
            base: None,
            year,
            count: 0,
        })
    }
}

impl Sink for Wthor {
    fn put(&mut self, item: &Item, losses: &mut Losses) -> Result<Result<(), String>> {
        let game = match game_of(item, losses) {
            Ok(game) => game,
            Err(reason) => return Ok(Err(reason)),
        };
        let year = self.year.or_else(|| year_of(&game.tags.date)).unwrap_or(0);
        let base = self.base.get_or_insert_with(|| Base::new(today(), year));
        if let Err(error) = base.push(&game) {
            return Ok(Err(error.to_string()));
        }
        self.count += 1;
        let kept = base.last().expect("a game was just added")?;
        losses.compare(&game, &kept).map_err(Error::msg)?;
        Ok(Ok(()))
    }

    fn finish(mut self: Box<Self>) -> Result<String> {
        let path = self.games.path().to_owned();
        let base = self.base.take().context("there are no games")?;
        let failed = || format!("{}: cannot be written", path.display());
        base.write_games(&mut self.games).with_context(failed)?;
        base.write_players(&mut self.players).with_context(failed)?;
        base.write_tournaments(&mut self.tournaments)
            .with_context(failed)?;
        // The names first: games without them would be read with numbers for names.
        self.players.commit()?;
        self.tournaments.commit()?;
        self.games.commit()?;
        Ok(format!(
            "{}, .jou and .trn: {}",
            path.display(),
            count(self.count, "game")
        ))
    }
}

/// The first four digits in a row of a date, if they are a year, and not the seconds of a clock.
fn year_of(date: &str) -> Option<u16> {
    let mut numbers = date.split(|c: char| !c.is_ascii_digit());
    numbers.find(|number| number.len() == 4)?.parse().ok()
}

/// The day by the clock of this machine.
fn today() -> Date {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let (year, month, day) = date_of(since.map_or(0, |since| since.as_secs() / 86_400));
    Date {
        century: (year / 100) as u8,
        year: (year % 100) as u8,
        month: month as u8,
        day: day as u8,
    }
}

/// The Gregorian date of a day since 1970.
fn date_of(mut day: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    (year, month, day + 1)
}

/// Game records, as many chunks as they need.
pub struct Chunks {
    path: PathBuf,
    games: Vec<GameRecord>,
    /// Full chunks, not yet at their places.
    written: Vec<Output>,
    count: u64,
}

/// Games of a chunk: with all their searches about half of what it may hold.
const GAMES_PER_CHUNK: usize = 5000;

impl Chunks {
    pub fn begin(path: &Path) -> Result<Chunks> {
        // So that a folder that cannot be written is found out first.
        drop(Output::begin(path)?);
        Ok(Chunks {
            path: path.to_owned(),
            games: Vec::new(),
            written: Vec::new(),
            count: 0,
        })
    }

    /// The first chunk has the name that was asked for, the others have numbers from 2.
    fn flush(&mut self) -> Result<()> {
        let mut path = self.path.clone();
        if !self.written.is_empty() {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            path.set_file_name(format!("{stem}-{}.rec", self.written.len() + 1));
        }
        let mut output = Output::begin(&path)?;
        output
            .write_all(&chunk::encode(&self.games)?)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
        self.written.push(output);
        self.games.clear();
        Ok(())
    }
}

impl Sink for Chunks {
    fn put(&mut self, item: &Item, losses: &mut Losses) -> Result<Result<(), String>> {
        let record = match item {
            Item::Record(record) => record.clone(),
            _ => {
                let record = game_of(item, losses).and_then(|game| {
                    let record = to_record(&game)?;
                    let kept = to_game(&record).map_err(|error| error.to_string())?;
                    losses.compare(&game, &kept)?;
                    Ok(record)
                });
                match record {
                    Ok(record) => record,
                    Err(reason) => return Ok(Err(reason)),
                }
            }
        };
        self.games.push(record);
        self.count += 1;
        if self.games.len() == GAMES_PER_CHUNK {
            self.flush()?;
        }
        Ok(Ok(()))
    }

    fn finish(mut self: Box<Self>) -> Result<String> {
        if !self.games.is_empty() {
            self.flush()?;
        }
        let chunks = self.written.len();
        for output in self.written {
            output.commit()?;
        }
        let more = match chunks {
            1 => String::new(),
            _ => format!(" and {}", count(chunks as u64 - 1, "more chunk")),
        };
        Ok(format!(
            "{}{more}: {}",
            self.path.display(),
            count(self.count, "game")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_years() {
        // Seconds of Unix time at midnight as `date -u -d DAY +%s` prints them.
        for (seconds, date) in [
            (0, (1970, 1, 1)),
            (951_782_400, (2000, 2, 29)),
            (1_709_251_200, (2024, 3, 1)),
            (4_107_542_399, (2100, 2, 28)),
            (1_767_139_200, (2025, 12, 31)),
        ] {
            assert_eq!(date_of(seconds / 86_400), date);
        }
        for (text, year) in [
            ("1986", Some(1986)),
            ("2004.01.30", Some(2004)),
            ("30/01/2004 12:00", Some(2004)),
            ("947375357", None),
            ("", None),
        ] {
            assert_eq!(year_of(text), year, "{text}");
        }
    }
}
