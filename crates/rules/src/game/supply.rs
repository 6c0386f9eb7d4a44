//! The discs beside the board. They come in one set, half of it to each player, and a player who
//! has run out is handed one by the opponent, so a legal move never fails for want of a disc.

use crate::{Color, Game, Position};

/// Discs that the players have not placed yet. Together always as many as empty squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Supplies {
    black: u32,
    white: u32,
}

/// A disc that a player who had run out was handed by the opponent, and placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandOver {
    /// The index in [`Game::plies`] of the ply that needed it.
    pub ply: usize,
    /// The player who had run out.
    pub to: Color,
}

impl Supplies {
    /// Equal shares of the discs that are not on the board; an odd one is the mover's.
    pub(super) fn new(position: &Position) -> Supplies {
        let empties = position.board.empties();
        let (mover, other) = (empties.div_ceil(2), empties / 2);
        match position.to_move {
            Color::Black => Supplies {
                black: mover,
                white: other,
            },
            Color::White => Supplies {
                black: other,
                white: mover,
            },
        }
    }

    fn of(&mut self, player: Color) -> &mut u32 {
        match player {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// Takes the disc that a player places; `true` if the opponent had to hand it over.
    pub(super) fn place(&mut self, player: Color) -> bool {
        let handed_over = *self.of(player) == 0;
        *self.of(if handed_over { !player } else { player }) -= 1;
        handed_over
    }

    /// Undoes [`Supplies::place`].
    pub(super) fn put_back(&mut self, player: Color, handed_over: bool) {
        *self.of(if handed_over { !player } else { player }) += 1;
    }
}

impl Game {
    /// The discs that the player has not placed yet, half a set less two at the start.
    pub const fn supply(&self, player: Color) -> u32 {
        match player {
            Color::Black => self.supplies.black,
            Color::White => self.supplies.white,
        }
    }

    /// Every disc that a player had to be handed by the opponent, in the order of the game.
    pub fn hand_overs(&self) -> impl Iterator<Item = HandOver> {
        let plies = self.plies.iter().enumerate();
        plies
            .filter(|(_, ply)| ply.handed_over)
            .map(|(index, ply)| HandOver {
                ply: index,
                to: ply.player(),
            })
    }
}
