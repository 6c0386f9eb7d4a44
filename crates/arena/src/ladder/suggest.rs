use serde::{Deserialize, Serialize};

use super::Ladder;
use crate::stats::expected_score;

/// Two players who should play next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// Their names.
    pub players: [String; 2],
    /// The information about all ratings, in nats, that the games are expected to bring; none if
    /// they connect two groups, which nothing else can.
    pub nats: Option<f64>,
}

impl Ladder {
    /// The `count` pairings, of `games` games each, that tell most about the ratings, best first;
    /// each counts with those before it. A pairing may come more than once.
    ///
    /// First, every group that no game connects to the first one gets a pairing with it, between
    /// the players in the middle of both. After that the gain is that of D-optimal design: with
    /// `v` the variance of the difference of two ratings in log-odds and `p` the expected score,
    /// `games` games raise the information by `ln(1 + games p (1 - p) v) / 2`. So players whose
    /// ratings are uncertain against each other and whose games are not one-sided come first.
    ///
    /// Empty for a ladder that was read, not fitted.
    pub fn suggest(&self, count: usize, games: usize) -> Vec<Suggestion> {
        let mut suggestions = self.connections();
        suggestions.truncate(count);
        if self.covariance.len() < self.players.len() {
            return suggestions;
        }
        let mut covariance = self.covariance.clone();
        while suggestions.len() < count {
            let Some((i, j, weight, gain)) = self.best_pairing(&covariance, games) else {
                break;
            };
            suggestions.push(Suggestion {
                players: [i, j].map(|i| self.players[i].name.clone()),
                nats: Some(gain),
            });
            count_in(&mut covariance, i, j, weight);
        }
        suggestions
    }

    /// The pairing of this player with one of some others that tells most in `games` games, by the
    /// gain of [`Ladder::suggest`]. None if games connect it to none of them.
    pub fn best_opponent(
        &self,
        player: &str,
        among: &[String],
        games: usize,
    ) -> Option<Suggestion> {
        let place = |name: &str| self.players.iter().position(|known| known.name == name);
        let first = place(player)?;
        let others = among.iter().filter_map(|name| place(name));
        let gains = others.filter(|&other| other != first).filter_map(|other| {
            let (_, gain) = self.gain(&self.covariance, first, other, games)?;
            Some((other, gain))
        });
        let (best, gain) = gains.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Suggestion {
            players: [first, best].map(|i| self.players[i].name.clone()),
            nats: Some(gain),
        })
    }

    /// A pairing for each group but the first.
    fn connections(&self) -> Vec<Suggestion> {
        let middle = |group: usize| {
            let players = &self.groups[group].players;
            players[players.len() / 2].clone()
        };
        (1..self.groups.len())
            .map(|group| Suggestion {
                players: [middle(0), middle(group)],
                nats: None,
            })
            .collect()
    }

    /// The pairing with the largest gain, its information and the gain; the first of equals.
    fn best_pairing(
        &self,
        covariance: &[Vec<f64>],
        games: usize,
    ) -> Option<(usize, usize, f64, f64)> {
        let mut best: Option<(usize, usize, f64, f64)> = None;
        for i in 0..self.players.len() {
            for j in i + 1..self.players.len() {
                let Some((weight, gain)) = self.gain(covariance, i, j, games) else {
                    continue;
                };
                if gain > best.map_or(0.0, |best| best.3) {
                    best = Some((i, j, weight, gain));
                }
            }
        }
        best
    }

    /// The information of games between two players, and how much it raises that of all ratings.
    fn gain(
        &self,
        covariance: &[Vec<f64>],
        i: usize,
        j: usize,
        games: usize,
    ) -> Option<(f64, f64)> {
        let (first, second) = (&self.players[i], &self.players[j]);
        // Across groups the variance is infinite; those are connected first.
        if first.group != second.group || covariance.len() < self.players.len() {
            return None;
        }
        let score = expected_score(first.rating.elo - second.rating.elo);
        let weight = games as f64 * score * (1.0 - score);
        let variance = covariance[i][i] + covariance[j][j] - 2.0 * covariance[i][j];
        Some((weight, 0.5 * (weight * variance).ln_1p()))
    }
}

/// The covariance after games of two players with this information, by Sherman and Morrison.
fn count_in(covariance: &mut [Vec<f64>], i: usize, j: usize, weight: f64) {
    let change: Vec<f64> = covariance.iter().map(|row| row[i] - row[j]).collect();
    let factor = weight / (1.0 + weight * (change[i] - change[j]));
    for (row, &a) in covariance.iter_mut().zip(&change) {
        for (value, &b) in row.iter_mut().zip(&change) {
            *value -= factor * a * b;
        }
    }
}
