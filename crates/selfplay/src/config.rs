use outflank_search::SearchConfig;
use serde::{Deserialize, Serialize};

/// How games are generated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfplayConfig {
    /// The search of a move whose policy becomes a training target.
    pub search: SearchConfig,
    /// Random plies before the first searched move, `[fewest, most]`, so that games differ.
    /// Default `[2, 10]`.
    pub opening_plies: [u32; 2],
    /// The share of games whose opening is lopsided: one side turns as many discs as it can, the
    /// other as few, so that positions with a handful of discs are met. Default 0.15.
    pub lopsided_share: f32,
    /// A game with at most this many empty squares is decided by the exact solver and stops there;
    /// 0 plays every game out. Default 12.
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
    /// Games that one thread plays side by side, so that their leaves are evaluated in one batch.
    /// Never changes a game. Default 64.
    pub games_in_flight: usize,
    /// Evaluations that one thread remembers, a power of two; 0 remembers none. Never changes a
    /// game. Default 32768.
    pub cache_entries: usize,
}

impl Default for SelfplayConfig {
    fn default() -> SelfplayConfig {
        SelfplayConfig {
            search: SearchConfig::default(),
            opening_plies: [2, 10],
            lopsided_share: 0.15,
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
            self.cache_entries == 0 || self.cache_entries.is_power_of_two(),
            self.cache_entries.to_string(),
            "0 or a power of two",
        )
    }
}
