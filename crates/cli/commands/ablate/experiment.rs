//! The file of an experiment, and the configurations that it stands for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Error, Result, anyhow, bail};
use serde::Deserialize;
use toml::{Table, Value};

use crate::numbers::MOST_SIMULATIONS;
use crate::settings::{Settings, merge, within};
use crate::toml_text::{TomlText, leaves, value_of};

/// The name of the baseline among the variants.
pub const BASELINE: &str = "baseline";

/// A file of `configs/experiments`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// A short name; the experiment lives in `runs/<name>` if nothing else is said.
    pub name: String,
    /// What it is to find out.
    pub question: String,
    /// The configuration that is changed: a preset or a file.
    base: String,
    /// The seeds of the trainings; every variant is trained with each.
    pub seeds: Vec<u64>,
    /// Games of each match between a variant's network and a baseline's, an even number.
    pub games: usize,
    /// Simulations a move in the matches.
    pub simulations: u32,
    /// Random plies that open each pair of games.
    #[serde(default = "opening_plies")]
    pub opening_plies: usize,
    /// Changes of the configuration for all, the budget for example.
    #[serde(default)]
    changes: Table,
    /// By name, the changes of each variant.
    variants: BTreeMap<String, Table>,
    /// What follows from all that: the configuration of the baseline, then that of each variant.
    #[serde(skip)]
    pub configurations: Vec<(String, Settings)>,
}

fn opening_plies() -> usize {
    6
}

impl Experiment {
    /// Reads an experiment's file.
    pub fn load(path: &Path) -> Result<Experiment> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{name}: cannot read this experiment"))?;
        Experiment::parse(&text, &name)
    }

    /// Reads an experiment; an error begins with `source`, the name of its file.
    pub fn parse(text: &str, source: &str) -> Result<Experiment> {
        let text = TomlText::new(text, source)?;
        let mut experiment: Experiment = text.read()?;
        experiment.validate().map_err(|error| text.locate(error))?;
        experiment.configurations = experiment.configurations(&text)?;
        experiment.expect_effects(&text)?;
        Ok(experiment)
    }

    /// Checks all but the configurations.
    fn validate(&self) -> Result<()> {
        expect_plain("name", &self.name)?;
        within("games", self.games, 2..=1_000_000)?;
        if !self.games.is_multiple_of(2) {
            bail!(
                "games is {}; expected an even number, as games come in pairs",
                self.games
            );
        }
        within("simulations", self.simulations, 0..=MOST_SIMULATIONS)?;
        within("opening_plies", self.opening_plies, 0..=60)?;
        if self.seeds.is_empty() {
            bail!("seeds is empty; expected at least one");
        }
        let distinct: BTreeSet<u64> = self.seeds.iter().copied().collect();
        if distinct.len() < self.seeds.len() {
            bail!("seeds is {:?}; expected different ones", self.seeds);
        }
        if self.variants.is_empty() {
            bail!("variants is empty; expected at least one");
        }
        for variant in self.variants.keys() {
            expect_plain(&format!("variants.{variant}"), variant)?;
            if variant == BASELINE {
                bail!(
                    "variants.{BASELINE}: expected another name, as that is what all are compared with"
                );
            }
        }
        Ok(())
    }

    /// The configuration of the baseline and of each variant.
    fn configurations(&self, text: &TomlText) -> Result<Vec<(String, Settings)>> {
        let base = Settings::text(Path::new(&self.base))
            .and_then(|text| Ok((Settings::read(&text)?, text.table)))
            .with_context(|| text.place("base"));
        let (settings, mut base) = base?;
        // A file may leave its name out.
        base.insert("name".to_owned(), Value::String(settings.name));
        merge(&mut base, &self.changes);
        let nothing = (BASELINE.to_owned(), Table::new());
        let variants = self.variants.clone().into_iter();
        std::iter::once(nothing)
            .chain(variants)
            .map(|(name, changes)| {
                let mut table = base.clone();
                merge(&mut table, &changes);
                let settings = Settings::of_table(&table)
                    .map_err(|error| self.locate(text, &name, &changes, &error))?;
                Ok((name, settings))
            })
            .collect()
    }

    /// Puts the place in this file in front of an error in a configuration, which begins with a key.
    fn locate(&self, text: &TomlText, variant: &str, changes: &Table, error: &Error) -> Error {
        let message = format!("{error:#}");
        let key = message.split([' ', ':']).next().unwrap_or_default();
        let own = format!("variants.{variant}");
        for (table, changes) in [(own.as_str(), changes), ("changes", &self.changes)] {
            if value_of(changes, key).is_some() {
                let place = text.place(&format!("{table}.{key}"));
                return anyhow!("{place}: {table}.{message}");
            }
        }
        anyhow!("{}: {own}: {message}", text.place(&own))
    }

    /// Refuses changes that change nothing: a difference measured between two equal trainings would
    /// be taken for what the change is worth.
    fn expect_effects(&self, text: &TomlText) -> Result<()> {
        let refuse = |key: String, reason: String| -> Result<()> {
            bail!(
                "{}: {key} does nothing while {reason}; expected it left out",
                text.place(&key)
            )
        };
        for key in leaves(&self.changes) {
            let all = self.configurations.iter();
            let reasons: Option<Vec<String>> =
                all.map(|(_, settings)| settings.idle(&key)).collect();
            if let Some(reason) = reasons.and_then(|reasons| reasons.into_iter().next()) {
                refuse(format!("changes.{key}"), reason)?;
            }
        }
        let (_, baseline) = &self.configurations[0];
        for (name, settings) in &self.configurations[1..] {
            let variant = format!("variants.{name}");
            for key in leaves(&self.variants[name]) {
                if let Some(reason) = settings.idle(&key) {
                    refuse(format!("{variant}.{key}"), reason)?;
                }
            }
            if train_alike(settings, baseline) {
                bail!(
                    "{}: {variant} trains just as the baseline does; expected a change of its games, its network or its learning",
                    text.place(&variant)
                );
            }
        }
        Ok(())
    }
}

/// Whether two configurations make the same network from the same seed.
fn train_alike(one: &Settings, other: &Settings) -> bool {
    let mut one = one.clone();
    one.name.clone_from(&other.name);
    one.seed = other.seed;
    one.rating.clone_from(&other.rating);
    one.tracking.clone_from(&other.tracking);
    one.selfplay.games_in_flight = other.selfplay.games_in_flight;
    one.selfplay.cache_entries = other.selfplay.cache_entries;
    one == *other
}

/// Refuses names that are no names of folders.
fn expect_plain(key: &str, name: &str) -> Result<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        bail!(
            "{key} is {name:?}; expected letters, digits, '-', '_' and '.', not beginning with '.'"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "name = 'x'\nquestion = '?'\nbase = 'quick'\nseeds = [1]\ngames = 2\nsimulations = 8\n";

    fn parse(rest: &str) -> Result<Experiment> {
        Experiment::parse(&format!("{HEAD}{rest}"), "x.toml")
    }

    #[test]
    fn changes_reach_only_what_they_name() {
        let text = "[changes]\ngenerations = 3\n\
                    [variants.sharp.selfplay.search.gumbel]\nc_scale = 2.0\n";
        let experiment = parse(text).expect("an experiment");
        let [(_, baseline), (name, sharp)] = &experiment.configurations[..] else {
            panic!("{} configurations", experiment.configurations.len());
        };
        assert_eq!(name, "sharp");
        assert_eq!((baseline.generations, sharp.generations), (3, 3));
        let difference = sharp.difference(baseline).expect("one setting differs");
        assert!(difference.contains("selfplay.search.gumbel.c_scale"));
        let mut back = sharp.clone();
        back.selfplay.search.gumbel.c_scale = baseline.selfplay.search.gumbel.c_scale;
        assert_eq!(back, *baseline);
    }

    #[test]
    fn the_experiments_that_are_kept_are_valid() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/experiments");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("there are experiments") {
            let path = entry.expect("readable").path();
            Experiment::load(&path).unwrap_or_else(|error| panic!("{error:#}"));
            count += 1;
        }
        assert!(count >= 4);
    }

    #[test]
    fn a_wrong_change_is_named_with_its_line() {
        for (rest, expected) in [
            (
                "[variants.typo.selfplay]\nsolve_emptys = 2\n",
                "x.toml, line 8: variants.typo.selfplay.solve_emptys is no key; expected search, ",
            ),
            (
                "[changes]\nselfplay.search.simulations = -1\n[variants.a]\n",
                "x.toml, line 8: changes.selfplay.search.simulations is -1; expected a whole number",
            ),
            (
                "[variants.a.network]\nchannels = 17\n",
                "x.toml, line 8: variants.a.network.channels is 17; expected a multiple of 16",
            ),
            (
                "[variants.a]\ngames_per_chunk = 'x'\n",
                "x.toml, line 8: variants.a.games_per_chunk is \"x\"; expected a whole number",
            ),
            ("[variants]\n", "x.toml, line 7: variants is empty"),
            (
                "opening_plies = 99\n[variants.a]\n",
                "x.toml, line 7: opening_plies is 99; expected 0 to 60",
            ),
            ("typo = 1\n[variants.a]\n", "x.toml, line 7: typo is no key"),
        ] {
            let error = format!("{:#}", parse(rest).expect_err(rest));
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn changes_that_change_nothing_are_refused() {
        for (rest, expected) in [
            (
                "[variants.a.selfplay.search]\npuct.c_init = 3.0\n",
                "x.toml, line 8: variants.a.selfplay.search.puct.c_init does nothing while selfplay.search.method is gumbel",
            ),
            (
                "[changes.selfplay]\ntemperature_plies = 3\n[variants.a]\ngenerations = 2\n",
                "x.toml, line 8: changes.selfplay.temperature_plies does nothing",
            ),
            (
                "[variants.a.selfplay.search]\nmethod = 'gumbel'\n",
                "x.toml, line 7: variants.a trains just as the baseline does",
            ),
            (
                "[variants.a]\nseed = 7\nrating.games = 4\n",
                "x.toml, line 7: variants.a trains just as the baseline does",
            ),
        ] {
            let error = format!("{:#}", parse(rest).expect_err(rest));
            assert!(error.starts_with(expected), "{error}");
        }
        // Of use to one variant.
        let rest = "[changes.selfplay.search.puct]\nc_init = 3.0\n\
                    [variants.a.selfplay.search]\nmethod = 'puct'\n";
        assert_eq!(parse(rest).expect("valid").configurations.len(), 2);
    }
}
