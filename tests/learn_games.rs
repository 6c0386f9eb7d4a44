//! `learn --games`: from games of others to a model, whatever happens in between.

mod common;

use std::path::Path;

use common::{fail, folder, outflank, run, succeed};

/// Games of the 4x4 board in which a player who leaves the opponent the fewest moves meets one who
/// chooses at random: the first is easy to foresee, turned and mirrored too.
fn write_games(folder: &Path, name: &str, count: u64) {
    use outflank_rules::{Game, Move, Passes, Size};
    let mut text = String::new();
    let mut random = 1u64;
    for _ in 0..count {
        let mut game = Game::new(Size::Four);
        while !game.is_over() {
            let legal = game.legal_moves();
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
            let mut squares = legal.into_iter();
            let board = game.position().board;
            let square = match game.plies().len() % 2 {
                0 => squares.min_by_key(|&square| {
                    let after = board.apply(Move::Place(square)).expect("legal");
                    after.legal_moves().len()
                }),
                _ => squares.nth((random >> 33) as usize % legal.len().max(1) as usize),
            };
            let mv = square.map_or(Move::Pass, Move::Place);
            game.play(mv).expect("legal");
        }
        text.push_str(&game.transcript(Passes::Omitted));
        text.push('\n');
    }
    std::fs::write(folder.join(name), text).expect("written");
}

const LEARN: [&str; 7] = [
    "learn",
    "--config",
    "tiny.toml",
    "--held-out",
    "0.2",
    "--games",
    "a.txt",
];

fn learn(folder: &Path, rest: &[&str]) -> String {
    succeed(folder, &[&LEARN[..], rest].concat())
}

/// The last figure before `% foreseen` of what a command printed.
fn foreseen(output: &str) -> f64 {
    let (before, _) = output.rsplit_once(" % foreseen").expect("an examination");
    let figure = before.rsplit(' ').next().expect("a figure");
    figure.parse().expect("a number")
}

/// The weights of a model, without what its header says about how they were trained.
fn weights(folder: &Path, run: &str, seq: u64) -> Vec<u8> {
    let output = succeed(
        folder,
        &[
            "export",
            &format!("{run}@{seq}"),
            "--safetensors",
            "m.safetensors",
        ],
    );
    assert!(output.contains("m.safetensors"), "{output}");
    let bytes = std::fs::read(folder.join("m.safetensors")).expect("exported");
    let (length, rest) = bytes.split_at(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
    rest[length as usize..].to_vec()
}

#[test]
fn a_model_learns_to_foresee_moves_and_can_be_trained_further() {
    let folder = folder();
    let folder = folder.path();
    write_games(folder, "a.txt", 300);
    let rest = ["--run", "run", "--epochs", "8", "--solve-empties", "0"];
    let output = run(folder, &[&LEARN[..], &rest].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let first = told
        .lines()
        .find(|line| line.starts_with("model 0"))
        .expect("model 0 is examined");
    let result = String::from_utf8_lossy(&output.stdout);
    let (untrained, trained) = (foreseen(first), foreseen(&result));
    assert!(
        !told.contains("model 8 on"),
        "the result is told once: {told}"
    );
    assert!(
        trained > untrained + 10.0 && trained > 55.0,
        "{untrained} to {trained}: {told}"
    );
    // Half of the moves are random: nobody can foresee them all.
    assert!(trained < 95.0, "{trained}");

    succeed(folder, &["arena", "run", "random", "--games", "4"]);
    let train = [
        "train",
        "--config",
        "tiny.toml",
        "--generations",
        "1",
        "--no-rating",
    ];
    succeed(
        folder,
        &[&train[..], &["--run", "on", "--from", "run"]].concat(),
    );
    assert_eq!(
        weights(folder, "on", 0),
        weights(folder, "run", 8),
        "it begins where the other ended"
    );

    // Records of a run are games too, with targets of their own.
    let output = learn(folder, &["on", "--run", "both", "--epochs", "1"]);
    assert!(output.contains("both holds model 1"), "{output}");
}

#[test]
fn an_interrupted_command_goes_on_to_the_same_model() {
    let folder = folder();
    let folder = folder.path();
    write_games(folder, "a.txt", 200);
    learn(folder, &["--run", "whole", "--epochs", "3"]);
    // Before it has all games, and then while it learns from them.
    for file in ["parts/metrics/games.json", "parts/log/000001.json"] {
        let mut child = outflank(
            folder,
            &[&LEARN[..], &["--run", "parts", "--epochs", "3"]].concat(),
        )
        .stderr(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("started");
        while !folder.join(file).exists() {
            assert!(
                child.try_wait().expect("asked").is_none(),
                "it ended before it could be killed"
            );
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        // Games of its own would go among those of the files.
        for command in ["train", "learn", "selfplay"] {
            let message = fail(folder, &[command, "--run", "parts", "--generations", "9"]);
            assert!(
                message.contains("outflank train --from parts --run ANOTHER"),
                "{message}"
            );
        }
    }
    // Without --config, and on another number of threads.
    let rest = [
        "--run",
        "parts",
        "--games",
        "a.txt",
        "--held-out",
        "0.2",
        "--threads",
        "1",
    ];
    succeed(folder, &[&["learn"], &rest[..]].concat());
    assert_eq!(weights(folder, "parts", 3), weights(folder, "whole", 3));

    let output = succeed(folder, &["inspect", "parts", "--all"]);
    assert!(output.contains("everything is as the log says"), "{output}");

    let rest = ["--games", "a.txt", "--held-out", "0.2", "--epochs", "4"];
    succeed(folder, &[&["learn", "--run", "parts"], &rest[..]].concat());
    let told = succeed(folder, &["status", "parts"]);
    assert!(told.contains("parts: model 4; "), "{told}");
    assert!(told.contains("it learns from files of games"), "{told}");

    // The same run does not silently go on with other games.
    write_games(folder, "b.txt", 210);
    let other = [
        "learn",
        "--run",
        "parts",
        "--games",
        "b.txt",
        "--held-out",
        "0.2",
    ];
    let message = fail(folder, &other);
    assert!(message.contains("other games"), "{message}");
}

#[test]
fn bad_games_are_named() {
    let folder = folder();
    let folder = folder.path();
    write_games(folder, "a.txt", 20);
    std::fs::write(folder.join("bad.txt"), "b1a1\nb1b1\n").expect("written");
    let arguments = ["bad.txt", "--run", "run", "--epochs", "1"];
    let message = fail(folder, &[&LEARN[..], &arguments].concat());
    assert!(
        message.contains("bad.txt: game 1: it is an unfinished game"),
        "{message}"
    );
    assert!(!folder.join("run").exists(), "no run is made for nothing");
    let output = run(folder, &[&LEARN[..], &arguments, &["--skip-bad"]].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("bad.txt, line 2: ") && told.contains("2 left out"),
        "{told}"
    );

    let line = "(;GM[Othello]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5];)";
    std::fs::write(
        folder.join("large.ggf"),
        line.replace("TY[8]", "TY[8]RE[+64.000:r]"),
    )
    .expect("written");
    let message = fail(
        folder,
        &[&LEARN[..], &["large.ggf", "--run", "other"]].concat(),
    );
    assert!(message.contains("8x8 board"), "{message}");
    let epochs = ["--run", "other", "--epochs", "0"];
    fail(folder, &[&LEARN[..], &epochs].concat());
    assert!(!folder.join("other").exists());
    let held_out = [
        "learn",
        "--config",
        "tiny.toml",
        "--run",
        "other",
        "--held-out",
        "0.9",
    ];
    let message = fail(folder, &[&held_out[..], &["--games", "a.txt"]].concat());
    assert!(message.contains("--held-out is 0.9"), "{message}");
}
