//! What a person sees: results of commands that work, and one clear line from those that fail.

mod common;

use std::io::Write;

use common::{TRAIN, fail, folder, outflank, run, succeed};

#[test]
fn a_tiny_run_is_trained_rated_inspected_and_played() {
    let folder = folder();
    let folder = folder.path();
    let output = succeed(folder, &["train", "--config", "tiny.toml", "--run", "run"]);
    assert!(output.contains("outflank play run"), "{output}");
    assert!(output.contains("random"), "the rating: {output}");

    // The rating is the ladder's as well, and shows how far the run has come.
    let matches = folder.join("run/matches");
    let rated = || std::fs::read_dir(&matches).expect("listed").count();
    assert_eq!(rated(), 4);
    let ladder = succeed(folder, &["ladder", "run", "--games", "0"]);
    for part in ["model 4 at", "model 0 at", "alpha-beta:3", "16 games of 4"] {
        assert!(ladder.contains(part), "{ladder}");
    }

    // Again: there is nothing left to do, and it says so. What the rating lacks is played.
    let again = |more: &[&str]| {
        let output = run(folder, &[&["train", "--run", "run"], more].concat());
        assert!(output.status.success());
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(said.contains("nothing is left to train"), "{said}");
        assert!(!said.contains("generation 4 of"), "{said}");
        String::from_utf8(output.stdout).expect("text")
    };
    assert!(!again(&[]).contains("score"));
    std::fs::remove_file(matches.join("rating-000001.json")).expect("removed");
    assert!(!again(&["--generations", "2"]).contains("score"));
    assert_eq!(again(&[]).matches("score").count(), 4);
    assert_eq!(rated(), 4);
    let message = fail(folder, &["train", "--run", "run", "--from", "shipped"]);
    assert!(
        message.contains("8x8") && message.contains("4x4"),
        "{message}"
    );

    // A generation that was played and not learned from is taken over.
    std::fs::remove_file(folder.join("run/log/000004.json")).expect("removed");
    let output = run(folder, &["train", "--run", "run", "--no-rating"]);
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(
        said.contains("generation 4: 24 of 24 games are there from before"),
        "{said}"
    );

    let output = succeed(folder, &["inspect", "run"]);
    assert!(output.contains("generation"), "{output}");
    let output = succeed(folder, &["inspect", "run@1"]);
    assert!(output.contains("generation = 1"), "{output}");
    let output = succeed(folder, &["status", "run"]);
    assert!(output.contains("worker train"), "{output}");
    assert!(output.contains("all generations are done"), "{output}");
    assert!(output.contains("loss policy"), "{output}");
    let output = succeed(
        folder,
        &["inspect", "run/games/000000/train-000000.rec", "--all"],
    );
    assert!(output.contains("6 games"), "{output}");

    let arguments = [
        "arena",
        "run",
        "run@0",
        "random",
        "--games",
        "8",
        "--json",
        "result.json",
    ];
    let output = succeed(folder, &arguments);
    assert_eq!(
        output.matches("openings").count(),
        3,
        "a round robin of three: {output}"
    );
    let json = std::fs::read_to_string(folder.join("result.json")).expect("the result was written");
    let results: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(results.as_array().map(Vec::len), Some(3));
}

#[test]
fn perft_counts() {
    let folder = folder();
    let output = succeed(folder.path(), &["perft", "8"]);
    assert!(output.contains("390,216 leaves"), "{output}");
    let output = succeed(
        folder.path(),
        &["perft", "8", "--board", "4", "--full-depth"],
    );
    assert!(output.contains("9,112 leaves"), "{output}");
}

#[test]
fn solve_tells_every_move() {
    let folder = folder();
    // FFO 1: the best move and the worst.
    let position = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    let output = succeed(folder.path(), &["solve", position]);
    assert!(output.contains("g8  +18"), "{output}");
    assert!(output.contains("g2  -24"), "{output}");
    // What is known of its moves may follow, as in a file.
    let known = "-OX--OXX-XX-X--- O; D1:+64;";
    let message = fail(folder.path(), &["solve", known]);
    assert!(message.contains("1 scores differ"), "{message}");
    let output = succeed(folder.path(), &["solve", "start", "--board", "4"]);
    assert!(output.contains("b1  -10"), "{output}");
    let message = fail(folder.path(), &["solve", "start"]);
    assert!(message.contains("60 squares are empty"), "{message}");
    // The same file in both commands, whatever its name.
    let ffo = format!("{position}; G8:+18; % 1\n");
    std::fs::write(folder.path().join("ffo"), ffo).expect("written");
    let output = succeed(folder.path(), &["solve", "ffo", "--best"]);
    assert!(output.contains("g8  +18"), "{output}");
    let analyze = ["analyze", "shipped", "ffo", "--simulations", "2"];
    let output = succeed(folder.path(), &analyze);
    assert!(output.contains("exact +18"), "{output}");
    let full = format!("{}{} O", "X".repeat(40), "O".repeat(24));
    let output = succeed(folder.path(), &["solve", &full]);
    assert!(
        output.contains("the game is over: -16 for White"),
        "{output}"
    );
}

#[test]
fn play_takes_any_line_for_what_it_is() {
    let folder = folder();
    let mut game = outflank(folder.path(), &["play", "random", "--board", "4"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    let mut input = game.stdin.take().expect("a pipe");
    input
        .write_all(b"\xff\n\x1b[31m\r\nmoves\nhelp\nq\n")
        .expect("it listens");
    let output = game.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.matches("help lists the commands").count(), 2, "{text}");
    assert!(!text.contains('\x1b') && text.contains("a2"), "{text}");
    // A move that there is on this board.
    assert!(text.contains("b1      play on b1"), "{text}");

    let message = fail(folder.path(), &["play", "engine:grhino"]);
    assert!(message.contains("--engines"), "{message}");
    fail(
        folder.path(),
        &["play", "engine:grhino", "--engines", "none.toml"],
    );
}

#[test]
fn bad_input_gets_one_line_that_names_it() {
    let folder = folder();
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    let tiny = common::TINY;

    write("typo.toml", &tiny.replace("blocks", "blokcs"));
    let message = fail(folder, &["train", "--config", "typo.toml"]);
    assert!(
        message.contains("typo.toml") && message.contains("blokcs") && message.contains("blocks"),
        "{message}"
    );

    write(
        "range.toml",
        &tiny.replace("channels = 16", "channels = 17"),
    );
    let message = fail(folder, &["train", "--config", "range.toml"]);
    assert!(
        message.contains("range.toml") && message.contains("channels is 17"),
        "{message}"
    );

    // Known before the training, not after it.
    write(
        "nobody.toml",
        &tiny.replace("[rating]", "[rating]\nopponents = ['nobody']"),
    );
    let message = fail(folder, &["train", "--config", "nobody.toml"]);
    assert!(message.contains("rating.opponents") && message.contains("nobody"));
    assert!(!folder.join("runs/tiny/models").exists());

    // Two trainings of one seed say no more than one.
    write(
        "twice.toml",
        "name = 'x'\nquestion = '?'\nbase = '4x4'\nseeds = [1, 1]\ngames = 2\nsimulations = 8\n[variants]\n",
    );
    let message = fail(folder, &["ablate", "twice.toml"]);
    assert!(message.contains("seeds is [1, 1]"), "{message}");

    // Matches of an experiment on other terms are not taken for its own, nor is half a file.
    let experiment = "name = 'x'\nquestion = '?'\nbase = '4x4'\nseeds = [1]\ngames = 22\nsimulations = 8\n[variants.a]\nselfplay.search.simulations = 9\n";
    write("terms.toml", experiment);
    std::fs::create_dir_all(folder.join("x/meetings")).expect("created");
    let meeting = r#"{"variant":"a","seeds":[1,1],"terms":{"games":20,"simulations":8,"opening_plies":6},"pairs":[0,0,10,0,0]}"#;
    let ablate = ["ablate", "terms.toml", "--run", "x"];
    for (text, part) in [
        (meeting, "was played with games = 20, simulations = 8"),
        (&meeting[..40], "delete it, and the match is played again"),
    ] {
        write("x/meetings/a-1-1.json", text);
        let message = fail(folder, &ablate);
        assert!(
            message.contains("a-1-1.json") && message.contains(part),
            "{message}"
        );
    }
    assert!(!folder.join("x/baseline-1").exists());

    write("newer.toml", &format!("format = 99\n{tiny}"));
    let message = fail(folder, &["train", "--config", "newer.toml"]);
    assert!(message.contains("format is 99"), "{message}");

    write("notes.safetensors", "not a model at all");
    let message = fail(folder, &["arena", "notes.safetensors", "random"]);
    assert!(message.contains("notes.safetensors"), "{message}");

    write("empty.obf", "\n");
    let message = fail(folder, &["solve", "empty.obf"]);
    assert!(message.contains("empty.obf: it is empty"), "{message}");
    std::fs::write(folder.join("noise.obf"), b"\n\xff\xfe\x1b[0m\n").expect("written");
    let message = fail(folder, &["solve", "noise.obf"]);
    assert!(message.contains("noise.obf, line 2: "), "{message}");

    write("broken.rec", "OUTFLANK?");
    let message = fail(folder, &["inspect", "broken.rec"]);
    assert!(message.contains("broken.rec"), "{message}");

    let message = fail(folder, &["play", "runs/nowhere"]);
    assert!(message.contains("runs/nowhere"), "{message}");

    for games in ["7", "0"] {
        let message = fail(folder, &["arena", "random", "greedy", "--games", games]);
        assert!(message.contains("an even number above 0"), "{message}");
    }

    // What is only mistyped leaves nothing behind.
    let message = fail(folder, &["learn", "--run", "typo"]);
    assert!(message.contains("there is no run at typo"), "{message}");
    assert!(!folder.join("typo").exists());

    // A run cannot start among other people's files, and leaves them alone.
    std::fs::create_dir(folder.join("photos")).expect("created");
    write("photos/cat.jpg", "meow");
    let message = fail(
        folder,
        &["train", "--config", "tiny.toml", "--run", "photos"],
    );
    assert!(
        message.contains("photos") && message.contains("cat.jpg"),
        "{message}"
    );
    assert_eq!(
        std::fs::read_dir(folder.join("photos"))
            .expect("listed")
            .count(),
        1
    );

    // Nor below a file.
    let message = fail(
        folder,
        &["train", "--config", "tiny.toml", "--run", "tiny.toml/run"],
    );
    assert!(message.contains("tiny.toml/run"), "{message}");

    // Buckets and GPUs need a build for them, which this one is not.
    let message = fail(folder, &["status", "gs://bucket/run"]);
    assert!(
        message.contains("gs://bucket/run") && message.contains("--features gcs"),
        "{message}"
    );
    let message = fail(
        folder,
        &["train", "--device", "cuda", "--config", "tiny.toml"],
    );
    assert!(message.contains("--features cuda"), "{message}");

    // A network for another board begins no run.
    let arguments = ["train", "--config", "tiny.toml", "--from", "shipped"];
    let message = fail(folder, &[&arguments[..], &["--run", "new"]].concat());
    assert!(message.contains("for the 8x8 board"), "{message}");
    assert!(message.contains("tiny is for the 4x4"), "{message}");
    assert!(!folder.join("new").exists());
}

/// A full disk under standard output: one line, and the code of a failure.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_told() {
    let folder = folder();
    for arguments in [&["perft", "1"][..], &["--version"], &["solve", "--help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = outflank(folder.path(), arguments)
            .stdout(full.expect("a full device"))
            .output()
            .expect("started");
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert_eq!(
            said,
            "outflank: standard output: cannot be written: No space left on device (os error 28)\n"
        );
    }
}

#[test]
fn damage_in_a_run_is_named() {
    let folder = folder();
    let folder = folder.path();
    succeed(folder, &[&TRAIN[..], &["--generations", "1"]].concat());

    let told = succeed(folder, &["status", "run"]);
    assert!(
        told.contains("0 of 4 chunks of 6 games; 4 are still to be played"),
        "{told}"
    );

    // An experiment does not put its files among those of a run.
    let experiment = "name = 'x'\nquestion = '?'\nbase = 'tiny.toml'\nseeds = [1]\ngames = 2\nsimulations = 8\n[variants.a]\nselfplay.search.simulations = 9\n";
    std::fs::write(folder.join("experiment.toml"), experiment).expect("written");
    let message = fail(folder, &["ablate", "experiment.toml", "--run", "run"]);
    assert!(message.contains("run holds a run of its own"), "{message}");

    // Another configuration is not silently ignored.
    let other = common::TINY.replace("blocks = 1", "blocks = 2");
    std::fs::write(folder.join("other.toml"), other).expect("written");
    let message = fail(folder, &["train", "--config", "other.toml", "--run", "run"]);
    assert!(message.contains("network.blocks is 1"), "{message}");

    // A match that cannot be read, with the way out.
    let arena = ["arena", "run", "random", "--games", "2"];
    succeed(folder, &arena);
    let kept = folder.join("run/matches/arena-000000.json");
    std::fs::write(&kept, "{\"players\": [").expect("written");
    let ladder = ["ladder", "run", "--games", "0"];
    let message = fail(folder, &ladder);
    for part in ["arena-000000.json", "is damaged", "is deleted"] {
        assert!(message.contains(part), "{message}");
    }
    // And one that cannot be kept: the file and the reason, once.
    std::fs::remove_dir_all(folder.join("run/matches")).expect("removed");
    std::fs::write(folder.join("run/matches"), "").expect("written");
    let message = fail(folder, &arena);
    assert!(message.contains("not kept in run: cannot "), "{message}");
    let reasons = ["Not a directory", "File exists"].map(|reason| message.matches(reason).count());
    assert_eq!(reasons.iter().sum::<usize>(), 1, "{message}");
    std::fs::remove_file(folder.join("run/matches")).expect("removed");

    // A truncated chunk.
    let chunk = folder.join("run/games/000000/train-000001.rec");
    let bytes = std::fs::read(&chunk).expect("read");
    std::fs::write(&chunk, &bytes[..bytes.len() / 2]).expect("written");
    let message = fail(folder, &["train", "--config", "tiny.toml", "--run", "run"]);
    assert!(message.contains("train-000001.rec"), "{message}");
    let message = fail(folder, &["inspect", "run", "--all"]);
    assert!(message.ends_with("run: 1 problem\n"), "{message}");
    std::fs::write(&chunk, &bytes).expect("written");

    // A flipped bit in the model.
    let log = std::fs::read_to_string(folder.join("run/log/000001.json")).expect("read");
    let log: serde_json::Value = serde_json::from_str(&log).expect("JSON");
    let trainer = log["trainer"].as_str().expect("a name");
    let model = folder.join(format!("run/models/000001-{trainer}/model.safetensors"));
    let mut bytes = std::fs::read(&model).expect("read");
    *bytes.last_mut().expect("not empty") ^= 1;
    std::fs::write(&model, &bytes).expect("written");
    let message = fail(folder, &["arena", "run", "random", "--games", "2"]);
    assert!(message.contains("model.safetensors"), "{message}");

    // Another number in the run's configuration, or none at all.
    let config = folder.join("run/config.toml");
    let text = std::fs::read_to_string(&config).expect("read");
    std::fs::write(&config, text.replace("seed = 1", "seed = 3")).expect("written");
    let message = fail(folder, &["train", "--run", "run"]);
    assert!(
        message.contains("config.toml is damaged: it is not what was written"),
        "{message}"
    );
    std::fs::remove_file(&config).expect("removed");
    let message = fail(folder, &["train", "--config", "tiny.toml", "--run", "run"]);
    assert!(message.contains("config.toml is missing"), "{message}");

    // A run of a newer version.
    std::fs::write(
        folder.join("run/run.json"),
        r#"{"format": 7, "made_by": "the future"}"#,
    )
    .expect("written");
    let message = fail(folder, &["inspect", "run"]);
    assert!(message.contains("newer"), "{message}");
}
