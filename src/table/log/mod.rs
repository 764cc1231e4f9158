//! The binary log of one table: effects of committed statements, in order, for replay after a crash.
//!
//! Append happens under the table's writer lock, so the order in the file is the order of LSNs. Waiting for the disk happens outside it:
//! whoever comes first syncs for all who have appended by then (group commit).
//!
//! Lock order inside: `rotating` → `open` → `synced`; no other lock of the program is taken under them.
//!
//! Files are numbered. Every file but the newest is whole and synced: a new one is begun only after the old one was synced, so that a
//! crash can tear the newest file only.

pub mod codec;
mod record;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

pub use record::RecordHead;
use record::{FILE_HEADER_BYTES, RECORD_HEADER_BYTES, Scan, file_header, record_header, scan};

use crate::storage::{Disk, WriteFile};
use crate::types::{Lsn, SharedSettings};

/// With `binlog_flush = 0` records gather in memory up to this size before they are written out early.
const BUFFER_BYTES: usize = 1 << 20;

/// The open log.
pub struct Log {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    uuid: u128,
    settings: SharedSettings,
    open: Mutex<Open>,
    synced: Mutex<Synced>,
    synced_changed: Condvar,
    /// Held by whoever begins a new file. Taken before `open`.
    rotating: Mutex<()>,
}

/// The file that is appended to, and those before it.
struct Open {
    file: Box<dyn WriteFile>,
    number: u64,
    /// Bytes in the file that are whole records.
    length: u64,
    /// Records not yet written (`binlog_flush = 0`).
    buffer: Vec<u8>,
    /// Newest record appended.
    last: Lsn,
    /// Older files with their newest record.
    older: Vec<(u64, Lsn)>,
}

struct Synced {
    /// Everything up to here is durable.
    upto: Lsn,
    syncing: bool,
    broken: Option<String>,
}

/// Why a record is not in the log.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The log is as it was before; the next append may work.
    #[error("binary log: {0}")]
    Refused(io::Error),
    /// What is on disk is unknown: no further write may be acknowledged.
    #[error("binary log: {0}")]
    Broken(String),
}

/// Why a log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The system failed.
    #[error("binary log: {0}")]
    Io(#[from] io::Error),
    /// A file is gone from the middle or the start.
    #[error("binary log corrupt: {file}: record {record} expected, {found} found: a file before it is missing")]
    Missing {
        /// Path of the file behind the gap.
        file: String,
        /// The record that is missing.
        record: u64,
        /// The record that is there.
        found: u64,
    },
    /// Damage that a crash does not explain.
    #[error("binary log corrupt: {file}: {expected} expected at byte {offset}")]
    Damaged {
        /// Path.
        file: String,
        /// Byte offset.
        offset: usize,
        /// What should be there.
        expected: &'static str,
    },
}

/// Records as read back.
pub struct Replay {
    /// Head and payload, in order of LSN.
    pub records: Vec<(RecordHead, Vec<u8>)>,
    /// Files found, in order, with the newest record of each.
    files: Vec<(u64, Lsn)>,
}

fn path_of(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:06}.log"))
}

impl Replay {
    /// Reads all files of a log folder; cuts a torn tail off the last that holds records: appends go to a file until the next one,
    /// which was made beside them, takes over. An absent folder is an empty log.
    /// `fresh` says whether a record still matters (its LSN is past the manifest's); others are dropped early.
    /// Records behind `from` follow one another without a gap, or a file is missing.
    pub fn read(disk: &dyn Disk, dir: &Path, uuid: u128, from: Lsn, fresh: impl Fn(&RecordHead) -> bool) -> Result<Replay, ReplayError> {
        let mut numbers = Vec::new();
        if disk.exists(dir) {
            for name in disk.list(dir)? {
                if let Some(n) = name.to_str().and_then(|n| n.strip_suffix(".log")).and_then(|n| n.parse::<u64>().ok()) {
                    numbers.push(n);
                }
            }
        }
        numbers.sort_unstable();
        let (mut records, mut files, mut last) = (Vec::new(), Vec::new(), Lsn(0));
        let mut torn: Vec<(PathBuf, usize)> = Vec::new();
        for number in &numbers {
            let path = path_of(dir, *number);
            let bytes = disk.read(&path)?;
            let damaged = |offset, expected| ReplayError::Damaged { file: path.display().to_string(), offset, expected };
            match scan(&bytes, uuid) {
                Scan::Damaged { offset, expected } => return Err(damaged(offset, expected)),
                Scan::Records { records: found, good } => {
                    if let (Some((earlier, offset)), false) = (torn.first(), found.is_empty()) {
                        let file = earlier.display().to_string();
                        return Err(ReplayError::Damaged { file, offset: *offset, expected: "a whole record" });
                    }
                    if good < bytes.len() {
                        let cut = bytes.len() - good;
                        tracing::warn!("binary log {}: torn tail of {cut} bytes, cut off where nothing follows", path.display());
                        torn.push((path.clone(), good));
                    }
                    for (head, payload) in found {
                        if head.lsn <= last {
                            return Err(damaged(0, "records in order of LSN"));
                        }
                        if head.lsn > from && head.lsn.0 != last.max(from).0 + 1 {
                            return Err(ReplayError::Missing {
                                file: path.display().to_string(),
                                record: last.max(from).0 + 1,
                                found: head.lsn.0,
                            });
                        }
                        last = head.lsn;
                        if fresh(&head) {
                            records.push((head, payload.to_vec()));
                        }
                    }
                }
            }
            files.push((*number, last));
        }
        for (path, good) in torn {
            disk.truncate(&path, good as u64)?;
        }
        Ok(Replay { records, files })
    }

    /// Newest record found.
    pub fn last(&self) -> Lsn {
        self.files.last().map_or(Lsn(0), |f| f.1)
    }
}

impl Log {
    /// Begins a new file behind those that `replay` found. `last` is the newest LSN in use.
    pub fn open(disk: Arc<dyn Disk>, dir: PathBuf, uuid: u128, settings: SharedSettings, replay: &Replay, last: Lsn) -> io::Result<Log> {
        // Each folder on the way that is new has a name to be made durable in the folder above it.
        let new: Vec<&Path> = dir.ancestors().take_while(|d| !d.as_os_str().is_empty() && !disk.exists(d)).collect();
        disk.create_dir(&dir)?;
        for parent in new.iter().filter_map(|d| d.parent()) {
            disk.sync_dir(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })?;
        }
        // What was replayed counts as durable from now on. A process that was killed may have left it in the system's memory only.
        for (number, _) in replay.files.iter().filter(|f| f.1 == replay.last()) {
            disk.append(&path_of(&dir, *number))?.sync()?;
        }
        let number = replay.files.last().map_or(0, |f| f.0) + 1;
        let file = new_file(&*disk, &dir, uuid, number)?;
        let open = Open { file, number, length: FILE_HEADER_BYTES as u64, buffer: Vec::new(), last, older: replay.files.clone() };
        let synced = Synced { upto: last, syncing: false, broken: None };
        Ok(Log {
            disk,
            dir,
            uuid,
            settings,
            open: Mutex::new(open),
            synced: Mutex::new(synced),
            synced_changed: Condvar::new(),
            rotating: Mutex::new(()),
        })
    }

    /// Appends one record. Called under the writer lock, in order of LSN. The checksum of the payload was computed outside it.
    pub fn append(&self, head: RecordHead, payload: &[u8], payload_crc: u32) -> Result<(), AppendError> {
        if let Some(reason) = &self.synced.lock().broken {
            return Err(AppendError::Broken(reason.clone()));
        }
        let mut open = self.open.lock();
        let header = record_header(self.uuid, head, payload.len(), payload_crc);
        // One write per record: a header without its payload would be a needless torn state, and a second system call.
        open.buffer.extend_from_slice(&header);
        open.buffer.extend_from_slice(payload);
        let lazily = self.settings.load().binlog_flush == 0;
        if !lazily || open.buffer.len() >= BUFFER_BYTES {
            let added = RECORD_HEADER_BYTES + payload.len();
            self.write_out(&mut open, added)?;
        }
        open.last = head.lsn;
        Ok(())
    }

    /// Writes the buffer; where that fails, takes the file back to what it was. `newest` = bytes of the record that the caller
    /// has not acknowledged yet: only that one may be given up.
    fn write_out(&self, open: &mut Open, newest: usize) -> Result<(), AppendError> {
        let buffer = std::mem::take(&mut open.buffer);
        match open.file.write(&buffer) {
            Ok(()) => {
                open.length += buffer.len() as u64;
                open.buffer = buffer;
                open.buffer.clear();
                // A buffer that one huge statement has blown up is not kept for ever.
                open.buffer.shrink_to(BUFFER_BYTES);
                Ok(())
            }
            Err(error) => {
                if let Err(again) = self.disk.truncate(&path_of(&self.dir, open.number), open.length) {
                    return Err(self.break_down(format!("{error}; and the partial record could not be cut off: {again}")));
                }
                let kept = buffer.len() - newest.min(buffer.len());
                open.buffer = buffer;
                open.buffer.truncate(kept);
                Err(AppendError::Refused(error))
            }
        }
    }

    fn break_down(&self, reason: String) -> AppendError {
        self.synced.lock().broken.get_or_insert(reason.clone());
        self.synced_changed.notify_all();
        AppendError::Broken(reason)
    }

    /// Newest record appended.
    pub fn last(&self) -> Lsn {
        self.open.lock().last
    }

    /// Returns once record `lsn` is durable. One thread syncs for all that wait.
    pub fn wait_durable(&self, lsn: Lsn) -> Result<(), AppendError> {
        let mut synced = self.synced.lock();
        loop {
            if let Some(reason) = &synced.broken {
                return Err(AppendError::Broken(reason.clone()));
            }
            if synced.upto >= lsn {
                return Ok(());
            }
            if synced.syncing {
                self.synced_changed.wait(&mut synced);
                continue;
            }
            synced.syncing = true;
            drop(synced);
            let outcome = self.sync_once();
            synced = self.synced.lock();
            synced.syncing = false;
            match outcome {
                Ok(upto) => synced.upto = synced.upto.max(upto),
                Err(reason) => synced.broken = Some(reason),
            }
            self.synced_changed.notify_all();
        }
    }

    /// Makes everything appended so far durable.
    pub fn sync(&self) -> Result<(), AppendError> {
        self.wait_durable(self.last())
    }

    /// Writes out what is buffered and syncs the newest file; gives the newest LSN that is durable now.
    fn sync_once(&self) -> Result<Lsn, String> {
        let (last, sync) = {
            let mut open = self.open.lock();
            // Records in the buffer were acknowledged, so none of them may be given up.
            self.write_out(&mut open, 0).map_err(|e| e.to_string())?;
            (open.last, open.file.sync_handle().map_err(|e| e.to_string())?)
        };
        sync().map_err(|e| format!("sync failed: {e}"))?;
        Ok(last)
    }

    /// Begins a new file, so that the ones before can be trimmed as wholes.
    pub fn rotate(&self) -> Result<(), AppendError> {
        let _alone = self.rotating.lock();
        let number = {
            let open = self.open.lock();
            if open.length == FILE_HEADER_BYTES as u64 && open.buffer.is_empty() {
                return Ok(());
            }
            open.number + 1
        };
        // Most of the old file is synced and the new file is made before the lock, so that appends wait for a short sync only.
        self.sync()?;
        let file = new_file(&*self.disk, &self.dir, self.uuid, number).map_err(AppendError::Refused)?;
        let mut open = self.open.lock();
        let finished: Result<(), String> =
            self.write_out(&mut open, 0).map_err(|e| e.to_string()).and_then(|()| open.file.sync().map_err(|e| e.to_string()));
        if let Err(reason) = finished {
            return Err(self.break_down(reason));
        }
        let (old, last) = (open.number, open.last);
        open.older.push((old, last));
        open.file = file;
        open.number = number;
        open.length = FILE_HEADER_BYTES as u64;
        Ok(())
    }

    /// Begins a new file where the present one has passed `binlog_max_log_size`.
    pub fn rotate_if_large(&self) -> Result<(), AppendError> {
        let limit = self.settings.load().binlog_max_log_size;
        let length = self.open.lock().length;
        if limit > 0 && length > limit { self.rotate() } else { Ok(()) }
    }

    /// Removes files whose records are all at or before `upto`. Best effort: a file that stays is skipped by the next replay.
    pub fn trim(&self, upto: Lsn) {
        let mut open = self.open.lock();
        let disk = &self.disk;
        let dir = &self.dir;
        open.older.retain(|(number, last)| {
            if *last > upto {
                return true;
            }
            match disk.remove_file(&path_of(dir, *number)) {
                Ok(()) => false,
                Err(error) => {
                    tracing::warn!("binary log: {error}");
                    true
                }
            }
        });
    }

    /// The folder of the files.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Reads all files against their checksums. How much of the newest is whole records is known, so that its last record is told from
    /// one that is being written.
    pub fn check(&self) -> Vec<String> {
        let files: Vec<(u64, Option<u64>)> = {
            let open = self.open.lock();
            open.older.iter().map(|f| (f.0, None)).chain([(open.number, Some(open.length))]).collect()
        };
        let mut faults = Vec::new();
        for (number, whole) in files {
            let path = path_of(&self.dir, number);
            let bytes = match self.disk.read(&path) {
                Ok(bytes) => bytes,
                // Trimmed since the list was made.
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.open.lock().older.iter().all(|f| f.0 != number) => continue,
                Err(error) => {
                    faults.push(format!("binary log: {error}"));
                    continue;
                }
            };
            let (offset, expected) = match scan(&bytes, self.uuid) {
                Scan::Damaged { offset, expected } => (offset, expected),
                Scan::Records { good, .. } if (good as u64) < whole.unwrap_or(bytes.len() as u64) => (good, "a whole record"),
                Scan::Records { .. } => continue,
            };
            faults.push(ReplayError::Damaged { file: path.display().to_string(), offset, expected }.to_string());
        }
        faults
    }

    /// Bytes of all files.
    pub fn size_bytes(&self) -> u64 {
        let open = self.open.lock();
        open.length + open.older.iter().filter_map(|(n, _)| self.disk.len(&path_of(&self.dir, *n)).ok()).sum::<u64>()
    }
}

fn new_file(disk: &dyn Disk, dir: &Path, uuid: u128, number: u64) -> io::Result<Box<dyn WriteFile>> {
    let mut file = disk.create(&path_of(dir, number))?;
    file.write(&file_header(uuid, number))?;
    file.sync()?;
    disk.sync_dir(dir)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::CrashDisk;

    const UUID: u128 = 9;

    fn record(lsn: u64, payload: &[u8]) -> Vec<u8> {
        let head = RecordHead { lsn: Lsn(lsn), epoch: 0, schema_version: 1 };
        [&record_header(UUID, head, payload.len(), crc32fast::hash(payload))[..], payload].concat()
    }

    fn file(number: u64) -> PathBuf {
        path_of(Path::new("/log"), number)
    }

    /// A log folder with these files, numbered from 1.
    fn disk(files: &[&[u8]]) -> CrashDisk {
        let disk = CrashDisk::new();
        disk.create_dir(Path::new("/log")).unwrap();
        files.iter().zip(1..).for_each(|(bytes, number)| disk.create(&file(number)).unwrap().write(bytes).unwrap());
        disk
    }

    fn read(disk: &CrashDisk) -> Result<Vec<u64>, ReplayError> {
        let replay = Replay::read(disk, Path::new("/log"), UUID, Lsn(0), |_| true)?;
        Ok(replay.records.iter().map(|r| r.0.lsn.0).collect())
    }

    /// A rotation makes the next file beside appends to the present one; a kill then finds a torn record in the file before the newest.
    #[test]
    fn a_record_is_torn_while_the_next_file_is_made() {
        let whole = [&file_header(UUID, 1)[..], &record(1, b"one"), &record(2, b"two")].concat();
        let torn = [&whole[..], &record(3, &[7; 500])[..300]].concat();
        for next in [&[][..], &file_header(UUID, 2)[..20], &file_header(UUID, 2)] {
            let disk = disk(&[&torn, next]);
            for _ in 0..2 {
                assert_eq!(read(&disk).unwrap(), [1, 2], "next file of {} bytes", next.len());
                assert_eq!(disk.read(&file(1)).unwrap(), whole);
            }
            // The log goes on in a third file, and the second stays empty between them.
            disk.create(&file(3)).unwrap().write(&[&file_header(UUID, 3)[..], &record(3, b"three")].concat()).unwrap();
            assert_eq!(read(&disk).unwrap(), [1, 2, 3]);
        }
    }

    #[test]
    fn a_torn_record_before_a_file_that_has_some_is_damage() {
        let torn = [&file_header(UUID, 1)[..], &record(1, b"one"), &record(2, b"two")[..10]].concat();
        let disk = disk(&[&torn, &[&file_header(UUID, 2)[..], &record(2, b"two")].concat()]);
        assert!(matches!(read(&disk), Err(ReplayError::Damaged { offset: 71, .. })));
        assert_eq!(disk.read(&file(1)).unwrap(), torn, "what is damaged is left as it is");
    }
}
