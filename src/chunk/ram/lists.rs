//! The posting lists of a segment, sorted by term number, in one arena.
//!
//! ```text
//! list    varint  rows of the list
//!         varint  hits − rows
//!         only where the list has two rows or more:
//!         varint  last row − first row
//!         [byte   number of fields with hits, then per field: byte field, varint rows]      tables of several fields only
//!         entries
//! entry   varint  (row − row before − 1) << 1 | lone        the row before the first is −1
//!         lone = the row has one hit: [byte field] varint position
//!         else                        [byte number of fields, then per field: byte field] varint hits, varint position gaps
//! ```
//!
//! Parts in brackets are left out where the table has one full-text field. What a merge needs to put one list behind another stands in
//! the head, so that it copies entries without reading them. Long lists have skip points, kept beside the arena.

use super::offsets::Offsets;
use super::varint;

/// A skip point is set where this many bytes of entries have gone by since the one before.
pub(super) const SKIP_BYTES: usize = 256;

/// A place inside a list where reading may begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SkipPoint {
    /// Row of the entry before this place.
    pub(super) row: u32,
    /// Where the next entry begins, in bytes from the first entry.
    pub(super) at: u32,
}

/// Posting lists by term number. Immutable once written.
#[derive(Default)]
pub(super) struct Lists {
    /// Ascending.
    ids: Vec<u32>,
    starts: Offsets,
    bytes: Vec<u8>,
    /// Lists that have skip points, ascending.
    skip_terms: Vec<u32>,
    /// End of the points of each list in `skip_terms`.
    skip_ends: Vec<u32>,
    skips: Vec<SkipPoint>,
}

/// The head of a list, read.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    pub(super) docs: u32,
    pub(super) hits: u64,
    /// Last row − first row.
    pub(super) span: u32,
    /// Pairs (byte field, varint rows); empty where the list has one row or the table one field.
    pub(super) fields: &'a [u8],
    /// All of the above as it stands in the arena.
    pub(super) head: &'a [u8],
    /// Entries.
    pub(super) body: &'a [u8],
}

/// What the head of a list says. One is used for list after list: it is large.
pub(super) struct Totals {
    pub(super) docs: u32,
    pub(super) hits: u64,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Rows per field; zero but for those in `touched`.
    field_docs: [u32; 256],
    touched: Vec<u8>,
}

impl Totals {
    pub(super) fn new() -> Totals {
        Totals { docs: 0, hits: 0, first: 0, last: 0, field_docs: [0; 256], touched: Vec::new() }
    }

    /// Back to nothing.
    pub(super) fn clear(&mut self) {
        for field in self.touched.drain(..) {
            self.field_docs[field as usize] = 0;
        }
        (self.docs, self.hits, self.first, self.last) = (0, 0, 0, 0);
    }

    /// `docs` more rows with hits in `field`.
    #[inline]
    pub(super) fn add_field(&mut self, field: u8, docs: u32) {
        if docs > 0 {
            if self.field_docs[field as usize] == 0 {
                self.touched.push(field);
            }
            self.field_docs[field as usize] += docs;
        }
    }
}

impl<'a> List<'a> {
    /// Reads the list that begins and ends with `bytes`.
    #[inline]
    pub(super) fn read(bytes: &'a [u8], many_fields: bool) -> List<'a> {
        let mut at = 0;
        let docs = varint::get_u32(bytes, &mut at);
        let hits = docs as u64 + varint::get(bytes, &mut at);
        let (mut span, mut fields) = (0, 0..0);
        if docs > 1 {
            span = varint::get_u32(bytes, &mut at);
            if many_fields {
                let count = bytes.get(at).copied().unwrap_or(0);
                at += 1;
                fields.start = at;
                for _ in 0..count {
                    at += 1;
                    varint::get(bytes, &mut at);
                }
                fields.end = at;
            }
        }
        let (head, body) = bytes.split_at(at.min(bytes.len()));
        List { docs, hits, span, fields: head.get(fields).unwrap_or(&[]), head, body }
    }

    /// `(field, rows)` of each field with hits, where the head has them: not for a list of one row.
    pub(super) fn fields(&self) -> impl Iterator<Item = (u8, u32)> + 'a {
        let (bytes, mut at) = (self.fields, 0);
        std::iter::from_fn(move || {
            let field = *bytes.get(at)?;
            at += 1;
            Some((field, varint::get_u32(bytes, &mut at)))
        })
    }
}

/// Steps over an entry behind its first number, calling `on_field(field, hits, where their positions begin)` for each field in order.
#[inline]
pub(super) fn walk_entry(body: &[u8], at: &mut usize, lone: bool, many_fields: bool, mut on_field: impl FnMut(u8, u32, usize)) {
    let byte = |at: &mut usize| {
        let byte = body.get(*at).copied().unwrap_or(0);
        *at += 1;
        byte
    };
    if lone {
        let field = if many_fields { byte(at) } else { 0 };
        on_field(field, 1, *at);
        varint::skip(body, at, 1);
        return;
    }
    let fields = if many_fields { byte(at) } else { 1 };
    for _ in 0..fields {
        let field = if many_fields { byte(at) } else { 0 };
        let hits = varint::get_u32(body, at);
        on_field(field, hits, *at);
        varint::skip(body, at, hits);
    }
}

impl Lists {
    /// Number of lists.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Term numbers, ascending.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Place of a term among the lists.
    pub(super) fn find(&self, id: u32) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// Bytes of list `index`, head and entries.
    pub(super) fn bytes_of(&self, index: usize) -> &[u8] {
        let end = if index + 1 < self.starts.len() { self.starts.get(index + 1) as usize } else { self.bytes.len() };
        &self.bytes[self.starts.get(index) as usize..end]
    }

    /// The list at `index`, which must be below [`Lists::len`].
    pub(super) fn list(&self, index: usize, many_fields: bool) -> List<'_> {
        List::read(self.bytes_of(index), many_fields)
    }

    /// Skip points of list `index`, whose entries take `body_len` bytes, ascending.
    pub(super) fn skips(&self, index: usize, body_len: usize) -> &[SkipPoint] {
        if body_len <= SKIP_BYTES {
            return &[];
        }
        match self.skip_terms.binary_search(&(index as u32)) {
            Ok(n) => {
                let start = if n == 0 { 0 } else { self.skip_ends[n - 1] };
                &self.skips[start as usize..self.skip_ends[n] as usize]
            }
            Err(_) => &[],
        }
    }

    /// Bytes of all lists.
    pub(super) fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes of heap memory.
    pub(super) fn memory_bytes(&self) -> usize {
        self.ids.capacity() * 4
            + self.starts.memory_bytes()
            + self.bytes.capacity()
            + (self.skip_terms.capacity() + self.skip_ends.capacity()) * 4
            + self.skips.capacity() * size_of::<SkipPoint>()
    }
}

/// Writes lists in ascending order of their terms.
pub(super) struct ListsWriter {
    lists: Lists,
    /// Where the open list's entries begin.
    body: usize,
    /// Where the open list's last skip point is, or its first entry.
    last_point: usize,
    /// Skip points of the lists before the open one.
    points_before: usize,
    many_fields: bool,
}

impl ListsWriter {
    /// Room for `terms` lists of `bytes` bytes together.
    pub(super) fn new(terms: usize, bytes: usize, many_fields: bool) -> ListsWriter {
        let lists = Lists {
            ids: Vec::with_capacity(terms),
            starts: Offsets::with_capacity(terms),
            bytes: Vec::with_capacity(bytes),
            ..Lists::default()
        };
        ListsWriter { lists, body: 0, last_point: 0, points_before: 0, many_fields }
    }

    /// Begins the list of `id` with its head. Entries follow through [`ListsWriter::out`].
    pub(super) fn open(&mut self, id: u32, totals: &Totals) {
        debug_assert!(self.lists.ids.last().is_none_or(|last| *last < id), "terms ascend");
        self.lists.ids.push(id);
        self.lists.starts.push(self.lists.bytes.len() as u64);
        let out = &mut self.lists.bytes;
        varint::put(out, totals.docs as u64);
        varint::put(out, totals.hits - totals.docs as u64);
        if totals.docs > 1 {
            varint::put(out, (totals.last - totals.first) as u64);
            if self.many_fields {
                out.push(totals.touched.len() as u8);
                for field in &totals.touched {
                    out.push(*field);
                    varint::put(out, totals.field_docs[*field as usize] as u64);
                }
            }
        }
        self.body = out.len();
        self.last_point = out.len();
    }

    /// Appends the list of `id` as another segment of the same shape has it, its rows moved up by `base`. `skips` as there.
    #[inline]
    pub(super) fn push_moved(&mut self, id: u32, list: List<'_>, skips: &[SkipPoint], base: u32) {
        self.lists.ids.push(id);
        self.lists.starts.push(self.lists.bytes.len() as u64);
        let out = &mut self.lists.bytes;
        out.extend_from_slice(list.head);
        let body = out.len();
        let mut cut = 0;
        let first = varint::get(list.body, &mut cut);
        varint::put(out, first + ((base as u64) << 1));
        let longer = (out.len() - body - cut) as u32;
        out.extend_from_slice(&list.body[cut..]);
        if !skips.is_empty() {
            // The last point of a list just below 4 GiB could go out of range: reading starts at an earlier one then.
            let moved = skips.iter().filter_map(|p| Some(SkipPoint { row: p.row + base, at: p.at.checked_add(longer)? }));
            self.lists.skips.extend(moved);
        }
        self.close();
    }

    /// Where entries are appended.
    #[inline]
    pub(super) fn out(&mut self) -> &mut Vec<u8> {
        &mut self.lists.bytes
    }

    /// An entry may begin at the end of what is written, behind one of `row`: becomes a skip point if the last one is far enough.
    #[inline]
    pub(super) fn point(&mut self, row: u32) {
        let at = self.lists.bytes.len();
        if at - self.last_point >= SKIP_BYTES {
            self.point_at(row, at - self.body);
        }
    }

    /// [`ListsWriter::point`] for the place `at` bytes from the first entry.
    pub(super) fn point_at(&mut self, row: u32, at: usize) {
        let place = self.body + at;
        // Lists of 4 GiB and more have no points in their far part and are read through there.
        if let Ok(at) = u32::try_from(at)
            && place >= self.last_point + SKIP_BYTES
        {
            self.lists.skips.push(SkipPoint { row, at });
            self.last_point = place;
        }
    }

    /// Bytes from the first entry of the open list to its end so far.
    pub(super) fn body_len(&self) -> usize {
        self.lists.bytes.len() - self.body
    }

    /// Ends the open list.
    #[inline]
    pub(super) fn close(&mut self) {
        if self.lists.skips.len() > self.points_before {
            self.points_before = self.lists.skips.len();
            self.lists.skip_terms.push(self.lists.ids.len() as u32 - 1);
            self.lists.skip_ends.push(self.points_before as u32);
        }
    }

    /// The lists, without spare memory.
    pub(super) fn finish(self) -> Lists {
        let mut lists = self.lists;
        lists.ids.shrink_to_fit();
        lists.starts.shrink();
        lists.bytes.shrink_to_fit();
        lists.skip_terms.shrink_to_fit();
        lists.skip_ends.shrink_to_fit();
        lists.skips.shrink_to_fit();
        lists
    }
}
