//! Playing and solving.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use outflank_net::Precision;

use crate::numbers;

const AFTER_INPUT: &str = "\
At the end of its input the engine still answers what it was asked, thinking at most 30 seconds a move
unless --seconds or a clock allows more.";

#[derive(Args)]
pub struct Play {
    /// The opponent (see `outflank --help`)
    #[arg(value_name = "PLAYER", default_value = "shipped")]
    pub opponent: OsString,
    /// Your colour: black moves first
    #[arg(long, value_enum, default_value_t = Side::Black)]
    pub color: Side,
    /// Simulations a move of an opponent that names none, up to 1000000
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = numbers::simulations())]
    pub simulations: u32,
    /// The list of programs that engine:NAME refers to
    #[arg(long, value_name = "FILE")]
    pub engines: Option<PathBuf>,
    /// The board, against an opponent without a model: 4, 6 or 8
    #[arg(long, value_name = "SIDE")]
    pub board: Option<u8>,
    /// The seed of the opponent's random choices
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Side {
    Black,
    White,
}

#[derive(Args)]
pub struct Analyze {
    /// A run's folder, RUN@N, a model file, `shipped` or `shipped-large`
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// A game: its moves (f5d6c3...), GGF or SGF, or a file of these (.txt, .ggf, .sgf, .wtb).
    /// Or a position: `start`, one character a square and then the side to move, or a file of such lines
    #[arg(
        value_name = "GAME|POSITION",
        default_value = "start",
        allow_hyphen_values = true
    )]
    pub game: OsString,
    /// Which game or position of several [default: the first]
    #[arg(long, value_name = "N")]
    pub number: Option<usize>,
    /// Solve every move from so many empty squares on; each two more take about ten times as long
    #[arg(long, value_name = "EMPTIES", default_value_t = 16)]
    pub solve: u32,
    /// Simulations of the search, up to 1000000
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = numbers::simulations())]
    pub simulations: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Solve {
    /// A file of positions, one a line (board, side to move; then, if anything, scores of moves to compare with: `; G8:+18; H1:+12;`), one position, or `start`
    #[arg(value_name = "FILE|POSITION", allow_hyphen_values = true)]
    pub source: OsString,
    /// The board of `start`: 4, 6 or 8; 8x8 has too many empty squares to be solved
    #[arg(long, value_name = "SIDE", default_value_t = 8)]
    pub board: u8,
    /// Count discs only, instead of giving the empty squares to the winner
    #[arg(long)]
    pub plain: bool,
    /// Only the best move and its score: faster
    #[arg(long)]
    pub best: bool,
    /// Memory of the transposition table in megabytes, 1 to 65536
    #[arg(long, value_name = "MB", default_value = "128", value_parser = numbers::table)]
    pub table: usize,
    /// Threads for each position, 1 to 512
    #[arg(long, value_name = "N", default_value = "1", value_parser = numbers::threads())]
    pub threads: usize,
}

#[derive(Args)]
#[command(after_help = AFTER_INPUT)]
pub struct Engine {
    /// The protocol of the GUI or tournament manager
    #[arg(long, value_enum)]
    pub protocol: EngineProtocol,
    /// A run's folder, RUN@N, a model file, `shipped` or `shipped-large`
    #[arg(long, value_name = "MODEL", default_value = "shipped")]
    pub model: PathBuf,
    /// Simulations a move, whatever level is set [default: by the level, 800 without one]
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    pub simulations: Option<u32>,
    /// Seconds a move at most, whatever level is set
    #[arg(long, value_name = "S")]
    pub seconds: Option<f64>,
    /// The numbers that the network computes in: f32, int16, int8, or auto, the fastest here
    #[arg(long, value_name = "PRECISION", default_value = "auto")]
    pub precision: Precision,
    /// Think on the opponent's time
    #[arg(long)]
    pub ponder: bool,
    /// Threads of the search and of the endgame solver, 1 to 512
    #[arg(long, value_name = "N", default_value = "1", value_parser = numbers::threads())]
    pub threads: usize,
    /// Memory of the endgame solver's table in megabytes, 1 to 65536
    #[arg(long, value_name = "MB", default_value = "128", value_parser = numbers::table)]
    pub table: usize,
    /// Add every line of both sides to this file
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum EngineProtocol {
    /// NBoard, version 2
    Nboard,
    /// Go Text Protocol, as Reversi programs speak it
    Gtp,
}

#[derive(Args)]
pub struct Serve {
    /// Models, one for each size of board: a run's folder, RUN@N, a model file, `shipped` or `shipped-large`
    #[arg(value_name = "MODEL", default_value = "shipped")]
    pub models: Vec<PathBuf>,
    /// The address to listen at; others than this machine's own let others in
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: IpAddr,
    /// The port to listen at; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 8008)]
    pub port: u16,
    /// Seconds that a thought may take at most, 1 to 86400
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub seconds: u32,
    /// Thoughts at a time; more are refused [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub thoughts: Option<u16>,
    /// Memory of an endgame solver's table in megabytes, for each thought at a time and each model, 1 to 65536
    #[arg(long, value_name = "MB", default_value = "64", value_parser = numbers::table)]
    pub table: usize,
    /// Connections at a time, for one request each; more wait
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections: u16,
    /// Seconds to wait for a request's head (at most 16 KiB), for its task (at most 2 KiB), and for each part of the answer to be taken; who is slower is cut off
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub patience: u16,
}
