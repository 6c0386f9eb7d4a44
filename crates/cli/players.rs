//! Players by name: built-in ones, models with their own budget, and programs outside.

mod leaves;
mod options;

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use outflank_arena::{
    Builtin, Player, PlayerError, PlayerFactory, SearchPlayer, SearchPlayerConfig,
};
use outflank_net::{CompiledNetwork, Model, Precision};
use outflank_rules::Size;
use outflank_run::{Location, Run, Store};
use outflank_search::{Cached, Symmetrized};

use crate::engines::{EnginePlayers, Engines};
use crate::os_text::{rsplit_once, split_once};
use crate::progress::say;
use crate::shipped::Shipped;

pub use self::leaves::worth_solving;
pub use self::options::usual_config;

use self::options::Options;

/// A player as the command line names it.
pub enum Named {
    /// One of the players that need no model.
    Builtin(Builtin),
    /// A network with a search.
    Model(Box<ModelPlayer>),
    /// A program outside.
    Engine(EnginePlayers),
}

/// What the name of a program outside begins with.
const ENGINE: &str = "engine:";

/// A network with its search settings; makes a player for each thread.
pub struct ModelPlayer {
    name: String,
    network: CompiledNetwork,
    config: SearchPlayerConfig,
    symmetries: usize,
    origin: Option<Origin>,
}

/// The run that a model is of.
pub struct Origin {
    pub run: Location,
    /// The player's name among the matches that the run keeps.
    pub name: String,
}

impl Named {
    /// Reads a player's name. `simulations` is the budget of a model that names none.
    pub fn parse(text: &str, simulations: u32) -> Result<Named> {
        if text.starts_with(ENGINE) {
            bail!("player {text}: other programs only play in `arena` and `play`");
        }
        Named::parse_with(text.as_ref(), simulations, &Engines::default())
    }

    /// Reads a player's name, which may be one of these engines'.
    pub fn parse_with(text: &OsStr, simulations: u32, engines: &Engines) -> Result<Named> {
        let player = || format!("player {}", text.display());
        if let Some(name) = text.to_str().and_then(|text| text.strip_prefix(ENGINE)) {
            return Ok(Named::Engine(engines.find(name).with_context(player)?));
        }
        let (name, options) = split_once(text, b',').unwrap_or((text, OsStr::new("")));
        let unknown = match name.to_string_lossy().parse::<Builtin>() {
            Ok(_) if !options.is_empty() => {
                bail!("{}: {} takes no options", player(), name.display())
            }
            Ok(builtin) => return Ok(Named::Builtin(builtin)),
            Err(unknown) => unknown,
        };
        let (place, _) = split_generation(name)?;
        let is_url = place.to_string_lossy().contains("://");
        if Shipped::find(place).is_none() && !is_url && !Path::new(place).exists() {
            bail!(
                "{}: {unknown}; and there is no run or model at {} (`shipped` and `shipped-large` come with the program)",
                player(),
                place.display()
            );
        }
        let (source, model) = load_named(name)?;
        let size = model.weights.architecture().size;
        let mut options =
            Options::parse(&options.to_string_lossy(), size, simulations).with_context(player)?;
        let mut network = CompiledNetwork::with_precision(&model.weights, options.precision);
        options.settle(&mut network);
        let described = |source: &str| match network.precision() {
            Precision::F32 => options.describe(source),
            other => format!("{} in {other}", options.describe(source)),
        };
        // A run's model is named by its number, see `load_model`; a file is not.
        let seq = source
            .rsplit_once('@')
            .filter(|_| !Path::new(place).is_file());
        let run = seq.map(|(_, seq)| -> Result<Origin> {
            Ok(Origin {
                run: Location::from_os(place)?,
                name: described(&format!("model {seq}")),
            })
        });
        let origin = run.transpose()?;
        Ok(Named::Model(Box::new(ModelPlayer {
            name: described(&source),
            network,
            config: options.config,
            symmetries: options.symmetries,
            origin,
        })))
    }

    /// The board that the player is bound to; built-in players play on any.
    pub fn size(&self) -> Option<Size> {
        match self {
            Named::Builtin(_) | Named::Engine(_) => None,
            Named::Model(player) => Some(player.network.architecture().size),
        }
    }

    /// The player's name among the matches that a run keeps: that of its own models is short.
    pub fn name_in(&self, run: &Location) -> String {
        match self {
            Named::Model(model) => match model.origin() {
                Some(origin) if origin.run == *run => origin.name.clone(),
                _ => model.name(),
            },
            _ => self.factory().name(),
        }
    }

    /// What makes its players.
    pub fn factory(&self) -> &dyn PlayerFactory {
        match self {
            Named::Builtin(builtin) => builtin,
            Named::Model(player) => &**player,
            Named::Engine(engine) => engine,
        }
    }
}

impl ModelPlayer {
    /// A player of a network that is in memory already.
    pub fn new(name: String, network: CompiledNetwork, config: SearchPlayerConfig) -> ModelPlayer {
        ModelPlayer {
            name,
            network,
            config,
            symmetries: 1,
            origin: None,
        }
    }

    /// The run that it is of, if it was named by one.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Its network.
    pub fn network(&self) -> &CompiledNetwork {
        &self.network
    }
}

/// Evaluations that a player under a clock remembers, about 300 bytes each.
const TIMED_CACHE: usize = 1 << 16;

impl PlayerFactory for ModelPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn make(&self) -> std::result::Result<Box<dyn Player>, PlayerError> {
        const CHECKED: &str = "the settings were checked when the player was named";
        let (name, config) = (self.name.clone(), self.config.clone());
        let evaluator = Symmetrized::new(self.network.clone(), self.symmetries);
        if config.seconds.is_some() {
            let remembering = Cached::new(evaluator, TIMED_CACHE);
            let player = SearchPlayer::new(name, remembering, config).expect(CHECKED);
            return Ok(Box::new(player));
        }
        Ok(Box::new(
            SearchPlayer::new(name, evaluator, config).expect(CHECKED),
        ))
    }
}

/// Loads a model by its name: `shipped` or `shipped-large`, a run's folder, `RUN@N` or a file. Returns a short name
/// with it.
pub fn load_named(name: impl AsRef<OsStr>) -> Result<(String, Model)> {
    let name = name.as_ref();
    if let Some(shipped) = Shipped::find(name) {
        return Ok((shipped.name.to_owned(), shipped.model()));
    }
    let (place, generation) = split_generation(name)?;
    let path = Path::new(place);
    if Shipped::find(place).is_some() && !path.exists() {
        bail!(
            "{}: a model that comes with the program has no others before it; expected no @ and number",
            name.display()
        );
    }
    if let Some((model, _)) = split_once(name, b',')
        && !path.exists()
        && (Shipped::find(model).is_some() || Path::new(model).exists())
    {
        bail!(
            "{}: options of a player are not for here; expected {}",
            name.display(),
            model.display()
        );
    }
    if path.is_file() {
        return load_file(path, generation);
    }
    load_model(&Location::from_os(place)?, generation)
}

/// The one model of a file.
fn load_file(path: &Path, generation: Option<u64>) -> Result<(String, Model)> {
    if generation.is_some() {
        bail!(
            "{}: a file holds one model; expected no @ and number",
            path.display()
        );
    }
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    Ok((name, Model::load(path)?))
}

/// A run's newest or numbered model. Returns a short name with it.
pub fn load_model(location: &Location, generation: Option<u64>) -> Result<(String, Model)> {
    let run = open_run(location)?;
    let entry = match generation {
        None => run
            .latest()?
            .with_context(|| format!("{location} has no model yet"))?,
        Some(seq) => run.entry(seq)?.with_context(|| match run.latest() {
            Ok(Some(latest)) => format!(
                "{location} has no model {seq}; its newest is {}",
                latest.seq
            ),
            _ => format!("{location} has no model {seq}"),
        })?,
    };
    let bytes = run.read_model(&entry, &Model::FILE.parse()?)?;
    let model =
        Model::from_bytes(&bytes).with_context(|| format!("{location}, model {}", entry.seq))?;
    Ok((format!("{location}@{}", entry.seq), model))
}

/// The name of a run or a model in what is made to be given away: where it was kept is nobody's business.
pub fn shared_name(name: &str) -> String {
    let last = |path: &str| {
        let path = path.trim_end_matches(std::path::is_separator);
        let name = path.rsplit(std::path::is_separator).next();
        name.unwrap_or(path).to_owned()
    };
    match name.rsplit_once('@') {
        Some((run, number)) => format!("{}@{number}", last(run)),
        None => last(name),
    }
}

/// Opens a run, which must exist.
pub fn open_run(location: &Location) -> Result<Run> {
    if let Location::Folder(path) = location
        && !path.is_dir()
    {
        bail!("there is no run at {location}");
    }
    Ok(Run::open(open_store(location, Arc::default())?)?)
}

/// Opens a place for files. When a call has to be repeated, a line says why, and `repeated` counts.
pub fn open_store(location: &Location, repeated: Arc<AtomicU64>) -> Result<Store> {
    if let Location::Folder(path) = location
        && path.is_file()
    {
        bail!("{location} is a file; expected a folder");
    }
    Ok(Store::open(location)?.with_observer(move |retry| {
        repeated.fetch_add(1, Ordering::Relaxed);
        say(&format!(
            "{}; trying again in {:.1} s",
            retry.message,
            retry.wait.as_secs_f64()
        ));
    }))
}

/// `runs/quick@12` is model 12 of a run.
fn split_generation(name: &OsStr) -> Result<(&OsStr, Option<u64>)> {
    let Some((path, number)) = rsplit_once(name, b'@') else {
        return Ok((name, None));
    };
    let number = number.to_string_lossy();
    if number.contains('/') || Path::new(name).exists() {
        return Ok((name, None));
    }
    let number = number.parse().with_context(|| {
        format!(
            "{}: expected the number of a model after '@'",
            name.display()
        )
    })?;
    Ok((path, Some(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_away_does_not_tell_where_a_run_was_kept() {
        for (name, shared) in [
            ("/home/ann/runs/quick@12", "quick@12"),
            ("runs/quick/@12", "quick@12"),
            ("s3://bucket/quick", "quick"),
            ("shipped", "shipped"),
        ] {
            assert_eq!(shared_name(name), shared);
        }
    }
}
