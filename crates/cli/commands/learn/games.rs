//! `outflank learn --games`: a run that learns from games of others.

mod base;

use std::time::Instant;

use anyhow::{Result, bail};
use outflank_net::{CompiledNetwork, Weights};
use outflank_records::GameRecord;
use outflank_run::{Folder, Run};
use outflank_train::Exam;

use self::base::Base;
use crate::args::Learn;
use crate::commands::loops::Training;
use crate::players::load_named;
use crate::progress::{duration, say, thousands};
use crate::settings::Settings;

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
    let continued = args.config.is_none() && Run::is_at(&args.run)?;
    let given = match continued {
        true => None,
        false => Some(settings(args, start.as_ref())?),
    };
    let training = Training::open(&args.run, given, &args.hardware)?;
    let epochs = args.epochs.unwrap_or(training.settings.generations);
    let Base { facts, held_out } = Base::read(&training, args)?;
    say(&format!(
        "{}: {} games to learn from, {} to be examined on, {} left out",
        args.run,
        thousands(facts.training),
        thousands(facts.held_out),
        thousands(facts.left_out),
    ));

    let mut learner = training.learner(epochs, start.as_ref())?;
    if learner.latest().seq == 0 {
        examine(&training, 0, learner.weights(), &held_out)?;
    }
    while learner.latest().seq < epochs {
        match learner.latest().seq {
            0 => training.learn_generation(&mut learner, epochs)?,
            _ => training.revise_generation(&mut learner, epochs)?,
        }
        examine(
            &training,
            learner.latest().seq,
            learner.weights(),
            &held_out,
        )?;
    }
    let seq = learner.latest().seq;
    if let Some(exam) = examination(&training, learner.weights(), &held_out)? {
        println!("model {seq} on the held-out games: {}", describe(&exam));
    }
    let folder = &args.run;
    println!(
        "{folder} holds model {seq}, learned from {} games; this command took {}.\n\
         Play it:             outflank play {folder}\n\
         Go on by self-play:  outflank train --from {folder} --run ANOTHER",
        thousands(facts.training),
        duration(begin.elapsed()),
    );
    Ok(())
}

/// The configuration of a new run: a generation is a pass over all games.
fn settings(args: &Learn, start: Option<&Weights>) -> Result<Settings> {
    let mut settings = Settings::load(args.config.as_deref().unwrap_or("quick"))?;
    settings.seed = args.seed.unwrap_or(settings.seed);
    settings.generations = args.epochs.unwrap_or(EPOCHS);
    settings.training.samples_per_position = 1.0;
    settings.training.window.least = ALL_POSITIONS;
    settings.training.window.most = ALL_POSITIONS;
    if let Some(empties) = args.solve_empties {
        settings.selfplay.solve_empties = empties;
    }
    if let Some(start) = start {
        settings.network = start.architecture().clone();
    }
    Ok(settings)
}

/// Examines a model, tells the result and keeps it in the run.
fn examine(
    training: &Training,
    seq: u64,
    weights: &Weights,
    held_out: &[GameRecord],
) -> Result<()> {
    if let Some(exam) = examination(training, weights, held_out)? {
        say(&format!(
            "model {seq} on the held-out games: {}",
            describe(&exam)
        ));
        let name = format!("{seq:06}-exam").parse()?;
        training.run.put_result(Folder::Metrics, &name, &exam)?;
    }
    Ok(())
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

fn describe(exam: &Exam) -> String {
    format!(
        "of {} moves {:.1} % foreseen (top-1), {:.1} % among the first three; policy loss {:.3}, \
         value off by {:.3}, margin by {:.1} discs",
        thousands(exam.positions as u64),
        100.0 * exam.top1,
        100.0 * exam.top3,
        exam.policy_loss,
        exam.outcome_error,
        exam.margin_error,
    )
}
