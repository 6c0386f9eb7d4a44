//! Models for other programs, and the engine that plays by their protocols.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use common::{fail, folder, outflank, succeed};

/// A folder with a run on the 4x4 board.
fn with_model() -> tempfile::TempDir {
    trained(common::TINY)
}

/// The same on the 8x8 board: two games that are mostly random.
fn with_large_model() -> tempfile::TempDir {
    let text = common::TINY
        .replace("size = 4", "size = 8")
        .replace("games_per_generation = 24", "games_per_generation = 2")
        .replace("games_per_chunk = 6", "games_per_chunk = 2")
        .replace("simulations = 8", "simulations = 2")
        .replace("opening_plies = [0, 4]", "opening_plies = [30, 40]")
        .replace("solve_empties = 3", "solve_empties = 8");
    trained(&text)
}

/// A folder with `run`, a run of one generation.
fn trained(config: &str) -> tempfile::TempDir {
    let folder = folder();
    std::fs::write(folder.path().join("config.toml"), config).expect("written");
    let train = [
        "train",
        "--config",
        "config.toml",
        "--run",
        "run",
        "--generations",
        "1",
        "--no-rating",
    ];
    succeed(folder.path(), &train);
    folder
}

#[test]
fn every_format_is_written_with_its_card() {
    // With the heads that only help in training, which other programs do not need.
    let heads = "channels = 16\nreply_head = true\nsoft_policy_head = true";
    let folder = trained(&common::TINY.replace("channels = 16", heads));
    let folder = folder.path();
    let export = [
        "export",
        "run@0",
        "--onnx",
        "net.onnx",
        "--safetensors",
        "net.safetensors",
        "--burnpack",
        "net.bpk",
        "--check-data",
        "check.safetensors",
        "--positions",
        "50",
    ];
    succeed(folder, &export);
    for (file, shape) in [
        ("net.onnx", "`[batch, 5, 4, 4]`"),
        ("net.safetensors", "`[batch, 16]`"),
        ("net.bpk", "`[batch, 3]`"),
    ] {
        let card = std::fs::read_to_string(folder.join(format!("{file}.md"))).expect("a card");
        for expected in [file, shape, "SHA-256", "run@0"] {
            assert!(card.contains(expected), "{expected} in {card}");
        }
    }

    // Exported safetensors are a model like any other.
    succeed(
        folder,
        &["analyze", "net.safetensors", "--simulations", "4"],
    );
    succeed(
        folder,
        &["export", "net.safetensors", "--onnx", "again.onnx"],
    );
    let onnx = std::fs::read(folder.join("net.onnx")).expect("read");
    let again = std::fs::read(folder.join("again.onnx")).expect("read");
    assert!(onnx == again, "the same model makes the same bytes");

    let [graph] = fields(&onnx, 7).try_into().expect("one graph");
    let names = |field, name| -> Vec<String> {
        let messages = fields(graph, field);
        let names = messages.iter().flat_map(|message| fields(message, name));
        names
            .map(|name| String::from_utf8(name.to_vec()).expect("text"))
            .collect()
    };
    assert_eq!(names(11, 1), ["planes"]);
    assert_eq!(names(12, 1), ["policy", "outcome", "margin", "ownership"]);
    let operators = names(1, 4);
    // The stem, a block of two and the three heads.
    assert_eq!(
        operators
            .iter()
            .filter(|operator| *operator == "Conv")
            .count(),
        6
    );
    let tensors = names(5, 8);
    assert!(
        tensors.contains(&"tower.0.conv2.weight".to_owned()),
        "{tensors:?}"
    );
    let used = names(1, 1);
    for tensor in &tensors {
        assert!(used.contains(tensor), "{tensor} is never used");
    }
    let card = std::fs::read_to_string(folder.join("net.safetensors.md")).expect("a card");
    assert!(card.contains("`policy.reply`") && card.contains("`policy.soft`"));
}

/// The values of a length-delimited field of a protocol buffer.
fn fields(mut message: &[u8], wanted: u64) -> Vec<&[u8]> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let (byte, rest) = bytes.split_first().expect("a whole message");
            *bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        value
    }
    let mut found = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message);
        let value = varint(&mut message);
        match key & 7 {
            0 => {}
            2 => {
                let (content, rest) = message.split_at(value as usize);
                message = rest;
                if key >> 3 == wanted {
                    found.push(content);
                }
            }
            wire => panic!("wire type {wire}"),
        }
    }
    found
}

#[test]
fn mistakes_are_named() {
    let folder = with_model();
    let folder = folder.path();
    fail(folder, &["export", "run"]);
    let message = fail(folder, &["export", "nowhere", "--onnx", "net.onnx"]);
    assert!(message.contains("nowhere"), "{message}");
    let message = fail(folder, &["export", "run", "--onnx", "no/such/folder.onnx"]);
    assert!(message.contains("no/such/folder.onnx"), "{message}");
    for same in [
        ["--onnx", "same", "--safetensors", "same"],
        ["--onnx", "same", "--check-data", "./same"],
        ["--burnpack", "same", "--check-data", "same.md"],
    ] {
        let message = fail(folder, &[&["export", "run"][..], &same].concat());
        assert!(message.contains("two outputs would be"), "{message}");
    }
    for (option, file) in [("--engine", "README.md"), ("--web", "index.html")] {
        std::fs::create_dir(folder.join(file.to_lowercase())).expect("created");
        let (name, place) = (
            file.to_lowercase(),
            folder.join(file.to_lowercase()).join(file),
        );
        std::fs::write(&place, "mine").expect("written");
        let message = fail(folder, &["export", "run", option, &name]);
        assert!(message.contains(file), "{message}");
        assert_eq!(std::fs::read(&place).expect("read"), b"mine");
    }
    let message = fail(
        folder,
        &["engine", "--protocol", "gtp", "--model", "runs/none"],
    );
    assert!(message.contains("runs/none"), "{message}");
    let simulations = [
        "engine",
        "--protocol",
        "gtp",
        "--model",
        "run",
        "--simulations",
        "0",
    ];
    let message = fail(folder, &simulations);
    assert!(message.contains("--simulations is 0"), "{message}");
}

/// What the engine says to these lines, until it ends by itself.
fn dialogue(mut command: Command, lines: &str) -> Vec<String> {
    let mut engine = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine can be started");
    let mut input = engine.stdin.take().expect("a pipe");
    input.write_all(lines.as_bytes()).expect("it listens");
    drop(input);
    let output = BufReader::new(engine.stdout.take().expect("a pipe"));
    let answers = output.lines().map(|line| line.expect("text")).collect();
    assert!(engine.wait().expect("it ends").success());
    answers
}

/// After this game Black must pass, and White has 13 moves.
const PASSING: &str = "f5d6c5f4d3e3f2c6g5b5a5b4b3c4c3a6a7a3f3e6c7b6d7d8b8e7f7e8c8a8a4f8a2b7";

#[test]
fn the_engine_plays_by_both_protocols_and_passes() {
    let folder = with_large_model();
    let folder = folder.path();
    let engine = |protocol| {
        let arguments = [
            "engine",
            "--protocol",
            protocol,
            "--model",
            "run",
            "--simulations",
            "20",
            "--log",
            "log",
        ];
        outflank(folder, &arguments)
    };

    let moves = PASSING
        .as_bytes()
        .chunks(2)
        .map(|mv| String::from_utf8_lossy(mv));
    let colors = ["black", "white"].into_iter().cycle();
    let plays: String = moves
        .zip(colors)
        .map(|(mv, color)| format!("play {color} {mv}\n"))
        .collect();
    let lines =
        format!("boardsize 8\nclear_board\n{plays}7 genmove black\n8 genmove white\nquit\n");
    let answers = dialogue(engine("gtp"), &lines);
    assert!(
        answers.iter().all(|line| !line.starts_with('?')),
        "{answers:?}"
    );
    assert!(answers.contains(&"=7 pass".to_owned()), "{answers:?}");
    let reply = answers
        .iter()
        .find_map(|line| line.strip_prefix("=8 "))
        .expect("an answer");
    assert!(reply.len() == 2, "{reply}");

    let turns = PASSING
        .as_bytes()
        .chunks(2)
        .map(|mv| String::from_utf8_lossy(mv));
    let game: String = turns
        .zip(["B", "W"].into_iter().cycle())
        .map(|(mv, side)| format!("{side}[{mv}]"))
        .collect();
    let board = "8 ---------------------------O*------*O--------------------------- *";
    let lines = format!(
        "nboard 2\nset game (;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[1]TY[8]BO[{board}]{game};)\ngo\nmove PA\ngo\n"
    );
    let answers = dialogue(engine("nboard"), &lines);
    assert_eq!(answers[0], "set myname Outflank");
    let moves: Vec<&String> = answers
        .iter()
        .filter(|line| line.starts_with("==="))
        .collect();
    assert_eq!(moves.len(), 2, "{answers:?}");
    assert!(moves[0].starts_with("=== PA"), "{answers:?}");

    let log = std::fs::read_to_string(folder.join("log")).expect("a log");
    assert!(
        log.contains("< 8 genmove white") && log.contains("> === PA"),
        "{log}"
    );
}

#[test]
fn an_engine_s_folder_stands_alone() {
    let folder = with_large_model();
    let folder = folder.path();
    succeed(folder, &["export", "run", "--engine", "engine"]);
    // Again, over itself, and somewhere else.
    succeed(folder, &["export", "run", "--engine", "engine"]);
    let moved = folder.join("elsewhere");
    std::fs::rename(folder.join("engine"), &moved).expect("moved");
    std::fs::remove_dir_all(folder.join("run")).expect("removed");
    let readme = std::fs::read_to_string(moved.join("README.md")).expect("instructions");
    assert!(
        readme.contains("NBoard") && readme.contains("GTP"),
        "{readme}"
    );
    assert!(moved.join("model.safetensors.md").is_file());

    #[cfg(unix)]
    {
        // Through links as well, one of which is relative.
        let links = [folder.join("first"), folder.join("second")];
        std::os::unix::fs::symlink(moved.join("outflank-gtp.sh"), &links[0]).expect("linked");
        std::os::unix::fs::symlink("first", &links[1]).expect("linked");
        for launcher in [&moved.join("outflank-gtp.sh"), &links[1]] {
            let mut command = Command::new(launcher);
            command
                .current_dir(Path::new("/"))
                .args(["--simulations", "5"]);
            let lines = "name\ngenmove black\nboardsize 6\n";
            let answers = dialogue(command, lines);
            assert_eq!(answers[0], "= Outflank");
            assert!(answers[2].starts_with("= "), "{answers:?}");
            assert_eq!(answers[4], "? unacceptable size");
        }
    }
}
