//! A column of whole numbers.
//!
//! ```text
//! blocks   1024 numbers each (the last may have fewer), packed as their differences to the least; or, where they are few distinct ones
//!          far apart, those (i64 each, ascending) and then the place of each number among them, packed
//! index    per block  i64 least │ i64 greatest │ u64 where it begins in the blocks │ u8 bits of a packed number │ u8 distinct numbers, 0 = none listed
//!                     │ 6 zeros
//! ```
//!
//! Any number is read by itself: an index entry and eight bytes of its block. Least and greatest spare a filter whole blocks.

use std::io::{self, Write};

use super::pack;
use crate::types::Bytes;

/// Numbers of a block.
const BLOCK: usize = 1024;
/// Bytes of an index entry.
const ENTRY_BYTES: usize = 32;
/// Most distinct numbers that are listed.
const LISTED_MAX: usize = 64;
/// Packed numbers of fewer bits gain nothing by a list.
const LISTED_BITS_MIN: u8 = 8;

/// Writes a column, number after number.
pub(in crate::chunk) struct NumberWriter {
    block: Vec<i64>,
    index: Vec<u8>,
    packed: Vec<u8>,
    distinct: Vec<i64>,
    written: u64,
}

impl NumberWriter {
    pub(in crate::chunk) fn new() -> NumberWriter {
        NumberWriter { block: Vec::with_capacity(BLOCK), index: Vec::new(), packed: Vec::new(), distinct: Vec::new(), written: 0 }
    }

    /// Adds the next row's number.
    #[inline]
    pub(in crate::chunk) fn add(&mut self, number: i64, out: &mut impl Write) -> io::Result<()> {
        self.block.push(number);
        if self.block.len() == BLOCK { self.end_block(out) } else { Ok(()) }
    }

    fn end_block(&mut self, out: &mut impl Write) -> io::Result<()> {
        let (Some(&least), Some(&greatest)) = (self.block.iter().min(), self.block.iter().max()) else { return Ok(()) };
        let mut width = pack::width_for(greatest.wrapping_sub(least) as u64);
        self.packed.clear();
        if width >= LISTED_BITS_MIN && self.list_distinct() && self.list_pays(width) {
            width = pack::width_for(self.distinct.len() as u64 - 1);
            self.distinct.iter().for_each(|number| self.packed.extend_from_slice(&number.to_le_bytes()));
            let places = self.block.iter().map(|number| self.distinct.partition_point(|listed| listed < number) as u64);
            pack::pack(places, width, &mut self.packed);
        } else {
            self.distinct.clear();
            pack::pack(self.block.iter().map(|number| number.wrapping_sub(least) as u64), width, &mut self.packed);
        }
        out.write_all(&self.packed)?;
        self.index.extend_from_slice(&least.to_le_bytes());
        self.index.extend_from_slice(&greatest.to_le_bytes());
        self.index.extend_from_slice(&self.written.to_le_bytes());
        self.index.extend_from_slice(&[width, self.distinct.len() as u8, 0, 0, 0, 0, 0, 0]);
        self.written += self.packed.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// Lists the distinct numbers of the block; false where they are too many.
    fn list_distinct(&mut self) -> bool {
        self.distinct.clear();
        for number in &self.block {
            if let Err(place) = self.distinct.binary_search(number) {
                if self.distinct.len() == LISTED_MAX {
                    return false;
                }
                self.distinct.insert(place, *number);
            }
        }
        true
    }

    fn list_pays(&self, width: u8) -> bool {
        let (listed, count) = (self.distinct.len(), self.block.len());
        listed * 8 + pack::packed_len(count, pack::width_for(listed as u64 - 1)) < pack::packed_len(count, width)
    }

    /// Ends the column; gives the bytes of its blocks and of the index behind them.
    pub(in crate::chunk) fn end(mut self, out: &mut impl Write) -> io::Result<[u64; 2]> {
        self.end_block(out)?;
        out.write_all(&self.index)?;
        Ok([self.written, self.index.len() as u64])
    }
}

/// A column to read. Bytes that contradict the format read as 0.
pub(super) struct Numbers {
    blocks: Bytes,
    index: Bytes,
}

impl Numbers {
    /// Bytes of the index of so many rows.
    pub(super) fn index_len(rows: u32) -> u64 {
        (rows as usize).div_ceil(BLOCK) as u64 * ENTRY_BYTES as u64
    }

    pub(super) fn new(blocks: Bytes, index: Bytes) -> Numbers {
        Numbers { blocks, index }
    }

    fn entry(&self, row: u32) -> Option<&[u8; ENTRY_BYTES]> {
        self.index.as_chunks::<ENTRY_BYTES>().0.get(row as usize / BLOCK)
    }

    /// The number of a row.
    #[inline]
    pub(super) fn get(&self, row: u32) -> i64 {
        self.read(row).unwrap_or(0)
    }

    #[inline]
    fn read(&self, row: u32) -> Option<i64> {
        let entry = self.entry(row)?;
        let (least, width, listed) = (long(entry, 0), entry[24], entry[25] as usize);
        if width == 0 {
            return Some(least);
        }
        let data = self.blocks.get(usize::try_from(long(entry, 16)).ok()?..)?;
        let at = row as usize % BLOCK;
        if listed == 0 {
            return Some(least.wrapping_add(pack::unpack(data, width, at)? as i64));
        }
        let (list, places) = data.split_at_checked(listed * 8)?;
        let place = pack::unpack(places, width, at)? as usize;
        list.as_chunks::<8>().0.get(place).map(|bytes| i64::from_le_bytes(*bytes))
    }

    /// Least and greatest number among the rows of the block of `row`, and the row behind that block.
    pub(super) fn range(&self, row: u32) -> Option<(i64, i64, u32)> {
        let entry = self.entry(row)?;
        Some((long(entry, 0), long(entry, 8), (row / BLOCK as u32 + 1).saturating_mul(BLOCK as u32)))
    }
}

#[inline]
fn long(entry: &[u8; ENTRY_BYTES], at: usize) -> i64 {
    i64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|n| entry[at + n]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(numbers: &[i64]) -> (Numbers, usize) {
        let (mut writer, mut out) = (NumberWriter::new(), Vec::new());
        numbers.iter().for_each(|n| writer.add(*n, &mut out).expect("in memory"));
        let [blocks, index] = writer.end(&mut out).expect("in memory");
        assert_eq!((out.len() as u64, index), (blocks + index, Numbers::index_len(numbers.len() as u32)));
        let blocks = blocks as usize;
        let bytes = Bytes::from(out);
        let slice = |range| bytes.slice(range).expect("inside");
        (Numbers::new(slice(0..blocks), slice(blocks..bytes.len())), blocks)
    }

    /// Bytes of the blocks.
    fn check(numbers: &[i64]) -> usize {
        let (column, bytes) = written(numbers);
        for (row, number) in numbers.iter().enumerate() {
            assert_eq!(column.get(row as u32), *number, "row {row}");
            let (least, greatest, next) = column.range(row as u32).expect("there");
            let block = &numbers[row / BLOCK * BLOCK..numbers.len().min(next as usize)];
            assert_eq!((Some(&least), Some(&greatest)), (block.iter().min(), block.iter().max()));
        }
        assert_eq!(column.get(numbers.len().next_multiple_of(BLOCK) as u32), 0);
        bytes
    }

    #[test]
    fn all_kinds_of_blocks() {
        check(&[]);
        check(&[i64::MIN, i64::MAX, 0, -1]);
        assert_eq!(check(&[7; 5000]), 0);
        // Ids in a row: ten bits each.
        assert_eq!(check(&(1_000_000_000_000..1_000_000_002_048).collect::<Vec<_>>()), 2 * 1280);
        // Three numbers far apart: a list of three and two bits each.
        let far: Vec<i64> = (0..1024).map(|n| [i64::MIN, 0, i64::MAX][n % 3]).collect();
        assert_eq!(check(&far), 3 * 8 + 256);
        // As many distinct ones as a list takes, and one more.
        for distinct in [LISTED_MAX, LISTED_MAX + 1] {
            let numbers: Vec<i64> = (0..BLOCK).map(|n| (n % distinct) as i64 * 1_000_000_007).collect();
            let listed = distinct * 8 + BLOCK * 6 / 8;
            assert_eq!(check(&numbers) == listed, distinct == LISTED_MAX);
        }
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec(prop_oneof![any::<i64>(), -5i64..5, Just(1i64 << 40)], 0..3000)) {
            check(&numbers);
        }

        #[test]
        fn damaged_bytes_read_as_something(numbers in prop::collection::vec(any::<i32>(), 1..1500), at in any::<prop::sample::Index>(), bit in 0..8u32, cut in any::<bool>()) {
            let (mut writer, mut out) = (NumberWriter::new(), Vec::new());
            numbers.iter().for_each(|n| writer.add(i64::from(*n), &mut out).expect("in memory"));
            let blocks = writer.end(&mut out).expect("in memory")[0] as usize;
            let at = at.index(out.len());
            if cut { out.truncate(at) } else { out[at] ^= 1 << bit }
            let bytes = Bytes::from(out);
            let blocks = blocks.min(bytes.len());
            let column = Numbers::new(bytes.slice(0..blocks).expect("inside"), bytes.slice(blocks..bytes.len()).expect("inside"));
            (0..numbers.len() as u32).for_each(|row| { column.get(row); column.range(row); });
        }
    }
}
