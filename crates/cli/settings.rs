//! The configuration of a run: one file, one typed structure per part.

mod idle;
mod measuring;
#[cfg(test)]
mod mutations;

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use outflank_net::Architecture;
use outflank_search::SearchConfig;
use outflank_selfplay::SelfplayConfig;
use outflank_train::TrainingConfig;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

pub use self::measuring::{GateConfig, RatingConfig, TrackingConfig};
use crate::progress::say;
use crate::toml_text::{TomlText, below, explain, leaves, value_of};

/// The presets that are part of the program, by name.
pub const PRESETS: [(&str, &str); 5] = [
    ("quick", include_str!("../../configs/quick.toml")),
    ("standard", include_str!("../../configs/standard.toml")),
    ("strong", include_str!("../../configs/strong.toml")),
    ("6x6", include_str!("../../configs/6x6.toml")),
    ("4x4", include_str!("../../configs/4x4.toml")),
];

/// The version of the configuration's layout that this program writes.
const FORMAT: u32 = 1;

/// A run's whole configuration. Every key left out has the default that its part documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The version of this layout, 1.
    #[serde(default = "format")]
    pub format: u32,
    /// A short name; a run without `--run` lives in `runs/<name>`. Default: that of the
    /// configuration's file, without its ending.
    #[serde(default)]
    pub name: String,
    /// All random choices of the run follow from this number. Default 1.
    #[serde(default = "one")]
    pub seed: u64,
    /// Rounds of self-play and training. Default 24, as in the preset `quick`.
    #[serde(default = "default_generations")]
    pub generations: u64,
    /// Games of one generation, a multiple of `games_per_chunk`. Default 400, as in `quick`.
    #[serde(default = "default_games_per_generation")]
    pub games_per_generation: u64,
    /// Games of one file. A process that is killed loses at most the chunks that it is playing.
    /// Default 50.
    #[serde(default = "default_games_per_chunk")]
    pub games_per_chunk: u64,
    /// The network's shape.
    #[serde(default)]
    pub network: Architecture,
    /// How games are generated.
    #[serde(default)]
    pub selfplay: SelfplayConfig,
    /// How the network learns.
    #[serde(default)]
    pub training: TrainingConfig,
    /// The matches at the end of `train`.
    #[serde(default)]
    pub rating: RatingConfig,
    /// What is measured of the models meanwhile.
    #[serde(default)]
    pub tracking: TrackingConfig,
    /// What a model has to show before it plays the run's games.
    #[serde(default)]
    pub gate: GateConfig,
}

fn format() -> u32 {
    FORMAT
}

fn one() -> u64 {
    1
}

fn default_generations() -> u64 {
    24
}

fn default_games_per_generation() -> u64 {
    400
}

fn default_games_per_chunk() -> u64 {
    50
}

impl Settings {
    /// Reads a configuration file, or the preset of that name, for a new run. A key that would do
    /// nothing in it is refused.
    pub fn load(name: impl AsRef<Path>) -> Result<Settings> {
        let text = Settings::text(name.as_ref())?;
        let settings = Settings::read(&text)?;
        settings.expect_effects(&text)?;
        Ok(settings)
    }

    /// The text of a configuration file, or of the preset of that name.
    pub fn text(name: &Path) -> Result<TomlText> {
        let preset = PRESETS.iter().find(|preset| name == Path::new(preset.0));
        if let Some((name, text)) = preset {
            return TomlText::new(text, &format!("preset {name}"));
        }
        let source = name.display().to_string();
        let text = std::fs::read_to_string(name).with_context(|| {
            let presets: Vec<_> = PRESETS.iter().map(|preset| preset.0).collect();
            format!(
                "{source}: cannot read this configuration (a file, or one of the presets {})",
                presets.join(", ")
            )
        })?;
        TomlText::new(&text, &source)
    }

    /// Reads the configuration that a run keeps; errors begin with `source`, the name of the file.
    pub fn parse(text: &str, source: &str) -> Result<Settings> {
        Settings::read(&TomlText::new(text, source)?)
    }

    /// The configuration that a text stands for.
    pub fn read(text: &TomlText) -> Result<Settings> {
        let locate = |error| text.locate(error);
        expect_format(&text.table).map_err(locate)?;
        let mut settings: Settings = text.read()?;
        if settings.name.is_empty() {
            let stem = Path::new(text.source()).file_stem().unwrap_or_default();
            settings.name = stem.to_string_lossy().into_owned();
        }
        settings.complete(&text.table).map_err(locate)
    }

    /// The same of a table, which may be of several texts; an error begins with the key.
    pub fn of_table(table: &Table) -> Result<Settings> {
        expect_format(table)?;
        let settings: Settings = table.clone().try_into().map_err(explain)?;
        settings.complete(table)
    }

    /// Sets the defaults that depend on other settings, where nothing was `given`, and checks all.
    fn complete(mut self, given: &Table) -> Result<Settings> {
        let usual = SearchConfig::usual_solve_empties(self.network.size);
        let is_given = |key| value_of(given, key).is_some();
        if !is_given("selfplay.solve_empties") {
            self.selfplay.solve_empties = usual;
        }
        if !is_given("selfplay.search.leaf_solve_empties") {
            self.selfplay.search.leaf_solve_empties = usual;
        }
        self.validate()?;
        self.expect_whole_lists(given)?;
        Ok(self)
    }

    /// Refuses lists with more values than their key has: nothing would be made of the rest.
    fn expect_whole_lists(&self, given: &Table) -> Result<()> {
        let own = self.to_table();
        let length = |table: &Table, key: &str| Some(value_of(table, key)?.as_array()?.len());
        for key in leaves(given) {
            if let (Some(given), Some(own)) = (length(given, &key), length(&own, &key))
                && given != own
            {
                bail!("{key} is of length {given}; expected a list of length {own}");
            }
        }
        Ok(())
    }

    /// The configuration with every default written out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("settings are plain values")
    }

    /// Takes the shape of the network that a new run begins with, which must be for the board of the
    /// configuration: what suits one board does not suit another. A shape that the configuration has in
    /// vain is said to be.
    pub fn begin_with(&mut self, network: &Architecture) -> Result<()> {
        if network.size != self.network.size {
            bail!(
                "--from is a network for the {} board, and the configuration {} is for the {} board; expected a --config with network.size = {}",
                network.size,
                self.name,
                self.network.size,
                network.size.side()
            );
        }
        let wanted = std::mem::replace(&mut self.network, network.clone());
        if wanted != self.network {
            say(&format!(
                "the run begins with the network of --from ({network}): what the configuration has under \
                 [network] ({wanted}) does not count; training.growth makes a network larger",
            ));
        }
        Ok(())
    }

    fn to_table(&self) -> Table {
        let text = TomlText::new(&self.to_toml(), "settings");
        text.expect("it was just written").table
    }

    /// The first setting in which two configurations differ, as text; none if they are the same.
    pub fn difference(&self, other: &Settings) -> Option<String> {
        difference("", &self.to_table().into(), &other.to_table().into())
    }

    /// Checks the range of every setting.
    fn validate(&self) -> Result<()> {
        let name_is_plain = !self.name.is_empty()
            && self
                .name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if !name_is_plain || self.name.starts_with('.') {
            bail!(
                "name is {:?}; expected letters, digits, '-', '_' and '.', not beginning with '.'",
                self.name
            );
        }
        within("generations", self.generations, 1..=1_000_000)?;
        within("games_per_chunk", self.games_per_chunk, 1..=10_000)?;
        within(
            "games_per_generation",
            self.games_per_generation,
            1..=1_000_000,
        )?;
        if !self
            .games_per_generation
            .is_multiple_of(self.games_per_chunk)
        {
            bail!(
                "games_per_generation is {}; expected a multiple of games_per_chunk, {}",
                self.games_per_generation,
                self.games_per_chunk
            );
        }
        self.rating.validate()?;
        self.tracking.validate()?;
        self.gate.validate()?;
        self.network
            .validate()
            .map_err(|error| anyhow!("network.{error}"))?;
        self.selfplay.validate()?;
        let (plies, squares) = (self.selfplay.opening_plies[1], self.network.size.area());
        if plies as usize + 4 >= squares {
            bail!(
                "selfplay.opening_plies has {plies} plies at most; expected fewer than the {} after which the board is full",
                squares - 4
            );
        }
        self.training.validate()?;
        let mut network = self.network.clone();
        for step in &self.training.growth {
            let larger = self
                .training
                .architecture_at(&self.network, step.generation + 1);
            larger.validate().context("training.growth")?;
            if larger.blocks < network.blocks || larger.channels < network.channels {
                bail!("training.growth has {larger} after {network}; expected no smaller one");
            }
            network = larger;
        }
        Ok(())
    }
}

/// Refuses layouts of other versions. They may have keys that this program does not know, so that
/// this comes before all else.
fn expect_format(table: &Table) -> Result<()> {
    match table.get("format") {
        Some(Value::Integer(format)) if *format != i64::from(FORMAT) => {
            bail!("format is {format}; this program reads format {FORMAT}")
        }
        _ => Ok(()),
    }
}

/// Checks the range of a number.
pub fn within<T: PartialOrd + Display>(
    key: &str,
    found: T,
    range: RangeInclusive<T>,
) -> Result<()> {
    if !range.contains(&found) {
        let (least, most) = range.into_inner();
        bail!("{key} is {found}; expected {least} to {most}");
    }
    Ok(())
}

/// Puts the values of `changes` in the place of those of `table`, key by key.
pub fn merge(table: &mut Table, changes: &Table) {
    for (key, value) in changes {
        match (table.get_mut(key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            _ => drop(table.insert(key.clone(), value.clone())),
        }
    }
}

fn difference(key: &str, asked: &Value, kept: &Value) -> Option<String> {
    if let (Value::Table(asked), Value::Table(kept)) = (asked, kept) {
        return kept
            .iter()
            .find_map(|(name, kept)| difference(&below(key, name), asked.get(name)?, kept));
    }
    (asked != kept).then(|| format!("{key} is {kept} there, and {asked} was asked for"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_one_form() {
        for (text, expected) in [
            (
                "[selfplay]\nprecision = 'int4'",
                "a.toml, line 2: selfplay.precision is \"int4\"; expected f32, int16, int8, auto",
            ),
            (
                "[selfplay.search]\nsimulations = -1",
                "a.toml, line 2: selfplay.search.simulations is -1; expected a whole number from 0 to 4294967295",
            ),
            (
                "selfplay.search.gumbel.c_scale = 0.0",
                "a.toml, line 1: selfplay.search.gumbel.c_scale is 0; expected a number above 0, at most 1000000",
            ),
            (
                "[network]\nchannels = 17",
                "a.toml, line 2: network.channels is 17; expected a multiple of 16 up to 512",
            ),
            ("[network]\nsize = 5", "a.toml, line 2: network.size: "),
            (
                "[selfplay]\nopening_plies = [2, 10, 99]",
                "a.toml, line 2: selfplay.opening_plies is of length 3; expected a list of length 2",
            ),
            (
                "format = 2",
                "a.toml, line 1: format is 2; this program reads format 1",
            ),
            ("[[network]]", "a.toml, line 1: network is "),
        ] {
            let error = format!("{:#}", Settings::parse(text, "a.toml").expect_err(text));
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn the_largest_seed_is_written_read_and_compared() {
        let mut settings = Settings::parse("", "a.toml").expect("valid");
        settings.seed = u64::MAX;
        let again = Settings::parse(&settings.to_toml(), "b.toml").expect("valid");
        assert_eq!(again, settings);
        settings.seed -= 1;
        let difference = settings.difference(&again).expect("other seeds");
        assert!(difference.starts_with("seed is "), "{difference}");
    }

    #[test]
    fn small_boards_are_solved_from_fewer_squares_on() {
        for (text, solved) in [
            ("", [12, 12]),
            ("network.size = 6", [9, 9]),
            ("network.size = 4", [4, 4]),
            (
                "network.size = 4\nselfplay.solve_empties = 7\nselfplay.search.leaf_solve_empties = 12",
                [7, 12],
            ),
        ] {
            let settings = Settings::parse(text, "a.toml").expect(text);
            let selfplay = &settings.selfplay;
            let found = [selfplay.solve_empties, selfplay.search.leaf_solve_empties];
            assert_eq!(found, solved, "{text}");
        }
    }

    #[test]
    fn every_key_has_a_default() {
        let empty = Settings::parse("", "runs/mine.toml").expect("an empty file is enough");
        let quick = Settings::load("quick").expect("a preset");
        assert_eq!(empty.name, "mine");
        assert_eq!(
            (empty.generations, empty.games_per_generation),
            (quick.generations, quick.games_per_generation)
        );
        let error = Settings::parse("", "my run.toml").expect_err("no name for a folder");
        assert!(
            format!("{error:#}").contains("name is \"my run\""),
            "{error:#}"
        );
    }
}
