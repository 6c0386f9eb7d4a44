//! Positions that several orders of moves lead to.

mod common;

use std::collections::HashSet;

use common::{config, random_position, rng, solver};
use outflank_rules::{Board, Move, Size, Square};
use outflank_search::{
    Budget, DiscCount, Evaluation, Evaluator, Method, SearchConfig, SearchReport, Tree, search,
    search_tree,
};

const METHODS: [Method; 2] = [Method::Gumbel, Method::Puct];

/// A position, and a line of three moves that leads to the same when its first and third are
/// exchanged.
fn crossing() -> (Board, [Move; 3]) {
    let mut rng = rng(11);
    loop {
        let board = random_position(Size::Eight, 40, &mut rng);
        let lines = board.legal_moves().flat_map(|first| {
            let answers = board.play(first).expect("legal").legal_moves();
            answers.flat_map(move |answer| {
                board.legal_moves().map(move |third| [first, answer, third])
            })
        });
        let end =
            |[first, answer, third]: [Square; 3]| board.play(first)?.play(answer)?.play(third);
        let crosses = |&[first, answer, third]: &[Square; 3]| {
            let there = end([first, answer, third]);
            first != third && there.is_some() && there == end([third, answer, first])
        };
        if let Some(line) = lines.into_iter().find(crosses) {
            return (board, line.map(Move::Place));
        }
    }
}

fn shared(method: Method, simulations: u32) -> SearchConfig {
    SearchConfig {
        method,
        transpositions: true,
        ..config(simulations)
    }
}

/// Counts discs, and counts how often it was asked about a board that it knew.
#[derive(Default)]
struct Asked {
    known: HashSet<Board>,
    again: u32,
}

impl Evaluator for Asked {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        self.again += boards
            .iter()
            .map(|b| !self.known.insert(*b) as u32)
            .sum::<u32>();
        DiscCount.evaluate(boards, out);
    }
}

/// Counts discs, and expects moves on these squares.
struct Expecting([Move; 3]);

impl Evaluator for Expecting {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        DiscCount.evaluate(boards, out);
        for evaluation in out {
            for square in self.0.iter().filter_map(|mv| mv.square()) {
                evaluation.policy[square.index()] = 8.0;
            }
        }
    }
}

#[test]
fn no_position_is_evaluated_twice() {
    for (method, leaves_in_flight) in METHODS.into_iter().flat_map(|m| [(m, 1), (m, 8)]) {
        let again = |transpositions| {
            let config = SearchConfig {
                transpositions,
                leaves_in_flight,
                ..shared(method, 3000)
            };
            let mut asked = Asked::default();
            let report = search(
                &crossing().0,
                &config,
                &mut asked,
                &mut solver(),
                &mut rng(1),
            );
            let visits: u32 = report.moves.iter().map(|found| found.visits).sum();
            assert_eq!((report.simulations, visits), (3000, 3000));
            asked.again
        };
        assert!(again(false) > 0, "{method:?} meets no position twice");
        assert_eq!(again(true), 0);
    }
}

#[test]
fn both_orders_of_moves_know_the_same() {
    for method in METHODS {
        let (board, [first, answer, third]) = crossing();
        let after = |line: [Move; 3]| -> SearchReport {
            let mut tree = Tree::new(board, shared(method, 400));
            search_tree(
                &mut tree,
                Budget::default(),
                &mut Expecting(line),
                &mut solver(),
                &mut rng(1),
                &mut |_| (),
            );
            for mv in line {
                assert!(tree.advance(mv), "{mv} is legal");
            }
            tree.report()
        };
        let (one, other) = (after([first, answer, third]), after([third, answer, first]));
        assert!(one.moves.iter().any(|found| found.visits > 0));
        assert_eq!(one, other);
    }
}

#[test]
fn a_search_that_meets_no_position_twice_is_that_of_a_tree() {
    let mut compared = 0;
    for (method, seed) in METHODS
        .into_iter()
        .flat_map(|m| (0..20).map(move |s| (m, s)))
    {
        let board = random_position(Size::Eight, 20 + seed as u32, &mut rng(seed));
        let find = |transpositions| {
            let config = SearchConfig {
                transpositions,
                ..shared(method, 24)
            };
            let mut asked = Asked::default();
            let report = search(&board, &config, &mut asked, &mut solver(), &mut rng(1));
            (report, asked.again)
        };
        let ((tree, again), (graph, _)) = (find(false), find(true));
        if again > 0 || tree.nodes != graph.nodes {
            continue;
        }
        compared += 1;
        assert_eq!((tree.best, tree.exact), (graph.best, graph.exact));
        for (tree, graph) in tree.moves.iter().zip(&graph.moves) {
            assert_eq!((tree.mv, tree.visits), (graph.mv, graph.visits));
            assert!((tree.q.unwrap_or(0.0) - graph.q.unwrap_or(0.0)).abs() < 1e-5);
        }
        for (tree, graph) in [
            (tree.value, graph.value),
            (tree.outcome, graph.outcome),
            (tree.margin / 64.0, graph.margin / 64.0),
        ] {
            assert!((tree - graph).abs() < 1e-5, "{tree} {graph}");
        }
    }
    assert!(compared >= 10, "{compared}");
}

/// Sure of everything, and often wrong.
struct Extreme;

impl Evaluator for Extreme {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        out.clear();
        out.extend(boards.iter().map(|board| {
            let hash = (board.own().bits() ^ board.opp().bits().rotate_left(17)) % 1009;
            let sign = [1.0, -1.0][(hash % 2) as usize];
            Evaluation {
                value: sign,
                margin: 64.0 * sign,
                ..Evaluation::EVEN
            }
        }));
    }
}

#[test]
fn values_stay_in_range_from_move_to_move() {
    for (method, seed) in METHODS
        .into_iter()
        .flat_map(|m| (0..6).map(move |s| (m, s)))
    {
        let board = random_position(Size::Eight, 12 + 6 * seed as u32, &mut rng(seed));
        let config = SearchConfig {
            leaves_in_flight: 4,
            ..shared(method, 300)
        };
        let mut tree = Tree::new(board, config);
        while let Some(best) = {
            search_tree(
                &mut tree,
                Budget::default(),
                &mut Extreme,
                &mut solver(),
                &mut rng(seed),
                &mut |_| (),
            );
            tree.best_move().filter(|_| tree.exact().is_none())
        } {
            let report = tree.report();
            let values = report.moves.iter().filter_map(|found| found.q);
            for value in values.chain([report.value, report.outcome, report.margin / 64.0]) {
                assert!((-1.0..=1.0).contains(&value), "{value}");
            }
            assert!(tree.advance(best));
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_graph() {
    for method in METHODS {
        let config = SearchConfig {
            method,
            transpositions: true,
            simulations: 300,
            ..SearchConfig::default()
        };
        let (board, _) = crossing();
        let find = |seed| {
            search(
                &board,
                &config,
                &mut DiscCount,
                &mut solver(),
                &mut rng(seed),
            )
        };
        assert_eq!(find(1), find(1));
        assert!((2..8).any(|seed| find(seed) != find(1)));
    }
}
