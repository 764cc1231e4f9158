//! What all sessions share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::locks::Locks;
use super::registry::Registry;
use crate::catalog::Catalog;
use crate::types::{SharedSettings, StopToken};

/// What the server puts together to make an [`Engine`].
pub struct Parts {
    /// The tables.
    pub catalog: Arc<Catalog>,
    /// Stopped when the server shuts down; running statements end.
    pub stop: StopToken,
    /// What clients are told the server's version is.
    pub version: String,
    /// Threads that help with a query.
    pub pool: Arc<rayon::ThreadPool>,
}

/// Tables, settings and the list of sessions. One per server.
pub struct Engine {
    pub(super) catalog: Arc<Catalog>,
    pub(super) settings: SharedSettings,
    pub(super) stop: StopToken,
    pub(super) version: String,
    pub(super) pool: Arc<rayon::ThreadPool>,
    pub(super) registry: Arc<Registry>,
    pub(super) locks: Arc<Locks>,
    pub(super) counters: Counters,
    started: Instant,
}

/// Numbers of SHOW STATUS. Each is on its own: no ordering between them is promised.
#[derive(Default)]
pub(super) struct Counters {
    pub connections: Count,
    pub queries: Count,
    pub search: Count,
    pub insert: Count,
    pub replace: Count,
    pub update: Count,
    pub delete: Count,
    pub keywords: Count,
    pub status: Count,
    pub commit: Count,
    /// Statements that ended in an error.
    pub errors: Count,
    /// Microseconds that statements took, summed.
    pub wall_micros: Count,
}

/// One counter.
#[derive(Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    /// Counts `n` more.
    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// What was counted so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Engine {
    /// An engine without sessions.
    pub fn new(parts: Parts) -> Arc<Engine> {
        let Parts { catalog, stop, version, pool } = parts;
        let settings = catalog.settings().clone();
        Arc::new(Engine {
            catalog,
            settings,
            stop,
            version,
            pool,
            registry: Arc::default(),
            locks: Arc::default(),
            counters: Counters::default(),
            started: Instant::now(),
        })
    }

    /// What clients are told the server's version is.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The settings that hold now.
    pub fn settings(&self) -> &SharedSettings {
        &self.settings
    }

    /// Sessions that are open.
    pub fn session_count(&self) -> usize {
        self.registry.len()
    }

    /// Statements that run.
    pub fn running_count(&self) -> usize {
        self.registry.list().iter().filter(|s| s.running.is_some()).count()
    }

    /// Time since the engine was made.
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }
}
