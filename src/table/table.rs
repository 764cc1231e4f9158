//! A live table: its state and who may touch what.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use arc_swap::ArcSwap;
use parking_lot::{Condvar, Mutex, RwLock};
use rustc_hash::FxHashMap;

use super::housekeeping::Signals;
use super::keep::Kept;
use super::log::Log;
use super::manifest::Manifest;
use super::ram::ram_bytes;
use super::{PartKey, Snapshot, TableError};
use crate::chunk::disk::Tenancy;
use crate::chunk::{DeadRows, Lexicon, Overlay};
use crate::merge::{MergePool, PauseGuard, TableTicket};
use crate::storage::{Disk, Throttle};
use crate::types::{ChunkId, DocId, Lsn, Schema, SharedSettings, StopToken, TableSettings};

/// What a table needs from the server around it.
#[derive(Clone)]
pub struct Surroundings {
    /// The file system.
    pub disk: Arc<dyn Disk>,
    /// The server's settings.
    pub settings: SharedSettings,
    /// Stopped when the server shuts down.
    pub stop: StopToken,
    /// Limits the I/O of all merges.
    pub throttle: Arc<Throttle>,
    /// Where merges run.
    pub pool: Arc<MergePool>,
}

/// A live table.
///
/// Readers load `snapshot` and take no lock. Lock order, first to last: `maintenance` → `manifest` → `lexicon` → `writer` → the log's own.
/// No sync and no build happens under `writer`.
pub struct Table {
    pub(super) name: String,
    pub(super) uuid: u128,
    pub(super) dir: PathBuf,
    pub(super) around: Surroundings,
    /// Ended by DROP, before the folder changes hands.
    pub(super) tenancy: Arc<Tenancy>,
    pub(super) settings: ArcSwap<TableSettings>,
    /// Replaced only under `writer`.
    pub(super) snapshot: ArcSwap<Snapshot>,
    /// Held by whoever flushes, saves, truncates or alters: one at a time.
    pub(super) maintenance: Mutex<()>,
    /// Held while a manifest is written and its change published.
    pub(super) manifest: Mutex<ManifestState>,
    /// The lexicon of the segments that are being born. Read while a statement builds and publishes its segment, written when the RAM
    /// chunk is sealed, so that every segment of a RAM chunk has the same one.
    pub(super) lexicon: RwLock<Arc<Lexicon>>,
    /// The writer lock.
    pub(super) writer: Mutex<Writer>,
    /// Notified when RAM was given back, a flush failed, or the table ends.
    pub(super) room: Condvar,
    /// None where `binlog_path` is empty.
    pub(super) log: Option<Log>,
    /// Next automatic document id.
    pub(super) next_auto_id: AtomicU64,
    /// Next chunk id to give.
    pub(super) next_chunk: AtomicU64,
    pub(super) signals: Arc<Signals>,
    /// Stopped when the table is dropped or the server shuts down.
    pub(super) stop: StopToken,
    /// FREEZE: no file may change but the log.
    pub(super) frozen: AtomicBool,
    pub(super) counters: Counters,
    /// The table's place in the merge pool; set right after birth.
    pub(super) merges: OnceLock<TableTicket>,
    /// Bytes of UPDATEd rows in memory at which they are written out; tests choose less than [`super::write_out::EDITS_BYTES_MAX`].
    pub(super) edits_limit: AtomicUsize,
    /// Keeps merges still while FREEZE holds.
    pub(super) freezing: Mutex<Option<PauseGuard>>,
    /// Chunks that can be put back. A leaf, but taken under `manifest` where both are needed.
    pub(super) kept: Mutex<Option<Kept>>,
}

/// What the last manifest said, and what of the chunks' changes is in its files.
pub(super) struct ManifestState {
    pub(super) manifest: Manifest,
    /// Dead rows and edits of each chunk as the named files have them.
    pub(super) saved: FxHashMap<ChunkId, (DeadRows, Overlay)>,
}

/// What only the holder of the writer lock may see.
pub(super) struct Writer {
    /// Newest committed statement.
    pub(super) lsn: Lsn,
    /// Grows with each TRUNCATE.
    pub(super) epoch: u32,
    /// Next number of a RAM segment.
    pub(super) next_segment: u64,
    /// RAM segments with smaller numbers are sealed: a flush owns them.
    pub(super) active_from: u64,
    /// The statement up to which the sealed segments hold everything.
    pub(super) sealed_lsn: Lsn,
    /// Bytes of the segments that are not sealed, their kills and edits included, without their lexicon.
    pub(super) active_bytes: usize,
    /// Bytes of the sealed segments.
    pub(super) sealed_bytes: usize,
    /// Why the table is read-only.
    pub(super) poisoned: Option<String>,
    /// Why the last flush failed, until one succeeds.
    pub(super) flush_error: Option<String>,
    /// Why UPDATEd rows could not be written out, until they are.
    pub(super) edits_error: Option<String>,
    /// When a row came last.
    pub(super) last_write: Option<Instant>,
    /// Sync of the log is due.
    pub(super) log_dirty: bool,
}

impl Writer {
    /// Counts what the RAM chunk takes in the snapshot that is about to be published.
    pub(super) fn count_ram(&mut self, next: &Snapshot) {
        (self.active_bytes, self.sealed_bytes) = (0, 0);
        for (key, view) in next.keys.iter().zip(&next.parts).skip(next.disk_chunks) {
            let sum = if *key < PartKey::Ram(self.active_from) { &mut self.sealed_bytes } else { &mut self.active_bytes };
            *sum += ram_bytes(view);
        }
    }
}

/// Numbers for SHOW TABLE STATUS. Each is on its own: no ordering between them is promised.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) flushes: AtomicU64,
    pub(super) merges: AtomicU64,
    /// Bytes written by flushes.
    pub(super) flushed_bytes: AtomicU64,
    /// Bytes written by merges.
    pub(super) merged_bytes: AtomicU64,
    /// Statements that waited for room in RAM.
    pub(super) write_waits: AtomicU64,
    /// Milliseconds since the server's start of the last search.
    pub(super) last_search: Mutex<Option<Instant>>,
    pub(super) queries: AtomicU64,
    pub(super) query_millis: AtomicU64,
    pub(super) found_rows: AtomicU64,
    /// RAM segments merged in RAM.
    pub(super) ram_merges: AtomicU64,
    /// Statements that were slowed down because merging is behind, and milliseconds that they waited.
    pub(super) slowed: AtomicU64,
    pub(super) slowed_millis: AtomicU64,
    /// Microseconds that the last publication of a chunk held the writer lock, and the longest one.
    pub(super) publish_hold_us: AtomicU64,
    pub(super) publish_hold_us_max: AtomicU64,
}

impl Table {
    /// Folded name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Columns.
    pub fn schema(&self) -> Arc<Schema> {
        self.snapshot.load().schema.clone()
    }

    /// Options of the table.
    pub fn settings(&self) -> Arc<TableSettings> {
        self.settings.load_full()
    }

    /// The newest snapshot. Takes no lock.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// A document id never given before by this table, not in an earlier run either.
    pub fn next_auto_id(&self) -> DocId {
        DocId(self.next_auto_id.fetch_add(1, Ordering::Relaxed))
    }

    /// A search has read this table: counted, and the timed flush looks at it.
    pub fn touch_search(&self, millis: u64, found: u64) {
        *self.counters.last_search.lock() = Some(Instant::now());
        self.counters.queries.fetch_add(1, Ordering::Relaxed);
        self.counters.query_millis.fetch_add(millis, Ordering::Relaxed);
        self.counters.found_rows.fetch_add(found, Ordering::Relaxed);
    }

    /// Bytes of RAM chunk at which it is flushed.
    pub(super) fn ram_limit(&self) -> usize {
        self.settings.load().rt_mem_limit.unwrap_or(self.around.settings.load().rt_mem_limit) as usize
    }

    /// Whether FREEZE holds.
    pub fn is_frozen(&self) -> bool {
        self.frozen.load(Ordering::Acquire)
    }

    /// An error where FREEZE holds.
    pub(super) fn refuse_frozen(&self) -> Result<(), TableError> {
        match self.is_frozen() {
            true => Err(TableError::Frozen(format!("table '{}' is frozen; UNFREEZE it first", self.name))),
            false => Ok(()),
        }
    }

    /// The lock's holder found out that nothing more may be written.
    pub(super) fn poison(&self, writer: &mut Writer, reason: String) -> TableError {
        tracing::error!("table '{}' is read-only until restart: {reason}", self.name);
        let text = format!("table '{}' is read-only until restart: {reason}", self.name);
        writer.poisoned.get_or_insert(text.clone());
        self.room.notify_all();
        TableError::Poisoned(text)
    }
}
