//! A literal as the value of a column: what INSERT and UPDATE accept.

use std::borrow::Cow;

use crate::sql::ast;
use crate::sql::values::Lit;
use crate::types::json::{self, JsonKind, JsonRef};
use crate::types::{Column, ColumnKind, Value};

/// The literal that an expression is; None where it is none. Parameters take their values from `parameters`.
pub(super) fn literal<'a>(expr: &'a ast::Expr, parameters: &'a [Value]) -> Option<Lit<'a>> {
    Some(match expr {
        ast::Expr::Int(v) => Lit::Int(*v),
        ast::Expr::Uint(v) => Lit::Uint(*v),
        ast::Expr::Float(v) => Lit::Float(*v),
        ast::Expr::Text(s) => Lit::Text(Cow::Borrowed(s)),
        ast::Expr::Null => Lit::Null,
        ast::Expr::Parameter(i) => of_value(parameters.get(*i)?),
        ast::Expr::List(items) => {
            let number = |item| match literal(item, parameters) {
                Some(Lit::Int(v)) => Some(v),
                _ => None,
            };
            Lit::List(items.iter().map(number).collect::<Option<_>>()?)
        }
        ast::Expr::Unary(ast::UnaryOp::Minus, inner) => match literal(inner, parameters)? {
            Lit::Int(v) => Lit::Int(v.checked_neg()?),
            Lit::Uint(v) if v == 1 << 63 => Lit::Int(i64::MIN),
            Lit::Float(v) => Lit::Float(-v),
            Lit::Uint(_) | Lit::Text(_) | Lit::Null | Lit::List(_) => return None,
        },
        _ => return None,
    })
}

fn of_value(value: &Value) -> Lit<'_> {
    match value {
        Value::Null => Lit::Null,
        Value::Int(v) => Lit::Int(*v),
        Value::Uint(v) => Lit::Uint(*v),
        Value::Float(v) => Lit::Float(*v as f64),
        Value::Double(v) | Value::Avg(v) => Lit::Float(*v),
        Value::Text(s) => Lit::Text(Cow::Borrowed(s)),
        Value::Mva(list) => Lit::List(list.clone()),
        Value::Json(bytes) => Lit::Text(Cow::Owned(JsonRef::new(bytes).to_text())),
    }
}

/// A literal as it is shown in messages, cut where it is long.
pub(super) fn shown(literal: &Lit<'_>) -> String {
    match literal {
        Lit::Int(v) => v.to_string(),
        Lit::Uint(v) => v.to_string(),
        Lit::Float(v) => v.to_string(),
        Lit::Text(s) if s.chars().count() > 40 => format!("'{}…'", s.chars().take(40).collect::<String>()),
        Lit::Text(s) => format!("'{s}'"),
        Lit::Null => "NULL".to_owned(),
        Lit::List(items) => {
            let shown: Vec<String> = items.iter().take(8).map(i64::to_string).collect();
            format!("({}{})", shown.join(","), if items.len() > 8 { ",…" } else { "" })
        }
    }
}

/// What a column holds where nothing is given.
pub(super) fn default_value(kind: ColumnKind) -> Value {
    match kind {
        ColumnKind::Text | ColumnKind::String => Value::Text(String::new()),
        ColumnKind::Uint | ColumnKind::Bigint | ColumnKind::Bool | ColumnKind::Timestamp => Value::Int(0),
        ColumnKind::Float => Value::Float(0.0),
        ColumnKind::Multi | ColumnKind::Multi64 => Value::Mva(Vec::new()),
        ColumnKind::Json => Value::Json(Vec::new()),
    }
}

/// The value that `literal` gives `column`, or why it gives none: a clause to put behind the column's name and the value.
///
/// NULL is the default. Numbers may come in quotes, as drivers send them. A set is sorted and holds each number once.
///
/// A string is moved out of the literal; a literal that does not fit stays what it was, so that it can be shown.
pub(super) fn column_value(column: &Column, literal: &mut Lit<'_>) -> Result<Value, String> {
    match (column.kind, literal) {
        (kind, Lit::Null) => Ok(default_value(kind)),
        (ColumnKind::Text | ColumnKind::String, Lit::Text(s)) => Ok(Value::Text(std::mem::take(s).into_owned())),
        (ColumnKind::Text | ColumnKind::String, literal @ (Lit::Int(_) | Lit::Uint(_) | Lit::Float(_))) => Ok(Value::Text(shown(literal))),
        (ColumnKind::Text | ColumnKind::String, Lit::List(_)) => Err("is no string".to_owned()),
        (ColumnKind::Uint | ColumnKind::Timestamp, literal) => int_between(literal, 0, u32::MAX as i64).map(Value::Int),
        (ColumnKind::Bigint, literal) => int_between(literal, i64::MIN, i64::MAX).map(Value::Int),
        (ColumnKind::Bool, Lit::Text(s)) if s.eq_ignore_ascii_case("true") => Ok(Value::Int(1)),
        (ColumnKind::Bool, Lit::Text(s)) if s.eq_ignore_ascii_case("false") => Ok(Value::Int(0)),
        (ColumnKind::Bool, literal) => int_between(literal, i64::MIN, i64::MAX).map(|v| Value::Int((v != 0) as i64)),
        (ColumnKind::Float, literal) => float(literal).map(Value::Float),
        (ColumnKind::Multi, literal) => set(literal, 0, u32::MAX as i64).map(Value::Mva),
        (ColumnKind::Multi64, literal) => set(literal, i64::MIN, i64::MAX).map(Value::Mva),
        (ColumnKind::Json, Lit::Text(s)) => json_document(s).map(Value::Json),
        (ColumnKind::Json, _) => Err("is no string with a json document".to_owned()),
    }
}

fn int_between(literal: &Lit<'_>, least: i64, most: i64) -> Result<i64, String> {
    let range = || format!("is out of range {least}..{most}");
    let value = match literal {
        Lit::Int(v) => *v,
        Lit::Uint(_) => return Err(range()),
        // A number with a point loses what is behind it, as in the dialect.
        Lit::Float(v) if v.trunc() >= -9.3e18 && v.trunc() <= 9.3e18 => {
            if v.trunc() < i64::MIN as f64 || v.trunc() >= -(i64::MIN as f64) {
                return Err(range());
            }
            v.trunc() as i64
        }
        Lit::Float(_) => return Err(range()),
        Lit::Text(s) => match s.trim().parse::<i128>() {
            Ok(v) => i64::try_from(v).map_err(|_| range())?,
            Err(_) => return Err("is no whole number".to_owned()),
        },
        Lit::Null | Lit::List(_) => return Err("is no number".to_owned()),
    };
    if value < least || value > most { Err(range()) } else { Ok(value) }
}

fn float(literal: &Lit<'_>) -> Result<f32, String> {
    let value = match literal {
        Lit::Int(v) => *v as f64,
        Lit::Uint(v) => *v as f64,
        Lit::Float(v) => *v,
        Lit::Text(s) => s.trim().parse().map_err(|_| "is no number".to_owned())?,
        Lit::Null | Lit::List(_) => return Err("is no number".to_owned()),
    };
    let single = value as f32;
    if single.is_finite() { Ok(single) } else { Err("is out of the range of float".to_owned()) }
}

fn set(literal: &Lit<'_>, least: i64, most: i64) -> Result<Vec<i64>, String> {
    let mut numbers = match literal {
        Lit::List(items) => items.iter().map(|item| int_between(&Lit::Int(*item), least, most)).collect::<Result<Vec<_>, _>>()?,
        // Drivers that know no lists send '1,2,3' or '(1,2,3)'.
        Lit::Text(s) => {
            let inner = s.trim();
            let inner = inner.strip_prefix('(').and_then(|i| i.strip_suffix(')')).unwrap_or(inner).trim();
            if inner.is_empty() {
                Vec::new()
            } else {
                inner.split(',').map(|n| int_between(&Lit::Text(Cow::Borrowed(n)), least, most)).collect::<Result<Vec<_>, _>>()?
            }
        }
        single => vec![int_between(single, least, most)?],
    };
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn json_document(text: &str) -> Result<Vec<u8>, String> {
    let bytes = json::encode_text(text).map_err(|e| format!("is no json: {e}"))?;
    match JsonRef::new(&bytes).kind() {
        JsonKind::Object | JsonKind::Array | JsonKind::Null => Ok(bytes),
        JsonKind::Bool | JsonKind::Int | JsonKind::Double | JsonKind::String => Err("is no json object or array".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(kind: ColumnKind, mut literal: Lit<'_>) -> Result<Value, String> {
        let column = Column { name: "c".into(), kind, uid: 0, indexed: false, stored: false, attribute: true, columnar: false };
        column_value(&column, &mut literal)
    }

    #[test]
    fn literals_fit_or_say_why_not() {
        let text = |s: &'static str| Lit::Text(Cow::Borrowed(s));
        assert_eq!(value(ColumnKind::Uint, Lit::Int(5)), Ok(Value::Int(5)));
        assert_eq!(value(ColumnKind::Uint, text("5")), Ok(Value::Int(5)));
        assert_eq!(value(ColumnKind::Uint, text("abc")), Err("is no whole number".into()));
        assert_eq!(value(ColumnKind::Uint, Lit::Int(-1)), Err("is out of range 0..4294967295".into()));
        assert_eq!(value(ColumnKind::Uint, Lit::Float(5.9)), Ok(Value::Int(5)));
        assert!(value(ColumnKind::Bigint, Lit::Uint(u64::MAX)).is_err());
        assert!(value(ColumnKind::Bigint, Lit::Float(1e300)).is_err());
        assert!(value(ColumnKind::Bigint, Lit::Float(f64::NAN)).is_err());
        assert_eq!(value(ColumnKind::Bool, Lit::Int(7)), Ok(Value::Int(1)));
        assert_eq!(value(ColumnKind::Float, Lit::Int(2)), Ok(Value::Float(2.0)));
        assert!(value(ColumnKind::Float, Lit::Float(1e300)).is_err());
        assert_eq!(value(ColumnKind::Multi, Lit::List(vec![3, 1, 3])), Ok(Value::Mva(vec![1, 3])));
        assert_eq!(value(ColumnKind::Multi, text("(3, 1)")), Ok(Value::Mva(vec![1, 3])));
        assert_eq!(value(ColumnKind::Multi, Lit::Int(4)), Ok(Value::Mva(vec![4])));
        assert!(value(ColumnKind::Json, text("{")).unwrap_err().starts_with("is no json: "));
        assert!(value(ColumnKind::Json, text("5")).is_err());
        assert_eq!(value(ColumnKind::Json, text("")), Ok(Value::Json(Vec::new())));
        assert_eq!(value(ColumnKind::String, Lit::Null), Ok(Value::Text(String::new())));
    }
}
