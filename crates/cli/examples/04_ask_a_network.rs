//! A trained network (crate `net`): what it thinks of a position, alone and with a search.

use std::error::Error;
use std::path::Path;

use outflank_net::{CompiledNetwork, Model};
use outflank_rules::{Game, Position, Size};
use outflank_search::{Evaluator, SearchConfig, search};
use outflank_solver::Solver;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() -> Result<(), Box<dyn Error>> {
    // The network that comes with the program; a run keeps its own in RUN/models.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/cli/shipped/8x8.safetensors");
    let mut network = CompiledNetwork::new(&Model::load(&file)?.weights);

    let game = Game::from_transcript(Position::start(Size::Eight), "f5d6c3d3c4")?;
    let board = game.position().board;
    println!("{}", game.position());

    let mut evaluations = Vec::new();
    network.evaluate(&[board], &mut evaluations); // many boards at once are faster
    let evaluation = &evaluations[0];
    println!(
        "the network alone: value {:+.2}, {:+.1} discs",
        evaluation.value, evaluation.margin
    );
    let total: f32 = board
        .legal_moves()
        .into_iter()
        .map(|s| evaluation.policy[s.index()].exp())
        .sum();
    for square in board.legal_moves() {
        println!(
            "  {square} {:4.1} %",
            100.0 * evaluation.policy[square.index()].exp() / total
        );
    }

    let config = SearchConfig {
        simulations: 400,
        ..SearchConfig::default().without_noise()
    };
    let (mut solver, mut rng) = (Solver::new(1 << 20), ChaCha8Rng::seed_from_u64(1));
    let report = search(&board, &config, &mut network, &mut solver, &mut rng);
    let best = report.best.ok_or("the game is over")?;
    println!("with 400 simulations: {best}, value {:+.2}", report.value);
    Ok(())
}
