//! Stored text of a segment's rows, one heap for all.
//!
//! ```text
//! row   per stored column: varint length in bytes; then the bytes of each, back to back
//! ```

use std::ops::Range;

use super::offsets::Offsets;
use super::varint;

/// The stored columns of rows `0..rows`, in order, without gaps.
#[derive(Default)]
pub(super) struct StoredText {
    starts: Offsets,
    bytes: Vec<u8>,
}

impl StoredText {
    /// Nothing yet, room for rows and bytes.
    pub(super) fn with_capacity(rows: usize, bytes: usize) -> StoredText {
        StoredText { starts: Offsets::with_capacity(rows), bytes: Vec::with_capacity(bytes) }
    }

    /// Appends a row of the given columns' texts.
    pub(super) fn push<'a>(&mut self, texts: impl Iterator<Item = &'a str> + Clone) {
        self.starts.push(self.bytes.len() as u64);
        for text in texts.clone() {
            varint::put(&mut self.bytes, text.len() as u64);
        }
        for text in texts {
            self.bytes.extend_from_slice(text.as_bytes());
        }
    }

    /// Appends the rows `rows` of `from`, as they are.
    pub(super) fn push_rows(&mut self, from: &StoredText, rows: Range<usize>) {
        if rows.is_empty() || from.starts.len() == 0 {
            return;
        }
        let (start, end) = (from.starts.get(rows.start), from.end(rows.end - 1));
        let base = self.bytes.len() as u64;
        for row in rows {
            self.starts.push(base + (from.starts.get(row) - start));
        }
        self.bytes.extend_from_slice(&from.bytes[start as usize..end as usize]);
    }

    fn end(&self, row: usize) -> u64 {
        if row + 1 < self.starts.len() { self.starts.get(row + 1) } else { self.bytes.len() as u64 }
    }

    /// The bytes of a row; None for a row that is not there.
    pub(super) fn row(&self, row: usize) -> Option<&[u8]> {
        if row >= self.starts.len() {
            return None;
        }
        self.bytes.get(self.starts.get(row) as usize..self.end(row) as usize)
    }

    /// Calls `take(n, text)` for each of the `columns` texts of a row. False where the bytes are no such row.
    pub(super) fn read(row: &[u8], columns: usize, take: &mut dyn FnMut(usize, &str)) -> bool {
        let mut data = 0;
        varint::skip(row, &mut data, columns as u32);
        let mut at = 0;
        for n in 0..columns {
            let len = varint::get(row, &mut at);
            let Some(bytes) = usize::try_from(len).ok().and_then(|len| row.get(data..data.checked_add(len)?)) else { return false };
            let Ok(text) = std::str::from_utf8(bytes) else { return false };
            take(n, text);
            data += bytes.len();
        }
        data == row.len()
    }

    /// All bytes, row after row.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Rows that have stored text.
    pub(super) fn rows(&self) -> usize {
        self.starts.len()
    }

    /// Gives back what growing took too much.
    pub(super) fn shrink(&mut self) {
        self.starts.shrink();
        self.bytes.shrink_to_fit();
    }

    /// Bytes of heap memory.
    pub(super) fn memory_bytes(&self) -> usize {
        self.starts.memory_bytes() + self.bytes.capacity()
    }

    /// Appends a row as [`StoredText::row`] gives it.
    pub(super) fn push_bytes(&mut self, row: &[u8]) {
        self.starts.push(self.bytes.len() as u64);
        self.bytes.extend_from_slice(row);
    }
}
