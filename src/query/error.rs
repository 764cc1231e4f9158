//! Why a query could not be read.

use super::{MAX_DEPTH, MAX_QUORUM_WORDS, MAX_WORDS};

/// A malformed query. All variants reject the statement; they differ in the words for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Something stands where it may not stand.
    #[error("P08: syntax error, unexpected {found} near '{near}'")]
    Unexpected {
        /// The token, quoted as the dialect quotes it; `$end` for the end of the query.
        found: String,
        /// The text from there on, cut to a readable length.
        near: String,
    },
    /// A number after `/`, `~`, `NEAR/` or in `[ ]` is missing, zero or out of range.
    #[error("P08: syntax error, {what} near '{near}'")]
    BadNumber {
        /// What is wrong with it.
        what: &'static str,
        /// The text from there on.
        near: String,
    },
    /// A negation where only something that can be enumerated may stand.
    #[error("query error: query is non-computable ({0})")]
    NonComputable(&'static str),
    /// Groups inside groups beyond the limit, or a chain of binary operators beyond it.
    #[error("query too deep (at most {MAX_DEPTH} levels)")]
    TooDeep,
    /// More words than a query may have.
    #[error("query has too many words (at most {MAX_WORDS})")]
    TooManyWords,
    /// More words than a quorum may have.
    #[error("quorum has too many words (at most {MAX_QUORUM_WORDS})")]
    TooManyQuorumWords,
    /// Part of the language that this server does not have yet.
    #[error("{0} is not built yet")]
    NotBuilt(&'static str),
}
