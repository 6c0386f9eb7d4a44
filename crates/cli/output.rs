//! Files that are there whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

/// A file to be written. It is begun next to its place before the work whose result it will hold,
/// so that a folder that cannot be written is found out first, and moved there at the end.
pub struct Output {
    path: PathBuf,
    file: NamedTempFile,
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
            file,
        })
    }

    /// Its place.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the content at its place.
    pub fn finish(mut self, content: &[u8]) -> Result<()> {
        let failed = || format!("{}: cannot be written", self.path.display());
        self.file.write_all(content).with_context(failed)?;
        self.file.as_file().sync_all().with_context(failed)?;
        self.file.persist(&self.path).with_context(failed)?;
        Ok(())
    }
}
