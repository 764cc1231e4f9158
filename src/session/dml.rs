//! INSERT, REPLACE, UPDATE, DELETE.

use std::sync::Arc;

use super::answer::Answer;
use super::client::Session;
use super::failure::{Done, Failure, error};
use super::select::in_table;
use crate::exec;
use crate::plan::insert::{InsertPlan, NewRow};
use crate::plan::{self, Context};
use crate::sql::Statements;
use crate::sql::ast::{Delete, Expr, Insert, Update};
use crate::sql::values::{InsertScan, NotMine};
use crate::table::{Op, Seen, Table};
use crate::types::{DocId, StopToken, Value};

/// Rows between two looks at the stop token.
const ROWS_PER_LOOK: usize = 4_096;

/// Rows to write, each with its id.
type Rows = Vec<(DocId, Vec<Value>)>;

impl Session {
    /// Runs an INSERT or REPLACE from the fast reader's rows. None: it has something that only the parser reads, and nothing was done.
    pub(super) fn insert_scanned<'t>(
        &mut self,
        mut scan: InsertScan<'t>,
        rest: &mut Statements<'t>,
        answer: &mut Answer<'_>,
        stop: &StopToken,
    ) -> Option<Done> {
        let table = match self.existing(&scan.table, || absent(&scan.table)) {
            Ok(table) => table,
            Err(failure) => return Some(Err(failure)),
        };
        let rows = match scanned_rows(&mut scan, &table, stop) {
            Ok(rows) => rows,
            Err(Scanned::NotMine) => return None,
            Err(Scanned::Failed(failure)) => return Some(Err(failure)),
        };
        rest.advance(scan.consumed());
        answer.more = rest.has_more();
        Some(self.write_rows(&scan.table, &table, scan.replace, rows, answer, stop))
    }

    pub(super) fn insert(&mut self, insert: Insert, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        let table = self.existing(&insert.table, || absent(&insert.table))?;
        let bound = plan::insert::bind(&insert, &table.schema(), &[])?;
        let rows = bound.into_iter().map(|row| with_id(row, &table)).collect();
        self.write_rows(&insert.table, &table, insert.replace, rows, answer, stop)
    }

    fn write_rows(&mut self, name: &str, table: &Arc<Table>, replace: bool, rows: Rows, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        let _writing = self.writing(name, table)?;
        let counters = &self.engine.counters;
        if replace { &counters.replace } else { &counters.insert }.add(1);
        let ids: Vec<DocId> = rows.iter().map(|(id, _)| *id).collect();
        let count = rows.len() as u64;
        let op = if replace { Op::Replace(rows) } else { Op::Insert(rows) };
        let affected = self.write(name, table, op, count, stop)?;
        let last = ids.last().map_or(0, |id| id.0);
        self.last_ids = ids;
        answer.changed(affected, last)
    }

    /// Commits a write by itself, or keeps it for COMMIT, in which case `count` is taken for the number of rows that it changes.
    fn write(&mut self, name: &str, table: &Arc<Table>, op: Op, count: u64, stop: &StopToken) -> Result<u64, Failure> {
        if self.collects_writes() {
            let limit = table.settings().rt_mem_limit.unwrap_or_else(|| self.engine.settings.load().rt_mem_limit);
            self.transaction.push(name, table, op, limit).map_err(error)?;
            return Ok(count);
        }
        let committed = table.commit(vec![op], stop)?;
        Ok(committed.affected.first().copied().unwrap_or(0))
    }

    pub(super) fn delete(&mut self, delete: Delete, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        self.engine.counters.delete.add(1);
        let name = &delete.table;
        if delete.filter.is_none() {
            return Err(error(format!("DELETE needs a WHERE; TRUNCATE TABLE {name} empties the table")));
        }
        plan::options::write(&delete.options)?;
        let table = self.existing(name, || error(format!("unknown table '{name}' in delete request")))?;
        let _writing = self.writing(name, &table)?;
        let snapshot = table.snapshot();
        let known = |e: &Expr| self.known(e);
        let context = Context { table: name, analyzer: Some(&snapshot.analyzer), session: &known, parameters: &[] };
        let filter = plan::filter::bind(delete.filter.as_ref(), &snapshot.schema, &context)?;
        let context = self.context(stop);
        let ids = exec::find::find_rows(&filter, &snapshot, &context).map_err(|e| in_table(name, e))?;
        if ids.is_empty() {
            return answer.ok();
        }
        let count = ids.len() as u64;
        let seen = Seen { snapshot, recheck: exec::find::recheck(&filter, &context), recompute: None };
        let op = Op::Delete { ids, seen: Some(seen) };
        let affected = self.write(name, &table, op, count, stop)?;
        answer.changed(affected, 0)
    }

    /// Inside a transaction too, an UPDATE holds at once: the dialect has it outside of transactions.
    pub(super) fn update(&mut self, update: Update, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        self.engine.counters.update.add(1);
        let name = &update.table;
        if update.filter.is_none() {
            return Err(error("UPDATE needs a WHERE; WHERE id>0 means every row"));
        }
        let table = self.existing(name, || error(format!("unknown table '{name}' in update request")))?;
        let _writing = self.writing(name, &table)?;
        let snapshot = table.snapshot();
        let known = |e: &Expr| self.known(e);
        let context = Context { table: name, analyzer: Some(&snapshot.analyzer), session: &known, parameters: &[] };
        let plan = plan::update::bind(&update, &snapshot.schema, &context)?;
        let context = self.context(stop);
        let rows = exec::find::find_updates(&plan, &snapshot, &context).map_err(|e| in_table(name, e))?;
        let mut affected = 0;
        if !rows.is_empty() {
            let recheck = exec::find::recheck(&plan.filter, &context);
            let seen = Some(Seen { snapshot: snapshot.clone(), recheck, recompute: exec::find::recompute(&plan) });
            affected = table.commit(vec![Op::Update { rows, seen }], stop)?.affected.first().copied().unwrap_or(0);
        }
        if self.transaction.explicit {
            answer.warn(1105, "UPDATE is not part of the transaction: it holds at once and is not rolled back");
        }
        answer.changed(affected, 0)
    }
}

/// INSERT or REPLACE into a table that is not there.
fn absent(table: &str) -> Failure {
    error(format!("table '{table}' absent"))
}

/// Why the fast reader gave no rows.
enum Scanned {
    NotMine,
    Failed(Failure),
}

impl From<NotMine> for Scanned {
    fn from(_: NotMine) -> Scanned {
        Scanned::NotMine
    }
}

fn scanned_rows(scan: &mut InsertScan<'_>, table: &Table, stop: &StopToken) -> Result<Rows, Scanned> {
    let schema = table.schema();
    let (name, columns) = (scan.table.clone(), std::mem::take(&mut scan.columns));
    let plan = InsertPlan::new(&name, &schema, &columns).map_err(|e| Scanned::Failed(e.into()))?;
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    while scan.next_row(&mut row)? {
        if rows.len() % ROWS_PER_LOOK == 0 {
            stop.check().map_err(|e| Scanned::Failed(e.into()))?;
        }
        let bound = plan.row(rows.len() + 1, row.drain(..)).map_err(|e| Scanned::Failed(e.into()))?;
        rows.push(with_id(bound, table));
    }
    Ok(rows)
}

/// A row with its own id or a fresh one.
fn with_id((id, values): NewRow, table: &Table) -> (DocId, Vec<Value>) {
    (id.unwrap_or_else(|| table.next_auto_id()), values)
}
