//! A column of values of any length: strings and sets.
//!
//! ```text
//! values   (a file of its own) per block of 4096 rows: its values back to back; or, where many are alike, the distinct ones
//! blocks   per block: where each value ends, counted from the block's first value; where only distinct ones are kept, behind that the
//!          number of each row's value among them. All packed.
//! index    per block  u64 where its values begin │ u64 bytes of its values │ u64 where it begins in the blocks │ u32 distinct values, 0 = all are kept
//!                     │ 4 zeros
//! ```
//!
//! How many bits a packed number takes follows from the bytes of the values and from how many are distinct.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::pack;
use crate::types::Bytes;

/// Rows of a block.
const BLOCK: usize = 4096;
/// Bytes of an index entry.
const ENTRY_BYTES: usize = 32;
/// Most distinct values of a block that only such are kept of.
const DISTINCT_MAX: usize = 1024;
/// Bytes of values that wait for the end of their block to be known. More are written as they come.
const WAITING_MAX: usize = 64 << 10;
/// Rows after which values that are mostly distinct are taken to stay so.
const PROBE: usize = 256;

/// Writes a column, value after value.
pub(in crate::chunk) struct HeapWriter {
    /// Where the values kept so far end.
    ends: Vec<u64>,
    /// Distinct values so far and each row's number; None once they turned out too many.
    distinct: Option<Distinct>,
    rows: usize,
    index: Vec<u8>,
    packed: Vec<u8>,
    /// Where the block's values begin, and bytes of blocks written.
    start: u64,
    written: u64,
}

#[derive(Default)]
struct Distinct {
    numbers: FxHashMap<Box<[u8]>, u32>,
    /// The values in order of their numbers, back to back.
    values: Vec<u8>,
    ends: Vec<u64>,
    rows: Vec<u32>,
}

impl Distinct {
    /// Adds a value; false where it would be one too many.
    fn add(&mut self, value: &[u8]) -> bool {
        let number = match self.numbers.get(value) {
            Some(number) => *number,
            None => {
                let number = self.ends.len();
                let mostly_distinct = self.rows.len() >= PROBE && number * 2 > self.rows.len();
                if number == DISTINCT_MAX || self.values.len() + value.len() > WAITING_MAX || mostly_distinct {
                    return false;
                }
                self.values.extend_from_slice(value);
                self.ends.push(self.values.len() as u64);
                self.numbers.insert(value.into(), number as u32);
                number as u32
            }
        };
        self.rows.push(number);
        true
    }

    fn value(&self, number: u32) -> &[u8] {
        let start = if number == 0 { 0 } else { self.ends[number as usize - 1] };
        &self.values[start as usize..self.ends[number as usize] as usize]
    }

    fn clear(&mut self) {
        self.numbers.clear();
        self.values.clear();
        self.ends.clear();
        self.rows.clear();
    }
}

impl HeapWriter {
    /// A writer whose first value lands at byte `start` of the file of values.
    pub(in crate::chunk) fn new(start: u64) -> HeapWriter {
        let distinct = Some(Distinct::default());
        HeapWriter { ends: Vec::new(), distinct, rows: 0, index: Vec::new(), packed: Vec::new(), start, written: 0 }
    }

    /// Adds the next row's value.
    pub(in crate::chunk) fn add(&mut self, value: &[u8], values: &mut impl Write, out: &mut impl Write) -> io::Result<()> {
        if let Some(distinct) = &mut self.distinct
            && !distinct.add(value)
        {
            // Those that were held back go out as they came.
            let held = self.distinct.take().unwrap_or_default();
            held.rows.iter().try_for_each(|number| self.keep(held.value(*number), values))?;
        }
        if self.distinct.is_none() {
            self.keep(value, values)?;
        }
        self.rows += 1;
        if self.rows == BLOCK { self.end_block(values, out) } else { Ok(()) }
    }

    fn keep(&mut self, value: &[u8], values: &mut impl Write) -> io::Result<()> {
        values.write_all(value)?;
        self.ends.push(self.ends.last().unwrap_or(&0) + value.len() as u64);
        Ok(())
    }

    fn end_block(&mut self, values: &mut impl Write, out: &mut impl Write) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.packed.clear();
        let mut distinct = self.distinct.take().unwrap_or_default();
        let (ends, kept) = match distinct.ends.len() {
            0 => (&self.ends, 0),
            kept => (&distinct.ends, kept),
        };
        let len = ends.last().copied().unwrap_or(0);
        pack::pack(ends.iter().copied(), pack::width_for(len), &mut self.packed);
        if kept > 0 {
            values.write_all(&distinct.values)?;
            let width = pack::width_for(kept as u64 - 1);
            pack::pack(distinct.rows.iter().map(|number| u64::from(*number)), width, &mut self.packed);
        }
        out.write_all(&self.packed)?;
        for number in [self.start, len, self.written] {
            self.index.extend_from_slice(&number.to_le_bytes());
        }
        self.index.extend_from_slice(&(kept as u64).to_le_bytes());
        self.start += len;
        self.written += self.packed.len() as u64;
        self.ends.clear();
        distinct.clear();
        self.distinct = Some(distinct);
        self.rows = 0;
        Ok(())
    }

    /// Ends the column; gives the bytes of its blocks and of the index behind them, and where the file of values ends.
    pub(in crate::chunk) fn end(mut self, values: &mut impl Write, out: &mut impl Write) -> io::Result<([u64; 2], u64)> {
        self.end_block(values, out)?;
        out.write_all(&self.index)?;
        Ok(([self.written, self.index.len() as u64], self.start))
    }
}

/// A column to read. Bytes that contradict the format read as an empty value.
pub(super) struct Heap {
    blocks: Bytes,
    index: Bytes,
    values: Bytes,
}

impl Heap {
    /// Bytes of the index of so many rows.
    pub(super) fn index_len(rows: u32) -> u64 {
        (rows as usize).div_ceil(BLOCK) as u64 * ENTRY_BYTES as u64
    }

    /// `values` is the whole file of values, which all such columns of a chunk share.
    pub(super) fn new(blocks: Bytes, index: Bytes, values: Bytes) -> Heap {
        Heap { blocks, index, values }
    }

    /// The value of a row.
    pub(super) fn get(&self, row: u32) -> &[u8] {
        self.read(row).unwrap_or(&[])
    }

    fn read(&self, row: u32) -> Option<&[u8]> {
        let entry = self.index.as_chunks::<ENTRY_BYTES>().0.get(row as usize / BLOCK)?;
        let long = |at: usize| usize::try_from(u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|n| entry[at + n]))).ok();
        let (start, len, kept) = (long(0)?, long(8)?, long(24)?);
        let mut data = self.blocks.get(long(16)?..)?;
        let width = pack::width_for(len as u64);
        let mut at = row as usize % BLOCK;
        let ends = data;
        if kept > 0 {
            let len = kept.checked_mul(width as usize)?.div_ceil(8);
            data = data.get(len..)?;
            at = pack::unpack(data, pack::width_for(kept as u64 - 1), at)? as usize;
        }
        let from = if at == 0 { 0 } else { pack::unpack(ends, width, at - 1)? as usize };
        let to = pack::unpack(ends, width, at)? as usize;
        self.values.get(start.checked_add(from)?..start.checked_add(to)?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Written {
        out: Vec<u8>,
        values: Vec<u8>,
        blocks: usize,
    }

    fn written(wanted: &[Vec<u8>]) -> Written {
        // Another column's values stand before.
        let (mut out, mut values) = (Vec::new(), b"before".to_vec());
        let mut writer = HeapWriter::new(6);
        wanted.iter().for_each(|value| writer.add(value, &mut values, &mut out).expect("in memory"));
        let ([blocks, index], end) = writer.end(&mut values, &mut out).expect("in memory");
        assert_eq!(end as usize, values.len());
        assert_eq!((out.len() as u64, index), (blocks + index, Heap::index_len(wanted.len() as u32)));
        Written { out, values, blocks: blocks as usize }
    }

    fn opened(written: Written) -> Heap {
        let (out, values) = (Bytes::from(written.out), Bytes::from(written.values));
        let blocks = written.blocks.min(out.len());
        Heap::new(out.slice(0..blocks).expect("inside"), out.slice(blocks..out.len()).expect("inside"), values)
    }

    /// Bytes of blocks and values.
    fn check(wanted: &[Vec<u8>]) -> (usize, usize) {
        let written = written(wanted);
        let sizes = (written.blocks, written.values.len() - 6);
        let column = opened(written);
        wanted.iter().enumerate().for_each(|(row, value)| assert_eq!(column.get(row as u32), value, "row {row}"));
        assert_eq!(column.get(wanted.len().next_multiple_of(BLOCK) as u32), b"");
        sizes
    }

    #[test]
    fn all_kinds_of_blocks() {
        check(&[]);
        assert_eq!(check(&vec![vec![]; 5000]), (0, 0));
        assert_eq!(check(&vec![b"same".to_vec(); BLOCK]), (1, 4));
        let countries: Vec<Vec<u8>> = (0..10_000).map(|n| format!("country {}", n * n % 97).into_bytes()).collect();
        let (blocks, values) = check(&countries);
        assert!(blocks < 10_000 && values < 3 * 97 * 11, "{blocks} {values}");
        // All distinct; mostly distinct behind a start that is not; one large value among small ones.
        let distinct = |n: usize| format!("value {n}").into_bytes();
        check(&(0..9000).map(distinct).collect::<Vec<_>>());
        check(&(0..9000).map(|n| if n % 4096 < 300 { vec![b'a'] } else { distinct(n) }).collect::<Vec<_>>());
        let mut large: Vec<Vec<u8>> = (0..5000).map(|n| vec![n as u8; n % 3]).collect();
        large[100] = vec![7; WAITING_MAX * 2];
        large[4500] = vec![8; WAITING_MAX + 1];
        check(&large);
        check(&(0..4096).map(|n| distinct(n % (DISTINCT_MAX + 1))).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn values_come_back(wanted in prop::collection::vec(prop_oneof![Just(vec![]), Just(vec![9; 40]), prop::collection::vec(any::<u8>(), 0..6)], 0..6000)) {
            check(&wanted);
        }

        #[test]
        fn damaged_bytes_read_as_something(kinds in 1..200u32, rows in 1..5000u32, at in any::<prop::sample::Index>(), bit in 0..8u32, cut in any::<bool>()) {
            let wanted: Vec<Vec<u8>> = (0..rows).map(|n| vec![1; (n % kinds) as usize]).collect();
            let mut written = written(&wanted);
            let at = at.index(written.out.len());
            if cut { written.out.truncate(at) } else { written.out[at] ^= 1 << bit }
            let column = opened(written);
            (0..rows).for_each(|row| drop(column.get(row).to_vec()));
        }
    }
}
