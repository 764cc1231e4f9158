//! CREATE, DROP, TRUNCATE and ALTER TABLE. Each commits what the client has pending before it acts.

use std::collections::HashSet;

use super::answer::Answer;
use super::client::{DATABASE, Session};
use super::failure::{Done, Failure, error, not_built, required};
use super::table_settings;
use crate::catalog::Lookup;
use crate::sql::ast::{ColumnDef, CreateTable};
use crate::types::{AttributeStorage, Column, ColumnKind, Schema, StopToken, TableSettings};

/// Full-text fields of a table: their number is kept in a byte.
const FIELDS_MAX: usize = 255;
/// Columns of a table, the id not counted, as in MySQL, whose clients and tools are made for so many.
const COLUMNS_MAX: usize = 4_096;
/// Bytes of a table's name, which is also the name of its folder.
const NAME_BYTES_MAX: usize = 128;

impl Session {
    pub(super) fn create_table(&mut self, create: CreateTable, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        self.commit(stop)?;
        let name = &create.table;
        check_table_name(name)?;
        if !matches!(self.engine.catalog.get(name), Lookup::Missing) {
            if create.if_not_exists {
                answer.warn(1050, format!("table '{name}' exists already"));
                return answer.ok();
            }
            return Err(exists(name));
        }
        let failed = |failure| in_create(name, failure);
        let storage = self.engine.catalog.surroundings().settings.load().storage;
        let mut settings = TableSettings { storage, ..TableSettings::default() };
        for (option, value) in &create.options {
            table_settings::put(&mut settings, option, value).map_err(failed)?;
        }
        let schema = schema(&create.columns, settings.storage).map_err(failed)?;
        table_settings::check_text(&settings, &self.engine).map_err(failed)?;
        // Another client may have been faster since the look-up: then the catalog says so.
        self.engine.catalog.create(name, schema, settings).map_err(|e| in_create(name, e.into()))?;
        for column in create.columns.iter().filter(|column| column.type_name == "json" && asks_for_columnar(column)) {
            answer.warn(1105, format!("column '{}': JSON is not columnar, it stays in rows", column.name));
        }
        answer.ok()
    }

    /// There is one database, which is always there. That is a warning, not an error: what restores a dump says IF NOT EXISTS in a comment, where
    /// nobody reads it.
    pub(super) fn create_database(&mut self, name: &str, answer: &mut Answer<'_>) -> Done {
        if !name.eq_ignore_ascii_case(DATABASE) {
            return Err(error(format!("database '{name}' cannot be created: there is one database, {DATABASE}")));
        }
        answer.warn(1007, format!("database '{DATABASE}' exists already"));
        answer.ok()
    }

    pub(super) fn drop_table(&mut self, name: &str, if_exists: bool, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        self.commit(stop)?;
        if !self.engine.catalog.drop_table(name)? && !if_exists {
            return Err(error(format!("DROP TABLE failed: unknown table '{name}'")));
        }
        answer.ok()
    }

    pub(super) fn truncate(&mut self, name: &str, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        self.commit(stop)?;
        let table = self.existing(name, || required("TRUNCATE RTINDEX", "RT table", name))?;
        let _writing = self.writing(name, &table)?;
        table.truncate()?;
        answer.ok()
    }

    pub(super) fn alter_settings(&mut self, name: &str, changes: &[(String, String)], answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        self.commit(stop)?;
        let table = self.existing(name, || error(format!("table {name}: unknown local table in ALTER request")))?;
        let mut settings = TableSettings::clone(&table.settings());
        for (option, value) in changes {
            if option == "engine" {
                return Err(error("engine is chosen when a table is created: the attributes of its chunks are not kept anew"));
            }
            if !table_settings::is_storage_setting(option) {
                // A word that nobody knows is a mistake, not something that is missing.
                let mut tried = settings.clone();
                table_settings::put(&mut tried, option, value)?;
                table_settings::check_text(&tried, &self.engine)?;
                return Err(not_built(&format!("ALTER TABLE … {option}: changing how text is read")));
            }
            table_settings::put(&mut settings, option, value)?;
        }
        table.alter_settings(settings)?;
        answer.ok()
    }
}

fn exists(name: &str) -> Failure {
    error(format!("table '{name}': CREATE TABLE failed: table '{name}' already exists"))
}

/// Puts the table's name before an error of its creation.
fn in_create(name: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Statement(mut e) => {
            if !e.message.contains("CREATE TABLE failed") {
                e.message = format!("table '{name}': CREATE TABLE failed: {}", e.message);
            }
            Failure::Statement(e)
        }
        other => other,
    }
}

/// A table's name is the name of a folder, so only plain characters are allowed.
fn check_table_name(name: &str) -> Result<(), Failure> {
    if let Some((database, _)) = name.split_once('.') {
        return Err(error(format!("there is no database '{database}' to create a table in")));
    }
    let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if !plain || name.is_empty() || name.as_bytes()[0].is_ascii_digit() {
        return Err(error(format!("'{name}' cannot be the name of a table: letters, digits and _ are allowed, a digit not first")));
    }
    if name.len() > NAME_BYTES_MAX {
        return Err(error(format!("the name of a table has at most {NAME_BYTES_MAX} characters")));
    }
    Ok(())
}

/// The schema that column definitions make; attributes whose columns do not say it are kept in `storage`.
fn schema(columns: &[ColumnDef], storage: AttributeStorage) -> Result<Schema, Failure> {
    if columns.len() > COLUMNS_MAX + 1 {
        return Err(error(format!("a table has at most {COLUMNS_MAX} columns, not {}", columns.len())));
    }
    let mut schema = Schema { version: 1, columns: Vec::with_capacity(columns.len()) };
    let (mut id_declared, mut names) = (false, HashSet::with_capacity(columns.len()));
    for definition in columns {
        if definition.name == "id" {
            if id_declared {
                return Err(duplicate("id"));
            }
            check_id(definition)?;
            id_declared = true;
            continue;
        }
        if !names.insert(definition.name.as_str()) {
            return Err(duplicate(&definition.name));
        }
        let uid = schema.columns.len() as u32 + 1;
        schema.columns.push(column(definition, uid, storage)?);
    }
    if schema.columns.len() > COLUMNS_MAX {
        return Err(error(format!("a table has at most {COLUMNS_MAX} columns, not {}", schema.columns.len())));
    }
    if schema.field_count() > FIELDS_MAX {
        return Err(error(format!("a table has at most {FIELDS_MAX} full-text fields")));
    }
    Ok(schema)
}

fn duplicate(name: &str) -> Failure {
    error(format!("duplicate column name '{name}'"))
}

fn check_id(definition: &ColumnDef) -> Result<(), Failure> {
    match definition.type_name.as_str() {
        // Whatever whole number is declared, an id is a bigint.
        "bigint" | "int" | "integer" | "uint" if definition.flags.is_empty() && definition.options.is_empty() => Ok(()),
        "uuid" => Err(not_built("an id of type uuid")),
        _ => Err(error("the column id is a plain bigint")),
    }
}

/// One column with the properties that it is declared to have, or that its type has where none are named.
fn column(definition: &ColumnDef, uid: u32, storage: AttributeStorage) -> Result<Column, Failure> {
    let name = &definition.name;
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !plain || name.bytes().next().is_none_or(|b| b.is_ascii_digit()) {
        return Err(error(format!("'{name}' cannot be the name of a column: letters, digits and _ are allowed, a digit not first")));
    }
    let kind = match definition.type_name.as_str() {
        "text" | "field" => ColumnKind::Text,
        "string" => ColumnKind::String,
        "int" | "integer" | "uint" => ColumnKind::Uint,
        "bigint" => ColumnKind::Bigint,
        "float" => ColumnKind::Float,
        "bool" => ColumnKind::Bool,
        "timestamp" => ColumnKind::Timestamp,
        "multi" | "mva" => ColumnKind::Multi,
        "multi64" | "mva64" => ColumnKind::Multi64,
        "json" => ColumnKind::Json,
        "float_vector" | "uuid" => return Err(not_built(&format!("the type {} (column '{name}')", definition.type_name))),
        other if other.starts_with("bit(") => return Err(not_built(&format!("the type bit (column '{name}')"))),
        other => return Err(error(format!("unknown type '{other}' of column '{name}'"))),
    };
    let mut named_storage = None;
    for (option, value) in &definition.options {
        match (option.as_str(), value.to_ascii_lowercase().as_str()) {
            ("engine", value) => {
                let wanted = || error(format!("engine='{value}' (column '{name}'): 'rowwise' or 'columnar' expected"));
                named_storage = Some(AttributeStorage::named(value).ok_or_else(wanted)?);
            }
            // What is said not to be wanted is not there: no second copy of the row, no hashes of strings, no index.
            ("secondary_index" | "fast_fetch" | "hash", "0") => {}
            _ => return Err(not_built(&format!("{option}='{value}' (column '{name}')"))),
        }
    }
    let (mut indexed, mut stored, mut attribute) = (false, false, false);
    for flag in &definition.flags {
        match flag.as_str() {
            "indexed" => indexed = true,
            "stored" => stored = true,
            "attribute" => attribute = true,
            "fast_fetch" | "hash" => return Err(not_built(&format!("{flag} (column '{name}')"))),
            _ => return Err(error(format!("unknown property '{flag}' of column '{name}'"))),
        }
    }
    let textual = matches!(kind, ColumnKind::Text | ColumnKind::String);
    if !textual && (indexed || stored) {
        return Err(error(format!("column '{name}' of type {} can be neither indexed nor stored", definition.type_name)));
    }
    let named = indexed || stored || attribute;
    let (kind, indexed, stored, attribute) = match kind {
        ColumnKind::Text if !named => (kind, true, true, false),
        ColumnKind::String if !named => (kind, false, false, true),
        // Named properties go before the type's own, so text and string are one type but for what they are without them.
        ColumnKind::Text | ColumnKind::String => {
            (if attribute && !stored { ColumnKind::String } else { ColumnKind::Text }, indexed, stored, attribute)
        }
        _ => (kind, false, false, true),
    };
    if !attribute && named_storage.is_some() {
        return Err(error(format!("engine (column '{name}') says how an attribute is kept, and this column is none")));
    }
    let columnar = attribute && kind != ColumnKind::Json && named_storage.unwrap_or(storage) == AttributeStorage::Columnar;
    Ok(Column { name: name.clone(), kind, uid, indexed, stored, attribute, columnar })
}

/// Whether a column is said to be columnar, whatever its table.
fn asks_for_columnar(definition: &ColumnDef) -> bool {
    definition.options.iter().any(|(option, value)| option == "engine" && value.eq_ignore_ascii_case(AttributeStorage::Columnar.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::ast::Statement;
    use crate::sql::{parse_one, render};

    fn made(columns: &str) -> Result<String, String> {
        made_in(AttributeStorage::Rowwise, columns)
    }

    fn made_in(storage: AttributeStorage, columns: &str) -> Result<String, String> {
        let Ok(Statement::CreateTable(create)) = parse_one(&format!("CREATE TABLE t({columns})")) else { panic!("{columns}") };
        match schema(&create.columns, storage) {
            Ok(schema) => {
                let settings = TableSettings { storage, ..TableSettings::default() };
                Ok(render::create_table("t", &schema, &settings).replace('\n', ""))
            }
            Err(Failure::Statement(e)) => Err(e.message),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn schemas_and_their_rendering() {
        for (columns, rendered) in [
            ("title text, plot text, year int, genres multi, info json", "title text,plot text,year integer,genres multi,info json"),
            (
                "id bigint, a string, b bigint, c float, d bool, e timestamp, f multi64",
                "a string,b bigint,c float,d bool,e timestamp,f multi64",
            ),
            ("a text indexed stored, b text indexed, c text stored", "a text,b text indexed,c text stored"),
            (
                "a string indexed attribute, b text indexed attribute, c string indexed",
                "a string indexed attribute,b string indexed attribute,c text indexed",
            ),
            ("a text indexed stored attribute", "a text indexed stored attribute"),
            ("n uint attribute, m integer engine='rowwise'", "n integer,m integer"),
            ("a int engine='COLUMNAR' fast_fetch='0', j json engine='columnar'", "a integer engine='columnar',j json"),
        ] {
            assert_eq!(made(columns).as_deref(), Ok(format!("CREATE TABLE t (id bigint,{rendered})").as_str()), "{columns}");
        }
        let columnar = made_in(
            AttributeStorage::Columnar,
            "t text, a int, b float engine='rowwise', s string indexed attribute engine='columnar', j json",
        );
        let rendered = "t text,a integer,b float engine='rowwise',s string indexed attribute,j json) engine='columnar'";
        assert_eq!(columnar, Ok(format!("CREATE TABLE t (id bigint,{rendered}")));
        for (columns, message) in [
            ("a int, A text", "duplicate column name 'a'"),
            ("id bigint, id bigint", "duplicate column name 'id'"),
            ("a number", "unknown type 'number' of column 'a'"),
            ("a int(11)", "unknown type 'int(11)' of column 'a'"),
            ("a int indexed", "column 'a' of type int can be neither indexed nor stored"),
            ("a text searchable", "unknown property 'searchable' of column 'a'"),
            ("v float_vector knn_type='hnsw'", "the type float_vector (column 'v') is not built yet"),
            ("a int engine='diagonal'", "engine='diagonal' (column 'a'): 'rowwise' or 'columnar' expected"),
            ("a text engine='columnar'", "engine (column 'a') says how an attribute is kept, and this column is none"),
            ("a int engine='columnar' fast_fetch='1'", "fast_fetch='1' (column 'a') is not built yet"),
            ("id string", "the column id is a plain bigint"),
            ("`` int", "'' cannot be the name of a column: letters, digits and _ are allowed, a digit not first"),
            ("`a b` int", "'a b' cannot be the name of a column: letters, digits and _ are allowed, a digit not first"),
        ] {
            assert_eq!(made(columns), Err(message.to_owned()), "{columns}");
        }
        let many: Vec<String> = (0..256).map(|i| format!("f{i} text")).collect();
        assert!(made(&many.join(",")).is_err());
        let columns = |n: usize| (0..n).map(|i| format!("a{i} int")).collect::<Vec<_>>().join(",");
        assert!(made(&columns(COLUMNS_MAX)).is_ok() && made(&format!("id bigint,{}", columns(COLUMNS_MAX))).is_ok());
        for n in [COLUMNS_MAX + 1, 70_000] {
            assert_eq!(made(&columns(n)), Err(format!("a table has at most 4096 columns, not {n}")));
        }
    }

    #[test]
    fn names_of_tables_are_names_of_folders() {
        for good in ["t", "_a1", "movies_2"] {
            assert!(check_table_name(good).is_ok());
        }
        for bad in ["", "1a", "a/b", "..", "a b", "x.t", "ж", &"a".repeat(129)] {
            assert!(check_table_name(bad).is_err(), "{bad}");
        }
    }
}
