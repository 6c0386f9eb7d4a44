//! The parts of the page about the games of self-play.

use std::fmt::Write;

use anyhow::Result;
use outflank_rules::{Game, Passes, Scoring};
use serde::Serialize;

use super::data::{Data, GenerationGames};
use super::markup::{escape, figure, note, section};
use super::plots::{Chart, Series};

/// A game for the board of the page.
#[derive(Serialize)]
struct Replay {
    title: String,
    side: usize,
    moves: Vec<String>,
    positions: Vec<String>,
}

/// Results and lengths.
pub fn games(page: &mut String, data: &Data) -> Result<()> {
    section(page, "Games of self-play")?;
    if data.generations.is_empty() {
        return note(page, "No games were learned from yet.");
    }
    let share = |count: fn(&GenerationGames) -> u64| {
        move |games: &GenerationGames| 100.0 * count(games) as f64 / games.games as f64
    };
    page.push_str("<div class=\"grid\">");
    let mut chart = by_generation(
        data,
        "per cent of the games",
        [
            (
                "won by Black",
                &share(|games| games.black_wins) as &dyn Fn(&_) -> f64,
            ),
            ("drawn", &share(|games| games.draws)),
            ("ended by the solver", &share(|games| games.solved)),
        ],
    );
    chart.ceiling = Some(103.0);
    figure(page, "Results", &chart)?;
    let per_game = |count: fn(&GenerationGames) -> u64| {
        move |games: &GenerationGames| count(games) as f64 / games.games as f64
    };
    let chart = by_generation(
        data,
        "a game",
        [
            (
                "discs placed",
                &per_game(|games| games.placed) as &dyn Fn(&_) -> f64,
            ),
            ("final margin in discs", &per_game(|games| games.margin)),
        ],
    );
    figure(page, "Length and margin", &chart)?;
    page.push_str("</div>");
    note(
        page,
        "A game that the solver ends may have its last moves left out; its margin is that of perfect play.",
    )
}

/// Some games on a board.
pub fn replay(page: &mut String, data: &Data) -> Result<()> {
    if data.games.is_empty() && data.match_games.is_empty() {
        return Ok(());
    }
    section(page, "Games to look at")?;
    let own = data.games.iter().map(|game| Replay::new("self-play", game));
    let matches = data.match_games.iter().map(|played| {
        let [black, white] = &played.players;
        Replay::new(&format!("{black} v. {white}"), &played.game)
    });
    let replays: Vec<Replay> = own.chain(matches).collect();
    page.push_str("<div class=\"replay\"><div class=\"board\" id=\"board\"></div><div><p><select id=\"game\">");
    for (place, replay) in replays.iter().enumerate() {
        write!(
            page,
            "<option value=\"{place}\">{}</option>",
            escape(&replay.title)
        )?;
    }
    page.push_str(
        "</select></p><p><button id=\"first\">&laquo;</button> <button id=\"back\">&lsaquo;</button> \
         <button id=\"forth\">&rsaquo;</button> <button id=\"last\">&raquo;</button> \
         <span id=\"ply\"></span></p>",
    );
    note(
        page,
        "Games of the newest generation, and of the newest model in matches, Black named first; the \
         arrow keys go through the moves.",
    )?;
    // `<` in a script's data could end it.
    let json = serde_json::to_string(&replays)?.replace('<', "\\u003c");
    write!(
        page,
        "</div></div><script type=\"application/json\" id=\"games\">{json}</script><script>{}</script>",
        include_str!("replay.js")
    )?;
    Ok(())
}

impl Replay {
    fn new(who: &str, game: &Game) -> Replay {
        let side = game.start().board.size().side();
        let positions = (0..=game.plies().len()).filter_map(|plies| game.position_after(plies));
        let transcript = game.transcript(Passes::Omitted);
        let begin = transcript.get(..12).unwrap_or(&transcript);
        let margin = match game.is_over() {
            true => format!("Black {:+}", game.score(Scoring::Tournament)),
            false => "not played out".to_owned(),
        };
        Replay {
            title: format!("{who}: {begin}..., {margin}"),
            side,
            moves: game.plies().iter().map(|ply| ply.mv.to_string()).collect(),
            positions: positions
                .map(|position| position.notation()[..side * side].to_owned())
                .collect(),
        }
    }
}

/// A name and what it measures.
type Curve<'a> = (&'a str, &'a dyn Fn(&GenerationGames) -> f64);

/// Curves over the generations of the games.
pub fn by_generation<const N: usize>(
    data: &Data,
    y: &'static str,
    curves: [Curve<'_>; N],
) -> Chart {
    let series = curves.map(|(name, value)| {
        let generations = data.generations.iter();
        Series::new(
            name,
            generations.map(|(&seq, games)| (seq as f64, value(games))),
        )
    });
    Chart {
        x: "generation",
        y,
        series: series.into(),
        floor: Some(0.0),
        ..Chart::default()
    }
}
