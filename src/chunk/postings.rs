//! How a word's rows are walked, the same on a RAM segment and on a disk chunk.

/// Row number behind the last row of any part: what cursors show at their end.
pub const NO_ROW: u32 = u32::MAX;

/// A cursor over the rows that hold one word, ascending. Starts on the first row.
///
/// Rows are part-local ([`crate::types::RowId`] without the wrapper, for the inner loops). Dead rows are included: the caller drops them.
pub trait Postings {
    /// The current row, or [`NO_ROW`].
    fn row(&self) -> u32;
    /// Steps to the next row and returns it.
    fn advance(&mut self) -> u32;
    /// Steps to the first row ≥ `target` (staying where it is if already there) and returns it.
    fn seek(&mut self, target: u32) -> u32;
    /// Hits in the current row: in one field for a field cursor, in all fields for a cursor over any field.
    fn tf(&self) -> u32;
    /// Appends the positions of the hits in the current row, ascending, counted from 1 (position 0 is never used).
    /// A cursor over any field has no positions and appends nothing.
    fn positions(&mut self, out: &mut Vec<u32>);
    /// Rows of the whole list, dead ones included.
    fn docs(&self) -> u32;
}

/// Totals of one word in one part, dead rows included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordStats {
    /// Rows with the word in any full-text field.
    pub docs: u64,
    /// Hits in all full-text fields.
    pub hits: u64,
}
