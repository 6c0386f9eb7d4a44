use outflank_rules::Size;

use crate::Evaluation;

/// What the search maximises: mostly to win, and partly to win by many discs.
///
/// `(1 - margin_weight) * outcome + margin_weight * clamp(score / (area / 2), -1, 1)`, in [-1, 1].
/// Without the margin a search plays carelessly wherever it feels sure of the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Utility {
    outcome_weight: f32,
    margin_weight: f32,
    per_disc: f32,
}

impl Utility {
    /// The utility on a board of this size.
    pub fn new(margin_weight: f32, size: Size) -> Utility {
        Utility {
            outcome_weight: 1.0 - margin_weight,
            margin_weight,
            per_disc: 2.0 / size.area() as f32,
        }
    }

    /// Of a known final score: a disc difference, empties to the winner.
    pub fn of_score(&self, score: i32) -> f32 {
        self.blend(score.signum() as f32, score as f32)
    }

    /// Of a position's evaluation. What is not a number counts as even.
    pub fn of_evaluation(&self, evaluation: &Evaluation) -> f32 {
        self.blend(evaluation.known_value(), evaluation.known_margin())
    }

    fn blend(&self, outcome: f32, discs: f32) -> f32 {
        self.outcome_weight * outcome
            + self.margin_weight * (discs * self.per_disc).clamp(-1.0, 1.0)
    }
}
