//! Runs: how they start, what they refuse, chunks, commits and results.

mod common;

use std::fs;
use std::sync::Barrier;

use common::{begin, chunk_of, folder_run, game, key, name, next_entry, stores};
use outflank_run::{Audit, Commit, Created, Folder, LogEntry, Lookout, Prunable, Run};
use serde::{Deserialize, Serialize};

#[test]
fn an_empty_place_becomes_a_run_and_opens_again() {
    let (_folder, stores) = stores();
    for store in stores {
        let error = Run::open(store.clone()).expect_err("nothing is there");
        assert_eq!(
            error.to_string(),
            format!(
                "there is no run at {}, as there is no run.json",
                store.location()
            )
        );
        let run = Run::open_or_create(store.clone()).expect("starts");
        assert_eq!(run.config().expect("reads"), None);
        assert_eq!(run.latest().expect("reads"), None);
        assert_eq!(run.history().expect("reads"), []);
        assert_eq!(run.write_config("a = 1\n").expect("writes"), Created::New);
        let again = Run::open_or_create(store.clone()).expect("opens");
        assert_eq!(again.config().expect("reads").as_deref(), Some("a = 1\n"));
        assert_eq!(
            again.write_config("a = 2\n").expect("writes"),
            Created::AlreadyThere
        );
        assert_eq!(again.config().expect("reads").as_deref(), Some("a = 1\n"));
        Run::open(store).expect("opens");
    }
}

#[test]
fn many_processes_may_start_the_same_run() {
    let (_folder, stores) = stores();
    for store in stores {
        let barrier = Barrier::new(20);
        std::thread::scope(|scope| {
            for worker in 0..20 {
                let (store, barrier) = (store.clone(), &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let run = Run::open_or_create(store).expect("starts or opens");
                    run.write_config(&format!("worker = {worker}\n"))
                        .expect("writes");
                });
            }
        });
    }
}

#[test]
fn foreign_newer_and_damaged_folders_are_refused_by_name() {
    let start = |file: &str, content: &str| {
        let (folder, stores) = stores();
        let store = stores[1].clone(); // the folder's
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
        fs::write(path, content).expect("writes");
        let error = Run::open_or_create(store.clone()).map(drop);
        let error = error.map_err(|error| error.to_string().replace(store.location(), "RUN"));
        (error, folder)
    };
    let refused = |file, content| start(file, content).0.expect_err("refused");
    assert_eq!(
        refused("thesis.doc", "chapter one"),
        "RUN is not a run, without run.json, and not empty: it contains thesis.doc"
    );
    assert_eq!(
        refused("photos/1.png", ""),
        "RUN is not a run, without run.json, and not empty: it contains photos"
    );
    assert_eq!(
        refused("run.json", r#"{"format": 3, "more": []}"#),
        "RUN was made by a newer version of Outflank: its format is 3, this build knows up to 2"
    );
    let damaged = refused("run.json", r#"{"form"#);
    assert!(
        damaged.starts_with("RUN/run.json is damaged: EOF"),
        "{damaged}"
    );
    assert_eq!(
        start(".gitkeep", "").0,
        Ok(()),
        "hidden files are no matter"
    );
    assert_eq!(
        start("run.json#1", "half").0,
        Ok(()),
        "a start that was killed"
    );
}

#[test]
fn chunks_are_published_once_and_listed_in_order() {
    let (_folder, stores) = stores();
    for store in stores {
        let run = begin(store);
        let keys = [
            key(0, "w10", 0),
            key(0, "w2", 1),
            key(0, "w2", 1_000_000),
            key(1, "w2", 0),
        ];
        for (seed, key) in (0..).zip(&keys) {
            let publish = |seed: u64| run.publish_chunk(key, chunk_of(3 * seed..3 * seed + 3));
            assert_eq!(publish(seed).expect("writes"), Created::New);
            assert_eq!(publish(seed + 10).expect("writes"), Created::AlreadyThere);
        }
        run.store()
            .create("games/000000/notes.txt", "foreign")
            .expect("writes");
        assert_eq!(run.chunks(0).expect("lists"), keys[..3]);
        assert_eq!(run.chunks(1).expect("lists"), keys[3..]);
        assert_eq!(run.chunks(2).expect("lists"), []);
        let (taken, games) = run.read_chunk(&keys[1]).expect("reads");
        assert_eq!(games, (3..6).map(game).collect::<Vec<_>>());
        assert_eq!((taken.games, &taken.key), (3, &keys[1]));
        let positions: usize = games.iter().map(|game| game.searched_plies()).sum();
        assert_eq!(taken.positions, positions as u64);
        assert_eq!(run.read_taken(&taken).expect("reads"), games);
    }
}

#[test]
fn commits_make_a_history_that_the_audit_confirms() {
    let (_folder, stores) = stores();
    for store in stores {
        let run = begin(store);
        for seq in 0..4 {
            let entry = next_entry(&run, "t1");
            assert_eq!(entry.seq, seq);
            assert_eq!(run.commit(&entry).expect("commits"), Commit::Committed);
            assert_eq!(
                run.commit(&entry).expect("commits"),
                Commit::Committed,
                "the very same"
            );
            assert_eq!(run.latest().expect("reads"), Some(entry.clone()));
            for worker in ["w0", "w1"] {
                let first = 10 * seq + if worker == "w0" { 0 } else { 5 };
                let chunk = chunk_of(100 * first..100 * first + 5);
                run.publish_chunk(&key(seq, worker, 0), chunk)
                    .expect("writes");
            }
        }
        run.publish_chunk(&key(2, "late", 0), chunk_of(9000..9002))
            .expect("writes");
        let history = run.history().expect("a good log");
        assert_eq!(history.len(), 4);
        let last = &history[3];
        assert_eq!(
            (last.totals.games, last.totals.steps, last.totals.samples),
            (30, 40, 400)
        );
        assert_eq!(
            run.read_model(last, &name("model.safetensors"))
                .expect("reads"),
            "weights 3 of t1"
        );
        let audit = run.audit(&[]).expect("a good log");
        let expected = Audit {
            entries: 4,
            chunks: 6,
            games: 30,
            positions: last.totals.positions,
            repeated: 0,
            stale: 1,
            results: 0,
            pruned: 0,
            problems: Vec::new(),
        };
        assert_eq!(audit, expected);
    }
}

#[test]
fn who_knows_an_entry_finds_the_newest() {
    let (_folder, run) = folder_run();
    run.commit(&next_entry(&run, "t")).expect("commits");
    let first = run.latest().expect("reads").expect("committed");
    assert_eq!(run.latest_after(first.clone()).expect("reads"), first);
    for _ in 0..3 {
        run.commit(&next_entry(&run, "t")).expect("commits");
    }
    let newest = run.latest_after(first).expect("reads");
    assert_eq!(Some(newest), run.latest().expect("reads"));
}

#[test]
fn a_full_generation_is_noticed_by_all_who_publish() {
    let (_folder, stores) = stores();
    for store in stores {
        let run = begin(store);
        let mut lookouts = ["a", "b"].map(|worker| {
            let (lookout, present) = Lookout::begin(&run, 0, 60).expect("lists");
            assert_eq!(present, []);
            (worker, lookout, false)
        });
        for seq in 0.. {
            for (worker, lookout, full) in &mut lookouts {
                if !*full {
                    let published = run.publish_chunk(&key(0, worker, seq), chunk_of(seq..seq + 1));
                    assert_eq!(published.expect("writes"), Created::New);
                    *full = lookout.is_full(&run).expect("lists");
                }
            }
            if lookouts.iter().all(|(_, _, full)| *full) {
                break;
            }
        }
        let chunks = run.chunks(0).expect("lists").len();
        assert!(chunks >= 60, "{chunks} chunks");
    }
}

#[test]
fn one_of_many_trainers_commits_and_the_others_learn_who() {
    let (_folder, stores) = stores();
    for store in stores {
        let run = begin(store);
        run.commit(&next_entry(&run, "t")).expect("commits");
        run.publish_chunk(&key(0, "w", 0), chunk_of(0..4))
            .expect("writes");
        let entries: Vec<_> = (0..8).map(|t| next_entry(&run, &format!("t{t}"))).collect();
        let barrier = Barrier::new(entries.len());
        let commits: Vec<_> = std::thread::scope(|scope| {
            let commit = |entry| {
                let (run, barrier) = (&run, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    run.commit(entry).expect("no failure")
                })
            };
            let threads: Vec<_> = entries.iter().map(commit).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect()
        });
        let winner = run.latest().expect("reads").expect("committed").trainer;
        for (entry, commit) in entries.iter().zip(commits) {
            match entry.trainer == winner {
                true => assert_eq!(commit, Commit::Committed),
                false => assert_eq!(
                    commit,
                    Commit::LostRace {
                        winner: winner.clone()
                    }
                ),
            }
        }
        assert_eq!(run.audit(&[]).expect("a good log").games, 4, "taken once");
    }
}

#[test]
fn a_model_without_a_commit_is_nothing() {
    let (_folder, run) = folder_run();
    run.commit(&next_entry(&run, "t")).expect("commits");
    let killed = next_entry(&run, "killed");
    assert_eq!(run.latest().expect("reads").expect("the first").seq, 0);
    let started_again = next_entry(&run, "again");
    assert_eq!(
        run.commit(&started_again).expect("commits"),
        Commit::Committed
    );
    let lost = Commit::LostRace {
        winner: name("again"),
    };
    assert_eq!(run.commit(&killed).expect("no failure"), lost);
    let other = [(name("model.safetensors"), "other weights".into())];
    let error = run
        .put_model(1, &name("killed"), other)
        .expect_err("a name is used once");
    assert!(
        error
            .to_string()
            .ends_with("exists already, with other content"),
        "{error}"
    );
}

#[test]
fn pruning_leaves_what_counts() {
    let (_folder, stores) = stores();
    for store in stores {
        let run = begin(store);
        let state = [name("state.bin")];
        for seq in 0..5 {
            let trainer = format!("t{seq}");
            let mut entry = next_entry(&run, &trainer);
            let files = [(state[0].clone(), "moments".into())];
            let put = run.put_model(seq, &name(&trainer), files);
            entry.model.extend(put.expect("writes"));
            run.commit(&entry).expect("commits");
            run.publish_chunk(&key(seq, "w", 0), chunk_of(10 * seq..10 * seq + 4))
                .expect("writes");
        }
        run.publish_chunk(&key(1, "late", 0), chunk_of(900..902))
            .expect("writes");
        // A rival that lost, and one that may yet commit.
        for seq in [3, 5] {
            let files = [(name("model.safetensors"), "other".into())];
            run.put_model(seq, &name("rival"), files).expect("writes");
        }
        let found = run.prunable(&state).expect("lists");
        assert_eq!(found.late_chunks, ["games/000001/late-000000.rec"]);
        assert_eq!(found.lost_models, ["models/000003-rival/model.safetensors"]);
        let states = [0, 1, 2].map(|seq| format!("models/{seq:06}-t{seq}/state.bin"));
        assert_eq!(found.old_states, states);

        let before = run.audit(&state).expect("a good log");
        assert_eq!((before.games, before.stale, before.pruned), (16, 1, 0));
        run.prune(&found).expect("deletes");
        run.prune(&found).expect("what is gone is gone");
        let after = run.audit(&state).expect("a good log");
        assert_eq!((after.games, after.stale, after.pruned), (16, 0, 3));
        assert_eq!(after.problems, [""; 0]);
        assert_eq!(run.prunable(&state).expect("lists"), Prunable::default());
        // Asked without the exception, the audit misses the files.
        assert_eq!(run.audit(&[]).expect("a good log").problems.len(), 3);
    }
}

#[test]
fn entries_that_would_break_the_log_are_not_written() {
    let (_folder, run) = folder_run();
    let first = next_entry(&run, "t");
    run.commit(&first).expect("commits");
    run.publish_chunk(&key(0, "w", 0), chunk_of(0..4))
        .expect("writes");
    let good = next_entry(&run, "t");
    let refused = |change: &dyn Fn(&mut LogEntry)| {
        let mut entry = good.clone();
        change(&mut entry);
        run.commit(&entry).expect_err("refused").to_string()
    };
    assert_eq!(
        refused(&|entry| entry.seq = 5),
        run.store().path("log/000004.json is missing")
    );
    assert!(refused(&|entry| entry.chunks.push(entry.chunks[0].clone())).contains("expected 8"));
    assert!(refused(&|entry| entry.totals.games += 1).contains("counts 5 games, expected 4"));
    assert!(refused(&|entry| entry.totals.steps = 0).contains("fewer than before"));
    assert!(
        refused(&|entry| entry.chunks[0].key.generation = 1)
            .ends_with("it takes games/000001/w-000000.rec, which is of another generation")
    );
    let twice = |entry: &mut LogEntry| {
        *entry = LogEntry::after(
            Some(&first),
            name("t"),
            Vec::new(),
            vec![entry.chunks[0].clone(), entry.chunks[0].clone()],
            1,
            1,
        );
    };
    assert!(refused(&twice).ends_with("it takes games/000000/w-000000.rec twice"));
    assert_eq!(run.history().expect("a good log").len(), 1);
    assert_eq!(run.commit(&good).expect("commits"), Commit::Committed);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Measured {
    loss: f64,
}

#[test]
fn results_are_kept_by_name() {
    let (_folder, run) = folder_run();
    for (name_, loss) in [("000002-train", 0.5), ("000001-train", 1.5)] {
        let created = run
            .put_result(Folder::Metrics, &name(name_), &Measured { loss })
            .expect("writes");
        assert_eq!(created, Created::New);
    }
    let names = run.results(Folder::Metrics).expect("lists");
    assert_eq!(names, [name("000001-train"), name("000002-train")]);
    assert_eq!(run.results(Folder::Matches).expect("lists"), []);
    assert_eq!(
        run.read_result::<Measured>(Folder::Metrics, &names[0])
            .expect("reads"),
        Measured { loss: 1.5 }
    );
    let error = run
        .read_result::<String>(Folder::Metrics, &names[0])
        .expect_err("a structure");
    assert!(
        error
            .to_string()
            .contains("metrics/000001-train.json is damaged"),
        "{error}"
    );
    let error = run
        .read_result::<f64>(Folder::Matches, &names[0])
        .expect_err("none");
    assert!(
        error
            .to_string()
            .ends_with("matches/000001-train.json is missing"),
        "{error}"
    );
}
