//! Progress for people: bars on a terminal, plain lines everywhere else.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::messages::printable;

/// A bar with a rate and the time left; draws nothing when standard error is not a terminal, where
/// the commands print a plain line for each finished part instead.
pub fn bar(length: u64, label: &str, unit: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    let template = format!(
        "{{msg:24}} {{bar:32}} {{human_pos}}/{{human_len}} {unit} {{per_sec:>12}} {{eta:>4}} left"
    );
    bar.set_style(
        ProgressStyle::with_template(&template)
            .expect("the template is well-formed")
            .with_key(
                "per_sec",
                move |state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
                    let _ = write!(out, "{:.1}/s", state.per_sec());
                },
            ),
    );
    bar.set_message(label.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
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
    fn durations_have_two_units() {
        assert_eq!(duration(Duration::from_millis(12_340)), "12.3s");
        assert_eq!(duration(Duration::from_secs(200)), "3m20s");
        assert_eq!(duration(Duration::from_secs(3900)), "1h05m");
    }
}
