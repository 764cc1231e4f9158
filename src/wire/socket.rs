//! A connected socket, TCP or Unix, shared between the connection's thread and those who may have to close it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::fd::{AsFd, BorrowedFd};
use rustix::net::RecvFlags;

/// A connected client. Reading and writing go through a shared reference, so that another thread can shut it down meanwhile.
#[derive(Debug)]
pub enum Socket {
    /// Over TCP.
    Tcp(TcpStream),
    /// Over a Unix domain socket.
    Unix(UnixStream),
}

/// Whether somebody is at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Present,
    Gone,
}

impl Socket {
    /// Bounds each single wait for the client, in reading and in writing.
    pub(super) fn set_timeouts(&self, read: Duration, write: Duration) -> io::Result<()> {
        match self {
            Socket::Tcp(s) => s.set_read_timeout(Some(read)).and_then(|()| s.set_write_timeout(Some(write))),
            Socket::Unix(s) => s.set_read_timeout(Some(read)).and_then(|()| s.set_write_timeout(Some(write))),
        }
    }

    /// Sends small packets at once instead of waiting for more. Nothing to do for a Unix socket.
    pub(super) fn set_nodelay(&self) -> io::Result<()> {
        match self {
            Socket::Tcp(s) => s.set_nodelay(true),
            Socket::Unix(_) => Ok(()),
        }
    }

    /// Ends the connection in one or both directions; a thread that waits on it wakes up.
    pub(super) fn shutdown(&self, how: Shutdown) {
        // An error means that it is closed already, which is what was wanted.
        let _ = match self {
            Socket::Tcp(s) => s.shutdown(how),
            Socket::Unix(s) => s.shutdown(how),
        };
    }

    /// Whether the client has closed its end, or has said goodbye and will. Looks without taking bytes and without waiting.
    pub(super) fn peer(&self) -> Peer {
        /// A whole COM_QUIT packet: what a client sends before it closes.
        const QUIT: [u8; 5] = [1, 0, 0, 0, 1];
        let mut bytes = [0u8; 5];
        match rustix::net::recv(self.as_fd(), &mut bytes[..], RecvFlags::PEEK | RecvFlags::DONTWAIT) {
            Ok((0, _)) => Peer::Gone,
            Ok((_, 5)) if bytes == QUIT => Peer::Gone,
            Ok(_) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Peer::Present,
            Err(_) => Peer::Gone,
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Tcp(s) => s.as_fd(),
            Socket::Unix(s) => s.as_fd(),
        }
    }
}

impl Read for &Socket {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => (&mut &*s).read(buf),
            Socket::Unix(s) => (&mut &*s).read(buf),
        }
    }
}

impl Write for &Socket {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => (&mut &*s).write(buf),
            Socket::Unix(s) => (&mut &*s).write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
