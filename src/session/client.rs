//! One client.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::answer::Warning;
use super::engine::Engine;
use super::failure::{Done, Failure, no_such_table};
use super::like::like;
use super::locks::ReadLock;
use super::prepared::PreparedText;
use super::registry::SessionEntry;
use super::reply::{ColumnMeta, ColumnType, StatementError};
use super::transaction::Transaction;
use super::variables::Variables;
use crate::catalog::Lookup;
use crate::table::Table;
use crate::types::{ColumnKind, DocId, StopToken, Value};

/// The database that all tables are in.
pub(super) const DATABASE: &str = "Manticore";

/// One client's state. Dropping it rolls back what it has not committed, and unlocks what it has locked.
pub struct Session {
    pub(super) engine: Arc<Engine>,
    pub(super) entry: SessionEntry,
    /// Stopped when the client goes away; child of the engine's.
    pub(super) stop: StopToken,
    pub(super) user: String,
    pub(super) variables: Variables,
    /// SET @name.
    pub(super) user_variables: BTreeMap<String, Value>,
    pub(super) autocommit: bool,
    pub(super) transaction: Transaction,
    /// What LOCK TABLES has locked.
    pub(super) locked: Vec<ReadLock>,
    /// What SHOW META shows of the last SELECT, or of the last text that could not be read.
    pub(super) meta: Vec<(String, String)>,
    /// What SHOW WARNINGS shows of the last statement.
    pub(super) warnings: Vec<Warning>,
    /// Ids that the last INSERT or REPLACE wrote.
    pub(super) last_ids: Vec<DocId>,
    pub(super) prepared: BTreeMap<u32, PreparedText>,
    pub(super) last_prepared: u32,
}

/// Times that a client has set for its own connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkTimeouts {
    /// For the next byte of a packet.
    pub read: Option<Duration>,
    /// To take the next byte of an answer.
    pub write: Option<Duration>,
}

impl Session {
    /// A session for the client at `peer`.
    pub fn open(engine: &Arc<Engine>, peer: String) -> Session {
        engine.counters.connections.add(1);
        Session {
            engine: engine.clone(),
            entry: engine.registry.enter(peer),
            stop: engine.stop.child(),
            user: String::new(),
            variables: Variables::default(),
            user_variables: BTreeMap::new(),
            autocommit: true,
            transaction: Transaction::default(),
            locked: Vec::new(),
            meta: Vec::new(),
            warnings: Vec::new(),
            last_ids: Vec::new(),
            prepared: BTreeMap::new(),
            last_prepared: 0,
        }
    }

    /// Says who the client is and how it speaks (`mysql`, `mysql,ssl`, `http`), to be shown by SHOW THREADS.
    pub fn identify(&mut self, user: &str, protocol: &str) {
        self.user = user.to_owned();
        self.entry.identify(user, protocol);
    }

    /// Number of the session: the connection id that the client is told, and what KILL takes.
    pub fn id(&self) -> u64 {
        self.entry.id()
    }

    /// A token that ends the running statement, and every later one, when the client is gone.
    pub fn stop_token(&self) -> StopToken {
        self.stop.clone()
    }

    /// Whether writes wait for COMMIT.
    pub fn in_transaction(&self) -> bool {
        self.transaction.explicit || self.transaction.is_pending()
    }

    /// Whether each write is committed by itself.
    pub fn autocommit(&self) -> bool {
        self.autocommit
    }

    /// How long the client may be silent: its own `wait_timeout`, else the server's. None = for ever.
    pub fn idle_timeout(&self) -> Option<Duration> {
        let seconds = match self.variables.own("wait_timeout").and_then(|v| v.parse().ok()) {
            Some(own) => own,
            None => self.engine.settings.load().sphinxql_timeout,
        };
        (seconds > 0).then(|| Duration::from_secs(seconds))
    }

    /// How long the client may take within a packet and to read an answer, as it has set `net_read_timeout` and `net_write_timeout`.
    pub fn network_timeouts(&self) -> NetworkTimeouts {
        let own = |name| self.variables.own(name).and_then(|v| v.parse().ok()).map(Duration::from_secs);
        NetworkTimeouts { read: own("net_read_timeout"), write: own("net_write_timeout") }
    }

    /// USE, also as a command of the protocol. There is one set of tables, so every name is taken.
    pub fn use_database(&mut self, _name: &str) -> Result<(), StatementError> {
        Ok(())
    }

    /// As if the client had connected anew: rolls back, unlocks, forgets variables, prepared statements and warnings.
    pub fn reset_connection(&mut self) {
        self.variables = Variables::default();
        self.user_variables.clear();
        self.autocommit = true;
        self.transaction = Transaction::default();
        self.locked.clear();
        self.meta.clear();
        self.warnings.clear();
        self.last_ids.clear();
        self.prepared.clear();
    }

    /// Columns of a table whose names fit `wildcard` (empty = all), for the protocol's list of fields.
    pub fn field_list(&self, table: &str, wildcard: &str) -> Result<Vec<ColumnMeta>, StatementError> {
        let table = self.table(&table.to_ascii_lowercase()).map_err(|failure| match failure {
            Failure::Statement(error) => error,
            Failure::Stopped | Failure::Gone => StatementError::new("stopped"),
        })?;
        let schema = table.schema();
        let id = ("id", ColumnType::Bigint);
        let all = std::iter::once(id).chain(schema.columns.iter().map(|c| (c.name.as_str(), column_type(c.kind))));
        let fitting = all.filter(|(name, _)| wildcard.is_empty() || like(wildcard, name));
        Ok(fitting.map(|(name, kind)| ColumnMeta { name: name.to_owned(), kind }).collect())
    }

    /// A line of numbers, as the protocol's statistics command gives it.
    pub fn statistics(&self) -> String {
        let uptime = self.engine.uptime().as_secs();
        let queries = self.engine.counters.queries.get();
        let threads = self.engine.settings.load().threads;
        let clients = self.engine.session_count();
        let tasks = self.engine.running_count();
        let rate = queries as f64 / uptime.max(1) as f64;
        format!(
            "Uptime: {uptime}  Threads: {threads}  Clients: {clients}  Tasks: {tasks}  Questions: {queries}  Queries per second avg: {rate:.3}"
        )
    }

    /// The open table of this name.
    pub(super) fn table(&self, name: &str) -> Result<Arc<Table>, Failure> {
        self.existing(name, || no_such_table(name))
    }

    /// The open table of this name, for a statement with an error of its own where there is none.
    pub(super) fn existing(&self, name: &str, missing: impl FnOnce() -> Failure) -> Result<Arc<Table>, Failure> {
        match self.engine.catalog.get(name) {
            Lookup::Open(table) => Ok(table),
            Lookup::Missing => Err(missing()),
            Lookup::Unavailable(why) => Err(unavailable(name, &why)),
        }
    }

    /// Commits what is pending and goes back to the mode that autocommit says.
    pub(super) fn commit(&mut self, stop: &StopToken) -> Done {
        if let Some(table) = self.transaction.table() {
            // A locked table leaves the transaction as it is: COMMIT may come again.
            let _writing = self.writing(table.name(), &table)?;
            self.transaction.explicit = false;
            if let Some((table, ops)) = self.transaction.take() {
                self.engine.counters.commit.add(1);
                table.commit(ops, stop)?;
            }
        }
        self.transaction.explicit = false;
        Ok(())
    }

    /// Forgets what is pending.
    pub(super) fn rollback(&mut self) {
        self.transaction = Transaction::default();
    }

    /// Whether a write waits for COMMIT instead of being committed by itself.
    pub(super) fn collects_writes(&self) -> bool {
        self.transaction.explicit || !self.autocommit
    }
}

/// The error for a table that is on disk and could not be opened.
pub(super) fn unavailable(name: &str, why: &str) -> Failure {
    super::failure::error(format!("table '{name}' is not available: {why}"))
}

/// What a column's values are on the wire.
pub(super) fn column_type(kind: ColumnKind) -> ColumnType {
    match kind {
        ColumnKind::Uint | ColumnKind::Bool | ColumnKind::Timestamp => ColumnType::Uint,
        ColumnKind::Bigint => ColumnType::Bigint,
        ColumnKind::Float => ColumnType::Float,
        ColumnKind::Text | ColumnKind::String | ColumnKind::Multi | ColumnKind::Multi64 | ColumnKind::Json => ColumnType::Text,
    }
}
