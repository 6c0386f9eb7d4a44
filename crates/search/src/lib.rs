//! The search of Outflank: a tree of positions grown by the judgement of an [`Evaluator`].
//!
//! Start with [`search()`], which searches one position from beginning to end, or with [`Tree`] and
//! its two halves: [`Tree::gather`] walks down to a position that needs an evaluation and hands it
//! out, [`Tree::apply`] takes the evaluation and backs it up. Whoever drives many trees collects
//! their leaves in one batch between the two.
//!
//! Two ways to choose moves share the tree: `gumbel` with `sequential_halving` (Danihelka et al.,
//! "Policy improvement by planning with Gumbel", ICLR 2022), and `puct` (AlphaZero, KataGo).
//! Positions with few empties are solved instead of guessed, and what is proven stays proven on
//! its way to the root. Positions that several orders of moves lead to can be kept once (`graph`):
//! then the tree is a graph without cycles.
//!
//! Every value is seen by the player to move in the position that it belongs to. A pass is a move
//! like any other, so a value changes its sign exactly once an edge.
//!
//! Deliberately absent: networks, threads, files, and any source of randomness of its own.

mod budget;
mod cached;
mod config;
mod evaluation;
mod exp;
mod graph;
mod gumbel;
mod puct;
mod report;
mod root;
mod sequential_halving;
mod symmetrized;
mod tree;
mod utility;
mod walk;
mod wipe_out;

pub use budget::{Budget, search, search_tree};
pub use cached::Cached;
pub use config::{ConfigError, GumbelConfig, Method, PuctConfig, SearchConfig};
pub use evaluation::{DiscCount, Evaluation, Evaluator, Uniform};
pub use report::{MoveReport, SearchReport};
pub use sequential_halving::considered_visits;
pub use symmetrized::Symmetrized;
pub use tree::Tree;
pub use utility::Utility;
pub use walk::{Gather, LeafId};
