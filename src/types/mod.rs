//! Floor 0: plain data that every other floor speaks of. No files, no threads, no clock but the one passed in.

mod bytes;
pub mod ids;
pub mod json;
mod nearest;
mod pattern;
mod progress;
pub mod schema;
pub mod settings;
mod spare;
mod stop;
pub mod value;
mod words;

pub use bytes::Bytes;
pub use ids::{ChunkId, DocId, FieldId, Lsn, RowId};
pub use nearest::nearest;
pub use pattern::{PatternPiece, WordPattern};
pub use progress::Progress;
pub use schema::{AttributeStorage, Column, ColumnKind, Schema, TableSettings};
pub use settings::{Settings, SharedSettings};
pub use spare::{Lent, Spare};
pub use stop::{StopToken, Stopped};
pub use value::{Value, push_average, push_float};
pub use words::WordChars;
