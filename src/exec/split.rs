//! A condition cut in two: what a comparison of one whole-number attribute settles, and the rest.
//!
//! Most scans are decided by such comparisons, so they are asked first, straight from the row's bytes.

use std::cmp::Ordering;
use std::ops::Range;

use super::eval::{self, Env};
use crate::chunk::{AttrRef, PartView, RowLayout, RowRef};
use crate::plan::expr::{Compare, Expr, Kind, Set};
use crate::types::{ColumnKind, RowId, Value};

/// The conditions that AND joins, the quick ones apart.
pub(crate) struct Split<'a> {
    quick: Vec<Quick<'a>>,
    rest: Vec<&'a Expr>,
    /// One of the rest asks for the weight.
    pub weighs: bool,
}

enum Quick<'a> {
    Compare(usize, Compare, i64),
    In(usize, &'a [i64], bool),
}

impl Quick<'_> {
    fn column(&self) -> usize {
        match self {
            Quick::Compare(column, ..) | Quick::In(column, ..) => *column,
        }
    }

    /// Whether a number from `least` to `greatest` can meet the condition.
    fn may_meet(&self, least: i64, greatest: i64) -> bool {
        match self {
            Quick::Compare(_, Compare::Eq, value) => (least..=greatest).contains(value),
            Quick::Compare(_, Compare::Ne, value) => least != *value || greatest != *value,
            Quick::Compare(_, operator @ (Compare::Lt | Compare::Le), value) => meets(*operator, least.cmp(value)),
            Quick::Compare(_, operator @ (Compare::Gt | Compare::Ge), value) => meets(*operator, greatest.cmp(value)),
            Quick::In(_, list, false) => list.get(list.partition_point(|value| *value < least)).is_some_and(|value| *value <= greatest),
            Quick::In(_, _, true) => true,
        }
    }
}

impl<'a> Split<'a> {
    pub fn new(condition: Option<&'a Expr>) -> Split<'a> {
        let mut split = Split { quick: Vec::new(), rest: Vec::new(), weighs: false };
        if let Some(condition) = condition {
            split.put(condition);
        }
        split.weighs = split.rest.iter().any(|e| e.contains(|e| matches!(e, Expr::Weight)));
        split
    }

    fn put(&mut self, condition: &'a Expr) {
        let column = |e: &Expr| match e {
            Expr::Column(index, kind) if is_whole(*kind) => Some(*index),
            _ => None,
        };
        let constant = |e: &Expr| match e {
            Expr::Const(Value::Int(v)) => Some(*v),
            _ => None,
        };
        let quick = match condition {
            Expr::And(list) => {
                list.iter().for_each(|e| self.put(e));
                return;
            }
            Expr::Compare(operator, _, left, right) => {
                column(left).zip(constant(right)).map(|(column, value)| vec![Quick::Compare(column, *operator, value)])
            }
            Expr::In { expr, set: Set::Ints(list), negated, .. } => column(expr).map(|column| vec![Quick::In(column, list, *negated)]),
            Expr::Between { expr, low, high, negated: false, .. } => column(expr)
                .zip(constant(low).zip(constant(high)))
                .map(|(column, (low, high))| vec![Quick::Compare(column, Compare::Ge, low), Quick::Compare(column, Compare::Le, high)]),
            _ => None,
        };
        match quick {
            Some(quick) => self.quick.extend(quick),
            None => self.rest.push(condition),
        }
    }

    /// Whether a row meets the quick conditions.
    #[inline]
    pub fn quick(&self, layout: &RowLayout, row: RowRef<'_>) -> bool {
        self.quick.iter().all(|quick| match quick {
            Quick::Compare(column, operator, value) => match layout.get(row, *column) {
                AttrRef::Int(v) => meets(*operator, v.cmp(value)),
                _ => false,
            },
            Quick::In(column, list, negated) => match layout.get(row, *column) {
                AttrRef::Int(v) => list.binary_search(&v).is_ok() != *negated,
                _ => false,
            },
        })
    }

    /// The next rows from `from` on, before `end`, that may meet the quick conditions as far as least and greatest values of the part
    /// tell; none where no further row may.
    pub fn possible(&self, view: &PartView, from: u32, end: u32) -> Range<u32> {
        let mut row = from;
        'block: while row < end {
            let mut known = end;
            for quick in &self.quick {
                let Some((least, greatest, next)) = view.value_range(quick.column(), RowId(row)) else { continue };
                if !quick.may_meet(least, greatest) {
                    row = next;
                    continue 'block;
                }
                known = known.min(next);
            }
            return row..known;
        }
        end..end
    }

    /// Whether a row meets the rest.
    #[inline]
    pub fn rest(&self, env: &Env<'a>) -> bool {
        self.rest.iter().all(|e| eval::test(e, env))
    }
}

fn is_whole(kind: ColumnKind) -> bool {
    Kind::of_column(kind).is_int()
}

#[inline]
fn meets(operator: Compare, order: Ordering) -> bool {
    match operator {
        Compare::Eq => order.is_eq(),
        Compare::Ne => order.is_ne(),
        Compare::Lt => order.is_lt(),
        Compare::Le => order.is_le(),
        Compare::Gt => order.is_gt(),
        Compare::Ge => order.is_ge(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_excluded_where_none_of_its_numbers_meets_the_condition() {
        use Compare::*;
        let lists: [&[i64]; 5] = [&[], &[0], &[3], &[-1, 9], &[2, 3, 4]];
        let compares =
            [Eq, Ne, Lt, Le, Gt, Ge].into_iter().flat_map(|operator| (-1..=6).map(move |value| Quick::Compare(0, operator, value)));
        let ins = lists.iter().map(|list| Quick::In(0, list, false));
        for quick in compares.chain(ins) {
            let meets_one = |number: i64| match &quick {
                Quick::Compare(_, operator, value) => meets(*operator, number.cmp(value)),
                Quick::In(_, list, negated) => list.contains(&number) != *negated,
            };
            for (least, greatest) in [(0, 0), (0, 5), (2, 3), (4, 4)] {
                let meets_any = (least..=greatest).any(meets_one);
                assert_eq!(quick.may_meet(least, greatest), meets_any, "{least}..={greatest}");
            }
        }
        assert!(Quick::In(0, &[1], true).may_meet(1, 1));
    }
}
