use outflank_rules::bits;

use super::Isa;
use crate::evaluation::Evaluation;
use crate::guess::Node;
use crate::search::Search;

/// Plain Rust, for any processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Isa for Portable {
    #[inline(always)]
    fn legal_moves(self, own: u64, opp: u64, empty: u64) -> u64 {
        bits::legal_moves(own, opp, empty)
    }

    #[inline(always)]
    fn flips(self, own: u64, opp: u64, square: u32) -> u64 {
        bits::flips(own, opp, square)
    }

    #[inline(always)]
    fn last_flips(self, own: u64, square: u32) -> i32 {
        bits::flips(own, !own & !(1 << square), square).count_ones() as i32
    }

    #[inline(always)]
    fn prefetch<T>(self, _value: &T) {}

    fn four(search: &mut Search<'_, Self>, own: u64, opp: u64, alpha: i32) -> i32 {
        search.four_body(own, opp, alpha)
    }

    fn shallow(search: &mut Search<'_, Self>, own: u64, opp: u64, moves: u64, alpha: i32) -> i32 {
        search.shallow_body(own, opp, moves, alpha)
    }

    fn null_window(
        search: &mut Search<'_, Self>,
        own: u64,
        opp: u64,
        moves: u64,
        alpha: i32,
    ) -> i32 {
        search.null_window_body(own, opp, moves, alpha)
    }

    fn principal(search: &mut Search<'_, Self>, own: u64, opp: u64, alpha: i32, beta: i32) -> i32 {
        search.principal_body(own, opp, alpha, beta)
    }

    fn guess(
        search: &mut Search<'_, Self>,
        evaluation: &Evaluation,
        node: &Node,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        search.guess_body(evaluation, node, depth, alpha, beta)
    }
}
