//! Effects as bytes: what a log record's payload holds.
//!
//! ```text
//! payload   effects back to back
//! put       u8 1, u64 document id, values in order of the schema's columns
//! gone      u8 2, u64 document id
//! edit      u8 3, u64 document id, u16 count, per change: u32 column uid, value
//! value     u8 tag: 0 null · 1 i64 · 2 f32 bits · 3 text: u32 length, bytes · 4 mva: u32 count, i64 each · 5 json: u32 length, bytes
//! ```
//! All numbers little-endian. The number of values of a put is the schema's number of columns; the record carries the schema's version.

use crate::types::{DocId, Schema, Value};

/// One effect, as replay applies it: blind and in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// The document now has these values, one per schema column.
    Put(DocId, Vec<Value>),
    /// The document is gone.
    Gone(DocId),
    /// Columns of the document, where it exists, have new values: (column index, value).
    Edit(DocId, Vec<(usize, Value)>),
}

/// Appends `put`.
pub fn encode_put(out: &mut Vec<u8>, id: DocId, values: &[Value]) {
    out.push(1);
    out.extend_from_slice(&id.0.to_le_bytes());
    values.iter().for_each(|v| encode_value(out, v));
}

/// Appends `gone`.
pub fn encode_gone(out: &mut Vec<u8>, id: DocId) {
    out.push(2);
    out.extend_from_slice(&id.0.to_le_bytes());
}

/// Appends `edit`.
pub fn encode_edit(out: &mut Vec<u8>, schema: &Schema, id: DocId, changes: &[(usize, Value)]) {
    out.push(3);
    out.extend_from_slice(&id.0.to_le_bytes());
    out.extend_from_slice(&(changes.len() as u16).to_le_bytes());
    for (column, value) in changes {
        out.extend_from_slice(&schema.columns[*column].uid.to_le_bytes());
        encode_value(out, value);
    }
}

fn encode_value(out: &mut Vec<u8>, value: &Value) {
    let counted = |out: &mut Vec<u8>, tag: u8, bytes: &[u8]| {
        out.push(tag);
        out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(bytes);
    };
    match value {
        Value::Null => out.push(0),
        Value::Int(v) => {
            out.push(1);
            out.extend_from_slice(&v.to_le_bytes());
        }
        Value::Uint(v) => {
            out.push(1);
            out.extend_from_slice(&v.to_le_bytes());
        }
        Value::Float(v) => {
            out.push(2);
            out.extend_from_slice(&v.to_bits().to_le_bytes());
        }
        Value::Double(v) | Value::Avg(v) => {
            out.push(2);
            out.extend_from_slice(&(*v as f32).to_bits().to_le_bytes());
        }
        Value::Text(v) => counted(out, 3, v.as_bytes()),
        Value::Mva(v) => {
            out.push(4);
            out.extend_from_slice(&(v.len() as u32).to_le_bytes());
            v.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
        }
        Value::Json(v) => counted(out, 5, v),
    }
}

/// Effects of a payload. `None` where the bytes contradict the format or name a column that the schema lacks.
pub fn decode(payload: &[u8], schema: &Schema) -> Option<Vec<Effect>> {
    let mut input = Input(payload);
    let mut effects = Vec::new();
    while !input.0.is_empty() {
        let tag = input.array::<1>()?[0];
        let id = DocId(u64::from_le_bytes(input.array()?));
        effects.push(match tag {
            1 => Effect::Put(id, (0..schema.columns.len()).map(|_| input.value()).collect::<Option<_>>()?),
            2 => Effect::Gone(id),
            3 => {
                let count = u16::from_le_bytes(input.array()?);
                let mut changes = Vec::new();
                for _ in 0..count {
                    let uid = u32::from_le_bytes(input.array()?);
                    let column = schema.columns.iter().position(|c| c.uid == uid)?;
                    changes.push((column, input.value()?));
                }
                Effect::Edit(id, changes)
            }
            _ => return None,
        });
    }
    Some(effects)
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n)?;
        self.0 = tail;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn counted(&mut self) -> Option<&'a [u8]> {
        let n = u32::from_le_bytes(self.array()?);
        self.take(n as usize)
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.array::<1>()?[0] {
            0 => Value::Null,
            1 => Value::Int(i64::from_le_bytes(self.array()?)),
            2 => Value::Float(f32::from_bits(u32::from_le_bytes(self.array()?))),
            3 => Value::Text(String::from_utf8(self.counted()?.to_vec()).ok()?),
            4 => {
                let n = u32::from_le_bytes(self.array()?) as usize;
                let bytes = self.take(n.checked_mul(8)?)?;
                Value::Mva(crate::chunk::mva_iter(bytes).collect())
            }
            5 => Value::Json(self.counted()?.to_vec()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Column, ColumnKind};

    fn schema() -> Schema {
        let column = |name: &str, kind, uid| Column {
            name: name.into(),
            kind,
            uid,
            indexed: false,
            stored: false,
            attribute: true,
            columnar: false,
        };
        Schema { version: 1, columns: vec![column("a", ColumnKind::Text, 7), column("m", ColumnKind::Multi, 9)] }
    }

    #[test]
    fn effects_survive_the_round_trip() {
        let row = vec![Value::Text("x".into()), Value::Mva(vec![1, 2])];
        let mut bytes = Vec::new();
        encode_put(&mut bytes, DocId(5), &row);
        encode_gone(&mut bytes, DocId(6));
        encode_edit(&mut bytes, &schema(), DocId(7), &[(1, Value::Mva(vec![]))]);
        let effects = decode(&bytes, &schema()).expect("well-formed");
        assert_eq!(effects, [Effect::Put(DocId(5), row), Effect::Gone(DocId(6)), Effect::Edit(DocId(7), vec![(1, Value::Mva(vec![]))])]);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
            let _ = decode(&bytes, &schema());
        }
    }
}
