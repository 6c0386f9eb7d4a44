//! The page around the plots.

use std::fmt::Write;

use anyhow::Result;

use super::data::{Data, GenerationGames, Learning};
use super::markup::{escape, figure, section};
use super::plots::{Chart, Series};
use super::{games, openings, strength, time};
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
    strength::strength(&mut page, data)?;
    learning(&mut page, data)?;
    time::time(&mut page, data)?;
    games::games(&mut page, data)?;
    openings::openings(&mut page, data)?;
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
