//! Matches between players that can be told beforehand.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use outflank_arena::{
    Builtin, CrashPolicy, End, FactoryFn, ForfeitKind, MatchConfig, MatchError, MatchObserver,
    MatchResult, OpeningSet, PlayedGame, Player, PlayerError, PlayerFactory, Progress,
    SearchPlayer, SearchPlayerConfig, SprtConfig, SprtVerdict, count_match, play_match, play_part,
};
use outflank_rules::{Color, Game, Move, Scoring, Size};
use outflank_search::{DiscCount, SearchConfig};

fn builtin(name: &str) -> Builtin {
    name.parse().expect(name)
}

fn pairs(pairs: usize, threads: usize) -> MatchConfig {
    MatchConfig {
        pairs,
        threads,
        seed: 3,
        ..MatchConfig::default()
    }
}

fn play(
    first: &dyn PlayerFactory,
    second: &dyn PlayerFactory,
    openings: &OpeningSet,
    config: &MatchConfig,
) -> MatchResult {
    play_match([first, second], openings, config, &mut ()).expect("the players never fail to start")
}

#[test]
fn a_clean_score_says_what_its_elo_is_made_of() {
    let openings = OpeningSet::random(Size::Eight, 4, 2, 1).expect("enough exist");
    let (first, second) = (builtin("alpha-beta:3"), builtin("random"));
    let result = play(&first, &second, &openings, &pairs(2, 1));
    assert_eq!(result.summary.score, 1.0);
    let text = result.to_string();
    assert!(
        text.contains("one side, which no finite Elo explains"),
        "{text}"
    );
}

#[test]
fn deterministic_players_get_two_distinct_games_an_opening() {
    let openings = OpeningSet::random(Size::Eight, 4, 20, 9).expect("enough exist");
    let (first, second) = (builtin("alpha-beta:2"), builtin("greedy"));
    let result = play(&first, &second, &openings, &pairs(20, 2));
    assert_eq!(result.games.len(), 40);
    assert_eq!(result.openings.distinct, 20);
    assert_eq!(result.summary.distinct_games, 40);
    assert!(result.summary.score > 0.7, "{result}");
    assert!(!result.to_string().contains("one side"), "{result}");

    // Twice the pairs over the same openings bring nothing new, and the result says so.
    let result = play(&first, &second, &openings, &pairs(40, 2));
    assert_eq!(result.games.len(), 80);
    assert_eq!(result.openings.distinct, 20);
    assert_eq!(result.summary.distinct_games, 40);
    assert!(
        result
            .to_string()
            .contains("40 distinct of 80; the repeated"),
        "{result}"
    );
}

#[test]
fn games_are_kept_as_they_were_played() {
    let openings = OpeningSet::random(Size::Six, 5, 10, 2).expect("enough exist");
    let result = play(
        &builtin("random"),
        &builtin("greedy"),
        &openings,
        &pairs(10, 1),
    );
    for (i, game) in result.games.iter().enumerate() {
        assert_eq!((game.pair, game.opening, game.black), (i / 2, i / 2, i % 2));
        let replayed = game.replay().expect("legal");
        assert!(replayed.is_over());
        assert_eq!(game.margin, Some(replayed.score(Scoring::Tournament)));
        let opening = &openings.openings()[game.opening];
        assert_eq!(&replayed.plies()[..game.opening_plies], opening.plies());
        assert_eq!(game.outcome(0), game.outcome(1).reversed());
    }
    let passes = result.games.iter().filter(|game| game.moves.contains("pa"));
    assert!(passes.count() > 0, "6x6 games are full of passes");
    let summary = &result.summary;
    assert_eq!(summary.total.games(), 20);
    assert_eq!(summary.as_black.games() + summary.as_white.games(), 20);
    assert_eq!(summary.pairs.pairs(), 10);
    assert!((summary.pairs.score() - summary.score).abs() < 1e-12);
}

#[test]
fn threads_change_nothing() {
    let openings = OpeningSet::random(Size::Eight, 6, 6, 5).expect("enough exist");
    let search = FactoryFn::new("search", || {
        let config = SearchPlayerConfig {
            search: SearchConfig {
                simulations: 8,
                ..SearchConfig::default()
            },
            solve_empties: 8,
            solver_mib: 1,
            ..SearchPlayerConfig::default()
        };
        let player = SearchPlayer::new("search", DiscCount, config).expect("valid settings");
        Ok(Box::new(player) as Box<dyn Player>)
    });
    for (first, second) in [
        (
            &builtin("random") as &dyn PlayerFactory,
            &builtin("rollout:20") as &dyn PlayerFactory,
        ),
        (&search, &builtin("perfect:8:random")),
    ] {
        let one = play(first, second, &openings, &pairs(8, 1));
        for threads in [2, 5] {
            assert_eq!(one, play(first, second, &openings, &pairs(8, threads)));
        }
    }
}

#[test]
fn stronger_players_win() {
    let openings = OpeningSet::random(Size::Eight, 6, 15, 5).expect("enough exist");
    for (stronger, weaker) in [
        ("alpha-beta:3", "random"),
        ("rollout:60", "random"),
        ("perfect:10:random", "random"),
    ] {
        let result = play(
            &builtin(stronger),
            &builtin(weaker),
            &openings,
            &pairs(15, 2),
        );
        assert!(result.summary.elo.low > 0.0, "{result}");
        assert!(result.summary.superiority > 0.975);
    }
}

#[test]
fn a_test_ends_the_match_on_the_same_pair_whatever_the_threads() {
    let openings = OpeningSet::random(Size::Eight, 6, 200, 5).expect("enough exist");
    let (first, second) = (builtin("greedy"), builtin("alpha-beta:1"));
    let config = MatchConfig {
        sprt: Some(SprtConfig {
            elo0: 0.0,
            elo1: 50.0,
            alpha: 0.05,
            beta: 0.05,
        }),
        ..pairs(200, 1)
    };
    let result = play(&first, &second, &openings, &config);
    let state = result.sprt.expect("there is a test");
    assert_eq!(state.verdict, Some(SprtVerdict::Null));
    assert!(result.games.len() < 400);
    let config = MatchConfig {
        threads: 4,
        ..config
    };
    assert_eq!(result, play(&first, &second, &openings, &config));

    let config = MatchConfig {
        sprt: Some(SprtConfig {
            elo0: 50.0,
            elo1: 0.0,
            alpha: 0.05,
            beta: 0.05,
        }),
        ..config
    };
    let error = play_match([&first, &second], &openings, &config, &mut ()).expect_err("no test");
    assert!(matches!(error, MatchError::Sprt(_)));
}

#[test]
fn observers_see_pairs_in_order_and_can_end_the_match() {
    struct Five(Vec<usize>);
    impl MatchObserver for Five {
        fn pair(&mut self, games: &[PlayedGame; 2], progress: &Progress) -> ControlFlow<()> {
            self.0.push(games[0].pair);
            assert_eq!(games[1].pair, games[0].pair);
            assert_eq!(progress.pairs_done, self.0.len());
            assert_eq!(progress.scores.pairs() as usize, self.0.len());
            if self.0.len() == 5 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    }
    let openings = OpeningSet::random(Size::Eight, 6, 50, 5).expect("enough exist");
    let mut observer = Five(Vec::new());
    let random = builtin("random");
    let result = play_match([&random, &random], &openings, &pairs(50, 3), &mut observer)
        .expect("random starts");
    assert_eq!(observer.0, [0, 1, 2, 3, 4]);
    assert_eq!(result.games.len(), 10);
}

/// Plays the first legal square, and insists on being asked only when there is one.
struct Strict;

impl Player for Strict {
    fn name(&self) -> &str {
        "strict"
    }

    fn new_game(&mut self, _: &Game, _: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        let square = game
            .legal_moves()
            .next()
            .expect("a player with no move is not asked");
        Ok(Move::Place(square))
    }
}

#[test]
fn the_referee_plays_passes() {
    // Both end with a forced pass: of Black, and of the side to move there.
    let openings = OpeningSet::parse(
        Size::Eight,
        "passes",
        "e6f6c4c5c6d6g7f4g4g6e7h8h6g5g8f8\n\
         F5D6C5F4D3E3F2C6G5B5A5B4B3C4C3A6A7A3F3E6C7B6D7D8B8E7F7E8C8A8A4F8A2B7\n",
    )
    .expect("legal");
    assert!(openings.openings().iter().all(Game::must_pass));
    let strict = FactoryFn::new("strict", || Ok(Box::new(Strict) as Box<dyn Player>));
    let result = play(&strict, &strict, &openings, &pairs(2, 1));
    for game in &result.games {
        assert_eq!(game.end, End::Over);
        assert_eq!(&game.moves[2 * game.opening_plies..][..2], "pa");
    }
}

#[test]
fn a_level_end_is_a_draw_for_both() {
    // A game of 32-32, but for its last move.
    let openings = OpeningSet::parse(
        Size::Eight,
        "draw",
        "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1f7e2g3h4f1e1f2g1b1f8g8b3h3b2h5\
         b7a3a4a1a2c1h2h1g2b8a8g7h8h7",
    )
    .expect("legal");
    let result = play(
        &builtin("random"),
        &builtin("greedy"),
        &openings,
        &pairs(1, 1),
    );
    assert_eq!(result.summary.total.draws, 2);
    assert_eq!(result.summary.pairs.counts, [0, 0, 1, 0, 0]);
    assert!(result.games.iter().all(|game| game.margin == Some(0)));
}

/// Fails in its third move of every game, in the way given.
struct Failing {
    move_number: usize,
    how: fn(&Game) -> Result<Move, PlayerError>,
}

impl Player for Failing {
    fn name(&self) -> &str {
        "failing"
    }

    fn new_game(&mut self, _: &Game, _: u64) -> Result<(), PlayerError> {
        self.move_number = 0;
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        self.move_number += 1;
        if self.move_number == 3 {
            return (self.how)(game);
        }
        Ok(game.legal_moves().next().map_or(Move::Pass, Move::Place))
    }
}

#[test]
fn failures_lose_the_game_and_the_reason_is_kept() {
    type How = fn(&Game) -> Result<Move, PlayerError>;
    let cases: [(How, ForfeitKind, &str); 5] = [
        (
            |_| Ok(Move::Place("d4".parse().expect("a square"))),
            ForfeitKind::IllegalMove,
            "played d4: d4 is occupied",
        ),
        (|_| Ok(Move::Pass), ForfeitKind::IllegalMove, "may not pass"),
        (
            |_| Err(PlayerError::Crashed("exit code 1".to_owned())),
            ForfeitKind::Crash,
            "crashed: exit code 1",
        ),
        (
            |_| Err(PlayerError::TimedOut(Duration::from_millis(1500))),
            ForfeitKind::TimeOut,
            "gave no answer within 1.5 s",
        ),
        (
            |_| Err(PlayerError::NotAMove("resign".to_owned())),
            ForfeitKind::NotAMove,
            "answered 'resign'; expected a move",
        ),
    ];
    let openings = OpeningSet::random(Size::Eight, 6, 4, 5).expect("enough exist");
    for (how, kind, text) in cases {
        let made = AtomicUsize::new(0);
        let failing = FactoryFn::new("failing", || {
            made.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Failing {
                move_number: 0,
                how,
            }) as Box<dyn Player>)
        });
        let result = play(&builtin("greedy"), &failing, &openings, &pairs(4, 1));
        assert_eq!(result.summary.forfeits, [0, 8]);
        assert_eq!(result.summary.score, 1.0);
        assert_eq!(result.summary.mean_margin, 0.0);
        for game in &result.games {
            assert_eq!(game.margin, None);
            assert_eq!(game.outcome(0), game.outcome(1).reversed());
            let End::Forfeit { by, how, reason } = &game.end else {
                panic!("{game:?}");
            };
            assert_eq!((*by, *how), (1, kind));
            assert!(reason.contains(text), "{reason}");
            // The game up to there is kept, and it is the failing player's turn.
            let replayed = game.replay().expect("legal");
            let failing = if game.black == 1 {
                Color::Black
            } else {
                Color::White
            };
            assert_eq!(replayed.position().to_move, failing);
        }
        assert!(result.to_string().contains("8 by failing"), "{result}");
        let fatal = matches!(kind, ForfeitKind::Crash | ForfeitKind::TimeOut);
        assert_eq!(made.into_inner(), if fatal { 8 } else { 1 });
    }
}

#[test]
fn a_crashed_game_can_be_replayed_once() {
    // The first player made fails in its third move, all later ones play on.
    let made = AtomicUsize::new(0);
    let failing = FactoryFn::new("failing", || {
        let how: fn(&Game) -> Result<Move, PlayerError> = match made.fetch_add(1, Ordering::Relaxed)
        {
            0 => |_| Err(PlayerError::Crashed("killed".to_owned())),
            _ => |game| Ok(game.legal_moves().next().map_or(Move::Pass, Move::Place)),
        };
        Ok(Box::new(Failing {
            move_number: 0,
            how,
        }) as Box<dyn Player>)
    });
    let openings = OpeningSet::random(Size::Eight, 6, 4, 5).expect("enough exist");
    let config = MatchConfig {
        crashes: CrashPolicy::Replay,
        ..pairs(4, 1)
    };
    let result = play(&builtin("greedy"), &failing, &openings, &config);
    assert_eq!(result.summary.forfeits, [0, 0]);
    assert!(result.games.iter().all(|game| game.end == End::Over));
}

#[test]
fn a_player_that_cannot_be_made_ends_the_match() {
    let missing = FactoryFn::new("missing", || {
        Err(PlayerError::Crashed("no such program".to_owned()))
    });
    let error = play_match(
        [&builtin("greedy"), &missing],
        &OpeningSet::start(Size::Eight),
        &pairs(4, 2),
        &mut (),
    )
    .expect_err("it cannot be made");
    assert_eq!(
        error.to_string(),
        "missing could not be started: crashed: no such program"
    );
}

#[test]
fn parts_of_a_match_add_up_to_the_whole() {
    let openings = OpeningSet::random(Size::Six, 4, 25, 9).expect("enough exist");
    let (first, second) = (builtin("alpha-beta:1"), builtin("random"));
    let sprt = Some(SprtConfig {
        elo0: 0.0,
        elo1: 100.0,
        alpha: 0.05,
        beta: 0.05,
    });
    for sprt in [None, sprt] {
        let config = MatchConfig {
            sprt,
            ..pairs(25, 2)
        };
        let whole = play(&first, &second, &openings, &config);
        let mut games = Vec::new();
        for part in [0..10, 10..11, 11..25] {
            let players: [&dyn PlayerFactory; 2] = [&first, &second];
            let played = play_part(players, &openings, &config, part.clone()).expect("plays");
            assert_eq!(played.len(), 2 * part.len());
            games.extend(played);
        }
        let pairs = games
            .chunks_exact(2)
            .map(|pair| [pair[0].clone(), pair[1].clone()]);
        let counted = count_match(whole.players.clone(), &openings, &config, pairs);
        assert_eq!(counted.expect("good games"), whole);
        assert_eq!(sprt.is_some(), whole.games.len() < 50, "a test ends early");
    }
}
