//! A session that answers a small language of its own, so that the wire is tested without an engine.
//!
//! ```text
//! ROWS n       n rows of one column of each type       ECHO text   one row with the text, as hexadecimal digits if it is not UTF-8
//! BIG n        one row of n letters x                  LEN         length of the whole statement
//! SET n        n rows affected                         FAIL        error 1064
//! WAIT         until stopped, then an error            FOREVER     rows until the client is gone or stopped
//! PANIC        panics                                  NOTHING     ends without an answer
//! DB           the current database                    select … limit 1   four texts
//! Everything else is an error.
//! ```

use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use super::backend::{Backend, Client, Prepared, QueryLog, QueryLogEntry, Transaction};
use super::service::{Options, Service};
use super::socket::Socket;
use crate::session::{ClientGone, ColumnMeta, ColumnType, End, NetworkTimeouts, Ok as Success, Sink, StatementError};
use crate::types::{Settings, SharedSettings, StopToken, Value};

/// Opens [`FakeClient`]s and counts what happens to them.
#[derive(Default)]
pub(super) struct FakeBackend {
    next: AtomicU32,
    /// Sessions that are open.
    pub(super) open: AtomicUsize,
    /// Statements that ended because they were stopped.
    pub(super) stopped: AtomicUsize,
    /// Statements that ended because the client could not be written to.
    pub(super) gone: AtomicUsize,
}

pub(super) struct FakeClient {
    backend: Arc<FakeBackend>,
    settings: SharedSettings,
    id: u32,
    database: String,
    token: StopToken,
    prepared: HashMap<u32, Vec<u8>>,
}

struct Handle(Arc<FakeBackend>, SharedSettings);

impl Backend for Handle {
    fn open(&self, _peer: &str) -> Result<Box<dyn Client>, StatementError> {
        self.0.open.fetch_add(1, Ordering::SeqCst);
        let id = self.0.next.fetch_add(1, Ordering::SeqCst) + 1;
        let (backend, settings) = (self.0.clone(), self.1.clone());
        Ok(Box::new(FakeClient { backend, settings, id, database: "none".into(), token: StopToken::new(), prepared: HashMap::new() }))
    }
}

impl Drop for FakeClient {
    fn drop(&mut self) {
        self.backend.open.fetch_sub(1, Ordering::SeqCst);
    }
}

fn column(name: &str, kind: ColumnType) -> ColumnMeta {
    ColumnMeta { name: name.to_owned(), kind }
}

/// One column of each type.
pub(super) fn all_columns() -> Vec<ColumnMeta> {
    vec![
        column("id", ColumnType::Bigint),
        column("u", ColumnType::Uint),
        column("big", ColumnType::BigUint),
        column("f", ColumnType::Float),
        column("d", ColumnType::Double),
        column("t", ColumnType::Text),
        column("n", ColumnType::Text),
    ]
}

/// The row that `ROWS` sends for `i`.
pub(super) fn row(i: i64) -> Vec<Value> {
    vec![
        Value::Int(-i),
        Value::Int(i),
        Value::Uint(u64::MAX - i as u64),
        Value::Float(i as f32 / 2.0),
        Value::Double(i as f64 / 4.0),
        Value::Text(format!("größe {i}")),
        Value::Null,
    ]
}

impl FakeClient {
    fn one(&self, statement: &[u8], values: &[Value], more: bool, whole: usize, sink: &mut dyn Sink) -> Result<(), ClientGone> {
        let statement = statement.trim_ascii();
        let (word, rest) = statement.split_at(statement.iter().position(|b| *b == b' ').unwrap_or(statement.len()));
        let rest = rest.trim_ascii();
        let number: usize = std::str::from_utf8(rest).ok().and_then(|s| s.parse().ok()).unwrap_or(0);
        let end = End { warnings: 0, more };
        match word {
            b"ROWS" => {
                sink.columns(&all_columns())?;
                for i in 0..number as i64 {
                    sink.row(&row(i))?;
                }
                sink.end(end)
            }
            b"ECHO" => {
                let text = String::from_utf8(rest.to_vec()).unwrap_or_else(|e| e.into_bytes().iter().map(|b| format!("{b:02x}")).collect());
                sink.columns(&[column("echo", ColumnType::Text)])?;
                sink.row(&[Value::Text(text)])?;
                sink.end(end)
            }
            b"SELECT" => {
                // What a prepared statement got, in debug form.
                sink.columns(&[column("values", ColumnType::Text)])?;
                for value in values {
                    sink.row(&[Value::Text(format!("{value:?}"))])?;
                }
                sink.end(end)
            }
            b"select" if rest.ends_with(b"limit 1") => {
                // What the command line client asks for its status.
                sink.columns(&[1, 2, 3, 4].map(|i| column(&format!("c{i}"), ColumnType::Text)))?;
                sink.row(&[1, 2, 3, 4].map(|i| Value::Text(format!("answer {i}"))))?;
                sink.end(end)
            }
            b"BIG" => {
                sink.columns(&[column("big", ColumnType::Text)])?;
                sink.row(&[Value::Text("x".repeat(number))])?;
                sink.end(end)
            }
            b"LEN" => {
                sink.columns(&[column("len", ColumnType::Bigint)])?;
                sink.row(&[Value::Int(whole as i64)])?;
                sink.end(end)
            }
            b"DB" => {
                sink.columns(&[column("db", ColumnType::Text)])?;
                sink.row(&[Value::Text(self.database.clone())])?;
                sink.end(end)
            }
            b"SET" => sink.ok(Success { affected: number as u64, last_insert_id: 300, warnings: 0, info: String::new(), more }),
            b"WAIT" => {
                for _ in 0..3000 {
                    if self.token.is_stopped() {
                        self.backend.stopped.fetch_add(1, Ordering::SeqCst);
                        return sink.error(&StatementError::with_code(1317, b"70100", "query execution was interrupted"));
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
                sink.error(&StatementError::new("nobody stopped this"))
            }
            b"FOREVER" => {
                sink.columns(&[column("x", ColumnType::Text)])?;
                let row = [Value::Text("y".repeat(1000))];
                loop {
                    if self.token.is_stopped() {
                        self.backend.stopped.fetch_add(1, Ordering::SeqCst);
                        return sink.error(&StatementError::with_code(1317, b"70100", "query execution was interrupted"));
                    }
                    if let Err(gone) = sink.row(&row) {
                        self.backend.gone.fetch_add(1, Ordering::SeqCst);
                        return Err(gone);
                    }
                }
            }
            b"PANIC" => panic!("as asked"),
            b"NOTHING" => Ok(()),
            _ => sink
                .error(&StatementError::new(format!("P01: syntax error near '{}'", String::from_utf8_lossy(&word[..word.len().min(20)])))),
        }
    }
}

impl Client for FakeClient {
    fn id(&self) -> u32 {
        self.id
    }

    fn identify(&mut self, user: &str) {
        assert!(!user.is_empty());
    }

    fn idle_timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(self.settings.load().sphinxql_timeout))
    }

    fn network_timeouts(&self) -> NetworkTimeouts {
        NetworkTimeouts::default()
    }

    fn transaction(&self) -> Transaction {
        Transaction::default()
    }

    fn run(&mut self, text: &[u8], sink: &mut dyn Sink) -> Result<(), ClientGone> {
        let text = text.strip_suffix(b";").unwrap_or(text);
        if text.starts_with(b"LEN") || text.starts_with(b"ECHO") {
            return self.one(text, &[], false, text.len(), sink);
        }
        let statements: Vec<&[u8]> = text.split(|b| *b == b';').collect();
        for (i, statement) in statements.iter().enumerate() {
            let failed = !statement.trim_ascii().iter().take(4).all(|b| b.is_ascii_uppercase() || *b == b' ');
            self.one(statement, &[], i + 1 < statements.len(), statement.len(), sink)?;
            if failed || statement.trim_ascii().starts_with(b"FAIL") {
                break;
            }
        }
        Ok(())
    }

    fn prepare(&mut self, text: &[u8]) -> Result<Prepared, StatementError> {
        if text.starts_with(b"FAIL") {
            return Err(StatementError::new("cannot be prepared"));
        }
        let id = self.prepared.len() as u32 + 1;
        self.prepared.insert(id, text.to_vec());
        let columns = if text.starts_with(b"ROWS") { all_columns() } else { Vec::new() };
        Ok(Prepared { id, params: text.iter().filter(|b| **b == b'?').count(), columns })
    }

    fn execute(&mut self, id: u32, values: &[Value], sink: &mut dyn Sink) -> Result<(), ClientGone> {
        match self.prepared.get(&id) {
            Some(text) => self.one(text, values, false, text.len(), sink),
            None => sink.error(&StatementError::new("no such statement")),
        }
    }

    fn close_statement(&mut self, id: u32) {
        self.prepared.remove(&id);
    }

    fn reset_statement(&mut self, _id: u32) -> Result<(), StatementError> {
        Ok(())
    }

    fn use_database(&mut self, name: &str) -> Result<(), StatementError> {
        if name == "nowhere" {
            return Err(StatementError::with_code(1049, b"42000", "unknown database 'nowhere'"));
        }
        self.database = name.to_owned();
        Ok(())
    }

    fn field_list(&mut self, table: &str, _wildcard: &str) -> Result<Vec<ColumnMeta>, StatementError> {
        if table == "t" { Ok(all_columns()) } else { Err(StatementError::with_code(1146, b"42S02", format!("no such table '{table}'"))) }
    }

    fn statistics(&mut self) -> String {
        "Uptime: 1  Threads: 2".to_owned()
    }

    fn reset_connection(&mut self) {
        self.database = "none".to_owned();
        self.prepared.clear();
    }

    fn stop_token(&self) -> StopToken {
        self.token.clone()
    }
}

/// Remembers what it is given.
#[derive(Default)]
pub(super) struct FakeLog(pub(super) Mutex<Vec<String>>);

impl QueryLog for FakeLog {
    fn note(&self, entry: &QueryLogEntry<'_>) {
        let error = entry.error.unwrap_or("-");
        self.0.lock().push(format!("{} rows={} error={error}", String::from_utf8_lossy(entry.text), entry.rows));
    }
}

/// A service on a port of its own, with fake sessions.
pub(super) struct FakeServer {
    pub(super) backend: Arc<FakeBackend>,
    pub(super) settings: SharedSettings,
    pub(super) service: Arc<Service>,
    pub(super) log: Arc<FakeLog>,
    pub(super) port: u16,
}

impl FakeServer {
    pub(super) fn start(change: impl FnOnce(&mut Settings)) -> FakeServer {
        let mut settings = crate::config::defaults();
        change(&mut settings);
        let settings: SharedSettings = Arc::new(ArcSwap::from_pointee(settings));
        let (backend, log) = (Arc::new(FakeBackend::default()), Arc::new(FakeLog::default()));
        let service = Service::start(Options {
            backend: Arc::new(Handle(backend.clone(), settings.clone())),
            settings: settings.clone(),
            version: "8.0.30-fake".to_owned(),
            query_log: Some(log.clone()),
        })
        .expect("a service");
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let accepting = service.clone();
        // The thread waits for clients until the test's process ends.
        std::thread::spawn(move || {
            while let Ok((stream, peer)) = listener.accept() {
                accepting.accept(Socket::Tcp(stream), peer.to_string(), false);
            }
        });
        FakeServer { backend, settings, service, log, port }
    }
}

/// Waits up to five seconds for something to become true.
pub(super) fn eventually(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..500 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("never happened: {what}");
}
