//! Positions that show how large a network's activations get.

use outflank_rules::{Board, Size};

/// How many positions.
const COUNT: usize = 256;

/// Positions of games of random moves, always the same ones, so that two processes that quantise
/// one network get the same integers.
pub(crate) fn calibration_boards(size: Size) -> Vec<Board> {
    let mut state = 0u64;
    let mut boards = Vec::with_capacity(COUNT);
    let mut board = Board::start(size);
    while boards.len() < COUNT {
        let moves = board.legal_moves();
        if moves.is_empty() {
            board = match board.is_over() {
                true => Board::start(size),
                false => board.pass(),
            };
            continue;
        }
        boards.push(board);
        // A step of Knuth's MMIX generator: its high bits are random enough.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let chosen = (state >> 33) as usize % moves.len() as usize;
        let square = moves.into_iter().nth(chosen).expect("below their number");
        board = board.play(square).expect("the move is legal");
    }
    boards
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_differ_and_reach_their_end() {
        for size in Size::ALL {
            let boards = calibration_boards(size);
            assert_eq!(boards.len(), COUNT);
            let distinct: std::collections::HashSet<_> = boards
                .iter()
                .map(|board| (board.own(), board.opp()))
                .collect();
            assert!(distinct.len() > COUNT / 3, "{size}: {}", distinct.len());
            assert!(boards.iter().any(|board| board.empty().len() <= 3));
        }
    }
}
