//! Floor 2: one part that never changes: build, open, read, N-way merge.
//!
//! A part is a RAM segment ([`RamSegment`]) or a disk chunk ([`DiskChunk`]); both implement [`Part`]. What changes about a part (dead
//! rows, UPDATEs) lives beside it, in [`PartView`], and is versioned by the table.

mod columns;
mod dead;
pub mod disk;
mod error;
mod layer;
mod overlay;
mod part;
mod postings;
pub mod ram;
mod row_map;
mod rows;
mod tantivy_io;

pub use crate::types::{PatternPiece, WordPattern};
pub use columns::ColumnRow;
pub use dead::DeadRows;
pub use disk::DiskChunk;
pub use error::ChunkError;
pub use layer::{Layer, LayerPlace};
pub use overlay::{EditsReader, Overlay};
pub use part::{AnyPart, Part, PartView, RowReader};
pub use postings::{NO_ROW, Postings, WordStats};
pub use ram::{Lexicon, RamSegment, SegmentBuilder};
pub use row_map::RowMap;
pub use rows::{AttrRef, RowBytes, RowImage, RowLayout, RowRef, mva_iter};
