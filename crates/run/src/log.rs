use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::key::{log_key, log_seq};
use crate::{ChunkKey, Created, FileRef, Name, Run, RunError};

/// One commit of a trainer: the model it made, and the games it took for that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogEntry {
    /// The number of the entry and of its model, from 0: the untrained network.
    pub seq: u64,
    /// Who made it: a name of this start of a process alone, see [`Name::unique`].
    pub trainer: Name,
    /// The model's files, as [`Run::put_model`] returned them.
    pub model: Vec<FileRef>,
    /// The chunks that count from here on, all of generation `seq - 1`.
    pub chunks: Vec<TakenChunk>,
    /// Sums over this and all earlier entries.
    pub totals: Totals,
}

/// A chunk that a trainer took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakenChunk {
    /// Which one.
    pub key: ChunkKey,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Games in it.
    pub games: u64,
    /// Positions in them that were searched.
    pub positions: u64,
}

/// Sums over the log so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Games taken.
    pub games: u64,
    /// Searched positions in them.
    pub positions: u64,
    /// Optimisation steps.
    pub steps: u64,
    /// Samples trained on, repetitions included.
    pub samples: u64,
}

/// What came of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Commit {
    /// The entry is in the log.
    Committed,
    /// Another trainer made the entry of this number. The loser has to stop, or to start over from
    /// the log as it is now.
    LostRace {
        /// Who made it.
        winner: Name,
    },
}

impl LogEntry {
    /// The entry that follows `before` (the first one after `None`), with the totals of games and
    /// positions added up.
    pub fn after(
        before: Option<&LogEntry>,
        trainer: Name,
        model: Vec<FileRef>,
        chunks: Vec<TakenChunk>,
        steps: u64,
        samples: u64,
    ) -> LogEntry {
        let mut totals = totals_with(before, &chunks);
        totals.steps += steps;
        totals.samples += samples;
        LogEntry {
            seq: next_seq(before),
            trainer,
            model,
            chunks,
            totals,
        }
    }

    /// What is wrong with an entry in itself: the invariant that no chunk is taken twice.
    fn flaw(&self) -> Option<String> {
        let mut keys = HashSet::new();
        for TakenChunk { key, .. } in &self.chunks {
            if key.generation.checked_add(1) != Some(self.seq) {
                return Some(format!("it takes {key}, which is of another generation"));
            }
            if !keys.insert(key) {
                return Some(format!("it takes {key} twice"));
            }
        }
        None
    }

    /// What is wrong with an entry as the one after `before`.
    fn flaw_after(&self, before: Option<&LogEntry>) -> Option<String> {
        let seq = next_seq(before);
        if self.seq != seq {
            return Some(format!("its number is {}, expected {seq}", self.seq));
        }
        let (totals, expected) = (self.totals, totals_with(before, &self.chunks));
        for (what, counted, expected) in [
            ("games", totals.games, expected.games),
            ("positions", totals.positions, expected.positions),
        ] {
            if counted != expected {
                return Some(format!("it counts {counted} {what}, expected {expected}"));
            }
        }
        if totals.steps < expected.steps || totals.samples < expected.samples {
            return Some("its steps or samples are fewer than before".to_owned());
        }
        self.flaw()
    }
}

/// The number of the entry after `before`.
fn next_seq(before: Option<&LogEntry>) -> u64 {
    before.map_or(0, |entry| entry.seq + 1)
}

/// The totals of `before` and the games and positions of these chunks. Saturating: the numbers may
/// come from a damaged file.
fn totals_with(before: Option<&LogEntry>, chunks: &[TakenChunk]) -> Totals {
    let mut totals = before.map(|entry| entry.totals).unwrap_or_default();
    for chunk in chunks {
        totals.games = totals.games.saturating_add(chunk.games);
        totals.positions = totals.positions.saturating_add(chunk.positions);
    }
    totals
}

impl Run {
    /// Appends an entry to the log. This is what makes its model the newest, and its chunks count;
    /// one of all trainers that try the same number succeeds.
    pub fn commit(&self, entry: &LogEntry) -> Result<Commit, RunError> {
        let refuse = |reason| {
            Err(RunError::Entry {
                seq: entry.seq,
                reason,
            })
        };
        let before = match entry.seq.checked_sub(1) {
            None => None,
            Some(seq) => Some(self.read_entry(seq)?),
        };
        if let Some(reason) = entry.flaw_after(before.as_ref()) {
            return refuse(reason);
        }
        match self.create_json(&log_key(entry.seq), entry)? {
            Created::New => Ok(Commit::Committed),
            Created::AlreadyThere => Ok(Commit::LostRace {
                winner: self.read_entry(entry.seq)?.trainer,
            }),
        }
    }

    /// One entry of the log; `None` if there is none of this number (yet).
    pub fn entry(&self, seq: u64) -> Result<Option<LogEntry>, RunError> {
        let bytes = self.store().read(&log_key(seq))?;
        bytes.map(|bytes| self.parse_entry(seq, &bytes)).transpose()
    }

    fn parse_entry(&self, seq: u64, bytes: &[u8]) -> Result<LogEntry, RunError> {
        let key = log_key(seq);
        let entry: LogEntry = self.parse_json(&key, bytes)?;
        let flaw = match entry.seq == seq {
            true => entry.flaw(),
            false => Some(format!("it says that it is entry {}", entry.seq)),
        };
        match flaw {
            None => Ok(entry),
            Some(reason) => Err(self.damaged(&key, reason)),
        }
    }

    /// The newest entry of the log; `None` before the first commit.
    pub fn latest(&self) -> Result<Option<LogEntry>, RunError> {
        match self.entries()?.checked_sub(1) {
            None => Ok(None),
            Some(seq) => self.read_entry(seq).map(Some),
        }
    }

    /// The newest entry of the log for one who knows an earlier one: single reads, where
    /// [`Run::latest`] lists a log that grows.
    pub fn latest_after(&self, known: LogEntry) -> Result<LogEntry, RunError> {
        let mut latest = known;
        while let Some(next) = self.entry(latest.seq + 1)? {
            latest = next;
        }
        Ok(latest)
    }

    /// The whole log in order, each entry checked against the one before.
    pub fn history(&self) -> Result<Vec<LogEntry>, RunError> {
        let keys: Vec<String> = (0..self.entries()?).map(log_key).collect();
        let mut history: Vec<LogEntry> = Vec::new();
        for (seq, bytes) in (0..).zip(self.store().read_all(&keys)?) {
            let bytes = bytes.ok_or_else(|| self.missing(&log_key(seq)))?;
            let entry = self.parse_entry(seq, &bytes)?;
            if let Some(reason) = entry.flaw_after(history.last()) {
                return Err(self.damaged(&log_key(seq), reason));
            }
            history.push(entry);
        }
        Ok(history)
    }

    /// The number of entries, which must be there from 0 without a gap.
    fn entries(&self) -> Result<u64, RunError> {
        let files = self.store().list("log")?;
        let mut seqs: Vec<u64> = files.iter().filter_map(|file| log_seq(file)).collect();
        seqs.sort_unstable();
        match (0..).zip(&seqs).find(|(expected, seq)| expected != *seq) {
            Some((seq, _)) => Err(self.missing(&log_key(seq))),
            None => Ok(seqs.len() as u64),
        }
    }

    /// One entry of the log that is there.
    pub fn read_entry(&self, seq: u64) -> Result<LogEntry, RunError> {
        self.entry(seq)?.ok_or_else(|| self.missing(&log_key(seq)))
    }
}
