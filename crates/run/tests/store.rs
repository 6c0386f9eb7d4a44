//! Create if absent, listings, and what is done about failures of the storage.

mod common;

use std::collections::HashSet;
use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use common::stores;
use futures::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use outflank_run::{Backoff, Created, Location, RunError, Store};

#[test]
fn one_of_forty_creators_wins() {
    let (_folder, stores) = stores();
    for store in stores {
        for round in 0..5 {
            let key = format!("log/{round:06}.json");
            let barrier = Barrier::new(40);
            let winners: Vec<usize> = std::thread::scope(|scope| {
                let create = |creator: usize| {
                    let (store, barrier, key) = (&store, &barrier, &key);
                    scope.spawn(move || {
                        barrier.wait();
                        let created = store.create(key, format!("creator {creator}"));
                        (created.expect("no failure") == Created::New).then_some(creator)
                    })
                };
                let creators: Vec<_> = (0..40).map(create).collect();
                creators
                    .into_iter()
                    .filter_map(|thread| thread.join().expect("no panic"))
                    .collect()
            });
            assert_eq!(winners.len(), 1, "{winners:?}");
            let content = store.read(&key).expect("reads").expect("is there");
            assert_eq!(content, format!("creator {}", winners[0]));
        }
        assert_eq!(store.list("log").expect("lists").len(), 5);
    }
}

/// Separate handles, as separate processes have them.
#[test]
fn one_of_forty_stores_over_a_folder_wins() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let location = Location::Folder(folder.path().into());
    let barrier = Barrier::new(40);
    let won = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for creator in 0..40 {
            let (location, barrier, won) = (&location, &barrier, &won);
            scope.spawn(move || {
                let store = Store::open(location).expect("opens");
                barrier.wait();
                let created = store
                    .create("a/b/c.json", vec![creator; 10_000])
                    .expect("no failure");
                won.fetch_add((created == Created::New).into(), Ordering::Relaxed);
            });
        }
    });
    assert_eq!(won.into_inner(), 1);
    let store = Store::open(&location).expect("opens");
    let content = store.read("a/b/c.json").expect("reads").expect("is there");
    assert_eq!(content.len(), 10_000);
    assert_eq!(
        content.iter().collect::<HashSet<_>>().len(),
        1,
        "nothing is mixed"
    );
    assert_eq!(
        std::fs::read_dir(folder.path().join("a/b"))
            .expect("lists")
            .count(),
        1
    );
}

#[test]
fn files_are_read_and_listed_and_never_changed() {
    let (_folder, stores) = stores();
    for store in stores {
        assert_eq!(store.list("games/000001").expect("lists"), [""; 0]);
        assert_eq!(store.read("games/000001/a").expect("reads"), None);
        assert_eq!(store.first_at_top().expect("lists"), None);
        for file in [
            "games/000001/b",
            "games/000001/a",
            "games/000001/x/y",
            "games/000010/c",
            "g",
        ] {
            assert_eq!(store.create(file, "1").expect("writes"), Created::New);
            assert_eq!(
                store.create(file, "1").expect("writes"),
                Created::New,
                "the same content"
            );
            assert_eq!(
                store.create(file, "2").expect("writes"),
                Created::AlreadyThere
            );
            assert_eq!(store.read(file).expect("reads").expect("is there"), "1");
        }
        assert_eq!(store.list("games/000001").expect("lists"), ["a", "b"]);
        assert_eq!(store.first_at_top().expect("lists").as_deref(), Some("g"));
    }
}

#[test]
fn many_files_are_read_in_the_order_asked_for() {
    let (_folder, stores) = stores();
    for store in stores {
        let mut keys: Vec<String> = (0..50).map(|number| format!("a/{number}")).collect();
        for key in &keys {
            store.create(key, key.clone()).expect("writes");
        }
        keys.insert(20, "a/missing".to_owned());
        let contents = store.read_all(&keys).expect("reads");
        for (key, content) in keys.iter().zip(contents) {
            let expected = (key != "a/missing").then(|| key.clone().into());
            assert_eq!(content, expected, "{key}");
        }
    }
}

#[test]
fn what_killed_writers_leave_behind_is_ignored() {
    let (folder, stores) = stores();
    let store = stores[1].clone(); // the folder's
    std::fs::create_dir(folder.path().join("log")).expect("a folder");
    for staged in ["log/000000.json#1", "log/000000.json#2", "run.json#1"] {
        std::fs::write(folder.path().join(staged), "half a fi").expect("writes");
    }
    assert_eq!(store.list("log").expect("lists"), [""; 0]);
    assert_eq!(store.read("log/000000.json").expect("reads"), None);
    assert_eq!(
        store.create("log/000000.json", "whole").expect("writes"),
        Created::New
    );
    assert_eq!(
        store
            .read("log/000000.json")
            .expect("reads")
            .expect("is there"),
        "whole"
    );
    assert_eq!(store.list("log").expect("lists"), ["000000.json"]);

    std::fs::remove_dir_all(folder.path().join("log")).expect("removes");
    assert_eq!(
        store.first_at_top().expect("lists"),
        None,
        "run.json#1 is nothing"
    );

    // Killed after the link and before the removal: the staged file is the file itself.
    store.create("log/000001.json", "whole").expect("writes");
    let path = |file: &str| folder.path().join("log").join(file);
    std::fs::hard_link(path("000001.json"), path("000001.json#1")).expect("links");
    assert_eq!(
        store.create("log/000001.json", "other").expect("writes"),
        Created::AlreadyThere
    );
    assert_eq!(
        store
            .read("log/000001.json")
            .expect("reads")
            .expect("is there"),
        "whole"
    );
    assert_eq!(store.list("log").expect("lists"), ["000001.json"]);
}

#[test]
fn a_folder_that_cannot_be_is_named_with_its_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "no folder").expect("writes");
    let error = Store::open(&Location::Folder(file.join("run"))).expect_err("a file is in the way");
    let expected = format!(
        "cannot make the folder {}/run: Not a directory",
        file.display()
    );
    assert!(error.to_string().starts_with(&expected), "{error}");

    // Inside of a run, and without waiting: the default backoff is minutes.
    let store = Store::open(&Location::Folder(folder.path().into())).expect("opens");
    let error = store
        .create("file/a.json", "x")
        .expect_err("a file is in the way")
        .to_string();
    let expected = format!("cannot write {}/a.json: Not a directory", file.display());
    assert!(error.starts_with(&expected), "{error}");
    assert!(!error.contains('\n'));
}

/// How a call of [`Faulty`] fails.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// With this kind of input/output error.
    Io(ErrorKind),
    /// With an error of the service.
    Service,
    /// It succeeds, but the answer is lost.
    LostAnswer,
}

/// Memory that fails at first.
#[derive(Debug)]
struct Faulty {
    memory: InMemory,
    faults: Mutex<Vec<Fault>>,
}

impl Faulty {
    fn fault(&self) -> Option<Fault> {
        self.faults.lock().expect("no panic").pop()
    }

    fn error(fault: Fault) -> Error {
        let source = match fault {
            Fault::Io(kind) => io::Error::from(kind).into(),
            Fault::Service => "503 Slow Down".into(),
            Fault::LostAnswer => io::Error::from(ErrorKind::TimedOut).into(),
        };
        Error::Generic {
            store: "faulty",
            source,
        }
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("faulty")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(&self, path: &Path, data: PutPayload, opts: PutOptions) -> Result<PutResult> {
        match self.fault() {
            Some(fault @ Fault::LostAnswer) => {
                self.memory.put_opts(path, data, opts).await?;
                Err(Faulty::error(fault))
            }
            Some(fault) => Err(Faulty::error(fault)),
            None => self.memory.put_opts(path, data, opts).await,
        }
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        opts: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.memory.put_multipart_opts(path, opts).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        match self.fault() {
            Some(fault) => Err(Faulty::error(fault)),
            None => self.memory.get_opts(path, options).await,
        }
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.memory.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        match self.fault() {
            Some(fault) => Box::pin(futures::stream::once(
                async move { Err(Faulty::error(fault)) },
            )),
            None => self.memory.list(prefix),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.memory.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.memory.copy_opts(from, to, options).await
    }
}

/// A store whose first calls fail, a backoff of about 50 ms, and a count of repetitions.
fn faulty(faults: &[Fault]) -> (Store, Arc<AtomicUsize>) {
    let faults = Mutex::new(faults.iter().rev().copied().collect());
    let objects = Arc::new(Faulty {
        memory: InMemory::new(),
        faults,
    });
    let repeated = Arc::new(AtomicUsize::new(0));
    let count = repeated.clone();
    let backoff = Backoff {
        first: Duration::from_millis(1),
        longest: Duration::from_millis(4),
        total: Duration::from_millis(50),
    };
    let store = Store::over(objects, "faulty://".to_owned())
        .expect("opens")
        .with_backoff(backoff)
        .with_observer(move |retry| {
            assert!(retry.message.starts_with("cannot "), "{}", retry.message);
            count.fetch_add(1, Ordering::Relaxed);
        });
    (store, repeated)
}

#[test]
fn outages_are_waited_for() {
    let outage = [
        Fault::Service,
        Fault::Io(ErrorKind::ConnectionRefused),
        Fault::Service,
    ];
    let (store, repeated) = faulty(&[outage, outage, outage].concat());
    assert_eq!(store.create("a/b", "1").expect("in the end"), Created::New);
    assert_eq!(repeated.load(Ordering::Relaxed), 9);
    for call in 0..2 {
        let (store, repeated) = faulty(&outage);
        match call {
            0 => assert_eq!(store.read("a/b").expect("in the end"), None),
            _ => assert_eq!(store.list("a").expect("in the end"), [""; 0]),
        }
        assert_eq!(repeated.load(Ordering::Relaxed), 3);
    }
}

#[test]
fn an_outage_without_end_ends_the_call() {
    let (store, repeated) = faulty(&[Fault::Service; 1000]);
    let error = store.create("a/b", "1").expect_err("an outage");
    let expected = "cannot write faulty://a/b: Generic faulty error: 503 Slow Down";
    assert_eq!(error.to_string(), expected);
    assert!((12..50).contains(&repeated.load(Ordering::Relaxed)));
}

#[test]
fn a_lost_answer_is_no_lost_race() {
    let (store, _) = faulty(&[Fault::LostAnswer]);
    assert_eq!(
        store.create("a/b", "mine").expect("written at first"),
        Created::New
    );
    assert_eq!(
        store.create("a/b", "other").expect("no failure"),
        Created::AlreadyThere
    );
}

#[test]
fn full_disks_and_read_only_folders_end_at_once() {
    for (kind, cause) in [
        (ErrorKind::StorageFull, "no storage space"),
        (
            ErrorKind::ReadOnlyFilesystem,
            "read-only filesystem or storage medium",
        ),
        (ErrorKind::PermissionDenied, "permission denied"),
    ] {
        let (store, repeated) = faulty(&[Fault::Io(kind); 2]);
        let error = store.create("games/x", "1").expect_err("refused");
        assert!(matches!(
            error,
            RunError::Storage {
                action: "write",
                ..
            }
        ));
        assert_eq!(
            error.to_string(),
            format!("cannot write faulty://games/x: {cause}")
        );
        assert_eq!(repeated.load(Ordering::Relaxed), 0);
    }
}
