//! `outflank solve`: exact scores, by the crate `solver`.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use outflank_rules::{Position, Scoring, Size};
use outflank_solver::suite::Case;
use outflank_solver::{SolveOptions, Solver};

use crate::args::Solve;
use crate::position_files::PositionFile;
use crate::progress::{duration, thousands};

/// More empties than this would take days.
const MOST_EMPTIES: u32 = 36;

pub fn run(args: &Solve) -> Result<()> {
    let cases = read(args)?;
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
        bail!(
            "{wrong} scores differ from those in {}",
            args.source.display()
        );
    }
    Ok(())
}

/// The positions of a file, or the one given as text.
fn read(args: &Solve) -> Result<Vec<Case>> {
    let path = Path::new(&args.source);
    if path.is_file() {
        return PositionFile::read(path)?.cases();
    }
    let text = path.to_string_lossy();
    let word = text.split_whitespace().next().unwrap_or_default();
    let of_board = |c: char| !c.is_alphabetic() || "xXoObBwW".contains(c);
    if word.starts_with("--") && !word.chars().all(of_board) {
        bail!("'{word}' is no option; expected a file, start or a position");
    }
    let case = match &*text {
        "start" => Case {
            position: Position::start(Size::try_from(args.board).context("--board")?),
            scores: Vec::new(),
        },
        text => Case::parse(text)
            .with_context(|| format!("'{text}' is neither a file, nor start, nor a position"))?,
    };
    Ok(vec![case])
}
