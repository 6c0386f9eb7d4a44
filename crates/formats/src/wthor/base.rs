use std::collections::HashMap;
use std::io::{self, Write};

use outflank_rules::{Position, Scoring, Size};

use super::names::{UNKNOWN, encode};
use super::{Date, Directory, Header, Kind, Names, Record};
use crate::{AnnotatedGame, GameResult, Problem, WriteError, encoding};

/// Games of one year on their way into the three files of a base.
///
/// Of a game WTHOR keeps the moves, the names of players and tournament, Black's discs, and the
/// theoretical score where it counts from as many empty squares as those of the games before.
#[derive(Debug)]
pub struct Base {
    created: Date,
    year: u16,
    depth: u8,
    names: Names,
    players: Numbers,
    tournaments: Numbers,
    records: Vec<Record>,
}

impl Base {
    /// A base without games, whose files will say that they were made on this day.
    pub fn new(created: Date, year: u16) -> Base {
        let unknown = || vec![UNKNOWN.to_owned()];
        Base {
            created,
            year,
            depth: 0,
            names: Names {
                players: unknown(),
                tournaments: unknown(),
            },
            players: HashMap::from([(UNKNOWN.to_owned(), 0)]),
            tournaments: HashMap::from([(UNKNOWN.to_owned(), 0)]),
            records: Vec::new(),
        }
    }

    /// Adds a game from the usual start on 8x8. A game without an event is filed under its place.
    ///
    /// The stored score is that of the board if the game was played out, else the stated one, else
    /// the discs as they stand.
    pub fn push(&mut self, game: &AnnotatedGame) -> Result<(), WriteError> {
        let start = game.game().start();
        let size = start.board.size();
        if size != Size::Eight {
            let what = format!("a game on the {size} board, only on 8x8");
            return Err(inexpressible(&what));
        }
        if start != Position::start(size) {
            return Err(inexpressible("a game from another starting position"));
        }
        let tags = &game.tags;
        let event = if tags.event.is_empty() {
            &tags.place
        } else {
            &tags.event
        };
        let mut moves = [0; 60];
        let squares = game.plies().filter_map(|(mv, _)| mv.square());
        for (byte, square) in moves.iter_mut().zip(squares) {
            *byte = (10 * (square.row() + 1) + square.column() + 1) as u8;
        }
        let score = score(game);
        let Names {
            players,
            tournaments,
        } = &mut self.names;
        let mut player = |name| number(name, Kind::Players, players, &mut self.players);
        let (black, white) = (player(&tags.black.name)?, player(&tags.white.name)?);
        self.records.push(Record {
            tournament: number(event, Kind::Tournaments, tournaments, &mut self.tournaments)?,
            black,
            white,
            score,
            theoretical: theoretical(game, &mut self.depth).unwrap_or(score),
            moves,
        });
        Ok(())
    }

    /// The newest game as it will be read from the files; `None` without games.
    pub fn last(&self) -> Option<Result<AnnotatedGame, Problem>> {
        let record = self.records.last()?;
        Some(record.to_game(&self.header(), &self.names))
    }

    fn header(&self) -> Header {
        Header {
            created: self.created,
            games: u32::try_from(self.records.len()).expect("at most 2^32 - 1 games"),
            names: 0,
            year: self.year,
            side: 8,
            solitaires: 0,
            depth: self.depth,
            reserved: 0,
        }
    }

    /// Writes the `.wtb` file.
    ///
    /// # Panics
    ///
    /// With more than 2^32 - 1 games.
    pub fn write_games(&self, output: &mut impl Write) -> io::Result<()> {
        output.write_all(&self.header().to_bytes())?;
        self.records
            .iter()
            .try_for_each(|record| record.write(output))
    }

    /// Writes the `.jou` file.
    pub fn write_players(&self, output: &mut impl Write) -> io::Result<()> {
        self.directory(Kind::Players).write(output)
    }

    /// Writes the `.trn` file.
    pub fn write_tournaments(&self, output: &mut impl Write) -> io::Result<()> {
        self.directory(Kind::Tournaments).write(output)
    }

    fn directory(&self, kind: Kind) -> Directory {
        let names = match kind {
            Kind::Players => &self.names.players,
            Kind::Tournaments => &self.names.tournaments,
        };
        Directory {
            kind,
            created: self.created,
            names: names.clone(),
        }
    }
}

fn inexpressible(what: &str) -> WriteError {
    WriteError::Inexpressible {
        format: "WTHOR",
        what: what.to_owned(),
    }
}

/// Black's discs, 0 to 64.
fn score(game: &AnnotatedGame) -> u8 {
    let margin = match (game.final_margin(), game.tags.result) {
        (Some(margin), _) => f64::from(margin),
        (None, Some(GameResult::Score { margin, .. })) => margin,
        (None, Some(GameResult::Win { winner, .. })) => 64.0 * f64::from(winner.sign()),
        (None, None) => f64::from(game.game().score(Scoring::Plain)),
    };
    ((64.0 + margin) / 2.0).clamp(0.0, 64.0) as u8
}

/// The score after perfect play that a game brings along. The first one decides for all of the
/// file from how many empty squares on play is perfect.
fn theoretical(game: &AnnotatedGame, depth: &mut u8) -> Option<u8> {
    let mut extra = game.tags.extra.iter();
    let (_, value) = extra.find(|(name, _)| name == "theoretical")?;
    let (score, from) = value.split_once('/')?;
    let (score, from) = (score.parse().ok()?, from.parse().ok()?);
    if *depth == 0 {
        *depth = from;
    }
    (*depth == from && score <= 64).then_some(score)
}

/// The numbers of names.
type Numbers = HashMap<String, u16>;

/// The number of a name, a new one if need be.
fn number(
    name: &str,
    kind: Kind,
    names: &mut Vec<String>,
    numbers: &mut Numbers,
) -> Result<u16, WriteError> {
    let name = if name.is_empty() { UNKNOWN } else { name };
    // Two names that the file cannot tell apart are one.
    let name = encoding::from_windows_1252(&encode(name, kind));
    if let Some(&number) = numbers.get(&name) {
        return Ok(number);
    }
    let number = u16::try_from(names.len())
        .ok()
        .filter(|&number| number < u16::MAX)
        .ok_or_else(|| inexpressible("more than 65,535 names"))?;
    names.push(name.clone());
    numbers.insert(name, number);
    Ok(number)
}
