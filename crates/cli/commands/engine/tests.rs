//! The thinker on its own, with an evaluator that counts discs.

use std::time::{Duration, Instant};

use outflank_protocols::{Depth, Engine, Line, Stop, Task, Thought};
use outflank_rules::{Game, Move, Position, Scoring, Size};
use outflank_search::DiscCount;

use super::strength::Strength;
use super::thinker::Thinker;

/// A perfect game: a draw, 32 to 32 (H. Takizawa, "Othello is solved", 2023).
const DRAWN: &str = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1f7e2g3h4f1e1f2g1b1f8g8b3h3b2h5b7a3a4a1a2c1h2h1g2b8a8g7h8h7h6";

fn thinker(simulations: Option<u32>, seconds: Option<f64>) -> Thinker<DiscCount> {
    let strength = Strength::new(simulations, seconds).expect("in range");
    Thinker::new(DiscCount, Size::Eight, strength, 1, 1 << 20)
}

/// The position of the perfect game with so many empty squares.
fn drawn(empties: usize) -> Game {
    let end = 2 * (60 - empties);
    let start = Position::start(Size::Eight);
    Game::from_transcript(start, &DRAWN[..end]).expect("a game")
}

fn task(game: Game, lines: usize) -> Task {
    Task {
        game,
        lines,
        level: None,
        time: None,
        contempt: 0,
        ponder: false,
        stop: Stop::default(),
    }
}

fn think(thinker: &mut Thinker<DiscCount>, task: &Task) -> Thought {
    thinker.think(task, &mut |_| ()).expect("it can think")
}

#[test]
fn endings_are_exact_with_a_line_that_proves_it() {
    let mut thinker = thinker(Some(50), None);
    for empties in [1, 6, 10, 12] {
        let game = drawn(empties);
        let thought = think(&mut thinker, &task(game.clone(), 1));
        let [line] = thought.lines.as_slice() else {
            panic!("one line: {thought:?}");
        };
        assert_eq!((line.depth, line.evaluation), (Depth::Exact, 0.0));
        let mut end = game;
        for mv in &line.moves {
            end.play(*mv).expect("a line of legal moves");
        }
        if end.is_over() {
            assert_eq!(end.score(Scoring::Tournament), 0);
        }
    }
}

#[test]
fn all_moves_of_an_ending_get_their_scores() {
    let game = drawn(12);
    let board = game.position().board;
    let mut shown = 0;
    let mut thinker = thinker(Some(50), None);
    let thought = thinker
        .think(&task(game, 64), &mut |_| shown += 1)
        .expect("it can think");
    assert_eq!(thought.lines.len(), board.legal_moves().count());
    assert!(shown > 1, "scores are shown as they are found");
    let mut solver = outflank_solver::Solver::new(1 << 20);
    for line in &thought.lines {
        let after = board.apply(line.moves[0]).expect("legal");
        assert_eq!(line.depth, Depth::Exact);
        assert_eq!(line.evaluation, f64::from(-solver.exact(&after)));
    }
    let scores = thought.lines.iter().map(|line| line.evaluation);
    assert!(scores.is_sorted_by(|a, b| a >= b));
}

#[test]
fn what_was_proven_is_not_forgotten() {
    let mut thinker = thinker(Some(50), None);
    let hint = think(&mut thinker, &task(drawn(12), 2));
    // The move is wanted at once, which alone would prove nothing.
    let go = task(drawn(12), 1);
    go.stop.set();
    assert_eq!(think(&mut thinker, &go).lines, hint.lines[..1]);
    let other = task(drawn(14), 1);
    other.stop.set();
    assert_ne!(think(&mut thinker, &other).lines[0].depth, Depth::Exact);
}

#[test]
fn fixed_simulations_repeat_themselves_and_grow_with_the_level() {
    let game = drawn(50);
    let mut thinker = thinker(None, None);
    let mut at = |level| {
        let task = Task {
            level: Some(level),
            ..task(game.clone(), 1)
        };
        think(&mut thinker, &task)
    };
    let first = at(6);
    assert_eq!(first.nodes, 64);
    assert_eq!(at(10).nodes, 256);
    assert_eq!(at(6), first);
}

#[test]
fn stopped_at_once_it_still_answers() {
    for empties in [50, 16] {
        for lines in [1, 4] {
            let task = task(drawn(empties), lines);
            task.stop.set();
            let begun = Instant::now();
            let thought = think(&mut thinker(Some(100_000), None), &task);
            assert!(!thought.lines.is_empty());
            assert!(begun.elapsed() < Duration::from_secs(5));
        }
    }
}

#[test]
fn the_clock_ends_a_search_that_shows_its_lines() {
    let mut shown: Vec<Vec<Line>> = Vec::new();
    let task = Task {
        time: Some(Duration::from_millis(700)),
        ..task(drawn(40), 3)
    };
    let thought = thinker(None, None)
        .think(&task, &mut |lines| shown.push(lines.to_vec()))
        .expect("it can think");
    assert_eq!(thought.lines.len(), 3);
    assert!(!shown.is_empty());
    let board = drawn(40).position().board;
    for line in shown.iter().flatten().chain(&thought.lines) {
        let mut board = board;
        for mv in &line.moves {
            board = board.apply(*mv).expect("a line of legal moves");
        }
    }
}

#[test]
fn passes_are_part_of_the_lines() {
    let game = drawn(14);
    let thought = think(&mut thinker(Some(50), None), &task(game.clone(), 64));
    let passes = |line: &&Line| line.moves.contains(&Move::Pass);
    assert!(thought.lines.iter().any(|line| passes(&line)));
    for line in thought.lines.iter().filter(passes) {
        let mut board = game.position().board;
        for mv in &line.moves {
            board = board.apply(*mv).expect("a line of legal moves");
        }
        assert_eq!(line.depth, Depth::Exact);
    }
}

#[test]
fn another_board_is_refused_by_name() {
    let error = thinker(None, None)
        .think(&task(Game::new(Size::Six), 1), &mut |_| ())
        .expect_err("another board");
    assert!(error.to_string().contains("8x8") && error.to_string().contains("6x6"));
}
