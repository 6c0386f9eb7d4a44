use outflank_rules::{Color, Game, IllegalMove, Move};

use crate::{Player, PlayerError};

/// Why a game ended before the rules ended it.
#[derive(Debug)]
pub struct Breach {
    /// Whose fault it is.
    pub by: Color,
    pub reason: BreachReason,
}

#[derive(Debug, thiserror::Error)]
pub enum BreachReason {
    #[error("played {0}: {1}")]
    Illegal(Move, IllegalMove),
    #[error(transparent)]
    Player(PlayerError),
}

/// Plays a game from its opening to the end. Passes are played for both, since they are forced; a
/// player is asked only when there is a choice of squares, one included.
pub fn play(
    game: &mut Game,
    black: &mut dyn Player,
    white: &mut dyn Player,
    seeds: [u64; 2],
) -> Result<(), Breach> {
    let failed = |by| {
        move |error| Breach {
            by,
            reason: BreachReason::Player(error),
        }
    };
    black
        .new_game(game, seeds[0])
        .map_err(failed(Color::Black))?;
    white
        .new_game(game, seeds[1])
        .map_err(failed(Color::White))?;
    while !game.is_over() {
        let by = game.position().to_move;
        let mv = if game.must_pass() {
            Move::Pass
        } else {
            match by {
                Color::Black => black.choose(game),
                Color::White => white.choose(game),
            }
            .map_err(failed(by))?
        };
        game.play(mv).map_err(|error| Breach {
            by,
            reason: BreachReason::Illegal(mv, error),
        })?;
    }
    Ok(())
}
