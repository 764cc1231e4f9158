//! RAM segments: the parts of a table's RAM chunk.
//!
//! ```text
//! statement → SegmentBuilder ──finish──▶ RamSegment ──merge──▶ RamSegment ──flush──▶ disk chunk
//!              own words, no lock           │ keyed by TermId       (words sorted once, by FlushTerms)
//!                                           ▼
//!                                        Lexicon: word ↔ TermId, shared by the segments of one RAM chunk
//! ```
//!
//! A statement builds one segment outside any lock; the segment never changes afterwards. Its posting lists are sorted by term
//! number, so that nothing is sorted by word before the flush, and a merge is one pass over sorted numbers that mostly copies bytes.
//!
//! Invariants: term numbers of a segment ascend and come from its lexicon; rows of a list ascend; the blob heap and the stored text
//! hold the rows in order and nothing else, so that runs of rows can be copied whole; lists hold no row twice.

mod builder;
mod flush_terms;
mod lexicon;
mod lists;
mod merge;
mod offsets;
mod pattern;
mod postings;
mod save;
mod segment;
mod shape;
mod stored;
mod varint;
mod word_table;

#[cfg(test)]
mod model;

pub use builder::SegmentBuilder;
pub(crate) use flush_terms::FlushTerms;
pub use lexicon::Lexicon;
pub(crate) use pattern::Matcher;
pub use postings::RamPostings;
pub(crate) use postings::{Entries, Entry};
pub use segment::RamSegment;
