//! What a statement asks of a table, and what it got.

use std::sync::Arc;

use super::Snapshot;
use crate::chunk::PartView;
use crate::types::{DocId, RowId, Value};

/// Asks again whether a row meets the WHERE.
pub type Recheck = Box<dyn Fn(&PartView, RowId) -> bool + Send + Sync>;

/// Computes again the new values of a row, where they depend on it: (column index, new value).
pub type Recompute = Box<dyn Fn(&PartView, RowId) -> Vec<(usize, Value)> + Send + Sync>;

/// What a statement with a WHERE looked at, and how to look again at a document that has changed since: another statement may have
/// replaced or updated it between the search and the commit.
pub struct Seen {
    /// The statement's snapshot.
    pub snapshot: Arc<Snapshot>,
    /// Whether the document is still meant.
    pub recheck: Recheck,
    /// New values that depend on the row; None where they do not.
    pub recompute: Option<Recompute>,
}

/// A document's values: one per schema column, of the column's kind.
pub type Row = (DocId, Vec<Value>);

/// One effect that a statement asks for. A transaction is a list of them, applied in order.
pub enum Op {
    /// INSERT: all fail where one id exists.
    Insert(Vec<Row>),
    /// REPLACE.
    Replace(Vec<Row>),
    /// DELETE.
    Delete {
        /// The documents.
        ids: Vec<DocId>,
        /// How they were found; None = by their ids alone.
        seen: Option<Seen>,
    },
    /// UPDATE.
    Update {
        /// The documents, each with (column index, new value).
        rows: Vec<(DocId, Vec<(usize, Value)>)>,
        /// How they were found; None = by their ids alone.
        seen: Option<Seen>,
    },
}

/// What a commit did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Rows that changed, per op.
    pub affected: Vec<u64>,
}
