//! Evaluators that wrap others, and budgets.

mod common;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use common::{config, random_position, rng, solver};
use outflank_rules::{Board, Size, Symmetry};
use outflank_search::{
    Budget, Cached, DiscCount, Evaluation, Evaluator, Method, SearchConfig, Symmetrized, Tree,
    search, search_tree,
};

/// An evaluator whose every answer depends on the orientation of the board.
#[derive(Default)]
struct Crooked {
    evaluated: usize,
}

impl Evaluator for Crooked {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        out.clear();
        self.evaluated += boards.len();
        out.extend(boards.iter().map(|board| {
            let hash = board.own().bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let hash = (hash ^ (board.opp().bits() % 1009)) as f32 / (1 << 24) as f32;
            Evaluation {
                policy: std::array::from_fn(|square| (hash * square as f32).sin()),
                value: 2.0 * hash - 1.0,
                margin: 10.0 * hash,
            }
        }));
    }
}

fn evaluate(evaluator: &mut dyn Evaluator, boards: &[Board]) -> Vec<Evaluation> {
    let mut out = vec![Evaluation::EVEN; 3]; // to be cleared
    evaluator.evaluate(boards, &mut out);
    out
}

#[test]
fn a_symmetrized_evaluation_turns_with_the_board() {
    let mut evaluator = Symmetrized::new(Crooked::default(), 8);
    for size in Size::ALL {
        let board = random_position(size, size.area() as u32 / 2, &mut rng(1));
        let turned: Vec<Board> = Symmetry::ALL.iter().map(|s| s.board(&board)).collect();
        let answers = evaluate(&mut evaluator, &turned);
        assert_eq!(answers.len(), 8);
        let plain = evaluate(&mut Crooked::default(), &turned);
        assert!(
            (plain[0].value - plain[1].value).abs() > 1e-3,
            "a crooked evaluator"
        );
        let mean = plain.iter().map(|e| e.value).sum::<f32>() / 8.0;
        for (symmetry, answer) in Symmetry::ALL.iter().zip(&answers) {
            assert!((answer.value - mean).abs() < 1e-5);
            for square in board.legal_moves() {
                let there = answer.policy[symmetry.square(size, square).index()];
                assert!((there - answers[0].policy[square.index()]).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn a_cache_changes_no_result() {
    let mut rng = rng(2);
    let positions: Vec<Board> = (0..60)
        .map(|i| random_position(Size::Six, 8 + i % 12, &mut rng))
        .collect();
    let expected = evaluate(&mut Crooked::default(), &positions);
    for entries in [0, 1, 7, 1 << 12] {
        let mut cached = Cached::new(Crooked::default(), entries);
        for batch in [1, 4, 60, 60] {
            for (boards, expected) in positions.chunks(batch).zip(expected.chunks(batch)) {
                assert_eq!(evaluate(&mut cached, boards), expected);
            }
        }
        let (lookups, hits) = cached.lookups_and_hits();
        if entries == 0 {
            assert_eq!((lookups, hits), (0, 0));
        } else {
            assert_eq!(lookups, 240);
            assert_eq!(cached.inner_mut().evaluated as u64, lookups - hits);
        }
        if entries == 1 << 12 {
            assert!(hits >= 170, "{hits}");
            cached.clear();
            evaluate(&mut cached, &positions[..1]);
            assert_eq!(cached.lookups_and_hits().1, hits, "nothing is remembered");
        }
    }
}

#[test]
fn a_cached_search_is_the_same_search() {
    let board = random_position(Size::Eight, 30, &mut rng(3));
    let mut cached = Cached::new(Crooked::default(), 500);
    let config = config(300);
    for _ in 0..2 {
        let found = search(&board, &config, &mut cached, &mut solver(), &mut rng(1));
        let mut plain = Crooked::default();
        assert_eq!(
            found,
            search(&board, &config, &mut plain, &mut solver(), &mut rng(1))
        );
    }
    assert!(
        cached.lookups_and_hits().1 > 100,
        "the second search meets the first one's positions"
    );
}

#[test]
fn a_budget_ends_a_search_that_has_a_move() {
    let board = random_position(Size::Eight, 40, &mut rng(4));
    let stop = AtomicBool::new(true);
    let time = Some(Duration::ZERO);
    let budgets = [
        Budget {
            stop: Some(&stop),
            time: None,
        },
        Budget { time, stop: None },
    ];
    for (method, budget) in [Method::Gumbel, Method::Puct].into_iter().zip(budgets) {
        let mut tree = Tree::new(
            board,
            SearchConfig {
                method,
                ..config(1_000_000)
            },
        );
        let mut calls = 0;
        search_tree(
            &mut tree,
            budget,
            &mut DiscCount,
            &mut solver(),
            &mut rng(1),
            &mut |_| calls += 1,
        );
        assert_eq!((calls, tree.simulations()), (1, 0));
        assert!(tree.best_move().is_some());
        assert!(!tree.is_finished());
    }
}

#[test]
fn progress_sees_the_search_grow() {
    let board = random_position(Size::Eight, 40, &mut rng(4));
    let mut tree = Tree::new(
        board,
        SearchConfig {
            leaves_in_flight: 4,
            ..config(100)
        },
    );
    let mut seen = Vec::new();
    search_tree(
        &mut tree,
        Budget::default(),
        &mut DiscCount,
        &mut solver(),
        &mut rng(1),
        &mut |tree| seen.push(tree.simulations()),
    );
    assert_eq!(
        (seen[0], seen.last()),
        (0, Some(&100)),
        "the root alone, then all"
    );
    assert!(
        seen.windows(2)
            .all(|pair| pair[0] < pair[1] && pair[1] <= pair[0] + 4)
    );
}
