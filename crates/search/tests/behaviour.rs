//! What every search does, whatever its method.

mod common;

use common::{after, config, leaf, random_position, rng, solver};
use outflank_rules::{Board, Move, Size};
use outflank_search::{
    DiscCount, Evaluation, Evaluator, Gather, Method, SearchConfig, SearchReport, Tree, Uniform,
    search,
};

const METHODS: [Method; 2] = [Method::Gumbel, Method::Puct];

/// After the last of these moves, White's b7, Black has no move and White has 13.
const BLACK_MUST_PASS: &str =
    "F5D6C5F4D3E3F2C6G5B5A5B4B3C4C3A6A7A3F3E6C7B6D7D8B8E7F7E8C8A8A4F8A2B7";

#[test]
fn a_value_keeps_its_sign_over_a_pass() {
    let board = after(&BLACK_MUST_PASS[..BLACK_MUST_PASS.len() - 2]);
    let b7 = Move::Place("b7".parse().expect("a square"));
    for method in METHODS {
        let mut tree = Tree::new(
            board,
            SearchConfig {
                method,
                ..config(1)
            },
        );
        let (id, _) = leaf(&mut tree);
        let mut evaluation = Evaluation::EVEN;
        evaluation.policy[b7.square().expect("a square").index()] = 50.0;
        tree.apply(id, &evaluation);
        // The walk goes on through the pass: White is to move again.
        let (id, reached) = leaf(&mut tree);
        assert_eq!(reached, after(BLACK_MUST_PASS).pass());
        assert_eq!(reached.legal_moves().len(), 13);
        tree.apply(
            id,
            &Evaluation {
                value: 0.5,
                margin: 16.0,
                ..Evaluation::EVEN
            },
        );
        let report = tree.report();
        assert_eq!(report.moves[0].mv, b7);
        assert_eq!(
            report.moves[0].q,
            Some(0.5),
            "good for White as the mover of both plies"
        );
        assert_eq!((report.outcome, report.margin), (0.5, 16.0));
        assert_eq!(report.moves[0].margin, Some(16.0));
        assert_eq!(report.principal_variation, [b7, Move::Pass]);
        assert_eq!(tree.line(b7), report.principal_variation);
    }
}

#[test]
fn a_root_that_must_pass_passes() {
    let board = after(BLACK_MUST_PASS);
    let mut tree = Tree::new(board, config(10));
    let (id, white) = leaf(&mut tree);
    assert_eq!(white, board.pass());
    tree.apply(
        id,
        &Evaluation {
            value: 0.5,
            margin: 16.0,
            ..Evaluation::EVEN
        },
    );
    assert_eq!(tree.mean_value(), -0.5);
    assert_eq!(tree.best_move(), Some(Move::Pass));
    assert_eq!(tree.policy_target(), [0.0; 64], "a pass is never a choice");
}

/// Gives every board the same evaluation.
struct Constant(Evaluation);

impl Evaluator for Constant {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        out.clear();
        out.resize(boards.len(), self.0.clone());
    }
}

#[test]
fn a_broken_policy_means_an_even_choice() {
    let board = Board::start(Size::Eight);
    let legal: Vec<usize> = board.legal_moves().map(|square| square.index()).collect();
    let mut all_on_illegal = [1e9; 64];
    let mut one_nan = [0.0; 64];
    let mut one_infinite = [0.0; 64];
    legal
        .iter()
        .for_each(|&square| all_on_illegal[square] = -1e9);
    one_nan[legal[1]] = f32::NAN;
    one_infinite[legal[2]] = f32::INFINITY;
    let policies = [
        all_on_illegal,
        one_nan,
        one_infinite,
        [f32::NAN; 64],
        [f32::NEG_INFINITY; 64],
        [f32::INFINITY; 64],
    ];
    for (method, policy) in METHODS.into_iter().flat_map(|m| policies.map(|p| (m, p))) {
        let nan = Evaluation {
            policy,
            value: f32::NAN,
            margin: f32::NAN,
        };
        let config = SearchConfig {
            method,
            ..config(50)
        };
        let report = search(
            &board,
            &config,
            &mut Constant(nan),
            &mut solver(),
            &mut rng(1),
        );
        assert_eq!(report.moves.len(), 4);
        for found in &report.moves {
            assert_eq!(found.prior, 0.25);
            assert_eq!(found.q, Some(0.0));
        }
        assert_eq!(report.value, 0.0);
    }
}

fn with_disc_count(board: &Board, config: &SearchConfig, seed: u64) -> SearchReport {
    search(board, config, &mut DiscCount, &mut solver(), &mut rng(seed))
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let board = random_position(Size::Eight, 40, &mut rng(5));
    for (method, leaves_in_flight) in METHODS.into_iter().flat_map(|m| [(m, 1), (m, 8)]) {
        let config = SearchConfig {
            method,
            leaves_in_flight,
            simulations: 200,
            ..SearchConfig::default()
        };
        let report = with_disc_count(&board, &config, 1);
        assert_eq!(report, with_disc_count(&board, &config, 1));
        let others: Vec<_> = (2..8)
            .map(|seed| with_disc_count(&board, &config, seed))
            .collect();
        assert!(
            others.iter().any(|other| other.moves != report.moves),
            "noise makes a difference"
        );
        let quiet = config.without_noise();
        assert_eq!(
            with_disc_count(&board, &quiet, 1),
            with_disc_count(&board, &quiet, 2)
        );
    }
}

#[test]
fn trees_do_not_notice_each_other() {
    let positions: Vec<Board> = (0..6)
        .map(|seed| random_position(Size::Eight, 12 + 7 * seed, &mut rng(9)))
        .collect();
    for method in METHODS {
        let config = SearchConfig {
            method,
            simulations: 60,
            ..SearchConfig::default()
        };
        let alone = positions
            .iter()
            .zip(0..)
            .map(|(board, seed)| with_disc_count(board, &config, seed));
        let alone: Vec<_> = alone.collect();

        // All six at once, one leaf each in a batch, with one solver.
        let mut solver = solver();
        let mut rngs: Vec<_> = (0..6).map(rng).collect();
        let mut trees: Vec<_> = positions
            .iter()
            .map(|board| Tree::new(*board, config.clone()))
            .collect();
        loop {
            let (mut waiting, mut boards, mut evaluations) = (Vec::new(), Vec::new(), Vec::new());
            for (i, tree) in trees.iter_mut().enumerate() {
                if let Gather::Leaf { id, board } = tree.gather(&mut solver, &mut rngs[i]) {
                    waiting.push((i, id));
                    boards.push(board);
                }
            }
            if boards.is_empty() {
                break;
            }
            DiscCount.evaluate(&boards, &mut evaluations);
            for ((i, id), evaluation) in waiting.into_iter().zip(&evaluations).rev() {
                trees[i].apply(id, evaluation);
            }
        }
        let together: Vec<_> = trees.iter().map(Tree::report).collect();
        assert_eq!(together, alone);
    }
}

#[test]
fn many_leaves_in_flight_all_come_back() {
    let board = random_position(Size::Eight, 30, &mut rng(3));
    for method in METHODS {
        let config = SearchConfig {
            method,
            leaves_in_flight: 16,
            ..config(300)
        };
        let mut largest = 0;
        let mut counting = Counting {
            inner: DiscCount,
            largest: &mut largest,
        };
        let report = search(&board, &config, &mut counting, &mut solver(), &mut rng(1));
        assert_eq!(report.simulations, 300);
        assert_eq!(
            report.moves.iter().map(|found| found.visits).sum::<u32>(),
            300
        );
        assert!(
            largest >= 8,
            "{method:?} found only {largest} leaves at once"
        );
    }
}

struct Counting<'a, E> {
    inner: E,
    largest: &'a mut usize,
}

impl<E: Evaluator> Evaluator for Counting<'_, E> {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        *self.largest = boards.len().max(*self.largest);
        self.inner.evaluate(boards, out);
        for board in boards {
            assert!(
                !board.legal_moves().is_empty(),
                "evaluators only see movers with a move"
            );
        }
    }
}

#[test]
fn policies_are_distributions_over_legal_moves() {
    for (method, seed) in METHODS
        .into_iter()
        .flat_map(|m| (0..20).map(move |s| (m, s)))
    {
        let board = random_position(Size::Eight, 10 + 2 * seed as u32, &mut rng(seed));
        let config = SearchConfig {
            method,
            simulations: 40,
            ..SearchConfig::default()
        };
        let mut tree = Tree::new(board, config);
        search_out(&mut tree);
        for policy in [tree.policy_target(), tree.visit_policy()] {
            assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            for (square, p) in Size::Eight.squares().zip(policy) {
                assert!(p >= 0.0 && (p == 0.0 || board.legal_moves().contains(square)));
            }
        }
        assert!(tree.value().abs() <= 1.0 && tree.mean_value().abs() <= 1.0);
    }
}

fn search_out(tree: &mut Tree) {
    outflank_search::search_tree(
        tree,
        Default::default(),
        &mut DiscCount,
        &mut solver(),
        &mut rng(1),
        &mut |_| (),
    );
}

#[test]
fn advancing_keeps_what_was_learned() {
    let board = random_position(Size::Eight, 35, &mut rng(2));
    for method in METHODS {
        let mut tree = Tree::new(
            board,
            SearchConfig {
                method,
                ..config(200)
            },
        );
        search_out(&mut tree);
        let report = tree.report();
        let [best, reply] = report.principal_variation[..2] else {
            panic!("a line of two plies");
        };
        assert!(tree.advance(best));
        assert_eq!((tree.simulations(), tree.is_finished()), (0, false));
        let kept = tree.report();
        assert_eq!(kept.moves[0].mv, reply);
        let visits: u32 = kept.moves.iter().map(|found| found.visits).sum();
        assert_eq!(
            visits,
            report.moves[0].visits - 1,
            "all but the one that made the node"
        );
        search_out(&mut tree);
        let visits_after: u32 = tree.report().moves.iter().map(|found| found.visits).sum();
        assert_eq!(visits_after, visits + 200);

        // A move that the tree does not know, an illegal one, and leaves of an older root.
        assert!(!tree.advance(Move::Pass));
        assert_eq!(tree.node_count(), tree.report().nodes);
        let mut fresh = Tree::new(
            board,
            SearchConfig {
                method,
                ..config(200)
            },
        );
        let (stale, _) = leaf(&mut fresh);
        assert!(fresh.advance(best));
        fresh.apply(stale, &Evaluation::EVEN);
        assert_eq!((fresh.node_count(), fresh.edge_count()), (1, 0));
        search_out(&mut fresh);
        assert_eq!(fresh.simulations(), 200);
    }
}

#[test]
fn a_tree_is_as_good_as_new_after_leaves_were_left_in_flight() {
    let board = random_position(Size::Eight, 35, &mut rng(2));
    for method in METHODS {
        let config = SearchConfig {
            method,
            ..config(100)
        };
        let mut tree = Tree::new(board, config.clone());
        let (root, _) = leaf(&mut tree);
        tree.apply(root, &Evaluation::EVEN);
        let stale: Vec<_> = (0..3).map(|_| leaf(&mut tree).0).collect();
        tree.reset(board);
        for id in stale {
            tree.apply(id, &Evaluation::EVEN);
        }
        search_out(&mut tree);
        assert_eq!(tree.report(), with_disc_count(&board, &config, 1));
    }
}

#[test]
fn without_simulations_the_policy_plays() {
    let board = Board::start(Size::Eight);
    let mut evaluation = Evaluation {
        value: 0.25,
        margin: 8.0,
        ..Evaluation::EVEN
    };
    let favourite = board.legal_moves().nth(2).expect("four moves");
    evaluation.policy[favourite.index()] = 1.0;
    for method in METHODS {
        let config = SearchConfig {
            method,
            ..config(0)
        };
        let mut constant = Constant(evaluation.clone());
        let report = search(&board, &config, &mut constant, &mut solver(), &mut rng(1));
        assert_eq!(report.best, Some(Move::Place(favourite)));
        assert_eq!(
            (report.value, report.outcome, report.margin),
            (0.25, 0.25, 8.0)
        );
        assert_eq!(report.simulations, 0);
    }
}

#[test]
fn a_finished_game_has_a_score_and_no_move() {
    let board = after("e6f4e3f6g5d6e7f5c5"); // the shortest game, 13-0
    let report = search(
        &board,
        &config(10),
        &mut Uniform,
        &mut solver(),
        &mut rng(1),
    );
    assert_eq!((report.best, report.exact), (None, Some(-64)));
    assert_eq!((report.value, report.outcome), (-1.0, -1.0));
    assert!(report.principal_variation.is_empty());
}
