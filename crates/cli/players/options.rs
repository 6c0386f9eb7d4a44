//! How a model plays: the usual settings, and the options behind a player's name.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use outflank_arena::SearchPlayerConfig;
use outflank_net::{CompiledNetwork, Precision};
use outflank_rules::{Size, Symmetry};
use outflank_search::SearchConfig;
use outflank_solver::solvable_within;
use toml::Table;

use super::leaves::worth_solving;
use crate::numbers::MOST_SIMULATIONS;
use crate::settings::merge;
use crate::toml_text::{below, explain, leaves};

/// Leaves evaluated together under a clock, which is faster.
const TIMED_LEAVES: u32 = 8;

/// What an option begins with that is a key of the search's configuration.
const SEARCH: &str = "search.";

/// The settings of a model player.
pub struct Options {
    pub config: SearchPlayerConfig,
    pub precision: Precision,
    /// Orientations of the board that each evaluation is the average of, 1 to 8.
    pub symmetries: usize,
    size: Size,
    /// Whether it is open from where on leaves are solved: a clock counts, and nobody has said.
    leaves_are_open: bool,
    /// Options that name no budget, as they are part of the player's name.
    others: Vec<String>,
}

impl Options {
    /// The usual settings with these changes: `KEY=VALUE,...`, each at most once. `simulations` is
    /// the budget if none is named.
    pub fn parse(text: &str, size: Size, simulations: u32) -> Result<Options> {
        let mut options = Options {
            config: usual_config(size, simulations),
            precision: Precision::Auto,
            symmetries: 1,
            size,
            leaves_are_open: false,
            others: Vec::new(),
        };
        let mut precision = None;
        let mut given: Vec<String> = Vec::new();
        let mut changes: Vec<&str> = text.split(',').filter(|o| !o.is_empty()).collect();
        // A time changes what is usual for the others, so it goes first.
        changes.sort_by_key(|change| !change.starts_with("seconds="));
        for change in changes {
            let (key, value) = change
                .split_once('=')
                .with_context(|| format!("'{change}': expected KEY=VALUE"))?;
            let keys = match key {
                "precision" => {
                    precision = Some(value.parse().context("precision")?);
                    vec![key.to_owned()]
                }
                _ => options.set(key, value)?,
            };
            if let Some(twice) = keys.iter().find(|key| given.contains(key)) {
                bail!("{twice} is given twice; expected it once");
            }
            given.extend(keys);
        }
        options.expect_effects(&given)?;
        options.leaves_are_open = options.config.seconds.is_some()
            && !given.iter().any(|key| key == "search.leaf_solve_empties");
        // Under a clock speed is strength; a number of simulations gets the best of each.
        options.precision = precision.unwrap_or(match options.config.seconds {
            Some(_) => Precision::Auto,
            None => Precision::F32,
        });
        let search = &options.config.search;
        search
            .validate()
            .map_err(|error| anyhow!("{SEARCH}{error}"))?;
        options.config.validate()?;
        Ok(options)
    }

    /// Settles what depends on how fast the network is.
    pub fn settle(&mut self, network: &mut CompiledNetwork) {
        if self.leaves_are_open {
            let batch = self.config.search.leaves_in_flight as usize;
            self.config.search.leaf_solve_empties = worth_solving(self.size, batch, network);
        }
    }

    /// Makes a change. Returns the settings that it sets.
    fn set(&mut self, key: &str, value: &str) -> Result<Vec<String>> {
        match key {
            "simulations" | "search.simulations" => {
                self.config.search.simulations = number(key, value, 0..=MOST_SIMULATIONS)?;
                return Ok(vec!["simulations".to_owned()]);
            }
            "solve" => {
                let range = 0..=SearchPlayerConfig::MOST_SOLVED;
                self.config.solve_empties = number(key, value, range)?;
            }
            "seconds" => {
                let seconds = value
                    .parse()
                    .with_context(|| format!("seconds is '{value}'; expected a number"))?;
                self.config = timed_config(self.size, seconds);
            }
            "symmetries" => {
                self.symmetries = number(key, value, 1..=Symmetry::ALL.len())?;
                self.others.push(format!("{key}={value}"));
            }
            _ => {
                let Some(setting) = key.strip_prefix(SEARCH) else {
                    bail!(
                        "there is no option {key}; expected simulations, solve, seconds, precision, symmetries or {SEARCH}KEY"
                    );
                };
                let keys = set_search(&mut self.config.search, setting, value)?;
                self.others.push(format!("{key}={value}"));
                return Ok(keys.iter().map(|key| below("search", key)).collect());
            }
        }
        Ok(vec![key.to_owned()])
    }

    /// Refuses settings that do nothing among those that were given.
    fn expect_effects(&self, given: &[String]) -> Result<()> {
        let search = &self.config.search;
        let ignored = |key: &&String| {
            key.strip_prefix(SEARCH)
                .is_some_and(|key| search.ignores(key))
        };
        if let Some(key) = given.iter().find(ignored) {
            bail!(
                "{key} does nothing while search.method is {}; expected it left out",
                search.method
            );
        }
        if search.simulations == 0 && self.config.seconds.is_some() {
            bail!("simulations is 0; expected 1 or more beside seconds");
        }
        Ok(())
    }

    /// A player's name in results: where its model is from, what it may spend, and what is unusual.
    pub fn describe(&self, source: &str) -> String {
        let config = &self.config;
        let (budget, usual) = match config.seconds {
            Some(seconds) => {
                let most = match config.search.simulations {
                    u32::MAX => String::new(),
                    most => format!(" and at most {most} simulations"),
                };
                let usual = timed_config(self.size, seconds);
                (format!("{seconds} s{most}"), usual)
            }
            None => (
                format!("{} simulations", config.search.simulations),
                usual_config(self.size, 0),
            ),
        };
        let mut name = format!("{source} at {budget}");
        if config.solve_empties != usual.solve_empties {
            name += &format!(", solving {}", config.solve_empties);
        }
        for other in &self.others {
            name += &format!(", {other}");
        }
        name
    }
}

/// Reads a whole number.
fn number<T>(key: &str, value: &str, range: RangeInclusive<T>) -> Result<T>
where
    T: FromStr + PartialOrd + Display,
{
    let found = value.parse().ok().filter(|number| range.contains(number));
    found.with_context(|| {
        let (least, most) = (range.start(), range.end());
        format!("{key} is '{value}'; expected a whole number from {least} to {most}")
    })
}

/// Changes a key of a search's configuration, such as `puct.c_init`. Returns the settings that this
/// sets: more than one if the value is a table.
fn set_search(search: &mut SearchConfig, key: &str, value: &str) -> Result<Vec<String>> {
    // Words need no quotes here.
    let change = toml::from_str::<Table>(&format!("{key} = {value}"))
        .or_else(|_| toml::from_str(&format!("{key} = '{value}'")))
        .map_err(|_| anyhow!("{SEARCH}{key} is '{value}'; expected a key and its value"))?;
    let mut table = Table::try_from(&*search).context("a search's configuration")?;
    merge(&mut table, &change);
    *search = table
        .try_into()
        .map_err(|error| anyhow!("{SEARCH}{}", explain(error)))?;
    Ok(leaves(&change))
}

/// How a model plays on a board if nothing else is said. The end of the game is solved from a
/// quarter of the squares on, at most 14, and leaves as is [usual](SearchConfig::usual_solve_empties):
/// more would leave little of a small board to the model.
pub fn usual_config(size: Size, simulations: u32) -> SearchPlayerConfig {
    let mut config = SearchPlayerConfig::default();
    let quarter = size.area() as u32 / 4;
    config.search.simulations = simulations;
    config.search.leaf_solve_empties = SearchConfig::usual_solve_empties(size);
    config.solve_empties = config.solve_empties.min(quarter);
    config
}

/// The same with a time for each move: on the largest board as many empties are solved as it
/// allows. From where on leaves are is [settled](Options::settle) with the network.
fn timed_config(size: Size, seconds: f64) -> SearchPlayerConfig {
    let mut config = usual_config(size, u32::MAX);
    config.search = config.search.open_ended();
    config.search.leaves_in_flight = TIMED_LEAVES;
    config.seconds = Some(seconds);
    if size == Size::Eight
        && let Ok(time) = Duration::try_from_secs_f64(seconds)
    {
        config.solve_empties = solvable_within(time, 1).min(SearchPlayerConfig::MOST_SOLVED);
    }
    config
}

#[cfg(test)]
mod tests {
    use outflank_search::Method;

    use super::*;

    fn parse(text: &str) -> Result<Options> {
        Options::parse(text, Size::Eight, 100)
    }

    #[test]
    fn every_setting_of_the_search_is_an_option() {
        let options = parse("search.method=puct,simulations=50,search.puct.lcb_deviations=1,symmetries=4,search.transpositions=true")
            .expect("valid");
        let search = &options.config.search;
        assert_eq!((search.method, search.simulations), (Method::Puct, 50));
        assert_eq!(search.puct.lcb_deviations, 1.0);
        assert!(search.transpositions);
        assert_eq!(options.symmetries, 4);
        assert_eq!(
            options.describe("m"),
            "m at 50 simulations, search.method=puct, search.puct.lcb_deviations=1, symmetries=4, search.transpositions=true"
        );
        assert_eq!(
            parse("").expect("none").describe("m"),
            "m at 100 simulations"
        );
        // A time first, wherever it stands.
        let timed = parse("search.leaves_in_flight=2,seconds=0.5").expect("valid");
        assert_eq!(timed.config.search.leaves_in_flight, 2);
        assert_eq!(timed.config.seconds, Some(0.5));
        let timed = parse("simulations=9,seconds=0.5").expect("valid");
        assert_eq!(timed.describe("m"), "m at 0.5 s and at most 9 simulations");
    }

    #[test]
    fn wrong_options_are_named() {
        for (text, expected) in [
            ("search.puct.c_inti=1", "c_inti"),
            (
                "search.transpositions=maybe",
                "search.transpositions is \"maybe\"; expected true or false",
            ),
            (
                "search.leaves_in_flight=-1",
                "search.leaves_in_flight is -1",
            ),
            (
                "search.method=puct,search.puct.c_init=-1",
                "search.puct.c_init is -1",
            ),
            ("symmetries=9", "1 to 8"),
            ("simulations=99999999", "0 to 1000000"),
            ("simulations=-1", "simulations is '-1'"),
            (
                "solve=25",
                "solve is '25'; expected a whole number from 0 to 24",
            ),
            ("seconds=0.5,simulations=0", "simulations is 0; expected 1"),
            ("simulations=1,simulations=2", "simulations is given twice"),
            (
                "simulations=1,search.simulations=2",
                "simulations is given twice",
            ),
            ("precision=f32,precision=f32", "precision is given twice"),
            (
                "search.gumbel={c_scale=1},search.gumbel.c_scale=2",
                "search.gumbel.c_scale is given twice",
            ),
            (
                "search.puct.c_init=2",
                "search.puct.c_init does nothing while search.method is gumbel",
            ),
            (
                "search.gumbel.c_scale=2,search.method=puct",
                "search.gumbel.c_scale does nothing while search.method is puct",
            ),
            ("simulations", "KEY=VALUE"),
            ("depth=3", "no option depth"),
            ("search.a b=3", "search.a b"),
        ] {
            let error = format!("{:#}", parse(text).err().expect(text));
            assert!(error.contains(expected), "{error}");
        }
    }
}
