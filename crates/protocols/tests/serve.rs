//! Whole sessions with an engine that does as the tests say.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::sync::{Arc, Mutex};
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
struct FirstSquare {
    most: Size,
}

const ON_ALL: FirstSquare = FirstSquare { most: Size::Eight };

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
struct Session {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Session {
    fn start(protocol: Protocol, options: fn() -> ServeOptions) -> Session {
        Session::with(ON_ALL, protocol, options)
    }

    fn with(engine: FirstSquare, protocol: Protocol, options: fn() -> ServeOptions) -> Session {
        let (to_engine, input) = std::io::pipe().unwrap();
        let (output, mut from_engine) = std::io::pipe().unwrap();
        let to_engine = BufReader::new(to_engine);
        let (input, to_engine) = (input, to_engine);
        let server =
            thread::spawn(move || serve(protocol, engine, to_engine, &mut from_engine, options()));
        // `input` is our end for writing, `output` our end for reading.
        Session {
            input: Some(input),
            output: BufReader::new(output),
            server,
        }
    }

    fn nboard() -> Session {
        Session::start(Protocol::NBoard, ServeOptions::default)
    }

    fn gtp() -> Session {
        Session::start(Protocol::Gtp, ServeOptions::default)
    }

    fn send(&mut self, lines: &[&str]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.input
            .as_mut()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The answer to one GTP command.
    fn ask(&mut self, command: &str) -> String {
        self.send(&[command]);
        self.reply()
    }

    fn reply(&mut self) -> String {
        let lines = std::iter::repeat_with(|| self.line()).take_while(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    fn end(mut self) {
        self.input = None;
        self.server.join().unwrap().unwrap();
        let mut rest = String::new();
        self.output.read_line(&mut rest).unwrap();
        assert_eq!(rest, "", "nothing more was to be said");
    }
}

fn passing() -> Game {
    Game::from_transcript(Position::start(Size::Eight), PASSING).unwrap()
}

fn set_game(game: &Game) -> String {
    outflank_protocols::nboard::Command::SetGame(Box::new(game.clone())).to_string()
}

#[test]
fn nboard_moves_hints_and_unknown_lines() {
    let mut session = Session::nboard();
    session.send(&[
        "nboard 2",
        "",
        "dance",
        "set colour 3",
        "set depth 2",
        "ping 1",
    ]);
    assert_eq!(session.line(), "set myname First_Square");
    assert_eq!(session.line(), "pong 1");
    session.send(&["hint 2"]);
    let hints: Vec<String> = (0..4).map(|_| session.line()).collect();
    assert_eq!(
        hints,
        [
            "search D3 1.00 0 1",
            "search C4 1.00 0 1",
            "search D3 1.00 0 2",
            "search C4 1.00 0 2"
        ]
    );
    session.send(&["go"]);
    assert!(session.line().starts_with("nodestats 7 "));
    assert!(session.line().starts_with("=== D3/1.00/"));
    session.send(&[
        "move D3/1.00",
        "move c3",
        "set depth 60",
        "hint 1",
        "ping 2",
    ]);
    let mut last = String::new();
    while let line = session.line()
        && line != "pong 2"
    {
        last = line;
    }
    assert_eq!(last, "search B3 1 0 100%");
    session.send(&[
        "move a1",
        "set game (;GM[Othello])",
        "hint x",
        "nboard 3",
        "set depth 13",
        "go",
    ]);
    assert_eq!(
        session.line(),
        "status error: move a1: a disc on a1 outflanks nothing"
    );
    assert!(
        session
            .line()
            .starts_with("status error: GGF, line 1: expected BO, the board")
    );
    assert_eq!(
        session.line(),
        "status error: expected a number of moves, found \"x\""
    );
    assert_eq!(session.line(), "set myname First_Square");
    assert_eq!(session.line(), "status this is version 2, not 3");
    assert_eq!(session.line(), "status error: not today");
    session.send(&["learn", "quit", "go"]);
    assert_eq!(session.line(), "learned");
    session.end();
}

#[test]
fn nboard_answers_while_it_thinks() {
    let mut session = Session::nboard();
    session.send(&["set depth 100", "go", "ping 1"]);
    assert!(session.line().starts_with("nodestats"));
    assert!(
        session.line().starts_with("=== D3"),
        "the move so far, and then the pong"
    );
    assert_eq!(session.line(), "pong 1");
    // A move that is out of date is not said any more.
    session.send(&["go", "move f5", "ping 2"]);
    assert_eq!(session.line(), "pong 2");
    session.send(&["hint 1"]);
    assert_eq!(session.line(), "search F4 1.00 0 1");
    // Settings wait for the end; a new position does not.
    session.send(&["set depth 1", &set_game(&passing()), "go"]);
    let line = std::iter::repeat_with(|| session.line()).find(|line| !line.starts_with("search"));
    assert_eq!(line.unwrap(), "=== PA");
    session.send(&["set depth 100", "move PA", "go", "stop"]);
    assert!(session.line().starts_with("nodestats"));
    assert!(session.line().starts_with("=== "));
    session.send(&["go", "quit"]);
    assert!(session.line().starts_with("nodestats"));
    assert!(session.line().starts_with("=== "));
    session.end();
}

#[test]
fn nboard_passes_and_finished_games() {
    let mut session = Session::nboard();
    session.send(&[&set_game(&passing()), "hint 1"]);
    let hint = session.line();
    assert!(
        hint.starts_with("search PA") && hint.ends_with("0 2"),
        "{hint}"
    );
    session.send(&["go"]);
    assert_eq!(session.line(), "=== PA");
    let over = Game::from_transcript(Position::start(Size::Eight), "e6f4e3f6g5d6e7f5c5").unwrap();
    session.send(&[&set_game(&over), "go", "hint 1", "move PA", "quit"]);
    assert_eq!(session.line(), "status error: go: the game is over");
    assert_eq!(session.line(), "status error: hint: the game is over");
    assert!(
        session
            .line()
            .starts_with("status error: move pass: the game is over")
    );
    session.end();
}

#[test]
fn nboard_analyses_a_game_from_its_end() {
    let mut session = Session::nboard();
    let mut game = passing();
    session.send(&[&set_game(&game), "analyze", "ping 1"]);
    // The last position is a forced pass, of which nothing is known.
    let mut lines: Vec<String> = Vec::new();
    while let line = session.line()
        && line != "pong 1"
    {
        lines.push(line);
    }
    // The ping may stop the analysis at any ply: so wait for all of it without one.
    session.send(&["analyze"]);
    let plies = game.plies().len();
    let expected = |ply| format!("analysis {ply} ");
    for ply in (0..plies).rev() {
        assert!(session.line().starts_with(&expected(ply)));
    }
    game.play(Move::Pass).unwrap();
    session.send(&[&set_game(&game), "analyze"]);
    let value = |line: String| -> f64 { line.split(' ').nth(2).unwrap().parse().unwrap() };
    let after = value(session.line());
    assert_eq!(
        value(session.line()),
        -after,
        "a pass changes sides, and nothing else"
    );
    for ply in (0..plies).rev() {
        assert!(session.line().starts_with(&expected(ply)));
    }
    session.send(&["quit"]);
    session.end();
}

#[test]
fn gtp_plays_a_game() {
    let mut session = Session::gtp();
    assert_eq!(session.ask("protocol_version"), "= 2");
    assert_eq!(session.ask("1 name"), "=1 First Square");
    assert_eq!(session.ask("version"), "= 1.0");
    assert_eq!(session.ask("known_command genmove"), "= true");
    assert_eq!(session.ask("known_command dance"), "= false");
    assert!(session.ask("list_commands").contains("\ngenmove\n"));
    assert_eq!(session.ask("3 dance"), "?3 unknown command");
    assert_eq!(session.ask("boardsize 7"), "? unacceptable size");
    assert_eq!(session.ask("boardsize 6"), "=");
    assert_eq!(session.ask("genmove b"), "= c2");
    assert_eq!(session.ask("boardsize 8"), "=");
    assert_eq!(session.ask("komi 6.5"), "=");
    assert_eq!(session.ask("# a comment\n\nreg_genmove b"), "= d3");
    assert_eq!(session.ask("genmove w"), "? it is Black's turn");
    assert_eq!(session.ask("genmove b"), "= d3");
    assert_eq!(
        session.ask("play b c3"),
        "? illegal move: it is White's turn"
    );
    assert_eq!(
        session.ask("play w a1"),
        "? illegal move: a disc on a1 outflanks nothing"
    );
    assert!(
        session
            .ask("play w pass")
            .starts_with("? illegal move: a player who has a move")
    );
    assert_eq!(session.ask("play w c3"), "=");
    let board = session.ask("showboard");
    assert!(
        board.contains("\n3 . . O X . . . .\n") && board.ends_with("Black to move"),
        "{board}"
    );
    assert_eq!(session.ask("undo"), "=");
    assert_eq!(session.ask("undo"), "=");
    assert_eq!(session.ask("undo"), "? cannot undo");
    assert_eq!(
        session.ask("final_score"),
        "? cannot score: the game is not over"
    );
    assert_eq!(session.ask("level 13"), "=");
    assert_eq!(session.ask("genmove b"), "? not today");
    assert_eq!(session.ask("list_games"), "= Othello");
    assert_eq!(session.ask("set_game Othello"), "=");
    assert_eq!(session.ask("set_game Go"), "? unknown game Go");
    assert_eq!(session.ask("quit"), "=");
    session.end();
}

fn play_passing(session: &mut Session) {
    assert_eq!(session.ask("clear_board"), "=");
    for ply in passing().plies() {
        let color = if ply.player() == outflank_rules::Color::Black {
            "b"
        } else {
            "w"
        };
        assert_eq!(session.ask(&format!("play {color} {}", ply.mv)), "=");
    }
}

#[test]
fn gtp_passes_said_and_unsaid() {
    let mut session = Session::gtp();
    play_passing(&mut session);
    assert!(session.ask("play b d1").contains("the player must pass"));
    assert_eq!(session.ask("reg_genmove b"), "= pass");
    assert_eq!(session.ask("genmove b"), "= pass");
    let answer = session.ask("genmove w");
    assert!(answer.starts_with("= ") && answer != "= pass");

    play_passing(&mut session);
    assert_eq!(session.ask("play b pass"), "=");
    assert_eq!(session.ask("genmove w"), answer);

    // Left out by the controller, and taken back together with the move after it.
    play_passing(&mut session);
    assert_eq!(session.ask("reg_genmove w"), answer);
    assert_eq!(session.ask("genmove w"), answer);
    assert_eq!(session.ask("undo"), "=");
    assert_eq!(session.ask("genmove b"), "= pass");
    assert_eq!(session.ask("undo"), "=");
    let played = answer.trim_start_matches("= ");
    assert_eq!(session.ask(&format!("play w {played}")), "=");
    assert_eq!(session.ask("undo"), "=");
    assert!(session.ask("showboard").ends_with("Black to move"));

    // At the end of the game there are only passes.
    session.ask("clear_board");
    for (number, mv) in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]
        .iter()
        .enumerate()
    {
        let color = if number % 2 == 0 { "b" } else { "w" };
        assert_eq!(session.ask(&format!("play {color} {mv}")), "=");
    }
    assert_eq!(session.ask("genmove w"), "= pass");
    assert_eq!(session.ask("play b pass"), "=");
    assert_eq!(session.ask("final_score"), "= B+64");
    session.end();
}

#[test]
fn gtp_keeps_its_time_and_can_be_interrupted() {
    let mut session = Session::gtp();
    session.send(&["level 100", "time_settings 1 0 0", "genmove b"]);
    // The engine would think for ever: the clock stops it, and so do these.
    assert_eq!(
        (session.reply(), session.reply()),
        ("=".to_owned(), "=".to_owned())
    );
    assert_eq!(session.reply(), "= d3");
    session.send(&["time_left w 1 1", "time_left w 0.3 1", "genmove w"]);
    assert_eq!(
        (session.reply(), session.reply()),
        ("=".to_owned(), "=".to_owned())
    );
    assert_eq!(session.reply(), "= c3");
    session.send(&["time_settings 0 1 0", "genmove b", "name", "# interrupt"]);
    assert_eq!(session.reply(), "=");
    assert!(session.reply().starts_with("= "));
    assert_eq!(
        session.reply(),
        "= First Square",
        "what came meanwhile is answered after it"
    );
    session.send(&["7 genmove w", "clear_board", "reg_genmove b", "9 quit"]);
    assert!(session.reply().starts_with("=7 "));
    assert_eq!(session.reply(), "=");
    assert_eq!(session.reply(), "= d3");
    assert_eq!(session.reply(), "=9");
    session.end();
}

#[test]
fn the_end_of_the_input_comes_after_the_answers() {
    let mut session = Session::gtp();
    session.send(&["genmove b", "genmove w"]);
    session.input = None;
    assert_eq!(
        (session.reply(), session.reply()),
        ("= d3".to_owned(), "= c3".to_owned())
    );
    session.end();
}

#[test]
fn nobody_waits_for_ever_once_the_input_has_ended() {
    for (protocol, lines) in [
        (Protocol::Gtp, ["level 100", "genmove b", "genmove w"]),
        (Protocol::NBoard, ["set depth 100", "hint 2", "go"]),
    ] {
        let mut session = Session::start(protocol, || ServeOptions {
            time_after_input: Some(Duration::from_millis(20)),
            ..ServeOptions::default()
        });
        session.send(&lines);
        session.input = None;
        let mut said = String::new();
        session.output.read_to_string(&mut said).unwrap();
        let expected = match protocol {
            Protocol::Gtp => "=\n\n= d3\n\n= c3\n\n",
            Protocol::NBoard => "=== D3",
        };
        assert!(said.contains(expected), "{said}");
        session.end();
    }
}

#[test]
fn boards_that_the_engine_does_not_play_on_are_refused() {
    let small = FirstSquare { most: Size::Six };
    let mut session = Session::with(small, Protocol::Gtp, ServeOptions::default);
    assert_eq!(session.ask("boardsize 8"), "? unacceptable size");
    assert_eq!(
        session.ask("genmove b"),
        "= c2",
        "it begins on its own board"
    );
    let path = std::env::temp_dir().join(format!("outflank-large-{}.sgf", std::process::id()));
    std::fs::write(&path, "(;GM[2]SZ[8];B[f5])").unwrap();
    assert_eq!(
        session.ask(&format!("loadsgf {}", path.display())),
        "? cannot load file: its board is 8x8, an unacceptable size"
    );
    std::fs::remove_file(&path).unwrap();
    assert!(session.ask("showboard").ends_with("White to move"));
    session.end();
}

fn ponder() -> ServeOptions {
    ServeOptions {
        ponder: true,
        ..ServeOptions::default()
    }
}

#[test]
fn pondering_goes_on_after_what_changes_nothing() {
    // Before each line, the tasks that must have begun.
    let gtp = [
        (0, "genmove b"),
        (2, "showboard"),
        (3, "play w c3"),
        (3, "showboard"),
        (3, "quit"),
    ];
    let nboard = [
        (0, "go"),
        (1, "move D3"),
        (2, "ping 1"),
        (3, "move C3"),
        (3, "ping 2"),
        (3, "quit"),
    ];
    for (protocol, lines) in [(Protocol::Gtp, &gtp[..]), (Protocol::NBoard, &nboard)] {
        let tasks = Arc::new(Mutex::new(Vec::new()));
        let engine = Recorded(tasks.clone());
        let input = BufReader::new(Script::new(lines, &tasks));
        serve(protocol, engine, input, &mut Vec::new(), ponder()).unwrap();
        // The move, the opponent's time before and after a look, and nothing on its own time.
        assert_eq!(*tasks.lock().unwrap(), [false, true, true], "{protocol:?}");
    }
}

/// Keeps of each task whether it is on the opponent's time.
struct Recorded(Arc<Mutex<Vec<bool>>>);

impl Engine for Recorded {
    fn name(&self) -> String {
        ON_ALL.name()
    }

    fn version(&self) -> String {
        ON_ALL.version()
    }

    fn plays(&self, size: Size) -> bool {
        ON_ALL.plays(size)
    }

    fn think(
        &mut self,
        task: &Task,
        progress: &mut dyn FnMut(&[Line]),
    ) -> Result<Thought, ThinkError> {
        self.0.lock().unwrap().push(task.ponder);
        let mut engine = ON_ALL;
        engine.think(task, progress)
    }
}

/// Lines, each of which comes a little after so many tasks have begun.
struct Script {
    lines: VecDeque<(usize, String)>,
    tasks: Arc<Mutex<Vec<bool>>>,
}

impl Script {
    fn new(lines: &[(usize, &str)], tasks: &Arc<Mutex<Vec<bool>>>) -> Script {
        let line = |&(tasks, line): &(usize, &str)| (tasks, format!("{line}\n"));
        Script {
            lines: lines.iter().map(line).collect(),
            tasks: tasks.clone(),
        }
    }
}

impl Read for Script {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some((begun, line)) = self.lines.pop_front() else {
            return Ok(0);
        };
        while self.tasks.lock().unwrap().len() < begun {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(20));
        line.as_bytes().read(buffer)
    }
}

#[test]
fn pondering_is_ended_by_anything() {
    let mut session = Session::start(Protocol::Gtp, ponder);
    for (command, answer) in [
        ("genmove b", "= d3"),
        ("play w c3", "="),
        ("genmove b", "= b3"),
        ("undo", "="),
        ("genmove b", "= b3"),
        ("quit", "="),
    ] {
        assert_eq!(session.ask(command), answer);
    }
    session.end();

    let mut session = Session::start(Protocol::NBoard, ponder);
    session.send(&["go"]);
    assert!(session.line().starts_with("nodestats"));
    assert!(session.line().starts_with("=== D3"));
    session.send(&["move D3", "ping 1", "move C3", "go"]);
    assert_eq!(session.line(), "pong 1");
    assert!(session.line().starts_with("nodestats"));
    assert!(session.line().starts_with("=== B3"));
    // And by the end of the input, too.
    session.send(&["move B3"]);
    session.end();
}

#[test]
fn games_come_from_sgf_files() {
    let path = std::env::temp_dir().join(format!("outflank-{}.sgf", std::process::id()));
    std::fs::write(&path, "(;GM[2];B[f5];W[d6];B[c3])").unwrap();
    let mut session = Session::gtp();
    assert_eq!(session.ask(&format!("loadsgf {}", path.display())), "=");
    assert!(session.ask("showboard").ends_with("White to move"));
    assert_eq!(session.ask(&format!("loadsgf {} 2", path.display())), "=");
    assert_eq!(
        session.ask("play w d6"),
        "=",
        "the second move is still to be made"
    );
    std::fs::remove_file(&path).unwrap();
    assert!(
        session
            .ask("loadsgf nowhere.sgf")
            .starts_with("? cannot load file: ")
    );
    session.end();
}

#[test]
fn an_engine_that_panics_ends_the_session_with_an_error() {
    struct Panics;
    impl Engine for Panics {
        fn name(&self) -> String {
            String::new()
        }
        fn version(&self) -> String {
            String::new()
        }
        fn plays(&self, _: Size) -> bool {
            true
        }
        fn think(&mut self, _: &Task, _: &mut dyn FnMut(&[Line])) -> Result<Thought, ThinkError> {
            panic!("on purpose")
        }
    }
    let mut output = Vec::new();
    let input = &b"genmove b\nquit\n"[..];
    let error = serve(
        Protocol::Gtp,
        Panics,
        input,
        &mut output,
        ServeOptions::default(),
    );
    assert_eq!(error.unwrap_err().to_string(), "the engine panicked");
}

#[test]
fn the_log_has_both_sides() {
    #[derive(Clone, Default)]
    struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let log = Shared::default();
    let options = ServeOptions {
        log: Some(Box::new(log.clone())),
        ..ServeOptions::default()
    };
    let input = &b"1 name\n"[..];
    serve(Protocol::Gtp, ON_ALL, input, &mut Vec::new(), options).unwrap();
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text, "< 1 name\n> =1 First Square\n");
}

#[test]
fn no_input_breaks_a_session() {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let words = [
        "nboard",
        "2",
        "set",
        "depth",
        "game",
        "contempt",
        "move",
        "f5",
        "d6",
        "PA",
        "hint",
        "go",
        "ping",
        "analyze",
        "play",
        "b",
        "w",
        "genmove",
        "undo",
        "pass",
        "time_left",
        "level",
        "-1",
        "boardsize",
        "6",
        "8",
        "clear_board",
        "final_score",
        "\u{1F600}",
        "[",
        "(;GM[Othello]",
        "#",
        "time_settings",
        "0",
        "reg_genmove",
        "\t",
        "18446744073709551616",
        "nan",
        "showboard",
    ];
    for protocol in [Protocol::NBoard, Protocol::Gtp] {
        for _ in 0..60 {
            let mut text = String::new();
            for _ in 0..rng.random_range(0..200) {
                text.push_str(words[rng.random_range(0..words.len())]);
                text.push(if rng.random_bool(0.4) { '\n' } else { ' ' });
            }
            let input = std::io::Cursor::new(text.into_bytes());
            let mut output = Vec::new();
            serve(
                protocol,
                ON_ALL,
                input,
                &mut output,
                ServeOptions::default(),
            )
            .unwrap();
        }
    }
}
