//! What a name means, which depends on where in the statement it stands.

use std::cell::Cell;

use super::PlanError;
use super::expr::{Expr, Kind};
use crate::sql::ast;
use crate::text::Analyzer;
use crate::types::{ColumnKind, Schema, Value};

/// What lies outside the statement and decides what it means.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Name of the table, for messages; empty where there is none.
    pub table: &'a str,
    /// How the table's text becomes words; None where no MATCH can be.
    pub analyzer: Option<&'a Analyzer>,
    /// Answers what only the session knows: `@@variables`, `@variables`, DATABASE(), CONNECTION_ID() and the like. None = it does not know.
    pub session: &'a dyn Fn(&ast::Expr) -> Option<Value>,
    /// Values of a prepared statement's `?`, in order.
    pub parameters: &'a [Value],
}

impl<'a> Context<'a> {
    /// A context without session and parameters.
    pub fn of_table(table: &'a str, analyzer: Option<&'a Analyzer>) -> Context<'a> {
        Context { table, analyzer, session: &|_| None, parameters: &[] }
    }
}

/// Where an expression stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The select list, computed for the rows that are sent.
    Item,
    /// WHERE, computed per row.
    Where,
    /// GROUP BY and the arguments of aggregates, computed per row.
    Group,
    /// ORDER BY.
    Order,
    /// WITHIN GROUP ORDER BY, where aggregates mean nothing yet.
    Within,
    /// HAVING.
    Having,
}

/// An aggregate over the rows of a group.
#[derive(Debug, Clone, PartialEq)]
pub enum Aggregate {
    /// COUNT(*).
    Count,
    /// COUNT(x): rows where x is not absent.
    CountPresent(Expr),
    /// COUNT(DISTINCT x, …).
    CountDistinct(Vec<Expr>),
    /// SUM(x).
    Sum(Expr),
    /// AVG(x).
    Avg(Expr),
    /// MIN(x).
    Min(Expr),
    /// MAX(x).
    Max(Expr),
    /// GROUP_CONCAT(x): values with commas between, in order of document id.
    Concat(Expr),
}

impl Aggregate {
    /// What the aggregate gives.
    pub fn kind(&self) -> Kind {
        match self {
            Aggregate::Count | Aggregate::CountPresent(_) | Aggregate::CountDistinct(_) => Kind::Bigint,
            Aggregate::Sum(e) if e.kind().is_int() => Kind::Bigint,
            Aggregate::Sum(_) | Aggregate::Avg(_) => Kind::Double,
            Aggregate::Min(e) | Aggregate::Max(e) => match e.kind() {
                Kind::Uint => Kind::Bigint,
                kind => kind,
            },
            Aggregate::Concat(_) => Kind::Text,
        }
    }

    /// The expressions that it computes per row.
    pub fn inputs(&self) -> &[Expr] {
        match self {
            Aggregate::Count => &[],
            Aggregate::CountDistinct(list) => list,
            Aggregate::CountPresent(e)
            | Aggregate::Sum(e)
            | Aggregate::Avg(e)
            | Aggregate::Min(e)
            | Aggregate::Max(e)
            | Aggregate::Concat(e) => std::slice::from_ref(e),
        }
    }
}

/// Expressions that the aliases of one statement may add when they are put in, and how deep one alias may be: `a+a AS b, b+b AS c, …` doubles
/// with each step.
const ALIAS_SIZE_MAX: usize = 100_000;
const ALIAS_DEPTH_MAX: usize = 500;

/// An alias of the select list.
#[derive(Debug, Clone)]
pub(super) struct Alias {
    pub name: String,
    pub expr: Expr,
    /// Expressions inside.
    size: usize,
}

/// The names that hold while one statement is bound.
pub(super) struct Scope<'a> {
    pub context: &'a Context<'a>,
    pub schema: &'a Schema,
    /// Aliases of the select list so far, in order.
    pub aliases: Vec<Alias>,
    /// Expressions that aliases have added so far.
    alias_size: Cell<usize>,
    /// Aggregates met so far; equal ones are computed once.
    pub aggregates: Vec<Aggregate>,
    /// Variables of the loops around the expression, innermost last.
    pub loops: Vec<String>,
    /// Kind of the first GROUP BY key once known: what groupby() gives.
    pub group_kind: Kind,
}

impl<'a> Scope<'a> {
    pub fn new(context: &'a Context<'a>, schema: &'a Schema) -> Scope<'a> {
        Scope {
            context,
            schema,
            aliases: Vec::new(),
            alias_size: Cell::new(0),
            aggregates: Vec::new(),
            loops: Vec::new(),
            group_kind: Kind::Bigint,
        }
    }

    pub fn error(&self, message: impl std::fmt::Display) -> PlanError {
        PlanError::in_table(self.context.table, message)
    }

    /// The expression that `name` stands for. Results are asked for by alias first; rows are asked for by column first.
    pub fn resolve(&self, name: &str, place: Place) -> Result<Expr, PlanError> {
        if self.loops.last().is_some_and(|v| v == name) {
            return Ok(Expr::Element(Box::new([])));
        }
        let alias = || self.alias(name);
        let found = match place {
            Place::Order | Place::Having | Place::Within => alias().or_else(|| self.column(name, place)),
            Place::Item | Place::Where | Place::Group => self.column(name, place).or_else(alias),
        };
        match found {
            Some(found) => found,
            None if place == Place::Order || place == Place::Within => {
                Err(self.error(format_args!("sort-by attribute '{name}' not found")))
            }
            None if place == Place::Group => Err(self.error(format_args!("group-by attribute '{name}' not found"))),
            None => Err(self.error(format_args!("unknown column: {name}"))),
        }
    }

    /// Makes `name` stand for `expr` from here on.
    pub fn name(&mut self, name: &str, expr: Expr) -> Result<(), PlanError> {
        let (size, depth) = expr.size();
        if depth > ALIAS_DEPTH_MAX {
            return Err(self.error(format_args!("'{name}' is nested too deeply")));
        }
        self.aliases.push(Alias { name: name.to_owned(), expr, size });
        Ok(())
    }

    fn alias(&self, name: &str) -> Option<Result<Expr, PlanError>> {
        let alias = self.aliases.iter().find(|a| a.name == name)?;
        let total = self.alias_size.get().saturating_add(alias.size);
        self.alias_size.set(total);
        Some(if total > ALIAS_SIZE_MAX {
            Err(self.error(format_args!("'{name}' makes the statement too large")))
        } else {
            Ok(alias.expr.clone())
        })
    }

    /// The column called `name`. A text that is no attribute can be shown and nothing else.
    fn column(&self, name: &str, place: Place) -> Option<Result<Expr, PlanError>> {
        if name == "id" {
            return Some(Ok(Expr::Id));
        }
        let index = self.schema.find(name)?;
        let column = &self.schema.columns[index];
        if column.attribute {
            return Some(Ok(Expr::Column(index, column.kind)));
        }
        Some(match (place, self.schema.stored().position(|c| c == index)) {
            (Place::Item, Some(slot)) => Ok(Expr::Stored(slot)),
            (Place::Item, None) => {
                Err(self.error(format_args!("column '{name}' is neither stored nor an attribute: its text is not kept")))
            }
            (Place::Where, _) => Err(self
                .error(format_args!("unsupported filter on field '{name}' (filters are supported only on attributes, not stored fields)"))),
            (Place::Order | Place::Within, _) => {
                Err(self.error(format_args!("sort-by attribute '{name}' not found: it is a full-text field, not an attribute")))
            }
            (Place::Group, _) => {
                Err(self.error(format_args!("group-by attribute '{name}' not found: it is a full-text field, not an attribute")))
            }
            (Place::Having, _) => Err(self.error(format_args!("column '{name}' is a full-text field, not an attribute"))),
        })
    }

    /// The JSON attribute called `name`.
    pub fn json_column(&self, name: &str, place: Place) -> Result<usize, PlanError> {
        match self.schema.find(name) {
            Some(index) if self.schema.columns[index].kind == ColumnKind::Json => Ok(index),
            Some(_) => Err(self.error(format_args!("column '{name}' is no json attribute"))),
            None => self.resolve(name, place).and_then(|_| Err(self.error(format_args!("'{name}' is no json attribute")))),
        }
    }

    /// The place of `aggregate` in the list, where it is put if it is new.
    pub fn aggregate(&mut self, aggregate: Aggregate) -> Expr {
        let kind = aggregate.kind();
        let index = self.aggregates.iter().position(|a| *a == aggregate).unwrap_or_else(|| {
            self.aggregates.push(aggregate);
            self.aggregates.len() - 1
        });
        Expr::Aggregate(index, kind)
    }
}
