//! Measuring strength from the command line: matches, ladders, accuracy and the report.

mod common;

use std::path::Path;

use common::{fail, folder, json, names, run, succeed, trained};
use serde_json::Value;

/// A folder with the tiny run in it, trained.
fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("the file was written")
}

#[test]
fn a_gauntlet_is_played_and_every_game_kept() {
    let folder = folder();
    let folder = folder.path();
    let arguments = [
        "arena",
        "alpha-beta:2",
        "greedy",
        "random",
        "--gauntlet",
        "--games",
        "6",
        "--board",
        "6",
        "--json",
        "result.json",
        "--jsonl",
        "matches.jsonl",
        "--save-games",
        "games.ggf",
    ];
    let output = succeed(folder, &arguments);
    assert_eq!(
        output.matches("openings").count(),
        2,
        "two matches: {output}"
    );
    assert!(output.contains("score %"), "a crosstable: {output}");

    let results = json(&read(folder, "result.json"));
    assert_eq!(results.as_array().map(Vec::len), Some(2));
    assert_eq!(
        results[1]["players"],
        serde_json::json!(["alpha-beta:2", "random"])
    );
    let games = read(folder, "games.ggf");
    assert_eq!(games.matches("GM[Othello]").count(), 12);
    assert!(
        games.contains("PB[greedy]") && games.contains("PW[greedy]"),
        "{games}"
    );

    // The same games again: nothing depends on the clock. The lines are added to the others.
    succeed(folder, &arguments);
    assert_eq!(results, json(&read(folder, "result.json")));
    let lines = read(folder, "matches.jsonl");
    let lines: Vec<Value> = lines.lines().map(json).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], results[0]);
}

#[test]
fn a_decided_match_ends_early() {
    let folder = folder();
    let arguments = [
        "arena",
        "alpha-beta:3",
        "random",
        "--board",
        "6",
        "--games",
        "400",
        "--sprt",
        "0,100",
    ];
    let output = succeed(folder.path(), &arguments);
    assert!(output.contains("+100 accepted"), "{output}");
    let message = fail(
        folder.path(),
        &["arena", "random", "greedy", "--sprt", "9,3"],
    );
    assert!(message.contains("--sprt"), "{message}");
}

#[test]
fn openings_can_be_balanced_or_listed() {
    let folder = folder();
    let folder = folder.path();
    let balanced = [
        "arena",
        "greedy",
        "alpha-beta:1",
        "--games",
        "6",
        "--balanced",
        "5",
    ];
    let output = succeed(folder, &balanced);
    assert!(output.contains("openings  3 distinct"), "{output}");
    assert!(output.contains("alpha-beta:4"), "the judge: {output}");

    std::fs::write(folder.join("mine.txt"), "f5d6c3\nf5f6\n").expect("written");
    let listed = [
        "arena",
        "greedy",
        "alpha-beta:1",
        "--games",
        "4",
        "--openings",
        "mine.txt",
        "--save-games",
        "games.txt",
    ];
    let output = succeed(folder, &listed);
    assert!(output.contains("openings  2 distinct"), "{output}");
    let games = read(folder, "games.txt");
    let begins: Vec<bool> = games
        .lines()
        .map(|game| game.starts_with("f5d6c3"))
        .collect();
    assert_eq!(begins, [true, true, false, false]);

    let message = fail(
        folder,
        &["arena", "random", "greedy", "--save-games", "games.doc"],
    );
    assert!(message.contains("games.doc"), "{message}");
}

/// An engine that greets, listens, and dies when it is asked for a move.
#[cfg(unix)]
const DYING: &str = r#"
[[engine]]
name = "dying"
protocol = "gtp"
command = ["/bin/sh", "-c", '''
while read id command rest; do
  case $command in
    genmove) exit 3;;
    *) printf '=%s\n\n' "$id";;
  esac
done
''']
"#;

#[cfg(unix)]
#[test]
fn a_dying_engine_loses_and_the_match_goes_on() {
    let folder = folder();
    let folder = folder.path();
    std::fs::write(folder.join("engines.toml"), DYING).expect("written");
    let arguments = [
        "arena",
        "engine:dying",
        "random",
        "--games",
        "4",
        "--engines",
        "engines.toml",
        "--json",
        "result.json",
    ];
    let output = succeed(folder, &arguments);
    assert!(output.contains("forfeits  4 by dying"), "{output}");
    let result = json(&read(folder, "result.json"));
    assert_eq!(result[0]["games"][3]["end"]["how"], "crash");

    let message = fail(
        folder,
        &[
            "arena",
            "engine:other",
            "random",
            "--engines",
            "engines.toml",
        ],
    );
    assert!(
        message.contains("engine:other") && message.contains("dying"),
        "{message}"
    );
    let message = fail(folder, &["arena", "engine:dying", "random"]);
    assert!(message.contains("--engines"), "{message}");
    let typo = DYING.replace("protocol", "protokol");
    std::fs::write(folder.join("engines.toml"), typo).expect("written");
    let message = fail(folder, &arguments);
    assert!(
        message.contains("engines.toml") && message.contains("protokol"),
        "{message}"
    );
}

#[test]
fn a_run_is_rated_measured_and_reported() {
    let folder = trained();
    let folder = folder.path();
    let ladder = [
        "ladder",
        "run",
        "--games",
        "60",
        "--simulations",
        "4",
        "--anchors",
        "random,greedy",
        "--every",
        "4",
        "--json",
    ];
    let first = json(&succeed(folder, &ladder));
    assert_eq!(first["games"], 60);
    let names = names(&first);
    for name in [
        "random",
        "greedy",
        "model 0 at 4 simulations",
        "model 4 at 4 simulations",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    // The games are kept, and go on from there.
    let kept = ["ladder", "run", "--games", "0", "--json"];
    assert_eq!(json(&succeed(folder, &kept)), first);
    assert_eq!(json(&succeed(folder, &ladder))["games"], 120);

    let accuracy = [
        "accuracy",
        "run",
        "--least-empties",
        "4",
        "--most-empties",
        "8",
        "--positions",
        "10",
        "--simulations",
        "16",
        "--suite",
        "suite.obf",
        "--json",
    ];
    let first = succeed(folder, &accuracy);
    let result = json(&first);
    let share = result["all"]["search"]["optimal"]
        .as_f64()
        .expect("a share");
    assert!((0.0..=1.0).contains(&share), "{result}");
    assert_eq!(
        result["by_empties"].as_object().map(|rows| rows.len()),
        Some(5)
    );
    // From the file this time.
    assert_eq!(succeed(folder, &accuracy), first);

    succeed(folder, &["report", "run"]);
    let page = read(folder, "run/report.html");
    for part in [
        "<svg",
        "Losses",
        "Learning curve: rating by model",
        "greedy",
        "Openings",
        "</html>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(
        !page.contains("src=") && !page.contains("href="),
        "it needs nothing else"
    );
}

#[test]
fn games_are_analyzed_move_by_move() {
    let folder = trained();
    let folder = folder.path();
    let arena = [
        "arena",
        "greedy",
        "random",
        "--games",
        "2",
        "--board",
        "4",
        "--save-games",
        "games.sgf",
        "--json",
        "result.json",
    ];
    succeed(folder, &arena);
    let game = |arguments: &[&str]| {
        let options = ["--simulations", "8", "--json"];
        json(&succeed(
            folder,
            &[&["analyze", "run"], arguments, &options].concat(),
        ))
    };
    let analysis = game(&["games.sgf", "--number", "2"]);
    let moves = analysis["moves"].as_array().expect("moves");
    assert!(moves.len() >= 8, "{analysis}");
    // All of this board is solved. What both lose adds up to how far the result is from the one
    // under perfect play, 10 discs for White.
    let lost = |color: &str| {
        analysis["players"][color]["discs_lost"]
            .as_i64()
            .expect("discs")
    };
    let margin = json(&read(folder, "result.json"))[0]["games"][1]["margin"].as_i64();
    assert_eq!(
        Some(-10 - lost("Black") + lost("White")),
        margin,
        "{analysis}"
    );
    assert_eq!(moves[0]["black_margin"], -10.0);

    // Without a number the first of them, which is said.
    let output = run(
        folder,
        &["analyze", "run", "games.sgf", "--simulations", "8"],
    );
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("games.sgf: this is game 1; --number"),
        "{told}"
    );

    // The moves themselves, and a table.
    let moves: String = moves
        .iter()
        .filter_map(|ply| ply["move"].as_str())
        .collect();
    assert_eq!(game(&[&moves])["players"], analysis["players"]);
    let table = succeed(folder, &["analyze", "run", &moves, "--simulations", "8"]);
    assert!(table.contains("discs lost in the"), "{table}");
    // Without the solver there are estimates alone.
    let searched = game(&[&moves, "--solve", "0"]);
    assert!(searched["moves"][0]["discs_lost"].is_null());

    for (bad, part) in [
        (["games.sgf", "--number", "3"], "no game 3"),
        (["b1b1", "--solve", "2"], "b1b1"),
        (["start", "--solve", "60"], "--solve"),
    ] {
        let message = fail(folder, &[&["analyze", "run"], &bad[..]].concat());
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn what_cannot_be_measured_is_named() {
    let folder = folder();
    let folder = folder.path();
    for command in ["ladder", "accuracy", "report"] {
        let message = fail(folder, &[command, "nowhere"]);
        assert!(message.contains("nowhere"), "{message}");
    }
}

#[test]
fn an_experiment_ends_with_its_strengths_costs_and_plot() {
    let folder = folder();
    let folder = folder.path();
    let experiment = "name = 'x'\nquestion = 'What do fewer samples cost?'\nbase = 'tiny.toml'\n\
                      seeds = [3, 4]\ngames = 4\nsimulations = 8\nopening_plies = 2\n\
                      [variants.fewer.training]\nsamples_per_position = 1.0\n";
    std::fs::write(folder.join("x.toml"), experiment).expect("written");
    let output = succeed(folder, &["ablate", "x.toml", "--run", "x"]);
    let kept = read(folder, "x/result.txt");
    let (question, tables) = kept.split_once("\n\n").expect("two parts");
    assert_eq!(question, "What do fewer samples cost?");
    assert!(output.starts_with(tables), "{output}");
    let rows = |name: &str| -> Vec<Vec<String>> {
        let lines = tables.lines().filter(|line| line.starts_with(name));
        lines
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect()
    };
    // Each with each, and the baseline with its other seed.
    for (name, pairs) in [
        ("baseline", &["3:4"][..]),
        ("fewer", &["3:3", "3:4", "4:3", "4:4"]),
    ] {
        let row = &rows(name)[0];
        let found: Vec<_> = row.iter().filter(|cell| cell.contains(':')).collect();
        assert_eq!(found, pairs, "{tables}");
    }
    // Both trainings of each: 4 generations of 24 games, which are the same in the first
    // generation, and what was learned from them once instead of twice.
    let cost = |name: &str, column: usize| -> u64 {
        let cell = rows(name)[1][column].replace(',', "");
        cell.parse().expect("a number")
    };
    for name in ["baseline", "fewer"] {
        assert_eq!(cost(name, 1), 2 * 4 * 24, "{tables}");
        let samples = (3..=4).map(|seed| {
            let entry = read(folder, &format!("x/{name}-{seed}/log/000004.json"));
            json(&entry)["totals"]["samples"]
                .as_u64()
                .expect("a number")
        });
        assert_eq!(cost(name, 4), samples.sum::<u64>(), "{tables}");
        // Every searched position asked the network, or was solved.
        assert!(cost(name, 3) > 0, "{tables}");
    }
    assert!(cost("fewer", 4) < cost("baseline", 4), "{tables}");
    let plot = read(folder, "x/result.svg");
    assert!(plot.starts_with("<svg") && plot.contains("fewer"), "{plot}");

    // Once more: all is there, and the same.
    assert_eq!(succeed(folder, &["ablate", "x.toml", "--run", "x"]), output);
}
