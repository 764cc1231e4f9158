//! Numbers of a table for SHOW TABLE STATUS.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use super::PartKey;
use super::keep::now_seconds;
use super::manifest::ChunkEntry;
use super::table::Table;
use crate::chunk::{AnyPart, DiskChunk, Overlay, PartView};
use crate::merge::JobId;
use crate::types::ChunkId;

/// A disk chunk, for SHOW TABLE … CHUNKS.
#[derive(Debug, Clone)]
pub struct ChunkRow {
    /// Its number.
    pub id: ChunkId,
    /// Rows, dead ones included.
    pub rows: u64,
    /// Dead rows among them.
    pub dead: u64,
    /// Rows that UPDATEs have changed since the chunk was written.
    pub updated: u64,
    /// (name, bytes) of each part of its files; those of UPDATEd rows count as attributes.
    pub parts: Vec<(&'static str, u64)>,
    /// How often the oldest of its rows was rewritten by merges.
    pub level: u32,
    /// Seconds since it was published.
    pub age_seconds: u64,
    /// The merge that works on it.
    pub busy: Option<JobId>,
}

/// Bytes of a chunk's files by part, and of the files of its UPDATEd rows.
fn parts_of(chunk: &DiskChunk, edits: &Overlay) -> Vec<(&'static str, u64)> {
    let grown = |(name, bytes)| (name, if name == "attributes" { bytes + edits.file_bytes() } else { bytes });
    chunk.size_by_part().into_iter().map(grown).collect()
}

impl Table {
    /// The disk chunks, ascending by number.
    pub fn disk_chunks(&self) -> Vec<ChunkRow> {
        let busy = self.merges.get().map(|t| t.busy()).unwrap_or_default();
        let now = now_seconds();
        let (snapshot, entries) = {
            let state = self.manifest.lock();
            let entries: BTreeMap<ChunkId, ChunkEntry> = state.manifest.chunks.iter().map(|c| (c.id, c.clone())).collect();
            (self.snapshot(), entries)
        };
        let parts = snapshot.keys.iter().zip(&snapshot.parts);
        let rows = parts.filter_map(|(key, view)| match (key, &view.part) {
            (PartKey::Disk(id), AnyPart::Disk(chunk)) => Some(ChunkRow {
                id: *id,
                rows: u64::from(view.part.row_count()),
                dead: view.dead.count() as u64,
                updated: view.edits.count() as u64,
                parts: parts_of(chunk, &view.edits),
                level: entries.get(id).map_or(0, |e| e.level),
                age_seconds: entries.get(id).map_or(0, |e| now.saturating_sub(e.created)),
                busy: busy.get(id).copied(),
            }),
            _ => None,
        });
        let mut rows: Vec<ChunkRow> = rows.collect();
        rows.sort_by_key(|row| row.id);
        rows
    }

    /// Name and value, in the order printed.
    pub fn status(&self) -> Vec<(String, String)> {
        let snapshot = self.snapshot();
        let of_chunk = |p: &PartView| if let AnyPart::Disk(c) = &p.part { c.size_bytes() + p.edits.file_bytes() } else { 0 };
        let disk_bytes: u64 = snapshot.parts.iter().map(of_chunk).sum();
        let killed: u64 = snapshot.parts.iter().map(|p| p.dead.count() as u64).sum();
        // Those of RAM segments are the RAM chunk's.
        let of_chunks = &snapshot.parts[..snapshot.disk_chunks];
        let overlays: usize = of_chunks.iter().map(|p| p.dead.memory_bytes() + p.edits.memory_bytes()).sum();
        let (alive, all) = (snapshot.alive_count(), snapshot.row_count());
        let ram = self.ram_chunk_bytes();
        let (sealed, poisoned, flush_error) = {
            let writer = self.writer.lock();
            (writer.sealed_bytes, writer.poisoned.clone(), writer.flush_error.clone().or(writer.edits_error.clone()))
        };
        let count = |c: &std::sync::atomic::AtomicU64| c.load(Ordering::Relaxed);
        let c = &self.counters;
        let (flushed, merged) = (count(&c.flushed_bytes), count(&c.merged_bytes));
        let amplification = if flushed == 0 { 1.0 } else { (flushed + merged) as f64 / flushed as f64 };
        let rate = if all == 0 { 0.0 } else { killed as f64 * 100.0 / all as f64 };
        let (saved_lsn, log_bytes) = (self.manifest.lock().manifest.replay_from.0, self.log.as_ref().map_or(0, |l| l.size_bytes()));
        let mut rows: Vec<(&str, String)> = vec![
            ("index_type", "rt".into()),
            ("indexed_documents", alive.to_string()),
            ("ram_bytes", (ram + overlays).to_string()),
            ("disk_bytes", disk_bytes.to_string()),
            ("killed_documents", killed.to_string()),
            ("killed_rate", format!("{rate:.2}%")),
            ("ram_chunk", ram.to_string()),
            ("ram_chunk_segments_count", (snapshot.parts.len() - snapshot.disk_chunks).to_string()),
            ("disk_chunks", snapshot.disk_chunks.to_string()),
            ("mem_limit", self.ram_limit().to_string()),
            ("mem_limit_rate", "100.00%".into()),
            ("ram_bytes_retired", sealed.to_string()),
            ("optimizing", self.merges.get().map_or(0, |t| t.is_merging() as u32).to_string()),
            ("locked", (self.is_frozen() as u32).to_string()),
            ("tid", snapshot.lsn.0.to_string()),
            ("tid_saved", saved_lsn.to_string()),
            ("optimize_cutoff", self.cutoff().to_string()),
            ("flushes", count(&c.flushes).to_string()),
            ("merges", count(&c.merges).to_string()),
            ("flushed_bytes", flushed.to_string()),
            ("merged_bytes", merged.to_string()),
            ("write_amplification", format!("{amplification:.2}")),
            ("ram_segment_merges", count(&c.ram_merges).to_string()),
            ("write_waits", count(&c.write_waits).to_string()),
            ("insert_delay_ms", format!("{:.1}", self.insert_delay().as_secs_f64() * 1e3)),
            ("inserts_slowed", count(&c.slowed).to_string()),
            ("inserts_slowed_ms", count(&c.slowed_millis).to_string()),
            ("publish_hold_us", count(&c.publish_hold_us).to_string()),
            ("publish_hold_us_max", count(&c.publish_hold_us_max).to_string()),
            ("binlog_bytes", log_bytes.to_string()),
            ("query_count", count(&c.queries).to_string()),
            ("query_time_total_ms", count(&c.query_millis).to_string()),
            ("found_rows_total", count(&c.found_rows).to_string()),
        ];
        if let Some((chunks, bytes, until)) = self.kept_space() {
            rows.extend([("kept_chunks", chunks.to_string()), ("kept_bytes", bytes.to_string()), ("kept_until", until.to_string())]);
        }
        if let Some(reason) = poisoned {
            rows.push(("read_only", reason));
        }
        if let Some(error) = flush_error {
            rows.push(("flush_error", error));
        }
        rows.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
    }
}
