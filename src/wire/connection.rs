//! One client from greeting to goodbye: reads a command, has it answered, writes the answer out, and again.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use mysql_common::constants::CapabilityFlags;

use super::backend::{Client, QueryLog, QueryLogEntry};
use super::columns::{put_column, put_parameter};
use super::handshake::{self, Refused};
use super::packet::{Input, Output, Patience, ReadError};
use super::parameters::Statement;
use super::registry::Entry;
use super::reply_packets::{OkFields, put_eof, put_error, put_ok, put_ok_at_end};
use super::scan::Scan;
use super::sink::{RowForm, WireSink, status_flags};
use super::socket::Socket;
use crate::session::{ClientGone, StatementError};
use crate::types::SharedSettings;

/// Prepared statements that one connection may hold, as MySQL's `max_prepared_stmt_count`.
const PREPARED_MAX: usize = 16_382;

/// What a connection needs besides its session.
pub(super) struct Connection<'a> {
    pub socket: &'a Socket,
    pub settings: &'a SharedSettings,
    pub version: &'a str,
    pub peer: &'a str,
    pub query_log: Option<&'a dyn QueryLog>,
    pub entry: &'a Entry,
}

/// Why a connection ended, for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The client said goodbye or closed.
    Left,
    /// The client sent nothing, or not the rest of a packet, for too long.
    Silent,
    /// The client did not read for too long.
    Slow,
    /// The client broke the protocol.
    Disorder,
    /// The session failed inside, or was stopped, or the server stops.
    Ended,
    /// The login was refused.
    Refused,
}

/// What comes after a command.
enum Next {
    Command,
    /// A change of user: the client's login plugin comes first.
    Login(Option<Vec<u8>>),
    End(Ending),
}

struct State<'a> {
    connection: &'a Connection<'a>,
    client: &'a mut dyn Client,
    output: Output<'a>,
    capabilities: CapabilityFlags,
    statements: HashMap<u32, Statement>,
    /// Longest payload, and longest sum of long parameters of one statement.
    max: u64,
}

/// Serves one client until it is gone or has to go.
pub(super) fn serve(connection: &Connection<'_>, client: &mut dyn Client) -> Ending {
    let socket = connection.socket;
    let mut input = Input::new();
    let mut output = Output::new(socket);
    let mut timeouts = timeouts_of(connection, client);
    // Who does not log in is not worth an idle session's patience.
    let login_patience = Patience { idle: timeouts.within, ..apply(connection, timeouts, &mut output) };
    let id = client.id();
    let login = match handshake::handshake(socket, &mut input, &mut output, connection.version, id, login_patience) {
        Ok(login) => login,
        Err(Refused::Gone) => return Ending::Left,
        Err(Refused::Told(error)) => {
            tracing::warn!("connection {id} from {}: {error}", connection.peer);
            return Ending::Refused;
        }
    };
    client.identify(&String::from_utf8_lossy(&login.user));
    if let Some(name) = &login.database
        && let Err(error) = client.use_database(&String::from_utf8_lossy(name))
    {
        let _ = handshake::refuse::<()>(&mut output, error, true);
        return Ending::Refused;
    }
    if handshake::welcome(&mut output, client.transaction()).is_err() {
        return Ending::Left;
    }
    let mut state = State { connection, client, output, capabilities: login.capabilities, statements: HashMap::new(), max: 0 };
    let mut patience = apply(connection, timeouts, &mut state.output);
    loop {
        state.output.shrink();
        let settings = connection.settings.load();
        state.max = settings.max_packet_size;
        drop(settings);
        let wanted = timeouts_of(connection, state.client);
        if wanted != timeouts {
            timeouts = wanted;
            patience = apply(connection, timeouts, &mut state.output);
        }
        let result = input.read(socket, 0, state.max, patience);
        let arrived = Instant::now();
        let taken = connection.entry.begin_command();
        state.output.sequence = input.next_sequence;
        let next = match result {
            Ok(()) if taken => state.command(input.payload(), arrived),
            Ok(()) => state.fail(1053, b"08S01", "the server is shutting down".to_owned()).map(|_| Next::End(Ending::Ended)),
            Err(ReadError::TooLong) => {
                let text = format!("the packet is longer than max_packet_size = {} bytes", state.max);
                state.fail(1153, b"08S01", text)
            }
            Err(ReadError::OutOfOrder) => {
                state.output.sequence = 1;
                state.fail(1156, b"08S01", "got packets out of order".to_owned()).map(|_| Next::End(Ending::Disorder))
            }
            Err(ReadError::Silent) => return Ending::Silent,
            Err(ReadError::Closed) => return Ending::Left,
        };
        let next = match next {
            Ok(Next::Login(plugin)) => {
                let challenge = handshake::challenge(id);
                match handshake::switch_plugin(socket, &mut input, &mut state.output, plugin.as_deref(), &challenge, login_patience) {
                    Ok(()) => state.succeed(),
                    Err(_) => return Ending::Left,
                }
            }
            other => other,
        };
        let next = next.and_then(|next| state.output.flush().map(|()| next));
        let goes_on = connection.entry.end_command();
        match next {
            Ok(Next::Command | Next::Login(_)) if goes_on => {}
            Ok(Next::Command | Next::Login(_)) => return Ending::Ended,
            Ok(Next::End(ending)) => return ending,
            Err(ClientGone) if state.output.slow => return Ending::Slow,
            Err(ClientGone) => return Ending::Left,
        }
    }
}

/// How long a client is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Timeouts {
    /// Between commands.
    idle: Duration,
    /// Within a packet.
    within: Duration,
    /// To take the next byte of an answer.
    write: Duration,
}

/// For ever, in effect.
const UNLIMITED: Duration = Duration::from_secs(100 * 365 * 86_400);
/// Longest and shortest single wait of the socket for a client to take bytes: how far past its time a client may be given up.
const WRITE_TICK_MAX: Duration = Duration::from_millis(500);
const WRITE_TICK_MIN: Duration = Duration::from_millis(50);

fn timeouts_of(connection: &Connection<'_>, client: &dyn Client) -> Timeouts {
    let within = Duration::from_secs(connection.settings.load().network_timeout.max(1));
    let own = client.network_timeouts();
    Timeouts { idle: client.idle_timeout().unwrap_or(UNLIMITED), within: own.read.unwrap_or(within), write: own.write.unwrap_or(within) }
}

/// Gives the socket these timeouts.
fn apply(connection: &Connection<'_>, timeouts: Timeouts, output: &mut Output<'_>) -> Patience {
    let Timeouts { idle, within, write } = timeouts;
    // One timeout serves both waits, so that a statement costs no system call for changing it.
    let tick = idle.min(within).max(Duration::from_millis(100));
    let write_tick = (write / 10).clamp(WRITE_TICK_MIN, WRITE_TICK_MAX);
    output.patience = (write, write_tick);
    if let Err(error) = connection.socket.set_timeouts(tick, write_tick) {
        tracing::warn!("connection from {}: timeouts cannot be set: {error}", connection.peer);
    }
    Patience { idle, within, tick }
}

mod code {
    //! The commands of the protocol that are served, by their first byte.
    pub(super) const QUIT: u8 = 0x01;
    pub(super) const INIT_DB: u8 = 0x02;
    pub(super) const QUERY: u8 = 0x03;
    pub(super) const FIELD_LIST: u8 = 0x04;
    pub(super) const STATISTICS: u8 = 0x09;
    pub(super) const PROCESS_KILL: u8 = 0x0C;
    pub(super) const PING: u8 = 0x0E;
    pub(super) const CHANGE_USER: u8 = 0x11;
    pub(super) const STMT_PREPARE: u8 = 0x16;
    pub(super) const STMT_EXECUTE: u8 = 0x17;
    pub(super) const STMT_SEND_LONG_DATA: u8 = 0x18;
    pub(super) const STMT_CLOSE: u8 = 0x19;
    pub(super) const STMT_RESET: u8 = 0x1A;
    pub(super) const SET_OPTION: u8 = 0x1B;
    pub(super) const STMT_FETCH: u8 = 0x1C;
    pub(super) const RESET_CONNECTION: u8 = 0x1F;
}

impl State<'_> {
    /// Answers one command, into the output.
    fn command(&mut self, payload: &[u8], arrived: Instant) -> Result<Next, ClientGone> {
        let Some((&command, body)) = payload.split_first() else {
            return self.malformed();
        };
        match command {
            code::QUIT => Ok(Next::End(Ending::Left)),
            code::PING => self.succeed(),
            code::QUERY => self.run(RowForm::Text, body, arrived, |client, sink| client.run(body, sink)),
            code::INIT_DB => match self.client.use_database(&String::from_utf8_lossy(body)) {
                Ok(()) => self.succeed(),
                Err(error) => self.fail_with(&error),
            },
            code::FIELD_LIST => self.field_list(body),
            code::STATISTICS => {
                let text = self.client.statistics();
                self.output.packet(|buffer| buffer.extend_from_slice(text.as_bytes()))?;
                Ok(Next::Command)
            }
            code::PROCESS_KILL => match Scan::new(body).u32() {
                Some(id) => {
                    let text = format!("KILL {id}");
                    self.run(RowForm::Text, text.as_bytes(), arrived, |client, sink| client.run(text.as_bytes(), sink))
                }
                None => self.malformed(),
            },
            code::CHANGE_USER => self.change_user(body),
            code::RESET_CONNECTION => {
                self.statements.clear();
                self.client.reset_connection();
                self.succeed()
            }
            code::SET_OPTION => match Scan::new(body).u16() {
                // Several statements in one text, on or off: they are always on.
                Some(0 | 1) => self.end_of_list(),
                _ => self.unknown(),
            },
            code::STMT_PREPARE => self.prepare(body),
            code::STMT_EXECUTE => self.execute(body, arrived),
            code::STMT_SEND_LONG_DATA => {
                let mut scan = Scan::new(body);
                // This command has no answer, not even a failure.
                if let (Some(id), Some(parameter)) = (scan.u32(), scan.u16())
                    && let Some(statement) = self.statements.get_mut(&id)
                {
                    statement.add_long(parameter, scan.rest(), self.max);
                }
                Ok(Next::Command)
            }
            code::STMT_CLOSE => {
                // Nor has this one.
                if let Some(id) = Scan::new(body).u32()
                    && self.statements.remove(&id).is_some()
                {
                    self.client.close_statement(id);
                }
                Ok(Next::Command)
            }
            code::STMT_RESET => {
                let Some(id) = Scan::new(body).u32() else { return self.malformed() };
                match self.statements.get_mut(&id) {
                    Some(statement) => {
                        statement.forget_long();
                        match self.client.reset_statement(id) {
                            Ok(()) => self.succeed(),
                            Err(error) => self.fail_with(&error),
                        }
                    }
                    None => self.no_statement(id),
                }
            }
            code::STMT_FETCH => self.fail(1421, b"HY000", "the statement has no open cursor: all rows came with its execution".to_owned()),
            _ => self.unknown(),
        }
    }

    /// Has the session answer into a sink. A session that panics or leaves no complete answer is ended with an error.
    fn run(
        &mut self,
        form: RowForm,
        text: &[u8],
        arrived: Instant,
        answer: impl FnOnce(&mut dyn Client, &mut WireSink<'_, '_>) -> Result<(), ClientGone>,
    ) -> Result<Next, ClientGone> {
        let deprecate_eof = self.deprecates_eof();
        let transaction = self.client.transaction();
        let mut sink = WireSink::new(&mut self.output, form, deprecate_eof, transaction);
        // Behind an unwind the session is not used again, so what it looks like then does not matter.
        let result = catch_unwind(AssertUnwindSafe(|| answer(self.client, &mut sink)));
        let next = match result {
            Ok(Ok(())) if sink.complete => Next::Command,
            Ok(Ok(())) => {
                sink.complete_with(&StatementError::with_code(1105, b"HY000", "internal error: the statement ended without an answer"))?;
                Next::Command
            }
            Ok(Err(ClientGone)) => return Err(ClientGone),
            Err(panic) => {
                let reason = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
                let reason = reason.unwrap_or("unknown");
                tracing::error!("connection {}: a statement panicked: {reason}", self.client.id());
                sink.complete_with(&StatementError::with_code(1105, b"HY000", format!("internal error: {reason}")))?;
                Next::End(Ending::Ended)
            }
        };
        let (rows, error) = (sink.rows, sink.error);
        if let Some(log) = self.connection.query_log
            && is_select(text)
        {
            self.output.flush()?;
            let (connection, peer) = (self.client.id(), self.connection.peer);
            log.note(&QueryLogEntry { connection, peer, wall: arrived.elapsed(), rows, error: error.as_deref(), text });
        }
        Ok(next)
    }

    fn field_list(&mut self, body: &[u8]) -> Result<Next, ClientGone> {
        let mut scan = Scan::new(body);
        let Some(table) = scan.until_zero() else { return self.malformed() };
        match self.client.field_list(&String::from_utf8_lossy(table), &String::from_utf8_lossy(scan.rest())) {
            Ok(columns) => {
                for column in &columns {
                    self.output.packet(|buffer| {
                        put_column(buffer, column);
                        // The default value: NULL.
                        buffer.push(0xFB);
                    })?;
                }
                self.end_of_list()
            }
            Err(error) => self.fail_with(&error),
        }
    }

    fn change_user(&mut self, body: &[u8]) -> Result<Next, ClientGone> {
        let Some(login) = handshake::parse_change_user(body, self.capabilities) else { return self.malformed() };
        self.statements.clear();
        self.client.reset_connection();
        self.client.identify(&String::from_utf8_lossy(&login.user));
        if let Some(name) = login.database
            && let Err(error) = self.client.use_database(&String::from_utf8_lossy(&name))
        {
            return self.fail_with(&error);
        }
        Ok(Next::Login(login.plugin))
    }

    fn prepare(&mut self, text: &[u8]) -> Result<Next, ClientGone> {
        if self.statements.len() >= PREPARED_MAX {
            return self.fail(1461, b"42000", format!("a connection can hold {PREPARED_MAX} prepared statements"));
        }
        let prepared = match self.client.prepare(text) {
            Ok(prepared) => prepared,
            Err(error) => return self.fail_with(&error),
        };
        let (Ok(params), Ok(columns)) = (u16::try_from(prepared.params), u16::try_from(prepared.columns.len())) else {
            self.client.close_statement(prepared.id);
            return self.fail(1390, b"HY000", "a prepared statement can have 65535 parameters and columns".to_owned());
        };
        let kept = if self.connection.query_log.is_some() { text.to_vec() } else { Vec::new() };
        self.statements.insert(prepared.id, Statement::new(prepared.params, kept));
        self.output.packet(|buffer| {
            buffer.push(0);
            buffer.extend_from_slice(&prepared.id.to_le_bytes());
            buffer.extend_from_slice(&columns.to_le_bytes());
            buffer.extend_from_slice(&params.to_le_bytes());
            // A byte that was never used, and the number of warnings.
            buffer.extend_from_slice(&[0, 0, 0]);
        })?;
        for _ in 0..params {
            self.output.packet(put_parameter)?;
        }
        if params > 0 {
            self.end_of_definitions()?;
        }
        for column in &prepared.columns {
            self.output.packet(|buffer| put_column(buffer, column))?;
        }
        if columns > 0 {
            self.end_of_definitions()?;
        }
        Ok(Next::Command)
    }

    fn execute(&mut self, body: &[u8], arrived: Instant) -> Result<Next, ClientGone> {
        let mut scan = Scan::new(body);
        // Statement, cursor type, and an iteration count that is always 1. No cursor is opened, whatever is asked: all rows come at once,
        // which the protocol allows.
        let (Some(id), Some(_), Some(_)) = (scan.u32(), scan.u8(), scan.u32()) else { return self.malformed() };
        let Some(statement) = self.statements.get_mut(&id) else { return self.no_statement(id) };
        match statement.read_values(scan.rest()) {
            Ok(values) => {
                let text = statement.text.clone();
                self.run(RowForm::Binary, &text, arrived, |client, sink| client.execute(id, &values, sink))
            }
            Err(error) => self.fail_with(&error),
        }
    }

    fn deprecates_eof(&self) -> bool {
        self.capabilities.contains(CapabilityFlags::CLIENT_DEPRECATE_EOF)
    }

    fn succeed(&mut self) -> Result<Next, ClientGone> {
        let status = status_flags(self.client.transaction());
        self.output.packet(|buffer| put_ok(buffer, OkFields { status, ..OkFields::default() }))?;
        Ok(Next::Command)
    }

    /// Ends a list that is an answer of its own.
    fn end_of_list(&mut self) -> Result<Next, ClientGone> {
        let status = status_flags(self.client.transaction());
        if self.deprecates_eof() {
            self.output.packet(|buffer| put_ok_at_end(buffer, OkFields { status, ..OkFields::default() }))?;
        } else {
            self.output.packet(|buffer| put_eof(buffer, status, 0))?;
        }
        Ok(Next::Command)
    }

    /// Ends definitions of columns or parameters, where the client expects an end at all.
    fn end_of_definitions(&mut self) -> Result<(), ClientGone> {
        let status = status_flags(self.client.transaction());
        if self.deprecates_eof() { Ok(()) } else { self.output.packet(|buffer| put_eof(buffer, status, 0)) }
    }

    fn fail_with(&mut self, error: &StatementError) -> Result<Next, ClientGone> {
        self.output.packet(|buffer| put_error(buffer, error))?;
        Ok(Next::Command)
    }

    fn fail(&mut self, code: u16, state: &[u8; 5], message: String) -> Result<Next, ClientGone> {
        self.fail_with(&StatementError::with_code(code, state, message))
    }

    fn unknown(&mut self) -> Result<Next, ClientGone> {
        self.fail(1047, b"08S01", "unknown command".to_owned())
    }

    fn malformed(&mut self) -> Result<Next, ClientGone> {
        self.fail(1835, b"HY000", "malformed packet".to_owned())
    }

    fn no_statement(&mut self, id: u32) -> Result<Next, ClientGone> {
        self.fail(1243, b"HY000", format!("unknown prepared statement {id}"))
    }
}

/// Whether the log of queries is for this text.
fn is_select(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"select"))
}
