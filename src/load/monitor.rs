//! Watches the table while it is loaded: a connection of its own asks SHOW TABLE t STATUS, and a rule decides when merging is over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::client::{Address, Client, ClientError, TableState};

/// Time between two questions.
const EVERY: Duration = Duration::from_millis(200);

/// How long nothing may happen before a table counts as compacted. A merge that is due begins within a second.
const CALM: Duration = Duration::from_secs(1);

/// The same where chunks are more than the cutoff or the server does not tell it: merging may be off, capped, paused or held up.
const CALM_ABOVE_CUTOFF: Duration = Duration::from_secs(5);

/// How long questions fail before they count as hopeless; a connection may break and be made again.
const HOPELESS: Duration = Duration::from_secs(2);

/// Answers since somebody looked last, with the time since the start of the load at which the question was asked.
#[derive(Default)]
pub(super) struct Monitor {
    answers: Mutex<Vec<(Duration, TableState)>>,
    /// Since when questions fail, and why the last one did.
    failed: Mutex<Option<(Duration, String)>>,
    ended: AtomicBool,
}

impl Monitor {
    /// Asks until [`Monitor::end`] is called. After an error it connects again.
    pub(super) fn watch(&self, address: &Address, table: &str, began: Instant) {
        let mut client = None;
        while !self.ended.load(Ordering::Acquire) {
            let at = began.elapsed();
            match self.ask(&mut client, address, table) {
                Ok(state) => {
                    *self.failed.lock() = None;
                    self.answers.lock().push((at, state));
                }
                Err(error) => {
                    client = None;
                    let mut failed = self.failed.lock();
                    let since = failed.as_ref().map_or(at, |(since, _)| *since);
                    *failed = Some((since, error.to_string()));
                }
            }
            thread::park_timeout(EVERY);
        }
    }

    fn ask(&self, client: &mut Option<Client>, address: &Address, table: &str) -> Result<TableState, ClientError> {
        let client = match client {
            Some(client) => client,
            None => client.insert(Client::connect(address)?),
        };
        TableState::of(client, table)
    }

    pub(super) fn take(&self) -> Vec<(Duration, TableState)> {
        std::mem::take(&mut self.answers.lock())
    }

    /// Why there are no answers, if they have failed for a while at the time `now`.
    pub(super) fn failure(&self, now: Duration) -> Option<String> {
        self.failed.lock().as_ref().filter(|(since, _)| now.saturating_sub(*since) >= HOPELESS).map(|(_, why)| why.clone())
    }

    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }
}

/// Chunks of a table over the time of a run, from the answers in their order.
#[derive(Default, Debug)]
pub(super) struct Chunks {
    /// The newest answer.
    pub latest: Option<TableState>,
    /// The first answer asked for after the load.
    pub loaded: Option<TableState>,
    /// Most disk chunks of any answer.
    pub peak: Option<u64>,
    /// When merging was over, by the rule below.
    pub compacted: Option<Duration>,
    /// Since when nothing happens, and chunks since then.
    pub calm: Option<(Duration, Option<u64>)>,
}

impl Chunks {
    /// `loaded_at`: when the load ended, if it has.
    ///
    /// A table is compacted at the first moment from which on no merge or flush ran, and its chunks stayed as many as they were: for a
    /// second where they are within the cutoff, for five where they are not.
    pub(super) fn see(&mut self, at: Duration, state: TableState, loaded_at: Option<Duration>) {
        self.peak = self.peak.max(state.disk_chunks);
        if let Some(loaded_at) = loaded_at.filter(|loaded_at| *loaded_at <= at) {
            // Nothing to merge at the first look: the end of the load is the time.
            let since = if self.loaded.is_none() { loaded_at } else { at };
            self.loaded.get_or_insert_with(|| state.clone());
            let within = matches!((state.disk_chunks, state.cutoff), (Some(chunks), Some(cutoff)) if chunks <= cutoff);
            self.calm = match self.calm {
                _ if state.optimizing > 0 || state.flushing_bytes > 0 => None,
                Some((since, chunks)) if chunks == state.disk_chunks => {
                    if self.compacted.is_none() && at - since >= if within { CALM } else { CALM_ABOVE_CUTOFF } {
                        self.compacted = Some(since);
                    }
                    Some((since, chunks))
                }
                Some(_) | None => Some((since, state.disk_chunks)),
            };
        }
        self.latest = Some(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When the table is compacted by answers of (tenths of a second, chunks, merges), and when that was known; the load ends at 1.0.
    fn compacted(cutoff: Option<u64>, answers: &[(u64, u64, u64)]) -> (Option<u64>, Option<u64>) {
        let mut chunks = Chunks::default();
        let mut known = None;
        for &(tenths, disk_chunks, optimizing) in answers {
            let state = TableState { disk_chunks: Some(disk_chunks), optimizing, cutoff, ..TableState::default() };
            let at = Duration::from_millis(tenths * 100);
            chunks.see(at, state, (tenths >= 10).then_some(Duration::from_secs(1)));
            if chunks.compacted.is_some() && known.is_none() {
                known = Some(tenths);
            }
        }
        (chunks.compacted.map(|at| at.as_millis() as u64 / 100), known)
    }

    #[test]
    fn the_time_is_when_it_came_to_rest_not_when_that_was_known() {
        let merging = [(5, 20, 1), (11, 20, 1), (20, 16, 0), (25, 16, 0), (30, 16, 0)];
        assert_eq!(compacted(Some(16), &merging), (Some(20), Some(30)));
        // Nothing to do from the first look on.
        assert_eq!(compacted(Some(16), &[(5, 3, 0), (11, 3, 0), (20, 3, 0)]), (Some(10), Some(20)));
        // A pause between two merges is not the end.
        let pause = [(11, 20, 0), (15, 19, 0), (19, 19, 1), (23, 16, 0), (33, 16, 0)];
        assert_eq!(compacted(Some(16), &pause), (Some(23), Some(33)));
        // Above the cutoff, or without one: five seconds of rest.
        for cutoff in [Some(16), None] {
            assert_eq!(compacted(cutoff, &[(11, 20, 0), (30, 20, 0), (59, 20, 0), (60, 20, 0)]), (Some(10), Some(60)));
        }
        assert_eq!(compacted(Some(16), &[(11, 16, 1), (60, 16, 1)]), (None, None));
    }

    #[test]
    fn the_peak_and_the_end_of_the_load_are_kept() {
        let mut chunks = Chunks::default();
        for (at, count) in [(1, 5), (2, 30), (3, 20), (4, 10)] {
            let state = TableState { disk_chunks: Some(count), ..TableState::default() };
            chunks.see(Duration::from_secs(at), state, (at >= 3).then_some(Duration::from_millis(2500)));
        }
        assert_eq!(
            (chunks.peak, chunks.loaded.and_then(|l| l.disk_chunks), chunks.latest.and_then(|l| l.disk_chunks)),
            (Some(30), Some(20), Some(10))
        );
    }
}
