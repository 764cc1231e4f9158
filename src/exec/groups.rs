//! Rows of one key as groups.

use rustc_hash::FxHashMap;

use super::aggregate::{Accumulator, SLOT_BYTES};
use super::budget::{Budget, Keeper};
use super::cell::Cell;
use super::collation;
use super::context::ROWS_PER_LOOK;
use super::eval::{Env, eval};
use super::topk::{Entry, Order};
use crate::chunk::mva_iter;
use crate::plan::select::Grouping;
use crate::types::json::JsonKind;
use crate::types::{RowId, Value};

/// A part of a group's key, in a form in which equal values are identical.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum KeyPart {
    Null,
    Int(i64),
    /// Bits of a double that is no whole number.
    Real(u64),
    /// Folded by the collation.
    Text(Box<str>),
    /// Bytes of a set or a JSON value.
    Bytes(Box<[u8]>),
}

impl KeyPart {
    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let heap = match self {
            KeyPart::Null | KeyPart::Int(_) | KeyPart::Real(_) => 0,
            KeyPart::Text(s) => s.len(),
            KeyPart::Bytes(b) => b.len(),
        };
        (size_of::<KeyPart>() + heap) as u64
    }

    pub fn of(cell: &Cell<'_>) -> KeyPart {
        match cell {
            Cell::Null => KeyPart::Null,
            Cell::Int(v) => KeyPart::Int(*v),
            Cell::Uint(v) => KeyPart::Int(*v as i64),
            Cell::Float(v) => KeyPart::Real((*v as f64 + 0.0).to_bits()),
            // Adding zero makes minus zero zero.
            Cell::Double(v) | Cell::Avg(v) => KeyPart::Real((*v + 0.0).to_bits()),
            Cell::Text(s) => KeyPart::Text(collation::fold(s).into()),
            Cell::Mva(bytes) => KeyPart::Bytes((*bytes).into()),
            Cell::Numbers(list) => KeyPart::Bytes(list.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Cell::Json(json) => KeyPart::Bytes(json.bytes().into()),
        }
    }
}

/// Key → place of the group. One whole number or one string, which most keys are, is found without building a key.
#[derive(Default)]
struct Index {
    ints: FxHashMap<i64, usize>,
    texts: FxHashMap<Box<str>, usize>,
    others: FxHashMap<Box<[KeyPart]>, usize>,
}

/// A group while rows come in.
pub(super) struct Group {
    pub key: Box<[KeyPart]>,
    /// The first key as the best row has it: what groupby() shows.
    pub shown: Value,
    /// Its best rows, first to last.
    pub rows: Vec<Entry>,
    pub accumulators: Vec<Accumulator>,
}

/// All groups of one piece of the work.
pub(super) struct Groups<'a> {
    plan: &'a Grouping,
    within: &'a Order<'a>,
    index: Index,
    groups: Vec<Group>,
    /// Bytes of all that, roughly.
    bytes: u64,
    memory: &'a Budget,
    /// Rows put into groups until the stop token is looked at.
    left: u32,
    /// The memory is used up or the statement is stopped: whoever feeds this finds out at its own pace, and until then nothing is done. One row
    /// alone may be in millions of groups, where keys are sets.
    halted: bool,
}

impl Keeper for Groups<'_> {
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<'a> Groups<'a> {
    pub fn new(plan: &'a Grouping, within: &'a Order<'a>, memory: &'a Budget) -> Groups<'a> {
        Groups { plan, within, index: Index::default(), groups: Vec::new(), bytes: 0, memory, left: ROWS_PER_LOOK, halted: false }
    }

    /// Puts a row into its group, or into each of its groups where a key is a set. A row whose set is empty is in none.
    pub fn add(&mut self, env: &Env<'a>, part: usize, row: RowId) {
        match self.plan.keys.as_slice() {
            [] => {
                let group = self.find(&[]);
                self.put(group, env, part, row, || Value::Null);
            }
            [one] => {
                let cell = eval(one, env);
                each(&cell, &mut |value| {
                    let group = match value {
                        Cell::Int(v) => self.find_int(*v),
                        Cell::Text(s) => self.find_text(s),
                        other => self.find(&[KeyPart::of(other)]),
                    };
                    self.put(group, env, part, row, || value.clone().into_value());
                });
            }
            many => {
                let cells: Vec<Cell<'a>> = many.iter().map(|e| eval(e, env)).collect();
                let mut key = Vec::with_capacity(cells.len());
                let mut first = Value::Null;
                self.combine(&cells, &mut key, &mut first, env, part, row);
            }
        }
    }

    /// Goes through all combinations of the values of several keys; as deep as there are keys.
    fn combine(&mut self, cells: &[Cell<'a>], key: &mut Vec<KeyPart>, first: &mut Value, env: &Env<'a>, part: usize, row: RowId) {
        if self.halted {
            return;
        }
        let Some((head, tail)) = cells.split_first() else {
            let group = self.find(key);
            self.put(group, env, part, row, || first.clone());
            return;
        };
        each(head, &mut |value| {
            if key.is_empty() {
                *first = value.clone().into_value();
            }
            key.push(KeyPart::of(value));
            self.combine(tail, key, first, env, part, row);
            key.pop();
        });
    }

    fn find_int(&mut self, v: i64) -> usize {
        match self.index.ints.get(&v) {
            Some(&place) => place,
            None => {
                let place = self.open(Box::new([KeyPart::Int(v)]));
                self.index.ints.insert(v, place);
                place
            }
        }
    }

    fn find_text(&mut self, s: &str) -> usize {
        let folded = collation::fold(s);
        match self.index.texts.get(&*folded) {
            Some(&place) => place,
            None => {
                let place = self.open(Box::new([KeyPart::Text(folded.as_ref().into())]));
                self.index.texts.insert(folded.into(), place);
                place
            }
        }
    }

    fn find(&mut self, key: &[KeyPart]) -> usize {
        match key {
            // The same key must be found on either way.
            [KeyPart::Int(v)] => self.find_int(*v),
            [KeyPart::Text(s)] => self.find_text(s),
            key => match self.index.others.get(key) {
                Some(&place) => place,
                None => {
                    let place = self.open(key.into());
                    self.index.others.insert(key.into(), place);
                    place
                }
            },
        }
    }

    fn open(&mut self, key: Box<[KeyPart]>) -> usize {
        let accumulators: Vec<Accumulator> = self.plan.aggregates.iter().map(Accumulator::new).collect();
        // The key is here and in the index.
        let key_bytes = 2 * key.iter().map(KeyPart::bytes).sum::<u64>() + SLOT_BYTES;
        self.bytes += key_bytes + (size_of::<Group>() + accumulators.len() * size_of::<Accumulator>()) as u64;
        self.groups.push(Group { key, shown: Value::Null, rows: Vec::new(), accumulators });
        self.groups.len() - 1
    }

    fn put(&mut self, group: usize, env: &Env<'a>, part: usize, row: RowId, shown: impl FnOnce() -> Value) {
        let (plan, within) = (self.plan, self.within);
        self.left -= 1;
        if self.left == 0 {
            self.left = ROWS_PER_LOOK;
            self.halted |= env.context.stop.is_stopped() || self.memory.is_past(self.bytes);
        }
        let group = &mut self.groups[group];
        for (accumulator, aggregate) in group.accumulators.iter_mut().zip(&plan.aggregates) {
            self.bytes += accumulator.add(aggregate, env);
        }
        // Where every column is made of aggregates, no row is shown.
        if plan.always || group.rows.len() == plan.rows && group.rows.last().is_some_and(|last| !within.precedes(env, last)) {
            return;
        }
        let entry = Entry { part: part as u32, row, id: env.id, weight: env.weight, keys: within.keys_of(env) };
        let (bytes, before) = (entry.bytes(), group.rows.len());
        if keep(&mut group.rows, entry, plan.rows, within) {
            group.shown = shown();
        }
        if group.rows.len() > before {
            self.bytes += bytes;
        }
    }

    /// Takes over the groups of another piece of the work.
    pub fn merge(&mut self, other: Groups<'a>) {
        for theirs in other.groups {
            let place = self.find(&theirs.key);
            let mut first = false;
            let ours = &mut self.groups[place];
            for entry in theirs.rows {
                first |= keep(&mut ours.rows, entry, self.plan.rows, self.within);
            }
            if first {
                ours.shown = theirs.shown;
            }
            for (ours, theirs) in ours.accumulators.iter_mut().zip(theirs.accumulators) {
                ours.merge(theirs);
            }
        }
    }

    /// The groups, in no particular order. A group that is always there is there.
    pub fn finish(mut self) -> Vec<Group> {
        if self.plan.always && self.groups.is_empty() {
            self.find(&[]);
        }
        self.groups
    }
}

/// Puts an entry in its place among the best. Whether it is the first now.
fn keep(rows: &mut Vec<Entry>, entry: Entry, limit: usize, order: &Order<'_>) -> bool {
    let at = rows.partition_point(|old| order.compare(old, &entry).is_lt());
    if at >= limit {
        return false;
    }
    rows.insert(at, entry);
    rows.truncate(limit);
    at == 0
}

/// Calls `take` with each value of a set or a JSON array, or with the one value that it is.
fn each(cell: &Cell<'_>, take: &mut dyn FnMut(&Cell<'_>)) {
    match cell {
        Cell::Mva(bytes) => mva_iter(bytes).for_each(|v| take(&Cell::Int(v))),
        Cell::Numbers(list) => list.iter().for_each(|v| take(&Cell::Int(*v))),
        Cell::Json(json) if json.kind() == JsonKind::Array => {
            // Values that are there twice make one row of the group, not two.
            let mut seen: Vec<KeyPart> = Vec::new();
            for value in json.iter() {
                let value = Cell::json(value);
                let part = KeyPart::of(&value);
                if !seen.contains(&part) {
                    seen.push(part);
                    take(&value);
                }
            }
        }
        single => take(single),
    }
}

/// The order of two groups that everything else leaves equal: by key, so that it does not depend on where rows lie.
pub(super) fn compare_keys(a: &Group, b: &Group) -> std::cmp::Ordering {
    a.key.cmp(&b.key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    #[test]
    fn equal_values_have_identical_keys() {
        let text = |s| KeyPart::of(&Cell::Text(Cow::Borrowed(s)));
        assert_eq!(text("Abc"), text("aBC"));
        assert_eq!(KeyPart::of(&Cell::Double(-0.0)), KeyPart::of(&Cell::Double(0.0)));
        assert_ne!(KeyPart::of(&Cell::Int(1)), KeyPart::of(&Cell::Null));
    }
}
