//! The rules (crate `rules`): a random game, and what there is to know about it.

use std::error::Error;

use outflank_rules::{Game, Move, Passes, Scoring, Size};
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

fn main() -> Result<(), Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut game = Game::new(Size::Eight); // or Size::Six, Size::Four
    while !game.is_over() {
        // A player without a move passes: a ply of its own.
        let square = game.legal_moves().into_iter().choose(&mut rng);
        game.play(square.map_or(Move::Pass, Move::Place))?;
    }
    println!("{}", game.position());
    println!("{}", game.transcript(Passes::Omitted));
    match game.winner() {
        Some(winner) => println!("{winner} wins"),
        None => println!("a draw"),
    }
    println!(
        "Black's margin: {:+} discs",
        game.score(Scoring::Tournament)
    );

    // The same game from its transcript.
    let again = Game::from_transcript(game.start(), &game.transcript(Passes::Omitted))?;
    assert_eq!(again, game);
    Ok(())
}
