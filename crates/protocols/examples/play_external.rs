//! Two engines outside play games against each other, with a few random plies at their start.
//!
//! ```text
//! cargo run --release -p outflank-protocols --example play_external -- GAMES \
//!     gtp /usr/games/gtp-rhino -b 0 -r 0 -l 1 -- nboard /path/to/engine
//! ```

use std::error::Error;
use std::time::Duration;

use outflank_protocols::{EngineDescription, ExternalEngine, Protocol};
use outflank_rules::{Color, Game, Scoring, Size};

/// Random plies at the start of each game.
const OPENING: usize = 6;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "expected GAMES, and two engines with -- between them";
    let (games, engines) = arguments.split_first().ok_or(usage)?;
    let mut engines = engines.splitn(2, |word| word == "--");
    let mut first = engine(engines.next().ok_or(usage)?)?;
    let mut second = engine(engines.next().ok_or(usage)?)?;
    println!("{} - {}", first.start()?.to_owned(), second.start()?);

    let (mut plies, mut passes, mut margin) = (0, 0, 0);
    let mut longest = Duration::ZERO;
    for number in 0..games.parse()? {
        let mut game = opening(number / 2);
        while !game.is_over() {
            // Each opening is played with both colours.
            let first_is_black = number % 2 == 0;
            let is_first = (game.position().to_move == Color::Black) == first_is_black;
            let player = if is_first { &mut first } else { &mut second };
            let choice = player.choose(&game, None)?;
            longest = longest.max(choice.time);
            passes += usize::from(choice.mv.is_pass());
            plies += 1;
            game.play(choice.mv)?;
        }
        let black = game.score(Scoring::Tournament);
        margin += if number % 2 == 0 { black } else { -black };
    }
    println!(
        "{games} games, {plies} plies chosen, {passes} of them passes, {margin:+} discs for the \
         first; the longest answer took {longest:.1?}; started {} and {} times",
        first.starts(),
        second.starts()
    );
    first.quit();
    second.quit();
    Ok(())
}

fn engine(words: &[String]) -> Result<ExternalEngine, Box<dyn Error>> {
    let (protocol, command) = words
        .split_first()
        .ok_or("expected nboard or gtp, and a program")?;
    let protocol = match protocol.as_str() {
        "nboard" => Protocol::NBoard,
        "gtp" => Protocol::Gtp,
        other => return Err(format!("expected nboard or gtp, found {other}").into()),
    };
    Ok(ExternalEngine::new(EngineDescription::new(
        "engine", protocol, command,
    )))
}

/// The same plies for the same number: each digit of a fixed scramble chooses one.
fn opening(number: u64) -> Game {
    let mut game = Game::new(Size::Eight);
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    for _ in 0..OPENING {
        let moves: Vec<_> = game.position().board.moves().collect();
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        game.play(moves[(state >> 33) as usize % moves.len()])
            .expect("it is one of the moves");
    }
    game
}
