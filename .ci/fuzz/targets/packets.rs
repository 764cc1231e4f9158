//! The MySQL protocol: whatever a client sends, over a socket to the real service with a session behind it that answers at once.
//!
//! The first byte says how the rest becomes what the client sends: bytes as they are; or pieces, each with a length (2) in front, that are
//! framed in order: first the login, unless a sound one is asked for, then commands.
//!
//! Must hold: the connection's thread does not panic; what the server sends is whole packets; the connection ends when the client has sent
//! everything, without a wait; a prepared statement gets as many values as it has parameters, whichever bytes they came in.

#![no_main]

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use chimera::session::{ClientGone, ColumnMeta, ColumnType, End, NetworkTimeouts, Ok as Success, Sink, StatementError};
use chimera::sql;
use chimera::types::{Settings, StopToken, Value};
use chimera::wire::{Backend, Client, Options, Prepared, Service, Socket, Transaction};
use libfuzzer_sys::fuzz_target;

/// Small, so that inputs reach it.
const MAX_PACKET: u64 = 2_000;
const PATIENCE: Duration = Duration::from_secs(10);

struct Sessions;

impl Backend for Sessions {
    fn open(&self, _peer: &str) -> Result<Box<dyn Client>, StatementError> {
        Ok(Box::new(Session { prepared: HashMap::new(), next: 1, token: StopToken::new() }))
    }
}

struct Session {
    /// Parameters of each prepared statement.
    prepared: HashMap<u32, usize>,
    next: u32,
    token: StopToken,
}

fn columns() -> Vec<ColumnMeta> {
    let kinds = [ColumnType::Bigint, ColumnType::Uint, ColumnType::BigUint, ColumnType::Float, ColumnType::Double, ColumnType::Text];
    kinds.iter().map(|kind| ColumnMeta { name: format!("{kind:?}"), kind: *kind }).collect()
}

fn rows(text: String, sink: &mut dyn Sink, more: bool) -> Result<(), ClientGone> {
    sink.columns(&columns())?;
    let row = [Value::Int(-1), Value::Int(7), Value::Uint(u64::MAX), Value::Float(1.5), Value::Double(-0.1), Value::Text(text)];
    sink.row(&row)?;
    sink.row(&[const { Value::Null }; 6])?;
    sink.end(End { warnings: 0, more })
}

impl Client for Session {
    fn id(&self) -> u32 {
        1
    }

    fn identify(&mut self, _user: &str) {}

    fn idle_timeout(&self) -> Option<Duration> {
        Some(PATIENCE)
    }

    fn network_timeouts(&self) -> NetworkTimeouts {
        NetworkTimeouts::default()
    }

    fn run(&mut self, text: &[u8], sink: &mut dyn Sink) -> Result<(), ClientGone> {
        let text = String::from_utf8_lossy(text);
        match text.len() % 4 {
            0 => sink.ok(Success { affected: text.len() as u64, info: text.into_owned(), ..Success::default() }),
            1 => sink.error(&StatementError::new(text)),
            2 => rows(text.into_owned(), sink, false),
            _ => {
                rows(text.into_owned(), sink, true)?;
                sink.ok(Success::default())
            }
        }
    }

    fn prepare(&mut self, text: &[u8]) -> Result<Prepared, StatementError> {
        let text = String::from_utf8_lossy(text);
        let params = match sql::prepare(&text) {
            Ok(prepared) => prepared.parameters.len(),
            Err(_) if text.starts_with('?') => text.bytes().take_while(|b| *b == b'?').count(),
            Err(error) => return Err(StatementError::new(error.message)),
        };
        let id = self.next;
        self.next += 1;
        self.prepared.insert(id, params);
        Ok(Prepared { id, params, columns: columns() })
    }

    fn execute(&mut self, id: u32, values: &[Value], sink: &mut dyn Sink) -> Result<(), ClientGone> {
        assert_eq!(self.prepared.get(&id), Some(&values.len()), "values and parameters of statement {id}");
        rows(format!("{values:?}"), sink, values.len() % 2 == 1).and_then(|()| match values.len() % 2 {
            0 => Ok(()),
            _ => sink.error(&StatementError::new("no more")),
        })
    }

    fn close_statement(&mut self, id: u32) {
        self.prepared.remove(&id);
    }

    fn reset_statement(&mut self, _id: u32) -> Result<(), StatementError> {
        Ok(())
    }

    fn use_database(&mut self, name: &str) -> Result<(), StatementError> {
        if name.len() > 8 { Err(StatementError::with_code(1049, b"42000", format!("unknown database '{name}'"))) } else { Ok(()) }
    }

    fn field_list(&mut self, table: &str, wildcard: &str) -> Result<Vec<ColumnMeta>, StatementError> {
        if table.len() > 8 { Err(StatementError::new(wildcard)) } else { Ok(columns()) }
    }

    fn statistics(&mut self) -> String {
        "Uptime: 1".to_owned()
    }

    fn reset_connection(&mut self) {
        self.prepared.clear();
    }

    fn stop_token(&self) -> StopToken {
        self.token.clone()
    }

    fn transaction(&self) -> Transaction {
        Transaction::default()
    }
}

fn service() -> &'static Arc<Service> {
    static SERVICE: OnceLock<Arc<Service>> = OnceLock::new();
    SERVICE.get_or_init(|| {
        let settings = Settings { max_packet_size: MAX_PACKET, max_connections: 0, ..chimera::config::defaults() };
        let settings = Arc::new(ArcSwap::from_pointee(settings));
        let options = Options { backend: Arc::new(Sessions), settings, version: "8.0.30-fuzz".to_owned(), query_log: None };
        Service::start(options).expect("a thread")
    })
}

/// A login that is let in.
fn sound_login() -> Vec<u8> {
    let capabilities: u32 = 0x0000_0200 | 0x8000 | 0x0008_0000 | 0x0001_0000 | 0x0002_0000;
    let mut login = capabilities.to_le_bytes().to_vec();
    login.extend((1u32 << 24).to_le_bytes());
    login.push(45);
    login.extend([0; 23]);
    login.extend(b"root\0\0mysql_native_password\0");
    login
}

fn frame(out: &mut Vec<u8>, sequence: u8, payload: &[u8]) {
    out.extend(&(payload.len() as u32).to_le_bytes()[..3]);
    out.push(sequence);
    out.extend(payload);
}

/// What the client sends.
fn sent(data: &[u8]) -> Vec<u8> {
    let Some((how, mut rest)) = data.split_first() else { return Vec::new() };
    if how & 1 == 1 {
        return rest.to_vec();
    }
    let mut out = Vec::new();
    let mut sequence = 1;
    if how & 2 == 0 {
        frame(&mut out, sequence, &sound_login());
        sequence = 0;
    }
    while let Some((length, tail)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length) & 0x0fff).min(tail.len());
        let (piece, tail) = tail.split_at(length);
        frame(&mut out, sequence, piece);
        // The answer to a change of login plugin goes on counting; other commands begin anew.
        sequence = if how & 4 != 0 && sequence == 1 { 3 } else { 0 };
        rest = tail;
    }
    out
}

fuzz_target!(|data: &[u8]| {
    let (mut ours, theirs) = UnixStream::pair().expect("two sockets");
    ours.set_read_timeout(Some(PATIENCE)).expect("a socket");
    service().accept(Socket::Unix(theirs), "fuzz".to_owned(), false);
    // The server may hang up before it has read everything.
    let _ = ours.write_all(&sent(data));
    let _ = ours.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    match ours.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the connection does not end: {error}"),
    }
    let mut rest = &answer[..];
    while !rest.is_empty() {
        let head = rest.get(..4).expect("the head of a packet");
        let length = u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
        rest = rest.get(4 + length..).expect("a whole packet");
    }
    // Its thread is gone before the next input, so that what happens belongs to one input.
    let started = Instant::now();
    while service().connections() > 0 {
        assert!(started.elapsed() < PATIENCE, "the connection's thread does not end");
        std::thread::yield_now();
    }
});
