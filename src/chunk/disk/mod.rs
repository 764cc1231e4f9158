//! A disk chunk: a folder written once, then only read.
//!
//! | file | content |
//! | --- | --- |
//! | `terms`, `postings`, `positions` | the words, see [`words`]: a dictionary per full-text field and, where there are two or more, one over all of them |
//! | `stored` | compressed blocks of rows with the text of the stored columns |
//! | `attributes` | rows of fixed width, see [`super::rows`] |
//! | `blobs` | the heap of strings, sets and JSON that attribute rows point into |
//! | `columns`, `column_values` | columnar attributes, see [`super::columns`]; `attributes` then has the others only |
//! | `ids` | document ids in ascending order with their rows, and a small filter; absent where ids ascend with the rows |
//! | `lengths` | tokens per row and field |
//! | `header` | what the chunk is, and length and checksum of every other file; written last |
//!
//! A file is absent where it would hold nothing by the nature of the table. The folder is built by [`flush`] out of RAM segments or by
//! [`merge`] out of disk chunks: both write the alive rows of their inputs in the order given, with UPDATEs folded in. Each file
//! is synced from the moment it is closed, while the next is being written; then the folder. Only a manifest makes a chunk count, and it is
//! written after all of that: a header alone proves nothing.
//!
//! A build that fails or is stopped removes its folder as well as it can; what a crash leaves behind is swept by the table at its next
//! start, since no manifest names it.

mod build;
mod chunk;
mod columns_write;
mod crew;
mod header;
mod ids;
mod lengths;
mod options;
mod rows_write;
mod stored;
mod tenancy;
mod words;
mod writer;

#[cfg(test)]
mod tests;

pub use build::{flush, merge};
pub(super) use chunk::panic_text;
pub use chunk::{DiskChunk, DiskPostings};
pub use options::{BuildOptions, Built, Timings};
pub use tenancy::Tenancy;
pub(super) use writer::FileWriter;
