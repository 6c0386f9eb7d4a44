//! Games and positions as people pass them around.

use outflank_formats::{AnnotatedGame, Ending, GameResult, Player, WriteError, ggf, obf, sgf};
use outflank_rules::{Game, ParsePositionError, Passes, Position, Scoring, Size, TranscriptError};
use serde::{Deserialize, Serialize};

/// Text that holds neither a game nor a position.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is nothing in it.
    #[error(
        "there is nothing to read; expected a transcript such as f5d6c3, GGF, SGF, OBF or a position"
    )]
    Empty,
    /// It looks like a position.
    #[error(transparent)]
    Position(#[from] ParsePositionError),
    /// It looks like a game.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// It looks like GGF or SGF.
    #[error("{0}")]
    File(#[from] outflank_formats::Error),
    /// It looks like OBF.
    #[error(transparent)]
    Line(#[from] outflank_formats::Problem),
}

/// What was found in a text.
#[derive(Debug, Serialize)]
pub struct ReadGame {
    /// The position that the game began with.
    pub start: String,
    /// The moves, passes written as `pa`.
    pub moves: String,
    /// The names of the players, empty if not known, Black's first.
    pub players: [String; 2],
}

/// The formats that a game or its position can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The moves in a row.
    Transcript,
    /// The format of game servers.
    Ggf,
    /// The format of editors for many games.
    Sgf,
    /// The position after the last move, with a side to move.
    Position,
    /// The same as a line of OBF.
    Obf,
}

/// Reads a game or position in any format. `size` is the board of a transcript, which does not say.
pub fn read(text: &str, size: Size) -> Result<ReadGame, ReadError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ReadError::Empty);
    }
    if text.starts_with("(;") && text.contains("GM[Othello]") {
        return Ok(ReadGame::new(&ggf::parse(text)?));
    }
    if text.starts_with('(') {
        let first = sgf::read(text.as_bytes(), "SGF").next();
        return Ok(ReadGame::new(&first.ok_or(ReadError::Empty)??));
    }
    if text.contains(';') {
        let line = text.lines().next().unwrap_or_default();
        let position = obf::parse(line)?.position;
        return Ok(ReadGame::new(&AnnotatedGame::new(position)));
    }
    // Squares have digits, and positions have none.
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return Ok(ReadGame::new(&AnnotatedGame::new(text.parse()?)));
    }
    Ok(ReadGame::new(&replay(Position::start(size), text)?.into()))
}

/// The game of these moves.
pub(crate) fn replay(start: Position, moves: &str) -> Result<Game, TranscriptError> {
    Game::from_transcript(start, moves)
}

/// Writes a game, or the position that it has reached.
pub fn write(game: &Game, players: [&str; 2], format: Format) -> Result<String, WriteError> {
    let position = game.position();
    match format {
        Format::Position => Ok(position.notation()),
        Format::Obf => Ok(obf::format(&obf::ScoredPosition {
            position,
            scores: Vec::new(),
        })),
        Format::Transcript => outflank_formats::transcript::format(game),
        Format::Ggf => ggf::format(&annotated(game, players)),
        Format::Sgf => sgf::format(&annotated(game, players)),
    }
}

fn annotated(game: &Game, [black, white]: [&str; 2]) -> AnnotatedGame {
    let mut annotated = AnnotatedGame::from(game.clone());
    let player = |name: &str| Player {
        name: name.to_owned(),
        ..Player::default()
    };
    annotated.tags.black = player(black);
    annotated.tags.white = player(white);
    annotated.tags.result = game.is_over().then(|| GameResult::Score {
        margin: f64::from(game.score(Scoring::Tournament)),
        ending: Ending::Played,
    });
    annotated
}

impl ReadGame {
    fn new(annotated: &AnnotatedGame) -> ReadGame {
        let game = annotated.game();
        let tags = &annotated.tags;
        ReadGame {
            start: game.start().notation(),
            moves: game.transcript(Passes::Written),
            players: [&tags.black, &tags.white].map(|player| player.name.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn game(moves: &str) -> Game {
        Game::from_transcript(Position::start(Size::Eight), moves).expect("a game")
    }

    #[test]
    fn what_is_written_reads_back() {
        let game = game("f5d6c3d3c4f4f6");
        for format in [Format::Transcript, Format::Ggf, Format::Sgf] {
            let text = write(&game, ["one", "two"], format).expect("it can be written");
            let back = read(&text, Size::Eight).expect("it can be read");
            assert_eq!(
                (back.start.as_str(), back.moves.as_str()),
                (START, "f5d6c3d3c4f4f6")
            );
            if format != Format::Transcript {
                assert_eq!(back.players, ["one", "two"]);
            }
        }
        for format in [Format::Position, Format::Obf] {
            let text = write(&game, ["", ""], format).expect("it can be written");
            let back = read(&text, Size::Eight).expect("it can be read");
            assert_eq!(back.start, game.position().notation());
        }
    }

    #[test]
    fn errors_name_the_ply_or_the_place() {
        let message = |text: &str| read(text, Size::Eight).expect_err(text).to_string();
        assert!(
            message("f5d6a1").starts_with("ply 3, 'a1' at character 5"),
            "{}",
            message("f5d6a1")
        );
        assert!(message("--X-- x").contains("characters"));
        assert!(message(" ").contains("nothing to read"));
        assert!(
            message("(;GM[Othello]PB[a]BO[8 ").contains("GGF")
                || !message("(;GM[Othello]PB[a]BO[8 ").is_empty()
        );
    }
}
