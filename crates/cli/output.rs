//! Files that are there whole or not at all.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use outflank_run::{Location, Run, RunError};
use tempfile::NamedTempFile;

/// What the names of unfinished files begin with, and how many random characters they end with.
const TEMPORARY: &str = ".outflank-";
const TEMPORARY_ENDING: usize = 6;

/// What stands between: which start of which machine wrote the file. Locks are sure to be seen by
/// all processes of that one, and by nobody else. Empty where there is no such name.
static BOOT: LazyLock<String> = LazyLock::new(|| {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    match id.get(..8) {
        Some(begin) if begin.bytes().all(|b| b.is_ascii_hexdigit()) => format!("{begin}-"),
        _ => String::new(),
    }
});

/// An unfinished file of another machine may be locked without our seeing it: one that is younger
/// is left alone.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// The files that are being written: where each is, and as what it was named.
static UNFINISHED: Mutex<Vec<(PathBuf, PathBuf)>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<(PathBuf, PathBuf)>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all unfinished files, as the process is about to end. Nothing is begun or finished from
/// here on. Returns what the files were to be called.
#[cfg(unix)]
pub fn discard_unfinished() -> Vec<String> {
    let files = unfinished();
    for (file, _) in files.iter() {
        let _ = std::fs::remove_file(file); // if it stays, the next command here removes it
    }
    let names = files.iter().map(|(_, name)| name.display().to_string());
    let names = names.collect();
    std::mem::forget(files);
    names
}

/// A file to be written. It is begun next to its place before the work whose result it will hold,
/// so that a folder that cannot be written is found out first, and moved there at the end. Large
/// results are written piece by piece.
pub struct Output {
    /// As it was named.
    path: PathBuf,
    /// Where links lead.
    target: PathBuf,
    file: BufWriter<NamedTempFile>,
    /// After the file, which it has to outlive.
    listed: Listed,
}

impl Output {
    /// Begins a file; what is at its place stays until [`Output::finish`]. A link stays one: the
    /// file that it leads to is replaced. What is no file (a folder, a pipe, a device) is refused.
    pub fn begin(path: &Path) -> Result<Output> {
        let failed = || format!("{}: cannot be written", path.display());
        let target = target(path).with_context(failed)?;
        let folder = folder_of(&target);
        remove_abandoned(folder);
        let prefix = format!("{TEMPORARY}{}", *BOOT);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).rand_bytes(TEMPORARY_ENDING);
        // Temporary files are their owner's alone; a result is as readable as any other file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut files = unfinished();
        let file = loop {
            let file = builder
                .tempfile_in(folder)
                .map_err(without_temporary_name)
                .with_context(failed)?;
            if is_locked(file.as_file()).with_context(failed)? {
                break file;
            }
        };
        files.push((file.path().to_owned(), path.to_owned()));
        Ok(Output {
            path: path.to_owned(),
            target,
            listed: Listed(file.path().to_owned()),
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
        // Whoever discards what is unfinished must find it before or after this.
        let mut files = unfinished();
        file.persist(&self.target)
            .map_err(|error| without_temporary_name(error.error))
            .with_context(failed)?;
        self.listed.remove_from(&mut files);
        Ok(())
    }
}

/// The place of a file in the list of those that are being written.
struct Listed(PathBuf);

impl Listed {
    fn remove_from(&self, files: &mut Vec<(PathBuf, PathBuf)>) {
        files.retain(|(file, _)| *file != self.0);
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.remove_from(&mut unfinished());
    }
}

/// Locks a new file, which says that somebody is at work, as far as the file system knows locks.
/// Not if another process has taken the file for abandoned at just this instant.
fn is_locked(file: &File) -> io::Result<bool> {
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return Ok(false);
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) == 0 {
        return Ok(false);
    }
    Ok(true)
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
        if !places.insert(place(path)?) {
            bail!(
                "{}: two outputs would be this file; expected a name for each",
                path.display()
            );
        }
    }
    Ok(())
}

/// Refuses an output that is one of the inputs, or in a folder that is one: they would be replaced by
/// what was made of them.
pub fn expect_not_input(output: &Path, inputs: &[PathBuf]) -> Result<()> {
    let place = place(output)?;
    let read = |input: &&PathBuf| {
        input
            .canonicalize()
            .is_ok_and(|input| place.starts_with(input))
    };
    match inputs.iter().find(read) {
        Some(folder) if folder.is_dir() => bail!(
            "{}: it is in {}, whose files are read; expected another place to write to",
            output.display(),
            folder.display()
        ),
        Some(_) => bail!(
            "{}: it is read as well; expected another name to write to",
            output.display()
        ),
        None => Ok(()),
    }
}

/// Refuses an output in the folder of a run, or a run's folder itself: what is in there is the run's
/// own, and would be replaced or taken for a part of it.
pub fn expect_outside_runs(output: &Path) -> Result<()> {
    let whole = std::path::absolute(output).with_context(|| output.display().to_string())?;
    let there = whole.ancestors().find_map(|path| path.canonicalize().ok());
    let is_run = |folder: &Path| {
        let found = Run::is_at(&Location::Folder(folder.to_owned()));
        matches!(found, Ok(true) | Err(RunError::NewerVersion { .. }))
    };
    let mut folders = there.iter().flat_map(|path| path.ancestors());
    if let Some(run) = folders.find(|folder| is_run(folder)) {
        bail!(
            "{}: it is in the run {}, whose folder holds its own files; expected another place to write to",
            output.display(),
            run.display()
        );
    }
    Ok(())
}

/// The whole path of the file that a path means.
fn place(path: &Path) -> Result<PathBuf> {
    let target = target(path).with_context(|| path.display().to_string())?;
    // A folder that is not there is for the one who writes to it to refuse.
    let folder = folder_of(&target);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    Ok(folder.join(target.file_name().unwrap_or_default()))
}

/// The file that a path means, which may not be there yet: links are followed.
fn target(path: &Path) -> Result<PathBuf> {
    if path == Path::new("-") {
        bail!("it would be a file, and not standard output; expected a name, or ./- for this one");
    }
    // Where `/dev/stdout` leads: to what may be a file, which is being written to.
    let folder = folder_of(path).canonicalize();
    if folder.is_ok_and(|folder| folder.starts_with("/proc")) {
        bail!("it is what a process has open; expected a file");
    }
    match path.metadata() {
        Ok(found) if found.is_file() => match path.read_link() {
            Ok(next) => target(&folder_of(path).join(next)),
            Err(_) => Ok(path.canonicalize()?),
        },
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
    // What stands between beginning and ending of such a file's name.
    let boot_of = |name: &OsStr| -> Option<String> {
        let rest = name.to_str()?.strip_prefix(TEMPORARY)?;
        let boot = rest.get(..rest.len().checked_sub(TEMPORARY_ENDING)?)?;
        let is_one = boot.is_empty() || boot.len() == 9 && boot.ends_with('-');
        is_one.then(|| boot.to_owned())
    };
    let remove = |path: &Path, boot: &str| -> io::Result<()> {
        let file = File::open(path)?;
        let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
        let is_ours = !boot.is_empty() && boot == *BOOT;
        // Removed under the lock: the file may be new, and its owner about to lock it.
        if (is_ours || age > ABANDONED_AFTER) && file.try_lock().is_ok() {
            std::fs::remove_file(path)?;
        }
        Ok(())
    };
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        if let Some(boot) = boot_of(&entry.file_name()) {
            let _ = remove(&entry.path(), &boot);
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_a_process_has_open_is_not_replaced_by_that_name() {
        use std::os::fd::AsRawFd;

        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("kept"), "kept").expect("written");
        let file = File::open(place("kept")).expect("opened");
        let open = PathBuf::from(format!("/dev/fd/{}", file.as_raw_fd()));
        std::os::unix::fs::symlink(&open, place("link")).expect("linked");
        for path in [&open, &place("link")] {
            assert!(Output::begin(path).is_err(), "{}", path.display());
        }
        assert!(Output::begin(&place("kept")).is_ok());
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
        // Of this machine, so that the missing lock tells that its process is gone.
        make(&format!(".outflank-{}new123", *BOOT), None);
        make(".outflank-notes.txt", Some(old));
        let at_work = Output::begin(&folder.path().join("a")).expect("begun");
        let file = at_work.file.get_ref().as_file();
        file.set_modified(old).expect("aged");
        // Other tests have files in the list too.
        let listed = |name: &str| {
            let path = folder.path().join(name);
            unfinished().iter().any(|(_, listed)| *listed == path)
        };
        assert!(listed("a"));
        Output::begin(&folder.path().join("b"))
            .and_then(|output| output.finish(b"b"))
            .expect("written");
        at_work.finish(b"a").expect("nobody has removed it");
        assert!(!listed("a") && !listed("b"));
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
