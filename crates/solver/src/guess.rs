use crate::evaluation::{Contents, Evaluation, UNIT};
use crate::isa::Isa;
use crate::ordering::Candidate;
use crate::search::Search;

/// From this many empty squares on, the evaluation orders the moves.
pub(crate) const GUESS_EMPTIES: u32 = 11;

/// From this many empty squares on, the guess looks one ply further.
const DEEPER: [u32; 5] = [13, 15, 17, 19, 21];

/// A guess counts by its discs times this, beside the rank from the cheap features.
const GUESS_WEIGHT: i32 = 4;
const CHEAP_WEIGHT: i32 = 3;

/// Moves that look worse than the best one by this need no exact guess.
const MARGIN: i32 = 2 * UNIT;

/// Beyond every guess.
const INFINITY: i32 = 1000 * UNIT;

impl<I: Isa> Search<'_, I> {
    /// Ranks the candidates from `start` on by what the evaluation says some plies below each,
    /// and by their rank so far. Returns the best guess.
    #[inline(always)]
    pub fn rank_by_guess(
        &mut self,
        evaluation: &Evaluation,
        own: u64,
        opp: u64,
        start: usize,
    ) -> i32 {
        let empties = self.empty(own, opp).count_ones();
        let depth = DEEPER.iter().filter(|&&deeper| empties >= deeper).count() as u32;
        let parent = evaluation.contents(own, opp);
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
