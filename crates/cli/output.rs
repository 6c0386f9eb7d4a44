//! Files that are there whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

/// A file to be written. It is begun next to its place before the work whose result it will hold,
/// so that a folder that cannot be written is found out first, and moved there at the end. Large
/// results are written piece by piece.
pub struct Output {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl Output {
    /// Begins a file; what is at its place stays until [`Output::finish`].
    pub fn begin(path: &Path) -> Result<Output> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".outflank-");
        // Temporary files are their owner's alone; a result is as readable as any other file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder
            .tempfile_in(folder)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
        Ok(Output {
            path: path.to_owned(),
            file: BufWriter::new(file),
        })
    }

    /// Its place.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the content at its place.
    pub fn finish(mut self, content: &[u8]) -> Result<()> {
        self.file
            .write_all(content)
            .with_context(|| format!("{}: cannot be written", self.path.display()))?;
        self.commit()
    }

    /// Puts what was written at its place.
    pub fn commit(self) -> Result<()> {
        let failed = || format!("{}: cannot be written", self.path.display());
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
            .with_context(failed)?;
        file.as_file().sync_all().with_context(failed)?;
        file.persist(&self.path).with_context(failed)?;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
