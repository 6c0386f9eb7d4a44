//! `outflank report`: what a run has done, as one HTML page that needs nothing else.
//!
//! `data` reads the run, `lines` asks the newest model what it plays, `plots` draws curves as SVG, `markup` has the pieces of HTML, and `page`
//! with `games` puts all together.

mod data;
mod games;
mod lines;
mod markup;
mod page;
mod plots;

use anyhow::Result;

use self::data::Data;
use crate::args;
use crate::output::Output;
use crate::players::open_run;

pub fn run(args: &args::Report) -> Result<()> {
    let run = open_run(&args.run)?;
    let path = match &args.output {
        Some(path) => path.clone(),
        None => args.run.join("report.html"),
    };
    let output = Output::begin(&path)?;
    let data = Data::read(&run, &args.run.display().to_string())?;
    output.finish(page::html(&data)?.as_bytes())?;
    println!("{} shows the run; open it in a browser.", path.display());
    Ok(())
}
