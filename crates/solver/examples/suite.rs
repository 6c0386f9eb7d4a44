//! Solves the positions of a file and prints what each took.
//!
//! `suite FILE.obf [--threads N] [--first N] [--skip N] [--megabytes N] [--portable] [--keep]
//! [--moves]`; with `--moves` every move that the file scores is compared, not only the best.

use std::process::ExitCode;
use std::time::Duration;

use outflank_solver::{
    SolveOptions, Solver,
    suite::{self, Case},
};

struct Arguments {
    file: String,
    threads: usize,
    skip: usize,
    first: usize,
    megabytes: usize,
    portable: bool,
    keep: bool,
    moves: bool,
}

fn arguments() -> Option<Arguments> {
    let mut arguments = Arguments {
        file: String::new(),
        threads: 1,
        skip: 0,
        first: usize::MAX,
        megabytes: 256,
        portable: false,
        keep: false,
        moves: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next()?.parse().ok();
        match word.as_str() {
            "--threads" => arguments.threads = number()?,
            "--skip" => arguments.skip = number()?,
            "--first" => arguments.first = number()?,
            "--megabytes" => arguments.megabytes = number()?,
            "--portable" => arguments.portable = true,
            "--keep" => arguments.keep = true,
            "--moves" => arguments.moves = true,
            _ if arguments.file.is_empty() => arguments.file = word,
            _ => return None,
        }
    }
    (!arguments.file.is_empty()).then_some(arguments)
}

/// Whether the exact score of every move is the one that the file gives it, if any.
fn right_moves(solver: &mut Solver, case: &Case, options: &SolveOptions) -> bool {
    let moves = solver.solve_moves(&case.position.board, options);
    moves.into_iter().all(|(mv, bounds)| {
        bounds
            .exact()
            .is_some_and(|score| case.score_of(mv).is_none_or(|known| known == score))
    })
}

/// What this thread has cost the processor: on a busy machine a better measure than the clock.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(
        text.split_whitespace().next()?.parse().ok()?,
    ))
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!(
            "usage: suite FILE.obf [--threads N] [--skip N] [--first N] [--megabytes N] [--portable] [--keep] [--moves]"
        );
        return ExitCode::FAILURE;
    };
    let text = match std::fs::read_to_string(&arguments.file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("cannot read {}: {error}", arguments.file);
            return ExitCode::FAILURE;
        }
    };
    let cases = match suite::parse(&text) {
        Ok(cases) => cases,
        Err((line, error)) => {
            eprintln!("{}:{line}: {error}", arguments.file);
            return ExitCode::FAILURE;
        }
    };

    let bytes = arguments.megabytes << 20;
    let mut solver = if arguments.portable {
        Solver::portable(bytes)
    } else {
        Solver::new(bytes)
    };
    let options = SolveOptions {
        threads: arguments.threads,
        ..SolveOptions::default()
    };
    let (mut nodes, mut time, mut wrong) = (0, Duration::ZERO, 0);
    println!("   # empties score best         nodes  seconds  Mnodes/s");
    let row = |nodes: u64, time: Duration| {
        let seconds = time.as_secs_f64();
        format!(
            "{nodes:13} {seconds:8.3} {:9.1}",
            nodes as f64 / seconds / 1e6
        )
    };
    for (number, case) in cases
        .iter()
        .enumerate()
        .skip(arguments.skip)
        .take(arguments.first)
    {
        if !arguments.keep {
            solver.clear();
        }
        let before = cpu_time();
        let mut report = case.run(&mut solver, &options);
        if arguments.threads == 1
            && let Some((before, after)) = before.zip(cpu_time())
        {
            report.time = after - before;
        }
        if arguments.moves {
            report.right &= right_moves(&mut solver, case, &options);
        }
        let solution = report.solution;
        let best = solution.best.map_or("-".to_owned(), |mv| mv.to_string());
        println!(
            "{:4} {:7} {:+5} {best:>4} {} {}",
            number + 1,
            case.position.board.empties(),
            solution.lower,
            row(solution.nodes, report.time),
            if report.right { "" } else { "WRONG" },
        );
        nodes += solution.nodes;
        time += report.time;
        wrong += usize::from(!report.right);
    }
    println!("total                   {} {wrong} wrong", row(nodes, time));
    if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
