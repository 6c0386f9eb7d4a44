use std::time::Duration;

use outflank_rules::{Game, Move};

/// Somebody who plays: the extension point of the arena.
///
/// A player lives on one thread and plays one game after the other there. What it does in a game
/// must follow from the game, the seed and nothing that an earlier game left behind; then a match
/// has the same games on any number of threads. (A player with a clock cannot promise that.)
///
/// Passes are forced, so the referee plays them. A player is asked only when it has a move, and
/// finds the passes of both sides in [`Game::plies`]; so it does with the opponent's moves and the
/// opening.
pub trait Player {
    /// The name in results and ladders.
    fn name(&self) -> &str;

    /// A game begins: at `game`, which may be some plies old. `seed` is for the game's random
    /// choices and differs from game to game.
    fn new_game(&mut self, game: &Game, seed: u64) -> Result<(), PlayerError>;

    /// The move in a game whose mover has one. Anything but a legal square loses the game.
    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError>;
}

/// Makes the players of one name, one for each thread that plays.
pub trait PlayerFactory: Sync {
    /// The name of every player made.
    fn name(&self) -> String;

    /// Makes a player. Called again after one has failed in a way that [`PlayerError::is_fatal`]
    /// calls fatal.
    fn make(&self) -> Result<Box<dyn Player>, PlayerError>;
}

/// A factory made of a name and a function.
pub struct FactoryFn<F> {
    name: String,
    make: F,
}

impl<F> FactoryFn<F>
where
    F: Fn() -> Result<Box<dyn Player>, PlayerError> + Sync,
{
    /// A factory that calls `make` for each player.
    pub fn new(name: impl Into<String>, make: F) -> FactoryFn<F> {
        FactoryFn {
            name: name.into(),
            make,
        }
    }
}

impl<F> PlayerFactory for FactoryFn<F>
where
    F: Fn() -> Result<Box<dyn Player>, PlayerError> + Sync,
{
    fn name(&self) -> String {
        self.name.clone()
    }

    fn make(&self) -> Result<Box<dyn Player>, PlayerError> {
        (self.make)()
    }
}

/// Why a player, an external engine most likely, did not come up with a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerError {
    /// It could not be started, has ended, or cannot be reached any more.
    #[error("crashed: {0}")]
    Crashed(String),
    /// It did not answer in time.
    #[error("gave no answer within {:.1} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// It answered something else than a move.
    #[error("answered '{0}'; expected a move")]
    NotAMove(String),
}

impl PlayerError {
    /// Whether the player is of no more use and a new one has to be made.
    pub fn is_fatal(&self) -> bool {
        matches!(self, PlayerError::Crashed(_) | PlayerError::TimedOut(_))
    }
}
