use outflank_rules::{Board, Move, Size, Square};
use rand::{Rng, RngExt};

/// A random legal opening of `fewest..=most` plies from the start, forced passes counted, that does
/// not end the game. A share of the openings is lopsided: one side always turns as many discs as it
/// can and the other as few, each at random among equals.
///
/// Players who know each other well hardly ever leave one side with a handful of discs, so without
/// such openings a network does not learn how near the end of the game can be.
///
/// Drawn again where it does; where most lines of that length do, as on small boards, openings get
/// shorter than `fewest`.
pub fn random_opening(
    size: Size,
    [fewest, most]: [u32; 2],
    lopsided_share: f32,
    rng: &mut impl Rng,
) -> Vec<Move> {
    let greedy = (rng.random::<f32>() < lopsided_share).then(|| rng.random_range(0..2));
    let drawn = rng.random_range(fewest..=most);
    for length in (0..=drawn).rev() {
        for _ in 0..TRIES {
            if let Some(opening) = random_line(size, length, greedy, rng) {
                return opening;
            }
        }
    }
    Vec::new()
}

/// Lines of one length that may end the game before a shorter one is drawn.
const TRIES: u32 = 100;

/// A line of random moves; in a lopsided one, the player of the plies of the parity `greedy` is the
/// one who turns many discs.
fn random_line(
    size: Size,
    length: u32,
    greedy: Option<u32>,
    rng: &mut impl Rng,
) -> Option<Vec<Move>> {
    let mut board = Board::start(size);
    let mut line = Vec::with_capacity(length as usize);
    for ply in 0..length {
        let moves = board.legal_moves();
        let mv = if moves.is_empty() {
            Move::Pass
        } else {
            let flips = |square| board.flips(square).len();
            let wanted = greedy.and_then(|parity| match ply % 2 == parity {
                true => moves.map(flips).max(),
                false => moves.map(flips).min(),
            });
            let choices: Vec<Square> = moves
                .filter(|&square| wanted.is_none_or(|wanted| flips(square) == wanted))
                .collect();
            Move::Place(choices[rng.random_range(0..choices.len())])
        };
        board = board.apply(mv).ok()?;
        line.push(mv);
    }
    (!board.is_over()).then_some(line)
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
        // Twelve discs fill the 4x4 board: no game lasts so long.
        assert!(random_opening(Size::Four, [40, 40], 0.0, &mut rng).len() < 24);
        for (size, range) in [
            (Size::Four, [0, 8]),
            (Size::Six, [2, 10]),
            (Size::Eight, [2, 10]),
        ] {
            let mut lines = HashSet::new();
            for _ in 0..200 {
                let line = random_opening(size, range, 0.3, &mut rng);
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

    #[test]
    fn lopsided_openings_leave_one_side_with_few_discs() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut fewest = |share| -> f64 {
            let discs = (0..200).map(|_| {
                let line = random_opening(Size::Eight, [8, 8], share, &mut rng);
                let board = line.iter().fold(Board::start(Size::Eight), |board, &mv| {
                    board.apply(mv).unwrap()
                });
                board.own().len().min(board.opp().len())
            });
            f64::from(discs.sum::<u32>()) / 200.0
        };
        let (even, lopsided) = (fewest(0.0), fewest(1.0));
        assert!(lopsided < even - 1.0, "{lopsided} against {even}");
    }
}
