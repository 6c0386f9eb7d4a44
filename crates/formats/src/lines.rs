use std::io::{self, BufRead};

use crate::records::FileName;
use crate::{Error, Place, Problem, encoding};

/// The longest line that is read, in bytes: a few hundred times a game's length.
const LONGEST: usize = 1 << 16;

/// Reads a text file line by line, in bounded memory, and counts the lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    file: FileName,
    line: u64,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R, file: &str) -> Lines<R> {
        Lines {
            input,
            file: FileName(file.to_owned()),
            line: 0,
            ended: false,
        }
    }

    /// An error on the line that was read last.
    pub(crate) fn error(&self, problem: Problem) -> Error {
        self.file.error(Place::Line(self.line), problem)
    }

    /// The next line that holds more than a comment (from `%` on) and space, without both.
    pub(crate) fn next_content(&mut self) -> Option<Result<String, Error>> {
        loop {
            let line = match self.next_line()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(self.error(problem))),
            };
            let content = line.split('%').next().unwrap_or_default().trim();
            if !content.is_empty() {
                return Some(Ok(content.to_owned()));
            }
        }
    }

    fn next_line(&mut self) -> Option<Result<String, Problem>> {
        if self.ended {
            return None;
        }
        self.line += 1;
        match read_line(&mut self.input) {
            Ok(None) => {
                self.ended = true;
                None
            }
            Ok(Some(line)) if line.len() > LONGEST => {
                Some(Err(Problem::TooLong { limit: LONGEST }))
            }
            Ok(Some(line)) => {
                let start = if self.line == 1 {
                    line.strip_prefix(b"\xef\xbb\xbf")
                } else {
                    None
                };
                Some(Ok(encoding::decode(start.unwrap_or(&line))))
            }
            Err(error) => {
                self.ended = true;
                Some(Err(error.into()))
            }
        }
    }
}

/// One line without its end; of a line that is too long only the first `LONGEST + 1` bytes, though
/// all of it is consumed.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut any = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(any.then_some(line));
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let content = &buffer[..end.unwrap_or(buffer.len())];
        let room = (LONGEST + 1).saturating_sub(line.len());
        line.extend_from_slice(&content[..content.len().min(room)]);
        let used = end.map_or(buffer.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}
