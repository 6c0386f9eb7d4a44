//! Solved leaves and what follows from them.

mod common;

use common::{config, negamax, random_position, rng, score_after, solver};
use outflank_rules::{Board, Size};
use outflank_search::{DiscCount, Method, SearchConfig, Uniform, search};

#[test]
fn few_empties_are_solved_at_once() {
    for seed in 0..30 {
        let board = random_position(Size::Eight, 2 + seed as u32 % 6, &mut rng(seed));
        for method in [Method::Gumbel, Method::Puct] {
            let config = SearchConfig {
                method,
                ..config(8)
            };
            let report = search(&board, &config, &mut Uniform, &mut solver(), &mut rng(1));
            let score = negamax(&board);
            assert_eq!(report.exact, Some(score));
            assert_eq!(report.margin, score as f32);
            assert_eq!(report.outcome, score.signum() as f32);
            let best: Vec<_> = report
                .moves
                .iter()
                .filter(|found| found.policy > 0.0)
                .collect();
            for found in &report.moves {
                let exact = score_after(&board, found.mv);
                assert_eq!(found.exact, Some(exact));
                let expected = if exact == score {
                    1.0 / best.len() as f32
                } else {
                    0.0
                };
                assert_eq!(found.policy, expected);
            }
        }
    }
}

#[test]
fn a_proven_root_equals_the_solver() {
    for seed in 0..20 {
        let board = random_position(Size::Eight, 9, &mut rng(100 + seed));
        let score = negamax(&board);
        for (method, leaf_solve_empties) in
            [(Method::Puct, 6), (Method::Puct, 7), (Method::Gumbel, 8)]
        {
            let mut config = SearchConfig {
                method,
                leaf_solve_empties,
                ..config(200_000)
            };
            config.gumbel.max_considered = 64;
            let report = search(&board, &config, &mut Uniform, &mut solver(), &mut rng(seed));
            assert_eq!(report.exact, Some(score), "{method:?}");
            assert!(
                report.simulations < 100_000,
                "a proven root ends the search"
            );
            assert_eq!(score_after(&board, report.best.expect("a move")), score);
        }
    }
}

#[test]
fn every_bound_on_the_way_is_right() {
    // Stopped early, whatever is called exact must be.
    for seed in 0..20 {
        let board = random_position(Size::Eight, 10, &mut rng(200 + seed));
        for simulations in [20, 60, 150] {
            let config = SearchConfig {
                method: Method::Puct,
                leaf_solve_empties: 5,
                ..config(simulations)
            };
            let report = search(
                &board,
                &config,
                &mut DiscCount,
                &mut solver(),
                &mut rng(seed),
            );
            for found in &report.moves {
                if let Some(exact) = found.exact {
                    assert_eq!(exact, score_after(&board, found.mv));
                }
            }
        }
    }
}

#[test]
fn searching_4x4_to_the_end_proves_that_white_wins() {
    // Black 3, White 11 with two squares empty; they go to the winner.
    let board = Board::start(Size::Four);
    let config = SearchConfig {
        method: Method::Puct,
        leaf_solve_empties: 0,
        ..config(1_000_000)
    };
    let report = search(&board, &config, &mut Uniform, &mut solver(), &mut rng(1));
    assert_eq!(report.exact, Some(-10));
    assert_eq!(report.outcome, -1.0);
}
