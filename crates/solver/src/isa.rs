//! The instruction sets that the search is compiled for.
//!
//! The baseline of x86-64 has neither a population count nor bit gathering, and a function can
//! only inline what is compiled for the same features. So the recursion is generic over an [`Isa`]
//! token, and each recursive function is entered through a method of the token: the method carries
//! the features, and the function's body is inlined into it.

/// Implements the methods of [`Isa`] that enter the search by functions compiled for some features.
#[cfg(target_arch = "x86_64")]
macro_rules! entered_with {
    ($isa:ty, $features:literal) => {
        entered_with! {
            $isa, $features:
            fn four(search, own: u64, opp: u64, alpha: i32) = four_body;
            fn shallow(search, own: u64, opp: u64, moves: u64, alpha: i32) = shallow_body;
            fn null_window(search, own: u64, opp: u64, moves: u64, alpha: i32) = null_window_body;
            fn principal(search, own: u64, opp: u64, alpha: i32, beta: i32) = principal_body;
            fn guess(search, evaluation: &$crate::evaluation::Evaluation, node: &$crate::guess::Node,
                depth: u32, alpha: i32, beta: i32) = guess_body;
        }
    };
    ($isa:ty, $features:literal:
        $(fn $name:ident($search:ident, $($argument:ident: $type:ty),*) = $body:ident;)*) => {$(
        #[inline(always)]
        fn $name($search: &mut $crate::search::Search<'_, Self>, $($argument: $type),*) -> i32 {
            #[target_feature(enable = $features)]
            fn compiled(
                $search: &mut $crate::search::Search<'_, $isa>,
                $($argument: $type),*
            ) -> i32 {
                $search.$body($($argument),*)
            }
            // SAFETY: the search holds the token, so the processor has the features.
            unsafe { compiled($search, $($argument),*) }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
pub(crate) use portable::Portable;

use crate::evaluation::Evaluation;
use crate::guess::Node;
use crate::search::Search;

/// Proof that this processor has an instruction set, with the primitives written for it.
pub(crate) trait Isa: Copy + Send + Sync + 'static {
    /// The squares of `empty` where the mover outflanks a disc.
    fn legal_moves(self, own: u64, opp: u64, empty: u64) -> u64;

    /// The discs that the mover turns by playing on an empty square.
    fn flips(self, own: u64, opp: u64, square: u32) -> u64;

    /// How many discs the mover turns by playing on the only empty square.
    fn last_flips(self, own: u64, square: u32) -> i32;

    /// Asks for a value to be brought to the cache: it is read soon.
    fn prefetch<T>(self, value: &T);

    /// Enters [`Search::four_body`].
    fn four(search: &mut Search<'_, Self>, own: u64, opp: u64, alpha: i32) -> i32;

    /// Enters [`Search::shallow_body`].
    fn shallow(search: &mut Search<'_, Self>, own: u64, opp: u64, moves: u64, alpha: i32) -> i32;

    /// Enters [`Search::null_window_body`].
    fn null_window(
        search: &mut Search<'_, Self>,
        own: u64,
        opp: u64,
        moves: u64,
        alpha: i32,
    ) -> i32;

    /// Enters [`Search::principal_body`].
    fn principal(search: &mut Search<'_, Self>, own: u64, opp: u64, alpha: i32, beta: i32) -> i32;

    /// Enters [`Search::guess_body`].
    fn guess(
        search: &mut Search<'_, Self>,
        evaluation: &Evaluation,
        node: &Node,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> i32;
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use outflank_rules::bits;

    use super::*;

    fn equal_the_rules(isa: impl Isa) {
        let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for round in 0..20_000 {
            // Boards from half to nearly full.
            let full = (0..round % 4).fold(next(), |set, _| set | next());
            let colour = next();
            let (own, opp) = (full & colour, full & !colour);
            let moves = isa.legal_moves(own, opp, !full);
            assert_eq!(moves, bits::legal_moves(own, opp, !full));
            for square in (0..64).filter(|&square| !full >> square & 1 == 1) {
                let flips = bits::flips(own, opp, square);
                assert_eq!(
                    isa.flips(own, opp, square),
                    flips,
                    "{own:x} {opp:x} {square}"
                );
                let others = !own & !(1 << square);
                let last = bits::flips(own, others, square).count_ones() as i32;
                assert_eq!(isa.last_flips(own, square), last, "{own:x} {square}");
            }
        }
    }

    #[test]
    fn all_instruction_sets_follow_the_rules() {
        if let Some(avx2) = Avx2::detect() {
            equal_the_rules(avx2);
        }
        if let Some(avx512) = Avx512::detect() {
            equal_the_rules(avx512);
        }
    }
}
