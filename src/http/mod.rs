//! Floor 6: HTTP. Not served yet: a listener for it opens, so that a configuration for the whole dialect starts, and every request is
//! answered with 501 and a sentence that says where to go instead.

use std::io::{Read, Write};

/// Bytes of a request's head that are waited for.
const HEAD_MAX: usize = 16 << 10;
/// Bytes of a request's body that are read and thrown away.
const BODY_MAX: usize = 1 << 20;

const SENTENCE: &str = "HTTP is not implemented in this server: send SQL over the MySQL protocol";

/// Answers the one request of a connection. `stream` must have timeouts; `end_of_writing` tells the client that nothing follows.
pub fn refuse<S: Read + Write>(stream: &mut S, end_of_writing: impl FnOnce(&S)) {
    // The head is read first: closing a socket with unread bytes would take the answer away from the client.
    let mut head = Vec::new();
    let mut buffer = [0u8; 4096];
    while !head.windows(4).any(|w| w == b"\r\n\r\n") && head.len() < HEAD_MAX {
        match stream.read(&mut buffer) {
            Ok(n) if n > 0 => head.extend_from_slice(&buffer[..n]),
            _ => break,
        }
    }
    let body = format!("{{\"error\":\"{SENTENCE}\"}}\n");
    let answer = format!(
        "HTTP/1.1 501 Not Implemented\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    // A client that is gone needs no answer.
    if stream.write_all(answer.as_bytes()).and_then(|()| stream.flush()).is_ok() {
        end_of_writing(stream);
        let mut left = BODY_MAX;
        while let Ok(n) = stream.read(&mut buffer)
            && n > 0
            && left > n
        {
            left -= n;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    struct Fake {
        input: VecDeque<u8>,
        output: Vec<u8>,
    }

    impl Read for Fake {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            self.input.read(buf)
        }
    }

    impl Write for Fake {
        fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
            self.output.write(buf)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_request_gets_the_same_sentence() {
        for request in [&b"POST /sql HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"[..], b"", b"\x01\x02", &[b'x'; 100_000]] {
            let mut stream = Fake { input: request.iter().copied().collect(), output: Vec::new() };
            let mut ended = false;
            refuse(&mut stream, |_| ended = true);
            let answer = String::from_utf8(stream.output).expect("text");
            assert!(answer.starts_with("HTTP/1.1 501 Not Implemented\r\n") && answer.ends_with("\"}\n"), "{answer}");
            assert!(ended);
        }
    }
}
