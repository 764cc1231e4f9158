//! A use of a word in one part: its rows, and its hits in a row.

use super::hits::Hit;
use super::node::Context;
use super::rows::Rows;
use super::statistics::Entries;
use crate::chunk::{ChunkError, Part, Postings};
use crate::plan::matching::{FieldSet, Leaf, MatchPlan};
use crate::types::{FieldId, RowId};

/// One dictionary entry in one field, for a leaf whose rows come from lists over all fields.
enum FieldList<C> {
    Unopened,
    Absent,
    Open(C),
}

pub(super) struct LeafState<'p, P: Part + 'p> {
    part: &'p P,
    leaf: &'p Leaf,
    entries: Entries<'p>,
    rows: Rows<P::Postings<'p>>,
    /// Entry and, if the list is over one field, the field, for each list of `rows`.
    sources: Vec<(u32, Option<FieldId>)>,
    /// Lists with positions behind lists over all fields: entry × field.
    lists: Vec<FieldList<P::Postings<'p>>>,
    fields: Vec<FieldId>,
    positions: Vec<u32>,
}

impl<'p, P: Part> LeafState<'p, P> {
    pub(super) fn new(plan: &MatchPlan, leaf: &'p Leaf, entries: Entries<'p>, part: &'p P) -> Result<LeafState<'p, P>, ChunkError> {
        let (mut cursors, mut sources) = (Vec::new(), Vec::new());
        let fields: Vec<FieldId> = leaf.fields.iter().take(plan.field_count).collect();
        let any = plan.field_count > 1 && leaf.fields == FieldSet::all(plan.field_count);
        for (i, entry) in entries.iter().enumerate() {
            if any {
                if let Some(cursor) = part.any_postings(entry)? {
                    cursors.push(cursor);
                    sources.push((i as u32, None));
                }
                continue;
            }
            for field in &fields {
                if let Some(cursor) = part.postings(entry, *field)? {
                    cursors.push(cursor);
                    sources.push((i as u32, Some(*field)));
                }
            }
        }
        Ok(LeafState { part, leaf, entries, rows: Rows::new(cursors), sources, lists: Vec::new(), fields, positions: Vec::new() })
    }

    pub(super) fn word(&self) -> usize {
        self.leaf.word
    }

    /// Whether being at a row is enough to match in it.
    pub(super) fn is_exact(&self) -> bool {
        self.leaf.max_position.is_none() && !self.leaf.start && !self.leaf.end
    }

    pub(super) fn cost(&self) -> u64 {
        self.rows.docs()
    }

    #[inline]
    pub(super) fn seek(&mut self, target: u32) -> u32 {
        self.rows.seek(target)
    }

    pub(super) fn row(&self) -> u32 {
        self.rows.row()
    }

    /// Hits of the word in all fields of `row`, where the leaf is at `row`; None if its lists do not cover all fields.
    pub(super) fn tf(&mut self, row: u32, field_count: usize) -> Option<u32> {
        if self.fields.len() < field_count {
            return None;
        }
        let mut sum = 0u32;
        self.rows.at(row, |_, c| sum = sum.saturating_add(c.tf()));
        Some(sum)
    }

    /// Hits within the leaf's fields in `row`, an upper bound where positions are limited.
    pub(super) fn count(&mut self, row: u32) -> u32 {
        let mut sum = 0u32;
        self.rows.at(row, |_, c| sum = sum.saturating_add(c.tf()));
        sum
    }

    /// The fields in which the word stands in `row`, where the leaf is, whatever the positions.
    pub(super) fn fields(&mut self, row: u32, cx: &mut Context<'_>) -> FieldSet {
        let (part, sources, entries) = (self.part, &self.sources, &self.entries);
        let (fields, lists) = (&self.fields, &mut self.lists);
        let mut set = FieldSet::default();
        self.rows.at(row, |i, _| {
            let (entry, field) = sources[i];
            match field {
                Some(field) => set.insert(field),
                None => {
                    for (f, field) in fields.iter().enumerate() {
                        if !set.contains(*field)
                            && let Some(cursor) = open(part, *entries, entry, fields, f, lists, cx)
                            && cursor.seek(row) == row
                        {
                            set.insert(*field);
                        }
                    }
                }
            }
        });
        set
    }

    /// Appends the hits in `row` in order, of the fields that `cx` asks for. The leaf must be at `row`.
    pub(super) fn hits(&mut self, row: u32, cx: &mut Context<'_>, out: &mut Vec<Hit>) {
        let (part, leaf, sources, entries) = (self.part, self.leaf, &self.sources, &self.entries);
        let (fields, lists, positions) = (&self.fields, &mut self.lists, &mut self.positions);
        let begin = out.len();
        let mut lists_used = 0;
        let mut take = |field: FieldId, cursor: &mut P::Postings<'p>, out: &mut Vec<Hit>| {
            positions.clear();
            cursor.positions(positions);
            lists_used += 1;
            let last = if leaf.end { part.field_length(RowId(row), field) } else { 0 };
            for &position in positions.iter() {
                let allowed = leaf.max_position.is_none_or(|max| position <= max)
                    && (!leaf.start || position == 1)
                    && (!leaf.end || position == last);
                if allowed {
                    out.push(Hit::word(field.0, position, leaf.position));
                }
            }
        };
        let only = cx.only;
        let wanted = |field: FieldId| only.is_none_or(|only| only.contains(field));
        self.rows.at(row, |i, cursor| {
            let (entry, field) = sources[i];
            match field {
                Some(field) if wanted(field) => take(field, cursor, out),
                Some(_) => {}
                None => {
                    for (f, field) in fields.iter().enumerate().filter(|(_, field)| wanted(**field)) {
                        if let Some(cursor) = open(part, *entries, entry, fields, f, lists, cx)
                            && cursor.seek(row) == row
                        {
                            take(*field, cursor, out);
                        }
                    }
                }
            }
        });
        if lists_used > 1 {
            super::hits::order(&mut out[begin..]);
        }
    }
}

/// The list of entry `entry` in the `f`-th of the leaf's fields, opened when first asked for.
fn open<'l, 'p, P: Part>(
    part: &'p P,
    entries: Entries<'p>,
    entry: u32,
    fields: &[FieldId],
    f: usize,
    lists: &'l mut Vec<FieldList<P::Postings<'p>>>,
    cx: &mut Context<'_>,
) -> Option<&'l mut P::Postings<'p>> {
    if lists.is_empty() {
        lists.resize_with(entries.len() * fields.len(), || FieldList::Unopened);
    }
    let list = &mut lists[entry as usize * fields.len() + f];
    if let FieldList::Unopened = list {
        *list = match part.postings(entries.get(entry as usize), fields[f]) {
            Ok(Some(cursor)) => FieldList::Open(cursor),
            Ok(None) => FieldList::Absent,
            Err(error) => {
                cx.fail(error);
                FieldList::Absent
            }
        };
    }
    match list {
        FieldList::Open(cursor) => Some(cursor),
        FieldList::Unopened | FieldList::Absent => None,
    }
}
