//! Floor 1: the MATCH language: lexer, tree, normalisation. No index and no text processing: a leaf holds characters as they were
//! typed, `plan` turns them into words.
//!
//! Precedence, weakest first: `<<`, `NEAR/n`, `NOTNEAR/n`; then the implicit AND, whose items may be negated with `-` or `!`; then `|`
//! and `MAYBE`; then `SENTENCE` and `PARAGRAPH`. Words, phrases and groups are atoms. A field limit (`@title`) holds for everything behind
//! it up to the next limit or the end of its group, so it is kept at each leaf and is no node of its own.
//!
//! Invariants of a tree that [`parse`] returns: its depth is at most a small multiple of [`MAX_DEPTH`] and has at most [`MAX_WORDS`] words; lists have two
//! children or more; a `Not` is only ever a child of an `And`, or the whole query.

mod error;
mod lexer;
mod parser;
#[cfg(test)]
mod tests;
mod tree;

pub use error::QueryError;
pub use tree::{FieldLimit, LimitKind, Node, Phrase, PhraseItem, PhraseKind, Piece, Query, Threshold, Unit, Word};

use crate::types::WordChars;

/// Deepest nesting of groups, and most `NEAR`, `NOTNEAR`, `MAYBE`, `SENTENCE` and `PARAGRAPH` in a query, since these nest too.
pub const MAX_DEPTH: usize = 100;
/// Most words in one query.
pub const MAX_WORDS: usize = 4_096;
/// Most words in one quorum.
pub const MAX_QUORUM_WORDS: usize = 255;

/// Parses a query. An empty text gives a query without root, which stands for every row.
///
/// Never panics and never recurses deeper than [`MAX_DEPTH`] groups, whatever the text is.
pub fn parse(text: &str, chars: &dyn WordChars) -> Result<Query, QueryError> {
    parser::Parser::new(text, chars).query()
}
