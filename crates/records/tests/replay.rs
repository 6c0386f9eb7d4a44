//! Walking through records: the rules are enforced, errors name the ply.

mod common;

use common::{first_pass, game, searched_game};
use outflank_records::*;
use outflank_rules::{Color, Move, Scoring, Size, Square};

fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

fn message(game: &GameRecord) -> String {
    game.verify().expect_err("wrong").to_string()
}

#[test]
fn random_games_replay_to_their_results() {
    for size in Size::ALL {
        for seed in 0..50 {
            let game = searched_game(size, seed);
            let mut replay = game.replay();
            let steps: Vec<_> = replay.by_ref().collect::<Result<_, _>>().expect("legal");
            assert_eq!(steps.len(), game.plies.len());
            for (ply, step) in steps.iter().enumerate() {
                assert_eq!(step.ply, ply);
                let color = if ply % 2 == 0 {
                    Color::Black
                } else {
                    Color::White
                };
                assert_eq!(step.to_move, color, "a pass is a ply");
            }
            assert!(replay.board().is_over());
            let score = replay.to_move().sign() * replay.board().score(Scoring::Tournament);
            assert_eq!(score, game.black_margin.into());
        }
    }
}

#[test]
fn an_illegal_ply_is_named_and_ends_the_walk() {
    let mut game = searched_game(Size::Eight, 1);
    game.plies[6].mv = Move::Place(square("e4"));
    let mut replay = game.replay();
    assert_eq!(replay.by_ref().take_while(|step| step.is_ok()).count(), 6);
    assert!(replay.next().is_none());
    assert_eq!(message(&game), "ply 7: e4 is occupied");

    game.plies[6].mv = Move::Pass;
    assert!(message(&game).starts_with("ply 7: a player who has a move may not pass"));

    let mut game = searched_game(Size::Six, 1);
    game.plies[0].mv = Move::Place(square("h8"));
    assert_eq!(message(&game), "ply 1: h8 is outside of the 6x6 board");
}

#[test]
fn a_missing_pass_and_a_ply_too_many_are_named() {
    let mut game = (0..)
        .map(|seed| searched_game(Size::Six, seed))
        .find(|game| first_pass(game).is_some_and(|pass| pass + 1 < game.plies.len()))
        .expect("passes are common on 6x6");
    let mut longer = game.clone();
    longer.plies.push(PlyRecord {
        mv: Move::Pass,
        search: None,
    });
    assert_eq!(
        message(&longer),
        format!(
            "ply {}: the game is over: neither player has a move",
            longer.plies.len()
        )
    );
    let pass = first_pass(&game).expect("it has one");
    game.plies.remove(pass);
    assert!(
        message(&game).starts_with(&format!("ply {}: ", pass + 1)),
        "{}",
        message(&game)
    );
}

#[test]
fn results_must_fit_the_last_position() {
    let right = searched_game(Size::Four, 3);
    let mut game = right.clone();
    game.black_margin += 2;
    assert_eq!(
        message(&game),
        format!(
            "the recorded result is {} for Black, the last position says {}",
            game.black_margin, right.black_margin
        )
    );
    game.ending = Ending::Solved;
    assert!(matches!(game.verify(), Err(ReplayError::Result { .. })));

    // Without its last ply the game is not over: not played out, but maybe solved or resigned.
    let mut game = right.clone();
    game.plies.pop();
    assert_eq!(
        game.verify(),
        Err(ReplayError::Unfinished {
            plies: game.plies.len()
        })
    );
    for ending in [Ending::Solved, Ending::Resigned] {
        game.ending = ending;
        game.black_margin = -2;
        assert_eq!(game.verify(), Ok(()));
        game.black_margin = 18;
        assert_eq!(game.verify(), Err(ReplayError::Margin(18)));
    }
    game.black_margin = 0;
    assert_eq!(
        game.verify(),
        Err(ReplayError::Margin(0)),
        "nobody resigns a draw"
    );
}

#[test]
fn search_results_are_checked() {
    let right = searched_game(Size::Eight, 5);
    let with = |change: &dyn Fn(&mut SearchRecord)| {
        let mut game = right.clone();
        change(game.plies[9].search.as_mut().expect("searched"));
        message(&game)
    };
    assert_eq!(
        with(&|search| search.value = 1.5),
        "ply 10: the value is 1.5; expected -1 to 1"
    );
    assert_eq!(
        with(&|s| s.value = f32::NAN),
        "ply 10: the value is NaN; expected -1 to 1"
    );
    let mut weights = [0.0; 64];
    weights[square("d4").index()] = 1.0;
    assert_eq!(
        with(&|search| search.policy = PolicyTarget::from_weights(&weights)),
        "ply 10: the policy has weight on d4, which is not legal"
    );
    assert_eq!(game(Size::Four, 0, |_| None).searched_plies(), 0);
}
