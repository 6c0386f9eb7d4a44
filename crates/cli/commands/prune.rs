//! `outflank prune`: deletes what a run does not need any more.

use anyhow::Result;
use outflank_net::TrainingState;

use crate::args::Prune;
use crate::players::open_run;

pub fn run(args: &Prune) -> Result<()> {
    let run = open_run(&args.run)?;
    let found = run.prunable(&[TrainingState::FILE.parse()?])?;
    for file in found.files() {
        println!("{file}");
    }
    let counts = format!(
        "{} late chunks, {} files of models that were not committed, {} states of older models",
        found.late_chunks.len(),
        found.lost_models.len(),
        found.old_states.len(),
    );
    if args.dry_run {
        println!("{counts} could be deleted");
    } else {
        run.prune(&found)?;
        println!("{counts} were deleted");
    }
    Ok(())
}
