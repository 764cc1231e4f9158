//! Why a statement ended without its answer, and the one mapping from errors of the floors below to what a client is told.

use super::reply::{ClientGone, StatementError};
use crate::config::ConfigError;
use crate::plan::PlanError;
use crate::sql::ParseError;
use crate::table::TableError;
use crate::text::TextError;
use crate::types::Stopped;

/// Each variant ends the statement in another way.
#[derive(Debug)]
pub(super) enum Failure {
    /// The client is told this.
    Statement(StatementError),
    /// KILL or shutdown: what the client is told depends on which token was stopped.
    Stopped,
    /// There is nobody to tell.
    Gone,
}

/// How a statement ends.
pub(super) type Done = Result<(), Failure>;

/// The dialect's usual error.
pub(super) fn error(message: impl Into<String>) -> Failure {
    Failure::Statement(StatementError::new(message))
}

/// Recognised and not built.
pub(super) fn not_built(what: &str) -> Failure {
    error(format!("{what} is not built yet"))
}

/// A table that is not there, in statements that the dialect has no words of its own for. MySQL's clients know the number.
pub(super) fn no_such_table(table: &str) -> Failure {
    StatementError::with_code(1146, b"42S02", format!("no such table '{table}'")).into()
}

/// A statement about a table that is not there, in the words of the dialect; which table it was stands behind them.
pub(super) fn required(statement: &str, kind: &str, table: &str) -> Failure {
    error(format!("{statement} requires an existing {kind}: no such table '{table}'"))
}

impl From<StatementError> for Failure {
    fn from(error: StatementError) -> Failure {
        Failure::Statement(error)
    }
}

impl From<ClientGone> for Failure {
    fn from(_: ClientGone) -> Failure {
        Failure::Gone
    }
}

impl From<Stopped> for Failure {
    fn from(_: Stopped) -> Failure {
        Failure::Stopped
    }
}

impl From<ParseError> for Failure {
    fn from(e: ParseError) -> Failure {
        error(e.message)
    }
}

impl From<PlanError> for Failure {
    fn from(e: PlanError) -> Failure {
        error(e.to_string())
    }
}

impl From<ConfigError> for Failure {
    fn from(e: ConfigError) -> Failure {
        let code = match &e {
            ConfigError::UnknownVariable { .. } | ConfigError::UnknownKey { .. } => 1193,
            ConfigError::StartOnly { .. } | ConfigError::Unsupported(_) => 1238,
            ConfigError::SessionOnly { .. } => 1228,
            ConfigError::BadValue { .. } | ConfigError::Syntax(_) => 1231,
        };
        Failure::Statement(StatementError::with_code(code, b"HY000", e.to_string()))
    }
}

impl From<TextError> for Failure {
    fn from(e: TextError) -> Failure {
        error(e.to_string())
    }
}

impl From<TableError> for Failure {
    fn from(e: TableError) -> Failure {
        let (code, state) = match &e {
            TableError::DuplicateId(_) | TableError::Frozen(_) | TableError::Failed(_) => (1064, b"42000"),
            // ER_OPTION_PREVENTS_STATEMENT: the table takes no writes.
            TableError::Poisoned(_) => (1290, b"HY000"),
            TableError::Stopped(_) => (1317, b"70100"),
            // ER_CRASHED_ON_USAGE.
            TableError::Corrupt(_) => (1194, b"HY000"),
        };
        Failure::Statement(StatementError::with_code(code, state, e.to_string()))
    }
}
