//! From a document id to its row.
//!
//! Where ids ascend with the rows there is no file: the ids that attributes are kept with are searched. Otherwise:
//!
//! ```text
//! 8 × rows  ids, ascending, u64 little-endian
//! 4 × rows  the row of each, u32
//! 32 × k    filter: blocks of eight u32; an id sets one bit in each word of one block
//! ```
//!
//! The filter takes about ten bits an id and lets one absent id in a hundred through to the search.

use std::io::{self, Write};

use crate::types::{Bytes, DocId, RowId};

/// Ids of one block of the filter.
const IDS_PER_BLOCK: usize = 25;
const BLOCK_BYTES: usize = 32;
/// Odd multipliers, one per word of a block, as in the split-block filter of the Parquet format.
const SALTS: [u32; 8] = [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31];

/// Watches the ids of a chunk being written, in the order of its rows.
#[derive(Default)]
pub(super) struct IdsWatch {
    rows: u32,
    least: u64,
    greatest: u64,
    last: u64,
    descended: bool,
}

impl IdsWatch {
    /// Takes the id of the next row.
    pub(super) fn add(&mut self, id: DocId) {
        if self.rows == 0 {
            (self.least, self.greatest) = (id.0, id.0);
        } else {
            self.descended |= id.0 <= self.last;
            self.least = self.least.min(id.0);
            self.greatest = self.greatest.max(id.0);
        }
        self.last = id.0;
        self.rows += 1;
    }

    /// Whether each id was greater than the one before.
    pub(super) fn ascend(&self) -> bool {
        !self.descended
    }

    /// Least and greatest id; zeros where there are no rows.
    pub(super) fn range(&self) -> (u64, u64) {
        (self.least, self.greatest)
    }
}

/// Writes the file out of the (id, row) of every row; needed only where ids do not ascend. Sorts the pairs.
pub(super) fn write_ids(pairs: &mut [(u64, u32)], out: &mut impl Write) -> io::Result<()> {
    pairs.sort_unstable();
    let mut filter = vec![0u8; pairs.len().div_ceil(IDS_PER_BLOCK) * BLOCK_BYTES];
    for &(id, _) in pairs.iter() {
        out.write_all(&id.to_le_bytes())?;
        let hash = mix(id);
        let block = block_of(hash, filter.len());
        for (word, salt) in filter[block..block + BLOCK_BYTES].chunks_exact_mut(4).zip(SALTS) {
            let bit = bit_of(hash, salt);
            word[bit / 8] |= 1 << (bit % 8);
        }
    }
    for &(_, row) in pairs.iter() {
        out.write_all(&row.to_le_bytes())?;
    }
    out.write_all(&filter)
}

/// Spreads an id over 64 bits (the finalizer of splitmix64).
fn mix(id: u64) -> u64 {
    let x = (id ^ (id >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Byte at which an id's block begins, in a filter of `bytes` bytes.
fn block_of(hash: u64, bytes: usize) -> usize {
    (((hash >> 32) * (bytes / BLOCK_BYTES) as u64) >> 32) as usize * BLOCK_BYTES
}

/// Bit 0..32 that an id sets in the word with this salt.
fn bit_of(hash: u64, salt: u32) -> usize {
    ((hash as u32).wrapping_mul(salt) >> 27) as usize
}

/// Looks ids up.
pub(super) struct Ids {
    rows: usize,
    least: u64,
    greatest: u64,
    /// None where ids ascend with the rows.
    file: Option<Bytes>,
}

impl Ids {
    /// The ids of a chunk of `rows` rows. None where the file is too short for them.
    pub(super) fn new(rows: u32, least: u64, greatest: u64, file: Option<Bytes>) -> Option<Ids> {
        let rows = rows as usize;
        if file.as_ref().is_some_and(|f| f.len() < 12 * rows || !(f.len() - 12 * rows).is_multiple_of(BLOCK_BYTES)) {
            return None;
        }
        Some(Ids { rows, least, greatest, file })
    }

    /// Least and greatest id.
    pub(super) fn range(&self) -> Option<(DocId, DocId)> {
        (self.rows > 0).then_some((DocId(self.least), DocId(self.greatest)))
    }

    /// The row of a document. `id_at` gives the id of a row; those are searched where they ascend.
    pub(super) fn find(&self, id: DocId, id_at: impl Fn(u32) -> DocId) -> Option<RowId> {
        if self.rows == 0 || id.0 < self.least || id.0 > self.greatest {
            return None;
        }
        match &self.file {
            None => search(self.rows, id.0, self.least, self.greatest, |row| id_at(row as u32).0).map(|row| RowId(row as u32)),
            Some(file) => {
                let file = &file[..];
                let (pairs, filter) = file.split_at(12 * self.rows);
                if !filter.is_empty() && !may_hold(filter, id.0) {
                    return None;
                }
                let (ids, rows) = pairs.split_at(8 * self.rows);
                let at = search(self.rows, id.0, self.least, self.greatest, |n| u64_at(ids, n * 8))?;
                let row = rows[at * 4..at * 4 + 4].try_into().map(u32::from_le_bytes).ok()?;
                ((row as usize) < self.rows).then_some(RowId(row))
            }
        }
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn may_hold(filter: &[u8], id: u64) -> bool {
    let hash = mix(id);
    let block = block_of(hash, filter.len());
    filter[block..block + BLOCK_BYTES].chunks_exact(4).zip(SALTS).all(|(word, salt)| {
        let bit = bit_of(hash, salt);
        word[bit / 8] >> (bit % 8) & 1 == 1
    })
}

/// Place of `id` among `count` ascending ids between `least` and `greatest`. Guesses by proportion, which takes one or two looks where
/// ids are handed out one after another, and halves the range every other time, so that it never takes more than 2 log₂ looks.
fn search(count: usize, id: u64, least: u64, greatest: u64, at: impl Fn(usize) -> u64) -> Option<usize> {
    let (mut low, mut high) = (0, count - 1);
    let (mut low_id, mut high_id) = (least, greatest);
    let mut guess = true;
    while low <= high {
        if id < low_id || id > high_id {
            return None;
        }
        let span = (high - low) as u128;
        let middle = match (guess, high_id - low_id) {
            (true, range @ 1..) => low + (span * u128::from(id - low_id) / u128::from(range)) as usize,
            _ => low + (high - low) / 2,
        };
        guess = !guess;
        let found = at(middle);
        match found.cmp(&id) {
            std::cmp::Ordering::Equal => return Some(middle),
            std::cmp::Ordering::Less => (low, low_id) = (middle + 1, found.checked_add(1)?),
            std::cmp::Ordering::Greater => (high, high_id) = (middle.checked_sub(1)?, found.checked_sub(1)?),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ids: &[u64]) {
        let mut watch = IdsWatch::default();
        ids.iter().for_each(|id| watch.add(DocId(*id)));
        let id_at = |row: u32| DocId(ids[row as usize]);
        let (least, greatest) = watch.range();
        let file = (!watch.ascend()).then(|| {
            let mut bytes = Vec::new();
            write_ids(&mut ids.iter().copied().zip(0..).collect::<Vec<_>>(), &mut bytes).expect("in memory");
            Bytes::from(bytes)
        });
        assert_eq!(file.is_none(), ids.is_sorted());
        let found = Ids::new(ids.len() as u32, least, greatest, file).expect("long enough");
        for (row, &id) in ids.iter().enumerate() {
            assert_eq!(found.find(DocId(id), id_at), Some(RowId(row as u32)), "{id}");
            for near in [id.wrapping_sub(1), id.wrapping_add(1), id ^ 1 << 40] {
                let row = ids.iter().position(|&i| i == near).map(|r| RowId(r as u32));
                assert_eq!(found.find(DocId(near), id_at), row, "{near}");
            }
        }
    }

    #[test]
    fn every_id_is_found_and_no_other() {
        check(&[]);
        check(&[5]);
        check(&[u64::MAX, 1, 0]);
        check(&[0, 1, u64::MAX]);
        check(&(1..1000).collect::<Vec<_>>());
        check(&(1..1000).rev().collect::<Vec<_>>());
        check(&(1..1000).map(mix).collect::<Vec<_>>());
        let mut squares: Vec<u64> = (1..1000).map(|n| n * n * n * n).collect();
        check(&squares);
        squares.swap(3, 700);
        check(&squares);
    }

    #[test]
    fn the_filter_turns_most_absent_ids_away() {
        let mut bytes = Vec::new();
        write_ids(&mut (0..10_000).map(|n| (mix(n), n as u32)).collect::<Vec<_>>(), &mut bytes).expect("in memory");
        let passed = (10_000..20_000).filter(|&n| may_hold(&bytes[120_000..], mix(n))).count();
        assert!(passed < 300, "{passed} of 10 000");
    }
}
