//! A small blocking client of the MySQL text protocol: enough for tests, and knows nothing of the server's code.

use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Longest wait for an answer. A test that waits longer has found a hang.
const PATIENCE: Duration = Duration::from_secs(60);

const PROTOCOL_41: u32 = 1 << 9;
const TRANSACTIONS: u32 = 1 << 13;
const SECURE_CONNECTION: u32 = 1 << 15;
const MULTI_STATEMENTS: u32 = 1 << 16;
const MULTI_RESULTS: u32 = 1 << 17;
const PLUGIN_AUTH: u32 = 1 << 19;

/// Set in the status of an OK or EOF packet when another result follows.
const MORE_RESULTS: u16 = 8;

/// A row as text; None is NULL.
pub type Row = Vec<Option<String>>;

/// What one statement answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No rows; how many were changed.
    Done(u64),
    /// A result set.
    Rows(Vec<Row>),
    /// Error number and text.
    Error(u16, String),
}

trait Wire: Read + Write + Send {}
impl<T: Read + Write + Send> Wire for T {}

/// One connection.
pub struct Client {
    wire: BufReader<Box<dyn Wire>>,
    sequence: u8,
}

impl Client {
    pub fn unix(path: &Path) -> io::Result<Client> {
        let socket = UnixStream::connect(path)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        Client::greet(Box::new(socket))
    }

    pub fn tcp(port: u16) -> io::Result<Client> {
        let socket = TcpStream::connect(("127.0.0.1", port))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_nodelay(true)?;
        Client::greet(Box::new(socket))
    }

    fn greet(wire: Box<dyn Wire>) -> io::Result<Client> {
        let mut client = Client { wire: BufReader::new(wire), sequence: 0 };
        let greeting = client.receive()?;
        if greeting.first() == Some(&0xff) {
            return Err(io::Error::other(error_of(&greeting).1));
        }
        let flags = PROTOCOL_41 | TRANSACTIONS | SECURE_CONNECTION | MULTI_STATEMENTS | MULTI_RESULTS | PLUGIN_AUTH;
        let mut reply = Vec::new();
        reply.extend(flags.to_le_bytes());
        reply.extend((1u32 << 30).to_le_bytes());
        // utf8mb4_general_ci, and 23 bytes that mean nothing.
        reply.push(45);
        reply.extend([0; 23]);
        reply.extend(b"tester\0");
        // A password of no bytes.
        reply.push(0);
        reply.extend(b"mysql_native_password\0");
        client.send(&reply)?;
        loop {
            let packet = client.receive()?;
            match packet.first() {
                Some(0x00) => return Ok(client),
                Some(0xfe) => client.send(&[])?,
                // Word of caching_sha2_password that all is well.
                Some(0x01) => {}
                _ => return Err(io::Error::other(error_of(&packet).1)),
            }
        }
    }

    /// Runs the statements of `text` and gives all answers; after an error there is none. `Err`: the connection is gone, and what the
    /// server did is not known.
    pub fn run(&mut self, text: &str) -> io::Result<Vec<Answer>> {
        let mut command = Vec::with_capacity(1 + text.len());
        command.push(3);
        command.extend(text.as_bytes());
        self.sequence = 0;
        self.send(&command)?;
        let mut answers = Vec::new();
        loop {
            let (answer, more) = self.answer()?;
            answers.push(answer);
            if !more {
                return Ok(answers);
            }
        }
    }

    /// Runs one statement.
    pub fn one(&mut self, text: &str) -> io::Result<Answer> {
        let mut answers = self.run(text)?;
        match answers.len() {
            1 => Ok(answers.remove(0)),
            n => Err(io::Error::other(format!("{n} answers to {text}"))),
        }
    }

    /// The rows of a statement that must succeed.
    pub fn rows(&mut self, text: &str) -> Vec<Row> {
        match self.one(text) {
            Ok(Answer::Rows(rows)) => rows,
            other => panic!("rows expected of {text}: {other:?}"),
        }
    }

    /// The number of changed rows of a statement that must succeed.
    pub fn done(&mut self, text: &str) -> u64 {
        match self.one(text) {
            Ok(Answer::Done(changed)) => changed,
            other => panic!("success expected of {:.200}: {other:?}", text),
        }
    }

    fn answer(&mut self) -> io::Result<(Answer, bool)> {
        let packet = self.receive()?;
        match packet.first() {
            None => Err(io::Error::other("an empty packet")),
            Some(0x00) => {
                let mut rest = &packet[1..];
                let changed = length(&mut rest)?.unwrap_or(0);
                length(&mut rest)?;
                let status = rest.get(..2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
                Ok((Answer::Done(changed), status & MORE_RESULTS != 0))
            }
            Some(0xff) => {
                let (code, text) = error_of(&packet);
                Ok((Answer::Error(code, text), false))
            }
            Some(_) => {
                let columns = length(&mut &packet[..])?.unwrap_or(0);
                for _ in 0..columns {
                    self.receive()?;
                }
                self.receive()?;
                self.rows_of(columns)
            }
        }
    }

    fn rows_of(&mut self, columns: u64) -> io::Result<(Answer, bool)> {
        let mut rows = Vec::new();
        loop {
            let packet = self.receive()?;
            if packet.first() == Some(&0xff) {
                let (code, text) = error_of(&packet);
                return Ok((Answer::Error(code, text), false));
            }
            if packet.first() == Some(&0xfe) && packet.len() < 9 {
                let status = packet.get(3..5).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
                return Ok((Answer::Rows(rows), status & MORE_RESULTS != 0));
            }
            let mut rest = &packet[..];
            let mut row = Vec::new();
            for _ in 0..columns {
                row.push(match length(&mut rest)? {
                    None => None,
                    Some(n) => {
                        let text = rest.split_off(..n as usize).ok_or_else(|| io::Error::other("a short row"))?;
                        Some(String::from_utf8_lossy(text).into_owned())
                    }
                });
            }
            rows.push(row);
        }
    }

    fn send(&mut self, payload: &[u8]) -> io::Result<()> {
        let mut out = Vec::with_capacity(payload.len() + 8);
        let mut rest = payload;
        loop {
            let n = rest.len().min(0xff_ffff);
            out.extend(&(n as u32).to_le_bytes()[..3]);
            out.push(self.sequence);
            out.extend(&rest[..n]);
            self.sequence = self.sequence.wrapping_add(1);
            rest = &rest[n..];
            // A payload of whole packets ends with an empty one.
            if n < 0xff_ffff {
                break;
            }
        }
        self.wire.get_mut().write_all(&out)
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        let mut payload = Vec::new();
        loop {
            let mut head = [0; 4];
            self.wire.read_exact(&mut head)?;
            let n = u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
            self.sequence = head[3].wrapping_add(1);
            let start = payload.len();
            payload.resize(start + n, 0);
            self.wire.read_exact(&mut payload[start..])?;
            if n < 0xff_ffff {
                return Ok(payload);
            }
        }
    }
}

/// A length-encoded number; None stands for NULL.
fn length(rest: &mut &[u8]) -> io::Result<Option<u64>> {
    let short = || io::Error::other("a short packet");
    let first = *rest.split_off_first().ok_or_else(short)?;
    let bytes = match first {
        0xfb => return Ok(None),
        0xfc => 2,
        0xfd => 3,
        0xfe => 8,
        n => return Ok(Some(u64::from(n))),
    };
    let mut number = [0; 8];
    number[..bytes].copy_from_slice(rest.split_off(..bytes).ok_or_else(short)?);
    Ok(Some(u64::from_le_bytes(number)))
}

fn error_of(packet: &[u8]) -> (u16, String) {
    let code = packet.get(1..3).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
    let text = packet.get(3..).unwrap_or_default();
    let text = if text.first() == Some(&b'#') { text.get(6..).unwrap_or_default() } else { text };
    (code, String::from_utf8_lossy(text).into_owned())
}
