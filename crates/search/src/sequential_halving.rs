//! Sequential halving with a given number of simulations (Karnin et al. 2013; Danihelka et al.
//! 2022, section 3): all candidates are visited equally often, then the better half goes on, until
//! two are left and share what remains.
//!
//! The schedule is a plain list, as in DeepMind's mctx: simulation `i` goes to a move that has been
//! visited `considered_visits[i]` times so far, the best scored of those. Candidates that fell
//! behind are thereby out, without a list of who is still in; and since visits count when they
//! begin, leaves in flight need no special care.

/// For each of the `simulations`, the number of visits that the chosen move has had before it.
/// `max_considered` is the number of candidates at first.
pub fn considered_visits(max_considered: usize, simulations: u32) -> Vec<u32> {
    let mut schedule = Vec::new();
    fill_considered_visits(max_considered, simulations, &mut schedule);
    schedule
}

/// [`considered_visits`] into a list that is used again.
pub(crate) fn fill_considered_visits(
    max_considered: usize,
    simulations: u32,
    schedule: &mut Vec<u32>,
) {
    schedule.clear();
    if max_considered <= 1 {
        schedule.extend(0..simulations);
        return;
    }
    let simulations = simulations as usize;
    let phases = max_considered.next_power_of_two().ilog2() as usize; // log2, rounded up
    let mut considered = max_considered;
    let mut visits = 0;
    while schedule.len() < simulations {
        let visits_each = (simulations / (phases * considered)).max(1);
        for _ in 0..visits_each {
            let left = simulations - schedule.len();
            schedule.extend(std::iter::repeat_n(visits, considered.min(left)));
            visits += 1;
        }
        considered = (considered / 2).max(2);
    }
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
