//! The instruction sets that the search is compiled for.
//!
//! The baseline of x86-64 has neither a population count nor bit gathering, and a function can
//! only inline what is compiled for the same features. So the recursion is generic over an [`Isa`]
//! token, and each recursive function is entered through a method of the token: the method carries
//! the features, and the function's body is inlined into it.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
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
