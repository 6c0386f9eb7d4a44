//! What is measured while a run is trained, the gate, what neither may change, and matches beside.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{TINY, folder, json, names, run, succeed, trained};
use serde_json::Value;

/// Trains the tiny run with these lines at the end of its configuration.
fn train(folder: &Path, name: &str, more: &str) {
    let config = format!("{name}.toml");
    let text = TINY.replace("[tracking]\nshare = 0.0\n", "");
    std::fs::write(folder.join(&config), format!("{text}\n{more}")).expect("written");
    let arguments = ["train", "--config", &config, "--run", name, "--no-rating"];
    succeed(folder, &arguments);
}

/// The hashes of a run's games and models, by generation.
fn hashes(folder: &Path, run: &str) -> Vec<(Vec<String>, String)> {
    let log = folder.join(run).join("log");
    let mut entries: Vec<_> = std::fs::read_dir(log)
        .expect("listed")
        .map(|entry| entry.expect("listed").path())
        .collect();
    entries.sort();
    let entries = entries.iter().map(|path| {
        let entry = json(&std::fs::read_to_string(path).expect("read"));
        let hash = |value: &Value| value["sha256"].as_str().expect("a hash").to_owned();
        let chunks = entry["chunks"].as_array().expect("chunks");
        let model = entry["model"].as_array().expect("files");
        let model = model
            .iter()
            .find(|file| file["name"] == "model.safetensors")
            .expect("a model");
        (chunks.iter().map(hash).collect(), hash(model))
    });
    entries.collect()
}

/// The results of a folder of a run whose names have this part.
fn results(folder: &Path, part: &str) -> BTreeMap<String, Value> {
    let mut results = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("listed").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if name.contains(part) && !name.contains('#') {
            results.insert(name, json(&std::fs::read_to_string(&path).expect("read")));
        }
    }
    results
}

#[test]
fn measuring_changes_neither_games_nor_models() {
    let folder = folder();
    let folder = folder.path();
    train(folder, "plain", "[tracking]\nshare = 0.0\n");
    let measured = "[tracking]\nshare = 0.5\nanchors = [\"random\", \"greedy\"]\npositions = 5\n";
    train(folder, "measured", measured);

    assert_eq!(hashes(folder, "plain").len(), 5);
    assert_eq!(hashes(folder, "plain"), hashes(folder, "measured"));
    assert!(results(&folder.join("plain/metrics"), "tracking").is_empty());

    // The untrained model is always measured, and half of the time suffices for more.
    let tracked = results(&folder.join("measured/metrics"), "-tracking");
    assert!(tracked.len() > 1, "{tracked:?}");
    let first = &tracked["000000-tracking.json"];
    let interval = &first["accuracy"]["policy"]["optimal_95"];
    let share = &first["accuracy"]["policy"]["optimal"];
    let number = |value: &Value| value.as_f64().expect("a number");
    assert!(number(&interval[0]) <= number(share) && number(share) <= number(&interval[1]));
    // With 8 and 10 empty squares, as far as there are any: 12 is the start of this board.
    let positions = &results(&folder.join("measured/metrics"), "positions")["positions.json"];
    let positions = positions["positions"].as_array().expect("positions").len();
    assert!((6..=10).contains(&positions), "{positions}");
    assert_eq!(first["accuracy"]["positions"], positions);

    // Its games are the ladder's, and anchors are among them.
    let ladder = json(&succeed(
        folder,
        &["ladder", "measured", "--games", "0", "--json"],
    ));
    let names = names(&ladder);
    for name in ["random", "greedy", "model 0 at 32 simulations"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(ladder["groups"].as_array().map(Vec::len), Some(1));

    succeed(folder, &["report", "measured", "--tensorboard", "board"]);
    let page = std::fs::read_to_string(folder.join("measured/report.html")).expect("a page");
    for part in [
        "Learning curve",
        "Best moves found",
        "Discs lost a move",
        "Crosstable",
        "measuring",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let events = folder.join("board/events.out.tfevents.0.outflank");
    let events = std::fs::read(events).expect("an event file");
    let events = String::from_utf8_lossy(&events);
    for tag in [
        "loss/policy",
        "elo/32_simulations",
        "solved/best_moves_search",
    ] {
        assert!(events.contains(tag), "{tag}");
    }
}

#[test]
fn a_gate_chooses_who_plays_and_is_repeatable() {
    let folder = folder();
    let folder = folder.path();
    // A test that no model can pass, and one that every model passes.
    let off = "[tracking]\nshare = 0.0\n";
    let gate = |elo0: f64| {
        format!(
            "{off}[gate]\ngames = 20\nsimulations = 4\nelo0 = {elo0}\nelo1 = {}\n",
            elo0 + 1000.0
        )
    };
    train(folder, "free", off);
    train(folder, "closed", &gate(3000.0));
    train(folder, "open", &gate(-4000.0));
    train(folder, "again", &gate(3000.0));

    let decisions = |run: &str| results(&folder.join(run).join("metrics"), "-gate");
    let champions = |run: &str| -> Vec<u64> {
        let decisions = decisions(run);
        let champions = decisions
            .values()
            .map(|decision| decision["champion"].as_u64());
        champions
            .map(|champion| champion.expect("a number"))
            .collect()
    };
    // The last model plays nothing, so nothing is decided about it.
    assert_eq!(champions("closed"), [0, 0, 0]);
    assert_eq!(champions("open"), [1, 2, 3]);
    assert_eq!(results(&folder.join("closed/matches"), "gate-").len(), 3);

    let games = |run: &str| -> Vec<Vec<String>> {
        hashes(folder, run)
            .into_iter()
            .map(|entry| entry.0)
            .collect()
    };
    assert_eq!(games("open"), games("free"));
    assert_eq!(games("closed")[..2], games("free")[..2]);
    assert_ne!(games("closed")[2], games("free")[2]);
    assert_eq!(hashes(folder, "closed"), hashes(folder, "again"));
}

#[test]
fn arena_matches_of_a_run_count_on_its_ladder() {
    let folder = trained();
    let folder = folder.path();
    let arena = ["arena", "run", "run@1,solve=2", "random", "--games", "4"];
    let output = succeed(folder, &arena);
    assert!(output.contains("Kept in run/matches"), "{output}");
    // Players that differ in their numbers alone are two.
    succeed(
        folder,
        &["arena", "run", "run,precision=int16", "--games", "2"],
    );
    succeed(
        folder,
        &["arena", "greedy", "random", "--games", "2", "--board", "4"],
    );
    let ladder = json(&succeed(
        folder,
        &["ladder", "run", "--games", "0", "--json"],
    ));
    assert_eq!(ladder["games"], 14);
    let names = names(&ladder);
    for name in [
        "random",
        "model 4 at 100 simulations",
        "model 1 at 100 simulations, solving 2",
        "model 4 at 100 simulations in int16",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    // What was tried by hand is on the scale of the report, but no part of the learning curve.
    let report = || {
        succeed(folder, &["report", "run", "--tensorboard", "board"]);
        let events = std::fs::read(folder.join("board/events.out.tfevents.0.outflank"));
        let events = events.expect("an event file");
        let has_curve = String::from_utf8_lossy(&events).contains("elo/");
        let page = std::fs::read_to_string(folder.join("run/report.html"));
        (page.expect("a page"), has_curve)
    };
    const TRIED: &str = "100 simulations a move, tried in the arena";
    let (page, has_curve) = report();
    assert!(page.contains("model 4 at 100 simulations v. random"));
    assert!(page.contains(TRIED) && !has_curve);
    succeed(
        folder,
        &["ladder", "run", "--games", "20", "--anchors", "random"],
    );
    assert!(report().1, "the ladder measures what it plays");

    // Results that cannot be kept are printed, and the command fails.
    let matches = folder.join("run/matches");
    std::fs::rename(&matches, folder.join("away")).expect("moved");
    std::fs::write(&matches, "in the way").expect("written");
    let output = run(folder, &["arena", "run", "random", "--games", "2"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.starts_with("outflank: not kept in run: "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("score"));
}
