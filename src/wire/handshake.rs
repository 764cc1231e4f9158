//! The first exchange: greeting, login, and a change of the login plugin where the client wants one.
//!
//! Everyone is let in, so no password is checked; what matters is to speak the plugin that the client has. The greeting offers
//! `mysql_native_password`, which every client before MySQL 9 has. A client that answers with `caching_sha2_password` is asked to go on
//! with that, and told that its answer was found in the cache.

use mysql_common::constants::CapabilityFlags;

use super::packet::{Input, Output, Patience, ReadError};
use super::reply_packets::{OkFields, put_early_error, put_error, put_ok};
use super::scan::Scan;
use super::sink::status_flags;
use super::socket::Socket;
use super::{Transaction, columns};
use crate::session::{ClientGone, StatementError};

/// Longest payload of a client that has not logged in.
pub(super) const LOGIN_MAX: u64 = 64 << 10;
const NATIVE: &[u8] = b"mysql_native_password";
const CACHING: &[u8] = b"caching_sha2_password";

/// What we can do.
pub(super) fn offered() -> CapabilityFlags {
    CapabilityFlags::CLIENT_LONG_PASSWORD
        | CapabilityFlags::CLIENT_FOUND_ROWS
        | CapabilityFlags::CLIENT_LONG_FLAG
        | CapabilityFlags::CLIENT_CONNECT_WITH_DB
        | CapabilityFlags::CLIENT_NO_SCHEMA
        | CapabilityFlags::CLIENT_ODBC
        | CapabilityFlags::CLIENT_IGNORE_SPACE
        | CapabilityFlags::CLIENT_PROTOCOL_41
        | CapabilityFlags::CLIENT_INTERACTIVE
        | CapabilityFlags::CLIENT_TRANSACTIONS
        | CapabilityFlags::CLIENT_RESERVED
        | CapabilityFlags::CLIENT_SECURE_CONNECTION
        | CapabilityFlags::CLIENT_MULTI_STATEMENTS
        | CapabilityFlags::CLIENT_MULTI_RESULTS
        | CapabilityFlags::CLIENT_PS_MULTI_RESULTS
        | CapabilityFlags::CLIENT_PLUGIN_AUTH
        | CapabilityFlags::CLIENT_CONNECT_ATTRS
        | CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA
        | CapabilityFlags::CLIENT_DEPRECATE_EOF
}

/// A login as the client sent it.
#[derive(Debug, PartialEq)]
pub(super) struct Login {
    pub capabilities: CapabilityFlags,
    pub user: Vec<u8>,
    pub database: Option<Vec<u8>>,
    pub plugin: Option<Vec<u8>>,
}

/// Why there will be no session.
#[derive(Debug)]
pub(super) enum Refused {
    /// Nobody is there to be told.
    Gone,
    /// The client was told.
    Told(StatementError),
}

impl From<ClientGone> for Refused {
    fn from(_: ClientGone) -> Refused {
        Refused::Gone
    }
}

impl From<ReadError> for Refused {
    fn from(_: ReadError) -> Refused {
        Refused::Gone
    }
}

/// Greets the client and takes its login, up to but without the final OK.
pub(super) fn handshake(
    socket: &Socket,
    input: &mut Input,
    output: &mut Output<'_>,
    version: &str,
    connection: u32,
    patience: Patience,
) -> Result<Login, Refused> {
    let challenge = challenge(connection);
    output.sequence = 0;
    output.packet(|buffer| put_greeting(buffer, version, connection, &challenge))?;
    output.flush()?;
    match input.read(socket, 1, LOGIN_MAX, patience) {
        Ok(()) => {}
        Err(ReadError::OutOfOrder) => {
            let error = StatementError::with_code(1156, b"08S01", "got packets out of order");
            output.sequence = 2;
            return refuse(output, error, true);
        }
        Err(error) => return Err(error.into()),
    }
    let login = parse_login(input.payload());
    output.sequence = input.next_sequence;
    match login {
        Ok(login) => {
            // What the client claims beyond our offer does not count.
            let login = Login { capabilities: login.capabilities & offered(), ..login };
            switch_plugin(socket, input, output, login.plugin.as_deref(), &challenge, patience)?;
            Ok(login)
        }
        Err(error) => refuse(output, error, true),
    }
}

/// Brings client and server onto one login plugin, and lets the client finish it.
pub(super) fn switch_plugin(
    socket: &Socket,
    input: &mut Input,
    output: &mut Output<'_>,
    plugin: Option<&[u8]>,
    challenge: &[u8; 20],
    patience: Patience,
) -> Result<(), Refused> {
    let wanted = match plugin {
        // Without a plugin the client answered in the only way it knows.
        None | Some(b"") | Some(NATIVE) => return Ok(()),
        Some(CACHING) => CACHING,
        Some(_) => NATIVE,
    };
    output.packet(|buffer| {
        buffer.push(0xFE);
        buffer.extend_from_slice(wanted);
        buffer.push(0);
        buffer.extend_from_slice(challenge);
        buffer.push(0);
    })?;
    output.flush()?;
    let sequence = input.next_sequence.wrapping_add(1);
    input.read(socket, sequence, LOGIN_MAX, patience)?;
    let has_password = input.payload().iter().any(|b| *b != 0);
    output.sequence = input.next_sequence;
    if wanted == CACHING && has_password {
        // 1 = more data, 3 = the password was found in the cache.
        output.packet(|buffer| buffer.extend_from_slice(&[1, 3]))?;
    }
    Ok(())
}

/// The OK that ends a login.
pub(super) fn welcome(output: &mut Output<'_>, transaction: Transaction) -> Result<(), ClientGone> {
    output.packet(|buffer| put_ok(buffer, OkFields { status: status_flags(transaction), ..OkFields::default() }))?;
    output.flush()
}

/// Tells the client why it is not served. `knows_state` once it has told that it speaks protocol 4.1.
pub(super) fn refuse<T>(output: &mut Output<'_>, error: StatementError, knows_state: bool) -> Result<T, Refused> {
    output.packet(|buffer| if knows_state { put_error(buffer, &error) } else { put_early_error(buffer, &error) })?;
    output.flush()?;
    Err(Refused::Told(error))
}

/// Twenty bytes for the client to mix its password with. No password is checked, so they need only look random; never a zero, which would
/// end them early.
pub(super) fn challenge(connection: u32) -> [u8; 20] {
    use std::hash::{BuildHasher, RandomState};
    let state = RandomState::new();
    let mut out = [0; 20];
    for (i, byte) in out.iter_mut().enumerate() {
        *byte = (state.hash_one((connection, i)) % 94) as u8 + b'!';
    }
    out
}

fn put_greeting(buffer: &mut Vec<u8>, version: &str, connection: u32, challenge: &[u8; 20]) {
    let [low0, low1, high0, high1] = offered().bits().to_le_bytes();
    buffer.push(10);
    buffer.extend_from_slice(version.as_bytes());
    buffer.push(0);
    buffer.extend_from_slice(&connection.to_le_bytes());
    buffer.extend_from_slice(&challenge[..8]);
    buffer.push(0);
    buffer.extend_from_slice(&[low0, low1]);
    buffer.push(columns::UTF8MB4 as u8);
    buffer.extend_from_slice(&status_flags(Transaction::default()).to_le_bytes());
    buffer.extend_from_slice(&[high0, high1]);
    buffer.push(21);
    buffer.extend_from_slice(&[0; 10]);
    buffer.extend_from_slice(&challenge[8..]);
    buffer.push(0);
    buffer.extend_from_slice(NATIVE);
    buffer.push(0);
}

fn parse_login(payload: &[u8]) -> Result<Login, StatementError> {
    let broken = || StatementError::with_code(1043, b"08S01", "bad handshake");
    let mut scan = Scan::new(payload);
    let capabilities = CapabilityFlags::from_bits_truncate(scan.u32().ok_or_else(broken)?);
    if !capabilities.contains(CapabilityFlags::CLIENT_PROTOCOL_41) {
        return Err(StatementError::with_code(1251, b"08004", "the client is too old: protocol 4.1 or newer is spoken here"));
    }
    if capabilities.contains(CapabilityFlags::CLIENT_SSL) {
        return Err(StatementError::with_code(2026, b"HY000", "TLS is not supported: connect without it"));
    }
    // Longest packet (u32), character set (u8), and room that was never used.
    scan.bytes(4 + 1 + 23).ok_or_else(broken)?;
    let user = scan.until_zero().ok_or_else(broken)?.to_vec();
    if capabilities.contains(CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA) {
        scan.lenenc_bytes().ok_or_else(broken)?;
    } else if capabilities.contains(CapabilityFlags::CLIENT_SECURE_CONNECTION) {
        let length = scan.u8().ok_or_else(broken)?;
        scan.bytes(length.into()).ok_or_else(broken)?;
    } else {
        scan.until_zero().ok_or_else(broken)?;
    }
    let mut database = None;
    if capabilities.contains(CapabilityFlags::CLIENT_CONNECT_WITH_DB) {
        // Some clients set the flag and end here.
        database = scan.until_zero().filter(|name| !name.is_empty()).map(<[u8]>::to_vec);
    }
    let mut plugin = None;
    if capabilities.contains(CapabilityFlags::CLIENT_PLUGIN_AUTH) {
        // The last string of a packet may lack its zero.
        plugin = scan.until_zero().or(Some(scan.rest())).map(<[u8]>::to_vec);
    }
    // Attributes follow; nothing here depends on them.
    Ok(Login { capabilities, user, database, plugin })
}

/// What COM_CHANGE_USER says, with the sequence of fields of a login but without capabilities.
pub(super) fn parse_change_user(payload: &[u8], capabilities: CapabilityFlags) -> Option<Login> {
    let mut scan = Scan::new(payload);
    let user = scan.until_zero()?.to_vec();
    if capabilities.contains(CapabilityFlags::CLIENT_SECURE_CONNECTION) {
        let length = scan.u8()?;
        scan.bytes(length.into())?;
    } else {
        scan.until_zero()?;
    }
    let database = scan.until_zero().filter(|name| !name.is_empty()).map(<[u8]>::to_vec);
    let mut plugin = None;
    if scan.u16().is_some() && capabilities.contains(CapabilityFlags::CLIENT_PLUGIN_AUTH) {
        plugin = scan.until_zero().or(Some(scan.rest())).map(<[u8]>::to_vec);
    }
    Some(Login { capabilities, user, database, plugin })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mysql_common::io::ParseBuf;
    use mysql_common::packets::{HandshakePacket, HandshakeResponse};
    use mysql_common::proto::{MyDeserialize, MySerialize};
    use proptest::prelude::*;

    #[test]
    fn another_implementation_reads_the_greeting() {
        let challenge = challenge(7);
        let mut buffer = Vec::new();
        put_greeting(&mut buffer, "8.0.30-test", 7, &challenge);
        let greeting = HandshakePacket::deserialize((), &mut ParseBuf(&buffer)).expect("a greeting");
        assert_eq!(greeting.connection_id(), 7);
        assert_eq!(greeting.server_version_ref(), b"8.0.30-test");
        assert_eq!(greeting.capabilities(), offered());
        assert_eq!(greeting.scramble_1_ref(), &challenge[..8]);
        assert_eq!(greeting.scramble_2_ref().map(|s| &s[..12]), Some(&challenge[8..]));
        assert_eq!(greeting.auth_plugin_name_ref(), Some(NATIVE));
    }

    #[test]
    fn a_login_of_another_implementation_is_read() {
        let capabilities = offered();
        let response = HandshakeResponse::new(
            Some(&b"12345678901234567890"[..]),
            (8, 0, 30),
            Some(&b"me"[..]),
            Some(&b"db1"[..]),
            Some(mysql_common::packets::AuthPlugin::CachingSha2Password),
            capabilities,
            None,
            1 << 24,
        );
        let mut buffer = Vec::new();
        response.serialize(&mut buffer);
        let login = parse_login(&buffer).expect("a login");
        assert_eq!(login.user, b"me");
        assert_eq!(login.database.as_deref(), Some(&b"db1"[..]));
        assert_eq!(login.plugin.as_deref(), Some(CACHING));
    }

    #[test]
    fn refusals() {
        assert_eq!(parse_login(&[]).expect_err("empty").code, 1043);
        assert_eq!(parse_login(&[0; 40]).expect_err("old").code, 1251);
        assert_eq!(parse_login(&[0, 0x0A, 0, 0]).expect_err("TLS").code, 2026);
        assert_eq!(parse_login(&[0, 2, 0, 0, 1]).expect_err("cut").code, 1043);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(mut bytes: Vec<u8>) {
            let _ = parse_login(&bytes);
            let _ = parse_change_user(&bytes, offered());
            bytes.splice(0..0, offered().bits().to_le_bytes());
            let _ = parse_login(&bytes);
        }
    }
}
