//! Floor 4: bound plan × snapshot → rows.
//!
//! A statement walks the parts of one snapshot, side by side where there is enough to do: [`rows`] says which rows of a part come, [`eval`]
//! computes expressions over a row without copying it, [`topk`] keeps the best and [`groups`] the groups, [`select`] merges what the parts
//! gave and computes the rows that are sent. [`find`] gives the documents of UPDATE and DELETE. Nothing here decides: what is computed
//! per row and what per result is in the plan.
//!
//! Invariants: answers depend on the documents, never on how they lie in parts; every order is total; each loop over rows looks at the stop
//! token every [`context::ROWS_PER_LOOK`] rows; what is kept while a statement runs counts towards its [`Budget`]; a panic over a part's bytes is an error that names the part.

mod aggregate;
mod budget;
mod by_id;
pub mod cell;
mod collation;
pub mod constant;
pub mod context;
mod error;
pub mod eval;
mod fetch;
pub mod find;
mod functions;
mod groups;
mod json_edit;
pub mod matching;
mod rows;
pub mod select;
mod split;
mod tasks;
mod topk;

pub use budget::Budget;
pub use context::ExecContext;
pub use error::ExecError;

#[cfg(test)]
mod tests;
