//! Floor 4: evaluation of a bound match plan over one part, generic over [`crate::chunk::Part`], with statistics and rankers.
//!
//! Two levels, so that positions are decoded last and only for rows that the caller wants:
//! - *candidates*: [`Matcher::seek`] walks rows by row numbers alone (leapfrog AND, OR, NOT). The caller drops dead and filtered rows here.
//! - *confirmation*: [`Matcher::matches`] looks at positions, for plans that depend on them (phrases, field start …); [`Matcher::weight`]
//!   gathers what the ranker needs.
//!
//! A node's matches in a row are a list of hits in order of field and position; operators read their children's lists and write their own
//! into a buffer that lives as long as the matcher, so that a row costs no allocation. Rows only ever move forward.

mod hits;
mod leaf;
mod matcher;
mod node;
mod rank;
mod rows;
mod statistics;

#[cfg(test)]
mod double;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;

pub use matcher::Matcher;
pub use rank::{Ranker, RankerError};
pub use statistics::{Keyword, MAX_EXPANSIONS, Statistics};
