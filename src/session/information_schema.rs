//! `information_schema`: tables that are made up when they are asked for, for MySQL's tools.
//!
//! All values are texts. A SELECT may have columns, `*`, COUNT(*), a WHERE of comparisons with texts and numbers, ORDER BY columns and LIMIT; more than
//! that is answered with an error.

use std::cmp::Ordering;

use super::answer::{Answer, text_columns};
use super::client::{DATABASE, Session};
use super::failure::{Done, Failure, error, not_built};
use super::like::like;
use super::mysql_tools::mysql_type;
use crate::catalog::Lookup;
use crate::sql::ast::{BinaryOp, Expr, Select, SelectItem, UnaryOp};
use crate::types::{ColumnKind, Value};

/// The name before the dot.
pub(super) const PREFIX: &str = "information_schema.";

/// A made-up table.
struct Virtual {
    columns: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

const TABLES: &[&str] = &[
    "table_catalog",
    "table_schema",
    "table_name",
    "table_type",
    "engine",
    "version",
    "row_format",
    "table_rows",
    "table_collation",
    "create_options",
    "table_comment",
];
const COLUMNS: &[&str] = &[
    "table_catalog",
    "table_schema",
    "table_name",
    "column_name",
    "ordinal_position",
    "column_default",
    "is_nullable",
    "data_type",
    "column_type",
    "column_key",
    "extra",
    "column_comment",
];
const SCHEMATA: &[&str] = &["catalog_name", "schema_name", "default_character_set_name", "default_collation_name", "sql_path"];

impl Session {
    /// Answers a SELECT whose one table is `information_schema.…`.
    pub(super) fn select_information(&mut self, select: &Select, name: &str, answer: &mut Answer<'_>) -> Done {
        let table = self.virtual_table(name)?;
        if !select.group_by.is_empty() || select.having.is_some() || !select.facets.is_empty() || !select.within_group.is_empty() {
            return Err(not_built(&format!("GROUP BY, HAVING and FACET on {PREFIX}{name}")));
        }
        let mut rows = Vec::new();
        for row in &table.rows {
            if match &select.filter {
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
        let found = rows.len();
        let counting = picks.iter().any(Option::is_none);
        let rows: Vec<Vec<Value>> = match counting {
            true if picks.iter().all(Option::is_none) => vec![vec![Value::Text(found.to_string()); picks.len()]],
            true => return Err(not_built(&format!("COUNT(*) beside columns on {PREFIX}{name}"))),
            false => rows.iter().map(|row| picks.iter().flatten().map(|&i| Value::Text(row[i].clone())).collect()).collect(),
        };
        let (offset, limit) = (select.offset as usize, select.limit.map_or(usize::MAX, |n| n as usize));
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        answer.columns(&text_columns(&headings))?;
        for row in rows.iter().skip(offset).take(limit) {
            answer.row(row)?;
        }
        answer.end(false)
    }

    fn virtual_table(&self, name: &str) -> Result<Virtual, Failure> {
        let s = str::to_owned;
        let mut rows = Vec::new();
        let columns = match name {
            "schemata" => {
                for schema in ["information_schema", DATABASE] {
                    rows.push(vec![s("def"), s(schema), s("utf8mb4"), s("utf8mb4_general_ci"), String::new()]);
                }
                SCHEMATA
            }
            "tables" => {
                for table in self.engine.catalog.list() {
                    let count = match self.engine.catalog.get(&table) {
                        Lookup::Open(open) => open.snapshot().alive_count().to_string(),
                        Lookup::Missing => continue,
                        Lookup::Unavailable(_) => String::new(),
                    };
                    rows.push(vec![
                        s("def"),
                        s(DATABASE),
                        table,
                        s("BASE TABLE"),
                        s("rt"),
                        s("10"),
                        s("Dynamic"),
                        count,
                        s("utf8mb4_general_ci"),
                        String::new(),
                        String::new(),
                    ]);
                }
                TABLES
            }
            "columns" => {
                for name in self.engine.catalog.list() {
                    let Lookup::Open(table) = self.engine.catalog.get(&name) else { continue };
                    let schema = table.schema();
                    let all = std::iter::once(("id", ColumnKind::Bigint)).chain(schema.columns.iter().map(|c| (c.name.as_str(), c.kind)));
                    for (i, (column, kind)) in all.enumerate() {
                        let full = mysql_type(kind);
                        let short = full.split([' ', '(']).next().unwrap_or(full);
                        let key = if i == 0 { "PRI" } else { "" };
                        let place = (i + 1).to_string();
                        rows.push(["def", DATABASE, &name, column, &place, "", "NO", short, full, key, "", ""].map(s).to_vec());
                    }
                }
                COLUMNS
            }
            _ => return Err(error(format!("unknown local table(s) '{PREFIX}{name}' in search request"))),
        };
        Ok(Virtual { columns, rows })
    }
}

/// Headings, and per item the index of its column; None = COUNT(*).
fn items(items: &[SelectItem], table: &Virtual) -> Result<(Vec<String>, Vec<Option<usize>>), Failure> {
    let (mut headings, mut picks) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            SelectItem::Star => {
                headings.extend(table.columns.iter().map(|c| (*c).to_owned()));
                picks.extend((0..table.columns.len()).map(Some));
            }
            SelectItem::Expr { expr, alias, text } => {
                let count =
                    matches!(expr, Expr::Call { name, args, distinct: false } if name == "count" && matches!(args[..], [Expr::Star]));
                picks.push(if count { None } else { Some(column(expr, table)?) });
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

/// Whether a row meets a condition.
fn holds(condition: &Expr, table: &Virtual, row: &[String]) -> Result<bool, Failure> {
    let value = |e: &Expr| operand(e, table, row);
    Ok(match condition {
        Expr::Binary(BinaryOp::And, a, b) => holds(a, table, row)? && holds(b, table, row)?,
        Expr::Binary(BinaryOp::Or, a, b) => holds(a, table, row)? || holds(b, table, row)?,
        Expr::Unary(UnaryOp::Not, a) => !holds(a, table, row)?,
        Expr::Binary(BinaryOp::Like, a, b) => like(&value(b)?, &value(a)?),
        Expr::Binary(BinaryOp::NotLike, a, b) => !like(&value(b)?, &value(a)?),
        Expr::Binary(op, a, b) => {
            let order = compare(&value(a)?, &value(b)?);
            match op {
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
            let left = value(expr)?;
            let mut found = false;
            for item in list {
                found |= compare(&left, &value(item)?).is_eq();
            }
            found != *negated
        }
        Expr::IsNull { negated, .. } => *negated,
        Expr::Int(n) => *n != 0,
        _ => return Err(not_built("such a condition over information_schema")),
    })
}

fn operand(expr: &Expr, table: &Virtual, row: &[String]) -> Result<String, Failure> {
    Ok(match expr {
        Expr::Text(text) => text.clone(),
        Expr::Int(n) => n.to_string(),
        Expr::Call { name, args, .. } if args.is_empty() && (name == "database" || name == "schema") => DATABASE.to_owned(),
        expr => row[column(expr, table)?].clone(),
    })
}

/// Numbers by value, texts without regard to case.
fn compare(a: &str, b: &str) -> Ordering {
    match (a.parse::<i64>(), b.parse::<i64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        _ => a.to_lowercase().cmp(&b.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::ast::Statement;

    #[test]
    fn conditions() {
        let rows: Vec<Vec<String>> = ["a", "b", "c"]
            .iter()
            .map(|n| TABLES.iter().map(|c| if *c == "table_name" { n.to_string() } else { "Manticore".into() }).collect())
            .collect();
        let table = Virtual { columns: TABLES, rows };
        for (filter, names) in [
            ("table_schema='manticore'", "abc"),
            ("table_schema=DATABASE() AND table_name IN ('a','C')", "ac"),
            ("table_name LIKE 'b%' OR table_name > 'b'", "bc"),
            ("NOT table_name = 'a' AND table_name NOT LIKE 'c'", "b"),
            ("table_schema IS NULL", ""),
        ] {
            let Ok(Statement::Select(select)) = crate::sql::parse_one(&format!("SELECT a FROM t WHERE {filter}")) else {
                panic!("{filter}")
            };
            let condition = select.filter.expect("there is one");
            let found: String =
                table.rows.iter().filter(|r| holds(&condition, &table, r).expect("known columns")).map(|r| r[2].clone()).collect();
            assert_eq!(found, names, "{filter}");
        }
    }
}
