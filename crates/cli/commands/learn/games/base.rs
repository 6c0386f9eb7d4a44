//! The games of files, split in two parts: one becomes chunks of the run, one stays in memory to be
//! examined on.

use anyhow::{Result, bail};
use outflank_records::{Ending, GameRecord, chunk};
use outflank_rules::{Board, Color, Size};
use outflank_run::{ChunkKey, Created, Folder, Name};
use outflank_selfplay::{SelfplayConfig, solve_ending};
use outflank_solver::Solver;
use outflank_train::{imitate, is_held_out};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::args::Learn;
use crate::commands::loops::Training;
use crate::game_files::{Item, Verdict, read_all};
use crate::game_records::to_record;
use crate::progress::bar;

/// Games of one file of the run.
const GAMES_PER_CHUNK: usize = 500;

/// Where the run keeps what it learns from.
const NAME: &str = "games";

/// The solver's memory, for each thread.
const TABLE_BYTES: usize = 1 << 20;

/// The games to learn from, which are in the run, and the others.
pub struct Base {
    pub facts: Facts,
    /// The held-out games, ready to be examined on.
    pub held_out: Vec<GameRecord>,
}

/// What a run learns from. A run that goes on must be given the same games again.
#[derive(PartialEq, Serialize, Deserialize)]
pub struct Facts {
    pub training: u64,
    pub held_out: u64,
    pub left_out: u64,
    /// The share of the games that was to be held out.
    share: f64,
    /// Of all moves and results, in order.
    sha256: String,
}

impl Base {
    /// Reads the files, and publishes the games to learn from unless that is done already.
    pub fn read(training: &Training, args: &Learn) -> Result<Base> {
        let (run, name) = (&training.run, NAME.parse::<Name>()?);
        let known = run.results(Folder::Metrics)?.contains(&name);
        if !known && run.latest()?.is_some() {
            bail!(
                "{} holds a run that does not learn from files of games; take another --run",
                args.run
            );
        }
        let size = training.settings.network.size;
        let seed = training.settings.seed;
        let mut publisher = (!known).then(|| Publisher::new(training));
        let mut held_out = Vec::new();
        let mut everything = Vec::new();
        let bar = bar(0, "reading", "games");
        let tally = read_all(&args.games, &args.reading, size, |item| {
            let mut game = match record(item, size) {
                Ok(game) => game,
                Err(reason) => return Ok(Verdict::Refused(reason)),
            };
            let squares = game.plies.iter().map(|ply| ply.mv.square());
            everything.extend(squares.map(|square| square.map_or(64, |s| s.index() as u8)));
            everything.extend([u8::MAX, game.black_margin as u8]);
            if is_held_out(&game, args.held_out, seed) {
                imitate(&mut game);
                held_out.push(game);
            } else if let Some(publisher) = &mut publisher {
                publisher.push(game)?;
            }
            bar.inc(1);
            Ok(Verdict::Taken)
        })?;
        bar.finish_and_clear();
        let facts = Facts {
            training: tally.taken - held_out.len() as u64,
            held_out: held_out.len() as u64,
            left_out: tally.skipped,
            share: args.held_out,
            sha256: chunk::digest(&everything),
        };
        if facts.training == 0 {
            bail!("there are no games to learn from");
        }
        if let Some(publisher) = publisher {
            publisher.finish()?;
            run.put_result(Folder::Metrics, &name, &facts)?;
        }
        let kept: Facts = run.read_result(Folder::Metrics, &name)?;
        if kept != facts {
            bail!(
                "{} learns from {} games and is examined on {}, and other games or another \
                 --held-out were given; take another --run",
                args.run,
                kept.training,
                kept.held_out
            );
        }
        Ok(Base { facts, held_out })
    }
}

/// An item as a game to learn from, or why it is none.
fn record(item: Item, size: Size) -> Result<GameRecord, String> {
    let record = match item {
        Item::Record(record) => record,
        Item::Game(game) => to_record(&game)?,
        Item::Position(_) => return Err("a position is no game".to_owned()),
    };
    match record.size {
        found if found != size => Err(format!(
            "it is of the {found} board, and the network's is {size}"
        )),
        _ if record.plies.is_empty() => Err("it has no moves".to_owned()),
        _ => Ok(record),
    }
}

/// Publishes games as the chunks of generation 0.
struct Publisher<'a> {
    training: &'a Training,
    games: Vec<GameRecord>,
    chunks: u64,
}

impl<'a> Publisher<'a> {
    fn new(training: &'a Training) -> Publisher<'a> {
        Publisher {
            training,
            games: Vec::new(),
            chunks: 0,
        }
    }

    fn push(&mut self, game: GameRecord) -> Result<()> {
        self.games.push(game);
        if self.games.len() == GAMES_PER_CHUNK {
            self.publish()?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        if !self.games.is_empty() {
            self.publish()?;
        }
        if self.training.run.chunks(0)?.len() as u64 != self.chunks {
            bail!(
                "the run has more games than the files: it was begun with others; take another --run"
            );
        }
        Ok(())
    }

    fn publish(&mut self) -> Result<()> {
        let Training {
            run,
            settings,
            threads,
            ..
        } = self.training;
        let share = self.games.len().div_ceil(*threads);
        let first = self.chunks * GAMES_PER_CHUNK as u64;
        std::thread::scope(|scope| {
            for (part, games) in self.games.chunks_mut(share).enumerate() {
                let number = first + (part * share) as u64;
                scope.spawn(move || {
                    let mut solver = Solver::new(TABLE_BYTES);
                    for (game, number) in games.iter_mut().zip(number..) {
                        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
                        rng.set_stream(number);
                        prepare(game, &settings.selfplay, &mut solver, &mut rng);
                    }
                });
            }
        });
        let key = ChunkKey {
            generation: 0,
            worker: NAME.parse()?,
            seq: self.chunks,
        };
        let bytes = chunk::encode(&self.games)?;
        let digest = chunk::digest(&bytes);
        // An earlier start may have come so far.
        if run.publish_chunk(&key, bytes)? == Created::AlreadyThere
            && run.read_chunk(&key)?.0.sha256 != digest
        {
            bail!("{key} has other games: the run was begun with others; take another --run");
        }
        self.chunks += 1;
        self.games.clear();
        Ok(())
    }
}

/// Gives a game its targets. The end is replaced by perfect play from where self-play would solve
/// it: what happened there in truth teaches mistakes.
fn prepare(
    game: &mut GameRecord,
    config: &SelfplayConfig,
    solver: &mut Solver,
    rng: &mut ChaCha8Rng,
) {
    let mut ending = Vec::new();
    if game.searched_plies() == 0
        && let Some((plies, board)) = solvable(game, config.solve_empties)
    {
        let (score, line) = solve_ending(board, config.solved_line_empties, solver, rng);
        let mover = match plies % 2 {
            0 => Color::Black,
            _ => Color::White,
        };
        game.plies.truncate(plies);
        game.black_margin = (mover.sign() * score) as i8;
        game.ending = Ending::Solved;
        ending = line;
    }
    imitate(game);
    game.plies.extend(ending);
}

/// The first position of a game with so few empty squares, and the plies before it.
fn solvable(game: &GameRecord, empties: u32) -> Option<(usize, Board)> {
    let mut replay = game.replay();
    let found = |ply, board: Board| {
        (board.empties() <= empties && !board.is_over()).then_some((ply, board))
    };
    for step in replay.by_ref() {
        let step = step.expect("the game was verified");
        if let Some(found) = found(step.ply, step.board) {
            return Some(found);
        }
    }
    found(game.plies.len(), *replay.board())
}

#[cfg(test)]
mod tests {
    use outflank_records::SearchKind;
    use outflank_rules::{Game, Position};

    use super::*;

    /// The first 26 plies of a game.
    const GAME: &str = "f5f6e6f4e3c5c4e7c6e2f3g4g5d6d7g6f8d3g3c3c2b4d2f7b5d1";

    #[test]
    fn the_end_is_solved_and_the_rest_imitated() {
        let game = Game::from_transcript(Position::start(Size::Eight), GAME).expect("legal");
        let mut game = outflank_formats::AnnotatedGame::from(game);
        game.tags.result = Some(outflank_formats::GameResult::Score {
            margin: -16.0,
            ending: outflank_formats::Ending::Resigned,
        });
        let plain = to_record(&game).expect("a record");
        let prepared = |solve_empties| {
            let mut game = plain.clone();
            let config = SelfplayConfig {
                solve_empties,
                ..SelfplayConfig::default()
            };
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            prepare(&mut game, &config, &mut Solver::new(TABLE_BYTES), &mut rng);
            game.verify().expect("a valid game");
            game
        };
        let game = prepared(0);
        assert_eq!((game.black_margin, game.ending), (-16, Ending::Resigned));
        assert_eq!(game.searched_plies(), plain.plies.len());

        // It stops with 34 empty squares: nothing to solve with 10.
        assert_eq!(prepared(10), game);
        assert!(solvable(&plain, 34).is_some_and(|(plies, _)| plies == 26));
        assert!(solvable(&plain, 50).is_some_and(|(plies, _)| plies == 10));
        assert!(game.plies.iter().all(|ply| {
            ply.search
                .as_ref()
                .is_some_and(|search| search.kind == SearchKind::Full)
        }));
    }

    #[test]
    fn on_the_smallest_board_a_game_becomes_perfect() {
        let mut game = Game::new(Size::Four);
        while !game.is_over() {
            let board = game.position().board;
            game.play(board.moves().next().expect("not over"))
                .expect("legal");
        }
        let mut record = to_record(&outflank_formats::AnnotatedGame::from(game)).expect("a record");
        let config = SelfplayConfig {
            solve_empties: 12,
            solved_line_empties: 1,
            ..SelfplayConfig::default()
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        prepare(
            &mut record,
            &config,
            &mut Solver::new(TABLE_BYTES),
            &mut rng,
        );
        record.verify().expect("a valid game");
        // The 4x4 board is solved: White wins, 11 to 3 with two squares empty.
        assert_eq!((record.black_margin, record.ending), (-10, Ending::Solved));
    }
}
