//! What a match may write to.

use std::path::PathBuf;

use anyhow::Result;

use crate::args::Arena;
use crate::os_text::split_once;
use crate::output::{expect_different, expect_not_input, expect_outside_runs};

/// Refuses outputs that would replace each other, what is read, or files of a run.
pub fn check_outputs(args: &Arena) -> Result<()> {
    let outputs = [&args.json, &args.jsonl, &args.save_games];
    let outputs = || outputs.into_iter().filter_map(Option::as_deref);
    expect_different(outputs())?;
    let players = args.players.iter().map(|player| {
        let (name, _) = split_once(player, b',').unwrap_or((player, player));
        PathBuf::from(name)
    });
    let read = [&args.openings, &args.engines].into_iter().flatten();
    let read: Vec<PathBuf> = players
        .chain(read.cloned())
        .filter(|path| path.is_file())
        .collect();
    for output in outputs() {
        expect_outside_runs(output)?;
        expect_not_input(output, &read)?;
    }
    Ok(())
}
