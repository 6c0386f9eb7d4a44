use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use tokio::runtime::{Builder, Runtime};

use crate::Location;
use crate::error::RunError;
use crate::retry::{Backoff, Retry, is_transient};

/// Files that [`Store::read_all`] asks for at a time: a bucket answers each after tens of
/// milliseconds, and many as fast as one.
const READS_AT_A_TIME: usize = 16;

/// What came of creating a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// The file is there with this content, and this call, or an earlier one with the very same
    /// content, wrote it.
    New,
    /// Another file was there first and stays.
    AlreadyThere,
}

/// Refuses folders whose whole path is not UTF-8, which the library behind this cannot write to.
fn expect_text(path: &std::path::Path, name: &str) -> Result<(), RunError> {
    let whole = path.canonicalize().or_else(|_| std::path::absolute(path));
    match whole {
        Ok(whole) if whole.to_str().is_none() => Err(RunError::Location {
            location: name.to_owned(),
            reason: "the path of a run must be UTF-8".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// A place for files that are created once and never changed. Clones share it, and may be used
/// from many threads.
#[derive(Clone)]
pub struct Store {
    location: String,
    objects: Arc<dyn ObjectStore>,
    runtime: Arc<Runtime>,
    backoff: Backoff,
    observer: Arc<dyn Fn(&Retry) + Send + Sync>,
}

impl Store {
    /// Opens a location; a folder that does not exist is made.
    pub fn open(location: &Location) -> Result<Store, RunError> {
        let name = location.to_string();
        let objects: Arc<dyn ObjectStore> = match location {
            Location::Folder(path) => {
                expect_text(path, &name)?;
                std::fs::create_dir_all(path)
                    .map_err(|error| RunError::storage("make the folder", name.clone(), error))?;
                let folder = LocalFileSystem::new_with_prefix(path)
                    .map_err(|error| RunError::storage("open", name.clone(), error))?;
                Arc::new(folder.with_fsync(true))
            }
            Location::Bucket {
                provider,
                bucket,
                prefix,
            } => crate::bucket::open(*provider, bucket, prefix, &name)?,
            Location::Memory => Arc::new(InMemory::new()),
        };
        Store::over(objects, name)
    }

    /// A store over any objects; `location` is their name in messages.
    pub fn over(objects: Arc<dyn ObjectStore>, location: String) -> Result<Store, RunError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| RunError::storage("open", location.clone(), error))?;
        Ok(Store {
            location,
            objects,
            runtime: Arc::new(runtime),
            backoff: Backoff::default(),
            observer: Arc::new(|_| ()),
        })
    }

    /// With another backoff than the default one.
    pub fn with_backoff(self, backoff: Backoff) -> Store {
        Store { backoff, ..self }
    }

    /// With an observer that is told of each repetition of a call.
    pub fn with_observer(self, observer: impl Fn(&Retry) + Send + Sync + 'static) -> Store {
        Store {
            observer: Arc::new(observer),
            ..self
        }
    }

    /// The location's name.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// A file's name in messages.
    pub fn path(&self, key: &str) -> String {
        let slash = if self.location.ends_with('/') {
            ""
        } else {
            "/"
        };
        format!("{}{slash}{key}", self.location)
    }

    /// Creates a file, whole or not at all, unless it is there.
    ///
    /// An answer can get lost: the first attempt may have succeeded although it seemed to fail, and
    /// then the repetition finds a file. So a file with the very same content counts as created.
    pub fn create(&self, key: &str, content: impl Into<Bytes>) -> Result<Created, RunError> {
        let content = content.into();
        let path = Path::from(key);
        let put = self.runtime.block_on(self.repeat("write", key, async || {
            let options = PutOptions {
                mode: PutMode::Create,
                ..PutOptions::default()
            };
            let payload = PutPayload::from(content.clone());
            match self.objects.put_opts(&path, payload, options).await {
                Ok(_) => Ok(Created::New),
                Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => {
                    Ok(Created::AlreadyThere)
                }
                Err(error) => Err(error),
            }
        }))?;
        match put {
            Created::AlreadyThere if self.read(key)?.is_some_and(|there| there == content) => {
                Ok(Created::New)
            }
            put => Ok(put),
        }
    }

    /// Reads a file; `None` if there is none.
    pub fn read(&self, key: &str) -> Result<Option<Bytes>, RunError> {
        self.runtime.block_on(self.fetch(key))
    }

    /// Reads several files at a time; the answers are in the order of the keys.
    pub fn read_all(&self, keys: &[String]) -> Result<Vec<Option<Bytes>>, RunError> {
        let reads = stream::iter(keys).map(|key| self.fetch(key));
        let reads = reads.buffered(READS_AT_A_TIME).try_collect();
        self.runtime.block_on(reads)
    }

    async fn fetch(&self, key: &str) -> Result<Option<Bytes>, RunError> {
        let path = Path::from(key);
        let get = async || match self.objects.get(&path).await {
            Ok(object) => object.bytes().await.map(Some),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        };
        self.repeat("read", key, get).await
    }

    /// The names of the files in a folder, sorted; without those in folders of it, and without
    /// what killed writers left behind. A folder that does not exist has none.
    pub fn list(&self, folder: &str) -> Result<Vec<String>, RunError> {
        let below = self.list_below(folder)?;
        let names = below.iter().filter_map(|key| {
            let name = key.strip_prefix(folder)?.strip_prefix('/')?;
            (!name.contains('/')).then(|| name.to_owned())
        });
        Ok(names.collect())
    }

    /// The keys of all files below a folder, sorted; without what killed writers left behind.
    pub fn list_below(&self, folder: &str) -> Result<Vec<String>, RunError> {
        let prefix = Path::from(folder);
        let list = self.repeat("list", folder, async || {
            let objects = self.objects.list(Some(&prefix));
            objects.try_collect::<Vec<_>>().await
        });
        let objects = self.runtime.block_on(list)?;
        let keys = objects.iter().map(|object| object.location.to_string());
        let mut keys: Vec<String> = keys.filter(|key| !is_staged(key)).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    /// Deletes a file; one that is not there is no failure. Files of a run are deleted by
    /// [`crate::Run::prune`] alone.
    pub(crate) fn delete(&self, key: &str) -> Result<(), RunError> {
        let path = Path::from(key);
        self.runtime.block_on(self.repeat("delete", key, async || {
            match self.objects.delete(&path).await {
                Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(error),
            }
        }))
    }

    /// The first file or folder at the top, hidden ones left out.
    pub fn first_at_top(&self) -> Result<Option<String>, RunError> {
        let top = self.runtime.block_on(self.repeat("list", "", async || {
            self.objects.list_with_delimiter(None).await
        }))?;
        let files = top.objects.into_iter().map(|object| object.location);
        let names = files
            .chain(top.common_prefixes)
            .map(|path| path.to_string());
        Ok(names
            .filter(|name| !name.starts_with('.') && !is_staged(name))
            .min())
    }

    /// Makes a call until it succeeds, fails for good, or the backoff is used up.
    async fn repeat<T>(
        &self,
        action: &'static str,
        key: &str,
        call: impl AsyncFn() -> object_store::Result<T>,
    ) -> Result<T, RunError> {
        let mut waits = self.backoff.waits();
        loop {
            let error = match call().await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let wait = if is_transient(&error) {
                waits.next()
            } else {
                None
            };
            let error = RunError::storage(action, self.path(key), error);
            let Some(wait) = wait else { return Err(error) };
            (self.observer)(&Retry {
                message: error.to_string(),
                wait,
            });
            tokio::time::sleep(wait).await;
        }
    }
}

/// Whether this is a file that `LocalFileSystem` had not yet linked to its name, `name#1`.
fn is_staged(name: &str) -> bool {
    name.rsplit_once('#')
        .is_some_and(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()))
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}
