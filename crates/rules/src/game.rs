mod claim;
mod supply;
mod transcript;

pub use claim::{ClaimError, Difference, TakeBackError};
pub use supply::HandOver;
pub use transcript::{Passes, TranscriptError, TranscriptReason};

use crate::{Color, IllegalMove, Move, Position, Scoring, Size, SquareSet};
use supply::Supplies;

/// A game from any starting position: its plies, passes among them, and where they have led.
///
/// Passes are played like any ply; [`Game::must_pass`] tells when. Only transcripts may leave them
/// out.
///
/// ```
/// use outflank_rules::{Color, Game, Passes, Scoring, Size};
///
/// let mut game = Game::new(Size::Eight);
/// game.play("e6".parse()?)?;
/// assert_eq!(game.position().to_move, Color::White);
///
/// // The shortest game of all: a wipe-out in nine plies.
/// let game = Game::from_transcript(game.start(), "e6f4e3f6g5d6e7f5c5")?;
/// assert!(game.is_over());
/// assert_eq!(game.winner(), Some(Color::Black));
/// assert_eq!(game.score(Scoring::Plain), 13);
/// assert_eq!(game.score(Scoring::Tournament), 64);
/// assert_eq!(game.transcript(Passes::Omitted), "e6f4e3f6g5d6e7f5c5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    start: Position,
    plies: Vec<Ply>,
    position: Position,
    supplies: Supplies,
}

/// One ply of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The position that the player faced.
    pub before: Position,
    /// What the player did.
    pub mv: Move,
    /// Whether the player had run out of discs and was handed this one by the opponent.
    pub handed_over: bool,
}

impl Ply {
    /// Who made it.
    pub const fn player(&self) -> Color {
        self.before.to_move
    }

    /// The discs that it turned, none for a pass.
    pub fn flips(&self) -> SquareSet {
        self.mv
            .square()
            .map_or(SquareSet::EMPTY, |square| self.before.board.flips(square))
    }
}

impl Game {
    /// A game from the start position, Black to move.
    pub fn new(size: Size) -> Game {
        Game::from_position(Position::start(size))
    }

    /// A game from any position. How its discs came there is not known: the players are taken to
    /// have placed equally many, so that the mover has half of the remaining ones, rounded up.
    pub fn from_position(start: Position) -> Game {
        Game {
            start,
            plies: Vec::new(),
            position: start,
            supplies: Supplies::new(&start),
        }
    }

    /// The position that the game began with.
    pub const fn start(&self) -> Position {
        self.start
    }

    /// The current position.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The position after so many plies, `None` if there are not so many.
    pub fn position_after(&self, plies: usize) -> Option<Position> {
        if plies == self.plies.len() {
            return Some(self.position);
        }
        self.plies.get(plies).map(|ply| ply.before)
    }

    /// All plies so far, passes among them.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The squares where the player to move can play.
    pub const fn legal_moves(&self) -> SquareSet {
        self.position.board.legal_moves()
    }

    /// Whether the only legal ply is the pass.
    pub const fn must_pass(&self) -> bool {
        self.position.board.must_pass()
    }

    /// Whether neither player has a move.
    pub const fn is_over(&self) -> bool {
        self.position.board.is_over()
    }

    /// Black's discs minus White's, counted as `scoring` says, as if the game were over.
    pub fn score(&self, scoring: Scoring) -> i32 {
        self.position.score(scoring)
    }

    /// Who has won; `None` for a draw, and as long as the game is not over.
    pub fn winner(&self) -> Option<Color> {
        match self.score(Scoring::Plain) {
            _ if !self.is_over() => None,
            0 => None,
            score if score > 0 => Some(Color::Black),
            _ => Some(Color::White),
        }
    }

    /// Plays a legal ply. The game does not change if it is not one.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let before = self.position;
        self.position = before.apply(mv)?;
        let handed_over = !mv.is_pass() && self.supplies.place(before.to_move);
        self.plies.push(Ply {
            before,
            mv,
            handed_over,
        });
        Ok(())
    }

    /// Goes back one ply, whoever made it: for analysis. What the rules allow at the board is
    /// [`Game::take_back`].
    pub fn undo(&mut self) -> Option<Ply> {
        let ply = self.plies.pop()?;
        self.position = ply.before;
        if !ply.mv.is_pass() {
            self.supplies.put_back(ply.player(), ply.handed_over);
        }
        Some(ply)
    }
}
