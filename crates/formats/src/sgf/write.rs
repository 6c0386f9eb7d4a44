use std::io::Write;

use outflank_rules::{Color, Move, Position};

use crate::{AnnotatedGame, Ending, GameResult, Remark, WriteError};

/// Writes one game and the end of the line.
pub fn write(output: &mut impl Write, game: &AnnotatedGame) -> Result<(), WriteError> {
    Ok(writeln!(output, "{}", format(game)?)?)
}

/// The text of a game, without the end of the line.
pub fn format(game: &AnnotatedGame) -> Result<String, WriteError> {
    let tags = &game.tags;
    let start = game.game().start();
    let size = start.board.size();
    let mut text = format!("(;FF[4]GM[2]CA[UTF-8]SZ[{}]", size.side());
    let mut tag = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("{name}[{}]", escaped(value)));
        }
    };
    tag("EV", &tags.event);
    tag("PC", &tags.place);
    tag("DT", &tags.date);
    tag("PB", &tags.black.name);
    tag("BR", &optional(tags.black.rating)?);
    tag("PW", &tags.white.name);
    tag("WR", &optional(tags.white.rating)?);
    tag("TI", &tags.clock);
    tag("TIB", &tags.black.clock);
    tag("TIW", &tags.white.clock);
    tag("RE", &tags.result.map_or(Ok(String::new()), format_result)?);
    let mut last_name = "";
    for (name, value) in &tags.extra {
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase()) {
            let list = if name == last_name { "" } else { name };
            text.push_str(&format!("{list}[{}]", escaped(value)));
            last_name = name;
        }
    }
    if start != Position::start(size) {
        text.push_str(&set_up(&start));
    }
    let mut color = start.to_move;
    for (mv, remark) in game.plies() {
        text.push_str(&format_ply(color, mv, &remark)?);
        color = !color;
    }
    text.push(')');
    Ok(text)
}

/// A value with a backslash before all that would end it, or could be taken for a game's start.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace(']', "\\]")
        .replace("(;", "(\\;")
}

fn optional(number: Option<f64>) -> Result<String, WriteError> {
    match number {
        None => Ok(String::new()),
        Some(number) if number.is_finite() => Ok(number.to_string()),
        Some(number) => {
            let what = format!("the number {number}");
            Err(WriteError::Inexpressible {
                format: "SGF",
                what,
            })
        }
    }
}

fn format_result(result: GameResult) -> Result<String, WriteError> {
    let (winner, ending) = match result {
        GameResult::Score { margin: 0.0, .. } => return Ok("0".to_owned()),
        GameResult::Score { margin, ending } => {
            let winner = if margin > 0.0 { 'B' } else { 'W' };
            if matches!(ending, Ending::Played | Ending::Agreed) {
                return Ok(format!("{winner}+{}", optional(Some(margin.abs()))?));
            }
            (winner, ending)
        }
        GameResult::Win {
            winner: Color::Black,
            ending,
        } => ('B', ending),
        GameResult::Win {
            winner: Color::White,
            ending,
        } => ('W', ending),
    };
    let how = match ending {
        Ending::Played | Ending::Agreed => "",
        Ending::Resigned => "R",
        Ending::TimeOut => "T",
        Ending::Forfeit => "F",
    };
    Ok(format!("{winner}+{how}"))
}

fn set_up(start: &Position) -> String {
    let mut text = String::new();
    for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
        let discs = start.discs(color);
        if !discs.is_empty() {
            text.push_str(name);
            discs.for_each(|square| text.push_str(&format!("[{square}]")));
        }
    }
    let side = if start.to_move == Color::Black {
        'B'
    } else {
        'W'
    };
    format!("{text}PL[{side}]")
}

fn format_ply(color: Color, mv: Move, remark: &Remark) -> Result<String, WriteError> {
    let name = if color == Color::Black { 'B' } else { 'W' };
    let mut text = match mv {
        Move::Place(square) => format!(";{name}[{square}]"),
        Move::Pass => format!(";{name}[PA]"),
    };
    if let Some(evaluation) = remark.evaluation {
        let is_black = color == Color::Black || evaluation == 0.0;
        let black = if is_black { evaluation } else { -evaluation };
        text.push_str(&format!("V[{}]", optional(Some(black))?));
    }
    if let Some(seconds) = remark.seconds {
        text.push_str(&format!("MT[{}]", optional(Some(seconds))?));
    }
    Ok(text)
}
