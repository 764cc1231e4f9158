//! SELECT over a snapshot: pieces of work side by side, merged, ordered, and the rows that are sent computed last.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering as Memory};
use std::time::{Duration, Instant};

use super::ExecError;
use super::budget::{Keeper, Taken};
use super::by_id;
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

/// Runs a bound SELECT and keeps its rows.
pub fn run(plan: &SelectPlan, snapshot: &Snapshot, context: &ExecContext<'_>) -> Result<SelectResult, ExecError> {
    let mut rows = Vec::new();
    let meta = stream(plan, snapshot, context, &mut |row| {
        rows.push(row);
        ControlFlow::Continue(())
    })?;
    Ok(SelectResult { columns: plan.columns.iter().map(|c| (c.name.clone(), c.kind)).collect(), rows, meta })
}

/// Runs a bound SELECT and gives each row to `take` as soon as it is computed; ends early, without failure, where that breaks.
///
/// Rows come in the order of ORDER BY (without it weight descending), then id ascending; groups that are equal in all that by key. With
/// `max_query_time` or a deadline the search ends with what it has found so far.
pub fn stream(plan: &SelectPlan, snapshot: &Snapshot, context: &ExecContext<'_>, take: Take<'_>) -> Result<Meta, ExecError> {
    let started = Instant::now();
    let mut context = context.until(started, plan.options.max_query_time_ms.map(Duration::from_millis));
    if plan.options.cutoff.is_some() {
        // Which rows come first must not depend on which thread is faster.
        context.pool = None;
    }
    let mut meta = if plan.counters_suffice {
        let count = Value::Int(snapshot.alive_count() as i64);
        if plan.offset == 0 && plan.limit > 0 {
            // It is the only row, so that it does not matter whether more are wanted.
            let _ = take(vec![count; plan.columns.len()]);
        }
        Meta { total_found: 1, ..Meta::default() }
    } else {
        search(plan, snapshot, &context, take)?
    };
    meta.total = meta.total_found.min(plan.options.max_matches);
    meta.time = started.elapsed();
    Ok(meta)
}

fn search(plan: &SelectPlan, snapshot: &Snapshot, context: &ExecContext<'_>, take: Take<'_>) -> Result<Meta, ExecError> {
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
    let (total_found, incomplete) = match &plan.grouping {
        Some(grouping) => search.grouped(grouping, take)?,
        None if by_id::suits(plan) => by_id::run(plan, snapshot, context, take)?,
        None => search.plain(take)?,
    };
    Ok(Meta { total_found, incomplete, keywords, ..Meta::default() })
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

/// Takes rows as they come; breaks where no more are wanted.
pub type Take<'t> = &'t mut dyn FnMut(Vec<Value>) -> ControlFlow<()>;

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
    /// Sends the best rows; gives how many there are and whether some may not have been seen.
    fn plain(&self, take: Take<'_>) -> Result<(u64, bool), ExecError> {
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
        for entry in gathered.kept.finish().iter().skip(self.plan.offset) {
            if take(fetch.row(entry, &[], &Value::Null)?).is_break() {
                break;
            }
        }
        Ok((gathered.found, gathered.incomplete))
    }

    /// As [`Search::plain`], for groups.
    fn grouped(&self, grouping: &Grouping, take: Take<'_>) -> Result<(u64, bool), ExecError> {
        let within = Order::within_group(&grouping.within);
        let new = || Groups::new(grouping, &within, &self.context.memory);
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

        let (mut left, mut skip) = (self.plan.limit, self.plan.offset);
        'groups: for (_, group, aggregates) in &finished {
            // A group without rows has its aggregates alone.
            let entries = if group.rows.is_empty() { vec![None] } else { group.rows.iter().map(Some).collect() };
            for entry in entries {
                if left == 0 {
                    break 'groups;
                }
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                left -= 1;
                let row = match entry {
                    Some(entry) => fetch.row(entry, aggregates, &group.shown)?,
                    None => fetch.values(&Env { aggregates, group_key: &group.shown, ..Env::empty(self.context) })?,
                };
                if take(row).is_break() {
                    break 'groups;
                }
            }
        }
        Ok((total_found, gathered.incomplete))
    }

    /// Walks all parts with a keeper per piece of work and merges the keepers in the order of the pieces.
    fn gather<T: Send + Keeper>(
        &self,
        new: &(impl Fn() -> T + Sync),
        take: &(impl Fn(&mut T, &Found<'a>, usize) -> i64 + Sync),
        merge: &impl Fn(&mut T, T),
    ) -> Result<Gathered<T>, ExecError> {
        let look_up = self.plan.filter.matching.is_none() && self.plan.filter.access != AccessPath::Scan;
        let pieces = tasks::pieces(self.snapshot.parts.iter().map(|p| p.part.row_count()), self.context.pool.is_some() && !look_up);
        let results = tasks::run(&pieces, &self.snapshot.parts, self.context, |piece| self.piece(piece, new, take))?;
        // Groups do nothing more once the statement is stopped: what they have is no answer, also where the rows ended before the walk looked.
        self.context.stop.check()?;
        let mut all = Gathered { kept: new(), found: 0, incomplete: false };
        for one in results {
            merge(&mut all.kept, one.kept);
            all.found += one.found;
            all.incomplete |= one.incomplete;
        }
        Ok(all)
    }

    fn piece<T: Keeper>(
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
        let (mut taken, mut full) = (Taken::default(), Ok(()));
        let pace = walk.run(piece.rows.clone(), &mut |row| {
            let floor = take(kept, &row, piece.part);
            *found += 1;
            full = taken.follow(kept, &self.context.memory);
            if full.is_err() {
                return ControlFlow::Break(());
            }
            // Relaxed: with a cutoff one thread does all, and nothing else is published.
            if cutoff != u64::MAX && self.seen.fetch_add(1, Memory::Relaxed) + 1 >= cutoff {
                *incomplete = true;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(floor)
        })?;
        full?;
        out.incomplete |= pace == Pace::TimeUp;
        Ok(out)
    }
}
