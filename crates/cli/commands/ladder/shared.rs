//! A ladder whose games several processes play.
//!
//! The matches are planned in rounds: who plays match `n` follows from the matches before its round,
//! so that any process can play any match of the round that is missing. Two that play the same
//! one do no harm: the first that keeps it wins, under the match's own name.

use std::collections::BTreeSet;

use anyhow::Result;
use outflank_arena::MatchResult;
use outflank_run::{Folder, Name};

use super::kept::{Keeper, Kept};
use super::{Contest, GAMES};

/// Matches of a round, and so processes that can play at a time.
const ROUND: u64 = 32;

impl Contest<'_> {
    /// Plays together with all other processes that do, until the ladder's own matches have as many
    /// games as asked for. Returns all matches that the run keeps then.
    pub fn play_shared(&self) -> Result<Vec<MatchResult>> {
        let mut kept = Kept::default();
        let own = |name: &Name| Keeper::Ladder.number(name);
        loop {
            kept.read_new(self.run)?;
            let numbers: BTreeSet<u64> = kept.0.keys().filter_map(own).collect();
            let ours = kept.0.iter().filter(|(name, _)| own(name).is_some());
            if ours.map(|(_, result)| result.games.len()).sum::<usize>() >= self.args.games {
                return Ok(kept.0.into_values().collect());
            }
            let missing = |number: &u64| !numbers.contains(number);
            let first = (0..).find(missing).expect("there are endless numbers");
            let round = first - first % ROUND;
            let before: Vec<MatchResult> = kept
                .0
                .iter()
                .filter(|(name, _)| own(name).is_none_or(|number| number < round))
                .map(|(_, result)| result.clone())
                .collect();
            let pairings = self.pairings(&before, ROUND as usize)?;
            // All pairings once before any comes again: the first ones connect the players.
            let open = (first..round + ROUND).filter(missing);
            let open: Vec<u64> = open.take(pairings.len()).collect();
            let number = open[rand::random_range(0..open.len())];
            let place = (number - round) as usize % pairings.len();
            let result = self.play_pairing(number, pairings[place], GAMES)?;
            let name = Keeper::Ladder.name(number)?;
            self.run.put_result(Folder::Matches, &name, &result)?;
        }
    }
}
