//! A process that plays, trains and commits is killed at random instants, as `kill -9` does, and
//! started again: nothing that was published is lost, nothing is counted twice.

mod common;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{chunk_of, key, next_entry};
use outflank_run::{Commit, Created, Location, Name, Run, Store};

const RUN: &str = "OUTFLANK_TEST_KILLED_RUN";
const GENERATIONS: u64 = 12;
const CHUNKS: u64 = 4;

fn open(path: &str) -> Run {
    let store = Store::open(&Location::Folder(path.into())).expect("opens");
    Run::open_or_create(store).expect("starts or opens")
}

/// What the child process does, from wherever the run is to its end. In the parent it does nothing.
#[test]
fn child() {
    let Ok(path) = std::env::var(RUN) else { return };
    let run = open(&path);
    run.write_config("size = 4\n").expect("writes");
    let trainer = Name::unique("t").expect("a name");
    loop {
        let seq = run
            .latest()
            .expect("a good log")
            .map_or(0, |entry| entry.seq + 1);
        if seq == GENERATIONS {
            return;
        }
        let first = seq.saturating_sub(1) * CHUNKS;
        for chunk in (0..CHUNKS).filter(|_| seq > 0) {
            let games = 100 * (first + chunk)..100 * (first + chunk) + 20;
            let published = run.publish_chunk(&key(seq - 1, "w", chunk), chunk_of(games));
            assert_eq!(
                published.expect("writes"),
                Created::New,
                "the same games again"
            );
        }
        let entry = next_entry(&run, trainer.as_str());
        assert_eq!(run.commit(&entry).expect("commits"), Commit::Committed);
    }
}

#[test]
fn a_killed_run_goes_on_without_loss() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_str().expect("plain text");
    let start = || {
        Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "child"])
            .env(RUN, path)
            .stdout(Stdio::null())
            .spawn()
            .expect("starts")
    };
    let mut published = Vec::new();
    for round in 0..10u64 {
        let mut child = start();
        // Wait for some progress, then for an instant of its own in each round.
        let progress = |run: &Run| run.history().map_or(0, |history| history.len());
        let (run, begun) = (open(path), Instant::now());
        let before = progress(&run);
        while progress(&run) == before && before < GENERATIONS as usize {
            assert!(begun.elapsed() < Duration::from_secs(60), "no progress");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(700 * round));
        child.kill().expect("kills");
        child.wait().expect("ends");
        assert_eq!(run.audit(&[]).expect("a good log").problems, [""; 0]);
        for generation in 0..GENERATIONS {
            published.extend(run.chunks(generation).expect("lists"));
        }
    }
    assert!(start().wait().expect("ends").success());

    let run = open(path);
    let history = run.history().expect("a good log");
    assert_eq!(history.len(), GENERATIONS as usize);
    for key in published {
        let entry = &history[key.generation as usize + 1];
        assert!(
            entry.chunks.iter().any(|chunk| chunk.key == key),
            "{key} was lost"
        );
    }
    let audit = run.audit(&[]).expect("a good log");
    assert_eq!(audit.problems, [""; 0]);
    assert_eq!((audit.repeated, audit.stale), (0, 0));
    assert_eq!(audit.games, 20 * CHUNKS * (GENERATIONS - 1));
}
