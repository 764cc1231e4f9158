//! SELECT: with a table, without one, and the result sets of its FACETs. What the session itself knows is given to the planner here.

use super::answer::Answer;
use super::client::{DATABASE, Session};
use super::failure::{Done, Failure, error, not_built};
use super::information_schema;
use super::reply::{ColumnMeta, StatementError};
use super::sending::{Sending, wire_type};
use crate::catalog::Lookup;
use crate::exec::select::{Meta, SelectResult};
use crate::exec::{self, Budget, ExecContext, ExecError};
use crate::plan::{self, Context};
use crate::sql::ast::{Expr, Select, SelectItem};
use crate::types::{StopToken, Value};

impl Session {
    pub(super) fn select(&mut self, select: Select, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        self.engine.counters.search.add(1);
        let made_up = matches!(select.from.as_slice(), [name] if name.starts_with(information_schema::PREFIX));
        if select.distinct && !made_up {
            return Err(not_built("SELECT DISTINCT"));
        }
        let name = match select.from.as_slice() {
            [] => return self.select_constant(&select, answer, stop),
            [name] => name,
            _ => return Err(not_built("SELECT from several tables")),
        };
        if made_up {
            return self.select_information(&select, answer);
        }
        let table = self.existing(name, || error(format!("unknown local table(s) '{name}' in search request")))?;
        // One snapshot for the main result and all its facets.
        let snapshot = table.snapshot();
        let mut plans = Vec::with_capacity(1 + select.facets.len());
        {
            let known = |e: &Expr| self.known(e);
            let context = Context { table: name, analyzer: Some(&snapshot.analyzer), session: &known, parameters: &[] };
            plans.push(plan::select::bind(&select, &snapshot.schema, &context)?);
            plans.extend(plan::select::bind_facets(&select, &snapshot.schema, &context)?);
        }
        let engine = self.engine.clone();
        for (i, plan) in plans.iter().enumerate() {
            let context = ExecContext { pool: Some(&engine.pool), ..self.context(stop) };
            let mut sending = Sending::new(plan, answer);
            let meta = exec::select::stream(plan, &snapshot, &context, &mut |row| sending.row(row)).map_err(|e| in_table(name, e))?;
            if i == 0 {
                let millis = u64::try_from(meta.time.as_millis()).unwrap_or(u64::MAX);
                table.touch_search(millis, meta.total_found);
                self.meta = meta_rows(&meta);
            }
            sending.end(i + 1 < plans.len())?;
        }
        Ok(())
    }

    /// The surroundings of a statement, with the memory that it may take.
    pub(super) fn context<'c>(&self, stop: &StopToken) -> ExecContext<'c> {
        ExecContext { memory: Budget::new(self.engine.settings.load().query_mem_limit), ..ExecContext::new(stop.clone()) }
    }

    fn select_constant(&mut self, select: &Select, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        let mut result = self.constant_result(select, stop)?;
        // LIMIT and OFFSET hold for the one row too.
        if select.limit == Some(0) || select.offset > 0 {
            result.rows.clear();
        }
        self.meta = meta_rows(&result.meta);
        send(&result, false, answer)
    }

    fn constant_result(&self, select: &Select, stop: &StopToken) -> Result<SelectResult, Failure> {
        let known = |e: &Expr| self.known(e);
        let context = Context { table: "", analyzer: None, session: &known, parameters: &[] };
        let plan = plan::select::bind_constant(select, &context)?;
        Ok(exec::constant::run(&plan, &self.context(stop)))
    }

    /// The value of an expression without a table.
    pub(super) fn evaluate(&self, expr: &Expr, stop: &StopToken) -> Result<Value, Failure> {
        let item = SelectItem::Expr { expr: expr.clone(), alias: None, text: String::new() };
        let select = Select { items: vec![item], group_rows: 1, ..Select::default() };
        let result = self.constant_result(&select, stop)?;
        Ok(result.rows.into_iter().flatten().next().unwrap_or(Value::Null))
    }

    /// Columns of a SELECT with `params` parameters, if they can be told before it runs.
    pub(super) fn result_columns(&self, select: Select, params: usize) -> Option<Vec<ColumnMeta>> {
        let parameters = vec![Value::Int(0); params];
        let known = |e: &Expr| self.known(e);
        let columns = match select.from.as_slice() {
            [] => {
                let context = Context { table: "", analyzer: None, session: &known, parameters: &parameters };
                plan::select::bind_constant(&select, &context).ok()?.columns
            }
            [name] => {
                let Lookup::Open(table) = self.engine.catalog.get(name) else { return None };
                let snapshot = table.snapshot();
                let context = Context { table: name, analyzer: Some(&snapshot.analyzer), session: &known, parameters: &parameters };
                plan::select::bind(&select, &snapshot.schema, &context).ok()?.columns
            }
            _ => return None,
        };
        Some(columns.into_iter().map(|c| ColumnMeta { name: c.name, kind: wire_type(c.kind) }).collect())
    }

    /// What only the session knows: variables, and functions about the client and the server.
    pub(super) fn known(&self, expr: &Expr) -> Option<Value> {
        match expr {
            // A variable that was never set is NULL, as in MySQL.
            Expr::UserVar(name) => Some(self.user_variables.get(name).cloned().unwrap_or(Value::Null)),
            Expr::SysVar(name) if name == "last_insert_id" => Some(Value::Text(self.last_id_list())),
            Expr::SysVar(name) => {
                let text = self.variables.get(name, &self.engine.settings.load(), &self.engine.version)?;
                Some(text.parse().map_or(Value::Text(text), Value::Int))
            }
            Expr::Call { name, args, .. } if args.is_empty() => match name.as_str() {
                "database" | "schema" => Some(Value::Text(DATABASE.to_owned())),
                "user" | "current_user" | "session_user" | "system_user" => {
                    let host = self.entry.peer().rsplit_once(':').map_or(self.entry.peer(), |(host, _)| host);
                    let user = if self.user.is_empty() { "root" } else { &self.user };
                    Some(Value::Text(format!("{user}@{host}")))
                }
                "version" => Some(Value::Text(self.engine.version.clone())),
                "connection_id" => Some(Value::Int(i64::try_from(self.id()).unwrap_or(i64::MAX))),
                "last_insert_id" => Some(Value::Text(self.last_id_list())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Ids that the last INSERT or REPLACE wrote, with commas between.
    pub(super) fn last_id_list(&self) -> String {
        let ids: Vec<String> = self.last_ids.iter().map(|id| id.to_string()).collect();
        ids.join(",")
    }
}

/// What the client is told where a table could not be read.
pub(super) fn in_table(name: &str, e: ExecError) -> Failure {
    match e {
        ExecError::Stopped => Failure::Stopped,
        ExecError::Rejected(message) => error(message),
        e @ (ExecError::Chunk { .. } | ExecError::Panicked { .. }) => {
            tracing::error!("table '{name}': {e}");
            StatementError::with_code(1194, b"HY000", format!("table '{name}': {e}")).into()
        }
    }
}

fn send(result: &SelectResult, more: bool, answer: &mut Answer<'_>) -> Done {
    let columns: Vec<ColumnMeta> =
        result.columns.iter().map(|(name, kind)| ColumnMeta { name: name.clone(), kind: wire_type(*kind) }).collect();
    answer.columns(&columns)?;
    for row in &result.rows {
        answer.row(row)?;
    }
    answer.end(more)
}

/// Rows of SHOW META after a search that failed.
pub(super) fn failed_meta(why: String) -> Vec<(String, String)> {
    let mut rows = meta_rows(&Meta::default());
    rows.insert(0, ("error".to_owned(), why));
    rows
}

/// Rows of SHOW META.
fn meta_rows(meta: &Meta) -> Vec<(String, String)> {
    let mut rows = vec![
        ("total".to_owned(), meta.total.to_string()),
        ("total_found".to_owned(), meta.total_found.to_string()),
        ("total_relation".to_owned(), if meta.incomplete { "gte" } else { "eq" }.to_owned()),
        ("time".to_owned(), format!("{:.3}", meta.time.as_secs_f64())),
    ];
    for (i, keyword) in meta.keywords.iter().enumerate() {
        rows.push((format!("keyword[{i}]"), keyword.word.clone()));
        rows.push((format!("docs[{i}]"), keyword.docs.to_string()));
        rows.push((format!("hits[{i}]"), keyword.hits.to_string()));
    }
    rows
}
