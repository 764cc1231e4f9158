//! Where the server listens: the grammar of `listen = …`.
//!
//! ```text
//! ( address ":" port | port | address | /path ) [ ":" protocol ]     protocol = ( mysql | mysql41 | http | nothing ) [ "_vip" ]
//! ```
//!
//! A port alone means all interfaces. An IPv6 address stands in brackets. Without a protocol the dialect speaks HTTP, on port 9312 where
//! no port is given.

use std::fmt;
use std::path::PathBuf;

use super::ConfigError;

/// A place to accept connections at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Where.
    pub address: Address,
    /// What is spoken there.
    pub protocol: Protocol,
    /// Connections here do not count towards `max_connections`, so that an operator always gets in.
    pub vip: bool,
}

/// A socket's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Host name or IP address, and port. `0.0.0.0` is every interface.
    Tcp {
        /// Not yet resolved.
        host: String,
        /// 1 to 65535; 0 lets the system choose, which only code can ask for.
        port: u16,
    },
    /// A Unix domain socket.
    Unix(PathBuf),
}

/// What a listener speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The MySQL protocol.
    Mysql,
    /// HTTP.
    Http,
}

impl Listener {
    /// `127.0.0.1:9306` speaking MySQL: what is listened on where nothing is configured.
    pub fn standard() -> Listener {
        Listener { address: Address::Tcp { host: "127.0.0.1".to_owned(), port: 9306 }, protocol: Protocol::Mysql, vip: false }
    }

    /// Reads one value of `listen`.
    pub(super) fn parse(text: &str) -> Result<Listener, ConfigError> {
        let text = text.trim();
        let bad =
            |expected: &str| ConfigError::BadValue { key: "listen".to_owned(), value: text.to_owned(), expected: expected.to_owned() };
        const FORMS: &str = "'port', 'address:port', '/path/to/socket', each with ':mysql' or ':http' after it,";
        if text.starts_with('/') {
            // A colon may be part of a file name, so only a known word after the last one is a protocol.
            if let Some((path, word)) = text.rsplit_once(':') {
                let (protocol, vip) = parse_protocol(word, text)?;
                return Ok(Listener { address: Address::Unix(PathBuf::from(path)), protocol, vip });
            }
            return Ok(Listener { address: Address::Unix(PathBuf::from(text)), protocol: Protocol::Http, vip: false });
        }
        let (bracketed, rest) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or_else(|| bad("a closing ']' after the IPv6 address"))?;
                let rest = rest.strip_prefix(':').ok_or_else(|| bad("':port' after the IPv6 address"))?;
                (Some(host), rest)
            }
            None => (None, text),
        };
        let parts: Vec<&str> = rest.split(':').collect();
        let (host, port, word) = match (bracketed, parts.as_slice()) {
            (Some(host), [port]) => (host, *port, None),
            (Some(host), [port, word]) => (host, *port, Some(*word)),
            (None, [""]) => return Err(bad(FORMS)),
            (None, [port]) if is_port(port) => ("0.0.0.0", *port, None),
            (None, [host]) => (*host, "9312", None),
            (None, [port, word]) if is_port(port) => ("0.0.0.0", *port, Some(*word)),
            (None, [host, port]) => (*host, *port, None),
            (None, [host, port, word]) => (*host, *port, Some(*word)),
            (None, _) => return Err(bad("an IPv6 address in brackets, as in '[::1]:9306:mysql',")),
            (Some(_), _) => return Err(bad(FORMS)),
        };
        if word.is_some_and(|word| word.starts_with("replication")) || port.contains('-') {
            return Err(ConfigError::Unsupported(format!("listen = {text}: there is no replication here, remove the line")));
        }
        let (protocol, vip) = match word {
            Some(word) => parse_protocol(word, text)?,
            None => (Protocol::Http, false),
        };
        if host.is_empty() {
            return Err(bad(FORMS));
        }
        let port: u16 = port.parse().map_err(|_| bad("a port from 1 to 65535"))?;
        if port == 0 {
            return Err(bad("a port from 1 to 65535"));
        }
        Ok(Listener { address: Address::Tcp { host: host.to_owned(), port }, protocol, vip })
    }
}

fn is_port(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || c == '-')
}

fn parse_protocol(word: &str, line: &str) -> Result<(Protocol, bool), ConfigError> {
    let mut base = word.trim().to_ascii_lowercase();
    let (mut vip, mut readonly) = (false, false);
    loop {
        if let Some(rest) = base.strip_suffix("_vip") {
            (vip, base) = (true, rest.to_owned());
        } else if let Some(rest) = base.strip_suffix("_readonly") {
            (readonly, base) = (true, rest.to_owned());
        } else {
            break;
        }
    }
    if readonly {
        return Err(ConfigError::Unsupported(format!("listen = {line}: read-only listeners are not supported, remove '_readonly'")));
    }
    match base.as_str() {
        "mysql" | "mysql41" => Ok((Protocol::Mysql, vip)),
        "http" | "" => Ok((Protocol::Http, vip)),
        "https" | "sphinx" | "replication" => {
            Err(ConfigError::Unsupported(format!("listen = {line}: protocol '{base}' is not supported, use 'mysql' or remove the line")))
        }
        _ => Err(ConfigError::BadValue {
            key: "listen".to_owned(),
            value: line.to_owned(),
            expected: "protocol 'mysql' or 'http'".to_owned(),
        }),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Address::Tcp { host, port } => write!(f, "{host}:{port}"),
            Address::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = match self.protocol {
            Protocol::Mysql => "mysql",
            Protocol::Http => "http",
        };
        write!(f, "{}:{protocol}{}", self.address, if self.vip { "_vip" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        match (Listener::parse(text), expected) {
            (Ok(listener), Ok(expected)) => assert_eq!(listener.to_string(), expected, "{text}"),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{text}: {error}"),
            (other, _) => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn all_forms() {
        check("9306:mysql", Ok("0.0.0.0:9306:mysql"));
        check("9306:mysql41", Ok("0.0.0.0:9306:mysql"));
        check("localhost:9306:mysql", Ok("localhost:9306:mysql"));
        check("127.0.0.1:9307:mysql_vip", Ok("127.0.0.1:9307:mysql_vip"));
        check("9308:http", Ok("0.0.0.0:9308:http"));
        check("127.0.0.1:9312", Ok("127.0.0.1:9312:http"));
        check("9312", Ok("0.0.0.0:9312:http"));
        check("9312:_vip", Ok("0.0.0.0:9312:http_vip"));
        check("localhost", Ok("localhost:9312:http"));
        check("[::1]:9306:mysql", Ok("[::1]:9306:mysql"));
        check("/run/m.s:mysql", Ok("/run/m.s:mysql"));
        check("/run/m.s", Ok("/run/m.s:http"));
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        check("0:mysql", Err("1 to 65535"));
        check("127.0.0.1:99999:mysql", Err("1 to 65535"));
        check("127.0.0.1:http", Err("1 to 65535"));
        check("9306:mysqll", Err("protocol 'mysql' or 'http'"));
        check("127.0.0.1:9443:https", Err("'https' is not supported"));
        check("127.0.0.1:9312:sphinx", Err("'sphinx' is not supported"));
        check("192.168.0.1:9320-9328:replication", Err("no replication"));
        check("9307:mysql_readonly", Err("read-only"));
        check("::1:9306:mysql", Err("brackets"));
        check("[::1", Err("closing"));
        check("", Err("'port'"));
        check(":9306:mysql", Err("'port'"));
    }
}
