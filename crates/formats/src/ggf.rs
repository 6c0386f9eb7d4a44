//! GGF, the format of the Generic Game Server and of NBoard.
//!
//! ```text
//! (;GM[Othello]PC[..]DT[..]PB[..]PW[..]RE[+4]TI[15:00]TY[8]BO[8 ---..--- *]B[d3/0.5/12.3]W[PA];)
//! ```
//!
//! A move is `square/evaluation/seconds`. The result and `KM` are from Black's point of view, an
//! evaluation is from that of the player who moved. There is no way to escape a `]`.
//!
//! Reading accepts unknown tags, and keeps them in [`Tags::extra`]; writing leaves out those that
//! strict readers refuse. GGF has one tag for place and event: a game without a place is written
//! with its event there.

use std::io::{BufRead, Write};

use outflank_rules::{Color, Move, Position, Size};

use crate::properties::{self, Located, Property, number};
use crate::records::Source;
use crate::tree::{self, RawTree, TreeReader};
use crate::{
    AnnotatedGame, Ending, Error, GameResult, Player, Problem, Records, Remark, Tags, WriteError,
};

/// Reads the games of a file; `file` is its name for errors.
pub fn read<R: BufRead>(input: R, file: &str) -> Records<GameSource<R>> {
    Records::new(GameSource {
        trees: TreeReader::new(input, file, false),
    })
}

/// Writes one game and the end of the line.
pub fn write(output: &mut impl Write, game: &AnnotatedGame) -> Result<(), WriteError> {
    Ok(writeln!(output, "{}", format(game)?)?)
}

/// Reads the text of one game.
pub fn parse(text: &str) -> Result<AnnotatedGame, Error> {
    let nothing = || Problem::syntax("a game, which starts with '(;'", "");
    let mut source = GameSource {
        trees: TreeReader::new(text.as_bytes(), "GGF", false),
    };
    source
        .next_record()
        .unwrap_or_else(|| Err(source.trees.error(1, nothing())))
}

/// The games of a GGF file.
#[derive(Debug)]
pub struct GameSource<R> {
    trees: TreeReader<R>,
}

impl<R: BufRead> Source for GameSource<R> {
    type Record = AnnotatedGame;

    fn next_record(&mut self) -> Option<Result<AnnotatedGame, Error>> {
        let tree = self.trees.next_tree()?;
        Some(tree.and_then(|tree| {
            game_of(&tree).map_err(|(line, problem)| self.trees.error(line, problem))
        }))
    }
}

fn game_of(tree: &RawTree) -> Located<AnnotatedGame> {
    let mut reader = GameReader::default();
    for property in properties::main_line(tree, false)? {
        reader
            .take(&property)
            .map_err(|problem| (property.line, problem))?;
    }
    reader.finish().map_err(|problem| (tree.line, problem))
}

#[derive(Default)]
struct GameReader {
    tags: Tags,
    size: Option<Size>,
    game: Option<AnnotatedGame>,
}

impl GameReader {
    fn take(&mut self, property: &Property) -> Result<(), Problem> {
        let value = property.value()?;
        let tags = &mut self.tags;
        match property.name.as_str() {
            "GM" if value.trim().eq_ignore_ascii_case("othello") => {}
            "GM" => return Err(Problem::syntax("GM[Othello]", value)),
            "PC" => tags.place = value.to_owned(),
            "DT" => tags.date = value.to_owned(),
            "PB" => tags.black.name = value.to_owned(),
            "PW" => tags.white.name = value.to_owned(),
            "RB" => tags.black.rating = rating(value)?,
            "RW" => tags.white.rating = rating(value)?,
            "TI" => tags.clock = value.to_owned(),
            "TB" => tags.black.clock = value.to_owned(),
            "TW" => tags.white.clock = value.to_owned(),
            "RE" => tags.result = result(value)?,
            "TY" => {
                let size = board_type(value)?;
                self.size = Some(size);
                // What follows the size tells of komi, random starts and the like.
                if value.trim() != size.side().to_string() {
                    tags.extra.push(("TY".to_owned(), value.to_owned()));
                }
            }
            "BO" if self.game.is_some() => {
                return Err(Problem::syntax("one BO, before the moves", value));
            }
            "BO" => self.game = Some(AnnotatedGame::new(position(value)?)),
            "B" => return self.ply(Color::Black, value),
            "W" => return self.ply(Color::White, value),
            "CO" => {}
            other => tags.extra.push((other.to_owned(), value.to_owned())),
        }
        Ok(())
    }

    fn ply(&mut self, color: Color, text: &str) -> Result<(), Problem> {
        let game = self.game.as_mut();
        let game = game.ok_or_else(|| Problem::syntax("BO before the first move", text))?;
        let (mv, remark) = ply(text)?;
        game.push_of(color, mv, remark)
    }

    fn finish(self) -> Result<AnnotatedGame, Problem> {
        let mut game = self
            .game
            .ok_or_else(|| Problem::syntax("BO, the board", ""))?;
        let size = game.game().start().board.size();
        if let Some(stated) = self.size.filter(|&stated| stated != size) {
            let found = format!("TY for {stated} and BO for {size}");
            return Err(Problem::Syntax {
                expected: "one size of the board",
                found,
            });
        }
        game.tags = self.tags;
        Ok(game)
    }
}

fn rating(text: &str) -> Result<Option<f64>, Problem> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    number(text, "a rating such as 2196.37").map(Some)
}

/// The size at the start of a game type such as `8` or `8kr20`.
fn board_type(text: &str) -> Result<Size, Problem> {
    let digits: String = text
        .trim()
        .trim_start_matches('s')
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let side: u8 = digits
        .parse()
        .map_err(|_| Problem::syntax("a type of board such as 8", text))?;
    Ok(Size::try_from(side)?)
}

/// `8 <squares and side>`.
fn position(text: &str) -> Result<Position, Problem> {
    let text = text.trim_start();
    let expected = "a board such as 8 ---..--- *";
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (side, squares) = text.split_at(digits);
    let side: u8 = side.parse().map_err(|_| Problem::syntax(expected, text))?;
    let size = Size::try_from(side)?;
    let position: Position = squares.parse()?;
    if position.board.size() != size {
        return Err(Problem::syntax(expected, text));
    }
    Ok(position)
}

fn ply(text: &str) -> Result<(Move, Remark), Problem> {
    let mut fields = text.split('/').map(str::trim);
    let mv = fields.next().unwrap_or_default();
    let mv: Move = mv
        .parse()
        .map_err(|_| Problem::syntax("a move such as d3 or PA", text))?;
    let mut next = |expected| match fields.next() {
        None | Some("") => Ok(None),
        Some(field) => number(field, expected).map(Some),
    };
    let evaluation = next("an evaluation in discs")?;
    let seconds = next("a time in seconds")?;
    Ok((
        mv,
        Remark {
            evaluation,
            seconds,
        },
    ))
}

/// `+4.000`, `-64:t`, or `?` where the game has none.
fn result(text: &str) -> Result<Option<GameResult>, Problem> {
    let expected = "a result such as +4.000, -64:r or ?";
    let text = text.trim();
    if text.is_empty() || text == "?" {
        return Ok(None);
    }
    let (margin, how) = text.split_once(':').unwrap_or((text, ""));
    let ending = match how {
        "" => Ending::Played,
        "r" => Ending::Resigned,
        "t" => Ending::TimeOut,
        "s" => Ending::Agreed,
        _ => return Err(Problem::syntax(expected, text)),
    };
    Ok(Some(GameResult::Score {
        margin: number(margin, expected)?,
        ending,
    }))
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
