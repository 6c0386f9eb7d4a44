use serde::{Deserialize, Serialize};

use crate::{IllegalMove, Move, Size, Square, SquareSet, bits};

/// How discs are counted when a game is over. The two are never mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scoring {
    /// Discs on the board only.
    Plain,
    /// As tournaments count: the squares that stay empty go to the winner.
    #[default]
    Tournament,
}

/// A position seen by the player to move: the mover's discs, the opponent's discs, the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    own: u64,
    opp: u64,
    size: Size,
}

/// Bitboards that are no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// Both players have a disc on this square.
    #[error("both players have a disc on {0}")]
    Overlap(Square),
    /// There is a disc beyond the board.
    #[error("there is a disc on {0}, outside of the {1} board")]
    OffBoard(Square, Size),
}

impl Board {
    /// The start: White on the two central squares of the main diagonal (d4 and e5 on 8x8), Black
    /// on the other two, Black to move.
    pub const fn start(size: Size) -> Board {
        let half = size.side() / 2;
        let corner = 9 * (half - 1);
        Board {
            own: (1 << (corner + 1)) | (1 << (corner + 8)),
            opp: (1 << corner) | (1 << (corner + 9)),
            size,
        }
    }

    /// The position with these discs, the mover's first.
    pub const fn new(size: Size, own: SquareSet, opp: SquareSet) -> Result<Board, BoardError> {
        let (own, opp) = (own.bits(), opp.bits());
        if let Some(square) = SquareSet::from_bits(own & opp).first() {
            return Err(BoardError::Overlap(square));
        }
        if let Some(square) = SquareSet::from_bits((own | opp) & !size.squares().bits()).first() {
            return Err(BoardError::OffBoard(square, size));
        }
        Ok(Board { own, opp, size })
    }

    /// [`Board::new`] for sets that are disjoint and on the board by construction.
    pub(crate) const fn new_unchecked(size: Size, own: SquareSet, opp: SquareSet) -> Board {
        let board = Board {
            own: own.bits(),
            opp: opp.bits(),
            size,
        };
        debug_assert!(board.own & board.opp == 0);
        debug_assert!((board.own | board.opp) & !size.squares().bits() == 0);
        board
    }

    /// The size of the board.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The mover's discs.
    pub const fn own(&self) -> SquareSet {
        SquareSet::from_bits(self.own)
    }

    /// The opponent's discs.
    pub const fn opp(&self) -> SquareSet {
        SquareSet::from_bits(self.opp)
    }

    /// The empty squares.
    pub const fn empty(&self) -> SquareSet {
        SquareSet::from_bits(!(self.own | self.opp) & self.size.squares().bits())
    }

    /// The number of empty squares.
    pub const fn empties(&self) -> u32 {
        self.empty().len()
    }

    /// Every square where the mover outflanks at least one disc.
    #[inline]
    pub const fn legal_moves(&self) -> SquareSet {
        SquareSet::from_bits(bits::legal_moves(self.own, self.opp, self.empty().bits()))
    }

    /// The discs that turn if the mover plays `square`: none exactly if that is not legal.
    #[inline]
    pub const fn flips(&self, square: Square) -> SquareSet {
        if !self.empty().contains(square) {
            return SquareSet::EMPTY;
        }
        SquareSet::from_bits(bits::flips(self.own, self.opp, square.index() as u32))
    }

    /// The position after the mover plays `square`, seen by the opponent; `None` if not legal.
    #[inline]
    pub const fn play(&self, square: Square) -> Option<Board> {
        let flips = self.flips(square).bits();
        if flips == 0 {
            return None;
        }
        Some(Board {
            own: self.opp & !flips,
            opp: self.own | flips | square.bit(),
            size: self.size,
        })
    }

    /// The position after any legal ply, pass or disc, seen by the opponent. For callers that do
    /// not know the move to be legal; the error says which rule it breaks.
    pub fn apply(&self, mv: Move) -> Result<Board, IllegalMove> {
        match mv {
            Move::Place(square) => self.play(square).ok_or_else(|| self.why_illegal(square)),
            Move::Pass => match self.legal_moves().first() {
                Some(square) => Err(IllegalMove::MayNotPass(square)),
                None if self.is_over() => Err(IllegalMove::GameOver),
                None => Ok(self.pass()),
            },
        }
    }

    fn why_illegal(&self, square: Square) -> IllegalMove {
        if !self.size.contains(square) {
            IllegalMove::OffBoard(square, self.size)
        } else if self.is_over() {
            IllegalMove::GameOver
        } else if !self.empty().contains(square) {
            IllegalMove::Occupied(square)
        } else if self.must_pass() {
            IllegalMove::MustPass(square)
        } else {
            IllegalMove::OutflanksNothing(square)
        }
    }

    /// Every legal ply: the squares in order, or the pass alone, or nothing when the game is over.
    pub fn moves(&self) -> impl Iterator<Item = Move> + use<> {
        let squares = self.legal_moves();
        let must_pass = squares.is_empty() && !self.pass().legal_moves().is_empty();
        squares
            .map(Move::Place)
            .chain(must_pass.then_some(Move::Pass))
    }

    /// The same discs seen by the other player. Whether a pass is allowed is [`Board::must_pass`].
    #[inline]
    pub const fn pass(&self) -> Board {
        Board {
            own: self.opp,
            opp: self.own,
            size: self.size,
        }
    }

    /// Whether the mover has no move and the opponent has one.
    pub const fn must_pass(&self) -> bool {
        self.legal_moves().is_empty() && !self.pass().legal_moves().is_empty()
    }

    /// Whether neither player has a move.
    pub const fn is_over(&self) -> bool {
        self.legal_moves().is_empty() && self.pass().legal_moves().is_empty()
    }

    /// The mover's discs minus the opponent's, counted as `scoring` says, as if the game were over.
    pub const fn score(&self, scoring: Scoring) -> i32 {
        let difference = self.own.count_ones() as i32 - self.opp.count_ones() as i32;
        match scoring {
            Scoring::Plain => difference,
            Scoring::Tournament => difference + difference.signum() * self.empties() as i32,
        }
    }
}
