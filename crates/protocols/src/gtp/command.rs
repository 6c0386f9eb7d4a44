use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use outflank_rules::{Color, Move};

use crate::TimeControl;

/// A command with the number that its answer repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The number, if the controller gave one.
    pub id: Option<u32>,
    /// What it wants.
    pub command: Command,
}

/// What a controller can ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The version of the protocol.
    ProtocolVersion,
    /// The engine's name.
    Name,
    /// The engine's version.
    Version,
    /// Whether the engine knows a command.
    KnownCommand(String),
    /// All commands.
    ListCommands,
    /// The end of the session.
    Quit,
    /// Another side length; the board may be anything until it is cleared.
    BoardSize(u32),
    /// A new game.
    ClearBoard,
    /// Points for White, which mean nothing in Othello.
    Komi(f64),
    /// A move that a player has made.
    Play(Color, Move),
    /// A move to choose and to make.
    GenMove(Color),
    /// A move to choose only.
    RegGenMove(Color),
    /// The last move taken back.
    Undo,
    /// The time control of both players.
    TimeSettings(TimeControl),
    /// What a clock shows.
    TimeLeft {
        /// Whose clock.
        color: Color,
        /// The time on it.
        time: Duration,
        /// The moves to be made in that time, 0 in main time.
        moves: u32,
    },
    /// The board as text.
    ShowBoard,
    /// The result of the game.
    FinalScore,
    /// A game from an SGF file, up to before a move if a number is given.
    LoadSgf(PathBuf, Option<u32>),
    /// The strength, a number whose meaning is the engine's (not in the standard, but usual).
    Level(u32),
    /// The games that the engine plays (as the GUI Quarry asks).
    ListGames,
    /// The game to play (as the GUI Quarry asks).
    SetGame(String),
}

/// The names of all commands.
pub const NAMES: [&str; 21] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
    "reg_genmove",
    "undo",
    "time_settings",
    "time_left",
    "showboard",
    "final_score",
    "loadsgf",
    "level",
    "list_games",
    "set_game",
];

/// A line that is no request. The session goes on; the number belongs into the answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct BadRequest {
    /// The number, if the controller gave one.
    pub id: Option<u32>,
    /// What is wrong.
    pub error: CommandError,
}

/// What is wrong with a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// There is no command of this name.
    #[error("unknown command")]
    Unknown,
    /// The command has other arguments.
    #[error("syntax error, expected {0}")]
    Arguments(&'static str),
}

impl Request {
    /// Reads a line; `None` if it is empty but for a comment, which wants no answer.
    pub fn parse(line: &str) -> Option<Result<Request, BadRequest>> {
        let line = line.split('#').next().unwrap_or_default();
        // Control characters are to be ignored, and a tab is a blank.
        let line: String = line
            .chars()
            .map(|c| if c == '\t' { ' ' } else { c })
            .filter(|c| !c.is_control())
            .collect();
        let mut words = line.split_whitespace().peekable();
        let id = words.peek()?.parse().ok();
        if id.is_some() {
            words.next();
        }
        let name = words.next()?;
        let arguments: Vec<&str> = words.collect();
        Some(match Command::parse(name, &arguments) {
            Ok(command) => Ok(Request { id, command }),
            Err(error) => Err(BadRequest { id, error }),
        })
    }
}

impl Command {
    fn parse(name: &str, arguments: &[&str]) -> Result<Command, CommandError> {
        use Command::*;
        let expected = CommandError::Arguments;
        Ok(match (name, arguments) {
            ("protocol_version", []) => ProtocolVersion,
            ("name", []) => Name,
            ("version", []) => Version,
            ("known_command", [name]) => KnownCommand((*name).to_owned()),
            ("known_command", _) => return Err(expected("the name of a command")),
            ("list_commands", []) => ListCommands,
            ("quit", _) => Quit,
            ("boardsize", [side]) => {
                BoardSize(side.parse().map_err(|_| expected("a number of squares"))?)
            }
            ("boardsize", _) => return Err(expected("a number of squares")),
            ("clear_board", []) => ClearBoard,
            ("komi", [komi]) => {
                let komi = komi.parse().ok().filter(|komi: &f64| komi.is_finite());
                Komi(komi.ok_or(expected("a number"))?)
            }
            ("komi", _) => return Err(expected("a number")),
            ("play", [side, mv]) => Play(color(side)?, parse_move(mv)?),
            ("play", _) => return Err(expected("a color and a move such as 'b f5' or 'w pass'")),
            ("genmove", [side]) => GenMove(color(side)?),
            ("reg_genmove", [side]) => RegGenMove(color(side)?),
            ("genmove" | "reg_genmove", _) => return Err(expected("a color, b or w")),
            ("undo", []) => Undo,
            ("time_settings", [main, period, moves]) => TimeSettings(TimeControl {
                main: seconds(main)?,
                period: seconds(period)?,
                moves: moves.parse().map_err(|_| expected("a number of moves"))?,
            }),
            ("time_settings", _) => {
                return Err(expected("main time, time of a period, moves in a period"));
            }
            ("time_left", [side, time, moves]) => TimeLeft {
                color: color(side)?,
                time: seconds(time)?,
                moves: moves.parse().map_err(|_| expected("a number of moves"))?,
            },
            ("time_left", _) => return Err(expected("a color, a time and a number of moves")),
            ("showboard", []) => ShowBoard,
            ("final_score", []) => FinalScore,
            ("loadsgf", [path]) => LoadSgf(path.into(), None),
            ("loadsgf", [path, number]) => LoadSgf(
                path.into(),
                Some(number.parse().map_err(|_| expected("a move number"))?),
            ),
            ("loadsgf", _) => return Err(expected("the name of a file")),
            ("level", [level]) => Level(level.parse().map_err(|_| expected("a number"))?),
            ("level", _) => return Err(expected("a number")),
            ("list_games", []) => ListGames,
            ("set_game", [name]) => SetGame((*name).to_owned()),
            ("set_game", _) => return Err(expected("the name of a game")),
            (name, _) if NAMES.contains(&name) => return Err(expected("no arguments")),
            _ => return Err(CommandError::Unknown),
        })
    }
}

fn color(text: &str) -> Result<Color, CommandError> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Color::Black),
        "w" | "white" => Ok(Color::White),
        _ => Err(CommandError::Arguments("a color, b or w")),
    }
}

fn parse_move(text: &str) -> Result<Move, CommandError> {
    text.parse()
        .map_err(|_| CommandError::Arguments("a move such as f5 or pass"))
}

fn seconds(text: &str) -> Result<Duration, CommandError> {
    let seconds = text
        .parse()
        .ok()
        .and_then(|s: f64| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or(CommandError::Arguments("a time in seconds"))
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.id {
            Some(id) => write!(f, "{id} {}", self.command),
            None => self.command.fmt(f),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Command::*;
        let letter = |color: &Color| if *color == Color::Black { 'b' } else { 'w' };
        match self {
            ProtocolVersion => f.write_str("protocol_version"),
            Name => f.write_str("name"),
            Version => f.write_str("version"),
            KnownCommand(name) => write!(f, "known_command {name}"),
            ListCommands => f.write_str("list_commands"),
            Quit => f.write_str("quit"),
            BoardSize(side) => write!(f, "boardsize {side}"),
            ClearBoard => f.write_str("clear_board"),
            Komi(komi) => write!(f, "komi {komi}"),
            Play(color, mv) => write!(f, "play {} {mv}", letter(color)),
            GenMove(color) => write!(f, "genmove {}", letter(color)),
            RegGenMove(color) => write!(f, "reg_genmove {}", letter(color)),
            Undo => f.write_str("undo"),
            TimeSettings(TimeControl {
                main,
                period,
                moves,
            }) => {
                write!(
                    f,
                    "time_settings {} {} {moves}",
                    main.as_secs_f64(),
                    period.as_secs_f64()
                )
            }
            TimeLeft { color, time, moves } => {
                write!(
                    f,
                    "time_left {} {} {moves}",
                    letter(color),
                    time.as_secs_f64()
                )
            }
            ShowBoard => f.write_str("showboard"),
            FinalScore => f.write_str("final_score"),
            LoadSgf(path, None) => write!(f, "loadsgf {}", path.display()),
            LoadSgf(path, Some(number)) => write!(f, "loadsgf {} {number}", path.display()),
            Level(level) => write!(f, "level {level}"),
            ListGames => f.write_str("list_games"),
            SetGame(name) => write!(f, "set_game {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_reads_back() {
        let lines = [
            "protocol_version",
            "1 name",
            "version",
            "known_command play",
            "list_commands",
            "99 quit",
            "boardsize 8",
            "clear_board",
            "komi -6.5",
            "play b f5",
            "play w pass",
            "genmove w",
            "reg_genmove b",
            "undo",
            "time_settings 300 12.5 5",
            "time_left w 9.25 0",
            "showboard",
            "final_score",
            "loadsgf a.sgf",
            "loadsgf a.sgf 12",
            "level 3",
            "list_games",
            "set_game Othello",
        ];
        let mut seen: Vec<&str> = Vec::new();
        for line in lines {
            let request = Request::parse(line).unwrap().unwrap();
            assert_eq!(request.to_string(), line);
            assert_eq!(Request::parse(&request.to_string()), Some(Ok(request)));
            seen.push(
                line.split(' ')
                    .find(|word| word.parse::<u32>().is_err())
                    .unwrap(),
            );
        }
        seen.dedup();
        assert_eq!(seen, NAMES, "no command is left out, and no name");
    }

    #[test]
    fn spelling_is_lenient() {
        let play = |text| Request::parse(text).unwrap().unwrap().command;
        let expected = Command::Play(Color::White, Move::Pass);
        assert_eq!(play("\tplay\t WHITE PASS \r # comment"), expected);
        assert_eq!(Request::parse("  # comment"), None);
        assert_eq!(Request::parse(""), None);
        assert_eq!(Request::parse("12"), None);
    }

    #[test]
    fn bad_requests_keep_their_number() {
        let bad = |text| Request::parse(text).unwrap().unwrap_err();
        assert_eq!(
            bad("7 dance"),
            BadRequest {
                id: Some(7),
                error: CommandError::Unknown
            }
        );
        for text in [
            "7 play b",
            "7 play x f5",
            "7 play b z9",
            "7 genmove",
            "7 boardsize -1",
            "7 komi nan",
            "7 time_left b -1 0",
            "7 time_settings 1 1e99 0",
            "7 undo 3",
            "7 level x",
        ] {
            assert_eq!(bad(text).id, Some(7));
            assert!(
                bad(text).to_string().starts_with("syntax error, expected"),
                "{text}"
            );
        }
    }
}
