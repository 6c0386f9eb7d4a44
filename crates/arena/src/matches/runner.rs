use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use outflank_rules::Game;

use super::config::{CrashPolicy, MatchConfig};
use super::record::{PlayedGame, ReplayError};
use super::referee::{self, Breach, BreachReason};
use super::summary::{MatchResult, OpeningsUsed, Summary};
use crate::openings::OpeningSet;
use crate::stats::{PairScores, Sprt, SprtError, SprtState};
use crate::{Player, PlayerError, PlayerFactory};

/// Sees a match as it is played.
pub trait MatchObserver {
    /// A match of these players begins. Nothing happens by default.
    fn begin(&mut self, _players: [&str; 2], _progress: &Progress) {}

    /// A pair of games is over: the first player with Black, then with White. Pairs come in their
    /// order, whichever ends first. Returning `Break` ends the match with this pair.
    fn pair(&mut self, games: &[PlayedGame; 2], progress: &Progress) -> ControlFlow<()>;
}

/// Sees nothing.
impl MatchObserver for () {
    fn pair(&mut self, _: &[PlayedGame; 2], _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// How far a match has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Pairs that are over.
    pub pairs_done: usize,
    /// Pairs to be played if nothing ends the match before.
    pub pairs_planned: usize,
    /// The pairs so far, for the first player.
    pub scores: PairScores,
    /// The test that may end the match.
    pub sprt: Option<SprtState>,
}

/// Why a match could not be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MatchError {
    /// A player could not be made.
    #[error("{player} could not be started: {error}")]
    Start {
        /// The player's name.
        player: String,
        /// What happened.
        error: PlayerError,
    },
    /// The test that should end the match has impossible bounds.
    #[error("sprt: {0}")]
    Sprt(#[from] SprtError),
    /// A game that was kept is none that could have been played.
    #[error("a game of the match: {0}")]
    Kept(#[from] ReplayError),
}

/// Plays pairs of games on some threads, until all are played, the test is decided or the observer
/// has seen enough.
///
/// Each thread has its own two players, and each game its own seeds; pairs are counted in their
/// order. So the result is the same on any number of threads. A player that crashes or runs out
/// of time is replaced; one that cannot be made ends the match with an error.
///
/// ```
/// use outflank_arena::{Builtin, MatchConfig, OpeningSet, play_match};
/// use outflank_rules::Size;
///
/// let (first, second): (Builtin, Builtin) = ("alpha-beta:2".parse()?, "random".parse()?);
/// let openings = OpeningSet::random(Size::Six, 4, 10, 1)?;
/// let config = MatchConfig { pairs: 10, ..MatchConfig::default() };
/// let result = play_match([&first, &second], &openings, &config, &mut ())?;
/// assert_eq!(result.games.len(), 20);
/// assert!(result.summary.elo.low > 0.0);
/// println!("{result}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn play_match(
    players: [&dyn PlayerFactory; 2],
    openings: &OpeningSet,
    config: &MatchConfig,
    observer: &mut dyn MatchObserver,
) -> Result<MatchResult, MatchError> {
    let mut tally = Tally::new(config)?;
    let names = players.map(|player| player.name());
    observer.begin([&names[0], &names[1]], &tally.progress);
    play_pairs(players, openings, config, 0..config.pairs, |games| {
        tally.add(games, observer)
    })?;
    let result = tally.into_result(names, openings, config);
    Ok(result.expect("these games were just played"))
}

/// Plays some pairs of a match, by their numbers: the very games that [`play_match`] would play,
/// whoever plays the others. [`count_match`] adds up what was played in parts.
pub fn play_part(
    players: [&dyn PlayerFactory; 2],
    openings: &OpeningSet,
    config: &MatchConfig,
    pairs: Range<usize>,
) -> Result<Vec<PlayedGame>, MatchError> {
    let mut played = Vec::new();
    play_pairs(players, openings, config, pairs, |games| {
        played.extend(games);
        ControlFlow::Continue(())
    })?;
    Ok(played)
}

/// What the games of a match's first pairs add up to, in order, two by two: as [`play_match`] with
/// the same configuration counts them, up to the pair that decides its test.
pub fn count_match(
    players: [String; 2],
    openings: &OpeningSet,
    config: &MatchConfig,
    games: impl IntoIterator<Item = [PlayedGame; 2]>,
) -> Result<MatchResult, MatchError> {
    let mut tally = Tally::new(config)?;
    for pair in games {
        if tally.add(pair, &mut ()).is_break() {
            break;
        }
    }
    Ok(tally.into_result(players, openings, config)?)
}

/// Plays pairs on some threads and hands them over in their order, until one is answered by
/// `Break`.
fn play_pairs(
    players: [&dyn PlayerFactory; 2],
    openings: &OpeningSet,
    config: &MatchConfig,
    pairs: Range<usize>,
    mut add: impl FnMut([PlayedGame; 2]) -> ControlFlow<()>,
) -> Result<(), MatchError> {
    let threads = match config.threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let (next, stop) = (AtomicUsize::new(pairs.start), AtomicBool::new(false));
    let (mut due, end) = (pairs.start, pairs.end);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.min(pairs.len()) {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            scope.spawn(move || {
                let mut table = Table::new(players, openings, config);
                while !stop.load(Ordering::Relaxed) {
                    let pair = next.fetch_add(1, Ordering::Relaxed);
                    // Nobody listens any more once the match has ended.
                    if pair >= end || sender.send((pair, table.play_pair(pair))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        for (pair, games) in receiver {
            early.insert(pair, games);
            while let Some(games) = early.remove(&due) {
                due += 1;
                let flow = games.map(&mut add);
                if !matches!(flow, Ok(ControlFlow::Continue(()))) {
                    stop.store(true, Ordering::Relaxed);
                    return flow.map(|_| ());
                }
            }
        }
        Ok(())
    })
}

/// The pairs counted so far.
struct Tally {
    sprt: Option<Sprt>,
    games: Vec<PlayedGame>,
    progress: Progress,
}

impl Tally {
    fn new(config: &MatchConfig) -> Result<Tally, MatchError> {
        let sprt = config.sprt.map(Sprt::new).transpose()?;
        Ok(Tally {
            sprt,
            games: Vec::new(),
            progress: Progress {
                pairs_done: 0,
                pairs_planned: config.pairs,
                scores: PairScores::default(),
                sprt: sprt.map(|sprt| sprt.state(&PairScores::default())),
            },
        })
    }

    fn add(&mut self, games: [PlayedGame; 2], observer: &mut dyn MatchObserver) -> ControlFlow<()> {
        let progress = &mut self.progress;
        progress.pairs_done += 1;
        progress
            .scores
            .record(games[0].outcome(0), games[1].outcome(0));
        progress.sprt = self.sprt.map(|sprt| sprt.state(&progress.scores));
        let seen = observer.pair(&games, progress);
        self.games.extend(games);
        match progress.sprt.and_then(|state| state.verdict) {
            Some(_) => ControlFlow::Break(()),
            None => seen,
        }
    }

    fn into_result(
        self,
        players: [String; 2],
        openings: &OpeningSet,
        config: &MatchConfig,
    ) -> Result<MatchResult, ReplayError> {
        Ok(MatchResult {
            players,
            openings: OpeningsUsed {
                source: openings.source().clone(),
                distinct: openings.distinct(self.progress.pairs_done),
            },
            seed: config.seed,
            pairs_planned: self.progress.pairs_planned,
            summary: Summary::new(&self.games)?,
            sprt: self.progress.sprt,
            games: self.games,
        })
    }
}

/// One thread's place to play: its two players, made when they are first needed.
struct Table<'a> {
    factories: [&'a dyn PlayerFactory; 2],
    players: [Option<Box<dyn Player>>; 2],
    openings: &'a OpeningSet,
    config: &'a MatchConfig,
}

impl<'a> Table<'a> {
    fn new(
        factories: [&'a dyn PlayerFactory; 2],
        openings: &'a OpeningSet,
        config: &'a MatchConfig,
    ) -> Table<'a> {
        Table {
            factories,
            players: [None, None],
            openings,
            config,
        }
    }

    fn play_pair(&mut self, pair: usize) -> Result<[PlayedGame; 2], MatchError> {
        Ok([self.play_game(pair, 0)?, self.play_game(pair, 1)?])
    }

    /// Plays one game of a pair, in which player `black` has the black discs.
    fn play_game(&mut self, pair: usize, black: usize) -> Result<PlayedGame, MatchError> {
        let openings = self.openings.openings();
        let number = pair % openings.len();
        let opening = &openings[number];
        let seeds =
            [0, 1].map(|color| mixed(&[self.config.seed, pair as u64, black as u64, color]));
        let (mut game, mut result) = self.attempt(opening, black, seeds)?;
        let crashed = matches!(&result, Err(breach) if is_crash(breach));
        if crashed && self.config.crashes == CrashPolicy::Replay {
            (game, result) = self.attempt(opening, black, seeds)?;
        }
        let plies = opening.plies().len();
        Ok(PlayedGame::new((pair, number, black), plies, &game, result))
    }

    /// Plays the game with players that are there or made for it, and dismisses one that fails.
    fn attempt(
        &mut self,
        opening: &Game,
        black: usize,
        seeds: [u64; 2],
    ) -> Result<(Game, Result<(), Breach>), MatchError> {
        for (player, factory) in self.players.iter_mut().zip(self.factories) {
            if player.is_none() {
                let made = factory.make().map_err(|error| MatchError::Start {
                    player: factory.name(),
                    error,
                })?;
                *player = Some(made);
            }
        }
        let [Some(first), Some(second)] = &mut self.players else {
            unreachable!("both players were just made");
        };
        let (black_player, white_player) = match black {
            0 => (first, second),
            _ => (second, first),
        };
        let mut game = opening.clone();
        let result = referee::play(
            &mut game,
            black_player.as_mut(),
            white_player.as_mut(),
            seeds,
        );
        if let Err(breach) = &result
            && is_fatal(breach)
        {
            let by_black = breach.by == outflank_rules::Color::Black;
            self.players[if by_black { black } else { 1 - black }] = None;
        }
        Ok((game, result))
    }
}

fn is_fatal(breach: &Breach) -> bool {
    matches!(&breach.reason, BreachReason::Player(error) if error.is_fatal())
}

fn is_crash(breach: &Breach) -> bool {
    matches!(
        &breach.reason,
        BreachReason::Player(PlayerError::Crashed(_))
    )
}

/// A seed of its own for every combination of numbers: SplitMix64's finaliser (Steele, Lea and
/// Flood 2014) over one after the other.
pub(crate) fn mixed(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |state: u64, part| {
        let mut z = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}
