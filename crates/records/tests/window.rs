//! The window of training positions, against a plain list of them.

mod common;

use common::{first_pass, game, searched_game};
use outflank_records::*;
use outflank_rules::{Board, Color, Scoring, Size, Square, SquareSet, Symmetry};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The training positions of a game, written down the slow way.
fn plain(game: &GameRecord) -> Vec<(Board, SearchRecord, Color)> {
    game.replay()
        .map(|step| step.expect("legal"))
        .filter_map(|step| Some((step.board, step.record.search.clone()?, step.to_move)))
        .collect()
}

fn games(size: Size, count: u64) -> Vec<GameRecord> {
    (0..count).map(|seed| searched_game(size, seed)).collect()
}

#[test]
fn samples_carry_the_games_facts_from_the_movers_view() {
    for size in Size::ALL {
        let games = games(size, 30);
        let mut window = Window::new(usize::MAX, KindWeights::default());
        let mut index = 0;
        for game in &games {
            let plain = plain(game);
            assert_eq!(window.push(game), Ok(plain.len()));
            for (board, search, to_move) in plain {
                let sample = window.get(index).expect("pushed");
                index += 1;
                assert_eq!(sample.board, board);
                assert_eq!(sample.policy, search.policy.to_dense());
                assert_eq!(sample.search_value, search.value);
                let margin = f32::from(game.black_margin) * to_move.sign() as f32;
                assert_eq!(sample.margin, Some(margin));
                assert_eq!(
                    sample.outcome,
                    if margin == 0.0 { 0.0 } else { margin.signum() }
                );
                let owners = sample.ownership.expect("played to the end");
                let last = Board::new(size, owners.own, owners.opp).expect("a position");
                assert!(last.is_over());
                assert_eq!(last.score(Scoring::Tournament) as f32, margin);
            }
        }
        assert_eq!(window.len(), index);
        assert_eq!(window.get(index), None);
    }
}

#[test]
fn the_reply_is_the_next_positions_policy_unless_a_pass_lies_between() {
    let game = (0..)
        .map(|seed| searched_game(Size::Six, seed))
        .find(|game| first_pass(game).is_some_and(|pass| pass > 5 && pass + 1 < game.plies.len()))
        .expect("passes are common on 6x6");
    let mut window = Window::new(1000, KindWeights::default());
    window.push(&game).expect("legal");
    let mut index = 0;
    for (ply, record) in game.plies.iter().enumerate() {
        if record.search.is_none() {
            continue;
        }
        let next = game
            .plies
            .get(ply + 1)
            .and_then(|next| next.search.as_ref());
        let expected = next.and_then(|search| search.policy.to_dense());
        assert_eq!(
            window.get(index).expect("pushed").reply,
            expected,
            "ply {ply}"
        );
        index += 1;
    }
}

#[test]
fn the_window_holds_exactly_the_latest_positions() {
    let games = games(Size::Four, 60);
    let all: Vec<_> = games.iter().flat_map(plain).collect();
    for capacity in [0, 1, 7, 100, 10_000] {
        let mut window = Window::new(capacity, KindWeights::default());
        for game in &games {
            window.push(game).expect("legal");
        }
        let expected = &all[all.len().saturating_sub(capacity)..];
        assert_eq!(window.pushed(), all.len() as u64);
        assert_eq!(window.len(), expected.len());
        assert_eq!(window.is_empty(), capacity == 0);
        for (index, (board, ..)) in expected.iter().enumerate() {
            assert_eq!(window.get(index).expect("kept").board, *board);
        }
        assert_eq!(window.get(expected.len()), None);
        // Smaller drops the oldest; larger again brings nothing back.
        window.set_capacity(capacity.min(5));
        window.set_capacity(capacity);
        assert!(window.len() >= capacity.min(5) && window.len() <= capacity.min(5) + 12);
    }
}

#[test]
fn kinds_are_weighted_and_those_without_weight_left_out() {
    use SearchKind::*;
    let kinds = [Some(Full), None, Some(Fast), Some(Solved)];
    let game = game(Size::Eight, 4, |ply| kinds[ply % 4]);
    let count = |kind| {
        let searches = game.plies.iter().filter_map(|ply| ply.search.as_ref());
        searches.filter(|search| search.kind == kind).count()
    };
    let mut window = Window::new(
        100,
        KindWeights {
            full: 1.0,
            fast: 0.25,
            solved: 0.0,
        },
    );
    assert_eq!(window.push(&game), Ok(count(Full) + count(Fast)));
    for index in 0..window.len() {
        let sample = window.get(index).expect("pushed");
        assert_eq!(sample.weight, if sample.kind == Full { 1.0 } else { 0.25 });
    }
    let mut window = Window::new(100, KindWeights::default());
    assert_eq!(window.push(&game), Ok(count(Full) + count(Solved)));
}

#[test]
fn resigned_and_unfinished_games_leave_targets_out() {
    let mut game = searched_game(Size::Eight, 7);
    game.plies.truncate(40);
    (game.ending, game.black_margin) = (Ending::Resigned, 9);
    let mut window = Window::new(100, KindWeights::default());
    window.push(&game).expect("legal");
    (game.ending, game.black_margin) = (Ending::Solved, 4);
    window.push(&game).expect("legal");
    let (resigned, solved) = (
        window.get(0).expect("pushed"),
        window.get(36).expect("pushed"),
    );
    assert_eq!((resigned.outcome, resigned.margin), (1.0, None));
    assert_eq!((solved.outcome, solved.margin), (1.0, Some(4.0)));
    assert_eq!((resigned.ownership, solved.ownership), (None, None));

    game.plies[3].mv = outflank_rules::Move::Pass;
    assert!(window.push(&game).is_err());
    assert_eq!(window.len(), 72, "a wrong game leaves nothing behind");
}

#[test]
fn sampling_is_uniform_and_repeats_with_its_seed() {
    let mut window = Window::new(50, KindWeights::default());
    for game in games(Size::Six, 4) {
        window.push(&game).expect("legal");
    }
    let draw = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..20_000)
            .map(|_| window.sample(&mut rng).expect("not empty").board)
            .collect::<Vec<_>>()
    };
    let drawn = draw(1);
    assert_eq!(drawn, draw(1));
    assert_ne!(drawn, draw(2));
    for index in 0..window.len() {
        let board = window.get(index).expect("in the window").board;
        let same = (0..50)
            .filter(|&i| window.get(i).expect("kept").board == board)
            .count();
        let count = drawn.iter().filter(|&&drawn| drawn == board).count();
        // 400 a position; six standard deviations of a binomial are 119.
        assert!(
            count.abs_diff(400 * same) < 119 * same,
            "position {index}: {count}"
        );
    }
    assert_eq!(
        Window::new(10, KindWeights::default()).sample(&mut ChaCha8Rng::seed_from_u64(0)),
        None
    );
}

/// A symmetric game's samples are the transformed samples of the game.
#[test]
fn transforming_a_sample_is_sampling_the_transformed_game() {
    for size in Size::ALL {
        let game = searched_game(size, 11);
        let mut window = Window::new(100, KindWeights::default());
        window.push(&game).expect("legal");
        for symmetry in Symmetry::ALL {
            let image = |square: Square| symmetry.square(size, square);
            for index in 0..window.len() {
                let sample = window.get(index).expect("pushed");
                let turned = sample.transform(symmetry);
                assert_eq!(turned.board, symmetry.board(&sample.board));
                assert_eq!(
                    turned.board.legal_moves(),
                    sample.board.legal_moves().map(image).collect()
                );
                let (before, after) = (
                    sample.policy.expect("a policy"),
                    turned.policy.expect("a policy"),
                );
                let reply = sample.reply.zip(turned.reply);
                assert_eq!(sample.reply.is_some(), turned.reply.is_some());
                let owners = sample.ownership.zip(turned.ownership).expect("played out");
                for square in size.squares() {
                    assert_eq!(before[square.index()], after[image(square).index()]);
                    if let Some((before, after)) = &reply {
                        assert_eq!(before[square.index()], after[image(square).index()]);
                    }
                    let same = |a: SquareSet, b: SquareSet| {
                        a.contains(square) == b.contains(image(square))
                    };
                    assert!(same(owners.0.own, owners.1.own) && same(owners.0.opp, owners.1.opp));
                }
                assert_eq!(turned.transform(symmetry.inverse()), sample);
            }
        }
    }
}

#[test]
fn a_window_is_compact() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut window = Window::new(usize::MAX, KindWeights::default());
    for _ in 0..200 {
        window
            .push(&searched_game(Size::Eight, rng.random()))
            .expect("legal");
    }
    let bytes = window.memory_bytes() as f64 / window.len() as f64;
    assert!(bytes < 100.0, "{bytes} bytes a position");
}
