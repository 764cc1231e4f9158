//! Floor 1: what a statement says. Tokens, statements, parser, rendering; no meaning.
//!
//! [`statements`] walks a text of one or several statements and gives each as an [`ast::Statement`]; the one behind is not looked at
//! before it is asked for, so that an error in the third does not undo the first. [`values::scan`] reads the common
//! `INSERT INTO t (…) VALUES (…),(…)` without building a tree, and leaves everything unusual to the parser. [`render`] is the way back.
//!
//! Nothing here panics on any text, and nothing recurses deeper than [`MAX_DEPTH`] or builds a deeper tree than [`MAX_HEIGHT`].

pub mod ast;
mod expr;
mod lexer;
mod parser;
pub mod render;
pub mod values;

pub use parser::{Parsed, Prepared, Statements, bind_parameters, parse, parse_one, prepare, statements};

/// Parentheses, calls and lists inside one another.
pub const MAX_DEPTH: u32 = 200;
/// Levels of an expression tree; chains of AND and OR are balanced and count only their logarithm.
pub const MAX_HEIGHT: u32 = 500;

/// A text that is no statement of the dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// Text for people: `P01: syntax error, unexpected X, expecting Y near 'rest of the text'`.
    pub message: String,
    /// Byte offset in the text at which it was noticed.
    pub offset: usize,
}
