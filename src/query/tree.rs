//! The tree of a query, before any word is looked at.

use std::sync::Arc;

/// A parsed query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// None for an empty text.
    pub root: Option<Node>,
    /// `@@relaxed`: unknown fields match nothing instead of being errors.
    pub relaxed: bool,
}

/// A node. Lists hold two children or more.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// One word.
    Word(Word),
    /// Words in quotes.
    Phrase(Phrase),
    /// All children; those that are [`Node::Not`] must not match.
    And(Vec<Node>),
    /// Any child.
    Or(Vec<Node>),
    /// Must not match.
    Not(Box<Node>),
    /// The first; the second adds to the weight only.
    Maybe(Box<Node>, Box<Node>),
    /// All children, one behind the other.
    Before(Vec<Node>),
    /// Both, at most so many positions apart, in either order.
    Near(Box<Node>, Box<Node>, u32),
    /// The first where the second is farther away than so many positions.
    NotNear(Box<Node>, Box<Node>, u32),
    /// All children within one sentence or paragraph.
    Within(Unit, Vec<Node>),
}

/// What `SENTENCE` and `PARAGRAPH` bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Between two full stops, say.
    Sentence,
    /// Between two tags that end a paragraph.
    Paragraph,
}

/// One word as typed, with its modifiers.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Characters and wildcards, in order. Not empty.
    pub pieces: Vec<Piece>,
    /// `=`: this form only, no stemming.
    pub exact: bool,
    /// `^`: first word of its field.
    pub start: bool,
    /// `$`: last word of its field.
    pub end: bool,
    /// `^1.5`: factor on the word's idf.
    pub boost: f32,
    /// Where it may be found.
    pub limit: Arc<FieldLimit>,
}

/// A piece of a typed word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Word characters, not folded.
    Text(String),
    /// `*`
    Any,
    /// `?`
    One,
    /// `%`
    Maybe,
}

/// Words in quotes.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// In order; at least one is a word.
    pub items: Vec<PhraseItem>,
    /// What is asked of them.
    pub kind: PhraseKind,
    /// Where it may be found.
    pub limit: Arc<FieldLimit>,
}

/// An item inside quotes.
#[derive(Clone, Debug, PartialEq)]
pub enum PhraseItem {
    /// A word.
    Word(Word),
    /// `*`: any one word.
    AnyWord,
}

/// What is asked of the words in quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PhraseKind {
    /// Adjacent and in order.
    Phrase,
    /// All within a span: `~n`.
    Proximity(u32),
    /// Some of them anywhere: `/n`.
    Quorum(Threshold),
}

/// How many words of a quorum must be there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// So many, at least 1.
    Count(u32),
    /// Such a share of them, over 0 and at most 1.
    Share(f32),
}

/// Which fields, and how far into them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FieldLimit {
    /// Which fields.
    pub kind: LimitKind,
    /// Positions up to this one only.
    pub max_position: Option<u32>,
}

/// Which fields; names are folded to lower case.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum LimitKind {
    /// All of them.
    #[default]
    All,
    /// Only these.
    Only(Vec<String>),
    /// All but these.
    Except(Vec<String>),
}
