//! Plays the load under each pair of settings, and chooses.

use super::arguments::Setting;
use super::load::Load;
use crate::merge::Limits;
use crate::merge::simulate::{Report, play};

/// Pairs whose tail after the load is within this part of the shortest, and a second, count as equally fast; the one that writes least
/// is best.
const EQUALLY_FAST: f64 = 1.1;
const EQUALLY_FAST_US: f64 = 1e6;

/// A pair of settings and what came of it.
pub(super) struct Outcome {
    /// `parallel_chunk_merges`.
    pub slots: Setting,
    /// `merge_chunks_per_job`.
    pub fan_in: Setting,
    pub report: Report,
}

/// Both unset, then all pairs in the order given.
pub(super) fn play_all(load: &Load, slots: &[Setting], fan_ins: &[Setting]) -> Result<Vec<Outcome>, String> {
    let unset = (Setting(None), Setting(None));
    let given = slots.iter().flat_map(|s| fan_ins.iter().map(|f| (*s, *f))).filter(|pair| *pair != unset);
    let pairs = std::iter::once(unset).chain(given);
    let play = |(slots, fan_in): (Setting, Setting)| {
        let max_jobs = slots.0.unwrap_or(Limits::chosen_max_jobs(load.cores));
        let scenario = load.scenario(Limits { max_jobs, fan_in: fan_in.0, max_chunk_size: None })?;
        Ok(Outcome { slots, fan_in, report: play(&scenario)? })
    };
    pairs.map(play).collect()
}

/// The best of them: of those that are about as fast as the fastest, the one that writes least, then the one with the fewest chunks at
/// any time, then the first.
pub(super) fn best(outcomes: &[Outcome]) -> Option<&Outcome> {
    let tail_us = |outcome: &Outcome| (end_us(&outcome.report) - outcome.report.loaded_us) as f64;
    let limit_us = outcomes.iter().map(tail_us).min_by(f64::total_cmp)? * EQUALLY_FAST + EQUALLY_FAST_US;
    let fast = outcomes.iter().filter(|outcome| tail_us(outcome) <= limit_us);
    fast.min_by(|a, b| {
        let written = a.report.bytes_merged.cmp(&b.report.bytes_merged);
        written.then(a.report.chunks_peak.cmp(&b.report.chunks_peak))
    })
}

/// When the table is compacted: with the last merge, or with the load where there is nothing left to merge.
pub(super) fn end_us(report: &Report) -> u64 {
    report.compacted_us.max(report.loaded_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(slots: usize, compacted_us: u64, bytes_merged: u64, chunks_peak: usize) -> Outcome {
        let report = Report { loaded_us: 100, compacted_us, bytes_merged, chunks_peak, ..Report::default() };
        Outcome { slots: Setting(Some(slots)), fan_in: Setting(Some(2)), report }
    }

    #[test]
    fn among_the_fast_the_one_that_writes_least() {
        let chosen = |outcomes: &[Outcome]| best(outcomes).and_then(|o| o.slots.0);
        let s = 1_000_000;
        assert_eq!(chosen(&[outcome(1, 30 * s, 1, 1), outcome(2, 20 * s, 9, 9), outcome(3, 22 * s, 8, 9)]), Some(3));
        assert_eq!(chosen(&[outcome(1, 5 * s, 9, 9), outcome(2, 5 * s, 9, 8), outcome(3, 5 * s, 9, 8)]), Some(2));
        assert_eq!(chosen(&[]), None);
        assert_eq!(end_us(&outcome(1, 50, 0, 0).report), 100);
    }
}
