//! Files of one JSON object a line, to which several processes may add at a time.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::output::Output;

/// A file that lines are added to, once there are some.
pub struct JsonLines(PathBuf);

impl JsonLines {
    /// Refuses, before the work whose results it shall hold, a file that cannot be written, and one
    /// that holds anything else.
    pub fn begin(path: &Path) -> Result<JsonLines> {
        if path.exists() {
            check(path)?;
        } else {
            drop(Output::begin(path)?); // finds out whether there can be a file
        }
        Ok(JsonLines(path.to_owned()))
    }

    /// Its place.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Adds a line for each item: all of them or, where the disk is full, none.
    pub fn add(&self, items: &[impl Serialize]) -> Result<()> {
        let mut lines = Vec::new();
        for item in items {
            serde_json::to_writer(&mut lines, item)?;
            lines.push(b'\n');
        }
        append(&self.0, &lines).with_context(|| format!("{}: cannot be written", self.0.display()))
    }
}

fn append(path: &Path, lines: &[u8]) -> std::io::Result<()> {
    let mut options = File::options();
    let mut file = options.read(true).append(true).create(true).open(path)?;
    where_supported(file.lock())?;
    let length = file.seek(SeekFrom::End(0))?;
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let end: &[u8] = if last == [b'\n'] { b"" } else { b"\n" };
    let written = file
        .write_all(&[end, lines].concat())
        .and_then(|()| file.sync_all());
    if written.is_err() {
        file.set_len(length)?;
    }
    written
}

/// The result of taking a lock, which is held until the file is closed. Where there are none,
/// appending is still better than replacing.
fn where_supported(locked: std::io::Result<()>) -> std::io::Result<()> {
    match locked {
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(()),
        other => other,
    }
}

/// Refuses what is no file of JSON objects, and a line that was written half.
fn check(path: &Path) -> Result<()> {
    let name = path.display();
    if !path.metadata().is_ok_and(|found| found.is_file()) {
        bail!("{name}: it is no file; expected one to add lines of JSON to");
    }
    let failed = || format!("{name}: cannot be written");
    let mut options = File::options();
    let file = options.read(true).append(true).open(path);
    let file = file.with_context(failed)?;
    // Others may be adding a line that is only half there yet.
    where_supported(file.lock_shared()).with_context(failed)?;
    for (number, line) in BufReader::new(file).split(b'\n').enumerate() {
        let line = line.with_context(|| format!("{name}: cannot be read"))?;
        let line = line.trim_ascii();
        let is_object =
            line.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(line).is_ok();
        if !line.is_empty() && !is_object {
            bail!(
                "{name}, line {}: it is not a whole JSON object; expected a file of one JSON object a line to add to",
                number + 1
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_of_several_writers_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lines");
        std::fs::write(&path, "{\"first\": 1}").expect("written");
        let item = serde_json::json!({ "moves": "f5d6".repeat(10_000) });
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let lines = JsonLines::begin(&path).expect("it holds lines");
                    lines.add(&[&item, &item]).expect("written");
                });
            }
        });
        check(&path).expect("whole lines");
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!(text.lines().count(), 17);
        assert!(text.starts_with("{\"first\": 1}\n{"));
    }

    #[test]
    fn other_files_are_refused_and_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        for content in [
            &b"# notes\n"[..],
            b"{}\n{\"half\": [1, ",
            b"3\n",
            b"\xff\x00",
        ] {
            std::fs::write(&path, content).expect("written");
            let Err(error) = JsonLines::begin(&path) else {
                panic!("{content:?} is taken");
            };
            assert!(format!("{error:#}").contains("file, line "), "{error:#}");
            assert_eq!(std::fs::read(&path).expect("read"), content);
        }
        assert!(JsonLines::begin(folder.path()).is_err());
        // Nothing is made before there are results.
        let new = folder.path().join("new");
        JsonLines::begin(&new).expect("it can be written");
        assert!(!new.exists());
    }
}
