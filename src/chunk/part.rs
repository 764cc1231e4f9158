//! A part: what a query walks over, be it a RAM segment or a disk chunk.

use std::sync::Arc;

use super::ChunkError;
use super::dead::DeadRows;
use super::disk::DiskChunk;
use super::overlay::{EditsReader, Overlay};
use super::postings::{Postings, WordStats};
use super::ram::RamSegment;
use super::rows::{RowLayout, RowRef};
use crate::types::{DocId, FieldId, RowId, WordPattern};

/// The words, rows and stored text of one part. Immutable. Implemented by [`RamSegment`] and [`DiskChunk`]; the matcher is generic
/// over it, so that there is no dynamic call per posting.
pub trait Part: Send + Sync {
    /// Cursor type of this kind of part.
    type Postings<'a>: Postings
    where
        Self: 'a;

    /// Rows, dead ones included.
    fn row_count(&self) -> u32;
    /// Totals of a word over all fields; zeros where the part lacks it. O(1) besides the dictionary look-up.
    fn word_stats(&self, word: &[u8]) -> Result<WordStats, ChunkError>;
    /// Cursor over the rows with `word` in `field`, with positions. None where there are none.
    fn postings(&self, word: &[u8], field: FieldId) -> Result<Option<Self::Postings<'_>>, ChunkError>;
    /// Cursor over the rows with `word` in any field; `tf` is the sum over the fields; no positions. None where there are none.
    fn any_postings(&self, word: &[u8]) -> Result<Option<Self::Postings<'_>>, ChunkError>;
    /// Calls `found` with each dictionary word that `pattern` stands for, in byte order, until it returns false.
    /// Words that begin with `=` (exact forms) are left out, unless the pattern's first piece is a literal that begins with `=`: then only
    /// they are looked at.
    fn expand(&self, pattern: &WordPattern, found: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), ChunkError>;
    /// Tokens of a row in a field: the position of its last token, exact.
    fn field_length(&self, row: RowId, field: FieldId) -> u32;
    /// Total of tokens in a field over all rows.
    fn field_tokens(&self, field: FieldId) -> u64;
    /// Layout of the attribute rows.
    fn layout(&self) -> &RowLayout;
    /// The attribute row as it was written, before any UPDATE.
    fn base_row(&self, row: RowId) -> RowRef<'_>;
    /// Least and greatest value that a column of whole numbers has, before any UPDATE, among some rows from `row` on; and the first row
    /// behind those. None where nothing is known.
    fn value_range(&self, _column: usize, _row: RowId) -> Option<(i64, i64, u32)> {
        None
    }
    /// The document id of a row.
    fn doc_id(&self, row: RowId) -> DocId;
    /// The row of a document, dead or alive.
    fn find(&self, id: DocId) -> Option<RowId>;
    /// Least and greatest document id; None for no rows.
    fn id_range(&self) -> Option<(DocId, DocId)>;
    /// Calls `take` with the text of each stored column of `row`, in the order of [`crate::types::Schema::stored`].
    fn stored(&self, row: RowId, take: &mut dyn FnMut(usize, &str)) -> Result<(), ChunkError>;
}

/// Either kind of part.
#[derive(Clone)]
pub enum AnyPart {
    /// In memory.
    Ram(Arc<RamSegment>),
    /// On disk.
    Disk(Arc<DiskChunk>),
}

/// A part with what has changed about it: what a snapshot lists and a statement walks over.
#[derive(Clone)]
pub struct PartView {
    /// The immutable part.
    pub part: AnyPart,
    /// Rows killed by DELETE or REPLACE.
    pub dead: DeadRows,
    /// Rows changed by UPDATE.
    pub edits: Overlay,
}

/// Calls `$body` with `$p` bound to the part inside an [`AnyPart`], once per kind, so that generic code is monomorphic.
#[macro_export]
macro_rules! with_part {
    ($any:expr, $p:ident => $body:expr) => {
        match $any {
            $crate::chunk::AnyPart::Ram($p) => {
                let $p = &**$p;
                $body
            }
            $crate::chunk::AnyPart::Disk($p) => {
                let $p = &**$p;
                $body
            }
        }
    };
}

impl AnyPart {
    /// Rows, dead ones included.
    pub fn row_count(&self) -> u32 {
        with_part!(self, p => p.row_count())
    }

    /// The document id of a row.
    pub fn doc_id(&self, row: RowId) -> DocId {
        with_part!(self, p => p.doc_id(row))
    }

    /// The row of a document, dead or alive.
    pub fn find(&self, id: DocId) -> Option<RowId> {
        with_part!(self, p => p.find(id))
    }

    /// Least and greatest document id.
    pub fn id_range(&self) -> Option<(DocId, DocId)> {
        with_part!(self, p => p.id_range())
    }

    /// Layout of the attribute rows.
    pub fn layout(&self) -> &RowLayout {
        with_part!(self, p => p.layout())
    }
}

/// Attribute rows with UPDATEs applied, for who asks for many: fastest where they ascend.
pub struct RowReader<'a> {
    part: &'a AnyPart,
    edits: EditsReader<'a>,
}

impl<'a> RowReader<'a> {
    /// As [`PartView::row`].
    #[inline]
    pub fn row(&mut self, row: RowId) -> RowRef<'a> {
        match self.edits.get(row) {
            Some(image) => self.part.layout().image_row(image),
            None => with_part!(self.part, p => p.base_row(row)),
        }
    }
}

impl PartView {
    /// A part that nothing has changed yet.
    pub fn new(part: AnyPart) -> PartView {
        PartView { part, dead: DeadRows::default(), edits: Overlay::default() }
    }

    /// The attribute row with UPDATEs applied.
    pub fn row(&self, row: RowId) -> RowRef<'_> {
        match self.edits.get(row) {
            Some(image) => self.part.layout().image_row(image),
            None => with_part!(&self.part, p => p.base_row(row)),
        }
    }

    /// Reads the attribute rows of many rows, UPDATEs applied.
    pub fn reader(&self) -> RowReader<'_> {
        RowReader { part: &self.part, edits: self.edits.reader() }
    }

    /// As [`Part::value_range`], UPDATEs considered: where there are any, nothing is known.
    pub fn value_range(&self, column: usize, row: RowId) -> Option<(i64, i64, u32)> {
        if self.edits.is_empty() { with_part!(&self.part, p => p.value_range(column, row)) } else { None }
    }

    /// The row of a document if it is alive here.
    pub fn find_alive(&self, id: DocId) -> Option<RowId> {
        self.part.find(id).filter(|row| !self.dead.contains(*row))
    }

    /// Rows that are alive.
    pub fn alive_count(&self) -> u32 {
        self.part.row_count() - self.dead.count()
    }
}
