//! What a list of ops comes to: which rows are added, which documents must go, which change.
//!
//! Computed on the connection's own thread before any lock. Later ops of a transaction see the earlier ones: a document inserted and
//! deleted again leaves nothing, an UPDATE of a document inserted before changes the row that will be added.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Op, Row, Seen, TableError};
use crate::types::{DocId, Value};

/// Why a document's present row goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A row of INSERT: there must not be one.
    Insert,
    /// A row of REPLACE: there may be one.
    Replace,
    /// DELETE.
    Delete,
}

/// A document whose present row, if it has one, goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kill {
    /// The document.
    pub id: DocId,
    /// Why.
    pub cause: Cause,
    /// Index of the op.
    pub op: usize,
}

/// A document whose present row changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// The document.
    pub id: DocId,
    /// (column index, new value).
    pub changes: Vec<(usize, Value)>,
    /// Index of the op.
    pub op: usize,
}

/// The sum of a list of ops.
#[derive(Default)]
pub struct Draft {
    /// Rows to add, each document once.
    pub rows: Vec<Row>,
    /// Present rows that go, each document once.
    pub kills: Vec<Kill>,
    /// Present rows that change, each document once.
    pub edits: Vec<Edit>,
    /// Rows changed so far, per op; kills of DELETE and edits are counted when they are carried out.
    pub affected: Vec<u64>,
    /// Per op.
    pub seen: Vec<Option<Seen>>,
}

/// What a transaction has done to a document so far.
#[derive(Clone, Copy)]
enum Fate {
    /// Row `n` will be added.
    Row(usize),
    /// It will be gone.
    Gone,
    /// Edit `n` changes its present row.
    Edited(usize),
}

impl Draft {
    /// Adds up `ops`. Fails where an INSERT names a document twice, or one that the same transaction has put there.
    pub fn new(mut ops: Vec<Op>) -> Result<Draft, TableError> {
        // The common statement, rows in order of id, cannot name a document twice and needs no table of fates.
        if let [Op::Insert(rows) | Op::Replace(rows)] = &ops[..]
            && rows.windows(2).all(|w| w[0].0 < w[1].0)
            && let Some(op) = ops.pop()
        {
            return Ok(Draft::in_order(op));
        }
        let mut draft = Draft::default();
        let mut fates: FxHashMap<DocId, Fate> = FxHashMap::default();
        let mut taken_back: FxHashSet<usize> = FxHashSet::default();
        for (op, what) in ops.into_iter().enumerate() {
            let mut affected = 0;
            let mut looked_at = None;
            match what {
                Op::Insert(rows) => {
                    affected = rows.len() as u64;
                    draft.put(rows, Cause::Insert, op, &mut fates, &mut taken_back)?;
                }
                Op::Replace(rows) => {
                    affected = rows.len() as u64;
                    draft.put(rows, Cause::Replace, op, &mut fates, &mut taken_back)?;
                }
                Op::Delete { ids, seen } => {
                    looked_at = seen;
                    for id in ids {
                        match fates.insert(id, Fate::Gone) {
                            Some(Fate::Row(n)) => {
                                taken_back.insert(n);
                                affected += 1;
                            }
                            Some(Fate::Gone) => {}
                            Some(Fate::Edited(_)) | None => draft.kills.push(Kill { id, cause: Cause::Delete, op }),
                        }
                    }
                }
                Op::Update { rows, seen } => {
                    looked_at = seen;
                    for (id, changes) in rows {
                        match fates.get(&id) {
                            Some(Fate::Row(n)) => {
                                affected += 1;
                                for (column, value) in changes {
                                    draft.rows[*n].1[column] = value;
                                }
                            }
                            Some(Fate::Gone) => {}
                            Some(Fate::Edited(n)) => draft.edits[*n].changes.extend(changes),
                            None => {
                                fates.insert(id, Fate::Edited(draft.edits.len()));
                                draft.edits.push(Edit { id, changes, op });
                            }
                        }
                    }
                }
            }
            draft.affected.push(affected);
            draft.seen.push(looked_at);
        }
        let mut n = 0;
        draft.rows.retain(|_| {
            n += 1;
            !taken_back.contains(&(n - 1))
        });
        Ok(draft)
    }

    /// The draft of one INSERT or REPLACE whose rows are in order of id.
    fn in_order(op: Op) -> Draft {
        let (rows, cause) = match op {
            Op::Insert(rows) => (rows, Cause::Insert),
            Op::Replace(rows) => (rows, Cause::Replace),
            Op::Delete { .. } | Op::Update { .. } => (Vec::new(), Cause::Delete),
        };
        let kills = rows.iter().map(|(id, _)| Kill { id: *id, cause, op: 0 }).collect();
        Draft { affected: vec![rows.len() as u64], rows, kills, edits: Vec::new(), seen: vec![None] }
    }

    fn put(
        &mut self,
        rows: Vec<Row>,
        cause: Cause,
        op: usize,
        fates: &mut FxHashMap<DocId, Fate>,
        taken_back: &mut FxHashSet<usize>,
    ) -> Result<(), TableError> {
        for (id, values) in rows {
            let n = self.rows.len();
            match fates.insert(id, Fate::Row(n)) {
                Some(Fate::Row(_) | Fate::Edited(_)) if cause == Cause::Insert => return Err(TableError::DuplicateId(id)),
                Some(Fate::Row(before)) => {
                    taken_back.insert(before);
                }
                Some(Fate::Gone) => {}
                Some(Fate::Edited(_)) | None => self.kills.push(Kill { id, cause, op }),
            }
            self.rows.push((id, values));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: u64, n: i64) -> Row {
        (DocId(id), vec![Value::Int(n)])
    }

    fn check(ops: Vec<Op>) -> String {
        match Draft::new(ops) {
            Err(e) => e.to_string(),
            Ok(d) => format!(
                "rows {:?} kills {:?} edits {:?} affected {:?}",
                d.rows.iter().map(|r| (r.0.0, r.1[0].text().unwrap_or_default().into_owned())).collect::<Vec<_>>(),
                d.kills.iter().map(|k| (k.id.0, k.cause)).collect::<Vec<_>>(),
                d.edits.iter().map(|e| (e.id.0, e.changes.len())).collect::<Vec<_>>(),
                d.affected
            ),
        }
    }

    #[test]
    fn later_ops_see_earlier_ones() {
        let delete = |id| Op::Delete { ids: vec![DocId(id)], seen: None };
        let update = |id, n| Op::Update { rows: vec![(DocId(id), vec![(0, Value::Int(n))])], seen: None };
        assert_eq!(check(vec![Op::Insert(vec![row(1, 1), row(1, 2)])]), "duplicate id '1'");
        assert_eq!(check(vec![Op::Replace(vec![row(1, 1), row(1, 2)])]), r#"rows [(1, "2")] kills [(1, Replace)] edits [] affected [2]"#);
        assert_eq!(
            check(vec![Op::Insert(vec![row(1, 1), row(2, 1)]), delete(1), update(2, 9)]),
            r#"rows [(2, "9")] kills [(1, Insert), (2, Insert)] edits [] affected [2, 1, 1]"#
        );
        assert_eq!(check(vec![delete(1), Op::Insert(vec![row(1, 5)])]), r#"rows [(1, "5")] kills [(1, Delete)] edits [] affected [0, 1]"#);
        assert_eq!(check(vec![update(3, 1), update(3, 2), delete(3)]), r#"rows [] kills [(3, Delete)] edits [(3, 2)] affected [0, 0, 0]"#);
    }
}
