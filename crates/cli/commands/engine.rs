//! `outflank engine`: a model as an engine for GUIs and tournament managers, by the crate
//! `protocols`.

mod strength;
#[cfg(test)]
mod tests;
mod thinker;

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use outflank_arena::Parallel;
use outflank_net::CompiledNetwork;
use outflank_protocols::{Protocol, ServeOptions, serve};

use self::strength::Strength;
use self::thinker::Thinker;
use crate::args::{Engine, EngineProtocol};
use crate::output::{expect_not_input, expect_outside_runs};
use crate::players::load_named;

/// How long a move is thought about once nobody can stop it any more.
const AFTER_INPUT: Duration = Duration::from_secs(30);

pub fn run(args: &Engine) -> Result<()> {
    let strength = Strength::new(args.simulations, args.seconds)?;
    let (_, model) = load_named(&args.model)?;
    let size = model.weights.architecture().size;
    let thinker = Thinker::new(
        Parallel::new(
            CompiledNetwork::with_precision(&model.weights, args.precision),
            args.threads,
        ),
        size,
        strength,
        args.threads,
        args.table << 20,
    );
    if let Some(path) = &args.log {
        expect_outside_runs(path)?;
        expect_not_input(path, std::slice::from_ref(&args.model))?;
    }
    let log = args.log.as_deref().map(open_log).transpose()?;
    let protocol = match args.protocol {
        EngineProtocol::Nboard => Protocol::NBoard,
        EngineProtocol::Gtp => Protocol::Gtp,
    };
    let options = ServeOptions {
        level: None,
        ponder: args.ponder,
        log,
        time_after_input: Some(
            strength
                .time()
                .map_or(AFTER_INPUT, |time| time.max(AFTER_INPUT)),
        ),
    };
    let input = BufReader::new(std::io::stdin());
    serve(protocol, thinker, input, &mut std::io::stdout(), options)
        .context("the session has broken off")
}

/// The log, which grows from session to session.
fn open_log(path: &Path) -> Result<Box<dyn Write>> {
    let file = File::options().create(true).append(true).open(path);
    let file = file.with_context(|| format!("{}: cannot write the log", path.display()))?;
    Ok(Box::new(file))
}
