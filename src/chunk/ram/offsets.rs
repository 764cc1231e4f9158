//! Ascending 64-bit offsets in 32 bits each.

/// Offsets that never descend. Four bytes each; the few places where the high half grows are kept aside, so that there is no limit
/// of 4 GiB and no cost below it.
#[derive(Default, Debug, PartialEq)]
pub(super) struct Offsets {
    low: Vec<u32>,
    /// Indexes from which on the high half is one more; an index stands here twice where it grows by two.
    carries: Vec<u32>,
}

impl Offsets {
    /// No offsets yet, room for `count`.
    pub(super) fn with_capacity(count: usize) -> Offsets {
        Offsets { low: Vec::with_capacity(count), carries: Vec::new() }
    }

    /// Appends an offset that is not less than the one before it.
    #[inline]
    pub(super) fn push(&mut self, offset: u64) {
        let high = (offset >> 32) as usize;
        if high > self.carries.len() {
            self.carries.resize(high, self.low.len() as u32);
        }
        self.low.push(offset as u32);
    }

    /// The offset at `index`, which must be below [`Offsets::len`].
    #[inline]
    pub(super) fn get(&self, index: usize) -> u64 {
        let low = self.low[index] as u64;
        if self.carries.is_empty() {
            return low;
        }
        low | (self.carries.partition_point(|c| *c as usize <= index) as u64) << 32
    }

    /// Number of offsets.
    pub(super) fn len(&self) -> usize {
        self.low.len()
    }

    /// Gives back what growing took too much.
    pub(super) fn shrink(&mut self) {
        self.low.shrink_to_fit();
    }

    /// Bytes of heap memory.
    pub(super) fn memory_bytes(&self) -> usize {
        4 * (self.low.capacity() + self.carries.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_pass_four_gib() {
        let values = [0, 5, 5, u32::MAX as u64, 1 << 32, (1 << 32) + 7, 9 << 32, (9 << 32) + 1];
        let mut offsets = Offsets::default();
        values.iter().for_each(|v| offsets.push(*v));
        assert_eq!((0..offsets.len()).map(|i| offsets.get(i)).collect::<Vec<_>>(), values);
    }
}
