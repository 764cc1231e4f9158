//! Values of one kind as another.

use super::super::cell::{Cell, Number};

/// The number that a value is, or that its text begins with; 0 for a text that begins with none.
fn number(cell: &Cell<'_>) -> Option<Number> {
    match cell {
        Cell::Text(s) => {
            let s = s.trim();
            let end = s
                .char_indices()
                .find(|&(i, c)| {
                    !(c.is_ascii_digit()
                        || matches!(c, '.' | 'e' | 'E')
                        || (matches!(c, '-' | '+') && (i == 0 || s[..i].ends_with(['e', 'E']))))
                })
                .map_or(s.len(), |(i, _)| i);
            let head = &s[..end];
            Some(match (head.parse::<i64>(), head.parse::<f64>()) {
                (Ok(v), _) => Number::Int(v as i128),
                (_, Ok(v)) => Number::Double(v),
                _ => Number::Int(0),
            })
        }
        cell => cell.number(),
    }
}

/// BIGINT, INTEGER: a whole number; a float column's value stays what it is.
pub(super) fn bigint(cell: Cell<'_>) -> Cell<'_> {
    match cell {
        Cell::Float(_) => cell,
        other => match number(&other) {
            Some(Number::Int(v)) => Cell::Int(v as i64),
            Some(n) => Cell::Int(n.double() as i64),
            None => Cell::Null,
        },
    }
}

/// SINT: the low 32 bits read as a signed number. A number that needs more stays what it is.
pub(super) fn sint<'a>(cell: &Cell<'a>) -> Cell<'a> {
    match number(cell) {
        Some(Number::Int(v)) => match u32::try_from(v) {
            Ok(v) => Cell::Int(v as i32 as i64),
            Err(_) => Cell::Int(v as i64),
        },
        Some(n) => Cell::Int(n.double() as i64),
        None => Cell::Null,
    }
}

/// UINT: 32 bits, unsigned.
pub(super) fn uint<'a>(cell: &Cell<'a>) -> Cell<'a> {
    match number(cell) {
        Some(Number::Int(v)) => Cell::Int(v as u32 as i64),
        Some(n) => Cell::Int(n.double() as i64 as u32 as i64),
        None => Cell::Null,
    }
}

/// UINT64: 64 bits, unsigned.
pub(super) fn uint64<'a>(cell: &Cell<'a>) -> Cell<'a> {
    match number(cell) {
        Some(Number::Int(v)) => Cell::Uint(v as u64),
        Some(n) => Cell::Uint(n.double() as i64 as u64),
        None => Cell::Null,
    }
}

/// DOUBLE.
pub(super) fn double<'a>(cell: &Cell<'a>) -> Cell<'a> {
    number(cell).map_or(Cell::Null, |n| Cell::Double(n.double()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    #[test]
    fn numbers_in_texts() {
        let text = |s: &'static str| Cell::Text(Cow::Borrowed(s));
        assert!(matches!(bigint(text("12abc")), Cell::Int(12)));
        assert!(matches!(double(&text("1.2e3")), Cell::Double(v) if v == 1200.0));
        assert!(matches!(sint(&text("3.4")), Cell::Int(3)));
        assert!(matches!(bigint(text("")), Cell::Int(0)));
        assert!(matches!(sint(&Cell::Int(u32::MAX as i64)), Cell::Int(-1)));
        assert!(matches!(uint64(&Cell::Int(-865_297_813_349_518_106)), Cell::Uint(17_581_446_260_360_033_510)));
    }
}
