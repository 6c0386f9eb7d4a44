use outflank_rules::{Board, Size, Square, SquareSet, Symmetry};

use crate::SearchKind;

/// A training position and its targets, all from the point of view of the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The position.
    pub board: Board,
    /// How it was searched.
    pub kind: SearchKind,
    /// The target of the policy: probabilities by [`Square::index`] that sum to 1, zero where not
    /// legal. `None` if the search is no target for it.
    pub policy: Option<[f32; 64]>,
    /// The target policy of the opponent in the position after the move that was played, where the
    /// opponent answered at once and its position is a training position too.
    pub reply: Option<[f32; 64]>,
    /// The game's outcome: 1 a win, 0 a draw, -1 a loss.
    pub outcome: f32,
    /// The game's tournament score in discs; `None` if it was resigned.
    pub margin: Option<f32>,
    /// The outcome that the search expected: wins less losses, from -1 to 1.
    pub search_value: f32,
    /// Who owned the squares at the end; `None` if the record stops before the end.
    pub ownership: Option<Ownership>,
    /// How much the sample counts in a loss, by its kind and its surprise.
    pub weight: f32,
}

/// The discs of the last position of a game, seen by the player to move in a sample. A square in
/// neither set stayed empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ownership {
    /// Squares that ended as the mover's.
    pub own: SquareSet,
    /// Squares that ended as the opponent's.
    pub opp: SquareSet,
}

impl Sample {
    /// The same sample on a turned or mirrored board: the position, the policies and the owners
    /// move together.
    pub fn transform(&self, symmetry: Symmetry) -> Sample {
        if symmetry == Symmetry::IDENTITY {
            return self.clone();
        }
        let size = self.board.size();
        let policy = |policy: &[f32; 64]| transform_policy(size, symmetry, policy);
        Sample {
            board: symmetry.board(&self.board),
            policy: self.policy.as_ref().map(policy),
            reply: self.reply.as_ref().map(policy),
            ownership: self.ownership.map(|owners| Ownership {
                own: symmetry.set(size, owners.own),
                opp: symmetry.set(size, owners.opp),
            }),
            ..*self
        }
    }
}

fn transform_policy(size: Size, symmetry: Symmetry, policy: &[f32; 64]) -> [f32; 64] {
    let mut transformed = [0.0; 64];
    for square in size.squares() {
        let to: Square = symmetry.square(size, square);
        transformed[to.index()] = policy[square.index()];
    }
    transformed
}
