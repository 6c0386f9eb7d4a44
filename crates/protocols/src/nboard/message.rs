use std::fmt;

use outflank_rules::Move;

use super::command::{number, split_word};
use super::{LineError, MoveText, move_name};
use crate::{Depth, Line};

/// What the engine tells the GUI.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The move it wants to make.
    Move(MoveText),
    /// The answer to a ping.
    Pong(i64),
    /// What it is doing, for people.
    Status(String),
    /// Its name, one word.
    Name(String),
    /// How much it has searched for the last move.
    NodeStats {
        /// The positions looked at.
        nodes: u64,
        /// The time, in seconds.
        seconds: f64,
    },
    /// An evaluation of a move by search.
    Search(Line),
    /// An evaluation of a move by book.
    Book {
        /// What the book says.
        line: Line,
        /// The games that it says so from.
        games: u64,
    },
    /// An evaluation of a position of the game.
    Analysis {
        /// The plies before the position.
        ply: usize,
        /// The expected disc difference for the mover.
        evaluation: f64,
    },
    /// The answer to [`super::Command::Learn`].
    Learned,
}

impl Message {
    /// Reads a line; `None` if its first words are not those of a message.
    pub fn parse(line: &str) -> Option<Result<Message, LineError>> {
        let (word, rest) = split_word(line);
        Some(match word {
            "===" => rest.parse().map(Message::Move),
            "pong" => number(rest, "a number").map(Message::Pong),
            "status" => Ok(Message::Status(rest.to_owned())),
            "set" => match split_word(rest) {
                ("myname", name) => Ok(Message::Name(name.to_owned())),
                _ => return None,
            },
            "nodestats" => node_stats(rest),
            "search" => line_of(rest).map(|(line, _)| Message::Search(line)),
            "book" => line_of(rest).map(|(line, games)| Message::Book { line, games }),
            "analysis" => analysis(rest),
            "learned" => Ok(Message::Learned),
            _ => return None,
        })
    }
}

fn node_stats(text: &str) -> Result<Message, LineError> {
    let (nodes, seconds) = split_word(text);
    let expected = "a number of nodes and of seconds";
    Ok(Message::NodeStats {
        nodes: number(nodes, expected)?,
        seconds: number(seconds, expected)?,
    })
}

fn analysis(text: &str) -> Result<Message, LineError> {
    let (ply, evaluation) = split_word(text);
    let expected = "a ply and an evaluation";
    Ok(Message::Analysis {
        ply: number(ply, expected)?,
        evaluation: number(evaluation, expected)?,
    })
}

/// `PV EVAL GAMES DEPTH [text]`.
fn line_of(text: &str) -> Result<(Line, u64), LineError> {
    let error = || LineError::new("a line, an evaluation, a number and a depth", text);
    let mut words = text.split_whitespace();
    let mut next = || words.next().ok_or_else(error);
    let moves = variation(next()?).ok_or_else(error)?;
    let evaluation = super::number(next()?).ok_or_else(error)?;
    let games = next()?.parse().map_err(|_| error())?;
    let depth = Depth::parse(next()?).ok_or_else(error)?;
    Ok((
        Line {
            moves,
            evaluation,
            depth,
        },
        games,
    ))
}

/// Moves of two characters one after the other.
fn variation(text: &str) -> Option<Vec<Move>> {
    let starts = (0..text.len()).step_by(2);
    starts
        .map(|start| text.get(start..start + 2)?.parse().ok())
        .collect()
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Move(mv) => write!(f, "=== {mv}"),
            Message::Pong(number) => write!(f, "pong {number}"),
            Message::Status(text) => write!(f, "status {text}"),
            Message::Name(name) => write!(f, "set myname {name}"),
            Message::NodeStats { nodes, seconds } => write!(f, "nodestats {nodes} {seconds:.2}"),
            Message::Search(line) => write!(f, "search {}", LineText(line, 0)),
            Message::Book { line, games } => write!(f, "book {}", LineText(line, *games)),
            Message::Analysis { ply, evaluation } => write!(f, "analysis {ply} {evaluation:.2}"),
            Message::Learned => f.write_str("learned"),
        }
    }
}

struct LineText<'a>(&'a Line, u64);

impl fmt::Display for LineText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineText(
            Line {
                moves,
                evaluation,
                depth,
            },
            games,
        ) = self;
        let moves: String = moves.iter().copied().map(move_name).collect();
        match depth {
            // An exact score is a whole number of discs.
            Depth::Exact => write!(f, "{moves} {evaluation:.0} {games} {depth}"),
            _ => write!(f, "{moves} {evaluation:.2} {games} {depth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_reads_back() {
        for line in [
            "=== F5",
            "=== PA",
            "=== D3/1.25/3.50",
            "pong 17",
            "status thinking hard",
            "set myname Outflank",
            "nodestats 12345 6.70",
            "search F5D6PAC3 -1.50 0 12",
            "search F5 6 0 100%",
            "search F5 2.00 0 100%W",
            "search F5 2.00 0 73%",
            "book F5D6 0.25 31 20",
            "analysis 12 -3.00",
            "learned",
        ] {
            let message = Message::parse(line).unwrap().unwrap();
            assert_eq!(message.to_string(), line);
        }
    }

    #[test]
    fn what_others_write() {
        let parse = |line: &str| Message::parse(line).unwrap().unwrap();
        assert_eq!(parse("=== f5//0.1\r"), parse("=== F5//0.10"));
        let Message::Search(line) = parse("search f5d6 +1.2 0 18@75% 12k nodes") else {
            panic!()
        };
        assert_eq!((line.moves.len(), line.depth), (2, Depth::Plies(18)));
        for line in ["", "info depth 3", "set colour red", "====", "Pong 1"] {
            assert_eq!(Message::parse(line), None, "{line}");
        }
        for line in [
            "=== z9",
            "=== ",
            "pong",
            "search f5",
            "search f5d 1 0 3",
            "search é 1 0 3",
        ] {
            assert!(Message::parse(line).unwrap().is_err(), "{line}");
        }
    }
}
