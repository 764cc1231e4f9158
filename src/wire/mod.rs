//! Floor 6: the MySQL protocol between a socket and a session.
//!
//! [`Service`] owns all connections: [`Service::accept`] gives each its own thread, which does blocking reads and writes. A thread per
//! connection costs the least CPU for a one-row statement (no hand-over between threads), and the system's own socket timeouts bound every
//! wait. What a statement means is not known here: text and parameters go to a [`Client`], answers come back through a
//! [`Sink`](crate::session::Sink) and are encoded straight into a buffer that is written out at 64 KB.
//!
//! In reading order: [`backend`] (what is asked of a session), [`sessions`] (the sessions that answer it), [`socket`], [`packet`] (framing), [`handshake`], [`connection`] (the command
//! loop), [`sink`] with its encoders [`reply_packets`], [`columns`], [`text_row`] and [`binary_row`], [`parameters`], [`registry`] (who is
//! connected, who waits), [`service`].
//!
//! Invariants: no byte of a client can panic or allocate more than `max_packet_size` (64 KB before it has logged in); a connection at
//! rest holds at most 64 KB of buffers; a client that is gone ends its statement within about 100 ms; a client that does not read is cut
//! off after `network_timeout`.
//!
//! Every user name and password is let in: there is no authentication. TLS and compression are not offered, so clients do not ask for
//! them.

pub mod backend;
mod binary_row;
mod columns;
mod connection;
mod handshake;
mod packet;
mod parameters;
mod registry;
mod reply_packets;
mod scan;
mod service;
mod sessions;
mod sink;
mod socket;
mod text_row;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod raw_client;
#[cfg(test)]
mod tests;

pub use backend::{Backend, Client, Prepared, QueryLog, QueryLogEntry, Transaction};
pub use service::{Options, Service};
pub use socket::Socket;
