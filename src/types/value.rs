//! One value as SQL sees it: a cell of a row, a literal, the result of an expression.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write;

/// A value. Strings are bytes that were valid UTF-8 when they came in; JSON is our binary form (see [`super::json`]).
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Absent: a JSON path that leads nowhere. Columns are never null.
    Null,
    /// `int`, `bigint`, `bool`, `timestamp`, and integer results.
    Int(i64),
    /// A document id or another number in the upper half of the unsigned range.
    Uint(u64),
    /// `float`, and results of arithmetic over floats; see [`push_float`].
    Float(f32),
    /// Double precision, as JSON numbers are: printed with six decimals.
    Double(f64),
    /// An average; see [`push_average`].
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
            Value::Float(v) => Cow::Owned(pushed(|out| push_float(out, *v))),
            Value::Double(v) => Cow::Owned(format!("{v:.6}")),
            Value::Avg(v) => Cow::Owned(pushed(|out| push_average(out, *v))),
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

/// Appends a float as the text protocol shows it: with six decimals if these read back as the same float, else with eight.
pub fn push_float(out: &mut Vec<u8>, number: f32) {
    push_real(out, number, |text| text.parse() == Ok(number));
}

/// Appends an average likewise: it is compared in double precision.
pub fn push_average(out: &mut Vec<u8>, number: f64) {
    push_real(out, number, |text| text.parse() == Ok(number));
}

fn push_real(out: &mut Vec<u8>, number: impl Copy + Display + Into<f64>, is_same: impl Fn(&str) -> bool) {
    let start = out.len();
    // Writing into memory cannot fail.
    let _ = write!(out, "{number:.6}");
    let six = out.get(start..).and_then(|text| std::str::from_utf8(text).ok());
    if number.into().is_finite() && !six.is_some_and(is_same) {
        out.truncate(start);
        let _ = write!(out, "{number:.8}");
    }
}

fn pushed(push: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    push(&mut out);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_dialect() {
        let text = |v: Value| v.text().map(Cow::into_owned);
        assert_eq!(text(Value::Float(1900.0 * (1.0 / 7.0))).as_deref(), Some("271.428589"));
        assert_eq!(text(Value::Avg(1904.344632768)).as_deref(), Some("1904.34463277"));
        assert_eq!(text(Value::Avg(3.0)).as_deref(), Some("3.000000"));
        // Six decimals would read back as the same float, but not as the same double.
        assert_eq!(text(Value::Avg(f64::from(0.1f32))).as_deref(), Some("0.10000000"));
        assert_eq!(text(Value::Mva(vec![8, 9])).as_deref(), Some("8,9"));
        assert_eq!(text(Value::Json(Vec::new())), None);
        assert_eq!(text(Value::Null), None);
    }

    #[test]
    fn floats_have_the_decimals_that_they_need() {
        // As recorded from a server of the dialect.
        for (number, want) in [
            (1.0f32 / 3.0, "0.33333334"),
            (3.3, "3.300000"),
            (-3.300_000_2, "-3.30000019"),
            (1e-7, "0.00000010"),
            (1e10, "10000000000.000000"),
            (1e-9, "0.00000000"),
            (-1.5, "-1.500000"),
            (-1e-7, "-0.00000010"),
            (123_456.79, "123456.789062"),
            (0.000_001, "0.000001"),
            (0.000_001_2, "0.00000120"),
            (1_234.567_8, "1234.567749"),
            (100.01, "100.010002"),
            (99_999.99, "99999.992188"),
            (1e15, "999999986991104.000000"),
            (-0.0, "-0.000000"),
            (0.0, "0.000000"),
            (f32::INFINITY, "inf"),
        ] {
            assert_eq!(Value::Float(number).text().as_deref(), Some(want), "{number:?}");
        }
    }
}
