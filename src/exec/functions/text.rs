//! Strings.

use std::borrow::Cow;

use super::super::budget::Budget;
use super::super::cell::Cell;
use super::super::eval::integer;

/// CRC32 of a string's bytes.
pub(super) fn crc32<'a>(cell: &Cell<'a>) -> Cell<'a> {
    match cell {
        Cell::Text(s) => Cell::Int(crc32fast::hash(s.as_bytes()) as i64),
        _ => Cell::Null,
    }
}

/// The arguments one behind the other; absent ones add nothing. Ends where the text is past the memory of its statement, which then fails for it.
pub(super) fn concat<'a>(cells: impl Iterator<Item = Cell<'a>>, memory: &Budget) -> Cell<'a> {
    let mut out = String::new();
    for cell in cells {
        out.push_str(&cell.text().unwrap_or_default());
        if memory.is_past(out.len() as u64) {
            break;
        }
    }
    Cell::Text(Cow::Owned(out))
}

/// A value as text.
pub(super) fn to_string(cell: Cell<'_>) -> Cell<'_> {
    match cell {
        Cell::Text(_) | Cell::Null => cell,
        other => match other.text() {
            Some(text) => Cell::Text(Cow::Owned(text.into_owned())),
            None => Cell::Null,
        },
    }
}

/// UPPER and LOWER.
pub(super) fn mapped<'a>(cell: &Cell<'a>, function: impl Fn(&str) -> String) -> Cell<'a> {
    match cell {
        Cell::Text(s) => Cell::Text(Cow::Owned(function(s))),
        _ => Cell::Null,
    }
}

/// What lies before the n-th delimiter from the left, or behind the n-th from the right where n is negative.
pub(super) fn substring_index<'a>(text: &Cell<'a>, delimiter: &Cell<'a>, count: &Cell<'a>) -> Cell<'a> {
    let (Cell::Text(text), Cell::Text(delimiter), Some(count)) = (text, delimiter, integer(count)) else { return Cell::Null };
    if count == 0 || delimiter.is_empty() {
        return Cell::Text(Cow::Borrowed(""));
    }
    let nth = usize::try_from(count.unsigned_abs() - 1).unwrap_or(usize::MAX);
    let cut = if count > 0 {
        text.match_indices(&**delimiter).nth(nth).map(|(at, _)| &text[..at])
    } else {
        text.rmatch_indices(&**delimiter).nth(nth).map(|(at, _)| &text[at + delimiter.len()..])
    };
    Cell::Text(Cow::Owned(cut.unwrap_or(text).to_owned()))
}

/// Characters of a string that LEVENSHTEIN compares; longer ones are cut, since the work per row is the product of both lengths.
const LEVENSHTEIN_CHARS: usize = 512;

/// Edits of single characters between two strings.
pub(super) fn levenshtein<'a>(a: &Cell<'a>, b: &Cell<'a>) -> Cell<'a> {
    let (Cell::Text(a), Cell::Text(b)) = (a, b) else { return Cell::Null };
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(LEVENSHTEIN_CHARS).collect(), b.chars().take(LEVENSHTEIN_CHARS).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + (x != y) as usize;
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    Cell::Int(row[b.len()] as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(s: &'static str) -> Cell<'static> {
        Cell::Text(Cow::Borrowed(s))
    }

    #[test]
    fn pieces_of_strings() {
        let index = |s, d, n| substring_index(&text(s), &text(d), &Cell::Int(n)).text().map(Cow::into_owned).unwrap_or_default();
        assert_eq!(index("www.w3schools.com", ".", 2), "www.w3schools");
        assert_eq!(index("1.2 3.4", " ", -1), "3.4");
        assert_eq!(index("a", ".", i64::MIN), "a");
        assert_eq!(index("a.b", ".", 0), "");
        assert!(matches!(crc32(&text("abc")), Cell::Int(891_568_578)));
        assert!(matches!(levenshtein(&text("kitten"), &text("sitting")), Cell::Int(3)));
        assert!(matches!(levenshtein(&text(""), &text("ab")), Cell::Int(2)));
    }
}
