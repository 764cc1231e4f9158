//! The rows that are sent: only now is stored text read and the select list computed.

use super::ExecError;
use super::budget::value_bytes;
use super::context::ExecContext;
use super::eval::{Env, eval};
use super::rows::WalkError;
use super::tasks;
use super::topk::Entry;
use crate::chunk::Part;
use crate::plan::select::SelectPlan;
use crate::table::Snapshot;
use crate::types::Value;
use crate::with_part;

pub(super) struct Fetch<'a> {
    plan: &'a SelectPlan,
    snapshot: &'a Snapshot,
    context: &'a ExecContext<'a>,
    stored_columns: usize,
}

impl<'a> Fetch<'a> {
    pub fn new(plan: &'a SelectPlan, snapshot: &'a Snapshot, context: &'a ExecContext<'a>) -> Fetch<'a> {
        Fetch { plan, snapshot, context, stored_columns: snapshot.schema.stored().count() }
    }

    /// A row of the result.
    pub fn row(&self, entry: &Entry, aggregates: &[Value], group_key: &Value) -> Result<Vec<Value>, ExecError> {
        self.context.stop.check()?;
        let part = entry.part as usize;
        tasks::guard(&self.snapshot.parts, part, || {
            let stored = if self.plan.shows_stored { self.stored(entry)? } else { Vec::new() };
            let env = self.env(entry);
            Ok(self.values(&Env { stored: &stored, aggregates, group_key, ..env })?)
        })
    }

    /// What an expression over a group can see: its best row and its aggregates.
    pub fn group_env<'e>(&'e self, best: Option<&Entry>, aggregates: &'e [Value], group_key: &'e Value) -> Result<Env<'e>, ExecError> {
        let env = match best {
            Some(entry) => tasks::guard(&self.snapshot.parts, entry.part as usize, || Ok(self.env(entry)))?,
            None => Env::empty(self.context),
        };
        Ok(Env { aggregates, group_key, ..env })
    }

    /// The select list. Fails where one row alone is past the memory that a statement may take.
    pub fn values(&self, env: &Env<'_>) -> Result<Vec<Value>, ExecError> {
        let (mut row, mut bytes) = (Vec::with_capacity(self.plan.columns.len()), 0);
        for column in &self.plan.columns {
            let value = eval(&column.expr, &shortened(env)).into_value();
            bytes += value_bytes(&value);
            self.context.memory.allow(bytes)?;
            row.push(value);
        }
        Ok(row)
    }

    fn env(&self, entry: &Entry) -> Env<'_> {
        let view = &self.snapshot.parts[entry.part as usize];
        Env::of_row(view.part.layout(), view.row(entry.row), entry.weight, self.context)
    }

    fn stored(&self, entry: &Entry) -> Result<Vec<String>, WalkError> {
        let mut out = vec![String::new(); self.stored_columns];
        with_part!(&self.snapshot.parts[entry.part as usize].part, part => part.stored(entry.row, &mut |slot, text| {
            if let Some(place) = out.get_mut(slot) {
                text.clone_into(place);
            }
        }))?;
        Ok(out)
    }
}

/// The same environment for as long as the shortest of what it borrows.
fn shortened<'s>(env: &'s Env<'_>) -> Env<'s> {
    *env
}
