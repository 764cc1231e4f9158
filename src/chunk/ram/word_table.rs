//! Distinct words numbered in order of arrival: one arena of bytes and an open-addressed table over it.

use std::hash::Hasher;

/// Words numbered `0..len`. An empty table holds no memory; it grows with its words.
#[derive(Default)]
pub(super) struct WordTable {
    /// Power of two long, at most three quarters full: hash in the high half, number + 1 in the low half, 0 where free.
    slots: Vec<u64>,
    /// Hash of each word.
    hashes: Vec<u32>,
    /// End of each word in `bytes`; it begins where the one before it ends.
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

/// Slots of the first allocation.
const SLOTS_MIN: usize = 16;

/// The hash that every [`WordTable`] is searched by. Its low bits choose the slot, its high bits are free for choosing a shard.
#[inline]
pub(super) fn hash(word: &[u8]) -> u32 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(word);
    let hash = hasher.finish();
    (hash ^ hash >> 32) as u32
}

impl WordTable {
    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Hash of each word, in order.
    pub(super) fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    /// The bytes of word `index`, which must be below [`WordTable::len`].
    #[inline]
    pub(super) fn word(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start as usize..self.ends[index] as usize]
    }

    /// The number of `word`, whose [`hash`] is given.
    #[inline]
    pub(super) fn find(&self, hash: u32, word: &[u8]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if (slot >> 32) as u32 == hash && self.word(slot as u32 - 1) == word {
                return Some(slot as u32 - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of `word`, whose [`hash`] is given; a new one where it was not there.
    #[inline]
    pub(super) fn intern(&mut self, hash: u32, word: &[u8]) -> u32 {
        if let Some(index) = self.find(hash, word) {
            return index;
        }
        self.insert(hash, word)
    }

    fn insert(&mut self, hash: u32, word: &[u8]) -> u32 {
        if (self.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let index = self.len() as u32;
        self.bytes.extend_from_slice(word);
        // Memory limits flush a RAM chunk long before: one table would hold 4 GiB of distinct words.
        self.ends.push(u32::try_from(self.bytes.len()).expect("less than 4 GiB of distinct words in one table"));
        self.hashes.push(hash);
        Self::place(&mut self.slots, hash, index);
        index
    }

    fn place(slots: &mut [u64], hash: u32, index: u32) {
        let mask = slots.len() - 1;
        let mut at = hash as usize & mask;
        while slots[at] != 0 {
            at = (at + 1) & mask;
        }
        slots[at] = (hash as u64) << 32 | (index as u64 + 1);
    }

    fn grow(&mut self) {
        let mut slots = vec![0; (self.slots.len() * 2).max(SLOTS_MIN)];
        for (index, hash) in self.hashes.iter().enumerate() {
            Self::place(&mut slots, *hash, index as u32);
        }
        self.slots = slots;
    }

    /// Bytes of the words and their numbers, without what the table holds spare.
    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len() + self.len() * 16
    }

    /// Forgets the words, keeps the memory. Costs as much as the words did, not as much as the table is large.
    pub(super) fn clear(&mut self) {
        if self.len() * 8 < self.slots.len() {
            let mask = self.slots.len() - 1;
            for (index, hash) in self.hashes.iter().enumerate() {
                let mut at = *hash as usize & mask;
                while self.slots[at] as u32 != index as u32 + 1 {
                    at = (at + 1) & mask;
                }
                self.slots[at] = 0;
            }
        } else {
            self.slots.fill(0);
        }
        self.hashes.clear();
        self.ends.clear();
        self.bytes.clear();
    }

    /// Bytes of heap memory.
    pub(super) fn memory_bytes(&self) -> usize {
        self.slots.capacity() * 8 + (self.hashes.capacity() + self.ends.capacity()) * 4 + self.bytes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_numbers_through_growth_and_clearing() {
        let mut table = WordTable::default();
        for count in [5000u32, 3, 700, 0, 1] {
            for i in 0..count {
                let word = format!("word{i}");
                assert_eq!(table.find(hash(word.as_bytes()), word.as_bytes()), None);
                assert_eq!(table.intern(hash(word.as_bytes()), word.as_bytes()), i);
            }
            for i in 0..count {
                let word = format!("word{i}");
                assert_eq!(table.intern(hash(word.as_bytes()), word.as_bytes()), i);
                assert_eq!(table.word(i), word.as_bytes());
            }
            assert_eq!(table.len(), count as usize);
            table.clear();
        }
        assert!(table.slots.iter().all(|s| *s == 0));
    }

    #[test]
    fn equal_hashes_are_told_apart() {
        let mut table = WordTable::default();
        assert_eq!(table.intern(7, b"a"), 0);
        assert_eq!(table.intern(7, b""), 1);
        assert_eq!(table.intern(7, b"a"), 0);
        assert_eq!(table.find(7, b""), Some(1));
        assert_eq!(table.find(7, b"b"), None);
    }
}
