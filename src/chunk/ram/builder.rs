//! Building a segment from the rows of one statement, outside any lock.
//!
//! Tokens are kept as they come: `(number of the word in this builder, position)`. At the end each *distinct* word goes to the lexicon
//! once, and a counting sort brings the tokens of a word together, in row order, from where its posting list is written in one go.
//! What a builder needs besides the segment's own data comes from a small pool, so that a statement of one row allocates nothing large.

use std::sync::Arc;

use parking_lot::Mutex;

use super::super::postings::NO_ROW;
use super::lexicon::Lexicon;
use super::lists::{Lists, ListsWriter, Totals};
use super::segment::{RamSegment, Rows};
use super::shape::Shape;
use super::varint;
use super::word_table::{self, WordTable};
use crate::text::Analyzer;
use crate::types::{DocId, RowId, Schema, Value};

/// Scratch kept for later builders: as many as statements usually run at once.
const POOL_MAX: usize = 16;
/// Scratch larger than this is given back to the system: batches of some thousand rows fit.
const POOLED_BYTES_MAX: usize = 8 << 20;

static POOL: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());

/// What a builder needs until its segment is done.
#[derive(Default)]
struct Scratch {
    /// The shape that the last builder had: statements on one table follow one another.
    shape: Option<Arc<Shape>>,
    words: WordTable,
    tokens: Vec<Token>,
    spans: Vec<Span>,
    inversion: Inversion,
}

/// Memory of [`invert`].
#[derive(Default)]
struct Inversion {
    ids: Vec<u32>,
    order: Vec<u32>,
    /// Term number in the high half, word of the builder in the low half.
    terms: Vec<u64>,
    /// Per word of the builder: first the count of its tokens, then where the next one goes.
    next: Vec<usize>,
    /// Tokens by term: (span, position).
    hits: Vec<(u32, u32)>,
}

/// One token: word of the builder, position.
type Token = (u32, u32);

/// The tokens of one row in one field. Only spans with tokens are kept.
#[derive(Clone, Copy)]
struct Span {
    row: u32,
    field: u8,
    /// End of its tokens; they begin where those of the span before end.
    end: usize,
}

/// What splits text into words: [`Analyzer`], or a plain double in tests.
pub(super) trait Tokenize {
    /// Calls `emit(word, position)` for each token and returns the length of the text in positions.
    fn tokenize(&self, text: &str, emit: &mut impl FnMut(&[u8], u32)) -> u32;
}

impl Tokenize for Analyzer {
    fn tokenize(&self, text: &str, emit: &mut impl FnMut(&[u8], u32)) -> u32 {
        self.index(text, emit)
    }
}

/// Builds one segment outside any lock.
pub struct SegmentBuilder {
    shape: Arc<Shape>,
    rows: Rows,
    scratch: Scratch,
}

impl SegmentBuilder {
    /// A builder of rows of `schema`.
    pub fn new(schema: Arc<Schema>) -> SegmentBuilder {
        let mut scratch = POOL.lock().pop().unwrap_or_default();
        let shape = match &scratch.shape {
            Some(shape) if Arc::ptr_eq(&shape.schema, &schema) => shape.clone(),
            _ => {
                let shape = Arc::new(Shape::new(schema));
                scratch.shape = Some(shape.clone());
                shape
            }
        };
        let rows = Rows::new(&shape);
        SegmentBuilder { shape, rows, scratch }
    }

    /// Tokenizes and inverts one row. `values`: one per schema column, of the column's kind, text columns too (`Value::Text`).
    /// Ids within one builder may repeat only if the caller marks the earlier row dead.
    pub fn add(&mut self, analyzer: &Analyzer, id: DocId, values: &[Value]) -> RowId {
        self.add_with(analyzer, id, values)
    }

    pub(super) fn add_with(&mut self, tokenizer: &impl Tokenize, id: DocId, values: &[Value]) -> RowId {
        let row = self.rows.count;
        let Scratch { words, tokens, spans, .. } = &mut self.scratch;
        for (field, column) in self.shape.fields.iter().enumerate() {
            let text = text_of(values, *column);
            let before = tokens.len();
            let length = tokenizer.tokenize(text, &mut |word, position| {
                tokens.push((words.intern(word_table::hash(word), word), position));
            });
            if tokens.len() > before {
                spans.push(Span { row, field: field as u8, end: tokens.len() });
            }
            self.rows.push_length(field, length);
        }
        self.rows.push(&self.shape, id, values);
        RowId(row)
    }

    /// Rows so far.
    pub fn row_count(&self) -> u32 {
        self.rows.count
    }

    /// Approximate bytes so far (bounds a transaction).
    pub fn memory_bytes(&self) -> usize {
        let Scratch { words, tokens, spans, .. } = &self.scratch;
        // Each token is there twice at the end: as it came, and by term.
        self.rows.memory_bytes() + tokens.len() * 2 * size_of::<Token>() + spans.len() * size_of::<Span>() + words.byte_len()
    }

    /// Interns its words and becomes immutable.
    pub fn finish(self, lexicon: &Arc<Lexicon>) -> RamSegment {
        let SegmentBuilder { shape, rows, mut scratch } = self;
        let lists = invert(&mut scratch, lexicon, shape.many_fields());
        scratch.give_back();
        RamSegment::new(shape, lexicon.clone(), rows, lists)
    }
}

pub(super) fn text_of(values: &[Value], column: usize) -> &str {
    match values.get(column) {
        Some(Value::Text(text)) => text,
        _ => "",
    }
}

impl Scratch {
    fn memory_bytes(&self) -> usize {
        let Inversion { ids, order, terms, next, hits } = &self.inversion;
        self.words.memory_bytes()
            + (self.tokens.capacity() + hits.capacity() + terms.capacity() + next.capacity()) * 8
            + (ids.capacity() + order.capacity()) * 4
            + self.spans.capacity() * size_of::<Span>()
    }

    fn give_back(mut self) {
        if self.memory_bytes() > POOLED_BYTES_MAX {
            return;
        }
        self.words.clear();
        self.tokens.clear();
        self.spans.clear();
        let mut pool = POOL.lock();
        if pool.len() < POOL_MAX {
            pool.push(self);
        }
    }
}

/// The posting lists of the collected tokens.
fn invert(scratch: &mut Scratch, lexicon: &Lexicon, many_fields: bool) -> Lists {
    let Scratch { words, tokens, spans, inversion: Inversion { ids, order, terms, next, hits }, .. } = scratch;
    lexicon.intern_all(words, ids, order);
    terms.clear();
    terms.extend(ids.iter().enumerate().map(|(word, id)| (*id as u64) << 32 | word as u64));
    terms.sort_unstable();

    next.clear();
    next.resize(words.len(), 0);
    for (word, _) in tokens.iter() {
        next[*word as usize] += 1;
    }
    let mut start = 0;
    for term in terms.iter() {
        let slot = &mut next[*term as u32 as usize];
        start += std::mem::replace(slot, start);
    }
    // Every slot is written below: the counts add up to the length.
    hits.resize(tokens.len(), (0, 0));
    let mut token = 0;
    for (number, span) in spans.iter().enumerate() {
        for (word, position) in &tokens[token..span.end] {
            let slot = &mut next[*word as usize];
            hits[*slot] = (number as u32, *position);
            *slot += 1;
        }
        token = span.end;
    }

    // A posting takes about three bytes: row gap, position, and a share of the heads.
    let mut writer = ListsWriter::new(terms.len(), tokens.len() * 3 + terms.len() * 3, many_fields);
    let mut totals = Totals::new();
    let mut start = 0;
    for term in terms.iter() {
        let end = next[*term as u32 as usize];
        write_list(&mut writer, &mut totals, (*term >> 32) as u32, &hits[start..end], spans, many_fields);
        start = end;
    }
    writer.finish()
}

/// Writes the list of a term from its hits: (span, position), in order. There is at least one.
fn write_list(writer: &mut ListsWriter, totals: &mut Totals, id: u32, hits: &[(u32, u32)], spans: &[Span], many_fields: bool) {
    totals.clear();
    totals.hits = hits.len() as u64;
    if let [(span, position)] = hits {
        let span = spans[*span as usize];
        totals.docs = 1;
        writer.open(id, totals);
        put_lone(writer.out(), span.row, span.field, *position, many_fields);
        writer.close();
        return;
    }
    let (first, last) = (spans[hits[0].0 as usize].row, spans[hits[hits.len() - 1].0 as usize].row);
    (totals.first, totals.last) = (first, last);
    let (mut row, mut last_span) = (NO_ROW, NO_ROW);
    for (number, _) in hits {
        if *number != last_span {
            last_span = *number;
            let span = spans[*number as usize];
            if span.row != row {
                row = span.row;
                totals.docs += 1;
            }
            if many_fields {
                totals.add_field(span.field, 1);
            }
        }
    }
    writer.open(id, totals);
    let (mut at, mut before) = (0, NO_ROW);
    while at < hits.len() {
        let span = spans[hits[at].0 as usize];
        let row = span.row;
        let mut end = at + 1;
        while end < hits.len() && (hits[end].0 == hits[at].0 || spans[hits[end].0 as usize].row == row) {
            end += 1;
        }
        let gap = row.wrapping_sub(before).wrapping_sub(1);
        if before != NO_ROW {
            writer.point(before);
        }
        if end == at + 1 {
            put_lone(writer.out(), gap, span.field, hits[at].1, many_fields);
        } else {
            put_several(writer.out(), gap, &hits[at..end], spans, many_fields);
        }
        before = row;
        at = end;
    }
    writer.close();
}

fn put_lone(out: &mut Vec<u8>, gap: u32, field: u8, position: u32, many_fields: bool) {
    varint::put(out, (gap as u64) << 1 | 1);
    if many_fields {
        out.push(field);
    }
    varint::put(out, position as u64);
}

/// An entry of two hits or more.
fn put_several(out: &mut Vec<u8>, gap: u32, hits: &[(u32, u32)], spans: &[Span], many_fields: bool) {
    varint::put(out, (gap as u64) << 1);
    let by_span = |a: &(u32, u32), b: &(u32, u32)| a.0 == b.0;
    if many_fields {
        out.push(hits.chunk_by(by_span).count() as u8);
    }
    for hits in hits.chunk_by(by_span) {
        if many_fields {
            out.push(spans[hits[0].0 as usize].field);
        }
        varint::put(out, hits.len() as u64);
        let mut before = 0u32;
        for (_, position) in hits {
            varint::put(out, position.wrapping_sub(before) as u64);
            before = *position;
        }
    }
}
