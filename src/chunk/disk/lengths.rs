//! Tokens per row and field.
//!
//! Per field: the tokens of each row, little-endian, in as many bytes (1, 2 or 4) as the field's longest row needs.

use super::header::FieldMark;
use crate::types::Bytes;

/// Bytes of one length where none is greater than `longest`.
pub(super) fn width_for(longest: u32) -> u8 {
    match longest {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    }
}

/// Reads them.
pub(super) struct Lengths {
    file: Bytes,
    rows: usize,
    /// Per field: where its lengths begin, and bytes of one.
    fields: Vec<(usize, u8)>,
}

impl Lengths {
    /// The lengths of a chunk. None where the file has another length or a width is none.
    pub(super) fn new(file: Bytes, rows: u32, fields: &[FieldMark]) -> Option<Lengths> {
        let (rows, mut at, mut columns) = (rows as usize, 0usize, Vec::new());
        for field in fields {
            if !matches!(field.width, 1 | 2 | 4) {
                return None;
            }
            columns.push((at, field.width));
            at = at.checked_add(rows.checked_mul(field.width as usize)?)?;
        }
        (file.len() == at).then_some(Lengths { file, rows, fields: columns })
    }

    /// Tokens of a row in a field; 0 where there is no such row or field.
    #[inline]
    pub(super) fn length(&self, row: u32, field: usize) -> u32 {
        let row = row as usize;
        let Some(&(start, width)) = self.fields.get(field).filter(|_| row < self.rows) else { return 0 };
        let file = &self.file[..];
        match width {
            1 => u32::from(file[start + row]),
            2 => u32::from(u16::from_le_bytes([file[start + 2 * row], file[start + 2 * row + 1]])),
            _ => {
                let at = start + 4 * row;
                u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_what_was_written() {
        let mut bytes = vec![9, 200, 1, 0, 0, 1];
        bytes.extend_from_slice(&70_000u32.to_le_bytes());
        bytes.extend_from_slice(&1u32.to_le_bytes());
        let field = |longest| FieldMark { tokens: 0, longest, width: width_for(longest) };
        let fields = [field(200), field(256), field(70_000)];
        let lengths = Lengths::new(Bytes::from(bytes.clone()), 2, &fields).expect("whole");
        assert_eq!((0..3).map(|f| [lengths.length(0, f), lengths.length(1, f)]).collect::<Vec<_>>(), [[9, 200], [1, 256], [70_000, 1]]);
        assert_eq!(lengths.length(2, 0) + lengths.length(0, 3), 0);
        assert!(Lengths::new(Bytes::from(bytes), 3, &fields).is_none());
    }
}
