//! What binding needs of a table's text processing.

use crate::text::Analyzer;

/// One word of what was typed without a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedWord {
    /// Folded, not stemmed.
    pub tokenized: String,
    /// As the dictionary has it.
    pub normalized: String,
    /// Position that it would have in a document with this text, from 1.
    pub position: u32,
}

/// A table's text processing as a query sees it. [`Analyzer`] is the real one.
pub trait QueryWords {
    /// Words of a text without operators and wildcards, and the number of positions that it takes in a document: a stopword gives no word
    /// and may take a position.
    fn words(&self, text: &str) -> (Vec<TypedWord>, u32);
    /// `text` as its characters stand in the dictionary, without stemming and whatever its length.
    fn fold(&self, text: &str) -> String;
    /// Least literal length of a prefix wildcard; 0 = none allowed.
    fn min_prefix_len(&self) -> u32;
    /// Least literal length of an infix wildcard; 0 = none allowed.
    fn min_infix_len(&self) -> u32;
    /// Whether the dictionary has `=word` entries for the forms as they stood.
    fn index_exact_words(&self) -> bool;
}

impl QueryWords for Analyzer {
    fn words(&self, text: &str) -> (Vec<TypedWord>, u32) {
        let (tokens, used) = self.query_plain(text);
        let word = |t: crate::text::QueryToken| TypedWord { tokenized: t.tokenized, normalized: t.normalized, position: t.text_position };
        (tokens.into_iter().map(word).collect(), used)
    }

    fn fold(&self, text: &str) -> String {
        Analyzer::fold(self, text)
    }

    fn min_prefix_len(&self) -> u32 {
        Analyzer::min_prefix_len(self)
    }

    fn min_infix_len(&self) -> u32 {
        Analyzer::min_infix_len(self)
    }

    fn index_exact_words(&self) -> bool {
        Analyzer::index_exact_words(self)
    }
}
