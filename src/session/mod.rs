//! Floor 5: one client: variables, transactions, dispatch. Speaks to `wire` and `http` through [`Sink`].

mod reply;

pub use reply::{ClientGone, ColumnMeta, ColumnType, End, Ok, Sink, StatementError};
