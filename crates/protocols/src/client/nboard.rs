use std::time::{Duration, Instant};

use outflank_rules::{Game, Ply};

use super::connection::Answer;
use super::process::Process;
use super::{ClientError, EngineDescription};
use crate::nboard::{Command, Message, MoveText};

/// A running engine that speaks the protocol of NBoard.
pub(super) struct NBoardConnection {
    process: Process,
    engine: String,
    own_name: String,
    reply_timeout: Duration,
    next_ping: i64,
}

impl NBoardConnection {
    pub(super) fn greet(
        process: Process,
        description: &EngineDescription,
    ) -> Result<NBoardConnection, ClientError> {
        let mut connection = NBoardConnection {
            process,
            engine: description.name.clone(),
            own_name: String::new(),
            reply_timeout: description.reply_timeout(),
            next_ping: 1,
        };
        connection.send(&Command::Version(2))?;
        for line in &description.init {
            connection.process.send(line)?;
        }
        if let Some(level) = description.level {
            connection.send(&Command::SetDepth(level))?;
        }
        connection.synchronise(description.start_timeout())?;
        Ok(connection)
    }

    pub(super) fn process(&self) -> &Process {
        &self.process
    }

    pub(super) fn own_name(&self) -> &str {
        &self.own_name
    }

    fn send(&mut self, command: &Command) -> Result<(), ClientError> {
        self.process.send(&command.to_string())
    }

    /// Waits until the engine has dealt with all that it was told.
    fn synchronise(&mut self, timeout: Duration) -> Result<(), ClientError> {
        let number = self.next_ping;
        self.next_ping += 1;
        let ping = Command::Ping(number);
        self.send(&ping)?;
        let since = Instant::now();
        loop {
            let line = self.process.receive(&ping.to_string(), since, timeout)?;
            // Moves and hints from before are not wanted any more.
            match Message::parse(&line) {
                Some(Ok(Message::Pong(pong))) if pong == number => return Ok(()),
                Some(Ok(Message::Name(name))) => self.own_name = name,
                _ => {}
            }
        }
    }

    pub(super) fn set_game(&mut self, game: &Game) -> Result<(), ClientError> {
        self.send(&Command::SetGame(Box::new(game.clone())))?;
        self.synchronise(self.reply_timeout)
    }

    pub(super) fn play(&mut self, plies: &[Ply]) -> Result<(), ClientError> {
        for ply in plies {
            let mv = MoveText {
                mv: ply.mv,
                evaluation: None,
                seconds: None,
            };
            self.send(&Command::Move(mv))?;
        }
        self.synchronise(self.reply_timeout)
    }

    pub(super) fn choose(&mut self, timeout: Duration) -> Result<Answer, ClientError> {
        let go = Command::Go.to_string();
        self.send(&Command::Go)?;
        let since = Instant::now();
        loop {
            let line = self.process.receive(&go, since, timeout)?;
            match Message::parse(&line) {
                Some(Ok(Message::Move(MoveText { mv, evaluation, .. }))) => {
                    return Ok(Answer {
                        text: mv.to_string(),
                        evaluation,
                    });
                }
                Some(Err(error)) if line.trim_start().starts_with("===") => {
                    return Err(ClientError::Protocol {
                        engine: self.engine.clone(),
                        command: go,
                        expected: error.expected,
                        found: line,
                    });
                }
                _ => {}
            }
        }
    }

    pub(super) fn quit(self) {
        self.process.quit();
    }
}
