//! What the engine asks of a file system.

use std::io;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use crate::types::Bytes;

/// A file system, or a double of one. All paths are absolute or relative to the same root; errors carry the path in their text.
pub trait Disk: Send + Sync {
    /// Creates or truncates a file for writing from its start.
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>>;
    /// Opens an existing file, or creates it, to append to.
    fn append(&self, path: &Path) -> io::Result<Box<dyn WriteFile>>;
    /// The whole file, read-only: mapped where that is cheaper. The file must not change while the bytes live.
    fn map(&self, path: &Path) -> io::Result<Bytes>;
    /// The whole file, copied into memory.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Length in bytes.
    fn len(&self, path: &Path) -> io::Result<u64>;
    /// Whether a file or folder of this name exists.
    fn exists(&self, path: &Path) -> bool;
    /// Names in a folder, sorted. Folders and files alike.
    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>>;
    /// Whether the path is a folder.
    fn is_dir(&self, path: &Path) -> bool;
    /// Creates a folder and those above it.
    fn create_dir(&self, dir: &Path) -> io::Result<()>;
    /// Atomically gives a file or folder another name in the same file system, replacing a file there.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes a folder and all in it.
    fn remove_dir(&self, dir: &Path) -> io::Result<()>;
    /// Cuts a file to `len` bytes and syncs it.
    fn truncate(&self, path: &Path, len: u64) -> io::Result<()>;
    /// Makes the names in a folder durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
    /// Bytes free for this process on the file system of `path`.
    fn free_bytes(&self, path: &Path) -> io::Result<u64>;
    /// Does work that nobody waits for, beside the caller where the disk can, on a thread of this name.
    fn beside(&self, name: &str, work: Box<dyn FnOnce() + Send>);
}

/// A file being written. Not buffered: callers write in sensible pieces.
pub trait WriteFile: Send {
    /// Writes all of `bytes` behind what was written before.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Asks the system to begin writing back, without waiting; a hint, so that the last sync is short.
    fn start_writeback(&mut self) -> io::Result<()>;
    /// Returns once all that was written is durable. A failed sync must not be tried again: what is on disk is unknown.
    fn sync(&mut self) -> io::Result<()>;
    /// Ends writing and begins the sync, beside the caller where the disk can: syncs at the same time share what the file system does for
    /// each, and the caller makes the next file meanwhile.
    fn sync_behind(self: Box<Self>) -> Syncing;
    /// A second handle on the same file that can only sync, for a thread that syncs while another writes.
    fn sync_handle(&self) -> io::Result<Box<dyn Fn() -> io::Result<()> + Send + Sync>>;
}

/// A sync on its way. Dropped without [`Syncing::wait`], it goes on, and nobody learns how it ends.
#[must_use = "nothing is durable before the wait has succeeded"]
pub struct Syncing(State);

enum State {
    Ended(io::Result<()>),
    Running(JoinHandle<io::Result<()>>),
}

impl Syncing {
    /// A sync that the caller was made to wait for.
    pub(super) fn ended(result: io::Result<()>) -> Syncing {
        Syncing(State::Ended(result))
    }

    /// A sync on a thread of its own.
    pub(super) fn running(thread: JoinHandle<io::Result<()>>) -> Syncing {
        Syncing(State::Running(thread))
    }

    /// Returns once all that was written is durable. A failed sync must not be tried again: what is on disk is unknown.
    pub fn wait(self) -> io::Result<()> {
        match self.0 {
            State::Ended(result) => result,
            State::Running(thread) => thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that synced a file has panicked"))),
        }
    }
}

/// Writes `bytes` to `path` so that after a crash the file holds either its old content or all of the new:
/// temporary, sync, rename, sync of the folder.
pub fn write_durably(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    Replacement::prepare(disk, path, bytes)?.commit(disk)
}

/// New content of a file, durable under a temporary name. Dropped without [`Replacement::commit`], it stays for the next start to sweep.
#[must_use]
pub struct Replacement {
    temporary: PathBuf,
    path: PathBuf,
}

impl Replacement {
    /// Writes and syncs the temporary. After an error the old file is what it was.
    pub fn prepare(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<Replacement> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".tmp");
        let temporary = path.with_file_name(name);
        let mut file = disk.create(&temporary)?;
        file.write(bytes)?;
        file.sync()?;
        Ok(Replacement { temporary, path: path.to_owned() })
    }

    /// Puts it in the file's place. After an error it is unknown which content a crash would leave.
    pub fn commit(self, disk: &dyn Disk) -> io::Result<()> {
        disk.rename(&self.temporary, &self.path)?;
        disk.sync_dir(self.path.parent().unwrap_or(Path::new(".")))
    }
}
