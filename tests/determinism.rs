//! The same seed makes the same games and the same model, bit for bit, on any number of threads.

mod common;

use std::path::Path;

use common::{TINY, json, outflank};

/// An 8x8 network with all heads, whose batches are cut into shards for several threads, and whose old positions
/// are searched anew.
const WHOLE_BOARD: &str = r#"
name = "whole-board"
generations = 2
games_per_generation = 4
games_per_chunk = 2

[network]
size = 8
blocks = 1
channels = 32
reply_head = true
soft_policy_head = true

[selfplay]
solve_empties = 6
games_in_flight = 2

[selfplay.search]
simulations = 8

[training]
batch_size = 160
samples_per_position = 2.0

[training.reanalysis]
share = 0.3
simulations = 8

[tracking]
share = 0.0
"#;

/// What a run's log says of each generation: the digests of the chunks that it took, of the weights
/// and of the optimiser's state.
fn made(folder: &Path, run: &str) -> Vec<[serde_json::Value; 2]> {
    let entry =
        |seq: u64| std::fs::read_to_string(folder.join(run).join(format!("log/{seq:06}.json")));
    (0..)
        .map_while(|seq| entry(seq).ok())
        .map(|text| {
            let entry = json(&text);
            [entry["chunks"].clone(), entry["model"].clone()]
        })
        .collect()
}

#[test]
fn threads_change_neither_games_nor_models() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    for (board, config, precisions) in [
        ("small", TINY, &["f32", "int16", "int8"][..]),
        ("whole", WHOLE_BOARD, &["f32", "int16"]),
    ] {
        let mut different = Vec::new();
        for precision in precisions {
            let setting = format!("[selfplay]\nprecision = \"{precision}\"\n");
            let config = config.replace("[selfplay]\n", &setting);
            std::fs::write(folder.join("config.toml"), config).expect("written");
            let train = |threads: &str| {
                let run = format!("{board}-{precision}-{threads}");
                let mut train = ["train", "--config", "config.toml", "--no-rating"].to_vec();
                train.extend(["--run", &run, "--threads", threads]);
                // Self-play has threads of its own, learning those of rayon.
                let output = outflank(folder, &train)
                    .env("RAYON_NUM_THREADS", threads)
                    .output();
                let output = output.expect("the command can be started");
                assert!(
                    output.status.success(),
                    "{}",
                    String::from_utf8_lossy(&output.stderr)
                );
                made(folder, &run)
            };
            let alone = train("1");
            assert!(alone.len() > 2, "{alone:?}");
            for threads in ["2", "4"] {
                assert!(
                    train(threads) == alone,
                    "{board} board, {precision}, {threads} threads"
                );
            }
            assert!(!different.contains(&alone), "{precision} changes nothing");
            different.push(alone);
        }
    }
}
