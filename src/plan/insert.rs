//! INSERT and REPLACE: literals → one value per column. On the hot path of writing, so that a row costs no more than its values.

use super::PlanError;
use super::literal;
use crate::sql::ast;
use crate::sql::values::Lit;
use crate::types::{DocId, Schema, Value};

/// A row to write: its id, None where one is to be given, and one value per column of the schema.
pub type NewRow = (Option<DocId>, Vec<Value>);

/// Where a value of VALUES goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Id,
    Column(usize),
}

/// Which columns a statement names. Made once per statement, used for each of its rows.
#[derive(Debug, Clone)]
pub struct InsertPlan<'a> {
    schema: &'a Schema,
    table: &'a str,
    targets: Vec<Target>,
    /// The statement says which columns it means.
    named: bool,
    /// The row that says nothing: defaults of all columns.
    defaults: Vec<Value>,
}

impl<'a> InsertPlan<'a> {
    /// The plan for the columns named, folded; none = id and all columns in order of declaration. Fails on unknown and repeated names.
    pub fn new(table: &'a str, schema: &'a Schema, columns: &[String]) -> Result<InsertPlan<'a>, PlanError> {
        let mut targets = Vec::with_capacity(schema.columns.len() + 1);
        if columns.is_empty() {
            targets.push(Target::Id);
            targets.extend((0..schema.columns.len()).map(Target::Column));
        }
        for name in columns {
            let target = match schema.find(name) {
                Some(index) => Target::Column(index),
                None if name == "id" => Target::Id,
                None => return Err(PlanError::rejected(format!("unknown column: '{name}'"))),
            };
            if targets.contains(&target) {
                return Err(PlanError::in_table(table, format_args!("column '{name}' is given twice")));
            }
            targets.push(target);
        }
        let defaults = schema.columns.iter().map(|c| literal::default_value(c.kind)).collect();
        Ok(InsertPlan { schema, table, targets, named: !columns.is_empty(), defaults })
    }

    /// Binds row `number` (counted from 1, for messages). Fails on a wrong number of values and on values that do not fit their column.
    pub fn row<'l>(&self, number: usize, literals: impl IntoIterator<Item = Lit<'l>>) -> Result<NewRow, PlanError> {
        let (mut id, mut values, mut count) = (None, self.defaults.clone(), 0);
        for mut literal in literals {
            match self.targets.get(count) {
                Some(Target::Id) => id = self.id(number, &literal)?,
                Some(&Target::Column(index)) => {
                    let column = &self.schema.columns[index];
                    values[index] = literal::column_value(column, &mut literal).map_err(|why| {
                        let shown = literal::shown(&literal);
                        PlanError::in_table(self.table, format_args!("row {number}, column '{}': {shown} {why}", column.name))
                    })?;
                }
                None => {}
            }
            count += 1;
        }
        if count != self.targets.len() {
            if !self.named {
                let place = if number > 1 { format!(" in row {number}") } else { String::new() };
                let expected = self.targets.len();
                return Err(PlanError::rejected(format!("column count does not match schema (expected {expected}, got {count}){place}")));
            }
            return Err(PlanError::in_table(
                self.table,
                format_args!("wrong number of values in row {number}: {} expected, {count} given", self.targets.len()),
            ));
        }
        Ok((id, values))
    }

    /// A document id: positive, or the upper half of the unsigned range. 0 and NULL ask for a fresh one.
    fn id(&self, number: usize, literal: &Lit<'_>) -> Result<Option<DocId>, PlanError> {
        let wrong =
            |why: &str| PlanError::in_table(self.table, format_args!("row {number}, column 'id': {} {why}", literal::shown(literal)));
        match literal {
            Lit::Int(0) | Lit::Null => Ok(None),
            Lit::Int(v) if *v > 0 => Ok(Some(DocId(*v as u64))),
            // The form in which ids past i64 are shown is for showing and for WHERE; the dialect takes none with a sign here.
            Lit::Int(v) => Err(wrong(&format!("is negative: an id has no sign, and the one that is shown so is {}", *v as u64))),
            Lit::Uint(v) => Ok(Some(DocId(*v))),
            Lit::Text(s) => match s.trim().parse::<u64>() {
                Ok(0) => Ok(None),
                Ok(v) => Ok(Some(DocId(v))),
                Err(_) => Err(wrong("is no document id")),
            },
            Lit::Float(_) | Lit::List(_) => Err(wrong("is no document id")),
        }
    }
}

/// Binds all rows of a parsed INSERT or REPLACE.
pub fn bind(insert: &ast::Insert, schema: &Schema, parameters: &[Value]) -> Result<Vec<NewRow>, PlanError> {
    let plan = InsertPlan::new(&insert.table, schema, &insert.columns)?;
    let mut rows = Vec::with_capacity(insert.rows.len());
    for (i, row) in insert.rows.iter().enumerate() {
        let mut literals = Vec::with_capacity(row.len());
        for expr in row {
            literals.push(
                literal::literal(expr, parameters)
                    .ok_or_else(|| PlanError::in_table(&insert.table, format_args!("row {}: VALUES takes literals only", i + 1)))?,
            );
        }
        rows.push(plan.row(i + 1, literals)?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Column, ColumnKind};

    fn schema() -> Schema {
        let column = |name: &str, kind| Column {
            name: name.into(),
            kind,
            uid: 0,
            indexed: kind == ColumnKind::Text,
            stored: kind == ColumnKind::Text,
            attribute: kind != ColumnKind::Text,
            columnar: false,
        };
        Schema {
            version: 1,
            columns: vec![column("title", ColumnKind::Text), column("n", ColumnKind::Uint), column("m", ColumnKind::Multi)],
        }
    }

    fn bound(columns: &[&str], row: Vec<ast::Expr>) -> Result<Vec<NewRow>, String> {
        let insert =
            ast::Insert { table: "t".into(), replace: false, columns: columns.iter().map(|c| c.to_string()).collect(), rows: vec![row] };
        bind(&insert, &schema(), &[]).map_err(|e| e.to_string())
    }

    #[test]
    fn rows_are_complete_and_errors_name_the_place() {
        use ast::Expr::{Int, List, Text, Uint};
        let row = |id, n, m: &[i64]| vec![(id, vec![Value::Text("a".into()), Value::Int(n), Value::Mva(m.to_vec())])];
        assert_eq!(bound(&[], vec![Int(1), Text("a".into()), Int(2), List(vec![Int(3), Int(2)])]), Ok(row(Some(DocId(1)), 2, &[2, 3])));
        assert_eq!(bound(&["title"], vec![Text("a".into())]), Ok(row(None, 0, &[])));
        assert_eq!(bound(&["id", "title"], vec![Int(0), Text("a".into())]), Ok(row(None, 0, &[])));
        assert_eq!(bound(&["id", "title"], vec![Uint(u64::MAX), Text("a".into())]), Ok(row(Some(DocId(u64::MAX)), 0, &[])));
        assert_eq!(bound(&["nosuch"], vec![Int(0)]), Err("unknown column: 'nosuch'".into()));
        assert_eq!(bound(&["n", "n"], vec![Int(0), Int(0)]), Err("table t: column 'n' is given twice".into()));
        assert_eq!(bound(&["n"], vec![]), Err("table t: wrong number of values in row 1: 1 expected, 0 given".into()));
        assert_eq!(bound(&["n"], vec![Int(1), Int(1)]), Err("table t: wrong number of values in row 1: 1 expected, 2 given".into()));
        assert_eq!(bound(&[], vec![Int(1), Int(1)]), Err("column count does not match schema (expected 4, got 2)".into()));
        assert_eq!(bound(&["n"], vec![Text("abc".into())]), Err("table t: row 1, column 'n': 'abc' is no whole number".into()));
        assert_eq!(bound(&["n"], vec![Int(-1)]), Err("table t: row 1, column 'n': -1 is out of range 0..4294967295".into()));
        assert_eq!(
            bound(&["id"], vec![Int(-1)]),
            Err("table t: row 1, column 'id': -1 is negative: an id has no sign, and the one that is shown so is 18446744073709551615"
                .into())
        );
        assert_eq!(bound(&["n"], vec![ast::Expr::Star]), Err("table t: row 1: VALUES takes literals only".into()));
    }
}
