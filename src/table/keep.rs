//! A forced merge as an experiment: its inputs are kept and can be put back, with every write since applied.
//!
//! While an experiment lasts, its outputs are held: no other merge takes them, so that the rows of the kept chunks and of the outputs stay
//! the same documents. Putting back compares the two, document by document: one that is gone from the outputs is killed in the kept
//! chunk, one whose attributes differ gets the outputs' image. New rows never come into a chunk, so nothing else can differ.
//!
//! ```text
//! OPTIMIZE … keep=1      a b c d  →  X        kept: a b c d   outputs: X
//! OPTIMIZE … rollback=1  X        →  a b c d  what was deleted or updated in X is deleted or updated in a b c d
//! OPTIMIZE … keep=0      X                    a b c d go
//! ```

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::manifest::{ChunkEntry, KeptEntry, Manifest};
use super::publish::Publication;
use super::table::{ManifestState, Table};
use super::{PartKey, Snapshot, TableError};
use crate::chunk::{AnyPart, PartView};
use crate::types::{ChunkId, RowId, StopToken};

/// Replaced chunks that can be put back.
#[derive(Clone)]
pub struct Kept {
    /// The replaced chunks, with the changes they had when they were replaced.
    pub chunks: Vec<(PartKey, PartView)>,
    /// What stands in their place.
    pub outputs: Vec<ChunkId>,
    /// Seconds since 1970 after which the replaced chunks go; 0 = only when asked.
    pub until: u64,
    /// The OPTIMIZE that began it still runs: its jobs may take the outputs.
    pub open: bool,
}

pub(super) fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

impl Kept {
    /// The experiment after `publication`: outputs that were merged again are outputs no more, other inputs are kept as of `pinned`.
    pub(super) fn after(&self, publication: &Publication, pinned: &Snapshot) -> Kept {
        let mut next = self.clone();
        for (key, _) in &publication.inputs {
            let PartKey::Disk(id) = key else { continue };
            match next.outputs.iter().position(|o| o == id) {
                Some(at) => drop(next.outputs.remove(at)),
                None => next.chunks.extend(pinned.index_of(*key).map(|i| (*key, pinned.parts[i].clone()))),
            }
        }
        next.outputs.extend(publication.outputs.iter().map(|o| o.id));
        next
    }

    /// What the manifest says of it; entries of chunks come from the manifest that named them so far.
    pub(super) fn entry(&self, manifest: &Manifest) -> KeptEntry {
        let known = |key: &PartKey| manifest.all_chunks().find(|c| PartKey::Disk(c.id) == *key).cloned();
        KeptEntry {
            chunks: self.chunks.iter().filter_map(|(key, _)| known(key)).collect(),
            outputs: self.outputs.clone(),
            until: self.until,
        }
    }

    /// Takes the mapped files of edits that the manifest names in the place of the same edits in memory.
    pub(super) fn adopt_filed(&mut self, state: &ManifestState) {
        for (key, view) in &mut self.chunks {
            if let PartKey::Disk(id) = key {
                state.adopt_filed(*id, view);
            }
        }
    }

    /// Bytes of the kept chunks.
    pub fn bytes(&self) -> u64 {
        self.chunks.iter().map(|(_, view)| if let AnyPart::Disk(chunk) = &view.part { chunk.size_bytes() } else { 0 }).sum()
    }
}

impl Table {
    /// Begins an experiment: the inputs of the OPTIMIZE that follows are kept, for so many seconds (0 = until asked).
    pub(super) fn begin_keeping(&self, seconds: u64) -> Result<(), TableError> {
        let mut kept = self.kept.lock();
        if let Some(kept) = &*kept {
            return Err(TableError::Failed(format!(
                "table '{}' keeps {} chunks of an earlier OPTIMIZE: say rollback=1 or keep=0 first",
                self.name,
                kept.chunks.len()
            )));
        }
        let until = if seconds == 0 { 0 } else { now_seconds().saturating_add(seconds) };
        *kept = Some(Kept { chunks: Vec::new(), outputs: Vec::new(), until, open: true });
        Ok(())
    }

    /// The OPTIMIZE has ended: from now on its outputs are held. An experiment in which nothing was merged is none.
    pub(super) fn end_keeping(&self) {
        let mut kept = self.kept.lock();
        if kept.as_ref().is_some_and(|k| k.chunks.is_empty()) {
            *kept = None;
        } else if let Some(kept) = &mut *kept {
            kept.open = false;
        }
    }

    /// Whether merges must leave `id` alone.
    pub(super) fn is_held(&self, id: ChunkId) -> bool {
        self.kept.lock().as_ref().is_some_and(|k| !k.open && k.outputs.contains(&id))
    }

    /// The kept chunks: number, bytes, and when they go (seconds since 1970, 0 = when asked).
    pub fn kept_space(&self) -> Option<(usize, u64, u64)> {
        self.kept.lock().as_ref().map(|k| (k.chunks.len(), k.bytes(), k.until))
    }

    pub(super) fn kept_views(&self) -> Vec<(PartKey, PartView)> {
        self.kept.lock().as_ref().map(|k| k.chunks.clone()).unwrap_or_default()
    }

    /// `keep=0`: the kept chunks go. False where none are kept.
    pub fn forget_kept(&self) -> Result<bool, TableError> {
        let _alone = self.alone(&self.stop)?;
        self.refuse_frozen()?;
        let mut state = self.manifest.lock();
        let Some(kept) = self.kept.lock().clone() else { return Ok(false) };
        let manifest = Manifest { kept: None, clean: false, ..state.manifest.clone() };
        self.write_manifest(&mut state, manifest, &self.snapshot(), &[])?;
        *self.kept.lock() = None;
        drop(state);
        for (_, view) in &kept.chunks {
            if let AnyPart::Disk(chunk) = &view.part {
                chunk.retire(&self.tenancy);
            }
        }
        self.merge_wanted();
        Ok(true)
    }

    /// Lets kept chunks go whose time is over.
    pub(super) fn forget_expired(&self) {
        let expired = self.kept.lock().as_ref().is_some_and(|k| !k.open && k.until != 0 && k.until <= now_seconds());
        if expired
            && !self.is_frozen()
            && let Err(error) = self.forget_kept()
        {
            tracing::warn!("table '{}': letting kept chunks go: {error}", self.name);
        }
    }

    /// `rollback=1`: the kept chunks take the place of the outputs again, with every write since applied.
    pub fn roll_back(&self, stop: &StopToken) -> Result<(), TableError> {
        let _still = self.merges.get().map(|t| t.pause());
        let _alone = self.alone(stop)?;
        self.refuse_frozen()?;
        let mut state = self.manifest.lock();
        let Some(kept) = self.kept.lock().clone() else {
            return Err(TableError::Failed(format!("table '{}' keeps no chunks to put back", self.name)));
        };
        let pinned = self.snapshot();
        let gone: Vec<PartKey> = kept.outputs.iter().map(|id| PartKey::Disk(*id)).collect();
        let mut next = Snapshot::clone(&pinned);
        next.remove(&gone);
        let mut manifest = Manifest { clean: false, ..state.manifest.clone() };
        for (key, view) in &kept.chunks {
            next.add(*key, reconciled(view, &pinned, &gone, stop)?);
            manifest.chunks.extend(entry_of(&manifest, *key));
        }
        manifest.kept = None;
        self.write_manifest(&mut state, manifest, &next, &[])?;
        {
            let _writer = self.writer.lock();
            let current = self.snapshot.load_full();
            let mut fresh = Snapshot::clone(&current);
            fresh.remove(&gone);
            for (key, _) in &kept.chunks {
                if let (Some(i), PartKey::Disk(id)) = (next.index_of(*key), key) {
                    let mut view = next.parts[i].clone();
                    state.adopt_filed(*id, &mut view);
                    fresh.add(*key, view);
                }
            }
            carry_back(&mut fresh, &pinned, &current, &gone);
            self.snapshot.store(Arc::new(fresh));
        }
        *self.kept.lock() = None;
        drop(state);
        for key in &gone {
            if let Some(i) = pinned.index_of(*key)
                && let AnyPart::Disk(chunk) = &pinned.parts[i].part
            {
                chunk.retire(&self.tenancy);
            }
        }
        tracing::info!("table '{}': {} chunks put back in the place of {}", self.name, kept.chunks.len(), gone.len());
        Ok(())
    }
}

fn entry_of(manifest: &Manifest, key: PartKey) -> Option<ChunkEntry> {
    manifest.all_chunks().find(|c| PartKey::Disk(c.id) == key).cloned()
}

/// A kept chunk with what has happened to its documents in the outputs.
fn reconciled(view: &PartView, now: &Snapshot, outputs: &[PartKey], stop: &StopToken) -> Result<PartView, TableError> {
    let outputs: Vec<usize> = outputs.iter().filter_map(|key| now.index_of(*key)).collect();
    let layout = view.part.layout();
    let (mut dead, mut edits) = (Vec::new(), Vec::new());
    for row in (0..view.part.row_count()).map(RowId).filter(|row| !view.dead.contains(*row)) {
        if row.0 % 4096 == 0 && stop.is_stopped() {
            return Err(TableError::Stopped("stopped".into()));
        }
        let id = view.part.doc_id(row);
        match outputs.iter().find_map(|part| now.locate_in(*part, id)) {
            None => dead.push(row),
            Some(place) => {
                let there = now.parts[place.part].row(place.row);
                if !layout.same(view.row(row), there) {
                    edits.push((row, Arc::new(layout.image_of(there))));
                }
            }
        }
    }
    Ok(PartView { dead: view.dead.with(dead), edits: view.edits.with(edits), ..view.clone() })
}

/// What happened to the outputs between two snapshots, applied to the chunks that are put back. Only to those: a document that was
/// replaced is alive elsewhere by now, and that row must stay.
fn carry_back(fresh: &mut Snapshot, then: &Snapshot, now: &Snapshot, outputs: &[PartKey]) {
    let back: Vec<usize> = (0..fresh.keys.len()).filter(|i| now.index_of(fresh.keys[*i]).is_none()).collect();
    let (mut kills, mut edits) = (Vec::new(), Vec::new());
    for key in outputs {
        let (Some(before), Some(after)) = (then.index_of(*key), now.index_of(*key)) else { continue };
        let (before, after) = (&then.parts[before], &now.parts[after]);
        let place = |row| back.iter().find_map(|part| fresh.locate_in(*part, after.part.doc_id(row)));
        kills.extend(after.dead.since(&before.dead).into_iter().filter_map(place));
        edits.extend(after.edits.since(&before.edits).into_iter().filter_map(|(row, image)| Some((place(row)?, image))));
    }
    fresh.edit(edits);
    fresh.kill(kills);
}
