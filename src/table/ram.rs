//! Keeping the RAM chunk short: small segments are merged into larger ones behind the writers.
//!
//! Segments are tiered by size: tier t holds 4ᵗ to 4ᵗ⁺¹ rows. Four of one tier become one, most often of the next, so each row is rewritten
//! about log₄(rows of the RAM chunk) times, and there are at most three segments to a tier once the merging has caught up.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::table::Table;
use super::{PartKey, Snapshot};
use crate::chunk::{AnyPart, PartView, RamSegment, RowMap};
use crate::types::{DocId, StopToken};

/// Segments of one tier that become one, and the step between tiers.
const FAN_IN: usize = 4;
/// Inputs of one merge at most, where the writers outran the merging.
const INPUTS_MAX: usize = 64;
/// A merge of at most so many rows is done by the writer who finds it due; larger ones by the table's own thread.
const SMALL_ROWS: u32 = 256;

/// Which of the segments with these numbers of rows to merge: those of the lowest tier that has enough. Ascending indices; empty = none.
fn choose(rows: &[u32]) -> Vec<usize> {
    let tier = |rows: u32| rows.max(1).ilog(FAN_IN as u32) as usize;
    let mut counts = [0; 16];
    rows.iter().for_each(|r| counts[tier(*r)] += 1);
    match counts.iter().position(|n| *n >= FAN_IN) {
        Some(full) => (0..rows.len()).filter(|i| tier(rows[*i]) == full).take(INPUTS_MAX).collect(),
        None => Vec::new(),
    }
}

/// Puts parts into order of their least id, so that ids keep ascending in what is made of them.
pub fn order_by_id(inputs: &mut [(PartKey, PartView)]) {
    inputs.sort_by_key(|(key, view)| (view.part.id_range().map_or(DocId(0), |r| r.0), *key));
}

impl Table {
    /// One merge of small segments on the writer's own thread, where that is cheaper than waking someone. False when there was none.
    pub(super) fn tidy_small(&self) -> bool {
        self.tidy(SMALL_ROWS, &self.stop)
    }

    /// Whether segments of `snapshot` born at or after `active_from` should be merged.
    pub(super) fn tidy_due(&self, snapshot: &Snapshot, active_from: u64) -> bool {
        let first = snapshot.keys.partition_point(|k| *k < PartKey::Ram(active_from));
        if snapshot.parts.len() < first + FAN_IN {
            return false;
        }
        let rows: Vec<u32> = snapshot.parts[first..].iter().map(|p| p.part.row_count()).collect();
        !choose(&rows).is_empty()
    }

    /// Merges segments until there are few enough.
    pub(super) fn tidy_all(&self, stop: &StopToken) {
        while self.tidy(u32::MAX, stop) {}
    }

    /// One merge of the smallest segments, if it is due and has at most `rows_max` rows. False when there was nothing to do.
    fn tidy(&self, rows_max: u32, stop: &StopToken) -> bool {
        let (snapshot, active_from) = {
            let writer = self.writer.lock();
            (self.snapshot(), writer.active_from)
        };
        let first = snapshot.keys.partition_point(|k| *k < PartKey::Ram(active_from));
        let rows: Vec<u32> = snapshot.parts[first..].iter().map(|p| p.part.row_count()).collect();
        let chosen = choose(&rows);
        if chosen.is_empty() || chosen.iter().map(|i| rows[*i] as u64).sum::<u64>() > rows_max as u64 {
            return false;
        }
        let mut inputs: Vec<(PartKey, PartView)> =
            chosen.iter().map(|i| (snapshot.keys[first + i], snapshot.parts[first + i].clone())).collect();
        order_by_id(&mut inputs);
        let views: Vec<PartView> = inputs.iter().map(|i| i.1.clone()).collect();
        let (segment, map) = match RamSegment::merge(&views, stop) {
            Ok(done) => done,
            Err(error) => {
                if !stop.is_stopped() {
                    tracing::error!("table '{}': merging RAM segments: {error}", self.name);
                }
                return false;
            }
        };
        self.counters.ram_merges.fetch_add(1, Ordering::Relaxed);
        self.replace_segments(&inputs, segment, &map)
    }

    /// Publishes a merged segment. False where a flush or another merge took an input meanwhile.
    fn replace_segments(&self, inputs: &[(PartKey, PartView)], segment: RamSegment, map: &RowMap) -> bool {
        let mut writer = self.writer.lock();
        let current = self.snapshot.load();
        let taken = |key: &PartKey| *key < PartKey::Ram(writer.active_from) || current.index_of(*key).is_none();
        if inputs.iter().any(|(key, _)| taken(key)) {
            return false;
        }
        let mut next = Snapshot::clone(&current);
        let gone: Vec<PartKey> = inputs.iter().map(|i| i.0).collect();
        if map.rows() > 0 {
            let mut view = PartView::new(AnyPart::Ram(Arc::new(segment)));
            carry_over(&mut view, map, inputs, &current);
            next.add(PartKey::Ram(writer.next_segment), view);
            writer.next_segment += 1;
        }
        next.remove(&gone);
        writer.count_ram(&next);
        self.snapshot.store(Arc::new(next));
        true
    }
}

/// Bytes of a RAM part with its kills and edits, without its lexicon; 0 for a disk chunk.
pub fn ram_bytes(view: &PartView) -> usize {
    match &view.part {
        AnyPart::Ram(segment) => segment.memory_bytes() + view.dead.memory_bytes() + view.edits.memory_bytes(),
        AnyPart::Disk(_) => 0,
    }
}

/// Brings the kills and edits that the inputs got since they were pinned into what was made of them. Inputs that `now` lacks are skipped.
pub fn carry_over(output: &mut PartView, map: &RowMap, pinned: &[(PartKey, PartView)], now: &Snapshot) {
    let (mut dead, mut edits) = (Vec::new(), Vec::new());
    for (input, (key, then)) in pinned.iter().enumerate() {
        let Some(at) = now.index_of(*key) else { continue };
        let view = &now.parts[at];
        dead.extend(view.dead.since(&then.dead).into_iter().filter_map(|row| map.get(input, row)));
        edits.extend(view.edits.since(&then.edits).into_iter().filter_map(|(row, image)| Some((map.get(input, row)?, image))));
    }
    output.dead = output.dead.with(dead);
    output.edits = output.edits.with(edits);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_of_a_tier_are_merged_the_lowest_tier_first() {
        assert!(choose(&[1, 1, 1, 4, 5, 6, 64]).is_empty());
        assert_eq!(choose(&[1, 4, 1, 5, 1, 6, 1, 7]), [0, 2, 4, 6]);
        assert_eq!(choose(&[1000, 4, 1000, 5, 1, 6, 1, 7]), [1, 3, 5, 7]);
        assert_eq!(choose(&[0, u32::MAX, 0, 0, 0]), [0, 2, 3, 4]);
    }

    #[test]
    fn each_row_is_rewritten_a_logarithmic_number_of_times() {
        let (mut segments, mut rewritten): (Vec<u32>, u64) = (Vec::new(), 0);
        for _ in 0..100_000 {
            segments.push(1);
            let chosen = choose(&segments);
            let sum: u32 = chosen.iter().map(|i| segments[*i]).sum();
            for i in chosen.iter().rev() {
                segments.remove(*i);
            }
            if sum > 0 {
                segments.push(sum);
                rewritten += sum as u64;
            }
        }
        // log₄(100 000) is 8.3.
        assert!(segments.len() <= 3 * 9, "{segments:?}");
        assert!(rewritten < 9 * 100_000, "{rewritten}");
    }
}
