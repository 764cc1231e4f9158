//! All connections of a server: how they begin, how many there may be, how they are ended.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::backend::{Backend, QueryLog};
use super::connection::{self, Connection, Ending};
use super::handshake;
use super::packet::Output;
use super::registry::{Place, Registry};
use super::socket::Socket;
use crate::session::StatementError;
use crate::types::SharedSettings;

/// Stack of a connection's thread, on which statements are parsed and run. Only touched pages take memory.
const STACK_BYTES: usize = 4 << 20;
/// How long sessions may take to end once their statements were told to stop, and once their sockets were cut.
const STOP_GRACE: Duration = Duration::from_secs(10);
const CUT_GRACE: Duration = Duration::from_secs(3);

/// What a service is made from.
pub struct Options {
    /// Opens sessions.
    pub backend: Arc<dyn Backend>,
    /// Limits and timeouts, looked at for each command.
    pub settings: SharedSettings,
    /// The version that clients are told.
    pub version: String,
    /// Takes note of queries, if anybody does.
    pub query_log: Option<Arc<dyn QueryLog>>,
}

/// Serves MySQL clients.
pub struct Service {
    options: Options,
    registry: Arc<Registry>,
}

impl Service {
    /// A service without connections, whose watch over running statements has begun. Fails if the system gives no thread.
    pub fn start(options: Options) -> io::Result<Arc<Service>> {
        let registry = Arc::new(Registry::default());
        let watched = registry.clone();
        thread::Builder::new().name("mysql-watch".to_owned()).spawn(move || watched.watch())?;
        Ok(Arc::new(Service { options, registry }))
    }

    /// Serves a client that has just connected, in a thread of its own, and returns at once. `vip` connections do not count towards
    /// `max_connections`. A client that is one too many is told so.
    pub fn accept(self: &Arc<Service>, socket: Socket, peer: String, vip: bool) {
        // Never wait long for a client that is turned away: this is the thread that accepts.
        let turn_away = |socket: &Socket, code, state, text: &str| {
            let _ = socket.set_timeouts(Duration::from_millis(100), Duration::from_millis(100));
            let _ = handshake::refuse::<()>(&mut Output::new(socket), StatementError::with_code(code, state, text), false);
        };
        let max = self.options.settings.load().max_connections;
        let Some(place) = self.registry.place(max, !vip) else {
            return turn_away(&socket, 1040, b"08004", "Too many connections");
        };
        let (service, socket) = (self.clone(), Arc::new(socket));
        let kept = socket.clone();
        let spawned = thread::Builder::new().name("mysql".to_owned()).stack_size(STACK_BYTES).spawn(move || {
            service.serve(&socket, &peer, place);
        });
        if let Err(error) = spawned {
            tracing::error!("no thread for another connection: {error}");
            turn_away(&kept, 1135, b"HY000", "cannot create a thread for the connection");
        }
    }

    /// Number of connections.
    pub fn connections(&self) -> usize {
        self.registry.len()
    }

    /// Takes no more commands and returns when all sessions are gone: idle clients are disconnected now, running statements may go on for
    /// `wait`, are then stopped, and their connections are cut if that does not end them. Gives the number of sessions that did not end
    /// all the same.
    pub fn stop(&self, wait: Duration) -> usize {
        self.registry.begin_stop();
        if self.registry.wait_empty(wait) > 0 {
            tracing::warn!("statements of {} connections are stopped", self.registry.len());
            self.registry.stop_statements();
            if self.registry.wait_empty(STOP_GRACE) > 0 {
                self.registry.cut();
                self.registry.wait_empty(CUT_GRACE);
            }
        }
        self.registry.close();
        self.registry.len()
    }

    fn serve(&self, socket: &Arc<Socket>, peer: &str, place: Place) {
        // Declared before the session, hence dropped after it: who sees no connections may take the engine apart.
        let _place = place;
        let _ = socket.set_nodelay();
        let Options { backend, settings, version, query_log } = &self.options;
        let entry;
        let mut client = match backend.open(peer) {
            Ok(client) => client,
            Err(error) => {
                let _ = handshake::refuse::<()>(&mut Output::new(socket), error, false);
                return;
            }
        };
        entry = self.registry.enter(socket.clone(), client.stop_token());
        let connection = Connection { socket, settings, version, peer, query_log: query_log.as_deref(), entry: &entry };
        let id = client.id();
        match connection::serve(&connection, &mut *client) {
            Ending::Left | Ending::Ended | Ending::Refused => tracing::debug!("connection {id} from {peer} ended"),
            Ending::Silent => tracing::info!("connection {id} from {peer} closed: no statement, or not all of one, came in time"),
            Ending::Slow => tracing::warn!("connection {id} from {peer} closed: the client did not read its answer in time"),
            Ending::Disorder => tracing::warn!("connection {id} from {peer} closed: packets out of order"),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.registry.close();
    }
}
