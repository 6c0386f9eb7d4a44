use std::collections::HashSet;

use crate::key::model_parts;
use crate::{LogEntry, Name, Run, RunError};

/// Models that keep all of their files, the newest first. A trainer that starts needs the newest,
/// and the one before may be what it has just found.
const WHOLE_MODELS: u64 = 2;

/// Files of a run that nobody needs any more, by the rule of [`Run::prunable`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prunable {
    /// Chunks that came too late, so that no entry of the log took them.
    pub late_chunks: Vec<String>,
    /// Files of models that trainers put and did not commit.
    pub lost_models: Vec<String>,
    /// Files of committed models that only the newest need.
    pub old_states: Vec<String>,
}

impl Prunable {
    /// All of them.
    pub fn files(&self) -> impl Iterator<Item = &String> {
        let models = self.lost_models.iter().chain(&self.old_states);
        self.late_chunks.iter().chain(models)
    }
}

impl Run {
    /// Finds what can be deleted. The rule:
    ///
    /// - chunks of a generation that the log has taken others of;
    /// - files of a model whose number another trainer has committed;
    /// - the files named `transient` of all committed models but the newest two.
    ///
    /// What remains is every game that counts and every model, as the log and the audit know them.
    /// Nothing of the present generation or of a model yet to be committed is touched, so that
    /// workers and trainers may go on meanwhile.
    pub fn prunable(&self, transient: &[Name]) -> Result<Prunable, RunError> {
        let history = self.history()?;
        let mut found = Prunable::default();
        for entry in &history {
            if let Some(generation) = entry.seq.checked_sub(1) {
                let taken: HashSet<_> = entry.chunks.iter().map(|chunk| &chunk.key).collect();
                let published = self.chunks(generation)?;
                let late = published.iter().filter(|key| !taken.contains(key));
                found.late_chunks.extend(late.map(ToString::to_string));
            }
        }
        for file in self.store().list_below("models")? {
            let Some((seq, trainer, name)) = model_parts(&file) else {
                continue;
            };
            let Some(entry) = usize::try_from(seq).ok().and_then(|seq| history.get(seq)) else {
                continue; // it may be committed yet
            };
            if entry.trainer.as_str() != trainer {
                found.lost_models.push(file);
            } else if is_old(entry, &history) && transient.iter().any(|t| t.as_str() == name) {
                found.old_states.push(file);
            }
        }
        Ok(found)
    }

    /// Deletes these files.
    pub fn prune(&self, files: &Prunable) -> Result<(), RunError> {
        for file in files.files() {
            self.store().delete(file)?;
        }
        Ok(())
    }
}

/// Whether the transient files of an entry's model are not needed any more.
pub(crate) fn is_old(entry: &LogEntry, history: &[LogEntry]) -> bool {
    history.len() as u64 > entry.seq + WHOLE_MODELS
}
