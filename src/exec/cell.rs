//! A value while it is computed: borrowed from its row wherever it can be, so that filters allocate nothing.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::collation;
use crate::chunk::mva_iter;
use crate::plan::expr::{Compare, Quantifier};
use crate::types::Value;
use crate::types::json::{JsonKind, JsonRef};

/// Floats that differ by less are equal to `=` and `<>`, as in the dialect.
const EQUAL_WITHIN: f64 = 1e-6;

/// A value of a row, or one computed from it.
#[derive(Debug, Clone)]
pub enum Cell<'a> {
    /// Absent.
    Null,
    /// A whole number.
    Int(i64),
    /// A whole number, unsigned.
    Uint(u64),
    /// Single precision.
    Float(f32),
    /// Double precision.
    Double(f64),
    /// An average, which is shown with more decimals.
    Avg(f64),
    /// A string.
    Text(Cow<'a, str>),
    /// A set inside a row: 8 bytes each.
    Mva(&'a [u8]),
    /// A set outside a row.
    Numbers(Cow<'a, [i64]>),
    /// A JSON object or array.
    Json(JsonRef<'a>),
}

impl<'a> Cell<'a> {
    /// Views a value.
    pub fn of(value: &'a Value) -> Cell<'a> {
        match value {
            Value::Null => Cell::Null,
            Value::Int(v) => Cell::Int(*v),
            Value::Uint(v) => Cell::Uint(*v),
            Value::Float(v) => Cell::Float(*v),
            Value::Double(v) => Cell::Double(*v),
            Value::Avg(v) => Cell::Avg(*v),
            Value::Text(s) => Cell::Text(Cow::Borrowed(s)),
            Value::Mva(list) => Cell::Numbers(Cow::Borrowed(list)),
            Value::Json(bytes) => Cell::json(JsonRef::new(bytes)),
        }
    }

    /// Views a JSON value: numbers and strings become what they are, true and false 1 and 0, null and nothing become [`Cell::Null`].
    pub fn json(json: JsonRef<'a>) -> Cell<'a> {
        match json.kind() {
            JsonKind::Null => Cell::Null,
            JsonKind::Int => json.as_i64().map_or(Cell::Null, Cell::Int),
            JsonKind::Double => json.as_f64().map_or(Cell::Null, Cell::Double),
            JsonKind::String => json.as_str().map_or(Cell::Null, |s| Cell::Text(Cow::Borrowed(s))),
            JsonKind::Bool => Cell::Int(i64::from(json.as_bool() == Some(true))),
            JsonKind::Array | JsonKind::Object => Cell::Json(json),
        }
    }

    /// The value, owned.
    pub fn into_value(self) -> Value {
        match self {
            Cell::Null => Value::Null,
            Cell::Int(v) => Value::Int(v),
            Cell::Uint(v) => Value::Uint(v),
            Cell::Float(v) => Value::Float(v),
            Cell::Double(v) => Value::Double(v),
            Cell::Avg(v) => Value::Avg(v),
            Cell::Text(s) => Value::Text(s.into_owned()),
            Cell::Mva(bytes) => Value::Mva(mva_iter(bytes).collect()),
            Cell::Numbers(list) => Value::Mva(list.into_owned()),
            Cell::Json(json) => Value::Json(json.bytes().to_vec()),
        }
    }

    /// The number that the value is.
    pub fn number(&self) -> Option<Number> {
        match self {
            Cell::Int(v) => Some(Number::Int(*v as i128)),
            Cell::Uint(v) => Some(Number::Int(*v as i128)),
            Cell::Float(v) => Some(Number::Single(*v)),
            Cell::Double(v) | Cell::Avg(v) => Some(Number::Double(*v)),
            Cell::Null | Cell::Text(_) | Cell::Mva(_) | Cell::Numbers(_) | Cell::Json(_) => None,
        }
    }

    /// Whether the value counts as true: a number other than zero.
    pub fn is_true(&self) -> bool {
        match self.number() {
            Some(Number::Int(v)) => v != 0,
            Some(Number::Single(v)) => v != 0.0,
            Some(Number::Double(v)) => v != 0.0,
            None => false,
        }
    }

    /// The value as text: what TO_STRING gives, which has six decimals for every float.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Cell::Text(s) => Some(Cow::Borrowed(s)),
            Cell::Float(v) => Some(Cow::Owned(format!("{v:.6}"))),
            Cell::Double(v) | Cell::Avg(v) => Some(Cow::Owned(format!("{v:.6}"))),
            other => other.clone().into_value().text().map(|t| Cow::Owned(t.into_owned())),
        }
    }
}

/// A number of either kind.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    /// Whole; wide enough for both 64-bit kinds.
    Int(i128),
    /// Single precision.
    Single(f32),
    /// Double precision.
    Double(f64),
}

impl Number {
    /// In double precision.
    pub fn double(self) -> f64 {
        match self {
            Number::Int(v) => v as f64,
            Number::Single(v) => v as f64,
            Number::Double(v) => v,
        }
    }

    /// Two numbers in the precision in which they are compared: single, if either is single.
    fn pair(a: Number, b: Number) -> (f64, f64) {
        match (a, b) {
            (Number::Single(a), b) => (a as f64, b.double() as f32 as f64),
            (a, Number::Single(b)) => (a.double() as f32 as f64, b as f64),
            (a, b) => (a.double(), b.double()),
        }
    }

    /// How two numbers compare in `=`, `<` and the like; floats that are close are equal.
    fn compare(a: Number, b: Number) -> Option<Ordering> {
        if let (Number::Int(a), Number::Int(b)) = (a, b) {
            return Some(a.cmp(&b));
        }
        let (a, b) = Number::pair(a, b);
        if (a - b).abs() <= EQUAL_WITHIN { Some(Ordering::Equal) } else { a.partial_cmp(&b) }
    }

    /// The order of two numbers in ORDER BY: total and exact.
    fn order(a: Number, b: Number) -> Ordering {
        match (a, b) {
            (Number::Int(a), Number::Int(b)) => a.cmp(&b),
            (a, b) => a.double().total_cmp(&b.double()),
        }
    }
}

/// How two single values compare; None where they are of different kinds or one is absent.
fn compare_single(a: &Cell<'_>, b: &Cell<'_>) -> Option<Ordering> {
    match (a, b) {
        (Cell::Int(a), Cell::Int(b)) => Some(a.cmp(b)),
        (Cell::Text(a), Cell::Text(b)) => Some(collation::compare(a, b)),
        (a, b) => Number::compare(a.number()?, b.number()?),
    }
}

fn meets(operator: Compare, order: Option<Ordering>) -> bool {
    match (operator, order) {
        (Compare::Eq, Some(o)) => o.is_eq(),
        (Compare::Ne, Some(o)) => o.is_ne(),
        (Compare::Lt, Some(o)) => o.is_lt(),
        (Compare::Le, Some(o)) => o.is_le(),
        (Compare::Gt, Some(o)) => o.is_gt(),
        (Compare::Ge, Some(o)) => o.is_ge(),
        // What is absent or of another kind is different, and neither less nor greater.
        (Compare::Ne, None) => true,
        (Compare::Eq | Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge, None) => false,
    }
}

/// Whether the values of `cell`, if it is a set, meet `test` as the quantifier asks; a single value must meet it itself.
pub fn quantified(cell: &Cell<'_>, quantifier: Quantifier, mut test: impl FnMut(&Cell<'_>) -> bool) -> bool {
    fn over<'c>(mut cells: impl Iterator<Item = Cell<'c>>, quantifier: Quantifier, test: &mut dyn FnMut(&Cell<'_>) -> bool) -> bool {
        match quantifier {
            Quantifier::Any => cells.any(|c| test(&c)),
            Quantifier::All => match cells.next() {
                Some(first) => test(&first) && cells.all(|c| test(&c)),
                None => false,
            },
        }
    }
    match cell {
        Cell::Mva(bytes) => over(mva_iter(bytes).map(Cell::Int), quantifier, &mut test),
        Cell::Numbers(list) => over(list.iter().copied().map(Cell::Int), quantifier, &mut test),
        Cell::Json(json) if json.kind() == JsonKind::Array => over(json.iter().map(Cell::json), quantifier, &mut test),
        single => test(single),
    }
}

/// Whether `left operator right` holds.
pub fn holds(operator: Compare, quantifier: Quantifier, left: &Cell<'_>, right: &Cell<'_>) -> bool {
    match (left, right) {
        (Cell::Int(a), Cell::Int(b)) => meets(operator, Some(a.cmp(b))),
        _ => quantified(left, quantifier, |cell| meets(operator, compare_single(cell, right))),
    }
}

/// Whether two single values are equal to `=`.
pub fn equal(a: &Cell<'_>, b: &Cell<'_>) -> bool {
    match (a, b) {
        (Cell::Text(a), Cell::Text(b)) => collation::equal(a, b),
        (a, b) => compare_single(a, b) == Some(Ordering::Equal),
    }
}

/// The order of any two values, total up to collation: absent, numbers, strings, sets, JSON.
pub fn order(a: &Cell<'_>, b: &Cell<'_>) -> Ordering {
    fn rank(cell: &Cell<'_>) -> u8 {
        match cell {
            Cell::Null => 0,
            Cell::Int(_) | Cell::Uint(_) | Cell::Float(_) | Cell::Double(_) | Cell::Avg(_) => 1,
            Cell::Text(_) => 2,
            Cell::Mva(_) | Cell::Numbers(_) => 3,
            Cell::Json(_) => 4,
        }
    }
    fn numbers<'c>(cell: &'c Cell<'_>) -> Cow<'c, [i64]> {
        match cell {
            Cell::Mva(bytes) => mva_iter(bytes).collect(),
            Cell::Numbers(list) => Cow::Borrowed(list),
            _ => Cow::Borrowed(&[]),
        }
    }
    match (a, b) {
        (Cell::Int(a), Cell::Int(b)) => return a.cmp(b),
        (Cell::Text(a), Cell::Text(b)) => return collation::compare(a, b),
        _ => {}
    }
    rank(a).cmp(&rank(b)).then_with(|| match (a, b) {
        (Cell::Json(x), Cell::Json(y)) => x.bytes().cmp(y.bytes()),
        (a, b) => match (a.number(), b.number()) {
            (Some(x), Some(y)) => Number::order(x, y),
            _ => numbers(a).cmp(&numbers(b)),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::json::encode_text;

    fn text(s: &str) -> Cell<'_> {
        Cell::Text(Cow::Borrowed(s))
    }

    #[test]
    fn single_values_compare() {
        let any = |op, a: Cell<'_>, b: Cell<'_>| holds(op, Quantifier::Any, &a, &b);
        assert!(any(Compare::Eq, Cell::Float(1.1), Cell::Double(1.1)));
        assert!(any(Compare::Lt, Cell::Int(1), Cell::Double(1.5)));
        assert!(any(Compare::Eq, Cell::Int(i64::MAX), Cell::Uint(i64::MAX as u64)));
        assert!(!any(Compare::Eq, Cell::Int(i64::MAX), Cell::Int(i64::MAX - 1)));
        assert!(any(Compare::Eq, text("Abc"), text("aBC")));
        assert!(!any(Compare::Eq, Cell::Null, Cell::Int(0)) && any(Compare::Ne, Cell::Null, Cell::Int(0)));
        assert!(!any(Compare::Lt, text("5"), Cell::Int(6)));
    }

    #[test]
    fn sets_are_quantified() {
        let list = [1, 3];
        let set = Cell::Numbers(Cow::Borrowed(&list));
        assert!(holds(Compare::Eq, Quantifier::Any, &set, &Cell::Int(3)));
        assert!(!holds(Compare::Eq, Quantifier::All, &set, &Cell::Int(3)));
        assert!(holds(Compare::Ge, Quantifier::All, &set, &Cell::Int(1)));
        assert!(!holds(Compare::Ge, Quantifier::All, &Cell::Mva(&[]), &Cell::Int(1)));
        let json = encode_text(r#"["blue","black"]"#).unwrap();
        assert!(holds(Compare::Eq, Quantifier::Any, &Cell::json(JsonRef::new(&json)), &text("blue")));
    }

    #[test]
    fn order_is_total_over_kinds() {
        let json = encode_text("{}").unwrap();
        let cells =
            [Cell::Null, Cell::Double(-1.0), Cell::Int(2), text("a"), text("b"), Cell::Mva(&[0; 8]), Cell::json(JsonRef::new(&json))];
        for (i, a) in cells.iter().enumerate() {
            for (j, b) in cells.iter().enumerate() {
                assert_eq!(order(a, b), i.cmp(&j), "{a:?} {b:?}");
            }
        }
    }
}
