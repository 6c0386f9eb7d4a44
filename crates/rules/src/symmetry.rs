use crate::{Board, Size, Square, SquareSet};

/// One of the eight symmetries of a square board: `bits & 1` mirrors columns, `& 2` mirrors rows,
/// then `& 4` exchanges columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The symmetry that changes nothing.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry(0); 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Symmetry(i as u8);
            i += 1;
        }
        all
    };

    /// Where the square goes on a board of this size.
    pub const fn square(self, size: Size, square: Square) -> Square {
        let last = size.side() - 1;
        let (mut column, mut row) = (square.column(), square.row());
        if self.0 & 1 != 0 {
            column = last - column;
        }
        if self.0 & 2 != 0 {
            row = last - row;
        }
        if self.0 & 4 != 0 {
            (column, row) = (row, column);
        }
        Square::new(column, row).expect("a square of the board stays on the board")
    }

    /// Where the squares of a set go.
    pub fn set(self, size: Size, set: SquareSet) -> SquareSet {
        set.map(|square| self.square(size, square)).collect()
    }

    /// The transformed position.
    pub fn board(self, board: &Board) -> Board {
        let size = board.size();
        Board::new(
            size,
            self.set(size, board.own()),
            self.set(size, board.opp()),
        )
        .expect("a symmetry maps positions to positions")
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        // A mirror undoes itself; a mirror of one axis followed by the exchange is a quarter turn.
        match self.0 {
            5 => Symmetry(6),
            6 => Symmetry(5),
            _ => self,
        }
    }
}
