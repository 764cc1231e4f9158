//! The words of one field, or of all, in byte order.
//!
//! ```text
//! blocks   16 words each (the last may have fewer):
//!            u16 bytes of the words: those of the first are in the index; then per word number (bytes shared with the one before),
//!            number (bytes that follow), bytes
//!            per word  number (rows), number (hits less rows), number (bytes of its list),
//!                      number (bytes of its positions), the last only where there are positions
//! heads    first words of the blocks, back to back
//! index    per block u64 where it begins in the blocks, u64 in the postings, u64 in the positions, u32 where its first word ends in the heads
//! ```
//!
//! A look-up halves the index and then reads one block; a walk reads the words and skips the rest.

use std::io::{self, Write};

use super::cursor::{BlockReader, Cursor};
use super::list::{List, ListMark};
use super::positions::PositionsReader;
use super::{Damage, put_number, take_number};
use crate::types::Bytes;

/// Words of a block.
const WORDS: usize = 16;
/// Bytes of an entry of the index.
const ENTRY_BYTES: usize = 28;
/// Longest word. The tokenizer cuts words far below.
const WORD_BYTES_MAX: usize = 2048;

const SHORT: Damage = Damage("a dictionary is cut short");

/// What the header keeps of a dictionary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::chunk::disk) struct DictionaryMark {
    /// Number of words.
    pub(in crate::chunk::disk) words: u64,
    /// Most hits of one word in one row.
    pub(in crate::chunk::disk) tf_max: u32,
    /// Where it begins in the terms, and bytes of its blocks and of its heads.
    pub(in crate::chunk::disk) terms: [u64; 3],
    /// Where its lists begin in the postings, and their bytes.
    pub(in crate::chunk::disk) postings: [u64; 2],
    /// Where its positions begin, and their bytes.
    pub(in crate::chunk::disk) positions: [u64; 2],
}

/// Writes a dictionary, word after word.
pub(super) struct DictionaryWriter {
    positions: bool,
    words: u64,
    tf_max: u32,
    /// Words and numbers of the block under way.
    block: Vec<u8>,
    numbers: Vec<u8>,
    last: Vec<u8>,
    heads: Vec<u8>,
    index: Vec<u8>,
    blocks: u64,
    /// Bytes of the lists written so far.
    lists: [u64; 2],
}

impl DictionaryWriter {
    /// Of words whose lists have positions, or have none.
    pub(super) fn new(positions: bool) -> DictionaryWriter {
        DictionaryWriter {
            positions,
            words: 0,
            tf_max: 0,
            block: Vec::new(),
            numbers: Vec::new(),
            last: Vec::new(),
            heads: Vec::new(),
            index: Vec::new(),
            blocks: 0,
            lists: [0; 2],
        }
    }

    /// Adds a word, greater than the one before, whose list was written last and has at most `tf_max` hits in a row.
    pub(super) fn add(&mut self, word: &[u8], (list, tf_max): (ListMark, u32), out: &mut impl Write) -> io::Result<()> {
        assert!(word.len() <= WORD_BYTES_MAX, "a word of {} bytes passed the tokenizer", word.len());
        assert!(self.words == 0 || *word > self.last[..], "words come in ascending order");
        if self.words.is_multiple_of(WORDS as u64) {
            self.end_block(out)?;
            self.heads.extend_from_slice(word);
            self.index.extend_from_slice(&self.blocks.to_le_bytes());
            self.index.extend_from_slice(&self.lists[0].to_le_bytes());
            self.index.extend_from_slice(&self.lists[1].to_le_bytes());
            self.index.extend_from_slice(&(self.heads.len() as u32).to_le_bytes());
        } else {
            let shared = self.last.iter().zip(word).take_while(|(a, b)| a == b).count();
            put_number(&mut self.block, shared as u64);
            put_number(&mut self.block, (word.len() - shared) as u64);
            self.block.extend_from_slice(&word[shared..]);
        }
        self.last.clear();
        self.last.extend_from_slice(word);
        self.words += 1;
        self.tf_max = self.tf_max.max(tf_max);
        put_number(&mut self.numbers, u64::from(list.docs));
        put_number(&mut self.numbers, list.hits - u64::from(list.docs));
        put_number(&mut self.numbers, list.postings);
        if self.positions {
            put_number(&mut self.numbers, list.positions);
        }
        self.lists = [self.lists[0] + list.postings, self.lists[1] + list.positions];
        Ok(())
    }

    fn end_block(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.words == 0 {
            return Ok(());
        }
        // 15 words of at most 2 052 bytes with their lengths.
        out.write_all(&(self.block.len() as u16).to_le_bytes())?;
        out.write_all(&self.block)?;
        out.write_all(&self.numbers)?;
        self.blocks += (2 + self.block.len() + self.numbers.len()) as u64;
        self.block.clear();
        self.numbers.clear();
        Ok(())
    }

    /// Ends the dictionary: its bytes, and its mark but for where it and its lists begin.
    pub(super) fn end(mut self, out: &mut impl Write) -> io::Result<(u64, DictionaryMark)> {
        self.end_block(out)?;
        out.write_all(&self.heads)?;
        out.write_all(&self.index)?;
        let (blocks, heads) = (self.blocks, self.heads.len() as u64);
        let mark = DictionaryMark {
            words: self.words,
            tf_max: self.tf_max,
            terms: [0, blocks, heads],
            postings: [0, self.lists[0]],
            positions: [0, self.lists[1]],
        };
        Ok((blocks + heads + self.index.len() as u64, mark))
    }
}

/// Where a word's list is, and what is known of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::chunk::disk) struct Place {
    mark: ListMark,
    postings: u64,
    positions: u64,
}

impl Place {
    /// Rows with the word.
    pub(in crate::chunk::disk) fn docs(&self) -> u32 {
        self.mark.docs
    }

    /// Hits in all rows.
    pub(in crate::chunk::disk) fn hits(&self) -> u64 {
        self.mark.hits
    }

    /// Bytes of list and positions.
    pub(super) fn bytes(&self) -> u64 {
        self.mark.postings + self.mark.positions
    }

    /// Reads the numbers of the next word of a block and steps over its list.
    #[inline]
    fn take(&mut self, numbers: &mut &[u8], positions: bool) -> Option<()> {
        let docs = u32::try_from(take_number(numbers)?).ok()?;
        let hits = take_number(numbers)?.checked_add(u64::from(docs))?;
        self.postings = self.postings.checked_add(self.mark.postings)?;
        self.positions = self.positions.checked_add(self.mark.positions)?;
        let postings = take_number(numbers)?;
        self.mark = ListMark { docs, hits, postings, positions: if positions { take_number(numbers)? } else { 0 } };
        Some(())
    }
}

/// A dictionary to read.
pub(in crate::chunk::disk) struct Dictionary {
    mark: DictionaryMark,
    has_positions: bool,
    blocks: Bytes,
    heads: Bytes,
    index: Bytes,
    postings: Bytes,
    positions: Bytes,
}

/// An entry of the index.
struct Entry {
    start: usize,
    place: Place,
    head_end: usize,
}

impl Dictionary {
    /// Opens a dictionary out of the three files. None where the mark does not fit them.
    pub(in crate::chunk::disk) fn open(mark: DictionaryMark, has_positions: bool, files: [&Bytes; 3]) -> Option<Dictionary> {
        let slice = |file: &Bytes, start: u64, len: u64| {
            let start = usize::try_from(start).ok()?;
            file.slice(start..start.checked_add(usize::try_from(len).ok()?)?)
        };
        let [start, blocks, heads] = mark.terms;
        let index = mark.words.div_ceil(WORDS as u64).checked_mul(ENTRY_BYTES as u64)?;
        Some(Dictionary {
            mark,
            has_positions,
            blocks: slice(files[0], start, blocks)?,
            heads: slice(files[0], start.checked_add(blocks)?, heads)?,
            index: slice(files[0], start.checked_add(blocks)?.checked_add(heads)?, index)?,
            postings: slice(files[1], mark.postings[0], mark.postings[1])?,
            positions: slice(files[2], mark.positions[0], mark.positions[1])?,
        })
    }

    /// Number of words.
    pub(in crate::chunk::disk) fn word_total(&self) -> u64 {
        self.mark.words
    }

    /// Blocks of words.
    pub(super) fn block_count(&self) -> usize {
        self.index.len() / ENTRY_BYTES
    }

    /// Bytes of words, lists and positions.
    pub(super) fn bytes(&self) -> u64 {
        (self.blocks.len() + self.postings.len() + self.positions.len()) as u64
    }

    /// Bytes of words, lists and positions before a block.
    pub(super) fn bytes_before(&self, block: usize) -> Result<u64, Damage> {
        let Entry { start, place, .. } = Self::entry(&self.index, block).ok_or(SHORT)?;
        Ok((start as u64).saturating_add(place.postings).saturating_add(place.positions))
    }

    /// The first word of a block.
    pub(super) fn first_word(&self, block: usize) -> Result<&[u8], Damage> {
        let start = if block == 0 { 0 } else { Self::entry(&self.index, block - 1).ok_or(SHORT)?.head_end };
        self.heads.get(start..Self::entry(&self.index, block).ok_or(SHORT)?.head_end).ok_or(SHORT)
    }

    /// Words of a block.
    fn word_count(&self, block: usize) -> usize {
        (self.mark.words - (block * WORDS) as u64).min(WORDS as u64) as usize
    }

    fn entry(index: &[u8], block: usize) -> Option<Entry> {
        let (entries, _) = index.as_chunks::<ENTRY_BYTES>();
        let entry = entries.get(block)?;
        let long = |at: usize| u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|n| entry[at + n]));
        Some(Entry {
            start: usize::try_from(long(0)).ok()?,
            place: Place { postings: long(8), positions: long(16), ..Place::default() },
            head_end: u32::from_le_bytes([entry[24], entry[25], entry[26], entry[27]]) as usize,
        })
    }

    /// Place of a word's list.
    pub(in crate::chunk::disk) fn find(&self, word: &[u8]) -> Result<Option<Place>, Damage> {
        let (index, heads, blocks) = (&self.index[..], &self.heads[..], &self.blocks[..]);
        // The last block whose first word is not greater.
        let head = |block: usize| {
            let start = if block == 0 { 0 } else { Self::entry(index, block - 1)?.head_end };
            heads.get(start..Self::entry(index, block)?.head_end)
        };
        let (mut low, mut high) = (0, self.block_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if head(middle).ok_or(SHORT)? <= word { low = middle + 1 } else { high = middle }
        }
        let Some(block) = low.checked_sub(1) else { return Ok(None) };
        let entry = Self::entry(index, block).ok_or(SHORT)?;
        let (mut words, mut numbers) = split_block(blocks, entry.start).ok_or(SHORT)?;
        // How many bytes of `word` are those of the word before; it is less than `word`.
        let head = head(block).ok_or(SHORT)?;
        let mut common = head.iter().zip(word).take_while(|(a, b)| a == b).count();
        let mut at = 0;
        if head != word {
            loop {
                at += 1;
                if at == self.word_count(block) {
                    return Ok(None);
                }
                let (shared, rest) = take_word(&mut words).ok_or(SHORT)?;
                if shared < common {
                    // Parts from `word` earlier than the one before did, so it is greater.
                    return Ok(None);
                }
                if shared == common {
                    let more = rest.iter().zip(&word[common..]).take_while(|(a, b)| a == b).count();
                    common += more;
                    match (rest.get(more), word.get(common)) {
                        (None, None) => break,
                        (None, Some(_)) => {}
                        (Some(_), None) => return Ok(None),
                        (Some(a), Some(b)) if a > b => return Ok(None),
                        (Some(_), Some(_)) => {}
                    }
                }
            }
        }
        let mut place = entry.place;
        for _ in 0..=at {
            place.take(&mut numbers, self.has_positions).ok_or(SHORT)?;
        }
        Ok(Some(place))
    }

    /// Calls `found` with the words in `from..to` in byte order until it returns false; `to` None = to the end. Whether it never did.
    pub(in crate::chunk::disk) fn walk(
        &self,
        from: &[u8],
        to: Option<&[u8]>,
        found: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<bool, Damage> {
        // The words alone are asked for.
        let mut words = Words { with_places: false, ..self.words_from(from)? };
        while words.advance()? {
            if words.word() < from {
                continue;
            }
            if to.is_some_and(|to| words.word() >= to) {
                return Ok(true);
            }
            if !found(words.word()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All words in byte order.
    fn words(&self) -> Words<'_> {
        Words {
            dictionary: self,
            block: 0,
            left: 0,
            words: &[],
            numbers: &[],
            word: Vec::new(),
            place: Place::default(),
            with_places: true,
        }
    }

    /// The words from the block on that may hold `from`.
    pub(super) fn words_from(&self, from: &[u8]) -> Result<Words<'_>, Damage> {
        let (index, heads) = (&self.index[..], &self.heads[..]);
        let (mut low, mut high) = (0, self.block_count());
        while low < high {
            let middle = low + (high - low) / 2;
            let start = if middle == 0 { 0 } else { Self::entry(index, middle - 1).ok_or(SHORT)?.head_end };
            let end = Self::entry(index, middle).ok_or(SHORT)?.head_end;
            if heads.get(start..end).ok_or(SHORT)? <= from { low = middle + 1 } else { high = middle }
        }
        Ok(Words { block: low.saturating_sub(1), ..self.words() })
    }

    fn list(&self, place: &Place) -> Result<List<'_>, Damage> {
        List::new(part(&self.postings, place.postings, place.mark.postings)?, place.mark.docs, self.has_positions)
    }

    fn position_list(&self, place: &Place) -> Result<PositionsReader<'_>, Damage> {
        PositionsReader::new(part(&self.positions, place.positions, place.mark.positions)?, place.mark.hits)
    }

    /// A cursor over the list at `place`, on its first row.
    pub(in crate::chunk::disk) fn cursor(&self, place: &Place, with_positions: bool) -> Result<Cursor<'_>, Damage> {
        let positions = if with_positions && self.has_positions { Some(self.position_list(place)?) } else { None };
        Cursor::new(self.list(place)?, positions, place.mark.docs, self.mark.tf_max)
    }

    /// Reads the whole list at `place` block by block.
    pub(super) fn read<E: From<Damage>>(
        &self,
        place: &Place,
        reader: &mut BlockReader,
        take: impl FnMut(&[u32], &[u32], &[u32]) -> Result<(), E>,
    ) -> Result<(), E> {
        let positions = if self.has_positions { Some(self.position_list(place)?) } else { None };
        reader.read(self.list(place)?, positions, self.mark.tf_max, take)
    }
}

fn part(file: &Bytes, start: u64, len: u64) -> Result<&[u8], Damage> {
    let range = || Some(usize::try_from(start).ok()?..usize::try_from(start.checked_add(len)?).ok()?);
    range().and_then(|range| file.get(range)).ok_or(Damage("a list lies outside its file"))
}

/// Words and numbers of the block that begins at `start`; the numbers run on into what follows.
fn split_block(blocks: &[u8], start: usize) -> Option<(&[u8], &[u8])> {
    let (len, rest) = blocks.get(start..)?.split_first_chunk::<2>()?;
    rest.split_at_checked(u16::from_le_bytes(*len) as usize)
}

/// Takes a word off the words of a block: bytes shared with the one before, and those that follow.
#[inline]
fn take_word<'a>(words: &mut &'a [u8]) -> Option<(usize, &'a [u8])> {
    let shared = take_number(words)? as usize;
    let len = usize::try_from(take_number(words)?).ok()?;
    let (rest, behind) = words.split_at_checked(len)?;
    *words = behind;
    Some((shared, rest))
}

/// A walk over the words of a dictionary.
pub(super) struct Words<'a> {
    dictionary: &'a Dictionary,
    /// The next block.
    block: usize,
    /// Words left in the present one.
    left: usize,
    words: &'a [u8],
    numbers: &'a [u8],
    word: Vec<u8>,
    place: Place,
    with_places: bool,
}

impl Words<'_> {
    /// Steps to the next word; false behind the last.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool, Damage> {
        if self.left == 0 {
            if self.block == self.dictionary.block_count() {
                return Ok(false);
            }
            self.enter().ok_or(SHORT)?;
        } else {
            let (shared, rest) = take_word(&mut self.words).ok_or(SHORT)?;
            if shared > self.word.len() || shared + rest.len() > WORD_BYTES_MAX {
                return Err(Damage("a word of a dictionary is damaged"));
            }
            self.word.truncate(shared);
            self.word.extend_from_slice(rest);
        }
        self.left -= 1;
        if self.with_places {
            self.place.take(&mut self.numbers, self.dictionary.has_positions).ok_or(SHORT)?;
        }
        Ok(true)
    }

    /// Begins the next block with its first word.
    fn enter(&mut self) -> Option<()> {
        let index = &self.dictionary.index[..];
        let start = if self.block == 0 { 0 } else { Dictionary::entry(index, self.block - 1)?.head_end };
        let entry = Dictionary::entry(index, self.block)?;
        (self.words, self.numbers) = split_block(&self.dictionary.blocks, entry.start)?;
        self.word.clear();
        self.word.extend_from_slice(self.dictionary.heads.get(start..entry.head_end)?);
        self.place = entry.place;
        self.left = self.dictionary.word_count(self.block);
        self.block += 1;
        Some(())
    }

    /// The word.
    #[inline]
    pub(super) fn word(&self) -> &[u8] {
        &self.word
    }

    /// Where its list is.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::chunk::disk::words::list::ListWriter;
    use crate::chunk::postings::NO_ROW;

    /// Words with lists of all lengths around those of a block, written and opened.
    pub(in crate::chunk::disk::words) fn sample(words: &[Vec<u8>], positions: bool) -> Dictionary {
        let (mut lists, mut dictionary) = (ListWriter::new(positions), DictionaryWriter::new(positions));
        let (mut terms, mut rows, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        for (n, word) in words.iter().enumerate() {
            for row in 0..docs(n) {
                let hits = 1 + row % 3;
                let wanted = vec![row % 7 + 1; if positions { hits as usize } else { 0 }];
                lists.add(row * 3 + n as u32, hits, &wanted, &mut rows, &mut gaps).expect("in memory");
            }
            let mark = lists.end(&mut rows, &mut gaps).expect("in memory");
            dictionary.add(word, mark, &mut terms).expect("in memory");
        }
        let (bytes, mark) = dictionary.end(&mut terms).expect("in memory");
        assert_eq!(bytes, terms.len() as u64);
        let files = [terms, rows, gaps].map(Bytes::from);
        Dictionary::open(mark, positions, [&files[0], &files[1], &files[2]]).expect("whole")
    }

    fn docs(n: usize) -> u32 {
        [1, 127, 128, 129, 700, 2][n % 6]
    }

    #[test]
    fn every_word_is_found_with_its_list() {
        let mut words: Vec<Vec<u8>> = (0..500u32).map(|n| format!("w{}", n * n * 7919 % 100_003).into_bytes()).collect();
        words.extend([b"".to_vec(), b"w".to_vec(), vec![255; 300], vec![255; 301], b"\0".to_vec()]);
        words.sort();
        words.dedup();
        for (count, positions) in [(0, true), (1, false), (16, true), (17, false), (words.len(), true), (words.len(), false)] {
            let words = &words[..count];
            let dictionary = sample(words, positions);
            for (n, word) in words.iter().enumerate() {
                let place = dictionary.find(word).expect("sound").expect("there");
                assert_eq!(place.docs(), docs(n));
                let mut cursor = dictionary.cursor(&place, true).expect("sound");
                let (mut found, mut hits, mut out) = (0, 0, Vec::new());
                while cursor.row() != NO_ROW {
                    assert_eq!(cursor.row(), found * 3 + n as u32);
                    out.clear();
                    cursor.positions(&mut out);
                    let wanted: Vec<u32> = (1..=cursor.tf()).map(|k| k * (found % 7 + 1)).collect();
                    assert_eq!(out, if positions { wanted } else { vec![] });
                    hits += u64::from(cursor.tf());
                    found += 1;
                    cursor.advance();
                }
                assert_eq!((found, hits), (docs(n), place.hits()));
                for other in [[&word[..], b"\0"].concat(), [&word[..], b"zz"].concat(), word[..word.len().saturating_sub(1)].to_vec()] {
                    assert_eq!(dictionary.find(&other).expect("sound").is_some(), words.contains(&other), "{other:?}");
                }
            }
            let walk = |from: &[u8], to: Option<&[u8]>| {
                let mut out = Vec::new();
                dictionary
                    .walk(from, to, &mut |w| {
                        out.push(w.to_vec());
                        true
                    })
                    .expect("sound");
                out
            };
            assert_eq!(walk(b"", None), words);
            let some: Vec<Vec<u8>> = words.iter().filter(|w| (&b"w3"[..]..&b"w52"[..]).contains(&&w[..])).cloned().collect();
            assert_eq!(walk(b"w3", Some(b"w52")), some);
        }
    }
}
