//! Prepared statements: a text with `?`, into which values are written as literals when it is executed.
//!
//! Writing them into the text instead of into the tree keeps one path for all statements: `LIMIT ?`, `MATCH(?)` and the fast reader of
//! VALUES lists work as they do in plain text.

use super::client::Session;
use super::reply::{ClientGone, ColumnMeta, Sink, StatementError};
use crate::sql;
use crate::sql::ast::{Expr, Select, Statement};
use crate::types::Value;

/// Prepared statements that one session may hold, as in MySQL (max_prepared_stmt_count).
const STATEMENTS_MAX: usize = 16_382;

/// What a client learns about a statement that it has prepared.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// Number of the statement in this session.
    pub id: u32,
    /// Number of its `?`.
    pub params: usize,
    /// Columns of its result, where they are known before it runs; else none.
    pub columns: Vec<ColumnMeta>,
}

/// A prepared statement as it is kept.
pub(super) struct PreparedText {
    text: String,
    /// Byte offsets of the `?`.
    parameters: Vec<usize>,
}

impl Session {
    /// Checks a statement and keeps it. Fails on syntax, on more than one statement, and on what is not built.
    pub fn prepare(&mut self, text: &[u8]) -> Result<Prepared, StatementError> {
        let text = std::str::from_utf8(text)
            .map_err(|e| StatementError::new(format!("the query is not valid UTF-8 at byte {}", e.valid_up_to())))?;
        let prepared = sql::prepare(text).map_err(|e| StatementError::new(e.message))?;
        if let Statement::NotBuilt(words) = &prepared.statement {
            return Err(StatementError::new(format!("{words} is not built yet")));
        }
        if self.prepared.len() >= STATEMENTS_MAX {
            let message = format!("a session holds at most {STATEMENTS_MAX} prepared statements: close some");
            return Err(StatementError::with_code(1461, b"42000", message));
        }
        let params = prepared.parameters.len();
        let columns = match prepared.statement {
            Statement::Select(select) => self.result_columns(without_match_parameter(*select), params).unwrap_or_default(),
            _ => Vec::new(),
        };
        let id = self.next_id();
        self.prepared.insert(id, PreparedText { text: text.to_owned(), parameters: prepared.parameters });
        Ok(Prepared { id, params, columns })
    }

    /// The next number that no open statement has. 0 is none: some clients take it for "no statement".
    fn next_id(&mut self) -> u32 {
        loop {
            self.last_prepared = self.last_prepared.wrapping_add(1).max(1);
            if !self.prepared.contains_key(&self.last_prepared) {
                return self.last_prepared;
            }
        }
    }

    /// Runs a prepared statement with a value per `?`.
    pub fn execute(&mut self, id: u32, values: &[Value], sink: &mut dyn Sink) -> Result<(), ClientGone> {
        let Some(prepared) = self.prepared.get(&id) else {
            return sink.error(&StatementError::with_code(1243, b"HY000", format!("unknown prepared statement {id}")));
        };
        match sql::bind_parameters(&prepared.text, &prepared.parameters, values) {
            Some(text) => self.run_text(&text, sink),
            None => {
                let message = format!("prepared statement {id} takes {} values, not {}", prepared.parameters.len(), values.len());
                sink.error(&StatementError::with_code(1210, b"HY000", message))
            }
        }
    }

    /// Number of the `?` of a prepared statement; None for an unknown one.
    pub fn parameter_count(&self, id: u32) -> Option<usize> {
        self.prepared.get(&id).map(|p| p.parameters.len())
    }

    /// Forgets a prepared statement; an unknown one is ignored, as the protocol has it.
    pub fn close_statement(&mut self, id: u32) {
        self.prepared.remove(&id);
    }

    /// Puts a statement back to where it was after it was prepared. No state is kept between executions, so this only says whether it exists.
    pub fn reset_statement(&mut self, id: u32) -> Result<(), StatementError> {
        match self.prepared.contains_key(&id) {
            true => Ok(()),
            false => Err(StatementError::with_code(1243, b"HY000", format!("unknown prepared statement {id}"))),
        }
    }
}

/// The SELECT with some text in place of MATCH(?), so that its columns can be found out.
fn without_match_parameter(mut select: Select) -> Select {
    fn replace(expr: &mut Expr) {
        match expr {
            Expr::Call { name, args, .. } if name == "match" && matches!(args[..], [Expr::Parameter(_)]) => {
                *expr = Expr::Match("a".to_owned())
            }
            Expr::Binary(_, left, right) => {
                replace(left);
                replace(right);
            }
            _ => {}
        }
    }
    if let Some(filter) = &mut select.filter {
        replace(filter);
    }
    select
}
