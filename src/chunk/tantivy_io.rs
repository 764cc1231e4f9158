//! Everything that touches tantivy: the stored text of a disk chunk is its document store.
//!
//! A store is a file of compressed blocks of whole rows with an index of the blocks. Rows go in and come out as bytes
//! ([`StoreFileWriter::add`], [`StoreFile::row`]); what they mean is none of this module's business. Whole files can be stacked without
//! recompression, which makes merges cheap.
//!
//! tantivy's index writer, merge policies, segments, queries and collectors are not used: a chunk is written once out of lists that come
//! in order, and what changes about it lives beside it. Its version is pinned, since these parts of it are hidden from its manual.
//! The reader panics on some damaged bytes; here that becomes a [`Fault`].

use std::io::{self, BufWriter, Write};
use std::ops::{Deref, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use stable_deref_trait::StableDeref;
use tantivy::HasLen;
use tantivy::directory::{AntiCallToken, FileHandle, FileSlice, OwnedBytes, TerminatingWrite};
use tantivy::store::{Compressor, StoreReader, StoreWriter, ZstdCompressor};

use super::disk::{FileWriter, panic_text};
use crate::types::Bytes;

/// Bytes at the end of a store file: version, offset of the block index, compressor, reserve.
const FOOTER_BYTES: usize = 28;
/// Layers of a block index that no file reaches: each layer has an eighth of the entries of the one below.
const LAYERS_MAX: u64 = 32;
/// Bytes that one byte of a compressed block can stand for at most. LZ4: a length goes on by at most 255 a byte. Zstandard: 128 KB out of a
/// block of four bytes (RFC 8878, 3.1.1.2).
const LZ4_GROWTH: usize = 255;
const ZSTD_GROWTH: usize = (128 << 10) / 4;

/// Why bytes could not be read: what tantivy said, or the text of its panic.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Fault(String);

impl From<tantivy::TantivyError> for Fault {
    fn from(error: tantivy::TantivyError) -> Fault {
        Fault(error.to_string())
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault(error.to_string())
    }
}

/// Runs a read of file content; a panic, which means bytes that contradict the format, becomes a [`Fault`].
fn guarded<T>(read: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    // Nothing that the closure borrows is left half-changed: a reader holds no state but a cache of whole blocks.
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| Err(Fault(panic_text(&*panic))))
}

/// How blocks are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compression {
    /// Not at all.
    None,
    /// LZ4 blocks.
    Lz4,
    /// Zstandard at a level.
    Zstd(i32),
}

impl Compression {
    /// The format as a number in the header. Blocks of one format can stand beside each other in a file.
    pub(super) fn code(self) -> u8 {
        match self {
            Compression::None => 0,
            Compression::Lz4 => 1,
            Compression::Zstd(_) => 2,
        }
    }
}

/// A chunk's file as tantivy writes to it.
struct Sink(FileWriter);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for Sink {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.end()
    }
}

/// A store file being written.
pub(super) struct StoreFileWriter {
    inner: StoreWriter,
}

impl StoreFileWriter {
    /// Begins a file with blocks of about `block_size` bytes before compression.
    pub(super) fn new(file: FileWriter, compression: Compression, block_size: usize) -> io::Result<StoreFileWriter> {
        let compressor = match compression {
            Compression::None => Compressor::None,
            Compression::Lz4 => Compressor::Lz4,
            Compression::Zstd(level) => Compressor::Zstd(ZstdCompressor { compression_level: Some(level) }),
        };
        // In the calling thread: one merge is one thread.
        Ok(StoreFileWriter { inner: StoreWriter::new(BufWriter::new(Box::new(Sink(file))), compressor, block_size, false)? })
    }

    /// Adds the next row, which must not be empty: a block of empty rows would be lost.
    pub(super) fn add(&mut self, row: &[u8]) -> io::Result<()> {
        assert!(!row.is_empty(), "a stored row takes a byte at least");
        self.inner.store_bytes(row)
    }

    /// Adds all rows of another file as they are, without recompressing them.
    pub(super) fn stack(&mut self, file: StoreFile) -> io::Result<()> {
        self.inner.stack(file.reader)
    }

    /// Ends the file.
    pub(super) fn close(self) -> io::Result<()> {
        self.inner.close()
    }
}

/// A store file to read from.
pub(super) struct StoreFile {
    file: FileSlice,
    len: u64,
    reader: StoreReader,
}

/// Bytes whose place in memory is fixed for as long as they are owned.
struct Fixed(Bytes);

impl Deref for Fixed {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

// SAFETY: `Bytes` holds its owner behind an `Arc`, so moving it moves no byte. Owners are maps, vectors and boxed slices that nobody can
// reach mutably, and each gives the same slice for as long as it lives.
unsafe impl StableDeref for Fixed {}

impl StoreFile {
    /// Opens a file and keeps up to `blocks` decompressed blocks.
    pub(super) fn open(bytes: Bytes, blocks: usize) -> Result<StoreFile, Fault> {
        guarded(|| {
            let blocks_end = check_index(&bytes)?;
            let growth = match bytes[bytes.len() - FOOTER_BYTES + 12] {
                0 => None,
                1 => Some(LZ4_GROWTH),
                _ => Some(ZSTD_GROWTH),
            };
            let len = bytes.len() as u64;
            let file = FileSlice::new(Arc::new(Blocks { bytes: OwnedBytes::new(Fixed(bytes)), blocks_end, growth }));
            Ok(StoreFile { reader: StoreReader::open(file.clone(), blocks)?, file, len })
        })
    }

    /// A second reader of the same file with a cache of its own, for a walk that must not drive out what queries keep.
    pub(super) fn again(&self) -> Result<StoreFile, Fault> {
        guarded(|| Ok(StoreFile { reader: StoreReader::open(self.file.clone(), 1)?, file: self.file.clone(), len: self.len }))
    }

    /// The bytes of a row.
    pub(super) fn row(&self, row: u32) -> Result<OwnedBytes, Fault> {
        guarded(|| Ok(self.reader.get_document_bytes(row)?))
    }

    /// Bytes of the file.
    pub(super) fn len(&self) -> u64 {
        self.len
    }
}

/// A store file as tantivy reads it, block by block.
///
/// A compressed block begins with its length before compression (u32), and the reader takes and clears that much memory before it looks at
/// anything else: one damaged byte would cost 4 GB for each row that is read. A length that no compression reaches is refused here.
#[derive(Debug)]
struct Blocks {
    bytes: OwnedBytes,
    /// Where the blocks end and their index begins.
    blocks_end: usize,
    /// Most bytes out of one; None where blocks are not compressed.
    growth: Option<usize>,
}

impl HasLen for Blocks {
    fn len(&self) -> usize {
        self.bytes.len()
    }
}

impl FileHandle for Blocks {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let is_block = range.end <= self.blocks_end;
        let piece = self.bytes.slice(range);
        if let (true, Some(growth), Some((length, rest))) = (is_block, self.growth, piece.split_first_chunk::<4>()) {
            let length = u32::from_le_bytes(*length) as usize;
            if length > rest.len().saturating_mul(growth) {
                let text = format!("a block of {} bytes claims to be one of {length} bytes compressed", rest.len());
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
        }
        Ok(piece)
    }
}

/// Refuses an index whose count of layers is absurd: the reader would ask for memory by it. Gives the place at which the index begins.
fn check_index(bytes: &[u8]) -> Result<usize, Fault> {
    let fault = || Fault("block index of the stored text is damaged".to_owned());
    let body = bytes.len().checked_sub(FOOTER_BYTES).ok_or_else(fault)?;
    let offset = bytes[body + 4..body + 12].try_into().map(u64::from_le_bytes).map_err(|_| fault())?;
    let start = usize::try_from(offset).map_err(|_| fault())?;
    let index = bytes.get(start..body).ok_or_else(fault)?;
    // Seven bits a byte, low ones first; the last byte has its high bit set.
    let (mut layers, mut shift) = (0u64, 0);
    for &byte in index {
        layers |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte & 128 != 0 {
            return if layers <= LAYERS_MAX { Ok(start) } else { Err(fault()) };
        }
        if shift > 28 {
            break;
        }
    }
    Err(fault())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl TerminatingWrite for Memory {
        fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
            Ok(())
        }
    }

    fn file(compressor: Compressor, rows: &[Vec<u8>]) -> Vec<u8> {
        let memory = Memory::default();
        let mut writer = StoreWriter::new(BufWriter::new(Box::new(memory.clone())), compressor, 256, false).unwrap();
        rows.iter().for_each(|row| writer.store_bytes(row).unwrap());
        writer.close().unwrap();
        memory.0.lock().unwrap().clone()
    }

    #[test]
    fn a_block_that_claims_more_than_it_can_hold_is_refused_before_memory_is_taken() {
        // The best that compression can do, then rows of another block.
        let mut rows = vec![vec![b'a'; 4 << 20]];
        rows.extend((0..100u32).map(|n| format!("row {n} {}", n.wrapping_mul(2_654_435_761)).into_bytes()));
        for compressor in [Compressor::None, Compressor::Lz4, Compressor::Zstd(ZstdCompressor { compression_level: Some(19) })] {
            let sound = file(compressor, &rows);
            let store = StoreFile::open(sound.clone().into(), 2).unwrap();
            for (n, row) in rows.iter().enumerate() {
                assert_eq!(store.row(n as u32).unwrap().as_slice(), row, "{compressor:?}");
            }
            if compressor == Compressor::None {
                continue;
            }
            for high_byte in [0x80, 0xff] {
                let mut bytes = sound.clone();
                bytes[3] = high_byte;
                let store = StoreFile::open(bytes.into(), 2).unwrap();
                let error = store.row(0).unwrap_err().to_string();
                assert!(error.contains("claims to be one of"), "{compressor:?}: {error}");
                assert_eq!(store.row(100).unwrap().as_slice(), rows[100], "{compressor:?}");
            }
        }
    }
}
