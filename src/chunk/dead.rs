//! Dead rows of one part: a sparse, immutable bitmap that shares its pages with the versions before it.

use std::sync::Arc;

use crate::types::RowId;

/// Bytes of one page; a page covers [`ROWS_PER_PAGE`] rows.
pub const PAGE_BYTES: usize = 512;
/// Rows of one page.
pub const ROWS_PER_PAGE: u32 = (PAGE_BYTES * 8) as u32;

/// Pages under one inner node: 64 × 4 096 rows.
const FAN: usize = 64;

type Page = Arc<[u64; PAGE_BYTES / 8]>;
type Node = Arc<[Option<Page>; FAN]>;

/// Which rows of a part are dead. Cloning costs one reference count; a part without dead rows holds nothing.
#[derive(Clone, Default)]
pub struct DeadRows {
    table: Option<Arc<Table>>,
}

#[derive(Clone)]
struct Table {
    nodes: Vec<Option<Node>>,
    count: u32,
}

impl DeadRows {
    /// Whether `row` is dead.
    pub fn contains(&self, row: RowId) -> bool {
        self.table.as_ref().is_some_and(|t| t.contains(row.0))
    }

    /// The dead ones of the 64 rows from `64 × block` on, one bit each, the first row in the lowest bit.
    pub(crate) fn block(&self, block: u32) -> u64 {
        self.table.as_ref().map_or(0, |t| t.block(block))
    }

    /// Whether this is the same version as `other`, not merely an equal one.
    pub fn is_same(&self, other: &DeadRows) -> bool {
        match (&self.table, &other.table) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Number of dead rows.
    pub fn count(&self) -> u32 {
        self.table.as_ref().map_or(0, |t| t.count)
    }

    /// Whether no row is dead.
    pub fn is_empty(&self) -> bool {
        self.table.is_none()
    }

    /// These rows and `rows`. Copies the touched pages and the two small tables above them.
    #[must_use]
    pub fn with(&self, rows: impl IntoIterator<Item = RowId>) -> DeadRows {
        let mut table: Option<Table> = None;
        for row in rows {
            let table = table.get_or_insert_with(|| match &self.table {
                Some(t) => Table::clone(t),
                None => Table { nodes: Vec::new(), count: 0 },
            });
            table.insert(row.0);
        }
        match table {
            Some(table) if table.count > 0 => DeadRows { table: Some(Arc::new(table)) },
            _ => self.clone(),
        }
    }

    /// Dead rows in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = RowId> + '_ {
        let nodes = self.table.as_ref().map_or(&[][..], |t| &t.nodes[..]);
        nodes.iter().enumerate().filter_map(|(n, node)| node.as_ref().map(|node| (n, node))).flat_map(|(n, node)| {
            node.iter().enumerate().filter_map(|(p, page)| page.as_ref().map(|page| (p, page))).flat_map(move |(p, page)| {
                let first = (n * FAN + p) as u32 * ROWS_PER_PAGE;
                page.iter().enumerate().flat_map(move |(w, &word)| Bits(word).map(move |b| RowId(first + w as u32 * 64 + b)))
            })
        })
    }

    /// Rows dead here and alive in `before`, which must be an earlier version of the same part's dead rows. Skips shared pages.
    pub fn since(&self, before: &DeadRows) -> Vec<RowId> {
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
                let first = (n * FAN + p) as u32 * ROWS_PER_PAGE;
                for (w, &word) in page.iter().enumerate() {
                    let fresh = word & !old.map_or(0, |o| o[w]);
                    out.extend(Bits(fresh).map(|b| RowId(first + w as u32 * 64 + b)));
                }
            }
        }
        out
    }

    /// Bytes of memory that the pages take, shared or not.
    pub fn memory_bytes(&self) -> usize {
        self.table.as_ref().map_or(0, |t| t.nodes.iter().flatten().map(|n| FAN * 8 + n.iter().flatten().count() * PAGE_BYTES).sum())
    }
}

impl Table {
    fn contains(&self, row: u32) -> bool {
        self.block(row / 64) >> (row % 64) & 1 == 1
    }

    fn block(&self, block: u32) -> u64 {
        let page = (block / (ROWS_PER_PAGE / 64)) as usize;
        match self.nodes.get(page / FAN) {
            Some(Some(node)) => match &node[page % FAN] {
                Some(words) => words[(block % (ROWS_PER_PAGE / 64)) as usize],
                None => 0,
            },
            _ => 0,
        }
    }

    fn insert(&mut self, row: u32) {
        let page = (row / ROWS_PER_PAGE) as usize;
        if self.nodes.len() <= page / FAN {
            self.nodes.resize(page / FAN + 1, None);
        }
        let node = self.nodes[page / FAN].get_or_insert_with(|| Arc::new([const { None }; FAN]));
        let words = Arc::make_mut(node)[page % FAN].get_or_insert_with(|| Arc::new([0; PAGE_BYTES / 8]));
        let word = &mut Arc::make_mut(words)[(row % ROWS_PER_PAGE / 64) as usize];
        if *word >> (row % 64) & 1 == 0 {
            *word |= 1 << (row % 64);
            self.count += 1;
        }
    }
}

/// Set bits of a word, ascending.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn holds_what_was_put_in_and_shares_the_rest() {
        let a = DeadRows::default().with([RowId(3), RowId(70_000), RowId(5_000_000)]);
        let b = a.with([RowId(4), RowId(3)]);
        assert_eq!(a.count(), 3);
        assert_eq!(b.count(), 4);
        assert!(!a.contains(RowId(4)) && b.contains(RowId(4)));
        assert_eq!(b.iter().map(|r| r.0).collect::<Vec<_>>(), [3, 4, 70_000, 5_000_000]);
        assert_eq!(b.since(&a), [RowId(4)]);
        assert_eq!(b.since(&DeadRows::default()).len(), 4);
        assert_eq!(b.since(&b), []);
    }

    /// Rows on both sides of the edges of words, pages and nodes.
    fn rows() -> impl Strategy<Value = Vec<u32>> {
        let edges = prop::sample::select(vec![
            0,
            63,
            64,
            ROWS_PER_PAGE - 1,
            ROWS_PER_PAGE,
            FAN as u32 * ROWS_PER_PAGE - 1,
            FAN as u32 * ROWS_PER_PAGE,
        ]);
        let row = prop_oneof![0..300u32, edges.prop_flat_map(|e| e.saturating_sub(3)..e + 3), 0..3_000_000u32];
        prop::collection::vec(row, 0..40)
    }

    proptest! {
        #[test]
        fn agrees_with_a_set(batches in prop::collection::vec(rows(), 0..6)) {
            let mut versions = vec![(DeadRows::default(), BTreeSet::new())];
            for batch in batches {
                let (dead, mut set) = versions.last().cloned().expect("never empty");
                set.extend(batch.iter().copied());
                versions.push((dead.with(batch.into_iter().map(RowId)), set));
            }
            let (last, all) = &versions[versions.len() - 1];
            for (dead, set) in &versions {
                prop_assert_eq!(dead.count() as usize, set.len());
                prop_assert_eq!(dead.is_empty(), set.is_empty());
                prop_assert_eq!(dead.iter().map(|r| r.0).collect::<Vec<_>>(), set.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(last.since(dead).iter().map(|r| r.0).collect::<Vec<_>>(), all.difference(set).copied().collect::<Vec<_>>());
                for row in all {
                    prop_assert_eq!(dead.contains(RowId(*row)), set.contains(row));
                    let block = set.range(row / 64 * 64..row / 64 * 64 + 64).fold(0u64, |bits, r| bits | 1 << (r % 64));
                    prop_assert_eq!(dead.block(row / 64), block);
                }
                prop_assert!(!dead.contains(RowId(u32::MAX)));
            }
        }
    }

    #[test]
    fn the_last_row_number_fits() {
        let dead = DeadRows::default().with([RowId(u32::MAX), RowId(u32::MAX - 1)]);
        assert_eq!(dead.iter().map(|r| r.0).collect::<Vec<_>>(), [u32::MAX - 1, u32::MAX]);
        assert!(dead.contains(RowId(u32::MAX)) && !dead.contains(RowId(0)));
    }
}
