//! Strength and speed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use outflank_run::Location;

use super::location;
use crate::numbers;

#[derive(Args)]
pub struct Arena {
    /// The players: two for a match, more for a round robin (see `outflank --help`)
    #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
    pub players: Vec<OsString>,
    /// The first player against each other one, instead of everybody against everybody
    #[arg(long)]
    pub gauntlet: bool,
    /// Games of each pairing, in pairs with colours exchanged, up to 1000000; with --sprt the most
    #[arg(long, value_name = "N", default_value = "100", value_parser = numbers::games())]
    pub games: usize,
    /// End a match once it is decided whether the first player is ELO1 rather than ELO0 points stronger
    #[arg(
        long,
        value_name = "ELO0,ELO1[,ALPHA,BETA]",
        allow_hyphen_values = true
    )]
    pub sprt: Option<String>,
    /// Simulations a move of the players that name none, up to 1000000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = numbers::simulations())]
    pub simulations: u32,
    /// Random plies that open a game; each opening is played with both colours
    #[arg(long, value_name = "PLIES", default_value_t = 6)]
    pub opening_plies: usize,
    /// Openings of so many plies that look even to the first model or else to alpha-beta search
    #[arg(long, value_name = "PLIES", conflicts_with = "opening_plies")]
    pub balanced: Option<usize>,
    /// Openings from a file: a transcript or a position a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["opening_plies", "balanced"])]
    pub openings: Option<PathBuf>,
    /// The list of programs that engine:NAME refers to
    #[arg(long, value_name = "FILE")]
    pub engines: Option<PathBuf>,
    /// The board, for matches without a model: 4, 6 or 8
    #[arg(long, value_name = "SIDE")]
    pub board: Option<u8>,
    /// The seed of openings and players
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Share the games with all processes that run the same command: parts of the matches are kept
    /// in this run, a folder or a bucket, and each process ends with the whole result
    #[arg(long, value_name = "DIR|URL", value_parser = location())]
    pub run: Option<Location>,
    /// Threads, 1 to 512 [default: all cores]
    #[arg(long, value_name = "N", value_parser = numbers::threads())]
    pub threads: Option<usize>,
    /// Write the results, with every game, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Add the results, with every game, to a file of one JSON object a match and line
    #[arg(long, value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Write the games; the name's ending tells the format: .ggf, .sgf or .txt
    #[arg(long, value_name = "FILE")]
    pub save_games: Option<PathBuf>,
}

#[derive(Args)]
pub struct Ladder {
    /// The run's folder
    #[arg(value_name = "RUN", value_parser = location())]
    pub run: Location,
    /// Rate every Nth model, besides the first and the newest [default: such that there are about six]
    #[arg(long, value_name = "N")]
    pub every: Option<u64>,
    /// The opponents that need no model
    #[arg(
        long,
        value_name = "PLAYER,...",
        value_delimiter = ',',
        default_value = "random,greedy,alpha-beta:1,alpha-beta:3,alpha-beta:5"
    )]
    pub anchors: Vec<String>,
    /// Games to play now, besides those that the run keeps from earlier calls; 0 only shows the ladder
    #[arg(long, value_name = "N", default_value = "400", value_parser = numbers::games())]
    pub games: usize,
    /// Share the games with all processes that run the same command: --games is then the number
    /// that the ladder shall have in all
    #[arg(long)]
    pub shared: bool,
    /// Simulations a move of the models, up to 1000000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = numbers::simulations())]
    pub simulations: u32,
    /// Random plies that open each pair of games
    #[arg(long, value_name = "PLIES", default_value_t = 6)]
    pub opening_plies: usize,
    /// The seed of openings and players
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads, 1 to 512 [default: all cores]
    #[arg(long, value_name = "N", value_parser = numbers::threads())]
    pub threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Accuracy {
    /// A run's folder, RUN@N, a model file, `shipped` or `shipped-large`
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Simulations of the search, up to 1000000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = numbers::simulations())]
    pub simulations: u32,
    /// The fewest empty squares of the positions
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub least_empties: u32,
    /// The most empty squares; each two more take about ten times as long to solve
    #[arg(long, value_name = "N", default_value_t = 14)]
    pub most_empties: u32,
    /// Positions for each number of empty squares, 1 to 100000
    #[arg(long, value_name = "N", default_value = "50", value_parser = numbers::positions())]
    pub positions: usize,
    /// The seed of the positions
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Keep the solved positions in this file (OBF), or take them from there if it exists
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// Threads, 1 to 512 [default: all cores]
    #[arg(long, value_name = "N", value_parser = numbers::threads())]
    pub threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Report {
    /// The run's folder
    #[arg(value_name = "RUN", value_parser = location())]
    pub run: Location,
    /// Where to write the page [default: report.html in the run's folder]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the curves as an event file of TensorBoard in this folder too
    #[arg(long, value_name = "DIR")]
    pub tensorboard: Option<PathBuf>,
}

#[derive(Args)]
pub struct Bench {
    /// Threads, 1 to 512 [default: all cores]
    #[arg(long, value_name = "N", value_parser = numbers::threads())]
    pub threads: Option<usize>,
}

#[derive(Args)]
pub struct Perft {
    /// The length of the lines in plies; a forced pass is a ply
    pub depth: u32,
    /// The board: 4, 6 or 8
    #[arg(long, value_name = "SIDE", default_value_t = 8)]
    pub board: u8,
    /// Count only lines of the full depth, not those that ended earlier
    #[arg(long)]
    pub full_depth: bool,
    /// Show the count of each first move
    #[arg(long)]
    pub divide: bool,
}
