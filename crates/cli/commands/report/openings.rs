//! The part of the page about openings. Symmetric ones are one.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;

use super::data::{Data, GenerationGames, OPENING_PLIES};
use super::lines::{PLIES, SIMULATIONS};
use super::markup::{figure, note, section, table};
use super::plots::{Chart, Series};

/// Rows of the table of openings.
const OPENINGS_SHOWN: usize = 12;

/// The usual names of White's three first answers on the 8x8 board.
const ANSWERS: [(&str, &str); 3] = [
    ("f5d6", "perpendicular"),
    ("f5f6", "diagonal"),
    ("f5f4", "parallel"),
];

/// What is played.
pub fn openings(page: &mut String, data: &Data) -> Result<()> {
    if data.lines.is_empty() && data.openings.is_empty() {
        return Ok(());
    }
    section(page, "Openings")?;
    page.push_str("<div class=\"grid\">");
    answers(page, data)?;
    played(page, data)?;
    expected(page, data)?;
    page.push_str("</div>");
    Ok(())
}

/// How the answers to the first move, which is always the same up to symmetry, have changed.
fn answers(page: &mut String, data: &Data) -> Result<()> {
    let all: BTreeSet<&String> = data
        .generations
        .values()
        .flat_map(|games| games.answers.keys())
        .collect();
    let series = all.into_iter().map(|answer| {
        let generations = data.generations.iter();
        let share = |games: &GenerationGames| {
            let all: u64 = games.answers.values().sum();
            let these = games.answers.get(answer).copied().unwrap_or(0);
            100.0 * these as f64 / all as f64
        };
        Series::new(
            named(answer),
            generations.map(|(&seq, games)| (seq as f64, share(games))),
        )
    });
    let chart = Chart {
        x: "generation",
        y: "per cent",
        series: series.collect(),
        floor: Some(0.0),
        ceiling: Some(103.0),
        ..Chart::default()
    };
    figure(
        page,
        "Answers to the first move that the search chose",
        &chart,
    )
}

/// The openings of the newest games.
fn played(page: &mut String, data: &Data) -> Result<()> {
    let games: u64 = data.openings.values().map(|opening| opening.games).sum();
    if games == 0 {
        return Ok(());
    }
    let mut openings: Vec<_> = data.openings.iter().collect();
    openings.sort_by_key(|(_, opening)| std::cmp::Reverse(opening.games));
    let rows = openings
        .iter()
        .take(OPENINGS_SHOWN)
        .map(|(moves, opening)| {
            vec![
                named(moves),
                opening.games.to_string(),
                format!("{:.1} %", 100.0 * opening.games as f64 / games as f64),
                format!("{:.0} %", 100.0 * opening.points / opening.games as f64),
            ]
        });
    write!(
        page,
        "<div class=\"wide\"><h3>Played in generations from {}</h3>",
        data.recent_from + 1
    )?;
    table(page, &["opening", "games", "share", "Black's points"], rows)?;
    note(
        page,
        &format!(
            "The first {OPENING_PLIES} plies of self-play, random ones included; {} different ones \
             in {games} games.",
            openings.len()
        ),
    )?;
    page.push_str("</div>");
    Ok(())
}

/// The lines that the newest model likes.
fn expected(page: &mut String, data: &Data) -> Result<()> {
    if data.lines.is_empty() {
        return Ok(());
    }
    page.push_str("<div class=\"wide\"><h3>Liked by the newest model</h3>");
    let rows = data.lines.iter().take(OPENINGS_SHOWN).map(|line| {
        vec![
            named(&line.moves),
            format!("{:.1} %", 100.0 * line.probability),
            format!("{:+.1}", line.margin),
        ]
    });
    table(page, &["opening", "probability", "margin"], rows)?;
    note(
        page,
        &format!(
            "What the newest model plays from the start: {PLIES} plies, each with the probability \
             that a search of {SIMULATIONS} simulations gives it, and the margin it expects for Black."
        ),
    )?;
    page.push_str("</div>");
    Ok(())
}

/// An opening with the usual name of White's first answer.
fn named(moves: &str) -> String {
    let answer = ANSWERS.iter().find(|answer| moves.starts_with(answer.0));
    match answer {
        Some((_, name)) => format!("{moves} ({name})"),
        None => moves.to_owned(),
    }
}
