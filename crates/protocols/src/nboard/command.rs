use std::fmt;

use outflank_formats::ggf;
use outflank_rules::Game;

use super::{LineError, MoveText};

/// What the GUI tells the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The version of the protocol; the first line of all.
    Version(u32),
    /// The strength: how deep to search in the midgame, or what the engine makes of it.
    SetDepth(u32),
    /// The game so far.
    SetGame(Box<Game>),
    /// How much more than its worth a draw is for Black, in 1/100 discs.
    SetContempt(i32),
    /// A move that was made, by whomever.
    Move(MoveText),
    /// Evaluations of so many moves are wanted.
    Hint(usize),
    /// A move is wanted. The GUI then sends it back as [`Command::Move`].
    Go,
    /// The same number is wanted back when all before is dealt with and thinking has stopped.
    Ping(i64),
    /// The game is to be learnt from.
    Learn,
    /// An evaluation of every position of the game is wanted.
    Analyze,
    /// The result of thinking is wanted now (not in the standard).
    Stop,
    /// The end of the session.
    Quit,
}

/// A line that begins as a command does, and does not go on so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// An argument is wrong.
    #[error(transparent)]
    Argument(#[from] LineError),
    /// What should be a game in GGF is none.
    #[error("{0}")]
    Game(String),
}

impl Command {
    /// Reads a line; `None` if its first words are not those of a command.
    pub fn parse(line: &str) -> Option<Result<Command, CommandError>> {
        let (word, rest) = split_word(line);
        let command = match word {
            "nboard" => number(rest, "a version").map(Command::Version),
            "set" => {
                let (what, rest) = split_word(rest);
                match what {
                    "depth" => number(rest, "a depth, 0 to 4294967295").map(Command::SetDepth),
                    "game" => {
                        let game =
                            ggf::parse(rest).map(|game| Command::SetGame(Box::new(game.into())));
                        return Some(game.map_err(|error| CommandError::Game(error.to_string())));
                    }
                    "contempt" => number(rest, "a contempt").map(Command::SetContempt),
                    _ => return None,
                }
            }
            "move" => rest.parse().map(Command::Move),
            "hint" => number(rest, "a number of moves").map(Command::Hint),
            "go" => Ok(Command::Go),
            "ping" => number(rest, "a number").map(Command::Ping),
            "learn" => Ok(Command::Learn),
            "analyze" => Ok(Command::Analyze),
            "stop" => Ok(Command::Stop),
            "quit" => Ok(Command::Quit),
            _ => return None,
        };
        Some(command.map_err(CommandError::from))
    }
}

/// The first word of a line, and what follows it without blanks around.
pub(super) fn split_word(line: &str) -> (&str, &str) {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word, rest.trim_start())
}

pub(super) fn number<T: std::str::FromStr>(
    text: &str,
    expected: &'static str,
) -> Result<T, LineError> {
    text.trim()
        .parse()
        .map_err(|_| LineError::new(expected, text))
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Version(version) => write!(f, "nboard {version}"),
            Command::SetDepth(depth) => write!(f, "set depth {depth}"),
            Command::SetGame(game) => {
                let text = ggf::format(&Game::clone(game).into());
                write!(
                    f,
                    "set game {}",
                    text.expect("a game without tags is always expressible")
                )
            }
            Command::SetContempt(contempt) => write!(f, "set contempt {contempt}"),
            Command::Move(mv) => write!(f, "move {mv}"),
            Command::Hint(moves) => write!(f, "hint {moves}"),
            Command::Go => f.write_str("go"),
            Command::Ping(number) => write!(f, "ping {number}"),
            Command::Learn => f.write_str("learn"),
            Command::Analyze => f.write_str("analyze"),
            Command::Stop => f.write_str("stop"),
            Command::Quit => f.write_str("quit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_reads_back() {
        let game = "set game (;GM[Othello]TY[4]RE[?]BO[4 ---- -O*- -*O- ---- *]B[a2]W[a1];)";
        for line in [
            "nboard 2",
            "set depth 12",
            game,
            "set contempt -50",
            "move F5",
            "move PA//1.25",
            "move D3/-0.50/12.00",
            "hint 4",
            "go",
            "ping 17",
            "learn",
            "analyze",
            "stop",
            "quit",
        ] {
            let command = Command::parse(line).unwrap().unwrap();
            assert_eq!(command.to_string(), line);
        }
    }

    #[test]
    fn unknown_lines_are_no_commands_and_bad_ones_are_explained() {
        for line in ["", "dance", "set", "set colour 3", "Go"] {
            assert_eq!(Command::parse(line), None, "{line}");
        }
        for line in [
            "nboard",
            "set depth x",
            "set game (;GM[Othello])",
            "move z9",
            "move f5/x",
            "hint -1",
            "ping",
        ] {
            assert!(Command::parse(line).unwrap().is_err(), "{line}");
        }
        let error = Command::parse("set game (;GM[Othello])")
            .unwrap()
            .unwrap_err();
        assert!(error.to_string().contains("BO"), "{error}");
    }
}
