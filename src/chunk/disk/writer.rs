//! The folder of a chunk being written: buffered files that count, check, throttle and stop.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crc32fast::Hasher;
use parking_lot::Mutex;

use super::header::FileMark;
use super::options::BuildOptions;
use crate::chunk::ChunkError;
use crate::storage::{Disk, Syncing, Throttle, WriteFile};
use crate::types::Progress;
use crate::types::StopToken;

/// Bytes gathered before a file is written to; also the piece in which larger writes go out.
const BUFFER_BYTES: usize = 256 << 10;
/// Bytes after which the system is asked to begin writing back: what is left for the sync at the end to wait for.
const WRITEBACK_BYTES: u64 = 1 << 20;
/// Bytes read from inputs after which the stop token is looked at.
const READ_BYTES: u64 = 1 << 20;
/// Rows or words after which the stop token is looked at.
const LOOK_EVERY: u32 = 4096;

/// A folder being filled.
pub(super) struct Folder {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    /// The build's own, stopped by the one that it was given.
    stop: StopToken,
    throttle: Option<Arc<Throttle>>,
    progress: Arc<Progress>,
    /// Files written to their end, on their way to being durable.
    written: Mutex<Vec<(FileMark, Syncing)>>,
}

/// Says which file the system failed on.
pub(super) fn io_error(path: &Path, source: io::Error) -> ChunkError {
    ChunkError::Io { file: path.display().to_string(), source }
}

impl Folder {
    /// Creates the folder, which must not exist.
    pub(super) fn create(disk: &Arc<dyn Disk>, options: &BuildOptions) -> Result<Arc<Folder>, ChunkError> {
        if disk.exists(&options.dir) {
            return Err(io_error(&options.dir, io::Error::from(io::ErrorKind::AlreadyExists)));
        }
        disk.create_dir(&options.dir).map_err(|e| io_error(&options.dir, e))?;
        Ok(Arc::new(Folder {
            disk: disk.clone(),
            dir: options.dir.clone(),
            stop: options.stop.child(),
            throttle: options.throttle.clone(),
            progress: options.progress.clone(),
            written: Mutex::default(),
        }))
    }

    /// Begins a file.
    pub(super) fn file(self: &Arc<Self>, name: &'static str) -> Result<FileWriter, ChunkError> {
        let path = self.dir.join(name);
        let file = self.disk.create(&path).map_err(|e| io_error(&path, e))?;
        Ok(FileWriter {
            folder: self.clone(),
            name,
            file: Some(Mutex::new(file)),
            buffer: Vec::with_capacity(BUFFER_BYTES),
            written: 0,
            handed_over: 0,
            checksum: Hasher::new(),
        })
    }

    /// Stops this build alone.
    pub(super) fn stop(&self) -> &StopToken {
        &self.stop
    }

    /// Folder of the files.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Lengths and checksums of the files that are closed, in order of name.
    pub(super) fn marks(&self) -> Vec<FileMark> {
        let mut marks: Vec<FileMark> = self.written.lock().iter().map(|(mark, _)| mark.clone()).collect();
        marks.sort_by(|a, b| a.name.cmp(&b.name));
        marks
    }

    /// Returns once what was written is durable, and its names.
    pub(super) fn sync(&self) -> Result<(), ChunkError> {
        for (mark, syncing) in std::mem::take(&mut *self.written.lock()) {
            syncing.wait().map_err(|e| io_error(&self.dir.join(&mark.name), e))?;
        }
        self.stop.check()?;
        self.disk.sync_dir(&self.dir).map_err(|e| io_error(&self.dir, e))
    }

    /// A counter that looks at the stop token as often as work is to be done.
    pub(super) fn pace(self: &Arc<Self>) -> Pace {
        Pace { folder: self.clone(), steps: 0, read: 0 }
    }
}

/// Stops work that reads inputs.
pub(super) struct Pace {
    folder: Arc<Folder>,
    steps: u32,
    read: u64,
}

impl Pace {
    /// Counts a row or a word, and `bytes` read from an input.
    #[inline]
    pub(super) fn step(&mut self, bytes: u64) -> Result<(), ChunkError> {
        self.steps += 1;
        self.read += bytes;
        if self.steps >= LOOK_EVERY || self.read >= READ_BYTES { self.look() } else { Ok(()) }
    }

    /// Counts rows of a list.
    #[inline]
    pub(super) fn steps(&mut self, rows: u32) -> Result<(), ChunkError> {
        self.steps += rows;
        if self.steps >= LOOK_EVERY { self.look() } else { Ok(()) }
    }

    /// Counts `bytes` read from an input.
    pub(super) fn read(&mut self, bytes: u64) -> Result<(), ChunkError> {
        self.read += bytes;
        if self.read >= READ_BYTES { self.look() } else { Ok(()) }
    }

    #[cold]
    fn look(&mut self) -> Result<(), ChunkError> {
        // The throttle has had the bytes of the inputs when they were verified, which is when they came from the disk.
        (self.steps, self.read) = (0, 0);
        self.folder.stop.check()?;
        Ok(())
    }

    /// Counts rows that are done with.
    pub(super) fn rows_done(&self, rows: u64) {
        self.folder.progress.add_rows(rows);
    }
}

/// A file being written. Nothing is durable before [`Folder::sync`].
pub(in crate::chunk) struct FileWriter {
    folder: Arc<Folder>,
    name: &'static str,
    /// None once closed. The lock is never taken: it only lets the writer be shared between threads as tantivy's signatures ask.
    file: Option<Mutex<Box<dyn WriteFile>>>,
    buffer: Vec<u8>,
    /// Bytes given to the system.
    written: u64,
    /// Bytes before this were already given to be written back.
    handed_over: u64,
    checksum: Hasher,
}

/// The build was asked to stop, in the clothes of an I/O error, since it passes through tantivy.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
struct StopMark;

impl FileWriter {
    fn write_out(&mut self) -> io::Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        let result = self.send(&buffer);
        self.buffer = buffer;
        self.buffer.clear();
        result
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        for piece in bytes.chunks(BUFFER_BYTES) {
            let len = piece.len() as u64;
            match &self.folder.throttle {
                Some(throttle) => throttle.pass(len, &self.folder.stop).map_err(|_| io::Error::other(StopMark))?,
                None => self.folder.stop.check().map_err(|_| io::Error::other(StopMark))?,
            }
            self.checksum.update(piece);
            let file = self.file.as_mut().ok_or_else(|| io::Error::other("write after the end of a file"))?.get_mut();
            file.write(piece)?;
            self.written += len;
            self.folder.progress.add_written(len);
            if self.written - self.handed_over >= WRITEBACK_BYTES {
                self.handed_over = self.written;
                file.start_writeback()?;
            }
        }
        Ok(())
    }

    /// Writes the rest and begins the sync that [`Folder::sync`] waits for.
    pub(super) fn close(mut self) -> io::Result<()> {
        self.end()
    }

    /// As [`FileWriter::close`], for whoever does not own the writer; nothing can be written afterwards.
    pub(in crate::chunk) fn end(&mut self) -> io::Result<()> {
        self.write_out()?;
        let Some(file) = self.file.take() else { return Ok(()) };
        let mark = FileMark { name: self.name.to_owned(), len: self.written, crc: self.checksum.clone().finalize() };
        self.folder.written.lock().push((mark, file.into_inner().sync_behind()));
        Ok(())
    }
}

impl Write for FileWriter {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.write_out()?;
        }
        if bytes.len() >= BUFFER_BYTES {
            return self.send(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        // Whoever needs the bytes out closes the file; a flush in between would only make small writes of large ones.
        Ok(())
    }
}
