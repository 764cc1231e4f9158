//! Rows of a SELECT on their way to the client, as they are found.

use std::ops::ControlFlow;

use super::answer::Answer;
use super::failure::{Done, Failure};
use super::reply::{ColumnMeta, ColumnType};
use crate::plan::expr::{Expr as Bound, Kind};
use crate::plan::select::{OutputColumn, SelectPlan};
use crate::types::Value;
use crate::types::json::JsonRef;

/// A result set on its way to the client. Headings go with the first row or at the end, so that what fails before is an error alone.
pub(super) struct Sending<'s, 'a> {
    plan: &'s SelectPlan,
    begun: bool,
    /// Why no more rows can be sent.
    failed: Option<Failure>,
    answer: &'s mut Answer<'a>,
}

impl<'s, 'a> Sending<'s, 'a> {
    pub fn new(plan: &'s SelectPlan, answer: &'s mut Answer<'a>) -> Sending<'s, 'a> {
        Sending { plan, begun: false, failed: None, answer }
    }

    /// Sends a row; breaks where the client is gone.
    pub fn row(&mut self, row: Vec<Value>) -> ControlFlow<()> {
        let row = if self.plan.dump { insertable(self.plan, row) } else { row };
        match self.begin().and_then(|()| self.answer.row(&row)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.failed = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    fn begin(&mut self) -> Done {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        let kind = |column: &OutputColumn| match (self.plan.dump, &column.expr) {
            (true, Bound::Id) => ColumnType::BigUint,
            _ => wire_type(column.kind),
        };
        let columns: Vec<ColumnMeta> =
            self.plan.columns.iter().map(|column| ColumnMeta { name: column.name.clone(), kind: kind(column) }).collect();
        self.answer.columns(&columns)
    }

    /// Ends the result set; `more` of the statement follow or not. Fails if a row could not be sent.
    pub fn end(mut self, more: bool) -> Done {
        match self.failed.take() {
            Some(failure) => Err(failure),
            None => {
                self.begin()?;
                self.answer.end(more)
            }
        }
    }
}

/// The row with values that INSERT reads as the same ones: ids without a sign, all decimals of floats.
fn insertable(plan: &SelectPlan, row: Vec<Value>) -> Vec<Value> {
    let exact = |(column, value): (&OutputColumn, Value)| match value {
        Value::Int(id) if column.expr == Bound::Id => Value::Uint(id as u64),
        Value::Float(v) if v.is_finite() => Value::Text(format!("{v:?}")),
        Value::Double(v) | Value::Avg(v) if v.is_finite() => Value::Text(format!("{v:?}")),
        Value::Json(bytes) if !bytes.is_empty() => Value::Text(JsonRef::new(&bytes).to_exact_text()),
        other => other,
    };
    plan.columns.iter().zip(row).map(exact).collect()
}

/// What values of a kind are on the wire.
pub(super) fn wire_type(kind: Kind) -> ColumnType {
    match kind {
        Kind::Uint => ColumnType::Uint,
        Kind::Bigint => ColumnType::Bigint,
        Kind::BigUint => ColumnType::BigUint,
        Kind::Float => ColumnType::Float,
        Kind::Double => ColumnType::Double,
        Kind::Text | Kind::Mva | Kind::Json | Kind::Null => ColumnType::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Context;
    use crate::plan::select::bind;
    use crate::sql::ast::Statement;
    use crate::types::Schema;
    use crate::types::json::encode_text;

    #[test]
    fn a_dump_has_values_that_are_read_as_the_same() {
        let Ok(Statement::Select(select)) = crate::sql::parse_one("SELECT /*!40001 SQL_NO_CACHE */ id, 1.5, 1, 1, 1 FROM t") else {
            panic!("a select")
        };
        let schema = Schema::default();
        let plan = bind(&select, &schema, &Context::of_table("t", None)).expect("bound");
        assert!(plan.dump && plan.limit > 1 << 40);
        let json = Value::Json(encode_text("{\"a\":0.1}").expect("json"));
        let row = vec![Value::Int(-1), Value::Float(1e-7), json, Value::Double(0.1), Value::Int(-1)];
        let texts: Vec<String> = insertable(&plan, row).iter().filter_map(|v| v.text().map(|t| t.into_owned())).collect();
        assert_eq!(texts, ["18446744073709551615", "1e-7", "{\"a\":0.1}", "0.1", "-1"]);
    }
}
