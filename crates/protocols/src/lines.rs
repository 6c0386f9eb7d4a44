use std::io::{self, BufRead};

/// The longest line that is kept, in bytes; a game in GGF has a few thousand.
const LONGEST: usize = 1 << 16;

/// The next line without its end; `None` at the end of the input. Of a longer line than any real
/// one the rest is dropped, so that no peer can fill the memory.
pub(crate) fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut any = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() && !any {
            return Ok(None);
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let content = &buffer[..end.unwrap_or(buffer.len())];
        let room = LONGEST.saturating_sub(line.len());
        line.extend_from_slice(&content[..content.len().min(room)]);
        let (used, at_end) = (end.map_or(buffer.len(), |end| end + 1), buffer.is_empty());
        input.consume(used);
        if end.is_some() || at_end {
            let text = String::from_utf8_lossy(&line);
            return Ok(Some(text.trim_end_matches('\r').to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_counted_right() {
        let text = format!("a\r\n\n{}\nlast", "x".repeat(1 << 18));
        let mut input = io::BufReader::with_capacity(7, text.as_bytes());
        let lines: Vec<String> =
            std::iter::from_fn(|| read_line(&mut input).expect("no failure")).collect();
        assert_eq!(
            lines.iter().map(String::len).collect::<Vec<_>>(),
            [1, 0, LONGEST, 4]
        );
        assert_eq!(read_line(&mut input).expect("no failure"), None);
    }
}
