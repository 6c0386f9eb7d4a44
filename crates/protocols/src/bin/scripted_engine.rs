//! An engine for trying out GUIs, tournament managers, and the client of this crate: it plays by a
//! simple rule, and fails on request.
//!
//! ```text
//! scripted-engine nboard|gtp [first|greedy] [crash-at=N|hang-at=N|slow=MILLISECONDS] [deaf]
//! scripted-engine parrot LINE
//! ```
//!
//! It crashes or hangs when it thinks for the Nth time; a deaf one refuses to be told of passes, as
//! some GTP engines do. The parrot answers every line with the same
//! one and an empty one.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use outflank_protocols::{
    Depth, Engine, Line, Protocol, ServeOptions, Task, ThinkError, Thought, serve,
};
use outflank_rules::{Move, Size};

struct Scripted {
    greedy: bool,
    crash_at: Option<u64>,
    hang_at: Option<u64>,
    slow: Duration,
    thoughts: u64,
}

impl Engine for Scripted {
    fn name(&self) -> String {
        "Scripted".to_owned()
    }

    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn plays(&self, _: Size) -> bool {
        true
    }

    fn think(
        &mut self,
        task: &Task,
        progress: &mut dyn FnMut(&[Line]),
    ) -> Result<Thought, ThinkError> {
        self.thoughts += 1;
        if self.crash_at == Some(self.thoughts) {
            eprintln!("crashing as told");
            std::process::exit(3);
        }
        while self.hang_at == Some(self.thoughts) {
            std::thread::sleep(Duration::from_secs(1));
        }
        let board = task.game.position().board;
        let mut lines: Vec<Line> = board
            .legal_moves()
            .map(|square| Line {
                moves: vec![Move::Place(square)],
                evaluation: f64::from(board.flips(square).len()),
                depth: Depth::Plies(1),
            })
            .collect();
        if self.greedy {
            // A stable sort: among equals the first square.
            lines.sort_by(|a, b| b.evaluation.total_cmp(&a.evaluation));
        }
        lines.truncate(task.lines);
        progress(&lines);
        let began = Instant::now();
        while (task.ponder || began.elapsed() < self.slow) && !task.stop.is_set() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(Thought {
            nodes: lines.len() as u64,
            lines,
        })
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["parrot", line] => parrot(line),
        ["nboard", rest @ ..] => run(Protocol::NBoard, rest),
        ["gtp", rest @ ..] => run(Protocol::Gtp, rest),
        _ => Err(io::Error::other("expected nboard, gtp or parrot")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scripted-engine: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(protocol: Protocol, words: &[&str]) -> io::Result<()> {
    let mut engine = Scripted {
        greedy: false,
        crash_at: None,
        hang_at: None,
        slow: Duration::ZERO,
        thoughts: 0,
    };
    let mut deaf = false;
    for word in words {
        let wrong = || io::Error::other(format!("unknown word {word}"));
        let (key, value) = word.split_once('=').unwrap_or((word, "0"));
        let value: u64 = value.parse().map_err(|_| wrong())?;
        match key {
            "deaf" => deaf = true,
            "first" => engine.greedy = false,
            "greedy" => engine.greedy = true,
            "crash-at" => engine.crash_at = Some(value),
            "hang-at" => engine.hang_at = Some(value),
            "slow" => engine.slow = Duration::from_millis(value),
            _ => return Err(wrong()),
        }
    }
    let output = &mut io::stdout().lock();
    let options = ServeOptions::default();
    if deaf {
        let input = BufReader::new(Deaf {
            lines: BufReader::new(io::stdin()).lines(),
            waiting: Vec::new(),
        });
        return serve(protocol, engine, input, output, options);
    }
    serve(
        protocol,
        engine,
        BufReader::new(io::stdin()),
        output,
        options,
    )
}

/// The input with commands that tell of passes made unknown ones.
struct Deaf {
    lines: io::Lines<BufReader<io::Stdin>>,
    waiting: Vec<u8>,
}

impl Read for Deaf {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.waiting.is_empty() {
            let Some(line) = self.lines.next().transpose()? else {
                return Ok(0);
            };
            let line = if line.ends_with(" pass") {
                line.replace("play ", "hear ")
            } else {
                line
            };
            self.waiting = (line + "\n").into_bytes();
        }
        let length = buffer.len().min(self.waiting.len());
        buffer[..length].copy_from_slice(&self.waiting[..length]);
        self.waiting.drain(..length);
        Ok(length)
    }
}

fn parrot(line: &str) -> io::Result<()> {
    for _ in io::stdin().lock().lines() {
        writeln!(io::stdout(), "{line}\n")?;
    }
    Ok(())
}
