//! A segment as bytes, words included, for the saved RAM chunk.
//!
//! ```text
//!  0   8  "chimeRAM"
//!  8   4  format, u32
//! 12   4  crc32 of all bytes from 16 on
//! 16   8  number of bytes from 24 on, u64
//! 24   4  rows            28  4  bytes of a fixed row
//! 32   4  fields          36  4  stored columns
//! 40      sections, each: u64 length in bytes, bytes
//!           fixed rows · blob heap · lengths, u32 per row and field · bytes of stored text per row, varint · stored text ·
//!           words: varint length, bytes · bytes of each posting list, varint · posting lists
//! ```
//!
//! Little-endian. Posting lists as in [`super::lists`], in the order of the words. Skip points are made anew.

use std::sync::Arc;

use super::super::ChunkError;
use super::super::postings::NO_ROW;
use super::super::rows::RowBytes;
use super::lexicon::Lexicon;
use super::lists::{List, Lists, ListsWriter, SKIP_BYTES, SkipPoint};
use super::segment::{RamSegment, Rows};
use super::shape::Shape;
use super::stored::StoredText;
use super::varint;
use super::word_table::{self, WordTable};
use crate::types::Schema;

const MAGIC: &[u8; 8] = b"chimeRAM";
/// Newest format that this program reads, and the one it writes.
const FORMAT: u32 = 1;
const HEAD_BYTES: usize = 24;

impl RamSegment {
    /// Writes the segment self-contained (words as bytes) for the saved RAM chunk; alive rows only is the caller's business (merge first).
    pub fn save(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&FORMAT.to_le_bytes());
        out.extend_from_slice(&[0; 12]);
        let (rows, shape) = (&self.rows, &self.shape);
        for number in [rows.count, shape.layout.stride() as u32, shape.fields.len() as u32, shape.stored.len() as u32] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        put_section(out, |out| out.extend_from_slice(&rows.fixed));
        put_section(out, |out| out.extend_from_slice(&rows.heap));
        put_section(out, |out| rows.lengths.iter().for_each(|length| out.extend_from_slice(&length.to_le_bytes())));
        put_section(out, |out| {
            (0..rows.stored.rows()).for_each(|row| varint::put(out, rows.stored.row(row).unwrap_or_default().len() as u64));
        });
        put_section(out, |out| out.extend_from_slice(rows.stored.bytes()));
        let (mut words, mut bytes) = (vec![0..0; self.lists.len()], Vec::new());
        self.lexicon.with_words(self.lists.ids(), |place, word| {
            words[place] = bytes.len()..bytes.len() + word.len();
            bytes.extend_from_slice(word);
        });
        put_section(out, |out| {
            for word in words {
                varint::put(out, word.len() as u64);
                out.extend_from_slice(&bytes[word]);
            }
        });
        put_section(out, |out| (0..self.lists.len()).for_each(|term| varint::put(out, self.lists.bytes_of(term).len() as u64)));
        put_section(out, |out| (0..self.lists.len()).for_each(|term| out.extend_from_slice(self.lists.bytes_of(term))));

        let len = (out.len() - start - HEAD_BYTES) as u64;
        out[start + 16..start + 24].copy_from_slice(&len.to_le_bytes());
        let crc = crc32fast::hash(&out[start + 16..]);
        out[start + 12..start + 16].copy_from_slice(&crc.to_le_bytes());
    }

    /// Reads what `save` wrote, interning its words. Corrupt bytes give ChunkError::Corrupt, never a panic.
    pub fn load(bytes: &[u8], file: &str, schema: Arc<Schema>, lexicon: &Arc<Lexicon>) -> Result<RamSegment, ChunkError> {
        let mut reader = Reader { bytes, at: 0, file };
        if reader.take(8)? != MAGIC {
            return Err(reader.corrupt("no saved RAM segment"));
        }
        let format = reader.u32()?;
        if format > FORMAT {
            return Err(ChunkError::TooNew { file: file.to_owned(), found: format, known: FORMAT });
        }
        let crc = reader.u32()?;
        if crc32fast::hash(&bytes[reader.at..]) != crc {
            return Err(reader.corrupt("checksum mismatch"));
        }
        if reader.u64()? != (bytes.len() - reader.at) as u64 {
            return Err(reader.corrupt("another length than the head says"));
        }
        let shape = Arc::new(Shape::new(schema));
        let rows = read_rows(&mut reader, &shape)?;
        let lists = read_lists(&mut reader, &shape, rows.count, lexicon)?;
        if reader.at != bytes.len() {
            return Err(reader.corrupt("bytes behind the last section"));
        }
        Ok(RamSegment::new(shape, lexicon.clone(), rows, lists))
    }
}

/// Appends the length of what `write` appends, then that.
fn put_section(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0; 8]);
    write(out);
    let len = (out.len() - at - 8) as u64;
    out[at..at + 8].copy_from_slice(&len.to_le_bytes());
}

/// Bytes that may be wrong.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    file: &'a str,
}

impl<'a> Reader<'a> {
    fn corrupt(&self, reason: &str) -> ChunkError {
        ChunkError::Corrupt { file: self.file.to_owned(), reason: format!("{reason}, before byte {}", self.at) }
    }

    fn take(&mut self, len: u64) -> Result<&'a [u8], ChunkError> {
        let end = usize::try_from(len).ok().and_then(|len| self.at.checked_add(len));
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(taken) => {
                self.at += taken.len();
                Ok(taken)
            }
            None => Err(self.corrupt("more bytes expected")),
        }
    }

    fn u32(&mut self) -> Result<u32, ChunkError> {
        let mut number = [0; 4];
        number.copy_from_slice(self.take(4)?);
        Ok(u32::from_le_bytes(number))
    }

    fn u64(&mut self) -> Result<u64, ChunkError> {
        let mut number = [0; 8];
        number.copy_from_slice(self.take(8)?);
        Ok(u64::from_le_bytes(number))
    }

    fn section(&mut self) -> Result<&'a [u8], ChunkError> {
        let len = self.u64()?;
        self.take(len)
    }

    /// `Err(reason)` where `holds` is false.
    fn expect(&self, holds: bool, reason: &str) -> Result<(), ChunkError> {
        if holds { Ok(()) } else { Err(self.corrupt(reason)) }
    }
}

fn read_rows(reader: &mut Reader<'_>, shape: &Shape) -> Result<Rows, ChunkError> {
    let layout = &shape.layout;
    let (count, stride, fields, stored) = (reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?);
    let same = stride as usize == layout.stride() && fields as usize == shape.fields.len() && stored as usize == shape.stored.len();
    reader.expect(same, "rows of another schema")?;
    let (fixed, heap) = (reader.section()?, reader.section()?);
    reader.expect(fixed.len() as u64 == count as u64 * layout.stride() as u64, "fixed rows of another length")?;
    let mut blobs_end = 0;
    for fixed in fixed.chunks_exact(layout.stride()).filter(|_| layout.has_blobs()) {
        let blobs = heap.get(blobs_end..).unwrap_or(&[]);
        reader.expect(layout.blob_offset(fixed) == blobs_end as u64 && !blobs.is_empty(), "blobs out of order")?;
        blobs_end += layout.blob_len(RowBytes { fixed, blobs });
    }
    reader.expect(blobs_end == heap.len(), "a blob heap of another length")?;

    let lengths = reader.section()?;
    reader.expect(lengths.len() as u64 == count as u64 * fields as u64 * 4, "field lengths for another number of rows")?;
    let mut rows = Rows::new(shape);
    rows.lengths = lengths.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    if !shape.fields.is_empty() {
        for row in rows.lengths.chunks_exact(shape.fields.len()) {
            row.iter().zip(&mut rows.tokens).for_each(|(length, sum)| *sum += *length as u64);
        }
    }

    let (sizes, mut text) = (reader.section()?, reader.section()?);
    let mut at = 0;
    if !shape.stored.is_empty() {
        rows.stored = StoredText::with_capacity(count as usize, text.len());
        for _ in 0..count {
            let size = varint::get(sizes, &mut at);
            let Some((row, rest)) = usize::try_from(size).ok().and_then(|size| text.split_at_checked(size)) else {
                return Err(reader.corrupt("more stored text expected"));
            };
            reader.expect(StoredText::read(row, shape.stored.len(), &mut |_, _| ()), "a row of stored text is damaged")?;
            rows.stored.push_bytes(row);
            text = rest;
        }
    }
    reader.expect(at == sizes.len() && text.is_empty(), "stored text behind the last row")?;
    (rows.count, rows.fixed, rows.heap) = (count, fixed.to_vec(), heap.to_vec());
    Ok(rows)
}

fn read_lists(reader: &mut Reader<'_>, shape: &Shape, rows: u32, lexicon: &Lexicon) -> Result<Lists, ChunkError> {
    let (mut spellings, sizes, bytes) = (reader.section()?, reader.section()?, reader.section()?);
    let mut words = WordTable::default();
    while !spellings.is_empty() {
        let mut at = 0;
        let len = varint::get(spellings, &mut at);
        let word = usize::try_from(len).ok().and_then(|len| spellings.get(at..at.checked_add(len)?));
        let Some(word) = word else { return Err(reader.corrupt("a longer word expected")) };
        let count = words.len();
        words.intern(word_table::hash(word), word);
        reader.expect(words.len() > count, "a word twice")?;
        spellings = &spellings[at + word.len()..];
    }

    // Lists as they stand in the file: (end of its bytes, end of its skip points).
    let (mut ends, mut skips, mut at, mut start) = (Vec::with_capacity(words.len()), Vec::new(), 0, 0usize);
    let (fields, mut counts) = (shape.fields.len(), Vec::new());
    for _ in 0..words.len() {
        let size = varint::get(sizes, &mut at);
        let end = usize::try_from(size).ok().and_then(|size| start.checked_add(size)).unwrap_or(usize::MAX);
        let sound = bytes.get(start..end).and_then(|list| check_list(list, rows, fields, &mut counts, &mut skips));
        reader.expect(sound.is_some(), "a posting list is damaged")?;
        ends.push((end, skips.len()));
        start = end;
    }
    reader.expect(at == sizes.len() && start == bytes.len(), "posting lists behind the last word")?;

    let mut ids = Vec::new();
    lexicon.intern_all(&words, &mut ids, &mut Vec::new());
    let mut order: Vec<u32> = (0..words.len() as u32).collect();
    order.sort_unstable_by_key(|word| ids[*word as usize]);
    let mut writer = ListsWriter::new(ends.len(), bytes.len(), shape.many_fields());
    for word in order {
        let word = word as usize;
        let ((from, points_from), (to, points_to)) = (if word == 0 { (0, 0) } else { ends[word - 1] }, ends[word]);
        let list = List::read(&bytes[from..to], shape.many_fields());
        writer.push_moved(ids[word], list, &skips[points_from..points_to], 0);
    }
    Ok(writer.finish())
}

/// Reads a whole list and compares it with its head. None where anything is wrong: later readers trust lists. Appends its skip points.
/// `counts` is scratch.
fn check_list(list: &[u8], rows: u32, fields: usize, counts: &mut Vec<u32>, skips: &mut Vec<SkipPoint>) -> Option<()> {
    let mut strict = Strict { bytes: list, at: 0 };
    let many_fields = fields > 1;
    let docs = strict.number()?;
    let hits = docs.checked_add(strict.number()?)?;
    let (mut span, mut head_counts) = (0, Vec::new());
    if docs > 1 {
        span = strict.number()?;
        if many_fields {
            for _ in 0..strict.byte()? {
                head_counts.push((strict.byte()?, strict.number()?));
            }
        }
    }
    let body = strict.at;
    counts.clear();
    counts.resize(fields, 0);
    let (mut first, mut row, mut docs_read, mut hits_read, mut last_point) = (0, NO_ROW, 0u64, 0u64, body);
    while strict.at < list.len() {
        if strict.at - last_point >= SKIP_BYTES {
            last_point = strict.at;
            skips.push(SkipPoint { row, at: u32::try_from(strict.at - body).ok()? });
        }
        let head = strict.number()?;
        let next = if docs_read == 0 { head >> 1 } else { (row as u64 + 1).checked_add(head >> 1)? };
        row = u32::try_from(next).ok().filter(|row| *row < rows)?;
        if docs_read == 0 {
            first = row;
        }
        docs_read += 1;
        let lone = head & 1 == 1;
        let mut before = None;
        for _ in 0..if many_fields && !lone { strict.byte()? } else { 1 } {
            let field = if many_fields { strict.byte()? } else { 0 };
            *counts.get_mut(field as usize)? += 1;
            if before.is_some_and(|before| before >= field) {
                return None;
            }
            before = Some(field);
            let hits = if lone { 1 } else { strict.number()? };
            if hits == 0 || hits > (list.len() - strict.at) as u64 {
                return None;
            }
            hits_read += hits;
            let mut position = 0u32;
            for _ in 0..hits {
                position = position.checked_add(u32::try_from(strict.number()?).ok()?)?;
            }
        }
        before?;
    }
    let heads_hold = !many_fields
        || docs == 1
        || head_counts.iter().all(|(field, docs)| counts.get(*field as usize).is_some_and(|count| *count as u64 == *docs))
            && head_counts.len() == counts.iter().filter(|count| **count > 0).count();
    let sound = docs > 0 && docs == docs_read && hits == hits_read && span == (row - first) as u64 && heads_hold;
    sound.then_some(())
}

/// Numbers that must be there.
struct Strict<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Strict<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    fn number(&mut self) -> Option<u64> {
        let start = self.at;
        let value = varint::get(self.bytes, &mut self.at);
        let complete = self.at > start && self.bytes[self.at - 1] < 0x80 && self.at - start <= 10;
        complete.then_some(value)
    }
}
