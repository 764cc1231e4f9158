//! What an operator does to a table: TRUNCATE, FREEZE, CHECK, ALTER, and its end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::manifest::Manifest;
use super::side::{self, Kind, layer_place};
use super::table::Table;
use super::{PartKey, Snapshot, TableError};
use crate::chunk::{AnyPart, Layer, Lexicon};
use crate::types::{ChunkId, StopToken, TableSettings};

impl Table {
    /// TRUNCATE: durable and visible when it returns. Merges are stopped, a flush under way is waited for.
    pub fn truncate(&self) -> Result<(), TableError> {
        let _still = self.merges.get().map(|t| t.pause());
        let _alone = self.alone(&self.stop)?;
        self.refuse_frozen()?;
        let mut state = self.manifest.lock();
        let pinned = self.snapshot();
        let mut manifest = state.manifest.clone();
        manifest.chunks.clear();
        manifest.kept = None;
        manifest.ram = None;
        manifest.replay_from = pinned.lsn;
        // Rows that are committed from here until the swap below carry the old epoch and go too: the TRUNCATE comes after them.
        manifest.epoch += 1;
        manifest.clean = false;
        let epoch = manifest.epoch;
        let empty = Snapshot::empty(pinned.schema.clone(), pinned.analyzer.clone(), pinned.lsn);
        self.write_manifest(&mut state, manifest, &empty, &[])?;
        let last = {
            let mut lexicon = self.lexicon.write();
            let mut writer = self.writer.lock();
            writer.epoch = epoch;
            writer.active_from = writer.next_segment;
            (writer.active_bytes, writer.sealed_bytes) = (0, 0);
            (writer.flush_error, writer.edits_error) = (None, None);
            *lexicon = Lexicon::new();
            self.snapshot.store(Arc::new(Snapshot { lsn: writer.lsn, ..empty }));
            writer.lsn
        };
        self.room.notify_all();
        let kept = self.kept.lock().take().map(|k| k.chunks).unwrap_or_default();
        for view in pinned.parts.iter().chain(kept.iter().map(|(_, view)| view)) {
            if let AnyPart::Disk(chunk) = &view.part {
                chunk.retire(&self.tenancy);
            }
        }
        if let Some(log) = &self.log {
            log.rotate().map_err(|e| TableError::Failed(e.to_string()))?;
            log.trim(last);
        }
        Ok(())
    }

    /// FREEZE: everything up to now is in files that do not change until UNFREEZE. Gives their paths.
    pub fn freeze(&self) -> Result<Vec<String>, TableError> {
        self.refuse_frozen()?;
        let still = self.merges.get().map(|t| t.pause());
        let _alone = self.alone(&self.stop)?;
        self.flush_all()?;
        let mut state = self.manifest.lock();
        let pinned = self.snapshot();
        // Kills and edits since the last publication go into files as well.
        let manifest = Manifest { clean: false, ..state.manifest.clone() };
        self.write_manifest(&mut state, manifest, &pinned, &self.kept_views())?;
        self.frozen.store(true, Ordering::Release);
        *self.freezing.lock() = still;
        self.files(&state.manifest)
    }

    /// UNFREEZE.
    pub fn unfreeze(&self) -> Result<(), TableError> {
        self.frozen.store(false, Ordering::Release);
        self.freezing.lock().take();
        self.signals.ask(super::housekeeping::Wish::Flush);
        self.signals.ask(super::housekeeping::Wish::Edits);
        self.merge_wanted();
        Ok(())
    }

    /// Paths of all files that a manifest names, and its own.
    fn files(&self, manifest: &Manifest) -> Result<Vec<String>, TableError> {
        let disk = &self.around.disk;
        let mut out = vec![self.dir.join(super::manifest::FILE_NAME)];
        for chunk in manifest.all_chunks() {
            let dir = self.dir.join(format!("chunk.{}", chunk.id));
            out.extend(disk.list(&dir).map_err(|e| TableError::io("chunk folder", e))?.into_iter().map(|name| dir.join(name)));
        }
        out.extend(manifest.side_files(&self.dir));
        Ok(out.into_iter().map(|p| p.display().to_string()).collect())
    }

    /// CHECK TABLE: reads every file whole against its checksum. One sentence for each fault, with the file's name; none = sound.
    /// Commits, flushes and merges go on meanwhile.
    pub fn check(&self, stop: &StopToken) -> Result<Vec<String>, TableError> {
        let disk = &*self.around.disk;
        let mut faults = Vec::new();
        let (manifest, views) = {
            let state = self.manifest.lock();
            if let Err(error) = Manifest::read(disk, &self.dir) {
                faults.push(error.to_string());
            }
            let snapshot = self.snapshot();
            let live = snapshot.keys.iter().copied().zip(snapshot.parts.iter().cloned()).take(snapshot.disk_chunks);
            (state.manifest.clone(), live.chain(self.kept_views()).collect::<Vec<_>>())
        };
        // The chunks stay for as long as they are held here, whatever is published.
        for (_, view) in &views {
            if stop.is_stopped() {
                return Err(TableError::Stopped("stopped".into()));
            }
            if let AnyPart::Disk(chunk) = &view.part
                && let Err(error) = chunk.verify()
            {
                faults.push(error.to_string());
            }
        }
        let dead = manifest.all_chunks().filter_map(|c| Some((Kind::Dead, c.dead?, c.id)));
        let whole = dead.chain(manifest.ram.map(|n| (Kind::Ram, n, ChunkId(0))));
        let mut sides: Vec<(PathBuf, Result<(), TableError>)> = whole
            .map(|(kind, n, chunk)| (kind.path(&self.dir, n), side::read(disk, &kind.path(&self.dir, n), kind, self.uuid, chunk).map(drop)))
            .collect();
        for (entry, view) in manifest.all_chunks().filter_map(|c| Some((c, views.iter().find(|v| v.0 == PartKey::Disk(c.id))?))) {
            for n in &entry.attrs {
                if stop.is_stopped() {
                    return Err(TableError::Stopped("stopped".into()));
                }
                let place = layer_place(disk, &self.dir, self.uuid, entry.id, *n);
                let result = Layer::check(&place, &view.1.part).map_err(TableError::from);
                sides.push((place.path, result));
            }
        }
        for (path, result) in sides {
            if let Err(error) = result
                // A later manifest may have let the file go meanwhile.
                && self.manifest.lock().manifest.side_files(&self.dir).contains(&path)
            {
                faults.push(error.to_string());
            }
        }
        if let Some(log) = &self.log {
            faults.extend(log.check());
        }
        Ok(faults)
    }

    /// ALTER TABLE t name='value': durable and in force when it returns.
    pub fn alter_settings(&self, settings: TableSettings) -> Result<(), TableError> {
        let _alone = self.alone(&self.stop)?;
        self.refuse_frozen()?;
        let mut state = self.manifest.lock();
        let pinned = self.snapshot();
        let manifest = Manifest { settings: settings.clone(), clean: false, ..state.manifest.clone() };
        self.write_manifest(&mut state, manifest, &pinned, &self.kept_views())?;
        self.settings.store(Arc::new(settings));
        drop(state);
        self.signals.ask(super::housekeeping::Wish::Flush);
        self.merge_wanted();
        Ok(())
    }

    /// Ends the table's work: no write is taken any more, jobs and flushes are stopped, both threads end. With `save` the RAM chunk is
    /// written to a file, so that the next start has nothing to replay; without it the folder is given up to whoever drops the table.
    pub fn close(&self, save: bool) {
        self.stop.stop();
        if let Some(ticket) = self.merges.get() {
            ticket.cancel();
            // For good: a job that starts now would look for files that are about to move.
            *self.freezing.lock() = Some(ticket.pause());
        }
        self.signals.end();
        self.room.notify_all();
        let _alone = self.maintenance.lock();
        // A writer that had passed the check of `stop` is done once the lock is ours.
        drop(self.writer.lock());
        if !save {
            self.tenancy.end();
            return;
        }
        self.tenancy.settle();
        if let Some(log) = &self.log
            && let Err(error) = log.sync()
        {
            tracing::error!("table '{}': {error}", self.name);
        }
        if self.is_frozen() {
            return;
        }
        if let Err(error) = self.save_ram(true) {
            tracing::error!("table '{}': saving the RAM chunk at the end: {error}; the binary log has its rows", self.name);
        }
    }

    /// The folder of the table.
    pub fn dir(&self) -> &std::path::Path {
        &self.dir
    }

    /// Where the table's binary log lives outside its folder, if it does.
    pub fn outside_log_dir(&self) -> Option<std::path::PathBuf> {
        self.log.as_ref().map(|l| l.dir().to_owned()).filter(|d| !d.starts_with(&self.dir))
    }
}
