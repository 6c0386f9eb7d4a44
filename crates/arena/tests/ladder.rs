//! The ladder against an established implementation, and where the games alone decide nothing.

use std::collections::BTreeMap;

use outflank_arena::{Ladder, LadderConfig, LadderError, Results, Scores, expected_score};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn results(wins: u64, draws: u64, losses: u64) -> Results {
    Results {
        wins,
        draws,
        losses,
    }
}

fn scores(games: &[(&str, &str, [u64; 3])]) -> Scores {
    let mut scores = Scores::new();
    for &(first, second, [wins, draws, losses]) in games {
        scores.add(first, second, results(wins, draws, losses));
    }
    scores
}

fn example() -> Scores {
    scores(&[
        ("random", "greedy", [28, 2, 70]),
        ("random", "ab1", [9, 1, 90]),
        ("greedy", "ab1", [31, 3, 66]),
        ("ab1", "ab3", [14, 2, 84]),
        ("greedy", "ab3", [5, 1, 94]),
        ("ab3", "net", [37, 6, 57]),
        ("ab1", "net", [8, 0, 92]),
        ("net", "mcts", [61, 4, 35]),
        ("ab3", "mcts", [22, 1, 17]),
        ("random", "mcts", [1, 1, 48]),
    ])
}

fn assert_ratings(ladder: &Ladder, expected: &[(&str, f64, f64)]) {
    for &(name, elo, half) in expected {
        let rating = ladder.rating(name).expect(name);
        assert!(
            (rating.elo - elo).abs() < 1e-3,
            "{name}: {rating}, expected {elo}"
        );
        assert!(
            (rating.high - elo - half).abs() < 1e-3,
            "{name}: {rating}, expected {half}"
        );
        assert!((rating.low - elo + half).abs() < 1e-3);
    }
}

/// Made with statsmodels 0.15: `GLM(score, X, family=Binomial(), var_weights=games)` on one row a
/// meeting, +1 and -1 in the columns of its players, the anchors in `offset`; `params` and 1.96
/// `bse` times 400 / ln 10. choix 0.4.1 (`ilsr_pairwise_dense`) gives the same ratings.
#[test]
fn ratings_and_intervals_agree_with_statsmodels() {
    let ladder = Ladder::fit(&example(), &LadderConfig::default()).expect("valid settings");
    assert_ratings(
        &ladder,
        &[
            ("random", 0.0, 0.0),
            ("greedy", 181.04718, 64.84655),
            ("ab1", 335.84232, 71.19966),
            ("ab3", 659.53485, 92.52349),
            ("net", 731.56986, 97.90981),
            ("mcts", 631.04870, 106.67383),
        ],
    );
    assert_eq!(ladder.groups.len(), 1);
    assert!(ladder.held.is_empty() && ladder.missing_anchors.is_empty());

    let two = LadderConfig {
        anchors: BTreeMap::from([("random".to_owned(), 0.0), ("ab3".to_owned(), 650.0)]),
        ..LadderConfig::default()
    };
    assert_ratings(
        &Ladder::fit(&example(), &two).expect("valid settings"),
        &[
            ("greedy", 177.66320, 55.61217),
            ("ab1", 330.98807, 53.01650),
            ("ab3", 650.0, 0.0),
            ("net", 723.23608, 54.98482),
            ("mcts", 622.67896, 68.89631),
        ],
    );

    // The prior as one more drawn game in each row.
    let prior = LadderConfig {
        prior_draws: 1.0,
        ..LadderConfig::default()
    };
    let ladder = Ladder::fit(&example(), &prior).expect("valid settings");
    for (name, elo) in [
        ("greedy", 177.06115),
        ("net", 713.73824),
        ("mcts", 612.83930),
    ] {
        let rating = ladder.rating(name).expect(name);
        assert!((rating.elo - elo).abs() < 1e-3, "{name}: {rating}");
    }
}

/// The games of a small run: its models of every generation and fixed opponents, 13 players. The file
/// has what `scripts/check_ladder.py` made of them with statsmodels 0.15: ratings, and how far the
/// 95 % intervals reach around them.
#[test]
fn the_ladder_of_a_run_agrees_with_statsmodels_within_a_point() {
    #[derive(serde::Deserialize)]
    struct Kept {
        meetings: Vec<(String, String, u64, u64, u64)>,
        statsmodels: BTreeMap<String, (f64, f64)>,
    }
    let kept: Kept = serde_json::from_str(include_str!("data/ladder.json")).expect("it is JSON");
    let mut scores = Scores::new();
    for (first, second, wins, draws, losses) in &kept.meetings {
        scores.add(first, second, results(*wins, *draws, *losses));
    }
    let ladder = Ladder::fit(&scores, &LadderConfig::default()).expect("valid settings");
    assert_eq!(kept.statsmodels.len() + 1, ladder.players.len());
    for (name, (elo, around)) in &kept.statsmodels {
        let rating = ladder.rating(name).expect(name);
        let differences = [
            rating.elo - elo,
            rating.low - (elo - around),
            rating.high - (elo + around),
        ];
        assert!(
            differences.iter().all(|d| d.abs() < 1.0),
            "{name}: {rating}"
        );
    }
}

#[test]
fn two_players_differ_by_what_their_score_says() {
    let ladder = Ladder::fit(
        &scores(&[("random", "a", [10, 20, 70])]),
        &LadderConfig::default(),
    )
    .expect("valid settings");
    // 400 log10(0.8 / 0.2), by hand; the standard error is 400 / ln 10 / sqrt(100 0.8 0.2).
    let rating = ladder.rating("a").expect("it played");
    assert!((rating.elo - 240.824).abs() < 1e-3);
    assert!((rating.high - rating.elo - 1.959964 * 173.7178 / 4.0).abs() < 1e-3);
}

#[test]
fn intervals_hold_the_truth_95_times_in_100() {
    // 300 ladders of four players: the hits of each have a standard deviation of 3.8, and the
    // tolerance is three of them.
    let truth = [("random", 0.0), ("a", 150.0), ("b", 400.0), ("c", 450.0)];
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut hits = BTreeMap::new();
    for _ in 0..300 {
        let mut scores = Scores::new();
        for (i, (first, elo)) in truth.iter().enumerate() {
            for (second, other) in &truth[i + 1..] {
                let wins = (0..60).filter(|_| rng.random::<f64>() < expected_score(elo - other));
                let wins = wins.count() as u64;
                scores.add(first, second, results(wins, 0, 60 - wins));
            }
        }
        let ladder = Ladder::fit(&scores, &LadderConfig::default()).expect("valid settings");
        for (name, elo) in &truth[1..] {
            let rating = ladder.rating(name).expect(name);
            *hits.entry(name).or_insert(0) += u32::from(rating.low <= *elo && *elo <= rating.high);
        }
    }
    assert!(
        hits.values().all(|hits| hits.abs_diff(285) <= 11),
        "{hits:?}"
    );
}

#[test]
fn everybody_scores_what_the_ratings_expect() {
    // The likelihood is highest exactly where each player's expected points are its points. Forty
    // players, each against a few others, from close games to nearly perfect scores.
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut scores = Scores::new();
    for i in 0..40 {
        for _ in 0..4 {
            let j = rng.random_range(0..40);
            let wins = rng.random_range(0..=50);
            scores.add(
                &format!("p{i}"),
                &format!("p{j}"),
                results(wins, 1, 50 - wins),
            );
        }
    }
    let ladder = Ladder::fit(&scores, &LadderConfig::default()).expect("valid settings");
    let names = scores.names();
    assert_eq!((ladder.groups.len(), names.len()), (1, 40));
    let elo = |i: usize| ladder.rating(&names[i]).expect("it played").elo;
    let mut surplus = vec![0.0; names.len()];
    for (a, b, results) in scores.meetings() {
        let games = results.games() as f64;
        let expected = games * expected_score(elo(a) - elo(b));
        surplus[a] += results.score() * games - expected;
        surplus[b] -= results.score() * games - expected;
    }
    assert!(
        surplus.iter().all(|surplus| surplus.abs() < 1e-6),
        "{surplus:?}"
    );
}

#[test]
fn perfect_scores_stay_finite_and_are_named() {
    let ladder = Ladder::fit(
        &scores(&[
            ("random", "greedy", [30, 0, 70]),
            ("strong", "greedy", [100, 0, 0]),
            ("strong", "random", [50, 0, 0]),
            ("strong", "stronger", [10, 0, 90]),
        ]),
        &LadderConfig::default(),
    )
    .expect("valid settings");
    assert_eq!(
        ladder.held,
        [["strong", "random"], ["strong", "greedy"]].map(|pair| pair.map(str::to_owned))
    );
    for player in &ladder.players {
        let rating = player.rating;
        assert!(rating.elo.is_finite() && rating.low.is_finite() && rating.high.is_finite());
    }
    // One drawn game among 101 alone would be 400 log10(100.5 / 0.5) = 921 points above greedy.
    let gap =
        ladder.rating("strong").expect("played").elo - ladder.rating("greedy").expect("played").elo;
    assert!((800.0..1100.0).contains(&gap), "{gap}");
    let text = ladder.to_string();
    assert!(
        text.contains("strong has not lost a point to the side of greedy"),
        "{text}"
    );

    // Never lost a point to its neighbour, but to somebody below it: no help is needed.
    let circle = scores(&[
        ("random", "b", [20, 0, 30]),
        ("c", "b", [40, 0, 0]),
        ("c", "random", [30, 0, 10]),
    ]);
    let ladder = Ladder::fit(&circle, &LadderConfig::default()).expect("valid settings");
    assert!(ladder.held.is_empty());
}

#[test]
fn few_games_lead_nobody() {
    // What a short run keeps: a model that ten lucky games put above one that six hundred measured.
    let games = scores(&[
        ("lucky", "random", [8, 0, 2]),
        ("known", "random", [134, 13, 53]),
        ("known", "greedy", [138, 10, 52]),
        ("known", "ab3", [100, 13, 87]),
        ("greedy", "random", [4, 1, 5]),
    ]);
    let ladder = Ladder::fit(&games, &LadderConfig::default()).expect("valid settings");
    let elo = |name| ladder.rating(name).expect("it played").elo;
    assert!(elo("lucky") > elo("known") + 50.0);
    assert_eq!(ladder.players[0].name, "known", "{ladder}");
    assert_eq!(ladder.groups[0].players[0], "known");
    assert!(ladder.to_string().contains("The order is that of what"));

    // As many games as the other's, and it leads.
    let more = scores(&[
        ("lucky", "random", [160, 0, 40]),
        ("known", "random", [134, 13, 53]),
    ]);
    let first = Ladder::fit(&more, &LadderConfig::default()).expect("valid settings");
    assert_eq!(first.players[0].name, "lucky");
    assert!(!first.to_string().contains("The order is that of what"));

    // Whoever is at 0, the same order at the same distances.
    let other = LadderConfig {
        anchors: BTreeMap::from([("ab3".to_owned(), 0.0)]),
        ..LadderConfig::default()
    };
    let other = Ladder::fit(&games, &other).expect("valid settings");
    let shift = elo("ab3");
    for (a, b) in ladder.players.iter().zip(&other.players) {
        assert_eq!(a.name, b.name);
        assert!((a.assured - b.assured - shift).abs() < 1e-6, "{}", a.name);
        assert!(a.assured < a.rating.elo);
    }
}

#[test]
fn groups_without_games_between_them_are_named() {
    let ladder = Ladder::fit(
        &scores(&[
            ("x", "y", [30, 0, 70]),
            ("y", "z", [30, 0, 20]),
            ("random", "greedy", [30, 0, 70]),
        ]),
        &LadderConfig::default(),
    )
    .expect("valid settings");
    assert_eq!(ladder.groups.len(), 2);
    assert_eq!(ladder.groups[0].players, ["greedy", "random"]);
    assert_eq!(ladder.groups[0].reference, None);
    assert_eq!(ladder.groups[1].players, ["y", "z", "x"]);
    assert_eq!(ladder.groups[1].reference.as_deref(), Some("y"));
    let text = ladder.to_string();
    assert!(
        text.contains("Warning: no games connect") && text.contains("  y, z, x"),
        "{text}"
    );
    // The first thing to do about it.
    let suggestions = ladder.suggest(3, 20);
    assert_eq!(suggestions[0].nats, None);
    assert_eq!(suggestions[0].players, ["random", "z"]);
    assert!(suggestions[1].nats > Some(0.0));

    // Anchors connect what no game does.
    let anchored = LadderConfig {
        anchors: BTreeMap::from([("random".to_owned(), 0.0), ("x".to_owned(), 500.0)]),
        ..LadderConfig::default()
    };
    let scores = scores(&[("x", "y", [30, 0, 70]), ("random", "greedy", [30, 0, 70])]);
    let ladder = Ladder::fit(&scores, &anchored).expect("valid settings");
    assert_eq!(ladder.groups.len(), 1);
    assert!(ladder.rating("y").expect("it played").elo > 600.0);
}

#[test]
fn without_its_anchor_a_ladder_says_so() {
    let ladder = Ladder::fit(&scores(&[("a", "b", [3, 0, 4])]), &LadderConfig::default())
        .expect("valid settings");
    assert_eq!(ladder.missing_anchors, ["random"]);
    assert_eq!(ladder.groups[0].reference.as_deref(), Some("a"));
    let ladder = Ladder::fit(&Scores::new(), &LadderConfig::default()).expect("valid settings");
    assert!(ladder.players.is_empty() && ladder.suggest(3, 2).is_empty());
}

#[test]
fn suggestions_pair_the_uncertain_with_their_equals() {
    // A newcomer with four games; the others know each other well.
    let games = scores(&[
        ("random", "a", [10, 0, 90]),
        ("a", "b", [30, 0, 70]),
        ("b", "c", [25, 0, 75]),
        ("a", "c", [10, 0, 90]),
        ("new", "b", [3, 0, 1]),
    ]);
    let ladder = Ladder::fit(&games, &LadderConfig::default()).expect("valid settings");
    let suggestions = ladder.suggest(12, 20);
    assert_eq!(suggestions.len(), 12);
    // Its rating is close to that of c. Once it is known as well as theirs, others come too.
    assert_eq!(
        suggestions[0].players,
        ["c", "new"].map(str::to_owned),
        "{ladder}"
    );
    assert!(
        suggestions
            .windows(2)
            .all(|pair| pair[0].nats >= pair[1].nats)
    );
    assert!(
        suggestions
            .iter()
            .any(|s| !s.players.contains(&"new".to_owned()))
    );

    // Of a few players, the one that the pairings above would choose; nobody plays itself.
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| name.to_string())
            .collect::<Vec<_>>()
    };
    let among = names(&["random", "a", "c", "new", "unknown"]);
    let best = ladder.best_opponent("new", &among, 20).expect("connected");
    assert_eq!(best.players, ["new", "c"]);
    assert_eq!(best.nats, suggestions[0].nats);
    assert_eq!(ladder.best_opponent("unknown", &among, 20), None);
    assert_eq!(ladder.best_opponent("new", &names(&["new"]), 20), None);

    // What the gain promises comes true: two players, where it is a formula of the two intervals.
    let pair = |n: u64| {
        let ladder = Ladder::fit(
            &scores(&[("random", "a", [n, 0, n])]),
            &LadderConfig::default(),
        )
        .expect("valid settings");
        (
            ladder.suggest(1, 60)[0].nats.expect("connected"),
            ladder.rating("a").expect("played"),
        )
    };
    let ((nats, before), (_, after)) = (pair(20), pair(50));
    assert!((nats - (before.high / after.high).ln()).abs() < 1e-9);
}

#[test]
fn bad_settings_are_refused() {
    let bad = LadderConfig {
        prior_draws: -1.0,
        ..LadderConfig::default()
    };
    assert_eq!(Ladder::fit(&example(), &bad), Err(LadderError::Prior(-1.0)));
    let bad = LadderConfig {
        anchors: BTreeMap::from([("random".to_owned(), f64::INFINITY)]),
        ..LadderConfig::default()
    };
    assert!(matches!(
        Ladder::fit(&example(), &bad),
        Err(LadderError::Anchor { .. })
    ));
}
