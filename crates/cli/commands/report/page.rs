//! The page around the plots.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Result;

use super::data::{Data, GenerationGames, Learning};
use super::games;
use super::markup::{escape, figure, note, section, table};
use super::plots::{Chart, Series};
use crate::commands::ladder::model_of;
use crate::progress::thousands;

/// The whole page.
pub fn html(data: &Data) -> Result<String> {
    let mut page = String::new();
    let name = escape(&data.name);
    write!(
        page,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{name} - Outflank</title><style>{}</style></head><body>\
         <h1>{name}</h1>",
        include_str!("page.css")
    )?;
    facts(&mut page, data)?;
    strength(&mut page, data)?;
    learning(&mut page, data)?;
    games::games(&mut page, data)?;
    games::openings(&mut page, data)?;
    games::replay(&mut page, data)?;
    if let Some(config) = &data.config {
        section(&mut page, "Configuration")?;
        write!(page, "<pre>{}</pre>", escape(config))?;
    }
    page.push_str("</body></html>\n");
    Ok(page)
}

fn facts(page: &mut String, data: &Data) -> Result<()> {
    let mut facts = Vec::new();
    if let Some(size) = data.size {
        facts.push((size.to_string(), "board"));
    }
    if let Some(newest) = &data.newest {
        facts.push((newest.seq.to_string(), "newest model"));
        facts.push((thousands(newest.totals.games), "games"));
        facts.push((thousands(newest.totals.positions), "positions searched"));
        facts.push((thousands(newest.totals.steps), "steps"));
    }
    let seconds: f64 = data
        .learning
        .iter()
        .map(|learning| learning.learning_seconds)
        .sum();
    if seconds > 0.0 {
        let time = crate::progress::duration(std::time::Duration::from_secs_f64(seconds));
        facts.push((time, "spent learning"));
    }
    page.push_str("<div class=\"facts\">");
    for (value, label) in facts {
        write!(
            page,
            "<div><b>{}</b><span>{label}</span></div>",
            escape(&value)
        )?;
    }
    page.push_str("</div>");
    Ok(())
}

fn strength(page: &mut String, data: &Data) -> Result<()> {
    section(page, "Strength")?;
    if data.matches.is_empty() {
        return note(
            page,
            &format!(
                "No ladder was played yet: <code>outflank ladder {}</code> plays one.",
                escape(&data.name)
            ),
        );
    }
    let ladder = &data.ladder;
    let mut by_simulations: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    let mut chart = Chart {
        x: "model",
        y: "Elo, random = 0",
        ..Chart::default()
    };
    for player in &ladder.players {
        match model_of(&player.name) {
            Some((seq, simulations)) => {
                let of_these = by_simulations.entry(simulations).or_default();
                of_these.push((seq as f64, player.rating));
            }
            None => chart.levels.push((player.name.clone(), player.rating.elo)),
        }
    }
    for (simulations, mut rated) in by_simulations {
        rated.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut series = Series::new(
            format!("{simulations} simulations a move"),
            rated.iter().map(|(seq, rating)| (*seq, rating.elo)),
        );
        let intervals = rated.iter();
        series.intervals = intervals.map(|(seq, r)| (*seq, r.low, r.high)).collect();
        chart.series.push(series);
    }
    page.push_str("<div class=\"grid\">");
    figure(page, "Rating by model", &chart)?;
    page.push_str("<div class=\"wide\">");
    let rows = ladder.players.iter().map(|player| {
        let r = player.rating;
        let interval = match player.fixed {
            true => "fixed".to_owned(),
            false => format!("{:.0} to {:.0}", r.low, r.high),
        };
        vec![
            player.name.clone(),
            format!("{:.0}", r.elo),
            interval,
            player.games.to_string(),
            format!("{:.1} %", 100.0 * player.score),
        ]
    });
    table(
        page,
        &["player", "Elo", "95 % interval", "games", "score"],
        rows,
    )?;
    page.push_str("</div></div>");
    note(
        page,
        "One Bradley-Terry fit over all games of the ladder; bars and intervals are 95 %.",
    )?;
    for [stronger, weaker] in &ladder.held {
        note(
            page,
            &escape(&format!(
                "{stronger} has not lost a point to the side of {weaker}: the gap is a lower bound."
            )),
        )?;
    }
    if ladder.groups.len() > 1 {
        note(
            page,
            "Not all players are connected by games; ratings of unconnected ones cannot be compared.",
        )?;
    }
    Ok(())
}

fn learning(page: &mut String, data: &Data) -> Result<()> {
    section(page, "Learning")?;
    let curve = |name: &str, value: &dyn Fn(&Learning) -> f64| {
        let points = data.learning.iter();
        Series::new(name, points.map(|l| (l.generation as f64, value(l))))
    };
    page.push_str("<div class=\"grid\">");
    let chart = Chart {
        x: "generation",
        y: "loss",
        series: vec![
            curve("policy", &|l| l.losses.policy),
            curve("outcome", &|l| l.losses.outcome),
            curve("margin", &|l| l.losses.margin),
            curve("ownership", &|l| l.losses.ownership),
        ],
        floor: Some(0.0),
        ..Chart::default()
    };
    figure(page, "Losses", &chart)?;
    let entropy = |games: &GenerationGames| games.entropy / games.searches as f64;
    let chart = games::by_generation(
        data,
        "nats",
        [("policy found by the search", &entropy as &dyn Fn(&_) -> f64)],
    );
    figure(page, "Entropy of the search's policy", &chart)?;
    let chart = Chart {
        x: "generation",
        y: "learning rate",
        series: vec![curve("learning rate", &|l| l.learning_rate)],
        floor: Some(0.0),
        ..Chart::default()
    };
    figure(page, "Learning rate", &chart)?;
    let chart = Chart {
        x: "generation",
        y: "a second",
        series: vec![curve("learning steps", &|l| {
            l.steps as f64 / l.learning_seconds
        })],
        floor: Some(0.0),
        ..Chart::default()
    };
    figure(page, "Speed of learning", &chart)?;
    let playing = data.playing.iter();
    let chart = Chart {
        x: "generation",
        y: "a second",
        series: vec![Series::new(
            "games",
            playing.map(|(&seq, part)| (seq as f64, part.games as f64 / part.seconds)),
        )],
        floor: Some(0.0),
        ..Chart::default()
    };
    figure(page, "Speed of self-play", &chart)?;
    calibration(page, data)?;
    page.push_str("</div>");
    Ok(())
}

fn calibration(page: &mut String, data: &Data) -> Result<()> {
    let filled = data
        .calibration
        .iter()
        .filter(|bucket| bucket.positions > 0);
    let points = filled.map(|bucket| {
        let positions = bucket.positions as f64;
        (bucket.expected / positions, bucket.outcome / positions)
    });
    let series = Series::new("mean outcome of positions with this value", points);
    if series.points.is_empty() {
        return Ok(());
    }
    let chart = Chart {
        x: "value that the search expected",
        y: "outcome",
        series: vec![
            series,
            Series::new("if they agreed", [(-1.0, -1.0), (1.0, 1.0)]),
        ],
        floor: Some(-1.05),
        ceiling: Some(1.05),
        ..Chart::default()
    };
    figure(
        page,
        &format!(
            "Values against outcomes, generations from {}",
            data.recent_from + 1
        ),
        &chart,
    )
}
