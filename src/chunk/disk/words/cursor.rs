//! Walking a list: row by row for a query, block by block for a merge.

use super::Damage;
use super::list::{Block, List};
use super::positions::PositionsReader;
use crate::chunk::postings::NO_ROW;

/// A cursor over the rows of one word. Damaged bytes make it panic, since its steps cannot fail.
pub(in crate::chunk::disk) struct Cursor<'a> {
    list: List<'a>,
    positions: Option<PositionsReader<'a>>,
    block: Block,
    /// The current row, or [`NO_ROW`].
    row: u32,
    /// Its place in `block`.
    at: usize,
    /// Number of `block` in the list, where it begins, and the hits before it.
    number: usize,
    start: usize,
    hits_before: u64,
    /// A place in the block and the hits before it there.
    counted: (usize, u64),
    docs: u32,
    tf_max: u32,
}

impl<'a> Cursor<'a> {
    /// A cursor on the first row.
    pub(super) fn new(list: List<'a>, positions: Option<PositionsReader<'a>>, docs: u32, tf_max: u32) -> Result<Cursor<'a>, Damage> {
        let mut block = Block::new();
        list.load(0, 0, &mut block)?;
        let row = if block.len == 0 { NO_ROW } else { block.rows[0] };
        Ok(Cursor { list, positions, block, row, at: 0, number: 0, start: 0, hits_before: 0, counted: (0, 0), docs, tf_max })
    }

    /// The current row, or [`NO_ROW`].
    #[inline]
    pub(in crate::chunk::disk) fn row(&self) -> u32 {
        self.row
    }

    /// Steps to the next row.
    #[inline]
    pub(in crate::chunk::disk) fn advance(&mut self) -> u32 {
        if self.row == NO_ROW {
            return NO_ROW;
        }
        self.at += 1;
        if self.at < self.block.len {
            self.row = self.block.rows[self.at];
        } else {
            self.enter(self.number + 1);
        }
        self.row
    }

    /// Steps to the first row ≥ `target`.
    #[inline]
    pub(in crate::chunk::disk) fn seek(&mut self, target: u32) -> u32 {
        if self.row >= target {
            return self.row;
        }
        // The row is less than the target, so it is a row and the block is not empty.
        if self.block.rows[self.block.len - 1] < target {
            self.seek_block(target);
            if self.row == NO_ROW {
                return NO_ROW;
            }
        }
        self.at += self.block.rows[self.at..self.block.len].partition_point(|row| *row < target);
        self.row = if self.at < self.block.len { self.block.rows[self.at] } else { NO_ROW };
        self.row
    }

    /// Enters the first block behind this one whose last row is not before `target`; the tail if none is.
    fn seek_block(&mut self, target: u32) {
        let blocks = self.list.blocks();
        // Doubling steps first: the next block is the likeliest.
        let (mut low, mut step) = (self.number + 1, 1);
        while low + step <= blocks && self.list.last_row(low + step - 1) < target {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(blocks);
        let inside = self.list.last_rows.get(low.min(high)..high).unwrap_or(&[]);
        self.enter(low + inside.partition_point(|last| u32::from_le_bytes(*last) < target));
    }

    /// Makes the first row of block `number` the current one; the end where there is no such block.
    fn enter(&mut self, number: usize) {
        let blocks = self.list.blocks();
        if number > blocks || number == blocks && self.list.tail == 0 {
            self.row = NO_ROW;
            return;
        }
        let (bytes, hits) = self.list.skipped(self.number, number);
        (self.start, self.hits_before) = (self.start + bytes, self.hits_before + hits);
        (self.number, self.at, self.counted) = (number, 0, (0, 0));
        if let Err(damage) = self.list.load(number, self.start, &mut self.block) {
            panic!("{damage}");
        }
        self.row = self.block.rows[0];
    }

    /// Hits in the current row; 0 at the end.
    #[inline]
    pub(in crate::chunk::disk) fn tf(&self) -> u32 {
        if self.row == NO_ROW { 0 } else { self.block.hits[self.at] }
    }

    /// Appends the positions in the current row.
    #[inline]
    pub(in crate::chunk::disk) fn positions(&mut self, out: &mut Vec<u32>) {
        let tf = self.tf();
        let Some(positions) = &mut self.positions else { return };
        // Memory for a number of hits that no row has must not be asked for.
        assert!(tf <= self.tf_max, "a word with more hits in a row than any has");
        let (at, mut before) = self.counted;
        if at <= self.at {
            before += self.block.hits[at..self.at.min(self.block.len)].iter().map(|h| u64::from(*h)).sum::<u64>();
        }
        self.counted = (self.at, before);
        let mut position = 0u32;
        let read = positions.read(self.hits_before + before, u64::from(tf), |gaps| {
            out.extend(gaps.iter().map(|gap| {
                position = position.wrapping_add(*gap);
                position
            }));
        });
        if let Err(damage) = read {
            panic!("{damage}");
        }
    }

    /// Rows of the whole list.
    pub(in crate::chunk::disk) fn docs(&self) -> u32 {
        self.docs
    }
}

/// Reads whole lists one after another, block by block.
pub(super) struct BlockReader {
    block: Block,
    gaps: Vec<u32>,
}

impl BlockReader {
    pub(super) fn new() -> BlockReader {
        BlockReader { block: Block::new(), gaps: Vec::new() }
    }

    /// Calls `take` with rows, hits per row and all position gaps of each block of a list.
    pub(super) fn read<E: From<Damage>>(
        &mut self,
        list: List<'_>,
        mut positions: Option<PositionsReader<'_>>,
        tf_max: u32,
        mut take: impl FnMut(&[u32], &[u32], &[u32]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut start, mut offset) = (0, 0u64);
        for number in 0..list.blocks() + usize::from(list.tail > 0) {
            list.load(number, start, &mut self.block)?;
            if number < list.blocks() {
                start += list.skipped(number, number + 1).0;
            }
            if self.block.hits().iter().any(|tf| *tf > tf_max) {
                return Err(Damage("a word with more hits in a row than any has").into());
            }
            self.gaps.clear();
            if let Some(positions) = &mut positions {
                let count = self.block.hits().iter().map(|tf| u64::from(*tf)).sum();
                positions.read(offset, count, |gaps| self.gaps.extend_from_slice(gaps))?;
                offset += count;
            }
            take(self.block.rows(), self.block.hits(), &self.gaps)?;
        }
        Ok(())
    }
}
