//! What an operator sees of merges: SHOW MERGES, SHOW TABLE … CHUNKS, SHOW OPTIMIZE HISTORY, EXPLAIN OPTIMIZE, counters.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use super::answer::Answer;
use super::client::Session;
use super::failure::{Done, required};
use crate::merge::{Ending, HistoryEntry, Job, MergePool, QueuedWork, RequestId, RunningJob, Speed};
use crate::table::{ChunkRow, Explanation};
use crate::types::{ChunkId, Value};

impl Session {
    /// Jobs that run, then those that wait for a slot, then OPTIMIZEs that have not ended.
    pub(super) fn show_merges(&self, answer: &mut Answer<'_>) -> Done {
        let pool = &self.engine.catalog.surroundings().pool;
        let (speed, now) = (pool.speed(), SystemTime::now());
        let state = if self.engine.settings.load().merge_paused { "paused" } else { "running" };
        let mut rows: Vec<[Value; 12]> = pool.running().iter().map(|job| running(job, state, &speed, now)).collect();
        rows.extend(pool.queued().iter().map(queued));
        answer.table(
            &["table", "job", "state", "kind", "inputs", "bytes_in", "bytes_out", "percent", "mb_s", "ends_in_s", "ends_at", "why"],
            rows,
        )
    }

    /// The disk chunks of a table, ascending by number.
    pub(super) fn show_chunks(&self, name: &str, answer: &mut Answer<'_>) -> Done {
        let chunks = self.existing(name, || required("SHOW TABLE CHUNKS", "table", name))?.disk_chunks();
        let parts: Vec<&str> = chunks.first().map_or(["text", "attributes", "stored", "ids"].to_vec(), |c| names(&c.parts));
        let mut headings = vec!["id", "rows", "dead_rows", "updated_rows", "bytes"];
        headings.extend(&parts);
        headings.extend(["level", "age_s", "busy"]);
        answer.table(&headings, chunks.iter().map(chunk))
    }

    /// The last 100 merges, the newest first.
    pub(super) fn show_history(&self, answer: &mut Answer<'_>) -> Done {
        let history = self.engine.catalog.surroundings().pool.history();
        answer.table(
            &["job", "table", "kind", "inputs", "outputs", "rows", "bytes_in", "bytes_out", "started", "seconds", "outcome", "why"],
            history.iter().map(ended),
        )
    }

    /// Lines of SHOW STATUS about merges.
    pub(super) fn merge_counters(&self) -> Vec<(&'static str, String)> {
        let pool = &self.engine.catalog.surroundings().pool;
        let (totals, speed, settings) = (pool.totals(), pool.speed(), self.engine.settings.load());
        let (jobs, requests): (Vec<_>, Vec<_>) = pool.queued().into_iter().partition(|work| matches!(work, QueuedWork::Job { .. }));
        let delays: Vec<Duration> =
            self.engine.catalog.open_tables().iter().map(|t| t.insert_delay()).filter(|delay| !delay.is_zero()).collect();
        let longest = delays.iter().max().copied().unwrap_or_default();
        vec![
            ("merge_paused", u8::from(settings.merge_paused).to_string()),
            ("merges_running", pool.running().len().to_string()),
            ("merges_queued", jobs.len().to_string()),
            ("optimize_requests", requests.len().to_string()),
            ("merges_finished", totals.finished.to_string()),
            ("merges_failed", totals.failed.to_string()),
            ("merges_stopped", totals.stopped.to_string()),
            ("merge_bytes_read", totals.bytes_in.to_string()),
            ("merge_bytes_written", totals.bytes_out.to_string()),
            ("merge_speed_mb_s", if speed.is_measured() { megabytes(speed.bytes_per_second()) } else { String::new() }),
            ("insert_slowed_tables", delays.len().to_string()),
            ("insert_delay_ms", format!("{:.1}", longest.as_secs_f64() * 1e3)),
        ]
    }
}

/// The jobs of a plan, then one line for all of them.
pub(super) fn show_explanation(explanation: &Explanation, answer: &mut Answer<'_>) -> Done {
    let headings = ["job", "kind", "inputs", "bytes_in", "bytes_out", "starts_after_s", "seconds", "why"];
    answer.table(&headings, explained(explanation))
}

fn explained(explanation: &Explanation) -> Vec<[Value; 8]> {
    let Explanation { goal, limits, bytes, forecast, speed } = explanation;
    // Chunks that earlier jobs of the list will make are named after these.
    let mut makers: BTreeMap<ChunkId, usize> = BTreeMap::new();
    let mut rows = Vec::with_capacity(forecast.steps.len() + 1);
    for (number, step) in (1..).zip(&forecast.steps) {
        let inputs: Vec<String> = step.job.inputs.iter().map(|id| makers.get(id).map_or(id.to_string(), |by| format!("#{by}"))).collect();
        makers.extend(step.outputs.iter().map(|output| (output.id, number)));
        let bytes_out: u64 = step.outputs.iter().map(|c| c.bytes).sum();
        rows.push(cells([
            number.to_string(),
            step.job.kind.to_string(),
            inputs.join(" "),
            step.job.bytes.to_string(),
            bytes_out.to_string(),
            seconds(speed.seconds_for(step.start)),
            seconds(speed.seconds_for(step.end - step.start)),
            step.job.reason.to_string(),
        ]));
    }
    let read: u64 = forecast.steps.iter().map(|s| s.job.bytes).sum();
    let amplification = if *bytes == 0 { 0.0 } else { forecast.bytes_written as f64 / *bytes as f64 };
    let known = if speed.is_measured() { "measured" } else { "supposed" };
    rows.push(cells([
        "total".into(),
        format!("{} jobs", forecast.steps.len()),
        format!("{} chunks left", forecast.chunks.len()),
        read.to_string(),
        forecast.bytes_written.to_string(),
        String::new(),
        seconds(speed.seconds_for(forecast.span)),
        format!(
            "{goal}; the table is written {amplification:.2} times; {} at once, {} MB/s each ({known})",
            limits.max_jobs.max(1),
            megabytes(speed.bytes_per_second())
        ),
    ]));
    rows
}

/// How far the jobs of one OPTIMIZE are: `job 3: 45 %`.
pub(super) fn progress(pool: &MergePool, request: RequestId) -> String {
    let jobs: Vec<RunningJob> = pool.running().into_iter().filter(|job| job.request == Some(request)).collect();
    match jobs.is_empty() {
        true => "waiting for its turn".into(),
        false => jobs.iter().map(|job| format!("job {}: {:.0} %", job.id, job.percent())).collect::<Vec<_>>().join(", "),
    }
}

fn running(job: &RunningJob, state: &str, speed: &Speed, now: SystemTime) -> [Value; 12] {
    let left = job.left(speed);
    cells([
        job.table.to_string(),
        job.id.to_string(),
        state.to_owned(),
        job.job.kind.to_string(),
        inputs(&job.job),
        job.job.bytes.to_string(),
        job.written.to_string(),
        format!("{:.1}", job.percent()),
        megabytes(job.bytes_per_second()),
        seconds(left.as_secs_f64()),
        now.checked_add(left).map(clock).unwrap_or_default(),
        job.job.reason.to_string(),
    ])
}

fn queued(work: &QueuedWork) -> [Value; 12] {
    let none = String::new;
    let (table, state, kind, inputs, bytes, why) = match work {
        QueuedWork::Job { table, job } => {
            (table, "queued", job.kind.to_string(), inputs(job), job.bytes.to_string(), job.reason.to_string())
        }
        QueuedWork::Request { table, goal } => (table, "request", "optimize".into(), none(), none(), goal.to_string()),
    };
    cells([table.to_string(), none(), state.into(), kind, inputs, bytes, none(), none(), none(), none(), none(), why])
}

fn chunk(chunk: &ChunkRow) -> Vec<Value> {
    let mut row = vec![chunk.id.to_string(), chunk.rows.to_string(), chunk.dead.to_string(), chunk.updated.to_string()];
    row.push(chunk.parts.iter().map(|(_, bytes)| bytes).sum::<u64>().to_string());
    row.extend(chunk.parts.iter().map(|(_, bytes)| bytes.to_string()));
    row.extend([chunk.level.to_string(), chunk.age_seconds.to_string(), chunk.busy.map(|job| format!("job {job}")).unwrap_or_default()]);
    row.into_iter().map(Value::Text).collect()
}

fn names(parts: &[(&'static str, u64)]) -> Vec<&'static str> {
    parts.iter().map(|(name, _)| *name).collect()
}

fn ended(entry: &HistoryEntry) -> [Value; 12] {
    let none = String::new;
    let (outputs, rows, bytes_out, outcome) = match &entry.ending {
        Ending::Finished { outputs, bytes_out, rows, .. } => (list(outputs), rows.to_string(), bytes_out.to_string(), "finished".into()),
        Ending::Stopped => (none(), none(), none(), "stopped".into()),
        Ending::Nothing => (none(), none(), none(), "inputs were gone".into()),
        Ending::Failed(text) => (none(), none(), none(), format!("failed: {text}")),
    };
    cells([
        entry.id.to_string(),
        entry.table.to_string(),
        entry.job.kind.to_string(),
        inputs(&entry.job),
        outputs,
        rows,
        entry.job.bytes.to_string(),
        bytes_out,
        clock(entry.since),
        seconds(entry.took.as_secs_f64()),
        outcome,
        entry.job.reason.to_string(),
    ])
}

fn inputs(job: &Job) -> String {
    list(&job.inputs)
}

fn list(chunks: &[ChunkId]) -> String {
    chunks.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn cells<const N: usize>(values: [String; N]) -> [Value; N] {
    values.map(Value::Text)
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.2}")
}

/// Millions of bytes, with a digit behind the point.
fn megabytes(bytes: f64) -> String {
    format!("{:.1}", bytes / 1e6)
}

/// A moment to the second, UTC.
fn clock(at: SystemTime) -> String {
    jiff::Timestamp::try_from(at).map(|at| at.strftime("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::{ChunkStats, Forecast, Goal, Limits};

    #[test]
    fn a_plan_names_what_its_own_jobs_will_make() {
        let chunks: Vec<ChunkStats> = (1..=4).map(|id| ChunkStats::new(ChunkId(id), 1 << 20, 100, 0)).collect();
        let (goal, limits) = (Goal::Cutoff(1), Limits { max_jobs: 2, fan_in: Some(2), max_chunk_size: None });
        let mut speed = Speed::default();
        speed.observe(1 << 20, Duration::from_secs(1));
        let explanation = Explanation { goal, limits, bytes: 4 << 20, forecast: Forecast::of(&chunks, &goal, &limits), speed };
        let rows: Vec<String> = explained(&explanation)
            .iter()
            .map(|row| row.iter().map(|v| v.text().map(|t| t.into_owned()).unwrap_or_default()).collect::<Vec<_>>().join(","))
            .collect();
        assert_eq!(
            rows,
            [
                "1,merge,2 4,2097152,2097152,0.00,2.00,1 of 4 chunks were asked for",
                "2,merge,1 3,2097152,2097152,0.00,2.00,1 of 4 chunks were asked for",
                "3,merge,#1 #2,4194304,4194304,2.00,2.29,1 of 2 chunks were asked for",
                "total,3 jobs,1 chunks left,8388608,8388608,,4.29,1 chunks; the table is written 2.00 times; 2 at once, 1.0 MB/s each (measured)",
            ]
        );
    }

    #[test]
    fn moments_and_endings() {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        assert_eq!(clock(at), "2023-11-14 22:13:20");
        assert_eq!((seconds(1.239), megabytes(1_250_000.0)), ("1.24".into(), "1.2".into()));
    }
}
