//! Positions of a word's hits: for each row, in order, each position less the one before it (the first less 0).
//!
//! ```text
//! blocks   128 gaps each, packed at the width of the widest: width × 16 bytes
//! tail     the gaps left over, as numbers of seven bits a byte
//! widths   one byte per block
//! ```
//!
//! How many there are says the dictionary. Widths come last, so that a writer need not keep a long list in memory.

use std::io::{self, Write};

use bitpacking::{BitPacker, BitPacker4x};

use super::{Damage, put_number, take_number};

/// Numbers of a block.
pub(super) const BLOCK: usize = BitPacker4x::BLOCK_LEN;
/// Bytes of a block for each bit of its width.
pub(super) const BYTES_PER_BIT: usize = BLOCK / 8;

const SHORT: Damage = Damage("positions are cut short");

/// Writes the positions of one word after another.
pub(super) struct PositionsWriter {
    packer: BitPacker4x,
    gaps: [u32; BLOCK],
    len: usize,
    widths: Vec<u8>,
    packed: [u8; BLOCK * 4],
    written: u64,
}

impl PositionsWriter {
    pub(super) fn new() -> PositionsWriter {
        PositionsWriter { packer: BitPacker4x::new(), gaps: [0; BLOCK], len: 0, widths: Vec::new(), packed: [0; BLOCK * 4], written: 0 }
    }

    /// Adds the gaps of one row or more.
    #[inline]
    pub(super) fn add(&mut self, mut gaps: &[u32], out: &mut impl Write) -> io::Result<()> {
        while self.len + gaps.len() >= BLOCK {
            let (now, later) = gaps.split_at(BLOCK - self.len);
            self.gaps[self.len..].copy_from_slice(now);
            gaps = later;
            self.len = 0;
            let width = self.packer.num_bits(&self.gaps);
            let bytes = self.packer.compress(&self.gaps, &mut self.packed, width);
            self.widths.push(width);
            self.written += bytes as u64;
            out.write_all(&self.packed[..bytes])?;
        }
        self.gaps[self.len..self.len + gaps.len()].copy_from_slice(gaps);
        self.len += gaps.len();
        Ok(())
    }

    /// Ends the word: bytes of its list.
    pub(super) fn end(&mut self, tail: &mut Vec<u8>, out: &mut impl Write) -> io::Result<u64> {
        tail.clear();
        self.gaps[..self.len].iter().for_each(|gap| put_number(tail, u64::from(*gap)));
        tail.extend_from_slice(&self.widths);
        out.write_all(tail)?;
        self.widths.clear();
        self.len = 0;
        Ok(std::mem::take(&mut self.written) + tail.len() as u64)
    }
}

/// Reads the positions of a word: any stretch of gaps, cheapest from front to back.
pub(super) struct PositionsReader<'a> {
    widths: &'a [u8],
    /// Blocks and tail.
    data: &'a [u8],
    total: u64,
    gaps: [u32; BLOCK],
    /// The block in `gaps`; `usize::MAX` before the first was read.
    loaded: usize,
    /// A block, and where it begins in `data`.
    known: (usize, usize),
}

impl<'a> PositionsReader<'a> {
    /// The reader of a list of `total` positions.
    pub(super) fn new(bytes: &'a [u8], total: u64) -> Result<PositionsReader<'a>, Damage> {
        let blocks = usize::try_from(total / BLOCK as u64).map_err(|_| SHORT)?;
        let (data, widths) = bytes.split_at(bytes.len().checked_sub(blocks).ok_or(SHORT)?);
        Ok(PositionsReader { widths, data, total, gaps: [0; BLOCK], loaded: usize::MAX, known: (0, 0) })
    }

    /// Calls `take` with pieces that make up the gaps `from..from + count`.
    #[inline]
    pub(super) fn read(&mut self, mut from: u64, mut count: u64, mut take: impl FnMut(&[u32])) -> Result<(), Damage> {
        if from.checked_add(count).is_none_or(|end| end > self.total) {
            return Err(SHORT);
        }
        while count > 0 {
            let (block, at) = ((from / BLOCK as u64) as usize, from as usize % BLOCK);
            if block != self.loaded {
                self.load(block)?;
            }
            let now = count.min((BLOCK - at) as u64);
            take(&self.gaps[at..at + now as usize]);
            from += now;
            count -= now;
        }
        Ok(())
    }

    fn load(&mut self, block: usize) -> Result<(), Damage> {
        let (mut first, mut at) = self.known;
        if block < first {
            (first, at) = (0, 0);
        }
        at += self.widths[first..block].iter().map(|w| *w as usize * BYTES_PER_BIT).sum::<usize>();
        self.known = (block, at);
        self.loaded = usize::MAX;
        let mut data = self.data.get(at..).ok_or(SHORT)?;
        match self.widths.get(block) {
            Some(&width) => unpack(data, &mut self.gaps, width)?,
            None => {
                for gap in &mut self.gaps[..self.total as usize % BLOCK] {
                    *gap = take_number(&mut data).and_then(|n| u32::try_from(n).ok()).ok_or(SHORT)?;
                }
            }
        }
        self.loaded = block;
        Ok(())
    }
}

/// Unpacks a block of plain numbers.
pub(super) fn unpack(data: &[u8], numbers: &mut [u32; BLOCK], width: u8) -> Result<(), Damage> {
    if width > 32 || data.len() < width as usize * BYTES_PER_BIT {
        return Err(SHORT);
    }
    BitPacker4x::new().decompress(data, numbers, width);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_stretch_comes_back() {
        for total in [0usize, 1, 127, 128, 129, 1000, 1280] {
            let gaps: Vec<u32> = (0..total as u32).map(|n| if n % 300 == 7 { u32::MAX - n } else { n % 5 }).collect();
            let (mut writer, mut bytes, mut tail) = (PositionsWriter::new(), Vec::new(), Vec::new());
            for _ in 0..2 {
                bytes.clear();
                gaps.chunks(9).for_each(|piece| writer.add(piece, &mut bytes).expect("in memory"));
                assert_eq!(writer.end(&mut tail, &mut bytes).expect("in memory"), bytes.len() as u64);
            }
            let mut reader = PositionsReader::new(&bytes, total as u64).expect("whole");
            let mut check = |from: usize, count: usize| {
                let mut out = Vec::new();
                let read = reader.read(from as u64, count as u64, |piece| out.extend_from_slice(piece));
                if from + count <= total {
                    assert_eq!((read, &out[..]), (Ok(()), &gaps[from..from + count]));
                } else {
                    assert_eq!(read, Err(SHORT));
                }
            };
            (0..total).for_each(|from| check(from, from % 4));
            [0, 500, 3, 900, 999, 127].into_iter().for_each(|from| check(from, 130));
            check(0, total);
        }
    }
}
