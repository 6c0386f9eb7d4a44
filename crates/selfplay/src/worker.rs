use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use outflank_records::GameRecord;
use outflank_rules::{Board, Size};
use outflank_search::{Cached, Evaluation, Evaluator};
use outflank_solver::Solver;

use crate::SelfplayConfig;
use crate::game::{SelfplayGame, Step};

/// The solver's table of one thread: endings of some twelve empties need no more.
const SOLVER_TABLE_BYTES: usize = 1 << 20;

/// What it took to play games, summed over the threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Positions that the evaluator was asked about, those it remembered included.
    pub evaluations: u64,
    /// Time in the evaluator.
    pub evaluating: Duration,
    /// All time of all threads.
    pub total: Duration,
}

/// Plays one game for each seed and hands over each as soon as it is finished, with its place in
/// `seeds`; the order depends on the threads, the games do not. `finished` may stop the play: games
/// under way are then dropped.
///
/// Games may branch from those of `earlier`, if the configuration says so.
///
/// `evaluator` makes the evaluator of one thread, which belongs to that thread alone.
pub fn play_games<E: Evaluator>(
    config: &SelfplayConfig,
    size: Size,
    seeds: &[u64],
    earlier: &[GameRecord],
    threads: usize,
    evaluator: impl Fn() -> E + Sync,
    mut finished: impl FnMut(usize, GameRecord) -> ControlFlow<()>,
) -> Effort {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let threads = threads.clamp(1, seeds.len().max(1));
    // Those who come first leave some to the others.
    let most = config.games_in_flight.min(seeds.len().div_ceil(threads));
    std::thread::scope(|scope| {
        let (sender, games) = mpsc::channel();
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let (sender, evaluator, next, stop) = (sender.clone(), &evaluator, &next, &stop);
                scope.spawn(move || {
                    let worker = Worker {
                        config,
                        size,
                        seeds,
                        earlier,
                        most,
                        next,
                        stop,
                        sender,
                    };
                    worker.run(Cached::new(evaluator(), config.cache_entries))
                })
            })
            .collect();
        drop(sender);
        for (index, game) in games {
            if finished(index, game).is_break() {
                stop.store(true, Ordering::Relaxed);
                break;
            }
        }
        let mut effort = Effort::default();
        for worker in workers {
            let part = worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            effort.evaluations += part.evaluations;
            effort.evaluating += part.evaluating;
            effort.total += part.total;
        }
        effort
    })
}

/// One thread's share of the games.
struct Worker<'a> {
    config: &'a SelfplayConfig,
    size: Size,
    seeds: &'a [u64],
    earlier: &'a [GameRecord],
    /// Games that it plays side by side.
    most: usize,
    /// The next game that no thread has taken.
    next: &'a AtomicUsize,
    stop: &'a AtomicBool,
    sender: mpsc::Sender<(usize, GameRecord)>,
}

impl<'a> Worker<'a> {
    /// Plays until there is no game left to take: all games under way advance to a leaf, then all
    /// leaves are evaluated together.
    fn run(&self, mut evaluator: impl Evaluator) -> Effort {
        let begin = Instant::now();
        let mut effort = Effort::default();
        let mut solver = Solver::new(SOLVER_TABLE_BYTES);
        let mut games: Vec<(usize, SelfplayGame<'a>)> = Vec::new();
        let mut boards: Vec<Board> = Vec::new();
        let mut evaluations: Vec<Evaluation> = Vec::new();
        while !self.stop.load(Ordering::Relaxed) {
            let mut slot = 0;
            while slot < self.most {
                if slot == games.len() {
                    let Some(game) = self.take() else { break };
                    games.push(game);
                }
                let (index, game) = &mut games[slot];
                match game.advance(&mut solver) {
                    Step::Evaluate(board) => {
                        boards.push(board);
                        slot += 1;
                    }
                    Step::Finished(record) => {
                        let index = *index;
                        games.swap_remove(slot);
                        if self.sender.send((index, record)).is_err() {
                            break; // nobody listens any more: `stop` is set
                        }
                    }
                }
            }
            if games.is_empty() {
                break;
            }
            let start = Instant::now();
            evaluator.evaluate(&boards, &mut evaluations);
            effort.evaluating += start.elapsed();
            effort.evaluations += boards.len() as u64;
            for ((_, game), evaluation) in games.iter_mut().zip(&evaluations) {
                game.apply(evaluation);
            }
            boards.clear();
        }
        effort.total = begin.elapsed();
        effort
    }

    fn take(&self) -> Option<(usize, SelfplayGame<'a>)> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let seed = *self.seeds.get(index)?;
        Some((
            index,
            SelfplayGame::new(self.config, self.size, seed, self.earlier),
        ))
    }
}
