//! Search and solver as an engine of the crate `protocols`.

use std::time::{Duration, Instant};

use outflank_arena::follow;
use outflank_protocols::{Depth, Engine, Line, Stop, Task, ThinkError, Thought};
use outflank_rules::{Board, Game, Move, Size};
use outflank_search::{Budget, Cached, Evaluator, SearchConfig, Tree, search_tree};
use outflank_solver::{SolveOptions, Solver};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::strength::{Plan, Strength};
use crate::players::worth_solving;

/// Evaluations that are remembered, about 300 bytes each.
const CACHED_EVALUATIONS: usize = 1 << 17;

/// Leaves evaluated together on each thread, which is faster; small searches take fewer, as it costs a little
/// strength.
const LEAVES_IN_FLIGHT: u32 = 8;

/// The simulations before the solver is asked, so that there is a move if it does not finish, and
/// their share of the time.
const SIMULATIONS_BEFORE_SOLVING: u32 = 400;
const TIME_BEFORE_SOLVING: f64 = 0.25;

/// The simulations of a move that is the only one: it only wants a value.
const SIMULATIONS_OF_ONLY_MOVE: u32 = 50;

/// How often lines are shown while the search goes on.
const SHOW_EVERY: Duration = Duration::from_millis(250);

/// A tree beyond this size is not kept for the next move.
const KEPT_TREE_BYTES: usize = 256 << 20;

/// Nodes of the solver for each move of a solved line after the first: mostly it remembers them.
const NODES_OF_LINE: u64 = 2_000_000;

/// Empty squares fewer to solve when several moves need exact scores: it takes as much longer.
const SEVERAL_LINES: u32 = 2;

/// A network with its search and the endgame solver.
pub struct Thinker<E> {
    evaluator: Cached<E>,
    /// From how many empty squares on leaves are solved under a clock.
    timed_leaf_empties: u32,
    size: Size,
    strength: Strength,
    solver: Solver,
    threads: usize,
    /// What was found out under a clock or on the opponent's time. Searches by simulations begin
    /// afresh, so that they can be repeated.
    tree: Option<Tree>,
    /// The last position of which a best move was proven, with the line that it begins.
    proven: Option<(Board, Line)>,
    rng: ChaCha8Rng,
}

/// What a search came to.
struct Found {
    lines: Vec<Line>,
    simulations: u64,
    /// The first line is certain to be a best one.
    is_proven: bool,
}

impl<E: Evaluator> Thinker<E> {
    /// A thinker for boards of one size, whose solver has a table of about so many bytes and uses so
    /// many threads, as the evaluator should.
    pub fn new(
        mut evaluator: E,
        size: Size,
        strength: Strength,
        threads: usize,
        table_bytes: usize,
    ) -> Thinker<E> {
        let batch = LEAVES_IN_FLIGHT as usize * threads;
        Thinker {
            timed_leaf_empties: worth_solving(size, batch, &mut evaluator),
            evaluator: Cached::new(evaluator, CACHED_EVALUATIONS),
            size,
            strength,
            solver: Solver::new(table_bytes),
            threads,
            tree: None,
            proven: None,
            rng: ChaCha8Rng::seed_from_u64(0),
        }
    }

    /// Searches within a plan.
    fn search(&mut self, task: &Task, plan: &Plan, progress: &mut dyn FnMut(&[Line])) -> Found {
        let keeps = plan.time.is_some() || task.ponder;
        let kept = self.tree.take().filter(|_| keeps);
        let mut tree = kept
            .and_then(|tree| continued(tree, &task.game, plan.simulations))
            .unwrap_or_else(|| Tree::new(task.game.position().board, self.config(task, plan)));
        let budget = Budget {
            time: plan.time,
            stop: Some(task.stop.as_atomic()),
        };
        let mut shown = Instant::now();
        let mut show = |tree: &Tree| {
            if shown.elapsed() >= SHOW_EVERY {
                shown = Instant::now();
                progress(&lines(tree, task.lines));
            }
        };
        search_tree(
            &mut tree,
            budget,
            &mut self.evaluator,
            &mut self.solver,
            &mut self.rng,
            &mut show,
        );
        let found = Found {
            lines: lines(&tree, task.lines),
            simulations: u64::from(tree.simulations()),
            is_proven: tree.exact().is_some(),
        };
        if found.is_proven {
            self.remember(tree.board(), found.lines.first());
        }
        if keeps && tree.bytes() <= KEPT_TREE_BYTES {
            self.tree = Some(tree);
        }
        found
    }

    /// Under a clock, for several lines and on the opponent's time the search has to be good at any
    /// moment; with its simulations fixed it can plan for them.
    fn config(&self, task: &Task, plan: &Plan) -> SearchConfig {
        let open_ended = plan.time.is_some() || task.ponder || task.lines > 1;
        let most_leaves = LEAVES_IN_FLIGHT * self.threads as u32;
        let config = match open_ended {
            true => SearchConfig::default().open_ended(),
            false => SearchConfig::default(),
        };
        SearchConfig {
            simulations: plan.simulations,
            leaf_solve_empties: match plan.time.is_some() || task.ponder {
                true => self.timed_leaf_empties,
                false => SearchConfig::usual_solve_empties(self.size),
            },
            leaves_in_flight: (plan.simulations / 100).clamp(1, most_leaves),
            ..config.without_noise()
        }
    }

    /// Keeps a line that begins with a best move, if its score is exact.
    fn remember(&mut self, board: &Board, best: Option<&Line>) {
        if let Some(line) = best.filter(|line| line.depth == Depth::Exact) {
            self.proven = Some((*board, line.clone()));
        }
    }

    /// Solves the position, if that can be done before `deadline`: one line that is exact, or
    /// proven to win.
    fn solve_best(&mut self, board: &Board, limits: &Limits) -> (Option<Line>, u64) {
        let solution = self.solver.solve(board, &limits.options(self.threads));
        let mut nodes = solution.nodes;
        let Some(best) = solution.best else {
            return (None, nodes);
        };
        if let Some(score) = solution.exact() {
            let (moves, more) = self.solved_line(board, best, limits);
            nodes += more;
            return (Some(exact_line(moves, score)), nodes);
        }
        let wins = (solution.lower > 0).then(|| Line {
            moves: vec![best],
            evaluation: f64::from(solution.lower),
            depth: Depth::WinLoss,
        });
        (wins, nodes)
    }

    /// A line of best play from a move on, as far as it can be had cheaply, and its nodes.
    fn solved_line(&mut self, board: &Board, first: Move, limits: &Limits) -> (Vec<Move>, u64) {
        let (mut moves, mut nodes) = (Vec::new(), 0);
        let (mut board, mut next) = (*board, Some(first));
        while let Some(mv) = next.take() {
            let Ok(after) = board.apply(mv) else { break };
            board = after;
            moves.push(mv);
            let options = SolveOptions {
                node_limit: Some(NODES_OF_LINE),
                ..limits.options(1)
            };
            let solution = self.solver.solve(&board, &options);
            nodes += solution.nodes;
            next = solution.best.filter(|_| solution.exact().is_some());
        }
        (moves, nodes)
    }

    /// Replaces the estimates of moves by exact scores, the most promising first, and shows each
    /// success; the best of all ends up first.
    fn solve_all(
        &mut self,
        board: &Board,
        lines: &mut Vec<Line>,
        wanted: usize,
        limits: &Limits,
        progress: &mut dyn FnMut(&[Line]),
    ) -> u64 {
        let mut nodes = 0;
        // Moves that the search left out may be good all the same.
        for square in board.legal_moves() {
            let mv = Move::Place(square);
            if lines.iter().all(|line| line.moves[0] != mv) {
                lines.push(Line {
                    moves: vec![mv],
                    evaluation: f64::NEG_INFINITY,
                    depth: Depth::Plies(0),
                });
            }
        }
        for line in lines.iter_mut() {
            let first = line.moves[0];
            let Ok(after) = board.apply(first) else {
                continue;
            };
            let solution = self.solver.solve(&after, &limits.options(self.threads));
            nodes += solution.nodes;
            if let Some(score) = solution.exact() {
                let (moves, more) = self.solved_line(board, first, limits);
                nodes += more;
                *line = exact_line(moves, -score);
                progress(std::slice::from_ref(line));
            }
        }
        lines.sort_by(|a, b| b.evaluation.total_cmp(&a.evaluation));
        if lines.iter().all(|line| line.depth == Depth::Exact) {
            self.remember(board, lines.first());
        }
        lines.retain(|line| line.evaluation.is_finite());
        lines.truncate(wanted);
        nodes
    }
}

impl<E: Evaluator + Send> Engine for Thinker<E> {
    fn name(&self) -> String {
        "Outflank".to_owned()
    }

    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn plays(&self, size: Size) -> bool {
        size == self.size
    }

    fn think(
        &mut self,
        task: &Task,
        progress: &mut dyn FnMut(&[Line]),
    ) -> Result<Thought, ThinkError> {
        let board = task.game.position().board;
        if board.size() != self.size {
            return Err(format!(
                "the model plays on the {} board, not on {}",
                self.size,
                board.size()
            )
            .into());
        }
        if let Some((proven, line)) = &self.proven
            && *proven == board
            && task.lines == 1
            && !task.ponder
        {
            return Ok(Thought {
                lines: vec![line.clone()],
                nodes: 0,
            });
        }
        let mut plan = match task.ponder {
            true => Strength::pondering(),
            false => self.strength.plan(task.level, task.time, self.threads),
        };
        let limits = Limits::new(plan.time, &task.stop);
        if board.legal_moves().len() == 1 && !task.ponder {
            plan.simulations = plan.simulations.min(SIMULATIONS_OF_ONLY_MOVE);
        }
        let several = task.lines > 1;
        let dearer = if several { SEVERAL_LINES } else { 0 };
        let solvable = plan.solve_empties.saturating_sub(dearer);
        if task.ponder || board.empties() > solvable {
            let found = self.search(task, &plan, progress);
            return Ok(Thought {
                lines: found.lines,
                nodes: found.simulations,
            });
        }
        plan.simulations = plan.simulations.min(SIMULATIONS_BEFORE_SOLVING);
        plan.time = plan.time.map(|time| time.mul_f64(TIME_BEFORE_SOLVING));
        let Found {
            mut lines,
            simulations: mut nodes,
            is_proven,
        } = self.search(task, &plan, progress);
        if several {
            progress(&lines);
            nodes += self.solve_all(&board, &mut lines, task.lines, &limits, progress);
        } else if !is_proven {
            progress(&lines);
            let (line, more) = self.solve_best(&board, &limits);
            nodes += more;
            if let Some(line) = line {
                self.remember(&board, Some(&line));
                lines = vec![line];
            }
        }
        Ok(Thought { lines, nodes })
    }
}

/// What ends the solver's work.
struct Limits<'a> {
    deadline: Option<Instant>,
    stop: &'a Stop,
}

impl<'a> Limits<'a> {
    fn new(time: Option<Duration>, stop: &'a Stop) -> Limits<'a> {
        Limits {
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            stop,
        }
    }

    fn options(&self, threads: usize) -> SolveOptions<'a> {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        SolveOptions {
            threads,
            time_limit: self.deadline.map(left),
            cancel: Some(self.stop.as_atomic()),
            ..SolveOptions::default()
        }
    }
}

/// A tree of this or an earlier position of the game, ready for more simulations of the present one.
fn continued(mut tree: Tree, game: &Game, simulations: u32) -> Option<Tree> {
    if *tree.board() == game.position().board {
        // The simulations of a position are fixed when its search begins.
        return (tree.config().simulations == simulations).then_some(tree);
    }
    tree.set_simulations(simulations);
    follow(&mut tree, game).then_some(tree)
}

/// The best lines of a search, the move to play first.
fn lines(tree: &Tree, count: usize) -> Vec<Line> {
    let report = tree.report();
    let first = report
        .moves
        .iter()
        .filter(|found| Some(found.mv) == report.best);
    let others = report
        .moves
        .iter()
        .filter(|found| Some(found.mv) != report.best && found.margin.is_some());
    first
        .chain(others)
        .take(count)
        .map(|found| {
            let moves = tree.line(found.mv);
            if let Some(score) = found.exact {
                return exact_line(moves, score);
            }
            let depth = Depth::Plies(moves.len() as u32);
            Line {
                moves,
                evaluation: f64::from(found.margin.unwrap_or(report.margin)),
                depth,
            }
        })
        .collect()
}

fn exact_line(moves: Vec<Move>, score: i32) -> Line {
    Line {
        moves,
        evaluation: f64::from(score),
        depth: Depth::Exact,
    }
}
