//! The configuration of a run: one file, one typed structure per part.

mod measuring;
#[cfg(test)]
mod mutations;

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Context, Result, bail};
use outflank_net::Architecture;
use outflank_selfplay::SelfplayConfig;
use outflank_train::TrainingConfig;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

pub use self::measuring::{GateConfig, RatingConfig, TrackingConfig};

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
    /// Reads a configuration file, or the preset of that name.
    pub fn load(name: &str) -> Result<Settings> {
        if let Some((name, text)) = PRESETS.iter().find(|preset| preset.0 == name) {
            return Settings::parse(text, &format!("preset {name}"));
        }
        let text = std::fs::read_to_string(Path::new(name)).with_context(|| {
            let presets: Vec<_> = PRESETS.iter().map(|preset| preset.0).collect();
            format!(
                "{name}: cannot read this configuration (a file, or one of the presets {})",
                presets.join(", ")
            )
        })?;
        Settings::parse(&text, name)
    }

    /// Reads a configuration from text; errors begin with `source`, the name of the file.
    pub fn parse(text: &str, source: &str) -> Result<Settings> {
        // The version comes first: a newer layout may have keys that this program does not know.
        #[derive(Deserialize)]
        struct Version {
            #[serde(default = "format")]
            format: u32,
        }
        let describe = |error: toml::de::Error| {
            let line = error
                .span()
                .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            anyhow::anyhow!("{source}, line {line}: {}", error.message())
        };
        let version: Version = toml::from_str(text).map_err(describe)?;
        if version.format != FORMAT {
            bail!(
                "{source}: format is {}; this program reads format {FORMAT}",
                version.format
            );
        }
        let mut settings: Settings = toml::from_str(text).map_err(describe)?;
        if settings.name.is_empty() {
            let stem = Path::new(source).file_stem().unwrap_or_default();
            settings.name = stem.to_string_lossy().into_owned();
        }
        settings.validate().with_context(|| source.to_owned())?;
        Ok(settings)
    }

    /// The configuration with every default written out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("settings are plain values")
    }

    /// The first setting in which two configurations differ, as text; none if they are the same.
    pub fn difference(&self, other: &Settings) -> Option<String> {
        let table =
            |settings: &Settings| Table::try_from(settings).expect("settings are plain values");
        difference("", &table(self).into(), &table(other).into())
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
        self.network.validate()?;
        self.selfplay.validate()?;
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

/// Checks the range of a number.
fn within<T: PartialOrd + Display>(key: &str, found: T, range: RangeInclusive<T>) -> Result<()> {
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
        let prefix = if key.is_empty() {
            String::new()
        } else {
            format!("{key}.")
        };
        return kept.iter().find_map(|(name, kept)| {
            difference(&format!("{prefix}{name}"), asked.get(name)?, kept)
        });
    }
    (asked != kept).then(|| format!("{key} is {kept} there, and {asked} was asked for"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
