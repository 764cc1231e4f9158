//! The value of an expression over one row or one group.

use std::borrow::Cow;

use super::cell::{self, Cell, Number};
use super::collation;
use super::context::ExecContext;
use super::functions;
use crate::chunk::{AttrRef, RowLayout, RowRef, mva_iter};
use crate::plan::expr::{Arith, Expr, Loop, Set, Step};
use crate::types::json::{JsonKind, JsonRef};
use crate::types::{DocId, Value};

/// What an expression can see.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// The row; None where a statement has none (no FROM, or a group without rows).
    pub row: Option<(&'a RowLayout, RowRef<'a>)>,
    /// Its document.
    pub id: DocId,
    /// Its weight, where the plan asks for it.
    pub weight: i64,
    /// Its stored text, in the order of the schema's stored columns; empty until the row is sent.
    pub stored: &'a [String],
    /// The group's aggregates, in the plan's order.
    pub aggregates: &'a [Value],
    /// The group's key.
    pub group_key: &'a Value,
    /// Clock and time zone.
    pub context: &'a ExecContext<'a>,
}

/// The element of the loop around an expression: empty outside of loops.
type Element<'a> = Option<Cell<'a>>;

impl<'a> Env<'a> {
    /// Sees nothing but the clock.
    pub fn empty(context: &'a ExecContext<'a>) -> Env<'a> {
        Env { row: None, id: DocId(0), weight: 0, stored: &[], aggregates: &[], group_key: &Value::Null, context }
    }

    /// Sees a row.
    pub fn of_row(layout: &'a RowLayout, row: RowRef<'a>, weight: i64, context: &'a ExecContext<'a>) -> Env<'a> {
        Env { row: Some((layout, row)), id: layout.doc_id(row), weight, ..Env::empty(context) }
    }
}

/// The value of `expr`.
pub fn eval<'a>(expr: &'a Expr, env: &Env<'a>) -> Cell<'a> {
    eval_in(expr, env, &None)
}

/// Whether `expr` holds.
pub fn test<'a>(expr: &'a Expr, env: &Env<'a>) -> bool {
    test_in(expr, env, &None)
}

pub(super) fn eval_in<'a>(expr: &'a Expr, env: &Env<'a>, element: &Element<'a>) -> Cell<'a> {
    match expr {
        Expr::Const(value) => Cell::of(value),
        Expr::Id => Cell::Int(env.id.0 as i64),
        Expr::Column(index, _) => match env.row {
            Some((layout, row)) => attribute(layout.get(row, *index)),
            None => Cell::Null,
        },
        Expr::Stored(slot) => env.stored.get(*slot).map_or(Cell::Null, |s| Cell::Text(Cow::Borrowed(s))),
        Expr::Json(index, path) => match env.row.map(|(layout, row)| layout.get(row, *index)) {
            Some(AttrRef::Json(bytes)) => walk(JsonRef::new(bytes), path).map_or(Cell::Null, Cell::json),
            _ => Cell::Null,
        },
        Expr::Element(path) => match element {
            Some(Cell::Json(json)) => walk(*json, path).map_or(Cell::Null, Cell::json),
            Some(cell) if path.is_empty() => cell.clone(),
            _ => Cell::Null,
        },
        Expr::Weight => Cell::Int(env.weight),
        Expr::Aggregate(index, _) => env.aggregates.get(*index).map_or(Cell::Null, Cell::of),
        Expr::GroupKey(_) => Cell::of(env.group_key),
        Expr::Minus(inner) => match eval_in(inner, env, element) {
            Cell::Int(v) => Cell::Int(v.wrapping_neg()),
            Cell::Uint(v) => Cell::Int((v as i64).wrapping_neg()),
            Cell::Float(v) => Cell::Float(-v),
            Cell::Double(v) | Cell::Avg(v) => Cell::Double(-v),
            Cell::Null | Cell::Text(_) | Cell::Mva(_) | Cell::Numbers(_) | Cell::Json(_) => Cell::Null,
        },
        Expr::BitNot(inner) => integer(&eval_in(inner, env, element)).map_or(Cell::Null, |v| Cell::Int(!v)),
        Expr::Arith(operator, _, left, right) => arithmetic(*operator, eval_in(left, env, element), eval_in(right, env, element)),
        Expr::Scale(inner, factor) => match eval_in(inner, env, element).number() {
            Some(Number::Double(v)) => Cell::Double(v * *factor as f64),
            Some(Number::Single(v)) => Cell::Float(v * factor),
            Some(Number::Int(v)) => Cell::Float(v as f32 * factor),
            None => Cell::Null,
        },
        Expr::ForEach(kind, condition, list) => for_each(*kind, condition, &eval_in(list, env, element), env),
        Expr::Call(function, args) => functions::call(*function, args, env, element),
        Expr::Not(_)
        | Expr::And(_)
        | Expr::Or(_)
        | Expr::Compare(..)
        | Expr::In { .. }
        | Expr::Between { .. }
        | Expr::IsNull(_)
        | Expr::Like(..) => Cell::Int(test_in(expr, env, element) as i64),
    }
}

fn test_in<'a>(expr: &'a Expr, env: &Env<'a>, element: &Element<'a>) -> bool {
    match expr {
        Expr::Not(inner) => !test_in(inner, env, element),
        Expr::And(list) => list.iter().all(|e| test_in(e, env, element)),
        Expr::Or(list) => list.iter().any(|e| test_in(e, env, element)),
        Expr::Compare(operator, quantifier, left, right) => {
            cell::holds(*operator, *quantifier, &eval_in(left, env, element), &eval_in(right, env, element))
        }
        Expr::In { expr, quantifier, set, negated } => {
            let left = eval_in(expr, env, element);
            // Per value: a set is not in a list if one of its values (or, with ALL, each) is outside.
            cell::quantified(&left, *quantifier, |one| contains(set, one) != *negated)
        }
        Expr::Between { expr, quantifier, low, high, negated } => {
            use crate::plan::expr::Compare::{Ge, Le};
            use crate::plan::expr::Quantifier::Any;
            let left = eval_in(expr, env, element);
            let (low, high) = (eval_in(low, env, element), eval_in(high, env, element));
            cell::quantified(&left, *quantifier, |one| (cell::holds(Ge, Any, one, &low) && cell::holds(Le, Any, one, &high)) != *negated)
        }
        Expr::IsNull(inner) => match eval_in(inner, env, element) {
            Cell::Null => true,
            Cell::Json(json) => json.is_absent(),
            _ => false,
        },
        Expr::Like(inner, pattern) => match eval_in(inner, env, element) {
            Cell::Text(s) => collation::like(&s, pattern),
            _ => false,
        },
        Expr::Const(_)
        | Expr::Id
        | Expr::Column(..)
        | Expr::Stored(_)
        | Expr::Json(..)
        | Expr::Element(_)
        | Expr::Weight
        | Expr::Aggregate(..)
        | Expr::GroupKey(_)
        | Expr::Minus(_)
        | Expr::BitNot(_)
        | Expr::Arith(..)
        | Expr::Scale(..)
        | Expr::ForEach(..)
        | Expr::Call(..) => eval_in(expr, env, element).is_true(),
    }
}

#[inline]
fn attribute(attribute: AttrRef<'_>) -> Cell<'_> {
    match attribute {
        AttrRef::Int(v) => Cell::Int(v),
        AttrRef::Float(v) => Cell::Float(v),
        AttrRef::Text(s) => Cell::Text(Cow::Borrowed(s)),
        AttrRef::Mva(bytes) => Cell::Mva(bytes),
        AttrRef::Json(bytes) => Cell::json(JsonRef::new(bytes)),
        AttrRef::Absent => Cell::Null,
    }
}

/// The value at the end of a path.
pub(super) fn walk<'a>(json: JsonRef<'a>, path: &[Step]) -> Option<JsonRef<'a>> {
    path.iter().try_fold(json, |json, step| match step {
        Step::Key(key) => json.get(key),
        Step::Index(i) => json.index(*i),
    })
}

fn contains(set: &Set, cell: &Cell<'_>) -> bool {
    match (set, cell) {
        (Set::Ints(list), Cell::Int(v)) => list.binary_search(v).is_ok(),
        (Set::Ints(list), cell) => match cell.number() {
            Some(Number::Int(v)) => i64::try_from(v).is_ok_and(|v| list.binary_search(&v).is_ok()),
            Some(_) => list.iter().any(|v| cell::equal(cell, &Cell::Int(*v))),
            None => false,
        },
        (Set::Values(list), cell) => list.iter().any(|v| cell::equal(cell, &Cell::of(v))),
    }
}

fn for_each<'a>(kind: Loop, condition: &'a Expr, list: &Cell<'a>, env: &Env<'a>) -> Cell<'a> {
    let mut elements: Box<dyn Iterator<Item = Cell<'a>> + '_> = match list {
        Cell::Json(json) if json.kind() == JsonKind::Array => Box::new(json.iter().map(Cell::json)),
        Cell::Mva(bytes) => Box::new(mva_iter(bytes).map(Cell::Int)),
        Cell::Numbers(list) => Box::new(list.iter().copied().map(Cell::Int)),
        // Nothing to go over: no element meets the condition, and not all do.
        _ => return Cell::Int(if kind == Loop::IndexOf { -1 } else { 0 }),
    };
    let test = |cell: Cell<'a>| test_in(condition, env, &Some(cell));
    match kind {
        Loop::Any => Cell::Int(elements.any(test) as i64),
        Loop::All => Cell::Int(elements.all(test) as i64),
        Loop::IndexOf => Cell::Int(elements.position(test).map_or(-1, |i| i as i64)),
    }
}

/// The whole number that a value is or is cut to.
pub(super) fn integer(cell: &Cell<'_>) -> Option<i64> {
    match cell.number()? {
        Number::Int(v) => Some(v as i64),
        // `as` saturates, and makes nothing of NaN zero.
        Number::Single(v) => Some(v as i64),
        Number::Double(v) => Some(v as i64),
    }
}

fn arithmetic<'a>(operator: Arith, left: Cell<'a>, right: Cell<'a>) -> Cell<'a> {
    if let (Cell::Int(a), Cell::Int(b)) = (&left, &right) {
        return integers(operator, *a, *b);
    }
    let (Some(a), Some(b)) = (left.number(), right.number()) else { return Cell::Null };
    match operator {
        Arith::Add | Arith::Sub | Arith::Mul | Arith::Div | Arith::Mod => {}
        Arith::IntDiv | Arith::BitAnd | Arith::BitOr | Arith::BitXor | Arith::Shl | Arith::Shr => {
            return match (integer(&left), integer(&right)) {
                (Some(a), Some(b)) => integers(operator, a, b),
                _ => Cell::Null,
            };
        }
    }
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => integers(operator, a as i64, b as i64),
        (Number::Double(_), _) | (_, Number::Double(_)) => {
            let (a, b) = (a.double(), b.double());
            Cell::Double(match operator {
                Arith::Add => a + b,
                Arith::Sub => a - b,
                Arith::Mul => a * b,
                Arith::Div if b != 0.0 => a / b,
                Arith::Mod if b != 0.0 => a % b,
                _ => 0.0,
            })
        }
        (a, b) => {
            let (a, b) = (a.double() as f32, b.double() as f32);
            Cell::Float(match operator {
                Arith::Add => a + b,
                Arith::Sub => a - b,
                Arith::Mul => a * b,
                Arith::Div if b != 0.0 => a / b,
                Arith::Mod if b != 0.0 => a % b,
                _ => 0.0,
            })
        }
    }
}

/// Division by zero gives zero, as in the dialect; everything else wraps.
fn integers<'a>(operator: Arith, a: i64, b: i64) -> Cell<'a> {
    Cell::Int(match operator {
        Arith::Add => a.wrapping_add(b),
        Arith::Sub => a.wrapping_sub(b),
        Arith::Mul => a.wrapping_mul(b),
        Arith::Div if b == 0 => return Cell::Float(0.0),
        Arith::Div => return Cell::Float(a as f32 / b as f32),
        Arith::IntDiv | Arith::Mod if b == 0 => 0,
        Arith::IntDiv => a.wrapping_div(b),
        Arith::Mod => a.wrapping_rem(b),
        Arith::BitAnd => a & b,
        Arith::BitOr => a | b,
        Arith::BitXor => a ^ b,
        Arith::Shl => a.checked_shl(b.clamp(0, 64) as u32).unwrap_or(0),
        Arith::Shr => a.checked_shr(b.clamp(0, 64) as u32).unwrap_or(0),
    })
}
