//! Chunks of a size: forced merge.
//!
//! Chunks within a tenth of the target stay as they are. The others are walked oldest first into groups; a group is closed as soon
//! as its live bytes are k targets, within a tenth, and becomes k equal chunks. At five targets any sum is near enough to a
//! multiple, so that a job is never larger than that and its last input. What remains at the end is cut into whole targets and one
//! rest, which is the only output that may be off.
//!
//! ```text
//! target 4:   2  2  2  2  2   →   (2 2) (2 2) 2        2 merges, the fifth stays
//!             3  3  3  3      →   (3 3 3 3)            → 4 4 4: 3, 6 and 9 are near no multiple
//!             9               →   (9)                  → 4.5 4.5 are too far off: 4 4 and a rest of 1
//! ```
//!
//! `merge_chunks_per_job` does not bind here: the size bounds a job, not a count. Such a plan is made once, not again after each
//! job: sizes are estimates, and outputs that miss the target would be written for ever.

use std::fmt;

use super::{Busy, ChunkStats, Job, JobKind, Reason};

/// Below this the fixed cost of a chunk exceeds its rows, and the list of outputs would outgrow memory: 1M.
const TARGET_BYTES_MIN: u64 = 1 << 20;

/// Whether `bytes` is within a tenth of `target`.
fn is_near(bytes: u64, target: u64) -> bool {
    bytes.abs_diff(target) <= target / 10
}

/// Jobs that bring the free chunks among `live` near `target` bytes each.
pub(super) fn regroups(live: &[ChunkStats], target: u64) -> Vec<Job> {
    let target = target.max(TARGET_BYTES_MIN);
    let mut off: Vec<&ChunkStats> = live.iter().filter(|c| c.busy == Busy::Free && !is_near(c.live_bytes(), target)).collect();
    off.sort_by_key(|c| c.id);
    let mut jobs = Vec::new();
    let mut group: Vec<&ChunkStats> = Vec::new();
    let mut bytes = 0u64;
    for chunk in off {
        group.push(chunk);
        bytes = bytes.saturating_add(chunk.live_bytes());
        let parts = nearest_multiple(bytes, target);
        if is_near(bytes / parts, target) {
            jobs.extend(job(&group, equal_parts(bytes, parts), target));
            group.clear();
            bytes = 0;
        }
    }
    jobs.extend(job(&group, whole_and_rest(bytes, target), target));
    jobs.sort_by_key(|j| j.bytes);
    jobs
}

fn nearest_multiple(bytes: u64, target: u64) -> u64 {
    (bytes.saturating_add(target / 2) / target).max(1)
}

fn equal_parts(bytes: u64, parts: u64) -> Vec<u64> {
    let mut outputs = vec![bytes / parts; parts as usize];
    if let Some(last) = outputs.last_mut() {
        *last += bytes % parts;
    }
    outputs
}

fn whole_and_rest(bytes: u64, target: u64) -> Vec<u64> {
    let mut outputs = vec![target; (bytes / target) as usize];
    if !bytes.is_multiple_of(target) {
        outputs.push(bytes % target);
    }
    outputs
}

/// None where there is nothing to do: no input, or one that stays one.
fn job(group: &[&ChunkStats], outputs: Vec<u64>, target: u64) -> Option<Job> {
    let rows = group.iter().map(|c| c.rows - c.dead).fold(0, u64::saturating_add);
    let bytes = outputs.iter().copied().fold(0, u64::saturating_add);
    // Rows bound an output too; where they do, all outputs are made smaller alike.
    let least = rows.div_ceil(ChunkStats::ROWS_MAX);
    let outputs = if (outputs.len() as u64) < least { equal_parts(bytes, least) } else { outputs };
    let kind = match (group.len(), outputs.len()) {
        (0, _) | (_, 0) | (1, 1) => return None,
        (_, 1) => JobKind::Merge,
        (_, _) => JobKind::Regroup { outputs },
    };
    let bytes = group.iter().map(|c| c.bytes).fold(0, u64::saturating_add);
    Some(Job { kind, inputs: group.iter().map(|c| c.id).collect(), bytes, reason: Reason::AskedSize { target } })
}

/// The three forms of `target_size`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetSize {
    /// `0`: the cap itself.
    Cap,
    /// So many bytes.
    Bytes(u64),
    /// `'auto'`: the engine picks.
    Auto,
}

/// What `'auto'` looks at besides the chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Memory of the machine, bytes.
    pub memory: u64,
    /// Logical cores.
    pub cores: usize,
}

/// A target that makes no sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetError {
    /// Below the cap that automatic merges keep to: they would undo it.
    BelowCap {
        /// Bytes asked for.
        target: u64,
        /// Bytes of the cap.
        cap: u64,
    },
    /// Below what a chunk costs by itself.
    TooSmall {
        /// Bytes asked for.
        target: u64,
    },
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetError::BelowCap { target, cap } => {
                write!(f, "target_size of {target} bytes is smaller than max_chunk_size of {cap} bytes")
            }
            TargetError::TooSmall { target } => write!(f, "target_size of {target} bytes is smaller than {TARGET_BYTES_MIN} bytes"),
        }
    }
}

impl std::error::Error for TargetError {}

/// The cap where none is set, for `target_size=0` and as the least that `'auto'` picks: 1024M.
const CAP_BYTES_DEFAULT: u64 = 1 << 30;

/// Bytes that each chunk should have, for `Goal::TargetSize`.
///
/// `'auto'` picks one chunk per core, so that one query keeps all cores busy, but no chunk below the cap (small chunks cost more than
/// idle cores) and none above half of the memory (a merge and the queries on its output live from the page cache).
pub fn resolve_target(asked: TargetSize, cap: Option<u64>, chunks: &[ChunkStats], machine: Machine) -> Result<u64, TargetError> {
    let least = cap.unwrap_or(CAP_BYTES_DEFAULT).max(1);
    match asked {
        TargetSize::Cap => Ok(least),
        TargetSize::Bytes(target) => match cap {
            Some(cap) if target < cap => Err(TargetError::BelowCap { target, cap }),
            Some(_) | None if target < TARGET_BYTES_MIN => Err(TargetError::TooSmall { target }),
            Some(_) | None => Ok(target),
        },
        TargetSize::Auto => {
            let total = chunks.iter().map(ChunkStats::live_bytes).fold(0, u64::saturating_add);
            Ok((total / machine.cores.max(1) as u64).min(machine.memory / 2).max(least))
        }
    }
}
