//! What a statement asks of a table, and what it got.

use crate::chunk::PartView;
use crate::types::{DocId, RowId, Value};

/// Asks again whether a row that was replaced since the statement's snapshot still meets its WHERE.
pub type Recheck = Box<dyn Fn(&PartView, RowId) -> bool + Send + Sync>;

/// A document's values: one per schema column, of the column's kind.
pub type Row = (DocId, Vec<Value>);

/// One effect that a statement asks for. A transaction is a list of them, applied in order.
pub enum Op {
    /// INSERT: all fail where one id exists.
    Insert(Vec<Row>),
    /// REPLACE.
    Replace(Vec<Row>),
    /// DELETE of documents found on the statement's snapshot.
    Delete {
        /// The documents.
        ids: Vec<DocId>,
        /// For those that have changed since.
        recheck: Option<Recheck>,
    },
    /// UPDATE of documents found on the statement's snapshot.
    Update {
        /// The documents, each with (column index, new value).
        rows: Vec<(DocId, Vec<(usize, Value)>)>,
        /// For those that have changed since.
        recheck: Option<Recheck>,
    },
}

/// What a commit did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Rows that changed, per op.
    pub affected: Vec<u64>,
}
