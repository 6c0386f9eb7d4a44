//! Solved leaves and what follows from them.

mod common;

use common::{after, config, leaf, negamax, random_position, rng, score_after, solver};
use outflank_rules::{Board, Move, Size};
use outflank_search::{DiscCount, Evaluation, Gather, Method, SearchConfig, Tree, Uniform, search};

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
        for (method, leaf_solve_empties, transpositions) in [
            (Method::Puct, 6, false),
            (Method::Puct, 6, true),
            (Method::Puct, 7, false),
            (Method::Gumbel, 8, false),
            (Method::Gumbel, 8, true),
        ] {
            let mut config = SearchConfig {
                method,
                leaf_solve_empties,
                transpositions,
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
        for (simulations, transpositions) in [20, 60, 150]
            .into_iter()
            .flat_map(|n| [(n, false), (n, true)])
        {
            let config = SearchConfig {
                method: Method::Puct,
                transpositions,
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
fn the_expected_outcome_knows_what_the_values_know() {
    // Where winning is all, outcome and utility are the same, whatever was proven on the way.
    for seed in 0..20 {
        let board = random_position(Size::Eight, 12, &mut rng(300 + seed));
        for method in [Method::Gumbel, Method::Puct] {
            let config = SearchConfig {
                method,
                margin_weight: 0.0,
                leaf_solve_empties: 8,
                ..config(3000)
            };
            let report = search(
                &board,
                &config,
                &mut DiscCount,
                &mut solver(),
                &mut rng(seed),
            );
            let (value, outcome) = (report.value, report.outcome);
            assert!(
                (value - outcome).abs() < 1e-3,
                "{method:?}: {value} and {outcome}"
            );
        }
    }
}

#[test]
fn searching_4x4_to_the_end_proves_that_white_wins() {
    // Black 3, White 11 with two squares empty; they go to the winner.
    let board = Board::start(Size::Four);
    let nodes = [false, true].map(|transpositions| {
        let config = SearchConfig {
            method: Method::Puct,
            leaf_solve_empties: 0,
            transpositions,
            ..config(1_000_000)
        };
        let report = search(&board, &config, &mut Uniform, &mut solver(), &mut rng(1));
        assert_eq!(report.exact, Some(-10));
        assert_eq!(report.outcome, -1.0);
        report.nodes
    });
    let [tree, graph] = nodes;
    assert!(graph < tree, "a shared position is there once: {nodes:?}");
}

#[test]
fn a_move_that_takes_every_disc_is_seen_at_once() {
    // The shortest game: with c5, its ninth ply, Black turns White's last discs.
    let before = after("e6f4e3f6g5d6e7f5");
    let c5 = Move::Place("c5".parse().expect("a square"));
    for method in [Method::Gumbel, Method::Puct] {
        let config = SearchConfig {
            method,
            ..config(1)
        };
        // For the player who has the move, with one simulation and a policy against it.
        let mut tree = Tree::new(before, config.clone());
        let (id, _) = leaf(&mut tree);
        let mut evaluation = Evaluation::EVEN;
        evaluation.policy[c5.square().expect("a square").index()] = -50.0;
        tree.apply(id, &evaluation);
        assert!(matches!(
            tree.gather(&mut solver(), &mut rng(1)),
            Gather::Finished
        ));
        assert_eq!((tree.best_move(), tree.exact()), (Some(c5), Some(64)));

        // And one ply earlier, for the player who would walk into it.
        let config = SearchConfig {
            simulations: 64,
            ..config
        };
        let report = search(
            &after("e6f4e3f6g5d6e7"),
            &config,
            &mut Uniform,
            &mut solver(),
            &mut rng(1),
        );
        let f5 = Move::Place("f5".parse().expect("a square"));
        let f5 = report.moves.iter().find(|mv| mv.mv == f5).expect("legal");
        assert!(f5.visits == 0 || f5.exact == Some(-64), "{f5:?}");
        assert_ne!(report.best, Some(f5.mv));
    }
}
