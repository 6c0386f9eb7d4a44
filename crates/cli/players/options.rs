//! How a model plays: the usual settings, and the options behind a player's name.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use outflank_arena::SearchPlayerConfig;
use outflank_net::Precision;
use outflank_rules::{Size, Symmetry};
use outflank_search::{Method, SearchConfig};
use outflank_solver::solvable_within;
use toml::Table;

use crate::settings::merge;

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
    /// Options that name no budget, as they are part of the player's name.
    others: Vec<String>,
}

impl Options {
    /// The usual settings with these changes: `KEY=VALUE,...`. `simulations` is the budget if none
    /// is named.
    pub fn parse(text: &str, size: Size, simulations: u32) -> Result<Options> {
        let mut options = Options {
            config: usual_config(size, simulations),
            precision: Precision::Auto,
            symmetries: 1,
            size,
            others: Vec::new(),
        };
        let mut precision = None;
        let mut changes: Vec<&str> = text.split(',').filter(|o| !o.is_empty()).collect();
        // A time changes what is usual for the others, so it goes first.
        changes.sort_by_key(|change| !change.starts_with("seconds="));
        for change in changes {
            match change.strip_prefix("precision=") {
                Some(name) => precision = Some(name.parse().context("precision")?),
                None => options.set(change)?,
            }
        }
        // Under a clock speed is strength; a number of simulations gets the best of each.
        options.precision = precision.unwrap_or(match options.config.seconds {
            Some(_) => Precision::Auto,
            None => Precision::F32,
        });
        options.config.validate()?;
        Ok(options)
    }

    fn set(&mut self, change: &str) -> Result<()> {
        let (key, value) = change
            .split_once('=')
            .with_context(|| format!("'{change}': expected KEY=VALUE"))?;
        let number = || format!("{key} is '{value}'; expected a number");
        match key {
            "simulations" => self.config.search.simulations = value.parse().with_context(number)?,
            "solve" => self.config.solve_empties = value.parse().with_context(number)?,
            "seconds" => self.config = timed_config(self.size, value.parse().with_context(number)?),
            "symmetries" => {
                self.symmetries = value.parse().with_context(number)?;
                if !(1..=Symmetry::ALL.len()).contains(&self.symmetries) {
                    bail!(
                        "symmetries is {value}; expected 1 to {}",
                        Symmetry::ALL.len()
                    );
                }
                self.others.push(change.to_owned());
            }
            _ => {
                let Some(key) = key.strip_prefix(SEARCH) else {
                    bail!(
                        "there is no option {key}; expected simulations, solve, seconds, precision, symmetries or {SEARCH}KEY"
                    );
                };
                set_search(&mut self.config.search, key, value)?;
                self.others.push(change.to_owned());
            }
        }
        Ok(())
    }

    /// A player's name in results: where its model is from, what it may spend, and what is unusual.
    pub fn describe(&self, source: &str) -> String {
        let config = &self.config;
        let (budget, usual) = match config.seconds {
            Some(seconds) => (format!("{seconds} s"), timed_config(self.size, seconds)),
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

/// Changes a key of a search's configuration, such as `puct.c_init`.
fn set_search(search: &mut SearchConfig, key: &str, value: &str) -> Result<()> {
    // Words need no quotes here.
    let change = toml::from_str::<Table>(&format!("{key} = {value}"))
        .or_else(|_| toml::from_str(&format!("{key} = '{value}'")))
        .with_context(|| format!("{SEARCH}{key} is {value}; expected a key and its value"))?;
    let mut table = Table::try_from(&*search).context("a search's configuration")?;
    merge(&mut table, &change);
    *search = table
        .try_into()
        .with_context(|| format!("{SEARCH}{key} is {value}"))?;
    Ok(())
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

/// The same with a time for each move: on the largest board as many empties are solved as it
/// allows.
fn timed_config(size: Size, seconds: f64) -> SearchPlayerConfig {
    let mut config = usual_config(size, u32::MAX);
    config.search.method = Method::Puct;
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
    }

    #[test]
    fn wrong_options_are_named() {
        for (text, expected) in [
            ("search.puct.c_inti=1", "c_inti"),
            (
                "search.transpositions=maybe",
                "search.transpositions is maybe",
            ),
            ("search.puct.c_init=-1", "puct.c_init is -1"),
            ("symmetries=9", "1 to 8"),
            ("simulations", "KEY=VALUE"),
            ("depth=3", "no option depth"),
            ("search.a b=3", "search.a b"),
        ] {
            let error = format!("{:#}", parse(text).err().expect(text));
            assert!(error.contains(expected), "{error}");
        }
    }
}
