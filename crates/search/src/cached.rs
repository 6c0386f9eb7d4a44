use outflank_rules::Board;

use crate::{Evaluation, Evaluator};

/// Remembers the evaluations of the positions seen last, in a table of fixed size.
///
/// Evaluations depend on the board alone, so the memory never changes a result, only the time.
/// It belongs to one network: [`Cached::clear`] it when the network changes.
pub struct Cached<E> {
    inner: E,
    /// One place for each hash; a newer position takes the place of an older one.
    entries: Vec<Option<(Board, Evaluation)>>,
    hits: u64,
    lookups: u64,
    /// Of the current batch: the boards that are not known, and their places in the answer and
    /// in the table.
    missing: Vec<Board>,
    places: Vec<(usize, usize)>,
    answers: Vec<Evaluation>,
}

impl<E: Evaluator> Cached<E> {
    /// Remembers up to so many evaluations, of about 300 bytes each; 0 remembers none.
    pub fn new(inner: E, entries: usize) -> Cached<E> {
        Cached {
            inner,
            entries: vec![None; entries],
            hits: 0,
            lookups: 0,
            missing: Vec::new(),
            places: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Forgets all evaluations.
    pub fn clear(&mut self) {
        self.entries.fill(None);
    }

    /// The evaluator behind.
    pub fn inner_mut(&mut self) -> &mut E {
        &mut self.inner
    }

    /// The boards asked for so far, and those among them that were remembered.
    pub fn lookups_and_hits(&self) -> (u64, u64) {
        (self.lookups, self.hits)
    }

    /// The place of a board in a table with at least one entry.
    fn place(&self, board: &Board) -> usize {
        // Two odd multipliers spread the discs over the high bits, which the product then keeps.
        let own = board.own().bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let opp = board.opp().bits().wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let hash = (own ^ opp.rotate_left(32)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        ((hash as u128 * self.entries.len() as u128) >> 64) as usize
    }
}

impl<E: Evaluator> Evaluator for Cached<E> {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        if self.entries.is_empty() {
            return self.inner.evaluate(boards, out);
        }
        out.clear();
        self.missing.clear();
        self.places.clear();
        for board in boards {
            let place = self.place(board);
            match &self.entries[place] {
                Some((known, evaluation)) if known == board => out.push(evaluation.clone()),
                _ => {
                    self.missing.push(*board);
                    self.places.push((out.len(), place));
                    out.push(Evaluation::EVEN); // until the answer comes
                }
            }
        }
        self.lookups += boards.len() as u64;
        self.hits += (boards.len() - self.missing.len()) as u64;
        if self.missing.is_empty() {
            return;
        }
        self.inner.evaluate(&self.missing, &mut self.answers);
        for ((index, place), (evaluation, board)) in self
            .places
            .iter()
            .zip(self.answers.drain(..).zip(&self.missing))
        {
            out[*index] = evaluation.clone();
            self.entries[*place] = Some((*board, evaluation));
        }
    }
}
