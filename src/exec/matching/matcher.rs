//! The rows of one part that match a plan, and their weights.

use super::node::{Context, State};
use super::rank::{Fields, Presence, Ranker, Weights, bm25};
use super::rows::Rows;
use super::statistics::Statistics;
use crate::chunk::{ChunkError, NO_ROW, Part, Postings};
use crate::plan::matching::{FieldSet, MatchNode, MatchPlan};
use crate::types::{FieldId, RowId, StopToken};

/// Walks the rows of one part that match a plan, forward only.
///
/// Dead rows are included. An `Err` ends the walk: the statement was stopped or the part could not be read.
pub struct Matcher<'p, P: Part + 'p> {
    root: State<'p, P>,
    cx: Context<'p>,
    plan: &'p MatchPlan,
    statistics: &'p Statistics,
    part_index: usize,
    part: &'p P,
    ranker: Ranker,
    weights: Weights,
    fields: Fields,
    /// Whether positions decide no match and bound no word.
    plain: bool,
    /// Whether the number of uses bounds the weight: each adds at most 1 to a run.
    bounded: bool,
    /// What the weight without bm25 can be at most, if every use of a word in the current row stood in every field.
    bound_of_uses: i64,
    weight_of_fields: i64,
    /// What every row weighs, where words have no part in it.
    constant: Option<i64>,
    /// Uses of words per field in the current row.
    uses: Vec<i64>,
    idfs: Vec<f32>,
    /// Frequency of each word in the current row; 0 if it takes no part.
    frequencies: Vec<u32>,
    /// Words whose frequency the tree does not know.
    unknown: Vec<usize>,
    /// Lists over all fields for such words, opened when first needed.
    lists: Vec<Option<Rows<P::Postings<'p>>>>,
    row: u32,
}

impl<'p, P: Part> Matcher<'p, P> {
    /// A walk over the `part_index`-th of the parts that `statistics` was collected from. `field_weights` gives one weight per full-text field;
    /// fields behind its end weigh 1.
    pub fn new(
        plan: &'p MatchPlan,
        statistics: &'p Statistics,
        part_index: usize,
        part: &'p P,
        ranker: Ranker,
        field_weights: &[i64],
        stop: &'p StopToken,
    ) -> Result<Matcher<'p, P>, ChunkError> {
        let root = State::new(plan, &plan.root, statistics, part_index, part)?;
        let plain = root.is_plain();
        let field_weights: Vec<i64> = (0..plan.field_count).map(|f| field_weights.get(f).copied().unwrap_or(1)).collect();
        let weights = Weights { field_weights, query_words: plan.query_words };
        let mut fields = Fields::new(plan.field_count);
        let constant = match wordless(&plan.root) {
            _ if ranker == Ranker::None => Some(1),
            Some(found) if found.is_empty() => Some(1),
            Some(found) => {
                found.iter().for_each(|field| fields.single(field.0));
                let bm25 = if ranker.needs_tf() { bm25(std::iter::empty()) } else { 0 };
                Some(fields.weight(ranker, &weights).saturating_add(bm25))
            }
            None => None,
        };
        Ok(Matcher {
            root,
            cx: Context::new(stop),
            plan,
            statistics,
            part_index,
            part,
            ranker,
            plain,
            bounded: plain && ranker == Ranker::ProximityBm25 && weights.field_weights.iter().all(|w| *w >= 0),
            bound_of_uses: 0,
            weight_of_fields: weights.field_weights.iter().fold(0, |sum: i64, w| sum.saturating_add(*w)),
            constant,
            uses: vec![0; plan.field_count],
            weights,
            fields,
            idfs: statistics.idfs(plan),
            frequencies: vec![0; plan.words.len()],
            unknown: Vec::new(),
            lists: plan.words.iter().map(|_| None).collect(),
            row: NO_ROW,
        })
    }

    /// Whether every candidate matches, so that [`Matcher::matches`] need not be asked and counting reads no positions.
    pub fn is_exact(&self) -> bool {
        self.root.is_exact()
    }

    /// Rows that may match, an upper bound.
    pub fn cost(&self) -> u64 {
        self.root.cost()
    }

    /// The first candidate row ≥ `target`. Targets must not go back.
    pub fn seek(&mut self, target: RowId) -> Result<Option<RowId>, ChunkError> {
        let row = self.root.seek(target.0, &mut self.cx);
        self.cx.result()?;
        self.row = row;
        Ok((row != NO_ROW).then_some(RowId(row)))
    }

    /// Whether the current candidate matches.
    pub fn matches(&mut self) -> Result<bool, ChunkError> {
        if self.root.is_exact() {
            return Ok(true);
        }
        let matches = self.root.confirm(self.row, &mut self.cx);
        self.cx.result()?;
        Ok(matches)
    }

    /// The first matching row ≥ `target` that `accept` takes. `accept` is asked before any position is decoded; it is the place for dead
    /// rows and filters.
    pub fn next_from(&mut self, target: RowId, mut accept: impl FnMut(RowId) -> bool) -> Result<Option<RowId>, ChunkError> {
        let mut target = target;
        while let Some(row) = self.seek(target)? {
            if accept(row) && self.matches()? {
                return Ok(Some(row));
            }
            target = RowId(row.0 + 1);
        }
        Ok(None)
    }

    /// The weight of the current row, which must match.
    pub fn weight(&mut self) -> Result<i64, ChunkError> {
        // Every weight reaches the least number.
        Ok(self.weight_reaching(i64::MIN)?.unwrap_or(i64::MIN))
    }

    /// The weight of the current row, which must match, or None if it is certainly less than `floor`. Saves reading positions of rows that
    /// cannot enter a result that is full already.
    pub fn weight_reaching(&mut self, floor: i64) -> Result<Option<i64>, ChunkError> {
        if self.constant.is_some() {
            return Ok(self.constant);
        }
        let bm25 = if self.ranker.needs_tf() { self.bm25()? } else { 0 };
        if self.bounded && self.bound_of_uses.saturating_add(bm25) < floor {
            return Ok(None);
        }
        self.fields.clear();
        let presence = self.ranker.presence();
        let read = if self.plain && presence != Presence::Never {
            let (fields, bound) = self.single_fields(presence);
            if self.bounded && bound.saturating_add(bm25) < floor {
                self.cx.result()?;
                return Ok(None);
            }
            fields
        } else {
            FieldSet::all(self.plan.field_count)
        };
        if !read.is_empty() {
            self.cx.only = self.plain.then_some(read);
            let hits = self.root.hits(self.row, &mut self.cx);
            let (part, row) = (self.part, RowId(self.row));
            self.fields.read(hits, self.plan.query_words, &mut |field| part.field_length(row, FieldId(field)));
            self.cx.only = None;
        }
        self.cx.result()?;
        Ok(Some(self.fields.weight(self.ranker, &self.weights).saturating_add(bm25)))
    }

    /// Notes the fields of a plain query that need no positions. Returns the others, and what the weight without bm25 can be at most.
    fn single_fields(&mut self, presence: Presence) -> (FieldSet, i64) {
        let uses = &mut self.uses;
        uses.fill(0);
        self.root.fields(self.row, &mut self.cx, &mut |set| {
            for field in set.iter() {
                if let Some(n) = uses.get_mut(usize::from(field.0)) {
                    *n += 1;
                }
            }
        });
        let (mut rest, mut bound) = (FieldSet::default(), 0i64);
        for (field, &uses) in (0..=u8::MAX).zip(uses.iter()) {
            if uses == 1 || (uses > 1 && presence == Presence::Always) {
                self.fields.single(field);
            } else if uses > 1 {
                rest.insert(FieldId(field));
            }
            // Each use adds at most 1 to a run.
            bound = bound.saturating_add(self.weights.field_weights[usize::from(field)].saturating_mul(uses));
        }
        (rest, bound.saturating_mul(1000))
    }

    fn bm25(&mut self) -> Result<i64, ChunkError> {
        let (frequencies, unknown) = (&mut self.frequencies, &mut self.unknown);
        frequencies.fill(0);
        unknown.clear();
        let mut uses = 0i64;
        self.root.words(self.row, self.plan.field_count, &mut self.cx, &mut |word, tf| {
            uses += 1;
            match tf {
                Some(tf) => frequencies[word] = tf,
                None => unknown.push(word),
            }
        });
        self.bound_of_uses = self.weight_of_fields.saturating_mul(uses).saturating_mul(1000);
        for word in &self.unknown {
            if self.frequencies[*word] > 0 {
                continue;
            }
            let list = match &mut self.lists[*word] {
                Some(list) => list,
                slot => {
                    let mut cursors = Vec::new();
                    for entry in self.statistics.entries(self.part_index, *word).iter() {
                        cursors.extend(self.part.any_postings(entry)?);
                    }
                    slot.insert(Rows::new(cursors))
                }
            };
            if list.seek(self.row) == self.row {
                let tf = &mut self.frequencies[*word];
                list.at(self.row, |_, c| *tf = tf.saturating_add(c.tf()));
            }
        }
        Ok(bm25(self.frequencies.iter().copied().zip(self.idfs.iter().copied()).filter(|(tf, _)| *tf > 0)))
    }
}

/// The fields that count for every row of a plan that finds rows without any word of theirs: all rows, or all but some. None for other plans.
fn wordless(root: &MatchNode) -> Option<FieldSet> {
    match root {
        MatchNode::All(fields) => Some(*fields),
        MatchNode::Nothing => Some(FieldSet::default()),
        MatchNode::AndNot(base, _) => wordless(base),
        _ => None,
    }
}
