//! A thinker finds what search and solver find, in however small steps.

use std::time::Duration;

use outflank_net::{Architecture, Model, TrainingFacts, Weights};
use outflank_rules::{Position, Size};
use outflank_solver::Solver;
use outflank_web::{Aim, Task, TaskError, Thinker, Thought};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn thinker() -> Thinker {
    let architecture = Architecture {
        size: Size::Six,
        blocks: 1,
        channels: 16,
        ..Architecture::default()
    };
    let weights = Weights::init(architecture, &mut ChaCha8Rng::seed_from_u64(1));
    let facts = TrainingFacts::default();
    Thinker::new(&Model { facts, weights }, 1 << 20)
}

/// Nine empty squares, Black to move.
const LATE: &str = "-XXXX-OOXXO-OXOXOOOXXOOO-OOOO--OOO-- X";

fn task(position: &str, aim: Aim, simulations: u32) -> Task {
    Task {
        position: position.to_owned(),
        aim,
        simulations,
        seconds: None,
        solve_empties: 0,
        temperature: 0.0,
        seed: 1,
    }
}

fn finish(thinker: &mut Thinker, task: Task, step: Duration) -> Thought {
    thinker.begin(task).expect("a task that can be done");
    loop {
        let thought = thinker.step(step).expect("a task was begun");
        if thought.done {
            return thought;
        }
    }
}

#[test]
fn steps_do_not_change_what_is_found() {
    let start = Position::start(Size::Six).notation();
    let found = [Duration::ZERO, Duration::from_secs(60)].map(|step| {
        let mut thought = finish(&mut thinker(), task(&start, Aim::Play, 200), step);
        thought.seconds = 0.0;
        serde_json::to_string(&thought).expect("plain data")
    });
    assert_eq!(found[0], found[1]);
}

#[test]
fn late_positions_are_solved() {
    let board = LATE.parse::<Position>().expect("a position").board;
    let score = Solver::new(1 << 20).exact(&board);
    for aim in [Aim::Play, Aim::Analyse] {
        let task = Task {
            solve_empties: 12,
            ..task(LATE, aim, 10)
        };
        let thought = finish(&mut thinker(), task, Duration::from_millis(5));
        assert_eq!(thought.exact, Some(score), "{aim:?}");
        let best = thought.best.expect("a move");
        let after = board.apply(best.parse().expect("a move")).expect("legal");
        assert_eq!(
            -Solver::new(1 << 20).exact(&after),
            score,
            "{aim:?}: {best}"
        );
        if aim == Aim::Analyse {
            for found in &thought.moves {
                let after = board.apply(found.name.parse().expect("a move"));
                let exact = -Solver::new(1 << 20).exact(&after.expect("legal"));
                assert_eq!(found.exact, Some(exact), "{}", found.name);
            }
        }
    }
}

#[test]
fn time_ends_a_search() {
    let start = Position::start(Size::Six).notation();
    let task = Task {
        seconds: Some(0.2),
        ..task(&start, Aim::Play, u32::MAX)
    };
    let thought = finish(&mut thinker(), task, Duration::from_millis(20));
    assert!((0.2..5.0).contains(&thought.seconds), "{}", thought.seconds);
    assert!(thought.best.is_some());
}

#[test]
fn a_temperature_varies_the_moves_and_a_seed_fixes_them() {
    let start = Position::start(Size::Six).notation();
    let best = |seed| {
        let task = Task {
            temperature: 3.0,
            seed,
            ..task(&start, Aim::Play, 0)
        };
        finish(&mut thinker(), task, Duration::ZERO).best
    };
    assert_eq!(best(3), best(3));
    assert!((0..20).any(|seed| best(seed) != best(3)));
}

#[test]
fn what_cannot_be_thought_about_is_refused() {
    let mut thinker = thinker();
    let eight = Position::start(Size::Eight).notation();
    let refused = thinker.begin(task(&eight, Aim::Play, 1));
    assert!(
        matches!(refused, Err(TaskError::Size { .. })),
        "{refused:?}"
    );
    let over = format!("{} X", "X".repeat(36));
    let refused = thinker.begin(task(&over, Aim::Play, 1));
    assert!(matches!(refused, Err(TaskError::Over)), "{refused:?}");
    let refused = thinker.begin(Task {
        temperature: f32::NAN,
        ..task(LATE, Aim::Play, 1)
    });
    assert!(matches!(refused, Err(TaskError::Number(_))), "{refused:?}");
    assert!(thinker.step(Duration::ZERO).is_none());
}
