//! An examination on games that were held out.

use outflank_records::{Ending, GameRecord, ReplayError};
use outflank_search::Evaluator;
use serde::{Deserialize, Serialize};

/// How well a network predicts games that it has not learned from: sums over positions, which
/// [`Exam::means`] divides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exam {
    /// Positions with a choice of moves and a target of the policy.
    pub positions: f64,
    /// The network's first choice is the target's.
    pub top1: f64,
    /// The target's choice is among the network's first three.
    pub top3: f64,
    /// Cross entropy of the target under the policy, in nats.
    pub policy_loss: f64,
    /// The distance of the value, -1 to 1, from the game's outcome.
    pub outcome_error: f64,
    /// Positions of games with a score, not resigned.
    pub scored: f64,
    /// The distance of the margin from the game's score, in discs.
    pub margin_error: f64,
}

impl Exam {
    /// Examines a network on every position of a game that has a target and a choice of moves.
    pub fn of(game: &GameRecord, evaluator: &mut impl Evaluator) -> Result<Exam, ReplayError> {
        let mut steps = Vec::new();
        for step in game.replay() {
            let step = step?;
            let has_target = step
                .record
                .search
                .as_ref()
                .is_some_and(|s| !s.policy.is_empty());
            if has_target && step.board.legal_moves().len() > 1 {
                steps.push(step);
            }
        }
        let boards: Vec<_> = steps.iter().map(|step| step.board).collect();
        let mut evaluations = Vec::new();
        if !boards.is_empty() {
            evaluator.evaluate(&boards, &mut evaluations);
        }
        let mut exam = Exam::default();
        for (step, evaluation) in steps.iter().zip(&evaluations) {
            let search = step.record.search.as_ref().expect("it has a target");
            let logit =
                |square: outflank_rules::Square| f64::from(evaluation.policy[square.index()]);
            let legal = step.board.legal_moves();
            let total = legal
                .into_iter()
                .map(|square| logit(square).exp())
                .sum::<f64>();
            let best = search
                .policy
                .probabilities()
                .map(|(_, p)| p)
                .fold(0.0, f32::max);
            // Of several equally good moves the one that the network likes best counts.
            let liked = search
                .policy
                .probabilities()
                .filter(|&(_, probability)| probability == best)
                .map(|(square, _)| logit(square))
                .fold(f64::NEG_INFINITY, f64::max);
            let before = legal
                .into_iter()
                .filter(|&square| logit(square) > liked)
                .count();
            exam.positions += 1.0;
            exam.top1 += f64::from(u8::from(before == 0));
            exam.top3 += f64::from(u8::from(before < 3));
            exam.policy_loss += search
                .policy
                .probabilities()
                .map(|(square, p)| f64::from(p) * (total.ln() - logit(square)))
                .sum::<f64>();
            let margin = f64::from(step.to_move.sign()) * f64::from(game.black_margin);
            let outcome = if margin == 0.0 { 0.0 } else { margin.signum() };
            exam.outcome_error += (f64::from(evaluation.value) - outcome).abs();
            if game.ending != Ending::Resigned {
                exam.scored += 1.0;
                exam.margin_error += (f64::from(evaluation.margin) - margin).abs();
            }
        }
        Ok(exam)
    }

    /// Adds the sums of other games.
    pub fn add(&mut self, other: &Exam) {
        self.positions += other.positions;
        self.top1 += other.top1;
        self.top3 += other.top3;
        self.policy_loss += other.policy_loss;
        self.outcome_error += other.outcome_error;
        self.scored += other.scored;
        self.margin_error += other.margin_error;
    }

    /// The same with sums divided by the number of positions; those numbers stay.
    pub fn means(&self) -> Exam {
        let (all, scored) = (self.positions.max(1.0), self.scored.max(1.0));
        Exam {
            top1: self.top1 / all,
            top3: self.top3 / all,
            policy_loss: self.policy_loss / all,
            outcome_error: self.outcome_error / all,
            margin_error: self.margin_error / scored,
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use outflank_records::PlyRecord;
    use outflank_rules::{Board, Game, Position, Size, Square};
    use outflank_search::Evaluation;

    use super::*;
    use crate::imitate;

    /// Likes squares in the order of their names, and always sees the mover 10 discs ahead.
    struct ByName;

    impl Evaluator for ByName {
        fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
            out.clear();
            out.resize(boards.len(), Evaluation::EVEN);
            for evaluation in out {
                evaluation.policy = std::array::from_fn(|square| -(square as f32));
                (evaluation.value, evaluation.margin) = (0.5, 10.0);
            }
        }
    }

    #[test]
    fn an_exam_worked_out_by_hand() {
        // Legal first: d3 c4 f5 e6, played the third; then d6 f4 f6 as rows go f4 d6 f6, the second.
        let game = Game::from_transcript(Position::start(Size::Eight), "f5d6").expect("legal");
        let plies = game.plies().iter().map(|ply| PlyRecord {
            mv: ply.mv,
            search: None,
        });
        let mut record = GameRecord {
            size: Size::Eight,
            seed: 0,
            players: None,
            plies: plies.collect(),
            ending: Ending::Solved,
            black_margin: 4,
        };
        imitate(&mut record);
        let exam = Exam::of(&record, &mut ByName).expect("legal");
        assert_eq!((exam.positions, exam.top1, exam.top3), (2.0, 0.0, 2.0));
        // Black wins by 4: the value is half off, then one and a half; the margin 6, then 14.
        assert_eq!((exam.outcome_error, exam.margin_error), (2.0, 20.0));
        let means = exam.means();
        assert_eq!(
            (means.top3, means.margin_error, means.positions),
            (1.0, 10.0, 2.0)
        );
        let squares: Vec<f64> = ["d3", "c4", "f5", "e6"]
            .map(|name| name.parse::<Square>().expect("a square").index() as f64)
            .to_vec();
        let total: f64 = squares.iter().map(|index| (-index).exp()).sum();
        let first = total.ln() + squares[2];
        record.plies.truncate(1);
        let exam = Exam::of(&record, &mut ByName).expect("legal");
        assert!((exam.policy_loss - first).abs() < 1e-4, "{exam:?}");
    }
}
