use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::RunError;
use crate::retry::random_bits;

/// The name of a worker, a trainer or a file of a model: 1 to 64 letters, digits, `-` and `_`, and
/// dots inside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// A name that no other process has: the prefix and 16 random hexadecimal digits. A trainer
    /// takes a new one at each start, so that it never mistakes an earlier start's files for its
    /// own.
    pub fn unique(prefix: &str) -> Result<Name, RunError> {
        format!("{prefix}-{:016x}", random_bits()).parse()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = RunError;

    fn from_str(text: &str) -> Result<Name, RunError> {
        text.to_owned().try_into()
    }
}

impl TryFrom<String> for Name {
    type Error = RunError;

    fn try_from(text: String) -> Result<Name, RunError> {
        let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let inside = !text.starts_with('.') && !text.ends_with('.');
        if (1..=64).contains(&text.len()) && text.chars().all(good) && inside {
            Ok(Name(text))
        } else {
            Err(RunError::Name(text))
        }
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which chunk: the `seq`-th of a worker in a generation. As text it is the chunk's file in the
/// run; the order is by generation, worker and number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ChunkKey {
    /// The number of the model that played the games.
    pub generation: u64,
    /// Who played them.
    pub worker: Name,
    /// The worker's count within the generation.
    pub seq: u64,
}

impl ChunkKey {
    /// Reads the file name of a chunk in the folder of its generation.
    pub(crate) fn from_file(generation: u64, file: &str) -> Option<ChunkKey> {
        let (worker, seq) = file.strip_suffix(".rec")?.rsplit_once('-')?;
        let key = ChunkKey {
            generation,
            worker: worker.parse().ok()?,
            seq: number(seq)?,
        };
        (key.file() == file).then_some(key)
    }

    fn file(&self) -> String {
        format!("{}-{:06}.rec", self.worker, self.seq)
    }
}

impl fmt::Display for ChunkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", games_folder(self.generation), self.file())
    }
}

impl From<ChunkKey> for String {
    fn from(key: ChunkKey) -> String {
        key.to_string()
    }
}

impl TryFrom<String> for ChunkKey {
    type Error = String;

    fn try_from(text: String) -> Result<ChunkKey, String> {
        let parse = || {
            let (folder, file) = text.rsplit_once('/')?;
            let generation = number(folder.strip_prefix("games/")?)?;
            ChunkKey::from_file(generation, file).filter(|key| key.to_string() == text)
        };
        parse().ok_or_else(|| format!("'{text}' does not name a chunk"))
    }
}

/// Six digits, so that listings sort; more if need be.
pub(crate) fn games_folder(generation: u64) -> String {
    format!("games/{generation:06}")
}

pub(crate) fn log_key(seq: u64) -> String {
    format!("log/{seq:06}.json")
}

/// The number of a log entry from its file name.
pub(crate) fn log_seq(file: &str) -> Option<u64> {
    let seq = number(file.strip_suffix(".json")?)?;
    (log_key(seq).strip_prefix("log/") == Some(file)).then_some(seq)
}

pub(crate) fn model_key(seq: u64, trainer: &Name, file: &Name) -> String {
    format!("models/{seq:06}-{trainer}/{file}")
}

/// The number, the trainer and the name of a model's file.
pub(crate) fn model_parts(key: &str) -> Option<(u64, &str, &str)> {
    let (folder, name) = key.strip_prefix("models/")?.split_once('/')?;
    let (seq, trainer) = folder.split_once('-')?;
    Some((number(seq)?, trainer, name))
}

/// Digits only: no sign, no blanks.
fn number(text: &str) -> Option<u64> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back_what_they_print() {
        for (generation, worker, seq) in
            [(0, "w", 0), (12, "a-1", 345), (1234567, "x_9.b", 9999999)]
        {
            let worker = worker.parse().expect("a name");
            let key = ChunkKey {
                generation,
                worker,
                seq,
            };
            assert_eq!(ChunkKey::try_from(key.to_string()), Ok(key));
        }
        let worker = "w0".parse().expect("a name");
        let key = ChunkKey {
            generation: 3,
            worker,
            seq: 7,
        };
        assert_eq!(key.to_string(), "games/000003/w0-000007.rec");
        assert_eq!(
            model_parts("models/000012-trainer-0f/state.bin"),
            Some((12, "trainer-0f", "state.bin"))
        );
        assert_eq!(log_key(7), "log/000007.json");
        assert_eq!(log_seq("000007.json"), Some(7));
    }

    #[test]
    fn other_files_are_no_chunks() {
        for text in [
            "games/000003/w0-000007.rec#1",
            "games/000003/w0-7.rec",
            "games/3/w0-000007.rec",
            "games/000003/w0.rec",
            "games/000003/-000007.rec",
            "games/000003/w0-+00007.rec",
            "log/000003/w0-000007.rec",
            "",
        ] {
            assert!(ChunkKey::try_from(text.to_owned()).is_err(), "{text}");
        }
        for file in ["7", "7.json", "+7.json", "000007.json#1", ".json", "x.json"] {
            assert_eq!(log_seq(file), None, "{file}");
        }
    }

    #[test]
    fn names_are_safe_in_paths() {
        for text in [
            "",
            ".",
            "..",
            "a/b",
            "a#1",
            "ä",
            "a b",
            ".hidden",
            &"x".repeat(65),
        ] {
            assert!(text.parse::<Name>().is_err(), "{text}");
        }
        assert_eq!(
            "model.safetensors"
                .parse::<Name>()
                .expect("a name")
                .as_str(),
            "model.safetensors"
        );
        let (a, b) = (Name::unique("t"), Name::unique("t"));
        assert_ne!(a.expect("a name"), b.expect("a name"));
    }
}
