use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use outflank_records::{ChunkError, GameRecord, chunk};
use outflank_rules::Size;
use outflank_run::{ChunkKey, Lookout, Name, Run, RunError};
use outflank_search::Evaluator;

use crate::{Effort, SelfplayConfig, play_games};

/// Between two looks whether the trainer has gone on to the next generation.
const LOOK: Duration = Duration::from_secs(5);

/// One generation's games: what to play, and as whom.
#[derive(Clone, Debug)]
pub struct GenerationPlan<'a> {
    /// How games are played.
    pub config: &'a SelfplayConfig,
    /// Games to branch from: those that the model of this generation was trained on last, so that
    /// all workers branch from the same.
    pub earlier: &'a [GameRecord],
    /// On which board.
    pub size: Size,
    /// The seed of the run; those of the games follow from it.
    pub seed: u64,
    /// The number of the model that plays.
    pub generation: u64,
    /// Chunks that the generation shall hold, from all workers together.
    pub chunks: u64,
    /// Games of one chunk.
    pub games_per_chunk: u64,
    /// The worker's name. Two that run at the same time need two names.
    pub worker: &'a Name,
    /// Threads to play on.
    pub threads: usize,
}

/// Why a generation could not be filled.
#[derive(Debug, thiserror::Error)]
pub enum GenerationError {
    /// The run's storage failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The games do not fit into a chunk.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
}

/// Plays games and publishes them in chunks until the generation holds as many chunks as planned,
/// those of other workers included. Started again after it was killed, it plays what is missing,
/// and the same games as if nothing had happened.
///
/// `progress` sees each finished game. What it returns may stop the play, and so does a next model:
/// chunks that are not finished are then dropped.
pub fn fill_generation<E: Evaluator>(
    run: &Run,
    plan: &GenerationPlan<'_>,
    evaluator: impl Fn() -> E + Sync,
    mut progress: impl FnMut(&GameRecord) -> ControlFlow<()>,
) -> Result<Effort, GenerationError> {
    let (mut lookout, present) = Lookout::begin(run, plan.generation, plan.chunks)?;
    let missing = plan.chunks.saturating_sub(present.len() as u64) as usize;
    let published = |seq: u64| {
        present
            .iter()
            .any(|key| key.worker == *plan.worker && key.seq == seq)
    };
    let seqs: Vec<u64> = (0..).filter(|&seq| !published(seq)).take(missing).collect();
    let seeds: Vec<u64> = seqs
        .iter()
        .flat_map(|&seq| (0..plan.games_per_chunk).map(move |game| plan.game_seed(seq, game)))
        .collect();

    let per_chunk = plan.games_per_chunk as usize;
    let mut chunks: Vec<Vec<Option<GameRecord>>> = vec![vec![None; per_chunk]; seqs.len()];
    let mut unfinished = vec![per_chunk; seqs.len()];
    let mut failure = None;
    let mut looked = Instant::now();
    let mut config = plan.config.clone();
    config.search.simulations = plan.config.simulations_at(plan.generation);
    let effort = play_games(
        &config,
        plan.size,
        &seeds,
        plan.earlier,
        plan.threads,
        evaluator,
        |index, game| {
            let flow = progress(&game);
            let at = index / per_chunk;
            chunks[at][index % per_chunk] = Some(game);
            unfinished[at] -= 1;
            let over = if unfinished[at] == 0 {
                let games = std::mem::take(&mut chunks[at]).into_iter().flatten();
                let published = plan.publish(run, seqs[at], &games.collect::<Vec<_>>());
                published.and_then(|()| Ok(lookout.is_full(run)?))
            } else if looked.elapsed() >= LOOK {
                looked = Instant::now();
                plan.is_over(run)
            } else {
                Ok(false)
            };
            match over {
                Ok(false) => flow,
                Ok(true) => ControlFlow::Break(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        },
    );
    match failure {
        Some(error) => Err(error),
        None => Ok(effort),
    }
}

impl GenerationPlan<'_> {
    fn publish(&self, run: &Run, seq: u64, games: &[GameRecord]) -> Result<(), GenerationError> {
        let key = ChunkKey {
            generation: self.generation,
            worker: self.worker.clone(),
            seq,
        };
        run.publish_chunk(&key, chunk::encode(games)?)?;
        Ok(())
    }

    /// Whether the next model is there: what is played from now on comes too late.
    fn is_over(&self, run: &Run) -> Result<bool, GenerationError> {
        Ok(run.entry(self.generation + 1)?.is_some())
    }

    /// The seed of a game: different for every run, generation, worker, chunk and game.
    fn game_seed(&self, seq: u64, game: u64) -> u64 {
        let worker = self
            .worker
            .as_str()
            .bytes()
            .fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
        [self.generation, worker, seq, game]
            .into_iter()
            .fold(mix(self.seed), |hash, part| mix(hash ^ part))
    }
}

/// The finaliser of SplitMix64 (Steele et al. 2014): a bijection that spreads every bit over all.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
