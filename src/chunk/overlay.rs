//! Attribute rows changed by UPDATE: a sparse, immutable table of row images that shares pages with the versions before it.

use std::sync::Arc;

use super::rows::{RowImage, RowLayout, RowRef};
use crate::types::RowId;

/// Rows of one page.
const PAGE_ROWS: usize = 64;
/// Pages under one inner node.
const FAN: usize = 64;

type Page = Arc<[Option<Arc<RowImage>>; PAGE_ROWS]>;
type Node = Arc<[Option<Page>; FAN]>;

/// UPDATEd rows of one part. Cloning costs one reference count; a part without UPDATEs holds nothing.
#[derive(Clone, Default)]
pub struct Overlay {
    table: Option<Arc<Table>>,
}

#[derive(Clone)]
struct Table {
    nodes: Vec<Option<Node>>,
    count: u32,
    bytes: usize,
}

impl RowImage {
    /// The image as a row to read from.
    pub fn row(&self, layout: &RowLayout) -> RowRef<'_> {
        // An image out of a damaged file may be short; the row then reads as empty values.
        let (fixed, blobs) = self.bytes.split_at(layout.stride().min(self.bytes.len()));
        RowRef { fixed, blobs }
    }
}

impl Overlay {
    /// The newest image of `row`, if it was ever UPDATEd here.
    pub fn get(&self, row: RowId) -> Option<&Arc<RowImage>> {
        let page = row.0 as usize / PAGE_ROWS;
        self.table.as_ref()?.nodes.get(page / FAN)?.as_ref()?[page % FAN].as_ref()?[row.0 as usize % PAGE_ROWS].as_ref()
    }

    /// Whether no row was UPDATEd.
    pub fn is_empty(&self) -> bool {
        self.table.is_none()
    }

    /// Whether this is the same version as `other`, not merely an equal one.
    pub fn is_same(&self, other: &Overlay) -> bool {
        match (&self.table, &other.table) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Number of UPDATEd rows.
    pub fn count(&self) -> u32 {
        self.table.as_ref().map_or(0, |t| t.count)
    }

    /// Bytes of the images, shared or not.
    pub fn memory_bytes(&self) -> usize {
        self.table.as_ref().map_or(0, |t| t.bytes)
    }

    /// These edits and `rows`, the later winning. Copies the touched pages and the two small tables above them.
    #[must_use]
    pub fn with(&self, rows: impl IntoIterator<Item = (RowId, Arc<RowImage>)>) -> Overlay {
        let mut table: Option<Table> = None;
        for (row, image) in rows {
            let table = table.get_or_insert_with(|| match &self.table {
                Some(t) => Table::clone(t),
                None => Table { nodes: Vec::new(), count: 0, bytes: 0 },
            });
            table.put(row.0 as usize, image);
        }
        match table {
            Some(table) => Overlay { table: Some(Arc::new(table)) },
            None => self.clone(),
        }
    }

    /// UPDATEd rows in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (RowId, &Arc<RowImage>)> + '_ {
        let nodes = self.table.as_ref().map_or(&[][..], |t| &t.nodes[..]);
        nodes.iter().enumerate().filter_map(|(n, node)| node.as_ref().map(|node| (n, node))).flat_map(|(n, node)| {
            node.iter().enumerate().filter_map(|(p, page)| page.as_ref().map(|page| (p, page))).flat_map(move |(p, page)| {
                let first = (n * FAN + p) * PAGE_ROWS;
                page.iter().enumerate().filter_map(move |(r, image)| image.as_ref().map(|i| (RowId((first + r) as u32), i)))
            })
        })
    }

    /// Rows whose image here is another than in `before`, which must be an earlier version of the same part's edits. Skips shared pages.
    pub fn since(&self, before: &Overlay) -> Vec<(RowId, Arc<RowImage>)> {
        let Some(now) = &self.table else { return Vec::new() };
        let mut out = Vec::new();
        for (n, node) in now.nodes.iter().enumerate() {
            let Some(node) = node else { continue };
            let old = before.table.as_ref().and_then(|t| t.nodes.get(n)).and_then(|n| n.as_ref());
            if old.is_some_and(|o| Arc::ptr_eq(o, node)) {
                continue;
            }
            for (p, page) in node.iter().enumerate() {
                let Some(page) = page else { continue };
                let old = old.and_then(|o| o[p].as_ref());
                if old.is_some_and(|o| Arc::ptr_eq(o, page)) {
                    continue;
                }
                for (r, image) in page.iter().enumerate() {
                    let Some(image) = image else { continue };
                    if old.and_then(|o| o[r].as_ref()).is_some_and(|o| Arc::ptr_eq(o, image)) {
                        continue;
                    }
                    out.push((RowId(((n * FAN + p) * PAGE_ROWS + r) as u32), image.clone()));
                }
            }
        }
        out
    }
}

impl Table {
    fn put(&mut self, row: usize, image: Arc<RowImage>) {
        let page = row / PAGE_ROWS;
        if self.nodes.len() <= page / FAN {
            self.nodes.resize(page / FAN + 1, None);
        }
        let node = self.nodes[page / FAN].get_or_insert_with(|| Arc::new([const { None }; FAN]));
        let rows = Arc::make_mut(node)[page % FAN].get_or_insert_with(|| Arc::new([const { None }; PAGE_ROWS]));
        self.bytes += image.bytes.len();
        match Arc::make_mut(rows)[row % PAGE_ROWS].replace(image) {
            Some(old) => self.bytes -= old.bytes.len(),
            None => self.count += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::types::{Column, ColumnKind, DocId, Schema, Value};

    fn layout() -> RowLayout {
        let column = |name: &str, kind| Column { name: name.into(), kind, uid: 0, indexed: false, stored: false, attribute: true };
        let columns = vec![column("n", ColumnKind::Bigint), column("s", ColumnKind::String)];
        RowLayout::new(&Schema { version: 1, columns })
    }

    fn image(row: u32, value: i64) -> Arc<RowImage> {
        let text = "x".repeat(value.unsigned_abs() as usize % 50);
        Arc::new(layout().image(DocId(row as u64 + 1), &[Value::Int(value), Value::Text(text)]))
    }

    fn edits() -> impl Strategy<Value = Vec<(u32, i64)>> {
        let row = prop_oneof![0..5u32, 60..70u32, 4090..4100u32, 0..2_000_000u32];
        prop::collection::vec((row, any::<i64>()), 0..20)
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(batches in prop::collection::vec(edits(), 0..6)) {
            let mut versions = vec![(Overlay::default(), BTreeMap::<u32, Arc<RowImage>>::new())];
            for batch in batches {
                let (overlay, mut map) = versions.last().cloned().expect("never empty");
                let batch: Vec<_> = batch.into_iter().map(|(row, value)| (RowId(row), image(row, value))).collect();
                map.extend(batch.iter().map(|(row, image)| (row.0, image.clone())));
                versions.push((overlay.with(batch), map));
            }
            let (last, all) = &versions[versions.len() - 1];
            for (overlay, map) in &versions {
                prop_assert_eq!(overlay.count() as usize, map.len());
                prop_assert_eq!(overlay.is_empty(), map.is_empty());
                prop_assert_eq!(overlay.memory_bytes(), map.values().map(|i| i.bytes.len()).sum::<usize>());
                let listed: Vec<_> = overlay.iter().map(|(row, image)| (row.0, image.clone())).collect();
                prop_assert_eq!(listed, map.iter().map(|(row, image)| (*row, image.clone())).collect::<Vec<_>>());
                for row in all.keys() {
                    prop_assert_eq!(overlay.get(RowId(*row)), map.get(row));
                }
                let changed = all.iter().filter(|(row, image)| map.get(row).is_none_or(|old| !Arc::ptr_eq(old, image)));
                let changed: Vec<_> = changed.map(|(row, image)| (RowId(*row), image.clone())).collect();
                prop_assert_eq!(last.since(overlay), changed);
            }
        }
    }

    #[test]
    fn a_cut_image_reads_as_empty_values() {
        let whole = image(3, 7);
        for len in 0..whole.bytes.len() {
            let cut = RowImage { bytes: whole.bytes[..len].into() };
            let row = cut.row(&layout());
            (0..3).for_each(|column| drop(layout().value(row, column)));
            layout().copy(row, &mut Vec::new(), &mut Vec::new());
            layout().doc_id(row);
        }
    }
}
