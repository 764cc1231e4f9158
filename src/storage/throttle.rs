//! Limits on the I/O of merges, shared by all of them.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::types::{Settings, SharedSettings, StopToken, Stopped};

/// Longest wait between two looks at the stop token and at the settings.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// So far an operation may come after its time without delaying those behind it: a thread that sleeps wakes a little late, and that must
/// not add up. What may pass at once after a rest is bounded by it too.
const CREDIT: Duration = Duration::from_millis(20);

/// Lets at most `rt_merge_iops` operations a second through, over all who share it. An operation larger than `rt_merge_maxiosize`
/// counts as several. While `merge_paused` is set nothing passes. The settings are read at every look, so that a change takes hold of
/// running merges at once.
pub struct Throttle {
    settings: SharedSettings,
    born: Instant,
    schedule: Mutex<Schedule>,
}

impl Throttle {
    /// A throttle that follows the settings.
    pub fn new(settings: SharedSettings) -> Throttle {
        Throttle { settings, born: Instant::now(), schedule: Mutex::default() }
    }

    /// Waits until `bytes` (a read or a write of ≤ 1 MiB) may pass.
    pub fn pass(&self, bytes: u64, stop: &StopToken) -> Result<(), Stopped> {
        let mut turn: Option<(Limits, Duration)> = None;
        loop {
            stop.check()?;
            let wait = {
                let settings = self.settings.load();
                let limits = Limits::of(&settings);
                if settings.merge_paused {
                    LOOK_EVERY
                } else if limits.iops == 0 {
                    return Ok(());
                } else {
                    let now = self.born.elapsed();
                    // A turn that was given under other limits says nothing any more.
                    let start = match turn {
                        Some((under, start)) if under == limits => start,
                        _ => self.schedule.lock().turn(now, bytes, limits),
                    };
                    turn = Some((limits, start));
                    if now >= start {
                        return Ok(());
                    }
                    (start - now).min(LOOK_EVERY)
                }
            };
            std::thread::sleep(wait);
        }
    }
}

/// The two settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Limits {
    /// Operations a second; 0 = no limit.
    iops: u64,
    /// Bytes of one operation; 0 = no limit.
    size: u64,
}

impl Limits {
    fn of(settings: &Settings) -> Limits {
        Limits { iops: settings.rt_merge_iops, size: settings.rt_merge_maxiosize }
    }

    /// Time that `bytes` take; nothing without a limit.
    fn cost(self, bytes: u64) -> Duration {
        let operations = if self.size == 0 { 1 } else { bytes.div_ceil(self.size).max(1) };
        if self.iops == 0 { Duration::ZERO } else { Duration::from_secs_f64(operations as f64 / self.iops as f64) }
    }
}

/// Who may start when. Time is that since any fixed moment.
#[derive(Default)]
struct Schedule {
    limits: Limits,
    /// When the next operation may start.
    next: Duration,
}

impl Schedule {
    /// When an operation of `bytes` may start that is asked for at `now`. Other limits than those before begin a new schedule.
    fn turn(&mut self, now: Duration, bytes: u64, limits: Limits) -> Duration {
        if self.limits != limits {
            *self = Schedule { limits, next: now };
        }
        let start = self.next.max(now.saturating_sub(CREDIT));
        self.next = start + limits.cost(bytes);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn an_operation_counts_once_for_each_maxiosize() {
        for (iops, size, bytes, ms) in [
            (0, 0, 1 << 20, 0),
            (0, 4096, 1 << 20, 0),
            (100, 0, 1 << 20, 10),
            (100, 0, 0, 10),
            (100, 64 << 10, 64 << 10, 10),
            (100, 64 << 10, (64 << 10) + 1, 20),
            (100, 64 << 10, 1 << 20, 160),
            (40, 1 << 20, 256 << 10, 25),
        ] {
            assert_eq!(Limits { iops, size }.cost(bytes), MS * ms, "{iops} {size} {bytes}");
        }
    }

    /// Bytes that pass until a virtual moment: `threads` take turns, each asks again `work` after its operation has started and wakes
    /// `late` after its time.
    fn passed(limits: Limits, threads: usize, bytes: u64, work: Duration, late: Duration, until: Duration) -> u64 {
        let (mut schedule, mut sum) = (Schedule::default(), 0);
        let mut asking = vec![Duration::ZERO; threads];
        loop {
            let first = (0..threads).min_by_key(|i| asking[*i]).expect("a thread");
            let now = asking[first];
            let start = schedule.turn(now, bytes, limits);
            let begun = if start > now { start + late } else { now };
            if begun >= until {
                return sum;
            }
            sum += bytes;
            asking[first] = begun + work;
        }
    }

    #[test]
    fn limits_hold_within_a_tenth() {
        for iops in [10, 100, 1_000, 5_000] {
            for (size, bytes) in [(0, 256 << 10), (64 << 10, 256 << 10), (64 << 10, 1 << 20), (4 << 10, 4 << 10)] {
                for threads in [1, 2, 4] {
                    let limits = Limits { iops, size };
                    let until = Duration::from_secs(10).max(limits.cost(bytes) * 100);
                    let allowed = until.as_secs_f64() / limits.cost(bytes).as_secs_f64() * bytes as f64;
                    // Work of a fifth of the time, and sleeps that end a millisecond late.
                    let found = passed(limits, threads, bytes, limits.cost(bytes) / 5, MS, until) as f64;
                    assert!((0.9..1.1).contains(&(found / allowed)), "{limits:?} {bytes} {threads}: {}", found / allowed);
                }
            }
        }
    }

    #[test]
    fn a_rest_is_not_saved_up_and_other_limits_hold_at_once() {
        let (mut schedule, ten) = (Schedule::default(), Limits { iops: 10, size: 0 });
        let second = Duration::from_secs(1);
        assert_eq!(schedule.turn(second, 1, ten), second);
        assert_eq!(schedule.turn(second, 1, ten), second + 100 * MS);
        assert_eq!(schedule.turn(second, 1, ten), second + 200 * MS);
        assert_eq!(schedule.turn(60 * second, 1, ten), 60 * second - CREDIT);
        assert_eq!(schedule.turn(60 * second, 1, ten), 60 * second - CREDIT + 100 * MS);
        assert_eq!(schedule.turn(61 * second, 1, Limits { iops: 1000, size: 0 }), 61 * second);
        assert_eq!(schedule.turn(61 * second, 1, Limits { iops: 1000, size: 0 }), 61 * second + MS);
    }
}
