//! Wildcards over the words of a dictionary.

/// Which words of a dictionary a wildcard stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordPattern {
    /// Pieces in order.
    pub pieces: Vec<PatternPiece>,
}

/// A piece of a wildcard word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternPiece {
    /// These characters, already folded.
    Literal(String),
    /// `*`: any characters, none included.
    Any,
    /// `?`: exactly one character.
    One,
    /// `%`: one character or none.
    Maybe,
}
