//! Which job starts now: the goals and claims of all tables.
//!
//! Pure: no clock (callers pass milliseconds of any monotonic clock), no lock, no thread. One owner drives it:
//!
//! ```text
//! next_stale → (read the table, no lock held) → replan → next → (run the job) → finish → next_stale …
//! ```
//!
//! **Goals.** Requests of one table are served in the order they came, one at a time. A request is about the chunks that were there
//! when its turn came and what its table's jobs make of them (its *scope*), so that it ends under any load of inserts. The automatic
//! goal goes on beside it with the chunks outside the scope, which counts there as the chunks that the request will leave.
//!
//! **Slots.** `parallel_chunk_merges` bounds the jobs of all tables. Tables take turns; inside a table a request and the automatic
//! goal do; inside a goal the smallest job is first. Three exceptions:
//! - While a small job waits, at most all slots but one are held by giants: jobs of more than 8 times its bytes. (From 2 slots on.)
//! - A drop writes nothing and takes no slot; one drop runs at a time.
//! - A request with its own `parallel` is bounded by that figure and not by the slots; its jobs are counted for the others.
//!
//! A slot that is idle may be lent to a job that runs, which then has two. Jobs that become due start as if it were idle: until the
//! borrower has done the piece of work at hand, one thread more than there are slots is at work.
//!
//! **Failures.** A failed job ends its request. The automatic goal of that table pauses for a second, then 2, 4, … up to 5 minutes,
//! until a job succeeds, and the chunks of the failed job are put aside ten times as long, so that one broken chunk stops neither the
//! other chunks nor spins.
//!
//! Invariants: a chunk is in at most one claim; a layout that was read before a claim of its table ended is never planned with (it
//! would show the claim's inputs as free and the plan would overshoot); each request ends exactly once; a slot is lent to one job only.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use super::policy::{Busy, ChunkStats, Goal, Job, JobId, JobKind, Limits, plan};
use crate::types::ChunkId;

/// A job is a giant beside another that has less than an eighth of its bytes.
const GIANT_RATIO: u64 = 8;
const PAUSE_MS_FIRST: u64 = 1_000;
const PAUSE_MS_MAX: u64 = 300_000;
/// Chunks of a failed job are put aside so many times as long as their table pauses.
const ASIDE_RATIO: u64 = 10;
/// Jobs in a row that found their inputs gone before the table is taken for confused.
const FRUITLESS_MAX: u32 = 8;

/// A table, as the queue numbers it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableId(u64);

/// An OPTIMIZE, as the queue numbers it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RequestId(u64);

/// Number of finished jobs of a table when its layout began to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Generation(u64);

/// One reading of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Chunks as the table sees them.
    pub chunks: Vec<ChunkStats>,
    /// The table's limits.
    pub limits: Limits,
    /// What holds without being asked for.
    pub automatic: Option<Goal>,
}

/// A statement's own limits, in the place of the table's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Overrides {
    /// Jobs at once.
    pub max_jobs: Option<usize>,
    /// Chunks per job.
    pub fan_in: Option<usize>,
}

/// For whom a job is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The standing goal of the table.
    Automatic,
    /// An OPTIMIZE.
    Request(RequestId),
}

/// A job that runs: its inputs belong to it until [`Queue::finish`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claimed {
    /// Its number.
    pub id: JobId,
    /// Whose chunks.
    pub table: TableId,
    /// For whom.
    pub owner: Owner,
    /// What.
    pub job: Job,
    /// Jobs at once that its statement allowed; None = the slots of the server.
    pub max_jobs: Option<usize>,
}

/// A job that waits for a slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// For whom.
    pub owner: Owner,
    /// What.
    pub job: Job,
    /// The request's own bound on jobs at once.
    max_jobs: Option<usize>,
}

/// How a job ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Published.
    Finished {
        /// Chunks in the place of the inputs.
        outputs: Vec<ChunkId>,
        /// Bytes read.
        bytes_in: u64,
        /// Bytes written.
        bytes_out: u64,
        /// Rows written.
        rows: u64,
    },
    /// Asked to stop, nothing published.
    Stopped,
    /// Its inputs were gone, nothing published.
    Nothing,
    /// The sentence for the operator.
    Failed(String),
}

/// What a request came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Done {
    /// Jobs done.
    pub jobs: u64,
    /// Bytes of their inputs.
    pub bytes_in: u64,
    /// Bytes of their outputs.
    pub bytes_out: u64,
    /// Rows of their outputs.
    pub rows: u64,
}

/// Why a request came to nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// A job failed; says why. Chunks merged before stay merged.
    Job(String),
    /// The table was dropped or truncated, or somebody cancelled its merges.
    Cancelled,
    /// The waiting was ended; the jobs go on.
    WaitEnded,
    /// The server stops.
    ShuttingDown,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Job(text) => f.write_str(text),
            Failure::Cancelled => f.write_str("merging was cancelled"),
            Failure::WaitEnded => f.write_str("the wait was ended, merging goes on in the background"),
            Failure::ShuttingDown => f.write_str("the server is shutting down"),
        }
    }
}

impl std::error::Error for Failure {}

/// A request that ended, with what its waiter should hear.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Ended {
    /// Which.
    pub request: RequestId,
    /// How.
    pub result: Result<Done, Failure>,
}

/// An OPTIMIZE that has not ended.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its number.
    pub id: RequestId,
    /// What it wants.
    pub goal: Goal,
    overrides: Overrides,
    /// Chunks that it is about; None until its turn comes.
    scope: Option<BTreeSet<ChunkId>>,
    done: Done,
}

/// After a failure: how many in a row, and when to try again.
#[derive(Clone, Copy, Default, Debug)]
struct Patience {
    failures: u32,
    until_ms: u64,
}

impl Patience {
    fn fail(&mut self, now_ms: u64, ratio: u64) {
        let pause = PAUSE_MS_FIRST.saturating_mul(1 << self.failures.min(20)).saturating_mul(ratio).min(PAUSE_MS_MAX);
        self.failures = self.failures.saturating_add(1);
        self.until_ms = now_ms.saturating_add(pause);
    }
}

#[derive(Default, Debug)]
struct Table {
    requests: VecDeque<Request>,
    waiting: Vec<Waiting>,
    /// The plan may be out of date.
    stale: bool,
    /// How many want it still.
    paused: u32,
    generation: u64,
    automatic: Patience,
    aside: BTreeMap<ChunkId, Patience>,
    /// When a pause ends that keeps the automatic goal from something.
    wake_ms: Option<u64>,
    fruitless: u32,
    /// Whether the last job that started was the automatic goal's.
    automatic_last: bool,
}

/// Goals, plans and claims of all tables.
#[derive(Default, Debug)]
pub struct Queue {
    tables: BTreeMap<TableId, Table>,
    running: BTreeMap<JobId, Claimed>,
    /// Jobs to which a slot is lent beside their own.
    helped: BTreeSet<JobId>,
    /// The table that started a job last.
    turn: Option<TableId>,
    last_number: u64,
}

impl Queue {
    /// No tables.
    pub fn new() -> Queue {
        Queue::default()
    }

    fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// A table without goals. It is looked at once, for its automatic goal.
    pub fn add_table(&mut self) -> TableId {
        let id = TableId(self.number());
        self.tables.insert(id, Table { stale: true, ..Table::default() });
        id
    }

    /// Forgets a table and ends its requests. Its claims stay until they finish.
    pub fn remove_table(&mut self, table: TableId) -> Vec<Ended> {
        let ended = self.cancel(table);
        self.tables.remove(&table);
        ended
    }

    /// The table's chunks or limits changed.
    pub fn mark(&mut self, table: TableId) {
        if let Some(table) = self.tables.get_mut(&table) {
            table.stale = true;
        }
    }

    /// Limits of all tables changed.
    pub fn mark_all(&mut self) {
        for table in self.tables.values_mut() {
            table.stale = true;
        }
    }

    /// Puts a goal behind the table's others. None where there is no such table.
    pub fn request(&mut self, table: TableId, goal: Goal, overrides: Overrides) -> Option<RequestId> {
        let id = RequestId(self.number());
        let table = self.tables.get_mut(&table)?;
        table.requests.push_back(Request { id, goal, overrides, scope: None, done: Done::default() });
        table.stale = true;
        Some(id)
    }

    /// Ends all requests of a table; what waits for a slot is forgotten. Claims stay until they finish.
    pub fn cancel(&mut self, table: TableId) -> Vec<Ended> {
        let Some(table) = self.tables.get_mut(&table) else { return Vec::new() };
        table.waiting.clear();
        table.stale = true;
        table.requests.drain(..).map(|r| Ended { request: r.id, result: Err(Failure::Cancelled) }).collect()
    }

    /// Ends all requests of all tables.
    pub fn cancel_all(&mut self, failure: &Failure) -> Vec<Ended> {
        let requests = self.tables.values_mut().flat_map(|t| {
            t.waiting.clear();
            t.requests.drain(..)
        });
        requests.map(|r| Ended { request: r.id, result: Err(failure.clone()) }).collect()
    }

    /// Starts no job of the table until [`Queue::resume`] was called as often. Requests keep their place.
    pub fn pause(&mut self, table: TableId) {
        if let Some(table) = self.tables.get_mut(&table) {
            table.paused += 1;
        }
    }

    /// Takes back one [`Queue::pause`].
    pub fn resume(&mut self, table: TableId) {
        if let Some(table) = self.tables.get_mut(&table) {
            table.paused = table.paused.saturating_sub(1);
            table.stale = true;
        }
    }

    /// The claims of a table.
    pub fn running_of(&self, table: TableId) -> impl Iterator<Item = &Claimed> {
        self.running.values().filter(move |c| c.table == table)
    }

    /// Whether a job of the table runs or waits, a request has not ended, or a change has not been looked at.
    pub fn is_busy(&self, table: TableId) -> bool {
        let waits = self.tables.get(&table).is_some_and(|t| t.stale || !t.waiting.is_empty() || !t.requests.is_empty());
        waits || self.running_of(table).next().is_some()
    }

    /// All claims.
    pub fn running(&self) -> impl Iterator<Item = &Claimed> {
        self.running.values()
    }

    /// All planned jobs that wait for a slot.
    pub fn waiting(&self) -> impl Iterator<Item = (TableId, &Waiting)> {
        self.tables.iter().flat_map(|(id, t)| t.waiting.iter().map(move |w| (*id, w)))
    }

    /// All requests, in the order in which each table will serve them.
    pub fn requests(&self) -> impl Iterator<Item = (TableId, &Request)> {
        self.tables.iter().flat_map(|(id, t)| t.requests.iter().map(move |r| (*id, r)))
    }

    /// A table to read and to plan anew.
    pub fn next_stale(&self, now_ms: u64) -> Option<(TableId, Generation)> {
        let due = |t: &Table| t.stale || t.wake_ms.is_some_and(|at| at <= now_ms);
        self.tables.iter().find(|(_, t)| t.paused == 0 && due(t)).map(|(id, t)| (*id, Generation(t.generation)))
    }

    /// When [`Queue::next_stale`] may answer differently although nothing happened.
    pub fn wake_ms(&self) -> Option<u64> {
        self.tables.values().filter(|t| t.paused == 0).filter_map(|t| t.wake_ms).min()
    }

    /// Plans a table from a reading that began at `generation`; ends the requests that are satisfied. A reading that a finished job
    /// has overtaken is ignored: the table stays stale.
    pub fn replan(&mut self, id: TableId, generation: Generation, layout: Layout, now_ms: u64) -> Vec<Ended> {
        let Some(table) = self.tables.get_mut(&id) else { return Vec::new() };
        if table.paused > 0 || table.generation != generation.0 {
            return Vec::new();
        }
        table.stale = false;
        let claims: Vec<&Claimed> = self.running.values().filter(|c| c.table == id).collect();
        let mut chunks = layout.chunks;
        for claim in &claims {
            for chunk in chunks.iter_mut().filter(|c| claim.job.inputs.contains(&c.id)) {
                chunk.busy = Busy::Job(claim.id);
            }
        }
        let ended = table.plan_requests(&chunks, &layout.limits, &claims);
        table.plan_automatic(&mut chunks, layout.automatic, &layout.limits, &claims, now_ms);
        ended
    }

    /// The table could not be read: its requests fail, its automatic goal pauses.
    pub fn unreadable(&mut self, table: TableId, text: &str, now_ms: u64) -> Vec<Ended> {
        let Some(table) = self.tables.get_mut(&table) else { return Vec::new() };
        table.stale = false;
        table.waiting.clear();
        table.automatic.fail(now_ms, 1);
        table.wake_ms = Some(table.automatic.until_ms);
        table.requests.drain(..).map(|r| Ended { request: r.id, result: Err(Failure::Job(text.to_string())) }).collect()
    }

    /// Claims the job that starts next with `slots` slots in all, if one may.
    pub fn next(&mut self, slots: usize) -> Option<Claimed> {
        let slots = slots.max(1);
        let after = self.turn.map(|t| (std::ops::Bound::Excluded(t), std::ops::Bound::Unbounded));
        let order: Vec<TableId> = match after {
            // The table that had its turn comes last.
            Some(range) => self.tables.range(range).chain(self.tables.range(..=self.turn?)).map(|(id, _)| *id).collect(),
            None => self.tables.keys().copied().collect(),
        };
        let smallest = self.smallest_waiting();
        for id in order {
            // A plan that may be out of date starts nothing.
            let Some(table) = self.tables.get(&id).filter(|t| t.paused == 0 && !t.stale) else { continue };
            let mut indexes: Vec<usize> = (0..table.waiting.len()).collect();
            indexes.sort_by_key(|i| {
                let waiting = &table.waiting[*i];
                (waiting.job.kind != JobKind::Drop, (waiting.owner == Owner::Automatic) == table.automatic_last, waiting.job.bytes)
            });
            if let Some(index) = indexes.into_iter().find(|i| self.may_start(&table.waiting[*i], slots, smallest)) {
                return self.claim(id, index);
            }
        }
        None
    }

    /// Lends an idle slot to the running job `id`, which has one of its own. False where none is idle, one was lent to it before, or a
    /// job is due that will take it at once. [`Queue::give_back`] and [`Queue::finish`] end the loan.
    pub fn lend(&mut self, id: JobId, slots: usize) -> bool {
        let Some(claimed) = self.running.get(&id).filter(|_| !self.helped.contains(&id)) else { return false };
        let is_lent = self.in_use(claimed) < claimed.max_jobs.unwrap_or(slots) && !self.is_start_due(slots);
        if is_lent {
            self.helped.insert(id);
        }
        is_lent
    }

    /// Whether the job `id` may go on with the slot that was lent to it: not once a job that started since makes them too many. Of several
    /// that have borrowed, the first one to ask gives back.
    pub fn may_keep(&self, id: JobId, slots: usize) -> bool {
        let claimed = self.running.get(&id).filter(|_| self.helped.contains(&id));
        claimed.is_some_and(|claimed| self.in_use(claimed) <= claimed.max_jobs.unwrap_or(slots))
    }

    /// Ends a loan.
    pub fn give_back(&mut self, id: JobId) {
        self.helped.remove(&id);
    }

    /// Slots that jobs have, lent ones included, out of those that bound this job.
    fn in_use(&self, claimed: &Claimed) -> usize {
        let merges = self.running.values().filter(|c| c.job.kind != JobKind::Drop);
        let merges = merges.filter(|c| claimed.max_jobs.is_none() || c.owner == claimed.owner);
        merges.map(|c| 1 + usize::from(self.helped.contains(&c.id))).sum()
    }

    /// Whether a slot that is idle will not be so for long.
    fn is_start_due(&self, slots: usize) -> bool {
        let smallest = self.smallest_waiting();
        let may_start = |w: &Waiting| w.job.kind != JobKind::Drop && self.may_start(w, slots, smallest);
        self.tables.values().filter(|t| t.paused == 0).any(|t| t.stale || t.waiting.iter().any(may_start))
    }

    /// Bytes of the smallest job that waits for a slot.
    fn smallest_waiting(&self) -> Option<u64> {
        let tables = self.tables.values().filter(|t| t.paused == 0);
        tables.flat_map(|t| &t.waiting).filter(|w| w.job.kind != JobKind::Drop && w.max_jobs.is_none()).map(|w| w.job.bytes).min()
    }

    fn may_start(&self, waiting: &Waiting, slots: usize, smallest: Option<u64>) -> bool {
        if waiting.job.kind == JobKind::Drop {
            return !self.running.values().any(|c| c.job.kind == JobKind::Drop);
        }
        let merges = || self.running.values().filter(|c| c.job.kind != JobKind::Drop);
        if let Some(own) = waiting.max_jobs {
            return merges().filter(|c| c.owner == waiting.owner).count() < own.max(1);
        }
        if merges().count() >= slots {
            return false;
        }
        let bound = smallest.map_or(u64::MAX, |bytes| bytes.saturating_mul(GIANT_RATIO));
        let is_giant = |job: &Job| job.bytes > bound;
        slots < 2 || !is_giant(&waiting.job) || merges().filter(|c| is_giant(&c.job)).count() + 1 < slots
    }

    fn claim(&mut self, table: TableId, index: usize) -> Option<Claimed> {
        let id = JobId(self.number());
        let entry = self.tables.get_mut(&table)?;
        let Waiting { owner, job, max_jobs } = entry.waiting.remove(index);
        let is_claimed = |chunk: &ChunkId| self.running.values().any(|c| c.table == table && c.job.inputs.contains(chunk));
        debug_assert!(!job.inputs.iter().any(is_claimed), "a chunk is in at most one claim");
        if job.kind != JobKind::Drop {
            entry.automatic_last = owner == Owner::Automatic;
            self.turn = Some(table);
        }
        let claimed = Claimed { id, table, owner, job, max_jobs };
        self.running.insert(id, claimed.clone());
        Some(claimed)
    }

    /// Frees the inputs of a job. Ends its request if it failed; requests that it satisfied end with the next plan.
    pub fn finish(&mut self, job: JobId, ending: Ending, now_ms: u64) -> Vec<Ended> {
        self.helped.remove(&job);
        let Some(claimed) = self.running.remove(&job) else { return Vec::new() };
        let Some(table) = self.tables.get_mut(&claimed.table) else { return Vec::new() };
        table.generation += 1;
        table.stale = true;
        let failed = match ending {
            Ending::Finished { outputs, bytes_in, bytes_out, rows } => {
                table.finished(&claimed, &outputs, Done { jobs: 1, bytes_in, bytes_out, rows });
                None
            }
            Ending::Stopped => {
                table.wait_again(claimed.clone());
                None
            }
            Ending::Nothing => {
                table.fruitless += 1;
                (table.fruitless >= FRUITLESS_MAX).then(|| "chunks that were to be merged are not there".to_string())
            }
            Ending::Failed(text) => Some(text),
        };
        failed.map_or_else(Vec::new, |text| table.failed(&claimed, text, now_ms))
    }
}

impl Table {
    /// Plans the request whose turn it is. Requests that have nothing left to do end here.
    fn plan_requests(&mut self, chunks: &[ChunkStats], limits: &Limits, claims: &[&Claimed]) -> Vec<Ended> {
        let mut ended = Vec::new();
        while let Some(request) = self.requests.front_mut() {
            let own = Owner::Request(request.id);
            let by_size = matches!(request.goal, Goal::TargetSize(_));
            let jobs = match &mut request.scope {
                // A plan by size is made once and needs every chunk: it waits until none is busy.
                None if by_size && !claims.is_empty() => break,
                Some(_) if by_size => {
                    let there: BTreeSet<ChunkId> = chunks.iter().map(|c| c.id).collect();
                    let kept = std::mem::take(&mut self.waiting);
                    let kept = kept.into_iter().filter(|w| w.owner == own && w.job.inputs.iter().all(|c| there.contains(c)));
                    kept.map(|w| w.job).collect()
                }
                scope => {
                    let scope = scope.get_or_insert_with(|| chunks.iter().map(|c| c.id).collect());
                    let inside: Vec<ChunkStats> = chunks.iter().filter(|c| scope.contains(&c.id)).copied().collect();
                    let limits = Limits {
                        max_jobs: request.overrides.max_jobs.unwrap_or(limits.max_jobs),
                        fan_in: request.overrides.fan_in.or(limits.fan_in),
                        ..*limits
                    };
                    plan(&inside, &request.goal, &limits)
                }
            };
            self.waiting.clear();
            let scope = request.scope.as_ref();
            let at_work = claims.iter().any(|c| c.owner == own || c.job.inputs.iter().any(|i| scope.is_some_and(|s| s.contains(i))));
            if !jobs.is_empty() || at_work {
                let max_jobs = request.overrides.max_jobs;
                self.waiting.extend(jobs.into_iter().map(|job| Waiting { owner: own, job, max_jobs }));
                return ended;
            }
            ended.push(Ended { request: request.id, result: Ok(request.done) });
            self.requests.pop_front();
        }
        self.waiting.clear();
        ended
    }

    /// Plans the automatic goal with what is outside of the first request's scope.
    fn plan_automatic(&mut self, chunks: &mut Vec<ChunkStats>, goal: Option<Goal>, limits: &Limits, claims: &[&Claimed], now_ms: u64) {
        let there: BTreeSet<ChunkId> = chunks.iter().map(|c| c.id).collect();
        self.aside.retain(|chunk, _| there.contains(chunk));
        self.wake_ms = None;
        let Some(mut goal) = goal else { return };
        if self.automatic.until_ms > now_ms {
            self.wake_ms = Some(self.automatic.until_ms);
            return;
        }
        if let Some(request) = self.requests.front() {
            let Some(scope) = &request.scope else { return };
            // A job that has published but not finished yet: its outputs look as if they were outside. The end is near, wait.
            if claims.iter().any(|c| c.job.inputs.iter().all(|i| !there.contains(i))) {
                return;
            }
            let inside = chunks.iter().filter(|c| scope.contains(&c.id)).count();
            if let (Goal::Automatic { cutoff }, Goal::Cutoff(asked)) = (&mut goal, request.goal) {
                *cutoff = cutoff.saturating_sub((inside as u64).min(u64::from(asked.max(1))) as u32).max(1);
            }
            chunks.retain(|c| !scope.contains(&c.id));
        }
        for chunk in chunks.iter_mut() {
            let until_ms = self.aside.get(&chunk.id).map_or(0, |p| p.until_ms);
            if until_ms > now_ms && chunk.busy == Busy::Free {
                chunk.busy = Busy::Held;
                self.wake_ms = Some(self.wake_ms.map_or(until_ms, |at| at.min(until_ms)));
            }
        }
        let jobs = plan(chunks, &goal, limits);
        self.waiting.extend(jobs.into_iter().map(|job| Waiting { owner: Owner::Automatic, job, max_jobs: None }));
    }

    fn finished(&mut self, claimed: &Claimed, outputs: &[ChunkId], done: Done) {
        self.fruitless = 0;
        for input in &claimed.job.inputs {
            self.aside.remove(input);
        }
        match claimed.owner {
            Owner::Automatic => self.automatic = Patience::default(),
            Owner::Request(id) => {
                if let Some(request) = self.requests.iter_mut().find(|r| r.id == id) {
                    request.done.jobs += done.jobs;
                    request.done.bytes_in = request.done.bytes_in.saturating_add(done.bytes_in);
                    request.done.bytes_out = request.done.bytes_out.saturating_add(done.bytes_out);
                    request.done.rows = request.done.rows.saturating_add(done.rows);
                }
            }
        }
        for scope in self.requests.iter_mut().filter_map(|r| r.scope.as_mut()) {
            if claimed.job.inputs.iter().any(|i| scope.contains(i)) {
                scope.extend(outputs);
            }
        }
    }

    /// A stopped job of a plan that is not made again goes back to wait.
    fn wait_again(&mut self, claimed: Claimed) {
        let Owner::Request(id) = claimed.owner else { return };
        if let Some(request) = self.requests.front().filter(|r| r.id == id && matches!(r.goal, Goal::TargetSize(_))) {
            self.waiting.push(Waiting { owner: claimed.owner, job: claimed.job, max_jobs: request.overrides.max_jobs });
        }
    }

    fn failed(&mut self, claimed: &Claimed, text: String, now_ms: u64) -> Vec<Ended> {
        self.fruitless = 0;
        match claimed.owner {
            Owner::Automatic => {
                self.automatic.fail(now_ms, 1);
                for input in &claimed.job.inputs {
                    self.aside.entry(*input).or_default().fail(now_ms, ASIDE_RATIO);
                }
                Vec::new()
            }
            Owner::Request(id) => {
                self.waiting.retain(|w| w.owner != claimed.owner);
                let Some(at) = self.requests.iter().position(|r| r.id == id) else { return Vec::new() };
                self.requests.remove(at);
                vec![Ended { request: id, result: Err(Failure::Job(text)) }]
            }
        }
    }
}

#[cfg(test)]
mod tests;
