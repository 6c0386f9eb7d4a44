//! The built-in players against each other: matches, the crosstable, and the ladder.
//!
//! `cargo run --release -p outflank-arena --example round_robin -- 50 random greedy alpha-beta:3`
//! plays 50 pairs of games for each two of the named players.

use std::error::Error;
use std::ops::ControlFlow;

use outflank_arena::{
    Builtin, Ladder, LadderConfig, MatchConfig, MatchObserver, OpeningSet, PlayedGame,
    PlayerFactory, Progress, Schedule, play_tournament,
};
use outflank_rules::Size;

/// Prints one line a match.
struct Lines;

impl MatchObserver for Lines {
    fn begin(&mut self, players: [&str; 2], _: &Progress) {
        eprint!("{} v. {}: ", players[0], players[1]);
    }

    fn pair(&mut self, _: &[PlayedGame; 2], progress: &Progress) -> ControlFlow<()> {
        if progress.pairs_done == progress.pairs_planned {
            eprintln!("{}", progress.scores.elo());
        }
        ControlFlow::Continue(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let pairs = arguments.next().map_or(Ok(20), |pairs| pairs.parse())?;
    let mut players: Vec<Builtin> = arguments
        .map(|name| name.parse())
        .collect::<Result<_, _>>()?;
    if players.is_empty() {
        players = [
            "random",
            "greedy",
            "alpha-beta:1",
            "alpha-beta:3",
            "rollout:100",
        ]
        .map(|name| name.parse())
        .into_iter()
        .collect::<Result<_, _>>()?;
    }
    let factories: Vec<&dyn PlayerFactory> = players
        .iter()
        .map(|player| player as &dyn PlayerFactory)
        .collect();

    let openings = OpeningSet::random(Size::Eight, 6, pairs, 1)?;
    let config = MatchConfig {
        pairs,
        ..MatchConfig::default()
    };
    let result = play_tournament(
        &factories,
        Schedule::RoundRobin,
        &openings,
        &config,
        &mut Lines,
    )?;
    for played in &result.matches {
        println!("{played}");
    }
    println!("{result}");

    let ladder = Ladder::fit(&result.scores(), &LadderConfig::default())?;
    println!("{ladder}");
    for suggestion in ladder.suggest(3, 2 * pairs) {
        println!(
            "next: {} v. {}",
            suggestion.players[0], suggestion.players[1]
        );
    }
    Ok(())
}
