use bytes::Bytes;
use outflank_records::chunk::digest;
use serde::{Deserialize, Serialize};

use crate::key::model_key;
use crate::{Created, LogEntry, Name, Run, RunError};

/// A file of a model, as it is to be found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRef {
    /// Its name in the model's folder.
    pub name: Name,
    /// Its length in bytes.
    pub bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

impl Run {
    /// Writes the files of a model. They count only when an entry of the log with the same number
    /// and trainer refers to them.
    pub fn put_model(
        &self,
        seq: u64,
        trainer: &Name,
        files: impl IntoIterator<Item = (Name, Bytes)>,
    ) -> Result<Vec<FileRef>, RunError> {
        let put = |(name, bytes): (Name, Bytes)| {
            let key = model_key(seq, trainer, &name);
            let file = FileRef {
                name,
                bytes: bytes.len() as u64,
                sha256: digest(&bytes),
            };
            match self.store().create(&key, bytes)? {
                Created::New => Ok(file),
                Created::AlreadyThere => Err(RunError::Conflict {
                    path: self.store().path(&key),
                }),
            }
        };
        files.into_iter().map(put).collect()
    }

    /// Reads a file of an entry's model, checked against the log.
    pub fn read_model(&self, entry: &LogEntry, name: &Name) -> Result<Bytes, RunError> {
        let key = model_key(entry.seq, &entry.trainer, name);
        let missing = || self.missing(&key);
        let listed = entry.model.iter().find(|file| file.name == *name);
        let file = listed.ok_or_else(missing)?;
        let bytes = self.store().read(&key)?.ok_or_else(missing)?;
        if bytes.len() as u64 == file.bytes && digest(&bytes) == file.sha256 {
            return Ok(bytes);
        }
        let length = bytes.len();
        let reason = format!("its {length} bytes are not those that were committed");
        Err(self.damaged(&key, reason))
    }
}
