//! Aggregates while rows come in: added to row by row, merged between pieces of work, finished once.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use super::budget::value_bytes;
use super::cell::{Cell, Number, order, quantified};
use super::eval::{Env, eval};
use super::groups::KeyPart;
use crate::plan::expr::Quantifier;
use crate::plan::select::Aggregate;
use crate::types::Value;

/// What an entry of a hash set costs besides itself: a box, a byte of control, and the slots that are free.
pub(super) const SLOT_BYTES: u64 = 24;

/// One aggregate of one group.
#[derive(Debug, Clone)]
pub(super) enum Accumulator {
    Count(u64),
    Distinct(FxHashSet<Box<[KeyPart]>>),
    /// Most distinct counts are over one whole number, which needs no box.
    DistinctInts(FxHashSet<i64>),
    Sum(Sum),
    Avg(Sum),
    Least(Option<Value>),
    Greatest(Option<Value>),
    /// Document id and text, put in order of id at the end, so that the answer does not depend on where rows lie.
    Concat(Vec<(i64, String)>),
}

/// A sum that stays whole as long as its values are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    whole: i128,
    real: f64,
    is_real: bool,
    count: u64,
}

impl Sum {
    fn add(&mut self, cell: &Cell<'_>) {
        match cell.number() {
            Some(Number::Int(v)) => self.whole = self.whole.saturating_add(v),
            Some(n) => {
                self.real += n.double();
                self.is_real = true;
            }
            None => return,
        }
        self.count += 1;
    }

    fn merge(&mut self, other: Sum) {
        self.whole = self.whole.saturating_add(other.whole);
        self.real += other.real;
        self.is_real |= other.is_real;
        self.count += other.count;
    }

    fn total(&self) -> f64 {
        self.real + self.whole as f64
    }
}

impl Accumulator {
    pub fn new(aggregate: &Aggregate) -> Accumulator {
        match aggregate {
            Aggregate::Count | Aggregate::CountPresent(_) => Accumulator::Count(0),
            Aggregate::CountDistinct(list) => match list.as_slice() {
                [one] if one.kind().is_int() => Accumulator::DistinctInts(FxHashSet::default()),
                _ => Accumulator::Distinct(FxHashSet::default()),
            },
            Aggregate::Sum(_) => Accumulator::Sum(Sum::default()),
            Aggregate::Avg(_) => Accumulator::Avg(Sum::default()),
            Aggregate::Min(_) => Accumulator::Least(None),
            Aggregate::Max(_) => Accumulator::Greatest(None),
            Aggregate::Concat(_) => Accumulator::Concat(Vec::new()),
        }
    }

    /// Adds a row. Gives the bytes that this has made the accumulator grow by, roughly.
    pub fn add<'a>(&mut self, aggregate: &'a Aggregate, env: &Env<'a>) -> u64 {
        let mut inputs = aggregate.inputs().iter().map(|e| eval(e, env));
        let mut grown = 0;
        match self {
            Accumulator::Count(n) => match inputs.next() {
                Some(Cell::Null) => {}
                Some(_) | None => *n += 1,
            },
            Accumulator::DistinctInts(set) => {
                if let Some(Cell::Int(v)) = inputs.next()
                    && set.insert(v)
                {
                    grown += SLOT_BYTES + size_of::<i64>() as u64;
                }
            }
            Accumulator::Distinct(set) => match aggregate.inputs() {
                [_] => {
                    let Some(cell) = inputs.next() else { return grown };
                    // The values of a set count one by one.
                    quantified(&cell, Quantifier::Any, |one| {
                        if !matches!(one, Cell::Null) {
                            grown += insert(set, Box::new([KeyPart::of(one)]));
                        }
                        false
                    });
                }
                _ => grown += insert(set, inputs.map(|c| KeyPart::of(&c)).collect()),
            },
            Accumulator::Sum(sum) | Accumulator::Avg(sum) => {
                if let Some(cell) = inputs.next() {
                    sum.add(&cell);
                }
            }
            Accumulator::Least(best) => {
                if let Some(cell) = inputs.next() {
                    grown += keep(best, cell, Ordering::Less);
                }
            }
            Accumulator::Greatest(best) => {
                if let Some(cell) = inputs.next() {
                    grown += keep(best, cell, Ordering::Greater);
                }
            }
            Accumulator::Concat(list) => {
                if let Some(text) = inputs.next().as_ref().and_then(Cell::text)
                    && !text.is_empty()
                {
                    // Twice: once as it is kept, once in the text that is made of all of them.
                    grown += (size_of::<(i64, String)>() + 2 * text.len()) as u64;
                    list.push((env.id.0 as i64, text.into_owned()));
                }
            }
        }
        grown
    }

    /// Adds what another piece of the work saw of the same group.
    pub fn merge(&mut self, other: Accumulator) {
        match (self, other) {
            (Accumulator::Count(a), Accumulator::Count(b)) => *a += b,
            (Accumulator::Distinct(a), Accumulator::Distinct(b)) => a.extend(b),
            (Accumulator::DistinctInts(a), Accumulator::DistinctInts(b)) => a.extend(b),
            (Accumulator::Sum(a), Accumulator::Sum(b)) | (Accumulator::Avg(a), Accumulator::Avg(b)) => a.merge(b),
            (Accumulator::Least(a), Accumulator::Least(Some(b))) => {
                keep(a, Cell::of(&b), Ordering::Less);
            }
            (Accumulator::Greatest(a), Accumulator::Greatest(Some(b))) => {
                keep(a, Cell::of(&b), Ordering::Greater);
            }
            (Accumulator::Concat(a), Accumulator::Concat(b)) => a.extend(b),
            // Both come from the same aggregate; only an absent extreme is left.
            _ => {}
        }
    }

    /// The aggregate's value.
    pub fn finish(self) -> Value {
        match self {
            Accumulator::Count(n) => Value::Int(n as i64),
            Accumulator::Distinct(set) => Value::Int(set.len() as i64),
            Accumulator::DistinctInts(set) => Value::Int(set.len() as i64),
            Accumulator::Sum(sum) | Accumulator::Avg(sum) if sum.count == 0 => Value::Null,
            Accumulator::Sum(sum) if sum.is_real => Value::Double(sum.total()),
            Accumulator::Sum(sum) => Value::Int(sum.whole.clamp(i64::MIN as i128, i64::MAX as i128) as i64),
            Accumulator::Avg(sum) => Value::Avg(sum.total() / sum.count as f64),
            Accumulator::Least(best) | Accumulator::Greatest(best) => best.unwrap_or(Value::Null),
            Accumulator::Concat(mut list) => {
                list.sort();
                let texts: Vec<String> = list.into_iter().map(|(_, text)| text).collect();
                Value::Text(texts.join(","))
            }
        }
    }
}

/// Puts the cell in the place of the best value if it goes before it. Gives the bytes that the new one is larger by.
fn keep(best: &mut Option<Value>, cell: Cell<'_>, wanted: Ordering) -> u64 {
    if matches!(cell, Cell::Null) {
        return 0;
    }
    let better = best.as_ref().is_none_or(|old| order(&cell, &Cell::of(old)) == wanted);
    if !better {
        return 0;
    }
    let before = best.as_ref().map_or(0, value_bytes);
    let value = cell.into_value();
    let after = value_bytes(&value);
    *best = Some(value);
    after.saturating_sub(before)
}

/// Adds a key to a set of distinct ones. Gives the bytes that the set has grown by.
fn insert(set: &mut FxHashSet<Box<[KeyPart]>>, key: Box<[KeyPart]>) -> u64 {
    let bytes = SLOT_BYTES + key.iter().map(KeyPart::bytes).sum::<u64>();
    if set.insert(key) { bytes } else { 0 }
}
