//! `outflank accuracy`: a model against the truth, on positions that the solver has solved.

pub mod judge;
pub mod suite;

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use outflank_net::CompiledNetwork;
use serde::Serialize;

use self::judge::{Choices, Row, judge_all, search_config};
use self::suite::Wanted;
use super::loops::thread_count;
use crate::args;
use crate::players::load_named;

/// The measurement as JSON.
#[derive(Serialize)]
struct Accuracy {
    model: String,
    simulations: u32,
    all: Row,
    by_empties: BTreeMap<u32, Row>,
}

pub fn run(args: &args::Accuracy) -> Result<()> {
    let (name, model) = load_named(&args.model)?;
    let network = CompiledNetwork::new(&model.weights);
    let config = search_config(args.simulations)?;
    let threads = thread_count(args.threads)?;
    let size = network.architecture().size;
    let wanted = Wanted::new(size, args)?;
    let positions = suite::positions(size, &wanted, args.suite.as_deref(), threads)?;
    if positions.is_empty() {
        bail!(
            "there are no positions with {} to {} empty squares and a choice of moves",
            args.least_empties,
            args.most_empties
        );
    }

    let rows = judge_all(&positions, &network, &config, threads);
    let mut by_empties: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    for (solved, row) in positions.iter().zip(&rows) {
        let of_these = by_empties.entry(solved.board.empties()).or_default();
        of_these.push(*row);
    }
    let by_empties = by_empties
        .iter()
        .map(|(&empties, rows)| (empties, Row::mean(rows.iter())))
        .collect();
    let all = Row::mean(rows.iter());
    let accuracy = Accuracy {
        model: name,
        simulations: args.simulations,
        all,
        by_empties,
    };
    if args.json {
        println!("{}", serde_json::to_string_pretty(&accuracy)?);
    } else {
        accuracy.print();
    }
    Ok(())
}

impl Accuracy {
    fn print(&self) {
        println!(
            "{} on {} solved positions; its search has {} simulations and no help of the solver.",
            self.model, self.all.positions, self.simulations
        );
        println!(
            "                     policy alone                  search            error of the value"
        );
        println!(
            "empties  number   optimal  lost  result    optimal  lost  result    margin   outcome"
        );
        for (empties, row) in &self.by_empties {
            row.print(&empties.to_string());
        }
        self.all.print("all");
        println!(
            "optimal: moves that keep the best score; lost: discs a move; result: moves that keep\n\
             win, draw or loss; margin in discs, outcome from -1 to 1, both mean distances."
        );
    }
}

impl Row {
    fn print(&self, label: &str) {
        let choices = |c: &Choices| {
            format!(
                "{:6.1} % {:5.2} {:5.1} %",
                100.0 * c.optimal,
                c.discs_lost,
                100.0 * c.result_kept
            )
        };
        println!(
            "{label:>7} {:7}  {}   {}    {:6.2}    {:6.3}",
            self.positions,
            choices(&self.policy),
            choices(&self.search),
            self.margin_error,
            self.outcome_error
        );
    }
}
