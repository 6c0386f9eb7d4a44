//! `outflank report`: what a run has done, as one HTML page that needs nothing else.
//!
//! `data` reads the run, `lines` asks the newest model what it plays, `plots` draws curves as SVG,
//! `markup` has the pieces of HTML, and `page` with `games`, `openings`, `strength` and `time` puts all together; `tensorboard` writes the same
//! curves for that program.

mod data;
mod games;
mod lines;
mod markup;
mod openings;
mod page;
mod plots;
mod strength;
mod tensorboard;
mod time;

use std::path::PathBuf;

use anyhow::{Context, Result};

use outflank_run::Location;

use self::data::Data;
use crate::args;
use crate::output::{Output, expect_different, expect_outside_runs};
use crate::players::{open_run, shared_name};

pub fn run(args: &args::Report) -> Result<()> {
    let run = open_run(&args.run)?;
    let usual = match &args.run {
        Location::Folder(folder) => folder.join("report.html"),
        _ => PathBuf::from("report.html"),
    };
    let path = args.output.as_ref().unwrap_or(&usual);
    // Beside this one file, a run's folder is for the run.
    if expect_different([path.as_path(), &usual]).is_ok() {
        expect_outside_runs(path)?;
    }
    let output = Output::begin(path)?;
    let events = match &args.tensorboard {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("{}: cannot be made", folder.display()))?;
            Some(Output::begin(&folder.join(tensorboard::FILE))?)
        }
        None => None,
    };
    let data = Data::read(&run, &shared_name(&args.run.to_string()))?;
    output.finish(page::html(&data)?.as_bytes())?;
    if let Some(file) = events {
        let path = file.path().display().to_string();
        file.finish(&tensorboard::events(&data))?;
        println!("{path} holds the curves for TensorBoard.");
    }
    println!("{} shows the run; open it in a browser.", path.display());
    Ok(())
}
