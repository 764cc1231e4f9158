//! What a client has written and not committed.
//!
//! As the dialect has it: INSERT, REPLACE and DELETE are collected and applied at once at COMMIT; nobody sees them before, not this
//! client either; a transaction writes one table. UPDATE is not part of a transaction. DDL commits what is pending first;
//! FLUSH, OPTIMIZE and the like are about what is committed and leave it pending.

use std::sync::Arc;

use crate::table::{Op, Table};
use crate::types::Value;

/// Writes that wait for COMMIT.
#[derive(Default)]
pub(super) struct Transaction {
    /// BEGIN was said; else it is autocommit=0 that keeps the writes waiting.
    pub explicit: bool,
    pending: Option<Pending>,
}

struct Pending {
    table: Arc<Table>,
    ops: Vec<Op>,
    bytes: u64,
}

impl Transaction {
    /// Adds a write to `table`, called `name`, whose limit is `limit` bytes. Fails, changing nothing, where another table was written
    /// before or the limit is passed.
    pub fn push(&mut self, name: &str, table: &Arc<Table>, op: Op, limit: u64) -> Result<(), String> {
        let bytes = op_bytes(&op);
        let pending = match &mut self.pending {
            Some(pending) if Arc::ptr_eq(&pending.table, table) => pending,
            Some(pending) => {
                return Err(format!(
                    "a transaction writes one table: this one has changes of '{}'; COMMIT or ROLLBACK before writing '{name}'",
                    pending.table.name()
                ));
            }
            None => self.pending.insert(Pending { table: table.clone(), ops: Vec::new(), bytes: 0 }),
        };
        check_limit(name, pending.bytes + bytes, limit)?;
        pending.bytes += bytes;
        pending.ops.push(op);
        Ok(())
    }

    /// The writes, which are then no longer pending.
    pub fn take(&mut self) -> Option<(Arc<Table>, Vec<Op>)> {
        self.pending.take().filter(|p| !p.ops.is_empty()).map(|p| (p.table, p.ops))
    }

    /// The table that is written.
    pub fn table(&self) -> Option<Arc<Table>> {
        self.pending.as_ref().filter(|p| !p.ops.is_empty()).map(|p| p.table.clone())
    }

    /// Whether anything is pending.
    pub fn is_pending(&self) -> bool {
        self.pending.as_ref().is_some_and(|p| !p.ops.is_empty())
    }
}

/// A transaction is held in memory until it is committed, so it may be as large as a RAM chunk.
fn check_limit(table: &str, bytes: u64, limit: u64) -> Result<(), String> {
    if bytes <= limit {
        return Ok(());
    }
    Err(format!("transaction on table '{table}' has grown to {bytes} bytes, past rt_mem_limit of {limit}: commit more often or raise it"))
}

/// Bytes that an op keeps in memory, roughly.
fn op_bytes(op: &Op) -> u64 {
    match op {
        Op::Insert(rows) | Op::Replace(rows) => rows.iter().map(|(_, values)| 32 + values.iter().map(value_bytes).sum::<u64>()).sum(),
        Op::Delete { ids, .. } => 8 * ids.len() as u64,
        Op::Update { rows, .. } => rows.iter().map(|(_, changes)| 32 + changes.iter().map(|(_, v)| value_bytes(v)).sum::<u64>()).sum(),
    }
}

fn value_bytes(value: &Value) -> u64 {
    let heap = match value {
        Value::Text(s) => s.len(),
        Value::Mva(list) => 8 * list.len(),
        Value::Json(bytes) => bytes.len(),
        Value::Null | Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Double(_) | Value::Avg(_) => 0,
    };
    (size_of::<Value>() + heap) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::DocId;

    #[test]
    fn sizes_count_texts() {
        let row = |text: &str| (DocId(1), vec![Value::Text(text.to_owned()), Value::Int(1)]);
        let (small, large) = (op_bytes(&Op::Insert(vec![row("a")])), op_bytes(&Op::Replace(vec![row(&"a".repeat(1001))])));
        assert_eq!(large - small, 1000);
        assert_eq!(op_bytes(&Op::Delete { ids: vec![DocId(1); 3], seen: None }), 24);
        assert!(check_limit("t", 10, 10).is_ok() && check_limit("t", 11, 10).is_err());
    }
}
