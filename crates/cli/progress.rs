//! Progress for people: bars on a terminal, plain lines everywhere else.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::messages::printable;

/// Without a terminal, between two lines about a part of the work.
const PLAIN_LINES_EVERY: Duration = Duration::from_secs(12);

/// How far a part of the work is: a bar with a rate and the time left on a terminal, and a plain line
/// now and then elsewhere.
pub struct Bar {
    bar: ProgressBar,
    lines: Option<Lines>,
}

/// Begins a part; with a length of 0 its end is not known yet.
pub fn bar(length: u64, label: &str, unit: &'static str) -> Bar {
    // Without an end the bar is empty, where one of 0 would be full.
    let known = (length > 0).then_some(length);
    let bar = ProgressBar::with_draw_target(known, ProgressDrawTarget::stderr());
    let template = format!("{{msg:24}} {{bar:32}} {{part}} {unit} {{pace:>12}} {{left}}");
    let part = |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = write!(out, "{}", part(state.pos(), state.len(), "/"));
    };
    let pace = |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = write!(out, "{:.1}/s", state.per_sec());
    };
    let left = |state: &ProgressState, out: &mut dyn fmt::Write| {
        let length = state.len().unwrap_or_default();
        if let Some(left) = time_left(state.pos(), length, state.per_sec()) {
            let _ = write!(out, "{left}");
        }
    };
    bar.set_style(
        ProgressStyle::with_template(&template)
            .expect("the template is well-formed")
            .with_key("part", part)
            .with_key("pace", pace)
            .with_key("left", left),
    );
    bar.set_message(label.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    let lines = (!on_terminal()).then(|| Lines::begin(bar.clone(), label.to_owned(), unit));
    Bar { bar, lines }
}

impl Bar {
    /// So much more is done.
    pub fn inc(&self, more: u64) {
        self.bar.inc(more);
    }

    /// So much is done.
    pub fn set_position(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// So much is to be done.
    pub fn set_length(&self, all: u64) {
        self.bar.set_length(all);
    }

    /// Removes the bar.
    pub fn finish_and_clear(&self) {
        self.bar.finish_and_clear();
        if let Some(lines) = &self.lines {
            lines.end();
        }
    }
}

/// A thread that writes plain lines until it is told to end, or nobody can tell it any more.
struct Lines(Sender<()>);

impl Lines {
    fn begin(bar: ProgressBar, label: String, unit: &'static str) -> Lines {
        let (sender, told) = mpsc::channel();
        let begin = Instant::now();
        std::thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = told.recv_timeout(PLAIN_LINES_EVERY) {
                let length = bar.length().unwrap_or_default();
                let part = describe(bar.position(), length, unit, begin.elapsed());
                say(&format!("{label}: {part}"));
            }
        });
        Lines(sender)
    }

    fn end(&self) {
        let _ = self.0.send(());
    }
}

/// `120 of 400 games in 12.0s, 10.0/s, 28s left`.
fn describe(done: u64, all: u64, unit: &str, time: Duration) -> String {
    let known = (all > 0).then_some(all);
    let part = part(done, known, " of ");
    let mut text = format!("{part} {unit} in {}", duration(time));
    let pace = done as f64 / time.as_secs_f64();
    if done > 0 {
        text += &format!(", {pace:.1}/s");
    }
    if let Some(left) = time_left(done, all, pace) {
        text += &format!(", {left}");
    }
    text
}

/// How much is done, and of how much, if that is known.
fn part(done: u64, all: Option<u64>, of: &str) -> String {
    let all = all.map(|all| format!("{of}{}", thousands(all)));
    format!("{}{}", thousands(done), all.unwrap_or_default())
}

/// The time that the rest takes at this pace; none before the first piece is done, from which a
/// pace could be known.
fn time_left(done: u64, all: u64, pace: f64) -> Option<String> {
    let left = Duration::try_from_secs_f64(all.checked_sub(done)? as f64 / pace).ok()?;
    let known = done > 0 && pace > 0.0;
    known.then(|| format!("{:#} left", HumanDuration(left)))
}

/// Whether a person watches: standard error is a terminal.
pub fn on_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// A line for people, on standard error so that results alone are on standard output, over a bar that
/// may be there. If nobody reads it, the work goes on.
pub fn say(line: &str) {
    let clear = if on_terminal() { "\r\x1b[2K" } else { "" };
    let _ = writeln!(std::io::stderr(), "{clear}{}", printable(line));
}

/// `1234567` as `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 game`, `2 games`, `1,234 games`.
pub fn count(number: u64, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {thing}{ending}", thousands(number))
}

/// A duration in the two units that matter: `1h05m`, `3m20s`, `12.3s`.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{:.1}s", duration.as_secs_f64()),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1000), "1,000");
        assert_eq!(thousands(1234567), "1,234,567");
        assert_eq!(count(1, "game"), "1 game");
        assert_eq!(count(1000, "game"), "1,000 games");
    }

    #[test]
    fn nothing_is_said_of_the_time_left_before_there_is_a_pace() {
        let after = |done, all| describe(done, all, "games", Duration::from_secs(12));
        assert_eq!(after(0, 400), "0 of 400 games in 12.0s");
        assert_eq!(
            after(120, 400),
            "120 of 400 games in 12.0s, 10.0/s, 28s left"
        );
        assert_eq!(after(1200, 0), "1,200 games in 12.0s, 100.0/s");
        assert_eq!(time_left(3, 10, 0.0), None);
        assert_eq!(part(0, bar(0, "learning", "steps").bar.length(), "/"), "0");
        assert_eq!(
            part(0, bar(40, "learning", "steps").bar.length(), "/"),
            "0/40"
        );
    }

    #[test]
    fn durations_have_two_units() {
        assert_eq!(duration(Duration::from_millis(12_340)), "12.3s");
        assert_eq!(duration(Duration::from_secs(200)), "3m20s");
        assert_eq!(duration(Duration::from_secs(3900)), "1h05m");
    }
}
