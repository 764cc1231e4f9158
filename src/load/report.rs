//! The end of a run in figures, for people, for scripts and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::grid::Cell;
use super::monitor::Chunks;
use super::progress::thousands;
use super::sending::Tally;

/// One process of a run, done or stopped.
pub(super) struct Report {
    /// Its number in the run, from 1, and how many there are.
    pub process: (usize, usize),
    pub table: Option<String>,
    pub cell: Cell,
    /// What is counted: rows, or statements.
    pub unit: &'static str,
    /// From the first statement to the last answer.
    pub load: Duration,
    pub tally: Tally,
    pub chunks: Chunks,
    /// Whether it was waited for merges.
    pub wait: bool,
    pub errors: u64,
    pub error_texts: Vec<(String, u64)>,
    pub interrupted: bool,
    pub columns: Vec<(String, String)>,
}

impl Report {
    /// Rows for each second of the load.
    fn rate(&self) -> f64 {
        self.tally.rows as f64 / self.load.as_secs_f64().max(1e-6)
    }

    fn latency_ms(&self, quantile: f64) -> f64 {
        if self.tally.latency.is_empty() { 0.0 } else { self.tally.latency.value_at_quantile(quantile) as f64 / 1000.0 }
    }

    /// Names and values in the order of the reports; Null where unknown.
    fn fields(&self) -> Vec<(String, Value)> {
        let (loaded, latest) = (self.chunks.loaded.as_ref(), self.chunks.latest.as_ref());
        let compacted = self.chunks.compacted.filter(|_| self.wait);
        let ms = |quantile| rounded(self.latency_ms(quantile), 3);
        let latency = &self.tally.latency;
        let mut fields: Vec<(&str, Value)> = vec![
            ("process", json!(self.process.0)),
            ("table", json!(self.table)),
            ("threads", json!(self.cell.threads)),
            ("batch_size", json!(self.cell.batch_size)),
            ("total", json!(self.cell.rows())),
            (self.unit, json!(self.tally.rows)),
            ("errors", json!(self.errors)),
            ("load_seconds", rounded(self.load.as_secs_f64(), 3)),
            ("per_second", rounded(self.rate(), 1)),
            ("latency_avg_ms", rounded(if latency.is_empty() { 0.0 } else { latency.mean() / 1000.0 }, 3)),
            ("latency_p50_ms", ms(0.5)),
            ("latency_p95_ms", ms(0.95)),
            ("latency_p99_ms", ms(0.99)),
            ("latency_max_ms", ms(1.0)),
            ("chunks_loaded", json!(loaded.and_then(|l| l.disk_chunks))),
            ("chunks_peak", json!(self.chunks.peak)),
            ("compacted_seconds", compacted.map_or(Value::Null, |at| rounded(at.as_secs_f64(), 3))),
            ("tail_seconds", compacted.map_or(Value::Null, |at| rounded(at.saturating_sub(self.load).as_secs_f64(), 3))),
            ("chunks", json!(latest.and_then(|l| l.disk_chunks))),
            ("disk_bytes", json!(latest.and_then(|l| l.disk_bytes))),
            ("write_amplification", latest.and_then(|l| l.write_amplification()).map_or(Value::Null, |w| rounded(w, 2))),
            ("interrupted", json!(self.interrupted)),
        ];
        let columns = self.columns.iter().map(|(name, value)| (name.as_str(), json!(value)));
        fields.extend(columns);
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// One line of JSON, errors by text included.
    pub(super) fn json(&self) -> String {
        let mut object: Map<String, Value> = self.fields().into_iter().collect();
        let texts = self.error_texts.iter().map(|(text, count)| json!({ "text": text, "count": count }));
        object.insert("error_texts".to_owned(), Value::Array(texts.collect()));
        Value::Object(object).to_string()
    }

    /// Names and values with semicolons between them, for a table of several runs.
    pub(super) fn quiet(&self) -> (String, String) {
        let plain = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.replace(';', ","),
            other => other.to_string(),
        };
        let fields = self.fields();
        let names: Vec<&str> = fields.iter().map(|(name, _)| if *name == self.unit { "done" } else { name.as_str() }).collect();
        (names.join(";"), fields.iter().map(|(_, value)| plain(value)).collect::<Vec<_>>().join(";"))
    }

    /// For people, several lines.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |name: &str, value: String| writeln!(out, "{name:<18} {value}").expect("a String takes everything");
        let Cell { threads, batch_size, .. } = self.cell;
        if self.process.1 > 1 {
            line("process", format!("{} of {}", self.process.0, self.process.1));
        }
        self.columns.iter().for_each(|(name, value)| line(name, value.clone()));
        let table = self.table.as_deref().map(|table| format!(", table {table}")).unwrap_or_default();
        line("settings", format!("{threads} threads, batches of {batch_size}{table}"));
        let done = format!("{} of {} {} in {}", self.tally.rows, self.cell.rows(), self.unit, seconds(self.load));
        line(if self.interrupted { "interrupted" } else { "total" }, done);
        line("rate", format!("{} {} per second", thousands(self.rate()), self.unit));
        let quantiles = [0.5, 0.95, 0.99, 1.0].map(|quantile| format!("{:.2}", self.latency_ms(quantile)));
        let mean = if self.tally.latency.is_empty() { 0.0 } else { self.tally.latency.mean() / 1000.0 };
        let [p50, p95, p99, max] = quantiles;
        line("latency", format!("avg {mean:.2}, p50 {p50}, p95 {p95}, p99 {p99}, max {max} ms per statement"));
        if let Some(count) = self.chunks.loaded.as_ref().and_then(|l| l.disk_chunks) {
            line("chunks", format!("{count} at the end of the load, {} at most", self.chunks.peak.unwrap_or(count)));
        }
        if self.wait {
            match (self.chunks.compacted, self.chunks.latest.as_ref().and_then(|l| l.disk_chunks)) {
                (Some(at), chunks) => {
                    let chunks = chunks.map(|count| format!(", {count} chunks")).unwrap_or_default();
                    line("compacted", format!("{} ({} after the load){chunks}", seconds(at), seconds(at.saturating_sub(self.load))));
                }
                (None, _) => line("compacted", "not seen".to_owned()),
            }
        }
        if let Some(latest) = &self.chunks.latest {
            if let Some(bytes) = latest.disk_bytes {
                line("on disk", format!("{:.1} MB", bytes as f64 / 1e6));
            }
            if let Some(written) = latest.write_amplification() {
                line("written", format!("{written:.2} bytes by flushes and merges for each byte flushed"));
            }
        }
        if self.errors > 0 {
            line("errors", self.errors.to_string());
            self.error_texts.iter().take(10).for_each(|(text, count)| line("", format!("{count} × {text}")));
        }
        out
    }
}

fn seconds(time: Duration) -> String {
    let s = time.as_secs_f64();
    if s < 60.0 { format!("{s:.2} s") } else { format!("{}:{:04.1} min", time.as_secs() / 60, s % 60.0) }
}

fn rounded(number: f64, digits: i32) -> Value {
    let scale = 10f64.powi(digits);
    json!((number * scale).round() / scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::TableState;

    fn report() -> Report {
        let mut tally = Tally::new();
        tally.rows = 3000;
        for us in [1000, 2000, 3000] {
            tally.latency.saturating_record(us);
        }
        let state = |count| TableState {
            disk_chunks: Some(count),
            disk_bytes: Some(5_000_000),
            flushed_bytes: Some(100),
            merged_bytes: Some(50),
            ..TableState::default()
        };
        Report {
            process: (1, 1),
            table: Some("t".to_owned()),
            cell: Cell { threads: 2, batch_size: 1000, total: 4000, iterations: 1 },
            unit: "rows",
            load: Duration::from_millis(1500),
            tally,
            chunks: Chunks {
                latest: Some(state(4)),
                loaded: Some(state(9)),
                peak: Some(12),
                compacted: Some(Duration::from_millis(63_500)),
                ..Chunks::default()
            },
            wait: true,
            errors: 1,
            error_texts: vec![("duplicate; id".to_owned(), 1)],
            interrupted: false,
            columns: vec![("engine".to_owned(), "a;b".to_owned())],
        }
    }

    #[test]
    fn figures_for_people() {
        let want = "\
engine             a;b
settings           2 threads, batches of 1000, table t
total              3000 of 4000 rows in 1.50 s
rate               2.0k rows per second
latency            avg 2.00, p50 2.00, p95 3.00, p99 3.00, max 3.00 ms per statement
chunks             9 at the end of the load, 12 at most
compacted          1:03.5 min (1:02.0 min after the load), 4 chunks
on disk            5.0 MB
written            1.50 bytes by flushes and merges for each byte flushed
errors             1
                   1 × duplicate; id
";
        assert_eq!(report().text(), want);
        let mut stopped = report();
        (stopped.interrupted, stopped.chunks, stopped.errors) = (true, Chunks::default(), 0);
        assert!(stopped.text().contains("interrupted        3000 of 4000 rows") && stopped.text().contains("compacted          not seen"));
    }

    #[test]
    fn figures_for_programs() {
        let json: Value = serde_json::from_str(&report().json()).expect("JSON");
        assert_eq!((&json["rows"], &json["per_second"], &json["tail_seconds"]), (&json!(3000), &json!(2000.0), &json!(62.0)));
        assert_eq!((&json["latency_p50_ms"], &json["write_amplification"], &json["engine"]), (&json!(2.0), &json!(1.5), &json!("a;b")));
        assert_eq!(json["error_texts"][0]["text"], json!("duplicate; id"));
        let (names, values) = report().quiet();
        assert_eq!(names.split(';').count(), values.split(';').count());
        assert!(
            names.starts_with("process;table;threads;batch_size;total;done;errors;load_seconds")
                && values.starts_with("1;t;2;1000;4000;3000;1;1.5;")
        );
        assert!(values.ends_with(";a,b"));
        let mut empty = report();
        (empty.tally, empty.load) = (Tally::new(), Duration::ZERO);
        assert!(empty.json().contains("\"per_second\":0.0"));
    }
}
