//! One server per data folder.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Held for as long as the server uses the folder; the system releases it when the process ends, however it ends.
#[derive(Debug)]
pub struct DirLock {
    _file: File,
}

/// Why the folder is not ours.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error("data folder '{}' is in use by process {holder}", dir.display())]
    Held {
        /// The folder.
        dir: PathBuf,
        /// Process id as the holder wrote it down, or `unknown`.
        holder: String,
    },
    /// The lock file could not be opened or written.
    #[error("cannot lock '{}': {source}", dir.display())]
    Io {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl DirLock {
    /// Locks `dir` (which must exist) through a file `chimera.lock` that holds our process id.
    pub fn acquire(dir: &Path) -> Result<DirLock, LockError> {
        let io = |source| LockError::Io { dir: dir.to_owned(), source };
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(dir.join("chimera.lock")).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let holder = if holder.trim().is_empty() { "unknown".to_owned() } else { holder.trim().to_owned() };
                return Err(LockError::Held { dir: dir.to_owned(), holder });
            }
            Err(std::fs::TryLockError::Error(e)) => return Err(io(e)),
        }
        file.set_len(0).map_err(io)?;
        file.rewind().map_err(io)?;
        writeln!(file, "{}", std::process::id()).map_err(io)?;
        Ok(DirLock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_told_who_has_it() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let first = DirLock::acquire(dir.path()).expect("free");
        let error = DirLock::acquire(dir.path()).expect_err("held").to_string();
        assert!(error.ends_with(&format!("is in use by process {}", std::process::id())), "{error}");
        drop(first);
        DirLock::acquire(dir.path()).expect("free again");
    }
}
