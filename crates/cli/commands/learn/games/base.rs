//! The games of files, split in two parts: one becomes chunks of the run, one stays in memory to be
//! examined on.

use anyhow::{Result, bail};
use outflank_records::{Ending, GameRecord, chunk};
use outflank_rules::{Board, Color, Size};
use outflank_run::{ChunkKey, Folder, Name, Run};
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
use crate::messages::shell;
use crate::progress::{Bar, bar};
use crate::settings::Settings;

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

/// What files hold, before a run knows of it.
pub struct Games {
    /// The games to learn from, as chunks: with their searches they would fill the memory.
    chunks: Vec<Vec<u8>>,
    held_out: Vec<GameRecord>,
    facts: Facts,
}

impl Games {
    /// Reads the files of a command for a run with these settings.
    pub fn read(settings: &Settings, args: &Learn) -> Result<Games> {
        let (size, seed) = (settings.network.size, settings.seed);
        let mut chunks = Vec::new();
        let mut waiting = Vec::new();
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
            } else {
                waiting.push(game);
                if waiting.len() == GAMES_PER_CHUNK {
                    chunks.push(chunk::encode(&waiting)?);
                    waiting.clear();
                }
            }
            bar.inc(1);
            Ok(Verdict::Taken)
        })?;
        bar.finish_and_clear();
        if !waiting.is_empty() {
            chunks.push(chunk::encode(&waiting)?);
        }
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
        Ok(Games {
            chunks,
            held_out,
            facts,
        })
    }

    /// Puts the games to learn from into the run, as far as that is not done already: first what they
    /// are, so that the run is known for what it is at every instant.
    pub fn publish(self, training: &Training) -> Result<Base> {
        let (run, name) = (&training.run, NAME.parse::<Name>()?);
        let Games {
            chunks,
            held_out,
            facts,
        } = self;
        if !is_of_files(run)? {
            run.put_result(Folder::Metrics, &name, &facts)?;
        }
        let kept: Facts = run.read_result(Folder::Metrics, &name)?;
        if kept != facts {
            bail!(
                "{} learns from {} games and is examined on {}, and other games or another \
                 --held-out were given; take another --run",
                run.location(),
                kept.training,
                kept.held_out
            );
        }
        let present = run.chunks(0)?;
        let done = (present.len() * GAMES_PER_CHUNK) as u64;
        let bar = bar(
            facts.training.saturating_sub(done),
            "solving endings",
            "games",
        );
        for (seq, games) in (0..).zip(&chunks) {
            let key = ChunkKey {
                generation: 0,
                worker: name.clone(),
                seq,
            };
            if !present.contains(&key) {
                publish(training, &key, chunk::decode(games)?, &bar)?;
            }
        }
        bar.finish_and_clear();
        Ok(Base { facts, held_out })
    }
}

/// Refuses a run that has learned from self-play.
pub fn expect_of_files(training: &Training) -> Result<()> {
    let run = &training.run;
    if run.latest()?.is_some() && !is_of_files(run)? {
        bail!(
            "{} holds a run that does not learn from files of games; take another --run",
            run.location()
        );
    }
    Ok(())
}

/// Refuses a run that learns from files: games of its own would go among theirs, unexamined.
pub fn expect_of_self_play(training: &Training) -> Result<()> {
    let run = &training.run;
    if is_of_files(run)? {
        let folder = shell(run.location());
        bail!(
            "{} holds a run that learns from files of games; to go on by self-play: \
             outflank train --from {folder} --run ANOTHER",
            run.location()
        );
    }
    Ok(())
}

/// Whether a run learns from files of games.
pub fn is_of_files(run: &Run) -> Result<bool> {
    Ok(run.results(Folder::Metrics)?.contains(&NAME.parse()?))
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

/// Solves the endings of games and publishes them as a chunk.
fn publish(
    training: &Training,
    key: &ChunkKey,
    mut games: Vec<GameRecord>,
    bar: &Bar,
) -> Result<()> {
    let Training {
        run,
        settings,
        threads,
        ..
    } = training;
    let share = games.len().div_ceil(*threads);
    let first = key.seq * GAMES_PER_CHUNK as u64;
    std::thread::scope(|scope| {
        for (part, games) in games.chunks_mut(share).enumerate() {
            let number = first + (part * share) as u64;
            scope.spawn(move || {
                let mut solver = Solver::new(TABLE_BYTES);
                for (game, number) in games.iter_mut().zip(number..) {
                    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
                    rng.set_stream(number);
                    prepare(game, &settings.selfplay, &mut solver, &mut rng);
                    bar.inc(1);
                }
            });
        }
    });
    // Were it there after all, another process with the same games would have been faster.
    run.publish_chunk(key, chunk::encode(&games)?)?;
    Ok(())
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
