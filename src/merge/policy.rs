//! Which chunks to merge next.
//!
//! In: size and dead rows of one table's disk chunks, the goal, the limits. Out: jobs, each with its reason.
//! Knows no files, locks, time or threads, so a test can play a year of inserts in a second.
//!
//! ```text
//! Automatic  a standing goal: it will be asked again after the next flush.   policy/count.rs, groups of like size
//! Cutoff     one OPTIMIZE: at most n chunks, for the fewest bytes.           policy/count.rs, the smallest
//! TargetSize one OPTIMIZE: chunks near a size, inputs may be split.          policy/size.rs
//! ```
//!
//! Common rules:
//! - A chunk whose rows are all dead is dropped without a merge, whatever the goal and the count, and does not count.
//! - A running job counts as the one chunk that it will leave, so that a plan can be made again at any moment.
//! - A chunk with more than half of its rows dead is rewritten alone, but only where no merge is left to do for the goal: a merge
//!   removes its dead rows for nothing. Such a rewrite writes fewer rows than it removes.
//!
//! Invariants: a chunk is in at most one job; a merge has two inputs or more; a busy chunk is never chosen; all jobs of one plan
//! together with those that run leave no fewer chunks than a count goal asks for.

use std::collections::BTreeSet;
use std::fmt;

use crate::types::ChunkId;

mod count;
mod size;

pub use size::{Machine, TargetError, TargetSize, resolve_target};

/// Number of a job, unique while the process runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub u64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Whether a chunk may be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Busy {
    /// It may.
    Free,
    /// It is an input of this running job. All inputs of one job count as one chunk.
    Job(JobId),
    /// It may not be chosen now (kept for somebody, or part of a job that failed a moment ago). Counts as itself.
    Held,
}

/// What the policy knows of a disk chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkStats {
    /// Which chunk.
    pub id: ChunkId,
    /// Bytes of its files.
    pub bytes: u64,
    /// Rows, dead ones included.
    pub rows: u64,
    /// Dead rows among them.
    pub dead: u64,
    /// Tables say [`Busy::Free`] or [`Busy::Held`]; the queue fills in the jobs.
    pub busy: Busy,
}

impl ChunkStats {
    /// Rows that a chunk can hold: rows are numbered by 31 bits.
    pub const ROWS_MAX: u64 = 1 << 31;

    /// A chunk that nobody works on.
    pub fn new(id: ChunkId, bytes: u64, rows: u64, dead: u64) -> ChunkStats {
        ChunkStats { id, bytes, rows, dead, busy: Busy::Free }
    }

    /// Whether no row is alive.
    pub fn is_dead(&self) -> bool {
        self.dead >= self.rows
    }

    /// Whether more than half of the rows are dead.
    pub fn is_mostly_dead(&self) -> bool {
        self.dead > self.rows / 2
    }

    /// Bytes that its live rows take, supposing that all rows are of one size.
    pub fn live_bytes(&self) -> u64 {
        if self.is_dead() {
            return 0;
        }
        (u128::from(self.bytes) * u128::from(self.rows - self.dead) / u128::from(self.rows)) as u64
    }
}

/// What is wanted of a table's layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// At most `cutoff` chunks, now and after each flush to come.
    Automatic {
        /// Chunks; 0 means 1.
        cutoff: u32,
    },
    /// OPTIMIZE: at most so many chunks; 0 means 1.
    Cutoff(u32),
    /// OPTIMIZE with `target_size`: chunks within a tenth of so many bytes, but for one rest.
    TargetSize(u64),
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Automatic { cutoff } => write!(f, "automatic, {} chunks", cutoff.max(&1)),
            Goal::Cutoff(cutoff) => write!(f, "{} chunks", cutoff.max(&1)),
            Goal::TargetSize(bytes) => write!(f, "chunks of {bytes} bytes"),
        }
    }
}

/// What a plan has to keep to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Jobs of the table at once, those that run included (`parallel_chunk_merges`); 0 means 1.
    pub max_jobs: usize,
    /// Inputs of one merge by count (`merge_chunks_per_job`); 0 and 1 mean 2; None = the planner chooses.
    pub fan_in: Option<usize>,
    /// Bytes that the inputs of a merge by count may have together; None = no cap. Dead rows are not taken off, so that no output
    /// can come out larger.
    pub max_chunk_size: Option<u64>,
}

impl Limits {
    /// Inputs of a merge where `merge_chunks_per_job` is not set, at most. A wide merge costs per row about what a narrow one does,
    /// so the bound is there for open files and buffers alone.
    pub const CHOSEN_FAN_IN_MAX: usize = 64;

    /// Inputs of one merge by count, at most; never below 2.
    pub fn fan_in_max(&self) -> usize {
        self.fan_in.unwrap_or(Limits::CHOSEN_FAN_IN_MAX).max(2)
    }

    /// Merge jobs at once where `parallel_chunk_merges` is not set, for a machine of so many logical cores: half of them, at most 4,
    /// and 2 where there are 2, because merge threads run at a lower priority and take only what queries and inserts leave.
    pub fn chosen_max_jobs(cores: usize) -> usize {
        match cores {
            0 | 1 => 1,
            _ => (cores / 2).clamp(2, 4),
        }
    }
}

/// What a job does with its inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobKind {
    /// Two inputs or more become one chunk.
    Merge,
    /// One input is written again without its dead rows.
    Rewrite,
    /// One input without live rows is taken out of the table; nothing is written.
    Drop,
    /// One input or more become several chunks: the live rows in order, cut where an output reaches its size.
    Regroup {
        /// Bytes wanted of each output, in order; at least two. They add up to the live bytes of the inputs, about.
        outputs: Vec<u64>,
    },
}

impl fmt::Display for JobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JobKind::Merge => "merge",
            JobKind::Rewrite => "rewrite",
            JobKind::Drop => "drop",
            JobKind::Regroup { .. } => "regroup",
        })
    }
}

/// Why a job was planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The table has more chunks than its cutoff.
    OverCutoff {
        /// Chunks, running jobs counted as one each.
        count: usize,
        /// Chunks wanted.
        cutoff: usize,
    },
    /// Somebody asked for fewer chunks.
    Asked {
        /// Chunks, running jobs counted as one each.
        count: usize,
        /// Chunks wanted.
        cutoff: usize,
    },
    /// Somebody asked for chunks of a size.
    AskedSize {
        /// Bytes wanted of each chunk.
        target: u64,
    },
    /// No live rows.
    AllDead {
        /// Rows, all of them dead.
        rows: u64,
    },
    /// More than half of the rows are dead.
    MostlyDead {
        /// Dead rows.
        dead: u64,
        /// All rows.
        rows: u64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OverCutoff { count, cutoff } => write!(f, "{count} chunks are more than the cutoff of {cutoff}"),
            Reason::Asked { count, cutoff } => write!(f, "{cutoff} of {count} chunks were asked for"),
            Reason::AskedSize { target } => write!(f, "chunks of {target} bytes were asked for"),
            Reason::AllDead { rows } => write!(f, "all {rows} rows are dead"),
            Reason::MostlyDead { dead, rows } => write!(f, "{dead} of {rows} rows are dead"),
        }
    }
}

/// One act of merging.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Job {
    /// What to do.
    pub kind: JobKind,
    /// Of what: each once, oldest first, which is the order to merge in.
    pub inputs: Vec<ChunkId>,
    /// Bytes of the inputs.
    pub bytes: u64,
    /// Why.
    pub reason: Reason,
}

/// The jobs that should run now for `goal`, besides those that run (which `chunks` tells), drops first, then in the order to start.
///
/// Empty means: nothing to do until a job that runs has ended, or, where none runs, that the goal is reached as far as the limits
/// allow. Costs microseconds for tens of chunks and a few milliseconds for hundreds.
pub fn plan(chunks: &[ChunkStats], goal: &Goal, limits: &Limits) -> Vec<Job> {
    let mut jobs: Vec<Job> = chunks.iter().filter(|c| c.busy == Busy::Free && c.is_dead()).map(drop_job).collect();
    let live: Vec<ChunkStats> = chunks.iter().filter(|c| !c.is_dead()).copied().collect();
    let running = running_jobs(&live);
    let slots = limits.max_jobs.max(1).saturating_sub(running.len());
    let mut merges = match *goal {
        Goal::Automatic { cutoff } => count::merges(&live, &running, cutoff.max(1) as usize, true, slots, limits),
        Goal::Cutoff(cutoff) => count::merges(&live, &running, cutoff.max(1) as usize, false, slots, limits),
        Goal::TargetSize(target) => size::regroups(&live, target.max(1)),
    };
    if merges.is_empty() && running.is_empty() {
        merges.extend(live.iter().filter(|c| c.busy == Busy::Free && c.is_mostly_dead()).take(slots).map(rewrite_job));
    }
    jobs.append(&mut merges);
    jobs
}

/// The jobs among whose inputs is a live chunk: each will leave one chunk.
fn running_jobs(live: &[ChunkStats]) -> BTreeSet<JobId> {
    live.iter()
        .filter_map(|c| match c.busy {
            Busy::Job(job) => Some(job),
            Busy::Free | Busy::Held => None,
        })
        .collect()
}

fn drop_job(chunk: &ChunkStats) -> Job {
    Job { kind: JobKind::Drop, inputs: vec![chunk.id], bytes: chunk.bytes, reason: Reason::AllDead { rows: chunk.rows } }
}

fn rewrite_job(chunk: &ChunkStats) -> Job {
    let reason = Reason::MostlyDead { dead: chunk.dead, rows: chunk.rows };
    Job { kind: JobKind::Rewrite, inputs: vec![chunk.id], bytes: chunk.bytes, reason }
}

#[cfg(test)]
mod tests;
