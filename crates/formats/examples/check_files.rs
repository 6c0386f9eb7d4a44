//! Reads files of games and positions completely, and tells what is in them and what is wrong.
//!
//! ```text
//! cargo run --release -p outflank-formats --example check_files -- \
//!     WTH_2014.wtb=WTHOR.JOU,WTHOR.TRN games.ggf endgames.obf
//! ```

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::Instant;

use outflank_formats::wthor::{Directory, Kind, Names};
use outflank_formats::{Format, ReadOptions, obf};

fn open(path: &str) -> Result<BufReader<File>, Box<dyn Error>> {
    Ok(BufReader::new(
        File::open(path).map_err(|error| format!("{path}: {error}"))?,
    ))
}

fn main() -> Result<(), Box<dyn Error>> {
    for argument in std::env::args().skip(1) {
        let (path, names) = match argument.split_once('=') {
            Some((path, names)) => (path, read_names(names)?),
            None => (argument.as_str(), Names::default()),
        };
        match Format::of_path(Path::new(path)) {
            Some(format) => check_games(path, format, names)?,
            None => check_positions(path)?,
        }
    }
    Ok(())
}

fn read_names(paths: &str) -> Result<Names, Box<dyn Error>> {
    let (players, tournaments) = paths
        .split_once(',')
        .ok_or("expected PLAYERS,TOURNAMENTS")?;
    let players = Directory::read(open(players)?, players, Kind::Players)?;
    let tournaments = Directory::read(open(tournaments)?, tournaments, Kind::Tournaments)?;
    Ok(Names {
        players: players.names,
        tournaments: tournaments.names,
    })
}

fn check_games(path: &str, format: Format, names: Names) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let options = ReadOptions {
        skip_bad: true,
        names,
        ..ReadOptions::default()
    };
    let (mut games, mut over, mut with_pass, mut early, mut bad) = (0, 0, 0, 0, 0);
    let mut sample = None;
    for game in format.read(open(path)?, path, options)? {
        match game {
            Ok(game) => {
                games += 1;
                over += usize::from(game.game().is_over());
                let board = game.game().position().board;
                early += usize::from(board.is_over() && board.empties() > 0);
                with_pass += usize::from(game.plies().any(|(mv, _)| mv.is_pass()));
                sample = Some(game.tags);
            }
            Err(error) => {
                bad += 1;
                println!("{error}");
            }
        }
    }
    println!(
        "{path}: {games} games, {bad} bad records; {over} played out, {early} of them with empty \
         squares, {with_pass} with a pass; {:.0} ms",
        began.elapsed().as_secs_f64() * 1e3
    );
    if let Some(tags) = sample {
        let (black, white) = (&tags.black.name, &tags.white.name);
        println!(
            "    the last: {black} - {white}, {} {}, {:?}",
            tags.event, tags.date, tags.result
        );
    }
    Ok(())
}

fn check_positions(path: &str) -> Result<(), Box<dyn Error>> {
    let (mut positions, mut scores) = (0, 0);
    for record in obf::read(open(path)?, path).skip_bad(true) {
        match record {
            Ok(record) => {
                positions += 1;
                scores += record.scores.len();
            }
            Err(error) => println!("{error}"),
        }
    }
    println!("{path}: {positions} positions, {scores} scores of moves");
    Ok(())
}
