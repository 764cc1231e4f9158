//! Statements: any text is parsed or refused, and what is written back reads as the same.
//!
//! Must hold, and none of it may panic:
//! - a statement's own text parses to the same statement; an error lies within the text;
//! - what the fast reader of INSERT takes, the parser takes too, as the same rows and up to the same place;
//! - values bound to a prepared statement never make two statements of it;
//! - strings, names of tables and CREATE TABLE as the crate writes them parse to what they were made from.

#![no_main]

use chimera::sql::ast::{Expr, Statement};
use chimera::sql::{self, render, values};
use chimera::types::{Column, ColumnKind, Schema, TableSettings, Value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    every_statement(&text);
    fast_reader(&text);
    prepared(&text);
    literal(&text);
    create_table(data);
});

fn every_statement(text: &str) {
    let mut statements = sql::statements(text);
    while let Some(statement) = statements.next() {
        match statement {
            Ok(parsed) => {
                let again = sql::parse_one(parsed.source);
                assert_eq!(again.as_ref(), Ok(&parsed.statement), "{:?}", parsed.source);
                name_of_table(&parsed.statement);
            }
            Err(error) => {
                assert!(error.offset <= text.len());
                assert!(!error.message.is_empty());
                assert!(!statements.has_more());
            }
        }
    }
}

fn name_of_table(statement: &Statement) {
    let table = match statement {
        Statement::DropTable { table, .. } | Statement::Truncate { table } | Statement::Describe { table, .. } => table,
        Statement::CreateTable(create) => &create.table,
        _ => return,
    };
    let mut text = "TRUNCATE TABLE ".to_owned();
    render::push_name(&mut text, table);
    assert_eq!(sql::parse_one(&text), Ok(Statement::Truncate { table: table.clone() }), "{text}");
}

fn fast_reader(text: &str) {
    let Some(mut scan) = values::scan(text) else { return };
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    loop {
        match scan.next_row(&mut row) {
            Ok(true) => rows.push(row.iter().map(as_expr).collect::<Vec<Expr>>()),
            Ok(false) => break,
            Err(values::NotMine) => return,
        }
    }
    let mut statements = sql::statements(text);
    let parsed = statements.next().expect("a statement").expect("the fast reader took it");
    let Statement::Insert(insert) = parsed.statement else { panic!("no insert: {text:?}") };
    assert_eq!((&insert.table, insert.replace, &insert.columns), (&scan.table, scan.replace, &scan.columns));
    assert_eq!(insert.rows, rows);
    let mut behind = sql::statements(text);
    behind.advance(scan.consumed());
    assert_eq!(behind.rest(), statements.rest());
}

fn as_expr(literal: &values::Lit<'_>) -> Expr {
    match literal {
        values::Lit::Int(v) => Expr::Int(*v),
        values::Lit::Uint(v) => Expr::Uint(*v),
        values::Lit::Float(v) => Expr::Float(*v),
        values::Lit::Text(v) => Expr::Text(v.to_string()),
        values::Lit::List(v) => Expr::List(v.iter().map(|n| Expr::Int(*n)).collect()),
        values::Lit::Null => Expr::Null,
    }
}

fn prepared(text: &str) {
    let Ok(prepared) = sql::prepare(text) else { return };
    let n = prepared.parameters.len();
    let texts = ["'; DROP TABLE t; --", "\\", "*/ ; # '", "\0\u{1a}\r\n\"`ö"];
    for value in [
        Value::Int(i64::MIN),
        Value::Int(-1),
        Value::Uint(u64::MAX),
        Value::Float(-1.5e-30),
        Value::Double(f64::NAN),
        Value::Null,
        Value::Text(texts[n % texts.len()].to_owned()),
        Value::Text(text.chars().take(50).collect()),
    ] {
        let bound = sql::bind_parameters(text, &prepared.parameters, &vec![value; n]).expect("as many values as parameters");
        if let Ok(statements) = sql::parse(&bound) {
            assert_eq!(statements.len(), 1, "{bound:?}");
        }
    }
    assert_eq!(sql::bind_parameters(text, &prepared.parameters, &vec![Value::Null; n + 1]), None);
}

fn literal(text: &str) {
    let statement = format!("DESC t LIKE {}", render::quoted(text));
    assert_eq!(sql::parse_one(&statement), Ok(Statement::Describe { table: "t".to_owned(), like: Some(text.to_owned()) }));
}

/// A table made from the bytes: per column a byte for its type, one for its flags, and a name.
fn create_table(data: &[u8]) {
    const KINDS: [ColumnKind; 10] = [
        ColumnKind::Text,
        ColumnKind::String,
        ColumnKind::Uint,
        ColumnKind::Bigint,
        ColumnKind::Float,
        ColumnKind::Bool,
        ColumnKind::Timestamp,
        ColumnKind::Multi,
        ColumnKind::Multi64,
        ColumnKind::Json,
    ];
    let Some((head, rest)) = data.split_at_checked(12) else { return };
    let columns = rest.chunks(8).take(12).enumerate().map(|(n, piece)| {
        let kind = KINDS[usize::from(piece[0]) % KINDS.len()];
        let flags = piece.get(1).copied().unwrap_or_default();
        // Any name that the parser could have given: no backtick, in lower case.
        let name = String::from_utf8_lossy(piece.get(2..).unwrap_or_default()).to_ascii_lowercase().replace('`', "_");
        let texts = matches!(kind, ColumnKind::Text | ColumnKind::String);
        Column {
            name,
            kind,
            uid: n as u32,
            indexed: texts && flags & 1 != 0,
            stored: kind == ColumnKind::Text && flags & 2 != 0,
            attribute: !texts || kind == ColumnKind::String || flags & 4 != 0,
            columnar: flags & 8 != 0,
        }
    });
    let schema = Schema { version: 1, columns: columns.collect() };
    let number = u64::from_le_bytes(head[..8].try_into().expect("eight bytes"));
    let mut settings = TableSettings {
        rt_mem_limit: (head[8] & 1 != 0).then_some(number),
        max_chunk_size: (head[8] & 2 != 0).then_some(number >> (head[9] & 63)),
        diskchunk_flush_write_timeout: (head[8] & 4 != 0).then_some(number as i64),
        ..TableSettings::default()
    };
    settings.text.insert("stopwords".to_owned(), String::from_utf8_lossy(&head[8..]).into_owned());
    let text = render::create_table("t", &schema, &settings);
    let created = match sql::parse_one(&text) {
        Ok(Statement::CreateTable(created)) => created,
        other => panic!("{other:?}: {text:?}"),
    };
    assert_eq!(created.options, render::table_options(&settings), "{text:?}");
    let (id, others) = created.columns.split_first().expect("an id");
    assert_eq!((id.name.as_str(), id.type_name.as_str()), ("id", "bigint"));
    assert_eq!(others.len(), schema.columns.len());
    for (got, column) in others.iter().zip(&schema.columns) {
        assert_eq!((&got.name, got.type_name.as_str()), (&column.name, column.kind.create_name()), "{text:?}");
        assert!(got.options.is_empty());
        assert!(got.flags.is_empty() || got.flags == render::properties(column), "{text:?}");
    }
}
