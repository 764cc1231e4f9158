//! LOCK TABLES: sessions that keep a table from changing while they read it, as programs that dump tables do.
//!
//! There are read locks alone: any number of sessions may hold one, and while one does, INSERT, REPLACE, UPDATE, DELETE and TRUNCATE fail, for the
//! holder too. Merges, flushes and DDL go on. A lock is had once the writes that ran when it was asked for have ended; writes that come later
//! fail at once, so that a busy table can be locked.
//!
//! The list knows a table by its identity, not by its name: a table that is dropped and made anew is not locked. Its lock is a leaf, held for a
//! few instructions.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::answer::{Answer, texts};
use super::client::Session;
use super::failure::{Done, Failure, error};
use crate::sql::ast::LockKind;
use crate::table::Table;
use crate::types::{StopToken, Stopped, Value};

/// Time between two looks at the stop token while running writes are waited for.
const LOOK: Duration = Duration::from_millis(20);

/// Which tables are locked, and which are being written. One per engine.
#[derive(Default)]
pub(super) struct Locks {
    tables: Mutex<HashMap<usize, State>>,
    /// A write has ended.
    ended: Condvar,
}

struct State {
    /// Keeps the address, which is the key, from being given to another table.
    _table: Weak<Table>,
    readers: usize,
    writers: usize,
}

/// A read lock; dropping it gives it back.
pub(super) struct ReadLock {
    locks: Arc<Locks>,
    key: usize,
}

/// A write that runs; dropping it says that it has ended.
pub(super) struct Writing {
    locks: Arc<Locks>,
    key: usize,
}

impl Locks {
    fn state<'m>(tables: &'m mut HashMap<usize, State>, table: &Arc<Table>) -> (usize, &'m mut State) {
        let key = Arc::as_ptr(table).addr();
        let new = || State { _table: Arc::downgrade(table), readers: 0, writers: 0 };
        (key, tables.entry(key).or_insert_with(new))
    }

    /// Says that a write of `table` begins. None: the table is locked.
    pub fn begin_write(self: &Arc<Locks>, table: &Arc<Table>) -> Option<Writing> {
        let mut tables = self.tables.lock();
        let (key, state) = Locks::state(&mut tables, table);
        if state.readers > 0 {
            return None;
        }
        state.writers += 1;
        Some(Writing { locks: self.clone(), key })
    }

    /// A read lock of each table, once no write of any of them runs.
    pub fn lock(self: &Arc<Locks>, wanted: &[Arc<Table>], stop: &StopToken) -> Result<Vec<ReadLock>, Stopped> {
        let mut held = Vec::with_capacity(wanted.len());
        let mut tables = self.tables.lock();
        // Before the wait, so that writes which come meanwhile fail instead of making it longer.
        for table in wanted {
            let (key, state) = Locks::state(&mut tables, table);
            state.readers += 1;
            held.push(ReadLock { locks: self.clone(), key });
        }
        while held.iter().any(|lock| tables.get(&lock.key).is_some_and(|state| state.writers > 0)) {
            self.ended.wait_for(&mut tables, LOOK);
            if stop.is_stopped() {
                // Dropping what is held takes the list's lock.
                drop(tables);
                return Err(Stopped);
            }
        }
        Ok(held)
    }

    /// Number of read locks of a table.
    pub fn readers(&self, table: &Arc<Table>) -> usize {
        self.tables.lock().get(&Arc::as_ptr(table).addr()).map_or(0, |state| state.readers)
    }

    fn change(&self, key: usize, change: impl FnOnce(&mut State)) {
        let mut tables = self.tables.lock();
        if let Some(state) = tables.get_mut(&key) {
            change(state);
            if state.readers == 0 && state.writers == 0 {
                tables.remove(&key);
            }
        }
    }
}

impl Drop for ReadLock {
    fn drop(&mut self) {
        self.locks.change(self.key, |state| state.readers -= 1);
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.locks.change(self.key, |state| state.writers -= 1);
        self.locks.ended.notify_all();
    }
}

impl Session {
    /// To be held while `table` is written. Fails where it is locked, by whomever.
    pub(super) fn writing(&self, name: &str, table: &Arc<Table>) -> Result<Writing, Failure> {
        self.engine.locks.begin_write(table).ok_or_else(|| error(format!("table '{name}' is locked")))
    }

    /// Commits what is pending, gives back what was locked before, and locks the tables for reading. A lock for writing is not there in the
    /// dialect: it is answered with a warning.
    pub(super) fn lock_tables(&mut self, wanted: &[(String, LockKind)], answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        let mut tables: Vec<Arc<Table>> = Vec::new();
        for (name, kind) in wanted {
            let table = self.existing(name, || error(format!("Table {name} absent, or not suitable for lock")))?;
            match kind {
                LockKind::Read if tables.iter().any(|t| Arc::ptr_eq(t, &table)) => {}
                LockKind::Read => tables.push(table),
                LockKind::Write => answer.warn(1000, format!("table '{name}': write lock is not implemented")),
            }
        }
        self.locked.clear();
        self.commit(stop)?;
        self.locked = self.engine.locks.lock(&tables, stop)?;
        answer.ok()
    }

    pub(super) fn unlock_tables(&mut self, answer: &mut Answer<'_>) -> Done {
        self.locked.clear();
        answer.ok()
    }

    /// Tables that are locked or frozen, a line for each of the two.
    pub(super) fn show_locks(&self, answer: &mut Answer<'_>) -> Done {
        let mut rows: Vec<[Value; 4]> = Vec::new();
        for table in self.engine.catalog.open_tables() {
            let readers = self.engine.locks.readers(&table);
            if readers > 0 {
                rows.push(texts(["rt", table.name(), "read", &format!("Count: {readers}")]));
            }
            if table.is_frozen() {
                rows.push(texts(["rt", table.name(), "freeze", "Count: 1"]));
            }
        }
        answer.table(&["Type", "Name", "Lock Type", "Additional Info"], rows)
    }
}
