//! The table as a source of merges.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::publish::{Outcome as Publishing, Output, Publication};
use super::ram::order_by_id;
use super::regroup;
use super::table::Table;
use super::{PartKey, TableError};
use crate::chunk::{AnyPart, PartView, disk};
use crate::merge::{Busy, ChunkStats, Failure, Goal, Job, JobKind, Limits, Outcome, Overrides, Reason, Source};
use crate::types::{Progress, StopToken};

/// What OPTIMIZE asks for.
#[derive(Debug, Default, Clone)]
pub struct OptimizeRequest {
    /// Disk chunks to end with; None = the table's or server's cutoff.
    pub cutoff: Option<u32>,
    /// Wait until it is done.
    pub sync: bool,
    /// Keep the inputs, so that they can be put back: for so many seconds, 0 = until asked.
    pub keep_seconds: Option<u64>,
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
        let server = self.around.settings.load();
        // An automatic merge in the middle of an experiment would mix its rows with others.
        let keeping = self.kept.lock().as_ref().is_some_and(|k| k.open);
        (server.auto_optimize && !self.is_frozen() && !keeping).then(|| Goal::Automatic { cutoff: self.cutoff() })
    }

    fn run(&self, job: &Job, stop: &StopToken, progress: &Arc<Progress>) -> Result<Outcome, String> {
        match self.run_job(job, stop, progress) {
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

    /// OPTIMIZE TABLE. With `sync` returns when the goal is reached; `stop` ends the wait, not the work.
    pub fn optimize(&self, request: &OptimizeRequest, stop: &StopToken) -> Result<(), TableError> {
        self.refuse_frozen()?;
        let goal = Goal::Cutoff(request.cutoff.unwrap_or_else(|| self.cutoff()));
        let Some(ticket) = self.merges.get() else {
            return Err(TableError::Stopped(format!("table '{}' is being closed", self.name)));
        };
        if let Some(seconds) = request.keep_seconds {
            if !request.sync {
                return Err(TableError::Failed("keep=1 needs sync=1: the inputs are kept until the statement has ended".into()));
            }
            self.begin_keeping(seconds)?;
        }
        let waiter = ticket.request(goal, Overrides::default());
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

    /// The number of chunks has changed, or what merging aims at.
    pub(super) fn merge_wanted(&self) {
        if let Some(ticket) = self.merges.get() {
            ticket.wake();
        }
    }

    fn run_job(&self, job: &Job, stop: &StopToken, progress: &Arc<Progress>) -> Result<Outcome, TableError> {
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
        let mut outputs: Vec<Output> = Vec::with_capacity(plans.len());
        for plan in plans {
            match self.merge_into_one(&inputs, &plan, level, stop, progress) {
                Ok(output) => outputs.push(output),
                Err(error) => {
                    outputs.iter().for_each(|o| o.built.chunk.retire());
                    return Err(error);
                }
            }
        }
        let built = started.elapsed();
        let (ids, bytes_out) = (outputs.iter().map(|o| o.id).collect(), outputs.iter().map(|o| o.built.bytes).sum());
        let published = self.publish(Publication { inputs, outputs, replay_from: None, epoch, keep })?;
        if published == Publishing::Vanished {
            return Ok(Outcome::Nothing);
        }
        self.counters.merges.fetch_add(1, Ordering::Relaxed);
        self.counters.merged_bytes.fetch_add(bytes_out, Ordering::Relaxed);
        tracing::info!(
            "table '{}': {} of {} chunks, {} bytes to {rows} rows, {bytes_out} bytes in {:.3}s, of which publishing {:.3}s; {}",
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
        stop: &StopToken,
        progress: &Arc<Progress>,
    ) -> Result<Output, TableError> {
        let views: Vec<PartView> = plan.iter().map(|(_, view)| view.clone()).collect();
        let (id, options) = self.build_options(stop.clone(), Some(self.around.throttle.clone()), progress.clone());
        let built = disk::merge(&self.around.disk, &views, &options)?;
        Ok(Output { id, built, level, sources: plan.iter().map(|(i, _)| inputs[*i].clone()).collect() })
    }
}
