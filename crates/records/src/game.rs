use outflank_rules::{Move, Size};
use serde::{Deserialize, Serialize};

use crate::PolicyTarget;

/// One game, as it happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The board's size. Every game begins at [`outflank_rules::Board::start`].
    pub size: Size,
    /// The seed of the game's own random generator: with the same network it plays the same game.
    pub seed: u64,
    /// Who played, where that is not simply the run's current network.
    pub players: Option<Players>,
    /// Every ply from the start, passes included.
    pub plies: Vec<PlyRecord>,
    /// How the game ended, which says what `black_margin` is worth.
    pub ending: Ending,
    /// Black's tournament score in discs: positive if Black won, the empties given to the winner.
    pub black_margin: i8,
}

/// The names of the two players of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Players {
    /// Who played Black.
    pub black: String,
    /// Who played White.
    pub white: String,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Played until neither side had a move: the margin was counted.
    Played,
    /// Decided by the exact solver: the margin is what perfect play from there gives. The plies
    /// may go on along a perfect line, to the end or part of the way.
    Solved,
    /// Given up by one side: only the sign of the margin means anything.
    Resigned,
}

/// One ply of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlyRecord {
    /// What was played.
    #[serde(with = "move_code")]
    pub mv: Move,
    /// What the search found before it; `None` for plies that nobody thought about, such as
    /// random openings and passes.
    pub search: Option<SearchRecord>,
}

/// What a search found in a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchRecord {
    /// How the position was searched.
    pub kind: SearchKind,
    /// The improved policy; for [`SearchKind::Solved`] equal weights on all optimal moves. Empty
    /// if the search is no target for a policy.
    pub policy: PolicyTarget,
    /// The outcome that the search expects for the player to move: wins less losses, from -1 to 1.
    pub value: f32,
    /// Simulations spent; 0 where solved.
    pub visits: u32,
    /// How far the policy found is from the network's own, in nats: its Kullback-Leibler divergence
    /// from the prior. 0 where there is no policy, or none was known. A chunk keeps it beside the
    /// games, see [`crate::chunk`].
    #[serde(skip)]
    pub surprise: f32,
}

/// How a position was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// With all simulations.
    Full,
    /// With few, only to choose a move (playout-cap randomisation; Wu 2019, section 3.1).
    Fast,
    /// Exactly, by the endgame solver.
    Solved,
}

impl GameRecord {
    /// The number of plies with a search.
    pub fn searched_plies(&self) -> usize {
        self.plies.iter().filter(|ply| ply.search.is_some()).count()
    }
}

/// A move as one byte: the square's index, or 64 for a pass.
mod move_code {
    use outflank_rules::{Move, Square};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    const PASS: u8 = 64;

    pub fn serialize<S: Serializer>(mv: &Move, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(mv.square().map_or(PASS, |square| square.index() as u8))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Move, D::Error> {
        let code = u8::deserialize(deserializer)?;
        if code == PASS {
            return Ok(Move::Pass);
        }
        Square::from_index(code as usize)
            .map(Move::Place)
            .ok_or_else(|| D::Error::custom(format!("{code} is not the code of a move")))
    }
}
