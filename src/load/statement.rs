//! Statements from a template: rows of an INSERT or REPLACE go together into one statement, other statements are sent several at once
//! with `;` between them.

use super::pattern::{PatternError, Template, Words};
use super::random::Random;

/// Why a template cannot be used.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum StatementError {
    /// One of its patterns.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// INSERT … VALUES and nothing more.
    #[error("no row follows VALUES in: {0}")]
    NoRow(String),
    /// Nothing to send.
    #[error("an empty statement")]
    Empty,
}

/// A statement to be made for many rows.
#[derive(Debug)]
pub(super) struct StatementTemplate {
    /// Up to and with VALUES; empty where each row is a statement of its own.
    head: Template,
    /// A row, or a statement.
    row: Template,
    /// Whether rows share a statement.
    insert: bool,
    table: Option<String>,
}

impl StatementTemplate {
    /// Reads a template as given on the command line.
    pub(super) fn read(text: &str, words: &mut Words<'_>) -> Result<StatementTemplate, StatementError> {
        let text = text.trim().trim_end_matches(';').trim_end();
        if text.is_empty() {
            return Err(StatementError::Empty);
        }
        let table = table_name(text);
        let Some(at) = end_of_values(text) else {
            return Ok(StatementTemplate { head: Template::default(), row: Template::read(text, words)?, insert: false, table });
        };
        let (head, row) = text.split_at(at);
        let row = row.trim_start();
        if row.is_empty() {
            return Err(StatementError::NoRow(text.to_owned()));
        }
        Ok(StatementTemplate { head: Template::read(head, words)?, row: Template::read(row, words)?, insert: true, table })
    }

    /// The table that is written or read.
    pub(super) fn table(&self) -> Option<&str> {
        self.table.as_deref()
    }

    /// Whether rows are written, so that many go into one statement.
    pub(super) fn is_insert(&self) -> bool {
        self.insert
    }

    /// The text for `count` rows from the row `first` on, counted from 0.
    pub(super) fn write(&self, first: u64, count: u64, random: &mut Random, out: &mut Vec<u8>) {
        self.head.write(first, random, out);
        for n in 0..count {
            if n > 0 {
                out.push(if self.insert { b',' } else { b';' });
            }
            self.row.write(first + n, random, out);
        }
    }
}

/// Where VALUES ends, outside of quotes and parentheses, if the text is an INSERT or REPLACE.
fn end_of_values(text: &str) -> Option<usize> {
    let first = words(text).next()?.1.to_ascii_lowercase();
    if first != "insert" && first != "replace" {
        return None;
    }
    words(text).find(|(_, word)| word.eq_ignore_ascii_case("values")).map(|(at, word)| at + word.len())
}

/// The table that a CREATE TABLE, INSERT, REPLACE, UPDATE, DELETE or SELECT names first.
pub(super) fn table_name(text: &str) -> Option<String> {
    let lower: Vec<(String, &str)> = words(text).map(|(_, word)| (word.to_ascii_lowercase(), word)).collect();
    let after = |name: &str| lower.iter().position(|(word, _)| word == name).map(|at| at + 1);
    let mut at = match lower.first()?.0.as_str() {
        "create" => after("table")?,
        "insert" | "replace" => after("into")?,
        "update" => 1,
        "select" | "delete" => after("from")?,
        _ => return None,
    };
    while matches!(lower.get(at).map(|(word, _)| word.as_str()), Some("if" | "not" | "exists")) {
        at += 1;
    }
    let name = lower.get(at)?.1;
    // `INSERT INTO t/shard(…)` and the like are for the server to refuse.
    Some(name.trim_matches('`').to_owned()).filter(|name| !name.is_empty())
}

/// Words outside of strings and parentheses with the bytes at which they begin; a name in backticks is one word, with them.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0usize, 0usize);
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            match bytes[at] {
                quote @ (b'\'' | b'"' | b'`') => {
                    at += 1;
                    while at < bytes.len() && bytes[at] != quote {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                    at = (at + 1).min(bytes.len());
                    if quote == b'`' && depth == 0 {
                        return Some((start, &text[start..at]));
                    }
                }
                b'(' => (depth, at) = (depth + 1, at + 1),
                b')' => (depth, at) = (depth.saturating_sub(1), at + 1),
                byte if is_word(byte) => {
                    while at < bytes.len() && is_word(bytes[at]) {
                        at += 1;
                    }
                    if depth == 0 {
                        return Some((start, &text[start..at]));
                    }
                }
                _ => at += 1,
            }
        }
        None
    })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':') || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::Vocabulary;
    use super::*;
    use rustc_hash::FxHashMap;
    use std::sync::Arc;

    fn read(text: &str) -> Result<StatementTemplate, StatementError> {
        let built_in = Arc::new(Vocabulary::built_in(100, 1.0, 1));
        let read = |_: &str| Err("no files".to_owned());
        StatementTemplate::read(text, &mut Words { built_in, read: &read, files: FxHashMap::default() })
    }

    fn write(text: &str, first: u64, count: u64) -> String {
        let mut out = Vec::new();
        read(text).unwrap_or_else(|e| panic!("{e}")).write(first, count, &mut Random::new(1, 1), &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn rows_share_an_insert_and_other_statements_stand_alone() {
        for (text, want) in [
            ("INSERT INTO t(id, values_) VALUES(<increment>,'VALUES ;')", "INSERT INTO t(id, values_) VALUES(3,'VALUES ;'),(4,'VALUES ;')"),
            ("replace into t values (<increment>) ;", "replace into t values(3),(4)"),
            ("SELECT * FROM t WHERE id=<increment>;", "SELECT * FROM t WHERE id=3;SELECT * FROM t WHERE id=4"),
            ("UPDATE t SET a=1 WHERE id=<increment>", "UPDATE t SET a=1 WHERE id=3;UPDATE t SET a=1 WHERE id=4"),
        ] {
            assert_eq!(write(text, 2, 2), want);
        }
        assert_eq!(read(" ; ").err(), Some(StatementError::Empty));
        assert!(matches!(read("INSERT INTO t VALUES"), Err(StatementError::NoRow(_))));
        assert!(matches!(read("INSERT INTO t VALUES(<foo>)"), Err(StatementError::Pattern(_))));
    }

    #[test]
    fn the_table_is_found() {
        for (text, want) in [
            ("CREATE TABLE IF NOT EXISTS `ta b`(id bigint, name text) optimize_cutoff='16'", Some("ta b")),
            ("create table test(id bigint)", Some("test")),
            ("INSERT INTO test(id) VALUES(1)", Some("test")),
            ("REPLACE INTO größe VALUES(1)", Some("größe")),
            ("SELECT 'from x' FROM test WHERE MATCH('a')", Some("test")),
            ("DELETE FROM test", Some("test")),
            ("UPDATE test SET a = 1", Some("test")),
            ("SHOW TABLES", None),
            ("CREATE", None),
            ("", None),
        ] {
            assert_eq!(table_name(text).as_deref(), want, "{text}");
        }
    }
}
