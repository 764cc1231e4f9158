//! The table as a source of merges.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::publish::{Outcome as Publishing, Output, Publication};
use super::ram::order_by_id;
use super::regroup;
use super::table::Table;
use super::{PartKey, TableError};
use crate::chunk::{AnyPart, PartView, disk};
use crate::merge::{
    Busy, ChunkStats, Failure, Forecast, Goal, Job, JobContext, JobKind, Limits, Machine, Outcome, Overrides, Reason, Source, Speed,
    TargetSize, Waiter, plan, resolve_target,
};
use crate::types::StopToken;

/// What OPTIMIZE asks for.
#[derive(Debug, Default, Clone)]
pub struct OptimizeRequest {
    /// Disk chunks to end with; None = the table's or server's cutoff.
    pub cutoff: Option<u32>,
    /// Bytes that each chunk is to have, in the place of a number of chunks.
    pub target: Option<TargetSize>,
    /// Limits in the place of the server's, for this statement.
    pub overrides: Overrides,
    /// Wait until it is done.
    pub sync: bool,
    /// Keep the inputs, so that they can be put back: for so many seconds, 0 = until asked.
    pub keep_seconds: Option<u64>,
    /// Let kept chunks of an earlier OPTIMIZE go first.
    pub forget_kept: bool,
}

/// What an OPTIMIZE would do.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// What it would aim at.
    pub goal: Goal,
    /// The limits that it would keep to.
    pub limits: Limits,
    /// Bytes of the disk chunks now.
    pub bytes: u64,
    /// Its jobs.
    pub forecast: Forecast,
    /// How fast one thread merged lately.
    pub speed: Speed,
}

impl Source for Table {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn chunks(&self) -> Vec<ChunkStats> {
        let snapshot = self.snapshot();
        let disk = snapshot.keys.iter().zip(&snapshot.parts);
        disk.filter_map(|(key, view)| match (key, &view.part) {
            (PartKey::Disk(id), AnyPart::Disk(chunk)) => {
                let mut stats = ChunkStats::new(*id, chunk.size_bytes(), view.part.row_count() as u64, view.dead.count() as u64);
                if self.is_held(*id) {
                    stats.busy = Busy::Held;
                }
                Some(stats)
            }
            _ => None,
        })
        .collect()
    }

    fn limits(&self) -> Limits {
        let server = self.around.settings.load();
        Limits {
            max_jobs: server.parallel_chunk_merges.unwrap_or(Limits::chosen_max_jobs(server.threads)),
            fan_in: server.merge_chunks_per_job,
            max_chunk_size: self.settings.load().max_chunk_size.or(server.max_chunk_size),
        }
    }

    fn automatic_goal(&self) -> Option<Goal> {
        // An automatic merge in the middle of an experiment would mix its rows with others.
        let keeping = self.kept.lock().as_ref().is_some_and(|k| k.open);
        (self.auto_optimize() > 0 && !self.is_frozen() && !keeping).then(|| Goal::Automatic { cutoff: self.automatic_cutoff() })
    }

    fn run(&self, job: &Job, context: &JobContext) -> Result<Outcome, String> {
        if self.stop.is_stopped() {
            return Ok(Outcome::Stopped);
        }
        match self.run_job(job, context) {
            Ok(outcome) => Ok(outcome),
            Err(TableError::Stopped(_)) => Ok(Outcome::Stopped),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Table {
    /// Disk chunks that merging aims at.
    pub(super) fn cutoff(&self) -> u32 {
        self.settings.load().optimize_cutoff.unwrap_or_else(|| self.around.settings.load().cutoff())
    }

    /// `auto_optimize` of the table, else of the server: 0 = no automatic merges.
    pub(super) fn auto_optimize(&self) -> u32 {
        let server = self.around.settings.load();
        let of_server = if server.auto_optimize { server.auto_optimize_factor.max(1) } else { 0 };
        self.settings.load().auto_optimize.unwrap_or(of_server)
    }

    /// Disk chunks that automatic merging aims at.
    pub(super) fn automatic_cutoff(&self) -> u32 {
        self.cutoff().saturating_mul(self.auto_optimize().max(1))
    }

    /// OPTIMIZE TABLE. With `sync` returns when the goal is reached; `stop` ends the wait, not the work.
    pub fn optimize(&self, request: &OptimizeRequest, stop: &StopToken) -> Result<(), TableError> {
        self.optimize_watched(request, stop, &mut |_, _| {})
    }

    /// As [`Table::optimize`]; tells `begun` what is aimed at and under which number before it waits.
    pub fn optimize_watched(
        &self,
        request: &OptimizeRequest,
        stop: &StopToken,
        begun: &mut dyn FnMut(Goal, &Waiter),
    ) -> Result<(), TableError> {
        self.refuse_frozen()?;
        let goal = self.goal(request)?;
        if request.forget_kept {
            self.forget_kept()?;
        }
        if matches!(goal, Goal::TargetSize(_)) {
            self.require_space_for(&goal, &self.limits_of(request))?;
        }
        let Some(ticket) = self.merges.get() else {
            return Err(TableError::Stopped(format!("table '{}' is being closed", self.name)));
        };
        if let Some(seconds) = request.keep_seconds {
            if !request.sync {
                return Err(TableError::Failed("keep=1 needs sync=1: the inputs are kept until the statement has ended".into()));
            }
            self.begin_keeping(seconds)?;
        }
        let waiter = ticket.request(goal, request.overrides);
        begun(goal, &waiter);
        if !request.sync {
            return Ok(());
        }
        let result = match waiter.wait(stop) {
            Ok(_) => Ok(()),
            Err(Failure::WaitEnded) => Err(TableError::Stopped("stopped waiting; the OPTIMIZE goes on in the background".into())),
            Err(failure) => Err(TableError::Failed(format!("OPTIMIZE of table '{}': {failure}", self.name))),
        };
        if request.keep_seconds.is_some() {
            self.end_keeping();
        }
        result
    }

    /// What OPTIMIZE would do, and how long it would take. Runs nothing.
    pub fn explain(&self, request: &OptimizeRequest) -> Result<Explanation, TableError> {
        self.refuse_frozen()?;
        let (goal, limits) = (self.goal(request)?, self.limits_of(request));
        let chunks = self.chunks_with_jobs();
        let bytes = chunks.iter().map(|c| c.bytes).sum();
        let forecast = Forecast::of(&chunks, &goal, &limits);
        Ok(Explanation { goal, limits, bytes, forecast, speed: self.around.pool.speed() })
    }

    /// Ends the table's OPTIMIZEs and stops its merges; returns when none runs. Automatic ones may begin again at once.
    pub fn cancel_merges(&self) {
        if let Some(ticket) = self.merges.get() {
            ticket.cancel();
        }
    }

    /// What a request aims at. Fails where the size that is asked for makes no sense.
    fn goal(&self, request: &OptimizeRequest) -> Result<Goal, TableError> {
        let Some(asked) = request.target else {
            return Ok(Goal::Cutoff(request.cutoff.unwrap_or_else(|| self.cutoff())));
        };
        let target = resolve_target(asked, self.limits().max_chunk_size, &self.chunks(), self.machine());
        target.map(Goal::TargetSize).map_err(|e| TableError::Failed(format!("table '{}': {e}", self.name)))
    }

    fn limits_of(&self, request: &OptimizeRequest) -> Limits {
        let limits = self.limits();
        Limits {
            max_jobs: request.overrides.max_jobs.unwrap_or(limits.max_jobs),
            fan_in: request.overrides.fan_in.or(limits.fan_in),
            ..limits
        }
    }

    fn machine(&self) -> Machine {
        let memory = self.around.disk.read("/proc/meminfo".as_ref()).ok().and_then(|text| total_memory(&String::from_utf8_lossy(&text)));
        // Where the system does not say, memory bounds nothing.
        Machine { memory: memory.unwrap_or(u64::MAX), cores: self.around.settings.load().threads }
    }

    /// The chunks, those that jobs work on marked.
    fn chunks_with_jobs(&self) -> Vec<ChunkStats> {
        let mut chunks = self.chunks();
        let busy = self.merges.get().map(|t| t.busy()).unwrap_or_default();
        for chunk in chunks.iter_mut().filter(|c| c.busy == Busy::Free) {
            if let Some(job) = busy.get(&chunk.id) {
                chunk.busy = Busy::Job(*job);
            }
        }
        chunks
    }

    /// Space for the jobs that will run at once, the largest ones: inputs go only when their outputs are there.
    fn require_space_for(&self, goal: &Goal, limits: &Limits) -> Result<(), TableError> {
        let mut sizes: Vec<u64> =
            plan(&self.chunks(), goal, limits).into_iter().filter(|j| j.kind != JobKind::Drop).map(|j| j.bytes).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        self.require_space(sizes.iter().take(limits.max_jobs.max(1)).fold(0, |sum: u64, bytes| sum.saturating_add(*bytes)))
    }

    /// An error that names both figures where fewer than `needed` bytes are free.
    fn require_space(&self, needed: u64) -> Result<(), TableError> {
        let free_bytes = || self.around.disk.free_bytes(&self.dir).map_err(|e| TableError::io("free space", e));
        if free_bytes()? >= needed {
            return Ok(());
        }
        // Chunks that were merged just now may still be on their way out.
        self.tenancy.settle();
        let free = free_bytes()?;
        if free >= needed {
            return Ok(());
        }
        Err(TableError::Failed(format!(
            "no space to merge table '{}': {needed} bytes needed, {free} bytes free in {}",
            self.name,
            self.dir.display()
        )))
    }

    /// The number of chunks has changed, or what merging aims at.
    pub(super) fn merge_wanted(&self) {
        if let Some(ticket) = self.merges.get() {
            ticket.wake();
        }
    }

    fn run_job(&self, job: &Job, context: &JobContext) -> Result<Outcome, TableError> {
        let started = Instant::now();
        let keep =
            matches!(job.reason, Reason::Asked { .. } | Reason::AskedSize { .. }) && self.kept.lock().as_ref().is_some_and(|k| k.open);
        let (snapshot, epoch) = {
            let writer = self.writer.lock();
            (self.snapshot(), writer.epoch)
        };
        let mut inputs: Vec<(PartKey, PartView)> = Vec::with_capacity(job.inputs.len());
        for id in &job.inputs {
            match snapshot.index_of(PartKey::Disk(*id)) {
                Some(i) => inputs.push((snapshot.keys[i], snapshot.parts[i].clone())),
                None => return Ok(Outcome::Nothing),
            }
        }
        // Inputs in order of their least id: where ids ascend in each, they do in the output too.
        order_by_id(&mut inputs);
        let views: Vec<(usize, PartView)> = inputs.iter().map(|i| i.1.clone()).enumerate().collect();
        let views_bytes = views.iter().map(|(_, view)| live_bytes(view)).sum();
        let rows: u64 = views.iter().map(|(_, v)| v.alive_count() as u64).sum();
        let level = {
            let state = self.manifest.lock();
            let levels = state.manifest.chunks.iter().filter(|c| job.inputs.contains(&c.id)).map(|c| c.level);
            levels.max().unwrap_or(0) + 1
        };
        let plans = match &job.kind {
            JobKind::Drop if rows > 0 => return Ok(Outcome::Nothing),
            JobKind::Merge | JobKind::Rewrite | JobKind::Drop | JobKind::Regroup { .. } if rows == 0 => Vec::new(),
            JobKind::Merge | JobKind::Rewrite | JobKind::Drop => vec![views],
            JobKind::Regroup { outputs } => regroup::split(&views, outputs),
        };
        if !plans.is_empty() {
            self.require_space(job.bytes)?;
        }
        context.progress.expect(views_bytes);
        let mut outputs: Vec<Output> = Vec::with_capacity(plans.len());
        for plan in plans {
            match self.merge_into_one(&inputs, &plan, level, context) {
                Ok(output) => outputs.push(output),
                Err(error) => {
                    outputs.iter().for_each(|o| o.built.chunk.retire(&self.tenancy));
                    return Err(error);
                }
            }
        }
        let built = started.elapsed();
        let mut timings = disk::Timings::default();
        outputs.iter().for_each(|o| timings += o.built.timings);
        let (ids, bytes_out) = (outputs.iter().map(|o| o.id).collect(), outputs.iter().map(|o| o.built.bytes).sum());
        let published = self.publish(Publication { inputs, outputs, replay_from: None, epoch, keep })?;
        if published == Publishing::Vanished {
            return Ok(Outcome::Nothing);
        }
        self.counters.merges.fetch_add(1, Ordering::Relaxed);
        self.counters.merged_bytes.fetch_add(bytes_out, Ordering::Relaxed);
        tracing::info!(
            "table '{}': {} of {} chunks, {} bytes to {rows} rows, {bytes_out} bytes in {:.3}s: {timings}, publish {:.3}s; {}",
            self.name,
            job.kind,
            job.inputs.len(),
            job.bytes,
            started.elapsed().as_secs_f64(),
            (started.elapsed() - built).as_secs_f64(),
            job.reason
        );
        Ok(Outcome::Finished { outputs: ids, bytes_in: job.bytes, bytes_out, rows })
    }

    /// Builds one output. `plan` names the inputs that it takes rows of, by their place; rows that other outputs take are dead in it.
    fn merge_into_one(
        &self,
        inputs: &[(PartKey, PartView)],
        plan: &[(usize, PartView)],
        level: u32,
        context: &JobContext,
    ) -> Result<Output, TableError> {
        let views: Vec<PartView> = plan.iter().map(|(_, view)| view.clone()).collect();
        let (id, mut options) = self.build_options(context.stop.clone(), Some(self.around.throttle.clone()), context.progress.clone());
        options.spare = context.spare.clone();
        let built = disk::merge(&self.around.disk, &views, &options)?;
        Ok(Output { id, built, level, sources: plan.iter().map(|(i, _)| inputs[*i].clone()).collect() })
    }
}

/// Bytes that the live rows of a disk chunk take, supposing that all rows are of one size.
fn live_bytes(view: &PartView) -> u64 {
    match &view.part {
        AnyPart::Disk(chunk) => {
            let (alive, all) = (u128::from(view.alive_count()), u128::from(view.part.row_count().max(1)));
            (u128::from(chunk.size_bytes()) * alive / all) as u64
        }
        AnyPart::Ram(_) => 0,
    }
}

/// Bytes of the line `MemTotal:  16303428 kB`.
fn total_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_the_machine() {
        assert_eq!(total_memory("MemTotal:       16303428 kB\nMemFree: 1 kB\n"), Some(16_303_428 << 10));
        assert_eq!(total_memory("MemFree: 1 kB"), None);
        assert_eq!(total_memory("MemTotal: 99999999999999999999 kB"), None);
    }
}
