//! Choices and sizes.

use super::super::cell::{Cell, Number};
use super::super::eval::integer;

/// Whether IF() takes its last argument: 0.0, without threshold. What is absent is false.
pub(super) fn is_zero(cell: &Cell<'_>) -> bool {
    !cell.is_true()
}

/// How many of the ascending points are not above the value.
pub(super) fn interval<'a>(cell: &Cell<'a>, points: impl Iterator<Item = Cell<'a>>) -> Cell<'a> {
    let Some(value) = cell.number().map(Number::double) else { return Cell::Int(0) };
    Cell::Int(points.take_while(|p| p.number().is_some_and(|p| p.double() <= value)).count() as i64)
}

/// The value beside the condition's in the lists, or else the expression.
pub(super) fn remap<'a>(condition: &Cell<'a>, otherwise: impl Fn() -> Cell<'a>, from: &Cell<'a>, to: &Cell<'a>) -> Cell<'a> {
    match (integer(condition), from, to) {
        (Some(value), Cell::Numbers(from), Cell::Numbers(to)) => match from.iter().position(|f| *f == value) {
            Some(i) => to.get(i).map_or(Cell::Null, |v| Cell::Int(*v)),
            None => otherwise(),
        },
        _ => otherwise(),
    }
}

/// Bytes of a string, values of a set, elements of an array, members of an object; 1 for any other value, 0 for none.
pub(super) fn length<'a>(cell: &Cell<'a>) -> Cell<'a> {
    Cell::Int(match cell {
        Cell::Text(s) => s.len() as i64,
        Cell::Mva(bytes) => (bytes.len() / 8) as i64,
        Cell::Numbers(list) => list.len() as i64,
        Cell::Json(json) => json.len() as i64,
        Cell::Null => 0,
        Cell::Int(_) | Cell::Uint(_) | Cell::Float(_) | Cell::Double(_) | Cell::Avg(_) => 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    #[test]
    fn intervals_and_maps() {
        let points = || [200, 400, 600].into_iter().map(Cell::Int);
        for (value, index) in [(100, 0), (200, 1), (599, 2), (600, 3)] {
            assert!(matches!(interval(&Cell::Int(value), points()), Cell::Int(i) if i == index));
        }
        let (from, to) = ([5, 6], [1, 2]);
        let map = |v| remap(&Cell::Int(v), || Cell::Int(15), &Cell::Numbers(Cow::Borrowed(&from)), &Cell::Numbers(Cow::Borrowed(&to)));
        assert!(matches!((map(6), map(7)), (Cell::Int(2), Cell::Int(15))));
    }
}
