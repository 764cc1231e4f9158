//! Statements made ahead: worker threads fill a bounded store, connections empty it.
//!
//! The text of a statement depends on its number and the seed alone, so that the same command line sends the same rows whatever the
//! number of workers and connections. Statements leave the store about in order, so that ids ascend as far as several connections
//! allow. Small statements travel in parcels, or else the lock would cost more than making them.

use std::collections::BTreeMap;

use parking_lot::{Condvar, Mutex};

use super::arguments::Distribution;
use super::grid::Cell;
use super::random::Random;
use super::statement::StatementTemplate;

/// Bytes of statements that travel together, about.
const PARCEL_BYTES: u64 = 64 << 10;

/// Bytes of a row, for the size of parcels before any is made.
const ROW_BYTES_GUESS: u64 = 256;

/// What to send: all statements of one run of one process.
pub(super) struct Plan {
    /// One or more.
    pub templates: Vec<StatementTemplate>,
    pub distribution: Distribution,
    pub cell: Cell,
    pub seed: u64,
}

/// A text to send, and the rows in it.
#[derive(PartialEq, Debug)]
pub(super) struct Statement {
    pub sql: Vec<u8>,
    pub rows: u64,
}

impl Plan {
    /// Statements of an iteration; the last one may be short.
    fn statements_per_iteration(&self) -> u64 {
        self.cell.total.div_ceil(self.cell.batch_size)
    }

    fn statements(&self) -> u64 {
        self.statements_per_iteration().saturating_mul(self.cell.iterations)
    }

    /// Statements of a parcel: few enough that each connection gets eight parcels or more.
    fn parcel(&self) -> u64 {
        let by_bytes = PARCEL_BYTES / (self.cell.batch_size.saturating_mul(ROW_BYTES_GUESS)).max(1);
        let by_count = self.statements() / (self.cell.threads * 8).max(1);
        by_bytes.min(by_count).max(1)
    }

    /// The statement with the number `number`, counted from 0. `bytes`: about how long it will be.
    fn statement(&self, number: u64, bytes: usize) -> Statement {
        let per_iteration = self.statements_per_iteration().max(1);
        let (iteration, number) = (number / per_iteration, number % per_iteration);
        let first = number * self.cell.batch_size;
        let rows = self.cell.batch_size.min(self.cell.total - first);
        let mut random = Random::new(self.seed, number);
        let which = match self.distribution {
            Distribution::Sequential => number % self.templates.len() as u64,
            Distribution::Random => random.below(self.templates.len() as u64),
        };
        let mut sql = Vec::with_capacity(bytes);
        if let Some(template) = self.templates.get(which as usize) {
            template.write(iteration * self.cell.total + first, rows, &mut random, &mut sql);
        }
        Statement { sql, rows }
    }
}

/// The store between workers and connections.
pub(super) struct Ahead {
    plan: Plan,
    parcel: u64,
    bytes_max: u64,
    store: Mutex<Store>,
    /// A parcel was put in, or none will be any more.
    filled: Condvar,
    /// A parcel was taken out, or nobody wants one any more.
    emptied: Condvar,
}

#[derive(Default)]
struct Store {
    ready: BTreeMap<u64, (Vec<Statement>, u64)>,
    bytes: u64,
    /// Number of the first statement that no worker has begun.
    next: u64,
    /// Parcels that workers are making.
    making: usize,
    closed: bool,
}

impl Ahead {
    /// Nothing is made before a worker [works](Ahead::work).
    pub(super) fn new(plan: Plan, bytes_max: u64) -> Ahead {
        let parcel = plan.parcel();
        Ahead { plan, parcel, bytes_max, store: Mutex::default(), filled: Condvar::new(), emptied: Condvar::new() }
    }

    /// Makes parcels until all are made or the store is closed.
    pub(super) fn work(&self) {
        let all = self.plan.statements();
        // Length of the last statement: growing a buffer over and over would copy each several times.
        let mut length = 0;
        loop {
            let first = {
                let mut store = self.store.lock();
                while store.bytes >= self.bytes_max && !store.closed {
                    self.emptied.wait(&mut store);
                }
                if store.closed || store.next >= all {
                    return;
                }
                store.making += 1;
                let first = store.next;
                store.next += self.parcel;
                first
            };
            let mut made = Vec::with_capacity(self.parcel as usize);
            let mut bytes = 0;
            for number in first..all.min(first + self.parcel) {
                let statement = self.plan.statement(number, length + length / 8);
                length = statement.sql.len();
                bytes += length as u64;
                made.push(statement);
            }
            let mut store = self.store.lock();
            store.making -= 1;
            store.bytes += bytes;
            store.ready.insert(first, (made, bytes));
            drop(store);
            self.filled.notify_all();
        }
    }

    /// Waits until the store is full, or holds all there is.
    pub(super) fn wait_until_full(&self) {
        let mut store = self.store.lock();
        while !store.closed && store.bytes < self.bytes_max && (store.making > 0 || store.next < self.plan.statements()) {
            self.filled.wait(&mut store);
        }
    }

    /// The next statements to send; None if all are sent or the store was closed.
    pub(super) fn take(&self) -> Option<Vec<Statement>> {
        let mut store = self.store.lock();
        loop {
            if store.closed {
                return None;
            }
            if let Some((_, (statements, bytes))) = store.ready.pop_first() {
                store.bytes -= bytes;
                drop(store);
                self.emptied.notify_one();
                return Some(statements);
            }
            if store.making == 0 && store.next >= self.plan.statements() {
                return None;
            }
            self.filled.wait(&mut store);
        }
    }

    /// Ends workers and connections: nothing is made or taken any more.
    pub(super) fn close(&self) {
        self.store.lock().closed = true;
        self.filled.notify_all();
        self.emptied.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use rustc_hash::FxHashMap;

    use super::super::pattern::Words;
    use super::super::vocabulary::Vocabulary;
    use super::*;

    fn plan(loads: &[&str], distribution: Distribution, (total, batch_size, iterations): (u64, u64, u64)) -> Plan {
        let read = |_: &str| Err("no files".to_owned());
        let mut words = Words { built_in: Arc::new(Vocabulary::built_in(50, 1.0, 1)), read: &read, files: FxHashMap::default() };
        let templates = loads.iter().map(|text| StatementTemplate::read(text, &mut words).unwrap_or_else(|e| panic!("{e}"))).collect();
        Plan { templates, distribution, cell: Cell { threads: 2, batch_size, total, iterations }, seed: 7 }
    }

    fn all(plan: Plan, workers: usize, bytes_max: u64) -> Vec<Statement> {
        let ahead = Ahead::new(plan, bytes_max);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| ahead.work());
            }
            std::iter::from_fn(|| ahead.take()).flatten().collect()
        })
    }

    fn text(statement: &Statement) -> String {
        String::from_utf8(statement.sql.clone()).expect("text")
    }

    #[test]
    fn every_row_once_whatever_the_workers() {
        let insert = "INSERT INTO t(id,name) VALUES(<increment>,'<text/1/5>')";
        let sorted = |workers, bytes| {
            let mut statements: Vec<String> =
                all(plan(&[insert], Distribution::Sequential, (95, 10, 2)), workers, bytes).iter().map(text).collect();
            statements.sort();
            statements
        };
        let one = sorted(1, 1);
        assert_eq!(one.len(), 20);
        assert_eq!(one, sorted(4, 1 << 20));
        let statements = all(plan(&[insert], Distribution::Sequential, (95, 10, 2)), 1, 1);
        assert_eq!(statements.iter().map(|s| s.rows).sum::<u64>(), 190);
        assert!(text(&statements[9]).contains("(95,") && statements[9].rows == 5);
        // The second iteration: the same words under ids that go on.
        let words = |statement: &Statement| text(statement).split('\'').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
        assert!(text(&statements[10]).contains("(96,") && text(&statements[19]).contains("(190,"));
        assert_eq!(words(&statements[10]), words(&statements[0]));
        assert_ne!(words(&statements[1]), words(&statements[0]));
    }

    #[test]
    fn several_statements_take_turns() {
        let texts = |distribution| -> Vec<String> {
            all(plan(&["A <increment>", "B <increment>"], distribution, (4, 1, 1)), 1, 1 << 20).iter().map(text).collect()
        };
        assert_eq!(texts(Distribution::Sequential), ["A 1", "B 2", "A 3", "B 4"]);
        let random = texts(Distribution::Random);
        assert!(random.len() == 4 && random == texts(Distribution::Random), "{random:?}");
    }

    #[test]
    fn parcels_are_small_where_statements_are_few() {
        let select = &["SELECT 1"];
        assert_eq!(plan(select, Distribution::Sequential, (100, 1, 1)).parcel(), 6);
        assert_eq!(plan(select, Distribution::Sequential, (1_000_000, 1, 1)).parcel(), 256);
        assert_eq!(plan(select, Distribution::Sequential, (1_000_000, 1000, 1)).parcel(), 1);
    }

    #[test]
    fn a_closed_store_lets_everybody_go() {
        let ahead = Ahead::new(plan(&["SELECT 1"], Distribution::Sequential, (1_000_000, 1, 1)), 1);
        thread::scope(|scope| {
            scope.spawn(|| ahead.work());
            assert!(ahead.take().is_some());
            ahead.close();
            assert!(ahead.take().is_none());
        });
    }
}
