use std::fmt;

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The number of the request.
    pub id: Option<u32>,
    /// What was asked for, or why it was not done. May have several lines, none of them empty.
    pub result: Result<String, String>,
}

impl Reply {
    /// Whether a line begins an answer.
    pub fn begins(line: &str) -> bool {
        line.starts_with(['=', '?'])
    }

    /// Reads an answer without the empty line that ends it; `None` if it is none.
    pub fn parse(text: &str) -> Option<Reply> {
        let rest = text.strip_prefix(['=', '?'])?;
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (id, content) = rest.split_at(end);
        let id = if id.is_empty() {
            None
        } else {
            Some(id.parse().ok()?)
        };
        if !content.is_empty() && !content.starts_with(char::is_whitespace) {
            return None;
        }
        let content = content.trim().to_owned();
        let result = if text.starts_with('=') {
            Ok(content)
        } else {
            Err(content)
        };
        Some(Reply { id, result })
    }
}

impl fmt::Display for Reply {
    /// Writes the answer with the end of its last line and the empty line after it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, content) = match &self.result {
            Ok(content) => ('=', content),
            Err(content) => ('?', content),
        };
        write!(f, "{sign}")?;
        if let Some(id) = self.id {
            write!(f, "{id}")?;
        }
        let mut separator = " ";
        // An empty line inside would end the answer.
        for line in content.lines().filter(|line| !line.trim().is_empty()) {
            write!(f, "{separator}{line}")?;
            separator = "\n";
        }
        f.write_str("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_read_back() {
        for (id, result, text) in [
            (None, Ok(""), "=\n\n"),
            (Some(12), Ok("f5"), "=12 f5\n\n"),
            (None, Err("illegal move"), "? illegal move\n\n"),
            (Some(1), Ok("name\nversion"), "=1 name\nversion\n\n"),
        ] {
            let result = result.map(str::to_owned).map_err(str::to_owned);
            let reply = Reply { id, result };
            assert_eq!(reply.to_string(), text);
            assert_eq!(Reply::parse(text.trim_end()), Some(reply));
        }
        let board = Reply {
            id: None,
            result: Ok("a\n\nb".to_owned()),
        };
        assert_eq!(board.to_string(), "= a\nb\n\n");
    }

    #[test]
    fn other_lines_are_no_answers() {
        for text in ["", "f5", "=f5", "=1f5", "=99999999999 f5"] {
            assert_eq!(Reply::parse(text), None, "{text}");
        }
    }
}
