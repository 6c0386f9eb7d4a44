//! `outflank analyze`: what a model and its search think of a position.

use anyhow::{Context, Result, bail};
use outflank_net::CompiledNetwork;
use outflank_rules::{Game, Position, Size};
use outflank_search::{SearchConfig, SearchReport, search};
use outflank_solver::Solver;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::args::Analyze;
use crate::players::load_named;

/// The table of the solver for the leaves of the search.
const SOLVER_TABLE_BYTES: usize = 16 << 20;

/// The result as JSON. Values are seen by the player to move.
#[derive(Serialize)]
struct Analysis {
    position: String,
    to_move: String,
    simulations: u32,
    /// Expected wins less losses, -1 to 1.
    outcome: f32,
    /// Expected final disc difference, empties to the winner.
    margin: f32,
    /// The final disc difference under best play, if proven.
    exact: Option<i32>,
    moves: Vec<MoveAnalysis>,
    principal_variation: Vec<String>,
}

#[derive(Serialize)]
struct MoveAnalysis {
    #[serde(rename = "move")]
    mv: String,
    /// The network's probability.
    prior: f32,
    /// The probability that the search recommends.
    policy: f32,
    visits: u32,
    /// Mean utility of the visits, -1 to 1; none without visits.
    q: Option<f32>,
    exact: Option<i32>,
}

pub fn run(args: &Analyze) -> Result<()> {
    let (name, model) = load_named(&args.model)?;
    let size = model.weights.architecture().size;
    let position = read_position(&args.position, size)?;
    let config = SearchConfig {
        simulations: args.simulations,
        ..SearchConfig::default()
    }
    .without_noise();
    config.validate()?;
    let report = search(
        &position.board,
        &config,
        &mut CompiledNetwork::new(&model.weights),
        &mut Solver::new(SOLVER_TABLE_BYTES),
        &mut ChaCha8Rng::seed_from_u64(0),
    );
    let analysis = Analysis::new(&position, &report);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&analysis)?);
    } else {
        println!("{position}");
        analysis.print(&name);
    }
    Ok(())
}

/// The start, a position, or the position after a transcript.
fn read_position(text: &str, size: Size) -> Result<Position> {
    let start = Game::new(size);
    if text == "start" {
        return Ok(start.position());
    }
    let position = match text.parse::<Position>() {
        Ok(position) => position,
        Err(_) => Game::from_transcript(start.position(), text)
            .with_context(|| {
                format!("'{text}' is neither start, nor a position, nor a transcript")
            })?
            .position(),
    };
    if position.board.size() != size {
        bail!(
            "the model plays on the {size} board; the position is one of {}",
            position.board.size()
        );
    }
    if position.board.is_over() {
        bail!("the game is over there: neither player has a move");
    }
    Ok(position)
}

impl Analysis {
    fn new(position: &Position, report: &SearchReport) -> Analysis {
        Analysis {
            position: position.notation(),
            to_move: position.to_move.to_string(),
            simulations: report.simulations,
            outcome: report.outcome,
            margin: report.margin,
            exact: report.exact,
            moves: report
                .moves
                .iter()
                .map(|mv| MoveAnalysis {
                    mv: mv.mv.to_string(),
                    prior: mv.prior,
                    policy: mv.policy,
                    visits: mv.visits,
                    q: mv.q,
                    exact: mv.exact,
                })
                .collect(),
            principal_variation: report
                .principal_variation
                .iter()
                .map(ToString::to_string)
                .collect(),
        }
    }

    fn print(&self, model: &str) {
        println!(
            "{model}, {} simulations, for {}:",
            self.simulations, self.to_move
        );
        println!(
            "  expected outcome {:+.3}, expected margin {:+.1} discs",
            self.outcome, self.margin
        );
        if let Some(score) = self.exact {
            println!("  proven: {score:+} discs under best play");
        }
        println!("  move   prior  policy  visits       Q");
        for mv in &self.moves {
            let q = mv.q.map_or("-".to_owned(), |q| format!("{q:+.3}"));
            let exact = mv
                .exact
                .map_or(String::new(), |score| format!("  proven {score:+}"));
            println!(
                "  {:<5}{:6.1}% {:6.1}%  {:>6}  {q:>6}{exact}",
                mv.mv,
                100.0 * mv.prior,
                100.0 * mv.policy,
                mv.visits,
            );
        }
        println!("  line: {}", self.principal_variation.join(" "));
    }
}
