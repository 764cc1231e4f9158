//! All rows in the order of their ids, one by one, so that a dump of a large table keeps none of them.
//!
//! Each part gives its rows ascending by id: as they lie where they lie so, which is the common case, else by a list of row numbers. The parts' heads meet in a heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::ExecError;
use super::budget::Budget;
use super::context::{ExecContext, Pace, Ticker};
use super::eval::{self, Env};
use super::fetch::Fetch;
use super::select::Take;
use super::tasks;
use super::topk::Entry;
use crate::chunk::PartView;
use crate::plan::expr::Expr;
use crate::plan::filter::{AccessPath, FilterPlan};
use crate::plan::select::SelectPlan;
use crate::table::Snapshot;
use crate::types::{RowId, StopToken, Value};

/// Rows of a part between two looks at the stop token while its order is found out.
const ROWS_PER_LOOK: u32 = 65_536;

/// Whether a plan asks for all rows in this order: a dump without MATCH, groups, or an order of its own.
pub(super) fn suits(plan: &SelectPlan) -> bool {
    let ordered = match plan.order.as_slice() {
        // Without MATCH all rows weigh the same.
        [] => true,
        [key] => key.expr == Expr::Id && !key.descending,
        _ => false,
    };
    plan.dump && ordered && plan.filter.matching.is_none() && plan.grouping.is_none() && plan.options.cutoff.is_none()
}

/// Sends the rows; gives how many there are and whether the time was up before all were seen.
pub(super) fn run(plan: &SelectPlan, snapshot: &Snapshot, context: &ExecContext<'_>, take: Take<'_>) -> Result<(u64, bool), ExecError> {
    let fetch = Fetch::new(plan, snapshot, context);
    let mut ticker = Ticker::new(context);
    let mut cursors = Vec::with_capacity(snapshot.parts.len());
    let mut heads = BinaryHeap::new();
    for (part, view) in snapshot.parts.iter().enumerate() {
        let mut cursor =
            tasks::guard(&snapshot.parts, part, || Ok(Cursor { view, rows: Rows::of(view, &context.stop, &context.memory)?, at: 0 }))?;
        match next(&mut cursor, plan, snapshot, part, context, &mut ticker)? {
            Step::Row(id, row) => heads.push(Reverse((id, part, row))),
            Step::End => {}
            Step::TimeUp => return Ok((0, true)),
        }
        cursors.push(cursor);
    }
    let (mut found, mut skip, mut left) = (0, plan.offset, plan.limit);
    while let Some(Reverse((id, part, row))) = heads.pop() {
        found += 1;
        if skip > 0 {
            skip -= 1;
        } else if left > 0 {
            left -= 1;
            let id = crate::types::DocId(id as u64);
            let entry = Entry { part: part as u32, row: RowId(row), id, weight: 1, keys: Vec::new() };
            if take(fetch.row(&entry, &[], &Value::Null)?).is_break() {
                break;
            }
        }
        match next(&mut cursors[part], plan, snapshot, part, context, &mut ticker)? {
            Step::Row(id, row) => heads.push(Reverse((id, part, row))),
            Step::End => {}
            Step::TimeUp => return Ok((found, true)),
        }
    }
    Ok((found, false))
}

/// A part's rows by id.
enum Rows {
    /// As they lie.
    Ascending(u32),
    Sorted(Vec<u32>),
}

impl Rows {
    fn of(view: &PartView, stop: &StopToken, memory: &Budget) -> Result<Rows, ExecError> {
        let count = view.part.row_count();
        let id = |row: u32| view.part.doc_id(RowId(row)).0 as i64;
        let (mut ascending, mut last) = (true, i64::MIN);
        for row in 0..count {
            if row % ROWS_PER_LOOK == 0 {
                stop.check()?;
            }
            let id = id(row);
            ascending &= last <= id;
            last = id;
            if !ascending {
                break;
            }
        }
        if ascending {
            return Ok(Rows::Ascending(count));
        }
        // While they are sorted, each has its id beside it.
        memory.take(20 * u64::from(count))?;
        let mut rows: Vec<u32> = (0..count).collect();
        rows.sort_by_cached_key(|row| id(*row));
        Ok(Rows::Sorted(rows))
    }

    fn get(&self, at: u32) -> Option<u32> {
        match self {
            Rows::Ascending(count) => (at < *count).then_some(at),
            Rows::Sorted(rows) => rows.get(at as usize).copied(),
        }
    }
}

struct Cursor<'a> {
    view: &'a PartView,
    rows: Rows,
    at: u32,
}

enum Step {
    Row(i64, u32),
    End,
    TimeUp,
}

/// The next alive row of the part that the WHERE means.
fn next(
    cursor: &mut Cursor<'_>,
    plan: &SelectPlan,
    snapshot: &Snapshot,
    part: usize,
    context: &ExecContext<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<Step, ExecError> {
    tasks::guard(&snapshot.parts, part, || {
        while let Some(row) = cursor.rows.get(cursor.at) {
            cursor.at += 1;
            if ticker.tick()? == Pace::TimeUp {
                return Ok(Step::TimeUp);
            }
            if !cursor.view.dead.contains(RowId(row)) && is_meant(&plan.filter, cursor.view, RowId(row), context) {
                return Ok(Step::Row(cursor.view.part.doc_id(RowId(row)).0 as i64, row));
            }
        }
        Ok(Step::End)
    })
}

fn is_meant(filter: &FilterPlan, view: &PartView, row: RowId, context: &ExecContext<'_>) -> bool {
    let env = Env::of_row(view.part.layout(), view.row(row), 1, context);
    let path = match &filter.access {
        AccessPath::Scan => true,
        AccessPath::Ids(ids) => ids.binary_search(&env.id).is_ok(),
    };
    path && filter.condition.as_ref().is_none_or(|c| eval::test(c, &env))
}
