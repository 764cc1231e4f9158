//! The queue by itself: turns between tables, claims, slots, requests, and what a failure leaves.

#![allow(clippy::unwrap_used)]

use super::*;

const MB: u64 = 1 << 20;

/// A queue with tables of equal chunks, driven by hand.
struct Desk {
    queue: Queue,
    tables: Vec<(TableId, Layout)>,
    now_ms: u64,
    ended: Vec<Ended>,
    next_chunk: u64,
}

impl Desk {
    fn new() -> Desk {
        Desk { queue: Queue::new(), tables: Vec::new(), now_ms: 0, ended: Vec::new(), next_chunk: 0 }
    }

    /// A table of chunks of these sizes, in MB, with an automatic goal or without.
    fn table(&mut self, sizes: &[u64], cutoff: Option<u32>, limits: Limits) -> TableId {
        let id = self.queue.add_table();
        let automatic = cutoff.map(|cutoff| Goal::Automatic { cutoff });
        self.tables.push((id, Layout { chunks: Vec::new(), limits, automatic }));
        for size in sizes {
            self.flush(id, *size);
        }
        id
    }

    fn layout(&mut self, table: TableId) -> &mut Layout {
        &mut self.tables.iter_mut().find(|(id, _)| *id == table).unwrap().1
    }

    fn flush(&mut self, table: TableId, size: u64) -> ChunkId {
        self.next_chunk += 1;
        let id = ChunkId(self.next_chunk);
        self.layout(table).chunks.push(ChunkStats::new(id, size * MB, 100, 0));
        self.queue.mark(table);
        id
    }

    fn plan(&mut self) {
        while let Some((table, generation)) = self.queue.next_stale(self.now_ms) {
            let layout = self.layout(table).clone();
            let ended = self.queue.replan(table, generation, layout, self.now_ms);
            self.ended.extend(ended);
        }
    }

    /// Starts what may start; the tables and sizes in MB, in order.
    fn start(&mut self, slots: usize) -> Vec<Claimed> {
        self.plan();
        std::iter::from_fn(|| self.queue.next(slots)).collect()
    }

    fn end(&mut self, claimed: &Claimed, ending: Ending) {
        let ended = self.queue.finish(claimed.id, ending, self.now_ms);
        self.ended.extend(ended);
    }

    fn publish(&mut self, claimed: &Claimed) {
        let layout = self.layout(claimed.table);
        let bytes: u64 = layout.chunks.iter().filter(|c| claimed.job.inputs.contains(&c.id)).map(|c| c.bytes).sum();
        layout.chunks.retain(|c| !claimed.job.inputs.contains(&c.id));
        let outputs = if claimed.job.kind == JobKind::Drop { Vec::new() } else { vec![self.flush(claimed.table, bytes / MB)] };
        self.end(claimed, Ending::Finished { outputs, bytes_in: bytes, bytes_out: bytes, rows: 100 });
    }

    /// Publishes until nothing is left.
    fn run_out(&mut self, slots: usize) {
        let mut running = self.start(slots);
        while !running.is_empty() {
            let first = running.remove(0);
            self.publish(&first);
            running.extend(self.start(slots));
        }
    }

    fn count(&mut self, table: TableId) -> usize {
        self.layout(table).chunks.len()
    }
}

fn limits(max_jobs: usize, fan_in: Option<usize>) -> Limits {
    Limits { max_jobs, fan_in, max_chunk_size: None }
}

fn sizes(claims: &[Claimed]) -> Vec<u64> {
    claims.iter().map(|c| c.job.bytes / MB).collect()
}

#[test]
fn a_request_ends_when_its_goal_is_reached() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 24], None, limits(3, Some(4)));
    let id = desk.queue.request(table, Goal::Cutoff(5), Overrides::default()).unwrap();
    desk.run_out(3);
    assert_eq!(desk.count(table), 5);
    let [Ended { request, result: Ok(done) }] = &desk.ended[..] else { panic!("{:?}", desk.ended) };
    assert_eq!(*request, id);
    assert!(done.jobs >= 7 && done.bytes_in == done.bytes_out, "{done:?}");
}

#[test]
fn a_lone_job_may_use_an_idle_slot() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 8], None, limits(4, Some(4)));
    let own = Overrides { max_jobs: Some(1), ..Overrides::default() };
    desk.queue.request(table, Goal::Cutoff(5), own).unwrap();
    let [job] = &desk.start(4)[..] else { panic!("one job") };
    // Its statement allowed one.
    assert!(!desk.queue.lend(job.id, 4));
    desk.publish(&job.clone());

    desk.queue.request(table, Goal::Cutoff(4), Overrides::default()).unwrap();
    let [job] = &desk.start(4)[..] else { panic!("one job") };
    assert!(!desk.queue.lend(job.id, 1) && desk.queue.lend(job.id, 2));
    assert!(!desk.queue.lend(job.id, 4), "it has a second one, and never gets a third");
    assert!(desk.queue.may_keep(job.id, 2) && !desk.queue.may_keep(job.id, 1));
    desk.queue.give_back(job.id);
    assert!(!desk.queue.may_keep(job.id, 2) && desk.queue.lend(job.id, 2));
    let id = job.id;
    desk.publish(&job.clone());
    assert!(!desk.queue.lend(id, 2) && !desk.queue.may_keep(id, 2), "it has ended");

    desk.table(&[1; 8], Some(6), limits(2, Some(2)));
    let jobs = desk.start(2);
    assert_eq!(jobs.len(), 2);
    assert!(jobs.iter().all(|job| !desk.queue.lend(job.id, 2)));
}

#[test]
fn a_slot_is_lent_once_and_given_back_to_a_job_that_starts() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 4], Some(3), limits(1, Some(2)));
    let other = desk.table(&[1; 4], Some(3), limits(1, Some(2)));
    let [a, b] = &desk.start(3)[..] else { panic!("two jobs") };
    assert!(a.table == table && b.table == other);
    // The third slot goes to one of them.
    assert!(desk.queue.lend(a.id, 3) && !desk.queue.lend(b.id, 3));
    desk.queue.give_back(a.id);
    assert!(desk.queue.lend(b.id, 3) && !desk.queue.lend(a.id, 3));
    // Four are enough for both.
    assert!(desk.queue.lend(a.id, 4));

    // A chunk comes to a third table: nothing is lent while it is not known whether it makes a job, nor while the job is due.
    let third = desk.table(&[1; 4], Some(3), limits(1, Some(2)));
    desk.queue.give_back(b.id);
    assert!(!desk.queue.lend(b.id, 4));
    desk.plan();
    assert!(!desk.queue.lend(b.id, 4));
    // The job does not wait for the borrower, which learns of it when it asks.
    let [c] = &desk.start(3)[..] else { panic!("one job") };
    assert_eq!(c.table, third);
    assert!(!desk.queue.may_keep(a.id, 3) && desk.queue.may_keep(a.id, 4));
    desk.queue.give_back(a.id);
    assert!([a, b, c].iter().all(|job| !desk.queue.lend(job.id, 3)));
    desk.publish(&b.clone());
    desk.plan();
    assert!(desk.queue.lend(a.id, 3) && !desk.queue.lend(c.id, 3));
}

#[test]
fn a_request_with_nothing_to_do_ends_at_once() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 5], None, limits(3, None));
    for goal in [Goal::Cutoff(10), Goal::Cutoff(5), Goal::TargetSize(MB)] {
        desk.queue.request(table, goal, Overrides::default()).unwrap();
    }
    assert_eq!(desk.start(3), []);
    assert!(desk.ended.len() == 3 && desk.ended.iter().all(|e| e.result == Ok(Done::default())), "{:?}", desk.ended);
}

#[test]
fn requests_of_one_table_are_served_in_order() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 20], Some(6), limits(3, None));
    for goal in [Goal::TargetSize(5 * MB), Goal::Cutoff(3), Goal::TargetSize(1024 * MB)] {
        desk.queue.request(table, goal, Overrides::default()).unwrap();
    }
    desk.run_out(3);
    assert_eq!(desk.count(table), 1);
    assert!(desk.ended.is_sorted_by_key(|e| e.request) && desk.ended.iter().all(|e| e.result.is_ok()), "{:?}", desk.ended);
}

#[test]
fn a_request_is_about_the_chunks_of_its_moment() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 4], None, limits(1, None));
    desk.queue.request(table, Goal::Cutoff(1), Overrides::default()).unwrap();
    let [claimed] = &desk.start(1)[..] else { panic!() };
    desk.flush(table, 1);
    desk.publish(claimed);
    assert_eq!(desk.start(1), []);
    assert_eq!((desk.ended.len(), desk.count(table)), (1, 2));
}

#[test]
fn flushes_are_merged_beside_a_request() {
    let desk = &mut Desk::new();
    let table = desk.table(&[100; 8], Some(4), limits(2, Some(4)));
    desk.queue.request(table, Goal::Cutoff(2), Overrides::default()).unwrap();
    let giants = desk.start(1);
    assert_eq!(sizes(&giants), [400]);
    // The request will leave 2 of the 4 chunks that the automatic goal allows; the third and fourth are free for flushes.
    desk.flush(table, 1);
    desk.flush(table, 1);
    assert_eq!(desk.start(1), []);
    desk.flush(table, 1);
    assert_eq!(sizes(&desk.start(2)), [2]);
}

#[test]
fn a_layout_that_a_finished_job_has_overtaken_is_not_planned_with() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 10], Some(8), limits(1, None));
    let [claimed] = &desk.start(1)[..] else { panic!() };
    desk.queue.mark(table);
    let (_, generation) = desk.queue.next_stale(0).unwrap();
    let before = desk.layout(table).clone();
    desk.publish(claimed);
    // With this layout ten chunks would be free, and two more would be merged away.
    assert_eq!(desk.queue.replan(table, generation, before, 0), []);
    assert_eq!(desk.queue.next(1), None);
    assert_eq!(desk.start(1), []);
    assert_eq!(desk.count(table), 8);
}

#[test]
fn tables_take_turns() {
    let desk = &mut Desk::new();
    let tables: Vec<TableId> = (0..3).map(|_| desk.table(&[1; 6], Some(1), limits(1, Some(2)))).collect();
    let mut order = Vec::new();
    for _ in 0..6 {
        let [claimed] = &desk.start(1)[..] else { panic!() };
        order.push(claimed.table);
        desk.publish(claimed);
    }
    assert_eq!(order, [&tables[..], &tables[..]].concat());
}

#[test]
fn giants_leave_a_slot_while_small_jobs_wait() {
    let desk = &mut Desk::new();
    let large = desk.table(&[1000; 4], Some(2), limits(2, Some(2)));
    // Alone, the giants take both slots.
    let giants = desk.start(2);
    assert_eq!(sizes(&giants), [2000, 2000]);
    let small = desk.table(&[1; 6], Some(2), limits(1, Some(2)));
    assert_eq!(desk.start(2), []);
    // With a small job in sight, a giant does not get the slot back.
    desk.flush(large, 1000);
    desk.flush(large, 1000);
    desk.publish(&giants[0]);
    let next = desk.start(2);
    assert_eq!((next[0].table, next.len()), (small, 1));
    desk.publish(&next[0]);
    let next = desk.start(2);
    assert_eq!((next[0].table, next.len()), (small, 1));
    // With the other giant gone, one of each.
    desk.publish(&giants[1]);
    let more = desk.start(2);
    assert_eq!((more[0].table, more.len()), (large, 1));
}

#[test]
fn with_one_slot_a_giant_has_its_turn() {
    let desk = &mut Desk::new();
    let large = desk.table(&[1000; 4], Some(3), limits(1, None));
    desk.table(&[1; 60], Some(2), limits(1, Some(2)));
    let [first] = &desk.start(1)[..] else { panic!() };
    assert_eq!(first.table, large);
}

#[test]
fn a_drop_takes_no_slot() {
    let desk = &mut Desk::new();
    let table = desk.table(&[5, 5, 1, 1], Some(3), limits(1, None));
    let [merge] = &desk.start(1)[..] else { panic!() };
    assert_eq!(merge.job.kind, JobKind::Merge);
    for chunk in &mut desk.layout(table).chunks[..2] {
        chunk.dead = chunk.rows;
    }
    desk.queue.mark(table);
    let [first] = &desk.start(1)[..] else { panic!() };
    desk.publish(first);
    let [second] = &desk.start(1)[..] else { panic!() };
    assert_eq!((&first.job.kind, &second.job.kind), (&JobKind::Drop, &JobKind::Drop));
}

#[test]
fn a_statement_may_have_its_own_limits() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 40], None, limits(1, Some(2)));
    desk.queue.request(table, Goal::Cutoff(24), Overrides { max_jobs: Some(4), fan_in: Some(5) }).unwrap();
    let claims = desk.start(1);
    assert_eq!(claims.len(), 4);
    assert!(claims.iter().all(|c| c.job.inputs.len() == 5), "{claims:?}");
    // For others the slot is taken.
    desk.table(&[1; 4], Some(2), limits(1, Some(2)));
    assert_eq!(desk.start(1), []);
}

#[test]
fn a_failed_job_ends_its_request_and_frees_its_inputs() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 6], None, limits(1, None));
    desk.queue.request(table, Goal::Cutoff(1), Overrides::default()).unwrap();
    let [claimed] = &desk.start(1)[..] else { panic!() };
    desk.end(claimed, Ending::Failed("disk full".into()));
    assert_eq!(desk.ended[0].result, Err(Failure::Job("disk full".into())));
    desk.queue.request(table, Goal::Cutoff(1), Overrides::default()).unwrap();
    desk.run_out(1);
    assert_eq!((desk.ended[1].result.is_ok(), desk.count(table)), (true, 1));
}

#[test]
fn a_broken_chunk_neither_spins_nor_stops_the_others() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1, 2, 3, 5, 6, 7, 8], Some(5), limits(1, Some(2)));
    let [claimed] = &desk.start(1)[..] else { panic!() };
    assert_eq!(sizes(std::slice::from_ref(claimed)), [3]);
    desk.end(claimed, Ending::Failed("corrupt".into()));
    assert_eq!(desk.start(1), []);
    desk.now_ms = desk.queue.wake_ms().unwrap();
    assert_eq!(desk.now_ms, 1_000);
    // The two chunks of the failed job are put aside; the others go on, down to the goal.
    desk.run_out(1);
    assert_eq!((desk.count(table), desk.queue.running().count()), (5, 0));
    // A flush later the pause of the two still lasts, and when it is over they are tried again.
    desk.flush(table, 100);
    desk.flush(table, 1000);
    desk.flush(table, 1000);
    desk.run_out(1);
    assert_eq!(desk.count(table), 5);
    desk.flush(table, 1);
    desk.now_ms = 10_000;
    let [again] = &desk.start(1)[..] else { panic!() };
    assert!(again.job.inputs.contains(&claimed.job.inputs[0]), "{again:?}");
    // Twice as long now.
    desk.end(again, Ending::Failed("corrupt".into()));
    desk.plan();
    assert_eq!(desk.queue.wake_ms(), Some(11_000));
    desk.now_ms = 11_000;
    desk.plan();
    assert_eq!(desk.queue.wake_ms(), Some(20_000));
}

#[test]
fn pauses_grow_to_five_minutes() {
    let mut patience = Patience::default();
    let pauses: Vec<u64> = (0..12)
        .map(|_| {
            patience.fail(0, 1);
            patience.until_ms / 1000
        })
        .collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
}

#[test]
fn jobs_that_never_find_their_chunks_fail_in_the_end() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 3], None, limits(1, None));
    desk.queue.request(table, Goal::Cutoff(1), Overrides::default()).unwrap();
    for _ in 0..FRUITLESS_MAX {
        let [claimed] = &desk.start(1)[..] else { panic!() };
        desk.end(claimed, Ending::Nothing);
    }
    assert!(matches!(&desk.ended[..], [Ended { result: Err(Failure::Job(_)), .. }]), "{:?}", desk.ended);
}

#[test]
fn a_paused_table_starts_nothing_and_goes_on_afterwards() {
    for goal in [Goal::Cutoff(1), Goal::TargetSize(8 * MB)] {
        let desk = &mut Desk::new();
        let table = desk.table(&[1; 8], None, limits(1, None));
        desk.queue.request(table, goal, Overrides::default()).unwrap();
        let [claimed] = &desk.start(1)[..] else { panic!() };
        desk.queue.pause(table);
        desk.queue.pause(table);
        desk.end(claimed, Ending::Stopped);
        assert_eq!(desk.start(1), []);
        desk.queue.resume(table);
        assert_eq!(desk.start(1), []);
        desk.queue.resume(table);
        desk.run_out(1);
        assert_eq!((desk.ended.len(), desk.count(table)), (1, 1), "{goal}");
    }
}

#[test]
fn cancelling_ends_all_requests_of_the_table() {
    let desk = &mut Desk::new();
    let table = desk.table(&[1; 8], None, limits(1, None));
    for _ in 0..3 {
        desk.queue.request(table, Goal::Cutoff(1), Overrides::default()).unwrap();
    }
    let [claimed] = &desk.start(1)[..] else { panic!() };
    let ended = desk.queue.cancel(table);
    assert!(ended.len() == 3 && ended.iter().all(|e| e.result == Err(Failure::Cancelled)));
    desk.end(claimed, Ending::Stopped);
    assert_eq!(desk.start(1), []);
    assert!(desk.ended.is_empty() && !desk.queue.is_busy(table));
    assert_eq!(desk.queue.remove_table(table), []);
    assert_eq!(desk.queue.request(table, Goal::Cutoff(1), Overrides::default()), None);
}
