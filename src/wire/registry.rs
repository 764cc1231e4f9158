//! Who is connected, and who of them waits for an answer.
//!
//! A connection enters itself once; per statement it only stores a number, so that keeping watch costs a statement nothing. One lock, held
//! for short loops only and never while calling elsewhere.

use std::collections::HashMap;
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::socket::{Peer, Socket};
use crate::types::StopToken;

/// Between two looks at the sockets of running statements.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A connection as others see it.
#[derive(Debug)]
struct Slot {
    socket: Arc<Socket>,
    /// Stops what the session runs.
    token: StopToken,
    /// A command is being answered. Written and then `stopping` read by the connection, the other way round by [`Registry::begin_stop`], all
    /// sequentially consistent: one of the two sees the other.
    busy: AtomicBool,
}

/// All connections.
#[derive(Default)]
pub(super) struct Registry {
    slots: Mutex<HashMap<u64, Arc<Slot>>>,
    next: AtomicUsize,
    /// Connections that count towards the limit.
    counted: AtomicUsize,
    /// All places that are taken: connections, and those that are about to be or have just been.
    taken: AtomicUsize,
    /// Rung whenever a connection leaves, and when the watch is to end.
    left: Condvar,
    /// No new commands are taken.
    stopping: AtomicBool,
    /// The watch ends.
    closed: AtomicBool,
}

/// A place among the connections that the limit counts; given back when dropped.
pub(super) struct Place {
    registry: Arc<Registry>,
    counts: bool,
}

/// An entry in the registry; leaves it when dropped.
pub(super) struct Entry {
    registry: Arc<Registry>,
    key: u64,
    slot: Arc<Slot>,
}

impl Registry {
    /// Takes a place if fewer than `max` are taken (0 = no limit). One that does not count is always given.
    pub(super) fn place(self: &Arc<Registry>, max: usize, counts: bool) -> Option<Place> {
        if counts {
            let taken = self.counted.fetch_add(1, Ordering::Relaxed);
            if max > 0 && taken >= max {
                self.counted.fetch_sub(1, Ordering::Relaxed);
                return None;
            }
        }
        self.taken.fetch_add(1, Ordering::SeqCst);
        Some(Place { registry: self.clone(), counts })
    }

    /// Enters a connection. `token` stops its session.
    pub(super) fn enter(self: &Arc<Registry>, socket: Arc<Socket>, token: StopToken) -> Entry {
        let key = self.next.fetch_add(1, Ordering::Relaxed) as u64;
        let slot = Arc::new(Slot { socket, token, busy: AtomicBool::new(false) });
        self.slots.lock().insert(key, slot.clone());
        // A stop that came before this entry could not see it.
        if self.is_stopping() {
            slot.socket.shutdown(Shutdown::Read);
        }
        Entry { registry: self.clone(), key, slot }
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Number of connections.
    pub(super) fn len(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }

    /// Looks after the sockets until [`Registry::close`]: a session whose client is gone is stopped, and an idle one that was stopped
    /// (by KILL) is disconnected.
    pub(super) fn watch(&self) {
        while !self.closed.load(Ordering::Relaxed) {
            let slots: Vec<Arc<Slot>> = {
                let mut slots = self.slots.lock();
                self.left.wait_for(&mut slots, LOOK_EVERY);
                slots.values().filter(|slot| slot.busy.load(Ordering::Relaxed) || slot.token.is_stopped()).cloned().collect()
            };
            for slot in slots {
                if !slot.busy.load(Ordering::Relaxed) {
                    if slot.token.is_stopped() {
                        slot.socket.shutdown(Shutdown::Both);
                    }
                } else if slot.socket.peer() == Peer::Gone {
                    slot.token.stop();
                }
            }
            // Connections that leave ring the bell; a crowd of them must not make this loop spin.
            std::thread::sleep(LOOK_EVERY / 10);
        }
    }

    /// Ends the watch.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.left.notify_all();
    }

    /// Takes no more commands: idle clients are disconnected, the others after the answer they wait for.
    pub(super) fn begin_stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        for slot in self.slots.lock().values() {
            if !slot.busy.load(Ordering::SeqCst) {
                // Only the reading half: a command that came at this moment still gets its answer, which is an error.
                slot.socket.shutdown(Shutdown::Read);
            }
        }
    }

    /// Stops what every session runs.
    pub(super) fn stop_statements(&self) {
        for slot in self.slots.lock().values() {
            slot.token.stop();
        }
    }

    /// Cuts every connection.
    pub(super) fn cut(&self) {
        for slot in self.slots.lock().values() {
            slot.socket.shutdown(Shutdown::Both);
        }
    }

    /// Waits until every place is given back, at most for `wait`. Gives the number of those that are not.
    pub(super) fn wait_empty(&self, wait: Duration) -> usize {
        let until = Instant::now() + wait;
        let mut slots = self.slots.lock();
        while self.taken.load(Ordering::SeqCst) > 0 {
            if self.left.wait_until(&mut slots, until).timed_out() {
                break;
            }
        }
        self.taken.load(Ordering::SeqCst)
    }
}

impl Entry {
    /// A command has come. False if no more commands are taken.
    #[must_use]
    pub(super) fn begin_command(&self) -> bool {
        self.slot.busy.store(true, Ordering::SeqCst);
        !self.registry.is_stopping()
    }

    /// The answer is written. False if the connection is to end: no more commands are taken, or the session was stopped.
    #[must_use]
    pub(super) fn end_command(&self) -> bool {
        self.slot.busy.store(false, Ordering::SeqCst);
        !self.registry.is_stopping() && !self.slot.token.is_stopped()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.counts {
            self.registry.counted.fetch_sub(1, Ordering::Relaxed);
        }
        self.registry.taken.fetch_sub(1, Ordering::SeqCst);
        // Under the lock: between a waiter's look and its sleep nothing can happen.
        let _slots = self.registry.slots.lock();
        self.registry.left.notify_all();
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.registry.slots.lock().remove(&self.key);
    }
}
