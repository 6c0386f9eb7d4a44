//! `outflank play`: a game against a player in the terminal.

use std::io::{BufRead, Write};

use anyhow::{Context, Result, bail};
use outflank_rules::{Color, Game, Move, Scoring, Size};

use crate::args::{Play, Side};
use crate::engines::Engines;
use crate::messages::printable;
use crate::players::Named;

const COMMANDS: &str = "\
moves   list the legal moves
undo    take back your last move and the answer
score   count the discs
record  print the game as a transcript
quit    leave";

pub fn run(args: &Play) -> Result<()> {
    let name = args.opponent.display();
    let engines = Engines::load(args.engines.as_deref())?;
    let opponent = Named::parse_with(&args.opponent, args.simulations, &engines)?;
    let asked = args
        .board
        .map(Size::try_from)
        .transpose()
        .context("--board")?;
    if let (Some(own), Some(asked)) = (opponent.size(), asked)
        && own != asked
    {
        bail!("{name} plays on the {own} board; --board says {asked}");
    }
    let size = opponent.size().or(asked).unwrap_or_default();
    let human = match args.color {
        Side::Black => Color::Black,
        Side::White => Color::White,
    };
    let mut player = opponent.factory().make()?;
    let mut game = Game::new(size);
    player.new_game(&game, args.seed)?;
    println!(
        "You play {human} against {}. Type the square of your move, or help.",
        opponent.factory().name()
    );
    let mut lines = std::io::stdin().lock().split(b'\n');
    while !game.is_over() {
        let to_move = game.position().to_move;
        println!("\n{}", game.position());
        if game.must_pass() {
            println!("{to_move} has no move and passes.");
            game.play(Move::Pass)?;
        } else if to_move != human {
            let mv = player.choose(&game)?;
            game.play(mv)
                .with_context(|| format!("{} answered {mv}", opponent.factory().name()))?;
            println!("{to_move} plays {mv}.");
        } else if !human_turn(&mut game, &mut lines)? {
            return Ok(());
        }
    }
    println!("\n{}", game.position());
    report_end(&game);
    Ok(())
}

/// Asks for a move until one is played or taken back; false when the player leaves.
fn human_turn(
    game: &mut Game,
    lines: &mut impl Iterator<Item = std::io::Result<Vec<u8>>>,
) -> Result<bool> {
    loop {
        print!("{}> ", game.position().to_move);
        std::io::stdout().flush()?;
        let Some(line) = lines.next().transpose()? else {
            println!();
            return Ok(false);
        };
        match String::from_utf8_lossy(&line).trim() {
            "" => {}
            "quit" | "q" | "exit" => return Ok(false),
            "help" | "?" => {
                if let Some(mv) = game.legal_moves().next() {
                    println!("{mv}      play on {mv}, or on another square that is legal");
                }
                println!("{COMMANDS}");
            }
            "moves" => println!("{}", game.legal_moves()),
            "score" => println!("Black {:+}", game.score(Scoring::Plain)),
            "record" => println!("{}", game.transcript(outflank_rules::Passes::Written)),
            "undo" => {
                if take_back(game) {
                    return Ok(true);
                }
                println!("There is no move of yours to take back.");
            }
            text => match text.parse::<Move>() {
                Err(error) => {
                    println!("{}; help lists the commands", printable(&error.to_string()));
                }
                Ok(mv) => match game.play(mv) {
                    Ok(()) => return Ok(true),
                    Err(error) => println!("{error}; legal: {}", game.legal_moves()),
                },
            },
        }
    }
}

/// Undoes plies until the player's own last move is gone; false if there is none.
fn take_back(game: &mut Game) -> bool {
    let human = game.position().to_move;
    let own = |game: &Game| {
        game.plies()
            .iter()
            .rposition(|ply| ply.before.to_move == human && !ply.mv.is_pass())
    };
    let Some(index) = own(game) else { return false };
    while game.plies().len() > index {
        game.undo();
    }
    true
}

fn report_end(game: &Game) {
    let (plain, tournament) = (game.score(Scoring::Plain), game.score(Scoring::Tournament));
    match game.winner() {
        None => println!("A draw."),
        Some(winner) => println!(
            "{winner} wins by {} discs; by {} if the winner gets the empty squares.",
            plain.abs(),
            tournament.abs()
        ),
    }
    println!("{}", game.transcript(outflank_rules::Passes::Written));
}
