//! `information_schema`: tables that are made up when they are asked for, for MySQL's tools.
//!
//! All values are texts or NULL. A SELECT may have columns, `*`, COUNT(*), DISTINCT, a WHERE of comparisons with texts, numbers and the values of
//! a subquery on such a table, GROUP BY and ORDER BY columns, and LIMIT; more than that is answered with an error, unless there is no row to
//! compute it for.

mod tables;

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::answer::{Answer, text_columns};
use super::client::{DATABASE, Session};
use super::failure::{Done, Failure, error, not_built};
use super::like::like;
use crate::sql::ast::{BinaryOp, Expr, Select, SelectItem, UnaryOp};
use crate::types::Value;
use tables::{Cell, Virtual};

/// The name before the dot.
pub(super) const PREFIX: &str = "information_schema.";

/// What an item of the select list gives.
enum Pick {
    Column(usize),
    Count,
    /// An expression, which only a result without rows can have.
    Other,
}

/// The answer to a SELECT.
struct Selected {
    headings: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Session {
    /// Answers a SELECT whose one table is `information_schema.…`.
    pub(super) fn select_information(&mut self, select: &Select, answer: &mut Answer<'_>) -> Done {
        let Selected { headings, rows } = self.select_made_up(select)?;
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        answer.columns(&text_columns(&headings))?;
        for row in rows {
            let row: Vec<Value> = row.into_iter().map(|cell| cell.map_or(Value::Null, Value::Text)).collect();
            answer.row(&row)?;
        }
        answer.end(false)
    }

    fn select_made_up(&self, select: &Select) -> Result<Selected, Failure> {
        let name = match select.from.as_slice() {
            [name] => name.strip_prefix(PREFIX),
            _ => None,
        };
        let name = name.ok_or_else(|| not_built("a subquery on a table of documents"))?;
        let table = self.virtual_table(name)?;
        if select.having.is_some() || !select.facets.is_empty() || !select.within_group.is_empty() {
            return Err(not_built(&format!("HAVING and FACET on {PREFIX}{name}")));
        }
        let filter = select.filter.as_ref().map(|filter| self.with_values(filter)).transpose()?;
        let mut rows = Vec::new();
        for row in &table.rows {
            if match &filter {
                Some(filter) => holds(filter, &table, row)?,
                None => true,
            } {
                rows.push(row);
            }
        }
        let mut keys = Vec::new();
        for key in &select.order_by {
            keys.push((column(&key.expr, &table)?, key.descending));
        }
        rows.sort_by(|a, b| {
            keys.iter()
                .map(|&(i, descending)| if descending { compare(&b[i], &a[i]) } else { compare(&a[i], &b[i]) })
                .find(|o| o.is_ne())
                .unwrap_or(Ordering::Equal)
        });
        let (headings, picks) = items(&select.items, &table)?;
        let mut rows = picked(&groups(rows, select, &picks, &table)?, &picks)?;
        if select.distinct {
            let mut seen = HashSet::new();
            rows.retain(|row| seen.insert(row.clone()));
        }
        let (offset, limit) = (select.offset as usize, select.limit.map_or(usize::MAX, |n| n as usize));
        Ok(Selected { headings, rows: rows.into_iter().skip(offset).take(limit).collect() })
    }

    /// The condition with values in the place of its subqueries.
    fn with_values(&self, condition: &Expr) -> Result<Expr, Failure> {
        Ok(match condition {
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                Expr::Binary(*op, Box::new(self.with_values(a)?), Box::new(self.with_values(b)?))
            }
            Expr::Unary(UnaryOp::Not, a) => Expr::Unary(UnaryOp::Not, Box::new(self.with_values(a)?)),
            Expr::In { expr, list, negated } => match list.as_slice() {
                [Expr::Subquery(select)] => {
                    let inner = self.select_made_up(select)?;
                    if inner.headings.len() != 1 {
                        return Err(error("a subquery behind IN has one column"));
                    }
                    let list = inner.rows.into_iter().flatten().flatten().map(Expr::Text).collect();
                    Expr::In { expr: expr.clone(), list, negated: *negated }
                }
                _ => condition.clone(),
            },
            other => other.clone(),
        })
    }
}

/// Rows that are answered as one.
struct Group<'r> {
    /// The first of them; None where all rows are counted and there may be none.
    row: Option<&'r Vec<Cell>>,
    count: usize,
}

/// The groups of GROUP BY in order of their first rows; without it each row for itself, or all of them where they are counted.
fn groups<'r>(rows: Vec<&'r Vec<Cell>>, select: &Select, picks: &[Pick], table: &Virtual) -> Result<Vec<Group<'r>>, Failure> {
    let keys = select.group_by.iter().map(|key| column(key, table)).collect::<Result<Vec<usize>, _>>()?;
    let counts = picks.iter().any(|pick| matches!(pick, Pick::Count));
    if keys.is_empty() {
        return match counts {
            true if picks.iter().any(|pick| matches!(pick, Pick::Column(_))) => {
                Err(not_built("COUNT(*) beside columns on information_schema without GROUP BY"))
            }
            true => Ok(vec![Group { row: None, count: rows.len() }]),
            false => Ok(rows.into_iter().map(|row| Group { row: Some(row), count: 1 }).collect()),
        };
    }
    let mut out: Vec<Group<'r>> = Vec::new();
    let mut places = HashMap::new();
    for row in rows {
        let key: Vec<&Cell> = keys.iter().map(|&i| &row[i]).collect();
        let place = *places.entry(key).or_insert(out.len());
        match out.get_mut(place) {
            Some(group) => group.count += 1,
            None => out.push(Group { row: Some(row), count: 1 }),
        }
    }
    Ok(out)
}

fn picked(groups: &[Group<'_>], picks: &[Pick]) -> Result<Vec<Vec<Cell>>, Failure> {
    let mut rows = Vec::with_capacity(groups.len());
    for group in groups {
        let cell = |pick: &Pick| match pick {
            Pick::Column(i) => Ok(group.row.and_then(|row| row[*i].clone())),
            Pick::Count => Ok(Some(group.count.to_string())),
            Pick::Other => Err(not_built("an expression over information_schema")),
        };
        rows.push(picks.iter().map(cell).collect::<Result<_, _>>()?);
    }
    Ok(rows)
}

fn items(items: &[SelectItem], table: &Virtual) -> Result<(Vec<String>, Vec<Pick>), Failure> {
    let (mut headings, mut picks) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            SelectItem::Star => {
                headings.extend(table.columns.iter().map(|c| (*c).to_owned()));
                picks.extend((0..table.columns.len()).map(Pick::Column));
            }
            SelectItem::Expr { expr, alias, text } => {
                picks.push(match expr {
                    Expr::Call { name, args, distinct: false } if name == "count" && matches!(args[..], [Expr::Star]) => Pick::Count,
                    Expr::Column(_) => Pick::Column(column(expr, table)?),
                    _ => Pick::Other,
                });
                headings.push(alias.clone().unwrap_or_else(|| text.clone()));
            }
        }
    }
    Ok((headings, picks))
}

fn column(expr: &Expr, table: &Virtual) -> Result<usize, Failure> {
    match expr {
        Expr::Column(name) => {
            table.columns.iter().position(|c| c == name).ok_or_else(|| error(format!("{PREFIX}: unknown column: {name}")))
        }
        _ => Err(not_built("an expression over information_schema")),
    }
}

/// Whether a row meets a condition. What is compared with NULL does not hold.
fn holds(condition: &Expr, table: &Virtual, row: &[Cell]) -> Result<bool, Failure> {
    let value = |e: &Expr| operand(e, table, row);
    Ok(match condition {
        Expr::Binary(BinaryOp::And, a, b) => holds(a, table, row)? && holds(b, table, row)?,
        Expr::Binary(BinaryOp::Or, a, b) => holds(a, table, row)? || holds(b, table, row)?,
        Expr::Unary(UnaryOp::Not, a) => !holds(a, table, row)?,
        Expr::Binary(op, a, b) => {
            let (Some(a), Some(b)) = (value(a)?, value(b)?) else { return Ok(false) };
            let order = compare_texts(&a, &b);
            match op {
                BinaryOp::Like => like(&b, &a),
                BinaryOp::NotLike => !like(&b, &a),
                BinaryOp::Eq => order.is_eq(),
                BinaryOp::Ne => order.is_ne(),
                BinaryOp::Lt => order.is_lt(),
                BinaryOp::Le => order.is_le(),
                BinaryOp::Gt => order.is_gt(),
                BinaryOp::Ge => order.is_ge(),
                _ => return Err(not_built("such a condition over information_schema")),
            }
        }
        Expr::In { expr, list, negated } => {
            let Some(left) = value(expr)? else { return Ok(false) };
            let mut found = false;
            for item in list {
                found |= value(item)?.is_some_and(|item| compare_texts(&left, &item).is_eq());
            }
            found != *negated
        }
        Expr::IsNull { expr, negated } => value(expr)?.is_none() != *negated,
        Expr::Int(n) => *n != 0,
        _ => return Err(not_built("such a condition over information_schema")),
    })
}

fn operand(expr: &Expr, table: &Virtual, row: &[Cell]) -> Result<Cell, Failure> {
    Ok(match expr {
        Expr::Text(text) => Some(text.clone()),
        Expr::Int(n) => Some(n.to_string()),
        Expr::Null => None,
        Expr::Call { name, args, .. } if args.is_empty() && (name == "database" || name == "schema") => Some(DATABASE.to_owned()),
        expr => row[column(expr, table)?].clone(),
    })
}

/// NULL first.
fn compare(a: &Cell, b: &Cell) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => compare_texts(a, b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// Numbers by value, texts without regard to case.
fn compare_texts(a: &str, b: &str) -> Ordering {
    match (a.parse::<i64>(), b.parse::<i64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        _ => a.to_lowercase().cmp(&b.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::ast::Statement;

    const TWO: &[&str] = &["table_schema", "table_name", "engine"];

    fn parsed(text: &str) -> Select {
        let Ok(Statement::Select(select)) = crate::sql::parse_one(text) else { panic!("{text}") };
        *select
    }

    fn table() -> Virtual {
        let row = |name: &str| vec![Some("Manticore".to_owned()), Some(name.to_owned()), (name != "b").then(|| "rt".to_owned())];
        Virtual { columns: TWO, rows: ["a", "b", "c"].map(row).into() }
    }

    #[test]
    fn conditions() {
        let table = table();
        for (filter, names) in [
            ("table_schema='manticore'", "abc"),
            ("table_schema=DATABASE() AND table_name IN ('a','C')", "ac"),
            ("table_name LIKE 'b%' OR table_name > 'b'", "bc"),
            ("NOT table_name = 'a' AND table_name NOT LIKE 'c'", "b"),
            ("table_schema IS NULL", ""),
            ("engine IS NULL", "b"),
            ("engine <> 'x' OR engine = NULL", "ac"),
        ] {
            let condition = parsed(&format!("SELECT a FROM t WHERE {filter}")).filter.expect("there is one");
            let found: String = table
                .rows
                .iter()
                .filter(|r| holds(&condition, &table, r).expect("known columns"))
                .map(|r| r[1].clone().unwrap_or_default())
                .collect();
            assert_eq!(found, names, "{filter}");
        }
    }

    #[test]
    fn groups_are_counted() {
        let table = table();
        let select = parsed("SELECT engine, COUNT(*) FROM t GROUP BY engine");
        let (_, picks) = items(&select.items, &table).expect("known");
        let rows = picked(&groups(table.rows.iter().collect(), &select, &picks, &table).expect("groups"), &picks).expect("columns");
        assert_eq!(rows, [[Some("rt".to_owned()), Some("2".to_owned())], [None, Some("1".to_owned())]]);
    }
}
