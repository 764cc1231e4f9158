//! Binary form of JSON: compact, walked in place by path, never decoded to be read.
//!
//! ```text
//! value   0  1  tag; the value's end is the end of its slice, so scalars carry no length
//! null, false, true         tag only
//! integer                   1, 4 or 8 bytes, little-endian, signed
//! double                    8 bytes, little-endian
//! string                    UTF-8
//! array                     u32 count; per element: end of its value; then the values
//! object                    u32 count; per member: end of its key, end of its value; then all keys; then all values
//! ```
//!
//! Ends are counted from the first byte of the keys or the values, 2 bytes wide in a narrow container and 4 in a wide one. Members keep the
//! order in which they were written. An empty buffer is an absent document. Bytes that contradict the form read as null.

use serde_json::Value as Tree;

/// Containers inside containers that a document may have.
pub const MAX_DEPTH: usize = 128;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT8: u8 = 3;
const INT32: u8 = 4;
const INT64: u8 = 5;
const DOUBLE: u8 = 6;
const STRING: u8 = 7;
const ARRAY: u8 = 8;
const ARRAY_WIDE: u8 = 9;
const OBJECT: u8 = 10;
const OBJECT_WIDE: u8 = 11;

/// Why a text is no JSON document of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonError(String);

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    /// null, and bytes that contradict the form.
    Null,
    /// true or false.
    Bool,
    /// A whole number of 64 bits.
    Int,
    /// Any other number.
    Double,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// A JSON value inside a buffer of our binary form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JsonRef<'a> {
    bytes: &'a [u8],
}

/// The binary form of a JSON text. Numbers above the range of i64 become doubles. An empty or blank text is an absent document.
pub fn encode_text(text: &str) -> Result<Vec<u8>, JsonError> {
    if text.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    // serde_json refuses documents nested deeper than 128 by itself; the reader of this form recurses no deeper.
    let tree: Tree = serde_json::from_str(text).map_err(|e| JsonError(e.to_string()))?;
    encode_tree(&tree)
}

/// The binary form of a decoded document.
pub fn encode_tree(tree: &Tree) -> Result<Vec<u8>, JsonError> {
    let mut out = Vec::new();
    write(tree, 0, &mut out)?;
    Ok(out)
}

fn write(tree: &Tree, depth: usize, out: &mut Vec<u8>) -> Result<(), JsonError> {
    if depth > MAX_DEPTH {
        return Err(JsonError(format!("nested deeper than {MAX_DEPTH}")));
    }
    match tree {
        Tree::Null => out.push(NULL),
        Tree::Bool(b) => out.push(if *b { TRUE } else { FALSE }),
        Tree::Number(n) => match n.as_i64() {
            Some(v) => write_int(v, out),
            None => {
                out.push(DOUBLE);
                out.extend_from_slice(&n.as_f64().unwrap_or(0.0).to_le_bytes());
            }
        },
        Tree::String(s) => {
            out.push(STRING);
            out.extend_from_slice(s.as_bytes());
        }
        Tree::Array(items) => {
            let (mut ends, mut values) = (Vec::with_capacity(items.len()), Vec::new());
            for item in items {
                write(item, depth + 1, &mut values)?;
                ends.push(values.len());
            }
            write_container(ARRAY, items.len(), &ends, &[], &values, out)?;
        }
        Tree::Object(members) => {
            let (mut ends, mut keys, mut values) = (Vec::with_capacity(2 * members.len()), Vec::new(), Vec::new());
            for (key, value) in members {
                keys.extend_from_slice(key.as_bytes());
                write(value, depth + 1, &mut values)?;
                ends.push(keys.len());
                ends.push(values.len());
            }
            write_container(OBJECT, members.len(), &ends, &keys, &values, out)?;
        }
    }
    Ok(())
}

fn write_int(v: i64, out: &mut Vec<u8>) {
    if let Ok(v) = i8::try_from(v) {
        out.push(INT8);
        out.extend_from_slice(&v.to_le_bytes());
    } else if let Ok(v) = i32::try_from(v) {
        out.push(INT32);
        out.extend_from_slice(&v.to_le_bytes());
    } else {
        out.push(INT64);
        out.extend_from_slice(&v.to_le_bytes());
    }
}

/// `tag` is the narrow one; the wide one is the next number.
fn write_container(tag: u8, count: usize, ends: &[usize], keys: &[u8], values: &[u8], out: &mut Vec<u8>) -> Result<(), JsonError> {
    let largest = keys.len().max(values.len());
    let too_long = |_| JsonError("document of 4 GiB or more".to_owned());
    u32::try_from(largest).map_err(too_long)?;
    let count = u32::try_from(count).map_err(too_long)?;
    let wide = largest > u16::MAX as usize;
    out.push(tag + wide as u8);
    out.extend_from_slice(&count.to_le_bytes());
    for &end in ends {
        if wide {
            out.extend_from_slice(&(end as u32).to_le_bytes());
        } else {
            out.extend_from_slice(&(end as u16).to_le_bytes());
        }
    }
    out.extend_from_slice(keys);
    out.extend_from_slice(values);
    Ok(())
}

/// A container's table of ends and the bytes behind it.
#[derive(Clone, Copy)]
struct Container<'a> {
    count: usize,
    /// Bytes of one end.
    width: usize,
    /// Ends per element: 1 in an array, 2 in an object.
    stride: usize,
    ends: &'a [u8],
    keys: &'a [u8],
    values: &'a [u8],
}

impl<'a> Container<'a> {
    fn end(&self, at: usize) -> usize {
        let at = at * self.width;
        match (self.width, self.ends.get(at..at + self.width)) {
            (2, Some(b)) => u16::from_le_bytes([b[0], b[1]]) as usize,
            (4, Some(b)) => u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize,
            _ => 0,
        }
    }

    /// The slice of `bytes` that belongs to element `i`; `column` chooses the key's (0) or the value's (1) ends in an object.
    fn slice(&self, bytes: &'a [u8], i: usize, column: usize) -> &'a [u8] {
        let start = if i == 0 { 0 } else { self.end((i - 1) * self.stride + column) };
        bytes.get(start..self.end(i * self.stride + column)).unwrap_or(&[])
    }

    fn key(&self, i: usize) -> &'a [u8] {
        self.slice(self.keys, i, 0)
    }

    fn value(&self, i: usize) -> JsonRef<'a> {
        JsonRef { bytes: self.slice(self.values, i, self.stride - 1) }
    }
}

impl<'a> JsonRef<'a> {
    /// Views a buffer.
    pub fn new(bytes: &'a [u8]) -> JsonRef<'a> {
        JsonRef { bytes }
    }

    /// The bytes of this value: itself a buffer of the binary form.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Whether there is no document at all (an empty buffer), as opposed to the document `null`.
    pub fn is_absent(self) -> bool {
        self.bytes.is_empty()
    }

    /// What the value is.
    pub fn kind(self) -> JsonKind {
        match self.bytes.first() {
            Some(&FALSE | &TRUE) => JsonKind::Bool,
            Some(&INT8 | &INT32 | &INT64) => JsonKind::Int,
            Some(&DOUBLE) => JsonKind::Double,
            Some(&STRING) => JsonKind::String,
            Some(&ARRAY | &ARRAY_WIDE) => JsonKind::Array,
            Some(&OBJECT | &OBJECT_WIDE) => JsonKind::Object,
            _ => JsonKind::Null,
        }
    }

    fn container(self) -> Option<Container<'a>> {
        let (&tag, rest) = self.bytes.split_first()?;
        let (width, stride) = match tag {
            ARRAY => (2, 1),
            ARRAY_WIDE => (4, 1),
            OBJECT => (2, 2),
            OBJECT_WIDE => (4, 2),
            _ => return None,
        };
        let count = u32::from_le_bytes(rest.get(..4)?.try_into().ok()?) as usize;
        let table = count.checked_mul(width * stride)?;
        let ends = rest.get(4..table.checked_add(4)?)?;
        let data = &rest[4 + table..];
        let mut container = Container { count, width, stride, ends, keys: &[], values: data };
        if stride == 2 && count > 0 {
            let keys = container.end(2 * (count - 1));
            container.keys = data.get(..keys)?;
            container.values = &data[keys..];
        }
        Some(container)
    }

    /// The member called `key` of an object. The first one where a key is repeated.
    pub fn get(self, key: &str) -> Option<JsonRef<'a>> {
        let container = self.container().filter(|c| c.stride == 2)?;
        (0..container.count).find(|&i| container.key(i) == key.as_bytes()).map(|i| container.value(i))
    }

    /// Element `i` of an array.
    pub fn index(self, i: usize) -> Option<JsonRef<'a>> {
        let container = self.container().filter(|c| c.stride == 1)?;
        (i < container.count).then(|| container.value(i))
    }

    /// Elements of an array or values of an object, in order; nothing for anything else.
    pub fn iter(self) -> impl Iterator<Item = JsonRef<'a>> {
        let container = self.container();
        (0..container.map_or(0, |c| c.count)).filter_map(move |i| container.map(|c| c.value(i)))
    }

    /// Members of an object in order.
    pub fn members(self) -> impl Iterator<Item = (&'a str, JsonRef<'a>)> {
        let container = self.container().filter(|c| c.stride == 2);
        (0..container.map_or(0, |c| c.count))
            .filter_map(move |i| container.map(|c| (std::str::from_utf8(c.key(i)).unwrap_or(""), c.value(i))))
    }

    /// Elements of an array, members of an object, 0 for null, 1 for any other value.
    pub fn len(self) -> usize {
        match (self.container(), self.kind()) {
            (Some(c), _) => c.count,
            (None, JsonKind::Null | JsonKind::Array | JsonKind::Object) => 0,
            (None, _) => 1,
        }
    }

    /// Whether [`JsonRef::len`] is 0.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value of a whole number; true and false are 1 and 0.
    pub fn as_i64(self) -> Option<i64> {
        let (&tag, rest) = self.bytes.split_first()?;
        match tag {
            FALSE => Some(0),
            TRUE => Some(1),
            INT8 => Some(i8::from_le_bytes(rest.try_into().ok()?) as i64),
            INT32 => Some(i32::from_le_bytes(rest.try_into().ok()?) as i64),
            INT64 => Some(i64::from_le_bytes(rest.try_into().ok()?)),
            _ => None,
        }
    }

    /// The value of any number; true and false are 1 and 0.
    pub fn as_f64(self) -> Option<f64> {
        match self.bytes.split_first() {
            Some((&DOUBLE, rest)) => Some(f64::from_le_bytes(rest.try_into().ok()?)),
            _ => self.as_i64().map(|v| v as f64),
        }
    }

    /// The text of a string.
    pub fn as_str(self) -> Option<&'a str> {
        match self.bytes.split_first() {
            Some((&STRING, rest)) => std::str::from_utf8(rest).ok(),
            _ => None,
        }
    }

    /// true or false.
    pub fn as_bool(self) -> Option<bool> {
        match self.bytes.first() {
            Some(&FALSE) => Some(false),
            Some(&TRUE) => Some(true),
            _ => None,
        }
    }

    /// Renders compact JSON text; doubles with six decimals. An absent document renders as nothing.
    pub fn to_text(self) -> String {
        let mut out = String::new();
        if !self.is_absent() {
            self.render(0, false, &mut out);
        }
        out
    }

    /// As [`JsonRef::to_text`], but with as many decimals as it takes to read the same doubles again.
    pub fn to_exact_text(self) -> String {
        let mut out = String::new();
        if !self.is_absent() {
            self.render(0, true, &mut out);
        }
        out
    }

    fn render(self, depth: usize, exact: bool, out: &mut String) {
        use std::fmt::Write;
        // The depth bound matters for corrupt bytes only; what `encode_text` wrote is never deeper.
        let kind = if depth > MAX_DEPTH { JsonKind::Null } else { self.kind() };
        // Writing to a String cannot fail.
        let _ = match kind {
            JsonKind::Null => write!(out, "null"),
            JsonKind::Bool => write!(out, "{}", self.as_bool() == Some(true)),
            JsonKind::Int => write!(out, "{}", self.as_i64().unwrap_or(0)),
            // Debug form keeps a point or an exponent, so that it is read as a double again.
            JsonKind::Double if exact => write!(out, "{:?}", self.as_f64().unwrap_or(0.0)),
            JsonKind::Double => write!(out, "{:.6}", self.as_f64().unwrap_or(0.0)),
            JsonKind::String => {
                render_string(self.as_str().unwrap_or(""), out);
                Ok(())
            }
            JsonKind::Array => {
                out.push('[');
                for (i, item) in self.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.render(depth + 1, exact, out);
                }
                out.push(']');
                Ok(())
            }
            JsonKind::Object => {
                out.push('{');
                for (i, (key, value)) in self.members().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    render_string(key, out);
                    out.push(':');
                    value.render(depth + 1, exact, out);
                }
                out.push('}');
                Ok(())
            }
        };
    }

    /// The document as a tree, to be edited and encoded again.
    pub fn to_tree(self) -> Tree {
        self.tree(0)
    }

    fn tree(self, depth: usize) -> Tree {
        if depth > MAX_DEPTH {
            return Tree::Null;
        }
        match self.kind() {
            JsonKind::Null => Tree::Null,
            JsonKind::Bool => Tree::Bool(self.as_bool() == Some(true)),
            JsonKind::Int => Tree::from(self.as_i64().unwrap_or(0)),
            JsonKind::Double => Tree::from(self.as_f64().unwrap_or(0.0)),
            JsonKind::String => Tree::from(self.as_str().unwrap_or("")),
            JsonKind::Array => Tree::Array(self.iter().map(|v| v.tree(depth + 1)).collect()),
            JsonKind::Object => Tree::Object(self.members().map(|(k, v)| (k.to_owned(), v.tree(depth + 1))).collect()),
        }
    }
}

fn render_string(s: &str, out: &mut String) {
    out.push('"');
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) -> String {
        JsonRef::new(&encode_text(text).unwrap()).to_text()
    }

    #[test]
    fn text_comes_back_compact_and_in_order() {
        assert_eq!(
            round(r#" { "b" : 1, "a" : [1, 2.5, "x\ty", null, true], "c": {} } "#),
            r#"{"b":1,"a":[1,2.500000,"x\ty",null,true],"c":{}}"#
        );
        assert_eq!(round("[]"), "[]");
        assert_eq!(round("-9223372036854775808"), "-9223372036854775808");
        assert_eq!(round("300"), "300");
        assert_eq!(round("70000"), "70000");
        assert_eq!(round(""), "");
        let long = format!("[\"{}\",7]", "x".repeat(70_000));
        assert_eq!(round(&long), long);
        for exact in [r#"{"a":0.1,"b":[1e300,-1e-9,2.0],"c":12345678901234567890.0}"#, "2.0", "-0.0"] {
            let bytes = encode_text(exact).unwrap();
            let text = JsonRef::new(&bytes).to_exact_text();
            assert_eq!(encode_text(&text).unwrap(), bytes, "{exact} {text}");
        }
    }

    #[test]
    fn paths_are_walked_in_place() {
        let bytes = encode_text(r#"{"cast":["A","B"],"n":{"deep":5},"f":1.5}"#).unwrap();
        let json = JsonRef::new(&bytes);
        assert_eq!(json.get("cast").and_then(|c| c.index(1)).and_then(|v| v.as_str()), Some("B"));
        assert_eq!(json.get("n").and_then(|c| c.get("deep")).and_then(|v| v.as_i64()), Some(5));
        assert_eq!(json.get("f").and_then(|v| v.as_f64()), Some(1.5));
        assert_eq!(json.get("nosuch"), None);
        assert_eq!(json.get("cast").map(|c| c.len()), Some(2));
        assert_eq!(json.get("cast").and_then(|c| c.index(2)), None);
    }

    #[test]
    fn bad_texts_are_errors() {
        assert!(encode_text("{").is_err());
        assert!(encode_text("{a:1}").is_err());
        assert!(encode_text(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn corrupt_bytes_never_panic() {
        let good = encode_text(r#"{"cast":["A",{"k":[1,2,3]},"B"],"n":-70000,"f":1.5}"#).unwrap();
        for at in 0..good.len() {
            for flip in [1u8, 4, 8, 0x40, 0xff] {
                let mut bad = good.clone();
                bad[at] ^= flip;
                let json = JsonRef::new(&bad);
                let _ = (json.to_text(), json.get("cast").map(|c| c.index(1)), json.len(), json.to_tree());
            }
            let _ = JsonRef::new(&good[..at]).to_text();
        }
    }
}
