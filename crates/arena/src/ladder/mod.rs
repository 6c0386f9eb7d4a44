//! Ratings of many players at once, from all the games that any two of them have played.

mod fit;
mod graph;
mod scores;
mod suggest;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::stats::Estimate;

pub use scores::Scores;
pub use suggest::Suggestion;

/// How a ladder is fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LadderConfig {
    /// Players whose ratings are given, in Elo points; all others are relative to them. Default:
    /// `random` at 0.
    pub anchors: BTreeMap<String, f64>,
    /// A regularising prior: so many virtual drawn games are added between any two players that
    /// have met. It draws ratings together, the more the fewer games there are. Default 0, which
    /// is none. At least 0.
    pub prior_draws: f64,
}

impl Default for LadderConfig {
    fn default() -> LadderConfig {
        LadderConfig {
            anchors: BTreeMap::from([("random".to_owned(), 0.0)]),
            prior_draws: 0.0,
        }
    }
}

/// Settings that make no ladder.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LadderError {
    /// An anchor's rating that is none.
    #[error("anchors.{name} is {elo}; expected a rating from -10000 to 10000 Elo points")]
    Anchor {
        /// The player.
        name: String,
        /// The refused rating.
        elo: f64,
    },
    /// A prior out of range.
    #[error("prior_draws is {0}; expected a number from 0 to 1000")]
    Prior(f64),
}

/// Ratings on one scale, by the Bradley-Terry model: a player `d` Elo points stronger than another
/// is expected to score `1 / (1 + 10^(-d / 400))`. A draw is half a win.
///
/// The ratings are the most likely ones given all games together, and the intervals follow from
/// the curvature of the likelihood there (the inverse of its Hessian). Draws vary less than wins
/// and losses do, so with many draws the intervals are too wide rather than too narrow.
///
/// Ratings are not drawn towards a common mean: players of a run are a chain from weak to strong.
/// In simulated ladders of that kind a normal prior that was narrow enough to matter (350 points,
/// or fitted) left a tenth to two thirds of the true ratings outside of the 95 % intervals, where
/// the likelihood alone kept 95 to 97 % inside. What players with few games get instead is their
/// place in the order, see [`Rated::assured`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    /// The players: group by group, and in each by [`Rated::assured`], the highest first.
    pub players: Vec<Rated>,
    /// Groups of players that no game connects; first those with an anchor, then the larger ones.
    /// More than one means that ratings cannot be compared across them.
    pub groups: Vec<Group>,
    /// Pairs of players, the stronger first, whose games alone would put them infinitely far
    /// apart: one, and whoever is connected to it, has never lost a point to the other side. One
    /// virtual drawn game between them keeps the ratings finite; read the gap as a lower bound.
    pub held: Vec<[String; 2]>,
    /// Anchors that have not played.
    pub missing_anchors: Vec<String>,
    /// Covariance of the ratings in log-odds, a row a player in the order of `players`; only a
    /// ladder that was fitted, not read, has it.
    #[serde(skip)]
    covariance: Vec<Vec<f64>>,
}

/// A player's place in a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rated {
    /// The name.
    pub name: String,
    /// The rating with its 95 % interval, relative to the anchors or the group's reference. These
    /// have no width.
    pub rating: Estimate,
    /// What the games assure: the lower end of the 95 % interval of the rating's distance from the
    /// group's mean (each player weighted by its games), with the mean added again. The best of
    /// many uncertain ratings is too high more often than not; by this figure a player is above
    /// another only as far as games have shown it. It does not depend on who is the anchor, whose
    /// own uncertainty is part of everybody's interval in `rating`.
    pub assured: f64,
    /// Whether the rating was given.
    pub fixed: bool,
    /// Games played.
    pub games: u64,
    /// The share of their points, 0 to 1.
    pub score: f64,
    /// The group, an index of [`Ladder::groups`].
    pub group: usize,
}

/// Players that games connect, directly or through others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Their names, in the order of [`Ladder::players`].
    pub players: Vec<String>,
    /// Without an anchor among them, the player, of those with the most games, that was put at 0.
    pub reference: Option<String>,
}

impl Ladder {
    /// Fits all games at once.
    pub fn fit(scores: &Scores, config: &LadderConfig) -> Result<Ladder, LadderError> {
        for (name, &elo) in &config.anchors {
            if !(-10_000.0..=10_000.0).contains(&elo) {
                let name = name.clone();
                return Err(LadderError::Anchor { name, elo });
            }
        }
        if !(0.0..=1000.0).contains(&config.prior_draws) {
            return Err(LadderError::Prior(config.prior_draws));
        }
        Ok(fit::fit(scores, config))
    }

    /// The rating of a player, `None` if it has not played.
    pub fn rating(&self, name: &str) -> Option<Estimate> {
        let mut players = self.players.iter();
        players
            .find(|player| player.name == name)
            .map(|player| player.rating)
    }
}

impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self
            .players
            .iter()
            .map(|player| player.name.chars().count());
        let width = names.max().unwrap_or(0).max("player".len());
        writeln!(
            f,
            "   # {:width$}    Elo       95 %        games  score",
            "player"
        )?;
        let mut group = 0;
        for (place, player) in self.players.iter().enumerate() {
            if player.group != group {
                group = player.group;
                writeln!(f, "     -- not connected to those above --")?;
            }
            let Estimate { elo, low, high } = player.rating;
            let interval = match player.fixed {
                true => "fixed".to_owned(),
                false => format!("{low:.0} .. {high:.0}"),
            };
            writeln!(
                f,
                "{:4} {:width$} {elo:6.0}  {interval:^16} {:6} {:5.1} %",
                place + 1,
                player.name,
                player.games,
                100.0 * player.score
            )?;
        }
        self.write_warnings(f)
    }
}

impl Ladder {
    fn write_warnings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by_elo = |pair: &[Rated]| {
            pair[0].group != pair[1].group || pair[0].rating.elo >= pair[1].rating.elo
        };
        if !self.players.windows(2).all(by_elo) {
            writeln!(
                f,
                "The order is that of what the games assure: with few games a rating counts for less."
            )?;
        }
        if self.groups.len() > 1 {
            writeln!(
                f,
                "Warning: no games connect these groups, so their ratings cannot be compared:"
            )?;
            for group in &self.groups {
                writeln!(f, "  {}", group.players.join(", "))?;
            }
        }
        for group in &self.groups {
            if let Some(reference) = &group.reference {
                writeln!(
                    f,
                    "{reference} was put at 0, since no anchor is connected to it."
                )?;
            }
        }
        for [stronger, weaker] in &self.held {
            writeln!(
                f,
                "{stronger} has not lost a point to the side of {weaker}: a virtual draw was \
                 added, and the gap is a lower bound."
            )?;
        }
        for name in &self.missing_anchors {
            writeln!(f, "The anchor {name} has not played.")?;
        }
        Ok(())
    }
}
