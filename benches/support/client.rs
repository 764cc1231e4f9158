//! A small client of the MySQL protocol: enough to load rows and ask questions, with as little CPU of its own as possible.
//!
//! Written by hand so that what is measured is the server: one socket, blocking, text protocol, no dependency.

use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;

/// Longest payload of one packet.
const PACKET_MAX: usize = 0xff_ffff;
/// CLIENT_LONG_PASSWORD | CLIENT_PROTOCOL_41 | CLIENT_SECURE_CONNECTION.
const CAPABILITIES: u32 = 0x1 | 0x200 | 0x8000;

/// A connection.
pub struct Client {
    socket: TcpStream,
    reader: BufReader<TcpStream>,
    out: Vec<u8>,
    packet: Vec<u8>,
    sequence: u8,
}

/// The answer to a statement: rows of text, or a count.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// Affected rows.
    Done(u64),
    /// A result set; NULL is None.
    Rows(Vec<Vec<Option<String>>>),
}

fn wrong(what: impl Into<String>) -> io::Error {
    io::Error::other(what.into())
}

impl Client {
    /// Connects to a port of this machine.
    pub fn connect(port: u16) -> io::Result<Client> {
        let socket = TcpStream::connect(("127.0.0.1", port))?;
        socket.set_nodelay(true)?;
        let reader = BufReader::with_capacity(64 << 10, socket.try_clone()?);
        let mut client = Client { socket, reader, out: Vec::new(), packet: Vec::new(), sequence: 0 };
        client.receive()?;
        let mut login = Vec::new();
        login.extend_from_slice(&CAPABILITIES.to_le_bytes());
        login.extend_from_slice(&(PACKET_MAX as u32).to_le_bytes());
        login.push(33);
        login.extend_from_slice(&[0; 23]);
        login.extend_from_slice(b"bench\0\0");
        client.send(&login)?;
        loop {
            client.receive()?;
            match client.packet.first() {
                Some(0) => return Ok(client),
                // The server would rather have another proof of identity: an empty one serves.
                Some(0xfe) => client.send(&[])?,
                Some(1) => {}
                _ => return Err(client.error()),
            }
        }
    }

    /// Carries out one statement.
    pub fn query(&mut self, text: &str) -> io::Result<Answer> {
        self.send_query(text)?;
        self.answer()
    }

    /// A statement whose answer is one number.
    pub fn number(&mut self, text: &str) -> io::Result<u64> {
        match self.query(text)? {
            Answer::Rows(rows) => {
                let cell = rows.into_iter().next().and_then(|row| row.into_iter().next()).flatten();
                cell.and_then(|c| c.parse().ok()).ok_or_else(|| wrong(format!("{text}: no number")))
            }
            Answer::Done(_) => Err(wrong(format!("{text}: no rows"))),
        }
    }

    /// Sends a statement without waiting for its answer.
    pub fn send_query(&mut self, text: &str) -> io::Result<()> {
        self.sequence = 0;
        let mut payload = std::mem::take(&mut self.packet);
        payload.clear();
        payload.push(3);
        payload.extend_from_slice(text.as_bytes());
        let result = self.send(&payload);
        self.packet = payload;
        result
    }

    /// Waits for the answer of a statement.
    pub fn answer(&mut self) -> io::Result<Answer> {
        self.receive()?;
        match self.packet.first() {
            Some(0) => {
                let mut at = 1;
                return Ok(Answer::Done(self.number_at(&mut at).unwrap_or(0)));
            }
            Some(0xff) | None => return Err(self.error()),
            Some(_) => {}
        }
        let mut at = 0;
        let columns = self.number_at(&mut at).ok_or_else(|| wrong("a count of columns expected"))?;
        for _ in 0..columns {
            self.receive()?;
        }
        self.receive()?;
        let mut rows = Vec::new();
        loop {
            self.receive()?;
            match self.packet.first() {
                Some(0xfe) if self.packet.len() < 9 => return Ok(Answer::Rows(rows)),
                Some(0xff) => return Err(self.error()),
                _ => {}
            }
            let mut at = 0;
            rows.push((0..columns).map(|_| self.text_at(&mut at)).collect());
        }
    }

    fn number_at(&self, at: &mut usize) -> Option<u64> {
        let first = *self.packet.get(*at)?;
        *at += 1;
        let bytes = match first {
            0xfc => 2,
            0xfd => 3,
            0xfe => 8,
            0xfb | 0xff => return None,
            small => return Some(small as u64),
        };
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(self.packet.get(*at..*at + bytes)?);
        *at += bytes;
        Some(u64::from_le_bytes(number))
    }

    fn text_at(&self, at: &mut usize) -> Option<String> {
        let len = self.number_at(at)? as usize;
        let bytes = self.packet.get(*at..*at + len)?;
        *at += len;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// What an error packet says.
    fn error(&self) -> io::Error {
        wrong(match self.packet.get(9..) {
            Some(text) => String::from_utf8_lossy(text).into_owned(),
            None => "an answer that is none".into(),
        })
    }

    fn send(&mut self, payload: &[u8]) -> io::Result<()> {
        self.out.clear();
        let mut pieces = payload.chunks(PACKET_MAX);
        loop {
            let piece = pieces.next().unwrap_or(&[]);
            self.out.extend_from_slice(&(piece.len() as u32).to_le_bytes()[..3]);
            self.out.push(self.sequence);
            self.sequence = self.sequence.wrapping_add(1);
            self.out.extend_from_slice(piece);
            // A piece of full length says that another follows, be it empty.
            if piece.len() < PACKET_MAX {
                break;
            }
        }
        self.socket.write_all(&self.out)
    }

    fn receive(&mut self) -> io::Result<()> {
        self.packet.clear();
        loop {
            let mut head = [0; 4];
            self.reader.read_exact(&mut head)?;
            let len = u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
            self.sequence = head[3].wrapping_add(1);
            let start = self.packet.len();
            self.packet.resize(start + len, 0);
            self.reader.read_exact(&mut self.packet[start..])?;
            if len < PACKET_MAX {
                return Ok(());
            }
        }
    }
}
