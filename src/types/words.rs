//! Which characters belong to a word. `query` lexes operators over this trait; `text` implements it from a charset table.

/// The view of a charset that the MATCH lexer needs.
pub trait WordChars {
    /// Whether `c` can be part of a word. An operator character that is also a word character is read as a word character.
    fn is_word(&self, c: char) -> bool;
}
