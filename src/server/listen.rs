//! Sockets that wait for clients.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, ToSocketAddrs};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::start::StartError;
use crate::config::{Address, Listener, Protocol};
use crate::http;
use crate::storage::Disk;
use crate::wire::{Service, Socket};

/// HTTP requests that are answered at once; one more is closed unanswered.
const HTTP_MAX: usize = 32;
const HTTP_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause after a failed accept, which is nearly always for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A socket that is bound but does not accept yet: clients that come meanwhile wait in the system's queue.
pub(super) struct Bound {
    listener: Listener,
    socket: Waiting,
}

enum Waiting {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// A socket with a thread that accepts.
pub(super) struct Accepting {
    bound: Arc<Bound>,
    closing: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// Why an address cannot be listened on.
pub(super) fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "the address is in use, perhaps by another server".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied; ports below 1024 need special rights".to_owned(),
        io::ErrorKind::AddrNotAvailable => "no interface of this machine has the address".to_owned(),
        _ => error.to_string(),
    }
}

/// Binds the address of `listener`.
pub(super) fn bind(listener: &Listener, disk: &dyn Disk) -> Result<Bound, StartError> {
    let failed = |error: io::Error| StartError::Listen { address: listener.address.to_string(), reason: in_words(&error) };
    let socket = match &listener.address {
        Address::Tcp { host, port } => {
            let addresses: Vec<SocketAddr> = (host.as_str(), *port).to_socket_addrs().map_err(failed)?.collect();
            // `localhost` is both; clients that are told 127.0.0.1 must find it.
            let first = addresses.iter().find(|a| a.is_ipv4()).or(addresses.first());
            let address = first.ok_or_else(|| failed(io::Error::other("the name has no address")))?;
            Waiting::Tcp(TcpListener::bind(address).map_err(failed)?)
        }
        Address::Unix(path) => {
            // A file that nobody answers at was left behind by a server that was killed.
            if disk.exists(path) && UnixStream::connect(path).is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused) {
                disk.remove_file(path).map_err(failed)?;
            }
            Waiting::Unix(UnixListener::bind(path).map_err(failed)?)
        }
    };
    Ok(Bound { listener: listener.clone(), socket })
}

impl Bound {
    /// The port, where the address has one: what the system chose if the configuration left it open.
    pub(super) fn port(&self) -> Option<u16> {
        match &self.socket {
            Waiting::Tcp(socket) => socket.local_addr().ok().map(|address| address.port()),
            Waiting::Unix(_) => None,
        }
    }

    /// Begins to accept.
    pub(super) fn accept(self, service: &Arc<Service>) -> Result<Accepting, StartError> {
        let bound = Arc::new(self);
        let closing = Arc::new(AtomicBool::new(false));
        let (shared, flag, service) = (bound.clone(), closing.clone(), service.clone());
        if bound.listener.protocol == Protocol::Http {
            tracing::warn!("{}: HTTP is not implemented, every request is answered with 501", bound.listener.address);
        }
        let thread = thread::Builder::new()
            .name("accept".to_owned())
            .spawn(move || shared.accept_until(&flag, &service))
            .map_err(StartError::Thread)?;
        Ok(Accepting { bound, closing, thread })
    }

    fn accept_until(&self, closing: &AtomicBool, service: &Arc<Service>) {
        let requests = Arc::new(AtomicUsize::new(0));
        let mut failing = false;
        loop {
            let accepted = match &self.socket {
                Waiting::Tcp(socket) => socket.accept().map(|(stream, peer)| (Socket::Tcp(stream), peer.to_string())),
                Waiting::Unix(socket) => socket.accept().map(|(stream, _)| (Socket::Unix(stream), "local".to_owned())),
            };
            if closing.load(Ordering::SeqCst) {
                return;
            }
            match accepted {
                Ok((socket, peer)) => {
                    failing = false;
                    match self.listener.protocol {
                        Protocol::Mysql => service.accept(socket, peer, self.listener.vip),
                        Protocol::Http => refuse_http(socket, &requests),
                    }
                }
                // A client that left before its turn is nobody's trouble.
                Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted) => {}
                Err(error) => {
                    if !failing {
                        tracing::error!("{}: no connection can be accepted: {error}", self.listener.address);
                    }
                    failing = true;
                    thread::sleep(ACCEPT_PAUSE);
                }
            }
        }
    }
}

/// Answers an HTTP client in a thread of its own.
fn refuse_http(socket: Socket, requests: &Arc<AtomicUsize>) {
    if requests.fetch_add(1, Ordering::Relaxed) >= HTTP_MAX {
        requests.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let counted = requests.clone();
    let spawned = thread::Builder::new().name("http".to_owned()).spawn(move || {
        let timeout = Some(HTTP_TIMEOUT);
        match socket {
            Socket::Tcp(mut stream) => {
                if stream.set_read_timeout(timeout).and_then(|()| stream.set_write_timeout(timeout)).is_ok() {
                    http::refuse(&mut stream, |stream| drop(stream.shutdown(Shutdown::Write)));
                }
            }
            Socket::Unix(mut stream) => {
                if stream.set_read_timeout(timeout).and_then(|()| stream.set_write_timeout(timeout)).is_ok() {
                    http::refuse(&mut stream, |stream| drop(stream.shutdown(Shutdown::Write)));
                }
            }
        }
        counted.fetch_sub(1, Ordering::Relaxed);
    });
    if spawned.is_err() {
        requests.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Accepting {
    /// Stops accepting and frees the address. Returns once the thread has ended.
    pub(super) fn close(self, disk: &dyn Disk) {
        self.closing.store(true, Ordering::SeqCst);
        // Shutting a listening socket down wakes the thread that waits in accept; a plain close would not.
        let _ = match &self.bound.socket {
            Waiting::Tcp(socket) => rustix::net::shutdown(socket, rustix::net::Shutdown::Both),
            Waiting::Unix(socket) => rustix::net::shutdown(socket, rustix::net::Shutdown::Both),
        };
        if self.thread.join().is_err() {
            tracing::error!("{}: the accepting thread had panicked", self.bound.listener.address);
        }
        if let Address::Unix(path) = &self.bound.listener.address {
            let path: &PathBuf = path;
            if let Err(error) = disk.remove_file(path) {
                tracing::warn!("{error}");
            }
        }
    }
}
