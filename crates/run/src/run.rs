use bytes::Bytes;
use outflank_records::{GameRecord, chunk};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::key::games_folder;
use crate::seal::{self, Seal};
use crate::{ChunkKey, Created, Location, Name, RunError, Store, TakenChunk};

/// The format of runs that this build makes, and the newest it knows.
const FORMAT: u32 = 2;
/// The first format in which text files have seals.
const FORMAT_WITH_SEALS: u32 = 2;
const INFO: &str = "run.json";
const CONFIG: &str = "config.toml";

/// A run. Clones share it, and may be used from many threads.
#[derive(Clone, Debug)]
pub struct Run {
    store: Store,
    /// Whether its text files end with a digest.
    has_seals: bool,
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
        if let Some(run) = Run::find(&store)? {
            return Ok(run);
        }
        if let Some(found) = store.first_at_top()? {
            // Another process may have started the run since.
            return Run::find(&store)?.ok_or_else(|| RunError::Foreign {
                location: store.location().to_owned(),
                found,
            });
        }
        let info = Info {
            format: FORMAT,
            made_by: concat!("outflank ", env!("CARGO_PKG_VERSION")).to_owned(),
        };
        let run = Run {
            store,
            has_seals: true,
        };
        run.create_json(INFO, &info)?;
        Run::open(run.store)
    }

    /// Opens the run at a location.
    pub fn open(store: Store) -> Result<Run, RunError> {
        Run::find(&store)?.ok_or_else(|| RunError::NoRun(store.location().to_owned()))
    }

    /// Whether there is a run at a location; looking makes no folder.
    pub fn is_at(location: &Location) -> Result<bool, RunError> {
        if let Location::Folder(path) = location
            && !path.is_dir()
        {
            return Ok(false);
        }
        Ok(Run::find(&Store::open(location)?)?.is_some())
    }

    /// The run at a location, if there is one; one of a newer format is an error.
    fn find(store: &Store) -> Result<Option<Run>, RunError> {
        let Some(bytes) = store.read(INFO)? else {
            return Ok(None);
        };
        let mut run = Run {
            store: store.clone(),
            has_seals: false,
        };
        let Format { format } = run.parse_json(INFO, &bytes)?;
        if format > FORMAT {
            return Err(RunError::NewerVersion {
                location: store.location().to_owned(),
                found: format,
                known: FORMAT,
            });
        }
        run.has_seals = format >= FORMAT_WITH_SEALS;
        run.unseal(INFO, &seal::JSON, &bytes)?;
        Ok(Some(run))
    }

    /// The location's name.
    pub fn location(&self) -> &str {
        self.store.location()
    }

    /// The files below.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The run's configuration; `None` if it has none yet, which is an error once it has a model.
    pub fn config(&self) -> Result<Option<String>, RunError> {
        let bytes = match self.store.read(CONFIG)? {
            Some(bytes) => bytes,
            None if self.store.list("log")?.is_empty() => return Ok(None),
            // By now it is there, if it was only slower than we were.
            None => self
                .store
                .read(CONFIG)?
                .ok_or_else(|| self.missing(CONFIG))?,
        };
        let content = self.unseal(CONFIG, &seal::TOML, &bytes)?.unwrap_or(&bytes);
        let text = str::from_utf8(content).map_err(|error| self.damaged(CONFIG, error))?;
        Ok(Some(text.to_owned()))
    }

    /// Gives the run its configuration, once: [`Created::AlreadyThere`] if it has another.
    pub fn write_config(&self, text: &str) -> Result<Created, RunError> {
        self.store.create(CONFIG, seal::TOML.put(text))
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
        let bytes = self.store.read(&key.to_string())?;
        self.decode_chunk(key, bytes)
    }

    /// Reads several chunks at a time, in the order of the keys, as [`Run::read_chunk`] does.
    pub fn read_chunks(
        &self,
        keys: &[ChunkKey],
    ) -> Result<Vec<(TakenChunk, Vec<GameRecord>)>, RunError> {
        let files: Vec<String> = keys.iter().map(ChunkKey::to_string).collect();
        let contents = self.store.read_all(&files)?;
        let pairs = keys.iter().zip(contents);
        pairs
            .map(|(key, bytes)| self.decode_chunk(key, bytes))
            .collect()
    }

    pub(crate) fn decode_chunk(
        &self,
        key: &ChunkKey,
        bytes: Option<Bytes>,
    ) -> Result<(TakenChunk, Vec<GameRecord>), RunError> {
        let file = key.to_string();
        let bytes = bytes.ok_or_else(|| self.missing(&file))?;
        let games = chunk::decode(&bytes).map_err(|source| RunError::Chunk {
            path: self.store.path(&file),
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
        self.check_taken(taken, self.read_chunk(&taken.key)?)
    }

    /// Reads the games of several taken chunks at a time, in their order, as [`Run::read_taken`]
    /// does.
    pub fn read_all_taken(&self, taken: &[TakenChunk]) -> Result<Vec<Vec<GameRecord>>, RunError> {
        let keys: Vec<ChunkKey> = taken.iter().map(|taken| taken.key.clone()).collect();
        let found = self.read_chunks(&keys)?;
        let pairs = taken.iter().zip(found);
        pairs
            .map(|(taken, found)| self.check_taken(taken, found))
            .collect()
    }

    pub(crate) fn check_taken(
        &self,
        taken: &TakenChunk,
        (found, games): (TakenChunk, Vec<GameRecord>),
    ) -> Result<Vec<GameRecord>, RunError> {
        if found == *taken {
            return Ok(games);
        }
        let reason = "it is not the chunk that the log took";
        Err(self.damaged(&taken.key.to_string(), reason))
    }

    /// Writes a small result as JSON.
    ///
    /// # Panics
    /// If the content is not a structure with named fields.
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

    /// Reads a result, if it is there.
    pub fn find_result<T: DeserializeOwned>(
        &self,
        folder: Folder,
        name: &Name,
    ) -> Result<Option<T>, RunError> {
        self.read_json(&folder.key(name))
    }

    /// Reads several results at a time, in the order of the names.
    pub fn read_results<T: DeserializeOwned>(
        &self,
        folder: Folder,
        names: &[Name],
    ) -> Result<Vec<T>, RunError> {
        let keys: Vec<String> = names.iter().map(|name| folder.key(name)).collect();
        let contents = keys.iter().zip(self.store.read_all(&keys)?);
        contents
            .map(|(key, bytes)| {
                let bytes = bytes.ok_or_else(|| self.missing(key))?;
                self.parse_json(key, &bytes)
            })
            .collect()
    }

    /// Reads a result that is there.
    pub fn read_result<T: DeserializeOwned>(
        &self,
        folder: Folder,
        name: &Name,
    ) -> Result<T, RunError> {
        let found = self.find_result(folder, name)?;
        found.ok_or_else(|| self.missing(&folder.key(name)))
    }

    /// A file's content is wrong.
    pub(crate) fn damaged(&self, key: &str, reason: impl ToString) -> RunError {
        RunError::Damaged {
            path: self.store.path(key),
            reason: reason.to_string(),
        }
    }

    /// A file is not there that should be.
    pub(crate) fn missing(&self, key: &str) -> RunError {
        RunError::Missing {
            path: self.store.path(key),
        }
    }

    pub(crate) fn create_json(
        &self,
        key: &str,
        content: &impl Serialize,
    ) -> Result<Created, RunError> {
        let json = serde_json::to_string_pretty(content)
            .map_err(|error| RunError::storage("write", self.store.path(key), error))?;
        let fields = json.strip_suffix("\n}").expect("an object with fields");
        self.store.create(key, seal::JSON.put(fields))
    }

    pub(crate) fn read_json<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, RunError> {
        let bytes = self.store.read(key)?;
        bytes.map(|bytes| self.parse_json(key, &bytes)).transpose()
    }

    pub(crate) fn parse_json<T: DeserializeOwned>(
        &self,
        key: &str,
        bytes: &[u8],
    ) -> Result<T, RunError> {
        let parsed = match self.unseal(key, &seal::JSON, bytes)? {
            Some(fields) => serde_json::from_slice(&[fields, b"\n}"].concat()),
            None => serde_json::from_slice(bytes),
        };
        parsed.map_err(|error| self.damaged(key, error))
    }

    /// The content of a file with a seal; `None` where there is none to be expected.
    fn unseal<'a>(
        &self,
        key: &str,
        seal: &Seal,
        bytes: &'a [u8],
    ) -> Result<Option<&'a [u8]>, RunError> {
        match seal.take(bytes) {
            Ok(None) if self.has_seals => Err(self.damaged(key, seal::MISSING)),
            taken => taken.map_err(|reason| self.damaged(key, reason)),
        }
    }
}
