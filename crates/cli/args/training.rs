//! Training, and the runs that it makes.

use std::path::{Path, PathBuf};

use clap::Args;
use outflank_run::Location;

use super::{Reading, location};
use crate::device::Hardware;

#[derive(Args)]
pub struct Train {
    /// A configuration file, or a preset: quick, standard, strong, 6x6, 4x4 [default: quick, or the run's own]
    #[arg(long, value_name = "FILE|PRESET")]
    pub config: Option<PathBuf>,
    /// The run's folder; made if new, continued if it holds a run [default: runs/NAME of the configuration]
    #[arg(long, value_name = "DIR|URL", value_parser = location())]
    pub run: Option<Location>,
    /// Begin a new run with this network instead of a fresh one: a run's folder, RUN@N, a file, `shipped` or `shipped-large`; it also decides the network's shape, on the configuration's board
    #[arg(long, value_name = "MODEL")]
    pub from: Option<PathBuf>,
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
    pub fn config(&self) -> &Path {
        self.config.as_deref().unwrap_or(Path::new("quick"))
    }
}

#[derive(Args)]
pub struct Selfplay {
    /// The run: a folder, or a bucket (s3://, gs://, az://) in a program built for it
    #[arg(long, value_name = "DIR|URL", value_parser = location())]
    pub run: Location,
    /// The configuration, if the run is new: a file or a preset
    #[arg(long, value_name = "FILE|PRESET")]
    pub config: Option<PathBuf>,
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
    #[arg(long, value_name = "DIR|URL", value_parser = location())]
    pub run: Location,
    /// The configuration, if the run is new: a file or a preset
    #[arg(long, value_name = "FILE|PRESET")]
    pub config: Option<PathBuf>,
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
        value_parser = clap::value_parser!(u64).range(1..=1_000_000),
        requires = "games",
        help_heading = "Games of others"
    )]
    pub epochs: Option<u64>,
    /// The share of the games that is not learned from, and on which every model is examined
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.1,
        requires = "games",
        help_heading = "Games of others"
    )]
    pub held_out: f64,
    /// Replace the end of each game by perfect play from so many empty squares on, up to 24; 0 leaves it [default: where the configuration's self-play solves]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(0..=24),
        requires = "games",
        help_heading = "Games of others"
    )]
    pub solve_empties: Option<u32>,
    /// Begin with this network instead of a fresh one: a run's folder, RUN@N, a file, `shipped` or `shipped-large`
    #[arg(
        long,
        value_name = "MODEL",
        requires = "games",
        help_heading = "Games of others"
    )]
    pub from: Option<PathBuf>,
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
pub struct Ablate {
    /// The experiment: a file such as those in configs/experiments
    #[arg(value_name = "FILE")]
    pub experiment: PathBuf,
    /// The folder of its runs, result.txt and result.svg; an interrupted experiment goes on there [default: runs/NAME of the experiment]
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,
    #[command(flatten)]
    pub hardware: Hardware,
}

#[derive(Args)]
pub struct Status {
    /// The run: a folder, or a bucket (s3://, gs://, az://) in a program built for it
    #[arg(value_name = "RUN", value_parser = location())]
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
    /// A run's folder, a chunk of games (.rec), or a model: a file (.safetensors), RUN@N, `shipped` or `shipped-large`
    pub path: PathBuf,
    /// Of a chunk, print every game's moves; of a run, check every committed game
    #[arg(long, visible_alias = "audit")]
    pub all: bool,
}

#[derive(Args)]
pub struct Prune {
    /// The run: a folder, or a bucket (s3://, gs://, az://) in a program built for it
    #[arg(value_name = "RUN", value_parser = location())]
    pub run: Location,
    /// Only list the files
    #[arg(long)]
    pub dry_run: bool,
}
