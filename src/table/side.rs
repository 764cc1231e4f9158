//! Files beside the chunks: dead rows, UPDATEd rows, the saved RAM chunk. Written once, named by the manifest, never changed.
//! Those of UPDATEd rows are mapped and have a format of their own, see [`Layer`](crate::chunk::Layer); the others are read whole:
//!
//! ```text
//!  8  magic "CHIMDEAD" or "CHIMRAM1"
//! 16  table uuid
//!  8  chunk id (0 in a saved RAM chunk)
//!  4  count
//!  …  dead rows: per row a varint of the distance to the row before (the first: to -1, less one)
//!     saved RAM chunk: per segment u64 length, the segment
//!  4  crc32 of everything above
//! ```

use std::path::{Path, PathBuf};

use super::TableError;
use crate::chunk::{DeadRows, LayerPlace};
use crate::storage::Disk;
use crate::types::{ChunkId, RowId};

const HEADER_BYTES: usize = 36;

/// What a side file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Dead rows of a chunk.
    Dead,
    /// The saved RAM chunk.
    Ram,
}

impl Kind {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            Kind::Dead => b"CHIMDEAD",
            Kind::Ram => b"CHIMRAM1",
        }
    }

    /// Path of file number `n`.
    pub fn path(self, dir: &Path, n: u64) -> PathBuf {
        dir.join(format!(
            "{}.{n}",
            match self {
                Kind::Dead => "dead",
                Kind::Ram => "ram",
            }
        ))
    }
}

/// Path of file number `n` of UPDATEd rows.
pub fn attrs_path(dir: &Path, n: u64) -> PathBuf {
    dir.join(format!("attrs.{n}"))
}

/// File number `n` of UPDATEd rows of a chunk.
pub fn layer_place<'a>(disk: &'a dyn Disk, dir: &Path, uuid: u128, chunk: ChunkId, n: u64) -> LayerPlace<'a> {
    LayerPlace { disk, path: attrs_path(dir, n), number: n, table: uuid, chunk }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_rows_survive_the_round_trip() {
        let dead = DeadRows::default().with([0, 1, 63, 64, 70_000, 999_999].map(RowId));
        let body = encode_dead(&dead);
        let back = decode_dead(&body, dead.count(), 1_000_000).expect("well-formed");
        assert_eq!(back.iter().collect::<Vec<_>>(), dead.iter().collect::<Vec<_>>());
        assert!(decode_dead(&body, dead.count(), 999_999).is_none());
        assert!(decode_dead(&body[..2], dead.count(), 1_000_000).is_none());
    }
}
