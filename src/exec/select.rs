//! SELECT over a snapshot: pieces of work side by side, merged, ordered, and the rows that are sent computed last.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering as Memory};
use std::time::{Duration, Instant};

use super::ExecError;
use super::context::{ExecContext, Pace};
use super::eval::{self, Env};
use super::fetch::Fetch;
use super::groups::{self, Groups};
use super::matching::{Keyword, Ranker, Statistics};
use super::rows::{Found, Matching, Ranking, Walk, WalkError};
use super::tasks::{self, Piece};
use super::topk::{Entry, Order, TopK};
use crate::plan::expr::Kind;
use crate::plan::filter::AccessPath;
use crate::plan::select::{Grouping, SelectPlan};
use crate::table::Snapshot;
use crate::types::Value;

/// What a SELECT answers.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectResult {
    /// Heading and kind of each column.
    pub columns: Vec<(String, Kind)>,
    /// Rows in order, a value per column.
    pub rows: Vec<Vec<Value>>,
    /// What SHOW META tells about it.
    pub meta: Meta,
}

/// What SHOW META tells about a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meta {
    /// Rows or groups that LIMIT can reach.
    pub total: u64,
    /// Rows that match, or groups.
    pub total_found: u64,
    /// The search ended before it had seen all rows: by `cutoff` or a time limit. `total_found` is a lower bound then.
    pub incomplete: bool,
    /// Words of the MATCH with rows and hits of each, in order.
    pub keywords: Vec<Keyword>,
    /// From the start of the search to its last row.
    pub time: Duration,
}

/// Runs a bound SELECT.
///
/// Rows come in the order of ORDER BY (without it weight descending), then id ascending; groups that are equal in all that by key. With
/// `max_query_time` or a deadline the search ends with what it has found so far.
pub fn run(plan: &SelectPlan, snapshot: &Snapshot, context: &ExecContext<'_>) -> Result<SelectResult, ExecError> {
    let started = Instant::now();
    let mut context = context.until(started, plan.options.max_query_time_ms.map(Duration::from_millis));
    if plan.options.cutoff.is_some() {
        // Which rows come first must not depend on which thread is faster.
        context.pool = None;
    }
    let (rows, mut meta) = if plan.counters_suffice {
        let count = Value::Int(snapshot.alive_count() as i64);
        (window(vec![vec![count; plan.columns.len()]], plan), Meta { total_found: 1, ..Meta::default() })
    } else {
        search(plan, snapshot, &context)?
    };
    meta.total = meta.total_found.min(plan.options.max_matches);
    meta.time = started.elapsed();
    let columns = plan.columns.iter().map(|c| (c.name.clone(), c.kind)).collect();
    Ok(SelectResult { columns, rows, meta })
}

fn search(plan: &SelectPlan, snapshot: &Snapshot, context: &ExecContext<'_>) -> Result<(Vec<Vec<Value>>, Meta), ExecError> {
    let ranking = ranking(plan)?;
    let statistics = match &plan.filter.matching {
        Some(matching) => Some(statistics(matching, snapshot, context)?),
        None => None,
    };
    let keywords = match (&plan.filter.matching, &statistics) {
        (Some(matching), Some(statistics)) => statistics.keywords(matching),
        _ => Vec::new(),
    };
    let search = Search { plan, snapshot, context, statistics: statistics.as_ref(), ranking: &ranking, seen: AtomicU64::new(0) };
    let (rows, total_found, incomplete) = match &plan.grouping {
        Some(grouping) => search.grouped(grouping)?,
        None => search.plain()?,
    };
    Ok((rows, Meta { total_found, incomplete, keywords, ..Meta::default() }))
}

fn ranking(plan: &SelectPlan) -> Result<Ranking, ExecError> {
    let ranker = match &plan.options.ranker {
        Some((name, _)) => Ranker::parse(name).map_err(|e| ExecError::Rejected(e.to_string()))?,
        None => Ranker::default(),
    };
    Ok(Ranking { ranker, field_weights: plan.field_weights.clone() })
}

/// Figures of the words over all parts. A panic over a part's bytes is an error that names the part.
pub(super) fn statistics(
    matching: &crate::plan::matching::MatchPlan,
    snapshot: &Snapshot,
    context: &ExecContext<'_>,
) -> Result<Statistics, ExecError> {
    let mut statistics = Statistics::new(matching);
    for (i, view) in snapshot.parts.iter().enumerate() {
        tasks::guard(
            &snapshot.parts,
            i,
            || crate::with_part!(&view.part, part => statistics.add(matching, part, &context.stop).map_err(WalkError::Chunk)),
        )?;
    }
    Ok(statistics)
}

struct Search<'a> {
    plan: &'a SelectPlan,
    snapshot: &'a Snapshot,
    context: &'a ExecContext<'a>,
    statistics: Option<&'a Statistics>,
    ranking: &'a Ranking,
    /// Rows found so far by all pieces, for `cutoff`.
    seen: AtomicU64,
}

/// What one piece of the work gives.
struct Gathered<T> {
    kept: T,
    found: u64,
    incomplete: bool,
}

impl<'a> Search<'a> {
    fn plain(&self) -> Result<(Vec<Vec<Value>>, u64, bool), ExecError> {
        let order = Order::new(&self.plan.order);
        let limit = self.plan.offset.saturating_add(self.plan.limit);
        let top = || TopK::new(&order, limit);
        // What one piece knows of the best rows spares the others reading positions of rows that cannot be among them.
        let floor = AtomicI64::new(i64::MIN);
        let gathered = self.gather(
            &top,
            &|top, found, part| {
                top.offer(&found.env, part, found.row);
                // Relaxed: a floor that comes late costs time, never a row.
                top.floor().max(floor.fetch_max(top.floor(), Memory::Relaxed))
            },
            &|top, other| top.merge(other),
        )?;
        let fetch = Fetch::new(self.plan, self.snapshot, self.context);
        let entries = gathered.kept.finish();
        let rows = entries.iter().skip(self.plan.offset).map(|entry| fetch.row(entry, &[], &Value::Null)).collect::<Result<_, _>>()?;
        Ok((rows, gathered.found, gathered.incomplete))
    }

    fn grouped(&self, grouping: &Grouping) -> Result<(Vec<Vec<Value>>, u64, bool), ExecError> {
        let within = Order::within_group(&grouping.within);
        let new = || Groups::new(grouping, &within);
        let gathered = self.gather(
            &new,
            &|groups, found, part| {
                groups.add(&found.env, part, found.row);
                i64::MIN
            },
            &|groups, other| groups.merge(other),
        )?;
        let fetch = Fetch::new(self.plan, self.snapshot, self.context);
        let order = Order::new(&self.plan.order);

        let mut finished = Vec::new();
        for mut group in gathered.kept.finish() {
            let aggregates: Vec<Value> = std::mem::take(&mut group.accumulators).into_iter().map(|a| a.finish()).collect();
            let env = fetch.group_env(group.rows.first(), &aggregates, &group.shown)?;
            if grouping.having.as_ref().is_some_and(|having| !eval::test(having, &env)) {
                continue;
            }
            let sort = Entry { part: 0, row: crate::types::RowId(0), id: env.id, weight: env.weight, keys: order.keys_of(&env) };
            finished.push((sort, group, aggregates));
        }
        let total_found = finished.len() as u64;
        finished.sort_unstable_by(|a, b| order.compare(&a.0, &b.0).then_with(|| groups::compare_keys(&a.1, &b.1)));
        finished.truncate(usize::try_from(self.plan.options.max_matches).unwrap_or(usize::MAX));

        let (mut rows, mut skip) = (Vec::new(), self.plan.offset);
        'groups: for (_, group, aggregates) in &finished {
            // A group without rows has its aggregates alone.
            let entries = if group.rows.is_empty() { vec![None] } else { group.rows.iter().map(Some).collect() };
            for entry in entries {
                if rows.len() == self.plan.limit {
                    break 'groups;
                }
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                rows.push(match entry {
                    Some(entry) => fetch.row(entry, aggregates, &group.shown)?,
                    None => fetch.values(&Env { aggregates, group_key: &group.shown, ..Env::empty(self.context) }),
                });
            }
        }
        Ok((rows, total_found, gathered.incomplete))
    }

    /// Walks all parts with a keeper per piece of work and merges the keepers in the order of the pieces.
    fn gather<T: Send>(
        &self,
        new: &(impl Fn() -> T + Sync),
        take: &(impl Fn(&mut T, &Found<'a>, usize) -> i64 + Sync),
        merge: &impl Fn(&mut T, T),
    ) -> Result<Gathered<T>, ExecError> {
        let look_up = self.plan.filter.matching.is_none() && self.plan.filter.access != AccessPath::Scan;
        let pieces = tasks::pieces(self.snapshot.parts.iter().map(|p| p.part.row_count()), self.context.pool.is_some() && !look_up);
        let results = tasks::run(&pieces, &self.snapshot.parts, self.context, |piece| self.piece(piece, new, take))?;
        let mut all = Gathered { kept: new(), found: 0, incomplete: false };
        for one in results {
            merge(&mut all.kept, one.kept);
            all.found += one.found;
            all.incomplete |= one.incomplete;
        }
        Ok(all)
    }

    fn piece<T>(
        &self,
        piece: &Piece,
        new: &(impl Fn() -> T + Sync),
        take: &(impl Fn(&mut T, &Found<'a>, usize) -> i64 + Sync),
    ) -> Result<Gathered<T>, WalkError> {
        let cutoff = self.plan.options.cutoff.unwrap_or(u64::MAX);
        let mut out = Gathered { kept: new(), found: 0, incomplete: false };
        if self.seen.load(Memory::Relaxed) >= cutoff {
            return Ok(Gathered { incomplete: true, ..out });
        }
        let matching = match (&self.plan.filter.matching, self.statistics) {
            (Some(plan), Some(statistics)) => Some(Matching { plan, statistics, ranking: self.plan.weighs.then_some(self.ranking) }),
            _ => None,
        };
        let walk =
            Walk { view: &self.snapshot.parts[piece.part], part: piece.part, filter: &self.plan.filter, matching, context: self.context };
        let (kept, found, incomplete) = (&mut out.kept, &mut out.found, &mut out.incomplete);
        let pace = walk.run(piece.rows.clone(), &mut |row| {
            let floor = take(kept, &row, piece.part);
            *found += 1;
            // Relaxed: with a cutoff one thread does all, and nothing else is published.
            if cutoff != u64::MAX && self.seen.fetch_add(1, Memory::Relaxed) + 1 >= cutoff {
                *incomplete = true;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(floor)
        })?;
        out.incomplete |= pace == Pace::TimeUp;
        Ok(out)
    }
}

/// The part of all rows that OFFSET and LIMIT leave.
fn window(rows: Vec<Vec<Value>>, plan: &SelectPlan) -> Vec<Vec<Value>> {
    rows.into_iter().skip(plan.offset).take(plan.limit).collect()
}
