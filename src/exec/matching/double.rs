//! A part in memory for tests: sorted maps, nothing clever.

use std::collections::{BTreeMap, HashMap};

use crate::chunk::{ChunkError, NO_ROW, Part, PatternPiece, Postings, RowLayout, RowRef, WordPattern, WordStats};
use crate::plan::matching::{QueryWords, TypedWord};
use crate::types::{Column, ColumnKind, DocId, FieldId, RowId, Schema, WordChars};

/// Rows with a word in a field, and the positions in each.
type List = Vec<(u32, Vec<u32>)>;

#[derive(Default)]
pub(crate) struct MemoryPart {
    words: BTreeMap<Vec<u8>, Vec<List>>,
    any: HashMap<Vec<u8>, Vec<(u32, u32)>>,
    lengths: Vec<Vec<u32>>,
}

/// A schema with text fields of these names.
pub(crate) fn schema(fields: &[&str]) -> Schema {
    let column = |(uid, name): (usize, &&str)| Column {
        name: (*name).to_owned(),
        kind: ColumnKind::Text,
        uid: uid as u32,
        indexed: true,
        stored: true,
        attribute: false,
        columnar: false,
    };
    Schema { version: 1, columns: fields.iter().enumerate().map(column).collect() }
}

/// Letters and digits are words, folded to lower case; accents are stripped from a few Latin letters. `stop` is a stopword.
#[derive(Clone, Copy, Default)]
pub(crate) struct PlainWords {
    pub(crate) min_infix_len: u32,
    pub(crate) min_prefix_len: u32,
    pub(crate) exact: bool,
}

pub(crate) fn fold(c: char) -> char {
    let c = c.to_lowercase().next().unwrap_or(c);
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ī' => 'i',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ñ' | 'ń' | 'ň' => 'n',
        'ç' | 'ć' | 'č' => 'c',
        'š' | 'ś' => 's',
        'ž' | 'ź' | 'ż' => 'z',
        'ý' | 'ÿ' => 'y',
        'ł' => 'l',
        c => c,
    }
}

impl WordChars for PlainWords {
    fn is_word(&self, c: char) -> bool {
        c.is_alphanumeric() || c == '_'
    }
}

impl QueryWords for PlainWords {
    fn words(&self, text: &str) -> (Vec<TypedWord>, u32) {
        let word = self.fold(text);
        if word == "stop" {
            return (Vec::new(), 1);
        }
        (vec![TypedWord { tokenized: word.clone(), normalized: word, position: 1 }], 1)
    }

    fn fold(&self, text: &str) -> String {
        text.chars().map(fold).collect()
    }

    fn min_prefix_len(&self) -> u32 {
        self.min_prefix_len
    }

    fn min_infix_len(&self) -> u32 {
        self.min_infix_len
    }

    fn index_exact_words(&self) -> bool {
        self.exact
    }
}

impl MemoryPart {
    /// Adds a row; `=word` forms too if the words ask for them.
    pub(crate) fn add(&mut self, words: &PlainWords, fields: &[&str]) {
        let row = self.lengths.len() as u32;
        let mut lengths = Vec::new();
        for (f, text) in fields.iter().enumerate() {
            let mut position = 0;
            for raw in text.split(|c| !words.is_word(c)).filter(|w| !w.is_empty()) {
                position += 1;
                let (tokens, _) = words.words(raw);
                for token in tokens {
                    let mut forms = vec![token.normalized.clone()];
                    if words.exact {
                        forms.push(format!("={}", token.tokenized));
                    }
                    for form in forms {
                        let lists = self.words.entry(form.clone().into_bytes()).or_insert_with(|| vec![Vec::new(); fields.len()]);
                        match lists[f].last_mut() {
                            Some((last, positions)) if *last == row => positions.push(position),
                            _ => lists[f].push((row, vec![position])),
                        }
                        let any = self.any.entry(form.into_bytes()).or_default();
                        match any.last_mut() {
                            Some((last, tf)) if *last == row => *tf += 1,
                            _ => any.push((row, 1)),
                        }
                    }
                }
            }
            lengths.push(position);
        }
        self.lengths.push(lengths);
    }
}

pub(crate) enum MemoryPostings<'a> {
    Field(&'a [(u32, Vec<u32>)], usize),
    Any(&'a [(u32, u32)], usize),
}

impl Postings for MemoryPostings<'_> {
    fn row(&self) -> u32 {
        match self {
            MemoryPostings::Field(list, at) => list.get(*at).map_or(NO_ROW, |e| e.0),
            MemoryPostings::Any(list, at) => list.get(*at).map_or(NO_ROW, |e| e.0),
        }
    }

    fn advance(&mut self) -> u32 {
        match self {
            MemoryPostings::Field(_, at) | MemoryPostings::Any(_, at) => *at += 1,
        }
        self.row()
    }

    fn seek(&mut self, target: u32) -> u32 {
        match self {
            MemoryPostings::Field(list, at) => *at = gallop(list, *at, |e| e.0 < target),
            MemoryPostings::Any(list, at) => *at = gallop(list, *at, |e| e.0 < target),
        }
        self.row()
    }

    fn tf(&self) -> u32 {
        match self {
            MemoryPostings::Field(list, at) => list[*at].1.len() as u32,
            MemoryPostings::Any(list, at) => list[*at].1,
        }
    }

    fn positions(&mut self, out: &mut Vec<u32>) {
        match self {
            MemoryPostings::Field(list, at) => out.extend_from_slice(&list[*at].1),
            MemoryPostings::Any(..) => {}
        }
    }

    fn docs(&self) -> u32 {
        match self {
            MemoryPostings::Field(list, _) => list.len() as u32,
            MemoryPostings::Any(list, _) => list.len() as u32,
        }
    }
}

impl Part for MemoryPart {
    type Postings<'a> = MemoryPostings<'a>;

    fn row_count(&self) -> u32 {
        self.lengths.len() as u32
    }

    fn word_stats(&self, word: &[u8]) -> Result<WordStats, ChunkError> {
        let list = self.any.get(word).map_or(&[][..], |l| l);
        Ok(WordStats { docs: list.len() as u64, hits: list.iter().map(|e| u64::from(e.1)).sum() })
    }

    fn postings(&self, word: &[u8], field: FieldId) -> Result<Option<MemoryPostings<'_>>, ChunkError> {
        let list = self.words.get(word).and_then(|lists| lists.get(usize::from(field.0))).filter(|l| !l.is_empty());
        Ok(list.map(|l| MemoryPostings::Field(l, 0)))
    }

    fn any_postings(&self, word: &[u8]) -> Result<Option<MemoryPostings<'_>>, ChunkError> {
        Ok(self.any.get(word).map(|l| MemoryPostings::Any(l, 0)))
    }

    fn expand(&self, pattern: &WordPattern, found: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), ChunkError> {
        let exact = matches!(pattern.pieces.first(), Some(PatternPiece::Literal(l)) if l.starts_with('='));
        for word in self.words.keys().filter(|w| w.starts_with(b"=") == exact) {
            let text: Vec<char> = String::from_utf8_lossy(word).chars().collect();
            if stands_for(&pattern.pieces, &text) && !found(word) {
                break;
            }
        }
        Ok(())
    }

    fn field_length(&self, row: RowId, field: FieldId) -> u32 {
        self.lengths[row.0 as usize][usize::from(field.0)]
    }

    fn field_tokens(&self, field: FieldId) -> u64 {
        self.lengths.iter().map(|l| u64::from(l[usize::from(field.0)])).sum()
    }

    fn layout(&self) -> &RowLayout {
        unreachable!("the matcher reads no attributes")
    }

    fn base_row(&self, _row: RowId) -> RowRef<'_> {
        unreachable!("the matcher reads no attributes")
    }

    fn doc_id(&self, row: RowId) -> DocId {
        DocId(u64::from(row.0) + 1)
    }

    fn find(&self, id: DocId) -> Option<RowId> {
        Some(RowId(id.0 as u32 - 1))
    }

    fn id_range(&self) -> Option<(DocId, DocId)> {
        None
    }

    fn stored(&self, _row: RowId, _take: &mut dyn FnMut(usize, &str)) -> Result<(), ChunkError> {
        unreachable!("the matcher reads no stored text")
    }
}

/// The first index from `at` on whose entry is not `less`; near ones cost little.
fn gallop<T>(list: &[T], at: usize, less: impl Fn(&T) -> bool) -> usize {
    let (mut low, mut step) = (at.min(list.len()), 1);
    while low + step < list.len() && less(&list[low + step]) {
        low += step;
        step *= 2;
    }
    low + list[low..(low + step + 1).min(list.len())].partition_point(less)
}

/// Whether a pattern stands for a word.
pub(crate) fn stands_for(pieces: &[PatternPiece], text: &[char]) -> bool {
    let Some((piece, rest)) = pieces.split_first() else { return text.is_empty() };
    match piece {
        PatternPiece::Literal(literal) => {
            let literal: Vec<char> = literal.chars().collect();
            text.starts_with(&literal) && stands_for(rest, &text[literal.len()..])
        }
        PatternPiece::Any => (0..=text.len()).any(|n| stands_for(rest, &text[n..])),
        PatternPiece::One => !text.is_empty() && stands_for(rest, &text[1..]),
        PatternPiece::Maybe => stands_for(rest, text) || (!text.is_empty() && stands_for(rest, &text[1..])),
    }
}
