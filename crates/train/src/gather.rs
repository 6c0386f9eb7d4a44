use std::collections::BTreeMap;

use outflank_records::GameRecord;
use outflank_run::{ChunkKey, Run, RunError, TakenChunk};

/// The chunks of one generation that were read so far.
#[derive(Default)]
pub(crate) struct Gathered {
    chunks: BTreeMap<ChunkKey, (TakenChunk, Vec<GameRecord>)>,
}

impl Gathered {
    /// Reads what has arrived of the generation since the last call, and counts all.
    pub fn read_more(&mut self, run: &Run, generation: u64) -> Result<u64, RunError> {
        let mut keys = run.chunks(generation)?;
        keys.retain(|key| !self.chunks.contains_key(key));
        let read = run.read_chunks(&keys)?;
        self.chunks.extend(keys.into_iter().zip(read));
        Ok(self.chunks.len() as u64)
    }

    /// Hands the chunks over, in order of worker and number whenever they came.
    pub fn take(&mut self) -> impl Iterator<Item = (TakenChunk, Vec<GameRecord>)> {
        std::mem::take(&mut self.chunks).into_values()
    }
}
