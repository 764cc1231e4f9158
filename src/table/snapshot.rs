//! What one statement reads: an immutable list of parts with their dead rows and edits.

use std::sync::Arc;

use crate::chunk::{PartView, RowImage};
use crate::text::Analyzer;
use crate::types::{ChunkId, DocId, Lsn, RowId, Schema};

/// Identity of a part, never given to another part of the same table while the server runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PartKey {
    /// A disk chunk.
    Disk(ChunkId),
    /// A RAM segment, numbered in order of birth.
    Ram(u64),
}

/// Loaded once per statement and kept for all of it. Edits are pure: they give a new snapshot.
#[derive(Clone)]
pub struct Snapshot {
    /// Columns of every part.
    pub schema: Arc<Schema>,
    /// How text becomes words, for indexing and for queries.
    pub analyzer: Arc<Analyzer>,
    /// Disk chunks in order of id, then RAM segments, oldest first. An alive document is alive in exactly one part.
    pub parts: Vec<PartView>,
    /// Identity of each part.
    pub keys: Vec<PartKey>,
    /// Number of disk chunks at the head of `parts`.
    pub disk_chunks: usize,
    /// Newest committed statement that this snapshot contains.
    pub lsn: Lsn,
}

/// Where an alive document is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Index in [`Snapshot::parts`].
    pub part: usize,
    /// Row in that part.
    pub row: RowId,
}

impl Snapshot {
    /// A snapshot without rows.
    pub fn empty(schema: Arc<Schema>, analyzer: Arc<Analyzer>, lsn: Lsn) -> Snapshot {
        Snapshot { schema, analyzer, parts: Vec::new(), keys: Vec::new(), disk_chunks: 0, lsn }
    }

    /// A snapshot of RAM parts alone, for tests that need no table.
    #[cfg(test)]
    pub fn of(schema: Arc<Schema>, analyzer: Arc<Analyzer>, parts: impl IntoIterator<Item = PartView>) -> Snapshot {
        let mut snapshot = Snapshot::empty(schema, analyzer, Lsn(1));
        parts.into_iter().enumerate().for_each(|(n, part)| snapshot.add(PartKey::Ram(n as u64), part));
        snapshot
    }

    /// Rows that are alive.
    pub fn alive_count(&self) -> u64 {
        self.parts.iter().map(|p| p.alive_count() as u64).sum()
    }

    /// Rows, dead ones included: N of the ranking formulas.
    pub fn row_count(&self) -> u64 {
        self.parts.iter().map(|p| p.part.row_count() as u64).sum()
    }

    /// Bytes of UPDATEd rows of disk chunks that are in memory and not yet in files. Those of RAM segments count towards the RAM chunk.
    pub fn unfiled_bytes(&self) -> usize {
        self.parts[..self.disk_chunks].iter().map(|p| p.edits.unfiled_bytes()).sum()
    }

    /// Index of a part.
    pub fn index_of(&self, key: PartKey) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// Where document `id` is alive, if anywhere. Newest parts are asked first, since fresh rows are changed most.
    pub fn locate(&self, id: DocId) -> Option<Place> {
        (0..self.parts.len()).rev().find_map(|part| self.locate_in(part, id))
    }

    /// Where document `id` is alive in part `part`.
    pub fn locate_in(&self, part: usize, id: DocId) -> Option<Place> {
        let view = &self.parts[part];
        let (low, high) = view.part.id_range()?;
        if id < low || id > high {
            return None;
        }
        view.find_alive(id).map(|row| Place { part, row })
    }

    /// This snapshot with rows of its parts killed.
    pub(super) fn kill(&mut self, mut kills: Vec<Place>) {
        kills.sort_unstable_by_key(|k| (k.part, k.row));
        for group in kills.chunk_by(|a, b| a.part == b.part) {
            let view = &mut self.parts[group[0].part];
            view.dead = view.dead.with(group.iter().map(|k| k.row));
        }
    }

    /// This snapshot with rows of its parts given new attribute images; of two images for a row the later in the list wins.
    pub(super) fn edit(&mut self, mut edits: Vec<(Place, Arc<RowImage>)>) {
        edits.sort_by_key(|(k, _)| (k.part, k.row));
        for group in edits.chunk_by(|a, b| a.0.part == b.0.part) {
            let view = &mut self.parts[group[0].0.part];
            view.edits = view.edits.with(group.iter().map(|(k, image)| (k.row, image.clone())));
        }
    }

    /// This snapshot with a part more.
    pub(super) fn add(&mut self, key: PartKey, view: PartView) {
        let at = self.keys.partition_point(|k| *k < key);
        self.keys.insert(at, key);
        self.parts.insert(at, view);
        self.disk_chunks = self.keys.partition_point(|k| matches!(k, PartKey::Disk(_)));
    }

    /// This snapshot without some parts.
    pub(super) fn remove(&mut self, gone: &[PartKey]) {
        let mut keep = self.keys.iter().map(|k| !gone.contains(k));
        self.parts.retain(|_| keep.next().unwrap_or(true));
        self.keys.retain(|k| !gone.contains(k));
        self.disk_chunks = self.keys.partition_point(|k| matches!(k, PartKey::Disk(_)));
    }
}
