//! Whatever becomes of a configuration's text, it is refused with its name or means something.

use std::panic::catch_unwind;

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{PRESETS, Settings};

const SOURCE: &str = "mutated.toml";

/// Values of every kind, most of them out of any range.
const VALUES: [&str; 27] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "16",
    "64",
    "1e308",
    "-1e308",
    "1e-308",
    "0.5",
    "-0.0",
    "nan",
    "-inf",
    "inf",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "true",
    "\"\"",
    "\"puct\"",
    "[]",
    "[0, 0]",
    "[9223372036854775807, 0]",
    "{}",
    "1979-05-27",
];

/// A place in a line at which a value begins.
fn value_at(line: &str) -> Option<usize> {
    (!line.starts_with('#')).then(|| line.find(" = ").map(|at| at + 3))?
}

/// Makes one change. Where it is another value, says in which line and of which key.
fn mutate(lines: &mut Vec<String>, random: &mut impl Rng) -> Option<(usize, String)> {
    let at = random.random_range(0..lines.len());
    let line = lines[at].clone();
    match random.random_range(0..10) {
        0..5 => {
            let value = value_at(&line)?;
            let replacement = VALUES.choose(random).expect("values");
            lines[at] = format!("{}{replacement}", &line[..value]);
            let key = line[..value].trim_end_matches([' ', '=']);
            return Some((at + 1, key.to_owned()));
        }
        5 => lines.insert(at, line),
        6 => drop(lines.remove(at)),
        7 => {
            let other = random.random_range(0..lines.len());
            lines.swap(at, other);
        }
        8 => {
            let depth = random.random_range(1..200);
            lines.insert(
                at,
                format!("x = {}1{}", "[".repeat(depth), "]".repeat(depth)),
            );
        }
        _ => {
            let mut bytes = line.into_bytes();
            bytes.push(b'\n');
            let byte = random.random_range(0..bytes.len());
            bytes[byte] = random.random();
            lines[at] = String::from_utf8_lossy(&bytes)
                .trim_end_matches('\n')
                .to_owned();
        }
    }
    None
}

#[test]
fn a_changed_configuration_is_refused_by_name_or_valid() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut outcomes = [0; 2];
    for case in 0..6000 {
        let (_, preset) = PRESETS[case % PRESETS.len()];
        let whole = Settings::parse(preset, SOURCE).expect("a preset").to_toml();
        let text = [preset, &whole][random.random_range(0..2)];
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let changes = [1, 1, 2, 5].choose(&mut random).expect("counts");
        let changed: Vec<_> = (0..*changes)
            .map(|_| mutate(&mut lines, &mut random))
            .collect();
        let text = lines.join("\n");
        let parsed = catch_unwind(|| Settings::parse(&text, SOURCE));
        let parsed = parsed.unwrap_or_else(|_| panic!("case {case} panics:\n{text}"));
        outcomes[usize::from(parsed.is_ok())] += 1;
        match parsed {
            Err(error) => {
                let message = format!("{error:#}");
                assert!(message.starts_with(SOURCE), "{message}\n{text}");
                if let [Some((line, key))] = &changed[..] {
                    let place = format!("line {line}:");
                    let named = message.contains(key) || message.contains(&place);
                    assert!(named, "{key} in {place} {message}");
                }
            }
            Ok(settings) => check(&settings, &text),
        }
    }
    assert!(outcomes.iter().all(|&count| count > 500), "{outcomes:?}");
}

/// An accepted configuration says the same when it is written and read again, has no sizes that a computer
/// cannot have, and can be asked for any generation.
fn check(settings: &Settings, text: &str) {
    let again = Settings::parse(&settings.to_toml(), SOURCE).expect(text);
    assert_eq!(settings.difference(&again), None, "{text}");
    let (selfplay, training) = (&settings.selfplay, &settings.training);
    for generation in [0, 1, settings.generations, u64::MAX - 1] {
        assert!(selfplay.simulations_at(generation) <= 1_000_000, "{text}");
        let rate = training
            .learning_rate
            .at(generation, generation, settings.generations);
        assert!(rate.is_finite() && rate >= 0.0, "{rate}: {text}");
        let window = training.window.positions(generation);
        assert!(
            (training.window.least..=training.window.most).contains(&window),
            "{text}"
        );
        training
            .architecture_at(&settings.network, generation)
            .validate()
            .expect(text);
        let share = training.value_target.outcome_share_at(generation);
        assert!((0.0..=1.0).contains(&share), "{share}: {text}");
    }
    for (what, size) in [
        ("games", settings.games_per_generation),
        ("cache", selfplay.cache_entries as u64),
        ("games of a thread", selfplay.games_in_flight as u64),
        ("rating", settings.rating.games as u64),
        ("tracking", settings.tracking.games as u64),
        ("positions", settings.tracking.positions as u64),
        ("gate", settings.gate.games as u64),
    ] {
        assert!(size <= 1 << 24, "{what}: {text}");
    }
}
