//! The one answer that a statement gives: a thin front of the sink that knows whether another statement follows.

use super::failure::Done;
use super::reply::{ColumnMeta, ColumnType, End, Ok, Sink};
use crate::types::Value;

/// A line of SHOW WARNINGS.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Warning {
    pub code: u16,
    pub message: String,
}

/// Where one statement's answer goes.
pub(super) struct Answer<'a> {
    pub sink: &'a mut dyn Sink,
    /// Another statement follows in the same text.
    pub more: bool,
    /// What the statement wants to have said besides its answer.
    pub warnings: Vec<Warning>,
}

impl Answer<'_> {
    /// Puts a warning on record; to be called before the answer ends, which tells their number.
    pub fn warn(&mut self, code: u16, message: impl Into<String>) {
        self.warnings.push(Warning { code, message: message.into() });
    }

    fn warning_count(&self) -> u16 {
        u16::try_from(self.warnings.len()).unwrap_or(u16::MAX)
    }

    /// OK without rows.
    pub fn ok(&mut self) -> Done {
        self.changed(0, 0)
    }

    /// OK with the number of rows that changed and the last id given.
    pub fn changed(&mut self, affected: u64, last_insert_id: u64) -> Done {
        let ok = Ok { affected, last_insert_id, warnings: self.warning_count(), info: String::new(), more: self.more };
        Result::Ok(self.sink.ok(ok)?)
    }

    /// OK with a text for people.
    pub fn ok_saying(&mut self, info: String) -> Done {
        let ok = Ok { affected: 0, last_insert_id: 0, warnings: self.warning_count(), info, more: self.more };
        Result::Ok(self.sink.ok(ok)?)
    }

    /// Begins a result set.
    pub fn columns(&mut self, columns: &[ColumnMeta]) -> Done {
        Result::Ok(self.sink.columns(columns)?)
    }

    /// One row.
    pub fn row(&mut self, row: &[Value]) -> Done {
        Result::Ok(self.sink.row(row)?)
    }

    /// Ends a result set; `more` of this statement's own follow or not.
    pub fn end(&mut self, more: bool) -> Done {
        Result::Ok(self.sink.end(End { warnings: self.warning_count(), more: more || self.more })?)
    }

    /// A whole result set of texts.
    pub fn table<R: IntoIterator<Item = C>, C: AsRef<[Value]>>(&mut self, headings: &[&str], rows: R) -> Done {
        self.columns(&text_columns(headings))?;
        for row in rows {
            self.row(row.as_ref())?;
        }
        self.end(false)
    }

    /// A whole result set of names and values.
    pub fn pairs<N: Into<String>, V: Into<String>>(&mut self, headings: [&str; 2], rows: impl IntoIterator<Item = (N, V)>) -> Done {
        self.table(&headings, rows.into_iter().map(|(n, v)| [Value::Text(n.into()), Value::Text(v.into())]))
    }
}

/// Columns of texts.
pub(super) fn text_columns(headings: &[&str]) -> Vec<ColumnMeta> {
    headings.iter().map(|h| ColumnMeta { name: (*h).to_owned(), kind: ColumnType::Text }).collect()
}

/// A row of texts.
pub(super) fn texts<const N: usize>(values: [&str; N]) -> [Value; N] {
    values.map(|v| Value::Text(v.to_owned()))
}
