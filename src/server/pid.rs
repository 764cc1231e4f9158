//! The file that holds the process id while the server runs.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::storage::Disk;

/// Written; removed when dropped.
pub(super) struct PidFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
}

impl PidFile {
    /// Writes the process id. A file that is there already was left by a server that was killed: the lock on the data folder, not this
    /// file, keeps two servers apart.
    pub(super) fn write(disk: &Arc<dyn Disk>, path: PathBuf) -> io::Result<PidFile> {
        disk.create(&path)?.write(format!("{}\n", std::process::id()).as_bytes())?;
        Ok(PidFile { disk: disk.clone(), path })
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        if let Err(error) = self.disk.remove_file(&self.path) {
            tracing::warn!("{error}");
        }
    }
}
