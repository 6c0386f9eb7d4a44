use outflank_rules::{Board, Symmetry};

use crate::{Evaluation, Evaluator};

/// Evaluates each position in all its eight orientations and averages: a steadier judgement, the
/// same for mirrored positions, at eight times the cost.
///
/// Values and margins are averaged as they are, policies by their logits.
pub struct Symmetrized<E> {
    inner: E,
    oriented: Vec<Board>,
    answers: Vec<Evaluation>,
}

impl<E: Evaluator> Symmetrized<E> {
    /// Averages the answers of this evaluator.
    pub fn new(inner: E) -> Symmetrized<E> {
        Symmetrized {
            inner,
            oriented: Vec::new(),
            answers: Vec::new(),
        }
    }
}

impl<E: Evaluator> Evaluator for Symmetrized<E> {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        self.oriented.clear();
        for board in boards {
            self.oriented
                .extend(Symmetry::ALL.map(|symmetry| symmetry.board(board)));
        }
        self.inner.evaluate(&self.oriented, &mut self.answers);
        out.clear();
        for (board, answers) in boards.iter().zip(self.answers.chunks(Symmetry::ALL.len())) {
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
