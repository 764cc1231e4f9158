//! Why a statement makes no plan.

/// Each variant asks something else of the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The statement is wrong: the user changes it.
    #[error("{0}")]
    Rejected(String),
    /// The statement is right in the dialect and cannot be answered yet.
    #[error("{0} is not built yet")]
    NotBuilt(String),
}

impl PlanError {
    /// A wrong statement.
    pub fn rejected(message: impl Into<String>) -> PlanError {
        PlanError::Rejected(message.into())
    }

    /// A wrong statement about a table: the dialect puts the table's name in front.
    pub fn in_table(table: &str, message: impl std::fmt::Display) -> PlanError {
        if table.is_empty() { PlanError::Rejected(message.to_string()) } else { PlanError::Rejected(format!("table {table}: {message}")) }
    }

    /// A part of the dialect that is missing here.
    pub fn not_built(what: impl Into<String>) -> PlanError {
        PlanError::NotBuilt(what.into())
    }
}
