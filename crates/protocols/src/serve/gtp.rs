use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::Duration;

use outflank_formats::sgf;
use outflank_rules::{Color, Game, Move, Scoring, Size};

use super::desk::Desk;
use super::nboard::first_move;
use super::{Flow, Outcome, Session, first_size};
use crate::clock::Clock;
use crate::gtp::{Command, NAMES, Reply, Request};
use crate::{Line, Stop, Task, TimeControl};

pub(super) struct GtpSession {
    name: String,
    version: String,
    /// The boards that the engine plays on.
    sizes: Vec<Size>,
    level: Option<u32>,
    game: Game,
    /// The plies that are passes which the controller left out.
    left_out: Vec<usize>,
    control: Option<TimeControl>,
    black: Clock,
    white: Clock,
    pending: Option<Pending>,
    ponders: bool,
    may_ponder: bool,
}

/// A move that is being thought about.
struct Pending {
    id: Option<u32>,
    /// The game, with a pass of the other player if the controller left it out.
    game: Game,
    passed: bool,
    /// Whether to make the move.
    make: bool,
}

impl GtpSession {
    pub(super) fn new(
        name: String,
        version: String,
        sizes: Vec<Size>,
        level: Option<u32>,
        ponders: bool,
    ) -> GtpSession {
        GtpSession {
            name,
            version,
            level,
            game: Game::new(first_size(&sizes)),
            sizes,
            left_out: Vec::new(),
            control: None,
            black: Clock::default(),
            white: Clock::default(),
            pending: None,
            ponders,
            may_ponder: false,
        }
    }

    fn clock(&mut self, color: Color) -> &mut Clock {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    fn begin(&mut self, game: Game) {
        self.game = game;
        self.left_out.clear();
        self.may_ponder = false;
        let clock = self.control.map_or(Clock::default(), Clock::new);
        (self.black, self.white) = (clock, clock);
    }

    /// Answers a command that needs no thinking.
    fn answer(&mut self, command: &Command) -> Result<String, String> {
        let done = Ok(String::new());
        match command {
            Command::ProtocolVersion => Ok("2".to_owned()),
            Command::Name => Ok(self.name.clone()),
            Command::Version => Ok(self.version.clone()),
            Command::KnownCommand(name) => Ok(NAMES.contains(&name.as_str()).to_string()),
            Command::ListCommands => Ok(NAMES.join("\n")),
            Command::ListGames => Ok("Othello".to_owned()),
            Command::SetGame(name) if name.eq_ignore_ascii_case("othello") => done,
            Command::SetGame(name) => Err(format!("unknown game {name}")),
            Command::Quit | Command::Komi(_) => done,
            Command::BoardSize(side) => {
                let size = u8::try_from(*side)
                    .ok()
                    .and_then(|side| Size::try_from(side).ok())
                    .filter(|size| self.sizes.contains(size));
                self.begin(Game::new(size.ok_or("unacceptable size")?));
                done
            }
            Command::ClearBoard => {
                self.begin(Game::new(self.game.position().board.size()));
                done
            }
            Command::Play(color, mv) => self.play(*color, *mv).map(|()| String::new()),
            Command::Undo => self.undo().map(|()| String::new()),
            Command::TimeSettings(control) => {
                self.control = Some(*control);
                (self.black, self.white) = (Clock::new(*control), Clock::new(*control));
                done
            }
            Command::TimeLeft { color, time, moves } => {
                self.clock(*color).set(*time, *moves);
                done
            }
            Command::Level(level) => {
                self.level = Some(*level);
                done
            }
            Command::ShowBoard => Ok(self.game.position().to_string().trim_end().to_owned()),
            Command::FinalScore => self.final_score(),
            Command::LoadSgf(path, number) => {
                let game = load(path, *number).and_then(|game| self.of_known_size(game));
                self.begin(game.map_err(|error| format!("cannot load file: {error}"))?);
                done
            }
            Command::GenMove(_) | Command::RegGenMove(_) => {
                unreachable!("moves are thought about")
            }
        }
    }

    fn of_known_size(&self, game: Game) -> Result<Game, String> {
        let size = game.position().board.size();
        match self.sizes.contains(&size) {
            true => Ok(game),
            false => Err(format!("its board is {size}, an unacceptable size")),
        }
    }

    /// The game with this player to move, after a pass of the other one if that is forced; and
    /// whether there was one.
    fn turn_of(&self, color: Color) -> Result<(Game, bool), String> {
        let mut game = self.game.clone();
        if game.position().to_move == color {
            return Ok((game, false));
        }
        if !game.must_pass() {
            return Err(format!("it is {}'s turn", !color));
        }
        game.play(Move::Pass)
            .expect("a player who must pass may pass");
        Ok((game, true))
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), String> {
        // Controllers made for Go end a game by two passes.
        if self.game.is_over() && mv.is_pass() {
            return Ok(());
        }
        let illegal = |reason: String| format!("illegal move: {reason}");
        let (mut game, passed) = self.turn_of(color).map_err(illegal)?;
        game.play(mv)
            .map_err(|reason| illegal(reason.to_string()))?;
        self.accept(game, passed);
        Ok(())
    }

    /// Goes on with a game that is longer by one ply, and by a pass before it that was left out.
    fn accept(&mut self, game: Game, passed: bool) {
        if passed {
            self.left_out.push(game.plies().len() - 2);
        }
        self.game = game;
        self.may_ponder = false;
    }

    fn undo(&mut self) -> Result<(), String> {
        self.game.undo().ok_or("cannot undo")?;
        if self
            .left_out
            .last()
            .is_some_and(|ply| ply + 1 == self.game.plies().len())
        {
            self.left_out.pop();
            self.game.undo();
        }
        self.may_ponder = false;
        Ok(())
    }

    fn final_score(&self) -> Result<String, String> {
        if !self.game.is_over() {
            return Err("cannot score: the game is not over".to_owned());
        }
        Ok(match self.game.score(Scoring::Tournament) {
            0 => "0".to_owned(),
            score if score > 0 => format!("B+{score}"),
            score => format!("W+{}", -score),
        })
    }

    /// Chooses a move, at once if there is but one way.
    fn choose(
        &mut self,
        id: Option<u32>,
        color: Color,
        make: bool,
        desk: &mut Desk,
    ) -> io::Result<()> {
        let pass = || Ok(Move::Pass.to_string());
        if self.game.is_over() {
            return respond(desk, id, pass());
        }
        let (mut game, passed) = match self.turn_of(color) {
            Ok(turn) => turn,
            Err(error) => return respond(desk, id, Err(error)),
        };
        if game.must_pass() {
            if make {
                game.play(Move::Pass)
                    .expect("a player who must pass may pass");
                self.accept(game, passed);
            }
            return respond(desk, id, pass());
        }
        let empties = game.position().board.empties();
        let time = self.clock(color).share(empties);
        let task = self.task(game.clone(), time);
        self.pending = Some(Pending {
            id,
            game,
            passed,
            make,
        });
        desk.think(task);
        Ok(())
    }

    fn task(&self, game: Game, time: Option<Duration>) -> Task {
        let stop = Stop::default();
        Task {
            game,
            lines: 1,
            level: self.level,
            time,
            contempt: 0,
            ponder: false,
            stop,
        }
    }
}

impl Session for GtpSession {
    fn interrupts(&mut self, line: &str) -> bool {
        // How GoGui asks for the move at once.
        if line.trim() == "# interrupt" {
            return true;
        }
        let Some(request) = Request::parse(line) else {
            return false;
        };
        let Ok(Request { command, .. }) = request else {
            return self.pending.is_none();
        };
        use Command::{BoardSize, ClearBoard, LoadSgf, Quit};
        let is_end_of_game = matches!(command, Quit | ClearBoard | BoardSize(_) | LoadSgf(..));
        is_end_of_game || self.pending.is_none()
    }

    fn line(&mut self, line: &str, desk: &mut Desk) -> io::Result<Flow> {
        let Some(request) = Request::parse(line) else {
            return Ok(Flow::Continue);
        };
        let Request { id, command } = match request {
            Ok(request) => request,
            Err(error) => {
                respond(desk, error.id, Err(error.to_string()))?;
                return Ok(Flow::Continue);
            }
        };
        match command {
            Command::GenMove(color) => self.choose(id, color, true, desk)?,
            Command::RegGenMove(color) => self.choose(id, color, false, desk)?,
            _ => {
                let result = self.answer(&command);
                respond(desk, id, result)?;
            }
        }
        Ok(if command == Command::Quit {
            Flow::Quit
        } else {
            Flow::Continue
        })
    }

    fn progress(&mut self, _: &[Line], _: &mut Desk) -> io::Result<()> {
        Ok(())
    }

    fn done(&mut self, outcome: Outcome, desk: &mut Desk) -> io::Result<()> {
        // Thoughts on the opponent's time are the engine's own affair.
        let Some(Pending {
            id,
            mut game,
            passed,
            make,
        }) = self.pending.take()
        else {
            // They go on after commands that leave the position as it is.
            self.may_ponder = outcome.stopped;
            return Ok(());
        };
        let thought = match outcome.result {
            Ok(thought) => thought,
            Err(error) => return respond(desk, id, Err(error.to_string())),
        };
        let Some((mv, _)) = first_move(&thought, &game) else {
            return respond(desk, id, Err("the engine chose no legal move".to_owned()));
        };
        if make {
            self.clock(game.position().to_move).spend(outcome.time);
            game.play(mv).expect("the move was found legal");
            self.accept(game, passed);
            self.may_ponder = true;
        }
        respond(desk, id, Ok(mv.to_string()))
    }

    fn idle(&mut self, desk: &mut Desk) {
        if self.ponders && self.may_ponder && !self.game.legal_moves().is_empty() {
            self.may_ponder = false;
            desk.think(Task {
                ponder: true,
                ..self.task(self.game.clone(), None)
            });
        }
    }
}

fn respond(desk: &mut Desk, id: Option<u32>, result: Result<String, String>) -> io::Result<()> {
    desk.say(&Reply { id, result }.to_string())
}

/// The first game of an SGF file, up to before the move of this number, counted from 1.
fn load(path: &Path, number: Option<u32>) -> Result<Game, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let name = path.display().to_string();
    let first = sgf::read(BufReader::new(file), &name).next();
    let game = first
        .ok_or("no game in it")?
        .map_err(|error| error.to_string())?;
    let mut game = Game::from(game);
    while number.is_some_and(|number| game.plies().len() as u64 >= u64::from(number.max(1))) {
        game.undo();
    }
    Ok(game)
}
