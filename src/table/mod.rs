//! Floor 3: a live table: snapshot, writer, RAM chunk, flush, binary log, manifest, recovery, merges.
//!
//! ```text
//!  commit ──→ log ──→ RAM segments ──seal──→ flush ──→ disk chunk ──→ publish ─┐
//!                        ↑  tidy                          ↑ merge jobs ────────┤
//!                        └──┘                             └────────────────────┘ manifest, then snapshot
//! ```
//!
//! Invariants: an acknowledged row is in the log or in files that the manifest names; an alive document is alive in one part; readers
//! hold one [`Snapshot`] and take no lock; nothing is synced or built under the writer lock.

mod admin;
mod backpressure;
mod change;
mod commit;
mod draft;
mod error;
mod flush;
mod housekeeping;
mod keep;
mod log;
mod manifest;
mod open;
mod optimize;
mod publish;
mod ram;
mod regroup;
mod side;
mod snapshot;
mod status;
#[expect(clippy::module_inception, reason = "the table itself, beside what it is made of")]
mod table;
#[cfg(test)]
mod tests;
mod write_out;

pub use change::{Committed, Op, Recheck, Recompute, Row, Seen};
pub use error::TableError;
pub use manifest::FILE_NAME as MANIFEST_NAME;
pub use open::analyzer;
pub use optimize::{Explanation, OptimizeRequest};
pub use snapshot::{PartKey, Place, Snapshot};
pub use status::ChunkRow;
pub use table::{Surroundings, Table};
