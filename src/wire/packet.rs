//! Framing: payloads to and from packets of at most 2²⁴ − 1 bytes.
//!
//! ```text
//! offset  size  what
//!      0     3  length of this piece, little endian
//!      3     1  sequence number, counted up over both directions of one exchange
//!      4     n  the piece
//! ```
//!
//! A payload of 2²⁴ − 1 bytes or more goes in pieces of exactly that size and ends with a shorter one, which may be empty.

use std::io::{self, Read, Write};
use std::time::Duration;

use super::socket::Socket;
use crate::session::ClientGone;

/// Bytes of the largest piece.
pub(super) const PIECE_MAX: usize = (1 << 24) - 1;
/// Answers are written out when so much has gathered.
const WRITE_AT: usize = 64 << 10;
/// Buffers past this are given back when an exchange is over.
const KEEP: usize = 64 << 10;
/// Bytes asked of the socket at once; larger pieces are read straight into the payload.
const READ_AT_ONCE: usize = 8 << 10;
/// Bytes by which a payload grows at least, so that a length without bytes behind it claims no memory.
const GROW: u64 = 1 << 20;

/// Why no payload came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReadError {
    /// The client closed the connection, or it broke.
    Closed,
    /// The client was silent for too long.
    Silent,
    /// The payload is longer than allowed. It was read to its end and thrown away, so that an answer can be sent.
    TooLong,
    /// A piece had another sequence number than its turn.
    OutOfOrder,
}

/// Bytes from the client.
pub(super) struct Input {
    buffer: Box<[u8]>,
    /// `buffer[start..end]` is read but not used yet.
    start: usize,
    end: usize,
    payload: Vec<u8>,
    /// Sequence number that the answer to the last payload begins with.
    pub(super) next_sequence: u8,
}

/// How long to wait for a client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// For the first byte of a payload.
    pub idle: Duration,
    /// For the next byte, once one has come.
    pub within: Duration,
    /// The socket's own timeout: a wait that returns without bytes took so long.
    pub tick: Duration,
}

impl Input {
    pub(super) fn new() -> Input {
        Input { buffer: vec![0; READ_AT_ONCE].into_boxed_slice(), start: 0, end: 0, payload: Vec::new(), next_sequence: 0 }
    }

    /// What the last successful [`Input::read`] has read.
    pub(super) fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Reads the next payload, whole. `first_sequence` is the number that its first piece must have.
    pub(super) fn read(&mut self, socket: &Socket, first_sequence: u8, max: u64, patience: Patience) -> Result<(), ReadError> {
        self.payload.clear();
        if self.payload.capacity() > KEEP {
            self.payload = Vec::new();
        }
        let mut sequence = first_sequence;
        let mut total: u64 = 0;
        let mut wait = patience.idle;
        loop {
            let mut header = [0u8; 4];
            for byte in &mut header {
                if self.start == self.end {
                    self.fill(socket, wait, patience.tick)?;
                }
                *byte = self.buffer[self.start];
                self.start += 1;
                wait = patience.within;
            }
            let length = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
            if header[3] != sequence {
                return Err(ReadError::OutOfOrder);
            }
            sequence = sequence.wrapping_add(1);
            total += length as u64;
            if total <= max {
                self.take_piece(socket, length, patience)?;
            } else {
                // A client that goes on for ever is not worth an answer.
                if total > max.saturating_mul(4).max(1 << 30) {
                    return Err(ReadError::Closed);
                }
                self.payload = Vec::new();
                self.skip_piece(socket, length, patience)?;
            }
            if length < PIECE_MAX {
                break;
            }
        }
        self.next_sequence = sequence;
        if total > max { Err(ReadError::TooLong) } else { Ok(()) }
    }

    /// Appends the next `length` bytes to the payload.
    fn take_piece(&mut self, socket: &Socket, length: usize, patience: Patience) -> Result<(), ReadError> {
        let ready = length.min(self.end - self.start);
        self.payload.extend_from_slice(&self.buffer[self.start..self.start + ready]);
        self.start += ready;
        let mut missing = (length - ready) as u64;
        let mut silent = Duration::ZERO;
        while missing > 0 {
            let before = self.payload.len();
            let step = missing.min(GROW);
            let result = socket.take(step).read_to_end(&mut self.payload);
            let got = (self.payload.len() - before) as u64;
            missing -= got;
            if got > 0 {
                silent = Duration::ZERO;
            }
            match result {
                Ok(n) if (n as u64) < step => return Err(ReadError::Closed),
                Ok(_) => {}
                Err(e) => wait_on(&e, &mut silent, patience.within, patience.tick)?,
            }
        }
        Ok(())
    }

    fn skip_piece(&mut self, socket: &Socket, length: usize, patience: Patience) -> Result<(), ReadError> {
        let mut missing = length;
        while missing > 0 {
            if self.start == self.end {
                self.fill(socket, patience.within, patience.tick)?;
            }
            let ready = missing.min(self.end - self.start);
            self.start += ready;
            missing -= ready;
        }
        Ok(())
    }

    /// Waits for at least one byte.
    fn fill(&mut self, mut socket: &Socket, wait: Duration, tick: Duration) -> Result<(), ReadError> {
        let mut silent = Duration::ZERO;
        loop {
            match socket.read(&mut self.buffer) {
                Ok(0) => return Err(ReadError::Closed),
                Ok(n) => {
                    (self.start, self.end) = (0, n);
                    return Ok(());
                }
                Err(e) => wait_on(&e, &mut silent, wait, tick)?,
            }
        }
    }
}

/// Ok if the failed read may be tried again.
fn wait_on(error: &io::Error, silent: &mut Duration, wait: Duration, tick: Duration) -> Result<(), ReadError> {
    match error.kind() {
        io::ErrorKind::Interrupted => Ok(()),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            *silent += tick;
            if *silent >= wait { Err(ReadError::Silent) } else { Ok(()) }
        }
        _ => Err(ReadError::Closed),
    }
}

/// Bytes to the client.
pub(super) struct Output<'a> {
    socket: &'a Socket,
    buffer: Vec<u8>,
    /// Of the next piece.
    pub(super) sequence: u8,
    gone: bool,
    /// Why the connection was given up, for the log.
    pub(super) slow: bool,
    /// How long a client may take no byte before it is given up, and the socket's own timeout: a write that returns nothing took so long.
    ///
    /// The socket's is a part of it, since a write that has placed some bytes and then waits returns only when its timeout is over: were the two
    /// the same, a client that stopped reading in the middle would be waited for several times over.
    pub(super) patience: (Duration, Duration),
}

impl<'a> Output<'a> {
    pub(super) fn new(socket: &'a Socket) -> Output<'a> {
        Output { socket, buffer: Vec::new(), sequence: 0, gone: false, slow: false, patience: (Duration::ZERO, Duration::ZERO) }
    }

    /// Sends one payload: `fill` appends it to the buffer that it is given.
    pub(super) fn packet(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> Result<(), ClientGone> {
        if self.gone {
            return Err(ClientGone);
        }
        let start = self.buffer.len();
        self.buffer.extend_from_slice(&[0; 4]);
        fill(&mut self.buffer);
        let length = self.buffer.len() - start - 4;
        if length >= PIECE_MAX {
            return self.long_packet(start);
        }
        self.buffer[start..start + 3].copy_from_slice(&(length as u32).to_le_bytes()[..3]);
        self.buffer[start + 3] = self.sequence;
        self.sequence = self.sequence.wrapping_add(1);
        if self.buffer.len() >= WRITE_AT { self.flush() } else { Ok(()) }
    }

    /// Sends a payload of several pieces that stands in the buffer behind the four bytes at `start`.
    fn long_packet(&mut self, start: usize) -> Result<(), ClientGone> {
        let buffer = std::mem::take(&mut self.buffer);
        self.write(&buffer[..start])?;
        let payload = &buffer[start + 4..];
        let mut sent = 0;
        loop {
            let length = (payload.len() - sent).min(PIECE_MAX);
            let [low, middle, high, _] = (length as u32).to_le_bytes();
            self.write(&[low, middle, high, self.sequence])?;
            self.write(&payload[sent..sent + length])?;
            self.sequence = self.sequence.wrapping_add(1);
            sent += length;
            if length < PIECE_MAX {
                return Ok(());
            }
        }
    }

    /// Writes out what has gathered.
    pub(super) fn flush(&mut self) -> Result<(), ClientGone> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = self.write(&buffer);
        buffer.clear();
        self.buffer = buffer;
        result
    }

    /// Gives memory back after an exchange with large rows.
    pub(super) fn shrink(&mut self) {
        if self.buffer.is_empty() && self.buffer.capacity() > KEEP + (KEEP >> 1) {
            self.buffer = Vec::new();
        }
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<(), ClientGone> {
        if self.gone {
            return Err(ClientGone);
        }
        let mut socket = self.socket;
        let (within, tick) = self.patience;
        let mut silent = Duration::ZERO;
        while !bytes.is_empty() {
            match socket.write(bytes) {
                Ok(n) if n > 0 => {
                    bytes = &bytes[n..];
                    silent = Duration::ZERO;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                result => {
                    let waited = matches!(result, Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut));
                    silent += tick;
                    if waited && silent < within {
                        continue;
                    }
                    self.slow = waited;
                    self.gone = true;
                    return Err(ClientGone);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    const PATIENCE: Patience =
        Patience { idle: Duration::from_millis(300), within: Duration::from_millis(300), tick: Duration::from_millis(100) };

    fn pair() -> (Socket, Socket) {
        let (a, b) = UnixStream::pair().expect("a pair");
        let (a, b) = (Socket::Unix(a), Socket::Unix(b));
        for socket in [&a, &b] {
            socket.set_timeouts(PATIENCE.tick, Duration::from_secs(10)).expect("timeouts");
        }
        (a, b)
    }

    /// Sends payloads of these lengths in one thread and reads them in another.
    fn round_trip(lengths: &[usize]) {
        let (left, right) = pair();
        let expected = lengths.to_vec();
        let sender = std::thread::spawn(move || {
            let mut output = Output::new(&left);
            for length in expected {
                output.sequence = 0;
                output.packet(|buffer| buffer.resize(buffer.len() + length, length as u8)).expect("reader lives");
            }
            output.flush().expect("reader lives");
        });
        let mut input = Input::new();
        for &length in lengths {
            input.read(&right, 0, u64::MAX, PATIENCE).expect("a payload");
            assert_eq!(input.payload().len(), length);
            assert!(input.payload().iter().all(|b| *b == length as u8));
            assert_eq!(usize::from(input.next_sequence), length / PIECE_MAX + 1);
        }
        sender.join().expect("sender");
        assert_eq!(input.read(&right, 0, u64::MAX, PATIENCE), Err(ReadError::Closed));
    }

    #[test]
    fn payloads_of_every_critical_length() {
        round_trip(&[0, 1, 4, 8191, 8192, 8193, 65535, 65536, 200_000]);
        round_trip(&[PIECE_MAX - 1, 3, PIECE_MAX, 0, PIECE_MAX + 1, 1, 2 * PIECE_MAX]);
    }

    #[test]
    fn a_payload_past_the_limit_is_thrown_away_and_the_next_one_comes() {
        let (left, right) = pair();
        let sender = std::thread::spawn(move || {
            let mut output = Output::new(&left);
            for length in [1000, 1001, PIECE_MAX + 10, 5] {
                output.sequence = 0;
                output.packet(|buffer| buffer.resize(buffer.len() + length, 7)).expect("reader lives");
            }
            output.flush().expect("reader lives");
        });
        let mut input = Input::new();
        assert_eq!(input.read(&right, 0, 1000, PATIENCE), Ok(()));
        assert_eq!(input.payload().len(), 1000);
        assert_eq!(input.read(&right, 0, 1000, PATIENCE), Err(ReadError::TooLong));
        assert_eq!(input.next_sequence, 1);
        assert_eq!(input.read(&right, 0, 1000, PATIENCE), Err(ReadError::TooLong));
        assert_eq!(input.next_sequence, 2);
        assert_eq!(input.read(&right, 0, 1000, PATIENCE), Ok(()));
        assert_eq!(input.payload().len(), 5);
        sender.join().expect("sender");
    }

    #[test]
    fn silence_disorder_and_broken_packets() {
        let (left, right) = pair();
        let mut input = Input::new();
        assert_eq!(input.read(&right, 0, 1000, PATIENCE), Err(ReadError::Silent));
        (&left).write_all(&[1, 0, 0, 5, 0]).expect("written");
        assert_eq!(input.read(&right, 0, 1000, PATIENCE), Err(ReadError::OutOfOrder));
        let mut input = Input::new();
        let (left, right) = pair();
        (&left).write_all(&[10, 0, 0, 0, 1, 2]).expect("written");
        assert_eq!(input.read(&right, 0, 1000, PATIENCE), Err(ReadError::Silent));
        let (left, right) = pair();
        let mut input = Input::new();
        (&left).write_all(&[255, 255, 255, 0, 1, 2]).expect("written");
        drop(left);
        assert_eq!(input.read(&right, 0, u64::MAX, PATIENCE), Err(ReadError::Closed));
        assert!(input.payload.capacity() < 2 << 20, "a length alone must not claim memory");
    }

    #[test]
    fn a_reader_who_does_not_read_is_given_up() {
        let (left, right) = pair();
        left.set_timeouts(PATIENCE.tick, Duration::from_millis(100)).expect("timeouts");
        let mut output = Output::new(&left);
        let mut result = Ok(());
        for _ in 0..100 {
            result = output.packet(|buffer| buffer.resize(buffer.len() + 60_000, 1)).and_then(|()| output.flush());
        }
        assert_eq!(result, Err(ClientGone));
        assert!(output.slow);
        drop(right);
    }

    #[test]
    fn a_reader_who_reads_slowly_is_waited_for() {
        let (left, right) = pair();
        // Each wait of the socket is far shorter than the reader's pauses, all of them together far longer.
        left.set_timeouts(PATIENCE.tick, Duration::from_millis(1)).expect("timeouts");
        let reader = std::thread::spawn(move || {
            let (mut total, mut buffer) = (0, vec![0; 64 << 10]);
            while let Ok(n @ 1..) = (&right).read(&mut buffer) {
                total += n;
                std::thread::sleep(Duration::from_millis(5));
            }
            total
        });
        let mut output = Output::new(&left);
        output.patience = (Duration::from_secs(60), Duration::from_millis(1));
        for _ in 0..50 {
            output.packet(|buffer| buffer.resize(buffer.len() + 60_000, 1)).and_then(|()| output.flush()).expect("a reader who reads");
        }
        assert!(!output.slow);
        drop(output);
        drop(left);
        assert_eq!(reader.join().expect("reader"), 50 * 60_004);
    }

    #[test]
    fn patience_is_counted_in_waits_without_a_byte() {
        let (left, _right) = pair();
        left.set_timeouts(PATIENCE.tick, Duration::from_millis(1)).expect("timeouts");
        let mut output = Output::new(&left);
        output.patience = (Duration::from_millis(20), Duration::from_millis(1));
        let mut result = Ok(());
        for _ in 0..100 {
            result = output.packet(|buffer| buffer.resize(buffer.len() + 60_000, 1)).and_then(|()| output.flush());
        }
        assert_eq!(result, Err(ClientGone));
        assert!(output.slow);
    }

    #[test]
    fn memory_comes_back_after_large_payloads() {
        let (left, right) = pair();
        let reader = std::thread::spawn(move || {
            let mut input = Input::new();
            input.read(&right, 0, u64::MAX, PATIENCE).map(|()| input.payload().len())
        });
        let mut output = Output::new(&left);
        output.packet(|buffer| buffer.resize(buffer.len() + (3 << 20), 1)).expect("read");
        output.flush().expect("read");
        output.shrink();
        assert!(output.buffer.capacity() < 100 << 10);
        assert_eq!(reader.join().expect("reader"), Ok(3 << 20));
    }
}
