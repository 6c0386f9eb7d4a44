//! `outflank engine`: a model as an engine for GUIs and tournament managers, by the crate
//! `protocols`.

mod strength;
#[cfg(test)]
mod tests;
mod thinker;

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use outflank_net::CompiledNetwork;
use outflank_protocols::{Protocol, ServeOptions, serve};

use self::strength::Strength;
use self::thinker::Thinker;
use crate::args::{Engine, EngineProtocol};
use crate::players::{load_model, split_generation};

/// The run that `outflank train` makes when nothing else is asked for.
const DEFAULT_RUN: &str = "runs/quick";

pub fn run(args: &Engine) -> Result<()> {
    let strength = Strength::new(args.simulations, args.seconds)?;
    if args.threads == 0 {
        bail!("--threads is 0; expected 1 or more");
    }
    let name = match &args.model {
        Some(name) => name.as_str(),
        None if Path::new(DEFAULT_RUN).is_dir() => DEFAULT_RUN,
        None => bail!("there is no {DEFAULT_RUN} here; name a model with --model"),
    };
    let (path, generation) = split_generation(name)?;
    let (_, model) = load_model(&path, generation)?;
    let size = model.weights.architecture().size;
    let thinker = Thinker::new(
        CompiledNetwork::new(&model.weights),
        size,
        strength,
        args.threads,
        args.table << 20,
    );
    let log = args.log.as_deref().map(open_log).transpose()?;
    let protocol = match args.protocol {
        EngineProtocol::Nboard => Protocol::NBoard,
        EngineProtocol::Gtp => Protocol::Gtp,
    };
    let options = ServeOptions {
        level: None,
        ponder: args.ponder,
        log,
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
