//! The games of matches as files for other programs.

use std::path::Path;

use anyhow::{Context, Result, bail};
use outflank_arena::{End, ForfeitKind, MatchResult, PlayedGame};
use outflank_formats::{AnnotatedGame, Ending, Format, GameResult, Tags};
use outflank_rules::Color;

use crate::output::Output;

/// A file of games in the format that its name says.
pub struct GameFile {
    output: Output,
    format: Format,
}

impl GameFile {
    /// Begins a file.
    pub fn begin(path: &Path) -> Result<GameFile> {
        let format = match Format::of_path(path) {
            Some(format) if format != Format::Wthor => format,
            _ => bail!(
                "{}: expected a name that ends in .ggf, .sgf or .txt for the games",
                path.display()
            ),
        };
        Ok(GameFile {
            output: Output::begin(path)?,
            format,
        })
    }

    /// Its place.
    pub fn path(&self) -> &Path {
        self.output.path()
    }

    /// Writes the games of matches, one after the other.
    pub fn finish(self, matches: &[MatchResult]) -> Result<()> {
        let mut text = String::new();
        for result in matches {
            for played in &result.games {
                let game = self
                    .format
                    .text(&annotated(played, result)?)
                    .with_context(|| format!("{}: a game", self.path().display()))?;
                text.push_str(&game);
                text.push('\n');
            }
        }
        self.output.finish(text.as_bytes())
    }
}

/// A game with the names of its players and its result.
fn annotated(played: &PlayedGame, result: &MatchResult) -> Result<AnnotatedGame> {
    let mut game = AnnotatedGame::from(played.replay()?);
    let [black, white] = [played.black, 1 - played.black];
    let mut tags = Tags {
        event: format!("Outflank arena, seed {}", result.seed),
        ..Tags::default()
    };
    tags.black.name = result.players[black].clone();
    tags.white.name = result.players[white].clone();
    tags.result = Some(match &played.end {
        End::Over => GameResult::Score {
            margin: f64::from(played.margin.unwrap_or(0)),
            ending: Ending::Played,
        },
        End::Forfeit { by, how, .. } => GameResult::Win {
            winner: match *by == black {
                true => Color::White,
                false => Color::Black,
            },
            ending: match how {
                ForfeitKind::TimeOut => Ending::TimeOut,
                _ => Ending::Forfeit,
            },
        },
    });
    game.tags = tags;
    Ok(game)
}
