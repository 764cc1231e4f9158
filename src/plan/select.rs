//! SELECT: what is computed, in which order, and how much of it is sent.

use super::bind;
use super::expr::{Expr, Kind};
use super::filter::{self, FilterPlan};
use super::heading::heading;
use super::names::{Place, Scope};
use super::options::{self, SearchOptions};
use super::{Context, PlanError};
use crate::sql::ast;
use crate::types::{ColumnKind, Schema};

pub use super::names::Aggregate;

/// Rows that are sent where LIMIT says nothing.
pub const DEFAULT_LIMIT: u64 = 20;

/// Keys of GROUP BY: rows are put into groups by a recursion as deep as there are keys, and keys that are sets multiply.
const GROUP_KEYS_MAX: usize = 64;

/// A column of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputColumn {
    /// Heading.
    pub name: String,
    /// What it gives.
    pub kind: Kind,
    /// How it is computed, for rows that are sent.
    pub expr: Expr,
}

/// A key of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct SortKey {
    /// What is compared.
    pub expr: Expr,
    /// Greatest first.
    pub descending: bool,
}

/// How rows become groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouping {
    /// GROUP BY; empty = all rows are one group, which is there even without rows if `always` says so.
    pub keys: Vec<Expr>,
    /// One group is answered even where no row is found: every column is made of aggregates.
    pub always: bool,
    /// Rows that are sent per group, in the order of `within`.
    pub rows: usize,
    /// WITHIN GROUP ORDER BY; behind it weight descending, then id.
    pub within: Vec<SortKey>,
    /// What is computed per group.
    pub aggregates: Vec<Aggregate>,
    /// HAVING.
    pub having: Option<Expr>,
}

/// A bound SELECT on one table.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectPlan {
    /// Name of the table, for messages.
    pub table: String,
    /// Columns of the result.
    pub columns: Vec<OutputColumn>,
    /// Which rows.
    pub filter: FilterPlan,
    /// Groups, where there are any.
    pub grouping: Option<Grouping>,
    /// ORDER BY. Without it weight descending; last always id ascending.
    pub order: Vec<SortKey>,
    /// Rows to leave out at the head.
    pub offset: usize,
    /// Rows to send.
    pub limit: usize,
    /// OPTION.
    pub options: SearchOptions,
    /// OPTION field_weights: a weight per full-text field, in order.
    pub field_weights: Vec<i64>,
    /// Whether the weight of a match is asked for by anything.
    pub weighs: bool,
    /// Whether stored text is shown.
    pub shows_stored: bool,
    /// All rows are wanted, each in a form that can be inserted again.
    pub dump: bool,
    /// The answer is the number of rows, which counters know: COUNT(*) without conditions.
    pub counters_suffice: bool,
}

/// A bound SELECT without table.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantPlan {
    /// Columns of the one row.
    pub columns: Vec<OutputColumn>,
}

/// Binds a SELECT with one table. Its FACETs are left to [`bind_facets`].
pub fn bind(select: &ast::Select, schema: &Schema, context: &Context<'_>) -> Result<SelectPlan, PlanError> {
    bind_beneath(select, &[], schema, context)
}

/// Binds a SELECT in which the aliases of `outer` hold too.
fn bind_beneath(select: &ast::Select, outer: &[ast::SelectItem], schema: &Schema, context: &Context<'_>) -> Result<SelectPlan, PlanError> {
    let mut options = options::search(&select.options)?;
    let dump = select.dump;
    if dump {
        // A dump says no LIMIT and means all rows; one that says a LIMIT means that.
        options.max_matches = u64::MAX;
        check_dump(select, schema, context)?;
    }
    let mut scope = Scope::new(context, schema);
    items(outer, &mut scope)?;
    // Aggregates of the outer statement mean nothing here.
    scope.aliases.retain(|a| !a.expr.contains(|e| matches!(e, Expr::Aggregate(..) | Expr::GroupKey(_))));
    scope.aggregates.clear();
    let columns = items(&select.items, &mut scope)?;
    if select.group_by.len() > GROUP_KEYS_MAX {
        return Err(PlanError::rejected(format!("GROUP BY takes at most {GROUP_KEYS_MAX} keys, {} given", select.group_by.len())));
    }
    let keys = select.group_by.iter().map(|key| group_key(key, &mut scope)).collect::<Result<Vec<_>, _>>()?;
    if let Some(first) = keys.first() {
        scope.group_kind = match first.kind() {
            // Groups of a set are its values.
            Kind::Mva => Kind::Bigint,
            kind => kind,
        };
        // groupby() in the select list was bound before the keys were known.
    }
    let columns = columns.into_iter().map(|c| with_group_kind(c, scope.group_kind)).collect::<Vec<_>>();
    let filter = filter::bind_in(select.filter.as_ref(), options.bind_options(), &mut scope)?;
    let within = sort_keys(&select.within_group, Place::Within, &mut scope)?;
    let having = select.having.as_ref().map(|h| bind::expression(h, Place::Having, &mut scope)).transpose()?;
    let order = sort_keys(&select.order_by, Place::Order, &mut scope)?;

    let grouped = !keys.is_empty() || !scope.aggregates.is_empty();
    if !grouped && (having.is_some() || !within.is_empty() || select.group_rows > 1) {
        return Err(PlanError::rejected("HAVING and WITHIN GROUP ORDER BY need GROUP BY"));
    }
    if keys.is_empty() && columns.iter().any(|c| c.expr.contains(|e| matches!(e, Expr::GroupKey(_)))) {
        return Err(PlanError::rejected("groupby() needs GROUP BY"));
    }
    let always = keys.is_empty() && columns.iter().all(|c| !c.expr.contains(is_of_row));
    let counters_suffice = always
        && filter.is_all()
        && having.is_none()
        && options.cutoff.is_none()
        && scope.aggregates == [Aggregate::Count]
        && columns.iter().all(|c| matches!(c.expr, Expr::Aggregate(0, _)));
    let grouping =
        grouped.then(|| Grouping { keys, always, rows: select.group_rows.max(1) as usize, within, aggregates: scope.aggregates, having });

    let weighs = filter.matching.is_some() && asks_for_weight(&columns, &filter, grouping.as_ref(), &order);
    let shows_stored = columns.iter().any(|c| c.expr.contains(|e| matches!(e, Expr::Stored(_))));
    if select.offset > 0 && select.offset >= options.max_matches {
        return Err(PlanError::rejected(format!("offset out of bounds (offset={}, max_matches={})", select.offset, options.max_matches)));
    }
    let default = if dump { u64::MAX } else { DEFAULT_LIMIT };
    let limit = select.limit.unwrap_or(default).min(options.max_matches - select.offset);
    Ok(SelectPlan {
        table: context.table.to_owned(),
        columns,
        filter,
        grouping,
        order,
        offset: select.offset as usize,
        limit: limit as usize,
        field_weights: field_weights(&options, schema, context)?,
        options,
        weighs,
        shows_stored,
        dump,
        counters_suffice,
    })
}

/// A dump with `*` would silently leave out text that is only searchable.
fn check_dump(select: &ast::Select, schema: &Schema, context: &Context<'_>) -> Result<(), PlanError> {
    let lost = schema.columns.iter().find(|c| !c.attribute && !c.stored);
    match lost {
        Some(column) if select.items.contains(&ast::SelectItem::Star) => Err(PlanError::in_table(
            context.table,
            format_args!("column '{}' is neither stored nor an attribute: its text is not kept and cannot be dumped", column.name),
        )),
        _ => Ok(()),
    }
}

/// Binds the FACET clauses of a SELECT: same table, WHERE and aliases, grouped by the facet, with a count. One plan per clause, in order.
pub fn bind_facets(select: &ast::Select, schema: &Schema, context: &Context<'_>) -> Result<Vec<SelectPlan>, PlanError> {
    select.facets.iter().map(|facet| bind_beneath(&facet_select(facet, select, schema), &select.items, schema, context)).collect()
}

/// The SELECT that a FACET stands for.
fn facet_select(facet: &ast::Facet, select: &ast::Select, schema: &Schema) -> ast::Select {
    let count = |text: String, args: Vec<ast::Expr>, distinct: bool| ast::SelectItem::Expr {
        expr: ast::Expr::Call { name: "count".to_owned(), args, distinct },
        alias: None,
        text,
    };
    let expr_of = |item: &ast::SelectItem| match item {
        ast::SelectItem::Expr { expr, .. } => Some(expr.clone()),
        ast::SelectItem::Star => None,
    };
    let by = if facet.by.is_empty() { facet.items.iter().filter_map(expr_of).collect() } else { facet.by.clone() };
    let mut items = facet.items.clone();
    // A set makes a group per value, and each group shows its value, not the set of the row that stands for it.
    let is_set = |name: &str| schema.find(name).is_some_and(|c| matches!(schema.columns[c].kind, ColumnKind::Multi | ColumnKind::Multi64));
    for item in &mut items {
        if let ast::SelectItem::Expr { expr, .. } = item
            && by.len() == 1
            && *expr == by[0]
            && matches!(expr, ast::Expr::Column(name) if is_set(name))
        {
            *expr = ast::Expr::Call { name: "groupby".to_owned(), args: Vec::new(), distinct: false };
        }
    }
    if let Some(column) = &facet.distinct {
        items.push(count(format!("count(distinct {column})"), vec![ast::Expr::Column(column.clone())], true));
    }
    items.push(count("count(*)".to_owned(), vec![ast::Expr::Star], false));
    // `ORDER BY FACET()` is the order of the facet's own key.
    let order_by = facet.order_by.iter().map(|key| match &key.expr {
        ast::Expr::Call { name, args, .. } if name == "facet" && args.is_empty() => {
            ast::OrderKey { expr: by.first().cloned().unwrap_or(ast::Expr::Null), descending: key.descending }
        }
        _ => key.clone(),
    });
    ast::Select {
        items,
        from: select.from.clone(),
        filter: select.filter.clone(),
        group_rows: 1,
        order_by: order_by.collect(),
        group_by: by,
        limit: facet.limit,
        offset: facet.offset,
        options: select.options.clone(),
        ..ast::Select::default()
    }
}

/// Binds a SELECT without FROM: one row of values. Conditions and orders have nothing to act on and are errors.
pub fn bind_constant(select: &ast::Select, context: &Context<'_>) -> Result<ConstantPlan, PlanError> {
    if select.filter.is_some() || !select.group_by.is_empty() || !select.order_by.is_empty() || select.having.is_some() {
        return Err(PlanError::rejected("SELECT without FROM takes no WHERE, GROUP BY, HAVING or ORDER BY"));
    }
    let schema = Schema::default();
    let mut columns = Vec::with_capacity(select.items.len());
    for item in &select.items {
        let ast::SelectItem::Expr { expr, alias, text } = item else {
            return Err(PlanError::rejected("SELECT * needs FROM"));
        };
        let mut scope = Scope::new(context, &schema);
        let bound = match (context.session)(expr) {
            Some(value) => Expr::Const(value),
            None => bind::expression(expr, Place::Item, &mut scope)?,
        };
        if bound.contains(|e| is_of_row(e) || matches!(e, Expr::Aggregate(..) | Expr::GroupKey(_))) {
            return Err(PlanError::rejected(format!("'{text}' needs FROM")));
        }
        columns.push(OutputColumn { name: alias.clone().unwrap_or_else(|| text.clone()), kind: bound.kind(), expr: bound });
    }
    Ok(ConstantPlan { columns })
}

fn items(items: &[ast::SelectItem], scope: &mut Scope<'_>) -> Result<Vec<OutputColumn>, PlanError> {
    let mut columns = Vec::with_capacity(items.len());
    for item in items {
        match item {
            ast::SelectItem::Star => {
                columns.push(OutputColumn { name: "id".to_owned(), kind: Kind::Bigint, expr: Expr::Id });
                for column in &scope.schema.columns {
                    // Text that is only searchable is not there to be shown.
                    if column.attribute || column.stored {
                        let expr = scope.resolve(&column.name, Place::Item)?;
                        columns.push(OutputColumn { name: column.name.clone(), kind: expr.kind(), expr });
                    }
                }
            }
            ast::SelectItem::Expr { expr, alias, text } => {
                let bound = bind::expression(expr, Place::Item, scope)?;
                if let Some(alias) = alias {
                    scope.name(alias, bound.clone())?;
                }
                let name = alias.clone().unwrap_or_else(|| heading(expr, text));
                columns.push(OutputColumn { name, kind: bound.kind(), expr: bound });
            }
        }
    }
    Ok(columns)
}

fn field_weights(options: &SearchOptions, schema: &Schema, context: &Context<'_>) -> Result<Vec<i64>, PlanError> {
    let mut weights = vec![1; schema.field_count()];
    for (name, weight) in &options.field_weights {
        match schema.fields().find(|(_, column)| schema.columns[*column].name == *name) {
            Some((field, _)) => weights[field.0 as usize] = *weight,
            None => return Err(PlanError::in_table(context.table, format_args!("field_weights: no field '{name}' found in schema"))),
        }
    }
    Ok(weights)
}

fn group_key(key: &ast::Expr, scope: &mut Scope<'_>) -> Result<Expr, PlanError> {
    let bound = bind::expression(key, Place::Group, scope)?;
    if bound.contains(|e| matches!(e, Expr::Aggregate(..) | Expr::Stored(_) | Expr::GroupKey(_))) {
        return Err(scope.error("GROUP BY takes attributes and expressions over them"));
    }
    Ok(bound)
}

fn with_group_kind(mut column: OutputColumn, kind: Kind) -> OutputColumn {
    if let Expr::GroupKey(old) = &mut column.expr {
        *old = kind;
        column.kind = kind;
    }
    column
}

fn sort_keys(keys: &[ast::OrderKey], place: Place, scope: &mut Scope<'_>) -> Result<Vec<SortKey>, PlanError> {
    let mut out = Vec::with_capacity(keys.len());
    for key in keys {
        let expr = bind::expression(&key.expr, place, scope)?;
        if expr.contains(|e| matches!(e, Expr::Stored(_))) {
            return Err(scope.error("sort-by attribute not found: a full-text field is no attribute"));
        }
        if place == Place::Within && expr.contains(|e| matches!(e, Expr::Aggregate(..) | Expr::GroupKey(_))) {
            return Err(scope.error("WITHIN GROUP ORDER BY takes attributes of rows, not of groups"));
        }
        // A constant puts no row before another.
        if !matches!(expr, Expr::Const(_)) {
            out.push(SortKey { expr, descending: key.descending });
        }
    }
    Ok(out)
}

/// Whether an expression's value belongs to one row, not to a group or to nobody.
fn is_of_row(expr: &Expr) -> bool {
    matches!(expr, Expr::Id | Expr::Column(..) | Expr::Stored(_) | Expr::Json(..) | Expr::Weight)
}

/// Whether an expression over a group depends on which of its rows stands for it: it does unless all it asks of a row is in the group's key.
fn depends_on_row(expr: &Expr, keys: &[Expr]) -> bool {
    // A set is not what it is grouped by: its values are.
    if keys.contains(expr) && !matches!(expr.kind(), Kind::Mva | Kind::Json) {
        return false;
    }
    is_of_row(expr) || expr.children().into_iter().any(|e| depends_on_row(e, keys))
}

fn asks_for_weight(columns: &[OutputColumn], filter: &FilterPlan, grouping: Option<&Grouping>, order: &[SortKey]) -> bool {
    let has = |e: &Expr| e.contains(|e| matches!(e, Expr::Weight));
    let by_keys = |keys: &[SortKey]| keys.iter().any(|k| has(&k.expr));
    let named = columns.iter().any(|c| has(&c.expr)) || filter.condition.as_ref().is_some_and(has) || by_keys(order);
    let Some(g) = grouping else { return named || order.is_empty() };
    if named || by_keys(&g.within) || g.keys.iter().chain(g.aggregates.iter().flat_map(Aggregate::inputs)).chain(&g.having).any(has) {
        return true;
    }
    // The weight also decides which row stands for a group, and in which order groups come that nothing else orders.
    let shown = columns.iter().map(|c| &c.expr).chain(order.iter().map(|k| &k.expr)).chain(&g.having);
    !g.always && (order.is_empty() || g.rows > 1 || shown.into_iter().any(|e| depends_on_row(e, &g.keys)))
}
