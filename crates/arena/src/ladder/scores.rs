use std::collections::BTreeMap;

use crate::matches::{MatchResult, Results};

/// All games of some players, added up by who met whom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    names: Vec<String>,
    /// By the indices of the two names, the smaller first; from the view of that one.
    meetings: BTreeMap<(usize, usize), Results>,
}

impl Scores {
    /// No games yet.
    pub fn new() -> Scores {
        Scores::default()
    }

    /// Adds games between two players, from the view of the first. Games of a player against
    /// itself say nothing and are left out.
    pub fn add(&mut self, first: &str, second: &str, results: Results) {
        if first == second || results.games() == 0 {
            return;
        }
        let (a, b) = (self.index(first), self.index(second));
        let (key, results) = if a < b {
            ((a, b), results)
        } else {
            ((b, a), results.reversed())
        };
        *self.meetings.entry(key).or_default() += results;
    }

    /// Adds the games of a match.
    pub fn add_match(&mut self, result: &MatchResult) {
        let [first, second] = &result.players;
        self.add(first, second, result.summary.total);
    }

    /// The players in the order in which they came.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Who met whom, by their places in [`Scores::names`], with the first one's results.
    pub fn meetings(&self) -> impl Iterator<Item = (usize, usize, Results)> {
        self.meetings
            .iter()
            .map(|(&(a, b), &results)| (a, b, results))
    }

    fn index(&mut self, name: &str) -> usize {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }
}
