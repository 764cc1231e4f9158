//! Where the words of a new chunk come from: RAM segments or disk chunks. Both give distinct words in byte order, and for each its rows,
//! input after input.

use std::cmp::Ordering;
use std::ops::Range;

use super::cursor::BlockReader;
use super::dictionary::{Dictionary, Words};
use super::divide::WordRange;
use super::{Damage, POSTINGS, TERMS};
use crate::chunk::ChunkError;
use crate::chunk::disk::DiskChunk;
use crate::chunk::ram::{Entries, Entry, FlushTerms, RamSegment};
use crate::types::FieldId;

/// Rows of a RAM list that are handed on together.
const RUN: usize = 128;
/// Words whose RAM lists are opened together. The lists of a word lie anywhere in memory, and waiting for each in turn was 40 % of a
/// flush; opened in a row, the processor waits for many at once.
const AHEAD: usize = 32;

/// Words of the inputs of a build.
pub(in crate::chunk::disk) trait WordSource {
    /// Begins with the words of a range.
    fn begin(&mut self, range: &WordRange) -> Result<(), ChunkError>;
    /// Puts the next word into `word`; false behind the last of the range.
    fn next(&mut self, word: &mut Vec<u8>) -> Result<bool, ChunkError>;
    /// Calls `take` with runs of an input's rows: input, rows, hits of each, position gaps of all (none in a list over several fields).
    fn rows(&mut self, take: &mut impl FnMut(usize, &[u32], &[u32], &[u32]) -> Result<(), ChunkError>) -> Result<(), ChunkError>;
    /// Bytes of inputs read since it was asked last.
    fn bytes_read(&mut self) -> u64;
}

/// Which list of each word is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::chunk::disk) enum List {
    /// That of a field, with positions.
    Field(usize),
    /// That over all fields, which are so many.
    Any {
        /// Number of fields, two or more.
        fields: usize,
    },
}

impl List {
    /// The lists of a table with so many fields.
    pub(in crate::chunk::disk) fn of(fields: usize) -> impl Iterator<Item = List> {
        (0..fields).map(List::Field).chain((fields > 1).then_some(List::Any { fields }))
    }

    /// Number of its dictionary.
    pub(in crate::chunk::disk) fn number(self) -> usize {
        match self {
            List::Field(field) => field,
            List::Any { fields } => fields,
        }
    }

    /// Whether its lists have positions.
    pub(super) fn has_positions(self) -> bool {
        matches!(self, List::Field(_))
    }
}

/// The words of RAM segments of one lexicon.
pub(in crate::chunk::disk) struct RamWords<'a> {
    inputs: Vec<&'a RamSegment>,
    terms: FlushTerms,
    list: List,
    /// Number of the next word; the current one is before it.
    next: usize,
    /// Opened lists of the current word and of those behind it.
    opened: Vec<(usize, Entries<'a>)>,
    /// Those of the current word.
    current: Range<usize>,
    entry: Entry,
    rows: Vec<u32>,
    hits: Vec<u32>,
    gaps: Vec<u32>,
}

impl<'a> RamWords<'a> {
    /// The words of `inputs`, sorted here.
    pub(in crate::chunk::disk) fn new(inputs: Vec<&'a RamSegment>) -> RamWords<'a> {
        let terms = FlushTerms::new(&inputs);
        let (opened, rows, hits, gaps) = (vec![], vec![], vec![], vec![]);
        RamWords { inputs, terms, list: List::Field(0), next: 0, opened, current: 0..0, entry: Entry::default(), rows, hits, gaps }
    }

    /// Opens the lists of the next words.
    fn open_ahead(&mut self) {
        self.opened.clear();
        self.current = 0..0;
        for n in self.next..self.terms.len().min(self.next + AHEAD) {
            for source in self.terms.get(n).sources {
                let input = source.input as usize;
                self.opened.push((input, self.inputs[input].entries(source.term)));
            }
        }
    }
}

impl WordSource for RamWords<'_> {
    fn begin(&mut self, range: &WordRange) -> Result<(), ChunkError> {
        // All words of a flush are one range.
        (self.list, self.next, self.current) = (range.list, 0, 0..0);
        self.opened.clear();
        Ok(())
    }

    fn next(&mut self, word: &mut Vec<u8>) -> Result<bool, ChunkError> {
        if self.next == self.terms.len() {
            return Ok(false);
        }
        if self.current.end == self.opened.len() {
            self.open_ahead();
        }
        let term = self.terms.get(self.next);
        word.clear();
        word.extend_from_slice(term.word);
        self.current = self.current.end..self.current.end + term.sources.len();
        self.next += 1;
        Ok(true)
    }

    fn rows(&mut self, take: &mut impl FnMut(usize, &[u32], &[u32], &[u32]) -> Result<(), ChunkError>) -> Result<(), ChunkError> {
        for (input, entries) in &mut self.opened[self.current.clone()] {
            let mut more = true;
            while more {
                self.rows.clear();
                self.hits.clear();
                self.gaps.clear();
                while self.rows.len() < RUN {
                    more = entries.next(&mut self.entry);
                    if !more {
                        break;
                    }
                    let hits = match self.list {
                        List::Any { .. } => self.entry.hits(),
                        List::Field(field) => {
                            let positions = self.entry.positions(FieldId(field as u8));
                            let mut before = 0;
                            self.gaps.extend(positions.iter().map(|position| position - std::mem::replace(&mut before, *position)));
                            positions.len() as u32
                        }
                    };
                    if hits > 0 {
                        self.rows.push(self.entry.row);
                        self.hits.push(hits);
                    }
                }
                take(*input, &self.rows, &self.hits, &self.gaps)?;
            }
        }
        Ok(())
    }

    fn bytes_read(&mut self) -> u64 {
        0
    }
}

/// The words of disk chunks.
pub(in crate::chunk::disk) struct DiskWords<'a> {
    inputs: Vec<&'a DiskChunk>,
    /// The input being read, so that a panic can be laid at its door.
    reading: Option<usize>,
    dictionaries: Vec<&'a Dictionary>,
    words: Vec<Words<'a>>,
    /// The first word behind the range.
    end: Option<Vec<u8>>,
    reader: BlockReader,
    /// First eight bytes of each input's word, which mostly decide a comparison.
    heads: Vec<u64>,
    /// Inputs that have words left, as a heap with the least word (of the first input) on top.
    heap: Vec<usize>,
    /// Inputs with the current word, ascending; not in the heap.
    current: Vec<usize>,
    /// Whether a word of the range was given.
    begun: bool,
    bytes: u64,
    /// Words of inputs that were merged so far.
    merged: u64,
}

impl<'a> DiskWords<'a> {
    /// The words of `inputs`.
    pub(in crate::chunk::disk) fn new(inputs: Vec<&'a DiskChunk>) -> DiskWords<'a> {
        let heads = vec![0; inputs.len()];
        let (dictionaries, words, heap, current, reader) = (vec![], vec![], vec![], vec![], BlockReader::new());
        let (reading, end, begun, bytes, merged) = (None, None, false, 0, 0);
        DiskWords { inputs, reading, dictionaries, words, end, reader, heads, heap, current, begun, bytes, merged }
    }

    /// The input being read.
    pub(in crate::chunk::disk) fn reading(&self) -> Option<usize> {
        self.reading
    }

    /// Words of inputs that were merged so far: the same word of two inputs counts twice.
    pub(in crate::chunk::disk) fn merged(&self) -> u64 {
        self.merged
    }

    /// Steps an input to its next word and puts it into the heap, if there is one.
    fn step(&mut self, input: usize) -> Result<(), ChunkError> {
        self.reading = Some(input);
        if self.words[input].advance().map_err(|e| self.inputs[input].corrupt(TERMS, e.to_string()))? {
            self.push(input);
        }
        self.reading = None;
        Ok(())
    }

    /// The same with its first word that is not before `from`.
    fn enter(&mut self, input: usize, from: &[u8]) -> Result<(), ChunkError> {
        self.reading = Some(input);
        // The walk begins with the block that may hold it: few lie before it there.
        while self.words[input].advance().map_err(|e| self.inputs[input].corrupt(TERMS, e.to_string()))? {
            if self.words[input].word() >= from {
                self.push(input);
                break;
            }
        }
        self.reading = None;
        Ok(())
    }

    fn push(&mut self, input: usize) {
        self.heads[input] = head(self.words[input].word());
        self.heap.push(input);
        self.sift_up();
    }

    fn less(&self, a: usize, b: usize) -> bool {
        let words = || self.words[a].word().cmp(self.words[b].word());
        self.heads[a].cmp(&self.heads[b]).then_with(words).then(a.cmp(&b)) == Ordering::Less
    }

    fn sift_up(&mut self) {
        let mut at = self.heap.len() - 1;
        while at > 0 && self.less(self.heap[at], self.heap[(at - 1) / 2]) {
            self.heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn pop(&mut self) -> Option<usize> {
        if self.heap.is_empty() {
            return None;
        }
        let top = self.heap.swap_remove(0);
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= self.heap.len() {
                return Some(top);
            }
            let least = if right < self.heap.len() && self.less(self.heap[right], self.heap[left]) { right } else { left };
            if !self.less(self.heap[least], self.heap[at]) {
                return Some(top);
            }
            self.heap.swap(at, least);
            at = least;
        }
    }
}

/// The first eight bytes as a number that sorts as they do.
fn head(word: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = word.len().min(8);
    bytes[..len].copy_from_slice(&word[..len]);
    u64::from_be_bytes(bytes)
}

impl WordSource for DiskWords<'_> {
    fn begin(&mut self, range: &WordRange) -> Result<(), ChunkError> {
        (self.dictionaries, self.words) = (vec![], vec![]);
        (self.heap, self.current, self.begun) = (vec![], vec![], false);
        self.end.clone_from(&range.to);
        for (input, &chunk) in self.inputs.iter().enumerate() {
            self.reading = Some(input);
            let dictionary = chunk.dictionary(range.list.number())?;
            self.dictionaries.push(dictionary);
            self.words.push(dictionary.words_from(&range.from).map_err(|e| chunk.corrupt(TERMS, e.to_string()))?);
        }
        (0..self.inputs.len()).try_for_each(|input| self.enter(input, &range.from))
    }

    fn next(&mut self, word: &mut Vec<u8>) -> Result<bool, ChunkError> {
        let mut done = std::mem::take(&mut self.current);
        done.iter().try_for_each(|&input| self.step(input))?;
        done.clear();
        self.current = done;
        let Some(first) = self.pop() else { return Ok(false) };
        let found = self.words[first].word();
        // Damaged words may come in any order; the writer insists on theirs.
        if self.begun && found <= &word[..] {
            return Err(self.inputs[first].corrupt(TERMS, "words are out of order".to_owned()));
        }
        if self.end.as_deref().is_some_and(|end| found >= end) {
            return Ok(false);
        }
        self.begun = true;
        word.clear();
        word.extend_from_slice(found);
        self.current.push(first);
        while self.heap.first().is_some_and(|&top| self.heads[top] == self.heads[first] && self.words[top].word() == &word[..]) {
            let top = self.pop();
            self.current.extend(top);
        }
        self.merged += self.current.len() as u64;
        Ok(true)
    }

    fn rows(&mut self, take: &mut impl FnMut(usize, &[u32], &[u32], &[u32]) -> Result<(), ChunkError>) -> Result<(), ChunkError> {
        for &input in &self.current {
            self.reading = Some(input);
            let (chunk, place) = (self.inputs[input], self.words[input].place());
            let read = self.dictionaries[input]
                .read(place, &mut self.reader, |rows, hits, gaps| take(input, rows, hits, gaps).map_err(ReadError::Output));
            self.bytes += place.bytes();
            // Damage is the input's; anything else comes from the output.
            read.map_err(|e| match e {
                ReadError::Input(damage) => chunk.corrupt(POSTINGS, damage.to_string()),
                ReadError::Output(error) => error,
            })?;
        }
        self.reading = None;
        Ok(())
    }

    fn bytes_read(&mut self) -> u64 {
        std::mem::take(&mut self.bytes)
    }
}

enum ReadError {
    Input(Damage),
    Output(ChunkError),
}

impl From<Damage> for ReadError {
    fn from(damage: Damage) -> ReadError {
        ReadError::Input(damage)
    }
}
