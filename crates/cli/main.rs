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
mod json_lines;
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

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use std::sync::OnceLock;

use anyhow::Context;
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::messages::{one_line, usage_line};

/// What every failure ends with, usage errors included.
const FAILURE: u8 = 2;

/// What a shell reports of a program that a closed pipe has ended.
const CLOSED_PIPE: u8 = 141;

/// Why not all could be printed, once something could not.
static NOT_PRINTED: OnceLock<String> = OnceLock::new();

/// What `print!` panics with, before the reason.
const PRINTING_FAILED: &str = "failed printing to stdout: ";

fn main() -> ExitCode {
    notice_what_cannot_be_printed();
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
        Err(panic) => match NOT_PRINTED.get() {
            Some(reason) => ExitCode::from(unprinted(reason)),
            None => resume_unwind(panic),
        },
    }
}

/// Says that standard output takes no more, unless a closed pipe has told that nobody reads. Returns
/// the exit code.
fn unprinted(reason: &str) -> u8 {
    if reason.contains("Broken pipe") {
        return CLOSED_PIPE;
    }
    progress::say(&format!(
        "outflank: standard output: cannot be written: {reason}"
    ));
    FAILURE
}

/// Ends with a usage error, told in one line; help that was asked for is no error.
fn refuse(error: &clap::Error) -> ! {
    let help_without_command = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || error.kind() == help_without_command {
        let printed = error.print().and_then(|()| std::io::stdout().flush());
        let code = match printed {
            Ok(()) => error.exit_code(),
            Err(reason) => unprinted(&reason.to_string()).into(),
        };
        std::process::exit(code);
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

/// `outflank ... | head` closes the pipe before all is printed, and a disk may be full: the end of the
/// command, which tidies up, and not a bug to report.
fn notice_what_cannot_be_printed() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>();
        match message.and_then(|message| message.strip_prefix(PRINTING_FAILED)) {
            Some(reason) => _ = NOT_PRINTED.set(reason.to_owned()), // or it is known already
            None if NOT_PRINTED.get().is_some() => {}
            None => report(panic),
        }
    }));
}
