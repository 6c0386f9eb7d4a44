//! `outflank perft`: rules::perft with a clock.

use std::time::Instant;

use anyhow::{Context, Result};
use outflank_rules::{Board, Counting, Size, divide, perft};

use crate::args::Perft;
use crate::progress::thousands;

pub fn run(args: &Perft) -> Result<()> {
    let size = Size::try_from(args.board).context("--board")?;
    let counting = if args.full_depth {
        Counting::FullDepth
    } else {
        Counting::AllLines
    };
    let board = Board::start(size);
    let start = Instant::now();
    let leaves = if args.divide {
        let counts = divide(&board, args.depth, counting);
        for (mv, leaves) in &counts {
            println!("{mv}  {}", thousands(*leaves));
        }
        counts.iter().map(|(_, leaves)| leaves).sum()
    } else {
        perft(&board, args.depth, counting)
    };
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{size} depth {}: {} leaves in {seconds:.3} s, {:.0} million a second",
        args.depth,
        thousands(leaves),
        leaves as f64 / seconds / 1e6,
    );
    Ok(())
}
