//! A game move by move.

use std::collections::BTreeMap;

use outflank_rules::{Color, Game, Move};
use serde::Serialize;

use super::thinker::{Found, Thinker};

/// Plies of a line that the table shows.
const LINE_SHOWN: usize = 6;

/// A game as JSON.
#[derive(Serialize)]
pub struct GameAnalysis {
    pub model: String,
    pub simulations: u32,
    /// From so many empty squares on the solver knows every move.
    pub solve_empties: u32,
    pub start: String,
    /// The moves with a choice of squares, one included; passes are not.
    pub moves: Vec<PlyAnalysis>,
    /// By color.
    pub players: BTreeMap<String, Sums>,
}

/// One move. Losses are its player's; the evaluation is Black's.
#[derive(Serialize)]
pub struct PlyAnalysis {
    /// From 1, passes counted.
    pub ply: usize,
    pub color: String,
    pub empties: u32,
    #[serde(rename = "move")]
    pub mv: String,
    /// The move that the solver or else the search prefers: the played one if it is as good.
    pub best: String,
    /// Black's expected outcome before the move, wins less losses, -1 to 1.
    pub black_outcome: f32,
    /// Black's expected final margin in discs before the move, exact where solved.
    pub black_margin: f32,
    /// Visits of the played move and of all.
    pub visits: [u32; 2],
    /// Discs that the move gives away against perfect play, where the solver reaches.
    pub discs_lost: Option<i32>,
    /// Discs that it gives away by the search's estimates, if the search visited it.
    pub estimated_loss: Option<f32>,
    /// The search's line of play.
    pub principal_variation: Vec<String>,
}

/// What one player's moves come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sums {
    pub moves: usize,
    /// Moves that the solver or the search finds as good as any.
    pub best_moves: usize,
    /// Moves that the solver judged.
    pub solved: usize,
    pub discs_lost: i32,
}

impl GameAnalysis {
    pub fn new(model: String, game: &Game, thinker: &mut Thinker) -> GameAnalysis {
        let mut moves = Vec::new();
        let mut players: BTreeMap<String, Sums> = BTreeMap::new();
        for (place, ply) in game.plies().iter().enumerate() {
            if ply.mv.is_pass() {
                continue;
            }
            let position = game.position_after(place).expect("the game has this ply");
            let found = thinker.think(&position.board);
            let analysis = PlyAnalysis::new(place + 1, position.to_move, ply.mv, &found);
            let sums = players.entry(analysis.color.clone()).or_default();
            sums.moves += 1;
            sums.best_moves += usize::from(analysis.best == analysis.mv);
            sums.solved += usize::from(analysis.discs_lost.is_some());
            sums.discs_lost += analysis.discs_lost.unwrap_or(0);
            moves.push(analysis);
        }
        GameAnalysis {
            model,
            simulations: thinker.simulations(),
            solve_empties: thinker.solve_empties(),
            start: game.start().notation(),
            moves,
            players,
        }
    }

    pub fn print(&self) {
        println!(
            "{}, {} simulations a move; solved from {} empty squares on",
            self.model, self.simulations, self.solve_empties
        );
        println!(" ply  player  move  best   visits   outcome  margin   lost  line");
        for ply in &self.moves {
            let lost = match (ply.discs_lost, ply.estimated_loss) {
                (Some(lost), _) => lost.to_string(),
                (None, Some(loss)) => format!("~{loss:.1}"),
                (None, None) => "-".to_owned(),
            };
            let line = &ply.principal_variation;
            println!(
                "{:>4}  {:<6}  {:<4}  {:<4} {:>4}/{:<4}  {:+7.3}  {:+6.1}  {lost:>5}  {}",
                ply.ply,
                ply.color,
                ply.mv,
                ply.best,
                ply.visits[0],
                ply.visits[1],
                ply.black_outcome,
                ply.black_margin,
                line[..line.len().min(LINE_SHOWN)].join(" ")
            );
        }
        println!(
            "outcome and margin: Black's, before the move; visits: of the played move, of all; lost: discs\n\
             against perfect play, with ~ by the search's estimates; line: what the search expects."
        );
        for (color, sums) in &self.players {
            println!(
                "{color}: {} of {} moves are the best found; {} discs lost in the {} moves that the solver judged",
                sums.best_moves, sums.moves, sums.discs_lost, sums.solved
            );
        }
    }
}

impl PlyAnalysis {
    fn new(ply: usize, color: Color, mv: Move, found: &Found) -> PlyAnalysis {
        let report = &found.report;
        let sign = color.sign() as f32;
        let of = |mv: Move| report.moves.iter().find(|known| known.mv == mv);
        let played = of(mv);
        let visits = report.moves.iter().map(|mv| mv.visits).sum();
        let (best, discs_lost) = match &found.scores {
            Some(scores) => {
                let score = |mv: Move| scores.iter().find(|&&(m, _)| m == mv).map(|&(_, s)| s);
                let most = scores.iter().map(|&(_, score)| score).max();
                let lost = most.zip(score(mv)).map(|(most, score)| most - score);
                // Of moves that are as good the played one, or else the one that the search likes.
                let optimal = |mv: &Move| score(*mv) == most;
                let choices = [Some(mv), report.best];
                let best = choices.into_iter().flatten().find(optimal);
                let first = scores.iter().map(|&(mv, _)| mv).find(optimal);
                (best.or(first).unwrap_or(mv), lost)
            }
            None => (report.best.unwrap_or(mv), None),
        };
        let expected = |mv: Move| of(mv)?.margin;
        let estimated_loss = expected(best)
            .zip(played.and_then(|played| played.margin))
            .map(|(best, played)| (best - played).max(0.0));
        PlyAnalysis {
            ply,
            color: color.to_string(),
            empties: report.board.empties(),
            mv: mv.to_string(),
            best: best.to_string(),
            // No minus before a zero.
            black_outcome: sign * found.outcome() + 0.0,
            black_margin: sign * found.margin() + 0.0,
            visits: [played.map_or(0, |played| played.visits), visits],
            discs_lost,
            estimated_loss,
            principal_variation: report
                .principal_variation
                .iter()
                .map(ToString::to_string)
                .collect(),
        }
    }
}
