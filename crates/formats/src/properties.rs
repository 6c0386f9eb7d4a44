//! The properties of a GGF or SGF record.

use crate::tree::RawTree;
use crate::{Problem, encoding};

/// `NAME[value][value]...` and the line on which it starts.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) values: Vec<String>,
    pub(crate) line: u64,
}

impl Property {
    /// The value of a property that has one.
    pub(crate) fn value(&self) -> Result<&str, Problem> {
        match self.values.as_slice() {
            [value] => Ok(value),
            _ => Err(Problem::Syntax {
                expected: "one value",
                found: format!("{} values of {}", self.values.len(), self.name),
            }),
        }
    }
}

/// A problem and the line it is on.
pub(crate) type Located<T> = Result<T, (u64, Problem)>;

/// The main line of a record.
pub(crate) struct MainLine {
    /// Its properties, in order.
    pub(crate) properties: Vec<Property>,
    /// Whether the record has other lines as well.
    pub(crate) has_variations: bool,
}

/// What comes before the first `)`: of a record with variations that is its main line, whose moves
/// always come first.
pub(crate) fn main_line(tree: &RawTree, escapes: bool) -> Located<MainLine> {
    let mut reader = Reader {
        bytes: &tree.bytes,
        at: 0,
        line: tree.line,
        escapes,
    };
    let mut properties = Vec::new();
    loop {
        reader.skip_whitespace();
        match reader.peek() {
            Some(b'(' | b';') => reader.advance(),
            Some(b')') => {
                let mut rest = tree.bytes[reader.at..].iter();
                let has_variations = rest.any(|byte| *byte == b'(');
                return Ok(MainLine {
                    properties,
                    has_variations,
                });
            }
            _ => properties.push(
                reader
                    .property()
                    .map_err(|problem| (reader.line, problem))?,
            ),
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    escapes: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn advance(&mut self) {
        self.line += u64::from(self.peek() == Some(b'\n'));
        self.at += 1;
    }

    fn skip_whitespace(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.advance();
        }
    }

    fn property(&mut self) -> Result<Property, Problem> {
        let (start, line) = (self.at, self.line);
        while self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
            self.advance();
        }
        // The first editions of SGF wrote whole words and meant their capitals.
        let letters = self.bytes[start..self.at]
            .iter()
            .filter(|byte| byte.is_ascii_uppercase());
        let name: String = letters.map(|&byte| char::from(byte)).collect();
        self.skip_whitespace();
        if name.is_empty() || self.peek() != Some(b'[') {
            let found = encoding::decode(&self.bytes[start..]);
            return Err(Problem::syntax("a property such as B[f5]", &found));
        }
        let mut values = Vec::new();
        while self.peek() == Some(b'[') {
            values.push(self.value()?);
            self.skip_whitespace();
        }
        Ok(Property { name, values, line })
    }

    fn value(&mut self) -> Result<String, Problem> {
        let mut value = Vec::new();
        self.advance();
        loop {
            let Some(byte) = self.peek() else {
                let found = "the end of the game".to_owned();
                return Err(Problem::Syntax {
                    expected: "']' after a value",
                    found,
                });
            };
            self.advance();
            match byte {
                b']' => return Ok(encoding::decode(&value)),
                b'\\' if self.escapes => {
                    // An escaped line break is none: `\` and then `\n`, `\r` or `\r\n`.
                    let next = self.peek();
                    self.advance();
                    match next {
                        Some(b'\r') if self.peek() == Some(b'\n') => self.advance(),
                        Some(b'\r' | b'\n') | None => {}
                        Some(other) => value.push(other),
                    }
                }
                _ => value.push(byte),
            }
        }
    }
}

/// A decimal number such as `+4`, `-0.75` or `12`; no infinities, no exponents.
pub(crate) fn number(text: &str, expected: &'static str) -> Result<f64, Problem> {
    let text = text.trim();
    let digits = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
    match text.parse::<f64>() {
        Ok(number) if digits && number.is_finite() => Ok(number),
        _ => Err(Problem::syntax(expected, text)),
    }
}
