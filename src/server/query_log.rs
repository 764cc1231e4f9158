//! The log of queries: one line per SELECT, which is itself a statement that can be run again.
//!
//! ```text
//! /* Sun Apr 28 12:38:02.808 2024 conn 2 (127.0.0.1:53228) wall 0.001 rows 20 */ SELECT * FROM t WHERE MATCH('tea');
//! ```

use std::sync::Arc;

use super::log::{AppendFile, now};
use crate::wire::{QueryLog, QueryLogEntry};

/// Longest part of a statement that is logged.
const TEXT_MAX: usize = 64 << 10;

/// Appends to a file.
pub(super) struct QueryLogFile(pub(super) Arc<AppendFile>);

impl QueryLog for QueryLogFile {
    fn note(&self, entry: &QueryLogEntry<'_>) {
        self.0.append(line(&now(), entry).as_bytes());
    }
}

fn line(time: &str, entry: &QueryLogEntry<'_>) -> String {
    let (text, cut) = match entry.text.get(..TEXT_MAX) {
        Some(part) => (part, " /* cut */"),
        None => (entry.text, ""),
    };
    // A line per query, whatever is in it.
    let text = String::from_utf8_lossy(text).replace(['\n', '\r'], " ");
    let text = text.trim().trim_end_matches(';');
    let error = entry.error.map(|e| format!(" /* error: {} */", e.replace("*/", "* /").replace(['\n', '\r'], " "))).unwrap_or_default();
    let (connection, peer, wall, rows) = (entry.connection, entry.peer, entry.wall.as_secs_f64(), entry.rows);
    format!("/* {time} conn {connection} ({peer}) wall {wall:.3} rows {rows} */ {text}{cut};{error}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines() {
        let mut entry = QueryLogEntry {
            connection: 2,
            peer: "127.0.0.1:53228",
            wall: Duration::from_micros(1499),
            rows: 20,
            error: None,
            text: b"SELECT *\nFROM t; ",
        };
        assert_eq!(line("NOW", &entry), "/* NOW conn 2 (127.0.0.1:53228) wall 0.001 rows 20 */ SELECT * FROM t;\n");
        entry.error = Some("no such */ table");
        assert!(line("NOW", &entry).ends_with("FROM t; /* error: no such * / table */\n"));
        let long = [b'x'; TEXT_MAX + 1];
        entry.text = &long;
        assert!(line("NOW", &entry).contains("xxx /* cut */;"));
    }
}
