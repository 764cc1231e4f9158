//! The values that a client sends with COM_STMT_EXECUTE.
//!
//! ```text
//! bitmap of NULLs, a bit per parameter · 1 if types follow, else those of the last time hold · type (u8) and sign (u8) of each · values
//! ```

use mysql_common::constants::ColumnType as WireType;

use super::scan::Scan;
use crate::session::StatementError;
use crate::types::Value;

/// What a connection keeps of a prepared statement.
#[derive(Debug, Default)]
pub(super) struct Statement {
    /// Number of parameters.
    pub count: usize,
    /// Type byte and whether unsigned, as the client last told; empty until it has.
    types: Vec<(u8, bool)>,
    /// Values sent ahead by COM_STMT_SEND_LONG_DATA.
    long: Vec<Option<Vec<u8>>>,
    /// Bytes in `long`.
    long_bytes: u64,
    /// Why a piece of long data was not taken: told at the next execution, since the piece itself has no answer.
    long_error: Option<StatementError>,
    /// The statement's text, kept only while queries are logged.
    pub text: Vec<u8>,
}

impl Statement {
    pub(super) fn new(count: usize, text: Vec<u8>) -> Statement {
        Statement { count, text, ..Statement::default() }
    }

    /// Takes a piece of a long value. All pieces together may have `max` bytes.
    pub(super) fn add_long(&mut self, parameter: u16, bytes: &[u8], max: u64) {
        let parameter = usize::from(parameter);
        self.long_bytes = self.long_bytes.saturating_add(bytes.len() as u64);
        if parameter >= self.count {
            self.long_error = Some(StatementError::with_code(1210, b"HY000", format!("the statement has no parameter {}", parameter + 1)));
        } else if self.long_bytes > max {
            self.long = Vec::new();
            self.long_error =
                Some(StatementError::with_code(1153, b"08S01", format!("long parameters have more than max_packet_size = {max} bytes")));
        } else {
            if self.long.is_empty() {
                self.long = vec![None; self.count];
            }
            self.long[parameter].get_or_insert_default().extend_from_slice(bytes);
        }
    }

    /// Drops long values that wait for an execution.
    pub(super) fn forget_long(&mut self) {
        self.long = Vec::new();
        self.long_bytes = 0;
        self.long_error = None;
    }

    /// Reads the values of one execution and uses up the long ones.
    pub(super) fn read_values(&mut self, payload: &[u8]) -> Result<Vec<Value>, StatementError> {
        let long = std::mem::take(&mut self.long);
        let error = self.long_error.take();
        self.long_bytes = 0;
        if let Some(error) = error {
            return Err(error);
        }
        if self.count == 0 {
            return Ok(Vec::new());
        }
        let broken = || StatementError::with_code(1835, b"HY000", "malformed packet: parameters end too early");
        let mut scan = Scan::new(payload);
        let nulls = scan.bytes(self.count.div_ceil(8)).ok_or_else(broken)?;
        if scan.u8().ok_or_else(broken)? == 1 {
            let types = scan.bytes(self.count * 2).ok_or_else(broken)?;
            self.types = types.chunks_exact(2).map(|pair| (pair[0], pair[1] & 0x80 != 0)).collect();
        }
        if self.types.len() != self.count {
            return Err(StatementError::with_code(1210, b"HY000", "the types of the parameters were never sent"));
        }
        let mut values = Vec::with_capacity(self.count);
        for (i, (kind, unsigned)) in self.types.iter().enumerate() {
            let value = if let Some(Some(bytes)) = long.get(i) {
                text(bytes, i)?
            } else if nulls[i / 8] & (1 << (i % 8)) != 0 {
                Value::Null
            } else {
                read_value(&mut scan, *kind, *unsigned, i)?.ok_or_else(broken)?
            };
            values.push(value);
        }
        Ok(values)
    }
}

/// The next value; None if the payload ends in it.
fn read_value(scan: &mut Scan<'_>, kind: u8, unsigned: bool, index: usize) -> Result<Option<Value>, StatementError> {
    use WireType::*;
    let unknown = || StatementError::with_code(1210, b"HY000", format!("parameter {}: type {kind} is not known", index + 1));
    let value = match WireType::try_from(kind).map_err(|_| unknown())? {
        MYSQL_TYPE_NULL => Some(Value::Null),
        MYSQL_TYPE_TINY if unsigned => scan.u8().map(|n| Value::Int(n.into())),
        MYSQL_TYPE_TINY => scan.array().map(|n| Value::Int(i8::from_le_bytes(n).into())),
        MYSQL_TYPE_SHORT | MYSQL_TYPE_YEAR if unsigned => scan.u16().map(|n| Value::Int(n.into())),
        MYSQL_TYPE_SHORT | MYSQL_TYPE_YEAR => scan.array().map(|n| Value::Int(i16::from_le_bytes(n).into())),
        MYSQL_TYPE_LONG | MYSQL_TYPE_INT24 if unsigned => scan.u32().map(|n| Value::Int(n.into())),
        MYSQL_TYPE_LONG | MYSQL_TYPE_INT24 => scan.array().map(|n| Value::Int(i32::from_le_bytes(n).into())),
        MYSQL_TYPE_LONGLONG => scan.array().map(u64::from_le_bytes).map(|bits| {
            // Small enough numbers are the same kind of value whichever way they were sent.
            if unsigned && bits > i64::MAX as u64 { Value::Uint(bits) } else { Value::Int(bits as i64) }
        }),
        MYSQL_TYPE_FLOAT => scan.array().map(|n| Value::Float(f32::from_le_bytes(n))),
        MYSQL_TYPE_DOUBLE => scan.array().map(|n| Value::Double(f64::from_le_bytes(n))),
        MYSQL_TYPE_DATE | MYSQL_TYPE_NEWDATE | MYSQL_TYPE_DATETIME | MYSQL_TYPE_TIMESTAMP => date(scan).map(Value::Text),
        MYSQL_TYPE_TIME => time(scan).map(Value::Text),
        MYSQL_TYPE_VARCHAR
        | MYSQL_TYPE_VAR_STRING
        | MYSQL_TYPE_STRING
        | MYSQL_TYPE_DECIMAL
        | MYSQL_TYPE_NEWDECIMAL
        | MYSQL_TYPE_ENUM
        | MYSQL_TYPE_SET
        | MYSQL_TYPE_JSON
        | MYSQL_TYPE_TINY_BLOB
        | MYSQL_TYPE_MEDIUM_BLOB
        | MYSQL_TYPE_LONG_BLOB
        | MYSQL_TYPE_BLOB
        | MYSQL_TYPE_BIT => match scan.lenenc_bytes() {
            Some(bytes) => Some(text(bytes, index)?),
            None => None,
        },
        _ => return Err(unknown()),
    };
    Ok(value)
}

fn text(bytes: &[u8], index: usize) -> Result<Value, StatementError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Value::Text(text.to_owned())),
        Err(_) => Err(StatementError::with_code(1300, b"HY000", format!("parameter {} is not valid UTF-8", index + 1))),
    }
}

/// `YYYY-MM-DD[ hh:mm:ss[.ffffff]]`.
fn date(scan: &mut Scan<'_>) -> Option<String> {
    let length = usize::from(scan.u8()?);
    let mut fields = Scan::new(scan.bytes(length)?);
    if length == 0 {
        return Some("0000-00-00".to_owned());
    }
    let (year, month, day) = (fields.u16()?, fields.u8()?, fields.u8()?);
    let mut out = format!("{year:04}-{month:02}-{day:02}");
    if length > 4 {
        let [hour, minute, second] = fields.array()?;
        out.push_str(&format!(" {hour:02}:{minute:02}:{second:02}"));
    }
    if length > 7 {
        out.push_str(&format!(".{:06}", fields.u32()?));
    }
    Some(out)
}

/// `[-]hh:mm:ss[.ffffff]`, days counted as 24 hours.
fn time(scan: &mut Scan<'_>) -> Option<String> {
    let length = usize::from(scan.u8()?);
    let mut fields = Scan::new(scan.bytes(length)?);
    if length == 0 {
        return Some("00:00:00".to_owned());
    }
    let (negative, days) = (fields.u8()? == 1, fields.u32()?);
    let [hour, minute, second] = fields.array()?;
    let hours = u64::from(days) * 24 + u64::from(hour);
    let mut out = format!("{}{hours:02}:{minute:02}:{second:02}", if negative { "-" } else { "" });
    if length > 8 {
        out.push_str(&format!(".{:06}", fields.u32()?));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(kind: WireType, unsigned: bool, bytes: &[u8]) -> Result<Value, String> {
        let mut payload = vec![0, 1, kind as u8, if unsigned { 0x80 } else { 0 }];
        payload.extend_from_slice(bytes);
        let mut values = Statement::new(1, Vec::new()).read_values(&payload).map_err(|e| e.message)?;
        Ok(values.remove(0))
    }

    #[test]
    fn every_type() {
        use WireType::*;
        for (kind, unsigned, bytes, expected) in [
            (MYSQL_TYPE_TINY, false, &[0xFF][..], Value::Int(-1)),
            (MYSQL_TYPE_TINY, true, &[0xFF], Value::Int(255)),
            (MYSQL_TYPE_SHORT, false, &[0xFE, 0xFF], Value::Int(-2)),
            (MYSQL_TYPE_LONG, true, &[0xFF; 4], Value::Int(4_294_967_295)),
            (MYSQL_TYPE_LONG, false, &[0xFF; 4], Value::Int(-1)),
            (MYSQL_TYPE_LONGLONG, true, &[0xFF; 8], Value::Uint(u64::MAX)),
            (MYSQL_TYPE_LONGLONG, false, &[0xFF; 8], Value::Int(-1)),
            (MYSQL_TYPE_FLOAT, false, &1.5f32.to_le_bytes(), Value::Float(1.5)),
            (MYSQL_TYPE_DOUBLE, false, &0.1f64.to_le_bytes(), Value::Double(0.1)),
            (MYSQL_TYPE_NULL, false, &[], Value::Null),
            (MYSQL_TYPE_STRING, false, b"\x03abc", Value::Text("abc".to_owned())),
            (MYSQL_TYPE_BLOB, false, b"\xFC\x03\x00abc", Value::Text("abc".to_owned())),
            (MYSQL_TYPE_DATETIME, false, &[4, 0xE8, 7, 2, 3], Value::Text("2024-02-03".to_owned())),
            (MYSQL_TYPE_DATETIME, false, &[7, 0xE8, 7, 2, 3, 4, 5, 6], Value::Text("2024-02-03 04:05:06".to_owned())),
            (MYSQL_TYPE_TIME, false, &[8, 1, 1, 0, 0, 0, 2, 3, 4], Value::Text("-26:03:04".to_owned())),
        ] {
            assert_eq!(one(kind, unsigned, bytes), Ok(expected), "{kind:?}");
        }
    }

    #[test]
    fn broken_values_are_errors() {
        use WireType::*;
        assert!(one(MYSQL_TYPE_LONG, false, &[1]).is_err());
        assert!(one(MYSQL_TYPE_STRING, false, b"\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFabc").is_err());
        assert_eq!(one(MYSQL_TYPE_STRING, false, b"\x01\xFF"), Err("parameter 1 is not valid UTF-8".to_owned()));
        assert!(one(MYSQL_TYPE_DATETIME, false, &[9, 1]).is_err());
        assert!(one(MYSQL_TYPE_GEOMETRY, false, b"\x01a").is_err());
        assert!(Statement::new(3, Vec::new()).read_values(&[]).is_err());
        assert!(Statement::new(1, Vec::new()).read_values(&[0, 0, 1, 2]).is_err(), "types never sent");
    }

    #[test]
    fn types_are_remembered_and_long_data_used_once() {
        let kind = WireType::MYSQL_TYPE_BLOB as u8;
        let mut statement = Statement::new(2, Vec::new());
        statement.add_long(0, b"long ", 100);
        statement.add_long(0, b"data", 100);
        let values = statement.read_values(&[0, 1, kind, 0, kind, 0, 1, b'x']).expect("values");
        assert_eq!(values, [Value::Text("long data".to_owned()), Value::Text("x".to_owned())]);
        let values = statement.read_values(&[0b10, 0, 1, b'y']).expect("values");
        assert_eq!(values, [Value::Text("y".to_owned()), Value::Null]);
        statement.add_long(0, &[b'x'; 101], 100);
        assert_eq!(statement.read_values(&[0b10, 0, 1, b'y']).expect_err("too long").code, 1153);
        statement.add_long(7, b"x", 100);
        assert_eq!(statement.read_values(&[0b10, 0, 1, b'y']).expect_err("no such").code, 1210);
        assert!(statement.read_values(&[0b10, 0, 1, b'y']).is_ok(), "an error is told once");
    }
}
