//! An engine that does as the tests say, and a session with it.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use outflank_protocols::{
    Depth, Engine, Line, Protocol, ServeOptions, Task, ThinkError, Thought, serve,
};
use outflank_rules::{Game, Move, Position, Size};

/// After `F5D6...A2B7` Black must pass, and White has 13 moves.
const PASSING: &str = "F5D6C5F4D3E3F2C6G5B5A5B4B3C4C3A6A7A3F3E6C7B6D7D8B8E7F7E8C8A8A4F8A2B7";

/// Plays the first legal square, on boards up to a size, and looks one ply deeper with each level. From level 100 on it
/// thinks until it is stopped; at level 13 it fails.
pub struct FirstSquare {
    /// The largest board.
    pub most: Size,
}

pub const ON_ALL: FirstSquare = FirstSquare { most: Size::Eight };

impl Engine for FirstSquare {
    fn name(&self) -> String {
        "First Square".to_owned()
    }

    fn version(&self) -> String {
        "1.0".to_owned()
    }

    fn plays(&self, size: Size) -> bool {
        size <= self.most
    }

    fn think(
        &mut self,
        task: &Task,
        progress: &mut dyn FnMut(&[Line]),
    ) -> Result<Thought, ThinkError> {
        let level = task.level.unwrap_or(1);
        if level == 13 {
            return Err("not today".into());
        }
        let board = task.game.position().board;
        let lines = |depth| -> Vec<Line> {
            let line = |square| Line {
                moves: vec![Move::Place(square)],
                evaluation: f64::from(board.flips(square).len()),
                depth: if depth == 60 {
                    Depth::Exact
                } else {
                    Depth::Plies(depth)
                },
            };
            board.legal_moves().map(line).take(task.lines).collect()
        };
        for depth in 1..=level.min(60) {
            progress(&lines(depth));
        }
        while (level >= 100 || task.ponder) && !task.stop.is_set() {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(Thought {
            lines: lines(level.min(60)),
            nodes: 7,
        })
    }
}

/// A session whose two ends are pipes.
pub struct Session {
    pub input: Option<PipeWriter>,
    pub output: BufReader<PipeReader>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Session {
    pub fn start(protocol: Protocol, options: fn() -> ServeOptions) -> Session {
        Session::with(ON_ALL, protocol, options)
    }

    pub fn with(engine: FirstSquare, protocol: Protocol, options: fn() -> ServeOptions) -> Session {
        let (to_engine, input) = std::io::pipe().unwrap();
        let (output, mut from_engine) = std::io::pipe().unwrap();
        let to_engine = BufReader::new(to_engine);
        let server =
            thread::spawn(move || serve(protocol, engine, to_engine, &mut from_engine, options()));
        // `input` is our end for writing, `output` our end for reading.
        Session {
            input: Some(input),
            output: BufReader::new(output),
            server,
        }
    }

    pub fn nboard() -> Session {
        Session::start(Protocol::NBoard, ServeOptions::default)
    }

    pub fn gtp() -> Session {
        Session::start(Protocol::Gtp, ServeOptions::default)
    }

    pub fn send(&mut self, lines: &[&str]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.input
            .as_mut()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    }

    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The answer to one GTP command.
    pub fn ask(&mut self, command: &str) -> String {
        self.send(&[command]);
        self.reply()
    }

    pub fn reply(&mut self) -> String {
        let lines = std::iter::repeat_with(|| self.line()).take_while(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    pub fn end(mut self) {
        self.input = None;
        self.server.join().unwrap().unwrap();
        let mut rest = String::new();
        self.output.read_line(&mut rest).unwrap();
        assert_eq!(rest, "", "nothing more was to be said");
    }
}

/// The game of [`PASSING`].
pub fn passing() -> Game {
    Game::from_transcript(Position::start(Size::Eight), PASSING).unwrap()
}
