//! Many processes on one run: matches that they share, how they end, and what they say of the run.

mod common;

use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{fail, folder, json, outflank, succeed, trained};
use serde_json::Value;

fn start(folder: &Path, arguments: &[&str]) -> Child {
    outflank(folder, arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command can be started")
}

fn read_json(folder: &Path, file: &str) -> Value {
    json(&std::fs::read_to_string(folder.join(file)).expect("the file was written"))
}

fn files(folder: &Path, begin: &str) -> usize {
    let files = std::fs::read_dir(folder).expect("a folder can be listed");
    let names = files.map(|file| file.expect("a file").file_name());
    names
        .filter(|name| name.to_string_lossy().starts_with(begin))
        .count()
}

#[test]
fn processes_share_the_games_of_a_match_and_find_what_one_alone_finds() {
    let folder = trained();
    let folder = folder.path();
    let arena = [
        "arena",
        "run@4",
        "random",
        "run@1",
        "--games",
        "70",
        "--simulations",
        "4",
    ];
    let with = |more: &[&'static str]| [&arena[..], more].concat();
    succeed(folder, &with(&["--json", "alone.json"]));
    let shared = |file| with(&["--run", "run", "--json", file]);
    let mut processes = ["a.json", "b.json", "c.json"].map(|file| start(folder, &shared(file)));
    for process in &mut processes {
        assert!(process.wait().expect("the process ends").success());
    }
    let alone = read_json(folder, "alone.json");
    for file in ["a.json", "b.json", "c.json"] {
        assert_eq!(read_json(folder, file), alone);
    }
    // Three matches of 35 pairs, in parts of ten.
    let matches = folder.join("run/matches");
    assert_eq!(files(&matches, "part-"), 12);
    // Kept once, whoever kept them, and as the same matches as those of the process alone.
    assert_eq!(files(&matches, "arena-"), 3);

    // A part with other games than its name says is no part.
    let part = std::fs::read_dir(&matches)
        .expect("listed")
        .map(|file| file.expect("a file").path())
        .find(|path| path.to_string_lossy().ends_with("-000003.json"))
        .expect("there is a fourth part");
    let whole = std::fs::read(&part).expect("read");
    let third = part.to_string_lossy().replace("-000003", "-000002");
    std::fs::copy(third, &part).expect("copied");
    let message = fail(folder, &shared("a.json"));
    assert!(
        message.contains("has other games than its name says"),
        "{message}"
    );
    std::fs::write(&part, whole).expect("written");

    // A test that is decided ends a shared match at the same pair.
    let sprt = with(&["--gauntlet", "--sprt", "0,400", "--json", "alone.json"]);
    succeed(folder, &sprt);
    let sprt = with(&[
        "--gauntlet",
        "--sprt",
        "0,400",
        "--json",
        "a.json",
        "--run",
        "run",
    ]);
    succeed(folder, &sprt);
    assert_eq!(read_json(folder, "a.json"), read_json(folder, "alone.json"));
}

#[test]
fn processes_share_the_games_of_a_ladder() {
    let folder = trained();
    let folder = folder.path();
    let ladder = [
        "ladder",
        "run",
        "--shared",
        "--games",
        "200",
        "--simulations",
        "4",
        "--anchors",
        "random,greedy",
    ];
    let mut processes = [(); 3].map(|()| start(folder, &ladder));
    for process in &mut processes {
        assert!(process.wait().expect("the process ends").success());
    }
    // Whoever is late may add a match of 20 games.
    let kept = files(&folder.join("run/matches"), "ladder-");
    assert!((10..=12).contains(&kept), "{kept}");
    // All is there: another call only shows it.
    succeed(folder, &ladder);
    assert_eq!(files(&folder.join("run/matches"), "ladder-"), kept);
}

#[cfg(unix)]
#[test]
fn sigterm_ends_a_process_at_once_and_says_so() {
    let folder = folder();
    let arguments = ["selfplay", "--run", "run", "--config", "tiny.toml"];
    let mut worker = start(folder.path(), &arguments);
    let begin = Instant::now();
    while !folder.path().join("run/config.toml").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "no run appeared");
        std::thread::sleep(Duration::from_millis(10));
    }
    let told = std::process::Command::new("kill")
        .arg(worker.id().to_string())
        .status();
    assert!(told.expect("kill can be started").success());
    assert_eq!(worker.wait().expect("the process ends").code(), Some(143));
    let mut said = String::new();
    let mut stderr = worker.stderr.take().expect("piped");
    stderr.read_to_string(&mut said).expect("read");
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("outflank: stopped by SIGTERM; "), "{said}");
    assert!(last.contains("kept in run") && last.contains("same command"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_output_leaves_nothing_and_says_so() {
    let folder = folder();
    let files = || std::fs::read_dir(folder.path()).expect("listed").count();
    let before = files();
    let arena = ["arena", "alpha-beta:7", "alpha-beta:8", "--games", "9000"];
    let begun = |signal: &str| {
        let mut arena = outflank(folder.path(), &arena)
            .args(["--json", "result.json"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command can be started");
        let begin = Instant::now();
        while files() == before {
            assert!(
                begin.elapsed() < Duration::from_secs(60),
                "no file appeared"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        let told = std::process::Command::new("kill")
            .args([signal, &arena.id().to_string()])
            .status();
        assert!(told.expect("kill can be started").success());
        arena.wait().expect("the process ends");
        let mut said = String::new();
        let mut stderr = arena.stderr.take().expect("piped");
        stderr.read_to_string(&mut said).expect("read");
        said
    };
    let said = begun("-TERM");
    assert_eq!(
        said,
        "outflank: stopped by SIGTERM; not written: result.json; the games played so far are dropped\n"
    );
    assert_eq!(files(), before);
    // After a kill the next command that writes there removes what was left.
    begun("-KILL");
    assert_eq!(files(), before + 1);
    let next = [
        "arena", "greedy", "random", "--games", "2", "--json", "a.json",
    ];
    succeed(folder.path(), &next);
    assert_eq!(files(), before + 1);
}

#[test]
fn the_state_of_a_run_is_told_to_programs() {
    let folder = trained();
    let text = succeed(folder.path(), &["status", "run", "--json"]);
    let status: Value = serde_json::from_str(&text).expect("a line of JSON");
    assert_eq!(status["model"], 4);
    assert_eq!(status["generations"], 4);
    assert_eq!(status["games"], 96);
    assert_eq!(
        (&status["chunks"], &status["chunks_wanted"]),
        (&0.into(), &4.into())
    );
    assert_eq!(status["workers"], serde_json::json!(["train"]));
}

#[test]
fn passwords_in_arguments_are_not_repeated() {
    let folder = folder();
    for arguments in [
        &["status", "s3://key:hushhush@bucket/run"][..],
        &["selfplay", "--run", "s3://key:hush/hushhush@bucket/run"],
        &["arena", "s3://key:hushhush@bucket/run", "random"],
        &["arena", "random", "az://container/run?sig=hushhush"],
    ] {
        let message = fail(folder.path(), arguments);
        assert!(message.contains("come from the environment"), "{message}");
        assert!(!message.contains("hushhush"), "{message}");
    }
}
