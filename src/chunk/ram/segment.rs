//! A segment: rows, stored text and posting lists in memory, immutable from birth.

use std::ops::Range;
use std::sync::Arc;

use super::super::postings::WordStats;
use super::super::rows::{RowBytes, RowLayout, RowRef};
use super::super::{ChunkError, Part};
use super::builder::text_of;
use super::lexicon::Lexicon;
use super::lists::Lists;
use super::pattern::Matcher;
use super::postings::{Entries, RamPostings};
use super::shape::Shape;
use super::stored::StoredText;
use crate::types::{DocId, FieldId, RowId, Schema, Value};
use crate::types::{PatternPiece, WordPattern};

/// An immutable segment in memory.
pub struct RamSegment {
    pub(super) shape: Arc<Shape>,
    pub(super) lexicon: Arc<Lexicon>,
    pub(super) rows: Rows,
    /// Rows by document id, equal ids in row order; empty where ids ascend with the rows, each greater than the one before.
    by_id: Box<[u32]>,
    id_range: Option<(DocId, DocId)>,
    pub(super) lists: Lists,
}

/// The rows of a segment without their words.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) count: u32,
    /// `stride` bytes a row.
    pub(super) fixed: Vec<u8>,
    /// Blobs, row after row; empty where the table has no blob columns.
    pub(super) heap: Vec<u8>,
    /// Empty where the table stores no text.
    pub(super) stored: StoredText,
    /// Tokens per row and field, row-major.
    pub(super) lengths: Vec<u32>,
    /// Sum of the lengths per field.
    pub(super) tokens: Vec<u64>,
}

impl Rows {
    /// No rows yet.
    pub(super) fn new(shape: &Shape) -> Rows {
        Rows { tokens: vec![0; shape.fields.len()], ..Rows::default() }
    }

    /// The length of the next row in `field`. Called for each field in order, before [`Rows::push`].
    pub(super) fn push_length(&mut self, field: usize, length: u32) {
        self.lengths.push(length);
        self.tokens[field] += length as u64;
    }

    /// Appends a row but for its lengths.
    pub(super) fn push(&mut self, shape: &Shape, id: DocId, values: &[Value]) {
        shape.layout.append(id, values, &mut self.fixed, &mut self.heap);
        if !shape.stored.is_empty() {
            self.stored.push(shape.stored.iter().map(|column| text_of(values, *column)));
        }
        self.count += 1;
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.fixed.capacity() + self.heap.capacity() + self.stored.memory_bytes() + self.lengths.capacity() * 4 + self.tokens.capacity() * 8
    }

    /// Where the blobs of `rows` lie in the heap.
    pub(super) fn heap_range(&self, layout: &RowLayout, rows: Range<usize>) -> Range<usize> {
        let start = |row: usize| match self.fixed.get(row * layout.stride()..(row + 1) * layout.stride()) {
            Some(fixed) => (layout.blob_offset(fixed) as usize).min(self.heap.len()),
            None => self.heap.len(),
        };
        if layout.has_blobs() { start(rows.start)..start(rows.end) } else { 0..0 }
    }
}

impl RamSegment {
    /// A segment of whole rows and their lists. Orders the ids.
    pub(super) fn new(shape: Arc<Shape>, lexicon: Arc<Lexicon>, mut rows: Rows, lists: Lists) -> RamSegment {
        rows.fixed.shrink_to_fit();
        rows.heap.shrink_to_fit();
        rows.stored.shrink();
        rows.lengths.shrink_to_fit();
        let ids = || rows.fixed.chunks_exact(shape.layout.stride()).map(RowLayout::doc_id_of);
        let ascending = ids().zip(ids().skip(1)).all(|(a, b)| a < b);
        let mut by_id = Vec::new();
        if !ascending {
            let mut pairs: Vec<(DocId, u32)> = ids().zip(0..).collect();
            // Stable sort: it runs through the ascending runs that a merge leaves.
            pairs.sort();
            by_id = pairs.iter().map(|(_, row)| *row).collect();
        }
        let id_range = ids().min().zip(ids().max());
        RamSegment { shape, lexicon, rows, by_id: by_id.into_boxed_slice(), id_range, lists }
    }

    /// Bytes of memory without the lexicon.
    pub fn memory_bytes(&self) -> usize {
        size_of::<RamSegment>() + self.rows.memory_bytes() + self.by_id.len() * 4 + self.lists.memory_bytes()
    }

    /// Columns of the rows.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.shape.schema
    }

    /// The lexicon that the term numbers belong to.
    pub fn lexicon(&self) -> &Arc<Lexicon> {
        &self.lexicon
    }

    /// Totals of a term over all fields. `term` is a place among the segment's lists, here and below.
    pub(super) fn term_stats(&self, term: u32) -> WordStats {
        let list = self.lists.list(term as usize, self.shape.many_fields());
        WordStats { docs: list.docs as u64, hits: list.hits }
    }

    /// Whole entries of a term, rows ascending.
    pub(crate) fn entries(&self, term: u32) -> Entries<'_> {
        Entries::new(self.lists.list(term as usize, self.shape.many_fields()), self.shape.many_fields())
    }

    /// Cursor of a term over one field, or over any.
    pub(super) fn term_postings(&self, term: u32, field: Option<FieldId>) -> Option<RamPostings<'_>> {
        let many_fields = self.shape.many_fields();
        let list = self.lists.list(term as usize, many_fields);
        RamPostings::new(list, self.lists.skips(term as usize, list.body.len()), field, many_fields)
    }

    /// Tokens of a row in each field.
    fn lengths(&self, row: RowId) -> &[u32] {
        let fields = self.shape.fields.len();
        self.rows.lengths.get(row.0 as usize * fields..(row.0 as usize + 1) * fields).unwrap_or(&[])
    }

    fn term(&self, word: &[u8]) -> Option<u32> {
        self.lists.find(self.lexicon.find(word)?).map(|term| term as u32)
    }

    fn corrupt(&self, row: RowId, what: &str) -> ChunkError {
        ChunkError::Corrupt { file: "RAM segment".into(), reason: format!("{what} of row {}", row.0) }
    }
}

impl Part for RamSegment {
    type Postings<'a> = RamPostings<'a>;

    fn row_count(&self) -> u32 {
        self.rows.count
    }

    fn word_stats(&self, word: &[u8]) -> Result<WordStats, ChunkError> {
        Ok(self.term(word).map(|term| self.term_stats(term)).unwrap_or_default())
    }

    fn postings(&self, word: &[u8], field: FieldId) -> Result<Option<RamPostings<'_>>, ChunkError> {
        Ok(self.term(word).and_then(|term| self.term_postings(term, Some(field))))
    }

    fn any_postings(&self, word: &[u8]) -> Result<Option<RamPostings<'_>>, ChunkError> {
        Ok(self.term(word).and_then(|term| self.term_postings(term, None)))
    }

    fn expand(&self, pattern: &WordPattern, found: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), ChunkError> {
        let mut matcher = Matcher::new(pattern);
        // Exact forms are asked for by a pattern that begins like one, and never found by another.
        let exact = matches!(pattern.pieces.first(), Some(PatternPiece::Literal(l)) if l.starts_with('='));
        let mut words: Vec<Box<[u8]>> = Vec::new();
        // Collected first, so that no lock is held while `found` runs.
        self.lexicon.with_words(self.lists.ids(), |_, word| {
            if (word.first() == Some(&b'=')) == exact && matcher.matches(word) {
                words.push(word.into());
            }
        });
        words.sort_unstable();
        for word in &words {
            if !found(word) {
                break;
            }
        }
        Ok(())
    }

    fn field_length(&self, row: RowId, field: FieldId) -> u32 {
        self.lengths(row).get(field.0 as usize).copied().unwrap_or(0)
    }

    fn field_tokens(&self, field: FieldId) -> u64 {
        self.rows.tokens.get(field.0 as usize).copied().unwrap_or(0)
    }

    fn layout(&self) -> &RowLayout {
        &self.shape.layout
    }

    fn base_row(&self, row: RowId) -> RowRef<'_> {
        let stride = self.shape.layout.stride();
        let fixed = self.rows.fixed.get(row.0 as usize * stride..(row.0 as usize + 1) * stride).unwrap_or(&[]);
        let blobs = self.rows.heap.get(self.shape.layout.blob_offset(fixed) as usize..).unwrap_or(&[]);
        RowRef::Whole(RowBytes { fixed, blobs })
    }

    fn doc_id(&self, row: RowId) -> DocId {
        self.shape.layout.doc_id(self.base_row(row))
    }

    fn find(&self, id: DocId) -> Option<RowId> {
        let (least, greatest) = self.id_range?;
        if id < least || id > greatest {
            return None;
        }
        // The first place whose id is greater; the row before it is the newest with this id, if any.
        let row_at = |place: u32| if self.by_id.is_empty() { place } else { self.by_id[place as usize] };
        let (mut low, mut high) = (0, self.rows.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.doc_id(RowId(row_at(middle))) <= id { low = middle + 1 } else { high = middle }
        }
        let row = RowId(row_at(low.checked_sub(1)?));
        (self.doc_id(row) == id).then_some(row)
    }

    fn id_range(&self) -> Option<(DocId, DocId)> {
        self.id_range
    }

    fn stored(&self, row: RowId, take: &mut dyn FnMut(usize, &str)) -> Result<(), ChunkError> {
        let columns = &self.shape.stored;
        if columns.is_empty() {
            return Ok(());
        }
        let bytes = self.rows.stored.row(row.0 as usize).ok_or_else(|| self.corrupt(row, "no stored text"))?;
        if StoredText::read(bytes, columns.len(), take) { Ok(()) } else { Err(self.corrupt(row, "bad stored text")) }
    }
}
