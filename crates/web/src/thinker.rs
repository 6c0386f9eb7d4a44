use std::time::Duration;

use outflank_net::{Architecture, CompiledNetwork, Model};
use outflank_rules::{Board, Color, Move, ParsePositionError, Position, Size};
use outflank_search::{
    Budget, Cached, Evaluator, Method, MoveReport, SearchConfig, SearchReport, Tree, search_tree,
};
use outflank_solver::{SolveOptions, Solver};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use web_time::Instant;

/// Evaluations that are remembered, about 300 bytes each.
const CACHED_EVALUATIONS: usize = 1 << 15;

/// The most simulations of any search: its tree takes some 100 MB.
const MOST_SIMULATIONS: u32 = 300_000;

/// Leaves evaluated together, which is faster; small searches take fewer, as it costs a little
/// strength.
const LEAVES_IN_FLIGHT: u32 = 8;

/// The simulations before the solver is asked, so that there is a move if it does not finish, and
/// their share of the time.
const SIMULATIONS_BEFORE_SOLVING: u32 = 400;
const TIME_BEFORE_SOLVING: f64 = 0.25;

/// How much longer each further step of the solver is, up to a limit: it begins anew each time,
/// and what it has proven so far is in its table.
const SOLVER_STEP_GROWTH: f64 = 1.5;
const LONGEST_SOLVER_STEP: Duration = Duration::from_millis(400);

/// A position to think about.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Task {
    /// The position, with the side to move.
    pub position: String,
    /// What to find.
    pub aim: Aim,
    /// Simulations at most; 0 is what the network alone says.
    pub simulations: u32,
    /// Seconds at most.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// From so many empty squares on, what the search found is solved.
    #[serde(default)]
    pub solve_empties: u32,
    /// How much weaker moves are chosen at times: 0 takes the best, 1 samples the policy that the
    /// search recommends, more flattens it.
    #[serde(default)]
    pub temperature: f32,
    /// What decides among the samples.
    #[serde(default)]
    pub seed: u64,
}

/// What a task wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Aim {
    /// One move.
    Play,
    /// What every move is worth.
    Analyse,
}

/// A task that cannot be begun.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The position is none.
    #[error(transparent)]
    Position(#[from] ParsePositionError),
    /// The position is of another board.
    #[error("the model plays on the {model} board, not on {position}")]
    Size {
        /// The model's board.
        model: Size,
        /// The position's board.
        position: Size,
    },
    /// There is nothing to think about.
    #[error("the game is over: neither player has a move")]
    Over,
    /// The temperature or the time is no number that makes sense.
    #[error("{0} is out of range")]
    Number(&'static str),
}

/// What has been found about a position. Values are those of the player to move in it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Thought {
    /// The position.
    pub position: String,
    /// The player to move in it.
    pub to_move: Color,
    /// Nothing more will be found.
    pub done: bool,
    /// The move to play: a square's name or `pass`.
    pub best: Option<String>,
    /// Expected outcome, wins less losses, -1 to 1.
    pub outcome: f32,
    /// Expected final disc difference.
    pub margin: f32,
    /// The final disc difference under best play, if proven.
    pub exact: Option<i32>,
    /// All moves, the best first.
    pub moves: Vec<MoveThought>,
    /// The line of play that is expected.
    pub line: Vec<String>,
    /// Simulations so far.
    pub simulations: u32,
    /// Positions that the solver has visited.
    pub nodes: u64,
    /// Seconds so far.
    pub seconds: f64,
}

/// What has been found about one move.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveThought {
    /// A square's name or `pass`.
    pub name: String,
    /// The network's probability.
    pub prior: f32,
    /// The probability that the search recommends.
    pub policy: f32,
    /// Visits of the search.
    pub visits: u32,
    /// Expected final disc difference.
    pub margin: Option<f32>,
    /// The proven one.
    pub exact: Option<i32>,
}

/// What a model is, for those who ask.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// Side of its board.
    pub size: Size,
    /// The network's size in words.
    pub network: String,
    /// Games that it learned from.
    pub games: u64,
}

/// A model with search and solver, thinking about one position at a time.
///
/// Searches that are limited by simulations alone are the same every time.
pub struct Thinker {
    network: Cached<CompiledNetwork>,
    architecture: Architecture,
    games: u64,
    solver: Solver,
    work: Option<Work>,
}

/// A task that is under way.
struct Work {
    task: Task,
    position: Position,
    tree: Tree,
    rng: ChaCha8Rng,
    phase: Phase,
    begun: Instant,
    /// Proven scores of moves, beside those of the tree.
    solved: Vec<(Move, i32)>,
    nodes: u64,
    solver_step: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Search,
    Solve,
    Done,
}

impl Thinker {
    /// A thinker whose solver has a table of about so many bytes.
    pub fn new(model: &Model, table_bytes: usize) -> Thinker {
        let network = CompiledNetwork::new(&model.weights);
        Thinker {
            architecture: network.architecture().clone(),
            network: Cached::new(network, CACHED_EVALUATIONS),
            games: model.facts.games,
            solver: Solver::new(table_bytes),
            work: None,
        }
    }

    /// What the model is.
    pub fn description(&self) -> Description {
        Description {
            size: self.architecture.size,
            network: self.architecture.to_string(),
            games: self.games,
        }
    }

    /// Begins a task, and forgets the one before.
    pub fn begin(&mut self, task: Task) -> Result<(), TaskError> {
        self.work = None;
        let position = self.position(&task.position)?;
        if !(0.0..=100.0).contains(&task.temperature) {
            return Err(TaskError::Number("temperature"));
        }
        if task
            .seconds
            .is_some_and(|seconds| !(0.0..=1e6).contains(&seconds))
        {
            return Err(TaskError::Number("seconds"));
        }
        self.work = Some(Work::new(task, position));
        Ok(())
    }

    /// Goes on for about so long. Without a task there is nothing to find.
    pub fn step(&mut self, time: Duration) -> Option<Thought> {
        let work = self.work.as_mut()?;
        match work.phase {
            Phase::Search => work.search(time, &mut self.network, &mut self.solver),
            Phase::Solve => work.solve(&mut self.solver),
            Phase::Done => {}
        }
        Some(work.thought())
    }

    /// Reads a position that the model can think about.
    fn position(&self, text: &str) -> Result<Position, TaskError> {
        let position: Position = text.parse()?;
        let (model, size) = (self.architecture.size, position.board.size());
        if size != model {
            return Err(TaskError::Size {
                model,
                position: size,
            });
        }
        if position.board.is_over() {
            return Err(TaskError::Over);
        }
        Ok(position)
    }
}

impl Work {
    fn new(task: Task, position: Position) -> Work {
        let solvable = position.board.empties() <= task.solve_empties;
        let mut simulations = task.simulations.min(MOST_SIMULATIONS);
        if solvable {
            simulations = simulations.min(SIMULATIONS_BEFORE_SOLVING);
        }
        // Under a clock, and for the values of all moves, the search has to be good at any moment;
        // with its simulations fixed it can plan for them.
        let open_ended = task.seconds.is_some() || task.aim == Aim::Analyse;
        let config = SearchConfig {
            simulations,
            method: match open_ended {
                true => Method::Puct,
                false => Method::Gumbel,
            },
            leaves_in_flight: (simulations / 100).clamp(1, LEAVES_IN_FLIGHT),
            ..SearchConfig::default().without_noise()
        };
        Work {
            rng: ChaCha8Rng::seed_from_u64(task.seed),
            tree: Tree::new(position.board, config),
            task,
            position,
            phase: Phase::Search,
            begun: Instant::now(),
            solved: Vec::new(),
            nodes: 0,
            solver_step: Duration::from_millis(50),
        }
    }

    fn board(&self) -> Board {
        self.position.board
    }

    fn solvable(&self) -> bool {
        self.board().empties() <= self.task.solve_empties
    }

    /// What is left of a share of the time.
    fn left(&self, share: f64) -> Option<Duration> {
        let seconds = self.task.seconds? * share;
        Some(Duration::from_secs_f64(seconds).saturating_sub(self.begun.elapsed()))
    }

    fn search(&mut self, time: Duration, evaluator: &mut dyn Evaluator, solver: &mut Solver) {
        let share = if self.solvable() {
            TIME_BEFORE_SOLVING
        } else {
            1.0
        };
        let left = self.left(share);
        let budget = Budget {
            time: Some(left.map_or(time, |left| left.min(time))),
            stop: None,
        };
        let before = self.tree.simulations();
        search_tree(
            &mut self.tree,
            budget,
            evaluator,
            solver,
            &mut self.rng,
            &mut |_| (),
        );
        let finished = self.tree.simulations() == before && self.tree.node_count() > 1
            || self.tree.simulations() >= self.tree.config().simulations
            || self.tree.exact().is_some();
        let timed_out = left.is_some_and(|left| left <= time);
        if finished || timed_out {
            let proven = self.tree.exact().is_some() && self.task.aim == Aim::Play;
            self.phase = match self.solvable() && !proven {
                true => Phase::Solve,
                false => Phase::Done,
            };
        }
    }

    /// One step of the solver, a little longer than the last.
    fn solve(&mut self, solver: &mut Solver) {
        let mut time = self.solver_step;
        if let Some(left) = self.left(1.0) {
            time = time.min(left);
            if left.is_zero() {
                self.phase = Phase::Done;
                return;
            }
        }
        let next = self.solver_step.mul_f64(SOLVER_STEP_GROWTH);
        self.solver_step = next.min(LONGEST_SOLVER_STEP);
        let options = SolveOptions {
            time_limit: Some(time),
            ..SolveOptions::default()
        };
        let board = self.board();
        if self.task.aim == Aim::Play {
            let solution = solver.solve(&board, &options);
            self.nodes += solution.nodes;
            if let Some((best, score)) = solution.best.zip(solution.exact()) {
                self.solved.push((best, score));
                self.phase = Phase::Done;
            }
            return;
        }
        let mut unsolved = self.report().moves;
        unsolved.retain(|found| self.exact(found).is_none());
        let Some(next) = unsolved.first() else {
            self.phase = Phase::Done;
            return;
        };
        let after = board.apply(next.mv).expect("moves of a search are legal");
        let solution = solver.solve(&after, &options);
        self.nodes += solution.nodes;
        if let Some(score) = solution.exact() {
            self.solved.push((next.mv, -score));
            if unsolved.len() == 1 {
                self.phase = Phase::Done;
            }
        }
    }

    fn report(&self) -> SearchReport {
        self.tree.report()
    }

    /// The proven score of a move.
    fn exact(&self, found: &MoveReport) -> Option<i32> {
        let solved = self.solved.iter().find(|(mv, _)| *mv == found.mv);
        solved.map(|(_, score)| *score).or(found.exact)
    }

    fn thought(&mut self) -> Thought {
        let report = self.report();
        let mut moves: Vec<(Move, MoveThought)> = report
            .moves
            .iter()
            .map(|found| {
                let exact = self.exact(found);
                let thought = MoveThought {
                    name: found.mv.to_string(),
                    prior: found.prior,
                    policy: found.policy,
                    visits: found.visits,
                    margin: exact.map(|score| score as f32).or(found.margin),
                    exact,
                };
                (found.mv, thought)
            })
            .collect();
        // The move to play leads, unless proven scores say more.
        let all_exact = !moves.is_empty() && moves.iter().all(|(_, found)| found.exact.is_some());
        let solved = match self.task.aim {
            Aim::Play => self.solved.first().copied(),
            Aim::Analyse => None,
        };
        let mut exact = report.exact.or(solved.map(|(_, score)| score));
        let mut best = solved.map(|(mv, _)| mv).or(report.best);
        if all_exact {
            let score = |found: &MoveThought| found.exact.unwrap_or(i32::MIN);
            moves.sort_by_key(|(_, found)| -score(found));
            exact = Some(score(&moves[0].1));
            if solved.is_none() && report.exact.is_none() {
                best = Some(moves[0].0);
            }
        }
        if let Some(index) = moves.iter().position(|(mv, _)| Some(*mv) == best) {
            moves[..=index].rotate_right(1);
        }
        let done = self.phase == Phase::Done;
        if done && self.task.temperature > 0.0 && self.task.aim == Aim::Play {
            best = self.sample(&report).or(best);
        }
        let line = best.map_or(Vec::new(), |first| self.tree.line(first));
        Thought {
            position: self.position.notation(),
            to_move: self.position.to_move,
            done,
            best: best.map(|mv| mv.to_string()),
            outcome: exact.map_or(report.outcome, |score| score.signum() as f32),
            margin: exact.map_or(report.margin, |score| score as f32),
            exact,
            moves: moves.into_iter().map(|(_, found)| found).collect(),
            line: line.iter().map(ToString::to_string).collect(),
            simulations: report.simulations,
            nodes: self.nodes,
            seconds: self.begun.elapsed().as_secs_f64(),
        }
    }

    /// A move drawn by the recommended probabilities, sharpened or flattened by the temperature.
    fn sample(&mut self, report: &SearchReport) -> Option<Move> {
        // From its own seed, so that it is the same whenever it is asked.
        let mut rng = ChaCha8Rng::seed_from_u64(self.task.seed);
        let weights: Vec<f32> = report
            .moves
            .iter()
            .map(|found| found.policy.max(1e-6).powf(1.0 / self.task.temperature))
            .collect();
        let mut left = rng.random::<f32>() * weights.iter().sum::<f32>();
        for (found, weight) in report.moves.iter().zip(weights) {
            left -= weight;
            if left < 0.0 {
                return Some(found.mv);
            }
        }
        report.moves.last().map(|found| found.mv)
    }
}
