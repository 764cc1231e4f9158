//! Attribute rows: a fixed-stride part and a blob heap. The same bytes in a RAM segment, on disk and in an UPDATE's image. Disk chunks of
//! columnar tables keep attributes otherwise, see [`super::columns`]; [`RowRef`] is a row of either.
//!
//! ```text
//! fixed   0  8  document id, u64 little-endian
//!         8  …  per fixed column in order of declaration: u32 (uint, timestamp, float as bits), u64 (bigint), u8 (bool)
//!         …  8  offset of the row's blobs in the heap, u64 (only where the table has blob columns; 0 in an image)
//! blobs   per blob column in order: u32 end of its bytes, counted from the end of this small table; then the bytes
//! ```
//!
//! String and text: UTF-8. MVA: i64 little-endian each, ascending, unique. JSON: binary form.

use super::columns::ColumnRow;
use crate::types::{Column, ColumnKind, DocId, Schema, Value};

/// Where each column sits in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowLayout {
    stride: usize,
    /// Per schema column.
    slots: Vec<Slot>,
    blob_count: usize,
}

/// Where one column's value is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    /// Byte offset in the fixed part.
    Fixed(usize, ColumnKind),
    /// Index among the blob columns.
    Blob(usize, ColumnKind),
    /// Not an attribute.
    Absent,
}

/// One row to read from.
#[derive(Clone, Copy, Debug)]
pub enum RowRef<'a> {
    /// Its bytes lie together.
    Whole(RowBytes<'a>),
    /// Each column lies by itself.
    Columns(ColumnRow<'a>),
}

/// The bytes of one row.
#[derive(Clone, Copy, Debug)]
pub struct RowBytes<'a> {
    /// Exactly [`RowLayout::stride`] bytes.
    pub fixed: &'a [u8],
    /// The row's blobs: begins with the small table of ends. May run on beyond this row's bytes.
    pub blobs: &'a [u8],
}

/// An UPDATEd row: `stride` fixed bytes, then its blobs.
#[derive(Debug, PartialEq)]
pub struct RowImage {
    /// Fixed part and blobs back to back.
    pub bytes: Box<[u8]>,
}

/// The value of an attribute, borrowed from its row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttrRef<'a> {
    /// uint, bigint, bool, timestamp.
    Int(i64),
    /// float.
    Float(f32),
    /// string, text.
    Text(&'a str),
    /// multi, multi64: 8 bytes each, little-endian, ascending.
    Mva(&'a [u8]),
    /// json.
    Json(&'a [u8]),
    /// The column is no attribute.
    Absent,
}

/// Numbers of an MVA in a row.
pub fn mva_iter(bytes: &[u8]) -> impl Iterator<Item = i64> + '_ {
    bytes.chunks_exact(8).map(|b| i64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let b = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let b = bytes.get(at..at + 8)?;
    Some(u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
}

impl RowLayout {
    /// The layout of a schema's rows, columnar attributes among them: in memory they lie like the others.
    pub fn new(schema: &Schema) -> RowLayout {
        RowLayout::of(schema, |column| column.attribute)
    }

    /// The layout of rows beside columns: without the columnar attributes.
    pub(super) fn beside_columns(schema: &Schema) -> RowLayout {
        RowLayout::of(schema, |column| column.attribute && !column.columnar)
    }

    fn of(schema: &Schema, has: impl Fn(&Column) -> bool) -> RowLayout {
        let (mut at, mut blob_count, mut slots) = (8, 0, Vec::with_capacity(schema.columns.len()));
        for column in &schema.columns {
            slots.push(if !has(column) {
                Slot::Absent
            } else if column.kind.is_blob() {
                blob_count += 1;
                Slot::Blob(blob_count - 1, column.kind)
            } else {
                let slot = Slot::Fixed(at, column.kind);
                at += match column.kind {
                    ColumnKind::Bigint => 8,
                    ColumnKind::Bool => 1,
                    _ => 4,
                };
                slot
            });
        }
        if blob_count > 0 {
            at += 8;
        }
        RowLayout { stride: at, slots, blob_count }
    }

    /// Bytes of the fixed part of a row.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Whether rows have blobs.
    pub fn has_blobs(&self) -> bool {
        self.blob_count > 0
    }

    /// Appends a row. `values` has one value per schema column, of the column's kind (checked by the binder; a value of
    /// another kind, or none, is stored as the kind's zero, and non-attribute columns are ignored). The blob offset is the heap's length.
    pub fn append(&self, id: DocId, values: &[Value], fixed: &mut Vec<u8>, heap: &mut Vec<u8>) {
        let start = heap.len() as u64;
        fixed.extend_from_slice(&id.0.to_le_bytes());
        let table = heap.len();
        heap.resize(table + 4 * self.blob_count, 0);
        let data = heap.len();
        for (column, slot) in self.slots.iter().enumerate() {
            match (*slot, values.get(column).unwrap_or(&Value::Null)) {
                (Slot::Fixed(_, ColumnKind::Bigint), v) => fixed.extend_from_slice(&int_of(v).to_le_bytes()),
                (Slot::Fixed(_, ColumnKind::Bool), v) => fixed.push((int_of(v) != 0) as u8),
                (Slot::Fixed(_, ColumnKind::Float), v) => fixed.extend_from_slice(&float_of(v).to_bits().to_le_bytes()),
                (Slot::Fixed(..), v) => fixed.extend_from_slice(&(int_of(v) as u32).to_le_bytes()),
                (Slot::Blob(n, _), v) => {
                    match v {
                        Value::Text(s) => heap.extend_from_slice(s.as_bytes()),
                        Value::Json(b) => heap.extend_from_slice(b),
                        Value::Mva(m) => m.iter().for_each(|x| heap.extend_from_slice(&x.to_le_bytes())),
                        _ => {}
                    }
                    let end = (heap.len() - data) as u32;
                    heap[table + 4 * n..table + 4 * n + 4].copy_from_slice(&end.to_le_bytes());
                }
                (Slot::Absent, _) => {}
            }
        }
        if self.blob_count > 0 {
            fixed.extend_from_slice(&start.to_le_bytes());
        }
    }

    /// Appends a row whose values are those of a row of `of`, which has the columns of this layout and maybe others.
    pub(super) fn append_from(&self, of: &RowLayout, row: RowRef<'_>, fixed: &mut Vec<u8>, heap: &mut Vec<u8>) {
        let start = heap.len() as u64;
        fixed.extend_from_slice(&of.doc_id(row).0.to_le_bytes());
        let table = heap.len();
        heap.resize(table + 4 * self.blob_count, 0);
        let data = heap.len();
        for (column, slot) in self.slots.iter().enumerate() {
            let value = if matches!(slot, Slot::Absent) { AttrRef::Absent } else { of.get(row, column) };
            match (*slot, value) {
                (Slot::Fixed(_, ColumnKind::Bigint), AttrRef::Int(v)) => fixed.extend_from_slice(&v.to_le_bytes()),
                (Slot::Fixed(_, ColumnKind::Bool), AttrRef::Int(v)) => fixed.push(v as u8),
                (Slot::Fixed(..), AttrRef::Int(v)) => fixed.extend_from_slice(&(v as u32).to_le_bytes()),
                (Slot::Fixed(..), AttrRef::Float(v)) => fixed.extend_from_slice(&v.to_bits().to_le_bytes()),
                (Slot::Blob(n, _), value) => {
                    match value {
                        AttrRef::Text(s) => heap.extend_from_slice(s.as_bytes()),
                        AttrRef::Mva(bytes) | AttrRef::Json(bytes) => heap.extend_from_slice(bytes),
                        AttrRef::Int(_) | AttrRef::Float(_) | AttrRef::Absent => {}
                    }
                    let end = (heap.len() - data) as u32;
                    heap[table + 4 * n..table + 4 * n + 4].copy_from_slice(&end.to_le_bytes());
                }
                // Both layouts are of one schema, so that a fixed slot always finds a number.
                (Slot::Fixed(..), AttrRef::Text(_) | AttrRef::Mva(_) | AttrRef::Json(_) | AttrRef::Absent) | (Slot::Absent, _) => {}
            }
        }
        if self.blob_count > 0 {
            fixed.extend_from_slice(&start.to_le_bytes());
        }
    }

    /// Appends a row of this layout as it is, its blobs to the end of `heap`.
    pub fn copy(&self, row: RowBytes<'_>, fixed: &mut Vec<u8>, heap: &mut Vec<u8>) {
        let start = fixed.len();
        fixed.extend_from_slice(row.fixed);
        // Short rows only come from damaged files; the stride of those behind it must hold all the same.
        fixed.resize(start + self.stride, 0);
        if self.blob_count > 0 {
            let at = fixed.len() - 8;
            fixed[at..].copy_from_slice(&(heap.len() as u64).to_le_bytes());
            heap.extend_from_slice(&row.blobs[..self.blob_len(row)]);
        }
    }

    /// Adapts rows that were copied whole: their blobs began at `from` in the old heap and begin at `to` in the new one.
    pub fn move_blobs(&self, fixed: &mut [u8], from: u64, to: u64) {
        if self.blob_count == 0 || from == to {
            return;
        }
        for row in fixed.chunks_exact_mut(self.stride) {
            let offset = self.blob_offset(row).wrapping_sub(from).wrapping_add(to);
            row[self.stride - 8..].copy_from_slice(&offset.to_le_bytes());
        }
    }

    /// A row's image: the row `base` with some columns given new values.
    pub fn edited(&self, base: RowRef<'_>, schema: &Schema, changes: &[(usize, Value)]) -> RowImage {
        let mut values: Vec<Value> = (0..schema.columns.len()).map(|c| self.value(base, c)).collect();
        for (column, value) in changes {
            values[*column] = value.clone();
        }
        self.image(self.doc_id(base), &values)
    }

    /// An image from whole values.
    pub fn image(&self, id: DocId, values: &[Value]) -> RowImage {
        let (mut fixed, mut heap) = (Vec::with_capacity(self.stride), Vec::new());
        self.append(id, values, &mut fixed, &mut heap);
        fixed.extend_from_slice(&heap);
        RowImage { bytes: fixed.into_boxed_slice() }
    }

    /// An image's bytes as a row to read from.
    #[inline]
    pub fn image_row<'a>(&self, image: &'a [u8]) -> RowRef<'a> {
        RowRef::Whole(self.image_bytes(image))
    }

    /// An image's bytes, the fixed part and the blobs.
    pub(super) fn image_bytes<'a>(&self, image: &'a [u8]) -> RowBytes<'a> {
        // An image out of a damaged file may be short; the row then reads as empty values.
        let (fixed, blobs) = image.split_at(self.stride.min(image.len()));
        RowBytes { fixed, blobs }
    }

    /// A row as an image of its own.
    pub fn image_of(&self, row: RowRef<'_>) -> RowImage {
        let (mut fixed, mut heap) = (Vec::with_capacity(self.stride), Vec::new());
        match row {
            RowRef::Whole(bytes) => self.copy(bytes, &mut fixed, &mut heap),
            RowRef::Columns(_) => self.append_from(self, row, &mut fixed, &mut heap),
        }
        fixed.extend_from_slice(&heap);
        RowImage { bytes: fixed.into_boxed_slice() }
    }

    /// Whether two rows have the same id and the same attributes, floats bit by bit.
    pub fn same(&self, a: RowRef<'_>, b: RowRef<'_>) -> bool {
        let same = |column| match (self.get(a, column), self.get(b, column)) {
            (AttrRef::Float(a), AttrRef::Float(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        };
        self.doc_id(a) == self.doc_id(b) && (0..self.slots.len()).all(same)
    }

    /// The document id of a row.
    #[inline]
    pub fn doc_id(&self, row: RowRef<'_>) -> DocId {
        match row {
            RowRef::Whole(bytes) => RowLayout::doc_id_of(bytes.fixed),
            RowRef::Columns(row) => row.doc_id(),
        }
    }

    /// The document id that fixed bytes begin with.
    #[inline]
    pub(super) fn doc_id_of(fixed: &[u8]) -> DocId {
        DocId(u64_at(fixed, 0).unwrap_or(0))
    }

    /// Where a row's blobs begin in the heap of its part; 0 where the table has no blob columns.
    pub fn blob_offset(&self, fixed: &[u8]) -> u64 {
        if self.blob_count == 0 { 0 } else { u64_at(fixed, self.stride - 8).unwrap_or(0) }
    }

    /// Bytes of a row's blobs, its small table included.
    pub fn blob_len(&self, row: RowBytes<'_>) -> usize {
        if self.blob_count == 0 {
            return 0;
        }
        let last = u32_at(row.blobs, 4 * (self.blob_count - 1)).unwrap_or(0) as usize;
        (4 * self.blob_count + last).min(row.blobs.len())
    }

    /// The value of column `column` (index in the schema). Bytes that contradict the format read as empty values.
    #[inline]
    pub fn get<'a>(&self, row: RowRef<'a>, column: usize) -> AttrRef<'a> {
        match row {
            RowRef::Whole(bytes) => self.get_whole(bytes, column),
            RowRef::Columns(row) => row.get(column),
        }
    }

    /// As [`RowLayout::get`].
    #[inline]
    pub(super) fn get_whole<'a>(&self, row: RowBytes<'a>, column: usize) -> AttrRef<'a> {
        match self.slots.get(column) {
            Some(&Slot::Fixed(at, kind)) => match kind {
                ColumnKind::Bigint => AttrRef::Int(u64_at(row.fixed, at).unwrap_or(0) as i64),
                ColumnKind::Bool => AttrRef::Int(row.fixed.get(at).copied().unwrap_or(0) as i64),
                ColumnKind::Float => AttrRef::Float(f32::from_bits(u32_at(row.fixed, at).unwrap_or(0))),
                _ => AttrRef::Int(u32_at(row.fixed, at).unwrap_or(0) as i64),
            },
            Some(&Slot::Blob(n, kind)) => {
                let data = 4 * self.blob_count;
                let start = if n == 0 { 0 } else { u32_at(row.blobs, 4 * (n - 1)).unwrap_or(0) as usize };
                let end = u32_at(row.blobs, 4 * n).unwrap_or(0) as usize;
                let bytes = row.blobs.get(data + start..data + end).unwrap_or(&[]);
                match kind {
                    ColumnKind::Multi | ColumnKind::Multi64 => AttrRef::Mva(bytes),
                    ColumnKind::Json => AttrRef::Json(bytes),
                    _ => AttrRef::Text(std::str::from_utf8(bytes).unwrap_or("")),
                }
            }
            Some(Slot::Absent) | None => AttrRef::Absent,
        }
    }

    /// The value of column `column`, owned.
    pub fn value(&self, row: RowRef<'_>, column: usize) -> Value {
        match self.get(row, column) {
            AttrRef::Int(v) => Value::Int(v),
            AttrRef::Float(v) => Value::Float(v),
            AttrRef::Text(v) => Value::Text(v.to_owned()),
            AttrRef::Mva(v) => Value::Mva(mva_iter(v).collect()),
            AttrRef::Json(v) => Value::Json(v.to_vec()),
            AttrRef::Absent => Value::Null,
        }
    }
}

fn int_of(value: &Value) -> i64 {
    match value {
        Value::Int(v) => *v,
        Value::Uint(v) => *v as i64,
        _ => 0,
    }
}

fn float_of(value: &Value) -> f32 {
    match value {
        Value::Float(v) => *v,
        Value::Double(v) => *v as f32,
        Value::Int(v) => *v as f32,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::Column;

    const KINDS: [ColumnKind; 10] = [
        ColumnKind::Text,
        ColumnKind::String,
        ColumnKind::Uint,
        ColumnKind::Bigint,
        ColumnKind::Float,
        ColumnKind::Bool,
        ColumnKind::Timestamp,
        ColumnKind::Multi,
        ColumnKind::Multi64,
        ColumnKind::Json,
    ];

    fn value(kind: ColumnKind) -> BoxedStrategy<Value> {
        match kind {
            ColumnKind::Text | ColumnKind::String => "[a-zß ]{0,12}".prop_map(Value::Text).boxed(),
            ColumnKind::Uint | ColumnKind::Timestamp => any::<u32>().prop_map(|v| Value::Int(v as i64)).boxed(),
            ColumnKind::Bigint => any::<i64>().prop_map(Value::Int).boxed(),
            ColumnKind::Float => any::<f32>().prop_filter("equal to itself", |v| !v.is_nan()).prop_map(Value::Float).boxed(),
            ColumnKind::Bool => (0..2i64).prop_map(Value::Int).boxed(),
            ColumnKind::Multi => {
                prop::collection::btree_set(any::<u32>(), 0..4).prop_map(|s| Value::Mva(s.into_iter().map(i64::from).collect())).boxed()
            }
            ColumnKind::Multi64 => {
                prop::collection::btree_set(any::<i64>(), 0..4).prop_map(|s| Value::Mva(s.into_iter().collect())).boxed()
            }
            ColumnKind::Json => prop::collection::vec(any::<u8>(), 0..12).prop_map(Value::Json).boxed(),
        }
    }

    /// Columns as (kind, whether it is an attribute), and rows of values for them.
    fn rows() -> impl Strategy<Value = (Vec<(ColumnKind, bool)>, Vec<Vec<Value>>)> {
        prop::collection::vec((prop::sample::select(&KINDS[..]), prop::bool::weighted(0.8)), 0..8).prop_flat_map(|columns| {
            let row: Vec<_> = columns.iter().map(|(kind, _)| value(*kind)).collect();
            (Just(columns), prop::collection::vec(row, 1..6))
        })
    }

    fn schema(columns: &[(ColumnKind, bool)]) -> Schema {
        let columns = columns.iter().enumerate().map(|(n, (kind, attribute))| Column {
            name: format!("c{n}"),
            kind: *kind,
            uid: n as u32,
            indexed: false,
            stored: false,
            attribute: *attribute,
            columnar: false,
        });
        Schema { version: 1, columns: columns.collect() }
    }

    struct Heap {
        layout: RowLayout,
        fixed: Vec<u8>,
        heap: Vec<u8>,
    }

    impl Heap {
        fn bytes(&self, n: usize) -> RowBytes<'_> {
            let stride = self.layout.stride();
            let fixed = &self.fixed[n * stride..(n + 1) * stride];
            RowBytes { fixed, blobs: &self.heap[self.layout.blob_offset(fixed) as usize..] }
        }

        fn row(&self, n: usize) -> RowRef<'_> {
            RowRef::Whole(self.bytes(n))
        }
    }

    fn check(layout: &RowLayout, columns: &[(ColumnKind, bool)], row: RowRef<'_>, id: u64, values: &[Value]) {
        assert_eq!(layout.doc_id(row), DocId(id));
        for (n, (wanted, (_, attribute))) in values.iter().zip(columns).enumerate() {
            assert_eq!(layout.value(row, n), if *attribute { wanted.clone() } else { Value::Null });
        }
        assert_eq!(layout.get(row, columns.len()), AttrRef::Absent);
    }

    proptest! {
        #[test]
        fn rows_read_back(((columns, rows), changed, cut) in (rows(), any::<prop::sample::Index>(), any::<prop::sample::Index>())) {
            let schema = schema(&columns);
            let mut all = Heap { layout: RowLayout::new(&schema), fixed: Vec::new(), heap: Vec::new() };
            let layout = all.layout.clone();
            for (n, values) in rows.iter().enumerate() {
                layout.append(DocId(n as u64 + 1), values, &mut all.fixed, &mut all.heap);
                prop_assert_eq!(all.fixed.len(), (n + 1) * layout.stride());
            }
            let mut blobs_end = 0;
            for (n, values) in rows.iter().enumerate() {
                let row = all.row(n);
                check(&layout, &columns, row, n as u64 + 1, values);
                if layout.has_blobs() {
                    prop_assert_eq!(layout.blob_offset(all.bytes(n).fixed) as usize, blobs_end);
                    blobs_end += layout.blob_len(all.bytes(n));
                }
                // An UPDATE that gives a row the values of another is that row but for its id.
                let other = &rows[changed.index(rows.len())];
                let changes: Vec<(usize, Value)> = other.iter().cloned().enumerate().collect();
                let image = layout.edited(row, &schema, &changes);
                check(&layout, &columns, image.row(&layout), n as u64 + 1, other);
                prop_assert_eq!(&layout.edited(row, &schema, &[]), &layout.image(DocId(n as u64 + 1), values));
            }
            prop_assert_eq!(blobs_end, all.heap.len());

            // Rows one by one and rows as a run land in another heap alike.
            let (mut fixed, mut heap) = (all.fixed.clone(), b"".to_vec());
            let mut one = Heap { layout: layout.clone(), fixed: Vec::new(), heap: Vec::new() };
            layout.append(DocId(77), &rows[0], &mut one.fixed, &mut one.heap);
            layout.move_blobs(&mut fixed, 0, one.heap.len() as u64);
            heap.extend_from_slice(&one.heap);
            heap.extend_from_slice(&all.heap);
            (0..rows.len()).for_each(|n| layout.copy(all.bytes(n), &mut one.fixed, &mut one.heap));
            prop_assert_eq!(&one.fixed[layout.stride()..], &fixed);
            prop_assert_eq!(&one.heap, &heap);

            // Whatever a damaged file holds can be read.
            let at = cut.index(all.heap.len() + 1);
            let bytes = RowBytes { fixed: &all.fixed[..cut.index(layout.stride() + 1)], blobs: &all.heap[..at] };
            let short = RowRef::Whole(bytes);
            (0..columns.len()).for_each(|n| drop(layout.value(short, n)));
            prop_assert!(layout.blob_len(bytes) <= bytes.blobs.len());
            // A row told value by value is the same row.
            let (mut fixed, mut heap) = (Vec::new(), Vec::new());
            layout.append_from(&layout, all.row(0), &mut fixed, &mut heap);
            fixed.extend_from_slice(&heap);
            let (told, copied) = (RowImage { bytes: fixed.into_boxed_slice() }, layout.image_of(all.row(0)));
            prop_assert_eq!(&told, &copied);
            prop_assert!(layout.same(told.row(&layout), all.row(0)));
            prop_assert!(rows.len() < 2 || !layout.same(all.row(0), all.row(1)));
        }

        #[test]
        fn missing_and_wrong_values_read_as_zero((columns, rows) in rows()) {
            let schema = schema(&columns);
            let layout = RowLayout::new(&schema);
            let wrong = vec![Value::Null; columns.len()];
            let empty = layout.image(DocId(1), &[]);
            prop_assert_eq!(&empty, &layout.image(DocId(1), &wrong));
            prop_assert!(empty.bytes.len() >= layout.stride());
            let whole = layout.image(DocId(1), &rows[0]);
            let half = layout.image(DocId(1), &rows[0][..columns.len() / 2]);
            for n in 0..columns.len() {
                let wanted = if n < columns.len() / 2 { &whole } else { &empty };
                prop_assert_eq!(layout.value(half.row(&layout), n), layout.value(wanted.row(&layout), n));
            }
        }
    }

    #[test]
    fn sizes_are_as_documented() {
        let plain = RowLayout::new(&schema(&[(ColumnKind::Uint, true), (ColumnKind::Bigint, true), (ColumnKind::Bool, true)]));
        assert_eq!((plain.stride(), plain.has_blobs()), (8 + 4 + 8 + 1, false));
        let blobs = RowLayout::new(&schema(&[(ColumnKind::Float, true), (ColumnKind::Json, true), (ColumnKind::Text, false)]));
        assert_eq!((blobs.stride(), blobs.has_blobs()), (8 + 4 + 8, true));
        let image = blobs.image(DocId(u64::MAX), &[Value::Float(1.5), Value::Json(b"x".to_vec()), Value::Text("not kept".into())]);
        assert_eq!(image.bytes.len(), 20 + 4 + 1);
        assert_eq!(mva_iter(&[1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 9]).collect::<Vec<_>>(), [1, -1]);
    }
}
