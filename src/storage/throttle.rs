//! Limits on the I/O of merges, shared by all of them.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::types::{SharedSettings, StopToken, Stopped};

/// Longest wait between two looks at the stop token and at the settings.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Lets at most `rt_merge_iops` operations a second through, over all who share it. An operation larger than `rt_merge_maxiosize`
/// counts as several. Both settings are read at every look, so that a change takes hold of running merges at once.
pub struct Throttle {
    settings: SharedSettings,
    /// When the next operation may start.
    next: Mutex<Instant>,
}

impl Throttle {
    /// A throttle that follows the settings.
    pub fn new(settings: SharedSettings) -> Throttle {
        Throttle { settings, next: Mutex::new(Instant::now()) }
    }

    /// Waits until `bytes` (a read or a write of ≤ 1 MiB) may pass.
    pub fn pass(&self, bytes: u64, stop: &StopToken) -> Result<(), Stopped> {
        stop.check()?;
        let Some(cost) = self.cost(bytes) else { return Ok(()) };
        let mut start = {
            let mut next = self.next.lock();
            let start = (*next).max(Instant::now());
            *next = start + cost;
            start
        };
        loop {
            let now = Instant::now();
            if now >= start {
                return Ok(());
            }
            std::thread::sleep((start - now).min(LOOK_EVERY));
            stop.check()?;
            // A limit that was lifted lets everyone go at once; a lower one holds from the next operation on.
            if self.cost(bytes).is_none() {
                *self.next.lock() = Instant::now();
                start = Instant::now();
            }
        }
    }

    /// Time that `bytes` take at the present limits; None without a limit.
    fn cost(&self, bytes: u64) -> Option<Duration> {
        let settings = self.settings.load();
        if settings.rt_merge_iops == 0 {
            return None;
        }
        let operations = match settings.rt_merge_maxiosize {
            0 => 1,
            size => bytes.div_ceil(size).max(1),
        };
        Some(Duration::from_secs_f64(operations as f64 / settings.rt_merge_iops as f64))
    }
}
