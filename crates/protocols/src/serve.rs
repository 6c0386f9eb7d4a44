//! The engine's side of a protocol.
//!
//! Three threads: one reads lines, one thinks, and the one that called [`serve`] does all the rest,
//! one event at a time, so that the state of a session is nobody else's. A line that arrives while
//! the engine thinks waits until it has finished; lines that want an answer at once make it stop.

mod desk;
mod gtp;
mod nboard;

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use outflank_rules::Size;
use serde::{Deserialize, Serialize};

use crate::lines::read_line;
use crate::{Engine, Line, ThinkError, Thought};
use desk::{Desk, Job};

/// The protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The protocol of NBoard, see [`nboard`](mod@crate::nboard).
    NBoard,
    /// The Go Text Protocol, see [`gtp`](mod@crate::gtp).
    Gtp,
}

/// How to serve.
#[derive(Default)]
pub struct ServeOptions {
    /// The level until the other side sets one.
    pub level: Option<u32>,
    /// Whether to think on the opponent's time, after moves of the engine's own.
    pub ponder: bool,
    /// How long a thought without a time limit may take once the input has ended, when nobody can
    /// stop it any more; as long as it wants if there is none.
    pub time_after_input: Option<Duration>,
    /// Where to keep all lines of both sides, those received after `< `, those sent after `> `.
    pub log: Option<Box<dyn Write>>,
}

/// Serves an engine until `quit`, or the end of the input and all that it asked for, see
/// [`ServeOptions::time_after_input`]. Fails if input
/// or output do, or if the engine panics.
///
/// The input is read on a thread that ends with it, which may be later than this returns.
pub fn serve(
    protocol: Protocol,
    engine: impl Engine,
    input: impl BufRead + Send + 'static,
    output: &mut impl Write,
    options: ServeOptions,
) -> io::Result<()> {
    let (to_us, events) = mpsc::channel();
    let (jobs, to_engine) = mpsc::channel();
    let reader = to_us.clone();
    thread::spawn(move || read(input, &reader));

    let (name, version) = (engine.name(), engine.version());
    let sizes: Vec<Size> = Size::ALL
        .into_iter()
        .filter(|&size| engine.plays(size))
        .collect();
    let ServeOptions {
        level,
        ponder,
        log,
        time_after_input,
    } = options;
    let mut desk = Desk::new(output, log, jobs);
    thread::scope(|scope| {
        let worker = scope.spawn(move || work(engine, &to_engine, &to_us));
        let result = match protocol {
            Protocol::NBoard => run(
                &mut nboard::NBoardSession::new(&name, &sizes, level, ponder),
                &mut desk,
                &events,
                time_after_input,
            ),
            Protocol::Gtp => run(
                &mut gtp::GtpSession::new(name, version, sizes, level, ponder),
                &mut desk,
                &events,
                time_after_input,
            ),
        };
        desk.stop_thinking();
        // Without a sender of jobs the worker ends.
        drop(desk);
        match worker.join() {
            Ok(()) => result,
            Err(_) => Err(io::Error::other("the engine panicked")),
        }
    })
}

/// The board of a session until it is told another one: the largest that the engine plays on.
fn first_size(sizes: &[Size]) -> Size {
    sizes.last().copied().unwrap_or_default()
}

/// What happens to a session.
enum Event {
    Line(String),
    EndOfInput(io::Result<()>),
    Progress {
        job: u64,
        lines: Vec<Line>,
    },
    Done {
        job: u64,
        result: Result<Thought, ThinkError>,
    },
    EngineLost,
}

fn read(mut input: impl BufRead, events: &Sender<Event>) {
    loop {
        let event = match read_line(&mut input) {
            Ok(Some(line)) => Event::Line(line),
            Ok(None) => Event::EndOfInput(Ok(())),
            Err(error) => Event::EndOfInput(Err(error)),
        };
        let ended = matches!(event, Event::EndOfInput(_));
        // A session that has ended does not listen any more.
        if events.send(event).is_err() || ended {
            return;
        }
    }
}

fn work(mut engine: impl Engine, jobs: &Receiver<Job>, events: &Sender<Event>) {
    /// Tells of a panic, which would otherwise be waited for in vain.
    struct Watch<'a>(&'a Sender<Event>);
    impl Drop for Watch<'_> {
        fn drop(&mut self) {
            // If nobody listens any more, nobody waits either.
            let _ = self.0.send(Event::EngineLost);
        }
    }
    let _watch = Watch(events);
    for Job { id: job, task } in jobs {
        let mut progress = |lines: &[Line]| {
            let _ = events.send(Event::Progress {
                job,
                lines: lines.to_vec(),
            });
        };
        let result = engine.think(&task, &mut progress);
        if events.send(Event::Done { job, result }).is_err() {
            return;
        }
    }
}

/// Whether a session goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

/// One protocol's state and grammar. What it wants done goes to the desk.
trait Session {
    /// Whether a line that has arrived while the engine thinks must not wait for its result.
    fn interrupts(&mut self, line: &str) -> bool;

    /// Acts on a line. The engine is not thinking.
    fn line(&mut self, line: &str, desk: &mut Desk) -> io::Result<Flow>;

    /// Better lines have been found.
    fn progress(&mut self, lines: &[Line], desk: &mut Desk) -> io::Result<()>;

    /// The engine has finished; `stopped` if it was told to.
    fn done(&mut self, outcome: Outcome, desk: &mut Desk) -> io::Result<()>;

    /// Nothing is left to do until the next line.
    fn idle(&mut self, desk: &mut Desk);
}

/// How thinking ended.
struct Outcome {
    result: Result<Thought, ThinkError>,
    time: Duration,
    stopped: bool,
}

fn run(
    session: &mut impl Session,
    desk: &mut Desk,
    events: &Receiver<Event>,
    time_after_input: Option<Duration>,
) -> io::Result<()> {
    let mut waiting: VecDeque<String> = VecDeque::new();
    let mut end_of_input = None;
    loop {
        while !desk.is_thinking() {
            if let Some(line) = waiting.pop_front() {
                if session.line(&line, desk)? == Flow::Quit {
                    return Ok(());
                }
                // It may have begun to think with more in the queue already.
                if desk.may_interrupt() && waiting.iter().any(|line| session.interrupts(line)) {
                    desk.stop_thinking();
                }
            } else if let Some(end) = end_of_input.take() {
                return end;
            } else {
                session.idle(desk);
                break;
            }
        }
        match next_event(desk.deadline(), events) {
            None => desk.stop_thinking(),
            Some(Event::Line(line)) => {
                desk.log("< ", &line)?;
                if desk.may_interrupt() && session.interrupts(&line) {
                    desk.stop_thinking();
                }
                waiting.push_back(line);
            }
            Some(Event::EndOfInput(end)) => {
                end_of_input = Some(end);
                if let Some(time) = time_after_input {
                    desk.limit_time(time);
                }
                if desk.is_pondering() {
                    desk.stop_thinking();
                }
            }
            Some(Event::Progress { job, lines }) if desk.wants(job) => {
                session.progress(&lines, desk)?;
            }
            Some(Event::Done { job, result }) => {
                if let Some((time, stopped)) = desk.finish(job) {
                    session.done(
                        Outcome {
                            result,
                            time,
                            stopped,
                        },
                        desk,
                    )?;
                }
            }
            Some(Event::Progress { .. }) => {}
            Some(Event::EngineLost) => return Err(io::Error::other("the engine is gone")),
        }
    }
}

/// The next event; `None` if the deadline comes first.
fn next_event(deadline: Option<Instant>, events: &Receiver<Event>) -> Option<Event> {
    let received = match deadline {
        None => events.recv().map_err(RecvTimeoutError::from),
        Some(deadline) => events.recv_timeout(deadline.saturating_duration_since(Instant::now())),
    };
    match received {
        Ok(event) => Some(event),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Event::EngineLost),
    }
}
