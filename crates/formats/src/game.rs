use outflank_rules::{Color, Game, IllegalMove, Move, Position, Scoring};

use crate::Problem;

/// A game with what files say about it besides the moves: the common ground of all formats.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnotatedGame {
    /// Who, when, where, and how it ended.
    pub tags: Tags,
    /// What the file says besides.
    pub left_out: LeftOut,
    game: Game,
    remarks: Vec<Remark>,
}

/// What a file says about a game that an [`AnnotatedGame`] has no place for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Whether there are other moves than those of the game, as alternatives.
    pub variations: bool,
    /// Whether there are comments on moves.
    pub comments: bool,
    /// Whether moves have other properties, such as marks on the board.
    pub properties: bool,
}

/// What a file says about one ply.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Remark {
    /// What the player thought of the position after the ply: the expected final disc difference,
    /// from the point of view of the player who moved.
    pub evaluation: Option<f64>,
    /// The time the player took, in seconds.
    pub seconds: Option<f64>,
}

/// What a file says about a game as a whole. Texts are empty where it says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tags {
    /// The tournament or match.
    pub event: String,
    /// The place, physical or a server.
    pub place: String,
    /// The date as the file writes it, or as much of it as is known, such as a year.
    pub date: String,
    /// The player of the black discs.
    pub black: Player,
    /// The player of the white discs.
    pub white: Player,
    /// The time control as GGF writes it, such as `15:00//02:00`: main time, increment, extension.
    pub clock: String,
    /// The result that the file states. Resignations and overstepped times are known only here.
    pub result: Option<GameResult>,
    /// Whatever else the file says, as its own names and values in their order. They are written
    /// back to a file of the same format.
    pub extra: Vec<(String, String)>,
}

/// A player of one game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Player {
    /// The name.
    pub name: String,
    /// The rating at the time of the game, on the scale of the server or federation.
    pub rating: Option<f64>,
    /// The time control, where the players have different ones.
    pub clock: String,
}

/// The result of a game as a file states it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GameResult {
    /// A score.
    Score {
        /// Black's discs minus White's. Not a whole number where a handicap was agreed.
        margin: f64,
        /// How the game ended.
        ending: Ending,
    },
    /// A winner without a score.
    Win {
        /// The winner.
        winner: Color,
        /// How the game ended.
        ending: Ending,
    },
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// On the board.
    Played,
    /// The loser resigned.
    Resigned,
    /// The loser overstepped the time.
    TimeOut,
    /// The players agreed on a score.
    Agreed,
    /// The loser did something else that loses the game.
    Forfeit,
}

impl AnnotatedGame {
    /// A game without moves.
    pub fn new(start: Position) -> AnnotatedGame {
        Game::from_position(start).into()
    }

    /// The game itself.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// What is said about each ply: as many as the game has plies.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// The moves, passes included, and what is said about them.
    pub fn plies(&self) -> impl ExactSizeIterator<Item = (Move, Remark)> + '_ {
        self.game
            .plies()
            .iter()
            .zip(&self.remarks)
            .map(|(ply, remark)| (ply.mv, *remark))
    }

    /// Adds a legal ply.
    pub fn push(&mut self, mv: Move, remark: Remark) -> Result<(), IllegalMove> {
        self.game.play(mv)?;
        self.remarks.push(remark);
        Ok(())
    }

    /// Black's final margin in discs, empty squares to the winner, of a game that was played out.
    pub fn final_margin(&self) -> Option<i32> {
        self.game
            .is_over()
            .then(|| self.game.score(Scoring::Tournament))
    }

    /// Passes for the mover if that is the only move, for formats that leave passes out.
    pub(crate) fn pass_if_forced(&mut self) {
        if self.game.must_pass() {
            self.push(Move::Pass, Remark::default())
                .expect("a player who must pass may pass");
        }
    }

    /// Adds the ply of a player named by the file, after a pass of the other one that the file may
    /// leave out.
    pub(crate) fn push_of(
        &mut self,
        color: Color,
        mv: Move,
        remark: Remark,
    ) -> Result<(), Problem> {
        if color != self.game.position().to_move {
            self.pass_if_forced();
        }
        if color != self.game.position().to_move {
            return Err(Problem::IllegalMove {
                ply: self.remarks.len() + 1,
                reason: format!("it is {}'s turn, not {color}'s", !color),
            });
        }
        self.push_checked(mv, remark)
    }

    /// [`AnnotatedGame::push`] with the number of the ply in the error.
    pub(crate) fn push_checked(&mut self, mv: Move, remark: Remark) -> Result<(), Problem> {
        let ply = self.remarks.len() + 1;
        self.push(mv, remark)
            .map_err(|reason| Problem::IllegalMove {
                ply,
                reason: reason.to_string(),
            })
    }
}

impl From<Game> for AnnotatedGame {
    /// A game about which nothing more is known.
    fn from(game: Game) -> AnnotatedGame {
        let remarks = vec![Remark::default(); game.plies().len()];
        AnnotatedGame {
            tags: Tags::default(),
            left_out: LeftOut::default(),
            game,
            remarks,
        }
    }
}

impl From<AnnotatedGame> for Game {
    fn from(annotated: AnnotatedGame) -> Game {
        annotated.game
    }
}
