//! The made-up tables: their columns, and their rows as they are now.

use super::super::client::{DATABASE, Session};
use super::super::failure::{Failure, error};
use super::super::mysql_tools::mysql_type;
use super::PREFIX;
use crate::catalog::Lookup;
use crate::types::ColumnKind;

/// A value; None = NULL.
pub(super) type Cell = Option<String>;

/// A made-up table.
pub(super) struct Virtual {
    pub columns: &'static [&'static str],
    pub rows: Vec<Vec<Cell>>,
}

const SCHEMATA: &[&str] = &["catalog_name", "schema_name", "default_character_set_name", "default_collation_name", "sql_path"];

const TABLES: &[&str] = &[
    "table_catalog",
    "table_schema",
    "table_name",
    "table_type",
    "engine",
    "version",
    "row_format",
    "table_rows",
    "avg_row_length",
    "data_length",
    "max_data_length",
    "index_length",
    "data_free",
    "auto_increment",
    "create_time",
    "update_time",
    "check_time",
    "table_collation",
    "checksum",
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
    "character_maximum_length",
    "character_octet_length",
    "numeric_precision",
    "numeric_scale",
    "datetime_precision",
    "character_set_name",
    "collation_name",
    "column_type",
    "column_key",
    "extra",
    "privileges",
    "column_comment",
    "is_generated",
    "generation_expression",
];

const STATISTICS: &[&str] = &[
    "table_catalog",
    "table_schema",
    "table_name",
    "non_unique",
    "index_schema",
    "index_name",
    "seq_in_index",
    "column_name",
    "collation",
    "cardinality",
    "sub_part",
    "packed",
    "nullable",
    "index_type",
    "comment",
    "index_comment",
];

/// Tables that tools look into and find nothing in: what they are about is not there.
const EMPTY: &[(&str, &[&str])] = &[
    (
        "files",
        &[
            "file_id",
            "file_name",
            "file_type",
            "tablespace_name",
            "table_catalog",
            "table_schema",
            "table_name",
            "logfile_group_name",
            "logfile_group_number",
            "engine",
            "initial_size",
            "maximum_size",
            "autoextend_size",
            "extent_size",
            "total_extents",
            "free_extents",
            "extra",
        ],
    ),
    ("partitions", &["table_catalog", "table_schema", "table_name", "partition_name", "partition_ordinal_position", "tablespace_name"]),
    ("column_statistics", &["schema_name", "table_name", "column_name", "histogram"]),
    ("views", &["table_catalog", "table_schema", "table_name", "view_definition", "is_updatable", "definer", "security_type"]),
    ("triggers", &["trigger_catalog", "trigger_schema", "trigger_name", "event_manipulation", "event_object_schema", "event_object_table"]),
    ("events", &["event_catalog", "event_schema", "event_name", "definer", "event_type", "status"]),
    (
        "routines",
        &["specific_name", "routine_catalog", "routine_schema", "routine_name", "routine_type", "data_type", "routine_definition"],
    ),
    ("parameters", &["specific_catalog", "specific_schema", "specific_name", "ordinal_position", "parameter_name", "data_type"]),
    (
        "key_column_usage",
        &[
            "constraint_catalog",
            "constraint_schema",
            "constraint_name",
            "table_catalog",
            "table_schema",
            "table_name",
            "column_name",
            "ordinal_position",
            "referenced_table_schema",
            "referenced_table_name",
            "referenced_column_name",
        ],
    ),
    ("table_constraints", &["constraint_catalog", "constraint_schema", "constraint_name", "table_schema", "table_name", "constraint_type"]),
    (
        "referential_constraints",
        &[
            "constraint_catalog",
            "constraint_schema",
            "constraint_name",
            "update_rule",
            "delete_rule",
            "table_name",
            "referenced_table_name",
        ],
    ),
];

impl Session {
    /// The table called `information_schema.name`.
    pub(super) fn virtual_table(&self, name: &str) -> Result<Virtual, Failure> {
        if let Some((_, columns)) = EMPTY.iter().find(|(n, _)| *n == name) {
            return Ok(Virtual { columns, rows: Vec::new() });
        }
        let (columns, rows) = match name {
            "schemata" => (SCHEMATA, schemata()),
            "tables" => (TABLES, self.tables()),
            "columns" => (COLUMNS, self.columns()),
            "statistics" => (STATISTICS, self.statistics_rows()),
            _ => return Err(error(format!("unknown local table(s) '{PREFIX}{name}' in search request"))),
        };
        Ok(Virtual { columns, rows: rows.into_iter().map(|known| row(columns, known)).collect() })
    }

    fn tables(&self) -> Vec<Known> {
        let mut rows = Vec::new();
        for table in self.engine.catalog.list() {
            let count = match self.engine.catalog.get(&table) {
                Lookup::Open(open) => open.snapshot().alive_count().to_string(),
                Lookup::Missing => continue,
                Lookup::Unavailable(_) => String::new(),
            };
            rows.push(vec![
                ("table_catalog", "def".into()),
                ("table_schema", DATABASE.into()),
                ("table_name", table),
                ("table_type", "BASE TABLE".into()),
                ("engine", "rt".into()),
                ("version", "10".into()),
                ("row_format", "Dynamic".into()),
                ("table_rows", count),
                ("table_collation", "utf8mb4_general_ci".into()),
                ("create_options", String::new()),
                ("table_comment", String::new()),
            ]);
        }
        rows
    }

    fn columns(&self) -> Vec<Known> {
        let mut rows = Vec::new();
        for table in self.engine.catalog.open_tables() {
            let schema = table.schema();
            let all = std::iter::once(("id", ColumnKind::Bigint)).chain(schema.columns.iter().map(|c| (c.name.as_str(), c.kind)));
            for (i, (column, kind)) in all.enumerate() {
                let full = mysql_type(kind);
                let short = full.split([' ', '(']).next().unwrap_or(full);
                let mut known: Known = vec![
                    ("table_catalog", "def".into()),
                    ("table_schema", DATABASE.into()),
                    ("table_name", table.name().to_owned()),
                    ("column_name", column.to_owned()),
                    ("ordinal_position", (i + 1).to_string()),
                    ("is_nullable", "NO".into()),
                    ("data_type", short.to_owned()),
                    ("column_type", full.to_owned()),
                    ("column_key", if i == 0 { "PRI" } else { "" }.to_owned()),
                    ("extra", String::new()),
                    ("privileges", "select,insert,update".into()),
                    ("column_comment", String::new()),
                    ("is_generated", "NEVER".into()),
                    // Empty, not NULL, as MySQL has it: what is no generated column has no expression.
                    ("generation_expression", String::new()),
                ];
                known.extend(measures(kind));
                rows.push(known);
            }
        }
        rows
    }

    /// The one index of each table that MySQL would know of: its id.
    fn statistics_rows(&self) -> Vec<Known> {
        let of_table = |table: String| -> Known {
            vec![
                ("table_catalog", "def".into()),
                ("table_schema", DATABASE.into()),
                ("table_name", table),
                ("non_unique", "0".into()),
                ("index_schema", DATABASE.into()),
                ("index_name", "PRIMARY".into()),
                ("seq_in_index", "1".into()),
                ("column_name", "id".into()),
                ("collation", "A".into()),
                ("nullable", String::new()),
                ("index_type", "HASH".into()),
                ("comment", String::new()),
                ("index_comment", String::new()),
            ]
        };
        self.engine.catalog.list().into_iter().map(of_table).collect()
    }
}

/// The columns of a row that are not NULL.
type Known = Vec<(&'static str, String)>;

fn row(columns: &[&str], mut known: Known) -> Vec<Cell> {
    let value = |column: &&str| known.iter_mut().find(|(name, _)| name == column).map(|(_, value)| std::mem::take(value));
    columns.iter().map(value).collect()
}

fn schemata() -> Vec<Known> {
    let of_schema = |name: &str| -> Known {
        vec![
            ("catalog_name", "def".into()),
            ("schema_name", name.to_owned()),
            ("default_character_set_name", "utf8mb4".into()),
            ("default_collation_name", "utf8mb4_general_ci".into()),
        ]
    };
    ["information_schema", DATABASE].map(of_schema).into()
}

/// How long texts and numbers of a kind may be, as MySQL puts it.
fn measures(kind: ColumnKind) -> Known {
    let number = |precision: &str| vec![("numeric_precision", precision.to_owned()), ("numeric_scale", "0".to_owned())];
    match kind {
        ColumnKind::Text | ColumnKind::String | ColumnKind::Multi | ColumnKind::Multi64 => vec![
            ("character_maximum_length", "4294967295".into()),
            ("character_octet_length", "4294967295".into()),
            ("character_set_name", "utf8mb4".into()),
            ("collation_name", "utf8mb4_general_ci".into()),
        ],
        ColumnKind::Uint | ColumnKind::Timestamp => number("10"),
        ColumnKind::Bigint => number("19"),
        ColumnKind::Bool => number("3"),
        ColumnKind::Float => vec![("numeric_precision", "12".into())],
        ColumnKind::Json => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_columns_that_are_there() {
        for known in schemata() {
            assert!(known.iter().all(|(name, _)| SCHEMATA.contains(name)));
        }
        assert_eq!(row(&["a", "b"], vec![("b", "x".into())]), [None, Some("x".to_owned())]);
        for (name, columns) in EMPTY {
            assert!(*name == name.to_ascii_lowercase() && columns.iter().all(|c| *c == c.to_ascii_lowercase()));
        }
    }
}
