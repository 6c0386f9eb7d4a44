//! TOML that somebody wrote: what is wrong with it is told with its file, its line and its key.

use anyhow::{Error, Result, anyhow};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue, ValueDeserializer};
use toml::{Spanned, Table, Value};

/// A text in TOML, and where it is from.
pub struct TomlText {
    text: String,
    /// The name of its file.
    source: String,
    /// What it says.
    pub table: Table,
    /// Each key with its tables, as in `selfplay.search.method`, and its line.
    lines: Vec<(String, usize)>,
}

impl TomlText {
    /// Reads a text; an error begins with `source`, the name of its file.
    pub fn new(text: &str, source: &str) -> Result<TomlText> {
        let wrong = |error: toml::de::Error| {
            let line = line_at(text, error.span().map_or(0, |span| span.start));
            anyhow!("{source}, line {line}: {}", error.message())
        };
        let mut lines = Vec::new();
        let document = DeTable::parse(text).map_err(wrong)?;
        note_lines("", document.get_ref(), text, &mut lines);
        Ok(TomlText {
            text: text.to_owned(),
            source: source.to_owned(),
            table: table_of(document.get_ref()),
            lines,
        })
    }

    /// The name of its file.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What the text stands for.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        toml::from_str(&self.text).map_err(|error: toml::de::Error| {
            let span = error.span();
            let error = explain(error);
            match span {
                Some(span) => error.context(self.at(line_at(&self.text, span.start))),
                None => self.locate(error),
            }
        })
    }

    /// Puts the place in front of an error that begins with its key.
    pub fn locate(&self, error: Error) -> Error {
        let message = format!("{error:#}");
        let key = message.split([' ', ':']).next().unwrap_or_default();
        let place = self.place(key);
        error.context(place)
    }

    /// The place of a key: its line, or that of the table that would hold it.
    pub fn place(&self, key: &str) -> String {
        let mut key = key;
        loop {
            if let Some((_, line)) = self.lines.iter().find(|(known, _)| known == key) {
                return self.at(*line);
            }
            match key.rsplit_once('.') {
                Some((table, _)) => key = table,
                None => return self.source.clone(),
            }
        }
    }

    fn at(&self, line: usize) -> String {
        format!("{}, line {line}", self.source)
    }
}

/// A table without its places.
fn table_of(table: &DeTable) -> Table {
    let entries = table.iter();
    entries
        .map(|(key, value)| (key.get_ref().to_string(), plain(value)))
        .collect()
}

/// A value without its place. A number that this kind of value cannot hold, such as one of 64 bits
/// without a sign, is kept as its text.
fn plain(value: &Spanned<DeValue>) -> Value {
    let text = match value.get_ref() {
        DeValue::Table(table) => return Value::Table(table_of(table)),
        DeValue::Array(list) => return Value::Array(list.iter().map(plain).collect()),
        DeValue::Integer(number) => number.as_str(),
        DeValue::Float(number) => number.as_str(),
        _ => "",
    };
    let known = Value::deserialize(ValueDeserializer::from(value.clone()));
    known.unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// The line of a byte, from 1.
fn line_at(text: &str, at: usize) -> usize {
    let before = text.bytes().take(at);
    1 + before.filter(|&byte| byte == b'\n').count()
}

fn note_lines(prefix: &str, table: &DeTable, text: &str, lines: &mut Vec<(String, usize)>) {
    for (key, value) in table {
        let name = below(prefix, key.get_ref());
        lines.push((name.clone(), line_at(text, key.span().start)));
        if let DeValue::Table(table) = value.get_ref() {
            note_lines(&name, table, text, lines);
        }
    }
}

/// A key with the tables that it is in.
pub fn below(table: &str, key: &str) -> String {
    match table {
        "" => key.to_owned(),
        _ => format!("{table}.{key}"),
    }
}

/// The value of a key such as `selfplay.search.method`.
pub fn value_of<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let mut keys = key.split('.');
    let first = table.get(keys.next()?)?;
    keys.try_fold(first, |value, key| value.get(key))
}

/// All keys that have a value and no further keys.
pub fn leaves(table: &Table) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(table) => {
                found.extend(leaves(table).iter().map(|leaf| below(key, leaf)));
            }
            _ => found.push(key.clone()),
        }
    }
    found
}

/// What is wrong with a value, as the program's own checks of ranges say it: `KEY is FOUND; expected
/// ...`.
pub fn explain(mut error: toml::de::Error) -> Error {
    // Without its input it shows the key instead of the line.
    error.set_input(None);
    let shown = error.to_string();
    let table = shown.trim_end().rsplit_once("\nin `");
    let table = table.map_or("", |(_, table)| table.trim_end_matches('`'));
    let message = error.message();
    let (found, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    let expected = in_words(expected);
    let quoted = |prefix| Some(found.strip_prefix(prefix)?.trim_matches('`'));
    if let Some(key) = quoted("missing field ") {
        return anyhow!("{} is missing", below(table, key));
    }
    if let Some(key) = quoted("unknown field ") {
        return anyhow!("{} is no key; expected {expected}", below(table, key));
    }
    if let Some(name) = quoted("unknown variant ") {
        return anyhow!("{table} is {name:?}; expected {expected}");
    }
    if let Some(length) = quoted("invalid length ") {
        return anyhow!("{table} is of length {length}; expected {expected}");
    }
    let kinds = ["invalid type: ", "invalid value: "];
    match kinds.iter().find_map(|kind| found.strip_prefix(kind)) {
        Some(found) => anyhow!("{table} is {}; expected {expected}", value_in(found)),
        None if table.is_empty() => anyhow!("{message}"),
        None => anyhow!("{table}: {message}"),
    }
}

/// The value in serde's description of it: a kind, and for simple ones the value.
fn value_in(found: &str) -> &str {
    for kind in ["boolean ", "integer ", "floating point ", "string "] {
        if let Some(value) = found.strip_prefix(kind) {
            // Very large ones come with a type.
            return value
                .split("` as ")
                .next()
                .unwrap_or(value)
                .trim_matches('`');
        }
    }
    match found {
        "sequence" => "a list",
        "map" => "a table",
        other => other,
    }
}

/// What serde expects, in words for those who do not know Rust's types.
fn in_words(expected: &str) -> String {
    match expected {
        "u8" => format!("a whole number from 0 to {}", u8::MAX),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "u64" | "usize" => format!("a whole number from 0 to {}", u64::MAX),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "a text in quotes".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        "any valid TOML value" => "a number of 64 bits".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other => other
            .trim_start_matches("one of ")
            .replace("an array of length", "a list of length")
            .replace('`', ""),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Outer {
        name: String,
        #[serde(default)]
        inner: BTreeMap<String, Inner>,
        #[serde(default)]
        list: Vec<Inner>,
        #[serde(default)]
        any: Table,
        #[serde(default)]
        large: u64,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Inner {
        count: u32,
        #[serde(default)]
        share: f32,
        #[serde(default)]
        pair: [u32; 2],
        #[serde(default)]
        kind: Option<Kind>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        This,
        That,
    }

    #[test]
    fn errors_name_file_line_and_key() {
        for (text, expected) in [
            ("", "a.toml, line 1: name is missing"),
            (
                "name = 3",
                "a.toml, line 1: name is 3; expected a text in quotes",
            ),
            (
                "name = 'x'\n[inner.a]\ncount = -1",
                "a.toml, line 3: inner.a.count is -1; expected a whole number from 0 to 4294967295",
            ),
            (
                "name = 'x'\ninner.a.count = 1\ninner.a.share = 'much'",
                "a.toml, line 3: inner.a.share is \"much\"; expected a number",
            ),
            (
                "name = 'x'\n[inner.a]\ncount = 1\nkind = 'other'",
                "a.toml, line 4: inner.a.kind is \"other\"; expected this or that",
            ),
            (
                "name = 'x'\n[inner.a]\ncount = 1\npair = [1]",
                "a.toml, line 4: inner.a.pair is of length 1; expected a list of length 2",
            ),
            (
                "name = 'x'\n[[list]]\ncount = 1\n[[list]]\ncuont = 1",
                "a.toml, line 5: list.cuont is no key; expected count, share, pair, kind",
            ),
            (
                "name = 99999999999999999999999",
                "a.toml, line 1: name is 99999999999999999999999; expected a text in quotes",
            ),
            (
                "name = 'x'\ninner.a.count = 1\ninner.a.share = 1e999",
                "a.toml, line 3: inner.a.share: floating-point number overflowed",
            ),
            (
                "name = 'x'\nlarge = 99999999999999999999",
                "a.toml, line 2: large is 99999999999999999999; expected a whole number from 0 to 18446744073709551615",
            ),
            (
                "name = 'x'\n[any]\nlarge = 99999999999999999999",
                "a.toml, line 3: any.large is 99999999999999999999; expected a number of 64 bits",
            ),
            (
                "name = 'x'\ninner = true",
                "a.toml, line 2: inner is true; expected a table",
            ),
        ] {
            let error = TomlText::new(text, "a.toml").and_then(|text| text.read::<Outer>());
            assert_eq!(format!("{:#}", error.expect_err(text)), expected);
        }
        let error = TomlText::new("name = 'x'\nlist = [", "a.toml").err();
        let error = format!("{:#}", error.expect("not TOML"));
        assert!(error.starts_with("a.toml, line 2: "), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }

    #[test]
    fn errors_that_begin_with_their_key_find_their_line() {
        let text = TomlText::new("a = 1\n[b]\nc.d = 2\n", "a.toml").expect("TOML");
        for (key, place) in [
            ("a", "a.toml, line 1"),
            ("b.c.d", "a.toml, line 3"),
            ("b.e", "a.toml, line 2"),
            ("e", "a.toml"),
        ] {
            let error = text.locate(anyhow!("{key} is 1; expected 2"));
            assert_eq!(
                format!("{error:#}"),
                format!("{place}: {key} is 1; expected 2")
            );
        }
        assert_eq!(leaves(&text.table), ["a", "b.c.d"]);
        assert_eq!(value_of(&text.table, "b.c.d"), Some(&Value::Integer(2)));
    }
}
