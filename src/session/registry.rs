//! Who is connected and what runs: SHOW THREADS, SHOW QUERIES, KILL.
//!
//! Locks: the list's lock and each entry's are leaves, held for a few instructions and never both at once while calling out.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::types::StopToken;

/// Bytes of a statement's text that are kept to be shown.
const TEXT_BYTES: usize = 512;

/// All sessions.
#[derive(Default)]
pub(super) struct Registry {
    sessions: Mutex<BTreeMap<u64, Arc<Entry>>>,
    last_id: AtomicU64,
}

/// One session as others see it.
struct Entry {
    id: u64,
    peer: String,
    jobs: AtomicU64,
    state: Mutex<State>,
}

struct State {
    protocol: String,
    user: String,
    running: Option<Running>,
    /// How long the statement before took.
    previous: Option<Duration>,
}

/// Says how far a statement is.
type Note = Arc<dyn Fn() -> String + Send + Sync>;

struct Running {
    text: String,
    note: Option<Note>,
    since: Instant,
    stop: StopToken,
}

/// A session's place in the registry; dropping it takes the session off the list.
pub(super) struct SessionEntry {
    registry: Arc<Registry>,
    entry: Arc<Entry>,
}

/// A statement that runs; dropping it says that it has ended.
pub(super) struct RunningStatement {
    entry: Arc<Entry>,
}

/// What is shown of one session.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub id: u64,
    pub peer: String,
    pub protocol: String,
    pub user: String,
    pub jobs: u64,
    /// Text of the running statement and how long it has run.
    pub running: Option<(String, Duration)>,
    /// How far it is, where it says so.
    pub note: Option<String>,
    pub previous: Option<Duration>,
}

impl Registry {
    /// Puts a new session on the list under the next number, counted from 1.
    pub fn enter(self: &Arc<Registry>, peer: String) -> SessionEntry {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let state = State { protocol: "mysql".into(), user: String::new(), running: None, previous: None };
        let entry = Arc::new(Entry { id, peer, jobs: AtomicU64::new(0), state: Mutex::new(state) });
        self.sessions.lock().insert(id, entry.clone());
        SessionEntry { registry: self.clone(), entry }
    }

    /// Sessions in order of number.
    pub fn list(&self) -> Vec<Shown> {
        let entries: Vec<Arc<Entry>> = self.sessions.lock().values().cloned().collect();
        entries.iter().map(|e| e.shown()).collect()
    }

    /// Sessions on the list.
    pub fn len(&self) -> usize {
        self.sessions.lock().len()
    }

    /// Stops the statement that session `id` runs, if it runs one. False: no such session.
    pub fn kill(&self, id: u64) -> bool {
        let Some(entry) = self.sessions.lock().get(&id).cloned() else { return false };
        if let Some(running) = &entry.state.lock().running {
            running.stop.stop();
        }
        true
    }
}

impl Entry {
    fn shown(&self) -> Shown {
        let state = self.state.lock();
        let note = state.running.as_ref().and_then(|r| r.note.clone());
        let shown = Shown {
            id: self.id,
            peer: self.peer.clone(),
            protocol: state.protocol.clone(),
            user: state.user.clone(),
            jobs: self.jobs.load(Ordering::Relaxed),
            running: state.running.as_ref().map(|r| (r.text.clone(), r.since.elapsed())),
            previous: state.previous,
            note: None,
        };
        // A note looks into other parts of the server, so no lock may be held while it is asked for.
        drop(state);
        Shown { note: note.map(|note| note()), ..shown }
    }
}

impl SessionEntry {
    /// Number of the session.
    pub fn id(&self) -> u64 {
        self.entry.id
    }

    /// Address of the client.
    pub fn peer(&self) -> &str {
        &self.entry.peer
    }

    /// Says who the client is and how it speaks.
    pub fn identify(&self, user: &str, protocol: &str) {
        let mut state = self.entry.state.lock();
        state.user = user.to_owned();
        state.protocol = protocol.to_owned();
    }

    /// Begins a statement, which `stop` ends.
    pub fn begin(&self, text: &str, stop: StopToken) -> RunningStatement {
        let mut cut = text.len().min(TEXT_BYTES);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        self.entry.jobs.fetch_add(1, Ordering::Relaxed);
        self.entry.state.lock().running = Some(Running { text: text[..cut].to_owned(), note: None, since: Instant::now(), stop });
        RunningStatement { entry: self.entry.clone() }
    }
}

impl SessionEntry {
    /// From now until it ends, the running statement says with `note` how far it is.
    pub fn note(&self, note: impl Fn() -> String + Send + Sync + 'static) {
        if let Some(running) = &mut self.entry.state.lock().running {
            running.note = Some(Arc::new(note));
        }
    }
}

impl Drop for RunningStatement {
    fn drop(&mut self) {
        let mut state = self.entry.state.lock();
        state.previous = state.running.take().map(|r| r.since.elapsed());
    }
}

impl Drop for SessionEntry {
    fn drop(&mut self) {
        self.registry.sessions.lock().remove(&self.entry.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_come_run_and_go() {
        let registry = Arc::new(Registry::default());
        let (a, b) = (registry.enter("1.2.3.4:5".into()), registry.enter("x".into()));
        a.identify("root", "http");
        assert_eq!((a.id(), b.id(), registry.len()), (1, 2, 2));
        let stop = StopToken::new();
        let running = a.begin(&"ж".repeat(1000), stop.clone());
        let shown = registry.list();
        assert_eq!((shown[0].protocol.as_str(), shown[0].user.as_str(), shown[0].jobs), ("http", "root", 1));
        assert_eq!(shown[0].running.as_ref().map(|r| r.0.len()), Some(TEXT_BYTES));
        assert!(shown[1].running.is_none());
        a.note(|| "half".into());
        b.note(|| "nothing runs here".into());
        assert_eq!(registry.list().into_iter().map(|s| s.note).collect::<Vec<_>>(), [Some("half".to_owned()), None]);
        assert!(registry.kill(2) && !stop.is_stopped());
        assert!(registry.kill(1) && stop.is_stopped());
        assert!(!registry.kill(3));
        drop(running);
        assert!(registry.list()[0].running.is_none() && registry.list()[0].previous.is_some());
        drop(a);
        assert_eq!(registry.len(), 1);
        assert_eq!(registry.enter("y".into()).id(), 3);
    }
}
