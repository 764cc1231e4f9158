//! A condition cut in two: what a comparison of one whole-number attribute settles, and the rest.
//!
//! Most scans are decided by such comparisons, so they are asked first, straight from the row's bytes.

use std::cmp::Ordering;

use super::eval::{self, Env};
use crate::chunk::{AttrRef, RowLayout, RowRef};
use crate::plan::expr::{Compare, Expr, Kind, Set};
use crate::types::{ColumnKind, Value};

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
