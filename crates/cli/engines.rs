//! Programs outside as players, from a list in a file.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use outflank_arena::{CrashPolicy, Player, PlayerError, PlayerFactory};
use outflank_protocols::{ClientError, EngineDescription, ExternalEngine, Protocol};
use outflank_rules::{Game, Move};
use serde::Deserialize;

use crate::toml_text::TomlText;

/// The programs that `engine:NAME` can name.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engines {
    /// What becomes of a game in which an engine crashes: `loss`, the default, or `replay`.
    #[serde(default)]
    pub crashes: CrashPolicy,
    /// The programs.
    #[serde(default, rename = "engine")]
    engines: Vec<EngineDescription>,
}

impl Engines {
    /// Reads a list; without a file it is empty.
    pub fn load(path: Option<&Path>) -> Result<Engines> {
        let Some(path) = path else {
            return Ok(Engines::default());
        };
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{}: cannot read the list of engines", path.display()))?;
        let engines: Engines = TomlText::new(&text, &path.display().to_string())?.read()?;
        for (place, engine) in engines.engines.iter().enumerate() {
            engine.check().with_context(|| path.display().to_string())?;
            if engines.engines[..place]
                .iter()
                .any(|other| other.name == engine.name)
            {
                bail!("{}: two engines are named {}", path.display(), engine.name);
            }
        }
        Ok(engines)
    }

    /// The engine of a name.
    pub fn find(&self, name: &str) -> Result<EnginePlayers> {
        let known = self.engines.iter().find(|engine| engine.name == name);
        let description = known.cloned().with_context(|| {
            let names: Vec<&str> = self
                .engines
                .iter()
                .map(|engine| engine.name.as_str())
                .collect();
            match names.is_empty() {
                true => "no engines are known; name a list of them with --engines".to_owned(),
                false => format!("the list has no engine {name}, only {}", names.join(", ")),
            }
        })?;
        Ok(EnginePlayers { description })
    }
}

/// Starts an engine for each thread that plays.
pub struct EnginePlayers {
    description: EngineDescription,
}

impl EnginePlayers {
    /// Whether it can only play games from the usual start: GTP has no command for others.
    pub fn needs_usual_start(&self) -> bool {
        self.description.protocol == Protocol::Gtp
    }
}

impl PlayerFactory for EnginePlayers {
    fn name(&self) -> String {
        self.description.name.clone()
    }

    fn make(&self) -> Result<Box<dyn Player>, PlayerError> {
        let mut engine = ExternalEngine::new(self.description.clone());
        engine
            .start()
            .map_err(|error| PlayerError::Crashed(error.to_string()))?;
        Ok(Box::new(EnginePlayer { engine, left: None }))
    }
}

/// A running engine.
struct EnginePlayer {
    engine: ExternalEngine,
    /// What is left on its clock in this game, if it has one.
    left: Option<Duration>,
}

impl Player for EnginePlayer {
    fn name(&self) -> &str {
        &self.engine.description().name
    }

    fn new_game(&mut self, _: &Game, _: u64) -> Result<(), PlayerError> {
        let seconds = self.engine.description().game_seconds;
        self.left = seconds.map(Duration::from_secs_f64);
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        let choice = match self.engine.choose(game, self.left) {
            Ok(choice) => choice,
            Err(error) => return answer_to(error),
        };
        if let Some(left) = &mut self.left {
            *left = left
                .checked_sub(choice.time)
                .ok_or(PlayerError::TimedOut(*left))?;
        }
        Ok(choice.mv)
    }
}

/// What the referee is told: an illegal move is for the referee to refuse.
fn answer_to(error: ClientError) -> Result<Move, PlayerError> {
    Err(match error {
        ClientError::IllegalMove { text, .. } => match text.trim().parse() {
            Ok(mv) => return Ok(mv),
            Err(_) => PlayerError::NotAMove(text),
        },
        ClientError::Timeout { timeout, .. } => PlayerError::TimedOut(timeout),
        ClientError::Resigned { .. } => PlayerError::NotAMove("resign".to_owned()),
        ClientError::Protocol { found, .. } => PlayerError::NotAMove(found),
        other => PlayerError::Crashed(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_file_and_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("engines.toml");
        let load = |text: &str| {
            std::fs::write(&path, text).expect("written");
            Engines::load(Some(&path))
        };
        let good = "crashes = \"replay\"\n[[engine]]\nname = \"a\"\ncommand = [\"x\"]\nprotocol = \"gtp\"\n";
        let engines = load(good).unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(engines.crashes, CrashPolicy::Replay);
        assert!(
            engines
                .find("a")
                .is_ok_and(|engine| engine.needs_usual_start())
        );
        assert!(engines.find("b").is_err());
        for (bad, part) in [
            (good.replace("command", "comand"), "comand"),
            (good.replace("gtp", "uci"), "uci"),
            (good.replace("[\"x\"]", "[]"), "command"),
            (
                good.replace("[\"x\"]", "\"x\""),
                ", line 4: engine.command is \"x\"; expected a list",
            ),
            (good.replace("replay", "ignore"), "ignore"),
            (format!("{good}move_seconds = -1\n"), "move_seconds"),
            (format!("{good}{}", &good[19..]), "two engines are named a"),
        ] {
            let message = match load(&bad) {
                Ok(_) => panic!("accepted: {bad}"),
                Err(error) => format!("{error:#}"),
            };
            assert!(
                message.contains("engines.toml") && message.contains(part),
                "{message}"
            );
        }
    }
}
