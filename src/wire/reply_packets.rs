//! Payloads of answers without rows: OK, end of rows, error. And the length-encoded forms that all encoders share.

use crate::session::StatementError;

/// Appends an integer in one to nine bytes.
pub(super) fn put_lenenc(buffer: &mut Vec<u8>, value: u64) {
    match value {
        0..=250 => buffer.push(value as u8),
        251..=0xFFFF => {
            buffer.push(0xFC);
            buffer.extend_from_slice(&(value as u16).to_le_bytes());
        }
        0x1_0000..=0xFF_FFFF => {
            buffer.push(0xFD);
            buffer.extend_from_slice(&(value as u32).to_le_bytes()[..3]);
        }
        _ => {
            buffer.push(0xFE);
            buffer.extend_from_slice(&value.to_le_bytes());
        }
    }
}

/// Appends bytes behind their length.
pub(super) fn put_bytes(buffer: &mut Vec<u8>, bytes: &[u8]) {
    put_lenenc(buffer, bytes.len() as u64);
    buffer.extend_from_slice(bytes);
}

/// What an OK says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OkFields<'a> {
    pub affected: u64,
    pub last_insert_id: u64,
    pub status: u16,
    pub warnings: u16,
    pub info: &'a str,
}

/// Success without rows.
pub(super) fn put_ok(buffer: &mut Vec<u8>, fields: OkFields<'_>) {
    put_ok_as(buffer, 0x00, fields);
}

/// The end of rows for a client that knows `CLIENT_DEPRECATE_EOF`: an OK that begins with 0xFE.
pub(super) fn put_ok_at_end(buffer: &mut Vec<u8>, fields: OkFields<'_>) {
    put_ok_as(buffer, 0xFE, fields);
}

fn put_ok_as(buffer: &mut Vec<u8>, header: u8, fields: OkFields<'_>) {
    buffer.push(header);
    put_lenenc(buffer, fields.affected);
    put_lenenc(buffer, fields.last_insert_id);
    buffer.extend_from_slice(&fields.status.to_le_bytes());
    buffer.extend_from_slice(&fields.warnings.to_le_bytes());
    if !fields.info.is_empty() {
        put_bytes(buffer, fields.info.as_bytes());
    }
}

/// The end of rows, or of column definitions, for a client that does not know `CLIENT_DEPRECATE_EOF`.
pub(super) fn put_eof(buffer: &mut Vec<u8>, status: u16, warnings: u16) {
    buffer.push(0xFE);
    buffer.extend_from_slice(&warnings.to_le_bytes());
    buffer.extend_from_slice(&status.to_le_bytes());
}

/// A failure.
pub(super) fn put_error(buffer: &mut Vec<u8>, error: &StatementError) {
    buffer.push(0xFF);
    buffer.extend_from_slice(&error.code.to_le_bytes());
    buffer.push(b'#');
    buffer.extend_from_slice(&error.state);
    buffer.extend_from_slice(error.message.as_bytes());
}

/// A failure before the client has told its capabilities: it has no SQLSTATE then.
pub(super) fn put_early_error(buffer: &mut Vec<u8>, error: &StatementError) {
    buffer.push(0xFF);
    buffer.extend_from_slice(&error.code.to_le_bytes());
    buffer.extend_from_slice(error.message.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::scan::Scan;

    #[test]
    fn integers_are_read_back() {
        for value in [0, 1, 250, 251, 0xFFFF, 0x1_0000, 0xFF_FFFF, 0x100_0000, u64::MAX] {
            let mut buffer = Vec::new();
            put_lenenc(&mut buffer, value);
            let mut scan = Scan::new(&buffer);
            assert_eq!(scan.lenenc(), Some(value));
            assert!(scan.rest().is_empty());
        }
    }

    #[test]
    fn layouts() {
        let mut buffer = Vec::new();
        put_ok(&mut buffer, OkFields { affected: 3, last_insert_id: 300, status: 2, warnings: 1, info: "hi" });
        assert_eq!(buffer, [0, 3, 0xFC, 44, 1, 2, 0, 1, 0, 2, b'h', b'i']);
        buffer.clear();
        put_ok_at_end(&mut buffer, OkFields { status: 10, ..OkFields::default() });
        assert_eq!(buffer, [0xFE, 0, 0, 10, 0, 0, 0]);
        buffer.clear();
        put_eof(&mut buffer, 2, 5);
        assert_eq!(buffer, [0xFE, 5, 0, 2, 0]);
        buffer.clear();
        put_error(&mut buffer, &StatementError::new("no"));
        assert_eq!(buffer, b"\xFF\x28\x04#42000no");
        buffer.clear();
        put_early_error(&mut buffer, &StatementError::with_code(1040, b"08004", "full"));
        assert_eq!(buffer, b"\xFF\x10\x04full");
    }
}
