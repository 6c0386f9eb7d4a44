//! Whole sessions with an engine that does as the tests say: here what holds in both protocols.

#![allow(clippy::unwrap_used)] // helpers of tests

mod gtp;
mod nboard;
mod pondering;
mod session;

use std::io::{Read, Write};
use std::time::Duration;

use outflank_protocols::{Engine, Line, Protocol, ServeOptions, Task, ThinkError, Thought, serve};
use outflank_rules::Size;

use session::{ON_ALL, Session};

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
