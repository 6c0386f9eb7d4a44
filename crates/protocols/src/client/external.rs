use std::time::{Duration, Instant};

use outflank_rules::{Game, Move};

use super::connection::Connection;
use super::{ClientError, EngineDescription};

/// What an engine has beyond its clock before it is ended: the time of two pipes and a scheduler.
const BEYOND_CLOCK: Duration = Duration::from_secs(1);

/// An engine outside of this program.
///
/// After an error its program is ended; the next call starts it again.
pub struct ExternalEngine {
    description: EngineDescription,
    connection: Option<Connection>,
    /// The game that the program has on its board, if that is certain.
    known: Option<Game>,
    starts: u32,
}

/// The move that an engine has chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The move, legal.
    pub mv: Move,
    /// The final disc difference that it expects, from its own point of view, if it says so.
    pub evaluation: Option<f64>,
    /// The time from the question to the answer.
    pub time: Duration,
}

impl ExternalEngine {
    /// An engine that is not started yet.
    pub fn new(description: EngineDescription) -> ExternalEngine {
        ExternalEngine {
            description,
            connection: None,
            known: None,
            starts: 0,
        }
    }

    /// The description that it was made from.
    pub fn description(&self) -> &EngineDescription {
        &self.description
    }

    /// How often its program has been started: once, and once more after each failure.
    pub fn starts(&self) -> u32 {
        self.starts
    }

    /// The number of its process, if it runs.
    pub fn process_id(&self) -> Option<u32> {
        Some(self.connection.as_ref()?.process().id())
    }

    /// Starts the program, unless it runs, and returns the name that it gives itself.
    pub fn start(&mut self) -> Result<&str, ClientError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                self.known = None;
                self.starts += 1;
                Connection::start(&self.description)?
            }
        };
        Ok(self.connection.insert(connection).own_name())
    }

    /// Asks for a move in the current position of a game that is not over; a pass where there is no
    /// other. `left` is the time on its clock, if it has one.
    ///
    /// It fails if the answer does not come in time (a second after the end of the clock at the
    /// latest), or is not legal.
    pub fn choose(&mut self, game: &Game, left: Option<Duration>) -> Result<Choice, ClientError> {
        let result = self
            .start()
            .map(|_| ())
            .and_then(|()| self.try_choose(game, left));
        if result.is_err() {
            // Whatever it may still be doing, nothing of it is wanted any more.
            self.connection = None;
        }
        result
    }

    fn try_choose(&mut self, game: &Game, left: Option<Duration>) -> Result<Choice, ClientError> {
        let connection = self.connection.as_mut().expect("it was started");
        match self.known.take().and_then(|known| news(&known, game)) {
            Some(plies) if plies < game.plies().len() => {
                connection.play(&game.plies()[plies..])?;
            }
            Some(_) => {}
            None => connection.set_game(game)?,
        }

        let longest = self.description.move_timeout();
        let timeout = left.map_or(longest, |left| longest.min(left + BEYOND_CLOCK));
        let began = Instant::now();
        let answer = connection.choose(game, left, timeout)?;
        let time = began.elapsed();

        let engine = self.description.name.clone();
        let text = answer.text.trim();
        if text.eq_ignore_ascii_case("resign") {
            return Err(ClientError::Resigned { engine });
        }
        let mv: Move = text.parse().map_err(|_| ClientError::Protocol {
            engine: engine.clone(),
            command: "a request for a move".to_owned(),
            expected: "a move",
            found: text.to_owned(),
        })?;
        let mut after = game.clone();
        after.play(mv).map_err(|reason| ClientError::IllegalMove {
            engine,
            text: text.to_owned(),
            reason,
        })?;
        self.known = Some(if connection.makes_its_moves() {
            after
        } else {
            game.clone()
        });
        Ok(Choice {
            mv,
            evaluation: answer.evaluation,
            time,
        })
    }

    /// Ends the program, if it runs.
    pub fn quit(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.quit();
        }
    }
}

/// How many plies of a game are known, if all that is known is part of it.
fn news(known: &Game, game: &Game) -> Option<usize> {
    let plies = known.plies().len();
    let continues =
        known.start() == game.start() && game.plies().get(..plies) == Some(known.plies());
    continues.then_some(plies)
}
