use std::io::Write;

use outflank_rules::{Color, Move, Position, Size};

use crate::{AnnotatedGame, Ending, GameResult, Player, Remark, WriteError, tree};

/// Writes one game and the end of the line.
pub fn write(output: &mut impl Write, game: &AnnotatedGame) -> Result<(), WriteError> {
    Ok(writeln!(output, "{}", format(game)?)?)
}

/// The text of a game, without the end of the line.
///
/// A win without a score is written as one by the whole board, a forfeit as a resignation.
pub fn format(game: &AnnotatedGame) -> Result<String, WriteError> {
    let mut text = Text("(;GM[Othello]".to_owned());
    let tags = &game.tags;
    let size = game.game().start().board.size();
    let board_type = tags
        .extra
        .iter()
        .find(|(name, _)| name == "TY")
        .map(|(_, value)| value);
    text.tag(
        "PC",
        if tags.place.is_empty() {
            &tags.event
        } else {
            &tags.place
        },
    )?;
    text.tag("DT", &tags.date)?;
    text.tag("PB", &tags.black.name)?;
    text.tag("PW", &tags.white.name)?;
    text.rating("RB", &tags.black)?;
    text.rating("RW", &tags.white)?;
    text.tag("TI", &tags.clock)?;
    text.tag("TB", &tags.black.clock)?;
    text.tag("TW", &tags.white.clock)?;
    text.tag("TY", board_type.unwrap_or(&size.side().to_string()))?;
    for (name, value) in tags.extra.iter().filter(|(name, _)| name.starts_with('K')) {
        if ["KB", "KW", "KM"].contains(&name.as_str()) {
            text.tag(name, value)?;
        }
    }
    text.tag("RE", &format_result(tags.result, size)?)?;
    text.tag("BO", &format_position(&game.game().start()))?;
    let mut color = game.game().start().to_move;
    for (mv, remark) in game.plies() {
        let name = if color == Color::Black { "B" } else { "W" };
        text.tag(name, &format_ply(mv, &remark)?)?;
        color = !color;
    }
    text.0.push_str(";)");
    Ok(text.0)
}

struct Text(String);

impl Text {
    /// Adds a tag unless it says nothing.
    fn tag(&mut self, name: &str, value: &str) -> Result<(), WriteError> {
        if value.contains(']') || tree::contains_start(value) {
            return Err(inexpressible(format!("{value:?} as the value of {name}")));
        }
        if !value.is_empty() {
            self.0.push_str(&format!("{name}[{value}]"));
        }
        Ok(())
    }

    fn rating(&mut self, name: &str, player: &Player) -> Result<(), WriteError> {
        match player.rating {
            Some(rating) => self.tag(name, &finite(rating)?.to_string()),
            None => Ok(()),
        }
    }
}

fn inexpressible(what: String) -> WriteError {
    WriteError::Inexpressible {
        format: "GGF",
        what,
    }
}

fn finite(number: f64) -> Result<f64, WriteError> {
    if number.is_finite() {
        Ok(number)
    } else {
        Err(inexpressible(format!("the number {number}")))
    }
}

/// All digits that are needed to read the number back, and at least so many after the point.
fn decimals(number: f64, least: usize) -> Result<String, WriteError> {
    let mut text = finite(number)?.to_string();
    let point = text.find('.').unwrap_or_else(|| {
        text.push('.');
        text.len() - 1
    });
    while text.len() - point - 1 < least {
        text.push('0');
    }
    Ok(text)
}

fn format_result(result: Option<GameResult>, size: Size) -> Result<String, WriteError> {
    let (margin, ending) = match result {
        None => return Ok("?".to_owned()),
        Some(GameResult::Score { margin, ending }) => (margin, ending),
        Some(GameResult::Win { winner, ending }) => {
            (f64::from(winner.sign()) * size.area() as f64, ending)
        }
    };
    let sign = if margin.is_sign_negative() { "" } else { "+" };
    let how = match ending {
        Ending::Played => "",
        Ending::Resigned | Ending::Forfeit => ":r",
        Ending::TimeOut => ":t",
        Ending::Agreed => ":s",
    };
    Ok(format!("{sign}{}{how}", decimals(margin, 3)?))
}

fn format_position(position: &Position) -> String {
    let size = position.board.size();
    let mut text = size.side().to_string();
    for square in size.squares() {
        if square.column() == 0 {
            text.push(' ');
        }
        text.push(letter(position.disc(square)));
    }
    text.push(' ');
    text.push(letter(Some(position.to_move)));
    text
}

fn letter(disc: Option<Color>) -> char {
    match disc {
        Some(Color::Black) => '*',
        Some(Color::White) => 'O',
        None => '-',
    }
}

fn format_ply(mv: Move, remark: &Remark) -> Result<String, WriteError> {
    let mv = match mv {
        Move::Place(square) => square.to_string(),
        Move::Pass => "PA".to_owned(),
    };
    let evaluation = remark
        .evaluation
        .map_or(Ok(String::new()), |value| decimals(value, 2))?;
    let seconds = remark
        .seconds
        .map_or(Ok(String::new()), |value| decimals(value, 2))?;
    Ok(match (evaluation.is_empty(), seconds.is_empty()) {
        (true, true) => mv,
        (false, true) => format!("{mv}/{evaluation}"),
        (_, false) => format!("{mv}/{evaluation}/{seconds}"),
    })
}
