use std::io::{self, Write};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use crate::{Stop, Task};

/// A task on its way to the engine.
pub(super) struct Job {
    pub(super) id: u64,
    pub(super) task: Task,
}

/// Where a session hands out what it says and what is to be thought about.
pub(super) struct Desk<'a> {
    output: &'a mut dyn Write,
    log: Option<Box<dyn Write>>,
    jobs: Sender<Job>,
    next_job: u64,
    running: Option<Running>,
    /// The time for a task that has no limit of its own.
    time_limit: Option<Duration>,
}

struct Running {
    job: u64,
    stop: Stop,
    ponder: bool,
    began: Instant,
    deadline: Option<Instant>,
}

impl<'a> Desk<'a> {
    pub(super) fn new(
        output: &'a mut dyn Write,
        log: Option<Box<dyn Write>>,
        jobs: Sender<Job>,
    ) -> Desk<'a> {
        Desk {
            output,
            log,
            jobs,
            next_job: 0,
            running: None,
            time_limit: None,
        }
    }

    /// Sends text, with its line ends, to the other side at once.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.log("> ", text.trim_end_matches('\n'))?;
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    /// Keeps lines in the log, if there is one.
    pub(super) fn log(&mut self, prefix: &str, text: &str) -> io::Result<()> {
        let Some(log) = &mut self.log else {
            return Ok(());
        };
        for line in text.lines() {
            writeln!(log, "{prefix}{line}")?;
        }
        log.flush()
    }

    /// Gives the engine a task, with a time limit that is kept even if the engine does not. It must
    /// not have one.
    pub(super) fn think(&mut self, task: Task) {
        let job = self.next_job;
        self.next_job += 1;
        let began = Instant::now();
        self.running = Some(Running {
            job,
            stop: task.stop.clone(),
            ponder: task.ponder,
            began,
            deadline: task
                .time
                .or(self.time_limit)
                .and_then(|time| began.checked_add(time)),
        });
        // If the engine is gone, its last event says so.
        let _ = self.jobs.send(Job { id: job, task });
    }

    pub(super) fn is_thinking(&self) -> bool {
        self.running.is_some()
    }

    /// Whether the engine is thinking and has not been told to stop yet. The first line that
    /// interrupts it decides what its result is good for.
    pub(super) fn may_interrupt(&self) -> bool {
        self.running
            .as_ref()
            .is_some_and(|running| !running.stop.is_set())
    }

    pub(super) fn is_pondering(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.ponder)
    }

    /// When the engine has to be stopped.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        // Once stopped, only the engine's answer is waited for.
        running.deadline.filter(|_| !running.stop.is_set())
    }

    /// Limits the running task and all later ones that have no time limit of their own.
    pub(super) fn limit_time(&mut self, time: Duration) {
        self.time_limit = Some(time);
        if let Some(running) = &mut self.running
            && running.deadline.is_none()
        {
            running.deadline = Instant::now().checked_add(time);
        }
    }

    pub(super) fn stop_thinking(&mut self) {
        if let Some(running) = &self.running {
            running.stop.set();
        }
    }

    /// Whether news of a job still matter.
    pub(super) fn wants(&self, job: u64) -> bool {
        self.running
            .as_ref()
            .is_some_and(|running| running.job == job && !running.stop.is_set())
    }

    /// Takes note of a job's end; how long it took, and whether it was stopped.
    pub(super) fn finish(&mut self, job: u64) -> Option<(Duration, bool)> {
        let running = self.running.take_if(|running| running.job == job)?;
        Some((running.began.elapsed(), running.stop.is_set()))
    }
}
