//! What distinguishes the methods, seen from outside.

mod common;

use common::{config, random_position, rng, solver};
use outflank_rules::{Board, Size};
use outflank_search::{DiscCount, Evaluation, Evaluator, Method, SearchConfig, Uniform, search};

/// A midgame position with more than eight moves.
fn wide() -> Board {
    let mut rng = rng(4);
    loop {
        let board = random_position(Size::Eight, 40, &mut rng);
        if board.legal_moves().len() > 8 {
            return board;
        }
    }
}

#[test]
fn gumbel_visits_halve_the_candidates() {
    for (simulations, expected) in [
        (24, &[7, 7, 3, 3, 1, 1, 1, 1, 0][..]),
        (5, &[1, 1, 1, 1, 1, 0]),
    ] {
        let report = search(
            &wide(),
            &config(simulations),
            &mut DiscCount,
            &mut solver(),
            &mut rng(1),
        );
        let visits: Vec<u32> = report.moves.iter().map(|found| found.visits).collect();
        assert_eq!(visits[..expected.len()], *expected);
        assert!(
            report
                .moves
                .iter()
                .filter(|m| m.visits == visits[0])
                .any(|m| Some(m.mv) == report.best)
        );
    }
}

#[test]
fn gumbel_noise_samples_the_policy() {
    // Without simulations the move is the best of logits plus Gumbel noise: a sample.
    let config = SearchConfig {
        simulations: 0,
        ..SearchConfig::default()
    };
    let (board, mut rng, mut solver) = (Board::start(Size::Eight), rng(7), solver());
    let mut counts = std::collections::HashMap::new();
    for _ in 0..4000 {
        let report = search(&board, &config, &mut Uniform, &mut solver, &mut rng);
        *counts.entry(report.best).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 4);
    // Each a quarter; five standard deviations are 137.
    assert!(
        counts
            .values()
            .all(|&count: &i32| (count - 1000).abs() < 137),
        "{counts:?}"
    );
}

#[test]
fn much_search_makes_up_for_a_poor_evaluator() {
    // Who counts discs alone plays Reversi badly; positions that cannot quite be searched out.
    let (mut right, mut all) = (0, 0);
    for seed in 0..15 {
        let board = random_position(Size::Eight, 9, &mut rng(300 + seed));
        let (score, _) = solver().exact_with_move(&board);
        for method in [Method::Gumbel, Method::Puct] {
            let config = SearchConfig {
                method,
                leaf_solve_empties: 5,
                ..config(4000)
            };
            let report = search(
                &board,
                &config,
                &mut DiscCount,
                &mut solver(),
                &mut rng(seed),
            );
            let square = report
                .best
                .and_then(|mv| mv.square())
                .expect("the mover has a choice");
            let reached = -solver().exact(&board.play(square).expect("a legal move"));
            right += (reached == score) as u32;
            all += 1;
        }
    }
    assert!(10 * right >= 8 * all, "{right} of {all}");
}

/// Counts discs, and expects the moves on the last squares of the board.
struct Biased;

impl Evaluator for Biased {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        DiscCount.evaluate(boards, out);
        for evaluation in out {
            evaluation.policy = std::array::from_fn(|square| 0.2 * square as f32);
        }
    }
}

#[test]
fn forced_playouts_widen_the_root_and_spare_the_target() {
    let quiet = SearchConfig {
        method: Method::Puct,
        ..config(400)
    };
    let mut forced = quiet.clone();
    forced.puct.forced_playouts = 2.0;
    let quiet = search(&wide(), &quiet, &mut Biased, &mut solver(), &mut rng(1));
    let forced = search(&wide(), &forced, &mut Biased, &mut solver(), &mut rng(1));
    let mut more = 0;
    for found in forced.moves.iter().filter(|found| found.visits > 0) {
        let due = (2.0 * found.prior * 400.0).sqrt();
        assert!(found.visits as f32 >= due - 1.0, "{found:?}");
        let before = quiet
            .moves
            .iter()
            .find(|other| other.mv == found.mv)
            .expect("the same moves");
        if found.visits > before.visits {
            more += 1;
            assert!(
                found.policy < found.visits as f32 / 400.0,
                "forced visits are no target"
            );
        }
    }
    assert!(more > 1, "some moves got more than they earned");
}

#[test]
fn dirichlet_noise_keeps_the_prior_and_moves_the_visits() {
    let config = SearchConfig {
        method: Method::Puct,
        simulations: 100,
        ..SearchConfig::default()
    };
    let quiet = search(
        &wide(),
        &config.clone().without_noise(),
        &mut Biased,
        &mut solver(),
        &mut rng(1),
    );
    let noisy = search(&wide(), &config, &mut Biased, &mut solver(), &mut rng(1));
    for found in &noisy.moves {
        let other = quiet
            .moves
            .iter()
            .find(|other| other.mv == found.mv)
            .expect("the same moves");
        assert_eq!(found.prior, other.prior);
    }
    assert_ne!(noisy.moves, quiet.moves);
}
