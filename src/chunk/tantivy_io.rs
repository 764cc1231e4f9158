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
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use stable_deref_trait::StableDeref;
use tantivy::directory::{AntiCallToken, FileSlice, OwnedBytes, TerminatingWrite};
use tantivy::store::{Compressor, StoreReader, StoreWriter, ZstdCompressor};

use super::disk::{FileWriter, panic_text};
use crate::types::Bytes;

/// Bytes at the end of a store file: version, offset of the block index, compressor, reserve.
const FOOTER_BYTES: usize = 28;
/// Layers of a block index that no file reaches: each layer has an eighth of the entries of the one below.
const LAYERS_MAX: u64 = 32;

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
            check_index(&bytes)?;
            let len = bytes.len() as u64;
            let file = FileSlice::new(Arc::new(OwnedBytes::new(Fixed(bytes))));
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

/// Refuses an index whose count of layers is absurd: the reader would ask for memory by it.
fn check_index(bytes: &[u8]) -> Result<(), Fault> {
    let fault = || Fault("block index of the stored text is damaged".to_owned());
    let body = bytes.len().checked_sub(FOOTER_BYTES).ok_or_else(fault)?;
    let offset = bytes[body + 4..body + 12].try_into().map(u64::from_le_bytes).map_err(|_| fault())?;
    let index = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..body)).ok_or_else(fault)?;
    // Seven bits a byte, low ones first; the last byte has its high bit set.
    let (mut layers, mut shift) = (0u64, 0);
    for &byte in index {
        layers |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte & 128 != 0 {
            return if layers <= LAYERS_MAX { Ok(()) } else { Err(fault()) };
        }
        if shift > 28 {
            break;
        }
    }
    Err(fault())
}
