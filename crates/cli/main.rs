//! `outflank`: train a Reversi agent, measure it, play it.
//!
//! Everything that talks to a person is here: arguments, configuration files, progress bars and
//! reports. The work itself is done by the crates beside this one; each subcommand's module says
//! which.

mod args;
mod commands;
mod device;
mod engines;
mod game_files;
mod game_records;
mod messages;
mod numbers;
mod os_text;
mod output;
mod page;
mod players;
mod position_files;
mod progress;
mod settings;
mod shipped;
mod signals;
mod toml_text;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::messages::usage_line;

/// What every failure ends with, usage errors included.
const FAILURE: u8 = 2;

/// What a shell reports of a program that a closed pipe has ended.
const CLOSED_PIPE: u8 = 141;

/// Whether standard output was closed before all was printed.
static NOBODY_READS: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    notice_when_nobody_reads();
    let cli = args::Cli::try_parse().unwrap_or_else(|error| refuse(&without_secrets(error)));
    let work = || {
        let watched = match cli.command {
            args::Command::Serve(_) => Ok(()), // has connections to close, and watches itself
            _ => signals::end_when_told(),
        };
        watched.context("signals cannot be watched for")?;
        commands::run(cli)
    };
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            progress::say(&format!("outflank: {}", one_line(&error)));
            ExitCode::from(FAILURE)
        }
        Err(_) if NOBODY_READS.load(Ordering::Relaxed) => ExitCode::from(CLOSED_PIPE),
        Err(panic) => resume_unwind(panic),
    }
}

/// Ends with a usage error, told in one line; help that was asked for is no error.
fn refuse(error: &clap::Error) -> ! {
    let help_without_command = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || error.kind() == help_without_command {
        error.exit();
    }
    progress::say(&format!("outflank: {}", usage_line(error)));
    std::process::exit(FAILURE.into());
}

/// A usage error that does not repeat a URL with a password in it.
fn without_secrets(mut error: clap::Error) -> clap::Error {
    let value = error
        .get(ContextKind::InvalidValue)
        .map(ToString::to_string);
    if let Some((scheme, _)) = value.as_deref().and_then(|value| value.split_once("://")) {
        let shown = ContextValue::String(format!("{scheme}://..."));
        error.insert(ContextKind::InvalidValue, shown);
    }
    error
}

/// `outflank ... | head` closes the pipe before all is printed: the end of the command, which tidies
/// up, and not a bug to report.
fn notice_when_nobody_reads() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>();
        if message.is_some_and(|message| message.contains("Broken pipe")) {
            NOBODY_READS.store(true, Ordering::Relaxed);
        } else if !NOBODY_READS.load(Ordering::Relaxed) {
            report(panic);
        }
    }));
}

/// An error and its causes as one line. A cause that only repeats how the line ends already is left
/// out: wrappers of input/output errors quote them in full.
fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        let said = line.rsplit(": ").next().unwrap_or_default();
        if line.is_empty() {
            line = cause;
        } else if !cause.ends_with(said) {
            line = format!("{line}: {cause}");
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn causes_are_told_once() {
        let error = anyhow!("disk full (os error 28)")
            .context("copying: disk full (os error 28)")
            .context("cannot write a.rec: disk full (os error 28)")
            .context("generation 3");
        assert_eq!(
            one_line(&error),
            "generation 3: cannot write a.rec: disk full (os error 28)"
        );
    }
}
