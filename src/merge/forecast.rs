//! What a goal will cost: the plan played to its end, without running anything.
//!
//! The answer to EXPLAIN OPTIMIZE. Pure, as the policy is. Time is counted in bytes that one thread writes meanwhile; divide by its
//! measured speed to get seconds.

use std::collections::VecDeque;

use super::course::Course;
use super::policy::{Busy, ChunkStats, Goal, Job, JobId, JobKind, Limits, plan};
use crate::types::ChunkId;

/// One job of a forecast.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The job. Inputs that earlier steps make have ids above all real ones.
    pub job: Job,
    /// The chunks that it will leave, sizes estimated.
    pub outputs: Vec<ChunkStats>,
    /// When it starts, in bytes.
    pub start: u64,
    /// When it ends, in bytes.
    pub end: u64,
}

/// A goal played to its end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Forecast {
    /// Jobs in the order of their start.
    pub steps: Vec<Step>,
    /// Bytes that all jobs write.
    pub bytes_written: u64,
    /// When the last job ends, in bytes.
    pub span: u64,
    /// The layout at the end.
    pub chunks: Vec<ChunkStats>,
}

impl Forecast {
    /// Plays `goal` from `chunks` with no flush, no delete and no other goal in between. Chunks that are busy stay as they are.
    pub fn of(chunks: &[ChunkStats], goal: &Goal, limits: &Limits) -> Forecast {
        let mut world = World {
            chunks: chunks.to_vec(),
            next_id: chunks.iter().map(|c| c.id.0).max().unwrap_or(0),
            course: Course::new(limits.max_jobs.max(1)),
            forecast: Forecast::default(),
        };
        // A goal of a size is planned once; see `policy::size`.
        let once = matches!(goal, Goal::TargetSize(_));
        let mut waiting = VecDeque::from(plan(&world.chunks, goal, limits));
        loop {
            while world.course.running() < limits.max_jobs.max(1)
                && let Some(job) = waiting.pop_front()
            {
                world.start(job);
            }
            if !world.finish_next() {
                break;
            }
            if !once {
                waiting = VecDeque::from(plan(&world.chunks, goal, limits));
            }
        }
        world.forecast.chunks = world.chunks;
        world.forecast
    }
}

struct World {
    chunks: Vec<ChunkStats>,
    next_id: u64,
    /// Indexes of the steps that run.
    course: Course<usize>,
    forecast: Forecast,
}

impl World {
    fn start(&mut self, job: Job) {
        let index = self.forecast.steps.len();
        // Above all numbers that the pool gives, so that jobs that run already stay apart from the ones of the forecast.
        let id = JobId(u64::MAX - index as u64);
        for chunk in self.chunks.iter_mut().filter(|c| job.inputs.contains(&c.id)) {
            chunk.busy = Busy::Job(id);
        }
        let inputs = self.chunks.iter().filter(|c| c.busy == Busy::Job(id));
        let (live, rows) = inputs.fold((0u64, 0u64), |(live, rows), c| {
            (live.saturating_add(c.live_bytes()), rows.saturating_add(c.rows.saturating_sub(c.dead)))
        });
        let sizes = match &job.kind {
            JobKind::Drop => Vec::new(),
            JobKind::Merge | JobKind::Rewrite => vec![live],
            JobKind::Regroup { outputs } => outputs.clone(),
        };
        let share = rows / sizes.len().max(1) as u64;
        let outputs = sizes.into_iter().map(|bytes| {
            self.next_id = self.next_id.saturating_add(1);
            ChunkStats::new(ChunkId(self.next_id), bytes, share.max(1), 0)
        });
        let step = Step { job, outputs: outputs.collect(), start: self.forecast.span, end: 0 };
        self.course.start(live as f64, index);
        self.forecast.bytes_written = self.forecast.bytes_written.saturating_add(live);
        self.forecast.steps.push(step);
    }

    fn finish_next(&mut self) -> bool {
        let Some(index) = self.course.finish_next() else { return false };
        let id = JobId(u64::MAX - index as u64);
        self.chunks.retain(|c| c.busy != Busy::Job(id));
        self.chunks.extend(&self.forecast.steps[index].outputs);
        self.forecast.span = self.course.now().round() as u64;
        self.forecast.steps[index].end = self.forecast.span;
        true
    }
}
