//! A client that speaks packets, for tests that no driver can make: broken packets, silence, odd logins.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::packet::PIECE_MAX;

pub(super) struct RawClient {
    pub(super) stream: TcpStream,
    pub(super) sequence: u8,
}

/// Capabilities of a plain client: protocol 4.1, secure connection, plugins.
pub(super) const PLAIN: u32 = 0x0000_0200 | 0x8000 | 0x0008_0000 | 0x0001_0000 | 0x0002_0000;
pub(super) const DEPRECATE_EOF: u32 = 0x0100_0000;
pub(super) const WITH_DB: u32 = 8;

impl RawClient {
    /// Connects, without reading anything.
    pub(super) fn connect(port: u16) -> RawClient {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("timeout");
        RawClient { stream, sequence: 0 }
    }

    /// Connects and logs in as `root` without password.
    pub(super) fn login(port: u16, capabilities: u32) -> RawClient {
        let mut client = RawClient::connect(port);
        let greeting = client.receive();
        assert_eq!(greeting[0], 10, "a greeting");
        client.send_login(capabilities, b"", b"", b"mysql_native_password");
        let answer = client.receive();
        assert_eq!(answer[0], 0, "an OK, not {:?}", String::from_utf8_lossy(&answer));
        client
    }

    pub(super) fn send_login(&mut self, capabilities: u32, password: &[u8], database: &[u8], plugin: &[u8]) {
        let mut payload = capabilities.to_le_bytes().to_vec();
        payload.extend_from_slice(&(1u32 << 24).to_le_bytes());
        payload.push(45);
        payload.extend_from_slice(&[0; 23]);
        payload.extend_from_slice(b"root\0");
        payload.push(password.len() as u8);
        payload.extend_from_slice(password);
        if capabilities & WITH_DB != 0 {
            payload.extend_from_slice(database);
            payload.push(0);
        }
        payload.extend_from_slice(plugin);
        payload.push(0);
        self.send(&payload);
    }

    /// Sends a payload with the sequence number that is next.
    pub(super) fn send(&mut self, payload: &[u8]) {
        let mut rest = payload;
        loop {
            let length = rest.len().min(PIECE_MAX);
            let mut piece = (length as u32).to_le_bytes()[..3].to_vec();
            piece.push(self.sequence);
            piece.extend_from_slice(&rest[..length]);
            self.stream.write_all(&piece).expect("written");
            self.sequence = self.sequence.wrapping_add(1);
            rest = &rest[length..];
            if length < PIECE_MAX {
                return;
            }
        }
    }

    /// Sends a command, which begins a new exchange.
    pub(super) fn command(&mut self, code: u8, body: &[u8]) {
        self.sequence = 0;
        self.send(&[&[code], body].concat());
    }

    /// The next payload. Checks the sequence numbers.
    pub(super) fn receive(&mut self) -> Vec<u8> {
        self.try_receive().expect("a payload")
    }

    /// The next payload; None once the server has closed.
    pub(super) fn try_receive(&mut self) -> Option<Vec<u8>> {
        let mut payload = Vec::new();
        loop {
            let mut header = [0; 4];
            self.stream.read_exact(&mut header).ok()?;
            assert_eq!(header[3], self.sequence, "sequence number");
            self.sequence = self.sequence.wrapping_add(1);
            let length = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
            let start = payload.len();
            payload.resize(start + length, 0);
            self.stream.read_exact(&mut payload[start..]).ok()?;
            if length < PIECE_MAX {
                return Some(payload);
            }
        }
    }

    /// Sends a command and gives its error: number, state and message.
    pub(super) fn error_of(&mut self, code: u8, body: &[u8]) -> (u16, String) {
        self.command(code, body);
        let answer = self.receive();
        assert_eq!(answer[0], 0xFF, "an error, not {answer:?}");
        (u16::from_le_bytes([answer[1], answer[2]]), String::from_utf8_lossy(&answer[3..]).into_owned())
    }
}
