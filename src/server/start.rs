//! The order of starting and of stopping, in one place each.
//!
//! ```text
//! start  data folder → its lock → log → addresses bound → pid file → tables opened → connections accepted
//! stop   no more connections → merges asked to end → sessions end → tables closed → pid file removed → lock released
//! ```
//!
//! The lock comes before anything that another server could disturb. Addresses are bound before tables are opened, which can take long
//! after a crash: a port in use is told at once, and clients wait instead of being refused. Merges are asked to end before sessions are
//! waited for, since a session may wait for a merge.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use super::check::{Findings, check};
use super::engine;
use super::listen::{self, Accepting, Bound};
use super::log::{self, AppendFile};
use super::pid::PidFile;
use super::query_log::QueryLogFile;
use super::signals::Heard;
use crate::config::{self, Address, Config, ConfigErrors, Protocol};
use crate::storage::{DirLock, Disk, LockError, RealDisk};
use crate::types::SharedSettings;
use crate::wire::{Backend, Options, QueryLog, Service};

/// Tables, threads and log behind all sessions, as the server handles them.
pub trait Engine: Send {
    /// Opens sessions on it.
    fn backend(&self) -> Arc<dyn Backend>;
    /// A stop has begun: merges end soon, and sessions that wait for one are told. Statements still run.
    fn begin_stop(&self);
    /// No session is left: saves what is to be saved and closes the tables. Gives what went wrong, for the operator.
    fn shutdown(self: Box<Self>) -> Result<(), String>;
}

/// Opens the engine on the data folder that the settings name, which exists and is locked. The text is the version that clients are told.
pub type OpenEngine = fn(&Arc<dyn Disk>, &SharedSettings, &str) -> Result<Box<dyn Engine>, String>;

/// Why there is no server, or no clean end of one.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration is wrong.
    #[error("{0}")]
    Config(#[from] ConfigErrors),
    /// The configuration cannot be read.
    #[error("cannot read the configuration: {0}")]
    ConfigFile(io::Error),
    /// The configuration is not text.
    #[error("{}: not valid UTF-8 at byte {offset}", path.display())]
    ConfigText {
        /// The file.
        path: PathBuf,
        /// Where the first wrong byte is.
        offset: usize,
    },
    /// The data folder cannot be made.
    #[error("cannot create the data folder: {0}")]
    DataDir(io::Error),
    /// The data folder is another server's.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A log file cannot be opened.
    #[error("cannot open the log: {0}")]
    Log(io::Error),
    /// An address cannot be listened on.
    #[error("cannot listen on {address}: {reason}")]
    Listen {
        /// As configured.
        address: String,
        /// In words.
        reason: String,
    },
    /// The file with the process id cannot be written.
    #[error("cannot write the pid file: {0}")]
    PidFile(io::Error),
    /// The system gives no thread, or no way to hear signals.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// The tables cannot be opened, or could not be closed.
    #[error("{0}")]
    Engine(String),
    /// Sessions did not end.
    #[error("{0} sessions did not end in time")]
    Sessions(usize),
}

/// A running server.
pub struct Server {
    disk: Arc<dyn Disk>,
    settings: SharedSettings,
    service: Arc<Service>,
    engine: Box<dyn Engine>,
    accepting: Vec<Accepting>,
    ports: Vec<u16>,
    logs: Vec<Arc<AppendFile>>,
    // Released last, in this order.
    _pid_file: Option<PidFile>,
    _lock: DirLock,
}

/// The configuration in `path`, or the built-in one.
pub fn read_config(path: Option<&Path>) -> Result<Config, StartError> {
    let Some(path) = path else { return Ok(Config::builtin()) };
    let bytes = RealDisk.read(path).map_err(StartError::ConfigFile)?;
    let text = std::str::from_utf8(&bytes).map_err(|e| StartError::ConfigText { path: path.to_owned(), offset: e.valid_up_to() })?;
    Ok(config::read(text, &path.display().to_string())?)
}

/// What would keep a server with this configuration from starting.
pub fn check_config(config: &Config) -> Findings {
    check(config, &RealDisk)
}

/// Runs a server until it is asked to stop. `introduce` prints how to connect, for a person who started it by hand.
pub fn run(config: Config, introduce: bool) -> Result<(), StartError> {
    // Before anything that a signal could leave half done.
    let mut heard = Heard::new().map_err(StartError::Thread)?;
    let (data_dir, listeners) = (config.settings.data_dir.clone(), config.listeners.clone());
    let server = Server::start(config, Arc::new(RealDisk), engine::open)?;
    if introduce {
        println!("chimera {} keeps its data in {}", env!("CARGO_PKG_VERSION"), data_dir.display());
        for listener in listeners.iter().filter(|l| l.protocol == Protocol::Mysql) {
            println!("connect with: {}", how_to_connect(&listener.address));
        }
    }
    let signal = heard.wait_for_stop(|| server.reopen_logs());
    tracing::info!("{signal}: stopping");
    heard.exit_on_next();
    server.stop()
}

impl Server {
    /// Starts everything, in the order above. What was begun is undone if a later step fails.
    pub fn start(config: Config, disk: Arc<dyn Disk>, open_engine: OpenEngine) -> Result<Server, StartError> {
        let began = Instant::now();
        let Config { listeners, settings, log, query_log, pid_file, version_string, warnings } = config;
        disk.create_dir(&settings.data_dir).map_err(StartError::DataDir)?;
        let lock = DirLock::acquire(&settings.data_dir)?;

        let open_log = |path: Option<PathBuf>| path.map(|path| AppendFile::open(&disk, path).map(Arc::new)).transpose();
        let (log, query_log) = (open_log(log).map_err(StartError::Log)?, open_log(query_log).map_err(StartError::Log)?);
        if !cfg!(test) {
            // Messages and panics of a test belong to the test runner.
            log::install(log.clone());
        }
        tracing::info!("chimera {} starts, data in {}", env!("CARGO_PKG_VERSION"), settings.data_dir.display());
        for warning in &warnings {
            tracing::warn!("{warning}");
        }

        let bound: Vec<Bound> = listeners.iter().map(|listener| listen::bind(listener, &*disk)).collect::<Result<_, _>>()?;
        let ports = bound.iter().filter_map(Bound::port).collect();
        let pid_file = pid_file.map(|path| PidFile::write(&disk, path)).transpose().map_err(StartError::PidFile)?;

        let settings: SharedSettings = Arc::new(ArcSwap::from_pointee(settings));
        let engine = open_engine(&disk, &settings, &version_string).map_err(StartError::Engine)?;
        let service = Service::start(Options {
            backend: engine.backend(),
            settings: settings.clone(),
            version: version_string,
            query_log: query_log.clone().map(|file| Arc::new(QueryLogFile(file)) as Arc<dyn QueryLog>),
        })
        .map_err(StartError::Thread)?;
        let mut server = Server {
            disk,
            settings,
            service,
            engine,
            accepting: Vec::new(),
            ports,
            logs: log.into_iter().chain(query_log).collect(),
            _pid_file: pid_file,
            _lock: lock,
        };
        for (bound, listener) in bound.into_iter().zip(&listeners) {
            let accepting = bound.accept(&server.service)?;
            server.accepting.push(accepting);
            tracing::info!("listening on {listener}");
        }
        tracing::info!("ready after {} ms", began.elapsed().as_millis());
        Ok(server)
    }

    /// Ports that are listened on, in the order of the configuration.
    pub fn ports(&self) -> &[u16] {
        &self.ports
    }

    /// Opens log files anew, after somebody renamed them.
    pub fn reopen_logs(&self) {
        for log in &self.logs {
            if let Err(error) = log.reopen() {
                tracing::error!("the log goes on in its old file: {error}");
            }
        }
    }

    /// Stops everything, in the order above.
    pub fn stop(self) -> Result<(), StartError> {
        let began = Instant::now();
        for accepting in self.accepting {
            accepting.close(&*self.disk);
        }
        self.engine.begin_stop();
        let wait = Duration::from_secs(self.settings.load().shutdown_timeout);
        let left = self.service.stop(wait);
        if left > 0 {
            tracing::error!("{left} sessions did not end");
        }
        // Also with sessions left: what they have been told is in the log, and what can be saved is saved.
        let closed = self.engine.shutdown();
        match &closed {
            Ok(()) => tracing::info!("stopped after {} ms", began.elapsed().as_millis()),
            Err(error) => tracing::error!("the tables were not closed cleanly: {error}"),
        }
        closed.map_err(StartError::Engine)?;
        if left > 0 { Err(StartError::Sessions(left)) } else { Ok(()) }
    }
}

fn how_to_connect(address: &Address) -> String {
    match address {
        Address::Tcp { host, port } => {
            let host = if host == "0.0.0.0" { "127.0.0.1" } else { host };
            format!("mysql -h{host} -P{port}")
        }
        Address::Unix(path) => format!("mysql -S{}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Listener;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::os::unix::net::UnixStream;

    fn config(folder: &Path) -> Config {
        let mut config = Config::builtin();
        config.settings.data_dir = folder.join("data");
        config.listeners[0].address = Address::Tcp { host: "localhost".to_owned(), port: 0 };
        config
    }

    fn start(config: Config) -> Result<Server, StartError> {
        Server::start(config, Arc::new(RealDisk), engine::open)
    }

    fn greeting(stream: &mut impl Read) -> u8 {
        let mut bytes = [0; 5];
        stream.read_exact(&mut bytes).expect("a greeting");
        bytes[4]
    }

    #[test]
    fn a_server_starts_serves_and_stops_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = config(folder.path());
        let (socket, pid) = (folder.path().join("m.sock"), folder.path().join("m.pid"));
        config.pid_file = Some(pid.clone());
        config.query_log = Some(folder.path().join("query.log"));
        config.listeners.push(Listener { address: Address::Unix(socket.clone()), protocol: Protocol::Mysql, vip: true });
        config.listeners.push(Listener {
            address: Address::Tcp { host: "127.0.0.1".into(), port: 0 },
            protocol: Protocol::Http,
            vip: false,
        });
        let server = start(config.clone()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(RealDisk.read(&pid).expect("read"), format!("{}\n", std::process::id()).as_bytes());

        let mut tcp = TcpStream::connect(("127.0.0.1", server.ports()[0])).expect("connected");
        assert_eq!(greeting(&mut tcp), 10);
        assert_eq!(greeting(&mut UnixStream::connect(&socket).expect("connected")), 10);
        let mut http = TcpStream::connect(("127.0.0.1", server.ports()[1])).expect("connected");
        http.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("written");
        let mut answer = String::new();
        http.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 501 "), "{answer}");

        // A second server on the same folder, and one on the same port.
        let error = start(config.clone()).err().expect("refused").to_string();
        assert!(error.contains(&format!("in use by process {}", std::process::id())), "{error}");
        let mut other = config.clone();
        other.settings.data_dir = folder.path().join("other");
        other.listeners =
            vec![Listener { address: Address::Tcp { host: "127.0.0.1".into(), port: server.ports()[0] }, ..config.listeners[0].clone() }];
        let error = start(other.clone()).err().expect("refused").to_string();
        assert_eq!(error, format!("cannot listen on 127.0.0.1:{}: the address is in use, perhaps by another server", server.ports()[0]));
        other.listeners = vec![config.listeners[1].clone()];
        assert!(start(other).err().expect("refused").to_string().contains("the address is in use"));

        server.stop().unwrap_or_else(|e| panic!("{e}"));
        assert!(!RealDisk.exists(&pid) && !RealDisk.exists(&socket));
        let server = start(config).unwrap_or_else(|e| panic!("folder and socket are free again: {e}"));
        server.stop().unwrap_or_else(|e| panic!("{e}"));
    }

    #[test]
    fn a_socket_left_by_a_killed_server_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("m.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).expect("bound"));
        assert!(RealDisk.exists(&path));
        let mut config = config(folder.path());
        config.listeners = vec![Listener { address: Address::Unix(path.clone()), protocol: Protocol::Mysql, vip: false }];
        let server = start(config).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(greeting(&mut UnixStream::connect(&path).expect("connected")), 10);
        server.stop().unwrap_or_else(|e| panic!("{e}"));
    }

    #[test]
    fn configurations_are_read_from_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("m.conf");
        let write = |bytes: &[u8]| RealDisk.create(&path).and_then(|mut file| file.write(bytes)).expect("written");
        let error = read_config(Some(&path)).expect_err("missing").to_string();
        assert!(error.starts_with("cannot read the configuration: ") && error.contains("m.conf"), "{error}");
        write(b"searchd {\n threads = 0\n}\n");
        let error = read_config(Some(&path)).expect_err("wrong").to_string();
        assert_eq!(error, format!("{}:2: threads = 0: a number from 1 to 1024 expected", path.display()));
        write(b"# \xFF\n");
        assert!(read_config(Some(&path)).expect_err("no text").to_string().contains("not valid UTF-8 at byte 2"));
        write(b"searchd {\n threads = 2\n}\n");
        assert_eq!(read_config(Some(&path)).expect("read").settings.threads, 2);
        assert_eq!(read_config(None).expect("built in"), Config::builtin());
    }
}
