//! Being told to stop.

use std::sync::{Mutex, PoisonError};

/// What is said at the end besides that the process was stopped.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// Has whoever stops this process told what is kept, and how to go on.
pub fn say_when_stopped(text: String) {
    *last_words() = Some(text);
}

/// The same for a command that works on a run.
pub fn say_that_run_is_kept(run: &impl std::fmt::Display) {
    say_when_stopped(format!(
        "what was published is kept in {run}, the rest is dropped; the same command goes on from there"
    ));
}

fn last_words() -> std::sync::MutexGuard<'static, Option<String>> {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process at SIGTERM, which the first process of a container would not notice by itself,
/// and at SIGINT (Ctrl-C), after a line that says what becomes of its work.
///
/// Only unfinished outputs have to be put in order first: every file of a run is there whole or not
/// at all, and what was under way is made again by whoever goes on.
#[cfg(unix)]
pub fn end_when_told() -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut signals = Signals::new([SIGTERM])?;
    // A shell lets processes in the background ignore SIGINT, and so it stays.
    if !is_ignored(SIGINT) {
        signals.add_signal(SIGINT)?;
    }
    std::thread::spawn(move || {
        let Some(signal) = signals.forever().next() else {
            return;
        };
        let name = match signal {
            SIGINT => "SIGINT",
            _ => "SIGTERM",
        };
        let lost = crate::output::discard_unfinished();
        let words = last_words().take();
        // Who ends a game or a look at a run by Ctrl-C needs no explanation.
        if signal != SIGINT || !lost.is_empty() || words.is_some() {
            let mut line = format!("outflank: stopped by {name}");
            if !lost.is_empty() {
                line += &format!("; not written: {}", lost.join(", "));
            }
            if let Some(words) = words {
                line += &format!("; {words}");
            }
            crate::progress::say(&line);
        }
        // As a shell expects it: by the signal itself. The first process of a container cannot.
        if signal == SIGINT && std::process::id() != 1 {
            let _ = signal_hook::low_level::emulate_default_handler(SIGINT);
        }
        // What shells report of a process that a signal ended: 128 and its number.
        std::process::exit(128 + signal);
    });
    Ok(())
}

/// Whether the process began with this signal ignored, as far as the system tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Where there are no such signals there is nothing to do.
#[cfg(not(unix))]
pub fn end_when_told() -> std::io::Result<()> {
    Ok(())
}
