//! How fast one thread merges: measured, for estimates.
//!
//! Bytes written and time taken are both forgotten by half with each [`HALF_LIFE`] of merging, so that the speed follows the machine's
//! load, a long merge counts for more than a short one, and no clock is asked.

use std::time::Duration;

/// Supposed before the first merge has ended. Measured: 370 to 550 MB/s of short texts, less where rows are dead.
pub const ASSUMED_BYTES_PER_SECOND: u64 = 200_000_000;
/// Time of merging after which an observation counts half.
const HALF_LIFE: Duration = Duration::from_secs(30);

/// Bytes written a second by one merge thread, an exponentially weighted average.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Speed {
    bytes: f64,
    seconds: f64,
}

impl Speed {
    /// A merge has written `bytes` in `took`.
    pub fn observe(&mut self, bytes: u64, took: Duration) {
        let seconds = took.as_secs_f64();
        let kept = 0.5f64.powf(seconds / HALF_LIFE.as_secs_f64());
        self.bytes = self.bytes * kept + bytes as f64;
        self.seconds = self.seconds * kept + seconds;
    }

    /// Whether a merge has been observed.
    pub fn is_measured(&self) -> bool {
        self.bytes > 0.0 && self.seconds > 0.0
    }

    /// Bytes a second; at least 1.
    pub fn bytes_per_second(&self) -> f64 {
        if self.is_measured() { (self.bytes / self.seconds).max(1.0) } else { ASSUMED_BYTES_PER_SECOND as f64 }
    }

    /// Seconds in which one thread writes `bytes`.
    pub fn seconds_for(&self, bytes: u64) -> f64 {
        bytes as f64 / self.bytes_per_second()
    }
}

/// How much of a merge is done, in hundredths, never all: checking the inputs is taken for a twentieth of it, writing for the rest.
pub fn percent(read: u64, inputs: u64, written: u64, expected: u64) -> f64 {
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { (part as f64 / whole as f64).min(1.0) };
    (5.0 * share(read, inputs) + 95.0 * share(written, expected)).min(99.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_late_merges_count_more() {
        let mut speed = Speed::default();
        assert_eq!((speed.is_measured(), speed.bytes_per_second()), (false, ASSUMED_BYTES_PER_SECOND as f64));
        speed.observe(0, Duration::ZERO);
        assert!(!speed.is_measured());
        speed.observe(1000, Duration::from_secs(10));
        assert_eq!((speed.is_measured(), speed.bytes_per_second()), (true, 100.0));
        // A second of something else hardly moves it, minutes do.
        speed.observe(1, Duration::from_secs(1));
        assert!((85.0..95.0).contains(&speed.bytes_per_second()), "{}", speed.bytes_per_second());
        speed.observe(300_000, Duration::from_secs(300));
        assert!((998.0..1001.0).contains(&speed.bytes_per_second()), "{}", speed.bytes_per_second());
        assert!((speed.seconds_for(10_000) - 10.0).abs() < 0.1);
    }

    #[test]
    fn percents() {
        assert_eq!(percent(0, 100, 0, 50), 0.0);
        assert_eq!(percent(100, 100, 0, 50), 5.0);
        assert_eq!(percent(100, 100, 25, 50), 52.5);
        assert_eq!(percent(100, 100, 70, 50), 99.0);
        assert_eq!(percent(0, 0, 0, 0), 0.0);
    }
}
