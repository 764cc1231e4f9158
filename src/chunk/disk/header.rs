//! The header of a chunk.
//!
//! ```text
//!  0   8  magic "CHIMCHNK"
//!  8   4  version of the format
//! 12   4  crc32 of the 12 bytes before
//! 16  16  uuid of the table
//! 32   4  version of the schema          36  4  rows
//! 40   8  least document id              48  8  greatest document id (both 0 where there are no rows)
//! 56   1  1 where ids ascend with rows   57  1  compression of stored text (0 none, 1 lz4, 2 zstd)
//! 58   4  bytes of a stored block before compression
//! 62      columns: u16 count, then each u32 uid, u8 kind, u8 flags (1 indexed, 2 stored, 4 attribute, 8 columnar)
//!         fields: u16 count, then each u64 tokens, u32 longest row, u8 bytes of one length
//!         dictionaries: u16 count, then each u64 words, u32 most hits of a word in a row, u64 start in the terms, u64 bytes of blocks,
//!                       u64 bytes of heads, u64 start and u64 bytes in the postings, u64 start and u64 bytes in the positions
//!         files: u16 count, then each u16 length of name, name, u64 bytes, u32 crc32
//!         attribute columns, from version 2: u16 count, then each u64 start and u64 bytes of its blocks, see [`crate::chunk::columns`]
//!         u32 crc32 of everything before
//! ```
//!
//! Numbers are little-endian. A header says the lowest version that has all it needs, so that a table without what is new can be read by
//! programs from before. The first 16 bytes never change their meaning, so that every program can tell which version it has before it.

use super::words::DictionaryMark;
use crate::chunk::ChunkError;
use crate::chunk::columns::ColumnMark as StoreMark;
use crate::types::{ColumnKind, Schema};

/// Name of the file.
pub(super) const HEADER: &str = "header";
/// The newest version that this program reads and writes.
pub(super) const VERSION: u32 = 2;
/// The oldest, which has no columnar attributes.
const PLAIN: u32 = 1;

const MAGIC: &[u8; 8] = b"CHIMCHNK";

/// What a chunk is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) table_uuid: u128,
    pub(super) schema_version: u32,
    pub(super) rows: u32,
    pub(super) id_min: u64,
    pub(super) id_max: u64,
    pub(super) ids_ascend: bool,
    pub(super) compression: u8,
    pub(super) block_size: u32,
    pub(super) columns: Vec<ColumnMark>,
    pub(super) fields: Vec<FieldMark>,
    /// The fields in order, then, where there are two fields or more, the dictionary over all fields.
    pub(super) dictionaries: Vec<DictionaryMark>,
    pub(super) files: Vec<FileMark>,
    /// Columns in the file of columns, in order; none where all attributes are in rows.
    pub(super) stores: Vec<StoreMark>,
}

/// What must not differ between the chunk's columns and the table's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ColumnMark {
    uid: u32,
    kind: u8,
    flags: u8,
}

/// One full-text field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FieldMark {
    /// Tokens of all rows.
    pub(super) tokens: u64,
    /// At least the tokens of the longest row.
    pub(super) longest: u32,
    /// Bytes of one length in `lengths`: 1, 2 or 4.
    pub(super) width: u8,
}

/// One other file of the chunk.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileMark {
    pub(super) name: String,
    pub(super) len: u64,
    pub(super) crc: u32,
}

/// The columns of a schema as the header keeps them.
pub(super) fn columns_of(schema: &Schema) -> Vec<ColumnMark> {
    let mark = |c: &crate::types::Column| ColumnMark {
        uid: c.uid,
        kind: kind_code(c.kind),
        flags: u8::from(c.indexed) | u8::from(c.stored) << 1 | u8::from(c.attribute) << 2 | u8::from(c.columnar) << 3,
    };
    schema.columns.iter().map(mark).collect()
}

/// Numbers of the format: never given anew.
fn kind_code(kind: ColumnKind) -> u8 {
    match kind {
        ColumnKind::Text => 0,
        ColumnKind::String => 1,
        ColumnKind::Uint => 2,
        ColumnKind::Bigint => 3,
        ColumnKind::Float => 4,
        ColumnKind::Bool => 5,
        ColumnKind::Timestamp => 6,
        ColumnKind::Multi => 7,
        ColumnKind::Multi64 => 8,
        ColumnKind::Json => 9,
    }
}

impl Header {
    /// The bytes of the file.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        out.extend_from_slice(MAGIC);
        let version = if self.stores.is_empty() { PLAIN } else { VERSION };
        out.extend_from_slice(&version.to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
        out.extend_from_slice(&self.table_uuid.to_le_bytes());
        out.extend_from_slice(&self.schema_version.to_le_bytes());
        out.extend_from_slice(&self.rows.to_le_bytes());
        out.extend_from_slice(&self.id_min.to_le_bytes());
        out.extend_from_slice(&self.id_max.to_le_bytes());
        out.push(u8::from(self.ids_ascend));
        out.push(self.compression);
        out.extend_from_slice(&self.block_size.to_le_bytes());
        out.extend_from_slice(&(self.columns.len() as u16).to_le_bytes());
        for column in &self.columns {
            out.extend_from_slice(&column.uid.to_le_bytes());
            out.extend_from_slice(&[column.kind, column.flags]);
        }
        out.extend_from_slice(&(self.fields.len() as u16).to_le_bytes());
        for field in &self.fields {
            out.extend_from_slice(&field.tokens.to_le_bytes());
            out.extend_from_slice(&field.longest.to_le_bytes());
            out.push(field.width);
        }
        out.extend_from_slice(&(self.dictionaries.len() as u16).to_le_bytes());
        for dictionary in &self.dictionaries {
            out.extend_from_slice(&dictionary.words.to_le_bytes());
            out.extend_from_slice(&dictionary.tf_max.to_le_bytes());
            for number in dictionary.terms.iter().chain(&dictionary.postings).chain(&dictionary.positions) {
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
        out.extend_from_slice(&(self.files.len() as u16).to_le_bytes());
        for file in &self.files {
            out.extend_from_slice(&(file.name.len() as u16).to_le_bytes());
            out.extend_from_slice(file.name.as_bytes());
            out.extend_from_slice(&file.len.to_le_bytes());
            out.extend_from_slice(&file.crc.to_le_bytes());
        }
        if version > PLAIN {
            out.extend_from_slice(&(self.stores.len() as u16).to_le_bytes());
            self.stores.iter().flatten().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        }
        out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// Reads the bytes of the file at `path`.
    pub(super) fn decode(bytes: &[u8], path: &str) -> Result<Header, ChunkError> {
        let corrupt = |reason: &str| ChunkError::Corrupt { file: path.to_owned(), reason: reason.to_owned() };
        let mut front = Reader { bytes, at: 0 };
        let magic: [u8; 8] = front.take().ok_or_else(|| corrupt("shorter than a header"))?;
        let version = u32::from_le_bytes(front.take().ok_or_else(|| corrupt("shorter than a header"))?);
        let crc = u32::from_le_bytes(front.take().ok_or_else(|| corrupt("shorter than a header"))?);
        if magic != *MAGIC {
            return Err(corrupt("no chunk header: magic bytes expected at byte 0"));
        }
        if crc32fast::hash(&bytes[..12]) != crc {
            return Err(corrupt("checksum of the version does not match at byte 12"));
        }
        if version > VERSION {
            return Err(ChunkError::TooNew { file: path.to_owned(), found: version, known: VERSION });
        }
        let body = bytes.len().saturating_sub(4);
        let crc = Reader { bytes, at: body }.take().map(u32::from_le_bytes);
        if crc != Some(crc32fast::hash(&bytes[..body])) {
            return Err(corrupt("checksum of the header does not match"));
        }
        Header::decode_body(version, Reader { bytes: &bytes[..body], at: 16 }).ok_or_else(|| corrupt("fields of the header are cut short"))
    }

    fn decode_body(version: u32, mut r: Reader<'_>) -> Option<Header> {
        let mut header = Header {
            table_uuid: u128::from_le_bytes(r.take()?),
            schema_version: u32::from_le_bytes(r.take()?),
            rows: u32::from_le_bytes(r.take()?),
            id_min: u64::from_le_bytes(r.take()?),
            id_max: u64::from_le_bytes(r.take()?),
            ids_ascend: r.take::<1>()?[0] != 0,
            compression: r.take::<1>()?[0],
            block_size: u32::from_le_bytes(r.take()?),
            columns: Vec::new(),
            fields: Vec::new(),
            dictionaries: Vec::new(),
            files: Vec::new(),
            stores: Vec::new(),
        };
        for _ in 0..u16::from_le_bytes(r.take()?) {
            let uid = u32::from_le_bytes(r.take()?);
            let [kind, flags] = r.take()?;
            header.columns.push(ColumnMark { uid, kind, flags });
        }
        for _ in 0..u16::from_le_bytes(r.take()?) {
            let (tokens, longest) = (u64::from_le_bytes(r.take()?), u32::from_le_bytes(r.take()?));
            let [width] = r.take()?;
            header.fields.push(FieldMark { tokens, longest, width });
        }
        for _ in 0..u16::from_le_bytes(r.take()?) {
            let (words, tf_max) = (u64::from_le_bytes(r.take()?), u32::from_le_bytes(r.take()?));
            let mut mark = DictionaryMark { words, tf_max, ..DictionaryMark::default() };
            for number in mark.terms.iter_mut().chain(&mut mark.postings).chain(&mut mark.positions) {
                *number = u64::from_le_bytes(r.take()?);
            }
            header.dictionaries.push(mark);
        }
        for _ in 0..u16::from_le_bytes(r.take()?) {
            let len = u16::from_le_bytes(r.take()?) as usize;
            let name = String::from_utf8(r.bytes.get(r.at..r.at + len)?.to_vec()).ok()?;
            r.at += len;
            let (len, crc) = (u64::from_le_bytes(r.take()?), u32::from_le_bytes(r.take()?));
            header.files.push(FileMark { name, len, crc });
        }
        if version > PLAIN {
            for _ in 0..u16::from_le_bytes(r.take()?) {
                header.stores.push([u64::from_le_bytes(r.take()?), u64::from_le_bytes(r.take()?)]);
            }
        }
        (r.at == r.bytes.len()).then_some(header)
    }

    /// The mark of a file, if the chunk has it.
    pub(super) fn file(&self, name: &str) -> Option<&FileMark> {
        self.files.iter().find(|f| f.name == name)
    }
}

/// Takes pieces of known size off the front.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let piece = self.bytes.get(self.at..self.at.checked_add(N)?)?.try_into().ok()?;
        self.at += N;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Header {
        Header {
            table_uuid: 7,
            schema_version: 3,
            rows: 5,
            id_min: 1,
            id_max: 9,
            ids_ascend: true,
            compression: 1,
            block_size: 16_384,
            columns: vec![ColumnMark { uid: 1, kind: 0, flags: 3 }],
            fields: vec![FieldMark { tokens: 50, longest: 12, width: 1 }],
            dictionaries: vec![DictionaryMark { words: 8, tf_max: 4, terms: [0, 5, 6], postings: [7, 8], positions: [9, 10] }],
            files: vec![FileMark { name: "terms".to_owned(), len: 77, crc: 99 }],
            stores: vec![],
        }
    }

    #[test]
    fn reads_what_it_wrote_and_refuses_every_flipped_bit() {
        for (header, version) in [(sample(), PLAIN), (Header { stores: vec![[0, 8], [40, u64::MAX]], ..sample() }, VERSION)] {
            let bytes = header.encode();
            assert_eq!(bytes[8..12], version.to_le_bytes());
            assert_eq!(Header::decode(&bytes, "header").expect("sound"), header);
            for bit in 0..bytes.len() * 8 {
                let mut bytes = bytes.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert!(matches!(Header::decode(&bytes, "header"), Err(ChunkError::Corrupt { .. })), "bit {bit}");
            }
            for len in 0..bytes.len() {
                assert!(Header::decode(&bytes[..len], "header").is_err(), "{len} bytes");
            }
        }
    }

    #[test]
    fn a_newer_version_is_told_apart() {
        let mut bytes = sample().encode();
        bytes[8..12].copy_from_slice(&(VERSION + 1).to_le_bytes());
        let crc = crc32fast::hash(&bytes[..12]);
        bytes[12..16].copy_from_slice(&crc.to_le_bytes());
        assert!(matches!(Header::decode(&bytes, "header"), Err(ChunkError::TooNew { found: 3, known: 2, .. })));
    }
}
