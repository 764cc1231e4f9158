//! What the server refused: the first few errors are shown as they come, all are counted by their text.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Errors shown when they happen.
const SHOWN: u64 = 5;

/// Different texts that are kept; what comes later is counted under one name.
const TEXTS_MAX: usize = 100;

/// Bytes of a text that are kept.
const TEXT_BYTES_MAX: usize = 300;

/// Errors of one process of a run.
#[derive(Default)]
pub(super) struct Errors(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    all: u64,
    by_text: FxHashMap<String, u64>,
}

impl Errors {
    /// Counts an error. True if it is to be shown now.
    pub(super) fn add(&self, text: &str) -> bool {
        let text = shortened(text);
        let mut counts = self.0.lock();
        counts.all += 1;
        let full = counts.by_text.len() >= TEXTS_MAX && !counts.by_text.contains_key(text);
        *counts.by_text.entry(if full { "other errors" } else { text }.to_owned()).or_insert(0) += 1;
        counts.all <= SHOWN
    }

    /// Each text with its count, the most frequent first.
    pub(super) fn list(&self) -> Vec<(String, u64)> {
        let mut list: Vec<(String, u64)> = self.0.lock().by_text.iter().map(|(text, count)| (text.clone(), *count)).collect();
        list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        list
    }

    /// All of them.
    pub(super) fn count(&self) -> u64 {
        self.0.lock().all
    }
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_shown_and_all_are_counted() {
        let errors = Errors::default();
        assert_eq!((0..10).filter(|_| errors.add("duplicate id")).count(), 5);
        for n in 0..200 {
            assert!(!errors.add(&format!("row {n}")));
        }
        errors.add(&"ö".repeat(1000));
        let list = errors.list();
        assert_eq!((errors.count(), list.len()), (211, 101));
        assert_eq!(list[..2], [("other errors".to_owned(), 102), ("duplicate id".to_owned(), 10)]);
    }
}
