use outflank_rules::{Board, Symmetry};

use crate::{Evaluation, Evaluator};

/// Evaluates each position in several of its eight orientations and averages: a steadier judgement,
/// at as many times the cost, and with all eight the same for mirrored positions.
///
/// Values and margins are averaged as they are, policies by their logits.
pub struct Symmetrized<E> {
    inner: E,
    orientations: &'static [Symmetry],
    oriented: Vec<Board>,
    answers: Vec<Evaluation>,
}

impl<E: Evaluator> Symmetrized<E> {
    /// Averages the answers of this evaluator in the first so many orientations, 1 to 8; 1 leaves
    /// its answers as they are.
    ///
    /// # Panics
    /// If there are not so many orientations, or none.
    pub fn new(inner: E, orientations: usize) -> Symmetrized<E> {
        assert!(orientations > 0, "the board has an orientation");
        Symmetrized {
            inner,
            orientations: &Symmetry::ALL[..orientations],
            oriented: Vec::new(),
            answers: Vec::new(),
        }
    }
}

impl<E: Evaluator> Evaluator for Symmetrized<E> {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        if let [_] = self.orientations {
            return self.inner.evaluate(boards, out);
        }
        self.oriented.clear();
        for board in boards {
            let turned = self.orientations.iter();
            self.oriented
                .extend(turned.map(|symmetry| symmetry.board(board)));
        }
        self.inner.evaluate(&self.oriented, &mut self.answers);
        out.clear();
        for (board, answers) in boards
            .iter()
            .zip(self.answers.chunks(self.orientations.len()))
        {
            out.push(average(board, answers));
        }
    }
}

/// The mean of the evaluations of a board's orientations, turned back.
fn average(board: &Board, answers: &[Evaluation]) -> Evaluation {
    let mut mean = Evaluation::EVEN;
    let share = 1.0 / answers.len() as f32;
    for (symmetry, answer) in Symmetry::ALL.iter().zip(answers) {
        mean.value += share * answer.value;
        mean.margin += share * answer.margin;
        for square in board.legal_moves() {
            let turned = symmetry.square(board.size(), square);
            mean.policy[square.index()] += share * answer.policy[turned.index()];
        }
    }
    mean
}
