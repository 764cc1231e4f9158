//! The state of a plan's nodes over one part.

use super::hits::{self, Hit};
use super::leaf::LeafState;
use super::statistics::Statistics;
use crate::chunk::{ChunkError, NO_ROW, Part};
use crate::plan::matching::{FieldSet, Leaf, MatchNode, MatchPlan};
use crate::types::StopToken;

/// Steps of a loop between two looks at the stop token.
const CHECK_EVERY: u32 = 4_096;

/// What every call needs besides the tree, and the first failure on the way: after one, all cursors pretend to be at their end.
pub(super) struct Context<'s> {
    stop: &'s StopToken,
    steps: u32,
    failure: Option<ChunkError>,
    /// Fields whose hits are asked for; None for all. Set only while a plain tree is weighed: nothing else may keep hits of some fields.
    pub(super) only: Option<FieldSet>,
}

impl<'s> Context<'s> {
    pub(super) fn new(stop: &'s StopToken) -> Context<'s> {
        Context { stop, steps: 0, failure: None, only: None }
    }

    pub(super) fn fail(&mut self, error: ChunkError) {
        self.failure.get_or_insert(error);
    }

    /// The failure, if any, once.
    pub(super) fn result(&mut self) -> Result<(), ChunkError> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Counts a step of a loop; false when the loop has to end.
    #[inline]
    fn go_on(&mut self) -> bool {
        self.steps += 1;
        if self.steps < CHECK_EVERY {
            return true;
        }
        self.steps = 0;
        if self.stop.is_stopped() {
            self.fail(ChunkError::Stopped);
        }
        self.failure.is_none()
    }
}

pub(super) struct State<'p, P: Part + 'p> {
    op: Op<'p, P>,
    children: Vec<State<'p, P>>,
    /// Children that must all be in a row, rarest first.
    required: Vec<usize>,
    row: u32,
    cost: u64,
    exact: bool,
    /// Row of the last confirmation, and what it said.
    confirmed: (u32, bool),
    /// Row whose hits are in `hits`.
    hits_row: u32,
    hits: Vec<Hit>,
    scratch: Vec<(Hit, u32)>,
    last: Vec<Option<Hit>>,
    /// Where a phrase may begin.
    starts: Vec<u64>,
    /// Row of each child of an OR or a quorum, side by side so that the least is found fast.
    rows: Vec<u32>,
}

enum Op<'p, P: Part + 'p> {
    All(u32),
    Nothing,
    Leaf(Box<LeafState<'p, P>>),
    And,
    Or,
    /// The first child and none of the others.
    AndNot,
    Maybe,
    /// Offsets of the children from the first, and the position of the first in the query.
    Phrase(Vec<u32>, u32),
    Proximity(u32),
    /// How many, and how often the word of each child stands in the query.
    Quorum(u32, Vec<u32>),
    Before,
    Near(u32),
    NotNear(u32),
}

impl<'p, P: Part> State<'p, P> {
    pub(super) fn new(
        plan: &'p MatchPlan,
        node: &'p MatchNode,
        statistics: &'p Statistics,
        part_index: usize,
        part: &'p P,
    ) -> Result<State<'p, P>, ChunkError> {
        let build = |node: &'p MatchNode| State::new(plan, node, statistics, part_index, part);
        let list = |nodes: &'p [MatchNode]| nodes.iter().map(build).collect::<Result<Vec<_>, _>>();
        let pair = |a: &'p MatchNode, b: &'p MatchNode| Ok::<_, ChunkError>(vec![build(a)?, build(b)?]);
        let leaf = |leaf: &'p Leaf| -> Result<State<'p, P>, ChunkError> {
            let entries = statistics.entries(part_index, leaf.word);
            Ok(State::with(Op::Leaf(Box::new(LeafState::new(plan, leaf, entries, part)?)), Vec::new()))
        };
        Ok(match node {
            MatchNode::All(_) => State::with(Op::All(part.row_count()), Vec::new()),
            MatchNode::Nothing => State::with(Op::Nothing, Vec::new()),
            MatchNode::Leaf(l) => leaf(l)?,
            MatchNode::And(nodes) => State::with(Op::And, list(nodes)?),
            MatchNode::Or(nodes) => State::with(Op::Or, list(nodes)?),
            MatchNode::AndNot(base, not) => {
                let mut children = vec![build(base)?];
                children.extend(list(not)?);
                State::with(Op::AndNot, children)
            }
            MatchNode::Maybe(a, b) => State::with(Op::Maybe, pair(a, b)?),
            MatchNode::Phrase(words) => {
                let children = words.iter().map(|w| leaf(&w.leaf)).collect::<Result<_, _>>()?;
                let first = words.first().map_or(1, |w| w.leaf.position);
                State::with(Op::Phrase(words.iter().map(|w| w.offset).collect(), first), children)
            }
            MatchNode::Proximity(words, n) => State::with(Op::Proximity(*n), words.iter().map(leaf).collect::<Result<_, _>>()?),
            MatchNode::Quorum(words, n) => {
                // A word that stands in the query several times counts as often as it is found, up to that number.
                let (mut distinct, mut times): (Vec<&Leaf>, Vec<u32>) = (Vec::new(), Vec::new());
                for word in words {
                    match distinct.iter().position(|d| d.word == word.word) {
                        Some(i) => times[i] += 1,
                        None => {
                            distinct.push(word);
                            times.push(1);
                        }
                    }
                }
                State::with(Op::Quorum(*n, times), distinct.into_iter().map(leaf).collect::<Result<_, _>>()?)
            }
            MatchNode::Before(nodes) => State::with(Op::Before, list(nodes)?),
            MatchNode::Near(a, b, n) => State::with(Op::Near(*n), pair(a, b)?),
            MatchNode::NotNear(a, b, n) => State::with(Op::NotNear(*n), pair(a, b)?),
        })
    }

    fn with(op: Op<'p, P>, children: Vec<State<'p, P>>) -> State<'p, P> {
        let all_exact = children.iter().all(|c| c.exact);
        let first_exact = children.first().is_none_or(|c| c.exact);
        let least = children.iter().map(|c| c.cost).min().unwrap_or(0);
        let first = children.first().map_or(0, |c| c.cost);
        let sum = children.iter().fold(0u64, |sum, c| sum.saturating_add(c.cost));
        let (exact, cost, required) = match &op {
            Op::All(rows) => (true, u64::from(*rows), 0),
            Op::Nothing => (true, 0, 0),
            Op::Leaf(leaf) => (leaf.is_exact(), leaf.cost(), 0),
            Op::And => (all_exact, least, children.len()),
            Op::Phrase(..) | Op::Proximity(_) | Op::Before | Op::Near(_) => (false, least, children.len()),
            Op::Or => (all_exact, sum, 0),
            Op::Quorum(_, times) => (all_exact && times.iter().all(|t| *t == 1), sum, 0),
            Op::AndNot => (all_exact, first, 1),
            Op::Maybe => (first_exact, first, 1),
            Op::NotNear(_) => (false, first, 1),
        };
        let mut required: Vec<usize> = (0..required).collect();
        required.sort_by_key(|i| children[*i].cost);
        State {
            op,
            children,
            required,
            row: 0,
            cost,
            exact,
            confirmed: (NO_ROW, false),
            hits_row: NO_ROW,
            hits: Vec::new(),
            scratch: Vec::new(),
            last: Vec::new(),
            starts: Vec::new(),
            rows: Vec::new(),
        }
        .started()
    }

    /// Where a leaf is before the first seek is what its lists say; other nodes find out when they are asked.
    fn started(mut self) -> Self {
        if let Op::Leaf(leaf) = &self.op {
            self.row = leaf.row();
        }
        self
    }

    /// Whether every candidate matches.
    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Whether the hits of a match are those of the words that are in the row, all of them, as the words stand: no positions decide anything.
    pub(super) fn is_plain(&self) -> bool {
        self.exact
            && match &self.op {
                Op::Leaf(_) => true,
                Op::And | Op::Or => self.children.iter().all(|c| c.is_plain()),
                Op::AndNot => self.children[0].is_plain(),
                Op::All(_) | Op::Nothing | Op::Maybe | Op::Quorum(..) => false,
                Op::Phrase(..) | Op::Proximity(_) | Op::Before | Op::Near(_) | Op::NotNear(_) => false,
            }
    }

    /// Calls `found` for each use of a word in the match of `row` in a plain tree, with the fields where it stands.
    pub(super) fn fields(&mut self, row: u32, cx: &mut Context<'_>, found: &mut dyn FnMut(FieldSet)) {
        match &mut self.op {
            Op::Leaf(leaf) => found(leaf.fields(row, cx)),
            Op::Or => {
                for child in self.children.iter_mut().filter(|c| c.row == row) {
                    child.fields(row, cx, found);
                }
            }
            Op::AndNot => self.children[0].fields(row, cx, found),
            _ => {
                for child in &mut self.children {
                    child.fields(row, cx, found);
                }
            }
        }
    }

    /// Rows that the node may have, an upper bound.
    pub(super) fn cost(&self) -> u64 {
        self.cost
    }

    /// The first candidate row ≥ `target`, which must not be less than in the call before.
    pub(super) fn seek(&mut self, target: u32, cx: &mut Context<'_>) -> u32 {
        self.row = match &mut self.op {
            Op::All(rows) => {
                if target < *rows {
                    target
                } else {
                    NO_ROW
                }
            }
            Op::Nothing => NO_ROW,
            Op::Leaf(leaf) => leaf.seek(target),
            Op::And | Op::Phrase(..) | Op::Proximity(_) | Op::Before | Op::Near(_) => self.seek_all(target, cx),
            Op::Or => self.seek_any(target, cx),
            Op::Quorum(..) => self.seek_quorum(target, cx),
            Op::AndNot => self.seek_and_not(target, cx),
            Op::Maybe | Op::NotNear(_) => self.children[0].seek(target, cx),
        };
        self.row
    }

    /// Leapfrog, the rarest child leading.
    fn seek_all(&mut self, target: u32, cx: &mut Context<'_>) -> u32 {
        let Some((lead, others)) = self.required.split_first() else { return NO_ROW };
        let mut row = self.children[*lead].seek(target, cx);
        'rows: while row != NO_ROW {
            if !cx.go_on() {
                return NO_ROW;
            }
            for other in others {
                let found = self.children[*other].seek(row, cx);
                if found != row {
                    if found == NO_ROW {
                        return NO_ROW;
                    }
                    row = self.children[*lead].seek(found, cx);
                    continue 'rows;
                }
            }
            return row;
        }
        NO_ROW
    }

    fn seek_any(&mut self, target: u32, cx: &mut Context<'_>) -> u32 {
        if self.rows.is_empty() {
            self.rows = self.children.iter_mut().map(|c| c.seek(target, cx)).collect();
        }
        let mut least = NO_ROW;
        for (row, child) in self.rows.iter_mut().zip(&mut self.children) {
            if *row < target {
                *row = child.seek(target, cx);
            }
            least = least.min(*row);
        }
        least
    }

    fn seek_quorum(&mut self, target: u32, cx: &mut Context<'_>) -> u32 {
        let mut target = target;
        loop {
            let row = self.seek_any(target, cx);
            if row == NO_ROW || !cx.go_on() {
                return NO_ROW;
            }
            let Op::Quorum(need, times) = &self.op else { return NO_ROW };
            let here: u32 = self.rows.iter().zip(times).filter(|(r, _)| **r == row).map(|(_, t)| *t).sum();
            if here >= *need {
                return row;
            }
            target = row + 1;
        }
    }

    fn seek_and_not(&mut self, target: u32, cx: &mut Context<'_>) -> u32 {
        let Some((base, not)) = self.children.split_first_mut() else { return NO_ROW };
        let mut row = base.seek(target, cx);
        'rows: while row != NO_ROW {
            if !cx.go_on() {
                return NO_ROW;
            }
            for child in not.iter_mut().filter(|c| c.exact) {
                if child.seek(row, cx) == row {
                    row = base.seek(row + 1, cx);
                    continue 'rows;
                }
            }
            return row;
        }
        NO_ROW
    }

    /// Whether the candidate `row`, where the node is, matches.
    pub(super) fn confirm(&mut self, row: u32, cx: &mut Context<'_>) -> bool {
        if self.exact {
            return true;
        }
        if self.confirmed.0 == row {
            return self.confirmed.1;
        }
        let matches = match &self.op {
            Op::All(_) => true,
            Op::Nothing => false,
            Op::And => self.required.iter().all(|i| self.children[*i].confirm(row, cx)),
            Op::Or => self.children.iter_mut().any(|c| c.row == row && c.confirm(row, cx)),
            Op::Maybe => self.children[0].confirm(row, cx),
            Op::AndNot => {
                let (base, not) = self.children.split_at_mut(1);
                base[0].confirm(row, cx) && !not.iter_mut().filter(|c| !c.exact).any(|c| c.seek(row, cx) == row && c.confirm(row, cx))
            }
            Op::Quorum(need, times) => {
                let need = *need;
                let mut found = 0;
                for (child, times) in self.children.iter_mut().zip(times) {
                    if child.row == row {
                        found += child.occurrences(row, cx).min(*times);
                    }
                }
                found >= need
            }
            Op::Phrase(..) | Op::Proximity(_) | Op::Before | Op::Near(_) => {
                self.required.iter().all(|i| self.children[*i].confirm(row, cx)) && !self.hits(row, cx).is_empty()
            }
            Op::NotNear(_) => self.children[0].confirm(row, cx) && !self.hits(row, cx).is_empty(),
            Op::Leaf(_) => !self.hits(row, cx).is_empty(),
        };
        self.confirmed = (row, matches);
        matches
    }

    /// Hits of a leaf in `row`, where it is.
    fn occurrences(&mut self, row: u32, cx: &mut Context<'_>) -> u32 {
        match &mut self.op {
            Op::Leaf(leaf) if self.exact => leaf.count(row),
            _ => self.hits(row, cx).len() as u32,
        }
    }

    /// Whether an optional child is in `row`.
    fn present(&mut self, row: u32, cx: &mut Context<'_>) -> bool {
        self.seek(row, cx) == row && self.confirm(row, cx)
    }

    /// Hits in `row`, which must be a match (or, for positional nodes, a candidate whose children match), in order.
    pub(super) fn hits(&mut self, row: u32, cx: &mut Context<'_>) -> &[Hit] {
        if self.hits_row == row {
            return &self.hits;
        }
        self.hits_row = row;
        let mut out = std::mem::take(&mut self.hits);
        out.clear();
        match &mut self.op {
            Op::All(_) | Op::Nothing => {}
            Op::Leaf(leaf) => leaf.hits(row, cx, &mut out),
            Op::And => {
                for child in &mut self.children {
                    out.extend_from_slice(child.hits(row, cx));
                }
                hits::order(&mut out);
            }
            Op::Or | Op::Quorum(..) => {
                for child in &mut self.children {
                    if child.row == row && child.confirm(row, cx) {
                        out.extend_from_slice(child.hits(row, cx));
                    }
                }
                hits::order(&mut out);
            }
            Op::AndNot => out.extend_from_slice(self.children[0].hits(row, cx)),
            Op::Maybe => {
                out.extend_from_slice(self.children[0].hits(row, cx));
                if self.children[1].present(row, cx) {
                    out.extend_from_slice(self.children[1].hits(row, cx));
                    hits::order(&mut out);
                }
            }
            Op::Phrase(offsets, query) => {
                // Rarest word first, and no further positions once no start is left.
                self.starts.clear();
                for (n, i) in self.required.iter().enumerate() {
                    let hits = self.children[*i].hits(row, cx);
                    hits::phrase_starts(hits, offsets[*i], n == 0, &mut self.starts);
                    if self.starts.is_empty() {
                        break;
                    }
                }
                hits::phrase(&self.starts, offsets, *query, &mut out);
            }
            Op::Proximity(distance) => {
                self.scratch.clear();
                for (i, child) in self.children.iter_mut().enumerate() {
                    self.scratch.extend(child.hits(row, cx).iter().map(|h| (*h, i as u32)));
                }
                self.scratch.sort_unstable();
                hits::proximity(&self.scratch, self.children.len(), *distance, &mut self.last, &mut out);
            }
            Op::Before => {
                for child in &mut self.children {
                    child.hits(row, cx);
                }
                hits::before(self.children.iter().map(|c| c.hits.as_slice()), &mut out);
            }
            Op::Near(distance) => {
                self.scratch.clear();
                for (i, child) in self.children.iter_mut().enumerate() {
                    self.scratch.extend(child.hits(row, cx).iter().map(|h| (*h, i as u32)));
                }
                self.scratch.sort_unstable();
                hits::near(&self.scratch, *distance, &mut out);
            }
            Op::NotNear(distance) => {
                if self.children[1].present(row, cx) {
                    self.children[0].hits(row, cx);
                    self.children[1].hits(row, cx);
                    hits::not_near(&self.children[0].hits, &self.children[1].hits, *distance, &mut out);
                } else {
                    out.extend_from_slice(self.children[0].hits(row, cx));
                }
            }
        }
        self.hits = out;
        &self.hits
    }

    /// Calls `seen` for each word that takes part in the match of `row`, with its hits in all fields where the leaf knows them.
    pub(super) fn words(&mut self, row: u32, field_count: usize, cx: &mut Context<'_>, seen: &mut dyn FnMut(usize, Option<u32>)) {
        match &mut self.op {
            Op::All(_) | Op::Nothing => {}
            Op::Leaf(leaf) => seen(leaf.word(), leaf.tf(row, field_count)),
            Op::And | Op::Phrase(..) | Op::Proximity(_) | Op::Near(_) => {
                for child in &mut self.children {
                    child.words(row, field_count, cx, seen);
                }
            }
            Op::Or | Op::Quorum(..) => {
                for child in &mut self.children {
                    if child.row == row && child.confirm(row, cx) {
                        child.words(row, field_count, cx, seen);
                    }
                }
            }
            // Of a strict order only the first operand counts towards bm25, as recorded.
            Op::AndNot | Op::NotNear(_) | Op::Before => self.children[0].words(row, field_count, cx, seen),
            Op::Maybe => {
                self.children[0].words(row, field_count, cx, seen);
                if self.children[1].present(row, cx) {
                    self.children[1].words(row, field_count, cx, seen);
                }
            }
        }
    }
}
