//! N segments of one lexicon become one.
//!
//! Term numbers of the inputs are walked together. Where an input has no dead rows its entries are copied as bytes behind those of the
//! input before, with only the first row gap written anew; where it has, they go through the row map one by one. Rows go over in runs
//! between the dead and the UPDATEd ones.

use std::ops::Range;
use std::sync::Arc;

use super::super::postings::NO_ROW;
use super::super::{AnyPart, ChunkError, Overlay, Part, PartView, RowMap};
use super::flush_terms::Union;
use super::lists::{Lists, ListsWriter, SkipPoint, Totals, walk_entry};
use super::segment::{RamSegment, Rows};
use super::stored::StoredText;
use super::varint;
use crate::types::{RowId, StopToken};

/// Rows, terms or entries between two looks at the stop token.
const STOP_EVERY: u32 = 4096;
/// So many copied bytes count as one of them: a look every MiB.
const STOP_BYTES: usize = (1 << 20) / STOP_EVERY as usize;
/// A run of rows copied at once is no longer than this, so that a stop is seen in time.
const RUN_ROWS_MAX: u32 = 256;

impl RamSegment {
    /// Merges segments of the same lexicon: dead rows dropped, UPDATEs folded in, output rows as RowMap says (order given).
    /// All parts of `inputs` are RAM segments of one lexicon and schema. Err(Stopped) when asked to stop.
    pub fn merge(inputs: &[PartView], stop: &StopToken) -> Result<(RamSegment, RowMap), ChunkError> {
        let map = RowMap::new(inputs.iter().map(|i| (i.part.row_count(), i.dead.clone())))
            .ok_or_else(|| ChunkError::Limit("a RAM segment holds at most 2147483648 rows".into()))?;
        let mut sources = Vec::with_capacity(inputs.len());
        for (n, view) in inputs.iter().enumerate() {
            let AnyPart::Ram(segment) = &view.part else {
                return Err(ChunkError::Limit("only RAM segments are merged in memory".into()));
            };
            sources.push(Source { segment, edits: &view.edits, base: map.base(n), moved: moved_rows(segment, view, map.base(n)) });
        }
        let Some(first) = sources.first() else {
            return Err(ChunkError::Limit("a merge needs a segment".into()));
        };
        debug_assert!(sources.iter().all(|s| Arc::ptr_eq(&s.segment.lexicon, &first.segment.lexicon)));
        let shape = first.segment.shape.clone();
        let lexicon = first.segment.lexicon.clone();
        let rows = merge_rows(&sources, stop)?;
        let lists = merge_lists(&sources, shape.many_fields(), stop)?;
        Ok((RamSegment::new(shape, lexicon, rows, lists), map))
    }
}

/// One input.
struct Source<'a> {
    segment: &'a RamSegment,
    edits: &'a Overlay,
    /// Output row of its first alive row.
    base: u32,
    /// Output row of each row, [`NO_ROW`] for dead ones; empty where none is dead.
    moved: Vec<u32>,
}

impl Source<'_> {
    fn is_dead(&self, row: u32) -> bool {
        self.moved.get(row as usize) == Some(&NO_ROW)
    }
}

fn moved_rows(segment: &RamSegment, view: &PartView, base: u32) -> Vec<u32> {
    if view.dead.is_empty() {
        return Vec::new();
    }
    let mut moved = vec![0; segment.row_count() as usize];
    for row in view.dead.iter() {
        moved[row.0 as usize] = NO_ROW;
    }
    for (row, slot) in (base..).zip(moved.iter_mut().filter(|slot| **slot != NO_ROW)) {
        *slot = row;
    }
    moved
}

fn merge_rows(sources: &[Source<'_>], stop: &StopToken) -> Result<Rows, ChunkError> {
    let shape = &sources[0].segment.shape;
    let mut out = Rows::new(shape);
    let sum = |bytes: fn(&Rows) -> usize| sources.iter().map(|s| bytes(&s.segment.rows)).sum::<usize>();
    out.fixed.reserve(sum(|r| r.fixed.len()));
    out.heap.reserve(sum(|r| r.heap.len()));
    out.lengths.reserve(sum(|r| r.lengths.len()));
    out.stored = StoredText::with_capacity(sum(|r| r.stored.rows()), sum(|r| r.stored.bytes().len()));
    let (mut since_check, mut copied) = (0, 0);
    for source in sources {
        let rows = source.segment.row_count();
        let mut edits = source.edits.iter().map(|(row, _)| row.0).peekable();
        let mut row = 0;
        while row < rows {
            if since_check >= STOP_EVERY {
                stop.check()?;
                since_check = 0;
            }
            while edits.next_if(|edited| *edited < row).is_some() {}
            if source.is_dead(row) {
                row += 1;
                since_check += 1;
                continue;
            }
            let edited = edits.peek() == Some(&row);
            let mut end = row + 1;
            if !edited {
                let limit = edits.peek().copied().unwrap_or(rows).min(rows).min(row.saturating_add(RUN_ROWS_MAX));
                while end < limit && !source.is_dead(end) {
                    end += 1;
                }
            }
            copy_rows(source, row..end, edited, &mut out);
            since_check += end - row + ((out.heap.len() + out.stored.bytes().len() - copied) / STOP_BYTES) as u32;
            copied = out.heap.len() + out.stored.bytes().len();
            row = end;
        }
    }
    Ok(out)
}

/// Appends a run of alive rows; `edited` if it is one row that was UPDATEd.
fn copy_rows(source: &Source<'_>, rows: Range<u32>, edited: bool, out: &mut Rows) {
    let (segment, from) = (source.segment, &source.segment.rows);
    let layout = &segment.shape.layout;
    match source.edits.get(RowId(rows.start)) {
        Some(image) if edited => layout.copy(layout.image_bytes(image), &mut out.fixed, &mut out.heap),
        _ => {
            let heap = from.heap_range(layout, rows.start as usize..rows.end as usize);
            let start = out.fixed.len();
            out.fixed.extend_from_slice(&from.fixed[rows.start as usize * layout.stride()..rows.end as usize * layout.stride()]);
            layout.move_blobs(&mut out.fixed[start..], heap.start as u64, out.heap.len() as u64);
            out.heap.extend_from_slice(&from.heap[heap]);
        }
    }
    out.stored.push_rows(&from.stored, rows.start as usize..rows.end as usize);
    let fields = segment.shape.fields.len();
    let lengths = &from.lengths[rows.start as usize * fields..rows.end as usize * fields];
    out.lengths.extend_from_slice(lengths);
    if fields > 0 {
        for row in lengths.chunks_exact(fields) {
            row.iter().zip(&mut out.tokens).for_each(|(length, sum)| *sum += *length as u64);
        }
    }
    out.count += rows.end - rows.start;
}

/// The entries of one input for one term, ready to be put behind those of the inputs before.
struct Piece<'a> {
    /// Output rows of the first and the last entry.
    first: u32,
    last: u32,
    /// The low bit of the first entry's number.
    lone: bool,
    /// What follows that number.
    rest: Rest<'a>,
}

enum Rest<'a> {
    /// In the input: bytes, skip points, where the bytes begin counted from the first entry, and what its rows grow by.
    Copied { bytes: &'a [u8], skips: &'a [SkipPoint], cut: usize, base: u32 },
    /// In [`Filtered`].
    Filtered { bytes: Range<usize>, skips: Range<usize> },
}

/// Entries that went through the row map.
#[derive(Default)]
struct Filtered {
    bytes: Vec<u8>,
    /// Output row before, and the place in `bytes` where the next entry begins.
    skips: Vec<(u32, usize)>,
}

fn merge_lists(sources: &[Source<'_>], many_fields: bool, stop: &StopToken) -> Result<Lists, ChunkError> {
    let lists = || sources.iter().map(|s| &s.segment.lists);
    let mut writer = ListsWriter::new(
        lists().map(|l| l.len()).sum(),
        lists().map(|l| l.byte_len()).sum::<usize>() + lists().map(|l| l.len()).sum::<usize>() / 4,
        many_fields,
    );
    let mut union = Union::new(lists().map(|l| l.ids()));
    let (mut totals, mut found, mut pieces, mut filtered) = (Totals::new(), Vec::new(), Vec::new(), Filtered::default());
    let mut work = 0;
    loop {
        found.clear();
        let Some(id) = union.next(|input, term| found.push((input, term))) else { break };
        if let [(input, term)] = found[..]
            && sources[input as usize].moved.is_empty()
        {
            // Most words of small segments: no head to work out.
            let source = &sources[input as usize];
            let list = source.segment.lists.list(term as usize, many_fields);
            writer.push_moved(id, list, source.segment.lists.skips(term as usize, list.body.len()), source.base);
            work += 1 + (list.body.len() / STOP_BYTES) as u32;
        } else {
            totals.clear();
            pieces.clear();
            filtered.bytes.clear();
            filtered.skips.clear();
            for (input, term) in &found {
                let source = &sources[*input as usize];
                if source.moved.is_empty() {
                    let piece = copied(source, *term as usize, many_fields, &mut totals);
                    if let Rest::Copied { bytes, .. } = &piece.rest {
                        work += 1 + (bytes.len() / STOP_BYTES) as u32;
                    }
                    pieces.push(piece);
                } else {
                    pieces.extend(filter(source, *term as usize, many_fields, &mut totals, &mut filtered, &mut work, stop)?);
                }
            }
            if let (Some(first), Some(last)) = (pieces.first(), pieces.last()) {
                (totals.first, totals.last) = (first.first, last.last);
                write(&mut writer, id, &totals, &pieces, &filtered);
            }
        }
        if work >= STOP_EVERY {
            stop.check()?;
            work = 0;
        }
    }
    Ok(writer.finish())
}

fn copied<'a>(source: &Source<'a>, term: usize, many_fields: bool, totals: &mut Totals) -> Piece<'a> {
    let list = source.segment.lists.list(term, many_fields);
    totals.docs += list.docs;
    totals.hits += list.hits;
    let mut cut = 0;
    let head = varint::get_u32(list.body, &mut cut);
    if many_fields {
        if list.docs == 1 {
            let mut at = cut;
            walk_entry(list.body, &mut at, head & 1 == 1, true, |field, _, _| totals.add_field(field, 1));
        } else {
            list.fields().for_each(|(field, docs)| totals.add_field(field, docs));
        }
    }
    let first = source.base + (head >> 1);
    let skips = source.segment.lists.skips(term, list.body.len());
    let bytes = list.body.get(cut..).unwrap_or(&[]);
    Piece { first, last: first + list.span, lone: head & 1 == 1, rest: Rest::Copied { bytes, skips, cut, base: source.base } }
}

/// The entries of alive rows; None where there are none.
fn filter<'a>(
    source: &Source<'a>,
    term: usize,
    many_fields: bool,
    totals: &mut Totals,
    out: &mut Filtered,
    work: &mut u32,
    stop: &StopToken,
) -> Result<Option<Piece<'a>>, ChunkError> {
    let body = source.segment.lists.list(term, many_fields).body;
    let (start, skips_start) = (out.bytes.len(), out.skips.len());
    let (mut at, mut row) = (0, NO_ROW);
    let mut piece: Option<Piece<'_>> = None;
    while at < body.len() {
        let head = varint::get_u32(body, &mut at);
        row = row.wrapping_add(1).wrapping_add(head >> 1);
        *work += 1;
        if *work >= STOP_EVERY {
            stop.check()?;
            *work = 0;
        }
        let payload = at;
        let lone = head & 1 == 1;
        let moved = source.moved.get(row as usize).copied().unwrap_or(NO_ROW);
        if moved == NO_ROW {
            walk_entry(body, &mut at, lone, many_fields, |_, _, _| ());
            continue;
        }
        walk_entry(body, &mut at, lone, many_fields, |field, hits, _| {
            totals.hits += hits as u64;
            if many_fields {
                totals.add_field(field, 1);
            }
        });
        totals.docs += 1;
        match &mut piece {
            None => {
                let rest = Rest::Filtered { bytes: start..start, skips: skips_start..skips_start };
                piece = Some(Piece { first: moved, last: moved, lone, rest });
            }
            Some(piece) => {
                out.skips.push((piece.last, out.bytes.len()));
                varint::put(&mut out.bytes, ((moved - piece.last - 1) as u64) << 1 | lone as u64);
                piece.last = moved;
            }
        }
        out.bytes.extend_from_slice(body.get(payload..at).unwrap_or(&[]));
    }
    if let Some(piece) = &mut piece {
        piece.rest = Rest::Filtered { bytes: start..out.bytes.len(), skips: skips_start..out.skips.len() };
    }
    Ok(piece)
}

fn write(writer: &mut ListsWriter, id: u32, totals: &Totals, pieces: &[Piece<'_>], filtered: &Filtered) {
    writer.open(id, totals);
    let mut before = NO_ROW;
    for piece in pieces {
        if before != NO_ROW {
            writer.point(before);
        }
        let gap = piece.first.wrapping_sub(before).wrapping_sub(1);
        varint::put(writer.out(), (gap as u64) << 1 | piece.lone as u64);
        let start = writer.body_len();
        match &piece.rest {
            Rest::Copied { bytes, skips, cut, base } => {
                writer.out().extend_from_slice(bytes);
                for point in *skips {
                    writer.point_at(point.row + base, start + point.at as usize - cut);
                }
            }
            Rest::Filtered { bytes, skips } => {
                writer.out().extend_from_slice(&filtered.bytes[bytes.clone()]);
                for (row, at) in &filtered.skips[skips.clone()] {
                    writer.point_at(*row, start + at - bytes.start);
                }
            }
        }
        before = piece.last;
    }
    writer.close();
}
