//! A run may be killed at any instant: nothing that was published is lost, nothing counts twice.

mod common;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{TRAIN, folder, outflank, run, succeed};

/// All files below a part of a run with their contents. A killed writer may leave a temporary file
/// whose name has a '#'.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("a folder can be listed").path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                open.push(path);
            } else if !name.contains('#') {
                files.insert(name, std::fs::read(&path).expect("a file can be read"));
            }
        }
    }
    files
}

#[test]
fn a_run_killed_ten_times_ends_as_if_it_had_not_been() {
    let whole = folder();
    let begin = Instant::now();
    succeed(whole.path(), &TRAIN);
    let time = begin.elapsed();

    let killed = folder();
    for kill in 0..10u32 {
        let mut train = outflank(killed.path(), &TRAIN)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command can be started");
        // Instants all over a run, each in another place.
        std::thread::sleep(
            time.mul_f64(f64::from((kill * 7 + 3) % 10) / 12.0) + Duration::from_millis(5),
        );
        let before = files(&killed.path().join("run/games"));
        train.kill().expect("the process can be killed");
        train.wait().expect("the process ends");
        let after = files(&killed.path().join("run/games"));
        assert!(
            before
                .iter()
                .all(|(name, bytes)| after.get(name) == Some(bytes)),
            "a chunk was lost"
        );
    }
    succeed(killed.path(), &TRAIN);

    // The same games and as many of them: nothing lost, nothing twice.
    let games = |folder: &Path| {
        let root = folder.join("run/games");
        let strip = |name: String| {
            name.strip_prefix(&*root.to_string_lossy())
                .map(str::to_owned)
        };
        files(&root)
            .into_iter()
            .map(|(name, bytes)| (strip(name), bytes))
            .collect::<BTreeMap<_, _>>()
    };
    assert_eq!(games(whole.path()).len(), 16);
    assert!(
        games(whole.path()) == games(killed.path()),
        "the games differ"
    );
    let report = succeed(killed.path(), &["inspect", "run", "--all"]);
    assert!(report.contains("checked: 16 chunks, 96 games"), "{report}");
    assert!(report.contains("everything is as the log says"), "{report}");
    assert!(report.contains("0 chunks came too late"), "{report}");
}

#[test]
fn selfplay_and_learn_share_a_run_as_two_processes() {
    let folder = folder();
    let start = |arguments: &[&str]| {
        outflank(folder.path(), arguments)
            .stdout(Stdio::null())
            .spawn()
            .expect("the command can be started")
    };
    // The workers wait for the run, and leave nothing where it is to be.
    let mut workers = ["one", "two"].map(|name| {
        let mut worker = outflank(folder.path(), &["selfplay", "--run", "run"])
            .args(["--worker", name])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command can be started");
        let mut said = BufReader::new(worker.stderr.take().expect("piped"));
        let mut line = String::new();
        said.read_line(&mut line).expect("text");
        assert!(line.contains("waiting up to 120 seconds"), "{line}");
        (worker, said)
    });
    assert!(!folder.path().join("run").exists());
    let mut learn = start(&["learn", "--config", "tiny.toml", "--run", "run"]);
    assert!(learn.wait().expect("the process ends").success());
    for (worker, _) in &mut workers {
        assert!(worker.wait().expect("the process ends").success());
    }
    let report = succeed(folder.path(), &["inspect", "run", "--all"]);
    assert!(report.contains("everything is as the log says"), "{report}");
}

#[test]
fn a_second_worker_of_a_name_is_told_so() {
    let folder = folder();
    let folder = folder.path();
    succeed(folder, &[&TRAIN[..], &["--generations", "0"]].concat());
    let play = || {
        let arguments = [
            "selfplay",
            "--run",
            "run",
            "--worker",
            "one",
            "--generations",
            "1",
        ];
        let output = run(folder, &arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{told}");
        told
    };
    assert!(!play().contains("somebody else"));
    // As if another had published it a moment later.
    let chunk = folder.join("run/games/000000/one-000003.rec");
    std::fs::remove_file(chunk).expect("it was published");
    let told = play();
    assert!(
        told.contains("somebody else has played as one too"),
        "{told}"
    );
}

#[test]
fn a_run_that_goes_on_keeps_its_beginning() {
    let folder = folder();
    let folder = folder.path();
    let begin = |run: &str, seed: &str| {
        let train = [
            "train",
            "--config",
            "tiny.toml",
            "--no-rating",
            "--generations",
            "1",
        ];
        succeed(
            folder,
            &[&train[..], &["--run", run, "--seed", seed]].concat(),
        );
    };
    begin("run", "3");
    begin("other", "4");
    let go_on = |more: &[&str]| {
        let train = ["train", "--run", "run", "--no-rating", "--generations", "1"];
        let output = run(folder, &[&train[..], more].concat());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), told)
    };
    assert_eq!(go_on(&["--seed", "3"]).0, Some(0));
    let (code, told) = go_on(&["--seed", "4"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(
        told.contains("run was started with the seed 3, and --seed is 4"),
        "{told}"
    );
    let (code, told) = go_on(&["--from", "other"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.contains("run began with another network than --from names"),
        "{told}"
    );
    let (_, told) = go_on(&["--from", "run@0"]);
    assert!(!told.contains("another network"), "{told}");
}
