//! Floor 2: statement + schema → bound plan. Names are resolved, types checked, the access path chosen, and it is decided what is computed
//! per row and what only for the rows that are sent. Touches no data: every function here maps plain values to plain values.
//!
//! [`expr`] is the typed form of expressions that `exec` evaluates; [`names`] says what a name means where; [`bind`] turns a parsed
//! expression into the typed form. On these stand one file per statement: [`select`], [`insert`], [`update`], and [`filter`] for the WHERE
//! that all but INSERT have.

mod access;
mod bind;
mod error;
pub mod expr;
pub mod filter;
pub mod functions;
mod geodist;
mod heading;
pub mod insert;
mod literal;
pub mod matching;
mod names;
pub mod options;
pub mod select;
pub mod update;

pub use error::PlanError;
pub use names::Context;
