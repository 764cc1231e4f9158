//! Making a new chunk visible: durable first, visible second, the old ones retired last.
//!
//! ```text
//! chunk, dead, attrs files synced → their folder synced → log synced up to the newest statement that a named file contains
//! → manifest written, synced, renamed → folder synced → files no longer named are unlinked
//! → [writer lock: what came since is mapped, snapshot swapped] → log trimmed → chunk folders go when their last reader lets go
//! ```
//!
//! The manifest is written for a pinned snapshot without the writer lock. A crash between manifest and swap replays correctly, because
//! kills in the log are by document id.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::keep::{Kept, now_seconds};
use super::manifest::ChunkEntry;
use super::ram::carry_over;
use super::table::Table;
use super::{PartKey, Snapshot, TableError};
use crate::chunk::disk::Built;
use crate::chunk::{AnyPart, PartView};
use crate::types::{ChunkId, Lsn};

/// A finished build, or an act that needs none, that wants to become the table's state.
pub struct Publication {
    /// Parts that go, as they were when the build started.
    pub inputs: Vec<(PartKey, PartView)>,
    /// What comes in their place; empty where no row was alive.
    pub outputs: Vec<Output>,
    /// Where replay starts from now on: every row up to there is in the files that the new manifest names. None = as before.
    pub replay_from: Option<Lsn>,
    /// Truncation epoch at the time the inputs were pinned.
    pub epoch: u32,
    /// Part of an OPTIMIZE whose inputs are kept.
    pub keep: bool,
}

/// A chunk that was built out of some of the inputs.
pub struct Output {
    /// Its number.
    pub id: ChunkId,
    /// Its files.
    pub built: Built,
    /// How often the oldest of its rows was rewritten.
    pub level: u32,
    /// The inputs of its build in the build's order, with the changes that they had when the work started.
    pub sources: Vec<(PartKey, PartView)>,
}

impl Output {
    fn key(&self) -> PartKey {
        PartKey::Disk(self.id)
    }

    fn fresh_view(&self) -> PartView {
        PartView::new(AnyPart::Disk(self.built.chunk.clone()))
    }
}

/// What became of a publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// Readers see it.
    Published,
    /// Inputs are gone (TRUNCATE, DROP): the output was removed, nothing has changed.
    Vanished,
}

impl Table {
    /// Makes `publication` durable and visible.
    pub(super) fn publish(&self, publication: Publication) -> Result<Outcome, TableError> {
        let mut state = self.manifest.lock();
        let vanished = {
            let writer = self.writer.lock();
            if let Some(reason) = &writer.poisoned {
                return Err(TableError::Poisoned(reason.clone()));
            }
            let current = self.snapshot.load();
            writer.epoch != publication.epoch
                || self.stop.is_stopped()
                || publication.inputs.iter().any(|(key, _)| current.index_of(*key).is_none())
        };
        if vanished {
            self.discard(publication.outputs);
            return Ok(Outcome::Vanished);
        }
        if publication.replay_from.is_some_and(|lsn| lsn < state.manifest.replay_from) {
            // Replaying from an earlier statement than the files hold would bring back what was deleted since.
            self.discard(publication.outputs);
            return Err(TableError::Failed("internal error: a flush must not move the replay position back".into()));
        }
        if let Err(error) = self.refuse_frozen() {
            self.discard(publication.outputs);
            return Err(error);
        }

        let pinned = self.snapshot();
        let mut next = Snapshot::clone(&pinned);
        let gone: Vec<PartKey> = publication.inputs.iter().map(|i| i.0).collect();
        next.remove(&gone);
        let mut manifest = state.manifest.clone();
        manifest.clean = false;
        for output in &publication.outputs {
            let mut view = output.fresh_view();
            carry_over(&mut view, &output.built.map, &output.sources, &pinned);
            next.add(output.key(), view);
            manifest.chunks.push(ChunkEntry { id: output.id, dead: None, attrs: Vec::new(), level: output.level, created: now_seconds() });
        }
        if let Some(lsn) = publication.replay_from {
            manifest.replay_from = lsn;
            // The flush holds all that the saved RAM chunk held.
            manifest.ram = None;
        }
        let kept = match self.kept.lock().as_ref() {
            Some(kept) if publication.keep => Some(kept.after(&publication, &pinned)),
            other => other.cloned(),
        };
        manifest.kept = kept.as_ref().map(|k| k.entry(&state.manifest)).filter(|k| !k.chunks.is_empty());
        let kept_views = kept.as_ref().map_or(&[][..], |k| &k.chunks);
        if let Err(error) = self.write_manifest(&mut state, manifest, &next, kept_views) {
            // A manifest in an unknown state may name the new chunk: then it stays.
            if !matches!(error, TableError::Poisoned(_)) {
                self.discard(publication.outputs);
            }
            return Err(error);
        }
        // From here on the new chunk is the truth on disk: whatever happens, it must become the truth in memory.
        {
            let mut writer = self.writer.lock();
            let locked = Instant::now();
            let current = self.snapshot.load_full();
            let mut fresh = Snapshot::clone(&current);
            fresh.remove(&gone);
            for output in &publication.outputs {
                // What `next` holds of the output is mapped already; only what came after `pinned` is left.
                let at_pin = |key: &PartKey| pinned.index_of(*key).map(|i| (*key, pinned.parts[i].clone()));
                let since: Vec<(PartKey, PartView)> =
                    output.sources.iter().map(|(key, view)| at_pin(key).unwrap_or_else(|| (*key, view.clone()))).collect();
                let mut view = next.index_of(output.key()).map_or_else(|| output.fresh_view(), |i| next.parts[i].clone());
                state.adopt_filed(output.id, &mut view);
                carry_over(&mut view, &output.built.map, &since, &current);
                fresh.add(output.key(), view);
            }
            writer.count_ram(&fresh);
            self.snapshot.store(Arc::new(fresh));
            let held = locked.elapsed().as_micros() as u64;
            self.counters.publish_hold_us.store(held, Ordering::Relaxed);
            self.counters.publish_hold_us_max.fetch_max(held, Ordering::Relaxed);
        }
        self.room.notify_all();
        for (key, view) in &publication.inputs {
            if let AnyPart::Disk(chunk) = &view.part
                && !kept_views.iter().any(|k| k.0 == *key)
            {
                chunk.retire(&self.tenancy);
            }
        }
        if let Some(mut after) = kept.filter(|_| publication.keep) {
            after.adopt_filed(&state);
            let mut now = self.kept.lock();
            match &mut *now {
                // The OPTIMIZE may have begun or ended meanwhile: what it says stays.
                Some(now) => (now.chunks, now.outputs) = (after.chunks, after.outputs),
                None => *now = Some(Kept { open: false, ..after }),
            }
        }
        if let (Some(log), Some(lsn)) = (&self.log, publication.replay_from) {
            log.trim(lsn);
        }
        Ok(Outcome::Published)
    }

    /// Removes chunks that will not be published.
    fn discard(&self, outputs: Vec<Output>) {
        outputs.iter().for_each(|output| output.built.chunk.retire(&self.tenancy));
    }
}
