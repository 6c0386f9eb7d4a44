//! The players that need nothing from outside: fixed opponents of known habits, and the search.

mod alpha_beta;
mod builtin;
mod greedy;
mod perfect;
mod random;
mod rollout;
mod search_player;

pub use alpha_beta::{AlphaBeta, corners_and_mobility};
pub use builtin::{Builtin, ParseBuiltinError};
pub use greedy::Greedy;
pub use perfect::Perfect;
pub use random::Random;
pub(crate) use random::random_move;
pub use rollout::Rollout;
pub use search_player::{SearchPlayer, SearchPlayerConfig, follow};
