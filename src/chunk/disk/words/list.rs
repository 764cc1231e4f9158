//! The rows of a word and its hits in each.
//!
//! ```text
//! blocks    128 rows each: row gaps less 1, packed at the width of the widest; then hits less 1, packed the same way
//! tail      per row left over: number (row gap less 1) << 1 | several; where several, number (hits less 2)
//! per block, all of one kind together:
//!           u32 last row │ u8 width of the gaps │ u8 width of the hits │ u8 most hits of a row, 255 = that or more
//!           │ u32 hits of all its rows (only in lists with positions)
//! ```
//!
//! The row before the first is −1. The number of rows says the dictionary. What is known per block comes last, so that a writer need not
//! keep a long list in memory, and of one kind together, so that a seek looks through the last rows alone and adds up bytes.

use std::io::{self, Write};

use bitpacking::{BitPacker, BitPacker4x};

use super::positions::{BLOCK, BYTES_PER_BIT, PositionsWriter, unpack};
use super::{Damage, put_number, take_number};
use crate::chunk::postings::NO_ROW;

const SHORT: Damage = Damage("a posting list is cut short");

/// Bytes known per block, without and with positions.
const BLOCK_MARK_BYTES: [usize; 2] = [7, 11];

/// Writes the lists of one dictionary, word after word.
pub(super) struct ListWriter {
    packer: BitPacker4x,
    rows: [u32; BLOCK],
    hits: [u32; BLOCK],
    len: usize,
    /// Last row of the block before.
    before: Option<u32>,
    positions: Option<PositionsWriter>,
    docs: u32,
    total: u64,
    tf_max: u32,
    written: u64,
    last_rows: Vec<u8>,
    row_widths: Vec<u8>,
    hit_widths: Vec<u8>,
    most_hits: Vec<u8>,
    block_hits: Vec<u8>,
    packed: [u8; BLOCK * 4],
    tail: Vec<u8>,
}

/// What a finished list takes to be found again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ListMark {
    /// Rows.
    pub(super) docs: u32,
    /// Hits in all rows.
    pub(super) hits: u64,
    /// Bytes in the postings.
    pub(super) postings: u64,
    /// Bytes in the positions.
    pub(super) positions: u64,
}

impl ListWriter {
    /// A writer of lists with or without positions.
    pub(super) fn new(positions: bool) -> ListWriter {
        ListWriter {
            packer: BitPacker4x::new(),
            rows: [0; BLOCK],
            hits: [0; BLOCK],
            len: 0,
            before: None,
            positions: positions.then(PositionsWriter::new),
            docs: 0,
            total: 0,
            tf_max: 0,
            written: 0,
            last_rows: Vec::new(),
            row_widths: Vec::new(),
            hit_widths: Vec::new(),
            most_hits: Vec::new(),
            block_hits: Vec::new(),
            packed: [0; BLOCK * 4],
            tail: Vec::new(),
        }
    }

    /// Adds a row greater than the one before, with its position gaps: `hits` of them, or none in a list without positions.
    #[inline]
    pub(super) fn add(
        &mut self,
        row: u32,
        hits: u32,
        gaps: &[u32],
        postings: &mut impl Write,
        positions: &mut impl Write,
    ) -> io::Result<()> {
        self.rows[self.len] = row;
        self.hits[self.len] = hits;
        self.len += 1;
        if let Some(writer) = &mut self.positions {
            writer.add(gaps, positions)?;
        }
        if self.len == BLOCK { self.write_block(postings) } else { Ok(()) }
    }

    /// Adds rows of another list, all moved by `by`.
    pub(super) fn add_all(
        &mut self,
        by: u32,
        mut rows: &[u32],
        mut hits: &[u32],
        gaps: &[u32],
        postings: &mut impl Write,
        positions: &mut impl Write,
    ) -> io::Result<()> {
        if let Some(writer) = &mut self.positions {
            writer.add(gaps, positions)?;
        }
        while !rows.is_empty() {
            let now = rows.len().min(BLOCK - self.len);
            for (to, row) in self.rows[self.len..].iter_mut().zip(&rows[..now]) {
                *to = row.wrapping_add(by);
            }
            self.hits[self.len..self.len + now].copy_from_slice(&hits[..now]);
            (rows, hits) = (&rows[now..], &hits[now..]);
            self.len += now;
            if self.len == BLOCK {
                self.write_block(postings)?;
            }
        }
        Ok(())
    }

    fn count_hits(&mut self) -> (u32, u32) {
        let hits = &self.hits[..self.len];
        let (most, sum) = (hits.iter().copied().max().unwrap_or(0), hits.iter().map(|h| u64::from(*h)).sum::<u64>());
        self.docs += self.len as u32;
        self.total += sum;
        self.tf_max = self.tf_max.max(most);
        // A row has at most 2³² hits, so a block of so many would need rows of 2²⁵ tokens each.
        (most, u32::try_from(sum).unwrap_or(u32::MAX))
    }

    fn write_block(&mut self, out: &mut impl Write) -> io::Result<()> {
        let (most, sum) = self.count_hits();
        self.len = 0;
        let last = self.rows[BLOCK - 1];
        let row_width = self.packer.num_bits_strictly_sorted(self.before, &self.rows);
        let row_bytes = self.packer.compress_strictly_sorted(self.before, &self.rows, &mut self.packed, row_width);
        out.write_all(&self.packed[..row_bytes])?;
        let mut less = self.hits;
        less.iter_mut().for_each(|hits| *hits -= 1);
        let hit_width = self.packer.num_bits(&less);
        let hit_bytes = self.packer.compress(&less, &mut self.packed, hit_width);
        out.write_all(&self.packed[..hit_bytes])?;
        self.written += (row_bytes + hit_bytes) as u64;
        self.before = Some(last);
        self.last_rows.extend_from_slice(&last.to_le_bytes());
        self.row_widths.push(row_width);
        self.hit_widths.push(hit_width);
        self.most_hits.push(most.min(255) as u8);
        if self.positions.is_some() {
            self.block_hits.extend_from_slice(&sum.to_le_bytes());
        }
        Ok(())
    }

    /// Ends the word: its mark, and its most hits in a row.
    pub(super) fn end(&mut self, postings: &mut impl Write, positions: &mut impl Write) -> io::Result<(ListMark, u32)> {
        self.count_hits();
        self.tail.clear();
        let mut before = self.before.take().unwrap_or(NO_ROW);
        for (&row, &hits) in self.rows[..self.len].iter().zip(&self.hits[..self.len]) {
            let gap = u64::from(row.wrapping_sub(before).wrapping_sub(1));
            put_number(&mut self.tail, gap << 1 | u64::from(hits > 1));
            if hits > 1 {
                put_number(&mut self.tail, u64::from(hits - 2));
            }
            before = row;
        }
        self.len = 0;
        for marks in [&mut self.last_rows, &mut self.row_widths, &mut self.hit_widths, &mut self.most_hits, &mut self.block_hits] {
            self.tail.append(marks);
        }
        postings.write_all(&self.tail)?;
        let written = std::mem::take(&mut self.written) + self.tail.len() as u64;
        let positions = match &mut self.positions {
            Some(writer) => writer.end(&mut self.tail, positions)?,
            None => 0,
        };
        let (docs, hits) = (std::mem::take(&mut self.docs), std::mem::take(&mut self.total));
        Ok((ListMark { docs, hits, postings: written, positions }, std::mem::take(&mut self.tf_max)))
    }
}

/// A list to read.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    /// Rows left over behind the last block.
    pub(super) tail: usize,
    /// Blocks and tail.
    data: &'a [u8],
    pub(super) last_rows: &'a [[u8; 4]],
    row_widths: &'a [u8],
    hit_widths: &'a [u8],
    block_hits: &'a [[u8; 4]],
}

/// Rows and hits of a block, unpacked.
pub(super) struct Block {
    pub(super) rows: [u32; BLOCK],
    pub(super) hits: [u32; BLOCK],
    pub(super) len: usize,
}

impl Block {
    pub(super) fn new() -> Block {
        Block { rows: [0; BLOCK], hits: [0; BLOCK], len: 0 }
    }

    pub(super) fn rows(&self) -> &[u32] {
        &self.rows[..self.len]
    }

    pub(super) fn hits(&self) -> &[u32] {
        &self.hits[..self.len]
    }
}

impl<'a> List<'a> {
    /// The list of `docs` rows in `bytes`.
    pub(super) fn new(bytes: &'a [u8], docs: u32, positions: bool) -> Result<List<'a>, Damage> {
        let blocks = docs as usize / BLOCK;
        let marks = blocks * BLOCK_MARK_BYTES[usize::from(positions)];
        let (data, marks) = bytes.split_at(bytes.len().checked_sub(marks).ok_or(SHORT)?);
        let (last_rows, marks) = marks.split_at(4 * blocks);
        let (row_widths, marks) = marks.split_at(blocks);
        let (hit_widths, marks) = marks.split_at(blocks);
        let (_most_hits, block_hits) = marks.split_at(blocks);
        Ok(List {
            tail: docs as usize % BLOCK,
            data,
            last_rows: last_rows.as_chunks().0,
            row_widths,
            hit_widths,
            block_hits: block_hits.as_chunks().0,
        })
    }

    /// Full blocks; the tail, where there is one, counts as the block behind them.
    pub(super) fn blocks(&self) -> usize {
        self.row_widths.len()
    }

    /// Last row of a full block.
    #[inline]
    pub(super) fn last_row(&self, block: usize) -> u32 {
        u32::from_le_bytes(self.last_rows[block])
    }

    /// Bytes and hits (0 in a list without positions) of the full blocks `from..to`.
    #[inline]
    pub(super) fn skipped(&self, from: usize, to: usize) -> (usize, u64) {
        let widths = |widths: &[u8]| widths[from..to].iter().map(|w| *w as usize).sum::<usize>();
        let hits = self.block_hits.get(from..to).unwrap_or(&[]);
        let bytes = (widths(self.row_widths) + widths(self.hit_widths)) * BYTES_PER_BIT;
        (bytes, hits.iter().map(|h| u64::from(u32::from_le_bytes(*h))).sum())
    }

    /// Unpacks block `number`, which begins at byte `at`.
    pub(super) fn load(&self, number: usize, at: usize, block: &mut Block) -> Result<(), Damage> {
        let before = if number == 0 { None } else { Some(self.last_row(number - 1)) };
        let mut data = self.data.get(at..).ok_or(SHORT)?;
        if number < self.blocks() {
            let (row_width, hit_width) = (self.row_widths[number], self.hit_widths[number]);
            let row_bytes = row_width as usize * BYTES_PER_BIT;
            if row_width > 32 || data.len() < row_bytes {
                return Err(SHORT);
            }
            BitPacker4x::new().decompress_strictly_sorted(before, data, &mut block.rows, row_width);
            unpack(&data[row_bytes..], &mut block.hits, hit_width)?;
            block.hits.iter_mut().for_each(|hits| *hits = hits.wrapping_add(1));
            block.len = BLOCK;
            return Ok(());
        }
        let mut row = before.unwrap_or(NO_ROW);
        block.len = 0;
        for (to, hits) in block.rows[..self.tail].iter_mut().zip(&mut block.hits) {
            let number = take_number(&mut data).ok_or(SHORT)?;
            row = row.wrapping_add(1).wrapping_add((number >> 1) as u32);
            *to = row;
            *hits = 1;
            if number & 1 == 1 {
                *hits = (take_number(&mut data).ok_or(SHORT)? as u32).wrapping_add(2);
            }
        }
        block.len = self.tail;
        Ok(())
    }
}
