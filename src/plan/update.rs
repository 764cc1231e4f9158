//! UPDATE: which attributes of which rows get which values.

use super::expr::Step;
use super::filter::{self, FilterPlan};
use super::literal;
use super::{Context, PlanError, options};
use crate::sql::ast::{self, JsonStep};
use crate::sql::values::Lit;
use crate::types::{ColumnKind, Schema, Value};

/// A number put in the place of a number inside a JSON attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonEdit {
    /// Index of the column.
    pub column: usize,
    /// The way from the root to the number.
    pub path: Vec<Step>,
    /// What is put there: [`Value::Int`] or [`Value::Double`].
    pub number: Value,
}

/// A bound UPDATE.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdatePlan {
    /// Which rows.
    pub filter: FilterPlan,
    /// Index of a column and its new value.
    pub changes: Vec<(usize, Value)>,
    /// Numbers inside JSON attributes; the same for all rows, computed from each row's document.
    pub json: Vec<JsonEdit>,
}

/// Binds an UPDATE. Full-text fields and the id are refused: they need REPLACE.
pub fn bind(update: &ast::Update, schema: &Schema, context: &Context<'_>) -> Result<UpdatePlan, PlanError> {
    options::write(&update.options)?;
    let wrong = |message: String| PlanError::in_table(&update.table, message);
    let (mut changes, mut json): (Vec<(usize, Value)>, Vec<JsonEdit>) = (Vec::new(), Vec::new());
    for (target, value) in &update.assignments {
        let name = match target {
            ast::Expr::Column(name) | ast::Expr::Json { column: name, .. } => name,
            _ => return Err(wrong("SET takes a column or a path inside a json attribute on the left".to_owned())),
        };
        if name == "id" {
            return Err(PlanError::rejected("'id' attribute cannot be updated"));
        }
        let index = schema.find(name).ok_or_else(|| wrong(format!("attribute '{name}' not found")))?;
        let column = &schema.columns[index];
        if column.indexed || !column.attribute {
            return Err(wrong(format!("attribute '{name}' can not be updated (full-text field): use REPLACE to write the whole document")));
        }
        let mut literal = literal::literal(value, context.parameters)
            .ok_or_else(|| wrong(format!("column '{name}': SET takes a literal, expressions are not supported")))?;
        let repeated = || wrong(format!("column '{name}' is set twice"));
        match target {
            ast::Expr::Json { path, .. } => {
                if column.kind != ColumnKind::Json {
                    return Err(wrong(format!("column '{name}' is no json attribute")));
                }
                let number = match literal {
                    Lit::Int(v) => Value::Int(v),
                    Lit::Float(v) if v.is_finite() => Value::Double(v),
                    Lit::Float(_) => return Err(wrong(format!("column '{name}': the number is out of the range of double"))),
                    _ => {
                        return Err(wrong(format!(
                            "column '{name}': only numbers can be set inside a json attribute, set the whole attribute instead"
                        )));
                    }
                };
                let path =
                    path.iter().map(step).collect::<Option<Vec<_>>>().ok_or_else(|| wrong(format!("column '{name}': negative index")))?;
                if changes.iter().any(|(c, _)| *c == index) {
                    return Err(repeated());
                }
                json.push(JsonEdit { column: index, path, number });
            }
            _ => {
                if changes.iter().any(|(c, _)| *c == index) || json.iter().any(|e| e.column == index) {
                    return Err(repeated());
                }
                let value = literal::column_value(column, &mut literal)
                    .map_err(|why| wrong(format!("column '{name}': {} {why}", literal::shown(&literal))))?;
                changes.push((index, value));
            }
        }
    }
    let filter = filter::bind(update.filter.as_ref(), schema, context)?;
    Ok(UpdatePlan { filter, changes, json })
}

fn step(step: &JsonStep) -> Option<Step> {
    match step {
        JsonStep::Key(key) => Some(Step::Key(key.clone())),
        JsonStep::Index(i) => usize::try_from(*i).ok().map(Step::Index),
    }
}
