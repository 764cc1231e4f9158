//! Text: charset, tokenizer, morphology, stopwords → words with positions.
//!
//! Floor 1: knows `types` only. Files come through a callback, since only `storage` opens them. An [`Analyzer`] is built from a table's
//! text options when the table is created or opened, and used by everyone who reads text of that table: INSERT (`index`), CALL KEYWORDS
//! (`query`), and the planner of MATCH (`term`, `exact_term`, `pattern`).
//!
//! ```text
//! text → charset (fold, cut) → at most 42 characters → min_word_len → morphology → stopwords → (word, position)
//! ```
//!
//! Invariants: a word of a document and the same word of a query give the same key; keys are UTF-8, not empty, at most 169 bytes; a key
//! that begins with `=` is an exact form, unless `=` is a letter of the charset. Changing anything here that changes keys asks for a new
//! format version of chunks.
//!
//! Absent: wordforms, exceptions, blended characters, HTML, regular expressions, lemmatizers. Their options are refused.

mod analyzer;
mod charset;
mod fold;
mod morphology;
mod options;
mod stem;
mod stopwords;
mod tokenizer;

pub use analyzer::{Analyzer, QueryTerm, QueryToken, TextError};

#[cfg(test)]
mod tests;
