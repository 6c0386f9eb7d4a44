//! The whole loop in one screen: self-play, learning, again, on the 4x4 board.
//!
//! `outflank train` does the same with files that survive a crash (crates `run` and `train`).

use std::ops::ControlFlow;

use burn::tensor::Device;
use outflank_net::{Architecture, CompiledNetwork};
use outflank_records::{GameRecord, Window};
use outflank_rules::{Size, Symmetry};
use outflank_search::Evaluator;
use outflank_selfplay::{SelfplayConfig, play_games};
use outflank_train::{Batch, Trainer, TrainingConfig};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    let architecture = Architecture {
        size: Size::Four,
        blocks: 1,
        channels: 16,
        ..Architecture::default()
    };
    let mut selfplay = SelfplayConfig {
        opening_plies: [0, 4],
        solve_empties: 4,
        ..SelfplayConfig::default()
    };
    selfplay.search.simulations = 16;
    selfplay.search.leaf_solve_empties = 2;
    let training = TrainingConfig::default();

    let mut trainer = Trainer::new(&architecture, &training, 1, &Device::flex());
    let mut window = Window::new(20_000, training.kinds);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for generation in 0..8 {
        // The newest network plays against itself.
        let network = CompiledNetwork::new(trainer.average());
        let seeds: Vec<u64> = (0..100).map(|game| 100 * generation + game).collect();
        let mut games: Vec<Option<GameRecord>> = vec![None; seeds.len()];
        play_games(
            &selfplay,
            Size::Four,
            &seeds,
            &[],
            2,
            || network.clone(),
            |index, game| {
                games[index] = Some(game);
                ControlFlow::Continue(())
            },
        );
        for game in games.iter().flatten() {
            window.push(game).expect("self-play keeps to the rules");
        }
        // And learns from what happened.
        let mut loss = 0.0;
        for _ in 0..20 {
            let samples: Vec<_> = (0..64)
                .map(|_| {
                    let sample = window.sample(&mut rng).expect("there are games");
                    sample.transform(Symmetry::ALL[rng.random_range(0..8)])
                })
                .collect();
            let losses = trainer.step(&Batch::encode(&architecture, &samples, 1.0), 2e-3);
            loss += (losses.policy + losses.outcome) / 20.0;
        }
        println!(
            "generation {generation}: {} positions, loss {loss:.3}",
            window.len()
        );
    }

    // White wins the 4x4 board: what does the network say for Black, at the start?
    let mut evaluations = Vec::new();
    let start = outflank_rules::Board::start(Size::Four);
    CompiledNetwork::new(trainer.average()).evaluate(&[start], &mut evaluations);
    println!("the start is worth {:+.2} to Black", evaluations[0].value);
}
