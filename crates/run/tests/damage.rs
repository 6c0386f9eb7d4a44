//! Files that were changed behind a run's back are named, and never taken for good.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{chunk_of, folder_run, game, key, name, next_entry};
use outflank_records::chunk;
use outflank_run::{Folder, LogEntry, Run, RunError};
use serde::Serialize;
use tempfile::TempDir;

#[derive(Serialize)]
struct Loss {
    policy: f64,
}

/// A run of two commits with one chunk taken, and its latest entry.
struct Damaged {
    folder: TempDir,
    run: Run,
    entry: LogEntry,
}

impl Damaged {
    fn new() -> Damaged {
        let (folder, run) = folder_run();
        run.commit(&next_entry(&run, "t")).expect("commits");
        run.publish_chunk(&key(0, "w", 0), chunk_of(0..4))
            .expect("writes");
        let entry = next_entry(&run, "t");
        run.commit(&entry).expect("commits");
        Damaged { folder, run, entry }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(file), content).expect("writes");
    }

    fn remove(&self, file: &str) {
        fs::remove_file(self.path(file)).expect("removes");
    }

    /// Checks that an operation fails with one line about this file, and returns what the line
    /// says of it.
    fn complaint<T>(&self, result: Result<T, RunError>, file: &str) -> String {
        let line = result.map(drop).expect_err(file).to_string();
        assert!(!line.contains('\n'), "{line}");
        let path = self.run.store().path(file);
        let rest = line.strip_prefix(&path).unwrap_or_else(|| panic!("{line}"));
        rest.to_owned()
    }
}

#[test]
fn chunks() {
    let damaged = Damaged::new();
    let file = "games/000000/w-000000.rec";
    let read = || damaged.complaint(damaged.run.read_taken(&damaged.entry.chunks[0]), file);
    let whole = fs::read(damaged.path(file)).expect("reads");

    damaged.write(file, &whole[..whole.len() / 2]);
    let complaint = read();
    assert!(
        complaint.starts_with(": the chunk is truncated"),
        "{complaint}"
    );
    let audit = damaged.run.audit(&[]).expect("a good log");
    assert_eq!(
        audit.problems,
        [damaged.run.store().path(file) + &complaint]
    );

    damaged.write(file, chunk_of(0..3));
    assert_eq!(read(), " is damaged: it is not the chunk that the log took");
    damaged.write(file, "no chunk");
    assert_eq!(read(), ": not a chunk of game records");
    damaged.remove(file);
    assert_eq!(read(), " is missing");
    damaged.write(file, whole);
    assert!(
        damaged
            .run
            .audit(&[])
            .expect("a good log")
            .problems
            .is_empty()
    );
}

#[test]
fn models() {
    let damaged = Damaged::new();
    let file = "models/000001-t/model.safetensors";
    let read = |name_: &str| damaged.run.read_model(&damaged.entry, &name(name_));
    damaged.write(file, "weight");
    assert_eq!(
        damaged.complaint(read("model.safetensors"), file),
        " is damaged: its 6 bytes are not those that were committed"
    );
    damaged.remove(file);
    assert_eq!(
        damaged.complaint(read("model.safetensors"), file),
        " is missing"
    );
    assert_eq!(
        damaged.run.audit(&[]).expect("a good log").problems.len(),
        1
    );
    let never_put = "models/000001-t/optimiser.bin";
    assert_eq!(
        damaged.complaint(read("optimiser.bin"), never_put),
        " is missing"
    );
}

#[test]
fn log_entries() {
    let damaged = Damaged::new();
    let (first, second) = ("log/000000.json", "log/000001.json");
    // What is wrong in itself is noticed without the digest too, which format 1 did not have.
    damaged.write("run.json", r#"{"format": 1}"#);
    let run = Run::open(damaged.run.store().clone()).expect("an older run");
    let damaged = Damaged { run, ..damaged };
    let sealed = fs::read_to_string(damaged.path(second)).expect("reads");
    let (fields, _) = sealed
        .split_once(",\n  \"sha256\": \"")
        .expect("a digest at the end");
    let whole = format!("{fields}\n}}\n");
    for (from, to, complaint) in [
        ("\"seq\": 1", "\"seq\": 2", "it says that it is entry 2"),
        (
            "\"games\": 4",
            "\"games\": 5",
            "it counts 4 games, expected 5",
        ),
        ("games/000000/w", "games/000001/w", "of another generation"),
        ("games/000000/w", "games/0/../w", "does not name a chunk"),
        ("\"totals\"", "\"total\"", "unknown field `total`"),
        (
            "\"trainer\": \"t\"",
            "\"trainer\": \"../t\"",
            "is not a name",
        ),
    ] {
        assert!(whole.contains(from), "{whole}");
        damaged.write(second, whole.replacen(from, to, 1));
        let said = damaged.complaint(damaged.run.history(), second);
        assert!(said.starts_with(" is damaged: "), "{said}");
        assert!(said.contains(complaint), "{said}");
    }
    for length in [0, 1, whole.len() / 2, whole.len() - 2] {
        damaged.write(second, &whole[..length]);
        damaged.complaint(damaged.run.latest(), second);
        damaged.complaint(damaged.run.history(), second);
    }
    damaged.write(second, &whole);
    assert_eq!(damaged.run.history().expect("whole again").len(), 2);
    damaged.remove(first);
    assert_eq!(
        damaged.complaint(damaged.run.history(), first),
        " is missing"
    );
}

#[test]
fn text_files() {
    let damaged = Damaged::new();
    let loss = name("000001-learning");
    let result = damaged
        .run
        .put_result(Folder::Metrics, &loss, &Loss { policy: 1.25 });
    result.expect("writes");
    let reopen = || Run::open(damaged.run.store().clone());
    let waiting = key(1, "w", 0);
    let publish = damaged.run.publish_chunk(&waiting, chunk_of(4..6));
    publish.expect("writes");
    for (file, from, to) in [
        ("config.toml", "size = 4", "size = 6"),
        ("log/000001.json", "\"steps\": 2", "\"steps\": 3"),
        ("log/000001.json", "\"bytes\": 14", "\"bytes\": 15"),
        ("metrics/000001-learning.json", "1.25", "1.35"),
        ("run.json", "outflank 0", "outflank 1"),
        ("run.json", "sha256", "sha255"),
        ("config.toml", "# sha256", "# sha255"),
    ] {
        let whole = fs::read_to_string(damaged.path(file)).expect("reads");
        assert!(whole.contains(from), "{whole}");
        damaged.write(file, whole.replacen(from, to, 1));
        let audit = reopen().and_then(|run| run.audit(&[]));
        let problem = audit.map_or_else(|error| error.to_string(), |audit| audit.problems.concat());
        let path = damaged.run.store().path(file);
        let expected = format!("{path} is damaged: it is not what was written");
        assert!(problem.starts_with(&expected), "{problem}");
        damaged.write(file, whole);
    }
    let audit = damaged.run.audit(&[]).expect("a good log");
    assert_eq!((audit.results, &audit.problems[..]), (1, &[][..]));

    // A chunk that nobody has taken yet, and a configuration that is gone.
    damaged.write(&waiting.to_string(), "no chunk");
    damaged.remove("config.toml");
    let problems = damaged.run.audit(&[]).expect("a good log").problems;
    let path = |file: &str| damaged.run.store().path(file);
    assert_eq!(
        problems,
        [
            path("config.toml is missing"),
            path("games/000001/w-000000.rec: not a chunk of game records"),
        ]
    );
}

#[test]
fn the_audit_notices_repeated_and_illegal_games() {
    let (_folder, run) = folder_run();
    run.commit(&next_entry(&run, "t")).expect("commits");
    let mut illegal = game(7);
    illegal.black_margin += 1;
    let illegal = chunk::encode(&[illegal]).expect("small");
    for (worker, bytes) in [("a", chunk_of(0..4)), ("b", chunk_of(3..6)), ("c", illegal)] {
        run.publish_chunk(&key(0, worker, 0), bytes)
            .expect("writes");
    }
    run.commit(&next_entry(&run, "t")).expect("commits");
    let audit = run.audit(&[]).expect("a good log");
    assert_eq!((audit.games, audit.repeated, audit.stale), (8, 1, 0));
    let [problem] = &audit.problems[..] else {
        panic!("{:?}", audit.problems)
    };
    let expected = "games/000000/c-000000.rec: game 1: the recorded result is";
    assert!(
        problem.starts_with(&run.store().path(expected)),
        "{problem}"
    );
}
