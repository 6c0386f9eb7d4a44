use outflank_rules::{Board, Move, Size, Square};
use rand::{Rng, RngExt};

/// A random legal opening of `fewest..=most` plies from the start, forced passes counted, that
/// leaves a position where a choice is still to be made.
///
/// Drawn again until that is so: on small boards a random opening can end the game.
pub fn random_opening(size: Size, [fewest, most]: [u32; 2], rng: &mut impl Rng) -> Vec<Move> {
    loop {
        let length = rng.random_range(fewest..=most);
        if let Some(opening) = random_line(size, length, rng) {
            return opening;
        }
    }
}

fn random_line(size: Size, length: u32, rng: &mut impl Rng) -> Option<Vec<Move>> {
    let mut board = Board::start(size);
    let mut line = Vec::with_capacity(length as usize);
    for _ in 0..length {
        let mv = random_move(&board, rng)?;
        board = board.apply(mv).expect("the move is legal");
        line.push(mv);
    }
    (!board.is_over()).then_some(line)
}

/// A move, each with the same chance; `None` if the game is over.
fn random_move(board: &Board, rng: &mut impl Rng) -> Option<Move> {
    let squares: Vec<Square> = board.legal_moves().collect();
    if squares.is_empty() {
        return board.must_pass().then_some(Move::Pass);
    }
    Some(Move::Place(squares[rng.random_range(0..squares.len())]))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn openings_are_legal_unfinished_and_varied() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (size, range) in [
            (Size::Four, [0, 8]),
            (Size::Six, [2, 10]),
            (Size::Eight, [2, 10]),
        ] {
            let mut lines = HashSet::new();
            for _ in 0..200 {
                let line = random_opening(size, range, &mut rng);
                assert!((range[0]..=range[1]).contains(&(line.len() as u32)));
                let end = line
                    .iter()
                    .try_fold(Board::start(size), |board, &mv| board.apply(mv))
                    .expect("every ply is legal");
                assert!(!end.is_over());
                lines.insert(line);
            }
            assert!(lines.len() > 100, "{size}: {}", lines.len());
        }
    }
}
