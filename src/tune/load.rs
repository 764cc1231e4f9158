//! A stream of rows as the flushes that the simulator plays.

use super::arguments::Arguments;
use super::server::Measured;
use crate::merge::simulate::{Event, Scenario};
use crate::merge::{ChunkStats, Limits};

const MB: u64 = 1 << 20;

/// Rows per second that one thread merges and that a flush writes, where no option gives bytes: measured with rows of 55 words.
const MERGE_ROWS: u64 = 1_000_000;
const FLUSH_ROWS: u64 = 400_000;

/// Bytes of a chunk for each byte of the RAM chunk that it was, in hundredths: measured, 104 MB of 128 MiB for rows of 55 words.
const CHUNK_PER_RAM: u64 = 77;

/// Flushes that are played at most: each may ask for a plan over all chunks there are.
const FLUSHES_MAX: u64 = 20_000;

/// A load in numbers: what was given, else what was measured, else the defaults.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Load {
    pub rows_per_second: u64,
    /// What was asked for, where the cores do not suffice for it.
    pub asked_rows_per_second: Option<u64>,
    pub row_bytes: u64,
    pub cutoff: u32,
    pub seconds: u64,
    pub flush_bytes: u64,
    pub cores: usize,
    /// Bytes per second of one merge thread.
    pub merge_speed: u64,
    /// Bytes per second.
    pub flush_speed: u64,
    /// Cores that inserting keeps busy.
    pub load_cores: f64,
}

impl Load {
    pub(super) fn new(arguments: &Arguments, measured: &Measured, machine_cores: usize) -> Load {
        let row_bytes = arguments.row_bytes.or(measured.row_bytes).unwrap_or(400).max(1);
        let mem_limit = arguments.mem_limit.map(|mb| mb * MB).or(measured.mem_limit).unwrap_or(128 * MB);
        // A limit that the command line gives is about another setting than the one that was measured.
        let seen = measured.flush_bytes.filter(|_| arguments.mem_limit.is_none());
        let flush_bytes = arguments.flush_size.map(|mb| mb * MB).or(seen).unwrap_or(mem_limit / 100 * CHUNK_PER_RAM);
        let cores = arguments.cores.map_or(machine_cores, |cores| cores as usize).max(1);
        let asked = arguments.rate.or(measured.rows_per_second).unwrap_or(100_000).max(1);
        let possible = (cores as f64 * 1e6 / arguments.insert_cost.max(1e-6)) as u64;
        let rows_per_second = asked.min(possible.max(1));
        Load {
            rows_per_second,
            asked_rows_per_second: (rows_per_second < asked).then_some(asked),
            row_bytes,
            cutoff: arguments.cutoff.or(measured.cutoff).unwrap_or(16),
            seconds: arguments.minutes * 60,
            flush_bytes: flush_bytes.max(row_bytes),
            cores,
            merge_speed: arguments.merge_speed.map(|mb| mb * MB).or(measured.merge_speed).unwrap_or(MERGE_ROWS.saturating_mul(row_bytes)),
            flush_speed: arguments.flush_speed.map_or(FLUSH_ROWS.saturating_mul(row_bytes), |mb| mb * MB),
            load_cores: rows_per_second as f64 * arguments.insert_cost / 1e6,
        }
    }

    /// Rows of one flush.
    pub(super) fn flush_rows(&self) -> u64 {
        (self.flush_bytes / self.row_bytes).clamp(1, ChunkStats::ROWS_MAX)
    }

    /// When each flush is done, in microseconds, and its rows. `Err` if they are too many to be played.
    fn flushes(&self) -> Result<Vec<(u64, u64)>, String> {
        let all = self.rows_per_second.saturating_mul(self.seconds);
        let count = all / self.flush_rows();
        if count > FLUSHES_MAX {
            return Err(format!("{count} flushes are too many to be played, {FLUSHES_MAX} are not: fewer minutes, or a larger flush"));
        }
        // A flush begins when the RAM chunk is full and the flush before is done: where flushing is the slower one, it sets the pace.
        let filling_us = self.flush_rows() as f64 * 1e6 / self.rows_per_second as f64;
        let flushing_us = self.flush_bytes as f64 * 1e6 / self.flush_speed.max(1) as f64;
        let flushes = (1..=count).map(|n| {
            let full = n as f64 * filling_us.max(flushing_us);
            ((full + flushing_us) as u64, self.flush_rows())
        });
        Ok(flushes.collect())
    }

    /// The load under limits of merging; the last rows stay in RAM.
    pub(super) fn scenario(&self, limits: Limits) -> Result<Scenario, String> {
        let events = self.flushes()?.into_iter().map(|(at, rows)| (at, Event::Flush { bytes: rows * self.row_bytes, rows }));
        Ok(Scenario {
            events: events.collect(),
            cutoff: Some(self.cutoff),
            limits,
            speed: self.merge_speed,
            cores: self.cores,
            load_cores: self.load_cores,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::tests::arguments;
    use super::*;

    fn load(line: &str, measured: &Measured) -> Load {
        Load::new(&arguments(line).unwrap_or_else(|e| panic!("{e}")), measured, 2)
    }

    #[test]
    fn options_go_before_measurements_and_those_before_defaults() {
        let none = load("", &Measured::default());
        assert_eq!((none.rows_per_second, none.row_bytes, none.cutoff, none.seconds), (100_000, 400, 16, 600));
        assert_eq!((none.flush_bytes / MB, none.merge_speed, none.load_cores), (98, 400_000_000, 0.85));
        let measured = Measured {
            rows_per_second: Some(5_000),
            row_bytes: Some(200),
            cutoff: Some(4),
            flush_bytes: Some(30 * MB),
            mem_limit: Some(64 * MB),
            merge_speed: Some(90 * MB),
        };
        let seen = load("--rate 7000", &measured);
        assert_eq!((seen.rows_per_second, seen.row_bytes, seen.cutoff, seen.flush_bytes), (7_000, 200, 4, 30 * MB));
        assert_eq!((seen.merge_speed, load("--merge-speed 7", &measured).merge_speed), (90 * MB, 7 * MB));
        assert_eq!(load("--mem-limit 200", &measured).flush_bytes / MB, 154);
        assert_eq!(load("--flush-size 50", &measured).flush_bytes / MB, 50);
    }

    #[test]
    fn a_load_past_the_cores_is_cut_and_says_so() {
        let cut = load("--rate 1000000 --insert-cost 10", &Measured::default());
        assert_eq!((cut.rows_per_second, cut.asked_rows_per_second, cut.load_cores), (200_000, Some(1_000_000), 2.0));
    }

    #[test]
    fn flushes_come_when_ram_is_full_or_as_fast_as_they_can() {
        let flushes = |line| load(line, &Measured::default()).flushes();
        let even = flushes("--rate 10000 --row-bytes 1024 --flush-size 100 --flush-speed 100 --minutes 1 --insert-cost 0").expect("few");
        // 102 400 rows fill 100 MB in 10.24 s; the flush takes a second.
        assert_eq!(even.iter().map(|(at, _)| at / 1000).collect::<Vec<_>>(), [11_240, 21_480, 31_720, 41_960, 52_200]);
        let slow = flushes("--rate 100000 --row-bytes 1024 --flush-size 100 --flush-speed 50 --minutes 1 --insert-cost 0").expect("few");
        assert_eq!(slow[1].0 - slow[0].0, 2_000_000);
        assert!(flushes("--rate 100000000 --minutes 1000 --insert-cost 0").expect_err("too many").contains("too many to be played"));
    }
}
