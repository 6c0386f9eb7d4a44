//! Runs in memory and in folders, with small games.
#![allow(dead_code, reason = "not every test uses everything")]

use outflank_records::{
    Ending, GameRecord, PlyRecord, PolicyTarget, SearchKind, SearchRecord, chunk,
};
use outflank_rules::{Board, Color, Scoring, Size};
use outflank_run::{Backoff, ChunkKey, Location, LogEntry, Name, Run, Store};
use tempfile::TempDir;

pub fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

pub fn key(generation: u64, worker: &str, seq: u64) -> ChunkKey {
    ChunkKey {
        generation,
        worker: name(worker),
        seq,
    }
}

/// Every kind of store, empty, and the folder that one of them uses.
pub fn stores() -> (TempDir, Vec<Store>) {
    let folder = TempDir::new().expect("a temporary folder");
    let mut locations = vec![Location::Memory, Location::Folder(folder.path().into())];
    locations.extend(bucket());
    let stores = locations.iter().map(open).collect();
    (folder, stores)
}

fn open(location: &Location) -> Store {
    let store = Store::open(location).expect("opens");
    match location {
        // A server that has much to do is waited for.
        Location::Bucket { .. } => store,
        _ => store.with_backoff(Backoff::NONE),
    }
}

/// An empty place in the bucket that `OUTFLANK_TEST_BUCKET` names, see `scripts/check_buckets.sh`.
#[cfg(feature = "s3")]
fn bucket() -> Option<Location> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let bucket = std::env::var("OUTFLANK_TEST_BUCKET").expect("a URL, as tests of s3 need one");
    let place = NEXT.fetch_add(1, Ordering::Relaxed);
    let url = format!("{bucket}/{}-{place}", std::process::id());
    Some(url.parse().expect("a location"))
}

#[cfg(not(feature = "s3"))]
fn bucket() -> Option<Location> {
    None
}

/// A run in a folder, which lives as long as the first value.
pub fn folder_run() -> (TempDir, Run) {
    let folder = TempDir::new().expect("a temporary folder");
    let store = open(&Location::Folder(folder.path().into()));
    (folder, begin(store))
}

/// A run in an empty store.
pub fn begin(store: Store) -> Run {
    let run = Run::open_or_create(store).expect("an empty store");
    run.write_config("size = 4\n").expect("writes");
    run
}

/// A 4x4 game whose moves follow from the seed, every position searched.
pub fn game(seed: u64) -> GameRecord {
    let (mut board, mut to_move) = (Board::start(Size::Four), Color::Black);
    let mut plies = Vec::new();
    let mut state = seed;
    while !board.is_over() {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let moves: Vec<_> = board.moves().collect();
        let mv = moves[(state >> 33) as usize % moves.len()];
        let search = mv.square().map(|_| SearchRecord {
            kind: SearchKind::Full,
            policy: PolicyTarget::uniform(board.legal_moves()),
            value: 0.0,
            visits: 1,
            surprise: 0.0,
        });
        plies.push(PlyRecord { mv, search });
        board = board.apply(mv).expect("a legal move");
        to_move = !to_move;
    }
    let black_margin = (to_move.sign() * board.score(Scoring::Tournament)) as i8;
    GameRecord {
        size: Size::Four,
        seed,
        players: None,
        plies,
        ending: Ending::Played,
        black_margin,
    }
}

/// The bytes of a chunk of games with these seeds.
pub fn chunk_of(seeds: impl IntoIterator<Item = u64>) -> Vec<u8> {
    chunk::encode(&seeds.into_iter().map(game).collect::<Vec<_>>()).expect("small")
}

/// The entry after the run's latest that takes all chunks there are, with a small model already
/// put.
pub fn next_entry(run: &Run, trainer: &str) -> LogEntry {
    let before = run.latest().expect("a good log");
    let seq = before.as_ref().map_or(0, |entry| entry.seq + 1);
    let chunks = match seq {
        0 => Vec::new(),
        _ => {
            let keys = run.chunks(seq - 1).expect("lists");
            keys.iter()
                .map(|key| run.read_chunk(key).expect("good").0)
                .collect()
        }
    };
    let weights = format!("weights {seq} of {trainer}").into();
    let files = [(name("model.safetensors"), weights)];
    let model = run
        .put_model(seq, &name(trainer), files)
        .expect("a new model");
    LogEntry::after(before.as_ref(), name(trainer), model, chunks, 10, 100)
}
