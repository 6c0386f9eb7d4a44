use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use outflank_rules::Board;
use outflank_solver::Solver;
use rand::Rng;
use web_time::Instant;

use crate::{Evaluator, Gather, SearchConfig, SearchReport, Tree};

/// What may end a search before its simulations are done. The default is nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget<'a> {
    /// The time from the call on. It is looked at after each batch of evaluations, so the search
    /// takes up to one batch longer. Give `simulations` that are out of reach to use all of it, and
    /// prefer the method `puct`: `gumbel` plans for its simulations and is cut short in a phase
    /// that may be an early one.
    pub time: Option<Duration>,
    /// Ends the search as soon as it is set, from another thread.
    pub stop: Option<&'a AtomicBool>,
}

/// Searches one position from beginning to end.
///
/// ```
/// use outflank_rules::{Board, Size};
/// use outflank_search::{DiscCount, SearchConfig, search};
/// use outflank_solver::Solver;
/// use rand::SeedableRng;
///
/// let config = SearchConfig { simulations: 100, ..SearchConfig::default() }.without_noise();
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let mut solver = Solver::new(1 << 16);
/// let report = search(&Board::start(Size::Eight), &config, &mut DiscCount, &mut solver, &mut rng);
/// assert_eq!(report.simulations, 100);
/// assert!(report.best.is_some());
/// ```
pub fn search(
    board: &Board,
    config: &SearchConfig,
    evaluator: &mut dyn Evaluator,
    solver: &mut Solver,
    rng: &mut (impl Rng + ?Sized),
) -> SearchReport {
    let mut tree = Tree::new(*board, config.clone());
    search_tree(
        &mut tree,
        Budget::default(),
        evaluator,
        solver,
        rng,
        &mut |_| (),
    );
    tree.report()
}

/// Searches the root of a tree within a budget. `progress` sees the tree after each batch of
/// evaluations; it is called often and should usually do nothing. At least the root is evaluated,
/// so that there is a move.
pub fn search_tree(
    tree: &mut Tree,
    budget: Budget<'_>,
    evaluator: &mut dyn Evaluator,
    solver: &mut Solver,
    rng: &mut (impl Rng + ?Sized),
    progress: &mut dyn FnMut(&Tree),
) {
    let begin = Instant::now();
    let batch = tree.config().leaves_in_flight as usize;
    let (mut ids, mut boards, mut evaluations) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        while boards.len() < batch {
            match tree.gather(solver, rng) {
                Gather::Leaf { id, board } => {
                    ids.push(id);
                    boards.push(board);
                }
                Gather::Wait => break,
                Gather::Finished => return,
            }
        }
        if !boards.is_empty() {
            evaluator.evaluate(&boards, &mut evaluations);
            assert_eq!(
                evaluations.len(),
                boards.len(),
                "evaluators give one evaluation a board"
            );
            for (id, evaluation) in ids.drain(..).zip(&evaluations) {
                tree.apply(id, evaluation);
            }
            boards.clear();
        }
        progress(tree);
        let stopped = budget.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stopped || budget.time.is_some_and(|time| begin.elapsed() >= time) {
            return;
        }
    }
}
