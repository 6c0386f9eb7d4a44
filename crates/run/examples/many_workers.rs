//! How many workers can one run carry? Many pretended workers publish chunks, a pretended trainer
//! takes them, with nothing but the run's storage between them; nobody plays and nobody learns.
//!
//! ```sh
//! cargo run --release -p outflank-run --example many_workers -- LOCATION CHUNK.rec 1 8 64 512
//! ```
//!
//! `LOCATION` is an empty folder or place in a bucket, `CHUNK.rec` a chunk of real games. Each worker
//! has its own connections and publishes a chunk a second; a generation is four chunks a worker, at
//! least 16.

use std::collections::BTreeMap;
use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};

use outflank_run::{ChunkKey, Commit, Location, LogEntry, Lookout, Name, Run, Store, TakenChunk};

/// The time that a chunk would take to play.
const PLAY: Duration = Duration::from_secs(1);

/// Generations of a run; the first is not counted.
const GENERATIONS: u64 = 4;

/// Bytes of a model's two files: those of a network of 4 blocks and 32 channels.
const MODEL: [(&str, usize); 2] = [("model.safetensors", 400_000), ("state.bin", 1_200_000)];

/// What the trainer saw in the generations that count, as sums.
#[derive(Default)]
struct Seen {
    chunks: u64,
    late: u64,
    listings: u32,
    listing: Duration,
    reading: Duration,
    /// From the listing that found the generation full to the commit.
    closing: Duration,
    total: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [location, chunk, workers @ ..] = &arguments[..] else {
        return Err("expected LOCATION CHUNK.rec WORKERS...".into());
    };
    let chunk = std::fs::read(chunk)?;
    println!("workers  chunks/s offered  taken  late  listing ms  reading ms/chunk  closing s");
    for workers in workers {
        let workers: u64 = workers.parse()?;
        let place: Location = format!("{location}/{workers}").parse()?;
        let seen = simulate(&place, workers, &chunk)?;
        let seconds = seen.total.as_secs_f64();
        println!(
            "{workers:>7}  {:>16.1}  {:>5.1}  {:>4}  {:>10.1}  {:>16.2}  {:>9.2}",
            workers as f64 / PLAY.as_secs_f64(),
            seen.chunks as f64 / seconds,
            seen.late,
            1e3 * seen.listing.as_secs_f64() / f64::from(seen.listings),
            1e3 * seen.reading.as_secs_f64() / seen.chunks as f64,
            seen.closing.as_secs_f64() / (GENERATIONS - 1) as f64,
        );
    }
    Ok(())
}

fn simulate(place: &Location, workers: u64, chunk: &[u8]) -> Result<Seen, Box<dyn Error>> {
    let wanted = (4 * workers).max(16);
    let run = Run::open_or_create(Store::open(place)?)?;
    let mut entry = commit(&run, None, Vec::new())?;
    thread::scope(|scope| {
        for number in 0..workers {
            scope.spawn(move || work(place, number, wanted, chunk).expect("a worker's storage"));
        }
        let mut seen = Seen::default();
        while entry.seq < GENERATIONS {
            if entry.seq == 1 {
                seen = Seen::default();
            }
            entry = learn(&run, entry, wanted, &mut seen)?;
        }
        Ok(seen)
    })
}

/// A worker to the end of the run.
fn work(place: &Location, number: u64, wanted: u64, chunk: &[u8]) -> Result<(), Box<dyn Error>> {
    let run = Run::open(Store::open(place)?)?;
    let worker: Name = format!("w{number}").parse()?;
    let mut entry = run.latest()?.expect("the first model is there");
    while entry.seq < GENERATIONS {
        let (mut lookout, _) = Lookout::begin(&run, entry.seq, wanted)?;
        for seq in 0.. {
            // Not all at the same instant.
            let part = (number * 7 + seq * 3) % 11;
            thread::sleep(PLAY.mul_f64(0.5 + 0.1 * part as f64));
            let key = ChunkKey {
                generation: entry.seq,
                worker: worker.clone(),
                seq,
            };
            run.publish_chunk(&key, chunk.to_vec())?;
            if lookout.is_full(&run)? {
                break;
            }
        }
        let before = entry.seq;
        let since = Instant::now();
        while entry.seq == before {
            pause(since);
            entry = run.latest_after(entry)?;
        }
    }
    Ok(())
}

/// Gathers a generation and commits what came of it.
fn learn(
    run: &Run,
    entry: LogEntry,
    wanted: u64,
    seen: &mut Seen,
) -> Result<LogEntry, Box<dyn Error>> {
    let begin = Instant::now();
    let mut taken: BTreeMap<ChunkKey, TakenChunk> = BTreeMap::new();
    let full = loop {
        let listing = Instant::now();
        let mut keys = run.chunks(entry.seq)?;
        let full = keys.len() as u64 >= wanted;
        keys.retain(|key| !taken.contains_key(key));
        seen.listing += listing.elapsed();
        seen.listings += 1;
        let reading = Instant::now();
        let chunks = run.read_chunks(&keys)?.into_iter();
        taken.extend(chunks.map(|(chunk, _)| (chunk.key.clone(), chunk)));
        seen.reading += reading.elapsed();
        if full {
            break listing;
        }
        pause(begin);
    };
    seen.chunks += taken.len() as u64;
    let count = taken.len();
    let next = commit(run, Some(&entry), taken.into_values().collect())?;
    seen.closing += full.elapsed();
    seen.total += begin.elapsed();
    seen.late += (run.chunks(entry.seq)?.len() - count) as u64;
    Ok(next)
}

fn commit(
    run: &Run,
    before: Option<&LogEntry>,
    taken: Vec<TakenChunk>,
) -> Result<LogEntry, Box<dyn Error>> {
    let trainer = Name::unique("trainer")?;
    let seq = before.map_or(0, |entry| entry.seq + 1);
    let mut files = Vec::new();
    for (name, bytes) in MODEL {
        files.push((name.parse()?, vec![seq as u8; bytes].into()));
    }
    let model = run.put_model(seq, &trainer, files)?;
    let entry = LogEntry::after(before, trainer, model, taken, 1, 1);
    match run.commit(&entry)? {
        Commit::Committed => Ok(entry),
        Commit::LostRace { winner } => Err(format!("{winner} was there first").into()),
    }
}

/// The wait of the commands: a quarter of the time waited so far, from 0.1 to 5 seconds.
fn pause(since: Instant) {
    let bounds = (Duration::from_millis(100), Duration::from_secs(5));
    thread::sleep((since.elapsed() / 4).clamp(bounds.0, bounds.1));
}
