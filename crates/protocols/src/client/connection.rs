use std::time::Duration;

use outflank_rules::{Game, Ply};

use super::gtp::GtpConnection;
use super::nboard::NBoardConnection;
use super::process::Process;
use super::{ClientError, EngineDescription};
use crate::Protocol;

/// A running engine that has been greeted.
pub(super) enum Connection {
    Gtp(GtpConnection),
    NBoard(NBoardConnection),
}

/// What an engine answers when it is asked for a move, not yet checked.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) evaluation: Option<f64>,
}

impl Connection {
    pub(super) fn start(description: &EngineDescription) -> Result<Connection, ClientError> {
        let process = Process::start(description)?;
        Ok(match description.protocol {
            Protocol::Gtp => Connection::Gtp(GtpConnection::greet(process, description)?),
            Protocol::NBoard => Connection::NBoard(NBoardConnection::greet(process, description)?),
        })
    }

    pub(super) fn process(&self) -> &Process {
        match self {
            Connection::Gtp(connection) => connection.process(),
            Connection::NBoard(connection) => connection.process(),
        }
    }

    /// The name that the engine gives itself.
    pub(super) fn own_name(&self) -> &str {
        match self {
            Connection::Gtp(connection) => connection.own_name(),
            Connection::NBoard(connection) => connection.own_name(),
        }
    }

    /// Sets a game up from its start.
    pub(super) fn set_game(&mut self, game: &Game) -> Result<(), ClientError> {
        match self {
            Connection::Gtp(connection) => connection.set_game(game),
            Connection::NBoard(connection) => connection.set_game(game),
        }
    }

    /// Goes on with the game that it has.
    pub(super) fn play(&mut self, plies: &[Ply]) -> Result<(), ClientError> {
        match self {
            Connection::Gtp(connection) => connection.play(plies),
            Connection::NBoard(connection) => connection.play(plies),
        }
    }

    /// Asks for a move. A GTP engine has then made it, an NBoard engine has not.
    pub(super) fn choose(
        &mut self,
        game: &Game,
        left: Option<Duration>,
        timeout: Duration,
    ) -> Result<Answer, ClientError> {
        match self {
            Connection::Gtp(connection) => connection.choose(game, left, timeout),
            Connection::NBoard(connection) => connection.choose(timeout),
        }
    }

    pub(super) fn makes_its_moves(&self) -> bool {
        matches!(self, Connection::Gtp(_))
    }

    pub(super) fn quit(self) {
        match self {
            Connection::Gtp(connection) => connection.quit(),
            Connection::NBoard(connection) => connection.quit(),
        }
    }
}
