//! Rows of prepared statements: a bitmap of NULLs, then each value in the form of its column's type.

use std::borrow::Cow;

use super::reply_packets::put_bytes;
use crate::session::ColumnType;
use crate::types::Value;

/// Appends one row. A value of another kind than its column is converted as its text would be; what cannot be is sent as NULL.
pub(super) fn put_binary_row(buffer: &mut Vec<u8>, kinds: &[ColumnType], row: &[Value]) {
    buffer.push(0x00);
    let bitmap = buffer.len();
    // The first two bits are reserved.
    buffer.resize(bitmap + (kinds.len() + 2).div_ceil(8), 0);
    for (i, kind) in kinds.iter().enumerate() {
        let value = row.get(i).unwrap_or(&Value::Null);
        if put_value(buffer, *kind, value).is_none() {
            buffer[bitmap + (i + 2) / 8] |= 1 << ((i + 2) % 8);
        }
    }
}

/// Appends the value; None, and nothing appended, if it is NULL.
fn put_value(buffer: &mut Vec<u8>, kind: ColumnType, value: &Value) -> Option<()> {
    match kind {
        ColumnType::Uint => buffer.extend_from_slice(&(integer(value)? as u32).to_le_bytes()),
        ColumnType::Bigint | ColumnType::BigUint => buffer.extend_from_slice(&integer(value)?.to_le_bytes()),
        ColumnType::Float => buffer.extend_from_slice(&(double(value)? as f32).to_le_bytes()),
        ColumnType::Double => buffer.extend_from_slice(&double(value)?.to_le_bytes()),
        ColumnType::Text => match value.text()? {
            Cow::Borrowed(text) => put_bytes(buffer, text.as_bytes()),
            Cow::Owned(text) => put_bytes(buffer, text.as_bytes()),
        },
    }
    Some(())
}

/// The 64 bits of an integer; whether they are signed is said by the column.
fn integer(value: &Value) -> Option<u64> {
    match value {
        Value::Int(number) => Some(*number as u64),
        Value::Uint(number) => Some(*number),
        Value::Float(number) => Some(*number as i64 as u64),
        Value::Double(number) | Value::Avg(number) => Some(*number as i64 as u64),
        Value::Text(_) | Value::Json(_) => {
            let text = value.text()?;
            text.trim().parse::<i64>().map(|n| n as u64).or_else(|_| text.trim().parse::<u64>()).ok()
        }
        Value::Null | Value::Mva(_) => None,
    }
}

fn double(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Uint(number) => Some(*number as f64),
        Value::Float(number) => Some(f64::from(*number)),
        Value::Double(number) | Value::Avg(number) => Some(*number),
        Value::Text(_) | Value::Json(_) => value.text()?.trim().parse().ok(),
        Value::Null | Value::Mva(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: ColumnType, value: Value, expected: Option<&[u8]>) {
        let mut buffer = Vec::new();
        put_binary_row(&mut buffer, &[kind], std::slice::from_ref(&value));
        match expected {
            Some(bytes) => assert_eq!(buffer, [&[0, 0], bytes].concat(), "{kind:?} {value:?}"),
            None => assert_eq!(buffer, [0, 0b100], "{kind:?} {value:?}"),
        }
    }

    #[test]
    fn each_type() {
        check(ColumnType::Uint, Value::Int(0xFFFF_FFFF), Some(&[255, 255, 255, 255]));
        check(ColumnType::Bigint, Value::Int(-2), Some(&(-2i64).to_le_bytes()));
        check(ColumnType::BigUint, Value::Uint(u64::MAX), Some(&[255; 8]));
        check(ColumnType::Float, Value::Float(1.5), Some(&1.5f32.to_le_bytes()));
        check(ColumnType::Double, Value::Avg(2.5), Some(&2.5f64.to_le_bytes()));
        check(ColumnType::Text, Value::Text("ab".to_owned()), Some(&[2, b'a', b'b']));
        check(ColumnType::Text, Value::Mva(vec![1, 2]), Some(&[3, b'1', b',', b'2']));
        check(ColumnType::Text, Value::Int(7), Some(&[1, b'7']));
        check(ColumnType::Bigint, Value::Text(" 18446744073709551615".to_owned()), Some(&[255; 8]));
        check(ColumnType::Bigint, Value::Text("x".to_owned()), None);
        check(ColumnType::Bigint, Value::Null, None);
        check(ColumnType::Text, Value::Null, None);
    }

    #[test]
    fn nulls_of_many_columns() {
        let kinds = [ColumnType::Text; 15];
        let row: Vec<Value> = (0..15).map(|i| if i % 2 == 0 { Value::Null } else { Value::Text(String::new()) }).collect();
        let mut buffer = Vec::new();
        put_binary_row(&mut buffer, &kinds, &row);
        assert_eq!(buffer[..4], [0, 0b0101_0100, 0b0101_0101, 0b1]);
        assert_eq!(buffer.len(), 4 + 7);
    }

    #[test]
    fn a_short_row_ends_in_nulls() {
        let mut buffer = Vec::new();
        put_binary_row(&mut buffer, &[ColumnType::Text, ColumnType::Text], &[Value::Text(String::new())]);
        assert_eq!(buffer, [0, 0b1000, 0]);
    }
}
