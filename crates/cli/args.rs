//! The command line.

mod files;
mod play;
mod strength;
mod training;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Parser, Subcommand};
use outflank_run::Location;

pub use files::*;
pub use play::*;
pub use strength::*;
pub use training::*;

const AFTER_HELP: &str = "\
Start here:
  outflank train                      train an 8x8 agent in about ten minutes, and rate it
  outflank play runs/quick            play against it
  outflank arena runs/quick alpha-beta:4 --games 100

Players, as arena, play and rating name them:
  random | greedy | alpha-beta:DEPTH | rollout:PLAYOUTS | perfect:EMPTIES:PLAYER
  MODEL                a run's folder (its newest model), a run's model as RUN@12, a model.safetensors file,
                       or a network that comes with the program: `shipped`, or `shipped-large`,
                       stronger by simulations, and three or more times as slow
  MODEL,simulations=N,solve=E,seconds=S   with its own budget: simulations a move (0 plays by the policy alone) or
                       seconds, exact play from E empties on
  MODEL,symmetries=N,precision=P   each evaluation the average over N orientations of the board, 1 to 8; computed in
                       f32, int16, int8 or auto (the fastest)
  MODEL,search.KEY=V   with any setting of the search, as in `selfplay.search` of a configuration: search.method=puct,
                       search.transpositions=true, search.gumbel.c_scale=1, and with puct search.puct.lcb_deviations=1, ...
  engine:NAME          a program of the list that --engines names, see configs/engines.toml

Failures end with one line on standard error and exit code 2.";

/// Reads where a run is: a URL, or a path in whatever letters.
fn location() -> impl TypedValueParser<Value = Location> {
    OsStringValueParser::new().try_map(|text| Location::from_os(&text))
}

/// Train a Reversi agent from the rules alone, measure its strength, play it.
#[derive(Parser)]
#[command(name = "outflank", version, about, after_help = AFTER_HELP, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Train an agent: self-play, learning and rating in one process, resumable
    Train(Train),
    /// Only generate games for a run, beside a `learn` process
    Selfplay(Selfplay),
    /// Only learn: from a run's games, beside `selfplay` processes, or from files of games
    Learn(Learn),
    /// Play matches between players and report the Elo difference
    Arena(Arena),
    /// Rate a run's models against fixed opponents on one scale
    Ladder(Ladder),
    /// Train with one thing changed at a time, and measure what each change is worth and costs
    Ablate(Ablate),
    /// Measure a model on exactly solved positions
    Accuracy(Accuracy),
    /// Write a run's curves, games and ratings as one HTML page
    Report(Report),
    /// Play against an agent in the terminal
    Play(Play),
    /// Show what a model, its search and the solver think of a position or of each move of a game
    Analyze(Analyze),
    /// Solve positions exactly: the score of every move
    Solve(Solve),
    /// Show how a run is doing that many processes work on
    Status(Status),
    /// Show what is in a run, a chunk of games or a model
    Inspect(Inspect),
    /// Delete what a run does not need any more: late chunks, models that were not committed, and the
    /// optimiser's states of all models but the newest two
    Prune(Prune),
    /// Measure the speed of every part on this machine
    Bench(Bench),
    /// Count the lines of play of a given length, to check and time the rules
    Perft(Perft),
    /// Convert games between GGF, SGF, WTHOR, transcripts, OBF and game records
    Convert(Convert),
    /// Write a model for other programs: ONNX, safetensors, burnpack, a folder for GUIs
    Export(Export),
    /// Be an engine for GUIs and tournament managers, by the protocols NBoard and GTP
    Engine(Engine),
    /// Play in the browser, with this program behind the page
    Serve(Serve),
}
