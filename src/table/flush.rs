//! The RAM chunk becomes a disk chunk, or is saved as it is.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::publish::{Outcome, Output, Publication};
use super::ram::{order_by_id, ram_bytes};
use super::side::{self, Kind};
use super::table::Table;
use super::{PartKey, TableError};
use crate::chunk::disk::{self, BuildOptions};
use crate::chunk::{AnyPart, Lexicon, PartView, RamSegment};
use crate::types::{ChunkId, Lsn, StopToken};

/// The sealed part of a RAM chunk: what a flush takes.
struct Sealed {
    inputs: Vec<(PartKey, PartView)>,
    /// The inputs and the disk hold everything up to here.
    lsn: Lsn,
    epoch: u32,
}

impl Table {
    /// FLUSH RAMCHUNK: returns when every row that was in RAM at the call is in a disk chunk.
    pub fn flush_ramchunk(&self, stop: &StopToken) -> Result<(), TableError> {
        let _alone = self.alone(stop)?;
        self.flush_all()
    }

    /// Waits for the turn of an act that may not run beside its like.
    pub(super) fn alone(&self, stop: &StopToken) -> Result<parking_lot::MutexGuard<'_, ()>, TableError> {
        loop {
            let guard = self.maintenance.try_lock_for(std::time::Duration::from_millis(50));
            // Looked at under the guard too: a table that was closed meanwhile must not write into a folder that may be another's by now.
            if stop.is_stopped() || self.stop.is_stopped() {
                return Err(TableError::Stopped("stopped while waiting for another flush".into()));
            }
            if let Some(guard) = guard {
                return Ok(guard);
            }
        }
    }

    /// Flushes whatever is in RAM. The caller holds `maintenance`.
    pub(super) fn flush_all(&self) -> Result<(), TableError> {
        self.refuse_frozen()?;
        // A seal that an earlier, failed flush left behind has a lexicon of its own and goes first.
        let mut result = self.flush_sealed(self.sealed());
        if result.is_ok() {
            result = self.flush_sealed(self.seal());
        }
        let mut writer = self.writer.lock();
        writer.flush_error = match &result {
            Err(TableError::Frozen(_) | TableError::Stopped(_)) | Ok(()) => None,
            Err(error) => Some(error.to_string()),
        };
        drop(writer);
        self.room.notify_all();
        result
    }

    /// Gives the next statements a new lexicon and makes the segments of the old one the flush's own.
    fn seal(&self) -> Sealed {
        // A log file of its own lets the log before be trimmed as soon as the chunk is there.
        if let Some(log) = &self.log
            && let Err(error) = log.rotate()
        {
            tracing::warn!("table '{}': {error}", self.name);
        }
        let mut lexicon = self.lexicon.write();
        let mut writer = self.writer.lock();
        writer.active_from = writer.next_segment;
        writer.count_ram(&self.snapshot.load());
        writer.sealed_lsn = writer.lsn;
        *lexicon = Lexicon::new();
        drop(writer);
        drop(lexicon);
        self.sealed()
    }

    fn sealed(&self) -> Sealed {
        let (snapshot, active_from, lsn, epoch) = {
            let writer = self.writer.lock();
            (self.snapshot(), writer.active_from, writer.sealed_lsn, writer.epoch)
        };
        let ram = snapshot.keys[snapshot.disk_chunks..].iter().zip(&snapshot.parts[snapshot.disk_chunks..]);
        let mut inputs: Vec<(PartKey, PartView)> =
            ram.filter(|(key, _)| **key < PartKey::Ram(active_from)).map(|(key, view)| (*key, view.clone())).collect();
        order_by_id(&mut inputs);
        Sealed { inputs, lsn, epoch }
    }

    fn flush_sealed(&self, sealed: Sealed) -> Result<(), TableError> {
        if sealed.inputs.is_empty() {
            return Ok(());
        }
        let started = Instant::now();
        let views: Vec<PartView> = sealed.inputs.iter().map(|i| i.1.clone()).collect();
        let rows: u64 = views.iter().map(|v| v.alive_count() as u64).sum();
        let mut outputs = Vec::new();
        if rows > 0 {
            let (id, options) = self.build_options(self.stop.child(), None, Arc::default());
            let built = disk::flush(&self.around.disk, &views, &options)?;
            outputs.push(Output { id, built, level: 0, sources: sealed.inputs.clone() });
        }
        let built = started.elapsed();
        let bytes = outputs.iter().map(|o| o.built.bytes).sum();
        let outcome =
            self.publish(Publication { inputs: sealed.inputs, outputs, replay_from: Some(sealed.lsn), epoch: sealed.epoch, keep: false })?;
        if outcome == Outcome::Published {
            self.counters.flushes.fetch_add(1, Ordering::Relaxed);
            self.counters.flushed_bytes.fetch_add(bytes, Ordering::Relaxed);
            tracing::info!(
                "table '{}': flushed {rows} rows, {bytes} bytes in {:.3}s, of which publishing {:.3}s",
                self.name,
                started.elapsed().as_secs_f64(),
                (started.elapsed() - built).as_secs_f64()
            );
            self.merge_wanted();
        }
        Ok(())
    }

    /// A fresh chunk id and how to build under it.
    pub(super) fn build_options(
        &self,
        stop: StopToken,
        throttle: Option<Arc<crate::storage::Throttle>>,
        progress: Arc<crate::types::Progress>,
    ) -> (ChunkId, BuildOptions) {
        let id = ChunkId(self.next_chunk.fetch_add(1, Ordering::Relaxed));
        let settings = self.around.settings.load();
        let options = BuildOptions {
            dir: self.dir.join(format!("chunk.{id}")),
            table_uuid: self.uuid,
            schema: self.schema(),
            compression: settings.docstore_compression.clone(),
            compression_level: settings.docstore_compression_level,
            block_size: settings.docstore_block_size as usize,
            stop,
            throttle,
            progress,
            spare: None,
        };
        (id, options)
    }

    /// FLUSH TABLE: saves the RAM chunk so that the log can be trimmed and the next start need not replay it.
    pub fn flush_table(&self) -> Result<(), TableError> {
        let _alone = self.alone(&self.stop)?;
        self.refuse_frozen()?;
        // What a failed flush has left sealed must become a chunk first: once its rows are in the saved file too, the flush that is still
        // to come would put them into the table twice, or take the saved file away from under the rows that came later.
        self.flush_sealed(self.sealed())?;
        self.save_ram(false)
    }

    /// Writes all RAM segments to one file and names it in the manifest. The caller holds `maintenance`, so no flush is under way; nothing
    /// may be sealed either, unless the table is being closed and no flush will come.
    pub(super) fn save_ram(&self, clean: bool) -> Result<(), TableError> {
        self.refuse_frozen()?;
        if let Some(log) = &self.log {
            log.rotate().map_err(|e| TableError::Failed(e.to_string()))?;
        }
        let mut state = self.manifest.lock();
        if let Some(reason) = &self.writer.lock().poisoned {
            return Err(TableError::Poisoned(reason.clone()));
        }
        let pinned = self.snapshot();
        let mut manifest = state.manifest.clone();
        let (mut body, mut count) = (Vec::new(), 0);
        for view in &pinned.parts[pinned.disk_chunks..] {
            let AnyPart::Ram(segment) = &view.part else { continue };
            let mut bytes = Vec::new();
            if view.dead.is_empty() && view.edits.is_empty() {
                segment.save(&mut bytes);
            } else {
                let (merged, map) = RamSegment::merge(std::slice::from_ref(view), &StopToken::new())?;
                if map.rows() == 0 {
                    continue;
                }
                merged.save(&mut bytes);
            }
            body.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            body.extend_from_slice(&bytes);
            count += 1;
        }
        manifest.ram = None;
        if count > 0 {
            let n = manifest.next_file;
            let path = Kind::Ram.path(&self.dir, n);
            side::write(&*self.around.disk, &path, Kind::Ram, self.uuid, ChunkId(0), count, &body)?;
            manifest.ram = Some(n);
            manifest.next_file = n + 1;
        }
        manifest.replay_from = pinned.lsn;
        manifest.clean = clean;
        self.write_manifest(&mut state, manifest, &pinned, &self.kept_views())?;
        if let Some(log) = &self.log {
            log.trim(pinned.lsn);
        }
        Ok(())
    }

    /// Begins a new log file.
    #[cfg(test)]
    pub(super) fn rotate_log(&self) {
        self.log.as_ref().expect("a log").rotate().expect("rotated");
    }

    /// Bytes of RAM chunk, sealed or not, with the lexicon that grows. An empty one has none, whatever its lexicon has reserved.
    pub(super) fn ram_chunk_bytes(&self) -> usize {
        let snapshot = self.snapshot.load();
        if snapshot.parts.len() == snapshot.disk_chunks {
            return 0;
        }
        let lexicon = self.lexicon.read().memory_bytes();
        lexicon + snapshot.parts[snapshot.disk_chunks..].iter().map(ram_bytes).sum::<usize>()
    }
}
