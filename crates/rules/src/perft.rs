use crate::{Board, Move};

/// What a perft counts when lines end before the full depth, because the game does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Counting {
    /// Every line counts once, those of games that end early too (A. Bik's tables and most others).
    #[default]
    AllLines,
    /// Only lines of the full depth count (Edax's `count games`).
    FullDepth,
}

/// The number of lines of `depth` plies from this position; a forced pass is a ply. Nothing is
/// looked up, every line is walked, but the last ply is counted without being played.
///
/// ```
/// use outflank_rules::{Board, Counting, Size, perft};
///
/// assert_eq!(perft(&Board::start(Size::Eight), 7, Counting::AllLines), 55_092);
/// // Four of these are games that ended before the eighth ply.
/// assert_eq!(perft(&Board::start(Size::Four), 8, Counting::AllLines), 9_116);
/// assert_eq!(perft(&Board::start(Size::Four), 8, Counting::FullDepth), 9_112);
/// ```
pub fn perft(board: &Board, depth: u32, counting: Counting) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = board.legal_moves();
    if moves.is_empty() {
        return match counting {
            _ if board.must_pass() => perft(&board.pass(), depth - 1, counting),
            Counting::AllLines => 1,
            Counting::FullDepth => 0,
        };
    }
    if depth == 1 {
        return u64::from(moves.len());
    }
    moves
        .filter_map(|square| board.play(square))
        .map(|b| perft(&b, depth - 1, counting))
        .sum()
}

/// [`perft`] by first move, in the order of the squares: the usual way to find where two move
/// generators differ. The sum of the counts is the perft of the position. Empty at depth 0 and
/// when the game is over.
pub fn divide(board: &Board, depth: u32, counting: Counting) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    board
        .moves()
        .filter_map(|mv| Some((mv, perft(&board.apply(mv).ok()?, rest, counting))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    /// (size, from depth 1: lines, lines of the full depth).
    const KNOWN: [(Size, &[u64], &[u64]); 3] = [
        (
            Size::Four,
            &[
                4, 12, 44, 128, 424, 1256, 3624, 9116, 20044, 36540, 50704, 57436, 59564, 59980,
            ],
            &[
                4, 12, 44, 128, 424, 1256, 3624, 9112, 20032, 36412, 50268, 55112, 31396, 12920,
            ],
        ),
        (
            Size::Six,
            &[4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912],
            &[4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912],
        ),
        (
            Size::Eight,
            &[4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288],
            &[4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288],
        ),
    ];

    #[test]
    fn counts_match_the_published_tables() {
        for (size, all_lines, full_depth) in KNOWN {
            let start = Board::start(size);
            for (depth, (&all, &full)) in (1..).zip(all_lines.iter().zip(full_depth)) {
                assert_eq!(
                    perft(&start, depth, Counting::AllLines),
                    all,
                    "{size} {depth}"
                );
                assert_eq!(
                    perft(&start, depth, Counting::FullDepth),
                    full,
                    "{size} {depth}"
                );
            }
        }
    }
}
