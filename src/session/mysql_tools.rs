//! SHOWs that MySQL's tools and drivers send: answered in MySQL's columns, with what little there is to say.

use super::answer::{Answer, text_columns, texts};
use super::client::{DATABASE, Session};
use super::failure::{Done, not_built};
use super::like::fits;
use crate::catalog::Lookup;
use crate::types::{ColumnKind, Value};

impl Session {
    pub(super) fn show_full_tables(&self, like: &Option<String>, answer: &mut Answer<'_>) -> Done {
        let heading = format!("Tables_in_{DATABASE}");
        let names = self.engine.catalog.list();
        answer.table(&[&heading, "Table_type"], names.iter().filter(|n| fits(like, n)).map(|n| texts([n.as_str(), "BASE TABLE"])))
    }

    pub(super) fn show_columns(&self, table: &str, full: bool, like: &Option<String>, answer: &mut Answer<'_>) -> Done {
        let schema = self.table(table)?.schema();
        let id = ("id", "bigint", "PRI");
        let all = std::iter::once(id).chain(schema.columns.iter().map(|c| (c.name.as_str(), mysql_type(c.kind), "")));
        let fitting = all.filter(|(name, ..)| fits(like, name));
        if full {
            let headings = ["Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment"];
            return answer.table(
                &headings,
                fitting.map(|(name, kind, key)| {
                    let mut row = texts([name, kind, "", "NO", key, "", "", "select,insert,update", ""]);
                    row[2] = Value::Null;
                    row[5] = Value::Null;
                    row
                }),
            );
        }
        answer.table(
            &["Field", "Type", "Null", "Key", "Default", "Extra"],
            fitting.map(|(name, kind, key)| {
                let mut row = texts([name, kind, "NO", key, "", ""]);
                row[4] = Value::Null;
                row
            }),
        )
    }

    pub(super) fn show_keys(&self, table: &str, answer: &mut Answer<'_>) -> Done {
        self.table(table)?;
        let headings = [
            "Table",
            "Non_unique",
            "Key_name",
            "Seq_in_index",
            "Column_name",
            "Collation",
            "Cardinality",
            "Sub_part",
            "Packed",
            "Null",
            "Index_type",
            "Comment",
            "Index_comment",
        ];
        let mut row = texts([table, "0", "PRIMARY", "1", "id", "A", "", "", "", "", "HASH", "", ""]);
        for unknown in [6, 7, 8] {
            row[unknown] = Value::Null;
        }
        answer.table(&headings, [row])
    }

    pub(super) fn show_process_list(&self, answer: &mut Answer<'_>) -> Done {
        let rows: Vec<[Value; 8]> = self
            .engine
            .registry
            .list()
            .into_iter()
            .map(|s| {
                let id = s.id.to_string();
                let (command, seconds, state, info) = match &s.running {
                    Some((text, time)) => ("Query", time.as_secs().to_string(), "executing", text.as_str()),
                    None => ("Sleep", "0".to_owned(), "", ""),
                };
                let mut row = texts([&id, &s.user, &s.peer, DATABASE, command, &seconds, state, info]);
                if s.running.is_none() {
                    row[7] = Value::Null;
                }
                row
            })
            .collect();
        answer.table(&["Id", "User", "Host", "db", "Command", "Time", "State", "Info"], rows)
    }

    /// `words` are those behind SHOW, folded.
    pub(super) fn show_other(&self, words: &str, like: &Option<String>, answer: &mut Answer<'_>) -> Done {
        match words {
            "collation" => {
                let rows = [
                    texts(["utf8mb3_general_ci", "utf8mb3", "33", "Yes", "Yes", "1"]),
                    texts(["utf8mb4_general_ci", "utf8mb4", "45", "Yes", "Yes", "1"]),
                    texts(["utf8mb4_bin", "utf8mb4", "46", "", "Yes", "1"]),
                    texts(["binary", "binary", "63", "Yes", "Yes", "1"]),
                ];
                answer.table(
                    &["Collation", "Charset", "Id", "Default", "Compiled", "Sortlen"],
                    rows.into_iter().filter(|r| first_fits(like, r)),
                )
            }
            "character set" => {
                let rows = [
                    texts(["utf8mb3", "UTF-8 Unicode", "utf8mb3_general_ci", "3"]),
                    texts(["utf8mb4", "UTF-8 Unicode", "utf8mb4_general_ci", "4"]),
                    texts(["binary", "Binary pseudo charset", "binary", "1"]),
                ];
                answer.table(&["Charset", "Description", "Default collation", "Maxlen"], rows.into_iter().filter(|r| first_fits(like, r)))
            }
            "engines" => {
                let rows = [texts(["rt", "DEFAULT", "Real-time full-text tables, rows stored row-wise", "YES", "NO", "NO"])];
                answer.table(&["Engine", "Support", "Comment", "Transactions", "XA", "Savepoints"], rows)
            }
            "table status" => self.show_mysql_table_status(like, answer),
            "plugins" => empty(&["Name", "Status", "Type", "Library", "License"], answer),
            "privileges" => empty(&["Privilege", "Context", "Comment"], answer),
            "events" => empty(
                &[
                    "Db",
                    "Name",
                    "Definer",
                    "Time zone",
                    "Type",
                    "Execute at",
                    "Interval value",
                    "Interval field",
                    "Starts",
                    "Ends",
                    "Status",
                    "Originator",
                    "character_set_client",
                    "collation_connection",
                    "Database Collation",
                ],
                answer,
            ),
            "triggers" => empty(
                &[
                    "Trigger",
                    "Event",
                    "Table",
                    "Statement",
                    "Timing",
                    "Created",
                    "sql_mode",
                    "Definer",
                    "character_set_client",
                    "collation_connection",
                    "Database Collation",
                ],
                answer,
            ),
            "function status" | "procedure status" => empty(
                &[
                    "Db",
                    "Name",
                    "Type",
                    "Definer",
                    "Modified",
                    "Created",
                    "Security_type",
                    "Comment",
                    "character_set_client",
                    "collation_connection",
                    "Database Collation",
                ],
                answer,
            ),
            other => Err(not_built(&format!("SHOW {}", other.to_ascii_uppercase()))),
        }
    }

    /// MySQL's SHOW TABLE STATUS: a line per table.
    fn show_mysql_table_status(&self, like: &Option<String>, answer: &mut Answer<'_>) -> Done {
        let headings = [
            "Name",
            "Engine",
            "Version",
            "Row_format",
            "Rows",
            "Avg_row_length",
            "Data_length",
            "Max_data_length",
            "Index_length",
            "Data_free",
            "Auto_increment",
            "Create_time",
            "Update_time",
            "Check_time",
            "Collation",
            "Checksum",
            "Create_options",
            "Comment",
        ];
        let mut rows = Vec::new();
        for name in self.engine.catalog.list().iter().filter(|n| fits(like, n)) {
            let mut row: Vec<Value> = vec![Value::Null; headings.len()];
            row[0] = Value::Text(name.clone());
            match self.engine.catalog.get(name) {
                Lookup::Open(table) => {
                    row[1] = Value::Text("rt".into());
                    row[4] = Value::Text(table.snapshot().alive_count().to_string());
                    row[14] = Value::Text("utf8mb4_general_ci".into());
                    row[16] = Value::Text(String::new());
                    row[17] = Value::Text(String::new());
                }
                // As MySQL shows a table that it cannot open: no engine, the reason as comment.
                Lookup::Unavailable(why) => row[17] = Value::Text(why),
                Lookup::Missing => continue,
            }
            rows.push(row);
        }
        answer.table(&headings, rows)
    }
}

/// A result set without rows.
fn empty(headings: &[&str], answer: &mut Answer<'_>) -> Done {
    answer.columns(&text_columns(headings))?;
    answer.end(false)
}

fn first_fits(like: &Option<String>, row: &[Value]) -> bool {
    matches!(row.first(), Some(Value::Text(name)) if fits(like, name))
}

/// What MySQL would call a column's type.
pub(super) fn mysql_type(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Text | ColumnKind::String | ColumnKind::Multi | ColumnKind::Multi64 => "text",
        ColumnKind::Uint | ColumnKind::Timestamp => "int unsigned",
        ColumnKind::Bigint => "bigint",
        ColumnKind::Float => "float",
        ColumnKind::Bool => "tinyint(1)",
        ColumnKind::Json => "json",
    }
}
