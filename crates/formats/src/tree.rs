//! What GGF and SGF share: records in parentheses, made of properties `NAME[value]`.

use std::io::{self, BufRead};

use crate::records::FileName;
use crate::{Error, Place, Problem};

/// The longest record that is read, in bytes: a thousand times a usual game.
const LONGEST: usize = 1 << 20;

/// A record never holds these: where one appears, the record before it was not closed.
const STARTS: [&[u8]; 2] = [b"(;GM[", b"(;FF["];

/// Whether a value contains what the readers would take for the start of a record.
pub(crate) fn contains_start(text: &str) -> bool {
    STARTS.iter().any(|start| {
        text.as_bytes()
            .windows(start.len())
            .any(|piece| piece == *start)
    })
}

/// Cuts a file into records, from a `(` to its matching `)`. One byte is looked at once: damaged
/// files cost no more than good ones.
#[derive(Debug)]
pub(crate) struct TreeReader<R> {
    input: R,
    file: FileName,
    /// Whether a backslash in a value takes the meaning from the next character, as in SGF.
    escapes: bool,
    line: u64,
    /// The start of a record that was found while another one was read.
    pending: Vec<u8>,
    /// Whether the last record was given up in its middle.
    lost: bool,
    ended: bool,
}

/// A record's bytes and the line on which it starts.
#[derive(Debug)]
pub(crate) struct RawTree {
    pub(crate) bytes: Vec<u8>,
    pub(crate) line: u64,
}

impl<R: BufRead> TreeReader<R> {
    pub(crate) fn new(input: R, file: &str, escapes: bool) -> TreeReader<R> {
        let file = FileName(file.to_owned());
        TreeReader {
            input,
            file,
            escapes,
            line: 1,
            pending: Vec::new(),
            lost: false,
            ended: false,
        }
    }

    pub(crate) fn error(&self, line: u64, problem: Problem) -> Error {
        self.file.error(Place::Line(line), problem)
    }

    pub(crate) fn next_tree(&mut self) -> Option<Result<RawTree, Error>> {
        if self.lost
            && let Err(problem) = self.find_start()
        {
            return Some(Err(self.error(self.line, problem)));
        }
        if self.pending.is_empty()
            && let Err(error) = self.skip_to_start().transpose()?
        {
            return Some(Err(error));
        }
        let line = self.line;
        let result = self.rest_of_tree().map(|bytes| RawTree { bytes, line });
        Some(result.map_err(|problem| self.error(line, problem)))
    }

    /// Passes over the rest of a record that was given up.
    fn find_start(&mut self) -> Result<(), Problem> {
        self.lost = false;
        let mut last = [0; STARTS[0].len()];
        while let Some(byte) = self.next_byte()? {
            last.rotate_left(1);
            last[last.len() - 1] = byte;
            if STARTS.contains(&last.as_slice()) {
                self.pending = last.to_vec();
                break;
            }
        }
        Ok(())
    }

    /// Up to and with the `(` of the next record, which becomes pending; `None` at the end.
    fn skip_to_start(&mut self) -> Result<Option<()>, Error> {
        let mut stray = String::new();
        let mut stray_line = self.line;
        loop {
            match self
                .next_byte()
                .map_err(|problem| self.error(self.line, problem))?
            {
                Some(b'(') => {
                    self.pending.push(b'(');
                    break;
                }
                // GGF writes the number of games of a match in front of them.
                Some(byte) if byte.is_ascii_whitespace() || byte.is_ascii_digit() => {}
                // A byte order mark.
                Some(0xef | 0xbb | 0xbf) if stray.is_empty() => {}
                Some(byte) => {
                    if stray.is_empty() {
                        stray_line = self.line;
                    }
                    if stray.len() < 64 {
                        stray.push(char::from(byte));
                    }
                }
                None => break,
            }
        }
        if !stray.is_empty() {
            let problem = Problem::syntax("a game, which starts with '(;'", &stray);
            return Err(self.error(stray_line, problem));
        }
        Ok((!self.pending.is_empty()).then_some(()))
    }

    fn rest_of_tree(&mut self) -> Result<Vec<u8>, Problem> {
        let mut bytes = std::mem::take(&mut self.pending);
        let (mut depth, mut in_value, mut escaped) = (1_usize, bytes.ends_with(b"["), false);
        loop {
            let Some(byte) = self.next_byte()? else {
                let expected = if in_value {
                    "']' after a value"
                } else {
                    "')' after the game"
                };
                return Err(Problem::Syntax {
                    expected,
                    found: "the end of the file".to_owned(),
                });
            };
            bytes.push(byte);
            if byte == b'[' {
                let start = STARTS.iter().find(|start| bytes.ends_with(start));
                if let Some(start) = start.filter(|start| bytes.len() > start.len()) {
                    self.pending = start.to_vec();
                    return Err(Problem::Syntax {
                        expected: "')' after the game",
                        found: "the start of another game".to_owned(),
                    });
                }
            }
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_value && self.escapes => escaped = true,
                b']' => in_value = false,
                _ if in_value => {}
                b'[' => in_value = true,
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(bytes);
            }
            if bytes.len() > LONGEST {
                self.lost = true;
                return Err(Problem::TooLong { limit: LONGEST });
            }
        }
    }

    fn next_byte(&mut self) -> Result<Option<u8>, Problem> {
        if self.ended {
            return Ok(None);
        }
        let byte = loop {
            match self.input.fill_buf() {
                Ok(buffer) => break buffer.first().copied(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    return Err(error.into());
                }
            }
        };
        match byte {
            Some(byte) => {
                self.input.consume(1);
                self.line += u64::from(byte == b'\n');
            }
            None => self.ended = true,
        }
        Ok(byte)
    }
}
