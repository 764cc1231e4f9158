//! An open disk chunk.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::header::{HEADER, Header, columns_of};
use super::ids::Ids;
use super::lengths::Lengths;
use super::rows_write::{ATTRIBUTES, BLOBS, COLUMN_VALUES, COLUMNS, IDS, LENGTHS};
use super::stored::{self, STORED};
use super::tenancy::{Leaving, Tenancy};
use super::words::{Cursor, Damage, Dictionary, POSITIONS, POSTINGS, TERMS};
use super::writer::io_error;
use crate::chunk::columns::{ColumnStore, RowStore};
use crate::chunk::ram::Matcher;
use crate::chunk::tantivy_io::{Compression, StoreFile};
use crate::chunk::{ChunkError, Part, PatternPiece, Postings, RowLayout, RowRef, WordPattern, WordStats};
use crate::storage::Disk;
use crate::types::{Bytes, DocId, FieldId, RowId, Schema};

/// Decompressed blocks of stored text that a chunk keeps: enough for the neighbours of a row to be cheap, 128 KiB at the usual size.
const STORED_BLOCKS_KEPT: usize = 8;
/// Bytes checked in one go by [`DiskChunk::verify`].
const VERIFY_BYTES: usize = 1 << 20;

/// An open chunk on disk. Shared by all who read it; its folder is removed when the last reference goes after [`DiskChunk::retire`].
///
/// Bytes are trusted once lengths and header fit: reading whole files to open a chunk would make a start as slow as the disk is large.
/// What contradicts the format later on becomes [`ChunkError::Corrupt`], except inside cursors and attribute rows, whose methods cannot
/// fail: there corrupt bytes panic, which whoever works on a part must catch, or read as other values. No bytes abort the process.
pub struct DiskChunk {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    header: Header,
    layout: RowLayout,
    stored_columns: usize,
    attributes: Attributes,
    ids: Ids,
    lengths: Option<Lengths>,
    /// The fields in order, then, where there are two fields or more, that over all fields.
    dictionaries: Vec<Dictionary>,
    store: Option<StoreFile>,
    /// Every map that the others are slices of, for whoever removes the folder.
    files: Vec<Bytes>,
    retired: OnceLock<Arc<Tenancy>>,
}

/// How a chunk keeps its attributes.
enum Attributes {
    Rows(RowStore),
    Columns(ColumnStore),
}

impl Attributes {
    fn doc_id(&self, row: u32) -> DocId {
        match self {
            Attributes::Rows(rows) => rows.doc_id(row),
            Attributes::Columns(columns) => columns.doc_id(row),
        }
    }
}

/// A cursor over the rows of one word. Corrupt bytes make it panic.
pub struct DiskPostings<'a> {
    cursor: Cursor<'a>,
}

impl DiskChunk {
    /// Opens a published chunk of the table `table_uuid` with these columns. Cheap: header and lengths; no checksum over whole files.
    pub fn open(disk: &Arc<dyn Disk>, dir: &Path, table_uuid: u128, schema: &Arc<Schema>) -> Result<Arc<DiskChunk>, ChunkError> {
        let path = dir.join(HEADER);
        let corrupt = |reason: String| ChunkError::Corrupt { file: dir.display().to_string(), reason };
        let header = Header::decode(&disk.read(&path).map_err(|e| missing(&path, e))?, &path.display().to_string())?;
        if header.table_uuid != table_uuid {
            return Err(corrupt(format!("chunk of another table: {:032x}, not {table_uuid:032x}", header.table_uuid)));
        }
        if header.columns != columns_of(schema) {
            return Err(corrupt(format!(
                "columns of schema version {} are not those of version {}",
                header.schema_version, schema.version
            )));
        }
        let mut files = OpenFiles { disk: &**disk, dir, header: &header, maps: Vec::new() };
        let attributes = files.attributes(schema)?;
        let id_file = if header.ids_ascend { None } else { Some(files.map(IDS)?) };
        let ids = Ids::new(header.rows, header.id_min, header.id_max, id_file).ok_or_else(|| corrupt("ids are cut short".to_owned()))?;

        let fields = schema.field_count();
        if header.fields.len() != fields || header.dictionaries.len() != fields + usize::from(fields > 1) {
            return Err(corrupt("the header has other fields than the columns say".to_owned()));
        }
        let (mut lengths, mut dictionaries) = (None, Vec::new());
        if fields > 0 {
            let read = Lengths::new(files.map(LENGTHS)?, header.rows, &header.fields);
            lengths = Some(read.ok_or_else(|| corrupt("lengths are cut short".to_owned()))?);
            let (terms, postings, positions) = (files.map(TERMS)?, files.map(POSTINGS)?, files.map(POSITIONS)?);
            for (number, mark) in header.dictionaries.iter().enumerate() {
                let read = Dictionary::open(*mark, number < fields, [&terms, &postings, &positions]);
                dictionaries.push(read.ok_or_else(|| corrupt(format!("dictionary {number} lies outside its files")))?);
            }
        }
        let stored_columns = schema.stored().count();
        let store = match stored_columns {
            0 => None,
            _ => Some(StoreFile::open(files.map(STORED)?, STORED_BLOCKS_KEPT).map_err(|e| corrupt(e.to_string()))?),
        };
        Ok(Arc::new(DiskChunk {
            disk: disk.clone(),
            dir: dir.to_owned(),
            layout: RowLayout::new(schema),
            stored_columns,
            attributes,
            ids,
            lengths,
            dictionaries,
            store,
            files: files.maps,
            retired: OnceLock::new(),
            header,
        }))
    }

    /// Verifies every byte of every file against its checksum; the error names the file.
    pub fn verify(&self) -> Result<(), ChunkError> {
        self.verify_with(|_| Ok(()))
    }

    /// As [`DiskChunk::verify`], asking `look` before each piece of so many bytes.
    pub(super) fn verify_with(&self, look: impl Fn(u64) -> Result<(), ChunkError>) -> Result<(), ChunkError> {
        let path = self.dir.join(HEADER);
        let header = Header::decode(&self.disk.read(&path).map_err(|e| missing(&path, e))?, &path.display().to_string())?;
        if header != self.header {
            return Err(self.corrupt(HEADER, "changed since the chunk was opened".to_owned()));
        }
        for mark in &header.files {
            let bytes = OpenFiles { disk: &*self.disk, dir: &self.dir, header: &header, maps: Vec::new() }.map(&mark.name)?;
            let mut hasher = crc32fast::Hasher::new();
            for piece in bytes.chunks(VERIFY_BYTES) {
                look(piece.len() as u64)?;
                hasher.update(piece);
            }
            let found = hasher.finalize();
            if found != mark.crc {
                return Err(self.corrupt(&mark.name, format!("checksum {found:08x} found, {:08x} expected", mark.crc)));
            }
        }
        Ok(())
    }

    /// Bytes of all files.
    pub fn size_bytes(&self) -> u64 {
        self.size_by_part().iter().map(|(_, bytes)| bytes).sum()
    }

    /// (name, bytes) of each part: text, attributes, stored, ids.
    pub fn size_by_part(&self) -> Vec<(&'static str, u64)> {
        let sum = |names: &[&str]| names.iter().filter_map(|name| self.header.file(name)).map(|f| f.len).sum::<u64>();
        let header = self.header.encode().len() as u64;
        vec![
            ("text", sum(&[TERMS, POSTINGS, POSITIONS, LENGTHS])),
            ("attributes", sum(&[ATTRIBUTES, BLOBS, COLUMNS, COLUMN_VALUES]) + header),
            ("stored", sum(&[STORED])),
            ("ids", sum(&[IDS])),
        ]
    }

    /// Folder of the chunk.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// From now on the folder goes when the last reader lets go, if its table still has it then.
    pub fn retire(&self, tenancy: &Arc<Tenancy>) {
        // A chunk that was retired before stays so.
        let _ = self.retired.set(tenancy.clone());
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    pub(super) fn store(&self) -> Option<&StoreFile> {
        self.store.as_ref()
    }

    /// Whether stored blocks of this chunk can stand beside blocks compressed so.
    pub(super) fn stores_like(&self, compression: Compression) -> bool {
        self.header.compression == compression.code()
    }

    /// All dictionaries.
    pub(super) fn dictionaries(&self) -> &[Dictionary] {
        &self.dictionaries
    }

    pub(super) fn dictionary(&self, number: usize) -> Result<&Dictionary, ChunkError> {
        self.dictionaries.get(number).ok_or_else(|| self.corrupt(TERMS, format!("dictionary {number} is missing")))
    }

    /// The error about one of the chunk's files.
    pub(super) fn corrupt(&self, file: &str, reason: String) -> ChunkError {
        ChunkError::Corrupt { file: self.dir.join(file).display().to_string(), reason }
    }

    fn damaged(&self, damage: Damage) -> ChunkError {
        self.corrupt(TERMS, damage.to_string())
    }

    /// The dictionary over all fields: the field's own where there is only one.
    fn any(&self) -> Option<&Dictionary> {
        self.dictionaries.last()
    }

    fn cursor<'a>(
        &'a self,
        dictionary: Option<&'a Dictionary>,
        word: &[u8],
        positions: bool,
    ) -> Result<Option<DiskPostings<'a>>, ChunkError> {
        let Some(dictionary) = dictionary else { return Ok(None) };
        let Some(place) = dictionary.find(word).map_err(|e| self.damaged(e))? else { return Ok(None) };
        let cursor = dictionary.cursor(&place, positions).map_err(|e| self.damaged(e))?;
        Ok(Some(DiskPostings { cursor }))
    }
}

/// The message of a caught panic.
pub(in crate::chunk) fn panic_text(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "panic without a message".to_owned(),
    }
}

/// A file that the manifest or the header names and that is not there is damage, not a failing system.
fn missing(path: &Path, error: std::io::Error) -> ChunkError {
    match error.kind() {
        std::io::ErrorKind::NotFound => ChunkError::Corrupt { file: path.display().to_string(), reason: "file is missing".to_owned() },
        _ => io_error(path, error),
    }
}

/// Maps files and holds their lengths against the header.
struct OpenFiles<'a> {
    disk: &'a dyn Disk,
    dir: &'a Path,
    header: &'a Header,
    maps: Vec<Bytes>,
}

impl OpenFiles<'_> {
    fn attributes(&mut self, schema: &Schema) -> Result<Attributes, ChunkError> {
        if !schema.has_columnar() {
            return Ok(Attributes::Rows(self.rows(RowLayout::new(schema))?));
        }
        let rest = if schema.has_columnar_id() { None } else { Some(self.rows(RowLayout::beside_columns(schema))?) };
        let heap = schema.columns.iter().any(|column| column.columnar && column.kind.is_blob());
        let (file, values) = (self.map(COLUMNS)?, if heap { self.map(COLUMN_VALUES)? } else { Bytes::empty() });
        match ColumnStore::open(schema, self.header.rows, &self.header.stores, [&file, &values], rest) {
            Some(store) => Ok(Attributes::Columns(store)),
            None => {
                let file = self.dir.join(COLUMNS).display().to_string();
                Err(ChunkError::Corrupt { file, reason: "columns lie outside the file".to_owned() })
            }
        }
    }

    fn rows(&mut self, layout: RowLayout) -> Result<RowStore, ChunkError> {
        let attributes = self.map(ATTRIBUTES)?;
        let blobs = if layout.has_blobs() { self.map(BLOBS)? } else { Bytes::empty() };
        let (bytes, rows) = (attributes.len(), self.header.rows);
        RowStore::new(layout, rows, attributes, blobs).ok_or_else(|| ChunkError::Corrupt {
            file: self.dir.display().to_string(),
            reason: format!("{bytes} bytes of attributes do not make {rows} rows"),
        })
    }

    fn map(&mut self, name: &str) -> Result<Bytes, ChunkError> {
        let path = self.dir.join(name);
        let corrupt = |reason: String| ChunkError::Corrupt { file: path.display().to_string(), reason };
        let mark = self.header.file(name).ok_or_else(|| corrupt("the header does not name this file".to_owned()))?;
        let bytes = self.disk.map(&path).map_err(|e| missing(&path, e))?;
        if bytes.len() as u64 != mark.len {
            return Err(corrupt(format!("{} bytes found, {} expected", bytes.len(), mark.len)));
        }
        self.maps.push(bytes.clone());
        Ok(bytes)
    }
}

impl Drop for DiskChunk {
    fn drop(&mut self) {
        if let Some(tenancy) = self.retired.get() {
            let (dir, files) = (std::mem::take(&mut self.dir), std::mem::take(&mut self.files));
            tenancy.remove(Leaving { disk: self.disk.clone(), dir, files });
        }
    }
}

impl Part for DiskChunk {
    type Postings<'a> = DiskPostings<'a>;

    fn row_count(&self) -> u32 {
        self.header.rows
    }

    fn word_stats(&self, word: &[u8]) -> Result<WordStats, ChunkError> {
        let Some(dictionary) = self.any() else { return Ok(WordStats::default()) };
        let place = dictionary.find(word).map_err(|e| self.damaged(e))?.unwrap_or_default();
        Ok(WordStats { docs: u64::from(place.docs()), hits: place.hits() })
    }

    fn postings(&self, word: &[u8], field: FieldId) -> Result<Option<DiskPostings<'_>>, ChunkError> {
        let dictionary = self.dictionaries[..self.header.fields.len()].get(field.0 as usize);
        self.cursor(dictionary, word, true)
    }

    fn any_postings(&self, word: &[u8]) -> Result<Option<DiskPostings<'_>>, ChunkError> {
        self.cursor(self.any(), word, false)
    }

    fn expand(&self, pattern: &WordPattern, found: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), ChunkError> {
        let Some(dictionary) = self.any() else { return Ok(()) };
        let prefix = match pattern.pieces.first() {
            Some(PatternPiece::Literal(text)) => text.as_bytes(),
            _ => &[],
        };
        let mut matcher = Matcher::new(pattern);
        let mut take = |word: &[u8]| !matcher.matches(word) || found(word);
        // Exact forms begin with '=' and stand together, before '>'.
        let walked = if prefix.is_empty() {
            match dictionary.walk(&[], Some(b"="), &mut take) {
                Ok(true) => dictionary.walk(b">", None, &mut take),
                other => other,
            }
        } else {
            dictionary.walk(prefix, after_prefix(prefix).as_deref(), &mut take)
        };
        walked.map(|_| ()).map_err(|e| self.damaged(e))
    }

    fn field_length(&self, row: RowId, field: FieldId) -> u32 {
        self.lengths.as_ref().map_or(0, |lengths| lengths.length(row.0, field.0 as usize))
    }

    fn field_tokens(&self, field: FieldId) -> u64 {
        self.header.fields.get(field.0 as usize).map_or(0, |f| f.tokens)
    }

    fn layout(&self) -> &RowLayout {
        &self.layout
    }

    fn base_row(&self, row: RowId) -> RowRef<'_> {
        match &self.attributes {
            Attributes::Rows(rows) => RowRef::Whole(rows.row(row.0)),
            Attributes::Columns(columns) => RowRef::Columns(columns.row(row.0)),
        }
    }

    fn value_range(&self, column: usize, row: RowId) -> Option<(i64, i64, u32)> {
        match &self.attributes {
            Attributes::Rows(_) => None,
            Attributes::Columns(columns) => columns.range(column, row.0),
        }
    }

    fn doc_id(&self, row: RowId) -> DocId {
        self.attributes.doc_id(row.0)
    }

    fn find(&self, id: DocId) -> Option<RowId> {
        self.ids.find(id, |row| self.attributes.doc_id(row))
    }

    fn id_range(&self) -> Option<(DocId, DocId)> {
        self.ids.range()
    }

    fn stored(&self, row: RowId, take: &mut dyn FnMut(usize, &str)) -> Result<(), ChunkError> {
        let Some(store) = &self.store else { return Ok(()) };
        let bytes = store.row(row.0).map_err(|e| self.corrupt(STORED, e.to_string()))?;
        if stored::read(&bytes, self.stored_columns, take) {
            Ok(())
        } else {
            Err(self.corrupt(STORED, format!("text of row {} is damaged", row.0)))
        }
    }
}

/// The least string greater than every string that begins with `prefix`; None where there is none.
fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|b| *b != 255)?;
    let mut after = prefix[..=last].to_vec();
    after[last] += 1;
    Some(after)
}

impl Postings for DiskPostings<'_> {
    #[inline]
    fn row(&self) -> u32 {
        self.cursor.row()
    }

    #[inline]
    fn advance(&mut self) -> u32 {
        self.cursor.advance()
    }

    #[inline]
    fn seek(&mut self, target: u32) -> u32 {
        self.cursor.seek(target)
    }

    #[inline]
    fn tf(&self) -> u32 {
        self.cursor.tf()
    }

    fn positions(&mut self, out: &mut Vec<u32>) {
        self.cursor.positions(out);
    }

    fn docs(&self) -> u32 {
        self.cursor.docs()
    }
}
