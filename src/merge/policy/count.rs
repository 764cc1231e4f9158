//! Fewer chunks: how many jobs, of how many inputs, and which.
//!
//! A merge of n inputs removes n − 1 chunks and writes its inputs once. Per row 16 inputs cost half as much again as 2 (measured: 1.4 and
//! 2.1 M rows/s), but two by two a row would be written four times, so what decides is how often that happens. To remove E chunks with at
//! most F inputs a job takes ⌈E / (F − 1)⌉ jobs at least; if that is not an even fit, one level of jobs is narrower than F, and it is
//! cheapest to make the *first* one narrow, while chunks are small, and the later, larger ones full (Huffman's construction for an
//! F-ary code). Several jobs side by side write a little more, since each keeps one chunk, but end sooner.
//!
//! So the first level is tried with 0 (wait for what runs), 1, 2, … jobs, each trial is played to the end, and the one with the
//! smallest product of bytes written and time is taken: twice the bytes are worth half the time, no more. A job that has no neighbour is
//! lent the idle slot, so that fewer, wider jobs often win. Played again after any job has ended, the same rule goes on where it stopped;
//! nothing is remembered between plans.
//!
//! An OPTIMIZE takes the smallest chunks: it is asked once. A standing goal would be ruined by that: flush after flush, each merged
//! into the smallest of the large chunks, rewrites a chunk per flush. It takes the smallest group of *like size* instead: a group
//! grows upwards while the next chunk is at most r times what the group has. Each output is then at least 1 + 1/r times its largest
//! input, so that a row is written again at most log₁₊₁⸝ᵣ(table ÷ flush) times. r is 2, or (table ÷ smallest chunk)^(1 ÷ cutoff)
//! where that is more: with so many chunks over the whole range of sizes two of them are alike. Simulated, 1 000 flushes, one a
//! minute: all bytes are written 7.5 times at a cutoff of 16 and 12 times at 4; with the smallest chunks it would be 33 and 102.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

use super::super::course::Course;
use super::{Busy, ChunkStats, Job, JobId, JobKind, Limits, Reason};
use crate::types::ChunkId;

/// A chunk grows a standing goal's group if it is at most so many times what the group has; more where the cutoff is low. 1 to 4
/// were tried in the simulator: 2 is never far from the best, for slow loads and for fast ones.
const LIKE_SIZE_RATIO: f64 = 2.0;

/// Jobs that one decision starts, at most; the next one starts more.
const JOBS_AT_ONCE_MAX: usize = 32;

/// A chunk that may be merged.
#[derive(Clone, Copy)]
struct Piece {
    id: ChunkId,
    /// Of its files: what the cap looks at.
    bytes: u64,
    /// Of its live rows: what a merge has to write.
    live: u64,
    /// Live rows.
    rows: u64,
}

/// Inputs of one job together, for the limits of its output.
#[derive(Clone, Copy, Default)]
struct Sum {
    bytes: u64,
    rows: u64,
}

impl Sum {
    fn with(self, piece: &Piece) -> Sum {
        Sum { bytes: self.bytes.saturating_add(piece.bytes), rows: self.rows.saturating_add(piece.rows) }
    }

    fn fits(self, cap: u64) -> bool {
        self.bytes <= cap && self.rows <= ChunkStats::ROWS_MAX
    }
}

type Group = Vec<Piece>;

/// What one decision has to keep to.
struct Task {
    /// Chunks to remove, at least 1.
    excess: usize,
    /// Inputs of a job, at least 2.
    fan_in: usize,
    /// Jobs that may start.
    slots: usize,
    /// Bytes of a job's inputs.
    cap: u64,
    /// Whether the goal will be asked again.
    standing: bool,
    /// How much larger than the group before it a chunk of like size may be.
    ratio: f64,
}

/// Merges towards `cutoff` chunks. `live` are the chunks with live rows, busy or not; `running` the jobs that work on them.
pub(super) fn merges(
    live: &[ChunkStats],
    running: &BTreeSet<JobId>,
    cutoff: usize,
    standing: bool,
    slots: usize,
    limits: &Limits,
) -> Vec<Job> {
    let mut free: Vec<Piece> = live
        .iter()
        .filter(|c| c.busy == Busy::Free)
        .map(|c| Piece { id: c.id, bytes: c.bytes, live: c.live_bytes().max(1), rows: c.rows - c.dead })
        .collect();
    free.sort_by_key(|p| (p.live, p.id));
    let held = live.iter().filter(|c| c.busy == Busy::Held).count();
    let count = free.len() + held + running.len();
    if count <= cutoff || slots == 0 || free.len() < 2 {
        return Vec::new();
    }
    let excess = count - cutoff;
    let total: f64 = live.iter().map(|c| c.live_bytes() as f64).sum();
    let task = Task {
        excess,
        fan_in: limits.fan_in_max(),
        // More jobs than chunks to remove cannot be; more than this at one decision are not worth weighing.
        slots: slots.min(excess).min(JOBS_AT_ONCE_MAX),
        cap: limits.max_chunk_size.unwrap_or(u64::MAX),
        standing,
        ratio: (total / free[0].live as f64).powf(1.0 / cutoff as f64).max(LIKE_SIZE_RATIO),
    };
    let reason = if standing { Reason::OverCutoff { count, cutoff } } else { Reason::Asked { count, cutoff } };
    choose(&free, &running_bytes(live), &task).into_iter().map(|group| merge_job(group, reason)).collect()
}

fn merge_job(mut group: Group, reason: Reason) -> Job {
    let bytes = group.iter().map(|p| p.bytes).fold(0, u64::saturating_add);
    group.sort_by_key(|p| p.id);
    Job { kind: JobKind::Merge, inputs: group.iter().map(|p| p.id).collect(), bytes, reason }
}

/// Live bytes of each running job's inputs.
fn running_bytes(live: &[ChunkStats]) -> Vec<u64> {
    let mut bytes: BTreeMap<JobId, u64> = BTreeMap::new();
    for chunk in live {
        if let Busy::Job(job) = chunk.busy {
            let sum = bytes.entry(job).or_default();
            *sum = sum.saturating_add(chunk.live_bytes());
        }
    }
    bytes.into_values().collect()
}

/// The first level with the smallest product of bytes and time. `free` is sorted by live bytes.
fn choose(free: &[Piece], running: &[u64], task: &Task) -> Vec<Group> {
    let reaching_goal = free.iter().take(task.excess + 1).fold(Sum::default(), Sum::with);
    if !reaching_goal.fits(task.cap) {
        // No way leads to the goal past the cap alone. Full jobs leave the fewest chunks behind; equal ones would leave many that
        // fit nowhere.
        return if task.standing {
            grow_alike(free, task.slots, task)
        } else {
            fill_smallest(free, task.slots, task.excess, task.fan_in, task.cap)
        };
    }
    let mut best: Option<(f64, Vec<Group>)> = None;
    // A standing goal does not wait for a job that runs: what is too much now is too much without it.
    let fewest = if running.is_empty() || task.standing { 1 } else { 0 };
    for jobs in fewest..=task.slots.min(free.len() / 2) {
        let Some(level) = first_level(free, jobs, task) else { continue };
        let (bytes, time) = play(free, &level, running, task);
        let cost = bytes as f64 * time;
        // Of equals the one with the fewest jobs: it leaves the more jobs to the last level, where chunks are large and sharing pays.
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, level));
        }
    }
    best.map(|(_, level)| level).unwrap_or_default()
}

/// `jobs` groups that do not build on each other, or None where there is no such level.
fn first_level(free: &[Piece], jobs: usize, task: &Task) -> Option<Vec<Group>> {
    if jobs == 0 {
        return Some(Vec::new());
    }
    let level = if task.standing { grow_alike(free, jobs, task) } else { spread_smallest(free, jobs, task)? };
    let fits = level.iter().all(|group| group.iter().fold(Sum::default(), Sum::with).fits(task.cap));
    (fits && !level.is_empty()).then_some(level)
}

/// The smallest chunks in `jobs` groups of about equal bytes, so many that every later job can be full.
fn spread_smallest(free: &[Piece], jobs: usize, task: &Task) -> Option<Vec<Group>> {
    let full = task.fan_in - 1;
    let most = jobs.saturating_mul(full).min(free.len().checked_sub(jobs)?);
    let later = task.excess.saturating_sub(most).div_ceil(full);
    let removed = task.excess.saturating_sub(later.saturating_mul(full));
    if removed < jobs {
        return None;
    }
    // Largest first, each to the group that has the least so far; what is left must still give every group its second input.
    let mut groups: Vec<(u64, Group)> = vec![(0, Group::new()); jobs];
    for (left, piece) in free[..removed + jobs].iter().enumerate().rev() {
        let wanting: usize = groups.iter().map(|(_, g)| 2usize.saturating_sub(g.len())).sum();
        let only_wanting = left < wanting;
        let (bytes, group) = groups
            .iter_mut()
            .filter(|(_, g)| g.len() < task.fan_in && (!only_wanting || g.len() < 2))
            .min_by_key(|(bytes, g)| (*bytes, g.len()))?;
        *bytes = bytes.saturating_add(piece.live);
        group.push(*piece);
    }
    let mut groups: Vec<Group> = groups.into_iter().map(|(_, group)| group).collect();
    groups.sort_by_key(|group| group.iter().map(|p| p.live).fold(0, u64::saturating_add));
    Some(groups)
}

/// Up to `jobs` groups of like size, the smallest first; where there is none, the smallest chunks.
fn grow_alike(free: &[Piece], jobs: usize, task: &Task) -> Vec<Group> {
    let widest = (task.excess + jobs).div_ceil(jobs).min(task.fan_in);
    let mut left = task.excess;
    let mut unused: Vec<Piece> = free.to_vec();
    let mut groups = Vec::new();
    while groups.len() < jobs && left > 0 {
        let Some(range) = smallest_alike(&unused, widest.min(left + 1), task) else { break };
        left -= range.len() - 1;
        groups.push(unused.drain(range).collect());
    }
    if groups.is_empty() { fill_smallest(free, 1, task.excess, widest, task.cap) } else { groups }
}

/// Where the smallest group of like size lies among `pieces`, which are sorted by size.
fn smallest_alike(pieces: &[Piece], widest: usize, task: &Task) -> Option<std::ops::Range<usize>> {
    for start in 0..pieces.len() {
        let (mut live, mut sum, mut end) = (pieces[start].live, Sum::default().with(&pieces[start]), start + 1);
        while end < pieces.len() && end - start < widest {
            let next = &pieces[end];
            if next.live as f64 > live as f64 * task.ratio || !sum.with(next).fits(task.cap) {
                break;
            }
            live = live.saturating_add(next.live);
            sum = sum.with(next);
            end += 1;
        }
        if end - start >= 2 {
            return Some(start..end);
        }
    }
    None
}

/// Up to `jobs` groups, from the smallest chunk upwards, each as full as `fan_in` and `cap` allow, removing at most `excess` chunks.
fn fill_smallest(free: &[Piece], jobs: usize, excess: usize, fan_in: usize, cap: u64) -> Vec<Group> {
    let mut left = excess;
    let mut groups: Vec<Group> = Vec::new();
    let mut unused: VecDeque<Piece> = free.iter().copied().collect();
    while groups.len() < jobs && left > 0 {
        let Some(smallest) = unused.pop_front() else { break };
        let mut sum = Sum::default().with(&smallest);
        let mut group = vec![smallest];
        // What does not fit beside the others is passed over: sizes are compared by live rows, the cap by files.
        unused.retain(|piece| {
            let joins = group.len() < fan_in.min(left + 1) && sum.with(piece).fits(cap);
            if joins {
                sum = sum.with(piece);
                group.push(*piece);
            }
            !joins
        });
        if group.len() >= 2 {
            left -= group.len() - 1;
            groups.push(group);
        }
    }
    groups
}

/// Bytes written and time taken (in bytes that one thread writes meanwhile) until the goal is reached, if the slots are as many as now,
/// `level` is merged first, in its order, and every later job is full. What runs is supposed to be half done: plans are made when a job
/// ends, and its like will not take much longer.
fn play(free: &[Piece], level: &[Group], running: &[u64], task: &Task) -> (u64, f64) {
    let started: BTreeSet<ChunkId> = level.iter().flatten().map(|p| p.id).collect();
    let mut free: BinaryHeap<Reverse<u64>> = free.iter().filter(|p| !started.contains(&p.id)).map(|p| Reverse(p.live)).collect();
    let slots = task.slots + running.len();
    // Each with the bytes that it leaves.
    let mut course = Course::new(slots);
    running.iter().for_each(|bytes| course.start(*bytes as f64 / 2.0, *bytes));
    let full = task.fan_in - 1;
    let mut excess = task.excess;
    let mut written = 0u64;
    let mut is_later = false;
    excess = level.iter().fold(excess, |left, group| left.saturating_sub(group.len() - 1));
    let mut level = level.iter().map(|group| group.iter().map(|p| p.live).fold(0, u64::saturating_add));
    loop {
        while course.running() < slots
            && let Some(bytes) = level.next()
        {
            written = written.saturating_add(bytes);
            course.start(bytes as f64, bytes);
        }
        // At the start the level is all. Later, waiting is part of the rule: with a job in progress and too few chunks, a narrow
        // merge now would mean one job more.
        let mut may_start = is_later;
        while may_start && excess > 0 && course.running() < slots {
            let slack = excess.div_ceil(full).saturating_mul(full).saturating_sub(excess);
            let inputs = (task.fan_in - slack.min(task.fan_in - 2)).min(excess + 1);
            may_start = free.len() >= inputs;
            if may_start {
                let bytes = (0..inputs).filter_map(|_| free.pop()).fold(0u64, |sum, Reverse(live)| sum.saturating_add(live));
                written = written.saturating_add(bytes);
                excess -= inputs - 1;
                course.start(bytes as f64, bytes);
            }
        }
        let Some(output) = course.finish_next() else { return (written, course.now()) };
        is_later = true;
        free.push(Reverse(output));
    }
}
