//! The command line.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use outflank_net::Precision;
use outflank_run::Location;

use crate::device::Hardware;
use crate::numbers;

const AFTER_HELP: &str = "\
Start here:
  outflank train                      train an 8x8 agent in about ten minutes, and rate it
  outflank play runs/quick            play against it
  outflank arena runs/quick alpha-beta:4 --games 100

Players, as arena, play and rating name them:
  random | greedy | alpha-beta:DEPTH | rollout:PLAYOUTS | perfect:EMPTIES:PLAYER
  MODEL                a run's folder (its newest model), a run's model as RUN@12, a model.safetensors file,
                       or `shipped`, the 8x8 network that comes with the program
  MODEL,simulations=N,solve=E,seconds=S   with its own budget: simulations or seconds a move, exact play from E empties on
  MODEL,symmetries=N,precision=P   each evaluation the average over N orientations of the board, 1 to 8; computed in
                       f32, int16, int8 or auto (the fastest)
  MODEL,search.KEY=V   with any setting of the search, as in `selfplay.search` of a configuration: search.method=puct,
                       search.transpositions=true, search.puct.lcb_deviations=1, search.puct.fpu_reduction=0.2, ...
  engine:NAME          a program of the list that --engines names, see configs/engines.toml

Failures end with one line on standard error and exit code 2.";

const AFTER_INPUT: &str = "\
At the end of its input the engine still answers what it was asked, thinking at most 30 seconds a move
unless --seconds or a clock allows more.";

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
    /// Train with one thing changed at a time, and measure what each change is worth
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

#[derive(Args)]
pub struct Train {
    /// A configuration file, or a preset: quick, standard, strong, 6x6, 4x4 [default: quick, or the run's own]
    #[arg(long, value_name = "FILE|PRESET")]
    pub config: Option<String>,
    /// The run's folder; made if new, continued if it holds a run [default: runs/NAME of the configuration]
    #[arg(long, value_name = "DIR|URL")]
    pub run: Option<Location>,
    /// Begin a new run with this network instead of a fresh one: a run's folder, RUN@N or a file; it also decides the network's shape
    #[arg(long, value_name = "MODEL")]
    pub from: Option<String>,
    /// Train this many generations in all, instead of the configured number
    #[arg(long, value_name = "N")]
    pub generations: Option<u64>,
    /// The seed of a new run, instead of the configured one
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub hardware: Hardware,
    /// Do not play the rating matches at the end
    #[arg(long)]
    pub no_rating: bool,
}

impl Train {
    /// The configuration of a new run.
    pub fn config(&self) -> &str {
        self.config.as_deref().unwrap_or("quick")
    }
}

#[derive(Args)]
pub struct Selfplay {
    /// The run: a folder, or a bucket (s3://, gs://, az://) in a program built for it
    #[arg(long, value_name = "DIR|URL")]
    pub run: Location,
    /// The configuration, if the run is new: a file or a preset
    #[arg(long, value_name = "FILE|PRESET")]
    pub config: Option<String>,
    /// This worker's name: letters, digits, '-', '_' and dots inside; no two running workers may share one, and one that is started again under its name plays what it had not published [default: a new one]
    #[arg(long, value_name = "NAME")]
    pub worker: Option<String>,
    /// Stop after this many generations, instead of at the end of the run
    #[arg(long, value_name = "N")]
    pub generations: Option<u64>,
    #[command(flatten)]
    pub hardware: Hardware,
}

#[derive(Args)]
pub struct Learn {
    /// The run: a folder, or a bucket (s3://, gs://, az://) in a program built for it
    #[arg(long, value_name = "DIR|URL")]
    pub run: Location,
    /// The configuration, if the run is new: a file or a preset
    #[arg(long, value_name = "FILE|PRESET")]
    pub config: Option<String>,
    /// Learn this many generations in all, instead of the configured number
    #[arg(long, value_name = "N")]
    pub generations: Option<u64>,
    #[command(flatten)]
    pub hardware: Hardware,
    /// Learn to play as in the games of these files instead of from self-play: GGF, SGF, WTHOR,
    /// transcripts, game records, or other runs' folders
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "generations", help_heading = "Games of others")]
    pub games: Vec<PathBuf>,
    /// Passes over the games in all, 1 or more [default: 10, or the run's own]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        requires = "games",
        help_heading = "Games of others"
    )]
    pub epochs: Option<u64>,
    /// The share of the games that is not learned from, and on which every model is examined
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.1,
        help_heading = "Games of others"
    )]
    pub held_out: f64,
    /// Replace the end of each game by perfect play from so many empty squares on; 0 leaves it [default: where the configuration's self-play solves]
    #[arg(
        long,
        value_name = "N",
        requires = "games",
        help_heading = "Games of others"
    )]
    pub solve_empties: Option<u32>,
    /// Begin with this network instead of a fresh one
    #[arg(
        long,
        value_name = "MODEL",
        requires = "games",
        help_heading = "Games of others"
    )]
    pub from: Option<String>,
    /// The seed of a new run, instead of the configured one
    #[arg(
        long,
        value_name = "N",
        requires = "games",
        help_heading = "Games of others"
    )]
    pub seed: Option<u64>,
    #[command(flatten, next_help_heading = "Games of others")]
    pub reading: Reading,
}

#[derive(Args)]
pub struct Arena {
    /// The players: two for a match, more for a round robin (see `outflank --help`)
    #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
    pub players: Vec<String>,
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
    #[arg(long, value_name = "DIR|URL")]
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
pub struct Ablate {
    /// The experiment: a file such as those in configs/experiments
    #[arg(value_name = "FILE")]
    pub experiment: PathBuf,
    /// The folder of its runs and results; an interrupted experiment goes on there [default: runs/NAME of the experiment]
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,
    #[command(flatten)]
    pub hardware: Hardware,
}

#[derive(Args)]
pub struct Ladder {
    /// The run's folder
    #[arg(value_name = "RUN")]
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
    /// A run's folder, RUN@N, or a model file
    #[arg(value_name = "MODEL")]
    pub model: String,
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
    #[arg(value_name = "RUN")]
    pub run: Location,
    /// Where to write the page [default: report.html in the run's folder]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the curves as an event file of TensorBoard in this folder too
    #[arg(long, value_name = "DIR")]
    pub tensorboard: Option<PathBuf>,
}

#[derive(Args)]
pub struct Play {
    /// The opponent (see `outflank --help`)
    #[arg(value_name = "PLAYER", default_value = "shipped")]
    pub opponent: String,
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
    /// A run's folder, RUN@N, or a model file
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// A game: its moves (f5d6c3...), GGF or SGF, or a file of these (.txt, .ggf, .sgf, .wtb).
    /// Or a position: `start`, one character a square and then the side to move, or a file (.obf)
    #[arg(
        value_name = "GAME|POSITION",
        default_value = "start",
        allow_hyphen_values = true
    )]
    pub game: String,
    /// Which game or position of a file
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub number: usize,
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
    /// A file of positions, one a line (board, side to move, anything after ';' is ignored), or one position
    #[arg(value_name = "FILE|POSITION", allow_hyphen_values = true)]
    pub source: String,
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
pub struct Status {
    /// The run: a folder, or a bucket (s3://, gs://, az://) in a program built for it
    #[arg(value_name = "RUN")]
    pub run: Location,
    /// Look again every five seconds, until interrupted
    #[arg(long)]
    pub watch: bool,
    /// Print a line of JSON a look
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Inspect {
    /// A run's folder, a chunk of games (.rec), or a model
    pub path: String,
    /// Of a chunk, print every game's moves; of a run, check every committed game
    #[arg(long, visible_alias = "audit")]
    pub all: bool,
}

#[derive(Args)]
pub struct Prune {
    /// The run: a folder, or a bucket (s3://, gs://, az://) in a program built for it
    #[arg(value_name = "RUN")]
    pub run: Location,
    /// Only list the files
    #[arg(long)]
    pub dry_run: bool,
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

#[derive(Args)]
pub struct Bench {
    /// Threads, 1 to 512 [default: all cores]
    #[arg(long, value_name = "N", value_parser = numbers::threads())]
    pub threads: Option<usize>,
}

#[derive(Args)]
#[command(group(clap::ArgGroup::new("target").required(true).multiple(true)))]
pub struct Export {
    /// A run's folder, RUN@N, or a model file
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// Write ONNX, for ONNX Runtime, browsers and others, with a card FILE.md beside it
    #[arg(long, value_name = "FILE", group = "target")]
    pub onnx: Option<PathBuf>,
    /// Write safetensors, for PyTorch and others, with a card FILE.md beside it
    #[arg(long, value_name = "FILE", group = "target")]
    pub safetensors: Option<PathBuf>,
    /// Write burnpack, for Rust programs with burn, with a card FILE.md beside it
    #[arg(long, value_name = "FILE", group = "target")]
    pub burnpack: Option<PathBuf>,
    /// Make a folder with this program, the model and how to register them in a GUI
    #[arg(long, value_name = "DIR", group = "target")]
    pub engine: Option<PathBuf>,
    /// Make a folder with a page that plays in the browser, for any static web server; a model of
    /// another board's size that is there already stays
    #[arg(long, value_name = "DIR", group = "target")]
    pub web: Option<PathBuf>,
    /// Write positions of random games with this program's evaluations (safetensors), to compare
    /// another runtime with; see scripts/check_onnx.py
    #[arg(long, value_name = "FILE", group = "target")]
    pub check_data: Option<PathBuf>,
    /// Positions of --check-data, 1 to 100000
    #[arg(long, value_name = "N", default_value = "1000", value_parser = numbers::positions())]
    pub positions: usize,
    /// The seed of --check-data's games
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

#[derive(Args)]
#[command(after_help = AFTER_INPUT)]
pub struct Engine {
    /// The protocol of the GUI or tournament manager
    #[arg(long, value_enum)]
    pub protocol: EngineProtocol,
    /// A run's folder, RUN@N, a model file, or `shipped`
    #[arg(long, value_name = "MODEL", default_value = "shipped")]
    pub model: String,
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

#[derive(Args)]
pub struct Serve {
    /// Models, one for each size of board: a run's folder, RUN@N, a model file, or `shipped`
    #[arg(value_name = "MODEL", default_value = "shipped")]
    pub models: Vec<String>,
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

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum EngineProtocol {
    /// NBoard, version 2
    Nboard,
    /// Go Text Protocol, as Reversi programs speak it
    Gtp,
}

#[derive(Args)]
pub struct Convert {
    /// The files, or the folder of a run for all of its games
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The file to write; its name's ending tells the format: .ggf, .sgf, .wtb (with .jou and .trn), .txt (transcripts), .obf (positions) or .rec (game records)
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// The format to write, whatever the file's name ends in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub output_format: Option<FileFormat>,
    #[command(flatten)]
    pub reading: Reading,
    /// The board of transcripts: 4, 6 or 8
    #[arg(long, value_name = "SIDE", default_value_t = 8)]
    pub board: u8,
    /// Of games written as positions, only the positions with so many empty squares
    #[arg(long, value_name = "N")]
    pub empties: Option<u32>,
    /// The year of a WTHOR base to write, 1 to 9999 [default: that of the first game]
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(u16).range(1..=9999))]
    pub year: Option<u16>,
}

/// How files of games are read.
#[derive(Args)]
pub struct Reading {
    /// The format of the files read, whatever their names end in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub input_format: Option<FileFormat>,
    /// Go on after a game that cannot be read or used, and say on standard error which were left out
    #[arg(long)]
    pub skip_bad: bool,
    /// The names of a WTHOR base's players (.jou) [default: the file beside the games]
    #[arg(long, value_name = "FILE")]
    pub players: Option<PathBuf>,
    /// The names of a WTHOR base's tournaments (.trn) [default: the file beside the games]
    #[arg(long, value_name = "FILE")]
    pub tournaments: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FileFormat {
    /// GGF, of game servers and NBoard
    Ggf,
    /// SGF, of editors of many games
    Sgf,
    /// WTHOR, the French federation's base
    Wthor,
    /// The moves of a game a line
    Transcript,
    /// Positions with scores of moves
    Obf,
    /// Game records, the chunks of a run
    Rec,
}
