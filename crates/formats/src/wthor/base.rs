use std::collections::HashMap;
use std::io::{self, Write};

use outflank_rules::{Position, Scoring, Size};

use super::names::{UNKNOWN, encode};
use super::{Date, Directory, Header, Kind, Record};
use crate::{AnnotatedGame, GameResult, WriteError, encoding};

/// Games of one year on their way into the three files of a base.
///
/// Of a game WTHOR keeps the moves, the names of players and tournament, and Black's discs.
#[derive(Debug)]
pub struct Base {
    created: Date,
    year: u16,
    players: Index,
    tournaments: Index,
    records: Vec<Record>,
}

impl Base {
    /// A base without games, whose files will say that they were made on this day.
    pub fn new(created: Date, year: u16) -> Base {
        let (players, tournaments) = (Index::new(Kind::Players), Index::new(Kind::Tournaments));
        Base {
            created,
            year,
            players,
            tournaments,
            records: Vec::new(),
        }
    }

    /// Adds a game from the usual start on 8x8. A game without an event is filed under its place.
    ///
    /// The stored score is that of the board if the game was played out, else the stated one, else
    /// the discs as they stand.
    pub fn push(&mut self, game: &AnnotatedGame) -> Result<(), WriteError> {
        let start = game.game().start();
        if start != Position::start(Size::Eight) {
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
        self.records.push(Record {
            tournament: self.tournaments.number(event)?,
            black: self.players.number(&tags.black.name)?,
            white: self.players.number(&tags.white.name)?,
            score,
            // Perfect play from no empty square on is the game itself.
            theoretical: score,
            moves,
        });
        Ok(())
    }

    /// Writes the `.wtb` file.
    ///
    /// # Panics
    ///
    /// With more than 2^32 - 1 games.
    pub fn write_games(&self, output: &mut impl Write) -> io::Result<()> {
        let header = Header {
            created: self.created,
            games: u32::try_from(self.records.len()).expect("at most 2^32 - 1 games"),
            names: 0,
            year: self.year,
            side: 8,
            solitaires: 0,
            depth: 0,
            reserved: 0,
        };
        output.write_all(&header.to_bytes())?;
        self.records
            .iter()
            .try_for_each(|record| record.write(output))
    }

    /// Writes the `.jou` file.
    pub fn write_players(&self, output: &mut impl Write) -> io::Result<()> {
        self.players.directory(self.created).write(output)
    }

    /// Writes the `.trn` file.
    pub fn write_tournaments(&self, output: &mut impl Write) -> io::Result<()> {
        self.tournaments.directory(self.created).write(output)
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

/// Names and their numbers.
#[derive(Debug)]
struct Index {
    kind: Kind,
    names: Vec<String>,
    numbers: HashMap<String, u16>,
}

impl Index {
    fn new(kind: Kind) -> Index {
        let numbers = HashMap::from([(UNKNOWN.to_owned(), 0)]);
        Index {
            kind,
            names: vec![UNKNOWN.to_owned()],
            numbers,
        }
    }

    /// The number of a name, a new one if need be.
    fn number(&mut self, name: &str) -> Result<u16, WriteError> {
        let name = if name.is_empty() { UNKNOWN } else { name };
        // Two names that the file cannot tell apart are one.
        let name = encoding::from_windows_1252(&encode(name, self.kind));
        if let Some(&number) = self.numbers.get(&name) {
            return Ok(number);
        }
        let number = u16::try_from(self.names.len())
            .ok()
            .filter(|&number| number < u16::MAX);
        let number = number.ok_or_else(|| inexpressible("more than 65,535 names"))?;
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        Ok(number)
    }

    fn directory(&self, created: Date) -> Directory {
        Directory {
            kind: self.kind,
            created,
            names: self.names.clone(),
        }
    }
}
