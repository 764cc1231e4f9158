//! The operating system's file system.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use parking_lot::Mutex;

use super::disk::{Disk, Syncing, WriteFile};
use crate::types::Bytes;

/// Files shorter than this are copied instead of mapped: a map costs a system call, a page and a slot of the kernel's limit on maps.
pub const MAP_FROM_BYTES: u64 = 64 << 10;

/// The real thing. Holds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

/// A map of a published file, which nobody changes any more.
struct Mapped(Mmap);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

struct RealFile {
    file: Arc<File>,
    path: PathBuf,
    /// Bytes before this were already given to the system to write back.
    written_back: u64,
    length: u64,
}

/// Puts the path into the error's text, so that the person who reads it knows where to look.
fn at<T>(path: &Path, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|e| io::Error::new(e.kind(), Located { path: path.to_owned(), source: e }))
}

#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
struct Located {
    path: PathBuf,
    source: io::Error,
}

impl Disk for RealDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let file = at(path, OpenOptions::new().write(true).create(true).truncate(true).open(path))?;
        Ok(Box::new(RealFile { file: Arc::new(file), path: path.to_owned(), written_back: 0, length: 0 }))
    }

    fn append(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let file = at(path, OpenOptions::new().append(true).create(true).open(path))?;
        let length = at(path, file.metadata())?.len();
        Ok(Box::new(RealFile { file: Arc::new(file), path: path.to_owned(), written_back: length, length }))
    }

    fn map(&self, path: &Path) -> io::Result<Bytes> {
        let file = at(path, File::open(path))?;
        if at(path, file.metadata())?.len() < MAP_FROM_BYTES {
            return self.read(path).map(Bytes::from);
        }
        // SAFETY: the map is read-only, and files that are mapped are published files: this program never writes to or truncates them,
        // it only unlinks them, which leaves the mapped pages valid. The folder is locked against a second server.
        let map = at(path, unsafe { Mmap::map(&file) })?;
        Ok(Bytes::new(Mapped(map)))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        at(path, fs::read(path))
    }

    fn len(&self, path: &Path) -> io::Result<u64> {
        Ok(at(path, fs::metadata(path))?.len())
    }

    fn exists(&self, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok()
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>> {
        let mut names = Vec::new();
        for entry in at(dir, fs::read_dir(dir))? {
            names.push(PathBuf::from(at(dir, entry)?.file_name()));
        }
        names.sort();
        Ok(names)
    }

    fn is_dir(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|m| m.is_dir())
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        at(dir, fs::create_dir_all(dir))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        at(from, fs::rename(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        at(path, fs::remove_file(path))
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        at(dir, fs::remove_dir_all(dir))
    }

    fn truncate(&self, path: &Path, len: u64) -> io::Result<()> {
        let file = at(path, OpenOptions::new().write(true).open(path))?;
        at(path, file.set_len(len))?;
        at(path, file.sync_data())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        at(dir, File::open(dir).and_then(|d| d.sync_all()))
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        let stat = at(path, rustix::fs::statvfs(path).map_err(io::Error::from))?;
        Ok(stat.f_bavail * stat.f_frsize)
    }

    fn beside(&self, name: &str, work: Box<dyn FnOnce() + Send>) {
        // The work sits where both can reach it: where no thread is to be had, the caller does it.
        let work = Arc::new(Mutex::new(Some(work)));
        let of_thread = work.clone();
        let take = |work: &Mutex<Option<Box<dyn FnOnce() + Send>>>| work.lock().take();
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || take(&of_thread).map(|work| work()));
        if thread.is_err()
            && let Some(work) = take(&work)
        {
            work();
        }
    }
}

impl WriteFile for RealFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        at(&self.path, (&*self.file).write_all(bytes))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn start_writeback(&mut self) -> io::Result<()> {
        let (offset, bytes) = (self.written_back, self.length - self.written_back);
        self.written_back = self.length;
        start_writeback(&self.file, offset, bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        at(&self.path, self.file.sync_data())
    }

    fn sync_behind(self: Box<Self>) -> Syncing {
        let (file, path) = (self.file, self.path);
        let (of_thread, path_of_thread) = (file.clone(), path.clone());
        let thread = std::thread::Builder::new().name("sync".into()).spawn(move || at(&path_of_thread, of_thread.sync_data()));
        match thread {
            Ok(thread) => Syncing::running(thread),
            // No thread to be had: then the caller waits.
            Err(_) => Syncing::ended(at(&path, file.sync_data())),
        }
    }

    fn sync_handle(&self) -> io::Result<Box<dyn Fn() -> io::Result<()> + Send + Sync>> {
        let (file, path) = (self.file.clone(), self.path.clone());
        Ok(Box::new(move || at(&path, file.sync_data())))
    }
}

/// Asks the kernel to begin writing a range back. A hint: where it is refused, the sync at the end does all the work.
#[cfg(target_os = "linux")]
fn start_writeback(file: &File, offset: u64, bytes: u64) {
    use std::os::fd::AsRawFd;
    // SAFETY: the descriptor is open for as long as `file` is borrowed, and the call touches no memory of ours.
    unsafe { libc::sync_file_range(file.as_raw_fd(), offset as i64, bytes as i64, libc::SYNC_FILE_RANGE_WRITE) };
}

#[cfg(not(target_os = "linux"))]
fn start_writeback(_file: &File, _offset: u64, _bytes: u64) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_replaced_and_mapped() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("a");
        super::super::write_durably(&RealDisk, &path, b"old").expect("write");
        super::super::write_durably(&RealDisk, &path, &vec![7; 100_000]).expect("write");
        assert_eq!(RealDisk.map(&path).expect("map").len(), 100_000);
        RealDisk.truncate(&path, 3).expect("truncate");
        assert_eq!(RealDisk.read(&path).expect("read"), [7, 7, 7]);
        assert_eq!(RealDisk.list(dir.path()).expect("list"), [PathBuf::from("a")]);
        assert!(RealDisk.free_bytes(dir.path()).expect("statvfs") > 0);
        let error = RealDisk.read(&dir.path().join("no")).expect_err("absent").to_string();
        assert!(error.contains("/no: "), "{error}");
    }
}
