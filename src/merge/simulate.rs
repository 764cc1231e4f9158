//! Merging in virtual time: a load of flushes played through policy and queue, without a disk, a thread or a clock.
//!
//! Answers, in milliseconds, what an hour of inserts does under given settings: how many chunks pile up, how often rows are written
//! again, when the table is compacted. Used by tests, which play a thousand loads, and by the `tune` command. The speed of a merge is
//! a model: bytes per second of a 2-way merge on one core, less for wider ones (measured: 2.1 M rows/s for 2 inputs, 1.4 M for 16),
//! merges share the cores evenly that the load leaves, and a job that has an idle slot beside it uses two. Merges wait for nothing else,
//! so the figures compare settings; they promise no seconds.

use std::collections::BTreeMap;

use super::course::speed_of_each;
use super::policy::{ChunkStats, Goal, JobId, JobKind, Limits};
use super::queue::{Claimed, Ending, Layout, Overrides, Queue, TableId};
use crate::types::ChunkId;

/// Something that happens to the table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// A new chunk.
    Flush {
        /// Its bytes.
        bytes: u64,
        /// Its rows.
        rows: u64,
    },
    /// An OPTIMIZE.
    Optimize(Goal),
    /// So many rows of the largest chunk that has live ones die.
    Kill {
        /// Rows.
        rows: u64,
    },
}

/// A load and the settings that it meets.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// (when in microseconds, what), in order of time.
    pub events: Vec<(u64, Event)>,
    /// The automatic goal's cutoff; None = auto_optimize off.
    pub cutoff: Option<u32>,
    /// Limits of the table; `max_jobs` are the slots too.
    pub limits: Limits,
    /// Bytes per second of one 2-way merge on a core of its own.
    pub speed: u64,
    /// Cores that merges share.
    pub cores: usize,
    /// Cores that the load itself keeps busy until the last event, fractions allowed: merges run at a lower priority and get the rest.
    pub load_cores: f64,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// When the last event happened, microseconds.
    pub loaded_us: u64,
    /// When the last job ended, microseconds.
    pub compacted_us: u64,
    /// Chunks when the last event had happened.
    pub chunks_loaded: usize,
    /// Most chunks at any time.
    pub chunks_peak: usize,
    /// Bytes that flushes wrote.
    pub bytes_flushed: u64,
    /// Bytes that merges wrote.
    pub bytes_merged: u64,
    /// Jobs done.
    pub jobs: u64,
    /// Chunks over time: (microseconds, chunks), whenever it changed.
    pub curve: Vec<(u64, usize)>,
    /// Chunks at the end.
    pub chunks: Vec<ChunkStats>,
}

impl Report {
    /// Bytes written by flushes and merges for each byte that was flushed.
    pub fn write_amplification(&self) -> f64 {
        (self.bytes_flushed + self.bytes_merged) as f64 / self.bytes_flushed.max(1) as f64
    }
}

/// Plays a scenario to its end: until no event is left and nothing is left to merge.
///
/// `Err` tells which promise of the queue was broken: an input that is not there or belongs to two jobs, or a merge that took the
/// table below the goal.
pub fn play(scenario: &Scenario) -> Result<Report, String> {
    let mut queue = Queue::new();
    let table = queue.add_table();
    let mut world = World {
        scenario,
        queue,
        table,
        chunks: BTreeMap::new(),
        running: Vec::new(),
        now_us: 0.0,
        next_id: 0,
        asked: None,
        report: Report::default(),
    };
    let mut events = scenario.events.iter().peekable();
    loop {
        world.schedule()?;
        let job_end = world.next_end_us();
        let at = match (events.peek(), job_end) {
            (Some((at, _)), Some(end)) => end.min(*at as f64),
            (Some((at, _)), None) => *at as f64,
            (None, Some(end)) => end,
            (None, None) => break,
        };
        world.advance(at);
        match events.next_if(|(due, _)| *due as f64 <= world.now_us) {
            Some((due, event)) => {
                world.happen(*event);
                world.report.loaded_us = *due;
                world.report.chunks_loaded = world.chunks.len();
            }
            None => world.finish_due(),
        }
        world.note();
    }
    world.report.chunks = world.chunks.into_values().collect();
    Ok(world.report)
}

struct Running {
    claimed: Claimed,
    /// Work left, in microseconds of a core of its own.
    left_us: f64,
}

struct World<'a> {
    scenario: &'a Scenario,
    queue: Queue,
    table: TableId,
    chunks: BTreeMap<ChunkId, ChunkStats>,
    running: Vec<Running>,
    now_us: f64,
    next_id: u64,
    /// The fewest chunks that any OPTIMIZE asked for; 1 where one asked for a size.
    asked: Option<u32>,
    report: Report,
}

impl World<'_> {
    fn now_ms(&self) -> u64 {
        (self.now_us / 1000.0) as u64
    }

    fn schedule(&mut self) -> Result<(), String> {
        while let Some((table, generation)) = self.queue.next_stale(self.now_ms()) {
            let layout = Layout {
                chunks: self.chunks.values().copied().collect(),
                limits: self.scenario.limits,
                automatic: self.scenario.cutoff.map(|cutoff| Goal::Automatic { cutoff }),
            };
            let now_ms = self.now_ms();
            for ended in self.queue.replan(table, generation, layout, now_ms) {
                ended.result.map_err(|failure| format!("a request failed: {failure}"))?;
            }
        }
        while let Some(claimed) = self.queue.next(self.scenario.limits.max_jobs) {
            self.start(claimed)?;
        }
        Ok(())
    }

    fn start(&mut self, claimed: Claimed) -> Result<(), String> {
        let inputs = &claimed.job.inputs;
        if let Some(gone) = inputs.iter().find(|i| !self.chunks.contains_key(i)) {
            return Err(format!("job {} takes chunk {gone}, which is not there", claimed.id));
        }
        if let Some(twice) = self.running.iter().find(|r| r.claimed.job.inputs.iter().any(|i| inputs.contains(i))) {
            return Err(format!("jobs {} and {} share a chunk", claimed.id, twice.claimed.id));
        }
        let bytes: u64 = inputs.iter().filter_map(|i| self.chunks.get(i)).map(ChunkStats::live_bytes).sum();
        let left_us = bytes as f64 * 1e6 / self.scenario.speed.max(1) as f64 * cost_of_width(inputs.len());
        let merges = claimed.job.kind == JobKind::Merge;
        self.running.push(Running { claimed, left_us });
        if merges {
            self.check_goal()?;
        }
        Ok(())
    }

    /// With every running job counted as the one chunk it leaves, the table has no fewer chunks than the lowest goal.
    fn check_goal(&self) -> Result<(), String> {
        let lowest = self.scenario.cutoff.unwrap_or(u32::MAX).min(self.asked.unwrap_or(u32::MAX)).max(1) as usize;
        let inputs: usize = self.running.iter().map(|r| r.claimed.job.inputs.len()).sum();
        let outputs = self.running.iter().filter(|r| r.claimed.job.kind != JobKind::Drop).count();
        let count = self.chunks.len() - inputs + outputs;
        if count < lowest { Err(format!("merging would leave {count} chunks, the goal is {lowest}")) } else { Ok(()) }
    }

    /// How fast each job goes, of one thread on a core of its own.
    fn share(&self) -> f64 {
        let cores = self.scenario.cores.max(1) as f64;
        let loading = self.scenario.events.last().is_some_and(|(end, _)| self.now_us < *end as f64);
        let free = if loading { (cores - self.scenario.load_cores).max(cores * LEAST_SHARE) } else { cores };
        (free / self.running.len().max(1) as f64).min(speed_of_each(self.running.len(), self.scenario.limits.max_jobs))
    }

    fn next_end_us(&self) -> Option<f64> {
        self.running.iter().map(|r| self.now_us + r.left_us / self.share()).min_by(f64::total_cmp)
    }

    fn advance(&mut self, to_us: f64) {
        let worked = (to_us - self.now_us).max(0.0) * self.share();
        for running in &mut self.running {
            running.left_us -= worked;
        }
        self.now_us = self.now_us.max(to_us);
    }

    fn finish_due(&mut self) {
        // The due job is the one with the least left: rounding may leave it a hair above zero.
        let due = self.running.iter().enumerate().min_by(|a, b| a.1.left_us.total_cmp(&b.1.left_us)).map(|(index, _)| index);
        let Some(index) = due else { return };
        let Running { claimed, .. } = self.running.swap_remove(index);
        self.publish(claimed.id, &claimed);
    }

    fn publish(&mut self, id: JobId, claimed: &Claimed) {
        let inputs: Vec<ChunkStats> = claimed.job.inputs.iter().filter_map(|i| self.chunks.remove(i)).collect();
        let bytes: u64 = inputs.iter().map(ChunkStats::live_bytes).sum();
        let rows: u64 = inputs.iter().map(|c| c.rows - c.dead).sum();
        let sizes = match &claimed.job.kind {
            JobKind::Drop => Vec::new(),
            JobKind::Merge | JobKind::Rewrite => vec![bytes],
            JobKind::Regroup { outputs } => outputs.clone(),
        };
        let parts = sizes.len().max(1) as u64;
        let outputs: Vec<ChunkId> = sizes.into_iter().filter(|_| rows > 0).map(|bytes| self.add(bytes, (rows / parts).max(1))).collect();
        self.report.bytes_merged += bytes;
        self.report.jobs += 1;
        self.report.compacted_us = self.now_us as u64;
        let ending = Ending::Finished { outputs, bytes_in: bytes, bytes_out: bytes, rows };
        let now_ms = self.now_ms();
        let _nobody_waits = self.queue.finish(id, ending, now_ms);
    }

    fn add(&mut self, bytes: u64, rows: u64) -> ChunkId {
        self.next_id += 1;
        let id = ChunkId(self.next_id);
        self.chunks.insert(id, ChunkStats::new(id, bytes, rows, 0));
        id
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Flush { bytes, rows } => {
                self.report.bytes_flushed += bytes;
                self.add(bytes, rows);
            }
            Event::Optimize(goal) => {
                let fewest = match goal {
                    Goal::Automatic { cutoff } | Goal::Cutoff(cutoff) => cutoff,
                    Goal::TargetSize(_) => 1,
                };
                self.asked = Some(self.asked.unwrap_or(u32::MAX).min(fewest));
                self.queue.request(self.table, goal, Overrides::default());
            }
            Event::Kill { rows } => {
                if let Some(chunk) = self.chunks.values_mut().filter(|c| !c.is_dead()).max_by_key(|c| c.bytes) {
                    chunk.dead = (chunk.dead + rows).min(chunk.rows);
                }
            }
        }
        self.queue.mark(self.table);
    }

    fn note(&mut self) {
        let count = self.chunks.len();
        self.report.chunks_peak = self.report.chunks_peak.max(count);
        if self.report.curve.last().is_none_or(|(_, last)| *last != count) {
            self.report.curve.push((self.now_us as u64, count));
        }
    }
}

/// Part of the cores that merges get however busy the load is: a thread of lower priority is slowed down, not stopped.
const LEAST_SHARE: f64 = 0.05;

/// Time of a merge per byte, against a 2-way merge: 1 for 2 inputs, 2.1 ÷ 1.4 for 16, along the logarithm.
fn cost_of_width(inputs: usize) -> f64 {
    let doublings = (inputs.max(2) as f64).log2() - 1.0;
    1.0 + (2.1 / 1.4 - 1.0) * doublings / 3.0
}

#[cfg(test)]
mod tests;
