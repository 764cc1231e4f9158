//! WHERE: which rows a statement is about.

use super::PlanError;
use super::access::{self, Access};
use super::bind;
use super::expr::{Expr, Kind};
use super::matching::{self, BindOptions, MatchPlan};
use super::names::{Place, Scope};
use super::{Context, options};
use crate::query;
use crate::sql::ast::{self, BinaryOp};
use crate::types::{Schema, Value};

pub use super::access::Access as AccessPath;

/// The rows that a statement is about: those of the access path that match and meet the condition.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterPlan {
    /// MATCH, if there is one.
    pub matching: Option<MatchPlan>,
    /// How rows are gone through where there is no MATCH.
    pub access: Access,
    /// What else must hold.
    pub condition: Option<Expr>,
}

impl FilterPlan {
    /// Every row.
    pub fn all() -> FilterPlan {
        FilterPlan { matching: None, access: Access::Scan, condition: None }
    }

    /// Whether every row is meant.
    pub fn is_all(&self) -> bool {
        self.matching.is_none() && self.access == Access::Scan && self.condition.is_none()
    }
}

/// Binds the WHERE of UPDATE and DELETE. Without one every row is meant.
pub fn bind(filter: Option<&ast::Expr>, schema: &Schema, context: &Context<'_>) -> Result<FilterPlan, PlanError> {
    bind_in(filter, BindOptions::default(), &mut Scope::new(context, schema))
}

/// Binds a DELETE.
pub fn bind_delete(delete: &ast::Delete, schema: &Schema, context: &Context<'_>) -> Result<FilterPlan, PlanError> {
    options::write(&delete.options)?;
    bind(delete.filter.as_ref(), schema, context)
}

/// Binds a WHERE inside a statement whose aliases hold.
pub(super) fn bind_in(filter: Option<&ast::Expr>, options: BindOptions, scope: &mut Scope<'_>) -> Result<FilterPlan, PlanError> {
    let Some(filter) = filter else { return Ok(FilterPlan::all()) };
    let mut parts = Vec::new();
    conjuncts(filter, &mut parts);
    let (mut text, mut conditions): (Option<String>, _) = (None, Vec::new());
    for part in parts {
        match match_text(part, scope)? {
            Some(found) if text.is_none() => text = Some(found),
            Some(_) => return Err(PlanError::rejected("P01: too many MATCH() clauses near ')'")),
            None => {
                let condition = bind::expression(part, Place::Where, scope)?;
                if matches!(condition.kind(), Kind::Text | Kind::Mva) {
                    return Err(scope.error("a condition of WHERE must be a comparison"));
                }
                conditions.push(condition);
            }
        }
    }
    let matching = text.map(|text| bind_match(&text, options, scope)).transpose()?;
    let (access, mut conditions) = access::choose(conditions, matching.is_some());
    let condition = match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(Expr::And(conditions)),
    };
    Ok(FilterPlan { matching, access, condition })
}

/// The conditions that AND joins, in order. Loops down the left side, where a parser nests long runs.
fn conjuncts<'a>(filter: &'a ast::Expr, out: &mut Vec<&'a ast::Expr>) {
    let (mut rest, mut found) = (filter, Vec::new());
    while let ast::Expr::Binary(BinaryOp::And, left, right) = rest {
        found.push(&**right);
        rest = left;
    }
    found.push(rest);
    for part in found.into_iter().rev() {
        match part {
            ast::Expr::Binary(BinaryOp::And, ..) => conjuncts(part, out),
            part => out.push(part),
        }
    }
}

fn match_text(part: &ast::Expr, scope: &mut Scope<'_>) -> Result<Option<String>, PlanError> {
    match part {
        ast::Expr::Match(text) => Ok(Some(text.clone())),
        ast::Expr::Call { name, args, .. } if name == "match" => match args.as_slice() {
            [argument] => match bind::expression(argument, Place::Where, scope)? {
                Expr::Const(Value::Text(text)) => Ok(Some(text)),
                _ => Err(PlanError::rejected("MATCH() takes a string")),
            },
            _ => Err(PlanError::rejected("MATCH() takes one string")),
        },
        _ => Ok(None),
    }
}

fn bind_match(text: &str, options: BindOptions, scope: &Scope<'_>) -> Result<MatchPlan, PlanError> {
    let Some(analyzer) = scope.context.analyzer else {
        return Err(PlanError::rejected("MATCH() needs a table"));
    };
    let tree = query::parse(text, analyzer).map_err(|e| scope.error(e))?;
    matching::bind(&tree, scope.schema, analyzer, options).map_err(|e| scope.error(e))
}
