//! What is to be analyzed: a position or a game, named on the command line or in a file.

use std::ffi::OsStr;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result, bail};
use outflank_formats::{AnnotatedGame, Format, ReadOptions};
use outflank_rules::{Game, Position, Size};

use crate::position_files::PositionFile;
use crate::progress::say;

/// The game: without a ply if it is a position. `number` chooses one of several, from 1; without it
/// the first is taken, and said to be.
pub fn read(text: &OsStr, size: Size, number: Option<usize>) -> Result<Game> {
    let game = find(text, size, number)?;
    let found = game.start().board.size();
    if found != size {
        bail!(
            "the model plays on the {size} board; {} is of {found}",
            text.display()
        );
    }
    if game.plies().is_empty() && game.is_over() {
        bail!("the game is over there: neither player has a move");
    }
    Ok(game)
}

fn find(text: &OsStr, size: Size, number: Option<usize>) -> Result<Game> {
    if number == Some(0) {
        bail!("--number is 0; expected 1 or more");
    }
    let path = Path::new(text);
    if path.is_file() {
        return from_file(path, size, number);
    }
    let text = text.to_string_lossy();
    if text.trim_start().starts_with('(') {
        return from_tree(&text, number);
    }
    let start = Position::start(size);
    if text.trim().is_empty() {
        bail!("the game or position is empty; expected its moves, a file, or start");
    }
    let game = match &*text {
        "start" => Game::from_position(start),
        text => match text.parse::<Position>() {
            Ok(position) => Game::from_position(position),
            Err(_) => Game::from_transcript(start, text).with_context(|| {
                format!("'{text}' is neither a file, nor start, nor a position, nor a game's moves")
            })?,
        },
    };
    if let Some(number) = number.filter(|&number| number > 1) {
        bail!("--number is {number}, and '{text}' is one game or position; expected 1, or a file");
    }
    Ok(game)
}

/// A game in GGF or SGF, which look alike: the number of the game, `GM`, is Othello's name in one
/// and 2 in the other.
fn from_tree(text: &str, number: Option<usize>) -> Result<Game> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let format = match compact.contains("GM[2]") {
        true => Format::Sgf,
        false => Format::Ggf,
    };
    let games = format.read(text.as_bytes(), "the game", ReadOptions::default())?;
    numbered(games, number, "the text")
}

fn numbered(
    games: impl Iterator<Item = Result<AnnotatedGame, outflank_formats::Error>>,
    number: Option<usize>,
    name: &str,
) -> Result<Game> {
    let game = chosen(games, number, name, "game")??;
    Ok(game.game().clone())
}

/// The item of this number, from 1; without a number the first.
fn chosen<T>(
    mut items: impl Iterator<Item = T>,
    number: Option<usize>,
    name: &str,
    kind: &str,
) -> Result<T> {
    let at = number.unwrap_or(1);
    let item = items.nth(at - 1);
    let item = item.with_context(|| format!("{name} has no {kind} {at}"))?;
    if number.is_none() && items.next().is_some() {
        say(&format!(
            "{name}: this is {kind} 1; --number chooses another"
        ));
    }
    Ok(item)
}

fn from_file(path: &Path, size: Size, number: Option<usize>) -> Result<Game> {
    let name = path.display().to_string();
    let format = Format::of_path(path);
    // Positions are told by what is in the file: those in a .txt may be either.
    if matches!(format, None | Some(Format::Transcript)) {
        let file = PositionFile::read(path)?;
        if file.begins_with_position() || is_obf(path) {
            let case = chosen(file.cases()?.into_iter(), number, &name, "position")?;
            return Ok(Game::from_position(case.position));
        }
    }
    let format = format.with_context(|| {
        format!("{name}: expected positions, or games under a name that ends in .ggf, .sgf, .wtb or .txt")
    })?;
    let file = File::open(path).with_context(|| format!("{name}: cannot be read"))?;
    let options = ReadOptions {
        size,
        ..ReadOptions::default()
    };
    let games = format.read(BufReader::new(file), &name, options)?;
    numbered(games, number, &name)
}

fn is_obf(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("obf"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_positions_are_told_apart() {
        let read = |text: &str| read(text.as_ref(), Size::Eight, None);
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
        assert!(super::read("f5d6".as_ref(), Size::Six, None).is_err());
    }

    #[test]
    fn one_of_several_is_chosen_by_its_number() {
        let plies = |text: &str, number| {
            read(text.as_ref(), Size::Eight, Some(number)).map(|game| game.plies().len())
        };
        let two = "(;GM[2]SZ[8];B[f5])(;GM[2]SZ[8];B[f5];W[d6])";
        assert_eq!(plies(two, 2).ok(), Some(2));
        for text in [two, "f5d6c3", "start"] {
            let error = format!("{:#}", plies(text, 3).expect_err(text));
            assert!(error.contains('3'), "{error}");
        }
    }

    #[test]
    fn files_of_positions_are_known_by_their_content() {
        let folder = tempfile::tempdir().expect("a folder");
        let start = Position::start(Size::Eight).notation();
        for name in ["a.obf", "a.txt", "positions"] {
            let path = folder.path().join(name);
            let other = start.replace('X', "O");
            std::fs::write(&path, format!("% two\n{other}; D3:+0;\n\n{start} % last\n"))
                .expect("written");
            let game = read(path.as_os_str(), Size::Eight, Some(2));
            let game = game.unwrap_or_else(|error| panic!("{name}: {error:#}"));
            assert_eq!(game.start().notation(), start, "{name}");
            assert!(read(path.as_os_str(), Size::Eight, Some(3)).is_err());
        }
    }
}
