//! Games that others played, as something to learn from.

use outflank_records::chunk::digest;
use outflank_records::{GameRecord, PolicyTarget, SearchKind, SearchRecord};
use outflank_rules::{Color, SquareSet, Symmetry};

/// Gives a game without searches targets: at every ply the move that was played, and as the value
/// the game's outcome. A game that has searches keeps them.
pub fn imitate(game: &mut GameRecord) {
    if game.searched_plies() > 0 {
        return;
    }
    let outcome = f32::from(game.black_margin.signum());
    let mut mover = Color::Black;
    for ply in &mut game.plies {
        ply.search = ply.mv.square().map(|square| SearchRecord {
            kind: SearchKind::Full,
            policy: PolicyTarget::uniform(SquareSet::from_bits(square.bit())),
            value: outcome * mover.sign() as f32,
            visits: 0,
            surprise: 0.0,
        });
        mover = !mover;
    }
}

/// Whether a game belongs to the share (0 to 1) that is kept from training, to be examined on. That
/// depends on its moves and the seed alone: a game that is there twice, or turned or mirrored, is
/// not in both parts.
pub fn is_held_out(game: &GameRecord, share: f64, seed: u64) -> bool {
    let turned = |symmetry: &Symmetry| -> Vec<u8> {
        let square = |square| symmetry.square(game.size, square).index() as u8;
        let plies = game.plies.iter();
        plies
            .map(|ply| ply.mv.square().map_or(64, square))
            .collect()
    };
    let moves = Symmetry::ALL.iter().map(turned).min();
    let mut bytes = seed.to_le_bytes().to_vec();
    bytes.extend(moves.expect("there are symmetries"));
    let digits = &digest(&bytes)[..8];
    let number = u32::from_str_radix(digits, 16).expect("a digest is hexadecimal");
    f64::from(number) < share * f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use outflank_records::{Ending, PlyRecord, Window};
    use outflank_rules::{Game, Position, Size};

    use super::*;

    fn record(transcript: &str, symmetry: Symmetry) -> GameRecord {
        let game = Game::from_transcript(Position::start(Size::Eight), transcript);
        let plies = game.expect("legal").plies().to_vec();
        GameRecord {
            size: Size::Eight,
            seed: 0,
            players: None,
            plies: plies
                .iter()
                .map(|ply| PlyRecord {
                    mv: symmetry.mv(Size::Eight, ply.mv),
                    search: None,
                })
                .collect(),
            ending: Ending::Resigned,
            black_margin: -1,
        }
    }

    #[test]
    fn the_moves_and_the_outcome_are_the_targets() {
        let mut game = record("f5d6c3", Symmetry::IDENTITY);
        imitate(&mut game);
        let mut window = Window::new(10, outflank_records::KindWeights::default());
        assert_eq!(window.push(&game), Ok(3));
        for (index, (square, outcome)) in [("f5", -1.0), ("d6", 1.0), ("c3", -1.0)]
            .into_iter()
            .enumerate()
        {
            let sample = window.get(index).expect("pushed");
            let square: outflank_rules::Square = square.parse().expect("a square");
            assert_eq!(sample.policy.expect("a target")[square.index()], 1.0);
            assert_eq!((sample.outcome, sample.search_value), (outcome, outcome));
            assert_eq!(sample.margin, None, "of a resigned game");
        }
        let before = game.clone();
        imitate(&mut game);
        assert_eq!(game, before);
    }

    #[test]
    fn the_held_out_part_has_its_share_and_no_image_of_the_rest() {
        let lines = ["f5d6", "f5f6", "f5f4"];
        let next = |line: &str| -> Vec<String> {
            let game = Game::from_transcript(Position::start(Size::Eight), line).expect("legal");
            let squares = game.legal_moves().into_iter();
            squares.map(|square| format!("{line}{square}")).collect()
        };
        let mut games: Vec<String> = lines.map(str::to_owned).to_vec();
        for _ in 0..3 {
            games = games.iter().flat_map(|line| next(line)).collect();
        }
        let mut held_out = 0;
        for line in &games {
            let is = |symmetry| is_held_out(&record(line, symmetry), 0.2, 1);
            held_out += usize::from(is(Symmetry::IDENTITY));
            // Those images that begin at the same position.
            let start = Position::start(Size::Eight).board;
            for symmetry in Symmetry::ALL {
                if symmetry.board(&start) == start {
                    assert_eq!(is(symmetry), is(Symmetry::IDENTITY));
                }
            }
        }
        let share = held_out as f64 / games.len() as f64;
        assert!((0.1..0.3).contains(&share), "{share} of {}", games.len());
        let game = record("f5d6c3", Symmetry::IDENTITY);
        assert!(!is_held_out(&game, 0.0, 1));
        let differs = |seed| is_held_out(&game, 0.5, seed) != is_held_out(&game, 0.5, 0);
        assert!((1..20).any(differs));
    }
}
