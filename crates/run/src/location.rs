use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::RunError;

/// Where a run lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A folder of this machine, or one that it has mounted. Its file system must support hard
    /// links.
    Folder(PathBuf),
    /// The memory of this process, gone with it.
    Memory,
}

impl FromStr for Location {
    type Err = RunError;

    /// Reads a path, `file:///absolute/path` or `memory://`.
    fn from_str(text: &str) -> Result<Location, RunError> {
        let refuse = |reason: &str| {
            Err(RunError::Location {
                location: text.to_owned(),
                reason: reason.to_owned(),
            })
        };
        match text.split_once("://") {
            None if text.is_empty() => refuse("it is empty"),
            None => Ok(Location::Folder(text.into())),
            Some(("memory", "")) => Ok(Location::Memory),
            Some(("file", path)) if path.starts_with('/') => Ok(Location::Folder(path.into())),
            Some(("file", _)) => refuse("expected file:/// and an absolute path"),
            Some((scheme, _)) => refuse(&format!(
                "this build stores runs in folders only, not at {scheme}://"
            )),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Folder(path) => path.display().fmt(f),
            Location::Memory => f.write_str("memory://"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_read() {
        let folder = |path: &str| Location::Folder(path.into());
        for (text, location) in [
            ("runs/first", folder("runs/first")),
            ("/runs/first", folder("/runs/first")),
            ("file:///runs/first", folder("/runs/first")),
            ("memory://", Location::Memory),
        ] {
            assert_eq!(text.parse::<Location>().expect(text), location);
        }
    }

    #[test]
    fn other_locations_are_refused_by_name() {
        for text in [
            "",
            "s3://bucket/run",
            "file://relative",
            "memory://name",
            "://",
        ] {
            let error = text.parse::<Location>().expect_err(text).to_string();
            assert!(
                error.starts_with(&format!("'{text}' is not a location")),
                "{error}"
            );
        }
    }
}
