//! Encodes a session's answers into packets as they come.

use super::backend::Transaction;
use super::binary_row::put_binary_row;
use super::columns::put_column;
use super::packet::Output;
use super::reply_packets::{OkFields, put_eof, put_error, put_lenenc, put_ok, put_ok_at_end};
use super::text_row::put_text_row;
use crate::session::{ClientGone, ColumnMeta, ColumnType, End, Ok as Success, Sink, StatementError};
use crate::types::Value;

const MORE_RESULTS: u16 = 8;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowForm {
    Text,
    Binary,
}

/// Writes the answers to one command.
pub(super) struct WireSink<'o, 's> {
    output: &'o mut Output<'s>,
    form: RowForm,
    deprecate_eof: bool,
    transaction: Transaction,
    kinds: Vec<ColumnType>,
    /// A result set has begun and not ended.
    in_rows: bool,
    /// The last result has been written.
    pub(super) complete: bool,
    /// Rows written.
    pub(super) rows: u64,
    /// The message of the error that was written.
    pub(super) error: Option<String>,
}

impl<'o, 's> WireSink<'o, 's> {
    pub(super) fn new(output: &'o mut Output<'s>, form: RowForm, deprecate_eof: bool, transaction: Transaction) -> WireSink<'o, 's> {
        let kinds = Vec::new();
        WireSink { output, form, deprecate_eof, transaction, kinds, in_rows: false, complete: false, rows: 0, error: None }
    }

    /// Writes the error that ends a command whose session left it without an answer.
    pub(super) fn complete_with(&mut self, error: &StatementError) -> Result<(), ClientGone> {
        if self.complete { Ok(()) } else { self.error(error) }
    }

    fn status(&self, more: bool) -> u16 {
        status_flags(self.transaction) | if more { MORE_RESULTS } else { 0 }
    }
}

/// Status flags of an answer: in a transaction 1, autocommit 2.
pub(super) fn status_flags(transaction: Transaction) -> u16 {
    u16::from(transaction.open) | (u16::from(transaction.autocommit) << 1)
}

impl Sink for WireSink<'_, '_> {
    fn columns(&mut self, columns: &[ColumnMeta]) -> Result<(), ClientGone> {
        debug_assert!(!self.in_rows && !self.complete, "a result set begins where none is open");
        self.kinds.clear();
        self.kinds.extend(columns.iter().map(|column| column.kind));
        self.in_rows = true;
        self.output.packet(|buffer| put_lenenc(buffer, columns.len() as u64))?;
        for column in columns {
            self.output.packet(|buffer| put_column(buffer, column))?;
        }
        if !self.deprecate_eof {
            let status = self.status(false);
            self.output.packet(|buffer| put_eof(buffer, status, 0))?;
        }
        Ok(())
    }

    fn row(&mut self, row: &[Value]) -> Result<(), ClientGone> {
        debug_assert_eq!(row.len(), self.kinds.len(), "a value per column");
        self.rows += 1;
        let (form, kinds) = (self.form, &self.kinds);
        self.output.packet(|buffer| match form {
            RowForm::Text => put_text_row(buffer, row),
            RowForm::Binary => put_binary_row(buffer, kinds, row),
        })
    }

    fn end(&mut self, end: End) -> Result<(), ClientGone> {
        self.in_rows = false;
        self.complete = !end.more;
        let (status, deprecate_eof) = (self.status(end.more), self.deprecate_eof);
        self.output.packet(|buffer| {
            if deprecate_eof {
                put_ok_at_end(buffer, OkFields { status, warnings: end.warnings, ..OkFields::default() });
            } else {
                put_eof(buffer, status, end.warnings);
            }
        })
    }

    fn ok(&mut self, ok: Success) -> Result<(), ClientGone> {
        self.complete = !ok.more;
        let Success { affected, last_insert_id, warnings, info, more } = ok;
        let status = self.status(more);
        self.output.packet(|buffer| put_ok(buffer, OkFields { affected, last_insert_id, status, warnings, info: &info }))
    }

    fn error(&mut self, error: &StatementError) -> Result<(), ClientGone> {
        self.in_rows = false;
        self.complete = true;
        self.error = Some(error.message.clone());
        self.output.packet(|buffer| put_error(buffer, error))
    }
}
