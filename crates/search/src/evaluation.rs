use outflank_rules::{Board, Scoring};

/// What an evaluator thinks of one position. The mover is the player to move in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Logits of the mover's moves by [`outflank_rules::Square::index`], whatever the size of the
    /// board. Only legal squares are read; if one of those is not a number, or none is finite, the
    /// search takes all legal moves as equally good.
    pub policy: [f32; 64],
    /// The expected outcome for the mover, wins less losses, in [-1, 1].
    pub value: f32,
    /// The expected final disc difference for the mover, empties to the winner, in discs.
    pub margin: f32,
}

impl Evaluation {
    /// All moves alike, an even game.
    pub const EVEN: Evaluation = Evaluation {
        policy: [0.0; 64],
        value: 0.0,
        margin: 0.0,
    };

    /// The value inside of its range. One that is not a number says nothing and counts as even:
    /// it would spread to every node above.
    pub(crate) fn known_value(&self) -> f32 {
        if self.value.is_nan() {
            0.0
        } else {
            self.value.clamp(-1.0, 1.0)
        }
    }

    /// The margin, likewise.
    pub(crate) fn known_margin(&self) -> f32 {
        if self.margin.is_nan() {
            0.0
        } else {
            self.margin.clamp(-64.0, 64.0)
        }
    }
}

/// The source of judgement of a search: a network, usually.
///
/// A search relies on it that an evaluation depends on the board alone, not on the boards that
/// happen to be in the same batch: then the same seed gives the same moves in any batch.
pub trait Evaluator {
    /// Clears `out` and fills it with one evaluation a board, in the same order. Never called with
    /// a board whose mover has no move.
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>);
}

/// Knows nothing: every move and every position alike. For tests and benches, and as the plain
/// Monte-Carlo tree search that a network has to beat.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl Evaluator for Uniform {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        out.clear();
        out.resize(boards.len(), Evaluation::EVEN);
    }
}

/// Expects the game to end with the disc difference on the board now. A poor judge, but one whose
/// values differ from position to position and change sign with the mover: enough to test with.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiscCount;

impl Evaluator for DiscCount {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        out.clear();
        out.extend(boards.iter().map(|board| {
            let difference = board.score(Scoring::Plain) as f32;
            Evaluation {
                value: difference / board.size().area() as f32,
                margin: difference,
                ..Evaluation::EVEN
            }
        }));
    }
}
