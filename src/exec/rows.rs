//! The rows of one part that a WHERE means.

use std::ops::{ControlFlow, Range};

use super::ExecError;
use super::context::{ExecContext, Pace, Ticker};
use super::eval::Env;
use super::matching::{Matcher, Ranker, Statistics};
use super::split::Split;
use crate::chunk::{ChunkError, Part, PartView};
use crate::plan::filter::{AccessPath, FilterPlan};
use crate::plan::matching::MatchPlan;
use crate::types::{DocId, RowId};
use crate::with_part;

/// How rows are weighed.
pub(crate) struct Ranking {
    pub ranker: Ranker,
    /// One weight per full-text field.
    pub field_weights: Vec<i64>,
}

/// A MATCH with what it needs of the whole snapshot.
pub(crate) struct Matching<'a> {
    pub plan: &'a MatchPlan,
    pub statistics: &'a Statistics,
    /// None where nothing asks for weights.
    pub ranking: Option<&'a Ranking>,
}

/// A walk over one part.
pub(crate) struct Walk<'a> {
    pub view: &'a PartView,
    /// Place of the part in the snapshot.
    pub part: usize,
    pub filter: &'a FilterPlan,
    pub matching: Option<Matching<'a>>,
    pub context: &'a ExecContext<'a>,
}

/// A row that was found: its place, and all that can be seen of it.
pub(crate) struct Found<'a> {
    pub row: RowId,
    pub env: Env<'a>,
}

impl<'a> Walk<'a> {
    /// Calls `take` with the alive rows in `range` that the filter means, ascending, until it breaks. It gives the least weight that still
    /// matters: a row that certainly weighs less may come with any weight below that.
    pub fn run(&self, range: Range<u32>, take: &mut impl FnMut(Found<'a>) -> ControlFlow<(), i64>) -> Result<Pace, WalkError> {
        let mut ticker = Ticker::new(self.context);
        match &self.matching {
            Some(matching) => with_part!(&self.view.part, part => self.matched(part, matching, range, &mut ticker, take)),
            None => match &self.filter.access {
                AccessPath::Scan => {
                    let split = Split::new(self.filter.condition.as_ref());
                    let rows = Possible { view: self.view, split: &split, rows: range.start..range.start, end: range.end };
                    self.each(rows, &split, &mut ticker, take)
                }
                AccessPath::Ids(ids) => {
                    let rows = self.look_up(ids);
                    let split = Split::new(self.filter.condition.as_ref());
                    self.each(rows.into_iter().filter(|row| range.contains(&row.0)), &split, &mut ticker, take)
                }
            },
        }
    }

    /// The alive rows of these documents, ascending.
    fn look_up(&self, ids: &[DocId]) -> Vec<RowId> {
        let Some((least, greatest)) = self.view.part.id_range() else { return Vec::new() };
        let inside = ids.iter().filter(|id| (least..=greatest).contains(*id));
        let mut rows: Vec<RowId> = inside.filter_map(|id| self.view.find_alive(*id)).collect();
        rows.sort_unstable();
        rows
    }

    fn each(
        &self,
        rows: impl Iterator<Item = RowId>,
        split: &Split<'a>,
        ticker: &mut Ticker<'_>,
        take: &mut impl FnMut(Found<'a>) -> ControlFlow<(), i64>,
    ) -> Result<Pace, WalkError> {
        let (view, layout) = (self.view, self.view.part.layout());
        let dead = (!view.dead.is_empty()).then_some(&view.dead);
        let mut reader = view.reader();
        for row in rows {
            if ticker.tick()? == Pace::TimeUp {
                return Ok(Pace::TimeUp);
            }
            if dead.is_some_and(|dead| dead.contains(row)) {
                continue;
            }
            // Without MATCH every row weighs 1.
            let bytes = reader.row(row);
            if !split.quick(layout, bytes) {
                continue;
            }
            let env = Env::of_row(layout, bytes, 1, self.context);
            if split.rest(&env) && take(Found { row, env }).is_break() {
                break;
            }
        }
        Ok(Pace::GoOn)
    }

    fn matched<P: Part>(
        &self,
        part: &'a P,
        matching: &Matching<'_>,
        range: Range<u32>,
        ticker: &mut Ticker<'_>,
        take: &mut impl FnMut(Found<'a>) -> ControlFlow<(), i64>,
    ) -> Result<Pace, WalkError> {
        let (view, layout) = (self.view, self.view.part.layout());
        let (ranker, weights) = matching.ranking.map_or((Ranker::None, &[][..]), |r| (r.ranker, &r.field_weights[..]));
        let stop = &self.context.stop;
        let mut matcher = Matcher::new(matching.plan, matching.statistics, self.part, part, ranker, weights, stop)?;
        let split = Split::new(self.filter.condition.as_ref());
        let (mut target, mut floor) = (range.start, i64::MIN);
        let mut reader = view.reader();
        while let Some(row) = matcher.seek(RowId(target))?.filter(|row| row.0 < range.end) {
            if ticker.tick()? == Pace::TimeUp {
                return Ok(Pace::TimeUp);
            }
            target = row.0 + 1;
            if view.dead.contains(row) {
                continue;
            }
            let bytes = reader.row(row);
            if !split.quick(layout, bytes) {
                continue;
            }
            let mut env = Env::of_row(layout, bytes, 1, self.context);
            // A condition on the weight has to wait for the weight; any other is cheaper than positions and comes before them.
            if !split.weighs && !split.rest(&env) || !matcher.matches()? {
                continue;
            }
            if matching.ranking.is_some() {
                let asked = if split.weighs { i64::MIN } else { floor };
                env.weight = matcher.weight_reaching(asked)?.unwrap_or(i64::MIN);
            }
            if split.weighs && !split.rest(&env) {
                continue;
            }
            match take(Found { row, env }) {
                ControlFlow::Continue(least) => floor = least,
                ControlFlow::Break(()) => break,
            }
        }
        Ok(Pace::GoOn)
    }
}

/// The rows of a part up to `end`, without those that least and greatest values exclude.
struct Possible<'a, 'b> {
    view: &'a PartView,
    split: &'b Split<'a>,
    /// Rows to give before the next look.
    rows: Range<u32>,
    end: u32,
}

impl Iterator for Possible<'_, '_> {
    type Item = RowId;

    #[inline]
    fn next(&mut self) -> Option<RowId> {
        if self.rows.is_empty() && self.rows.end < self.end {
            self.rows = self.split.possible(self.view, self.rows.end, self.end);
        }
        self.rows.next().map(RowId)
    }
}

/// Why a walk ended early.
pub(crate) enum WalkError {
    Exec(ExecError),
    /// The part could not be read; whoever knows its name says so.
    Chunk(ChunkError),
}

impl From<ChunkError> for WalkError {
    fn from(error: ChunkError) -> WalkError {
        WalkError::Chunk(error)
    }
}

impl From<ExecError> for WalkError {
    fn from(error: ExecError) -> WalkError {
        WalkError::Exec(error)
    }
}
