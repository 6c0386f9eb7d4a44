use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{ClientError, Protocol};

/// An engine outside of this program: how it is started and spoken to.
///
/// ```toml
/// name = "grhino 1"
/// command = ["/usr/games/gtp-rhino", "-b", "0", "-r", "0", "-l", "1"]
/// protocol = "gtp"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineDescription {
    /// The name to use for it in results.
    pub name: String,
    /// The program and its arguments. No shell is involved.
    pub command: Vec<String>,
    /// The protocol that it speaks then.
    pub protocol: Protocol,
    /// The folder to start it in; this program's own by default.
    #[serde(default)]
    pub directory: Option<PathBuf>,
    /// Lines to send once it has started, such as those that make it quiet. In GTP a refusal of one
    /// is an error; in NBoard no answer is expected.
    #[serde(default)]
    pub init: Vec<String>,
    /// The level to set: `set depth` in NBoard, the common but not standard `level` in GTP.
    #[serde(default)]
    pub level: Option<u32>,
    /// The time that it has for a game, in seconds, told by `time_settings` in GTP. NBoard has no
    /// such command.
    #[serde(default)]
    pub game_seconds: Option<f64>,
    /// How long it may take to start, in seconds; 30 by default.
    #[serde(default = "start_seconds")]
    pub start_seconds: f64,
    /// How long it may take to answer what needs no thinking, in seconds; 10 by default.
    #[serde(default = "reply_seconds")]
    pub reply_seconds: f64,
    /// How long it may think about one move, in seconds; 60 by default.
    #[serde(default = "move_seconds")]
    pub move_seconds: f64,
}

fn start_seconds() -> f64 {
    30.0
}

fn reply_seconds() -> f64 {
    10.0
}

fn move_seconds() -> f64 {
    60.0
}

impl EngineDescription {
    /// A description with all that is optional at its default.
    pub fn new(
        name: impl Into<String>,
        protocol: Protocol,
        command: impl IntoIterator<Item = impl Into<String>>,
    ) -> EngineDescription {
        EngineDescription {
            name: name.into(),
            command: command.into_iter().map(Into::into).collect(),
            protocol,
            directory: None,
            init: Vec::new(),
            level: None,
            game_seconds: None,
            start_seconds: start_seconds(),
            reply_seconds: reply_seconds(),
            move_seconds: move_seconds(),
        }
    }

    /// Whether an engine can be made of it.
    pub fn check(&self) -> Result<(), ClientError> {
        let wrong = |what: String| {
            Err(ClientError::Description {
                engine: self.name.clone(),
                what,
            })
        };
        if self.command.is_empty() {
            return wrong("command: expected a program and its arguments".to_owned());
        }
        if let Some(line) = self.init.iter().find(|line| line.contains(['\n', '\r'])) {
            return wrong(format!("init: expected one line each, found {line:?}"));
        }
        let game_seconds = self.game_seconds.unwrap_or(0.0);
        for (key, seconds) in [
            ("game_seconds", game_seconds),
            ("start_seconds", self.start_seconds),
            ("reply_seconds", self.reply_seconds),
            ("move_seconds", self.move_seconds),
        ] {
            // Longer waits than a year are no waits.
            if !(0.0..=3e7).contains(&seconds) {
                return wrong(format!(
                    "{key}: expected seconds, 0 to 3e7, found {seconds}"
                ));
            }
        }
        Ok(())
    }

    pub(super) fn start_timeout(&self) -> Duration {
        Duration::from_secs_f64(self.start_seconds)
    }

    pub(super) fn reply_timeout(&self) -> Duration {
        Duration::from_secs_f64(self.reply_seconds)
    }

    pub(super) fn move_timeout(&self) -> Duration {
        Duration::from_secs_f64(self.move_seconds)
    }
}
