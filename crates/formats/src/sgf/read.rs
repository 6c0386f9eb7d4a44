use std::io::BufRead;

use outflank_rules::{Color, Move, Position, Size, Square, SquareSet};

use crate::properties::{self, Located, Property, number};
use crate::records::Source;
use crate::tree::{RawTree, TreeReader};
use crate::{AnnotatedGame, Ending, Error, GameResult, LeftOut, Problem, Records, Remark, Tags};

/// Reads the games of a file; `file` is its name for errors.
pub fn read<R: BufRead>(input: R, file: &str) -> Records<GameSource<R>> {
    Records::new(GameSource {
        trees: TreeReader::new(input, file, true),
    })
}

/// The games of an SGF file.
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
    let line = properties::main_line(tree, true)?;
    reader.left_out.variations = line.has_variations;
    for property in line.properties {
        reader
            .take(&property)
            .map_err(|problem| (property.line, problem))?;
    }
    reader.finish().map_err(|problem| (tree.line, problem))
}

/// What stands before the first move, and then the game.
#[derive(Default)]
struct GameReader {
    tags: Tags,
    is_othello: bool,
    size: Size,
    black: SquareSet,
    white: SquareSet,
    to_move: Option<Color>,
    game: Option<AnnotatedGame>,
    left_out: LeftOut,
    /// The ply of this node, until everything that the node says about it is known.
    ply: Option<(Color, Move, Remark)>,
}

impl GameReader {
    fn take(&mut self, property: &Property) -> Result<(), Problem> {
        match property.name.as_str() {
            "B" => return self.begin_ply(Color::Black, property.value()?),
            "W" => return self.begin_ply(Color::White, property.value()?),
            _ => {}
        }
        if let Some((color, _, remark)) = &mut self.ply {
            let seconds = "a time in seconds";
            match property.name.as_str() {
                "V" => remark.evaluation = Some(evaluation(property.value()?, *color)?),
                "MT" => remark.seconds = Some(number(property.value()?, seconds)?),
                "AB" | "AW" | "AE" | "PL" => {
                    let found = format!("{} after a move", property.name);
                    return Err(Problem::Syntax {
                        expected: "a game without set-up",
                        found,
                    });
                }
                "C" => self.left_out.comments = true,
                _ => self.left_out.properties = true,
            }
            return Ok(());
        }
        self.take_of_root(property)
    }

    fn take_of_root(&mut self, property: &Property) -> Result<(), Problem> {
        let tags = &mut self.tags;
        let text = || property.value().map(str::to_owned);
        match property.name.as_str() {
            "FF" | "CA" => {}
            "GM" if property.value()?.trim() == "2" => self.is_othello = true,
            "GM" => {
                return Err(Problem::syntax(
                    "GM[2], which is Othello",
                    property.value()?,
                ));
            }
            "SZ" => {
                let text = property.value()?;
                let side: u8 = text
                    .trim()
                    .parse()
                    .map_err(|_| Problem::syntax("a size such as 8", text))?;
                self.size = Size::try_from(side)?;
            }
            "AB" => self.black = self.black | points(property)?,
            "AW" => self.white = self.white | points(property)?,
            "AE" => {
                let cleared = points(property)?;
                (self.black, self.white) = (self.black & !cleared, self.white & !cleared);
            }
            "PL" => self.to_move = Some(side(property.value()?)?),
            "EV" => tags.event = text()?,
            "PC" => tags.place = text()?,
            "DT" => tags.date = text()?,
            "PB" => tags.black.name = text()?,
            "PW" => tags.white.name = text()?,
            "BR" if rating(property).is_some() => tags.black.rating = rating(property),
            "WR" if rating(property).is_some() => tags.white.rating = rating(property),
            "TI" => tags.clock = text()?,
            "TIB" => tags.black.clock = text()?,
            "TIW" => tags.white.clock = text()?,
            "RE" => tags.result = result(property.value()?)?,
            other => {
                for value in &property.values {
                    tags.extra.push((other.to_owned(), value.clone()));
                }
            }
        }
        Ok(())
    }

    fn begin_ply(&mut self, color: Color, text: &str) -> Result<(), Problem> {
        self.end_ply()?;
        if self.game.is_none() {
            self.game = Some(AnnotatedGame::new(self.start(color)?));
        }
        // Games where a pass is an empty point lend their notation.
        let mv = if text.trim().is_empty() {
            Ok(Move::Pass)
        } else {
            text.trim().parse()
        };
        let mv = mv.map_err(|_| Problem::syntax("a move such as f5 or PA", text))?;
        self.ply = Some((color, mv, Remark::default()));
        Ok(())
    }

    fn end_ply(&mut self) -> Result<(), Problem> {
        match (self.ply.take(), &mut self.game) {
            (Some((color, mv, remark)), Some(game)) => game.push_of(color, mv, remark),
            _ => Ok(()),
        }
    }

    /// The position of the root; without `PL`, a set-up position has the colour of the first move
    /// on turn.
    fn start(&self, first: Color) -> Result<Position, Problem> {
        let discs = self.black | self.white;
        let start = Position::start(self.size);
        if discs.is_empty() {
            return match self.to_move {
                Some(Color::White) => Ok(swapped(&start)),
                _ => Ok(start),
            };
        }
        let to_move = self.to_move.unwrap_or(first);
        Ok(Position::new(self.size, self.black, self.white, to_move)?)
    }

    fn finish(mut self) -> Result<AnnotatedGame, Problem> {
        if !self.is_othello {
            return Err(Problem::syntax("GM[2], which is Othello", ""));
        }
        self.end_ply()?;
        let mut game = match self.game.take() {
            Some(game) => game,
            None => AnnotatedGame::new(self.start(Color::Black)?),
        };
        (game.tags, game.left_out) = (self.tags, self.left_out);
        Ok(game)
    }
}

/// The same discs with the other player to move.
fn swapped(position: &Position) -> Position {
    Position {
        board: position.board.pass(),
        to_move: !position.to_move,
    }
}

/// A rating, if it is a number: ranks in words are kept as they are.
fn rating(property: &Property) -> Option<f64> {
    number(property.value().ok()?, "a rating").ok()
}

fn evaluation(text: &str, mover: Color) -> Result<f64, Problem> {
    let black = number(text, "a value from Black's point of view")?;
    // Plain multiplication by a sign would turn 0 into -0.
    Ok(if mover == Color::Black || black == 0.0 {
        black
    } else {
        -black
    })
}

/// The points of a list, in which `a1:c2` is a rectangle.
fn points(property: &Property) -> Result<SquareSet, Problem> {
    let mut set = SquareSet::EMPTY;
    for value in &property.values {
        let (first, last) = value.split_once(':').unwrap_or((value, value));
        let point = |text: &str| -> Result<Square, Problem> {
            text.trim()
                .parse()
                .map_err(|_| Problem::syntax("a point such as f5", value))
        };
        let (first, last) = (point(first)?, point(last)?);
        let rectangle = (first.row()..=last.row())
            .flat_map(|row| (first.column()..=last.column()).map(move |column| (column, row)))
            .filter_map(|(column, row)| Square::new(column, row));
        set = set | rectangle.collect();
    }
    Ok(set)
}

fn side(text: &str) -> Result<Color, Problem> {
    match text.trim() {
        "B" | "b" | "black" | "Black" => Ok(Color::Black),
        "W" | "w" | "white" | "White" => Ok(Color::White),
        _ => Err(Problem::syntax("a side, B or W", text)),
    }
}

/// `B+4`, `W+Resign`, `0` or `Draw`, and `?` or `Void` for none.
fn result(text: &str) -> Result<Option<GameResult>, Problem> {
    let expected = "a result such as B+4, W+R, 0 or ?";
    let score = |margin, ending| Ok(Some(GameResult::Score { margin, ending }));
    let text = text.trim();
    let (winner, how) = match text {
        "" | "?" | "Void" => return Ok(None),
        "0" | "Draw" => return score(0.0, Ending::Played),
        _ => text
            .split_once('+')
            .ok_or_else(|| Problem::syntax(expected, text))?,
    };
    let winner = side(winner)?;
    let ending = match how {
        "" => Ending::Played,
        "R" | "Resign" => Ending::Resigned,
        "T" | "Time" => Ending::TimeOut,
        "F" | "Forfeit" => Ending::Forfeit,
        _ => {
            return score(
                f64::from(winner.sign()) * number(how, expected)?,
                Ending::Played,
            );
        }
    };
    Ok(Some(GameResult::Win { winner, ending }))
}
