use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use outflank_records::GameRecord;
use serde::de::IgnoredAny;

use crate::prune::is_old;
use crate::{Folder, LogEntry, Name, Run, RunError};

/// What a run's files say when all that was committed is read again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// Entries of the log.
    pub entries: u64,
    /// Chunks taken.
    pub chunks: u64,
    /// Games in them.
    pub games: u64,
    /// Searched positions in them.
    pub positions: u64,
    /// Games in them that repeat an earlier one, seed and moves.
    pub repeated: u64,
    /// Chunks published but not taken by the entry that could have: they came too late. Those of
    /// the newest generation do not count; they are still to be taken.
    pub stale: u64,
    /// Files of models that [`Run::prune`] has deleted.
    pub pruned: u64,
    /// Measurements and matches.
    pub results: u64,
    /// What is wrong, one line each, naming the file.
    pub problems: Vec<String>,
}

impl Run {
    /// Reads everything that the log refers to and checks it: entries in order and their sums,
    /// chunks with the digests and counts of the log, every game by the rules, models whole. Reads
    /// the configuration, what waits for the next entry, and the results as well. An error only
    /// where the log itself cannot be read. That a file named `transient` is missing is no problem
    /// where [`Run::prunable`] would name it.
    pub fn audit(&self, transient: &[Name]) -> Result<Audit, RunError> {
        let history = self.history()?;
        let mut audit = Audit {
            entries: history.len() as u64,
            ..Audit::default()
        };
        audit
            .problems
            .extend(self.config().err().map(|error| error.to_string()));
        let mut seen = HashSet::new();
        for entry in &history {
            for file in &entry.model {
                match self.read_model(entry, &file.name) {
                    Ok(_) => {}
                    Err(RunError::Missing { .. })
                        if is_old(entry, &history) && transient.contains(&file.name) =>
                    {
                        audit.pruned += 1;
                    }
                    Err(error) => audit.problems.push(error.to_string()),
                }
            }
            audit.stale += self.stale(entry)?;
            let keys: Vec<_> = entry.chunks.iter().map(|c| c.key.to_string()).collect();
            for (chunk, bytes) in entry.chunks.iter().zip(self.store().read_all(&keys)?) {
                audit.chunks += 1;
                let found = self.decode_chunk(&chunk.key, bytes);
                match found.and_then(|found| self.check_taken(chunk, found)) {
                    Ok(games) => {
                        audit.games += chunk.games;
                        audit.positions += chunk.positions;
                        let path = self.store().path(&chunk.key.to_string());
                        audit.check_games(&path, &games, &mut seen);
                    }
                    Err(error) => audit.problems.push(error.to_string()),
                }
            }
        }
        let newest = history.last().map_or(0, |entry| entry.seq);
        for key in self.chunks(newest)? {
            audit
                .problems
                .extend(self.read_chunk(&key).err().map(|error| error.to_string()));
        }
        for folder in [Folder::Metrics, Folder::Matches] {
            for name in self.results(folder)? {
                audit.results += 1;
                let read = self.read_result::<IgnoredAny>(folder, &name);
                audit
                    .problems
                    .extend(read.err().map(|error| error.to_string()));
            }
        }
        Ok(audit)
    }

    /// Chunks of the generation before an entry that the entry did not take.
    fn stale(&self, entry: &LogEntry) -> Result<u64, RunError> {
        let Some(generation) = entry.seq.checked_sub(1) else {
            return Ok(0);
        };
        let taken: HashSet<_> = entry.chunks.iter().map(|chunk| &chunk.key).collect();
        let published = self.chunks(generation)?;
        Ok(published.iter().filter(|key| !taken.contains(key)).count() as u64)
    }
}

impl Audit {
    /// Checks the games of the chunk at `path`; `seen` holds the identities of all games before.
    fn check_games(&mut self, path: &str, games: &[GameRecord], seen: &mut HashSet<(u64, u64)>) {
        for (number, game) in (1..).zip(games) {
            if let Err(error) = game.verify() {
                self.problems
                    .push(format!("{path}: game {number}: {error}"));
            }
            let mut moves = DefaultHasher::new();
            game.plies.iter().for_each(|ply| ply.mv.hash(&mut moves));
            if !seen.insert((game.seed, moves.finish())) {
                self.repeated += 1;
            }
        }
    }
}
