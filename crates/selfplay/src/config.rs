use outflank_kernels::Precision;
use outflank_search::SearchConfig;
use serde::{Deserialize, Serialize};

/// How games are generated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfplayConfig {
    /// The search of a move whose policy becomes a training target.
    pub search: SearchConfig,
    /// In which numbers the network computes: `f32`, `int16`, `int8`, or `auto` for the fastest on
    /// the machine. Default `auto`.
    pub precision: Precision,
    /// Random plies before the first searched move, `[fewest, most]`, so that games differ.
    /// Default `[2, 10]`.
    pub opening_plies: [u32; 2],
    /// The share of games whose opening is lopsided: one side turns as many discs as it can, the
    /// other as few, so that positions with a handful of discs are met. Default 0.15.
    pub lopsided_share: f32,
    /// The share of games that begin as an earlier game of the run did, up to a random ply, and then
    /// leave it by another move; the others have random openings. Default 0.
    pub branch_share: f32,
    /// More simulations as the run goes on. Default none.
    pub growth: Option<SimulationGrowth>,
    /// A side resigns when two searches of its own in a row expect less than minus this, the
    /// outcome being 1 for a win and -1 for a loss. 0 to 1; with 1 nobody does. Default 1.
    pub resign_threshold: f32,
    /// The share of games in which nobody resigns, so that wrong resignations can be counted (see
    /// `outflank inspect`). Default 0.1.
    pub play_on_share: f32,
    /// A game with at most this many empty squares is decided by the exact solver and stops there;
    /// 0 plays every game out. Default 12; in a run's configuration a quarter of the board's squares,
    /// at most 12.
    pub solve_empties: u32,
    /// Along the perfect line of a solved ending, positions with at least this many empties are
    /// recorded with their exact values, so that the network sees late positions too. Default 7.
    pub solved_line_empties: u32,
    /// Playout-cap randomisation (Wu 2019, section 3.1): the share of moves that get the full
    /// search. The others get `fast_simulations` and no policy target. Default 1 (off).
    pub full_search_share: f32,
    /// Simulations of a fast move. Default 8.
    pub fast_simulations: u32,
    /// With the method `puct`, the first plies of a game choose a move in proportion to its visits,
    /// later ones take the best; the method `gumbel` explores by its own noise. Default 20.
    pub temperature_plies: u32,
    /// Games that one thread plays side by side, so that their leaves are evaluated in one batch:
    /// its share of the games at most. On a GPU more, to fill a larger batch. Never changes a game.
    /// Default 64.
    pub games_in_flight: usize,
    /// Evaluations that one thread remembers, a power of two; 0 remembers none. Never changes a
    /// game. Default 32768.
    pub cache_entries: usize,
}

/// The number of simulations of a full search rises in a straight line from the search's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulationGrowth {
    /// Simulations at the end of the rise.
    pub simulations: u32,
    /// The rise begins after the first of these generations and ends at the last.
    pub generations: [u64; 2],
}

impl Default for SelfplayConfig {
    fn default() -> SelfplayConfig {
        SelfplayConfig {
            search: SearchConfig::default(),
            precision: Precision::Auto,
            opening_plies: [2, 10],
            lopsided_share: 0.15,
            branch_share: 0.0,
            growth: None,
            resign_threshold: 1.0,
            play_on_share: 0.1,
            solve_empties: 12,
            solved_line_empties: 7,
            full_search_share: 1.0,
            fast_simulations: 8,
            temperature_plies: 20,
            games_in_flight: 64,
            cache_entries: 1 << 15,
        }
    }
}

/// The most simulations of a search, whose tree then takes some 300 MB.
const MOST_SIMULATIONS: u32 = 1_000_000;

/// A setting outside of its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("selfplay.{key} is {found}; expected {expected}")]
pub struct ConfigError {
    /// The key, below `selfplay`.
    pub key: String,
    /// The value that was found.
    pub found: String,
    /// What is allowed.
    pub expected: String,
}

impl SelfplayConfig {
    /// Simulations of a full search in a generation.
    pub fn simulations_at(&self, generation: u64) -> u32 {
        let first = self.search.simulations;
        let Some(growth) = &self.growth else {
            return first;
        };
        let [begin, end] = growth.generations;
        if generation < begin {
            return first;
        }
        if generation >= end {
            return growth.simulations;
        }
        let progress = (generation - begin) as f64 / (end - begin) as f64;
        let rise = f64::from(growth.simulations) - f64::from(first);
        (f64::from(first) + rise * progress).round() as u32
    }

    /// Checks every setting's range, the search's included.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let check = |key: &str, ok: bool, found: String, expected: &str| {
            if ok {
                Ok(())
            } else {
                Err(ConfigError {
                    key: key.to_owned(),
                    found,
                    expected: expected.to_owned(),
                })
            }
        };
        self.search.validate().map_err(|error| ConfigError {
            key: format!("search.{}", error.key),
            found: error.found,
            expected: error.expected.to_owned(),
        })?;
        let simulations = |key: &str, found: u32| {
            let ok = found <= MOST_SIMULATIONS;
            check(key, ok, found.to_string(), "at most 1000000")
        };
        simulations("search.simulations", self.search.simulations)?;
        simulations("fast_simulations", self.fast_simulations)?;
        let [fewest, most] = self.opening_plies;
        check(
            "opening_plies",
            fewest <= most && most <= 60,
            format!("[{fewest}, {most}]"),
            "the fewest plies, then the most, at most 60",
        )?;
        check(
            "lopsided_share",
            (0.0..=1.0).contains(&self.lopsided_share),
            self.lopsided_share.to_string(),
            "a share from 0 to 1",
        )?;
        check(
            "branch_share",
            (0.0..=1.0).contains(&self.branch_share),
            self.branch_share.to_string(),
            "a share from 0 to 1",
        )?;
        check(
            "resign_threshold",
            (0.0..=1.0).contains(&self.resign_threshold),
            self.resign_threshold.to_string(),
            "a number from 0 to 1",
        )?;
        check(
            "play_on_share",
            (0.0..=1.0).contains(&self.play_on_share),
            self.play_on_share.to_string(),
            "a share from 0 to 1",
        )?;
        if let Some(growth) = &self.growth {
            simulations("growth.simulations", growth.simulations)?;
            let [begin, end] = growth.generations;
            check(
                "growth.generations",
                begin <= end,
                format!("[{begin}, {end}]"),
                "the first generation, then one not before it",
            )?;
        }
        check(
            "solve_empties",
            self.solve_empties <= 24,
            self.solve_empties.to_string(),
            "0 to 24",
        )?;
        check(
            "full_search_share",
            self.full_search_share > 0.0 && self.full_search_share <= 1.0,
            self.full_search_share.to_string(),
            "a share above 0, at most 1",
        )?;
        check(
            "games_in_flight",
            (1..=65_536).contains(&self.games_in_flight),
            self.games_in_flight.to_string(),
            "1 to 65536",
        )?;
        check(
            "cache_entries",
            self.cache_entries == 0
                || self.cache_entries.is_power_of_two() && self.cache_entries <= 1 << 24,
            self.cache_entries.to_string(),
            "0 or a power of two up to 16777216",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulations_rise_between_their_generations() {
        let mut config = SelfplayConfig::default();
        assert_eq!(config.simulations_at(50), 32);
        config.growth = Some(SimulationGrowth {
            simulations: 64,
            generations: [10, 30],
        });
        assert_eq!(
            [0, 10, 20, 29, 30, 31].map(|generation| config.simulations_at(generation)),
            [32, 32, 48, 62, 64, 64]
        );
        config.growth = Some(SimulationGrowth {
            simulations: 16,
            generations: [5, 5],
        });
        assert_eq!(
            [4, 5].map(|generation| config.simulations_at(generation)),
            [32, 16]
        );
    }
}
