use std::io::BufRead;

use outflank_rules::{Color, Move, Position, Size};

use crate::properties::{self, Located, Property, number};
use crate::records::Source;
use crate::tree::{RawTree, TreeReader};
use crate::{AnnotatedGame, Ending, Error, GameResult, LeftOut, Problem, Records, Remark, Tags};

/// Reads the games of a file; `file` is its name for errors.
pub fn read<R: BufRead>(input: R, file: &str) -> Records<GameSource<R>> {
    Records::new(GameSource {
        trees: TreeReader::new(input, file, false),
    })
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
    let line = properties::main_line(tree, false)?;
    reader.left_out.variations = line.has_variations;
    for property in line.properties {
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
    left_out: LeftOut,
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
            "TY" if self.size.is_some() => return Err(Problem::syntax("one TY", value)),
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
            "CO" => self.left_out.comments = true,
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
        (game.tags, game.left_out) = (self.tags, self.left_out);
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
