//! Slowing writers down where merging does not keep up.
//!
//! Each statement that brings rows waits after its commit, without any lock: its rows are visible and as durable as asked before it does.
//! The wait grows with the square of what the disk chunks are too many, so that it begins softly and holds chunks below twice the limit:
//!
//! ```text
//! limit = cutoff × insert_throttle_factor        wait = 500 ms × ((chunks − limit) ÷ limit)², at most 500 ms
//! ```
//!
//! It holds while merges are paused too: then it is all that keeps the chunks from growing without end.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::table::Table;
use crate::types::StopToken;

/// Longest wait of one statement.
const WAIT_MAX: Duration = Duration::from_millis(500);
/// How often a statement that waits looks whether it was stopped.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a statement that brings rows waits where the table has so many disk chunks; nothing up to `limit`, and never at a limit of 0.
pub fn wait(chunks: usize, limit: usize) -> Duration {
    if limit == 0 || chunks <= limit {
        return Duration::ZERO;
    }
    let excess = (chunks - limit) as f64 / limit as f64;
    WAIT_MAX.mul_f64((excess * excess).min(1.0))
}

impl Table {
    /// How long a statement that brings rows waits now.
    pub fn insert_delay(&self) -> Duration {
        if self.auto_optimize() == 0 {
            return Duration::ZERO;
        }
        let factor = self.around.settings.load().insert_throttle_factor as usize;
        wait(self.snapshot.load().disk_chunks, (self.automatic_cutoff() as usize).saturating_mul(factor))
    }

    /// Waits as long as it takes; ends early where the statement or the table is stopped.
    pub(super) fn slow_down(&self, stop: &StopToken) {
        let delay = self.insert_delay();
        if delay.is_zero() {
            return;
        }
        let started = Instant::now();
        while let Some(left) = delay.checked_sub(started.elapsed()).filter(|left| !left.is_zero()) {
            if stop.is_stopped() || self.stop.is_stopped() {
                break;
            }
            std::thread::sleep(left.min(LOOK_EVERY));
        }
        self.counters.slowed.fetch_add(1, Ordering::Relaxed);
        self.counters.slowed_millis.fetch_add(started.elapsed().as_millis() as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_begins_softly_and_is_bounded() {
        let micros = |chunks, limit| wait(chunks, limit).as_micros();
        assert_eq!([micros(0, 32), micros(32, 32), micros(1000, 0)], [0, 0, 0]);
        assert_eq!([micros(33, 32), micros(40, 32), micros(48, 32)], [488, 31_250, 125_000]);
        assert_eq!([micros(64, 32), micros(65, 32), micros(usize::MAX, 1)], [500_000, 500_000, 500_000]);
        assert!((1..200).all(|chunks| wait(chunks, 20) <= wait(chunks + 1, 20)));
    }
}
