//! The parts of the page about strength.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use outflank_arena::Results;

use super::data::Data;
use super::markup::{escape, figure, note, section, table};
use super::plots::{Chart, Series};
use crate::commands::accuracy::judge::{Choices, Row};
use crate::commands::ladder::kept::model_of;

/// The most players of the crosstable: those with the most games.
const CROSSED: usize = 14;

/// The most matches that are listed.
const MATCHES: usize = 20;

pub fn strength(page: &mut String, data: &Data) -> Result<()> {
    section(page, "Strength")?;
    if data.scores.names().is_empty() {
        note(
            page,
            "No games for a rating were played yet: <code>outflank ladder RUN</code> plays some.",
        )?;
    } else {
        ratings(page, data)?;
        crosstable(page, data)?;
        matches(page, data)?;
    }
    accuracy(page, data)
}

fn ratings(page: &mut String, data: &Data) -> Result<()> {
    let ladder = &data.ladder;
    // The curve is of what training and `ladder` have measured. What somebody tried besides, at any
    // number of simulations, is on the same scale, but no part of a curve.
    let mut by_simulations: BTreeMap<(bool, u32), Vec<_>> = BTreeMap::new();
    let mut chart = Chart {
        x: "model",
        y: "Elo, random = 0",
        ..Chart::default()
    };
    // One scale: the first group's, to which the anchors belong.
    for player in ladder.players.iter().filter(|player| player.group == 0) {
        match model_of(&player.name) {
            Some((seq, simulations)) => {
                let tried = !data.measured.contains(&player.name);
                let of_these = by_simulations.entry((tried, simulations)).or_default();
                of_these.push((seq as f64, player.rating));
            }
            None => chart.levels.push((player.name.clone(), player.rating.elo)),
        }
    }
    for ((tried, simulations), mut rated) in by_simulations {
        rated.sort_by(|a, b| a.0.total_cmp(&b.0));
        let name = match tried {
            true => format!("{simulations} simulations a move, tried in the arena"),
            false => format!("{simulations} simulations a move"),
        };
        let points = rated.iter().map(|(seq, rating)| (*seq, rating.elo));
        let mut series = Series::new(name, points);
        series.joined = !tried;
        let intervals = rated.iter();
        series.intervals = intervals.map(|(seq, r)| (*seq, r.low, r.high)).collect();
        chart.series.push(series);
    }
    page.push_str("<div class=\"grid\">");
    figure(page, "Learning curve: rating by model", &chart)?;
    page.push_str("<div class=\"wide high\">");
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
        "One Bradley-Terry fit over all games that the run keeps; bars and intervals are 95 %. The \
         table is in the order of what the games assure: with few games a rating counts for less. \
         Lines join the models that training and <code>outflank ladder</code> have measured.",
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

/// Who scored what against whom.
fn crosstable(page: &mut String, data: &Data) -> Result<()> {
    let mut players: Vec<_> = data.ladder.players.iter().collect();
    players.sort_by_key(|player| std::cmp::Reverse(player.games));
    let left_out = players.len().saturating_sub(CROSSED);
    players.truncate(CROSSED);
    players.sort_by(|a, b| {
        let order = |group: usize, elo: f64| (group, -elo);
        let [a, b] = [a, b].map(|player| order(player.group, player.rating.elo));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let names = data.scores.names();
    let meetings: HashMap<(&str, &str), Results> = data
        .scores
        .meetings()
        .flat_map(|(a, b, results)| {
            let (a, b) = (names[a].as_str(), names[b].as_str());
            [((a, b), results), ((b, a), results.reversed())]
        })
        .collect();
    let numbers: Vec<String> = (1..=players.len()).map(|n| n.to_string()).collect();
    let mut head = vec!["per cent (games)"];
    head.extend(numbers.iter().map(String::as_str));
    let rows = players.iter().zip(&numbers).map(|(player, number)| {
        let mut row = vec![format!("{number} {}", player.name)];
        row.extend(players.iter().map(|other| {
            let met = meetings.get(&(player.name.as_str(), other.name.as_str()));
            met.map_or(String::new(), |results| {
                format!("{:.0} ({})", 100.0 * results.score(), results.games())
            })
        }));
        row
    });
    page.push_str("<h3>Crosstable</h3><div class=\"wide\">");
    table(page, &head, rows)?;
    page.push_str("</div>");
    if left_out > 0 {
        let text = format!("{left_out} players with fewer games are left out.");
        note(page, &text)?;
    }
    Ok(())
}

/// The matches that were played beside the ladder.
fn matches(page: &mut String, data: &Data) -> Result<()> {
    if data.matches.is_empty() {
        return Ok(());
    }
    page.push_str("<h3>Matches</h3><div class=\"wide\">");
    let rows = data.matches.iter().rev().take(MATCHES).map(|result| {
        let summary = &result.summary;
        vec![
            format!("{} v. {}", result.players[0], result.players[1]),
            result.games.len().to_string(),
            format!("{:.1} %", 100.0 * summary.score),
            format!("{:+.0}", summary.elo.elo),
            format!("{:+.0} to {:+.0}", summary.elo.low, summary.elo.high),
            format!("{:.1} %", 100.0 * summary.superiority),
            format!("{:+.1}", summary.mean_margin),
            result.openings.distinct.to_string(),
            summary.distinct_games.to_string(),
        ]
    });
    let head = [
        "match",
        "games",
        "score",
        "Elo",
        "95 % interval",
        "stronger with",
        "discs",
        "openings",
        "distinct games",
    ];
    table(page, &head, rows)?;
    page.push_str("</div>");
    note(page, "The newest first; figures are the first player's.")
}

/// The measurements on solved positions while the run was trained.
fn accuracy(page: &mut String, data: &Data) -> Result<()> {
    let rows: Vec<(f64, &Row)> = data
        .tracked
        .iter()
        .filter_map(|tracked| Some((tracked.generation as f64, tracked.accuracy.as_ref()?)))
        .collect();
    let Some((_, row)) = rows.last() else {
        return Ok(());
    };
    let simulations = data.tracked.last().map_or(0, |tracked| tracked.simulations);
    let of =
        |name: String, choices: fn(&Row) -> &Choices, value: fn(&Choices) -> (f64, [f64; 2])| {
            let values = rows.iter().map(|(x, row)| (*x, value(choices(row))));
            let mut series = Series::new(name, values.clone().map(|(x, (y, _))| (x, y)));
            series.intervals = values.map(|(x, (_, [low, high]))| (x, low, high)).collect();
            series
        };
    let both = |value| {
        vec![
            of("policy alone".to_owned(), |row| &row.policy, value),
            of(
                format!("search of {simulations} simulations"),
                |row| &row.search,
                value,
            ),
        ]
    };
    page.push_str("<h3>On solved positions</h3><div class=\"grid\">");
    let best_moves = Chart {
        x: "model",
        y: "per cent of the positions",
        series: both(|c| (100.0 * c.optimal, c.optimal_95.map(|end| 100.0 * end))),
        ..Chart::default()
    };
    figure(page, "Best moves found", &best_moves)?;
    let lost = Chart {
        x: "model",
        y: "discs",
        series: both(|c| (c.discs_lost, c.discs_lost_95)),
        floor: Some(0.0),
        ..Chart::default()
    };
    figure(page, "Discs lost a move", &lost)?;
    let error = Chart {
        x: "model",
        y: "discs",
        series: vec![Series::new(
            "distance of the network's margin from the true one",
            rows.iter().map(|(x, row)| (*x, row.margin_error)),
        )],
        floor: Some(0.0),
        ..Chart::default()
    };
    figure(page, "Error of the value", &error)?;
    page.push_str("</div>");
    note(
        page,
        &format!(
            "{} positions, the same for every model; the search has no help of the solver. Bars are \
             95 % intervals.",
            row.positions
        ),
    )
}
