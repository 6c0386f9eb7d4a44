use crate::evaluation::{Contents, Evaluation, UNIT};
use crate::isa::Isa;
use crate::ordering::Candidate;
use crate::search::Search;

/// From this many empty squares on, the evaluation orders the moves.
pub(crate) const GUESS_EMPTIES: u32 = 12;

/// From this many empty squares on, the guess looks one ply further.
const DEEPER: [u32; 7] = [14, 16, 18, 20, 21, 22, 23];

/// A position that the evaluation sees so many discs outside of the window is hardly a close one:
/// less care is enough, by so many plies if it is below and above the window.
const CLEAR: i32 = 6 * UNIT;
const LESS_BELOW: u32 = 2;
const LESS_ABOVE: u32 = 1;

/// A guess counts by its discs times this, beside the rank from the cheap features.
const GUESS_WEIGHT: i32 = 4;
const CHEAP_WEIGHT: i32 = 3;

/// Moves that look worse than the best one by this need no exact guess.
const MARGIN: i32 = UNIT;

/// Beyond every guess.
const INFINITY: i32 = 1000 * UNIT;

impl<I: Isa> Search<'_, I> {
    /// Ranks the candidates from `start` on by what the evaluation says some plies below each,
    /// and by their rank so far. `alpha`, in discs, is the lower end of the search's window.
    /// Returns the best guess.
    #[inline(always)]
    pub fn rank_by_guess(
        &mut self,
        evaluation: &Evaluation,
        own: u64,
        opp: u64,
        start: usize,
        alpha: i32,
    ) -> i32 {
        let parent = evaluation.contents(own, opp);
        let depth = self.guess_depth(evaluation, &parent, own, opp, start, alpha);
        let mut best = -INFINITY;
        self.candidates[start..].sort_unstable_by_key(|candidate| -candidate.rank);
        for i in start..self.candidates.len() {
            let candidate = self.candidates[i];
            let contents = evaluation.play(&parent, candidate.square.into(), candidate.own ^ opp);
            let node = Node::of(&candidate, contents);
            let guess = -I::guess(self, evaluation, &node, depth, -INFINITY, MARGIN - best);
            best = best.max(guess);
            self.candidates[i].rank = GUESS_WEIGHT * guess + CHEAP_WEIGHT * candidate.rank;
        }
        best
    }

    /// How many plies below the candidates from `start` on to guess.
    #[inline(always)]
    fn guess_depth(
        &self,
        evaluation: &Evaluation,
        contents: &Contents,
        own: u64,
        opp: u64,
        start: usize,
        alpha: i32,
    ) -> u32 {
        let empty = self.empty(own, opp);
        let empties = empty.count_ones();
        let depth = DEEPER.iter().filter(|&&deeper| empties >= deeper).count() as u32;
        if depth == 0 {
            return 0;
        }
        let own_moves = (self.candidates.len() - start) as u32;
        let opp_moves = self.isa.legal_moves(opp, own, empty).count_ones();
        let above = evaluation.evaluate(contents, own_moves, opp_moves) - UNIT * alpha;
        if above < -CLEAR {
            depth.saturating_sub(LESS_BELOW)
        } else if above > CLEAR {
            depth.saturating_sub(LESS_ABOVE)
        } else {
            depth
        }
    }

    /// The evaluation's score by a search of `depth` plies, fail-soft, in discs times [`UNIT`].
    #[inline(always)]
    pub fn guess_body(
        &mut self,
        evaluation: &Evaluation,
        node: &Node,
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        let &Node {
            own,
            opp,
            moves,
            ref contents,
        } = node;
        if depth == 0 || moves == 0 {
            let replies = self.isa.legal_moves(opp, own, self.empty(own, opp));
            if moves | replies == 0 {
                return UNIT * self.final_score(own, opp);
            }
            if depth == 0 {
                return evaluation.evaluate(contents, moves.count_ones(), replies.count_ones());
            }
            let passed = Node {
                own: opp,
                opp: own,
                moves: replies,
                contents: contents.reversed(),
            };
            return -I::guess(self, evaluation, &passed, depth, -beta, -alpha);
        }
        let start = self.push_candidates(own, opp, moves);
        let mut best = -INFINITY;
        while let Some(candidate) = self.pop_best(start) {
            let contents = evaluation.play(contents, candidate.square.into(), candidate.own ^ opp);
            let child = Node::of(&candidate, contents);
            let score = -I::guess(self, evaluation, &child, depth - 1, -beta, -alpha);
            if score > best {
                best = score;
                alpha = alpha.max(best);
                if best >= beta {
                    break;
                }
            }
        }
        self.candidates.truncate(start);
        best
    }
}

/// A position of the evaluation's search.
pub(crate) struct Node {
    own: u64,
    opp: u64,
    /// The mover's moves.
    moves: u64,
    contents: Contents,
}

impl Node {
    #[inline(always)]
    fn of(candidate: &Candidate, contents: Contents) -> Node {
        let &Candidate {
            own, opp, moves, ..
        } = candidate;
        Node {
            own,
            opp,
            moves,
            contents,
        }
    }
}
