//! Writes a model that has learned nothing, for tests of the page that need any.
//!
//! ```sh
//! cargo run --release -p outflank-web --example fresh_model -- model.safetensors
//! ```

use std::error::Error;

use outflank_net::{Architecture, Model, TrainingFacts, Weights};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("expected a file to write")?;
    let weights = Weights::init(Architecture::default(), &mut ChaCha8Rng::seed_from_u64(1));
    let facts = TrainingFacts::default();
    Ok(std::fs::write(path, Model { facts, weights }.to_bytes())?)
}
