//! Honest strength: who is better, by how much, and how sure that is.
//!
//! Start with [`play_match`]: two players, a set of openings, each played with both colours, on as
//! many threads as there are, and a result that says how many games really differed. From there:
//! - [`Player`] is the extension point, with a [`PlayerFactory`] that makes one for each thread;
//!   [`Builtin`] has the opponents that need nothing from outside, [`SearchPlayer`] plays with any
//!   [`Evaluator`](outflank_search::Evaluator);
//! - [`OpeningSet`] makes openings: balanced ones, random ones, or the user's own;
//! - [`PairScores`] turns pairs of games into Elo points with an interval, [`Sprt`] stops a match
//!   as soon as it is decided;
//! - [`play_part`] and [`count_match`] split a match among processes, [`conduct`] a tournament;
//! - [`play_tournament`] pairs many players, [`Ladder`] puts all their games on one scale and says
//!   which ones to play next.
//!
//! Everything but a player with a clock follows from the seed, whatever the number of threads.
//!
//! Deliberately absent: networks, engines in other processes, files, progress bars. Results are
//! plain structs for `serde` that display as text; matches report to a [`MatchObserver`].

mod ladder;
mod matches;
mod openings;
mod parallel;
mod player;
mod players;
mod stats;
mod symmetry;
mod tournament;

pub use ladder::{Group, Ladder, LadderConfig, LadderError, Rated, Scores, Suggestion};
pub use matches::{
    CrashPolicy, End, ForfeitKind, MatchConfig, MatchError, MatchObserver, MatchResult,
    OpeningsUsed, PlayedGame, Progress, ReplayError, Results, Summary, count_match, play_match,
    play_part,
};
pub use openings::{
    Balanced, LineError, OpeningError, OpeningSet, OpeningSource, by_alpha_beta, by_evaluator,
    positions,
};
pub use parallel::Parallel;
pub use player::{FactoryFn, Player, PlayerError, PlayerFactory};
pub use players::{
    AlphaBeta, Builtin, Greedy, ParseBuiltinError, Perfect, Random, Rollout, SearchPlayer,
    SearchPlayerConfig, corners_and_mobility, follow,
};
pub use stats::{
    Estimate, Outcome, PairScores, Sprt, SprtConfig, SprtError, SprtState, SprtVerdict,
    elo_difference, expected_score,
};
pub use tournament::{Schedule, TournamentError, TournamentResult, conduct, play_tournament};
