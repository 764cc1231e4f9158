//! How a table comes to life: made new, or read from its folder with the log replayed on top.
//!
//! Order: manifest → chunks with their dead rows and edits → saved RAM chunk → log behind `replay_from`. What no manifest names is swept.
//! After an unclean stop every file is checked whole before anything is read from it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use parking_lot::{Condvar, Mutex, RwLock};
use rustc_hash::FxHashMap;

use super::keep::Kept;
use super::log::codec::{Effect, decode};
use super::log::{Log, RecordHead, Replay, ReplayError};
use super::manifest::{self, Manifest};
use super::side::{self, Kind, layer_place};
use super::table::{Counters, ManifestState, Surroundings, Table, Writer};
use super::write_out::EDITS_BYTES_MAX;
use super::{Op, PartKey, Snapshot, TableError, housekeeping};
use crate::chunk::{AnyPart, DeadRows, DiskChunk, Layer, Lexicon, Overlay, PartView, RamSegment};
use crate::merge::Source;
use crate::storage::Disk;
use crate::text::Analyzer;
use crate::types::{ChunkId, DocId, Lsn, Schema, TableSettings, Value};

/// Rows that replay gathers into one RAM segment.
const REPLAY_ROWS: usize = 4096;
/// Ids above this one were chosen by a user: automatic ids do not go on from them.
const AUTO_ID_MAX: u64 = 1 << 62;

/// How the table's text becomes words; stopword files are read through `disk`.
pub fn analyzer(disk: &dyn Disk, settings: &TableSettings) -> Result<Analyzer, TableError> {
    Analyzer::new(&settings.text, &|name| disk.read(Path::new(name))).map_err(|e| TableError::Failed(e.to_string()))
}

/// The first automatic id of a run: grows with time, so that ids of runs that left no trace are not given again.
fn auto_id_floor() -> u64 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    (seconds & 0x3fff_ffff) << 28 | 1
}

impl Table {
    /// Makes the files of a table without rows in `dir`, which must not exist. Durable when it returns, up to the name of `dir` itself.
    pub fn create_files(around: &Surroundings, dir: &Path, uuid: u128, schema: Schema, settings: TableSettings) -> Result<(), TableError> {
        let disk = &*around.disk;
        analyzer(disk, &settings)?;
        disk.create_dir(dir).map_err(|e| TableError::io("table folder", e))?;
        let manifest = Manifest {
            uuid,
            schema,
            settings,
            chunks: Vec::new(),
            kept: None,
            ram: None,
            log_dir: None,
            replay_from: Lsn(0),
            epoch: 0,
            next_chunk: 0,
            next_file: 0,
            next_auto_id: 0,
            clean: true,
        };
        manifest.write(disk, dir)
    }

    /// Opens the table in `dir`.
    pub fn open(around: Surroundings, dir: PathBuf, name: &str) -> Result<Arc<Table>, TableError> {
        let disk = around.disk.clone();
        let mut manifest = Manifest::read(&*disk, &dir)?;
        sweep(&*disk, &dir, &manifest, name);
        let (log_dir, replay) = find_log(&around, &dir, name, &mut manifest)?;
        let check = !manifest.clean || !replay.records.is_empty();

        let schema = Arc::new(manifest.schema.clone());
        let mut snapshot = Snapshot::empty(schema.clone(), Arc::new(analyzer(&*disk, &manifest.settings)?), manifest.replay_from);
        let mut saved = FxHashMap::default();
        let open_chunk = |entry: &manifest::ChunkEntry| -> Result<PartView, TableError> {
            let chunk = DiskChunk::open(&disk, &dir.join(format!("chunk.{}", entry.id)), manifest.uuid, &schema)?;
            let places = entry.attrs.iter().map(|n| layer_place(&*disk, &dir, manifest.uuid, entry.id, *n));
            let part = AnyPart::Disk(chunk.clone());
            if check {
                chunk.verify()?;
                places.clone().try_for_each(|place| Layer::check(&place, &part))?;
            }
            let mut view = PartView::new(part);
            view.edits = Overlay::of_layers(places.map(|place| Layer::open(&place)).collect::<Result<_, _>>()?);
            view.dead = read_dead(&*disk, &dir, manifest.uuid, entry, view.part.row_count())?;
            Ok(view)
        };
        for entry in &manifest.chunks {
            let view = open_chunk(entry)?;
            saved.insert(entry.id, (view.dead.clone(), view.edits.clone()));
            snapshot.add(PartKey::Disk(entry.id), view);
        }
        let kept = match &manifest.kept {
            Some(kept) => Some(Kept {
                chunks: kept.chunks.iter().map(|e| Ok((PartKey::Disk(e.id), open_chunk(e)?))).collect::<Result<_, TableError>>()?,
                outputs: kept.outputs.clone(),
                until: kept.until,
                open: false,
            }),
            None => None,
        };
        let lexicon = Lexicon::new();
        let mut next_segment = 0;
        let mut active_bytes = 0;
        if let Some(n) = manifest.ram {
            for segment in read_ram(&*disk, &dir, n, manifest.uuid, &schema, &lexicon)? {
                active_bytes += segment.memory_bytes();
                snapshot.add(PartKey::Ram(next_segment), PartView::new(AnyPart::Ram(Arc::new(segment))));
                next_segment += 1;
            }
        }
        let last = replay.last().max(manifest.replay_from);
        let log = match around.settings.load().binlog_enabled {
            true => Some(
                Log::open(disk.clone(), log_dir, manifest.uuid, around.settings.clone(), &replay, last)
                    .map_err(|e| TableError::io("binary log", e))?,
            ),
            false => None,
        };
        let writer = Writer {
            lsn: manifest.replay_from,
            epoch: manifest.epoch,
            next_segment,
            active_from: 0,
            sealed_lsn: Lsn(0),
            active_bytes,
            sealed_bytes: 0,
            poisoned: None,
            flush_error: None,
            edits_error: None,
            last_write: None,
            log_dirty: false,
        };
        let table = Arc::new(Table {
            name: name.to_owned(),
            uuid: manifest.uuid,
            dir,
            stop: around.stop.child(),
            tenancy: Arc::default(),
            settings: ArcSwap::from_pointee(manifest.settings.clone()),
            snapshot: ArcSwap::from_pointee(snapshot),
            maintenance: Mutex::new(()),
            lexicon: RwLock::new(lexicon),
            writer: Mutex::new(writer),
            room: Condvar::new(),
            log,
            next_auto_id: AtomicU64::new(manifest.next_auto_id.max(auto_id_floor())),
            next_chunk: AtomicU64::new(manifest.next_chunk),
            signals: Arc::default(),
            frozen: AtomicBool::new(false),
            counters: Counters::default(),
            manifest: Mutex::new(ManifestState { manifest, saved }),
            merges: OnceLock::new(),
            edits_limit: AtomicUsize::new(EDITS_BYTES_MAX),
            freezing: Mutex::new(None),
            kept: Mutex::new(kept),
            around,
        });
        table.replay_records(&replay.records)?;
        table.writer.lock().lsn = last;
        housekeeping::start(&table)?;
        let source: Arc<dyn Source> = table.clone();
        // Nobody else has the table yet, so the place is free.
        let _ = table.merges.set(table.around.pool.register(&source));
        table.signals.ask(housekeeping::Wish::Tidy);
        Ok(table)
    }

    /// Applies records in order, many at a time: what a transaction of all of them would have left.
    fn replay_records(&self, records: &[(RecordHead, Vec<u8>)]) -> Result<(), TableError> {
        let schema = self.schema();
        let (mut ops, mut rows, mut lsn, mut high) = (Vec::new(), 0, Lsn(0), 0);
        for (head, payload) in records {
            let effects = (head.schema_version == schema.version).then(|| decode(payload, &schema)).flatten();
            let effects = effects.ok_or_else(|| {
                TableError::Corrupt(format!("binary log of table '{}': record {} does not fit the table's columns", self.name, head.lsn.0))
            })?;
            for effect in effects {
                rows += 1;
                match effect {
                    Effect::Put(id, values) => {
                        if id.0 < AUTO_ID_MAX {
                            high = high.max(id.0 + 1);
                        }
                        push_put(&mut ops, id, values);
                    }
                    Effect::Gone(id) => ops.push(Op::Delete { ids: vec![id], seen: None }),
                    Effect::Edit(id, changes) => ops.push(Op::Update { rows: vec![(id, changes)], seen: None }),
                }
            }
            lsn = head.lsn;
            if rows >= REPLAY_ROWS {
                self.replay(std::mem::take(&mut ops), lsn)?;
                self.tidy_all(&self.stop);
                rows = 0;
                // A manifest that trims the log must know of the ids that it had.
                self.next_auto_id.fetch_max(high, Ordering::Relaxed);
                // Else the memory of a long log of UPDATEs would have no bound. What fails here is tried again by the table's thread.
                if self.edits_are_due()
                    && let Err(error) = self.write_edits_out()
                {
                    tracing::warn!("table '{}': writing out updated rows: {error}", self.name);
                }
            }
        }
        if !ops.is_empty() {
            self.replay(ops, lsn)?;
        }
        // Only where automatic ids have come that far: ids below the floor were the users' own.
        self.next_auto_id.fetch_max(high, Ordering::Relaxed);
        if !records.is_empty() {
            tracing::info!("table '{}': replayed {} records of the binary log", self.name, records.len());
        }
        Ok(())
    }
}

fn push_put(ops: &mut Vec<Op>, id: DocId, values: Vec<Value>) {
    match ops.last_mut() {
        Some(Op::Replace(rows)) => rows.push((id, values)),
        _ => ops.push(Op::Replace(vec![(id, values)])),
    }
}

/// The folder of the table's log and what is in it. A changed `binlog_path` takes hold once nothing is left to replay from the old place,
/// and the manifest knows of the new one before anything is written there.
fn find_log(around: &Surroundings, dir: &Path, name: &str, manifest: &mut Manifest) -> Result<(PathBuf, Replay), TableError> {
    let disk = &*around.disk;
    let read = |at: &Path, manifest: &Manifest| {
        let fresh = |head: &RecordHead| head.lsn > manifest.replay_from && head.epoch >= manifest.epoch;
        Replay::read(disk, at, manifest.uuid, manifest.replay_from, fresh).map_err(|e| match e {
            ReplayError::Io(e) => TableError::io("binary log", e),
            ReplayError::Damaged { .. } | ReplayError::Missing { .. } => TableError::Corrupt(e.to_string()),
        })
    };
    let wanted = around.settings.load().binlog_path.as_ref().map(|path| path.join(format!("{name}.{:032x}", manifest.uuid)));
    let present = manifest.log_dir.as_ref().map(PathBuf::from);
    let at = |dir_of_log: &Option<PathBuf>| dir_of_log.clone().unwrap_or_else(|| dir.join("binlog"));
    let replay = read(&at(&present), manifest)?;
    if wanted == present {
        return Ok((at(&present), replay));
    }
    if !replay.records.is_empty() {
        tracing::warn!("table '{name}': the binary log stays in {} until the next clean stop", at(&present).display());
        return Ok((at(&present), replay));
    }
    manifest.log_dir = wanted.as_ref().map(|path| path.display().to_string());
    manifest.write(disk, dir)?;
    let replay = read(&at(&wanted), manifest)?;
    Ok((at(&wanted), replay))
}

/// Removes what an interrupted build or publication left behind. Best effort; the names are never used again.
fn sweep(disk: &dyn Disk, dir: &Path, manifest: &Manifest, name: &str) {
    let mut keep: Vec<PathBuf> = vec![dir.join(manifest::FILE_NAME), dir.join("binlog")];
    keep.extend(manifest.all_chunks().map(|entry| dir.join(format!("chunk.{}", entry.id))));
    keep.extend(manifest.side_files(dir));
    for entry in disk.list(dir).unwrap_or_default() {
        let path = dir.join(entry);
        if keep.contains(&path) {
            continue;
        }
        let removed = if disk.is_dir(&path) { disk.remove_dir(&path) } else { disk.remove_file(&path) };
        match removed {
            Ok(()) => tracing::info!("table '{name}': removed {}, which the manifest does not name", path.display()),
            Err(error) => tracing::warn!("table '{name}': {error}"),
        }
    }
}

fn read_dead(disk: &dyn Disk, dir: &Path, uuid: u128, entry: &manifest::ChunkEntry, rows: u32) -> Result<DeadRows, TableError> {
    let Some(n) = entry.dead else { return Ok(DeadRows::default()) };
    let path = Kind::Dead.path(dir, n);
    let (count, body) = side::read(disk, &path, Kind::Dead, uuid, entry.id)?;
    side::decode_dead(&body, count, rows)
        .ok_or_else(|| TableError::Corrupt(format!("side file corrupt: {}: rows do not fit the chunk", path.display())))
}

fn read_ram(
    disk: &dyn Disk,
    dir: &Path,
    n: u64,
    uuid: u128,
    schema: &Arc<Schema>,
    lexicon: &Arc<Lexicon>,
) -> Result<Vec<RamSegment>, TableError> {
    let path = Kind::Ram.path(dir, n);
    let bad = || TableError::Corrupt(format!("side file corrupt: {}: whole segments expected", path.display()));
    let (count, body) = side::read(disk, &path, Kind::Ram, uuid, ChunkId(0))?;
    let (mut rest, mut segments) = (&body[..], Vec::new());
    for _ in 0..count {
        let (length, tail) = rest.split_first_chunk::<8>().ok_or_else(bad)?;
        let (bytes, tail) = tail.split_at_checked(u64::from_le_bytes(*length) as usize).ok_or_else(bad)?;
        segments.push(RamSegment::load(bytes, &path.display().to_string(), schema.clone(), lexicon)?);
        rest = tail;
    }
    Ok(segments)
}
