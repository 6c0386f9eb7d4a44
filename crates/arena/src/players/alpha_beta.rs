use outflank_rules::{Board, Game, Move, Scoring, Size, Square, SquareSet};

use crate::{Player, PlayerError};

/// Looks a fixed number of plies ahead and judges what it sees by corners and mobility. The same
/// game always gets the same move.
#[derive(Clone, Debug)]
pub struct AlphaBeta {
    name: String,
    depth: u32,
}

/// Above every judgement of an open position, below every final score.
const DECIDED: i32 = 10_000;

/// Plies from the horizon at which sorting the moves costs less than it saves.
const SORTED_DEPTH: u32 = 3;

/// What a corner is worth in moves of mobility.
const CORNER: i32 = 10;

/// How much better the mover stands: ten points a corner held, one point a legal move more.
///
/// Corners can never be turned, and who has more moves chooses while the other runs out of them:
/// the two oldest pieces of advice, here without tables or weights to tune.
pub fn corners_and_mobility(board: &Board) -> i32 {
    let corners = corners(board.size());
    let held = |discs: SquareSet| (discs & corners).len() as i32;
    let mobility = |board: &Board| board.legal_moves().len() as i32;
    CORNER * (held(board.own()) - held(board.opp())) + mobility(board) - mobility(&board.pass())
}

fn corners(size: Size) -> SquareSet {
    let last = size.side() - 1;
    [(0, 0), (last, 0), (0, last), (last, last)]
        .into_iter()
        .filter_map(|(column, row)| Square::new(column, row))
        .collect()
}

impl AlphaBeta {
    /// A player that looks `depth` plies ahead, at least one. Passes are not counted.
    pub fn new(depth: u32) -> AlphaBeta {
        let depth = depth.max(1);
        AlphaBeta {
            name: format!("alpha-beta:{depth}"),
            depth,
        }
    }

    /// The value of a position that is not over, for its mover.
    pub(crate) fn value(&self, board: &Board) -> i32 {
        negamax(board, self.depth, -i32::MAX, i32::MAX)
    }

    /// The best move of a board whose mover has one, the first in board order of equals, and its
    /// value.
    fn best(&self, board: &Board) -> (Move, i32) {
        let (mut best, mut alpha) = (Move::Pass, -i32::MAX);
        for square in board.legal_moves() {
            let after = play(board, square);
            let value = -negamax(&after, self.depth - 1, -i32::MAX, -alpha);
            if value > alpha {
                (best, alpha) = (Move::Place(square), value);
            }
        }
        (best, alpha)
    }
}

/// The value for the mover by fail-soft alpha-beta: exact inside of the window `(alpha, beta)`.
fn negamax(board: &Board, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    let moves = board.legal_moves();
    if moves.is_empty() {
        if board.pass().legal_moves().is_empty() {
            let score = board.score(Scoring::Tournament);
            return score.signum() * DECIDED + score;
        }
        return -negamax(&board.pass(), depth, -beta, -alpha);
    }
    if depth == 0 {
        return corners_and_mobility(board);
    }
    let mut after: Vec<Board> = moves.map(|square| play(board, square)).collect();
    if depth >= SORTED_DEPTH {
        // The opponent's fewest moves first: likely good, and a small subtree.
        after.sort_by_cached_key(|after| after.legal_moves().len());
    }
    let mut best = -i32::MAX;
    for after in after {
        best = best.max(-negamax(&after, depth - 1, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

fn play(board: &Board, square: Square) -> Board {
    board.play(square).expect("the move is a legal one")
}

impl Player for AlphaBeta {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _: &Game, _: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        Ok(self.best(&game.position().board).0)
    }
}

#[cfg(test)]
mod tests {
    use outflank_rules::Position;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::players::random::random_move;

    /// The same search without any cut-off or order.
    fn minimax(board: &Board, depth: u32) -> i32 {
        if board.is_over() {
            let score = board.score(Scoring::Tournament);
            return score.signum() * DECIDED + score;
        }
        if board.must_pass() {
            return -minimax(&board.pass(), depth);
        }
        if depth == 0 {
            return corners_and_mobility(board);
        }
        board
            .legal_moves()
            .map(|square| -minimax(&play(board, square), depth - 1))
            .max()
            .expect("there is a move")
    }

    #[test]
    fn cut_offs_change_nothing() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for size in [Size::Six, Size::Eight] {
            let mut game = Game::new(size);
            while !game.is_over() {
                let board = game.position().board;
                if !game.must_pass() {
                    for depth in 1..=4 {
                        let (mv, value) = AlphaBeta::new(depth).best(&board);
                        assert_eq!(value, minimax(&board, depth), "depth {depth}\n{game:?}");
                        let after = play(&board, mv.square().expect("a square"));
                        assert_eq!(value, -minimax(&after, depth - 1));
                    }
                }
                let mv = random_move(game.legal_moves(), &mut rng);
                game.play(mv).expect("a legal move");
            }
        }
    }

    #[test]
    fn corners_and_mobility_count_as_stated() {
        assert_eq!(corners_and_mobility(&Board::start(Size::Eight)), 0);
        // Black holds a1 and has the move c1, White has none.
        let text = format!("XO{} X", "-".repeat(62));
        let position: Position = text.parse().expect("a position");
        assert_eq!(corners_and_mobility(&position.board), CORNER + 1);
    }

    #[test]
    fn a_wipe_out_in_reach_is_taken() {
        // Black turns the only white disc.
        let text = format!("XO{} X", "-".repeat(62));
        let position: Position = text.parse().expect("a position");
        let game = Game::from_position(position);
        let mv = AlphaBeta::new(2).choose(&game).expect("a move");
        assert_eq!(mv.to_string(), "c1");
    }
}
