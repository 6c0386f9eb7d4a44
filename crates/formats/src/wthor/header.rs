use std::io::{self, Read};

use crate::records::FileName;
use crate::{Error, Place, Problem};

/// The header of all three kinds of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// When the file was made.
    pub created: Date,
    /// The number of games in a `.wtb` file, else 0.
    pub games: u32,
    /// The number of names in a `.jou` or `.trn` file, else 0.
    pub names: u16,
    /// The year in which the games were played, in a `.wtb` file.
    pub year: u16,
    /// The side of the board; 0 stands for 8.
    pub side: u8,
    /// 1 in a file of solitaires (endgame problems), which are not games.
    pub solitaires: u8,
    /// Empty squares at which the theoretical score was computed.
    pub depth: u8,
    /// Not used.
    pub reserved: u8,
}

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// The first two digits of the year.
    pub century: u8,
    /// The last two digits of the year.
    pub year: u8,
    /// The month, from 1.
    pub month: u8,
    /// The day, from 1.
    pub day: u8,
}

impl Header {
    /// The bytes of a header.
    pub const LENGTH: usize = 16;

    /// Reads the 16 bytes. Every value is possible; what they mean is for the reader of the rest.
    pub fn from_bytes(bytes: &[u8; Header::LENGTH]) -> Header {
        let [
            century,
            year,
            month,
            day,
            g0,
            g1,
            g2,
            g3,
            n0,
            n1,
            y0,
            y1,
            side,
            solitaires,
            depth,
            reserved,
        ] = *bytes;
        Header {
            created: Date {
                century,
                year,
                month,
                day,
            },
            games: u32::from_le_bytes([g0, g1, g2, g3]),
            names: u16::from_le_bytes([n0, n1]),
            year: u16::from_le_bytes([y0, y1]),
            side,
            solitaires,
            depth,
            reserved,
        }
    }

    /// The 16 bytes.
    pub fn to_bytes(&self) -> [u8; Header::LENGTH] {
        let Date {
            century,
            year,
            month,
            day,
        } = self.created;
        let [g0, g1, g2, g3] = self.games.to_le_bytes();
        let [n0, n1] = self.names.to_le_bytes();
        let [y0, y1] = self.year.to_le_bytes();
        let (side, solitaires) = (self.side, self.solitaires);
        let (depth, reserved) = (self.depth, self.reserved);
        [
            century, year, month, day, g0, g1, g2, g3, n0, n1, y0, y1, side, solitaires, depth,
            reserved,
        ]
    }

    pub(super) fn read(input: &mut impl Read, file: &FileName) -> Result<Header, Error> {
        let mut bytes = [0; Header::LENGTH];
        let length = fill(input, &mut bytes).map_err(|e| file.error(Place::Byte(0), e.into()))?;
        if length < Header::LENGTH {
            let found = format!("a file of {length} bytes");
            let problem = Problem::Syntax {
                expected: "a WTHOR header of 16 bytes",
                found,
            };
            return Err(file.error(Place::Byte(0), problem));
        }
        Ok(Header::from_bytes(&bytes))
    }
}

/// Reads until the buffer is full or the input ends; the number of bytes read.
pub(super) fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
