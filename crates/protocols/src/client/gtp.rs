use std::time::{Duration, Instant};

use outflank_rules::{Game, Ply, Position};

use super::connection::Answer;
use super::process::Process;
use super::{ClientError, EngineDescription};
use crate::TimeControl;
use crate::gtp::{Command, Reply};

/// A running engine that speaks GTP.
pub(super) struct GtpConnection {
    process: Process,
    engine: String,
    own_name: String,
    known: Vec<String>,
    /// Whether it can be told of passes.
    hears_passes: bool,
    game_time: Option<Duration>,
    reply_timeout: Duration,
    next_id: u32,
}

impl GtpConnection {
    pub(super) fn greet(
        process: Process,
        description: &EngineDescription,
    ) -> Result<GtpConnection, ClientError> {
        let mut connection = GtpConnection {
            process,
            engine: description.name.clone(),
            own_name: String::new(),
            known: Vec::new(),
            hears_passes: true,
            game_time: description.game_seconds.map(Duration::from_secs_f64),
            reply_timeout: description.reply_timeout(),
            next_id: 1,
        };
        let start = description.start_timeout();
        connection.own_name = connection.ask(&Command::Name.to_string(), start)?;
        let commands = connection.tell(&Command::ListCommands)?;
        connection.known = commands.split_whitespace().map(str::to_owned).collect();
        for line in &description.init {
            connection.ask(line, connection.reply_timeout)?;
        }
        if let Some(level) = description.level {
            connection.tell(&Command::Level(level))?;
        }
        Ok(connection)
    }

    pub(super) fn process(&self) -> &Process {
        &self.process
    }

    pub(super) fn own_name(&self) -> &str {
        &self.own_name
    }

    fn tell(&mut self, command: &Command) -> Result<String, ClientError> {
        self.ask(&command.to_string(), self.reply_timeout)
    }

    /// Sends a command and waits for the answer to it.
    fn ask(&mut self, command: &str, timeout: Duration) -> Result<String, ClientError> {
        let id = self.next_id;
        self.next_id += 1;
        let since = Instant::now();
        self.process.send(&format!("{id} {command}"))?;
        // What stands between two answers is meant for people.
        let mut text = loop {
            let line = self.process.receive(command, since, timeout)?;
            if Reply::begins(&line) {
                break line;
            }
        };
        loop {
            let line = self.process.receive(command, since, timeout)?;
            if line.trim().is_empty() {
                break;
            }
            text.push('\n');
            text.push_str(&line);
        }
        // Some engines leave the number out.
        let reply = Reply::parse(&text).filter(|reply| reply.id.is_none_or(|found| found == id));
        match reply.map(|reply| reply.result) {
            Some(Ok(content)) => Ok(content),
            Some(Err(message)) => Err(ClientError::Refused {
                engine: self.engine.clone(),
                command: command.to_owned(),
                message,
            }),
            None => Err(ClientError::Protocol {
                engine: self.engine.clone(),
                command: command.to_owned(),
                expected: "an answer with the same number",
                found: text,
            }),
        }
    }

    fn knows(&self, name: &str) -> bool {
        self.known.iter().any(|known| known == name)
    }

    pub(super) fn set_game(&mut self, game: &Game) -> Result<(), ClientError> {
        let start = game.start();
        let size = start.board.size();
        if start != Position::start(size) {
            let what = "GTP has no command for another starting position".to_owned();
            return Err(ClientError::Unsupported {
                engine: self.engine.clone(),
                what,
            });
        }
        self.tell(&Command::BoardSize(size.side() as u32))?;
        self.tell(&Command::ClearBoard)?;
        if let Some(main) = self.game_time {
            self.tell(&Command::TimeSettings(TimeControl {
                main,
                period: Duration::ZERO,
                moves: 0,
            }))?;
        }
        self.play(game.plies())
    }

    pub(super) fn play(&mut self, plies: &[Ply]) -> Result<(), ClientError> {
        for ply in plies {
            if ply.mv.is_pass() && !self.hears_passes {
                continue;
            }
            match self.tell(&Command::Play(ply.player(), ply.mv)) {
                // Some engines know a pass as an answer, but not as a command. It was forced, so
                // the color of the next move tells them; if not, they refuse that one.
                Err(ClientError::Refused { .. }) if ply.mv.is_pass() => self.hears_passes = false,
                result => drop(result?),
            }
        }
        Ok(())
    }

    pub(super) fn choose(
        &mut self,
        game: &Game,
        left: Option<Duration>,
        timeout: Duration,
    ) -> Result<Answer, ClientError> {
        let color = game.position().to_move;
        if let Some(time) = left.filter(|_| self.knows("time_left")) {
            self.tell(&Command::TimeLeft {
                color,
                time,
                moves: 0,
            })?;
        }
        let text = self.ask(&Command::GenMove(color).to_string(), timeout)?;
        Ok(Answer {
            text,
            evaluation: None,
        })
    }

    pub(super) fn quit(self) {
        self.process.quit();
    }
}
