//! A query bound to a table: leaves cut into the table's words, field names resolved to fields, query positions assigned.
//!
//! Input is the tree that [`crate::query`] parsed; output is [`MatchPlan`], plain data that the matcher of `exec` evaluates over one part
//! after the other. Positions in the query count from 1, in the order of the text; stopwords and `*` inside quotes leave gaps, so that the
//! positions of adjacent words in a document differ from those in the query by a constant.

mod bind;
mod fields;
mod words;

#[cfg(test)]
mod tests;

pub use bind::bind;
pub use fields::FieldSet;
pub use words::{QueryWords, TypedWord};

use crate::query::QueryError;
use crate::types::WordPattern;

/// What a statement's options say about its query.
#[derive(Clone, Copy, Debug, Default)]
pub struct BindOptions {
    /// `not_terms_only_allowed=1`: a query of negations alone stands for all other rows.
    pub not_terms_only_allowed: bool,
    /// `morphology=none`: every word as if `=` stood before it.
    pub exact_forms: bool,
    /// `boolean_mode='or'`: words side by side without an operator are alternatives.
    pub implicit_or: bool,
    /// `expand_keywords=1`: a word also stands for its exact form and for `*word*`.
    pub expand_keywords: bool,
}

/// Why a query cannot be bound to a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// A field limit names no full-text field of the table.
    #[error("query error: no field '{0}' found in schema")]
    UnknownField(String),
    /// The query cannot be evaluated, or uses what is not built.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// A bound query.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchPlan {
    /// What a row must satisfy.
    pub root: MatchNode,
    /// Distinct words in order of first use, those under a negation included.
    pub words: Vec<MatchWord>,
    /// Full-text fields of the table.
    pub field_count: usize,
    /// Positions of the query: the longest run of adjacent words that a row could have.
    pub query_words: u32,
}

/// A distinct word of a query: typed forms that differ are two words even if the dictionary has one entry for both, and share its weight.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchWord {
    /// As SHOW META prints it.
    pub shown: String,
    /// How it is found in a dictionary.
    pub look_up: LookUp,
    /// Factor on its idf.
    pub boost: f32,
}

/// How a word is found in a dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookUp {
    /// This entry.
    Word(String),
    /// All entries that it stands for, counted as one word.
    Pattern(WordPattern),
    /// No entry: a wildcard that is shorter than the table's setting allows.
    Nothing,
}

/// A node of a bound query. Lists hold two children or more.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchNode {
    /// Every row. It has no hits, and weighs as if one word stood in each of these fields; where there are none, 1.
    All(FieldSet),
    /// No row.
    Nothing,
    /// One word.
    Leaf(Leaf),
    /// All of them.
    And(Vec<MatchNode>),
    /// Any of them.
    Or(Vec<MatchNode>),
    /// The first and none of the others.
    AndNot(Box<MatchNode>, Vec<MatchNode>),
    /// The first; the second adds to the weight only.
    Maybe(Box<MatchNode>, Box<MatchNode>),
    /// Words at fixed distances from the first one.
    Phrase(Vec<PhraseWord>),
    /// All words within a span of fewer than `words + distance` positions.
    Proximity(Vec<Leaf>, u32),
    /// So many of the words.
    Quorum(Vec<Leaf>, u32),
    /// All of them, one behind the other.
    Before(Vec<MatchNode>),
    /// Both within a distance.
    Near(Box<MatchNode>, Box<MatchNode>, u32),
    /// The first where the second is farther away.
    NotNear(Box<MatchNode>, Box<MatchNode>, u32),
}

/// A use of a word.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// Index in [`MatchPlan::words`].
    pub word: usize,
    /// Position in the query, from 1.
    pub position: u32,
    /// Where it may be found.
    pub fields: FieldSet,
    /// Positions up to this one only.
    pub max_position: Option<u32>,
    /// Only as the first word of a field.
    pub start: bool,
    /// Only as the last word of a field.
    pub end: bool,
}

/// A word of a phrase.
#[derive(Clone, Debug, PartialEq)]
pub struct PhraseWord {
    /// The word.
    pub leaf: Leaf,
    /// Positions behind the phrase's first word; ascending, 0 for the first.
    pub offset: u32,
}
