use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use outflank_rules::Scoring;
use web_time::Instant;

/// What to prove about a position, and what that may cost. The default asks for the exact score in
/// tournament counting on one thread without a limit.
#[derive(Clone, Debug)]
pub struct SolveOptions<'a> {
    /// How a finished board is counted.
    pub scoring: Scoring,
    /// Scores matter between these two, in discs from the mover's view: the search may stop as
    /// soon as the score is known to be at most the first or at least the second. `(-1, 1)` asks
    /// for win, draw or loss only. Clipped to the number of squares; an empty window asks for
    /// everything.
    pub window: (i32, i32),
    /// Threads that search together. More than one makes the number of nodes vary, never a score.
    pub threads: usize,
    /// Stops after about this many nodes.
    pub node_limit: Option<u64>,
    /// Stops after about this much time.
    pub time_limit: Option<Duration>,
    /// Stops soon after another thread sets it.
    pub cancel: Option<&'a AtomicBool>,
}

impl Default for SolveOptions<'_> {
    fn default() -> Self {
        SolveOptions {
            scoring: Scoring::Tournament,
            window: (-64, 64),
            threads: 1,
            node_limit: None,
            time_limit: None,
            cancel: None,
        }
    }
}

/// How long 20 empty squares take on one core, as a rule, and by how much each further one
/// multiplies it.
const SECONDS_FOR_TWENTY: f64 = 0.25;
const SECONDS_GROWTH: f64 = 2.5;

/// The empty squares that can be expected to be solved in this time, 10 to 26: 21 in a second on
/// one thread.
pub fn solvable_within(time: Duration, threads: usize) -> u32 {
    let seconds = time.as_secs_f64() * threads as f64;
    let beyond_twenty = (seconds / SECONDS_FOR_TWENTY).ln() / SECONDS_GROWTH.ln();
    (20.0 + beyond_twenty).clamp(10.0, 26.0) as u32
}

/// The limits of one search, shared by its threads and asked now and then.
pub(crate) struct Control<'a> {
    pub node_limit: u64,
    deadline: Option<Instant>,
    cancel: Option<&'a AtomicBool>,
    nodes: AtomicU64,
    over: AtomicBool,
}

impl<'a> Control<'a> {
    pub fn new(options: &SolveOptions<'a>) -> Control<'a> {
        Control {
            node_limit: options.node_limit.unwrap_or(u64::MAX),
            // A limit beyond what the clock can say is no limit.
            deadline: options
                .time_limit
                .and_then(|limit| Instant::now().checked_add(limit)),
            cancel: options.cancel,
            nodes: AtomicU64::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// Counts nodes of one thread, and tells whether a limit is reached.
    pub fn spend(&self, nodes: u64) -> bool {
        let spent = nodes + self.nodes.fetch_add(nodes, Relaxed);
        if spent >= self.node_limit
            || self.cancel.is_some_and(|cancel| cancel.load(Relaxed))
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.over.store(true, Relaxed);
        }
        self.is_over()
    }

    /// Whether a limit was reached.
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// All nodes counted so far.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }
}
