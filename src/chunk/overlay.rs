//! Attribute rows changed by UPDATE: a sparse, immutable table of row images that shares pages with the versions before it.
//!
//! Images lie in layers and in pages. A [`Layer`] is a mapped file that holds whatever had been UPDATEd when it was written; pages in
//! memory hold what was UPDATEd since. The newest place that has a row wins: pages, then the newest layer down to the oldest.
//!
//! ```text
//! pages     ·  9  ·  ·  ·  9     since the last manifest           anonymous memory, copy-on-write
//! layer 7   4  ·  ·  ·  4  ·     a few write-outs                  attrs.7
//! layer 3   1  1  ·  1  1  1     all that was UPDATEd before       attrs.3
//! row       4  9     1  4  9
//! ```
//!
//! [`Overlay::write_out`] makes the same edits out of layers alone. It writes the pages into a new layer and folds into it the layers that
//! are not much larger: after n write-outs each byte was written about log₂ n times, and a look-up asks log₄ n layers.
//!
//! Two versions are compared by the images of their rows, not by where these lie: a version that was written out equals the one that it
//! was made of, and what came since either is the same.

use std::sync::Arc;

use super::ChunkError;
use super::layer::{FAN, Layer, LayerPage, LayerPlace, PAGE_ROWS};
use super::rows::{RowImage, RowLayout, RowRef};
use crate::types::RowId;

/// A layer stays beneath a new one if it has at least so many times the bytes of all that is above it. Of 1 000 write-outs of equal size
/// (8 GB of edits) each byte is then written 9.5 times, in 5 layers at most; at 2 it would be 5 times in 9 layers, at 8 it would be 14
/// times in 4. Each layer is a look-up more for every row that is read. Writing all of it each time would be 500 times.
const FOLD_RATIO: u64 = 4;
/// Layers below this count as so large: a manifest's syncs cost more than writing them again. Tests see several layers of a few rows.
const LAYER_BYTES_MIN: u64 = if cfg!(test) { 256 } else { 64 << 10 };
/// Bytes that an [`Arc`] of so many bytes takes: its two counters, and what the allocator adds.
const fn arc_bytes(bytes: usize) -> usize {
    allocated(bytes + 2 * size_of::<usize>())
}

/// Bytes that the allocator of glibc takes for a request: a word of its own, rounded up to 16, and 32 at least.
const fn allocated(bytes: usize) -> usize {
    let taken = (bytes + size_of::<usize>()).next_multiple_of(16);
    if taken < 32 { 32 } else { taken }
}

/// Bytes of a page and of a node, without what hangs on them.
const PAGE_BYTES: usize = arc_bytes(size_of::<[Option<Arc<RowImage>>; PAGE_ROWS]>());
const NODE_BYTES: usize = arc_bytes(size_of::<[Option<Page>; FAN]>());

type Page = Arc<[Option<Arc<RowImage>>; PAGE_ROWS]>;
type Node = Arc<[Option<Page>; FAN]>;

/// UPDATEd rows of one part. Cloning costs one reference count; a part without UPDATEs holds nothing.
#[derive(Clone, Default)]
pub struct Overlay {
    table: Option<Arc<Table>>,
}

#[derive(Clone, Default)]
struct Table {
    /// Oldest first.
    layers: Vec<Arc<Layer>>,
    /// What was UPDATEd since the newest layer was written.
    nodes: Vec<Option<Node>>,
    /// UPDATEd rows, wherever their images lie.
    count: u32,
    /// Bytes that nodes, pages and images take, counters and the allocator's share included.
    bytes: usize,
}

/// An image where it lies.
#[derive(Clone, Copy)]
enum Found<'a> {
    InMemory(&'a Arc<RowImage>),
    InFile(&'a [u8]),
}

impl<'a> Found<'a> {
    fn bytes(self) -> &'a [u8] {
        match self {
            Found::InMemory(image) => &image.bytes,
            Found::InFile(bytes) => bytes,
        }
    }

    fn owned(self) -> Arc<RowImage> {
        match self {
            Found::InMemory(image) => image.clone(),
            Found::InFile(bytes) => Arc::new(RowImage { bytes: bytes.into() }),
        }
    }
}

impl RowImage {
    /// The image as a row to read from.
    pub fn row(&self, layout: &RowLayout) -> RowRef<'_> {
        layout.image_row(&self.bytes)
    }

    /// Bytes that it takes in a page.
    fn memory_bytes(&self) -> usize {
        arc_bytes(size_of::<RowImage>()) + allocated(self.bytes.len())
    }
}

impl Overlay {
    /// The edits of these files, the oldest first.
    pub fn of_layers(layers: Vec<Layer>) -> Overlay {
        let Some(newest) = layers.last() else { return Overlay::default() };
        let count = newest.whole();
        Overlay { table: Some(Arc::new(Table { layers: layers.into_iter().map(Arc::new).collect(), count, ..Table::default() })) }
    }

    /// The newest image of `row`, if it was ever UPDATEd here.
    pub fn get(&self, row: RowId) -> Option<&[u8]> {
        let table = self.table.as_ref()?;
        match table.page(row.0 as usize / PAGE_ROWS).and_then(|page| page[row.0 as usize % PAGE_ROWS].as_ref()) {
            Some(image) => Some(&image.bytes),
            None => table.filed(row),
        }
    }

    /// Reads the images of many rows.
    pub fn reader(&self) -> EditsReader<'_> {
        // No row is on the last page there could be.
        EditsReader { table: self.table.as_deref(), page: usize::MAX, in_memory: None, in_files: Vec::new() }
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

    /// Bytes of anonymous memory: pages and images, shared or not, and files too small to be mapped. O(1) but for the few layers.
    pub fn memory_bytes(&self) -> usize {
        let Some(table) = &self.table else { return 0 };
        let layers = table.layers.iter().map(|l| l.memory_bytes()).sum::<usize>();
        arc_bytes(size_of::<Table>()) + table.nodes.len() * size_of::<Option<Node>>() + table.bytes + layers
    }

    /// Bytes of anonymous memory that [`Overlay::write_out`] gives back: those of pages and images.
    pub fn unfiled_bytes(&self) -> usize {
        self.table.as_ref().map_or(0, |t| t.bytes)
    }

    /// Bytes of the files.
    pub fn file_bytes(&self) -> u64 {
        self.table.as_ref().map_or(0, |t| t.layers.iter().map(|l| l.file_bytes()).sum())
    }

    /// Whether all edits are in files.
    pub fn is_filed(&self) -> bool {
        self.unfiled_bytes() == 0
    }

    /// Numbers of the files, the oldest first.
    pub fn file_numbers(&self) -> Vec<u64> {
        self.table.as_ref().map_or(Vec::new(), |t| t.layers.iter().map(|l| l.number()).collect())
    }

    /// These edits and `rows`, the later winning. Copies the touched pages and the two small tables above them.
    #[must_use]
    pub fn with(&self, rows: impl IntoIterator<Item = (RowId, Arc<RowImage>)>) -> Overlay {
        let mut table: Option<Table> = None;
        for (row, image) in rows {
            let table = table.get_or_insert_with(|| self.table.as_ref().map_or_else(Table::default, |t| Table::clone(t)));
            table.put(row, image);
        }
        match table {
            Some(table) => Overlay { table: Some(Arc::new(table)) },
            None => self.clone(),
        }
    }

    /// UPDATEd rows in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (RowId, &[u8])> + '_ {
        self.table.iter().flat_map(|table| table.rows(0)).map(|(row, found)| (row, found.bytes()))
    }

    /// Rows whose image here is another than in `before`, which must be an earlier version of the same part's edits. Skips shared pages and
    /// layers.
    pub fn since(&self, before: &Overlay) -> Vec<(RowId, Arc<RowImage>)> {
        let Some(now) = &self.table else { return Vec::new() };
        let then = before.table.as_deref();
        let shared = then.map_or(0, |t| now.layers.iter().zip(&t.layers).take_while(|(a, b)| Arc::ptr_eq(a, b)).count());
        let mut out = Vec::new();
        for group in 0..now.group_count(shared) {
            let layered = now.layers[shared..].iter().fold(0, |bits, l| bits | l.group_bits(group));
            let old = then.and_then(|t| t.node(group));
            let node = now.node(group);
            if layered == 0 && node.is_none_or(|n| old.is_some_and(|o| Arc::ptr_eq(n, o))) {
                continue;
            }
            for slot in 0..FAN {
                let page = node.and_then(|n| n[slot].as_ref());
                let old = old.and_then(|o| o[slot].as_ref());
                if layered >> slot & 1 == 0 && page.is_none_or(|p| old.is_some_and(|o| Arc::ptr_eq(p, o))) {
                    continue;
                }
                // A shared image is not read: most of a changed page is as it was, and its bytes lie all over the memory.
                let shares = |row: RowId, found: Found<'_>| match found {
                    Found::InMemory(image) => {
                        old.and_then(|o| o[row.0 as usize % PAGE_ROWS].as_ref()).is_some_and(|o| Arc::ptr_eq(o, image))
                    }
                    Found::InFile(_) => false,
                };
                let rows = now.page_rows(group * FAN + slot, shared);
                let changed = rows.filter(|(row, found)| !shares(*row, *found) && before.get(*row) != Some(found.bytes()));
                out.extend(changed.map(|(row, found)| (row, found.owned())));
            }
        }
        out
    }

    /// Reads all files against their checksums.
    pub fn check_sums(&self) -> Result<(), ChunkError> {
        self.table.iter().flat_map(|table| &table.layers).try_for_each(|layer| layer.check_sum())
    }

    /// The same edits with all of them in files: writes those that are in memory, and the layers that are folded, to a new one at the
    /// place that `place` gives. Returns itself where everything is in files already.
    pub fn write_out<'d>(&self, place: impl FnOnce() -> LayerPlace<'d>) -> Result<Overlay, ChunkError> {
        let Some(table) = self.table.as_ref().filter(|_| !self.is_filed()) else { return Ok(self.clone()) };
        let sizes: Vec<u64> = table.layers.iter().map(|l| l.file_bytes()).collect();
        // Of what the images take in memory the greater part is in the file too; that it is not the same figure only shifts the folding.
        let keep = layers_kept(&sizes, table.bytes as u64);
        table.layers[keep..].iter().try_for_each(|layer| layer.check_sum())?;
        let layer = Layer::write(&place(), table.count, || table.rows(keep).map(|(row, found)| (row, found.bytes())))?;
        let mut layers = table.layers[..keep].to_vec();
        layers.push(Arc::new(layer));
        Ok(Overlay { table: Some(Arc::new(Table { layers, count: table.count, ..Table::default() })) })
    }
}

/// Images of rows that are asked for in order: what was found out about a page serves for all of its rows. For rows in any order it is as
/// fast as [`Overlay::get`].
pub struct EditsReader<'a> {
    table: Option<&'a Table>,
    /// The page that the rest is about.
    page: usize,
    in_memory: Option<&'a Page>,
    /// Newest first.
    in_files: Vec<LayerPage<'a>>,
}

impl<'a> EditsReader<'a> {
    /// As [`Overlay::get`].
    #[inline]
    pub fn get(&mut self, row: RowId) -> Option<&'a [u8]> {
        let table = self.table?;
        let (page, slot) = (row.0 as usize / PAGE_ROWS, row.0 as usize % PAGE_ROWS);
        if page != self.page {
            self.turn_to(table, page);
        }
        match self.in_memory.and_then(|page| page[slot].as_ref()) {
            Some(image) => Some(&image.bytes),
            None => self.in_files.iter().find_map(|page| page.get(slot)),
        }
    }

    fn turn_to(&mut self, table: &'a Table, page: usize) {
        self.page = page;
        self.in_memory = table.page(page);
        self.in_files.clear();
        self.in_files.extend(table.layers.iter().rev().filter_map(|layer| layer.page(page)));
    }
}

/// How many of the layers, given by their bytes and oldest first, stay beneath a new one of `fresh` bytes; those above are folded into it.
fn layers_kept(sizes: &[u64], fresh: u64) -> usize {
    let (mut keep, mut above) = (sizes.len(), fresh.max(LAYER_BYTES_MIN));
    while keep > 0 && sizes[keep - 1] < above.saturating_mul(FOLD_RATIO) {
        keep -= 1;
        above = above.saturating_add(sizes[keep]);
    }
    keep
}

impl Table {
    fn node(&self, group: usize) -> Option<&Node> {
        self.nodes.get(group)?.as_ref()
    }

    /// A page in memory.
    fn page(&self, page: usize) -> Option<&Page> {
        self.node(page / FAN)?[page % FAN].as_ref()
    }

    /// The newest image in the files.
    fn filed(&self, row: RowId) -> Option<&[u8]> {
        self.layers.iter().rev().find_map(|layer| layer.get(row))
    }

    /// Groups that may have rows in memory or in the layers from `from` on.
    fn group_count(&self, from: usize) -> usize {
        self.layers[from..].iter().map(|l| l.group_count()).fold(self.nodes.len(), usize::max)
    }

    /// Rows that are in memory or in the layers from `from` on, ascending, each with the newest image.
    fn rows(&self, from: usize) -> impl Iterator<Item = (RowId, Found<'_>)> {
        let pages = (0..self.group_count(from)).flat_map(move |group| {
            let layered = self.layers[from..].iter().fold(0u64, |bits, l| bits | l.group_bits(group));
            let node = self.node(group);
            (0..FAN).filter(move |slot| layered >> slot & 1 == 1 || node.is_some_and(|n| n[*slot].is_some())).map(move |s| group * FAN + s)
        });
        pages.flat_map(move |page| self.page_rows(page, from))
    }

    /// As [`Table::rows`], of one page.
    fn page_rows(&self, page: usize, from: usize) -> impl Iterator<Item = (RowId, Found<'_>)> {
        let mut rows = [None; PAGE_ROWS];
        for layer in &self.layers[from..] {
            if let Some(filed) = layer.page(page) {
                for (slot, row) in rows.iter_mut().enumerate() {
                    *row = filed.get(slot).map(Found::InFile).or(*row);
                }
            }
        }
        if let Some(images) = self.page(page) {
            for (row, image) in rows.iter_mut().zip(images.iter()) {
                *row = image.as_ref().map(Found::InMemory).or(*row);
            }
        }
        rows.into_iter().enumerate().filter_map(move |(slot, found)| Some((RowId((page * PAGE_ROWS + slot) as u32), found?)))
    }

    fn put(&mut self, row: RowId, image: Arc<RowImage>) {
        let (page, slot) = (row.0 as usize / PAGE_ROWS, row.0 as usize % PAGE_ROWS);
        if self.nodes.len() <= page / FAN {
            self.nodes.resize(page / FAN + 1, None);
        }
        let node = self.nodes[page / FAN].get_or_insert_with(|| {
            self.bytes += NODE_BYTES;
            Arc::new([const { None }; FAN])
        });
        let rows = Arc::make_mut(node)[page % FAN].get_or_insert_with(|| {
            self.bytes += PAGE_BYTES;
            Arc::new([const { None }; PAGE_ROWS])
        });
        self.bytes += image.memory_bytes();
        match Arc::make_mut(rows)[slot].replace(image) {
            Some(old) => self.bytes -= old.memory_bytes(),
            None => self.count += u32::from(self.filed(row).is_none()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::storage::{CrashDisk, Disk};
    use crate::types::{ChunkId, Column, ColumnKind, DocId, Schema, Value};

    fn layout() -> RowLayout {
        let column =
            |name: &str, kind| Column { name: name.into(), kind, uid: 0, indexed: false, stored: false, attribute: true, columnar: false };
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

    /// Something that happens to an overlay.
    #[derive(Clone, Debug)]
    enum Event {
        Update(Vec<(u32, i64)>),
        /// Written out, while these edits come.
        WriteOut(Vec<(u32, i64)>),
        /// Read back from the files; what is in memory is lost.
        Reopen,
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let event = prop_oneof![
            4 => edits().prop_map(Event::Update),
            3 => prop_oneof![Just(Vec::new()), edits()].prop_map(Event::WriteOut),
            1 => Just(Event::Reopen),
        ];
        prop::collection::vec(event, 0..14)
    }

    type Map = BTreeMap<u32, Arc<RowImage>>;

    fn place(disk: &CrashDisk, number: u64) -> LayerPlace<'_> {
        LayerPlace { disk, path: format!("/attrs.{number}").into(), number, table: 5, chunk: ChunkId(3) }
    }

    fn images(rows: Vec<(u32, i64)>) -> Vec<(RowId, Arc<RowImage>)> {
        rows.into_iter().map(|(row, value)| (RowId(row), image(row, value))).collect()
    }

    fn verify(disk: &CrashDisk, overlay: &Overlay, chunk_rows: u32) {
        for number in overlay.file_numbers() {
            let place = place(disk, number);
            Layer::open(&place).expect("opens").verify(&place, chunk_rows, layout().stride()).expect("sound");
        }
    }

    /// Bytes of pages and images, counted one by one.
    fn counted(overlay: &Overlay) -> usize {
        let Some(table) = &overlay.table else { return 0 };
        let pages = |node: &Node| -> usize {
            let images = |page: &Page| page.iter().flatten().map(|i| i.memory_bytes()).sum::<usize>();
            544 + node.iter().flatten().map(|page| 544 + images(page)).sum::<usize>()
        };
        table.nodes.iter().flatten().map(pages).sum()
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(events in events()) {
            let disk = CrashDisk::new();
            let mut versions = vec![(Overlay::default(), Map::new())];
            let (mut files, mut filed) = (0, Map::new());
            for event in events {
                let (before, mut map) = versions.last().cloned().expect("never empty");
                let overlay = match event {
                    Event::Update(rows) => {
                        let rows = images(rows);
                        map.extend(rows.iter().map(|(row, image)| (row.0, image.clone())));
                        before.with(rows)
                    }
                    Event::WriteOut(rows) => {
                        let written = before.write_out(|| { files += 1; place(&disk, files) }).expect("room");
                        prop_assert!(written.is_filed());
                        prop_assert_eq!(before.is_filed(), written.is_same(&before));
                        verify(&disk, &written, 2_000_000);
                        filed = map.clone();
                        versions.push((written.clone(), map.clone()));
                        let rows = images(rows);
                        map.extend(rows.iter().map(|(row, image)| (row.0, image.clone())));
                        let now = before.with(rows);
                        let exchanged = written.with(now.since(&before));
                        prop_assert_eq!(exchanged.is_same(&written), exchanged.iter().eq(written.iter()));
                        exchanged
                    }
                    Event::Reopen => {
                        let newest = versions.iter().rev().find(|v| v.0.is_filed()).expect("the first").0.file_numbers();
                        map = filed.clone();
                        // Earlier versions are another run's.
                        versions.clear();
                        Overlay::of_layers(newest.into_iter().map(|n| Layer::open(&place(&disk, n)).expect("opens")).collect())
                    }
                };
                versions.push((overlay, map));
            }
            let rows: Vec<u32> = versions.iter().flat_map(|v| v.1.keys().copied()).collect();
            for (n, (overlay, map)) in versions.iter().enumerate() {
                prop_assert_eq!(overlay.count() as usize, map.len());
                prop_assert_eq!(overlay.is_empty(), map.is_empty());
                prop_assert_eq!(overlay.table.as_ref().map_or(0, |t| t.bytes), counted(overlay));
                prop_assert_eq!(overlay.is_filed(), counted(overlay) == 0);
                let listed: Vec<_> = overlay.iter().map(|(row, image)| (row.0, image.to_vec())).collect();
                prop_assert_eq!(listed, map.iter().map(|(row, image)| (*row, image.bytes.to_vec())).collect::<Vec<_>>());
                let mut reader = overlay.reader();
                for row in rows.iter().flat_map(|row| [*row, row + 1]) {
                    prop_assert_eq!(overlay.get(RowId(row)), map.get(&row).map(|i| &i.bytes[..]));
                    prop_assert_eq!(reader.get(RowId(row)), overlay.get(RowId(row)));
                }
                for (later, all) in &versions[n..] {
                    let changed = all.iter().filter(|(row, image)| map.get(row) != Some(image));
                    let changed: Vec<_> = changed.map(|(row, image)| (RowId(*row), image.clone())).collect();
                    prop_assert_eq!(later.since(overlay), changed);
                }
            }
        }
    }

    #[test]
    fn memory_is_given_back_for_the_file() {
        let disk = CrashDisk::new();
        let overlay = Overlay::default().with(images((0..100_000).map(|row| (row, 7)).collect()));
        // Per row: 48 of the shared image, 48 of its 35 bytes, 8 of its slot; a page has 32 bytes besides its slots.
        assert!((10_400_000..10_600_000).contains(&overlay.memory_bytes()), "{}", overlay.memory_bytes());
        let written = overlay.write_out(|| place(&disk, 1)).expect("room");
        assert!(written.memory_bytes() < 500, "{}", written.memory_bytes());
        assert!((3_000_000..6_000_000).contains(&written.file_bytes()), "{}", written.file_bytes());
        // A small file is copied, not mapped, and counts.
        let small = Overlay::default().with(images(vec![(5, 5)])).write_out(|| place(&disk, 2)).expect("room");
        assert!(small.memory_bytes() as u64 > small.file_bytes());
    }

    #[test]
    fn layers_that_are_not_much_larger_are_folded() {
        let (k, m) = (1 << 10, 1 << 20);
        assert_eq!(layers_kept(&[], k), 0);
        assert_eq!(layers_kept(&[64 * m, 16 * m, 4 * m], m), 3);
        assert_eq!(layers_kept(&[100 * m, 16 * m, 3 * m], m), 2);
        assert_eq!(layers_kept(&[100 * m, 15 * m, 3 * m], m), 1);
        assert_eq!(layers_kept(&[75 * m, 15 * m, 3 * m], m), 0);
        assert_eq!(layers_kept(&[64 * m, 4 * LAYER_BYTES_MIN - 1], 1), 1);
    }

    #[test]
    fn write_outs_write_a_logarithmic_multiple() {
        // New rows each time: nothing is saved by rows that come twice.
        for fresh in [LAYER_BYTES_MIN, 1 << 20, 8 << 20] {
            let (mut layers, mut written, count) = (Vec::new(), 0, 1_000);
            for _ in 0..count {
                let keep = layers_kept(&layers, fresh);
                let size: u64 = fresh + layers.drain(keep..).sum::<u64>();
                layers.push(size);
                written += size;
                assert!(layers.len() <= 6, "{layers:?}");
            }
            // Rewriting all each time would be 500.
            assert!(written / (fresh * count) <= 10, "{}", written as f64 / (fresh * count) as f64);
        }
    }

    #[test]
    fn damage_is_told_by_name_and_never_panics() {
        let disk = CrashDisk::new();
        let rows = [0, 1, 63, 64, 4095, 4096, 20_000].map(|row| (row, 9)).to_vec();
        let overlay = Overlay::default().with(images(rows.clone())).write_out(|| place(&disk, 1)).expect("room");
        verify(&disk, &overlay, 20_001);
        let place = place(&disk, 1);
        assert!(Layer::open(&place).expect("opens").verify(&place, 20_000, 4).is_err(), "a row too many");
        assert!(Layer::open(&place).expect("opens").verify(&place, 20_001, 500).is_err(), "images too short");
        let other = LayerPlace { chunk: ChunkId(4), path: place.path.clone(), ..place };
        assert!(Layer::open(&other).err().expect("refused").to_string().contains("another table or chunk"));

        let whole = disk.read(&place.path).expect("there");
        let check = |bytes: &[u8], case: String| {
            disk.overwrite(&place.path, bytes);
            let told = match Layer::open(&place) {
                Err(error) => Err(error),
                Ok(layer) => {
                    let told = layer.verify(&place, 20_001, layout().stride());
                    let overlay = Overlay::of_layers(vec![layer]);
                    overlay.iter().for_each(|(_, image)| drop(layout().value(layout().image_row(image), 1)));
                    assert!((0..30_000).filter(|row| overlay.get(RowId(*row)).is_some()).count() < 30_000);
                    let _ = overlay.with(images(rows.clone())).since(&overlay);
                    told
                }
            };
            let text = told.expect_err(&case).to_string();
            assert!(text.contains("/attrs.1"), "{case}: {text}");
        };
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut bad = whole.clone();
                bad[at] ^= 1 << bit;
                check(&bad, format!("bit {bit} of byte {at}"));
            }
            check(&whole[..at], format!("cut at {at}"));
            // Damage under a checksum that fits, as a hostile file has.
            let (mut bad, end) = (whole.clone(), whole.len() - 4);
            bad[at] = !bad[at];
            let head = crc32fast::hash(&bad[..56]);
            bad[56..60].copy_from_slice(&head.to_le_bytes());
            let crc = crc32fast::hash(&bad[..end]);
            bad[end..].copy_from_slice(&crc.to_le_bytes());
            disk.overwrite(&place.path, &bad);
            if let Ok(layer) = Layer::open(&place) {
                let _ = layer.verify(&place, 20_001, layout().stride());
                let overlay = Overlay::of_layers(vec![layer]);
                overlay.iter().for_each(|(_, image)| drop(layout().value(layout().image_row(image), 1)));
                assert!((0..30_000).filter(|row| overlay.get(RowId(*row)).is_some()).count() < 30_000);
            }
        }
        disk.overwrite(&place.path, b"CHIMATTR and a list of rows");
        assert!(Layer::open(&place).err().expect("refused").to_string().contains("/attrs.1: format 1 of UPDATEd rows"));
        disk.remove_file(&place.path).expect("there");
        assert!(Layer::open(&place).err().expect("refused").to_string().contains("/attrs.1: file is missing"));
    }

    #[test]
    fn a_cut_image_reads_as_empty_values() {
        let whole = image(3, 7);
        for len in 0..whole.bytes.len() {
            let cut = RowImage { bytes: whole.bytes[..len].into() };
            let row = cut.row(&layout());
            (0..3).for_each(|column| drop(layout().value(row, column)));
            drop(layout().image_of(row));
            layout().doc_id(row);
        }
    }
}
