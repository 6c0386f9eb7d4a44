use std::time::Instant;

use crate::{ChunkKey, Run, RunError};

/// Finds out when a generation is full, with few listings.
///
/// A worker that lists the generation after each of its chunks makes every listing dearer for all
/// others: with hundreds of workers the storage does little else. So it lists again when half of
/// the time has passed in which the generation would fill at its pace between the last two
/// listings: early on seldom, at the end after each chunk.
#[derive(Clone, Debug)]
pub struct Lookout {
    generation: u64,
    wanted: u64,
    /// The last listing after a chunk of one's own, and the chunks it found. The time before the
    /// first such chunk tells nothing: many games begin together.
    last: Option<(Instant, u64)>,
    /// Not to be listed again sooner.
    next: Instant,
}

impl Lookout {
    /// Begins with a first listing: the chunks that are there now. The generation is full when it
    /// holds `wanted`.
    pub fn begin(
        run: &Run,
        generation: u64,
        wanted: u64,
    ) -> Result<(Lookout, Vec<ChunkKey>), RunError> {
        let present = run.chunks(generation)?;
        let lookout = Lookout {
            generation,
            wanted,
            last: None,
            next: Instant::now(),
        };
        Ok((lookout, present))
    }

    /// Whether the generation is full, as far as that is known now. To be asked after each chunk
    /// that one has published.
    pub fn is_full(&mut self, run: &Run) -> Result<bool, RunError> {
        let generation = self.generation;
        self.is_full_at(Instant::now(), || Ok(run.chunks(generation)?.len() as u64))
    }

    /// Whether the generation is full, where `list` counts its chunks.
    fn is_full_at(
        &mut self,
        now: Instant,
        list: impl FnOnce() -> Result<u64, RunError>,
    ) -> Result<bool, RunError> {
        if now < self.next {
            return Ok(false);
        }
        let held = list()?;
        let left = self.wanted.saturating_sub(held);
        if let Some((before, had)) = self.last.replace((now, held)) {
            let gained = held.saturating_sub(had).max(1);
            self.next = now + (now - before).mul_f64(left as f64 / gained as f64 / 2.0);
        }
        Ok(left == 0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn at_a_steady_pace_few_listings_find_the_end_at_once() {
        let begin = Instant::now();
        let mut lookout = Lookout {
            generation: 0,
            wanted: 1000,
            last: None,
            next: begin,
        };
        let mut listings = 0;
        let full = (1..).find(|&held| {
            let now = begin + Duration::from_millis(100) * held as u32;
            let list = || {
                listings += 1;
                Ok(held)
            };
            lookout.is_full_at(now, list).expect("listed")
        });
        assert_eq!(full, Some(1000));
        assert!((5..20).contains(&listings), "{listings} listings");
    }
}
