use outflank_records::{Ending, GameRecord, SearchKind};
use outflank_rules::Color;

/// Who would have resigned a recorded game first, where a side does so whose last two searches
/// both expected an outcome below `-threshold`: the ply, from 0, and the side.
///
/// Of games that were played on, this tells how often a resignation would have been wrong.
pub fn would_resign(game: &GameRecord, threshold: f32) -> Option<(usize, Color)> {
    let mut hopeless = [false; 2];
    let mut to_move = Color::Black;
    for (ply, record) in game.plies.iter().enumerate() {
        let search = record.search.as_ref();
        if let Some(search) = search.filter(|search| search.kind != SearchKind::Solved) {
            let before = &mut hopeless[(to_move == Color::White) as usize];
            let now = search.value < -threshold;
            if now && *before {
                return Some((ply, to_move));
            }
            *before = now;
        }
        to_move = !to_move;
    }
    None
}

/// Of the games that were not resigned: how many would have been, and how many of those the side
/// that gives up did not lose.
pub fn wrong_resignations<'a>(
    games: impl IntoIterator<Item = &'a GameRecord>,
    threshold: f32,
) -> (u64, u64) {
    let (mut resigned, mut wrong) = (0, 0);
    for game in games {
        if game.ending == Ending::Resigned {
            continue;
        }
        if let Some((_, loser)) = would_resign(game, threshold) {
            resigned += 1;
            wrong += u64::from(loser.sign() * i32::from(game.black_margin) >= 0);
        }
    }
    (resigned, wrong)
}

#[cfg(test)]
mod tests {
    use outflank_records::{PlyRecord, PolicyTarget, SearchRecord};
    use outflank_rules::{Move, Size};

    use super::*;

    fn game(values: &[f32], black_margin: i8) -> GameRecord {
        let ply = |&value| PlyRecord {
            mv: Move::Pass,
            search: Some(SearchRecord {
                kind: SearchKind::Full,
                policy: PolicyTarget::default(),
                value,
                visits: 8,
                surprise: 0.0,
            }),
        };
        GameRecord {
            size: Size::Eight,
            seed: 0,
            players: None,
            plies: values.iter().map(ply).collect(),
            ending: Ending::Played,
            black_margin,
        }
    }

    #[test]
    fn two_hopeless_searches_of_one_side_are_needed() {
        // White, who moves second, sees no hope twice in a row; Black does so only once.
        let lost = game(&[0.9, -0.95, -0.99, -0.95, 0.9], 10);
        assert_eq!(would_resign(&lost, 0.9), Some((3, Color::White)));
        assert_eq!(would_resign(&lost, 0.96), None);
        let saved = game(&[0.9, -0.95, 0.9, -0.95], 0);
        assert_eq!(wrong_resignations([&lost, &saved], 0.9), (2, 1));
    }
}
