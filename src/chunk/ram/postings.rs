//! Walking a posting list: the query's cursor, and whole entries for a flush.

use super::super::postings::{NO_ROW, Postings};
use super::lists::{List, SkipPoint, walk_entry};
use super::varint;
use crate::types::FieldId;

/// What a cursor looks at.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    /// The only field of the table.
    Only,
    /// All fields of a table with one: no positions.
    AnyOfOne,
    /// One field of several; rows without it are passed over.
    Field(u8),
    /// All fields of several: hits summed, no positions.
    AnyOfMany,
}

/// A cursor over the rows of one word in a RAM segment.
pub struct RamPostings<'a> {
    body: &'a [u8],
    /// Skip points not yet passed.
    skips: &'a [SkipPoint],
    /// Where the next entry begins.
    at: usize,
    row: u32,
    tf: u32,
    positions_at: usize,
    docs: u32,
    want: Want,
}

impl<'a> RamPostings<'a> {
    /// On the first row of `list` with `field`, or with any field. None where there is no such row.
    pub(super) fn new(list: List<'a>, skips: &'a [SkipPoint], field: Option<FieldId>, many_fields: bool) -> Option<RamPostings<'a>> {
        let (want, docs) = match (field, many_fields) {
            (None, false) => (Want::AnyOfOne, list.docs),
            (None, true) => (Want::AnyOfMany, list.docs),
            (Some(FieldId(0)), false) => (Want::Only, list.docs),
            (Some(_), false) => return None,
            (Some(f), true) if list.docs == 1 => (Want::Field(f.0), 1),
            (Some(f), true) => (Want::Field(f.0), list.fields().find(|(n, _)| *n == f.0)?.1),
        };
        let mut cursor = RamPostings { body: list.body, skips, at: 0, row: NO_ROW, tf: 0, positions_at: 0, docs, want };
        if cursor.advance() == NO_ROW { None } else { Some(cursor) }
    }
}

impl Postings for RamPostings<'_> {
    #[inline]
    fn row(&self) -> u32 {
        self.row
    }

    #[inline]
    fn advance(&mut self) -> u32 {
        while self.at < self.body.len() {
            let head = varint::get_u32(self.body, &mut self.at);
            // The row before the first is −1, which is what a fresh cursor shows as NO_ROW.
            self.row = self.row.wrapping_add(1).wrapping_add(head >> 1);
            let lone = head & 1 == 1;
            match self.want {
                Want::Only | Want::AnyOfOne => {
                    self.tf = if lone { 1 } else { varint::get_u32(self.body, &mut self.at) };
                    self.positions_at = self.at;
                    varint::skip(self.body, &mut self.at, self.tf);
                    return self.row;
                }
                Want::AnyOfMany => {
                    let mut sum = 0;
                    walk_entry(self.body, &mut self.at, lone, true, |_, hits, _| sum += hits);
                    self.tf = sum;
                    return self.row;
                }
                Want::Field(wanted) => {
                    let mut found = None;
                    walk_entry(self.body, &mut self.at, lone, true, |field, hits, at| {
                        if field == wanted {
                            found = Some((hits, at));
                        }
                    });
                    if let Some((hits, at)) = found {
                        (self.tf, self.positions_at) = (hits, at);
                        return self.row;
                    }
                }
            }
        }
        (self.row, self.tf) = (NO_ROW, 0);
        NO_ROW
    }

    #[inline]
    fn seek(&mut self, target: u32) -> u32 {
        if self.row >= target {
            return self.row;
        }
        if self.skips.first().is_some_and(|point| point.row < target) {
            let passed = self.skips.partition_point(|point| point.row < target);
            let point = self.skips[passed - 1];
            self.skips = &self.skips[passed..];
            if point.at as usize > self.at {
                (self.row, self.at) = (point.row, point.at as usize);
            }
        }
        while self.advance() < target {}
        self.row
    }

    #[inline]
    fn tf(&self) -> u32 {
        self.tf
    }

    fn positions(&mut self, out: &mut Vec<u32>) {
        match self.want {
            Want::Only | Want::Field(_) => read_positions(self.body, self.positions_at, self.tf, out),
            Want::AnyOfOne | Want::AnyOfMany => {}
        }
    }

    fn docs(&self) -> u32 {
        self.docs
    }
}

fn read_positions(body: &[u8], mut at: usize, hits: u32, out: &mut Vec<u32>) {
    let mut position = 0u32;
    for _ in 0..hits {
        position = position.wrapping_add(varint::get_u32(body, &mut at));
        out.push(position);
    }
}

/// One row of a posting list with the positions of all fields. Meant to be used again for the next row.
#[derive(Default, Debug)]
pub(crate) struct Entry {
    /// Row of the segment.
    pub(crate) row: u32,
    /// `(field, end of its positions)`, fields ascending.
    fields: Vec<(FieldId, u32)>,
    positions: Vec<u32>,
}

impl Entry {
    /// Each field with hits, ascending, with the positions of the hits, ascending.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (FieldId, &[u32])> + '_ {
        let mut start = 0;
        self.fields.iter().map(move |(field, end)| {
            let positions = &self.positions[start..*end as usize];
            start = *end as usize;
            (*field, positions)
        })
    }

    /// The positions in `field`; empty where the row lacks the word there.
    pub(crate) fn positions(&self, field: FieldId) -> &[u32] {
        self.fields().find(|(f, _)| *f == field).map_or(&[], |(_, positions)| positions)
    }

    /// Hits in all fields.
    pub(crate) fn hits(&self) -> u32 {
        self.positions.len() as u32
    }
}

/// The entries of a list, rows ascending.
pub(crate) struct Entries<'a> {
    body: &'a [u8],
    at: usize,
    row: u32,
    many_fields: bool,
}

impl<'a> Entries<'a> {
    pub(super) fn new(list: List<'a>, many_fields: bool) -> Entries<'a> {
        Entries { body: list.body, at: 0, row: NO_ROW, many_fields }
    }

    /// Reads the next row into `entry`. False behind the last.
    pub(crate) fn next(&mut self, entry: &mut Entry) -> bool {
        if self.at >= self.body.len() {
            return false;
        }
        let head = varint::get_u32(self.body, &mut self.at);
        self.row = self.row.wrapping_add(1).wrapping_add(head >> 1);
        entry.row = self.row;
        entry.fields.clear();
        entry.positions.clear();
        let body = self.body;
        walk_entry(body, &mut self.at, head & 1 == 1, self.many_fields, |field, hits, at| {
            read_positions(body, at, hits, &mut entry.positions);
            entry.fields.push((FieldId(field), entry.positions.len() as u32));
        });
        true
    }
}
