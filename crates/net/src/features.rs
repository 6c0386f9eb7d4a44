use std::fmt;

use outflank_rules::Board;
use serde::{Deserialize, Serialize};

/// One input plane: 1 on the squares of a set, 0 elsewhere. Sides are named from the mover's point
/// of view, so a network never learns which colour it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// The mover's discs.
    Own,
    /// The opponent's discs.
    Opponent,
    /// The squares where the mover can play.
    OwnMoves,
    /// The squares where the opponent could play if it were the opponent's turn.
    OpponentMoves,
    /// Every square: lets a convolution see where the board ends.
    Ones,
    /// The empty squares.
    Empty,
}

impl Feature {
    /// The planes that a network has unless its configuration says otherwise.
    pub const DEFAULT: [Feature; 5] = [
        Feature::Own,
        Feature::Opponent,
        Feature::OwnMoves,
        Feature::OpponentMoves,
        Feature::Ones,
    ];

    /// The squares where the plane is 1, as a bitboard.
    pub fn squares(self, board: &Board) -> u64 {
        match self {
            Feature::Own => board.own(),
            Feature::Opponent => board.opp(),
            Feature::OwnMoves => board.legal_moves(),
            Feature::OpponentMoves => board.pass().legal_moves(),
            Feature::Ones => board.size().squares(),
            Feature::Empty => board.empty(),
        }
        .bits()
    }
}

impl fmt::Display for Feature {
    /// The name that configurations use.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Feature::Own => "own",
            Feature::Opponent => "opponent",
            Feature::OwnMoves => "own_moves",
            Feature::OpponentMoves => "opponent_moves",
            Feature::Ones => "ones",
            Feature::Empty => "empty",
        })
    }
}

/// Writes the planes of one board to `out`, which has the shape `[planes, side, side]`.
///
/// # Panics
/// If `out` does not hold exactly `features.len() * area` values.
pub fn encode(features: &[Feature], board: &Board, out: &mut [f32]) {
    let side = board.size().side();
    assert_eq!(
        out.len(),
        features.len() * side * side,
        "one plane for every feature"
    );
    for (feature, plane) in features.iter().zip(out.chunks_exact_mut(side * side)) {
        let squares = feature.squares(board);
        for (row, cells) in plane.chunks_exact_mut(side).enumerate() {
            let bits = squares >> (8 * row);
            for (column, cell) in cells.iter_mut().enumerate() {
                *cell = (bits >> column & 1) as f32;
            }
        }
    }
}

/// Writes the same planes square by square to `out`, which has the shape `[side, side, planes]`.
///
/// # Panics
/// If `out` does not hold exactly `features.len() * area` values.
pub fn encode_channels_last(features: &[Feature], board: &Board, out: &mut [f32]) {
    let side = board.size().side();
    assert_eq!(
        out.len(),
        features.len() * side * side,
        "one plane for every feature"
    );
    for (plane, feature) in features.iter().enumerate() {
        let squares = feature.squares(board);
        for (square, values) in out.chunks_exact_mut(features.len()).enumerate() {
            values[plane] = (squares >> (8 * (square / side) + square % side) & 1) as f32;
        }
    }
}

/// The planes of many boards of one size, `[boards, planes, side, side]`.
pub fn encode_batch(features: &[Feature], boards: &[Board]) -> Vec<f32> {
    let Some(first) = boards.first() else {
        return Vec::new();
    };
    let stride = features.len() * first.size().area();
    let mut planes = vec![0.0; boards.len() * stride];
    for (board, out) in boards.iter().zip(planes.chunks_exact_mut(stride)) {
        encode(features, board, out);
    }
    planes
}

#[cfg(test)]
mod tests {
    use outflank_rules::Size;

    use super::*;

    #[test]
    fn the_start_on_four_squares_a_side() {
        let features = [
            Feature::Own,
            Feature::Opponent,
            Feature::OwnMoves,
            Feature::Ones,
            Feature::Empty,
        ];
        let mut out = [0.0; 5 * 16];
        encode(&features, &Board::start(Size::Four), &mut out);
        let plane = |text: &str| -> Vec<f32> {
            text.chars()
                .filter(|c| *c != ' ')
                .map(|c| (c == '1') as u8 as f32)
                .collect()
        };
        assert_eq!(out[..16], plane("0000 0010 0100 0000"));
        assert_eq!(out[16..32], plane("0000 0100 0010 0000"));
        assert_eq!(out[32..48], plane("0100 1000 0001 0010"));
        assert_eq!(out[48..64], plane("1111 1111 1111 1111"));
        assert_eq!(out[64..], plane("1111 1001 1001 1111"));
    }

    #[test]
    fn both_orders_hold_the_same_planes() {
        let board = Board::start(Size::Six);
        let (mut planes, mut squares) = ([0.0; 5 * 36], [0.0; 5 * 36]);
        encode(&Feature::DEFAULT, &board, &mut planes);
        encode_channels_last(&Feature::DEFAULT, &board, &mut squares);
        for (i, value) in planes.into_iter().enumerate() {
            assert_eq!(value, squares[i % 36 * 5 + i / 36]);
        }
    }

    #[test]
    fn a_batch_is_its_boards_one_after_the_other() {
        let start = Board::start(Size::Six);
        let next = start.play(start.legal_moves().first().unwrap()).unwrap();
        let batch = encode_batch(&Feature::DEFAULT, &[start, next]);
        assert_eq!(batch[..180], encode_batch(&Feature::DEFAULT, &[start]));
        assert_eq!(batch[180..], encode_batch(&Feature::DEFAULT, &[next]));
    }

    #[test]
    fn names_in_messages_are_the_names_in_configurations() {
        for feature in [
            Feature::Own,
            Feature::OwnMoves,
            Feature::OpponentMoves,
            Feature::Empty,
        ] {
            let text = format!("features = ['{feature}']");
            let table: toml::Table = toml::from_str(&text).unwrap();
            let read: Vec<Feature> = table["features"].clone().try_into().unwrap();
            assert_eq!(read, [feature]);
        }
    }
}
