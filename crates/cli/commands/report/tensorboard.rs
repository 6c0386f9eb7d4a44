//! A run's curves as an event file of TensorBoard, by the crate `export`.

use std::time::{SystemTime, UNIX_EPOCH};

use outflank_arena::Rated;
use outflank_export::{Scalar, to_tensorboard};

use super::data::Data;
use crate::commands::ladder::kept::model_of;

/// The name of the file: TensorBoard looks for the part in the middle.
pub const FILE: &str = "events.out.tfevents.0.outflank";

/// The bytes of the file. Steps are generations; their times follow from how long each took, as if
/// the last one had ended now.
pub fn events(data: &Data) -> Vec<u8> {
    let mut numbers = numbers(data);
    numbers.retain(|(_, _, value)| value.is_finite());
    numbers.sort_by_key(|&(generation, _, _)| generation);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0.0, |now| now.as_secs_f64());
    let after = |generation: u64| -> f64 {
        let learning = data
            .learning
            .iter()
            .map(|l| (l.generation, l.learning_seconds));
        let playing = data.playing.iter().map(|(&seq, part)| (seq, part.seconds));
        let tracked = data.tracked.iter().map(|t| (t.generation, t.seconds));
        let later = learning
            .chain(playing)
            .chain(tracked)
            .filter(|(seq, _)| *seq > generation);
        later.map(|(_, seconds)| seconds).sum()
    };
    let scalars: Vec<Scalar> = numbers
        .into_iter()
        .map(|(step, tag, value)| Scalar {
            tag,
            step,
            wall_time: now - after(step),
            value: value as f32,
        })
        .collect();
    to_tensorboard(&scalars)
}

/// Generation, name and value of all that the report plots.
fn numbers(data: &Data) -> Vec<(u64, String, f64)> {
    let mut numbers = Vec::new();
    let mut add = |generation: u64, tag: &str, value: f64| {
        numbers.push((generation, tag.to_owned(), value));
    };
    for l in &data.learning {
        add(l.generation, "loss/policy", l.losses.policy);
        add(l.generation, "loss/outcome", l.losses.outcome);
        add(l.generation, "loss/margin", l.losses.margin);
        add(l.generation, "loss/ownership", l.losses.ownership);
        add(l.generation, "learning/rate", l.learning_rate);
        add(
            l.generation,
            "learning/steps_a_second",
            l.steps as f64 / l.learning_seconds,
        );
        add(l.generation, "time/learning", l.learning_seconds);
    }
    for (&generation, part) in &data.playing {
        let a_second = |count: u64| count as f64 / part.seconds;
        add(generation, "self_play/games_a_second", a_second(part.games));
        add(
            generation,
            "self_play/evaluations_a_second",
            a_second(part.evaluations),
        );
        add(generation, "time/self_play", part.seconds);
    }
    for (&generation, games) in &data.generations {
        let a_game = |count: u64| count as f64 / games.games as f64;
        add(generation, "games/discs_placed", a_game(games.placed));
        add(generation, "games/margin", a_game(games.margin));
        add(generation, "games/won_by_black", a_game(games.black_wins));
        add(generation, "games/drawn", a_game(games.draws));
        add(generation, "games/ended_by_solver", a_game(games.solved));
        add(
            generation,
            "games/policy_entropy",
            games.entropy / games.searches as f64,
        );
    }
    for tracked in &data.tracked {
        add(tracked.generation, "time/measuring", tracked.seconds);
        if let Some(row) = &tracked.accuracy {
            add(
                tracked.generation,
                "solved/best_moves_policy",
                row.policy.optimal,
            );
            add(
                tracked.generation,
                "solved/best_moves_search",
                row.search.optimal,
            );
            add(
                tracked.generation,
                "solved/discs_lost_policy",
                row.policy.discs_lost,
            );
            add(
                tracked.generation,
                "solved/discs_lost_search",
                row.search.discs_lost,
            );
            add(tracked.generation, "solved/margin_error", row.margin_error);
        }
    }
    let measured = |player: &&Rated| data.measured.contains(&player.name);
    for player in data.ladder.players.iter().filter(measured) {
        if let Some((model, simulations)) = model_of(&player.name) {
            let tag = |what: &str| format!("elo/{simulations}_simulations{what}");
            add(model, &tag(""), player.rating.elo);
            add(model, &tag("_low"), player.rating.low);
            add(model, &tag("_high"), player.rating.high);
        }
    }
    numbers
}
