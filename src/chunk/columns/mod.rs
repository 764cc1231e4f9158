//! Attributes column by column, as `engine='columnar'` keeps them in disk chunks.
//!
//! Each columnar attribute lies by itself, compressed in blocks: [`numbers`] for whole numbers, floats and ids, [`heap`] for strings and
//! sets. Any value is read by itself, borrowed from the mapped file where it is no number, so that who reads attributes need not know
//! which way they are kept; a filter looks at least and greatest of a block first. What is not columnar (JSON never is) stays in rows.
//!
//! ```text
//! columns         ids, where no attribute stays in rows │ a column │ …   per column its blocks, then its index
//! column_values   values of the first heap column │ of the second │ …
//! ```
//!
//! Where each column begins stands in the chunk's header. RAM segments and UPDATEs keep rows as ever: see [`super::rows`].

mod heap;
mod numbers;
mod pack;

use super::rows::{AttrRef, RowBytes, RowLayout};
use crate::types::{Bytes, ColumnKind, DocId, Schema};
use heap::Heap;
pub(super) use heap::HeapWriter;
pub(super) use numbers::NumberWriter;
use numbers::Numbers;

/// A column of one of the two kinds.
enum Column {
    Numbers(Numbers, ColumnKind),
    Heap(Heap, ColumnKind),
}

/// Where a column's blocks begin in the file of columns, and their bytes.
pub(super) type ColumnMark = [u64; 2];

/// The attributes of a chunk some of whose columns are columnar.
pub(super) struct ColumnStore {
    /// None where `rest` has them.
    ids: Option<Numbers>,
    /// Per column of the schema; None where it is not columnar.
    columns: Vec<Option<Column>>,
    /// What stays in rows, ids among it.
    rest: Option<RowStore>,
}

/// Attribute rows in files.
pub(super) struct RowStore {
    layout: RowLayout,
    fixed: Bytes,
    blobs: Bytes,
}

/// One row of a [`ColumnStore`].
#[derive(Clone, Copy)]
pub struct ColumnRow<'a> {
    store: &'a ColumnStore,
    row: u32,
}

/// An id as a number that sorts as ids do.
pub(super) fn number_of_id(id: DocId) -> i64 {
    (id.0 ^ 1 << 63) as i64
}

/// A columnar attribute as a number that sorts as its values do; None for strings and sets.
pub(super) fn number_of(value: AttrRef<'_>) -> Option<i64> {
    match value {
        AttrRef::Int(number) => Some(number),
        AttrRef::Float(float) => {
            let bits = float.to_bits();
            Some(i64::from(if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }))
        }
        AttrRef::Text(_) | AttrRef::Mva(_) | AttrRef::Json(_) | AttrRef::Absent => None,
    }
}

fn float_of(number: i64) -> f32 {
    let bits = number as u32;
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
}

impl RowStore {
    /// Rows of this layout. None where `fixed` is not `rows` rows long.
    pub(super) fn new(layout: RowLayout, rows: u32, fixed: Bytes, blobs: Bytes) -> Option<RowStore> {
        (fixed.len() as u64 == u64::from(rows) * layout.stride() as u64).then_some(RowStore { layout, fixed, blobs })
    }

    /// The bytes of a row.
    #[inline]
    pub(super) fn row(&self, row: u32) -> RowBytes<'_> {
        let stride = self.layout.stride();
        let at = row as usize * stride;
        let fixed = &self.fixed[at..at + stride];
        if !self.layout.has_blobs() {
            return RowBytes { fixed, blobs: &[] };
        }
        let start = usize::try_from(self.layout.blob_offset(fixed)).unwrap_or(usize::MAX);
        RowBytes { fixed, blobs: self.blobs.get(start..).unwrap_or(&[]) }
    }

    /// The id of a row.
    pub(super) fn doc_id(&self, row: u32) -> DocId {
        let at = row as usize * self.layout.stride();
        RowLayout::doc_id_of(&self.fixed[at..])
    }
}

impl ColumnStore {
    /// The columns of a chunk of `rows` rows. `marks` has one per column in the file, ids first where `rest` is None. None where a
    /// mark lies outside the file or they are not as many as the schema says.
    pub(super) fn open(
        schema: &Schema,
        rows: u32,
        marks: &[ColumnMark],
        [file, values]: [&Bytes; 2],
        rest: Option<RowStore>,
    ) -> Option<ColumnStore> {
        let mut marks = marks.iter();
        let mut pieces = |index_len: u64| {
            let [start, bytes] = *marks.next()?;
            let (end, index_end) = (start.checked_add(bytes)?, start.checked_add(bytes)?.checked_add(index_len)?);
            let slice = |from: u64, to: u64| file.slice(usize::try_from(from).ok()?..usize::try_from(to).ok()?);
            Some((slice(start, end)?, slice(end, index_end)?))
        };
        let mut numbers = || pieces(Numbers::index_len(rows)).map(|(blocks, index)| Numbers::new(blocks, index));
        let ids = if rest.is_none() { Some(numbers()?) } else { None };
        let mut columns = Vec::with_capacity(schema.columns.len());
        for column in &schema.columns {
            columns.push(match (column.columnar, column.kind.is_blob()) {
                (false, _) => None,
                (true, false) => {
                    Some(Column::Numbers(pieces(Numbers::index_len(rows)).map(|(blocks, index)| Numbers::new(blocks, index))?, column.kind))
                }
                (true, true) => {
                    let (blocks, index) = pieces(Heap::index_len(rows))?;
                    Some(Column::Heap(Heap::new(blocks, index, values.clone()), column.kind))
                }
            });
        }
        marks.next().is_none().then_some(ColumnStore { ids, columns, rest })
    }

    /// A row to read from.
    #[inline]
    pub(super) fn row(&self, row: u32) -> ColumnRow<'_> {
        ColumnRow { store: self, row }
    }

    /// The id of a row.
    #[inline]
    pub(super) fn doc_id(&self, row: u32) -> DocId {
        match (&self.ids, &self.rest) {
            (Some(ids), _) => DocId(ids.get(row) as u64 ^ 1 << 63),
            (None, Some(rest)) => rest.doc_id(row),
            (None, None) => DocId(0),
        }
    }

    /// Least and greatest value of a column of whole numbers among the rows of one block, that of `row`, and the first row behind it.
    /// None for any other column.
    pub(super) fn range(&self, column: usize, row: u32) -> Option<(i64, i64, u32)> {
        match self.columns.get(column)?.as_ref()? {
            Column::Numbers(_, ColumnKind::Float) | Column::Heap(..) => None,
            Column::Numbers(numbers, _) => numbers.range(row),
        }
    }
}

impl<'a> ColumnRow<'a> {
    /// The value of column `column` (index in the schema).
    #[inline]
    pub(super) fn get(self, column: usize) -> AttrRef<'a> {
        match self.store.columns.get(column) {
            Some(Some(Column::Numbers(numbers, ColumnKind::Float))) => AttrRef::Float(float_of(numbers.get(self.row))),
            Some(Some(Column::Numbers(numbers, _))) => AttrRef::Int(numbers.get(self.row)),
            Some(Some(Column::Heap(heap, kind))) => match kind {
                ColumnKind::Multi | ColumnKind::Multi64 => AttrRef::Mva(heap.get(self.row)),
                _ => AttrRef::Text(std::str::from_utf8(heap.get(self.row)).unwrap_or("")),
            },
            Some(None) => match &self.store.rest {
                Some(rest) => rest.layout.get_whole(rest.row(self.row), column),
                None => AttrRef::Absent,
            },
            None => AttrRef::Absent,
        }
    }

    /// What stays in rows, in the layout that [`RowLayout::beside_columns`] gives.
    pub(super) fn rest(self) -> Option<RowBytes<'a>> {
        self.store.rest.as_ref().map(|rest| rest.row(self.row))
    }

    /// The document id.
    #[inline]
    pub(super) fn doc_id(self) -> DocId {
        self.store.doc_id(self.row)
    }
}

impl std::fmt::Debug for ColumnRow<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ColumnRow({})", self.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_as_values_do() {
        let floats = [f32::NEG_INFINITY, f32::MIN, -1.5, -f32::MIN_POSITIVE, -0.0, 0.0, 1e-40, 1.5, f32::MAX, f32::INFINITY];
        let numbers: Vec<i64> = floats.iter().filter_map(|f| number_of(AttrRef::Float(*f))).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        for float in floats.into_iter().chain([f32::NAN]) {
            let number = number_of(AttrRef::Float(float)).expect("a number");
            assert_eq!(float_of(number).to_bits(), float.to_bits());
        }
        let ids = [0, 1, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX];
        assert!(ids.iter().map(|id| number_of_id(DocId(*id))).is_sorted_by(|a, b| a < b));
    }
}
