//! Files that are there whole or not at all.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

/// What the names of unfinished files begin with, and how many characters follow.
const TEMPORARY: &str = ".outflank-";
const TEMPORARY_ENDING: usize = 6;

/// An unfinished file that is younger may only just be going to be locked.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// A file to be written. It is begun next to its place before the work whose result it will hold,
/// so that a folder that cannot be written is found out first, and moved there at the end. Large
/// results are written piece by piece.
pub struct Output {
    /// As it was named.
    path: PathBuf,
    /// Where links lead.
    target: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl Output {
    /// Begins a file; what is at its place stays until [`Output::finish`]. A link stays one: the
    /// file that it leads to is replaced. What is no file (a folder, a pipe, a device) is refused.
    pub fn begin(path: &Path) -> Result<Output> {
        let failed = || format!("{}: cannot be written", path.display());
        let target = target(path).with_context(failed)?;
        let folder = folder_of(&target);
        remove_abandoned(folder);
        let mut builder = tempfile::Builder::new();
        builder.prefix(TEMPORARY);
        // Temporary files are their owner's alone; a result is as readable as any other file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder
            .tempfile_in(folder)
            .map_err(without_temporary_name)
            .with_context(failed)?;
        // A lock says that somebody is at work, as far as the file system knows locks.
        let _ = file.as_file().try_lock();
        Ok(Output {
            path: path.to_owned(),
            target,
            file: BufWriter::new(file),
        })
    }

    /// Its place.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the content at its place.
    pub fn finish(mut self, content: &[u8]) -> Result<()> {
        self.write_all(content)
            .with_context(|| format!("{}: cannot be written", self.path.display()))?;
        self.commit()
    }

    /// Puts what was written at its place.
    pub fn commit(self) -> Result<()> {
        let failed = || format!("{}: cannot be written", self.path.display());
        let file = self
            .file
            .into_inner()
            .map_err(|error| without_temporary_name(error.into_error()))
            .with_context(failed)?;
        file.as_file().sync_all().with_context(failed)?;
        file.persist(&self.target)
            .map_err(|error| without_temporary_name(error.error))
            .with_context(failed)?;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(without_temporary_name)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(without_temporary_name)
    }
}

/// Refuses paths of which two lead to the same file: the second would replace the first.
pub fn expect_different<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let mut places = BTreeSet::new();
    for path in paths {
        let target = target(path).with_context(|| path.display().to_string())?;
        // A folder that is not there is for the one who writes to it to refuse.
        let folder = folder_of(&target);
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        if !places.insert(folder.join(target.file_name().unwrap_or_default())) {
            bail!(
                "{}: two outputs would be this file; expected a name for each",
                path.display()
            );
        }
    }
    Ok(())
}

/// The file that a path means, which may not be there yet: links are followed.
fn target(path: &Path) -> Result<PathBuf> {
    match path.metadata() {
        Ok(found) if found.is_file() => Ok(path.canonicalize()?),
        Ok(found) if found.is_dir() => bail!("it is a folder; expected a file"),
        Ok(_) => bail!("it is a pipe or a device; expected a file"),
        Err(error) if error.kind() == ErrorKind::NotFound => match path.read_link() {
            Ok(next) => target(&folder_of(path).join(next)),
            Err(_) => Ok(path.to_owned()),
        },
        Err(error) => Err(error.into()),
    }
}

/// Removes what commands that were killed have left in a folder. What cannot be removed does no harm.
fn remove_abandoned(folder: &Path) {
    let is_temporary = |name: &OsStr| {
        name.to_str()
            .and_then(|name| name.strip_prefix(TEMPORARY))
            .is_some_and(|ending| ending.len() == TEMPORARY_ENDING)
    };
    let is_abandoned = |path: &Path| -> io::Result<bool> {
        let file = File::open(path)?;
        let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
        Ok(age > ABANDONED_AFTER && file.try_lock().is_ok())
    };
    let entries = folder.read_dir().into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name())) {
        if is_abandoned(&entry.path()).unwrap_or(false) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The error of the system alone: the name of a temporary file tells nobody anything.
fn without_temporary_name(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path \"") {
        Some((cause, _)) => io::Error::new(error.kind(), cause),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_named_as_it_was_given() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("none/file");
        let Err(error) = Output::begin(&path) else {
            panic!("there is no such folder");
        };
        let message = format!("{error:#}");
        assert!(
            message.contains("none/file: cannot be written"),
            "{message}"
        );
        assert!(!message.contains(".outflank-"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        std::fs::create_dir(place("far")).expect("created");
        for (link, to) in [("a", "far/file"), ("b", "a"), ("loop", "loop")] {
            std::os::unix::fs::symlink(to, place(link)).expect("linked");
        }
        // First the end of the links is not there, then it is.
        for content in [b"1", b"2"] {
            let output = Output::begin(&place("b")).expect("begun");
            output.finish(content).expect("written");
            assert!(place("b").is_symlink() && place("a").is_symlink());
            assert_eq!(std::fs::read(place("far/file")).expect("read"), content);
        }
        assert!(Output::begin(&place("loop")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused_and_stays() {
        use std::os::unix::fs::FileTypeExt;

        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("bound");
        for path in [&socket, folder.path()] {
            assert!(Output::begin(path).is_err(), "{}", path.display());
        }
        let kind = socket.metadata().expect("there").file_type();
        assert!(kind.is_socket());
    }

    #[test]
    fn only_what_nobody_works_on_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = std::time::SystemTime::now() - 2 * ABANDONED_AFTER;
        let make = |name: &str, age: Option<std::time::SystemTime>| {
            let file = File::create(folder.path().join(name)).expect("created");
            if let Some(time) = age {
                file.set_modified(time).expect("aged");
            }
            file
        };
        make(".outflank-abc123", Some(old));
        make(".outflank-new123", None);
        make(".outflank-notes.txt", Some(old));
        let at_work = Output::begin(&folder.path().join("a")).expect("begun");
        let file = at_work.file.get_ref().as_file();
        file.set_modified(old).expect("aged");
        Output::begin(&folder.path().join("b"))
            .and_then(|output| output.finish(b"b"))
            .expect("written");
        at_work.finish(b"a").expect("nobody has removed it");
        let listed = folder.path().read_dir().expect("listed").flatten();
        let mut names: Vec<_> = listed.map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, [".outflank-new123", ".outflank-notes.txt", "a", "b"]);
    }

    #[test]
    fn two_names_of_one_file_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        let again = folder.path().join(".").join("a");
        assert!(expect_different([a.as_path(), &b]).is_ok());
        assert!(expect_different([a.as_path(), &b, &again]).is_err());
    }
}
