//! `outflank analyze`: what a model, its search and the solver think of a position, or of each move
//! of a game.

mod game;
mod source;
mod thinker;

use anyhow::Result;
use outflank_net::CompiledNetwork;
use outflank_rules::{Move, Position};
use serde::Serialize;

use self::game::GameAnalysis;
use self::thinker::{Found, Thinker};
use crate::args::Analyze;
use crate::players::load_named;

/// A position as JSON. Values are seen by the player to move.
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
    /// Discs that the move gives away against perfect play, where the solver reaches.
    discs_lost: Option<i32>,
}

pub fn run(args: &Analyze) -> Result<()> {
    let (name, model) = load_named(&args.model)?;
    let size = model.weights.architecture().size;
    let game = source::read(&args.game, size, args.number)?;
    let network = CompiledNetwork::new(&model.weights);
    let mut thinker = Thinker::new(network, args.simulations, args.solve)?;
    if !game.plies().is_empty() {
        let analysis = GameAnalysis::new(name, &game, &mut thinker);
        if args.json {
            println!("{}", serde_json::to_string_pretty(&analysis)?);
        } else {
            analysis.print();
        }
        return Ok(());
    }
    let position = game.position();
    let analysis = Analysis::new(&position, &thinker.think(&position.board));
    if args.json {
        println!("{}", serde_json::to_string_pretty(&analysis)?);
    } else {
        println!("{position}");
        analysis.print(&name);
    }
    Ok(())
}

impl Analysis {
    fn new(position: &Position, found: &Found) -> Analysis {
        let report = &found.report;
        let best = found.exact();
        let solved = |mv: Move| {
            let scores = found.scores.as_ref()?;
            scores.iter().find(|&&(m, _)| m == mv).map(|&(_, s)| s)
        };
        Analysis {
            position: position.notation(),
            to_move: position.to_move.to_string(),
            simulations: report.simulations,
            outcome: report.outcome,
            margin: report.margin,
            exact: best.or(report.exact),
            moves: report
                .moves
                .iter()
                .map(|mv| MoveAnalysis {
                    mv: mv.mv.to_string(),
                    prior: mv.prior,
                    policy: mv.policy,
                    visits: mv.visits,
                    q: mv.q,
                    exact: solved(mv.mv).or(mv.exact),
                    discs_lost: best.zip(solved(mv.mv)).map(|(best, score)| best - score),
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
            let exact = match (mv.exact, mv.discs_lost) {
                (Some(score), Some(lost)) => format!("  exact {score:+}, loses {lost}"),
                (Some(score), None) => format!("  exact {score:+}"),
                _ => String::new(),
            };
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
