use outflank_rules::{Game, Position, Size};

use super::{LineError, OpeningError, OpeningSet, OpeningSource};

impl OpeningSet {
    /// Reads a list of openings: one a line, a transcript (`f5d6c3`) or a position (one character
    /// a square and one for the mover; what follows a `;` is ignored, as in OBF). Empty lines and
    /// those that begin with `%` or `#` are skipped. `name` is the file's, for messages.
    ///
    /// ```
    /// use outflank_arena::OpeningSet;
    /// use outflank_rules::Size;
    ///
    /// let set = OpeningSet::parse(Size::Eight, "mine.txt", "% tiger\nf5d6c3d3c4\n").unwrap();
    /// assert_eq!(set.openings().len(), 1);
    ///
    /// let error = OpeningSet::parse(Size::Eight, "mine.txt", "f5d6\nf5f5\n").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "mine.txt, line 2: ply 2, 'f5' at character 3: f5 is occupied; \
    ///      expected White on one of f4 d6 f6",
    /// );
    /// ```
    pub fn parse(size: Size, name: &str, text: &str) -> Result<OpeningSet, OpeningError> {
        let mut openings = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['%', '#']) {
                continue;
            }
            let opening = parse_line(size, line).map_err(|reason| OpeningError::Line {
                name: name.to_owned(),
                line: number + 1,
                reason,
            })?;
            openings.push(opening);
        }
        let name = name.to_owned();
        if openings.is_empty() {
            return Err(OpeningError::Empty { name });
        }
        Ok(OpeningSet {
            source: OpeningSource::File { name },
            openings,
        })
    }
}

fn parse_line(size: Size, line: &str) -> Result<Game, LineError> {
    // In OBF, moves with their scores may follow.
    let board = line.split(';').next().unwrap_or(line).trim();
    let is_position = board
        .chars()
        .all(|c| "bxwo*-. ".contains(c.to_ascii_lowercase()));
    let game = if is_position {
        let position: Position = board.parse()?;
        let found = position.board.size();
        if found != size {
            return Err(LineError::Size {
                found,
                expected: size,
            });
        }
        Game::from_position(position)
    } else {
        Game::from_transcript(Position::start(size), line)?
    };
    if game.is_over() {
        return Err(LineError::Over);
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_and_positions_are_read() {
        let text = "\n# comment\nf5d6c3\n  F5 D6 C4 \n\
            ---------------------------OX------XO--------------------------- X; f5:+0;\n";
        let set = OpeningSet::parse(Size::Eight, "list", text).expect("all are good");
        let plies: Vec<usize> = set
            .openings()
            .iter()
            .map(|game| game.plies().len())
            .collect();
        assert_eq!(plies, [3, 3, 0]);
        assert_eq!(
            set.openings()[2].position(),
            Game::new(Size::Eight).position()
        );
        assert_eq!(set.distinct(3), 3);
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, line, part) in [
            ("f5d6\n\nf5x9", 3, "'x9'"),
            ("hello", 1, "hello"),
            ("-----OX--XO----- X", 1, "4x4"),
            ("e6f4e3f6g5d6e7f5c5", 1, "over"),
        ] {
            let error = OpeningSet::parse(Size::Eight, "list", text).expect_err(text);
            let message = error.to_string();
            assert!(
                message.starts_with(&format!("list, line {line}: ")) && message.contains(part),
                "{message}"
            );
        }
        assert!(matches!(
            OpeningSet::parse(Size::Eight, "list", "\n% only this\n"),
            Err(OpeningError::Empty { .. })
        ));
    }
}
