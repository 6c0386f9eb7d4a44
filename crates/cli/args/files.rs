//! Files for other programs, and from them.

use std::path::PathBuf;

use clap::Args;

use crate::numbers;

#[derive(Args)]
#[command(group(clap::ArgGroup::new("target").required(true).multiple(true)))]
pub struct Export {
    /// A run's folder, RUN@N, a model file, `shipped` or `shipped-large`
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
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
    #[arg(long, value_name = "N", default_value = "1000", value_parser = numbers::positions(), requires = "check_data")]
    pub positions: usize,
    /// The seed of --check-data's games
    #[arg(long, default_value_t = 1, requires = "check_data")]
    pub seed: u64,
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
