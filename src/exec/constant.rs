//! SELECT without FROM: one row of values.

use super::context::ExecContext;
use super::eval::{Env, eval};
use super::select::{Meta, SelectResult};
use crate::plan::select::ConstantPlan;

/// Computes the row.
pub fn run(plan: &ConstantPlan, context: &ExecContext<'_>) -> SelectResult {
    let env = Env::empty(context);
    SelectResult {
        columns: plan.columns.iter().map(|c| (c.name.clone(), c.kind)).collect(),
        rows: vec![plan.columns.iter().map(|c| eval(&c.expr, &env).into_value()).collect()],
        meta: Meta { total: 1, total_found: 1, ..Meta::default() },
    }
}
