//! Thinking on the opponent's time.

use std::collections::VecDeque;
use std::io::{BufReader, Read};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use outflank_protocols::{Engine, Line, Protocol, ServeOptions, Task, ThinkError, Thought, serve};
use outflank_rules::Size;

use crate::session::{ON_ALL, Session};

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
