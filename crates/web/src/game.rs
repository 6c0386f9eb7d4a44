use outflank_rules::{Color, Game, Passes, Scoring, Size, Square, SquareSet};
use serde::Serialize;

use crate::text::{ReadError, replay};

/// A game as the page shows it. Squares are numbered row by row from a1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GameView {
    /// Side of the board.
    pub size: Size,
    /// The position that the game began with.
    pub start: String,
    /// The position now: `X`, `O` and `-` row by row, a blank, and the side to move.
    pub position: String,
    /// The moves so far, passes written as `pa`.
    pub moves: String,
    /// The plies so far.
    pub plies: Vec<PlyView>,
    /// Whose turn it is.
    pub to_move: Color,
    /// Where that player may move.
    pub legal: Vec<usize>,
    /// What each of those moves would turn.
    pub flips: Vec<Vec<usize>>,
    /// Whether the only ply is the pass.
    pub must_pass: bool,
    /// Whether neither player has a move.
    pub over: bool,
    /// Discs on the board, Black's first.
    pub discs: [u32; 2],
    /// Discs beside the board, Black's first.
    pub supplies: [u32; 2],
    /// Black's discs less White's as they lie.
    pub plain: i32,
    /// The same with empty squares to the winner.
    pub tournament: i32,
}

/// One ply.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlyView {
    /// The square's name, or `pass`.
    pub name: String,
    /// Its number, none for a pass.
    pub square: Option<usize>,
    /// Who made it.
    pub player: Color,
    /// What it turned.
    pub flips: Vec<usize>,
    /// Whether the opponent had to hand over the disc.
    pub handed_over: bool,
    /// Squares that were empty before it.
    pub empties: u32,
}

/// Replays `moves`, as in [`GameView::moves`], from `start`.
pub fn view(start: &str, moves: &str) -> Result<GameView, ReadError> {
    Ok(GameView::new(&replay(start.parse()?, moves)?))
}

impl GameView {
    /// The view of a game.
    pub fn new(game: &Game) -> GameView {
        let position = game.position();
        let board = position.board;
        let size = board.size();
        let dense = |square: Square| size.dense_index(square);
        let all = |squares: SquareSet| squares.map(dense).collect::<Vec<_>>();
        let plies = game.plies().iter().map(|ply| PlyView {
            name: ply.mv.to_string(),
            square: ply.mv.square().map(dense),
            player: ply.player(),
            flips: all(ply.flips()),
            handed_over: ply.handed_over,
            empties: ply.before.board.empties(),
        });
        let colors = [Color::Black, Color::White];
        GameView {
            size,
            start: game.start().notation(),
            position: position.notation(),
            moves: game.transcript(Passes::Written),
            plies: plies.collect(),
            to_move: position.to_move,
            legal: all(board.legal_moves()),
            flips: board
                .legal_moves()
                .map(|square| all(board.flips(square)))
                .collect(),
            must_pass: game.must_pass(),
            over: game.is_over(),
            discs: colors.map(|color| position.discs(color).len()),
            supplies: colors.map(|color| game.supply(color)),
            plain: game.score(Scoring::Plain),
            tournament: game.score(Scoring::Tournament),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_tells_what_the_page_shows() {
        let view = view("-----OX--XO----- X", "a2").expect("a game");
        assert_eq!(view.position, "----XXX--XO----- O");
        assert_eq!((view.discs, view.supplies), ([4, 1], [5, 6]));
        assert_eq!((view.plain, view.tournament), (3, 14));
        // White answers on a1, a3 or c1.
        assert_eq!(view.legal, [0, 2, 8]);
        assert_eq!(view.flips, [vec![5], vec![6], vec![9]]);
        let [ply] = &view.plies[..] else {
            panic!("one ply")
        };
        assert_eq!((ply.square, &ply.flips[..]), (Some(4), &[5][..]));
    }
}
