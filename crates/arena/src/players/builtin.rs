use std::fmt;
use std::str::FromStr;

use super::{AlphaBeta, Greedy, Perfect, Random, Rollout};
use crate::{Player, PlayerError, PlayerFactory};

/// The players that can be asked for by name alone. The name that is read is also the one in
/// results.
///
/// ```
/// use outflank_arena::{Builtin, PlayerFactory};
///
/// let opponent: Builtin = "perfect:12:alpha-beta:3".parse()?;
/// assert_eq!(opponent.name(), "perfect:12:alpha-beta:3");
/// # Ok::<(), outflank_arena::ParseBuiltinError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `random`: [`Random`].
    Random,
    /// `greedy`: [`Greedy`].
    Greedy,
    /// `alpha-beta:DEPTH`: [`AlphaBeta`].
    AlphaBeta(u32),
    /// `rollout:PLAYOUTS`: [`Rollout`].
    Rollout(u32),
    /// `perfect:EMPTIES:NAME`: [`Perfect`], and the player of that name before.
    Perfect(u32, Box<Builtin>),
}

/// Text that names no built-in player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a built-in player; expected random, greedy, alpha-beta:DEPTH (1 to 20), \
     rollout:PLAYOUTS (1 to 10000000) or perfect:EMPTIES:NAME (1 to 24), such as \
     perfect:16:alpha-beta:4"
)]
pub struct ParseBuiltinError(pub String);

impl Builtin {
    fn player(&self) -> Box<dyn Player> {
        match self {
            Builtin::Random => Box::new(Random::new()),
            Builtin::Greedy => Box::new(Greedy),
            Builtin::AlphaBeta(depth) => Box::new(AlphaBeta::new(*depth)),
            Builtin::Rollout(playouts) => Box::new(Rollout::new(*playouts)),
            Builtin::Perfect(empties, before) => Box::new(Perfect::new(*empties, before.player())),
        }
    }
}

impl PlayerFactory for Builtin {
    fn name(&self) -> String {
        self.to_string()
    }

    fn make(&self) -> Result<Box<dyn Player>, PlayerError> {
        Ok(self.player())
    }
}

impl fmt::Display for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Builtin::Random => f.write_str("random"),
            Builtin::Greedy => f.write_str("greedy"),
            Builtin::AlphaBeta(depth) => write!(f, "alpha-beta:{depth}"),
            Builtin::Rollout(playouts) => write!(f, "rollout:{playouts}"),
            Builtin::Perfect(empties, before) => write!(f, "perfect:{empties}:{before}"),
        }
    }
}

impl FromStr for Builtin {
    type Err = ParseBuiltinError;

    fn from_str(text: &str) -> Result<Builtin, ParseBuiltinError> {
        let parsed = match text.split_once(':') {
            None if text == "random" => Some(Builtin::Random),
            None if text == "greedy" => Some(Builtin::Greedy),
            Some(("alpha-beta", depth)) => number(depth, 20).map(Builtin::AlphaBeta),
            Some(("rollout", playouts)) => number(playouts, 10_000_000).map(Builtin::Rollout),
            Some(("perfect", rest)) => rest.split_once(':').and_then(|(empties, before)| {
                let before = before.parse().ok()?;
                Some(Builtin::Perfect(number(empties, 24)?, Box::new(before)))
            }),
            _ => None,
        };
        parsed.ok_or_else(|| ParseBuiltinError(text.to_owned()))
    }
}

fn number(text: &str, most: u32) -> Option<u32> {
    text.parse().ok().filter(|n| (1..=most).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_are_the_players_own() {
        for name in [
            "random",
            "greedy",
            "alpha-beta:3",
            "rollout:500",
            "perfect:16:random",
            "perfect:16:perfect:8:greedy",
        ] {
            let builtin: Builtin = name.parse().expect(name);
            assert_eq!(builtin.to_string(), name);
            assert_eq!(builtin.make().expect("never fails").name(), name);
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in [
            "",
            "Random",
            "random:1",
            "alpha-beta",
            "alpha-beta:0",
            "alpha-beta:x",
            "rollout:-1",
            "perfect:16",
            "perfect:0:random",
            "perfect:16:nobody",
        ] {
            let error = name.parse::<Builtin>().expect_err(name);
            assert!(error.to_string().starts_with(&format!("'{name}'")));
        }
    }
}
