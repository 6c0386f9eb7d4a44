use std::io;

use outflank_rules::{Game, Move, Scoring, Size};

use super::desk::Desk;
use super::{Flow, Outcome, Session, first_size};
use crate::nboard::{Command, Message, MoveText};
use crate::{Depth, Line, Stop, Task, Thought};

/// The version of the protocol that is spoken.
const VERSION: u32 = 2;

pub(super) struct NBoardSession {
    name: String,
    level: Option<u32>,
    contempt: i32,
    game: Game,
    purpose: Purpose,
    /// Whether to think on the opponent's time.
    ponders: bool,
    /// Whether a move was chosen that the GUI has not sent back yet.
    chose: bool,
    /// Whether it is the opponent's time.
    may_ponder: bool,
}

/// What the engine thinks for.
enum Purpose {
    Nothing,
    /// A move; not wanted any more if the position has changed.
    Go {
        wanted: bool,
    },
    /// Evaluations; those shown last, and whether they are of the position after a forced pass.
    Hint {
        passed: bool,
        shown: Vec<Line>,
    },
    /// The evaluation of the position after so many plies, which is the next in a row that goes
    /// from the end of the game to its start.
    Analysis {
        ply: usize,
    },
}

impl NBoardSession {
    pub(super) fn new(
        name: &str,
        sizes: &[Size],
        level: Option<u32>,
        ponders: bool,
    ) -> NBoardSession {
        NBoardSession {
            name: name.split_whitespace().collect::<Vec<_>>().join("_"),
            level,
            contempt: 0,
            game: Game::new(first_size(sizes)),
            purpose: Purpose::Nothing,
            ponders,
            chose: false,
            may_ponder: false,
        }
    }

    fn task(&self, game: Game, lines: usize) -> Task {
        Task {
            game,
            lines,
            level: self.level,
            time: None,
            contempt: self.contempt,
            ponder: false,
            stop: Stop::default(),
        }
    }

    fn act(&mut self, command: Command, desk: &mut Desk) -> io::Result<Flow> {
        self.purpose = Purpose::Nothing;
        match command {
            Command::Version(version) => {
                say(desk, Message::Name(self.name.clone()))?;
                if version != VERSION {
                    status(desk, format!("this is version {VERSION}, not {version}"))?;
                }
            }
            Command::SetDepth(depth) => self.level = Some(depth),
            Command::SetContempt(contempt) => self.contempt = contempt,
            Command::SetGame(game) => {
                self.game = *game;
                (self.chose, self.may_ponder) = (false, false);
            }
            Command::Move(MoveText { mv, .. }) => {
                self.may_ponder = std::mem::take(&mut self.chose);
                if let Err(reason) = self.game.play(mv) {
                    status(desk, format!("error: move {mv}: {reason}"))?;
                }
            }
            Command::Go => {
                self.may_ponder = false;
                self.go(desk)?;
            }
            Command::Hint(lines) => self.hint(lines.max(1), desk)?,
            Command::Analyze => self.analyze(self.game.plies().len(), None, desk)?,
            Command::Ping(number) => say(desk, Message::Pong(number))?,
            Command::Learn => say(desk, Message::Learned)?,
            Command::Stop => {}
            Command::Quit => return Ok(Flow::Quit),
        }
        Ok(Flow::Continue)
    }

    fn go(&mut self, desk: &mut Desk) -> io::Result<()> {
        if self.game.is_over() {
            return status(desk, "error: go: the game is over".to_owned());
        }
        if self.game.must_pass() {
            self.chose = true;
            let pass = MoveText {
                mv: Move::Pass,
                evaluation: None,
                seconds: None,
            };
            return say(desk, Message::Move(pass));
        }
        self.purpose = Purpose::Go { wanted: true };
        desk.think(self.task(self.game.clone(), 1));
        Ok(())
    }

    fn hint(&mut self, lines: usize, desk: &mut Desk) -> io::Result<()> {
        if self.game.is_over() {
            return status(desk, "error: hint: the game is over".to_owned());
        }
        let mut game = self.game.clone();
        let passed = game.must_pass();
        if passed {
            game.play(Move::Pass)
                .expect("a player who must pass may pass");
        }
        self.purpose = Purpose::Hint {
            passed,
            shown: Vec::new(),
        };
        desk.think(self.task(game, lines));
        Ok(())
    }

    /// Analyses the positions up to the one after so many plies, the last first; `next` is the
    /// evaluation of the one behind it.
    fn analyze(&mut self, last: usize, mut next: Option<f64>, desk: &mut Desk) -> io::Result<()> {
        for ply in (0..=last).rev() {
            let mut game = self.game.clone();
            while game.plies().len() > ply {
                game.undo();
            }
            let board = game.position().board;
            let evaluation = if board.is_over() {
                Some(f64::from(board.score(Scoring::Tournament)))
            } else if board.must_pass() {
                next.map(|evaluation| -evaluation)
            } else {
                self.purpose = Purpose::Analysis { ply };
                desk.think(self.task(game, 1));
                return Ok(());
            };
            if let Some(evaluation) = evaluation {
                say(desk, Message::Analysis { ply, evaluation })?;
            }
            next = evaluation;
        }
        Ok(())
    }

    fn answer(&mut self, thought: &Thought, seconds: f64, desk: &mut Desk) -> io::Result<()> {
        let Some((mv, line)) = first_move(thought, &self.game) else {
            return status(desk, "error: the engine chose no legal move".to_owned());
        };
        self.chose = true;
        say(
            desk,
            Message::NodeStats {
                nodes: thought.nodes,
                seconds,
            },
        )?;
        let evaluation = Some(line.evaluation);
        say(
            desk,
            Message::Move(MoveText {
                mv,
                evaluation,
                seconds: Some(seconds),
            }),
        )
    }
}

impl Session for NBoardSession {
    fn interrupts(&mut self, line: &str) -> bool {
        let Some(Ok(command)) = Command::parse(line) else {
            return false;
        };
        match (&command, &mut self.purpose) {
            // Settings hold from the next task on.
            (Command::SetDepth(_) | Command::SetContempt(_) | Command::Learn, purpose) => {
                matches!(purpose, Purpose::Nothing)
            }
            (Command::Ping(_) | Command::Stop | Command::Quit, _) => true,
            (_, Purpose::Go { wanted }) => {
                *wanted = false;
                true
            }
            _ => true,
        }
    }

    fn line(&mut self, line: &str, desk: &mut Desk) -> io::Result<Flow> {
        match Command::parse(line) {
            None => Ok(Flow::Continue),
            Some(Ok(command)) => self.act(command, desk),
            Some(Err(error)) => {
                status(desk, format!("error: {error}"))?;
                Ok(Flow::Continue)
            }
        }
    }

    fn progress(&mut self, lines: &[Line], desk: &mut Desk) -> io::Result<()> {
        let Purpose::Hint { passed, shown } = &mut self.purpose else {
            return Ok(());
        };
        if shown != lines {
            *shown = lines.to_vec();
            for line in lines {
                let line = if *passed {
                    after_pass(line)
                } else {
                    line.clone()
                };
                say(desk, Message::Search(line))?;
            }
        }
        Ok(())
    }

    fn done(&mut self, outcome: Outcome, desk: &mut Desk) -> io::Result<()> {
        let thought = match outcome.result {
            Ok(thought) => thought,
            Err(error) => {
                self.purpose = Purpose::Nothing;
                return status(desk, format!("error: {error}"));
            }
        };
        match self.purpose {
            Purpose::Nothing => {
                // It goes on after lines that leave the position as it is.
                self.may_ponder = outcome.stopped;
                Ok(())
            }
            Purpose::Go { wanted: false } => Ok(()),
            Purpose::Go { wanted: true } => self.answer(&thought, outcome.time.as_secs_f64(), desk),
            Purpose::Hint { .. } => self.progress(&thought.lines, desk),
            Purpose::Analysis { .. } if outcome.stopped => Ok(()),
            Purpose::Analysis { ply } => {
                let evaluation = thought.lines.first().map(|line| line.evaluation);
                if let Some(evaluation) = evaluation {
                    say(desk, Message::Analysis { ply, evaluation })?;
                }
                match ply.checked_sub(1) {
                    Some(ply) => self.analyze(ply, evaluation, desk),
                    None => Ok(()),
                }
            }
        }
    }

    fn idle(&mut self, desk: &mut Desk) {
        let board = self.game.position().board;
        if self.ponders && self.may_ponder && !board.legal_moves().is_empty() {
            self.may_ponder = false;
            self.purpose = Purpose::Nothing;
            desk.think(Task {
                ponder: true,
                ..self.task(self.game.clone(), 1)
            });
        }
    }
}

fn say(desk: &mut Desk, message: Message) -> io::Result<()> {
    desk.say(&format!("{message}\n"))
}

fn status(desk: &mut Desk, text: String) -> io::Result<()> {
    say(desk, Message::Status(text.replace('\n', " ")))
}

/// The chosen move, if it is one.
pub(super) fn first_move<'a>(thought: &'a Thought, game: &Game) -> Option<(Move, &'a Line)> {
    let line = thought.lines.first()?;
    let mv = *line.moves.first()?;
    game.position().apply(mv).ok().map(|_| (mv, line))
}

/// A line of the position after a pass as one that begins with the pass.
fn after_pass(line: &Line) -> Line {
    let moves = [Move::Pass]
        .into_iter()
        .chain(line.moves.iter().copied())
        .collect();
    let depth = match line.depth {
        Depth::Plies(plies) => Depth::Plies(plies + 1),
        depth => depth,
    };
    Line {
        moves,
        evaluation: -line.evaluation,
        depth,
    }
}
