//! Rows of the text protocol: each value as its text behind its length.

use std::io::Write;

use super::reply_packets::{put_bytes, put_lenenc};
use crate::types::{Value, push_average, push_float};

/// Appends one row.
pub(super) fn put_text_row(buffer: &mut Vec<u8>, row: &[Value]) {
    for value in row {
        match value {
            Value::Null => buffer.push(0xFB),
            Value::Int(number) => put_integer(buffer, number.unsigned_abs(), *number < 0),
            Value::Uint(number) => put_integer(buffer, *number, false),
            Value::Text(text) => put_bytes(buffer, text.as_bytes()),
            Value::Float(number) => put_short(buffer, |out| push_float(out, *number)),
            Value::Double(number) => put_short(buffer, |out| write!(out, "{number:.6}").expect("writing into memory cannot fail")),
            Value::Avg(number) => put_short(buffer, |out| push_average(out, *number)),
            Value::Mva(_) | Value::Json(_) => match value.text() {
                Some(text) => put_bytes(buffer, text.as_bytes()),
                None => buffer.push(0xFB),
            },
        }
    }
}

/// Digits of a number without going through the formatting machinery: most cells of most rows are such numbers.
fn put_integer(buffer: &mut Vec<u8>, mut number: u64, negative: bool) {
    // 20 digits of the largest number and a sign.
    let mut digits = [0u8; 21];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    if negative {
        at -= 1;
        digits[at] = b'-';
    }
    buffer.push((digits.len() - at) as u8);
    buffer.extend_from_slice(&digits[at..]);
}

/// A text that is nearly always shorter than 251 bytes: written in place behind one byte of length.
fn put_short(buffer: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = buffer.len();
    buffer.push(0);
    write(buffer);
    let length = buffer.len() - start - 1;
    if length <= 250 {
        buffer[start] = length as u8;
    } else {
        // The largest doubles have more than 300 digits.
        let text = buffer.split_off(start + 1);
        buffer.pop();
        put_lenenc(buffer, length as u64);
        buffer.extend_from_slice(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::scan::Scan;
    use proptest::prelude::*;

    fn check(value: Value) {
        let mut buffer = vec![9, 9];
        put_text_row(&mut buffer, std::slice::from_ref(&value));
        let mut scan = Scan::new(&buffer[2..]);
        match value.text() {
            Some(text) => assert_eq!(scan.lenenc_bytes(), Some(text.as_bytes()), "{value:?}"),
            None => assert_eq!(scan.u8(), Some(0xFB)),
        }
        assert!(scan.rest().is_empty());
    }

    #[test]
    fn edges() {
        for value in [
            Value::Null,
            Value::Int(0),
            Value::Int(i64::MIN),
            Value::Int(i64::MAX),
            Value::Uint(u64::MAX),
            Value::Float(f32::MAX),
            Value::Float(-0.0),
            Value::Double(f64::MAX),
            Value::Double(f64::NAN),
            Value::Double(f64::NEG_INFINITY),
            Value::Avg(f64::MIN),
            Value::Text("x".repeat(70_000)),
            Value::Text(String::new()),
            Value::Mva(vec![]),
            Value::Mva(vec![-1, 2]),
        ] {
            check(value);
        }
    }

    proptest! {
        #[test]
        fn every_number_has_the_text_that_values_have(int: i64, uint: u64, float: f32, double: f64) {
            for value in [Value::Int(int), Value::Uint(uint), Value::Float(float), Value::Double(double), Value::Avg(double)] {
                check(value);
            }
        }
    }
}
