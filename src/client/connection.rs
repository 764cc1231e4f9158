//! One connection. The library under it is asynchronous; a current-thread runtime for each connection makes its calls blocking ones
//! that cost no hand-over to another thread.

use std::fmt;
use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, OptsBuilder, Row, Value};
use tokio::runtime::{Builder, Runtime};

/// How long connecting may take.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// Largest statement that is sent. The server's own limit may be lower, and is its to tell.
const STATEMENT_BYTES_MAX: usize = 1 << 30;

/// Where a server listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// Name or number of the host.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Why a statement has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server refused the statement; the connection goes on.
    #[error("{message} (error {code})")]
    Refused {
        /// MySQL's number of the error.
        code: u16,
        /// What the server said.
        message: String,
    },
    /// The connection is gone, or could not be made: connect again.
    #[error("{address}: {reason}")]
    Lost {
        /// Which server.
        address: Address,
        /// What happened.
        reason: String,
    },
}

/// A connection to a server.
pub struct Client {
    address: Address,
    runtime: Runtime,
    /// None only while it is taken apart.
    conn: Option<Conn>,
}

impl Client {
    /// Connects, without a password, within ten seconds.
    pub fn connect(address: &Address) -> Result<Client, ClientError> {
        let lost = |reason: String| ClientError::Lost { address: address.clone(), reason };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|e| lost(e.to_string()))?;
        // Both limits are given, so that the library does not ask for variables that another server may not have.
        let options = OptsBuilder::default()
            .ip_or_hostname(address.host.clone())
            .tcp_port(address.port)
            .user(Some("root"))
            .prefer_socket(false)
            .stmt_cache_size(Some(0))
            .max_allowed_packet(Some(STATEMENT_BYTES_MAX))
            .wait_timeout(Some(28_800));
        let connected = {
            let _inside = runtime.enter();
            runtime.block_on(tokio::time::timeout(CONNECT_MAX, Conn::new(options)))
        };
        let conn = match connected {
            Ok(Ok(conn)) => conn,
            Ok(Err(error)) => return Err(lost(error.to_string())),
            Err(_) => return Err(lost(format!("no answer within {} s", CONNECT_MAX.as_secs()))),
        };
        Ok(Client { address: address.clone(), runtime, conn: Some(conn) })
    }

    /// Runs a statement, or several with `;` between them, and drops what they answer.
    pub fn run(&mut self, sql: impl AsRef<[u8]>) -> Result<(), ClientError> {
        let Some(conn) = self.conn.as_mut() else { return Err(self.lost("closed")) };
        self.runtime.block_on(conn.query_drop(sql.as_ref())).map_err(|error| self.error(error))
    }

    /// The rows of a statement's first answer, each value as text; NULL is an empty text.
    pub fn rows(&mut self, sql: &str) -> Result<Vec<Vec<String>>, ClientError> {
        let Some(conn) = self.conn.as_mut() else { return Err(self.lost("closed")) };
        let rows: Vec<Row> = self.runtime.block_on(conn.query(sql)).map_err(|error| self.error(error))?;
        Ok(rows.into_iter().map(|row| row.unwrap_raw().into_iter().map(text).collect()).collect())
    }

    /// Names and values of a statement that answers with two columns, as most SHOW statements do.
    pub fn pairs(&mut self, sql: &str) -> Result<Vec<(String, String)>, ClientError> {
        let rows = self.rows(sql)?;
        Ok(rows
            .into_iter()
            .filter_map(|row| {
                let mut values = row.into_iter();
                Some((values.next()?, values.next().unwrap_or_default()))
            })
            .collect())
    }

    fn lost(&self, reason: &str) -> ClientError {
        ClientError::Lost { address: self.address.clone(), reason: reason.to_owned() }
    }

    fn error(&self, error: Error) -> ClientError {
        match error {
            Error::Server(error) => ClientError::Refused { code: error.code, message: error.message },
            other => self.lost(&other.to_string()),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take() {
            // A server that is gone already needs no goodbye.
            let _ = self.runtime.block_on(conn.disconnect());
        }
    }
}

fn text(value: Option<Value>) -> String {
    match value {
        Some(Value::Bytes(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
        Some(Value::NULL) | None => String::new(),
        Some(other) => other.as_sql(true),
    }
}
