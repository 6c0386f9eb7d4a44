use crate::evaluation::{Contents, Evaluation, UNIT};
use crate::isa::Isa;
use crate::search::{NONE, Search};

pub static TUNE: std::sync::LazyLock<Vec<i32>> = std::sync::LazyLock::new(|| {
    let mut v: Vec<i32> = std::env::var("TUNE")
        .unwrap_or_default()
        .split(',')
        .filter_map(|s| s.parse().ok())
        .collect();
    let d = [11, 12, 14, 17, 20, 23, 10, 512, 9, 4];
    for i in v.len()..d.len() {
        v.push(d[i]);
    }
    v
});

impl<I: Isa> Search<'_, I> {
    /// Ranks the candidates from `start` on by a search of the evaluation `depth` plies below
    /// each.
    #[inline(always)]
    pub fn rank_by_guess(
        &mut self,
        evaluation: &Evaluation,
        own: u64,
        opp: u64,
        start: usize,
    ) -> i32 {
        let parent = evaluation.contents(own, opp);
        let n = self.empty(own, opp).count_ones() as i32;
        let t = &*TUNE;
        let depth = (2..6).filter(|&i| n >= t[i]).count() as u32;
        let w = t[1];
        let mut alpha = -10_000;
        for i in start..self.candidates.len() {
            let candidate = self.candidates[i];
            let flips = candidate.own ^ opp;
            let contents = evaluation.play(&parent, candidate.square.into(), flips);
            let guess = -I::guess(
                self,
                evaluation,
                &contents,
                candidate.own,
                candidate.opp,
                candidate.moves,
                depth,
                -10_000,
                -(alpha - 10 * UNIT),
            );
            alpha = alpha.max(guess);
            self.candidates[i].rank = 8 * guess + candidate.rank * w / 2;
        }
        alpha
    }

    /// The evaluation's score by a search of `depth` plies, fail-soft, in discs times [`UNIT`].
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    pub fn guess_body(
        &mut self,
        evaluation: &Evaluation,
        contents: &Contents,
        own: u64,
        opp: u64,
        moves: u64,
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        let empty = self.empty(own, opp);
        if depth == 0 {
            let opp_moves = self.isa.legal_moves(opp, own, empty);
            if moves | opp_moves == 0 {
                return UNIT * self.final_score(own, opp);
            }
            return evaluation.evaluate(contents, moves.count_ones(), opp_moves.count_ones());
        }
        if moves == 0 {
            let replies = self.isa.legal_moves(opp, own, empty);
            if replies == 0 {
                return UNIT * self.final_score(own, opp);
            }
            let passed = contents.reversed();
            return -I::guess(
                self, evaluation, &passed, opp, own, replies, depth, -beta, -alpha,
            );
        }
        let start = self.push_candidates(own, opp, moves);
        let mut best = 100 * UNIT * NONE;
        while let Some(candidate) = self.pop_best(start) {
            let flips = candidate.own ^ opp;
            let next = evaluation.play(contents, candidate.square.into(), flips);
            let score = -I::guess(
                self,
                evaluation,
                &next,
                candidate.own,
                candidate.opp,
                candidate.moves,
                depth - 1,
                -beta,
                -alpha,
            );
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
