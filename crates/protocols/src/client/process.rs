use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{ClientError, EngineDescription};
use crate::lines::read_line;

/// The lines of an engine's output that wait to be read; beyond them the engine waits.
const WAITING_LINES: usize = 1024;

/// The lines of its standard error that are kept for a message.
const STDERR_LINES: usize = 10;

/// How long a program may take to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// A running program, ended at the latest when this is dropped.
pub(super) struct Process {
    engine: String,
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    stderr: Arc<Mutex<VecDeque<String>>>,
    /// Disconnected when all of the standard error has been read.
    stderr_ended: Receiver<()>,
}

impl Process {
    pub(super) fn start(description: &EngineDescription) -> Result<Process, ClientError> {
        description.check()?;
        let (program, arguments) = description.command.split_first().expect("it was checked");
        let mut command = Command::new(program);
        command.args(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &description.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn().map_err(|source| ClientError::Start {
            engine: description.name.clone(),
            program: program.clone(),
            source,
        })?;
        let piped = "all three were asked to be pipes";
        let stdin = child.stdin.take().expect(piped);
        let stdout = child.stdout.take().expect(piped);
        let errors = child.stderr.take().expect(piped);

        let (sender, lines) = mpsc::sync_channel(WAITING_LINES);
        thread::spawn(move || forward(stdout, &sender));
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&stderr);
        let (ended, stderr_ended) = mpsc::channel();
        thread::spawn(move || {
            keep_last(errors, &kept);
            drop(ended);
        });
        Ok(Process {
            engine: description.name.clone(),
            child,
            stdin,
            lines,
            stderr,
            stderr_ended,
        })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line.
    pub(super) fn send(&mut self, line: &str) -> Result<(), ClientError> {
        let text = format!("{line}\n");
        let sent = self
            .stdin
            .write_all(text.as_bytes())
            .and_then(|()| self.stdin.flush());
        sent.map_err(|_| self.crash(line))
    }

    /// The next line that it says, in answer to a command given at `since`.
    pub(super) fn receive(
        &mut self,
        command: &str,
        since: Instant,
        timeout: Duration,
    ) -> Result<String, ClientError> {
        let left = (since + timeout).saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(ClientError::Timeout {
                engine: self.engine.clone(),
                command: command.to_owned(),
                timeout,
            }),
            Err(RecvTimeoutError::Disconnected) => Err(self.crash(command)),
        }
    }

    /// The report on a program that does not listen or talk any more.
    fn crash(&mut self, command: &str) -> ClientError {
        let status = match self.wait(GRACE) {
            Ok(Some(status)) => status,
            Ok(None) => "it closed its pipes".to_owned(),
            Err(error) => error.to_string(),
        };
        // Children of its own may hold the pipe open, so this too has a limit.
        let _ = self.stderr_ended.recv_timeout(GRACE);
        let lines = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let stderr = lines
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" | ");
        let command = command.to_owned();
        ClientError::Crash {
            engine: self.engine.clone(),
            command,
            status,
            stderr,
        }
    }

    /// Waits for the end of the program; what it ended with, if it did.
    fn wait(&mut self, longest: Duration) -> io::Result<Option<String>> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status.to_string()));
            }
            if began.elapsed() >= longest {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Asks the program to end, and sees to it that it does.
    pub(super) fn quit(mut self) {
        // What it does not hear or heed, dropping it does.
        if self.send("quit").is_ok() {
            let _ = self.wait(GRACE);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Neither fails but for a program that has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn forward(output: impl Read, lines: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    while let Ok(Some(line)) = read_line(&mut output) {
        if lines.send(line).is_err() {
            return;
        }
    }
}

fn keep_last(output: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut output = BufReader::new(output);
    while let Ok(Some(line)) = read_line(&mut output) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == STDERR_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
    }
}
