//! Players by name: built-in ones, models with their own budget, and programs outside.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use outflank_arena::{
    Builtin, Player, PlayerError, PlayerFactory, SearchPlayer, SearchPlayerConfig,
};
use outflank_net::{CompiledNetwork, Model, Precision};
use outflank_rules::Size;
use outflank_run::{Location, Run, Store};
use outflank_search::Cached;
use outflank_solver::solvable_within;

use crate::engines::{EnginePlayers, Engines};
use crate::shipped;

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
        Named::parse_with(text, simulations, &Engines::default())
    }

    /// Reads a player's name, which may be one of these engines'.
    pub fn parse_with(text: &str, simulations: u32, engines: &Engines) -> Result<Named> {
        if let Some(name) = text.strip_prefix(ENGINE) {
            let engine = engines.find(name);
            return Ok(Named::Engine(
                engine.with_context(|| format!("player {text}"))?,
            ));
        }
        let (name, options) = text.split_once(',').unwrap_or((text, ""));
        let builtin = name.parse::<Builtin>();
        if let Ok(builtin) = builtin {
            if !options.is_empty() {
                bail!("player {text}: {name} takes no options");
            }
            return Ok(Named::Builtin(builtin));
        }
        let (place, _) = split_generation(name)?;
        if name != shipped::NAME && !place.contains("://") && !Path::new(place).exists() {
            bail!(
                "player {text}: no built-in player (random, greedy, alpha-beta:DEPTH, rollout:PLAYOUTS, perfect:EMPTIES:PLAYER), and there is no run or model at {place} (`shipped` is the one that comes with the program)"
            );
        }
        let (source, model) = load_named(name)?;
        let size = model.weights.architecture().size;
        let mut config = usual_config(size, simulations);
        let mut options: Vec<&str> = options.split(',').filter(|o| !o.is_empty()).collect();
        // A time changes what is usual for the others, so it goes first.
        options.sort_by_key(|option| !option.starts_with("seconds="));
        let mut precision = None;
        for option in options {
            let done = match option.strip_prefix("precision=") {
                Some(name) => name
                    .parse()
                    .map(|named| precision = Some(named))
                    .context("precision"),
                None => set_option(&mut config, option, size),
            };
            done.with_context(|| format!("player {text}"))?;
        }
        // Under a clock speed is strength; a number of simulations gets the best of each.
        let precision = precision.unwrap_or(match config.seconds {
            Some(_) => Precision::Auto,
            None => Precision::F32,
        });
        let network = CompiledNetwork::with_precision(&model.weights, precision);
        config
            .validate()
            .with_context(|| format!("player {text}"))?;
        // A run's model is named by its number, see `load_model`; a file is not.
        let seq = source
            .rsplit_once('@')
            .filter(|_| !Path::new(place).is_file());
        let run = seq.map(|(_, seq)| -> Result<Origin> {
            Ok(Origin {
                run: place.parse()?,
                name: describe(&format!("model {seq}"), &config, size),
            })
        });
        let origin = run.transpose()?;
        Ok(Named::Model(Box::new(ModelPlayer {
            name: match network.precision() {
                Precision::F32 => describe(&source, &config, size),
                other => format!("{} in {other}", describe(&source, &config, size)),
            },
            network,
            config,
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

/// How a model plays on a board if nothing else is said. The end of the game is solved from a
/// quarter of the squares on, at most 14: more would leave little of a small board to the model.
pub fn usual_config(size: Size, simulations: u32) -> SearchPlayerConfig {
    let mut config = SearchPlayerConfig::default();
    let quarter = size.area() as u32 / 4;
    config.search.simulations = simulations;
    config.search.leaf_solve_empties = config.search.leaf_solve_empties.min(quarter);
    config.solve_empties = config.solve_empties.min(quarter);
    config
}

/// Leaves evaluated together under a clock, which is faster.
const TIMED_LEAVES: u32 = 8;

/// Evaluations that a player under a clock remembers, about 300 bytes each.
const TIMED_CACHE: usize = 1 << 16;

/// The same with a time for each move: on the largest board as many empties are solved as it
/// allows.
fn timed_config(size: Size, seconds: f64) -> SearchPlayerConfig {
    let mut config = usual_config(size, u32::MAX);
    config.search.method = outflank_search::Method::Puct;
    config.search.leaves_in_flight = TIMED_LEAVES;
    config.seconds = Some(seconds);
    if size == Size::Eight
        && let Ok(time) = Duration::try_from_secs_f64(seconds)
    {
        config.solve_empties = solvable_within(time, 1).min(SearchPlayerConfig::MOST_SOLVED);
    }
    config
}

/// A model's name in results: where it is from and what it may spend.
fn describe(source: &str, config: &SearchPlayerConfig, size: Size) -> String {
    let budget = match config.seconds {
        Some(seconds) => format!("{seconds} s"),
        None => format!("{} simulations", config.search.simulations),
    };
    let usual = match config.seconds {
        Some(seconds) => timed_config(size, seconds),
        None => usual_config(size, 0),
    };
    let usual = usual.solve_empties;
    match config.solve_empties {
        solve if solve == usual => format!("{source} at {budget}"),
        solve => format!("{source} at {budget}, solving {solve}"),
    }
}

impl PlayerFactory for ModelPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn make(&self) -> std::result::Result<Box<dyn Player>, PlayerError> {
        const CHECKED: &str = "the settings were checked when the player was named";
        let (name, network, config) =
            (self.name.clone(), self.network.clone(), self.config.clone());
        if config.seconds.is_some() {
            let remembering = Cached::new(network, TIMED_CACHE);
            let player = SearchPlayer::new(name, remembering, config).expect(CHECKED);
            return Ok(Box::new(player));
        }
        Ok(Box::new(
            SearchPlayer::new(name, network, config).expect(CHECKED),
        ))
    }
}

/// Loads a model by its name: `shipped`, a run's folder, `RUN@N` or a file. Returns a short name
/// with it.
pub fn load_named(name: &str) -> Result<(String, Model)> {
    if name == shipped::NAME {
        return Ok((name.to_owned(), shipped::model()));
    }
    let (place, generation) = split_generation(name)?;
    let path = Path::new(place);
    if path.is_file() {
        return load_file(path, generation);
    }
    load_model(&place.parse()?, generation)
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

/// Opens a run, which must exist.
pub fn open_run(location: &Location) -> Result<Run> {
    if let Location::Folder(path) = location
        && !path.is_dir()
    {
        bail!("there is no run at {location}");
    }
    Ok(Run::open(Store::open(location)?)?)
}

/// `runs/quick@12` is model 12 of a run.
fn split_generation(name: &str) -> Result<(&str, Option<u64>)> {
    match name.rsplit_once('@') {
        Some((path, number)) if !Path::new(name).exists() => {
            let number = number
                .parse()
                .with_context(|| format!("{name}: expected the number of a model after '@'"))?;
            Ok((path, Some(number)))
        }
        _ => Ok((name, None)),
    }
}

fn set_option(config: &mut SearchPlayerConfig, option: &str, size: Size) -> Result<()> {
    let (key, value) = option
        .split_once('=')
        .with_context(|| format!("'{option}': expected KEY=VALUE"))?;
    let number = || format!("{key} is '{value}'; expected a number");
    match key {
        "simulations" => config.search.simulations = value.parse().with_context(number)?,
        "solve" => config.solve_empties = value.parse().with_context(number)?,
        "seconds" => {
            *config = timed_config(size, value.parse().with_context(number)?);
        }
        _ => bail!("there is no option {key}; expected simulations, solve, seconds or precision"),
    }
    Ok(())
}
