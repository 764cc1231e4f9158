//! What the wire asks of the floors below: a session per connection, and a place for the log of queries.

use std::time::Duration;

use crate::session::{ClientGone, ColumnMeta, NetworkTimeouts, Sink, StatementError};
use crate::types::{StopToken, Value};

/// Opens sessions.
pub trait Backend: Send + Sync {
    /// A session for a client at `peer` (`127.0.0.1:50122`). Used in one thread, dropped when the client is gone.
    fn open(&self, peer: &str) -> Result<Box<dyn Client>, StatementError>;
}

/// One client's session. Every call that takes a sink must leave a complete answer in it: results with `more`, then one without, or an error.
pub trait Client {
    /// The number that KILL and CONNECTION_ID() know this session by.
    fn id(&self) -> u32;
    /// Says who the client claims to be; called when it has logged in, and after a change of user.
    fn identify(&mut self, user: &str);
    /// How long the client may be silent between commands; None = for ever.
    fn idle_timeout(&self) -> Option<Duration>;
    /// How long the client may take within a packet and to read an answer, where it has said so; else the server's setting holds.
    fn network_timeouts(&self) -> NetworkTimeouts;
    /// Runs all statements of `text`, which is what the client sent, valid UTF-8 or not.
    fn run(&mut self, text: &[u8], sink: &mut dyn Sink) -> Result<(), ClientGone>;
    /// Checks and keeps one statement with `?` in place of values.
    fn prepare(&mut self, text: &[u8]) -> Result<Prepared, StatementError>;
    /// Runs a prepared statement; `values` has exactly as many values as it has parameters.
    fn execute(&mut self, id: u32, values: &[Value], sink: &mut dyn Sink) -> Result<(), ClientGone>;
    /// Forgets a prepared statement. Unknown ids are passed over.
    fn close_statement(&mut self, id: u32);
    /// Forgets what an earlier execution left behind.
    fn reset_statement(&mut self, id: u32) -> Result<(), StatementError>;
    /// Makes `name` the current database.
    fn use_database(&mut self, name: &str) -> Result<(), StatementError>;
    /// Columns of a table whose names fit `wildcard` (empty = all), for clients that complete names.
    fn field_list(&mut self, table: &str, wildcard: &str) -> Result<Vec<ColumnMeta>, StatementError>;
    /// One line of figures about the server.
    fn statistics(&mut self) -> String;
    /// Back to how the session was when it was opened: variables, transaction, prepared statements.
    fn reset_connection(&mut self);
    /// Stops whatever this session runs now or later; all its statements listen to it.
    fn stop_token(&self) -> StopToken;
    /// What the client is told about transactions in each answer.
    fn transaction(&self) -> Transaction;
}

/// A statement that waits for its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prepared {
    /// Names it in `execute`.
    pub id: u32,
    /// Number of values that it takes.
    pub params: usize,
    /// Columns that it will answer with; empty if there are none, or if they are not known yet.
    pub columns: Vec<ColumnMeta>,
}

/// Where a session stands between statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Each statement commits by itself.
    pub autocommit: bool,
    /// Writes wait for COMMIT.
    pub open: bool,
}

impl Default for Transaction {
    fn default() -> Transaction {
        Transaction { autocommit: true, open: false }
    }
}

/// Takes note of finished SELECT statements.
pub trait QueryLog: Send + Sync {
    /// Called in the connection's thread, after the answer went out.
    fn note(&self, entry: &QueryLogEntry<'_>);
}

/// A finished query.
#[derive(Clone, Debug)]
pub struct QueryLogEntry<'a> {
    /// Number of the session.
    pub connection: u32,
    /// Address of the client.
    pub peer: &'a str,
    /// From the arrival of its last byte to the last byte of the answer.
    pub wall: Duration,
    /// Rows sent.
    pub rows: u64,
    /// Message of the error it ended with.
    pub error: Option<&'a str>,
    /// As the client sent it; a prepared one with its `?`.
    pub text: &'a [u8],
}
