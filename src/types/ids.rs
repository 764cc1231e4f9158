//! Identities. A document has a [`DocId`] (the user's, unique in a table); a row has a [`RowId`] (ours, inside one part).

use std::fmt;

/// The user's document id: unique in a table, never zero, shown as `bigint`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DocId(pub u64);

/// Position of a row inside one part, `0..rows`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RowId(pub u32);

/// Number of a disk chunk inside its table. Never used twice, not even after a crash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChunkId(pub u64);

/// Position in a table's log. Grows by one with each committed statement or transaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Lsn(pub u64);

/// Index of a full-text field among a schema's full-text fields, in order of declaration; at most 255.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FieldId(pub u8);

impl fmt::Display for DocId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Shown as bigint, so the upper half of the range reads as negative numbers.
        write!(f, "{}", self.0 as i64)
    }
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
