//! Games that end early because one side has lost its last disc.
//!
//! Networks learn late to see it coming: players who are wary of it hardly ever let it happen, so
//! self-play shows few examples, and a plain opponent who turns all it can walks into it by
//! accident. A look a few plies ahead wherever one side has few discs makes up for it.

use outflank_rules::{Board, Square};

/// A side with more discs is not looked at: its last ones are not in danger yet.
const FEW_DISCS: u32 = 5;

/// No move turns more discs: up to five on each of the four lines through its square, or six on
/// one that it begins.
const MOST_FLIPS: u32 = 20;

/// Whether the mover (`true`) or the opponent (`false`) is seen to take every disc: the mover at
/// once or with the move after, whatever the answer is; the opponent with its next move, whatever
/// the mover does.
pub(crate) fn wins(board: &Board) -> Option<bool> {
    if winning_move(board).is_some() {
        return Some(true);
    }
    if board.own().len() <= FEW_DISCS && loses(board) {
        return Some(false);
    }
    None
}

/// A move after which the opponent has lost every disc, or loses them whatever it does.
pub(crate) fn winning_move(board: &Board) -> Option<Square> {
    if board.opp().len() > MOST_FLIPS {
        return None;
    }
    let at_once = taking_move(board);
    if at_once.is_some() || board.opp().len() > FEW_DISCS {
        return at_once;
    }
    board
        .legal_moves()
        .find(|&square| board.play(square).is_some_and(|next| loses(&next)))
}

/// A move that turns the opponent's last discs.
fn taking_move(board: &Board) -> Option<Square> {
    board
        .legal_moves()
        .find(|&square| board.flips(square) == board.opp())
}

/// Whether the mover has a move, and every one lets the opponent take the mover's last discs.
fn loses(board: &Board) -> bool {
    let mut moves = board.legal_moves();
    !moves.is_empty()
        && moves.all(|square| {
            board
                .play(square)
                .is_some_and(|next| next.opp().len() <= MOST_FLIPS && taking_move(&next).is_some())
        })
}

#[cfg(test)]
mod tests {
    use outflank_rules::{Game, Size};

    use super::*;

    fn after(moves: &str) -> Board {
        let start = Game::new(Size::Eight).position();
        let game = Game::from_transcript(start, moves).expect("a legal game");
        game.position().board
    }

    #[test]
    fn the_shortest_game_is_seen_to_end() {
        // Black takes White's last discs with c5, the ninth ply.
        let c5 = "c5".parse().ok();
        assert_eq!(winning_move(&after("e6f4e3f6g5d6e7f5")), c5);
        assert_eq!(wins(&after("e6f4e3f6g5d6e7f5")), Some(true));
        assert_eq!(wins(&after("")), None);
    }

    #[test]
    fn a_side_that_cannot_escape_has_lost() {
        // Each of the mover's moves lets the opponent take all at once.
        let board = after("e6f4d3c6c5c4c3c2e3f3d6f6");
        assert_eq!(wins(&board), Some(false));
        for square in board.legal_moves() {
            let next = board.play(square).expect("legal");
            assert!(winning_move(&next).is_some(), "{square}");
        }
        // So the move before has won.
        let before = after("e6f4d3c6c5c4c3c2e3f3d6");
        assert_eq!(wins(&before), Some(true));
    }
}
