//! Stored text of rows: how a row looks in a block, and how rows get from inputs into a new chunk.
//!
//! ```text
//! row   per stored column in order: length of its text in bytes, seven bits a byte, low ones first, high bit = more; the text
//! ```
//!
//! A row is never empty, since a table with stored text has one stored column at least.

use std::sync::Arc;

use super::DiskChunk;
use super::options::BuildOptions;
use super::rows_write::each_alive;
use super::writer::{Folder, Pace, io_error};
use crate::chunk::tantivy_io::{Compression, StoreFileWriter};
use crate::chunk::{AnyPart, ChunkError, Part, PartView};

/// Name of the file.
pub(super) const STORED: &str = "stored";

/// Blocks that a file must have about, before it is worth taking over as it is: stacking leaves its last block half full.
const STACK_FROM_BLOCKS: u64 = 4;

/// Appends a column's text to a row.
pub(super) fn append(row: &mut Vec<u8>, text: &str) {
    let mut len = text.len();
    while len >= 128 {
        row.push(len as u8 | 128);
        len >>= 7;
    }
    row.push(len as u8);
    row.extend_from_slice(text.as_bytes());
}

/// Calls `take` with number and text of each of `columns` columns; false where the bytes are no such row.
pub(super) fn read(mut row: &[u8], columns: usize, take: &mut dyn FnMut(usize, &str)) -> bool {
    for column in 0..columns {
        let (mut len, mut shift) = (0usize, 0);
        loop {
            let Some((&byte, rest)) = row.split_first() else { return false };
            row = rest;
            len |= (byte as usize & 127) << shift;
            shift += 7;
            if byte & 128 == 0 {
                break;
            }
            if shift > 35 {
                return false;
            }
        }
        let Some((text, rest)) = row.split_at_checked(len) else { return false };
        let Ok(text) = std::str::from_utf8(text) else { return false };
        take(column, text);
        row = rest;
    }
    row.is_empty()
}

/// Writes the stored text of all alive rows.
pub(super) fn write(folder: &Arc<Folder>, inputs: &[PartView], options: &BuildOptions, pace: &mut Pace) -> Result<(), ChunkError> {
    let (compression, path) = (options.compression()?, folder.dir().join(STORED));
    let io = |e| io_error(&path, e);
    let mut out = StoreFileWriter::new(folder.file(STORED)?, compression, options.block_size).map_err(io)?;
    let mut row_bytes = Vec::new();
    for view in inputs {
        match &view.part {
            AnyPart::Ram(segment) => each_alive(view, pace, |row, _| {
                row_bytes.clear();
                segment.stored(row, &mut |_, text| append(&mut row_bytes, text))?;
                out.add(&row_bytes).map_err(io)?;
                Ok(row_bytes.len())
            })?,
            AnyPart::Disk(chunk) => copy(chunk, view, compression, options.block_size, &mut out, pace, &io)?,
        }
        pace.rows_done(u64::from(view.alive_count()));
    }
    out.close().map_err(io)
}

fn copy(
    chunk: &DiskChunk,
    view: &PartView,
    compression: Compression,
    block_size: usize,
    out: &mut StoreFileWriter,
    pace: &mut Pace,
    io: &impl Fn(std::io::Error) -> ChunkError,
) -> Result<(), ChunkError> {
    let Some(file) = chunk.store() else { return Ok(()) };
    if view.dead.is_empty() && chunk.stores_like(compression) && file.len() >= STACK_FROM_BLOCKS * block_size as u64 {
        pace.read(file.len())?;
        let whole = file.again().map_err(|e| chunk.corrupt(STORED, e.to_string()))?;
        return out.stack(whole).map_err(io);
    }
    // A cache of its own: the walk must not drive out the blocks that queries keep.
    let reader = file.again().map_err(|e| chunk.corrupt(STORED, e.to_string()))?;
    each_alive(view, pace, |row, _| {
        let bytes = reader.row(row.0).map_err(|e| chunk.corrupt(STORED, e.to_string()))?;
        if bytes.is_empty() {
            return Err(chunk.corrupt(STORED, format!("row {} is empty", row.0)));
        }
        out.add(&bytes).map_err(io)?;
        Ok(bytes.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_and_damaged_ones_do_not() {
        let long = "ä".repeat(10_000);
        let texts = ["", "one", long.as_str(), ""];
        let mut row = Vec::new();
        texts.iter().for_each(|t| append(&mut row, t));
        let mut back = Vec::new();
        assert!(read(&row, 4, &mut |n, t| back.push((n, t.to_owned()))));
        assert_eq!(back, texts.iter().map(|t| t.to_string()).enumerate().collect::<Vec<_>>());
        assert!(!read(&row, 3, &mut |_, _| {}));
        assert!(!read(&row[..row.len() - 1], 4, &mut |_, _| {}));
        assert!(!read(&[255; 20], 1, &mut |_, _| {}));
        assert!(!read(&[1, 255], 1, &mut |_, _| {}));
        assert!(read(&[], 0, &mut |_, _| {}));
    }
}
