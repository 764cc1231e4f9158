//! A table that merges nothing, with gates where a test wants to look. No test waits for a time to pass.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::merge::policy::{ChunkStats, JobKind, Limits};
use crate::types::ChunkId;

/// What a fake table does with a job.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Publish,
    /// Tells that it runs, then waits for a word through the gate (or for its stop token).
    Gated,
    Fail,
    Panic,
    /// Panics for jobs with this input, publishes others.
    PanicAt(u64),
}

struct Fake {
    chunks: Mutex<Vec<ChunkStats>>,
    limits: Mutex<Limits>,
    automatic: Mutex<Option<Goal>>,
    manner: Mutex<Manner>,
    /// A job of a gated table began.
    begun: Sender<Vec<u64>>,
    /// One message lets one gated job go on.
    gate: Mutex<Receiver<()>>,
    at_once: AtomicUsize,
    at_once_max: AtomicUsize,
    /// The spare slot of the job that began last.
    spare: Mutex<Option<Arc<dyn Spare>>>,
}

struct Test {
    fake: Arc<Fake>,
    begun: Receiver<Vec<u64>>,
    gate: Sender<()>,
}

fn fake(count: u64, max_jobs: usize, manner: Manner) -> Test {
    let (begun_in, begun) = channel();
    let (gate, gate_out) = channel();
    let fake = Arc::new(Fake {
        chunks: Mutex::new((1..=count).map(|id| ChunkStats::new(ChunkId(id), 1000, 10, 0)).collect()),
        limits: Mutex::new(Limits { max_jobs, fan_in: Some(2), max_chunk_size: None }),
        automatic: Mutex::new(None),
        manner: Mutex::new(manner),
        begun: begun_in,
        gate: Mutex::new(gate_out),
        at_once: AtomicUsize::new(0),
        at_once_max: AtomicUsize::new(0),
        spare: Mutex::new(None),
    });
    Test { fake, begun, gate }
}

impl Fake {
    fn count(&self) -> usize {
        self.chunks.lock().len()
    }

    fn publish(&self, job: &Job) -> Outcome {
        let mut chunks = self.chunks.lock();
        let before = chunks.len();
        chunks.retain(|c| !job.inputs.contains(&c.id));
        if before - chunks.len() < job.inputs.len() {
            return Outcome::Nothing;
        }
        if job.kind == JobKind::Drop {
            return Outcome::Finished { outputs: Vec::new(), bytes_in: 0, bytes_out: 0, rows: 0 };
        }
        // Job inputs are never used twice, so neither is this id.
        let id = ChunkId(job.inputs[0].0 + 1000);
        chunks.push(ChunkStats::new(id, job.bytes, 10, 0));
        Outcome::Finished { outputs: vec![id], bytes_in: job.bytes, bytes_out: job.bytes, rows: 10 }
    }
}

impl Source for Fake {
    fn name(&self) -> String {
        "t".to_string()
    }

    fn chunks(&self) -> Vec<ChunkStats> {
        self.chunks.lock().clone()
    }

    fn limits(&self) -> Limits {
        *self.limits.lock()
    }

    fn automatic_goal(&self) -> Option<Goal> {
        *self.automatic.lock()
    }

    fn run(&self, job: &Job, context: &JobContext) -> Result<Outcome, String> {
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.at_once_max.fetch_max(now, Ordering::SeqCst);
        *self.spare.lock() = context.spare.clone();
        let manner = *self.manner.lock();
        let answer = match manner {
            Manner::Publish => Ok(self.publish(job)),
            Manner::Gated => {
                context.progress.add_read(job.bytes);
                let _ = self.begun.send(job.inputs.iter().map(|i| i.0).collect());
                loop {
                    if context.stop.is_stopped() {
                        break Ok(Outcome::Stopped);
                    }
                    if self.gate.lock().try_recv().is_ok() {
                        break Ok(self.publish(job));
                    }
                    std::thread::yield_now();
                }
            }
            Manner::Fail => Err("disk full".to_string()),
            Manner::PanicAt(chunk) if !job.inputs.contains(&ChunkId(chunk)) => Ok(self.publish(job)),
            Manner::Panic | Manner::PanicAt(_) => {
                self.at_once.fetch_sub(1, Ordering::SeqCst);
                panic!("chunk 7 is corrupt");
            }
        };
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        answer
    }
}

fn pool(slots: usize) -> MergePool {
    MergePool::new(move || slots).unwrap()
}

fn enter(pool: &MergePool, fake: &Arc<Fake>) -> TableTicket {
    let source: Arc<dyn Source> = fake.clone();
    pool.register(&source)
}

fn optimize(ticket: &TableTicket, cutoff: u32) -> Waiter {
    ticket.request(Goal::Cutoff(cutoff), Overrides::default())
}

#[test]
fn a_waiter_returns_when_the_goal_is_reached() {
    let pool = pool(3);
    let test = fake(24, 3, Manner::Publish);
    let ticket = enter(&pool, &test.fake);
    let done = optimize(&ticket, 5).wait(&StopToken::new()).unwrap();
    assert_eq!((test.fake.count(), done.jobs), (5, 19));
    assert_eq!(optimize(&ticket, 5).wait(&StopToken::new()), Ok(Done::default()));
    assert_eq!(optimize(&ticket, 50).wait(&StopToken::new()), Ok(Done::default()));
    assert_eq!(pool.history().len(), 19);
    assert!(pool.history().iter().all(|h| matches!(h.ending, Ending::Finished { .. })));
    assert!(pool.running().is_empty() && pool.queued().is_empty());
}

#[test]
fn jobs_run_side_by_side_up_to_the_slots() {
    let pool = pool(2);
    let test = fake(16, 4, Manner::Gated);
    let ticket = enter(&pool, &test.fake);
    let waiter = optimize(&ticket, 8);
    for _ in 0..2 {
        test.begun.recv().unwrap();
    }
    let running = pool.running();
    assert_eq!(running.iter().map(|r| (&*r.table, r.read, r.job.inputs.len())).collect::<Vec<_>>(), [("t", 2000, 2), ("t", 2000, 2)]);
    // Two more are planned, and the request has not ended.
    assert_eq!(pool.queued().len(), 3);
    assert_eq!(ticket.running_count(), 2);
    for _ in 0..8 {
        test.gate.send(()).unwrap();
    }
    waiter.wait(&StopToken::new()).unwrap();
    assert_eq!((test.fake.count(), test.fake.at_once_max.load(Ordering::SeqCst)), (8, 2));
}

#[test]
fn slots_follow_the_settings() {
    let slots = Arc::new(AtomicUsize::new(1));
    let of_pool = slots.clone();
    let pool = MergePool::new(move || of_pool.load(Ordering::SeqCst)).unwrap();
    let test = fake(32, 4, Manner::Gated);
    let ticket = enter(&pool, &test.fake);
    let waiter = optimize(&ticket, 8);
    test.begun.recv().unwrap();
    assert_eq!(pool.running().len(), 1);
    slots.store(3, Ordering::SeqCst);
    pool.settings_changed();
    for _ in 0..2 {
        test.begun.recv().unwrap();
    }
    assert_eq!(pool.running().len(), 3);
    slots.store(1, Ordering::SeqCst);
    pool.settings_changed();
    *test.fake.manner.lock() = Manner::Publish;
    for _ in 0..3 {
        test.gate.send(()).unwrap();
    }
    waiter.wait(&StopToken::new()).unwrap();
    assert_eq!((test.fake.count(), test.fake.at_once_max.load(Ordering::SeqCst)), (8, 3));
}

#[test]
fn without_slots_nothing_starts_and_what_runs_is_seen() {
    let slots = Arc::new(AtomicUsize::new(0));
    let of_pool = slots.clone();
    let pool = MergePool::new(move || of_pool.load(Ordering::SeqCst)).unwrap();
    let test = fake(3, 1, Manner::Gated);
    test.fake.limits.lock().fan_in = None;
    let ticket = enter(&pool, &test.fake);
    let waiter = optimize(&ticket, 1);
    while !pool.queued().iter().any(|w| matches!(w, QueuedWork::Job { .. })) {
        std::thread::yield_now();
    }
    assert!(pool.running().is_empty() && ticket.busy().is_empty());
    slots.store(1, Ordering::SeqCst);
    pool.settings_changed();
    test.begun.recv().unwrap();
    let running = pool.running().remove(0);
    assert_eq!((running.request, running.read, running.percent()), (waiter.request(), 3000, 5.0));
    assert_eq!(ticket.busy().into_iter().collect::<Vec<_>>(), [1, 2, 3].map(|id| (ChunkId(id), running.id)));
    test.gate.send(()).unwrap();
    waiter.wait(&StopToken::new()).unwrap();
    assert_eq!(pool.totals(), Totals { finished: 1, bytes_in: 3000, bytes_out: 3000, ..Totals::default() });
    assert!(pool.speed().is_measured());
}

#[test]
fn what_is_left_of_a_job() {
    let job = Job { kind: JobKind::Merge, inputs: Vec::new(), bytes: 1000, reason: crate::merge::Reason::AskedSize { target: 1 } };
    let left = |read, written, elapsed| {
        let elapsed = Duration::from_secs(elapsed);
        let job = RunningJob {
            id: JobId(1),
            table: "t".into(),
            request: None,
            job: job.clone(),
            elapsed,
            read,
            written,
            rows: 0,
            expected: 1000,
        };
        let mut usual = Speed::default();
        usual.observe(100, Duration::from_secs(1));
        job.left(&usual).as_secs()
    };
    // As others took ten seconds; by its own pace from a tenth on, and once it is late.
    assert_eq!([left(0, 0, 3), left(1000, 500, 6), left(200, 0, 20)], [7, 5, 1980]);
    assert_eq!(left(0, 0, 20), 0);
}

#[test]
fn flushes_wake_the_automatic_goal() {
    let pool = pool(1);
    let test = fake(4, 1, Manner::Gated);
    *test.fake.automatic.lock() = Some(Goal::Automatic { cutoff: 4 });
    let ticket = enter(&pool, &test.fake);
    test.fake.chunks.lock().push(ChunkStats::new(ChunkId(5), 1000, 10, 0));
    ticket.wake();
    assert_eq!(test.begun.recv().unwrap(), [1, 2]);
    assert!(ticket.is_merging());
    test.gate.send(()).unwrap();
    // A request that is satisfied by the automatic job waits for it.
    optimize(&ticket, 4).wait(&StopToken::new()).unwrap();
    assert_eq!(test.fake.count(), 4);
}

#[test]
fn a_failure_reaches_the_waiter_and_leaves_the_chunks() {
    let pool = pool(2);
    let test = fake(6, 2, Manner::Fail);
    let ticket = enter(&pool, &test.fake);
    assert_eq!(optimize(&ticket, 1).wait(&StopToken::new()), Err(Failure::Job("disk full".into())));
    *test.fake.manner.lock() = Manner::Panic;
    let Err(Failure::Job(text)) = optimize(&ticket, 1).wait(&StopToken::new()) else { panic!() };
    assert_eq!(text, "panicked: chunk 7 is corrupt");
    assert_eq!(test.fake.count(), 6);
    assert!(pool.history().iter().any(|h| h.ending == Ending::Failed(text.clone())));
    *test.fake.manner.lock() = Manner::Publish;
    optimize(&ticket, 1).wait(&StopToken::new()).unwrap();
    assert_eq!(test.fake.count(), 1);
}

#[test]
fn a_panic_stops_neither_other_tables_nor_the_automatic_goal_of_others() {
    let pool = pool(1);
    let (broken, sound) = (fake(6, 1, Manner::PanicAt(1)), fake(6, 1, Manner::Publish));
    *broken.fake.automatic.lock() = Some(Goal::Automatic { cutoff: 2 });
    let broken_ticket = enter(&pool, &broken.fake);
    let sound_ticket = enter(&pool, &sound.fake);
    optimize(&sound_ticket, 2).wait(&StopToken::new()).unwrap();
    assert_eq!(sound.fake.count(), 2);
    assert!(optimize(&broken_ticket, 1).wait(&StopToken::new()).is_err());
    assert_eq!(pool.running().len(), 0);
}

#[test]
fn a_waiter_that_is_killed_leaves_the_job() {
    let pool = pool(1);
    let test = fake(2, 1, Manner::Gated);
    let ticket = enter(&pool, &test.fake);
    let waiter = optimize(&ticket, 1);
    test.begun.recv().unwrap();
    let stop = StopToken::new();
    stop.stop();
    assert_eq!(waiter.wait(&stop), Err(Failure::WaitEnded));
    assert_eq!((pool.running().len(), waiter.poll()), (1, None));
    test.gate.send(()).unwrap();
    assert_eq!(waiter.wait(&StopToken::new()).unwrap().jobs, 1);
}

#[test]
fn cancel_stops_the_jobs_and_waits_for_them() {
    let pool = pool(2);
    let test = fake(8, 2, Manner::Gated);
    let ticket = enter(&pool, &test.fake);
    let waiters = [optimize(&ticket, 1), optimize(&ticket, 1)];
    for _ in 0..2 {
        test.begun.recv().unwrap();
    }
    ticket.cancel();
    assert_eq!(test.fake.at_once.load(Ordering::SeqCst), 0);
    for waiter in waiters {
        assert_eq!(waiter.wait(&StopToken::new()), Err(Failure::Cancelled));
    }
    assert_eq!((test.fake.count(), pool.running().len()), (8, 0));
    assert!(pool.history().iter().all(|h| h.ending == Ending::Stopped));
}

#[test]
fn a_paused_table_is_still_until_the_guard_is_dropped() {
    let pool = pool(2);
    let test = fake(8, 2, Manner::Gated);
    let ticket = enter(&pool, &test.fake);
    let waiter = optimize(&ticket, 1);
    for _ in 0..2 {
        test.begun.recv().unwrap();
    }
    let guard = ticket.pause();
    assert_eq!((test.fake.at_once.load(Ordering::SeqCst), test.fake.count()), (0, 8));
    *test.fake.manner.lock() = Manner::Publish;
    ticket.wake();
    // Another table is not paused, and with its answer the scheduler has passed this one.
    let other = fake(3, 1, Manner::Publish);
    let other_ticket = enter(&pool, &other.fake);
    optimize(&other_ticket, 1).wait(&StopToken::new()).unwrap();
    assert_eq!((waiter.poll(), test.fake.count()), (None, 8));
    drop(guard);
    waiter.wait(&StopToken::new()).unwrap();
    assert_eq!(test.fake.count(), 1);
}

#[test]
fn shutdown_ends_jobs_waiters_and_threads() {
    let pool = pool(2);
    let test = fake(8, 2, Manner::Gated);
    let ticket = enter(&pool, &test.fake);
    let waiter = optimize(&ticket, 1);
    for _ in 0..2 {
        test.begun.recv().unwrap();
    }
    pool.shutdown();
    assert_eq!(waiter.wait(&StopToken::new()), Err(Failure::ShuttingDown));
    assert_eq!((test.fake.at_once.load(Ordering::SeqCst), test.fake.count()), (0, 8));
    assert_eq!(optimize(&ticket, 1).wait(&StopToken::new()), Err(Failure::ShuttingDown));
    pool.shutdown();
    ticket.cancel();
    drop(ticket.pause());
    assert!(pool.running().is_empty());
}

#[test]
fn a_table_that_is_gone_is_forgotten() {
    let pool = pool(1);
    let test = fake(8, 1, Manner::Gated);
    let ticket = enter(&pool, &test.fake);
    let waiter = optimize(&ticket, 1);
    test.begun.recv().unwrap();
    drop(ticket);
    assert_eq!(waiter.wait(&StopToken::new()), Err(Failure::Cancelled));
    // A source that is dropped without its ticket: its request ends too.
    let gone = fake(8, 1, Manner::Publish);
    let ticket = enter(&pool, &gone.fake);
    drop(gone);
    assert_eq!(optimize(&ticket, 1).wait(&StopToken::new()), Err(Failure::Cancelled));
}

#[test]
fn many_tables_many_requests() {
    let pool = pool(4);
    let tests: Vec<Test> = (0..8).map(|_| fake(40, 4, Manner::Publish)).collect();
    let tickets: Vec<TableTicket> = tests.iter().map(|t| enter(&pool, &t.fake)).collect();
    let waiters: Vec<Waiter> = tickets.iter().flat_map(|t| [30, 10, 3].map(|cutoff| optimize(t, cutoff))).collect();
    for waiter in waiters {
        waiter.wait(&StopToken::new()).unwrap();
    }
    assert!(tests.iter().all(|t| t.fake.count() == 3));
}

#[test]
fn an_idle_slot_is_lent_until_a_job_starts_in_it() {
    let pool = pool(2);
    let (first, second) = (fake(2, 1, Manner::Gated), fake(2, 1, Manner::Gated));
    let tickets = [enter(&pool, &first.fake), enter(&pool, &second.fake)];
    let one = optimize(&tickets[0], 1);
    first.begun.recv().unwrap();
    let spare = first.fake.spare.lock().clone().unwrap();
    // The scheduler may still have a look at the other table.
    while !spare.take() {
        std::thread::yield_now();
    }
    assert!(spare.may_keep() && !spare.take());
    let two = optimize(&tickets[1], 1);
    second.begun.recv().unwrap();
    let other = second.fake.spare.lock().clone().unwrap();
    assert!(!spare.may_keep() && !other.take());
    spare.give_back();
    assert!(!spare.take() && !other.take());
    first.gate.send(()).unwrap();
    one.wait(&StopToken::new()).unwrap();
    assert!(!spare.take(), "its job has ended");
    while !other.take() {
        std::thread::yield_now();
    }
    second.gate.send(()).unwrap();
    two.wait(&StopToken::new()).unwrap();
}
