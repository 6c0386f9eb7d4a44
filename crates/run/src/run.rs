use outflank_records::{GameRecord, chunk};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::key::games_folder;
use crate::{ChunkKey, Created, Location, Name, RunError, Store, TakenChunk};

/// The format of runs that this build makes, and the newest it knows.
const FORMAT: u32 = 1;
const INFO: &str = "run.json";
const CONFIG: &str = "config.toml";

/// A run. Clones share it, and may be used from many threads.
#[derive(Clone, Debug)]
pub struct Run {
    store: Store,
}

/// Where small results are kept, one file each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// Measurements, such as a generation's losses and rates.
    Metrics,
    /// Matches between players.
    Matches,
}

impl Folder {
    fn key(self, name: &Name) -> String {
        format!("{}/{name}.json", self.name())
    }

    const fn name(self) -> &'static str {
        match self {
            Folder::Metrics => "metrics",
            Folder::Matches => "matches",
        }
    }
}

/// The content of `run.json`.
#[derive(Serialize, Deserialize)]
struct Info {
    format: u32,
    /// The version of the program that made the run, for people to read.
    made_by: String,
}

/// As much of `run.json` as every future version will keep.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

impl Run {
    /// Opens the run at a location; where there is nothing, it starts one. Other files there are
    /// refused by name.
    pub fn open_or_create(store: Store) -> Result<Run, RunError> {
        let run = Run { store };
        if run.check_format()? {
            return Ok(run);
        }
        if let Some(found) = run.store.first_at_top()? {
            // Another process may have started the run since.
            if run.check_format()? {
                return Ok(run);
            }
            return Err(RunError::Foreign {
                location: run.store.location().to_owned(),
                found,
            });
        }
        let made_by = concat!("outflank ", env!("CARGO_PKG_VERSION")).to_owned();
        run.create_json(
            INFO,
            &Info {
                format: FORMAT,
                made_by,
            },
        )?;
        run.check_format()?;
        Ok(run)
    }

    /// Opens the run at a location.
    pub fn open(store: Store) -> Result<Run, RunError> {
        let run = Run { store };
        match run.check_format()? {
            true => Ok(run),
            false => Err(RunError::NoRun(run.store.location().to_owned())),
        }
    }

    /// Whether there is a run at a location; looking makes no folder.
    pub fn is_at(location: &Location) -> Result<bool, RunError> {
        if let Location::Folder(path) = location
            && !path.is_dir()
        {
            return Ok(false);
        }
        let store = Store::open(location)?;
        Run { store }.check_format()
    }

    /// The location's name.
    pub fn location(&self) -> &str {
        self.store.location()
    }

    /// Whether a run is there; one of a newer format is an error.
    fn check_format(&self) -> Result<bool, RunError> {
        match self.read_json::<Format>(INFO)? {
            Some(Format { format }) if format > FORMAT => Err(RunError::NewerVersion {
                location: self.store.location().to_owned(),
                found: format,
                known: FORMAT,
            }),
            Some(_) => Ok(true),
            None => Ok(false),
        }
    }

    /// The files below.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The run's configuration; `None` if it has none yet.
    pub fn config(&self) -> Result<Option<String>, RunError> {
        let Some(bytes) = self.store.read(CONFIG)? else {
            return Ok(None);
        };
        let text = String::from_utf8(bytes.into()).map_err(|error| RunError::Damaged {
            path: self.store.path(CONFIG),
            reason: error.to_string(),
        })?;
        Ok(Some(text))
    }

    /// Gives the run its configuration, once: [`Created::AlreadyThere`] if it has another.
    pub fn write_config(&self, text: &str) -> Result<Created, RunError> {
        self.store.create(CONFIG, text.to_owned())
    }

    /// Publishes a chunk, the bytes of [`chunk::encode`]. When this returns, the games are safe.
    pub fn publish_chunk(&self, key: &ChunkKey, bytes: Vec<u8>) -> Result<Created, RunError> {
        self.store.create(&key.to_string(), bytes)
    }

    /// The chunks of a generation that are there now, in order of worker and number.
    pub fn chunks(&self, generation: u64) -> Result<Vec<ChunkKey>, RunError> {
        let files = self.store.list(&games_folder(generation))?;
        let mut keys: Vec<_> = files
            .iter()
            .filter_map(|file| ChunkKey::from_file(generation, file))
            .collect();
        keys.sort_unstable();
        Ok(keys)
    }

    /// Reads a chunk: its games, and what a log entry says of it.
    pub fn read_chunk(&self, key: &ChunkKey) -> Result<(TakenChunk, Vec<GameRecord>), RunError> {
        let path = || self.store.path(&key.to_string());
        let bytes = self.store.read(&key.to_string())?;
        let bytes = bytes.ok_or_else(|| RunError::Missing { path: path() })?;
        let games = chunk::decode(&bytes).map_err(|source| RunError::Chunk {
            path: path(),
            source,
        })?;
        let taken = TakenChunk {
            key: key.clone(),
            sha256: chunk::digest(&bytes),
            games: games.len() as u64,
            positions: games.iter().map(|game| game.searched_plies() as u64).sum(),
        };
        Ok((taken, games))
    }

    /// Reads the games of a chunk that a log entry took, and checks that they are the same.
    pub fn read_taken(&self, taken: &TakenChunk) -> Result<Vec<GameRecord>, RunError> {
        let (found, games) = self.read_chunk(&taken.key)?;
        if found == *taken {
            return Ok(games);
        }
        Err(RunError::Damaged {
            path: self.store.path(&taken.key.to_string()),
            reason: "it is not the chunk that the log took".to_owned(),
        })
    }

    /// Writes a small result as JSON.
    pub fn put_result(
        &self,
        folder: Folder,
        name: &Name,
        content: &impl Serialize,
    ) -> Result<Created, RunError> {
        self.create_json(&folder.key(name), content)
    }

    /// The names of the results in a folder, sorted.
    pub fn results(&self, folder: Folder) -> Result<Vec<Name>, RunError> {
        let files = self.store.list(folder.name())?;
        Ok(files
            .iter()
            .filter_map(|file| file.strip_suffix(".json")?.parse().ok())
            .collect())
    }

    /// Reads a result.
    pub fn read_result<T: DeserializeOwned>(
        &self,
        folder: Folder,
        name: &Name,
    ) -> Result<T, RunError> {
        let key = folder.key(name);
        self.read_json(&key)?.ok_or_else(|| RunError::Missing {
            path: self.store.path(&key),
        })
    }

    pub(crate) fn create_json(
        &self,
        key: &str,
        content: &impl Serialize,
    ) -> Result<Created, RunError> {
        let mut json = serde_json::to_vec_pretty(content)
            .map_err(|error| RunError::storage("write", self.store.path(key), error))?;
        json.push(b'\n');
        self.store.create(key, json)
    }

    pub(crate) fn read_json<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, RunError> {
        let Some(bytes) = self.store.read(key)? else {
            return Ok(None);
        };
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| RunError::Damaged {
                path: self.store.path(key),
                reason: error.to_string(),
            })
    }
}
