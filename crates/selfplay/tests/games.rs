//! Games keep the rules, carry their targets, and do not depend on how they were scheduled.

use std::ops::ControlFlow;

use outflank_records::{Ending, GameRecord, SearchKind};
use outflank_rules::{Board, Color, Scoring, Size};
use outflank_run::{Location, Run, Store};
use outflank_search::{DiscCount, Evaluation, Evaluator, Method, SearchConfig};
use outflank_selfplay::{
    GenerationPlan, SelfplayConfig, fill_generation, play_games, wrong_resignations,
};
use outflank_solver::Solver;

/// An evaluator whose answers look arbitrary but depend on the board alone.
struct Hashing;

impl Evaluator for Hashing {
    fn evaluate(&mut self, boards: &[Board], out: &mut Vec<Evaluation>) {
        DiscCount.evaluate(boards, out);
        for (board, evaluation) in boards.iter().zip(out) {
            let mut hash = board.own().bits() ^ board.opp().bits().rotate_left(17);
            for logit in &mut evaluation.policy {
                hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
                *logit = (hash >> 40) as f32 / (1 << 24) as f32;
            }
        }
    }
}

fn config() -> SelfplayConfig {
    SelfplayConfig {
        search: SearchConfig {
            simulations: 8,
            leaf_solve_empties: 3,
            ..SearchConfig::default()
        },
        opening_plies: [2, 6],
        solve_empties: 8,
        solved_line_empties: 4,
        ..SelfplayConfig::default()
    }
}

fn play(config: &SelfplayConfig, size: Size, threads: usize) -> Vec<GameRecord> {
    play_after(config, size, &[], threads)
}

fn play_after(
    config: &SelfplayConfig,
    size: Size,
    earlier: &[GameRecord],
    threads: usize,
) -> Vec<GameRecord> {
    let seeds: Vec<u64> = (0..24).collect();
    let mut games = vec![None; seeds.len()];
    play_games(
        config,
        size,
        &seeds,
        earlier,
        threads,
        || Hashing,
        |index, game| {
            games[index] = Some(game);
            ControlFlow::Continue(())
        },
    );
    games
        .into_iter()
        .map(|game| game.expect("every game is finished"))
        .collect()
}

#[test]
fn threads_batches_and_caches_never_change_a_game() {
    let one = play(&config(), Size::Eight, 1);
    for (threads, games_in_flight, cache_entries) in [(2, 64, 1 << 10), (1, 1, 0), (3, 5, 16)] {
        let config = SelfplayConfig {
            games_in_flight,
            cache_entries,
            ..config()
        };
        assert!(
            play(&config, Size::Eight, threads) == one,
            "{threads} threads"
        );
    }
}

#[test]
fn games_keep_the_rules_and_end_with_the_exact_score() {
    let mut solver = Solver::new(1 << 20);
    for size in Size::ALL {
        for game in play(&config(), size, 2) {
            game.verify().expect("the rules are kept");
            assert_eq!(game.ending, Ending::Solved);
            // What was recorded at the first solved position is what the solver says again, and
            // what the played line arrives at.
            let mut board = Board::start(size);
            let mut to_move = Color::Black;
            let mut solved = false;
            for ply in &game.plies {
                if let Some(search) = &ply.search {
                    if search.kind == SearchKind::Solved && !solved {
                        assert!(board.empties() <= 8);
                        let score = solver.exact(&board);
                        assert_eq!(to_move.sign() * score, i32::from(game.black_margin));
                        assert_eq!(search.policy.support(), solver.optimal_moves(&board).1);
                        assert_eq!(search.value, score.signum() as f32);
                        solved = true;
                    }
                    assert!(search.policy.support() & !board.legal_moves() == Default::default());
                }
                board = board.apply(ply.mv).expect("a legal move");
                to_move = !to_move;
            }
            assert!(board.is_over());
            let score = to_move.sign() * board.score(Scoring::Tournament);
            assert_eq!(score, i32::from(game.black_margin));
        }
    }
}

#[test]
fn fast_moves_have_no_policy_target() {
    let config = SelfplayConfig {
        full_search_share: 0.25,
        fast_simulations: 2,
        ..config()
    };
    let games = play(&config, Size::Eight, 1);
    let searches = || {
        games
            .iter()
            .flat_map(|game| &game.plies)
            .filter_map(|ply| ply.search.as_ref())
    };
    let (fast, full) = (
        searches()
            .filter(|search| search.kind == SearchKind::Fast)
            .count(),
        searches()
            .filter(|search| search.kind == SearchKind::Full)
            .count(),
    );
    assert!(searches().all(|search| search.policy.is_empty() == (search.kind == SearchKind::Fast)));
    let share = full as f64 / (fast + full) as f64;
    assert!((0.15..0.35).contains(&share), "{full} full, {fast} fast");
}

#[test]
fn branches_leave_an_earlier_game_once() {
    let earlier = play(&config(), Size::Eight, 1);
    let config = SelfplayConfig {
        branch_share: 1.0,
        ..config()
    };
    let games = play_after(&config, Size::Eight, &earlier, 2);
    assert!(games == play_after(&config, Size::Eight, &earlier, 1));
    let in_common = |a: &GameRecord, b: &GameRecord| {
        let pairs = a.plies.iter().zip(&b.plies);
        pairs.take_while(|(a, b)| a.mv == b.mv).count()
    };
    let mut longest = 0;
    for game in &games {
        game.verify().expect("the rules are kept");
        let common = earlier.iter().map(|earlier| in_common(game, earlier)).max();
        let unsearched = game.plies.iter().take_while(|ply| ply.search.is_none());
        // All of the line but its last move is an earlier game's.
        assert!(common.expect("there are games") + 1 >= unsearched.count().min(7));
        longest = longest.max(common.expect("there are games"));
    }
    // Random openings have at most six plies.
    assert!(longest > 12, "{longest}");
}

#[test]
fn hopeless_sides_resign_but_not_where_they_play_on() {
    // The evaluator counts discs, so one that sees itself far behind gives up.
    let resigning = SelfplayConfig {
        resign_threshold: 0.2,
        play_on_share: 0.0,
        solve_empties: 0,
        ..config()
    };
    let games = play(&resigning, Size::Eight, 1);
    let resigned: Vec<_> = games
        .iter()
        .filter(|game| game.ending == Ending::Resigned)
        .collect();
    assert!(!resigned.is_empty());
    for game in &resigned {
        game.verify().expect("a valid record");
        assert_ne!(game.black_margin, 0);
    }
    let playing_on = SelfplayConfig {
        play_on_share: 1.0,
        ..resigning.clone()
    };
    let games = play(&playing_on, Size::Eight, 1);
    assert!(games.iter().all(|game| game.ending == Ending::Played));
    let (would, wrong) = wrong_resignations(&games, resigning.resign_threshold);
    assert!(would as usize >= resigned.len() / 2, "{would}");
    assert!(wrong <= would);
}

#[test]
fn surprise_is_the_distance_of_target_and_prior() {
    for game in play(&config(), Size::Eight, 1) {
        for search in game.plies.iter().filter_map(|ply| ply.search.as_ref()) {
            match search.kind {
                SearchKind::Full => assert!(search.surprise >= 0.0 && search.surprise.is_finite()),
                _ => assert_eq!(search.surprise, 0.0),
            }
        }
    }
    let mean = |c_scale| {
        let mut config = config();
        config.search.gumbel.c_scale = c_scale;
        let games = play(&config, Size::Eight, 1);
        let surprises: Vec<f32> = games
            .iter()
            .flat_map(|game| &game.plies)
            .filter_map(|ply| Some(ply.search.as_ref()?.surprise))
            .collect();
        surprises.iter().sum::<f32>() / surprises.len() as f32
    };
    let (gentle, sharp) = (mean(0.01), mean(1.0));
    assert!(sharp > 2.0 * gentle, "{sharp} {gentle}");
}

#[test]
fn puct_games_explore_by_visits() {
    let mut puct = config();
    puct.search.method = Method::Puct;
    puct.opening_plies = [0, 0];
    let games = play(&puct, Size::Eight, 1);
    let distinct: std::collections::HashSet<_> = games
        .iter()
        .map(|game| game.plies.iter().map(|ply| ply.mv).collect::<Vec<_>>())
        .collect();
    assert!(distinct.len() > 20, "{}", distinct.len());
}

#[test]
fn a_generation_is_filled_up_and_not_beyond() {
    let run = Run::open_or_create(Store::open(&Location::Memory).expect("memory")).expect("a run");
    let (config, worker) = (config(), "a".parse().expect("a name"));
    let plan = GenerationPlan {
        config: &config,
        earlier: &[],
        size: Size::Six,
        seed: 3,
        generation: 0,
        chunks: 3,
        games_per_chunk: 4,
        worker: &worker,
        threads: 2,
    };
    // Stopped after a few games, as by a kill: what was published stays.
    let mut games = 0;
    fill_generation(
        &run,
        &plan,
        || Hashing,
        |_| {
            games += 1;
            if games == 7 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    )
    .expect("filled in part");
    let before = run.chunks(0).expect("listed");
    assert!(before.len() < 3);
    // Another worker adds one, the first the rest.
    let other = "b".parse().expect("a name");
    let one = GenerationPlan {
        chunks: before.len() as u64 + 1,
        worker: &other,
        ..plan.clone()
    };
    fill_generation(&run, &one, || Hashing, |_| ControlFlow::Continue(())).expect("filled in part");
    fill_generation(&run, &plan, || Hashing, |_| ControlFlow::Continue(())).expect("filled");
    assert_eq!(run.chunks(0).expect("listed").len(), 3);
    let again =
        fill_generation(&run, &plan, || Hashing, |_| ControlFlow::Continue(())).expect("full");
    assert_eq!(again.evaluations, 0);
    // No two games are the same.
    let mut seeds = std::collections::HashSet::new();
    for key in run.chunks(0).expect("listed") {
        for game in run.read_chunk(&key).expect("whole").1 {
            assert!(seeds.insert(game.seed));
        }
    }
    assert_eq!(seeds.len(), 12);
}
