//! Sequential halving with a given number of simulations (Karnin et al. 2013; Danihelka et al.
//! 2022, section 3): all candidates are visited equally often, then the better half goes on, until
//! two are left and share what remains.
//!
//! As in DeepMind's mctx, the plan names no candidates: it says how many visits the next move has
//! had, and the best scored of those is it. Candidates that fell behind are thereby out, without a
//! list of who is still in; and since visits count when they begin, leaves in flight need no
//! special care.

/// The plan of a search, simulation by simulation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SequentialHalving {
    simulations: usize,
    /// Halvings planned: the logarithm of the candidates, rounded up.
    phases: usize,
    /// Candidates of this phase, and the times that each will be visited before it ends.
    considered: usize,
    rounds_left: usize,
    /// Visits that the candidates had before this round, and how many of them are still to come.
    visits: u32,
    round_left: usize,
}

impl SequentialHalving {
    /// The plan for so many candidates at first.
    pub fn new(candidates: usize, simulations: u32) -> SequentialHalving {
        let considered = candidates.max(1);
        let mut plan = SequentialHalving {
            simulations: simulations as usize,
            phases: considered.next_power_of_two().ilog2().max(1) as usize,
            considered,
            rounds_left: 0,
            visits: 0,
            round_left: considered,
        };
        plan.rounds_left = plan.rounds();
        plan
    }

    /// The visits that the next move has had so far.
    pub fn considered_visits(&self) -> u32 {
        self.visits
    }

    /// Goes on to the simulation after.
    pub fn step(&mut self) {
        self.round_left -= 1;
        if self.round_left > 0 {
            return;
        }
        self.visits += 1;
        self.rounds_left -= 1;
        if self.rounds_left == 0 {
            self.considered = (self.considered / 2).max(2.min(self.considered));
            self.rounds_left = self.rounds();
        }
        self.round_left = self.considered;
    }

    /// Visits for each candidate of a phase.
    fn rounds(&self) -> usize {
        (self.simulations / (self.phases * self.considered)).max(1)
    }
}

/// The whole plan: for each of the `simulations`, the number of visits that the chosen move has had
/// before. `candidates` are considered at first.
pub fn considered_visits(candidates: usize, simulations: u32) -> Vec<u32> {
    let mut plan = SequentialHalving::new(candidates, simulations);
    let next = |_| {
        let visits = plan.considered_visits();
        plan.step();
        visits
    };
    (0..simulations).map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_published_schedules() {
        // Worked by hand from the algorithm of the paper: floor(n / (log2(m) * considered)) visits
        // for each of m, m/2, ... 2 candidates.
        // m = 4, n = 16: 2 visits for each of 4, 4 for each of 2.
        let expected = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
        assert_eq!(considered_visits(4, 16), expected);
        // m = 8, n = 24: 1 of 8, 2 of 4, 4 of 2, none left over.
        let expected = [
            0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6,
        ];
        assert_eq!(considered_visits(8, 24), expected);
        // Fewer simulations than candidates: one each, as far as they go.
        assert_eq!(considered_visits(16, 5), [0; 5]);
        // What is left after the last halving goes to the last two.
        assert_eq!(considered_visits(4, 11), [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4]);
        // One candidate, or none, takes all.
        assert_eq!(considered_visits(1, 3), [0, 1, 2]);
        // Six: log2 rounds up to 3 phases, halves round down: 6, 3, 2.
        let expected = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3];
        assert_eq!(considered_visits(6, 13), expected);
        assert!(considered_visits(8, 0).is_empty());
    }

    #[test]
    fn every_visit_finds_a_candidate() {
        for candidates in 1..=34 {
            for simulations in 0..200 {
                let mut visits = vec![0; candidates];
                for considered in considered_visits(candidates, simulations) {
                    let chosen = visits.iter().position(|&n| n == considered);
                    visits[chosen.expect("a candidate with so many visits")] += 1;
                }
                assert_eq!(visits.iter().sum::<u32>(), simulations);
            }
        }
    }
}
