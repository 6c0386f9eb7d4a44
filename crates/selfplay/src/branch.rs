use outflank_records::{GameRecord, SearchKind};
use outflank_rules::{Board, Move};
use rand::{Rng, RngExt};

/// The beginning of a game that leaves an earlier one: the earlier moves up to a random ply among
/// those that were thought about, then a random other move. What the players of late have learned
/// to reach is met more often than by random openings, and what they avoid is looked at again (Wu
/// 2019 forks games likewise).
///
/// `None` if there is no such game, or the line ends the game.
pub(crate) fn branch(earlier: &[GameRecord], rng: &mut impl Rng) -> Option<Vec<Move>> {
    if earlier.is_empty() {
        return None;
    }
    let game = &earlier[rng.random_range(0..earlier.len())];
    let thought_about = |ply: &usize| {
        let search = &game.plies[*ply].search;
        search
            .as_ref()
            .is_some_and(|search| search.kind != SearchKind::Solved)
    };
    let plies: Vec<usize> = (0..game.plies.len()).filter(thought_about).collect();
    if plies.is_empty() {
        return None;
    }
    let ply = plies[rng.random_range(0..plies.len())];
    let mut line: Vec<Move> = game.plies[..ply].iter().map(|ply| ply.mv).collect();
    let mut board = Board::start(game.size);
    for &mv in &line {
        board = board.apply(mv).ok()?;
    }
    let played = game.plies[ply].mv;
    let others: Vec<Move> = board
        .legal_moves()
        .map(Move::Place)
        .filter(|&mv| mv != played)
        .collect();
    let mv = match others.len() {
        0 => played,
        count => others[rng.random_range(0..count)],
    };
    board = board.apply(mv).ok()?;
    line.push(mv);
    (!board.is_over()).then_some(line)
}
