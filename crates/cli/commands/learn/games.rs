//! `outflank learn --games`: a run that learns from games of others.

mod base;

pub use self::base::{expect_of_self_play, is_of_files};

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use outflank_net::{CompiledNetwork, Weights};
use outflank_records::GameRecord;
use outflank_run::{Folder, Run};
use outflank_train::Exam;

use self::base::{Base, Games, expect_of_files};
use crate::args::Learn;
use crate::commands::loops::Training;
use crate::messages::shell;
use crate::players::load_named;
use crate::progress::{count, duration, say, thousands};
use crate::settings::Settings;
use crate::signals::say_that_run_is_kept;

/// Passes over the games, unless another number is asked for.
const EPOCHS: u64 = 10;

/// More positions than memory has room for: the window of such a run never drops any.
const ALL_POSITIONS: usize = 1_000_000_000;

pub fn run(args: &Learn) -> Result<()> {
    let begin = Instant::now();
    if !(0.0..=0.5).contains(&args.held_out) {
        bail!(
            "--held-out is {}; expected a share from 0 to 0.5",
            args.held_out
        );
    }
    let from = args.from.as_deref().map(load_named).transpose()?;
    let start = from.map(|(_, model)| model.weights);
    let (training, games) = open(args, start.as_ref())?;
    let epochs = args.epochs.unwrap_or(training.settings.generations);
    let Base { facts, held_out } = games.publish(&training)?;
    say(&format!(
        "{}: {} to learn from, {} to be examined on, {} left out",
        args.run,
        count(facts.training, "game"),
        thousands(facts.held_out),
        thousands(facts.left_out),
    ));

    say_that_run_is_kept(&args.run);
    let mut learner = training.learner(epochs, start.as_ref())?;
    let mut seq = learner.latest().seq;
    let mut exam = examine(&training, seq, learner.weights(), &held_out)?;
    while seq < epochs {
        if let Some(exam) = &exam {
            say(&describe(seq, exam));
        }
        match seq {
            0 => training.learn_generation(&mut learner, epochs)?,
            _ => training.revise_generation(&mut learner, epochs)?,
        }
        seq = learner.latest().seq;
        exam = examine(&training, seq, learner.weights(), &held_out)?;
    }
    if let Some(exam) = exam {
        println!("{}", describe(seq, &exam));
    }
    let folder = shell(&args.run);
    println!(
        "{} holds model {seq}, learned from {}; this command took {}.\n\
         Play it:             outflank play {folder}\n\
         Go on by self-play:  outflank train --from {folder} --run ANOTHER",
        args.run,
        count(facts.training, "game"),
        duration(begin.elapsed()),
    );
    Ok(())
}

/// The run and the games that it is to learn from. They are read before a new run is made: were they
/// unfit, it would be bound to its configuration for nothing.
fn open(args: &Learn, start: Option<&Weights>) -> Result<(Training, Games)> {
    let open = |given| Training::open(&args.run, given, &args.hardware);
    if !Run::is_at(&args.run)? {
        let settings = settings(args, start)?;
        let games = Games::read(&settings, args)?;
        return Ok((open(Some(settings))?, games));
    }
    let given = args.config.is_some().then(|| settings(args, start));
    let training = open(given.transpose()?)?;
    expect_of_files(&training)?;
    training.compare_beginning(args.seed, start)?;
    let own = training.settings.selfplay.solve_empties;
    if let Some(empties) = args.solve_empties.filter(|&empties| empties != own) {
        bail!(
            "{} was started with --solve-empties {own}, and now it is {empties}; take another --run, or leave it away to go on",
            args.run
        );
    }
    let games = Games::read(&training.settings, args)?;
    Ok((training, games))
}

/// The configuration of a new run: a generation is a pass over all games.
fn settings(args: &Learn, start: Option<&Weights>) -> Result<Settings> {
    let mut settings = Settings::load(args.config.as_deref().unwrap_or(Path::new("quick")))?;
    settings.seed = args.seed.unwrap_or(settings.seed);
    settings.generations = args.epochs.unwrap_or(EPOCHS);
    settings.training.samples_per_position = 1.0;
    settings.training.window.least = ALL_POSITIONS;
    settings.training.window.most = ALL_POSITIONS;
    if let Some(empties) = args.solve_empties {
        settings.selfplay.solve_empties = empties;
    }
    if let Some(start) = start {
        settings.begin_with(start.architecture())?;
    }
    Ok(settings)
}

/// Examines a model, and keeps the result in the run.
fn examine(
    training: &Training,
    seq: u64,
    weights: &Weights,
    held_out: &[GameRecord],
) -> Result<Option<Exam>> {
    let exam = examination(training, weights, held_out)?;
    if let Some(exam) = &exam {
        let name = format!("{seq:06}-exam").parse()?;
        training.run.put_result(Folder::Metrics, &name, exam)?;
    }
    Ok(exam)
}

/// The means over all positions of the held-out games; none if there are no games.
fn examination(
    training: &Training,
    weights: &Weights,
    held_out: &[GameRecord],
) -> Result<Option<Exam>> {
    if held_out.is_empty() {
        return Ok(None);
    }
    let network = CompiledNetwork::new(weights);
    let share = held_out.len().div_ceil(training.threads);
    let parts = std::thread::scope(|scope| {
        let parts: Vec<_> = held_out
            .chunks(share)
            .map(|games| {
                let mut network = network.clone();
                scope.spawn(move || {
                    let exams = games.iter().map(|game| Exam::of(game, &mut network));
                    exams.collect::<Result<Vec<_>, _>>()
                })
            })
            .collect();
        let join =
            |part: std::thread::ScopedJoinHandle<'_, _>| part.join().expect("no exam panics");
        parts.into_iter().map(join).collect::<Result<Vec<_>, _>>()
    })?;
    // Game by game, so that the sums do not depend on the number of threads.
    let mut all = Exam::default();
    parts.iter().flatten().for_each(|exam| all.add(exam));
    Ok(Some(all.means()))
}

fn describe(seq: u64, exam: &Exam) -> String {
    format!(
        "model {seq} on the held-out games: of {} moves {:.1} % foreseen (top-1), {:.1} % among the \
         first three; policy loss {:.3}, value off by {:.3}, margin by {:.1} discs",
        thousands(exam.positions as u64),
        100.0 * exam.top1,
        100.0 * exam.top3,
        exam.policy_loss,
        exam.outcome_error,
        exam.margin_error,
    )
}
