//! The way back: values and names to text that reads as the same, and a table to its CREATE TABLE.

use super::lexer::is_word_byte;
use super::parser::is_reserved;
use crate::types::{AttributeStorage, Column, ColumnKind, Schema, TableSettings, Value};

/// Appends `text` as a string literal in single quotes.
pub fn push_quoted(out: &mut String, text: &str) {
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\u{1a}' => out.push_str("\\Z"),
            c => out.push(c),
        }
    }
    out.push('\'');
}

/// `text` as a string literal in single quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

/// Appends a value as a literal. NaN and infinities, which have none, become NULL.
pub fn push_literal(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("NULL"),
        Value::Int(v) => out.push_str(&v.to_string()),
        Value::Uint(v) => out.push_str(&v.to_string()),
        // Debug form keeps a point or an exponent, so that it reads as a float again.
        Value::Float(v) if v.is_finite() => out.push_str(&format!("{v:?}")),
        Value::Double(v) | Value::Avg(v) if v.is_finite() => out.push_str(&format!("{v:?}")),
        Value::Float(_) | Value::Double(_) | Value::Avg(_) => out.push_str("NULL"),
        Value::Text(v) => push_quoted(out, v),
        Value::Mva(_) => {
            out.push('(');
            out.push_str(&value.text().unwrap_or_default());
            out.push(')');
        }
        Value::Json(_) => push_quoted(out, &value.text().unwrap_or_default()),
    }
}

/// Words of CREATE TABLE and its kin that the dialect's other servers print in backticks, and some read as names only so.
const QUOTED: [&str; 49] = [
    "add",
    "alter",
    "as",
    "at",
    "attribute",
    "bigint",
    "bit",
    "bool",
    "cluster",
    "column",
    "columnar",
    "create",
    "double",
    "drop",
    "engine",
    "exists",
    "fast_fetch",
    "float",
    "from",
    "function",
    "hash",
    "if",
    "import",
    "indexed",
    "int",
    "integer",
    "join",
    "json",
    "killlist_target",
    "knn",
    "like",
    "multi",
    "multi64",
    "not",
    "plugin",
    "rebuild",
    "reconfigure",
    "returns",
    "rtindex",
    "secondary",
    "soname",
    "stored",
    "string",
    "table",
    "text",
    "timestamp",
    "type",
    "uint",
    "update",
];

/// Appends a name, in backticks where it would not read as a name without, here or on another server of the dialect.
pub fn push_name(out: &mut String, name: &str) {
    let plain = !name.is_empty()
        && name.bytes().all(is_word_byte)
        && !name.as_bytes()[0].is_ascii_digit()
        && !is_reserved(name)
        && !QUOTED.iter().any(|w| w.eq_ignore_ascii_case(name));
    if plain {
        out.push_str(name);
    } else {
        out.push('`');
        out.push_str(name);
        out.push('`');
    }
}

/// The CREATE TABLE that makes a table like this one, as SHOW CREATE TABLE prints it.
pub fn create_table(name: &str, schema: &Schema, settings: &TableSettings) -> String {
    let mut out = String::from("CREATE TABLE ");
    push_name(&mut out, name);
    out.push_str(" (\nid bigint");
    for column in &schema.columns {
        out.push_str(",\n");
        push_name(&mut out, &column.name);
        out.push(' ');
        out.push_str(column.kind.create_name());
        for word in column_words(column) {
            out.push(' ');
            out.push_str(word);
        }
        let storage = if column.columnar { AttributeStorage::Columnar } else { AttributeStorage::Rowwise };
        if column.attribute && column.kind != ColumnKind::Json && storage != settings.storage {
            out.push_str(" engine=");
            push_quoted(&mut out, storage.name());
        }
    }
    out.push_str("\n)");
    for (name, value) in table_options(settings) {
        out.push(' ');
        out.push_str(&name);
        out.push('=');
        push_quoted(&mut out, &value);
    }
    out
}

/// What stands behind the type where it is not the usual for it: plain `text` is indexed and stored, plain `string` an attribute.
fn column_words(column: &Column) -> Vec<&'static str> {
    let words = properties(column);
    let usual = match column.kind {
        ColumnKind::Text => column.indexed && column.stored && !column.attribute,
        ColumnKind::String => !column.indexed && column.attribute,
        _ => true,
    };
    if usual { Vec::new() } else { words }
}

/// `indexed`, `stored`, `attribute`, as far as they hold for a text or string column; empty for the others.
pub fn properties(column: &Column) -> Vec<&'static str> {
    let mut words = Vec::new();
    if matches!(column.kind, ColumnKind::Text | ColumnKind::String) {
        for (word, holds) in [("indexed", column.indexed), ("stored", column.stored), ("attribute", column.attribute)] {
            if holds && (column.kind == ColumnKind::Text || column.indexed) {
                words.push(word);
            }
        }
    }
    words
}

/// A table's own settings in order: name → value as it would be written.
pub fn table_options(settings: &TableSettings) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let mut push = |name: &str, value: Option<String>| out.extend(value.map(|v| (name.to_owned(), v)));
    push("rt_mem_limit", settings.rt_mem_limit.map(size));
    push("auto_optimize", settings.auto_optimize.map(|v| v.to_string()));
    push("optimize_cutoff", settings.optimize_cutoff.map(|v| v.to_string()));
    push("max_chunk_size", settings.max_chunk_size.map(size));
    push("diskchunk_flush_write_timeout", settings.diskchunk_flush_write_timeout.map(|v| v.to_string()));
    push("diskchunk_flush_search_timeout", settings.diskchunk_flush_search_timeout.map(|v| v.to_string()));
    push("engine", (settings.storage != AttributeStorage::default()).then(|| settings.storage.name().to_owned()));
    out.extend(settings.text.iter().map(|(k, v)| (k.clone(), v.clone())));
    out
}

/// Bytes in the largest unit that loses nothing: `128M`.
pub fn size(bytes: u64) -> String {
    for (unit, shift) in [("G", 30), ("M", 20), ("K", 10)] {
        if bytes > 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let mut out = String::new();
        for value in [Value::Text("it's \\ \n".into()), Value::Float(1.0), Value::Double(-2.5e300), Value::Mva(vec![1, 2]), Value::Null] {
            push_literal(&mut out, &value);
            out.push(' ');
        }
        assert_eq!(out, "'it\\'s \\\\ \\n' 1.0 -2.5e300 (1,2) NULL ");
        assert_eq!(size(128 << 20), "128M");
        assert_eq!(size(1000), "1000");
    }

    #[test]
    fn create() {
        let column = |name: &str, kind, indexed, stored, attribute| Column {
            name: name.into(),
            kind,
            uid: 0,
            indexed,
            stored,
            attribute,
            columnar: false,
        };
        let schema = Schema {
            version: 0,
            columns: vec![
                column("title", ColumnKind::Text, true, true, false),
                column("plot", ColumnKind::Text, true, false, false),
                column("order", ColumnKind::Uint, false, false, true),
                column("s", ColumnKind::String, true, false, true),
            ],
        };
        let mut settings = TableSettings { rt_mem_limit: Some(1 << 20), ..TableSettings::default() };
        settings.text.insert("morphology".into(), "stem_en".into());
        assert_eq!(
            create_table("t", &schema, &settings),
            "CREATE TABLE t (\nid bigint,\ntitle text,\nplot text indexed,\n`order` integer,\ns string indexed attribute\n) rt_mem_limit='1M' morphology='stem_en'"
        );
    }
}
