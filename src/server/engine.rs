//! What all connections share: tables, merge threads, query threads. Opened at start, closed at the end.

use std::sync::Arc;

use super::start::Engine;
use crate::catalog::Catalog;
use crate::merge::{Limits, MergePool};
use crate::session::{self, Parts};
use crate::storage::{Disk, Throttle};
use crate::table::Surroundings;
use crate::types::{SharedSettings, StopToken};
use crate::wire::Backend;

/// The engine of a data folder.
struct Opened {
    sessions: Arc<session::Engine>,
    catalog: Arc<Catalog>,
    merges: Arc<MergePool>,
}

/// Opens the tables of the data folder.
pub(super) fn open(disk: &Arc<dyn Disk>, settings: &SharedSettings, version: &str) -> Result<Box<dyn Engine>, String> {
    let read = settings.clone();
    let slots = move || {
        let settings = read.load();
        match settings.merge_paused {
            true => 0,
            false => settings.parallel_chunk_merges.unwrap_or(Limits::chosen_max_jobs(settings.threads)),
        }
    };
    let merges = Arc::new(MergePool::new(slots).map_err(|e| format!("cannot start the merge scheduler: {e}"))?);
    let around = Surroundings {
        disk: disk.clone(),
        settings: settings.clone(),
        stop: StopToken::new(),
        throttle: Arc::new(Throttle::new(settings.clone())),
        pool: merges.clone(),
    };
    let catalog = Arc::new(Catalog::open(around).map_err(|e| e.to_string())?);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.load().threads)
        .thread_name(|i| format!("query-{i}"))
        .build()
        .map_err(|e| format!("cannot start the query threads: {e}"))?;
    let sessions = session::Engine::new(Parts {
        catalog: catalog.clone(),
        // Tables have a token of their own: statements that still run at a stop need living tables.
        stop: StopToken::new(),
        version: version.to_owned(),
        pool: Arc::new(pool),
    });
    Ok(Box::new(Opened { sessions, catalog, merges }))
}

impl Engine for Opened {
    fn backend(&self) -> Arc<dyn Backend> {
        Arc::new(self.sessions.clone())
    }

    fn begin_stop(&self) {
        self.merges.shutdown();
    }

    fn shutdown(self: Box<Self>) -> Result<(), String> {
        self.catalog.close();
        Ok(())
    }
}
