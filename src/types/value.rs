//! One value as SQL sees it: a cell of a row, a literal, the result of an expression.

use std::borrow::Cow;

/// A value. Strings are bytes that were valid UTF-8 when they came in; JSON is our binary form (see [`super::json`]).
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Absent: a JSON path that leads nowhere. Columns are never null.
    Null,
    /// `int`, `bigint`, `bool`, `timestamp`, and integer results.
    Int(i64),
    /// A document id or another number in the upper half of the unsigned range.
    Uint(u64),
    /// `float`, and results of arithmetic over floats: printed with six decimals.
    Float(f32),
    /// Double precision: JSON numbers with six decimals. AVG prints eight; see [`Value::Avg`].
    Double(f64),
    /// An average: printed with eight decimals.
    Avg(f64),
    /// `text`, `string`, and string results.
    Text(String),
    /// `multi` or `multi64`: ascending, each value once.
    Mva(Vec<i64>),
    /// `json`, or a JSON object or array at a path: binary form.
    Json(Vec<u8>),
}

impl Value {
    /// The text that the text protocol sends; None for NULL.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Value::Null => return None,
            Value::Int(v) => Cow::Owned(v.to_string()),
            Value::Uint(v) => Cow::Owned(v.to_string()),
            Value::Float(v) => Cow::Owned(format!("{v:.6}")),
            Value::Double(v) => Cow::Owned(format!("{v:.6}")),
            Value::Avg(v) => Cow::Owned(format!("{v:.8}")),
            Value::Text(v) => Cow::Borrowed(v),
            Value::Mva(v) => {
                let mut out = String::with_capacity(v.len() * 4);
                for (i, n) in v.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    out.push_str(&n.to_string());
                }
                Cow::Owned(out)
            }
            // A JSON column that was given no document is shown as NULL.
            Value::Json(v) if v.is_empty() => return None,
            Value::Json(v) => Cow::Owned(super::json::JsonRef::new(v).to_text()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_dialect() {
        let text = |v: Value| v.text().map(Cow::into_owned);
        assert_eq!(text(Value::Float(1900.0 * (1.0 / 7.0))).as_deref(), Some("271.428589"));
        assert_eq!(text(Value::Avg(1904.344632768)).as_deref(), Some("1904.34463277"));
        assert_eq!(text(Value::Mva(vec![8, 9])).as_deref(), Some("8,9"));
        assert_eq!(text(Value::Json(Vec::new())), None);
        assert_eq!(text(Value::Null), None);
    }
}
