//! Positions and games that differ only by a symmetry of the board count as the same.

use outflank_rules::{Board, Color, Move, Position, Size, Symmetry};

/// A position's representative among its mirrored and turned copies: equal exactly for positions
/// that a symmetry maps onto each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionKey {
    own: u64,
    opp: u64,
    size: Size,
    black_to_move: bool,
}

impl PositionKey {
    /// The key of a position.
    pub fn new(position: &Position) -> PositionKey {
        let (own, opp) = Symmetry::ALL
            .iter()
            .map(|symmetry| bits(&symmetry.board(&position.board)))
            .min()
            .expect("there are eight symmetries");
        PositionKey {
            own,
            opp,
            size: position.board.size(),
            black_to_move: position.to_move == Color::Black,
        }
    }
}

/// A game's representative among its mirrored and turned copies: where it began, and the squares
/// played by index, 64 for a pass.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey {
    start: PositionKey,
    moves: Vec<u8>,
}

impl GameKey {
    /// The key of a game from this position.
    pub fn new(start: &Position, moves: &[Move]) -> GameKey {
        let size = start.board.size();
        // The start first, so that only the symmetries that give its representative count.
        let moves = Symmetry::ALL
            .iter()
            .map(|symmetry| {
                let moves: Vec<u8> = moves
                    .iter()
                    .map(|&mv| {
                        let square = symmetry.mv(size, mv).square();
                        square.map_or(64, |square| square.index() as u8)
                    })
                    .collect();
                (bits(&symmetry.board(&start.board)), moves)
            })
            .min()
            .expect("there are eight symmetries")
            .1;
        GameKey {
            start: PositionKey::new(start),
            moves,
        }
    }
}

fn bits(board: &Board) -> (u64, u64) {
    (board.own().bits(), board.opp().bits())
}

#[cfg(test)]
mod tests {
    use outflank_rules::Game;

    use super::*;

    fn key(transcript: &str) -> GameKey {
        let start = Position::start(Size::Eight);
        let game = Game::from_transcript(start, transcript).expect("a legal game");
        let moves: Vec<Move> = game.plies().iter().map(|ply| ply.mv).collect();
        GameKey::new(&start, &moves)
    }

    #[test]
    fn the_four_first_moves_are_one() {
        let keys = ["d3", "c4", "f5", "e6"].map(key);
        assert!(keys.iter().all(|key| *key == keys[0]));
        // The parallel, the diagonal and the perpendicular answer are three.
        let answers = ["f5f4", "f5f6", "f5d6"].map(key);
        assert!(answers[0] != answers[1] && answers[1] != answers[2] && answers[0] != answers[2]);
        assert_eq!(key("f5d6c3"), key("e6f4c3"));
    }

    #[test]
    fn transpositions_share_the_position_and_not_the_game() {
        let transposed = ["f5d6c3d3c4", "f5d6c4d3c3"];
        let position = |transcript| {
            Game::from_transcript(Position::start(Size::Eight), transcript)
                .expect("a legal game")
                .position()
        };
        assert_eq!(
            PositionKey::new(&position(transposed[0])),
            PositionKey::new(&position(transposed[1]))
        );
        assert_ne!(key(transposed[0]), key(transposed[1]));
    }
}
