//! OBF: positions with the exact scores of their moves, one a line, as endgame suites use them.
//!
//! ```text
//! % a comment
//! --XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12;
//! ```
//!
//! Scores are disc differences from the mover's side. A position without scores is a plain board
//! string, so this also reads and writes lists of those.

use std::io::{BufRead, Write};

use outflank_rules::{Move, Position};

use crate::lines::Lines;
use crate::records::Source;
use crate::{Error, Problem, Records};

/// A position and what is known of its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredPosition {
    /// The position.
    pub position: Position,
    /// Moves and their final disc differences for the mover, in the order of the file; often all
    /// legal moves from the best to the worst, sometimes none.
    pub scores: Vec<(Move, i32)>,
}

/// Reads positions; `file` is its name for errors.
pub fn read<R: BufRead>(input: R, file: &str) -> Records<PositionSource<R>> {
    Records::new(PositionSource {
        lines: Lines::new(input, file),
    })
}

/// Writes one position and the end of the line.
pub fn write(output: &mut impl Write, record: &ScoredPosition) -> std::io::Result<()> {
    writeln!(output, "{}", format(record))
}

/// The line of a position, without the line's end.
pub fn format(record: &ScoredPosition) -> String {
    let mut line = record.position.notation();
    if !record.scores.is_empty() {
        line.push(';');
    }
    for (mv, score) in &record.scores {
        let mv = match mv {
            Move::Place(square) => square.to_string().to_uppercase(),
            Move::Pass => "PA".to_owned(),
        };
        line.push_str(&format!(" {mv}:{score:+};"));
    }
    line
}

/// Reads one line without a comment.
pub fn parse(line: &str) -> Result<ScoredPosition, Problem> {
    let mut fields = line.split(';').map(str::trim);
    let text = fields.next().unwrap_or_default();
    let position: Position = text.parse()?;
    let mut scores = Vec::new();
    for field in fields.filter(|field| !field.is_empty()) {
        // What some generators write at the end of a line where there is no further move.
        if field == "--:-127" {
            continue;
        }
        let expected = "a move and its score such as G8:+18";
        let (mv, score) = field
            .split_once(':')
            .ok_or_else(|| Problem::syntax(expected, field))?;
        let mv: Move = mv
            .trim()
            .parse()
            .map_err(|_| Problem::syntax(expected, field))?;
        let most = position.board.size().area() as i32;
        let score = score
            .trim()
            .parse()
            .ok()
            .filter(|score: &i32| score.abs() <= most);
        let score = score.ok_or_else(|| Problem::syntax(expected, field))?;
        if let Err(reason) = position.apply(mv) {
            return Err(Problem::IllegalMove {
                ply: 1,
                reason: reason.to_string(),
            });
        }
        scores.push((mv, score));
    }
    Ok(ScoredPosition { position, scores })
}

/// The lines of an OBF file.
#[derive(Debug)]
pub struct PositionSource<R> {
    lines: Lines<R>,
}

impl<R: BufRead> Source for PositionSource<R> {
    type Record = ScoredPosition;

    fn next_record(&mut self) -> Option<Result<ScoredPosition, Error>> {
        let line = self.lines.next_content()?;
        Some(line.and_then(|line| parse(&line).map_err(|problem| self.lines.error(problem))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_rules::Size;

    const LINE: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; A2:-4;";

    #[test]
    fn canonical_lines_come_back_byte_by_byte() {
        let passing = "-XXXXXXX-OOOOOOO".to_owned() + &"-".repeat(48);
        for line in [
            LINE,
            &Position::start(Size::Six).notation(),
            &(passing + " O"),
        ] {
            let text = format!("{line}\n");
            let records: Vec<_> = read(text.as_bytes(), "t.obf").map(Result::unwrap).collect();
            let mut written = Vec::new();
            write(&mut written, &records[0]).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), text);
        }
    }

    #[test]
    fn comments_fillers_and_other_letters() {
        let line = LINE
            .replace('X', "b")
            .replace('O', "w")
            .replace(" H1:+12;", " h1:12;--:-127;");
        let text = format!("% suite\n\n{line} % hard\r\n");
        let records: Vec<_> = read(text.as_bytes(), "t.obf").map(Result::unwrap).collect();
        assert_eq!(records, [parse(LINE).unwrap()]);
        assert_eq!(records[0].scores.len(), 3);
    }

    #[test]
    fn errors_name_file_and_line_and_are_recoverable() {
        let bad = [
            LINE.replace("G8", "D4"),
            LINE.replace(":+18", ":+65"),
            LINE.replace(":+18", ""),
            LINE.replace("G8", "J9"),
            LINE[1..].to_owned(),
        ];
        let text = format!("{LINE}\n{}\n{LINE}\n", bad.join("\n"));
        let read = || read(text.as_bytes(), "t.obf");
        assert_eq!(read().count(), 2, "strict reading ends at the first error");
        let all: Vec<_> = read().skip_bad(true).collect();
        let good: Vec<bool> = all.iter().map(Result::is_ok).collect();
        assert_eq!(good, [true, false, false, false, false, false, true]);
        let errors: Vec<String> = all
            .iter()
            .filter_map(|item| item.as_ref().err())
            .map(ToString::to_string)
            .collect();
        assert_eq!(errors[0], "t.obf, line 2: ply 1: d4 is occupied");
        assert!(
            errors[1].starts_with("t.obf, line 3: expected a move and its score"),
            "{errors:?}"
        );
        assert!(errors[4].starts_with("t.obf, line 6: "), "{errors:?}");
    }

    #[test]
    fn a_long_line_is_skipped_in_bounded_memory() {
        let text = format!("{}\n{LINE}\n", "X".repeat(1 << 20));
        let all: Vec<_> = read(text.as_bytes(), "t.obf").skip_bad(true).collect();
        assert!(matches!(
            all[0].as_ref().unwrap_err().problem,
            Problem::TooLong { .. }
        ));
        assert!(all[1].is_ok());
    }
}
