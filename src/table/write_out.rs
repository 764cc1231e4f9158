//! What has changed about the chunks goes into files: with each manifest, and when UPDATEd rows take too much memory.
//!
//! Every manifest names all kills and UPDATEs up to its snapshot. Once it is there, the UPDATEd rows in memory are exchanged for the mapped
//! file that has them; what was UPDATEd while the file was written stays in memory. So memory is bounded by what is UPDATEd between two
//! manifests, and where nothing else asks for one, the table's thread writes one at [`EDITS_BYTES_MAX`]:
//!
//! ```text
//! attrs file written, synced → folder synced → log synced → manifest → [writer lock: pages exchanged for the map] → log trimmed
//! ```
//!
//! The log is trimmed where the RAM chunk is in files too: always where it is empty, and where saving it costs less than the log has
//! grown to, so that UPDATEs beside a RAM chunk that nobody fills do not let the log grow for ever.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::manifest::Manifest;
use super::side::{self, Kind};
use super::table::{ManifestState, Table};
use super::{PartKey, Snapshot, TableError};
use crate::chunk::{Overlay, PartView};
use crate::types::ChunkId;

/// Bytes of UPDATEd rows of disk chunks that a table keeps in memory, an eighth of a RAM chunk of the usual 128M. A row of a few numbers
/// takes about 105 bytes, so these are 160 000 rows. UPDATEs at their fastest, a thousand rows each, take a second of one core for so many;
/// writing them out takes two or three tenths of one and six syncs. A tenth of these bytes would make the syncs count, ten times as many the memory of
/// a server with fifty tables.
pub(super) const EDITS_BYTES_MAX: usize = 16 << 20;
/// A write-out failed or cannot be done: UPDATEs wait at so many times [`EDITS_BYTES_MAX`], since memory has an end. What is written out
/// may take a statement's worth more, and a slow disk some write-outs' time.
pub(super) const EDITS_WAIT_FACTOR: usize = 4;
/// The RAM chunk is saved with a write-out where the log has so many times its bytes. Then what is written for it is half of what was
/// logged at most; while rows come as well, the log is hardly larger than the RAM chunk, and the flush will trim it.
const SAVE_RAM_FACTOR: u64 = 2;
/// Bytes of log at which a write-out is due whatever is in memory: half of a RAM chunk of the usual 128M, replayed within a second or two.
const LOG_BYTES_MAX: u64 = 64 << 20;
/// Rounds of catching up with UPDATEs before the writer lock is taken for the last one.
const CATCH_UPS: usize = 3;

impl ManifestState {
    /// Gives a view of a chunk the edits that the last manifest has in files, in the place of the same ones in memory.
    pub(super) fn adopt_filed(&self, id: ChunkId, view: &mut PartView) {
        if let Some((_, edits)) = self.saved.get(&id) {
            view.edits = edits.clone();
        }
    }
}

impl Table {
    /// Writes the manifest for `snapshot`: its chunks with their dead rows and edits, and those that are kept. `manifest` says the rest;
    /// the numbers of side files are filled in here. On success the state is the new one, files that nobody names any more are unlinked,
    /// and readers find in mapped files what of the edits was in memory.
    pub(super) fn write_manifest(
        &self,
        state: &mut ManifestState,
        mut manifest: Manifest,
        snapshot: &Snapshot,
        kept: &[(PartKey, PartView)],
    ) -> Result<(), TableError> {
        // Which manifest is on the disk of a poisoned table is not known: it may name files under the numbers that would be given now.
        if let Some(reason) = &self.writer.lock().poisoned {
            return Err(TableError::Poisoned(reason.clone()));
        }
        let disk = &*self.around.disk;
        let before = state.manifest.clone();
        let view_of = |id: ChunkId| {
            let key = PartKey::Disk(id);
            let live = snapshot.index_of(key).map(|i| &snapshot.parts[i]);
            live.or_else(|| kept.iter().find(|k| k.0 == key).map(|k| &k.1))
        };
        manifest.chunks.retain(|c| snapshot.index_of(PartKey::Disk(c.id)).is_some());
        manifest.chunks.sort_by_key(|c| c.id);
        let (mut written, mut saved) = (Vec::new(), Vec::new());
        let outcome = (|| {
            let Manifest { chunks, kept: kept_entry, next_file, .. } = &mut manifest;
            for entry in chunks.iter_mut().chain(kept_entry.iter_mut().flat_map(|k| &mut k.chunks)) {
                let Some(view) = view_of(entry.id) else { continue };
                let mut number = || {
                    *next_file += 1;
                    *next_file - 1
                };
                if !state.saved.get(&entry.id).is_some_and(|s| s.0.is_same(&view.dead)) {
                    entry.dead = None;
                    if !view.dead.is_empty() {
                        let (n, count) = (number(), view.dead.count());
                        let path = Kind::Dead.path(&self.dir, n);
                        written.push(path.clone());
                        side::write(disk, &path, Kind::Dead, self.uuid, entry.id, count, &side::encode_dead(&view.dead))?;
                        entry.dead = Some(n);
                    }
                }
                let edits = view.edits.write_out(|| {
                    let place = side::layer_place(disk, &self.dir, self.uuid, entry.id, number());
                    written.push(place.path.clone());
                    place
                })?;
                entry.attrs = edits.file_numbers();
                saved.push((entry.id, (view.dead.clone(), edits)));
            }
            manifest.next_chunk = self.next_chunk.load(Ordering::Relaxed);
            manifest.next_auto_id = self.next_auto_id.load(Ordering::Relaxed);
            disk.sync_dir(&self.dir).map_err(|e| TableError::io("table folder", e))?;
            // Files hold kills up to this snapshot; the rows that replaced the killed ones must not be less durable than the kills.
            if let Some(log) = &self.log {
                log.wait_durable(snapshot.lsn).map_err(|e| TableError::Failed(e.to_string()))?;
            }
            manifest.write(disk, &self.dir)
        })();
        match outcome {
            Ok(()) => {}
            Err(TableError::Poisoned(reason)) => return Err(self.poison(&mut self.writer.lock(), reason)),
            Err(error) => {
                written.iter().for_each(|path| drop(disk.remove_file(path)));
                return Err(error);
            }
        }
        state.saved = saved.into_iter().collect();
        state.manifest = manifest;
        self.exchange_edits(state, snapshot);
        self.unlink_unnamed(&before, &state.manifest);
        // Whoever failed to write them out before: they are out now.
        self.writer.lock().edits_error = None;
        Ok(())
    }

    /// Unlinks side files that the old manifest named and the new one does not. Readers that have one mapped keep what they see: its bytes
    /// go with the last map. Best effort: the next start sweeps.
    fn unlink_unnamed(&self, before: &Manifest, now: &Manifest) {
        let keep = now.side_files(&self.dir);
        for path in before.side_files(&self.dir) {
            if !keep.contains(&path)
                && let Err(error) = self.around.disk.remove_file(&path)
            {
                tracing::warn!("table '{}': {error}", self.name);
            }
        }
    }

    /// Publishes the chunks of `written`, as far as they are published now, with the files of their edits in the place of the pages.
    fn exchange_edits(&self, state: &ManifestState, written: &Snapshot) {
        let filed = |key: &PartKey, view: &PartView| match key {
            PartKey::Disk(id) => state.saved.get(id).map(|s| s.1.clone()).filter(|edits| !edits.is_same(&view.edits)),
            PartKey::Ram(_) => None,
        };
        // Key, the edits as they were seen, and the same ones with those of them in files that are there.
        let mut ready: Vec<(PartKey, Overlay, Overlay)> = Vec::new();
        for (key, view) in written.keys.iter().zip(&written.parts) {
            ready.extend(filed(key, view).map(|edits| (*key, view.edits.clone(), edits)));
        }
        if ready.is_empty() {
            return;
        }
        let catch_up = |now: &Snapshot, ready: &mut Vec<(PartKey, Overlay, Overlay)>| {
            for (key, seen, edits) in ready {
                if let Some(at) = now.index_of(*key) {
                    *edits = edits.with(now.parts[at].edits.since(seen));
                    *seen = now.parts[at].edits.clone();
                }
            }
        };
        // What came while the file was written is caught up with before the lock, what came meanwhile too; each time there is less.
        for _ in 0..CATCH_UPS {
            catch_up(&self.snapshot(), &mut ready);
        }
        let writer = self.writer.lock();
        let locked = Instant::now();
        let current = self.snapshot.load_full();
        let mut next = Snapshot::clone(&current);
        catch_up(&current, &mut ready);
        for (key, _, edits) in &ready {
            if let Some(at) = current.index_of(*key) {
                next.parts[at].edits = edits.clone();
            }
        }
        self.snapshot.store(Arc::new(next));
        // Before `current` goes: it may be the last to hold thousands of pages.
        drop(writer);
        self.counters.publish_hold_us_max.fetch_max(locked.elapsed().as_micros() as u64, Ordering::Relaxed);
    }

    /// Whether so much was UPDATEd that it must go into files.
    pub(super) fn edits_are_due(&self) -> bool {
        self.snapshot.load().unfiled_bytes() >= self.edits_limit()
    }

    /// Whether the log has grown so long that a start would be slow, though a manifest could trim it: the same few rows changed again and
    /// again take no memory, and no flush comes.
    pub(super) fn log_is_long(&self) -> bool {
        let log_bytes = self.log.as_ref().map_or(0, |l| l.size_bytes());
        // What is sealed goes with its flush, and the log with it.
        log_bytes >= LOG_BYTES_MAX && SAVE_RAM_FACTOR * self.ram_chunk_bytes() as u64 <= log_bytes && self.writer.lock().sealed_bytes == 0
    }

    /// Bytes of UPDATEd rows in memory at which they are written out.
    pub(super) fn edits_limit(&self) -> usize {
        // Relaxed: a figure, it publishes nothing.
        self.edits_limit.load(Ordering::Relaxed)
    }

    /// Writes a manifest, so that UPDATEd rows are in mapped files and no longer in memory, and trims the log where that costs little.
    pub(super) fn write_edits_out(&self) -> Result<(), TableError> {
        let alone = self.alone(&self.stop)?;
        let (started, bytes) = (Instant::now(), self.snapshot.load().unfiled_bytes());
        let result = self.write_edits_out_alone();
        drop(alone);
        if result.is_ok() {
            let seconds = started.elapsed().as_secs_f64();
            tracing::info!("table '{}': wrote out updated rows that took {bytes} bytes of memory in {seconds:.3}s", self.name);
        }
        self.writer.lock().edits_error = match &result {
            Err(TableError::Frozen(_) | TableError::Stopped(_)) | Ok(()) => None,
            Err(error) => Some(error.to_string()),
        };
        self.room.notify_all();
        result
    }

    fn write_edits_out_alone(&self) -> Result<(), TableError> {
        let log_bytes = self.log.as_ref().map_or(0, |l| l.size_bytes());
        let sealed = self.writer.lock().sealed_bytes > 0;
        // What a failed flush has left sealed goes with that flush alone.
        if !sealed && SAVE_RAM_FACTOR * self.ram_chunk_bytes() as u64 <= log_bytes {
            return self.save_ram(false);
        }
        self.refuse_frozen()?;
        let mut state = self.manifest.lock();
        if let Some(reason) = &self.writer.lock().poisoned {
            return Err(TableError::Poisoned(reason.clone()));
        }
        let manifest = Manifest { clean: false, ..state.manifest.clone() };
        self.write_manifest(&mut state, manifest, &self.snapshot(), &self.kept_views())
    }
}
