//! What a table does without being asked: flushing when RAM is full or time is up, writing UPDATEd rows out when they are many, merging
//! RAM segments, syncing the log.
//!
//! Two threads a table, started with the first write: one may be busy with a flush for seconds while the other keeps the RAM chunk short
//! and the log synced. Both end when the table is stopped or nobody holds it any more.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::{Table, TableError};

/// With `binlog_flush` 0 and 2 the log is synced so often.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// After a failed flush the next try waits so long.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// What someone wishes done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The RAM chunk has reached its limit.
    Flush,
    /// Rows UPDATEd since the last manifest take too much memory.
    Edits,
    /// There are too many RAM segments.
    Tidy,
    /// The log has records that are not synced.
    Sync,
}

/// Wishes as the threads find them.
#[derive(Default)]
pub struct Signals {
    state: Mutex<State>,
    /// Wakes the thread that flushes. Each thread has its own, since most statements wish for something: none wakes both.
    for_flush: Condvar,
    /// Wakes the thread that tidies and syncs.
    for_tidy: Condvar,
}

#[derive(Default)]
struct State {
    flush: bool,
    edits: bool,
    tidy: bool,
    /// Stays until the sync begins, so that of the many statements between two syncs only the first wakes anyone.
    sync: bool,
    end: bool,
    started: bool,
}

impl Signals {
    /// Wishes something; once until it is taken up.
    pub fn ask(&self, wish: Wish) {
        let mut state = self.state.lock();
        let (flag, thread) = match wish {
            Wish::Flush => (&mut state.flush, &self.for_flush),
            Wish::Edits => (&mut state.edits, &self.for_flush),
            Wish::Tidy => (&mut state.tidy, &self.for_tidy),
            Wish::Sync => (&mut state.sync, &self.for_tidy),
        };
        if !std::mem::replace(flag, true) {
            drop(state);
            thread.notify_one();
        }
    }

    /// Tells both threads to end.
    pub fn end(&self) {
        self.state.lock().end = true;
        self.for_flush.notify_one();
        self.for_tidy.notify_one();
    }
}

/// Starts the table's threads, once.
pub fn start(table: &Arc<Table>) -> Result<(), TableError> {
    let signals = table.signals.clone();
    if std::mem::replace(&mut signals.state.lock().started, true) {
        return Ok(());
    }
    let spawn = |name: String, body: fn(Weak<Table>, Arc<Signals>)| {
        let (weak, signals) = (Arc::downgrade(table), signals.clone());
        std::thread::Builder::new().name(name).spawn(move || body(weak, signals)).map(|_| ()).map_err(|e| TableError::io("thread", e))
    };
    spawn(format!("flush-{}", table.name()), flush_loop)?;
    spawn(format!("tidy-{}", table.name()), tidy_loop)
}

/// Flushes at the limit and when the table's timers say so; writes UPDATEd rows out at theirs.
fn flush_loop(table: Weak<Table>, signals: Arc<Signals>) {
    let mut retry_at: Option<Instant> = None;
    let mut saved_at = Instant::now();
    loop {
        let asked = {
            let mut state = signals.state.lock();
            let until = Instant::now() + SYNC_EVERY;
            while !(state.end || (state.flush || state.edits) && retry_at.is_none_or(|at| at <= Instant::now())) {
                if signals.for_flush.wait_until(&mut state, retry_at.unwrap_or(until).min(until)).timed_out() {
                    break;
                }
            }
            if state.end {
                return;
            }
            // What is asked while the next try of a failed act is waited for stays asked.
            if retry_at.is_some_and(|at| at > Instant::now()) {
                continue;
            }
            std::mem::take(&mut state.flush)
        };
        let Some(table) = table.upgrade() else { return };
        let flush = (asked && table.ram_is_full()) || table.timed_flush_due();
        let mut outcomes = Vec::new();
        if flush {
            outcomes.push(("flush", Wish::Flush, table.flush_ramchunk(&table.stop)));
        }
        // After the flush, whose manifest has most of them in a file already. Looked at whoever asked or not, so that none is forgotten.
        signals.state.lock().edits = false;
        if (table.edits_are_due() || table.log_is_long()) && !table.is_frozen() {
            outcomes.push(("writing out updated rows", Wish::Edits, table.write_edits_out()));
        } else if !flush {
            table.save_if_due(&mut saved_at);
            table.forget_expired();
        }
        retry_at = None;
        for (what, wish, outcome) in outcomes {
            match outcome {
                // Tried again when UNFREEZE asks for it; a table that became read-only has said so.
                Ok(()) | Err(TableError::Stopped(_) | TableError::Frozen(_) | TableError::Poisoned(_)) => {}
                Err(error) => {
                    tracing::error!("table '{}': {what} failed, retrying: {error}", table.name());
                    retry_at = Some(Instant::now() + RETRY_AFTER);
                    signals.ask(wish);
                }
            }
        }
    }
}

/// Merges RAM segments, syncs the log.
fn tidy_loop(table: Weak<Table>, signals: Arc<Signals>) {
    let mut sync_at: Option<Instant> = None;
    loop {
        let tidy = {
            let mut state = signals.state.lock();
            loop {
                if state.end {
                    return;
                }
                if state.sync && sync_at.is_none() {
                    sync_at = Some(Instant::now() + SYNC_EVERY);
                }
                if state.tidy || sync_at.is_some_and(|at| at <= Instant::now()) {
                    break;
                }
                match sync_at {
                    Some(at) => {
                        signals.for_tidy.wait_until(&mut state, at);
                    }
                    None => signals.for_tidy.wait(&mut state),
                }
            }
            std::mem::take(&mut state.tidy)
        };
        let Some(table) = table.upgrade() else { return };
        if tidy {
            table.tidy_all(&table.stop);
        }
        if sync_at.is_some_and(|at| at <= Instant::now()) {
            sync_at = None;
            // Before the sync: what is appended from here on may miss it and wishes for the next one.
            signals.state.lock().sync = false;
            table.sync_log();
        }
    }
}

impl Table {
    fn ram_is_full(&self) -> bool {
        // The lexicon comes before the writer in the lock order, so its bytes are asked for first.
        let lexicon = self.lexicon.read().memory_bytes();
        let writer = self.writer.lock();
        writer.sealed_bytes > 0 || writer.active_bytes + lexicon >= self.ram_limit()
    }

    /// `diskchunk_flush_write_timeout`: nobody has written for so long, and someone has searched lately.
    fn timed_flush_due(&self) -> bool {
        let (own, server) = (self.settings.load(), self.around.settings.load());
        let write = own.diskchunk_flush_write_timeout.unwrap_or(server.diskchunk_flush_write_timeout);
        let search = own.diskchunk_flush_search_timeout.unwrap_or(server.diskchunk_flush_search_timeout);
        if write < 0 || self.is_frozen() {
            return false;
        }
        let quiet = match self.writer.lock().last_write {
            Some(at) => at.elapsed() >= Duration::from_secs(write as u64),
            None => false,
        };
        let searched = search < 0 || self.counters.last_search.lock().is_some_and(|at| at.elapsed() <= Duration::from_secs(search as u64));
        let snapshot = self.snapshot.load();
        quiet && searched && snapshot.parts.len() > snapshot.disk_chunks
    }

    /// `rt_flush_period`: saves the RAM chunk from time to time, so that the log stays short.
    fn save_if_due(&self, saved_at: &mut Instant) {
        let period = self.around.settings.load().rt_flush_period;
        if period == 0 || saved_at.elapsed() < Duration::from_secs(period) || self.is_frozen() {
            return;
        }
        *saved_at = Instant::now();
        if let Err(error) = self.flush_table() {
            tracing::error!("table '{}': saving the RAM chunk: {error}", self.name());
        }
    }

    fn sync_log(&self) {
        let Some(log) = &self.log else { return };
        self.writer.lock().log_dirty = false;
        if let Err(error) = log.sync().and_then(|()| log.rotate_if_large()) {
            let mut writer = self.writer.lock();
            self.poison(&mut writer, error.to_string());
        }
    }
}
