//! Settings that do nothing, as another one leaves them no part.

use anyhow::{Result, bail};
use outflank_search::Method;

use super::Settings;
use crate::toml_text::{TomlText, leaves, value_of};

impl Settings {
    /// Why a key has no part in this configuration; none if it has.
    pub fn idle(&self, key: &str) -> Option<String> {
        let (selfplay, training) = (&self.selfplay, &self.training);
        let method = selfplay.search.method;
        if let Some(key) = key.strip_prefix("selfplay.search.")
            && selfplay.search.ignores(key)
        {
            return Some(format!("selfplay.search.method is {method}"));
        }
        let switches = [
            (
                "selfplay.temperature_plies",
                method == Method::Gumbel,
                "selfplay.search.method is gumbel",
            ),
            (
                "selfplay.fast_simulations",
                selfplay.full_search_share == 1.0,
                "selfplay.full_search_share is 1",
            ),
            (
                "selfplay.play_on_share",
                selfplay.resign_threshold == 1.0,
                "selfplay.resign_threshold is 1",
            ),
            (
                "training.value_target.generations",
                training.value_target.outcome_share == 1.0,
                "training.value_target.outcome_share is 1",
            ),
            (
                "training.reanalysis.simulations",
                training.reanalysis.share == 0.0,
                "training.reanalysis.share is 0",
            ),
            ("gate", self.gate.games == 0, "gate.games is 0"),
            (
                "tracking",
                self.tracking.share == 0.0,
                "tracking.share is 0",
            ),
        ];
        let found = switches.into_iter().find(|&(setting, is_off, reason)| {
            let rest = key.strip_prefix(setting);
            let is_below = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            is_off && is_below && !reason.starts_with(&format!("{key} "))
        });
        found.map(|(_, _, reason)| reason.to_owned())
    }

    /// Refuses a text with a key that does nothing in the configuration that it stands for. A value
    /// that is the default all the same does no harm: the configurations that runs keep have all keys.
    pub(super) fn expect_effects(&self, text: &TomlText) -> Result<()> {
        let (own, usual) = (self.to_table(), Settings::parse("", "default")?.to_table());
        for key in leaves(&text.table) {
            if let Some(reason) = self.idle(&key)
                && value_of(&own, &key) != value_of(&usual, &key)
            {
                bail!(
                    "{}: {key} does nothing while {reason}; expected it left out",
                    text.place(&key)
                );
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<()> {
        let text = TomlText::new(text, "mine.toml")?;
        Settings::read(&text)?.expect_effects(&text)
    }

    #[test]
    fn keys_that_do_nothing_are_refused_with_their_line() {
        for (text, expected) in [
            (
                "[selfplay.search.puct]\nc_init = 3",
                "mine.toml, line 2: selfplay.search.puct.c_init does nothing while selfplay.search.method is gumbel",
            ),
            (
                "[selfplay.search]\nmethod = 'puct'\ngumbel.c_scale = 1",
                "line 3: selfplay.search.gumbel.c_scale does nothing while selfplay.search.method is puct",
            ),
            ("[selfplay]\nfast_simulations = 3", "full_search_share is 1"),
            ("[selfplay]\ntemperature_plies = 3", "method is gumbel"),
            ("[gate]\nelo0 = -5", "gate.games is 0"),
            (
                "[tracking]\nshare = 0.0\ngames = 4",
                "line 3: tracking.games does nothing while tracking.share is 0",
            ),
        ] {
            let error = format!("{:#}", load(text).expect_err(text));
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn keys_that_do_something_are_not() {
        for text in [
            "[selfplay.search]\nmethod = 'puct'\npuct.c_init = 3.0",
            "[selfplay.search]\ngumbel.c_scale = 1.0",
            "[selfplay]\nfast_simulations = 3\nfull_search_share = 0.5",
            "[gate]\ngames = 10\nelo0 = -5.0",
            "[tracking]\nshare = 0.0",
        ] {
            assert!(load(text).is_ok(), "{:#}", load(text).expect_err(text));
        }
        // What a run keeps has all keys.
        let whole = Settings::parse("", "whole.toml").expect("valid").to_toml();
        assert!(
            load(&whole).is_ok(),
            "{:#}",
            load(&whole).expect_err("valid")
        );
    }
}
