//! Loads played in virtual time; the invariants of policy and queue over a thousand seeds.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;

use super::*;

const MB: u64 = 1 << 20;

/// A generator of its own, so that a seed means the same load for ever (xorshift64*).
struct Random(Cell<u64>);

impl Random {
    fn new(seed: u64) -> Random {
        Random(Cell::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1))
    }

    /// A number in `range`.
    fn within(&self, range: std::ops::RangeInclusive<u64>) -> u64 {
        let mut x = self.0.get();
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.0.set(x);
        let (low, high) = range.into_inner();
        low + (x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) % (high - low + 1)
    }

    fn one_of<T: Copy>(&self, all: &[T]) -> T {
        all[self.within(0..=all.len() as u64 - 1) as usize]
    }
}

fn scenario(flushes: u64, every_us: u64, cutoff: u32, (max_jobs, fan_in): (usize, Option<usize>), cores: usize) -> Scenario {
    Scenario {
        events: (1..=flushes).map(|n| (n * every_us, Event::Flush { bytes: 100 * MB, rows: 100_000 })).collect(),
        cutoff: Some(cutoff),
        limits: Limits { max_jobs, fan_in, max_chunk_size: None },
        speed: 120 * MB,
        cores,
        load_cores: 0.0,
    }
}

#[test]
fn a_fast_load_under_the_published_settings() {
    let mut table = String::from("\n");
    for setting in [(1, Some(2)), (1, Some(5)), (2, Some(2)), (2, Some(5)), (4, Some(5)), (1, None), (2, None)] {
        let report = play(&scenario(80, 1_000_000, 16, setting, 2)).unwrap();
        let tail = (report.compacted_us - report.loaded_us) as f64 / 1e6;
        let (peak, amplification) = (report.chunks_peak, report.write_amplification());
        table += &format!("{setting:?}: peak {peak}, tail {tail:.1} s, written {amplification:.2} times\n");
        assert_eq!(report.chunks.len(), 16);
    }
    assert_eq!(table, FAST_LOAD);
}

const FAST_LOAD: &str = "
(1, Some(2)): peak 43, tail 97.0 s, written 3.40 times
(1, Some(5)): peak 34, tail 23.4 s, written 2.09 times
(2, Some(2)): peak 27, tail 20.8 s, written 3.42 times
(2, Some(5)): peak 25, tail 3.9 s, written 2.81 times
(4, Some(5)): peak 30, tail 7.2 s, written 2.92 times
(1, None): peak 42, tail 20.9 s, written 1.95 times
(2, None): peak 25, tail 3.9 s, written 2.81 times
";

#[test]
fn a_slow_load_does_not_rewrite_the_table_with_each_flush() {
    for (cutoff, bound) in [(16, 7.6), (8, 9.2), (4, 12.5), (2, 40.0)] {
        let report = play(&scenario(1000, 60_000_000, cutoff, (2, None), 2)).unwrap();
        let amplification = report.write_amplification();
        assert!(amplification < bound, "cutoff {cutoff}: {amplification}");
        assert!(report.chunks_peak <= cutoff as usize + 3, "cutoff {cutoff}: {} chunks", report.chunks_peak);
    }
}

/// Loads that merging can keep up with, under all kinds of settings.
///
/// Held: no chunk in two jobs and never below the goal (`play` checks both at each start); the goal is reached exactly; chunks stay
/// within 3 cutoffs and 2 jobs' inputs; each byte is written at most 1 + log₁₊₁⸝ᵣ(table ÷ smallest flush) times, where r is the
/// cutoff-th root of that range, or 2 if that is more.
#[test]
fn a_thousand_sustainable_loads() {
    for seed in 0..1000 {
        let random = &Random::new(seed);
        let cutoff = random.within(1..=24) as u32;
        let max_jobs = random.within(1..=4) as usize;
        let fan_in = random.one_of(&[None, Some(0), Some(2), Some(3), Some(5), Some(8), Some(16)]);
        let flushes = random.within(1..=300);
        let mut load = scenario(flushes, 1, cutoff, (max_jobs, fan_in), random.within(1..=4) as usize);
        let mut at_us = 0;
        for (due, event) in &mut load.events {
            // Slow enough that one job at a time can write everything as often as the bound allows.
            at_us += random.within(20..=40) * 1_000_000;
            *due = at_us;
            *event = Event::Flush { bytes: random.within(30..=100) * MB, rows: random.within(1..=100_000) };
        }
        let report = play(&load).unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
        assert_eq!(report.chunks.len(), (cutoff as usize).min(flushes as usize), "seed {seed}");
        let range = report.bytes_flushed as f64 / (30 * MB) as f64;
        let ratio = range.powf(1.0 / f64::from(cutoff)).max(2.0);
        let bound = 1.0 + range.ln() / (1.0 + 1.0 / ratio).ln();
        let amplification = report.write_amplification();
        assert!(amplification <= bound, "seed {seed}: written {amplification:.2} times, bound {bound:.2}, cutoff {cutoff}");
        let chunks = 3 * cutoff as usize + 2 * fan_in.unwrap_or(8).max(2);
        assert!(
            report.chunks_peak <= chunks,
            "seed {seed}: {} chunks, bound {chunks}, {:?} cutoff {cutoff}",
            report.chunks_peak,
            load.limits
        );
    }
}

/// Loads of any speed with deletes and OPTIMIZE in between: the invariants hold, and it ends where it was asked to.
#[test]
fn a_thousand_wild_loads() {
    for seed in 0..1000 {
        let random = &Random::new(seed + 1_000_000);
        let cutoff = random.one_of(&[None, Some(random.within(1..=16) as u32)]);
        let flushes = random.within(1..=120);
        let limits = (random.within(0..=6) as usize, random.one_of(&[None, Some(1), Some(2), Some(4), Some(9)]));
        let mut load = Scenario { cutoff, ..scenario(0, 1, 1, limits, 2) };
        load.limits.max_chunk_size = random.one_of(&[None, None, Some(random.within(1..=2000) * MB)]);
        let mut at_us = 0;
        for _ in 0..flushes {
            at_us += random.within(0..=random.one_of(&[10, 1_000_000, 30_000_000]));
            let event = match random.within(0..=9) {
                0 => Event::Optimize(random.one_of(&[Goal::Cutoff(1), Goal::Cutoff(4), Goal::Cutoff(40), Goal::TargetSize(300 * MB)])),
                1 | 2 => Event::Kill { rows: random.within(1..=200_000) },
                _ => Event::Flush { bytes: random.within(1..=200) * MB, rows: random.within(1..=100_000) },
            };
            load.events.push((at_us, event));
        }
        load.events.push((at_us + 1, Event::Optimize(Goal::Cutoff(3))));
        let report = play(&load).unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
        assert!(!report.chunks.iter().any(ChunkStats::is_dead), "seed {seed}: a dead chunk is left");
        match load.limits.max_chunk_size {
            None => assert!(report.chunks.len() <= 3, "seed {seed}: {} chunks are left", report.chunks.len()),
            Some(cap) => {
                // What is left over the goal fits together nowhere.
                let mut sizes: Vec<u64> = report.chunks.iter().map(|c| c.bytes).collect();
                sizes.sort_unstable();
                let two_fit = sizes.len() > 3 && sizes[0] + sizes[1] <= cap;
                assert!(!two_fit, "seed {seed}: {sizes:?} under {cap}");
            }
        }
        if let Some(half_dead) = report.chunks.iter().find(|c| c.is_mostly_dead()) {
            panic!("seed {seed}: {half_dead:?} was not rewritten");
        }
    }
}

#[test]
fn a_cap_is_kept() {
    for seed in 0..200 {
        let random = &Random::new(seed);
        let mut load = scenario(60, 3_000_000, 2, (2, random.one_of(&[None, Some(2), Some(5)])), 2);
        let cap = random.within(150..=900) * MB;
        load.limits.max_chunk_size = Some(cap);
        let report = play(&load).unwrap();
        let largest = report.chunks.iter().map(|c| c.bytes).max().unwrap();
        assert!(largest <= cap, "seed {seed}: {largest} over {cap}");
        // Full enough: no more than twice the chunks that would hold everything.
        assert!(report.chunks.len() as u64 <= 2 * (report.bytes_flushed / cap + 1), "seed {seed}");
    }
}

#[test]
fn an_optimize_ends_under_a_load_that_never_does() {
    let mut load = scenario(400, 500_000, 8, (2, None), 2);
    load.events.insert(100, (load.events[99].0, Event::Optimize(Goal::Cutoff(1))));
    play(&load).unwrap();
}

#[test]
fn a_load_takes_cores_from_merges_until_it_ends() {
    let idle = scenario(80, 1_000_000, 16, (2, Some(5)), 2);
    let busy = Scenario { load_cores: 1.5, ..idle.clone() };
    let drowned = Scenario { load_cores: 99.0, ..idle.clone() };
    let [idle, busy, drowned] = [idle, busy, drowned].map(|scenario| play(&scenario).unwrap());
    assert!(idle.compacted_us < busy.compacted_us && busy.compacted_us < drowned.compacted_us);
    assert!(idle.chunks_peak < busy.chunks_peak && busy.chunks_peak < drowned.chunks_peak);
    // Merges go on even so, and after the load at full speed.
    assert!(drowned.chunks_loaded < 80 && drowned.chunks.len() == 16);
}
