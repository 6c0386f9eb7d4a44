//! Text from elsewhere, ready to be shown.

use std::borrow::Cow;
use std::fmt::Display;

/// Text that may quote somebody's input, as a terminal should show it: controls are escaped, and
/// ends of lines become blanks.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '\n' => shown.push(' '),
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// An error and its causes as one line. A cause that only repeats how the line ends already is left
/// out: wrappers of input/output errors quote them in full.
pub fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        let said = line.rsplit(": ").next().unwrap_or_default();
        if line.is_empty() {
            line = cause;
        } else if !cause.ends_with(said) {
            line = format!("{line}: {cause}");
        }
    }
    line
}

/// A usage error in one line: what is wrong, what was probably meant, where to read on.
pub fn usage_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let mut line = String::new();
    for part in text.split("\n\n") {
        let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(what) = part.strip_prefix("error: ") {
            line.push_str(what);
        } else if let Some(tips) = part.strip_prefix("tip: ") {
            line.push_str(&format!("; {}", tips.replace(" tip: ", "; ")));
        }
    }
    for (rust, plain) in NUMBERS {
        line = line.replace(rust, plain);
    }
    format!("{line} (see --help)")
}

/// What the standard library says of text that is no number, in words for those who do not know it.
const NUMBERS: [(&str, &str); 4] = [
    ("invalid digit found in string", "expected a whole number"),
    (
        "cannot parse integer from empty string",
        "expected a whole number",
    ),
    (
        "number too large to fit in target type",
        "expected a smaller number",
    ),
    ("invalid float literal", "expected a number"),
];

/// A path or URL as a command that is to be copied has it.
pub fn shell(text: impl Display) -> String {
    let text = text.to_string();
    let plain = |c: char| c.is_alphanumeric() || "-_./@:+%\\".contains(c);
    match text.starts_with('-') {
        true => shell(format!("./{text}")),
        false if text.chars().all(plain) => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn causes_are_told_once() {
        let error = anyhow!("disk full (os error 28)")
            .context("copying: disk full (os error 28)")
            .context("cannot write a.rec: disk full (os error 28)")
            .context("generation 3");
        assert_eq!(
            one_line(&error),
            "generation 3: cannot write a.rec: disk full (os error 28)"
        );
    }

    #[test]
    fn commands_to_copy_are_quoted_where_it_matters() {
        for (text, shown) in [
            ("runs/quick@3", "runs/quick@3"),
            ("s3://bucket/run", "s3://bucket/run"),
            ("ä b", "'ä b'"),
            ("it's", r"'it'\''s'"),
            ("-r", "./-r"),
            ("-r s", "'./-r s'"),
            ("a$HOME", "'a$HOME'"),
        ] {
            assert_eq!(shell(text), shown);
        }
    }

    #[test]
    fn controls_are_shown_and_not_obeyed() {
        assert_eq!(
            printable("a\x1b[31m\u{9b}b\r\nc"),
            "a\\u{1b}[31m\\u{9b}b\\r c"
        );
        assert_eq!(printable("Jürgen"), "Jürgen");
    }
}
