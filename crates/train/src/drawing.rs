use std::time::Instant;

use outflank_records::{Sample, Window};
use outflank_rules::Symmetry;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::TrainingConfig;
use crate::reanalysis::{Reanalysed, Reanalyst, can_be_renewed};

/// Draws the samples of a lesson, batch by batch, and has some of them searched anew. Which ones
/// follows from the seed, the generation and the window alone.
pub(crate) struct Drawing<'a> {
    window: &'a Window,
    config: &'a TrainingConfig,
    /// So many of the oldest positions were there in the lesson before.
    seen: usize,
    reanalyst: Option<Reanalyst>,
    rng: ChaCha8Rng,
    reanalysed: Reanalysed,
}

impl<'a> Drawing<'a> {
    /// Begins a lesson with a window that is not empty.
    pub fn new(
        window: &'a Window,
        config: &'a TrainingConfig,
        seen: usize,
        reanalyst: Option<Reanalyst>,
        seed: u64,
        generation: u64,
    ) -> Drawing<'a> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(generation + 1);
        Drawing {
            window,
            config,
            seen,
            reanalyst,
            rng,
            reanalysed: Reanalysed::default(),
        }
    }

    /// The samples of the next step, each turned or mirrored.
    pub fn batch(&mut self) -> Vec<Sample> {
        let drawn = (0..self.config.batch_size).map(|_| self.draw());
        let (mut samples, seeds): (Vec<Sample>, Vec<Option<u64>>) = drawn.unzip();
        let Some(reanalyst) = &mut self.reanalyst else {
            return samples;
        };
        let begin = Instant::now();
        let due = samples.iter_mut().zip(seeds);
        let mut due: Vec<_> = due
            .filter_map(|(sample, seed)| Some((sample, seed?)))
            .collect();
        reanalyst.renew(&mut due);
        self.reanalysed.samples += due.len() as u64;
        self.reanalysed.time += begin.elapsed();
        samples
    }

    /// What was searched anew so far.
    pub fn reanalysed(&self) -> Reanalysed {
        self.reanalysed
    }

    /// One sample, and a seed if it is to be searched anew.
    fn draw(&mut self) -> (Sample, Option<u64>) {
        let index = self.rng.random_range(0..self.window.len());
        let sample = self.window.get(index).expect("the window is not empty");
        let is_old = self.reanalyst.is_some() && index < self.seen;
        let is_due = is_old
            && can_be_renewed(&sample)
            && self.rng.random::<f32>() < self.config.reanalysis.share;
        let seed = is_due.then(|| self.rng.random());
        let symmetry = Symmetry::ALL[self.rng.random_range(0..8)];
        (sample.transform(symmetry), seed)
    }
}
