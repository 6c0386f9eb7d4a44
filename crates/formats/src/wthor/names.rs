use std::io::{self, Read, Write};

use super::header::fill;
use super::{Date, Header};
use crate::records::FileName;
use crate::{Error, Place, Problem, encoding};

/// The two kinds of file with names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A `.jou` file: players.
    Players,
    /// A `.trn` file: tournaments.
    Tournaments,
}

impl Kind {
    /// The bytes of an entry: a name, filled up with at least one zero.
    pub const fn width(self) -> usize {
        match self {
            Kind::Players => 20,
            Kind::Tournaments => 26,
        }
    }
}

/// What stands for a name that is not known, by custom the first of a file of players.
pub(super) const UNKNOWN: &str = "???";

/// A `.jou` or a `.trn` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Players or tournaments.
    pub kind: Kind,
    /// When the file was made.
    pub created: Date,
    /// The names; the records of games refer to them by their index.
    pub names: Vec<String>,
}

impl Directory {
    /// Reads a whole file; `file` is its name for errors. There are at most 65,535 names.
    pub fn read(mut input: impl Read, file: &str, kind: Kind) -> Result<Directory, Error> {
        let file = FileName(file.to_owned());
        let header = Header::read(&mut input, &file)?;
        let mut names = Vec::new();
        let mut entry = [0; 26];
        let entry = &mut entry[..kind.width()];
        loop {
            let place = Place::Byte((Header::LENGTH + names.len() * kind.width()) as u64);
            let length = fill(&mut input, entry).map_err(|e| file.error(place, e.into()))?;
            let announced = usize::from(header.names);
            if length == 0 && names.len() == announced {
                return Ok(Directory {
                    kind,
                    created: header.created,
                    names,
                });
            }
            if length < kind.width() || names.len() == announced {
                let problem = Problem::count(announced as u64, names.len() as u64, length);
                return Err(file.error(place, problem));
            }
            let end = entry
                .iter()
                .position(|&byte| byte == 0)
                .unwrap_or(kind.width());
            names.push(encoding::from_windows_1252(&entry[..end]));
        }
    }

    /// Writes the file. Names that are too long are cut, and characters that Windows-1252 lacks
    /// become `?`: the format has no other way.
    ///
    /// # Panics
    ///
    /// With more than 65,535 names.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let names = u16::try_from(self.names.len()).expect("at most 65,535 names");
        let header = Header {
            created: self.created,
            games: 0,
            names,
            year: 0,
            side: 0,
            solitaires: 0,
            depth: 0,
            reserved: 0,
        };
        output.write_all(&header.to_bytes())?;
        for name in &self.names {
            let mut entry = [0; 26];
            let encoded = encode(name, self.kind);
            entry[..encoded.len()].copy_from_slice(&encoded);
            output.write_all(&entry[..self.kind.width()])?;
        }
        Ok(())
    }
}

/// A name as a file keeps it, without the zeros.
pub(super) fn encode(name: &str, kind: Kind) -> Vec<u8> {
    let byte = |c| {
        encoding::to_windows_1252(c)
            .filter(|&byte| byte != 0)
            .unwrap_or(b'?')
    };
    name.chars().map(byte).take(kind.width() - 1).collect()
}

/// The names that the records of games refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The players, from a `.jou` file.
    pub players: Vec<String>,
    /// The tournaments, from a `.trn` file.
    pub tournaments: Vec<String>,
}

impl Names {
    /// A player's name; of a number without one, the number itself, such as `#346`.
    pub fn player(&self, number: u16) -> String {
        entry(&self.players, number)
    }

    /// A tournament's name; of a number without one, the number itself, such as `#346`.
    pub fn tournament(&self, number: u16) -> String {
        entry(&self.tournaments, number)
    }
}

fn entry(names: &[String], number: u16) -> String {
    match names.get(usize::from(number)).map(String::as_str) {
        Some(UNKNOWN) => String::new(),
        Some(name) => name.to_owned(),
        None => format!("#{number}"),
    }
}
