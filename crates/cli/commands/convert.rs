//! `outflank convert`: games from one format to another.

mod kept;
mod sinks;

use anyhow::{Context, Result, bail};
use outflank_rules::Size;

use self::kept::Losses;
use self::sinks::{Chunks, Positions, Sink, Texts, Wthor};
use crate::args::{Convert, FileFormat};
use crate::game_files::{Verdict, read_all};
use crate::output::{expect_not_input, expect_outside_runs};
use crate::progress::thousands;

pub fn run(args: &Convert) -> Result<()> {
    let format = match args.output_format {
        Some(format) => format,
        None => FileFormat::of_path(&args.output)?,
    };
    if args.empties.is_some() && format != FileFormat::Obf {
        bail!("--empties is for games written as positions; expected an output that ends in .obf");
    }
    if args.year.is_some() && format != FileFormat::Wthor {
        bail!("--year is for WTHOR; expected an output that ends in .wtb");
    }
    let size = Size::try_from(args.board).context("--board")?;
    let names = [&args.reading.players, &args.reading.tournaments];
    let mut inputs = args.files.clone();
    inputs.extend(names.into_iter().flatten().cloned());
    let mut outputs = vec![args.output.clone()];
    if format == FileFormat::Wthor {
        outputs.extend(["jou", "trn"].map(|ending| args.output.with_extension(ending)));
    }
    for output in &outputs {
        expect_outside_runs(output)?;
        expect_not_input(output, &inputs)?;
    }
    let mut sink: Box<dyn Sink> = match format {
        FileFormat::Obf => Box::new(Positions::begin(&args.output, args.empties)?),
        FileFormat::Rec => Box::new(Chunks::begin(&args.output)?),
        FileFormat::Wthor => Box::new(Wthor::begin(&args.output, args.year)?),
        text => Box::new(Texts::begin(&args.output, text)?),
    };
    let mut losses = Losses::default();
    let tally = read_all(&args.files, &args.reading, size, |item| {
        Ok(match sink.put(&item, &mut losses)? {
            Ok(()) => Verdict::Taken,
            Err(reason) => Verdict::Refused(reason),
        })
    })?;
    if tally.taken == 0 {
        bail!("there are no games to write to {}", args.output.display());
    }
    let written = sink.finish()?;
    println!(
        "{written}; read: {}, left out: {}",
        thousands(tally.taken),
        thousands(tally.skipped)
    );
    if let Some(lost) = losses.describe() {
        println!("not kept by this format: {lost}");
    }
    Ok(())
}
