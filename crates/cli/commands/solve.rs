//! `outflank solve`: exact scores, by the crate `solver`.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use outflank_rules::{Position, Scoring};
use outflank_solver::suite::{self, Case};
use outflank_solver::{SolveOptions, Solver};

use crate::args::Solve;
use crate::progress::{duration, thousands};

/// More empties than this would take days.
const MOST_EMPTIES: u32 = 36;

pub fn run(args: &Solve) -> Result<()> {
    let cases = read(&args.source)?;
    let options = SolveOptions {
        scoring: if args.plain {
            Scoring::Plain
        } else {
            Scoring::Tournament
        },
        threads: args.threads,
        ..SolveOptions::default()
    };
    let mut solver = Solver::new(args.table << 20);
    let mut wrong = 0;
    for (number, case) in cases.iter().enumerate() {
        let position = case.position;
        let empties = position.board.empties();
        if empties > MOST_EMPTIES {
            bail!(
                "position {}: {empties} squares are empty; expected at most {MOST_EMPTIES}",
                number + 1
            );
        }
        println!(
            "position {}: {} to move, {empties} empties",
            number + 1,
            position.to_move
        );
        if position.board.is_over() {
            let score = position.board.score(options.scoring);
            println!("  the game is over: {score:+} for {}", position.to_move);
            continue;
        }
        let known = |mv, score| match case.score_of(mv) {
            Some(known) if !args.plain && known != score => Some(known),
            _ => None,
        };
        let begin = Instant::now();
        let mut scores = if args.best {
            let solution = solver.solve(&position.board, &options);
            println!("  {} nodes", thousands(solution.nodes));
            solution
                .best
                .into_iter()
                .map(|mv| (mv, solution.lower))
                .collect()
        } else {
            let moves = solver.solve_moves(&position.board, &options);
            moves
                .into_iter()
                .map(|(mv, bounds)| (mv, bounds.lower))
                .collect::<Vec<_>>()
        };
        scores.sort_by_key(|&(_, score)| -score);
        for (mv, score) in scores {
            match known(mv, score) {
                None => println!("  {mv}  {score:+}"),
                Some(known) => {
                    println!("  {mv}  {score:+}  (the file says {known:+})");
                    wrong += 1;
                }
            }
        }
        println!("  solved in {}", duration(begin.elapsed()));
    }
    if wrong > 0 {
        bail!("{wrong} scores differ from those in {}", args.source);
    }
    Ok(())
}

/// The positions of a file, or the one given as text.
fn read(source: &str) -> Result<Vec<Case>> {
    if let Ok(position) = source.parse::<Position>() {
        return Ok(vec![Case {
            position,
            scores: Vec::new(),
        }]);
    }
    let bytes = std::fs::read(source).with_context(|| {
        format!("{source}: not a position, and cannot be read as a file of positions")
    })?;
    let cases = suite::parse(&String::from_utf8_lossy(&bytes))
        .map_err(|(line, error)| anyhow::anyhow!("{source}, line {line}: {error}"))?;
    if cases.is_empty() {
        bail!("{source}: it is empty; expected a position a line");
    }
    Ok(cases)
}
