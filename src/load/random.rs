//! Random numbers that mean the same load for ever: a generator of our own, since those of libraries may change with a version.

/// Numbers from a seed (splitmix64, Steele, Lea and Flood, 2014): one addition and three multiplications each.
pub(super) struct Random(u64);

impl Random {
    /// Two parts of a seed, so that batches of one load are independent of each other.
    pub(super) fn new(seed: u64, part: u64) -> Random {
        let mut start = Random(seed ^ 0x5851_F42D_4C95_7F2D);
        let first = start.next();
        let mut start = Random(first ^ part);
        Random(start.next())
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 where `end` is 0.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included; `low` where they are the wrong way round.
    pub(super) fn within(&mut self, low: i64, high: i64) -> i64 {
        let span = high.wrapping_sub(low) as u64;
        let step = match span.checked_add(1) {
            _ if high < low => 0,
            Some(count) => self.below(count),
            None => self.next(),
        };
        low.wrapping_add(step as i64)
    }

    /// A number from 0 to below 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_and_seeds_repeat() {
        let mut random = Random::new(7, 0);
        for (low, high) in [(1, 1), (-3, 4), (i64::MIN, i64::MAX), (i64::MAX - 1, i64::MAX), (5, 4)] {
            for _ in 0..100 {
                let number = random.within(low, high);
                assert!(number >= low && number <= high.max(low), "{number} in {low}..={high}");
            }
        }
        let numbers = |seed, part| -> Vec<u64> {
            let mut random = Random::new(seed, part);
            (0..4).map(|_| random.below(1000)).collect()
        };
        assert_eq!(numbers(1, 2), numbers(1, 2));
        assert_ne!(numbers(1, 2), numbers(1, 3));
        assert_ne!(numbers(1, 2), numbers(2, 2));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
        assert_eq!(random.below(0), 0);
    }
}
