//! Asking long work to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is raised once and never lowered. Long work looks at it every ≤ 1 MiB or 4 096 rows, in every phase.
///
/// A token made with [`StopToken::child`] is also stopped by its parent, so that one shutdown stops all jobs.
#[derive(Clone, Default, Debug)]
pub struct StopToken {
    own: Arc<AtomicBool>,
    parents: Vec<Arc<AtomicBool>>,
}

/// The work was asked to end before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

impl StopToken {
    /// A token that nobody has stopped.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// A token that is stopped when this one is, and can be stopped alone.
    pub fn child(&self) -> StopToken {
        let mut parents = self.parents.clone();
        parents.push(self.own.clone());
        StopToken { own: Arc::default(), parents }
    }

    /// Raises the flag. Idempotent.
    pub fn stop(&self) {
        // Relaxed is enough: the flag publishes no other write.
        self.own.store(true, Ordering::Relaxed);
    }

    /// Whether this token or one of its parents was stopped.
    pub fn is_stopped(&self) -> bool {
        self.own.load(Ordering::Relaxed) || self.parents.iter().any(|p| p.load(Ordering::Relaxed))
    }

    /// `Err(Stopped)` once stopped, for use with `?`.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_stopped() { Err(Stopped) } else { Ok(()) }
    }
}
