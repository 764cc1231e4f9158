//! Files beside the chunks: dead rows, UPDATEd rows, the saved RAM chunk. Written once, named by the manifest, never changed.
//!
//! ```text
//!  8  magic "CHIMDEAD", "CHIMATTR" or "CHIMRAM1"
//! 16  table uuid
//!  8  chunk id (0 in a saved RAM chunk)
//!  4  count
//!  …  dead rows: per row a varint of the distance to the row before (the first: to -1, less one)
//!     UPDATEd rows: per row u32 row, u32 length, the row's image
//!     saved RAM chunk: per segment u64 length, the segment
//!  4  crc32 of everything above
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::TableError;
use crate::chunk::{DeadRows, Overlay, RowImage};
use crate::storage::Disk;
use crate::types::{ChunkId, RowId};

const HEADER_BYTES: usize = 36;

/// What a side file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Dead rows of a chunk.
    Dead,
    /// UPDATEd rows of a chunk.
    Attrs,
    /// The saved RAM chunk.
    Ram,
}

impl Kind {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            Kind::Dead => b"CHIMDEAD",
            Kind::Attrs => b"CHIMATTR",
            Kind::Ram => b"CHIMRAM1",
        }
    }

    /// Path of file number `n`.
    pub fn path(self, dir: &Path, n: u64) -> PathBuf {
        dir.join(format!(
            "{}.{n}",
            match self {
                Kind::Dead => "dead",
                Kind::Attrs => "attrs",
                Kind::Ram => "ram",
            }
        ))
    }
}

/// Writes a side file and syncs it; the folder is the caller's to sync.
pub fn write(disk: &dyn Disk, path: &Path, kind: Kind, uuid: u128, chunk: ChunkId, count: u32, body: &[u8]) -> Result<(), TableError> {
    let mut head = Vec::with_capacity(HEADER_BYTES);
    head.extend_from_slice(kind.magic());
    head.extend_from_slice(&uuid.to_le_bytes());
    head.extend_from_slice(&chunk.0.to_le_bytes());
    head.extend_from_slice(&count.to_le_bytes());
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head);
    hasher.update(body);
    let crc = hasher.finalize().to_le_bytes();
    let mut file = disk.create(path).map_err(|e| TableError::io("side file", e))?;
    [&head[..], body, &crc[..]]
        .iter()
        .try_for_each(|b| file.write(b))
        .and_then(|()| file.sync())
        .map_err(|e| TableError::io("side file", e))
}

/// Count and body of a side file, checked against checksum, table and chunk.
pub fn read(disk: &dyn Disk, path: &Path, kind: Kind, uuid: u128, chunk: ChunkId) -> Result<(u32, Vec<u8>), TableError> {
    let mut bytes = disk.read(path).map_err(|e| TableError::io("side file", e))?;
    let corrupt = |what: &str| TableError::Corrupt(format!("side file corrupt: {}: {what}", path.display()));
    if bytes.len() < HEADER_BYTES + 4 {
        return Err(corrupt("a whole header expected"));
    }
    let crc = bytes.split_off(bytes.len() - 4);
    if crc != crc32fast::hash(&bytes).to_le_bytes() {
        return Err(corrupt("checksum does not match"));
    }
    if bytes[..8] != *kind.magic() || bytes[8..24] != uuid.to_le_bytes() || bytes[24..32] != chunk.0.to_le_bytes() {
        return Err(corrupt("it belongs to another table or chunk"));
    }
    let count = u32::from_le_bytes([bytes[32], bytes[33], bytes[34], bytes[35]]);
    bytes.drain(..HEADER_BYTES);
    Ok((count, bytes))
}

/// Body of a file of dead rows.
pub fn encode_dead(dead: &DeadRows) -> Vec<u8> {
    let (mut out, mut next) = (Vec::new(), 0);
    for row in dead.iter() {
        let mut gap = row.0 - next;
        next = row.0 + 1;
        while gap >= 0x80 {
            out.push(gap as u8 | 0x80);
            gap >>= 7;
        }
        out.push(gap as u8);
    }
    out
}

/// Dead rows of a body; None where it contradicts the format or names rows that the chunk lacks.
pub fn decode_dead(body: &[u8], count: u32, chunk_rows: u32) -> Option<DeadRows> {
    let (mut rows, mut next, mut bytes) = (Vec::new(), 0u64, body.iter());
    for _ in 0..count {
        let (mut gap, mut shift) = (0u64, 0);
        loop {
            let byte = *bytes.next()?;
            gap |= ((byte & 0x7f) as u64) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
            if shift > 28 {
                return None;
            }
        }
        let row = next + gap;
        if row >= chunk_rows as u64 {
            return None;
        }
        rows.push(RowId(row as u32));
        next = row + 1;
    }
    bytes.next().is_none().then(|| DeadRows::default().with(rows))
}

/// Body of a file of UPDATEd rows.
pub fn encode_attrs(edits: &Overlay) -> Vec<u8> {
    let mut out = Vec::with_capacity(edits.memory_bytes() + 8 * edits.count() as usize);
    for (row, image) in edits.iter() {
        out.extend_from_slice(&row.0.to_le_bytes());
        out.extend_from_slice(&(image.bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(&image.bytes);
    }
    out
}

/// UPDATEd rows of a body; None where it contradicts the format, the chunk's rows or the stride of its attribute rows.
pub fn decode_attrs(mut body: &[u8], count: u32, chunk_rows: u32, stride: usize) -> Option<Overlay> {
    let mut rows = Vec::new();
    for _ in 0..count {
        let (head, rest) = body.split_at_checked(8)?;
        let row = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let (image, rest) = rest.split_at_checked(length)?;
        if row >= chunk_rows || length < stride {
            return None;
        }
        rows.push((RowId(row), Arc::new(RowImage { bytes: image.into() })));
        body = rest;
    }
    body.is_empty().then(|| Overlay::default().with(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_and_edited_rows_survive_the_round_trip() {
        let dead = DeadRows::default().with([0, 1, 63, 64, 70_000, 999_999].map(RowId));
        let body = encode_dead(&dead);
        let back = decode_dead(&body, dead.count(), 1_000_000).expect("well-formed");
        assert_eq!(back.iter().collect::<Vec<_>>(), dead.iter().collect::<Vec<_>>());
        assert!(decode_dead(&body, dead.count(), 999_999).is_none());
        assert!(decode_dead(&body[..2], dead.count(), 1_000_000).is_none());

        let image = |n: u8| Arc::new(RowImage { bytes: vec![n; 12].into() });
        let edits = Overlay::default().with([(RowId(5), image(1)), (RowId(500), image(2))]);
        let body = encode_attrs(&edits);
        let back = decode_attrs(&body, 2, 501, 12).expect("well-formed");
        assert_eq!(back.get(RowId(500)).expect("edited").bytes[0], 2);
        assert!(decode_attrs(&body, 2, 500, 12).is_none());
        assert!(decode_attrs(&body, 2, 501, 13).is_none());
    }
}
