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
    let (own, opp, empty) = (board.own().bits(), board.opp().bits(), board.empty().bits());
    let ended = match counting {
        Counting::AllLines => 1,
        Counting::FullDepth => 0,
    };
    #[cfg(target_arch = "x86_64")]
    if let Some(lines) = avx2::lines_if_available(own, opp, empty, depth, ended) {
        return lines;
    }
    portable::lines(own, opp, empty, depth, ended)
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

/// Defines `lines`, the walk over all lines, with the `legal_moves` and `flips` in scope. They can
/// be inlined only into a function with their own target features, and generics cannot have any.
macro_rules! define_lines {
    ($(#[$features:meta])*) => {
        /// The lines of `depth` plies; a game that ends before counts as `ended`.
        $(#[$features])*
        pub(super) fn lines(own: u64, opp: u64, empty: u64, depth: u32, ended: u64) -> u64 {
            if depth == 0 {
                return 1;
            }
            let mut moves = legal_moves(own, opp, empty);
            if moves == 0 {
                if legal_moves(opp, own, empty) == 0 {
                    return ended;
                }
                return lines(opp, own, empty, depth - 1, ended);
            }
            if depth == 1 {
                return u64::from(moves.count_ones());
            }
            let mut count = 0;
            while moves != 0 {
                let square = moves.trailing_zeros();
                let placed = moves & moves.wrapping_neg();
                moves ^= placed;
                let flips = flips(own, opp, square);
                count += lines(opp ^ flips, own | flips | placed, empty ^ placed, depth - 1, ended);
            }
            count
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;

mod portable {
    use crate::bits::{flips, legal_moves};

    define_lines!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    /// By depth from 1: all lines (A. Bik 2009), and lines of the full depth (Edax 4.6).
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
            &[4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912, 14976792],
            &[4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912, 14976684],
        ),
        (
            Size::Eight,
            &[4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284],
            &[4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571056],
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
                let (own, opp) = (start.own().bits(), start.opp().bits());
                let portable = portable::lines(own, opp, start.empty().bits(), depth, 1);
                assert_eq!(portable, all, "{size} {depth}, portable");
            }
        }
    }

    #[test]
    fn the_4x4_game_tree_to_its_end() {
        let start = Board::start(Size::Four);
        // Twelve discs, and never more passes than that between them.
        assert_eq!(perft(&start, 24, Counting::AllLines), 60_060);
        assert_eq!(perft(&start, 24, Counting::FullDepth), 0);
    }

    #[test]
    fn divide_splits_the_count_by_move() {
        let start = Board::start(Size::Eight);
        let by_move = divide(&start, 6, Counting::AllLines);
        let names: Vec<String> = by_move.iter().map(|(mv, _)| mv.to_string()).collect();
        assert_eq!(names, ["d3", "c4", "f5", "e6"]);
        // The four first moves are images of each other.
        assert!(by_move.iter().all(|&(_, count)| count == 8200 / 4));

        assert!(divide(&start, 0, Counting::AllLines).is_empty());
        let forced: crate::Position = "OX-- ---- ---- ---- O".parse().expect("a position");
        assert_eq!(
            divide(&forced.board.pass(), 2, Counting::AllLines),
            [(Move::Pass, 1)]
        );
        assert_eq!(divide(&forced.board, 2, Counting::AllLines).len(), 1);
    }
}
