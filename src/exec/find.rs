//! The documents that an UPDATE or DELETE is about.

use std::ops::ControlFlow;

use super::budget::{Keeper, Taken, value_bytes};
use super::context::ExecContext;
use super::eval::{self, Env};
use super::json_edit;
use super::matching::{Matcher, Ranker, Statistics};
use super::rows::{Found, Matching, Walk};
use super::select::statistics;
use super::tasks;
use super::{Budget, ExecError};
use crate::chunk::PartView;
use crate::plan::filter::{AccessPath, FilterPlan};
use crate::plan::matching::MatchPlan;
use crate::plan::update::UpdatePlan;
use crate::table::{Recheck, Recompute, Snapshot};
use crate::types::{DocId, RowId, StopToken, Value};
use crate::with_part;

/// A document and its new values by column, as [`crate::table::Op::Update`] takes them.
pub type Change = (DocId, Vec<(usize, Value)>);

/// Documents that the filter means, ascending.
pub fn find_rows(filter: &FilterPlan, snapshot: &Snapshot, context: &ExecContext<'_>) -> Result<Vec<DocId>, ExecError> {
    let mut ids = Rows { list: Vec::new(), bytes: 0 };
    walk(filter, snapshot, context, &mut ids, &mut |ids, found| {
        ids.bytes += size_of::<DocId>() as u64;
        ids.list.push(found.env.id);
    })?;
    let mut ids = ids.list;
    ids.sort_unstable();
    Ok(ids)
}

/// Documents that an UPDATE changes, ascending, each with its new values by column. Where a JSON path leads to no number in a document,
/// that attribute of it stays as it is.
pub fn find_updates(plan: &UpdatePlan, snapshot: &Snapshot, context: &ExecContext<'_>) -> Result<Vec<Change>, ExecError> {
    let mut rows = Rows { list: Vec::new(), bytes: 0 };
    walk(&plan.filter, snapshot, context, &mut rows, &mut |rows, found| {
        let mut changes = plan.changes.clone();
        if let Some((layout, row)) = found.env.row {
            changes.extend(json_edit::changes(&plan.json, layout, row));
        }
        if !changes.is_empty() {
            rows.bytes += size_of::<Change>() as u64 + changes.iter().map(|(_, v)| 8 + value_bytes(v)).sum::<u64>();
            rows.list.push((found.env.id, changes));
        }
    })?;
    let mut rows = rows.list;
    rows.sort_unstable_by_key(|(id, _)| *id);
    Ok(rows)
}

/// What is kept of the rows that were found.
struct Rows<T> {
    list: Vec<T>,
    bytes: u64,
}

impl<T> Keeper for Rows<T> {
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

fn walk<T>(
    filter: &FilterPlan,
    snapshot: &Snapshot,
    context: &ExecContext<'_>,
    rows: &mut Rows<T>,
    take: &mut dyn FnMut(&mut Rows<T>, &Found<'_>),
) -> Result<(), ExecError> {
    // A write that stops half way would change some of its rows only, so that no deadline holds here.
    let context = &ExecContext { deadline: None, ..context.clone() };
    let statistics = match &filter.matching {
        Some(plan) => Some(statistics(plan, snapshot, context)?),
        None => None,
    };
    let mut taken = Taken::default();
    for (part, view) in snapshot.parts.iter().enumerate() {
        let mut full = Ok(());
        tasks::guard(&snapshot.parts, part, || {
            let matching = match (&filter.matching, &statistics) {
                (Some(plan), Some(statistics)) => Some(Matching { plan, statistics, ranking: None }),
                _ => None,
            };
            Walk { view, part, filter, matching, context }.run(0..view.part.row_count(), &mut |found| {
                take(rows, &found);
                full = taken.follow(rows, &context.memory);
                if full.is_ok() { ControlFlow::Continue(i64::MIN) } else { ControlFlow::Break(()) }
            })
        })?;
        full?;
    }
    Ok(())
}

/// Asks again whether a row, replaced since the statement's snapshot, is one that the filter means. A row that cannot be read is not.
pub fn recheck(filter: &FilterPlan, context: &ExecContext<'_>) -> Recheck {
    let (filter, now, zone) = (filter.clone(), context.now, context.zone.clone());
    Box::new(move |view, row| {
        let context = ExecContext { stop: StopToken::new(), deadline: None, pool: None, now, zone: zone.clone(), memory: Budget::new(0) };
        let views = std::slice::from_ref(view);
        tasks::guard(views, 0, || Ok(is_meant(&filter, view, row, &context))).unwrap_or(false)
    })
}

/// Computes again what an UPDATE gives to a row that has changed since the statement's snapshot. None where that does not depend on the row.
pub fn recompute(plan: &UpdatePlan) -> Option<Recompute> {
    if plan.json.is_empty() {
        return None;
    }
    let (changes, json) = (plan.changes.clone(), plan.json.clone());
    Some(Box::new(move |view, row| {
        let mut changes = changes.clone();
        changes.extend(json_edit::changes(&json, view.part.layout(), view.row(row)));
        changes
    }))
}

fn is_meant(filter: &FilterPlan, view: &PartView, row: RowId, context: &ExecContext<'_>) -> bool {
    let env = Env::of_row(view.part.layout(), view.row(row), 1, context);
    let path = match &filter.access {
        AccessPath::Scan => true,
        AccessPath::Ids(ids) => ids.binary_search(&env.id).is_ok(),
    };
    path && filter.condition.as_ref().is_none_or(|c| eval::test(c, &env))
        && filter.matching.as_ref().is_none_or(|plan| matches(plan, view, row, &context.stop))
}

fn matches(plan: &MatchPlan, view: &PartView, row: RowId, stop: &StopToken) -> bool {
    let mut statistics = Statistics::new(plan);
    with_part!(&view.part, part => {
        statistics.add(plan, part, stop).is_ok()
            && Matcher::new(plan, &statistics, 0, part, Ranker::None, &[], stop)
                .and_then(|mut m| Ok(m.seek(row)? == Some(row) && m.matches()?))
                .unwrap_or(false)
    })
}
