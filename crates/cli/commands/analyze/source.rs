//! What is to be analyzed: a position or a game, named on the command line or in a file.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result, bail};
use outflank_formats::{AnnotatedGame, Format, ReadOptions, ggf, obf, sgf};
use outflank_rules::{Game, Position, Size};

/// The game: without a ply if it is a position. `number` chooses one of a file, from 1.
pub fn read(text: &str, size: Size, number: usize) -> Result<Game> {
    let game = find(text, size, number)?;
    let found = game.start().board.size();
    if found != size {
        bail!("the model plays on the {size} board; {text} is of {found}");
    }
    if game.plies().is_empty() && game.is_over() {
        bail!("the game is over there: neither player has a move");
    }
    Ok(game)
}

fn find(text: &str, size: Size, number: usize) -> Result<Game> {
    if number == 0 {
        bail!("--number is 0; expected 1 or more");
    }
    let path = Path::new(text);
    if path.is_file() {
        return from_file(path, size, number);
    }
    let start = Position::start(size);
    if text.trim().is_empty() {
        bail!("the game or position is empty; expected its moves, a file, or start");
    }
    if text == "start" {
        return Ok(Game::from_position(start));
    }
    if let Ok(position) = text.parse::<Position>() {
        return Ok(Game::from_position(position));
    }
    if text.trim_start().starts_with('(') {
        return from_tree(text);
    }
    Game::from_transcript(start, text).with_context(|| {
        format!("'{text}' is neither a file, nor start, nor a position, nor a game's moves")
    })
}

/// A game in GGF or SGF, which look alike: the number of the game, `GM`, is Othello's name in one
/// and 2 in the other.
fn from_tree(text: &str) -> Result<Game> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let game = match compact.contains("GM[2]") {
        true => first(sgf::read(text.as_bytes(), "SGF"))?,
        false => first(ggf::read(text.as_bytes(), "GGF"))?,
    };
    Ok(game.game().clone())
}

fn first(
    mut games: impl Iterator<Item = Result<AnnotatedGame, outflank_formats::Error>>,
) -> Result<AnnotatedGame> {
    Ok(games.next().context("there is no game in it")??)
}

fn from_file(path: &Path, size: Size, number: usize) -> Result<Game> {
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("{name}: cannot be read"))?;
    let input = BufReader::new(file);
    if path.extension().is_some_and(|extension| extension == "obf") {
        let mut positions = obf::read(input, &name);
        let record = positions.nth(number - 1);
        let record = record.with_context(|| format!("{name} has no position {number}"))??;
        return Ok(Game::from_position(record.position));
    }
    let format = Format::of_path(path).with_context(|| {
        format!("{name}: expected a name that ends in .ggf, .sgf, .wtb, .txt or .obf")
    })?;
    let options = ReadOptions {
        size,
        ..ReadOptions::default()
    };
    let mut games = format.read(input, &name, options)?;
    let game = games.nth(number - 1);
    let game = game.with_context(|| format!("{name} has no game {number}"))??;
    Ok(game.game().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_positions_are_told_apart() {
        let read = |text: &str| read(text, Size::Eight, 1);
        let plies = |text: &str| read(text).map(|game| game.plies().len());
        assert_eq!(plies("start").ok(), Some(0));
        assert_eq!(plies("f5d6c3").ok(), Some(3));
        let start = Position::start(Size::Eight).notation();
        assert_eq!(plies(&start).ok(), Some(0));
        let ggf = "(;GM[Othello]PB[a]PW[b]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- \
                   -------- -------- -------- *]B[F5]W[D6];)";
        assert_eq!(plies(ggf).ok(), Some(2), "{:?}", read(ggf));
        assert_eq!(plies("(;GM[2]SZ[8];B[f5];W[d6];B[c3])").ok(), Some(3));
        for bad in ["nowhere.ggf", "f5f5", "(;", ""] {
            let message = format!("{:#}", read(bad).expect_err(bad));
            assert!(!message.is_empty());
        }
        assert!(super::read("f5d6", Size::Six, 1).is_err());
    }
}
