//! The part of the page about speed and time.

use std::time::Duration;

use anyhow::Result;

use super::data::Data;
use super::markup::{figure, note, section, table};
use super::plots::{Chart, Series};
use crate::progress::duration;

/// Something that takes time, and how much of it by generation.
struct Part {
    name: &'static str,
    seconds: Vec<(f64, f64)>,
}

pub fn time(page: &mut String, data: &Data) -> Result<()> {
    if data.learning.is_empty() && data.playing.is_empty() {
        return Ok(());
    }
    section(page, "Speed and time")?;
    page.push_str("<div class=\"grid\">");
    let playing = |name: &str, count: fn(&super::data::Playing) -> u64| {
        let parts = data.playing.iter();
        let points = parts.map(move |(&seq, part)| (seq as f64, count(part) as f64 / part.seconds));
        Series::new(name, points)
    };
    let a_second = |series| Chart {
        x: "generation",
        y: "a second",
        series: vec![series],
        floor: Some(0.0),
        ..Chart::default()
    };
    figure(
        page,
        "Games of self-play",
        &a_second(playing("games", |part| part.games)),
    )?;
    let evaluations = playing("positions evaluated, remembered ones included", |part| {
        part.evaluations
    });
    figure(page, "Evaluations of self-play", &a_second(evaluations))?;
    let steps = data.learning.iter();
    let steps = steps.map(|l| (l.generation as f64, l.steps as f64 / l.learning_seconds));
    figure(
        page,
        "Steps of learning",
        &a_second(Series::new("steps", steps)),
    )?;
    shares(page, &parts(data))?;
    page.push_str("</div>");
    Ok(())
}

fn parts(data: &Data) -> Vec<Part> {
    let playing = |share: fn(Option<f64>) -> f64| {
        let parts = data.playing.iter();
        parts
            .map(|(&seq, part)| (seq as f64, part.seconds * share(part.network_share)))
            .collect()
    };
    let learning = data.learning.iter();
    let tracked = data.tracked.iter();
    vec![
        Part {
            name: "self-play: network",
            seconds: playing(|share| share.unwrap_or(0.0)),
        },
        Part {
            name: "self-play: search, rules, solver",
            seconds: playing(|share| 1.0 - share.unwrap_or(0.0)),
        },
        Part {
            name: "learning",
            seconds: learning
                .map(|l| (l.generation as f64, l.learning_seconds))
                .collect(),
        },
        Part {
            name: "measuring",
            seconds: tracked
                .map(|tracked| (tracked.generation as f64, tracked.seconds))
                .collect(),
        },
    ]
}

/// Where the time goes.
fn shares(page: &mut String, parts: &[Part]) -> Result<()> {
    let series = parts
        .iter()
        .filter(|part| part.seconds.iter().any(|&(_, seconds)| seconds > 0.0));
    let chart = Chart {
        x: "generation",
        y: "seconds",
        series: series
            .map(|part| Series::new(part.name, part.seconds.iter().copied()))
            .collect(),
        floor: Some(0.0),
        ..Chart::default()
    };
    figure(page, "Time of a generation by part", &chart)?;
    let sum = |part: &Part| {
        part.seconds
            .iter()
            .map(|&(_, seconds)| seconds)
            .sum::<f64>()
    };
    let all: f64 = parts.iter().map(sum).sum();
    let rows = parts.iter().filter(|part| sum(part) > 0.0).map(|part| {
        vec![
            part.name.to_owned(),
            duration(Duration::from_secs_f64(sum(part))),
            format!("{:.1} %", 100.0 * sum(part) / all),
        ]
    });
    page.push_str("<div class=\"wide\"><h3>Share of the time</h3>");
    table(page, &["part", "time", "share"], rows)?;
    note(
        page,
        "Of the time that was measured; of self-play the longest of the workers' times.",
    )?;
    page.push_str("</div>");
    Ok(())
}
