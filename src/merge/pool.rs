//! The threads that merge.
//!
//! One scheduler thread for all tables plans and starts jobs; each job has a thread of its own, named after it, that ends with it, so
//! that more or fewer slots need no more than starting more or fewer. Job threads run at a lower OS priority than queries.
//!
//! ```text
//!  flush ──── wake ───┐                       ┌─ read the table (no lock) ─ replan ─┐
//!  OPTIMIZE ─ request ┼→ scheduler: stale? ───┤                                     ├→ next → thread "merge-17" ─ Source::run
//!  job ends ─ finish ─┘     ↑                 └─ nothing: wait                      ┘                  │
//!                           └──────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Locks: one, around queue and lists. It is a leaf: no table is asked for anything, nothing is logged and nothing of a table is
//! dropped while it is held, so every call here may be made with any lock of a table held, but for the three that wait for jobs to
//! end: [`TableTicket::pause`], [`TableTicket::cancel`] and [`MergePool::shutdown`].
//!
//! Invariants: a claim ends exactly once, also when its thread panics or cannot be started; each waiter is answered exactly once.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::course::LENT_SPEED;
use super::policy::{Goal, Job, JobId};
use super::queue::{Claimed, Done, Ended, Ending, Failure, Layout, Overrides, Owner, Queue, RequestId, TableId};
use super::source::{JobContext, Outcome, Source};
use super::speed::{self, Speed};
use crate::types::{ChunkId, Progress, Spare, StopToken};

/// Jobs that [`MergePool::history`] remembers.
const HISTORY_LEN: usize = 100;
/// A stop token cannot wake a waiter, so waiters look at it so often.
const STOP_CHECK: Duration = Duration::from_millis(50);
/// Of 19: low, but not so low that a busy machine never merges.
const NICENESS: i32 = 10;

/// The threads, and the goals of all tables. Dropping it is [`MergePool::shutdown`].
pub struct MergePool {
    shared: Arc<Shared>,
    scheduler: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    state: Mutex<State>,
    /// The scheduler has something to look at.
    work: Condvar,
    /// A job ended.
    ended: Condvar,
    slots: Box<dyn Fn() -> usize + Send + Sync>,
    /// Parent of every job's token.
    stop: StopToken,
    started: Instant,
}

#[derive(Default)]
struct State {
    queue: Queue,
    tables: BTreeMap<TableId, Entry>,
    runs: BTreeMap<JobId, Run>,
    waiters: BTreeMap<RequestId, Arc<Answer>>,
    history: VecDeque<HistoryEntry>,
    totals: Totals,
    speed: Speed,
    threads: BTreeMap<JobId, JoinHandle<()>>,
    /// Jobs whose threads are about to end and can be joined.
    leaving: Vec<JobId>,
    shutdown: bool,
}

struct Entry {
    source: Weak<dyn Source>,
    /// As the table was called when it was last read.
    name: Arc<str>,
}

struct Run {
    table: Arc<str>,
    owner: Owner,
    job: Job,
    stop: StopToken,
    progress: Arc<Progress>,
    since: Instant,
    since_clock: SystemTime,
    /// Since when a second slot has been lent to it, and how long one was before.
    lent_since: Option<Instant>,
    lent: Duration,
}

impl Run {
    fn end_loan(&mut self) {
        self.lent += self.lent_since.take().map_or(Duration::ZERO, |since| since.elapsed());
    }

    /// What it would have taken one thread so far.
    fn took_alone(&self) -> Duration {
        self.since.elapsed() + self.lent.mul_f64(LENT_SPEED - 1.0)
    }
}

/// A job in progress, for SHOW MERGES.
#[derive(Clone, Debug)]
pub struct RunningJob {
    /// Its number.
    pub id: JobId,
    /// Name of the table.
    pub table: Arc<str>,
    /// The OPTIMIZE that it is for; None for an automatic one.
    pub request: Option<RequestId>,
    /// What, and why.
    pub job: Job,
    /// How long it has run.
    pub elapsed: Duration,
    /// Bytes of input read so far.
    pub read: u64,
    /// Bytes written so far.
    pub written: u64,
    /// Rows made so far.
    pub rows: u64,
    /// Bytes that it will have written, about; 0 while it is not known.
    pub expected: u64,
}

impl RunningJob {
    /// How much of it is done, in hundredths; never 100 while it runs.
    pub fn percent(&self) -> f64 {
        speed::percent(self.read, self.job.bytes, self.written, self.expected)
    }

    /// Bytes written a second so far.
    pub fn bytes_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.written as f64 / seconds } else { 0.0 }
    }

    /// How long it will still take: by the pace of those before it at first, by its own from a tenth on, or once it is late.
    pub fn left(&self, usual: &Speed) -> Duration {
        let (percent, elapsed) = (self.percent(), self.elapsed.as_secs_f64());
        let usual = usual.seconds_for(self.expected.max(1));
        let by_own_pace = percent >= 10.0 || (percent > 0.0 && elapsed > usual);
        let seconds = if by_own_pace { elapsed * (100.0 - percent) / percent } else { (usual - elapsed).max(0.0) };
        // Past a year the figure says no more than "long".
        Duration::from_secs_f64(seconds.min(365.0 * 86_400.0))
    }
}

/// Numbers since the start, of all tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Jobs that were published.
    pub finished: u64,
    /// Jobs that failed.
    pub failed: u64,
    /// Jobs that were stopped or found nothing to do.
    pub stopped: u64,
    /// Bytes of the inputs of those that were published.
    pub bytes_in: u64,
    /// Bytes that they wrote.
    pub bytes_out: u64,
}

/// A job or a request that waits, for SHOW MERGES.
#[derive(Clone, Debug)]
pub enum QueuedWork {
    /// A planned job that waits for a slot.
    Job {
        /// Name of the table.
        table: Arc<str>,
        /// What, and why.
        job: Job,
    },
    /// An OPTIMIZE that has not ended; the first of each table is being served.
    Request {
        /// Name of the table.
        table: Arc<str>,
        /// What it wants.
        goal: Goal,
    },
}

/// A job that ended, for SHOW OPTIMIZE HISTORY.
#[derive(Clone, Debug)]
pub struct HistoryEntry {
    /// Its number.
    pub id: JobId,
    /// Name of the table then.
    pub table: Arc<str>,
    /// What, and why.
    pub job: Job,
    /// When it began.
    pub since: SystemTime,
    /// How long it took.
    pub took: Duration,
    /// How it ended, with figures.
    pub ending: Ending,
}

impl MergePool {
    /// Starts the scheduler. `slots` is `parallel_chunk_merges` of the server, or 0 while no job may start: it is read before each
    /// decision; after a change call [`MergePool::settings_changed`]. Fails where the system gives no thread.
    pub fn new(slots: impl Fn() -> usize + Send + Sync + 'static) -> std::io::Result<MergePool> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            work: Condvar::new(),
            ended: Condvar::new(),
            slots: Box::new(slots),
            stop: StopToken::new(),
            started: Instant::now(),
        });
        let of_thread = shared.clone();
        let scheduler = std::thread::Builder::new().name("merge-scheduler".into()).spawn(move || of_thread.schedule())?;
        Ok(MergePool { shared, scheduler: Mutex::new(Some(scheduler)) })
    }

    /// Adds a table and looks at once for work that its automatic goal has. The pool does not keep the table alive.
    pub fn register(&self, source: &Arc<dyn Source>) -> TableTicket {
        let name = Arc::from(source.name());
        let mut state = self.shared.state.lock();
        let table = state.queue.add_table();
        state.tables.insert(table, Entry { source: Arc::downgrade(source), name });
        self.shared.work.notify_one();
        TableTicket { shared: self.shared.clone(), table }
    }

    /// Looks again at all tables and at the number of slots.
    pub fn settings_changed(&self) {
        self.shared.state.lock().queue.mark_all();
        self.shared.work.notify_one();
    }

    /// Stops all jobs, fails all waiters, and returns when every thread has ended. Idempotent.
    pub fn shutdown(&self) {
        let mut state = self.shared.state.lock();
        state.shutdown = true;
        let ended = state.queue.cancel_all(&Failure::ShuttingDown);
        state.answer(ended);
        drop(state);
        self.shared.stop.stop();
        self.shared.work.notify_one();
        if let Some(scheduler) = self.scheduler.lock().take() {
            join(scheduler);
        }
        // The scheduler was the only one that started threads.
        let threads = std::mem::take(&mut self.shared.state.lock().threads);
        threads.into_values().for_each(join);
    }

    /// Jobs in progress, the oldest first.
    pub fn running(&self) -> Vec<RunningJob> {
        let state = self.shared.state.lock();
        let jobs = state.runs.iter().map(|(id, run)| RunningJob {
            id: *id,
            table: run.table.clone(),
            request: match run.owner {
                Owner::Automatic => None,
                Owner::Request(id) => Some(id),
            },
            job: run.job.clone(),
            elapsed: run.since.elapsed(),
            read: run.progress.read(),
            written: run.progress.written(),
            rows: run.progress.rows(),
            expected: run.progress.expected(),
        });
        jobs.collect()
    }

    /// Jobs that wait for a slot, then requests that have not ended.
    pub fn queued(&self) -> Vec<QueuedWork> {
        let state = self.shared.state.lock();
        let jobs = state.queue.waiting().map(|(table, w)| QueuedWork::Job { table: state.name(table), job: w.job.clone() });
        let requests = state.queue.requests().map(|(table, r)| QueuedWork::Request { table: state.name(table), goal: r.goal });
        jobs.chain(requests).collect()
    }

    /// The last 100 jobs that ended, the newest first.
    pub fn history(&self) -> Vec<HistoryEntry> {
        self.shared.state.lock().history.iter().rev().cloned().collect()
    }

    /// Numbers since the start.
    pub fn totals(&self) -> Totals {
        self.shared.state.lock().totals
    }

    /// How fast one thread merged lately.
    pub fn speed(&self) -> Speed {
        self.shared.state.lock().speed
    }
}

impl Drop for MergePool {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// A table's place in the pool. Dropping it ends the table's requests and stops its jobs, without waiting for them.
pub struct TableTicket {
    shared: Arc<Shared>,
    table: TableId,
}

impl TableTicket {
    /// The table's chunks changed: look for automatic work. Cheap; waits for nothing.
    pub fn wake(&self) {
        self.shared.state.lock().queue.mark(self.table);
        self.shared.work.notify_one();
    }

    /// Asks for a goal, with limits of the statement's own.
    pub fn request(&self, goal: Goal, overrides: Overrides) -> Waiter {
        let answer = Arc::new(Answer::default());
        let mut state = self.shared.state.lock();
        if state.shutdown {
            answer.give(Err(Failure::ShuttingDown));
        } else if let Some(request) = state.queue.request(self.table, goal, overrides) {
            state.waiters.insert(request, answer.clone());
            self.shared.work.notify_one();
            return Waiter { answer, request: Some(request) };
        } else {
            answer.give(Err(Failure::Cancelled));
        }
        Waiter { answer, request: None }
    }

    /// Ends the table's requests with [`Failure::Cancelled`], stops its jobs, and returns when none runs. Automatic work may begin
    /// again at once; [`TableTicket::pause`] keeps it away.
    ///
    /// Must not be called by a job of the table, nor with a lock that such a job takes.
    pub fn cancel(&self) {
        let mut state = self.shared.state.lock();
        let ended = state.queue.cancel(self.table);
        state.answer(ended);
        let jobs: Vec<JobId> = state.queue.running_of(self.table).map(|c| c.id).collect();
        state.stop_jobs(&jobs);
        self.shared.work.notify_one();
        while jobs.iter().any(|id| state.runs.contains_key(id)) {
            self.shared.ended.wait(&mut state);
        }
    }

    /// Stops the table's jobs and returns when none runs; none starts while the guard lives. Requests keep their place and go on
    /// afterwards. Must not be called by a job of the table, nor with a lock that such a job takes.
    #[must_use = "jobs start again when the guard is dropped"]
    pub fn pause(&self) -> PauseGuard {
        let mut state = self.shared.state.lock();
        state.queue.pause(self.table);
        let guard = PauseGuard { shared: self.shared.clone(), table: self.table };
        let jobs: Vec<JobId> = state.queue.running_of(self.table).map(|c| c.id).collect();
        state.stop_jobs(&jobs);
        while state.queue.running_of(self.table).next().is_some() {
            self.shared.ended.wait(&mut state);
        }
        guard
    }

    /// Chunks of this table that jobs in progress work on, each with its job.
    pub fn busy(&self) -> BTreeMap<ChunkId, JobId> {
        let state = self.shared.state.lock();
        let claims = state.queue.running_of(self.table);
        claims.flat_map(|claimed| claimed.job.inputs.iter().map(|chunk| (*chunk, claimed.id))).collect()
    }

    /// Jobs of this table in progress.
    pub fn running_count(&self) -> usize {
        self.shared.state.lock().queue.running_of(self.table).count()
    }

    /// Whether a job of this table runs or waits, or a request has not ended: `optimizing` in SHOW TABLE STATUS. True also until a
    /// change that [`TableTicket::wake`] told of has been looked at.
    pub fn is_merging(&self) -> bool {
        self.shared.state.lock().queue.is_busy(self.table)
    }
}

impl Drop for TableTicket {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        let jobs: Vec<JobId> = state.queue.running_of(self.table).map(|c| c.id).collect();
        state.stop_jobs(&jobs);
        let ended = state.queue.remove_table(self.table);
        state.answer(ended);
        state.tables.remove(&self.table);
    }
}

/// Keeps a table's merges still.
#[must_use = "jobs start again when the guard is dropped"]
pub struct PauseGuard {
    shared: Arc<Shared>,
    table: TableId,
}

impl Drop for PauseGuard {
    fn drop(&mut self) {
        self.shared.state.lock().queue.resume(self.table);
        self.shared.work.notify_one();
    }
}

/// The other end of a request. Dropping it leaves the request as it is.
pub struct Waiter {
    answer: Arc<Answer>,
    request: Option<RequestId>,
}

impl Waiter {
    /// Number of the request; None where it was refused at once.
    pub fn request(&self) -> Option<RequestId> {
        self.request
    }

    /// Returns when the goal is reached (as far as the limits allow), has failed, or `stop` is raised; the last ends the wait alone,
    /// within 50 ms.
    pub fn wait(&self, stop: &StopToken) -> Result<Done, Failure> {
        let mut result = self.answer.result.lock();
        loop {
            if let Some(result) = &*result {
                return result.clone();
            }
            if stop.is_stopped() {
                return Err(Failure::WaitEnded);
            }
            self.answer.given.wait_for(&mut result, STOP_CHECK);
        }
    }

    /// The result, if there is one already.
    pub fn poll(&self) -> Option<Result<Done, Failure>> {
        self.answer.result.lock().clone()
    }
}

#[derive(Default)]
struct Answer {
    result: Mutex<Option<Result<Done, Failure>>>,
    given: Condvar,
}

impl Answer {
    fn give(&self, result: Result<Done, Failure>) {
        *self.result.lock() = Some(result);
        self.given.notify_all();
    }
}

impl State {
    fn answer(&mut self, ended: Vec<Ended>) {
        for Ended { request, result } in ended {
            if let Some(answer) = self.waiters.remove(&request) {
                answer.give(result);
            }
        }
    }

    fn stop_jobs(&self, jobs: &[JobId]) {
        for run in jobs.iter().filter_map(|id| self.runs.get(id)) {
            run.stop.stop();
        }
    }

    /// Counts a job that would have taken one thread so long.
    fn count(&mut self, ending: &Ending, took: Duration) {
        match ending {
            Ending::Finished { bytes_in, bytes_out, .. } => {
                self.totals.finished += 1;
                self.totals.bytes_in = self.totals.bytes_in.saturating_add(*bytes_in);
                self.totals.bytes_out = self.totals.bytes_out.saturating_add(*bytes_out);
                if *bytes_out > 0 {
                    self.speed.observe(*bytes_out, took);
                }
            }
            Ending::Stopped | Ending::Nothing => self.totals.stopped += 1,
            Ending::Failed(_) => self.totals.failed += 1,
        }
    }

    fn name(&self, table: TableId) -> Arc<str> {
        self.tables.get(&table).map_or_else(|| Arc::from(""), |e| e.name.clone())
    }

    /// Threads that have ended or are about to: joining them takes no time.
    fn take_leaving(&mut self) -> Vec<JoinHandle<()>> {
        let leaving = std::mem::take(&mut self.leaving);
        leaving.iter().filter_map(|id| self.threads.remove(id)).collect()
    }
}

impl Shared {
    fn now_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    /// The scheduler thread: plan what is stale, start what may start, else wait.
    fn schedule(self: &Arc<Shared>) {
        loop {
            let slots = (self.slots)();
            let mut state = self.state.lock();
            let leaving = state.take_leaving();
            if state.shutdown {
                drop(state);
                leaving.into_iter().for_each(join);
                return;
            }
            if let Some((table, generation)) = state.queue.next_stale(self.now_ms()) {
                let source = state.tables.get(&table).map(|e| e.source.clone());
                drop(state);
                self.plan_table(table, generation, source);
            } else if slots > 0
                && let Some(claimed) = state.queue.next(slots)
            {
                let claim = self.claim(&mut state, claimed);
                let source = state.tables.get(&claim.claimed.table).map(|e| e.source.clone());
                drop(state);
                self.start(claim, source);
            } else if leaving.is_empty() {
                self.wait_for_work(&mut state);
            } else {
                drop(state);
            }
            leaving.into_iter().for_each(join);
        }
    }

    fn wait_for_work(&self, state: &mut MutexGuard<'_, State>) {
        match state.queue.wake_ms() {
            Some(at_ms) => {
                self.work.wait_until(state, self.started + Duration::from_millis(at_ms));
            }
            None => self.work.wait(state),
        }
    }

    /// Reads a table without any lock and plans it.
    fn plan_table(&self, table: TableId, generation: super::queue::Generation, source: Option<Weak<dyn Source>>) {
        let source = source.and_then(|s| s.upgrade());
        let read = source.as_ref().map(|source| {
            catch_unwind(AssertUnwindSafe(|| {
                let layout = Layout { chunks: source.chunks(), limits: source.limits(), automatic: source.automatic_goal() };
                (Arc::<str>::from(source.name()), layout)
            }))
            .map_err(panic_text)
        });
        // The table goes before the lock comes: this may have been its last owner.
        drop(source);
        if let Some(Err(text)) = &read {
            tracing::error!(%text, "the chunks of a table could not be listed for merging");
        }
        let mut state = self.state.lock();
        let now_ms = self.now_ms();
        let ended = match read {
            None => state.queue.remove_table(table),
            Some(Err(text)) => state.queue.unreadable(table, &text, now_ms),
            Some(Ok((name, layout))) => {
                if let Some(entry) = state.tables.get_mut(&table) {
                    entry.name = name;
                }
                state.queue.replan(table, generation, layout, now_ms)
            }
        };
        state.answer(ended);
    }

    fn claim(self: &Arc<Shared>, state: &mut State, claimed: Claimed) -> Claim {
        let run = Run {
            table: state.name(claimed.table),
            owner: claimed.owner,
            job: claimed.job.clone(),
            stop: self.stop.child(),
            progress: Arc::default(),
            since: Instant::now(),
            since_clock: SystemTime::now(),
            lent_since: None,
            lent: Duration::ZERO,
        };
        let spare = Some(Arc::new(SpareSlot { shared: self.clone(), job: claimed.id }) as Arc<dyn Spare>);
        let claim = Claim {
            shared: self.clone(),
            table: run.table.clone(),
            context: JobContext { stop: run.stop.clone(), progress: run.progress.clone(), spare },
            ending: None,
            claimed,
        };
        state.runs.insert(claim.claimed.id, run);
        claim
    }

    fn start(self: &Arc<Shared>, claim: Claim, source: Option<Weak<dyn Source>>) {
        let id = claim.claimed.id;
        // The claim sits where both can reach it: a thread that cannot be started drops its closure, and with it what it owns.
        let spawned = std::thread::Builder::new().name(format!("merge-{id}")).spawn(move || {
            lower_priority();
            claim.work(source);
        });
        match spawned {
            Ok(thread) => {
                self.state.lock().threads.insert(id, thread);
            }
            Err(error) => tracing::error!(job = %id, %error, "no thread for a merge"),
        }
    }
}

/// The slot that may be lent to a job.
struct SpareSlot {
    shared: Arc<Shared>,
    job: JobId,
}

impl Spare for SpareSlot {
    fn take(&self) -> bool {
        let slots = (self.shared.slots)();
        let mut state = self.shared.state.lock();
        let is_lent = state.queue.lend(self.job, slots);
        if let Some(run) = state.runs.get_mut(&self.job).filter(|_| is_lent) {
            run.lent_since = Some(Instant::now());
        }
        is_lent
    }

    fn may_keep(&self) -> bool {
        let slots = (self.shared.slots)();
        self.shared.state.lock().queue.may_keep(self.job, slots)
    }

    fn give_back(&self) {
        let mut state = self.shared.state.lock();
        state.queue.give_back(self.job);
        if let Some(run) = state.runs.get_mut(&self.job) {
            run.end_loan();
        }
    }
}

/// The right and the duty to do one job. Dropping it frees the inputs, whatever happened.
struct Claim {
    shared: Arc<Shared>,
    claimed: Claimed,
    table: Arc<str>,
    context: JobContext,
    ending: Option<Ending>,
}

impl Claim {
    fn work(mut self, source: Option<Weak<dyn Source>>) {
        let Claimed { id, ref job, .. } = self.claimed;
        tracing::debug!(job = %id, table = %self.table, kind = %job.kind, inputs = job.inputs.len(), bytes = job.bytes, why = %job.reason, "merge starts");
        let source = source.and_then(|s| s.upgrade());
        let result = source.as_ref().map(|source| catch_unwind(AssertUnwindSafe(|| source.run(job, &self.context))));
        let ending = match result {
            None => Ending::Stopped,
            Some(Ok(Ok(Outcome::Finished { outputs, bytes_in, bytes_out, rows }))) => {
                Ending::Finished { outputs, bytes_in, bytes_out, rows }
            }
            Some(Ok(Ok(Outcome::Stopped))) => Ending::Stopped,
            Some(Ok(Ok(Outcome::Nothing))) => Ending::Nothing,
            Some(Ok(Err(text))) => Ending::Failed(text),
            Some(Err(panic)) => Ending::Failed(panic_text(panic)),
        };
        // Before the claim ends, so that whoever waits for it finds no job that still holds the table.
        drop(source);
        self.ending = Some(ending);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let ending = self.ending.take().unwrap_or_else(|| Ending::Failed("the merge could not be run".to_string()));
        let Claimed { id, .. } = self.claimed;
        match &ending {
            Ending::Finished { bytes_in, bytes_out, rows, .. } => {
                // What it did and how long its steps took is for the table to tell.
                tracing::debug!(job = %id, table = %self.table, bytes_in, bytes_out, rows, "merge finished");
            }
            Ending::Stopped => tracing::info!(job = %id, table = %self.table, "merge stopped"),
            Ending::Nothing => tracing::info!(job = %id, table = %self.table, "merge found its chunks gone"),
            Ending::Failed(text) => {
                tracing::error!(job = %id, table = %self.table, %text, inputs = ?self.claimed.job.inputs, "merge failed");
            }
        }
        let mut state = self.shared.state.lock();
        if let Some(mut run) = state.runs.remove(&id) {
            run.end_loan();
            state.count(&ending, run.took_alone());
            if state.history.len() == HISTORY_LEN {
                state.history.pop_front();
            }
            state.history.push_back(HistoryEntry {
                id,
                table: run.table,
                job: run.job,
                since: run.since_clock,
                took: run.since.elapsed(),
                ending: ending.clone(),
            });
        }
        let ended = state.queue.finish(id, ending, self.shared.now_ms());
        state.answer(ended);
        state.leaving.push(id);
        self.shared.ended.notify_all();
        self.shared.work.notify_one();
    }
}

fn panic_text(panic: Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.as_deref().unwrap_or("no message"))
}

/// Waits for a thread, unless it is the one that asks: a pool may be dropped by the last job that held its owner.
fn join(thread: JoinHandle<()>) {
    if thread.thread().id() != std::thread::current().id() && thread.join().is_err() {
        tracing::error!("a merge thread panicked outside of its job");
    }
}

fn lower_priority() {
    // On Linux priorities belong to threads. A merge at normal priority is a slower query, no fault: best effort.
    if let Err(error) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS) {
        tracing::debug!(%error, "merge threads keep their priority");
    }
}

#[cfg(test)]
mod tests;
