use outflank_rules::{Board, Move, Size, Square};
use rand::{Rng, RngExt};

/// A random legal opening of `fewest..=most` plies from the start, forced passes counted, that does
/// not end the game.
///
/// Drawn again where it does; where most lines of that length do, as on small boards, openings get
/// shorter than `fewest`.
pub fn random_opening(size: Size, [fewest, most]: [u32; 2], rng: &mut impl Rng) -> Vec<Move> {
    let drawn = rng.random_range(fewest..=most);
    for length in (0..=drawn).rev() {
        for _ in 0..TRIES {
            if let Some(opening) = random_line(size, length, rng) {
                return opening;
            }
        }
    }
    Vec::new()
}

/// Lines of one length that may end the game before a shorter one is drawn.
const TRIES: u32 = 100;

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
        // Twelve discs fill the 4x4 board: no game lasts much longer.
        assert!((8..=12).contains(&random_opening(Size::Four, [40, 40], &mut rng).len()));
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
