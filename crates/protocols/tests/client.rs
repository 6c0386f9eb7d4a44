//! Engines outside, played by the crate's own scripted one.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use outflank_protocols::{ClientError, EngineDescription, ExternalEngine, Protocol};
use outflank_rules::{Game, Move, Position, Size};

/// After it Black must pass, and White has 13 moves.
const PASSING: &str = "F5D6C5F4D3E3F2C6G5B5A5B4B3C4C3A6A7A3F3E6C7B6D7D8B8E7F7E8C8A8A4F8A2B7";

fn description(protocol: Protocol, words: &str) -> EngineDescription {
    let name = if protocol == Protocol::Gtp {
        "gtp"
    } else {
        "nboard"
    };
    let program = [env!("CARGO_BIN_EXE_scripted-engine"), name];
    EngineDescription::new(
        "test",
        protocol,
        program.into_iter().chain(words.split_whitespace()),
    )
}

fn engine(protocol: Protocol, words: &str) -> ExternalEngine {
    ExternalEngine::new(description(protocol, words))
}

fn parrot(protocol: Protocol, line: &str) -> ExternalEngine {
    let mut description = description(protocol, "");
    description.command = vec![
        description.command.swap_remove(0),
        "parrot".into(),
        line.into(),
    ];
    ExternalEngine::new(description)
}

/// What the scripted engine plays.
fn expected(game: &Game, greedy: bool) -> Move {
    let board = game.position().board;
    let mut moves: Vec<Move> = board.moves().collect();
    if greedy && !board.must_pass() {
        moves.sort_by_key(|mv| std::cmp::Reverse(board.flips(mv.square().unwrap()).len()));
    }
    moves[0]
}

#[test]
fn whole_games_with_passes() {
    for protocol in [Protocol::Gtp, Protocol::NBoard] {
        let mut first = engine(protocol, "first");
        let mut greedy = engine(protocol, "greedy");
        assert_eq!(first.start().unwrap(), "Scripted");
        let mut passes = 0;
        for size in [Size::Four, Size::Six, Size::Eight, Size::Eight] {
            let mut game = Game::new(size);
            while !game.is_over() {
                let is_first = game.plies().len().is_multiple_of(2);
                let player = if is_first { &mut first } else { &mut greedy };
                let choice = player.choose(&game, Some(Duration::from_secs(60))).unwrap();
                assert_eq!(choice.mv, expected(&game, !is_first));
                assert_eq!(
                    choice.evaluation.is_some(),
                    protocol == Protocol::NBoard && !choice.mv.is_pass()
                );
                passes += usize::from(choice.mv.is_pass());
                game.play(choice.mv).unwrap();
            }
        }
        assert!(passes > 0, "the games were to have passes");
        assert_eq!((first.starts(), greedy.starts()), (1, 1));
        first.quit();
        assert_eq!(first.process_id(), None);
    }
}

#[test]
fn any_game_can_follow_any_other() {
    let start = Position::start(Size::Eight);
    for protocol in [Protocol::Gtp, Protocol::NBoard] {
        let mut engine = engine(protocol, "greedy");
        for text in [PASSING, "f5", "f5d6", "f5f6e6f4", "f5f6", "", PASSING] {
            let mut game = Game::from_transcript(start, text).unwrap();
            assert_eq!(
                engine.choose(&game, None).unwrap().mv,
                expected(&game, true),
                "{text}"
            );
            // The same question again, and then one without the engine's own move.
            assert_eq!(
                engine.choose(&game, None).unwrap().mv,
                expected(&game, true),
                "{text}"
            );
            let other = game.position().board.moves().last().unwrap();
            game.play(other).unwrap();
            assert_eq!(
                engine.choose(&game, None).unwrap().mv,
                expected(&game, true),
                "{text}"
            );
        }
        assert_eq!(engine.starts(), 1);
    }
}

#[test]
fn engines_that_cannot_be_told_of_passes() {
    let mut game = Game::from_transcript(Position::start(Size::Eight), PASSING).unwrap();
    let mut engine = engine(Protocol::Gtp, "first deaf");
    assert_eq!(engine.choose(&game, None).unwrap().mv, Move::Pass);
    game.play(Move::Pass).unwrap();
    for _ in 0..2 {
        let mv = engine.choose(&game, None).unwrap().mv;
        assert_eq!(mv, expected(&game, false));
        game.play(mv).unwrap();
    }
    // Anew, with the pass in what it is told.
    engine.quit();
    assert_eq!(
        engine.choose(&game, None).unwrap().mv,
        expected(&game, false)
    );
}

#[test]
fn other_starting_positions() {
    let start = "---------------------------OX------OX------XO------------------- O";
    let game = Game::from_position(start.parse().unwrap());
    assert_eq!(
        engine(Protocol::NBoard, "").choose(&game, None).unwrap().mv,
        expected(&game, false)
    );
    let refused = engine(Protocol::Gtp, "").choose(&game, None).unwrap_err();
    assert!(matches!(refused, ClientError::Unsupported { .. }) && !refused.is_engines_fault());
}

#[test]
fn a_crash_is_reported_and_survived() {
    for protocol in [Protocol::Gtp, Protocol::NBoard] {
        let mut engine = engine(protocol, "first crash-at=3");
        let mut game = Game::new(Size::Eight);
        for _ in 0..2 {
            let mv = engine.choose(&game, None).unwrap().mv;
            game.play(mv).unwrap();
        }
        let error = engine.choose(&game, None).unwrap_err();
        let text = error.to_string();
        assert!(
            matches!(error, ClientError::Crash { .. }) && error.is_engines_fault(),
            "{text}"
        );
        assert!(
            text.contains("exit status: 3") && text.contains("crashing as told"),
            "{text}"
        );
        assert_eq!(engine.process_id(), None);
        // The next one gets the whole game, and thinks for its first time.
        assert_eq!(
            engine.choose(&game, None).unwrap().mv,
            expected(&game, false)
        );
        assert_eq!(engine.starts(), 2);
    }
}

#[test]
fn silence_is_a_timeout() {
    for protocol in [Protocol::Gtp, Protocol::NBoard] {
        let mut description = description(protocol, "hang-at=1");
        description.move_seconds = 0.05;
        let mut engine = ExternalEngine::new(description);
        let error = engine.choose(&Game::new(Size::Eight), None).unwrap_err();
        assert!(
            matches!(error, ClientError::Timeout { .. }) && error.is_engines_fault(),
            "{error}"
        );
        assert_eq!(engine.process_id(), None, "a hanging program is ended");
    }
}

#[test]
fn slow_engines_have_their_time() {
    let mut engine = engine(Protocol::Gtp, "slow=30");
    let choice = engine.choose(&Game::new(Size::Eight), None).unwrap();
    assert!(choice.time >= Duration::from_millis(30));
}

#[test]
fn wrong_answers_are_told_apart() {
    let game = Game::new(Size::Eight);
    let error = |line| parrot(Protocol::Gtp, line).choose(&game, None).unwrap_err();
    assert!(matches!(error("= a1"), ClientError::IllegalMove { .. }));
    assert!(
        matches!(error("= pass"), ClientError::IllegalMove { .. }),
        "a pass with a move"
    );
    assert!(matches!(error("= resign"), ClientError::Resigned { .. }));
    assert!(matches!(error("= hello"), ClientError::Protocol { .. }));
    assert!(matches!(error("=77 f5"), ClientError::Protocol { .. }));
    assert!(matches!(error("? no"), ClientError::Refused { .. }));
    for line in ["= a1", "= resign", "= hello", "=77 f5", "? no"] {
        assert!(error(line).is_engines_fault());
    }
    assert_eq!(
        parrot(Protocol::Gtp, "= F5")
            .choose(&game, None)
            .unwrap()
            .mv,
        "f5".parse().unwrap()
    );

    // It never says pong, so it does not get far.
    let mut description = parrot(Protocol::NBoard, "=== F5").description().clone();
    description.start_seconds = 0.05;
    let error = ExternalEngine::new(description)
        .choose(&game, None)
        .unwrap_err();
    assert!(matches!(error, ClientError::Timeout { .. }));
}

#[test]
fn descriptions_are_checked() {
    let game = Game::new(Size::Eight);
    let error = |description| {
        ExternalEngine::new(description)
            .choose(&game, None)
            .unwrap_err()
    };
    let nowhere = EngineDescription::new("x", Protocol::Gtp, ["/nowhere/engine"]);
    assert!(matches!(error(nowhere.clone()), ClientError::Start { .. }));
    let mut bad = nowhere.clone();
    bad.command.clear();
    assert!(
        error(bad)
            .to_string()
            .contains("command: expected a program")
    );
    let mut bad = nowhere.clone();
    bad.move_seconds = f64::NAN;
    assert!(
        error(bad)
            .to_string()
            .contains("move_seconds: expected seconds")
    );
    let mut bad = nowhere;
    bad.init = vec!["a\nb".to_owned()];
    assert!(error(bad).to_string().contains("init: expected one line"));
}

#[test]
fn settings_are_sent() {
    let mut description = description(Protocol::Gtp, "");
    description.level = Some(3);
    description.game_seconds = Some(60.0);
    description.init = vec!["komi 0".to_owned()];
    let mut engine = ExternalEngine::new(description.clone());
    engine
        .choose(&Game::new(Size::Eight), Some(Duration::from_secs(50)))
        .unwrap();
    description.init = vec!["dance".to_owned()];
    let error = ExternalEngine::new(description)
        .start()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("refused 'dance': unknown command"),
        "{error}"
    );
}
