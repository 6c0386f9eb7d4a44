use std::io::{self, Read, Write};

use outflank_rules::{Game, Move, Scoring, Size, Square};

use super::header::fill;
use super::{Header, Names};
use crate::records::{FileName, Source};
use crate::{AnnotatedGame, Ending, Error, GameResult, Place, Problem, Records, Remark};

/// A game as it stands in a `.wtb` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number of the tournament.
    pub tournament: u16,
    /// The number of Black.
    pub black: u16,
    /// The number of White.
    pub white: u16,
    /// Black's discs at the end, empty squares to the winner.
    pub score: u8,
    /// Black's discs at the end with perfect play from the depth of the header on.
    pub theoretical: u8,
    /// The discs in order as `10 * row + column`, both from 1 (f5 is 56), and 0 after the last one.
    /// Passes are not stored.
    pub moves: [u8; 60],
}

impl Record {
    /// The bytes of a record.
    pub const LENGTH: usize = 68;

    /// Reads the 68 bytes; whether the moves are legal is for [`Record::replay`] to see.
    pub fn from_bytes(bytes: &[u8; Record::LENGTH]) -> Record {
        let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let mut moves = [0; 60];
        moves.copy_from_slice(&bytes[8..]);
        Record {
            tournament: number(0),
            black: number(2),
            white: number(4),
            score: bytes[6],
            theoretical: bytes[7],
            moves,
        }
    }

    /// The 68 bytes.
    pub fn to_bytes(&self) -> [u8; Record::LENGTH] {
        let mut bytes = [0; Record::LENGTH];
        bytes[0..2].copy_from_slice(&self.tournament.to_le_bytes());
        bytes[2..4].copy_from_slice(&self.black.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.white.to_le_bytes());
        bytes[6] = self.score;
        bytes[7] = self.theoretical;
        bytes[8..].copy_from_slice(&self.moves);
        bytes
    }

    /// Plays the moves, with the passes between them.
    pub fn replay(&self) -> Result<Game, Problem> {
        let mut game = AnnotatedGame::from(Game::new(Size::Eight));
        let length = self.moves.iter().position(|&mv| mv == 0).unwrap_or(60);
        let (moves, rest) = self.moves.split_at(length);
        for &byte in moves {
            let (row, column) = (usize::from(byte / 10), usize::from(byte % 10));
            let square = Square::new(column.wrapping_sub(1), row.wrapping_sub(1));
            let square = square.ok_or_else(|| Problem::Syntax {
                expected: "a move 11 to 88",
                found: byte.to_string(),
            })?;
            game.pass_if_forced();
            game.push_checked(Move::Place(square), Remark::default())?;
        }
        if let Some(byte) = rest.iter().find(|&&byte| byte != 0) {
            let found = format!("{byte} after a 0");
            return Err(Problem::Syntax {
                expected: "no move after the end",
                found,
            });
        }
        Ok(game.into())
    }

    /// Replays the game and compares its score with the stored one. Of a game that was not played
    /// out the stored score cannot be confirmed, and is accepted.
    pub fn confirm(&self) -> Result<Game, Problem> {
        let game = self.replay()?;
        match final_score(&game) {
            Some(replayed) if replayed != self.score => Err(Problem::Score {
                stored: self.score,
                replayed,
            }),
            _ => Ok(game),
        }
    }

    /// The game with its names, its year and its stored score, which is confirmed. A theoretical
    /// score that is another one is among [`Tags::extra`](crate::Tags::extra): as `theoretical`, with
    /// the empty squares from which it counts, such as `34/22`.
    pub fn to_game(&self, header: &Header, names: &Names) -> Result<AnnotatedGame, Problem> {
        let mut game = AnnotatedGame::from(self.confirm()?);
        game.tags.event = names.tournament(self.tournament);
        game.tags.black.name = names.player(self.black);
        game.tags.white.name = names.player(self.white);
        if header.year > 0 {
            game.tags.date = header.year.to_string();
        }
        let margin = 2.0 * f64::from(self.score) - 64.0;
        game.tags.result = Some(GameResult::Score {
            margin,
            ending: Ending::Played,
        });
        if self.theoretical != self.score {
            let value = format!("{}/{}", self.theoretical, header.depth);
            game.tags.extra.push(("theoretical".to_owned(), value));
        }
        Ok(game)
    }

    /// Writes the record.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        output.write_all(&self.to_bytes())
    }
}

/// Black's discs at the end of a game that was played out, empty squares to the winner.
fn final_score(game: &Game) -> Option<u8> {
    game.is_over()
        .then(|| ((64 + game.score(Scoring::Tournament)) / 2) as u8)
}

/// The records of a `.wtb` file.
#[derive(Debug)]
pub struct RecordSource<R> {
    input: R,
    file: FileName,
    header: Header,
    read: u64,
    ended: bool,
}

/// Reads the header of a `.wtb` file, and then its records; `file` is its name for errors.
///
/// At the end an error tells if the file has not as many records as the header says.
pub fn read<R: Read>(input: R, file: &str) -> Result<Records<RecordSource<R>>, Error> {
    Ok(Records::new(RecordSource::new(input, file)?))
}

impl<R: Read> RecordSource<R> {
    fn new(mut input: R, file: &str) -> Result<RecordSource<R>, Error> {
        let file = FileName(file.to_owned());
        let header = Header::read(&mut input, &file)?;
        if !matches!(header.side, 0 | 8) {
            let found = header.side.to_string();
            let problem = Problem::Syntax {
                expected: "a board of 8x8, which is 0 or 8",
                found,
            };
            return Err(file.error(Place::Byte(12), problem));
        }
        if header.solitaires != 0 {
            let found = format!("{}, for problems", header.solitaires);
            let problem = Problem::Syntax {
                expected: "0, for games",
                found,
            };
            return Err(file.error(Place::Byte(13), problem));
        }
        Ok(RecordSource {
            input,
            file,
            header,
            read: 0,
            ended: false,
        })
    }
}

impl<R> RecordSource<R> {
    /// The header of the file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// An error about the record that was read last, with its place in the file.
    pub fn error(&self, problem: Problem) -> Error {
        let byte = self.start_of(self.read.saturating_sub(1));
        self.file.error(Place::Byte(byte), problem)
    }

    fn start_of(&self, record: u64) -> u64 {
        Header::LENGTH as u64 + record * Record::LENGTH as u64
    }
}

impl<R: Read> Source for RecordSource<R> {
    type Record = Record;

    fn next_record(&mut self) -> Option<Result<Record, Error>> {
        if self.ended {
            return None;
        }
        let place = Place::Byte(self.start_of(self.read));
        let announced = u64::from(self.header.games);
        let mut bytes = [0; Record::LENGTH];
        match fill(&mut self.input, &mut bytes) {
            Ok(Record::LENGTH) if self.read < announced => {
                self.read += 1;
                Some(Ok(Record::from_bytes(&bytes)))
            }
            Ok(length) => {
                self.ended = true;
                if length == 0 && self.read == announced {
                    return None;
                }
                let problem = Problem::count(announced, self.read, length);
                Some(Err(self.file.error(place, problem)))
            }
            Err(error) => {
                self.ended = true;
                Some(Err(self.file.error(place, error.into())))
            }
        }
    }
}

/// The games of a `.wtb` file, with names and confirmed scores.
#[derive(Debug)]
pub struct GameSource<R> {
    records: RecordSource<R>,
    names: Names,
}

/// Reads the header of a `.wtb` file, and then its games; `file` is its name for errors.
///
/// Beside the errors of [`read`], games with illegal moves or wrong scores are errors.
pub fn read_games<R: Read>(
    input: R,
    file: &str,
    names: Names,
) -> Result<Records<GameSource<R>>, Error> {
    Ok(Records::new(GameSource {
        records: RecordSource::new(input, file)?,
        names,
    }))
}

impl<R: Read> Source for GameSource<R> {
    type Record = AnnotatedGame;

    fn next_record(&mut self) -> Option<Result<AnnotatedGame, Error>> {
        let record = self.records.next_record()?;
        Some(record.and_then(|record| {
            let game = record.to_game(&self.records.header, &self.names);
            game.map_err(|problem| self.records.error(problem))
        }))
    }
}
