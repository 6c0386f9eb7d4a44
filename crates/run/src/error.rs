use std::io;

use outflank_records::ChunkError;

/// Why an operation on a run failed. Each message is one line and names the file.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Text that is not a location this build can reach.
    #[error("'{location}' is not a location of a run: {reason}")]
    Location {
        /// The text.
        location: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Text that cannot be part of a file name.
    #[error("'{0}' is not a name; expected 1 to 64 letters, digits, '-', '_', and dots inside")]
    Name(String),
    /// There is nothing, where a run was expected.
    #[error("there is no run at {0}, as there is no run.json")]
    NoRun(String),
    /// A run cannot start among other files.
    #[error("{location} is not a run, without run.json, and not empty: it contains {found}")]
    Foreign {
        /// The location.
        location: String,
        /// One of the things in it.
        found: String,
    },
    /// A newer build made the run.
    #[error(
        "{location} was made by a newer version of Outflank: its format is {found}, this build \
         knows up to {known}"
    )]
    NewerVersion {
        /// The location.
        location: String,
        /// The run's format.
        found: u32,
        /// This build's.
        known: u32,
    },
    /// The storage refused, for good or for longer than the backoff waits.
    #[error("cannot {action} {path}: {cause}")]
    Storage {
        /// `read`, `write`, `list` or `delete`.
        action: &'static str,
        /// The file or folder, with the location.
        path: String,
        /// The innermost reason.
        cause: String,
        /// What the storage said in full.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file that should be there is not.
    #[error("{path} is missing")]
    Missing {
        /// The file, with the location.
        path: String,
    },
    /// A file's content is not what was written.
    #[error("{path} is damaged: {reason}")]
    Damaged {
        /// The file, with the location.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A chunk cannot be read.
    #[error("{path}: {source}")]
    Chunk {
        /// The file, with the location.
        path: String,
        /// Why.
        source: ChunkError,
    },
    /// A file exists already, with other content.
    #[error("{path} exists already, with other content")]
    Conflict {
        /// The file, with the location.
        path: String,
    },
    /// A log entry that must not be committed: a mistake of the caller.
    #[error("log entry {seq} cannot be committed: {reason}")]
    Entry {
        /// The entry's number.
        seq: u64,
        /// What is wrong with it.
        reason: String,
    },
}

impl RunError {
    /// A failure of the storage at `path`, with its innermost reason pulled out.
    pub(crate) fn storage(
        action: &'static str,
        path: String,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> RunError {
        let cause = match io_error(&source) {
            Some(error) => error.to_string(),
            None => source.to_string().replace('\n', " "),
        };
        RunError::Storage {
            action,
            path,
            cause,
            source: Box::new(source),
        }
    }
}

/// The first input/output error in an error's chain of causes.
pub(crate) fn io_error<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a io::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error);
        }
        next = error.source();
    }
    None
}
