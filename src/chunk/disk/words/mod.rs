//! The words of a chunk: per dictionary the words themselves, for each its list of rows, for each list its positions.
//!
//! ```text
//! terms       dictionary │ dictionary │ …         words in blocks of 16, and an index of the blocks      see `dictionary`
//! postings    lists of the first │ of the second  rows and hits per row in blocks of 128                 see `list`
//! positions   lists of the first │ …              position gaps in blocks of 128                         see `positions`
//! ```
//!
//! There is a dictionary per full-text field and, where there are two fields or more, one over all fields, whose lists have no
//! positions. Lists lie in the order of their words without gaps, so that a dictionary keeps lengths only. Where each dictionary's
//! share of the three files begins and ends stands in the chunk's header.
//!
//! Words of a merge are divided into ranges, so that two threads can work on them (see [`divide`]), and put together in order (see
//! [`assembly`]): the files are the same as if they were not. Volumes of words with files of their own were tried first: creating and
//! syncing those cost more than ranges do, and a few large volumes kept two threads busy less well than many small ranges.
//!
//! Why not tantivy's segment, whose lists are packed in much the same way: measured on 16 chunks of 62 500 rows of 55 Zipf words on a
//! busy machine, a merge with tantivy's readers and serializers did 350 000 rows per second of processor time, this one 1 400 000; a
//! flush did 110 000, this one 175 000. Its dictionary, a transducer, is dear to build and ten times dearer to walk than these blocks,
//! which is what an infix wildcard does; its reader hides blocks and their maxima, and panics on damaged bytes.

mod assembly;
mod cursor;
mod dictionary;
mod divide;
mod list;
mod positions;
mod source;
mod write;

pub(super) use cursor::Cursor;
pub(super) use dictionary::{Dictionary, DictionaryMark};
pub(super) use divide::{Division, WordRange, borders};
pub(super) use source::{DiskWords, List, RamWords};
pub(super) use write::WordsWriter;

/// Names of the files.
pub(super) const TERMS: &str = "terms";
/// Lists of rows.
pub(super) const POSTINGS: &str = "postings";
/// Lists of positions.
pub(super) const POSITIONS: &str = "positions";

/// Why bytes could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct Damage(pub(super) &'static str);

/// Appends a number, seven bits a byte, low ones first; the high bit says that more follow.
#[inline]
fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front of `bytes`.
#[inline]
fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 128 {
        return Some(u64::from(first));
    }
    let (mut number, mut shift) = (u64::from(first & 127), 7);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(number);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_endless_ones_do_not() {
        let numbers = [0, 1, 127, 128, 300, 1 << 31, u64::MAX >> 1, u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|n| put_number(&mut bytes, *n));
        let mut rest = &bytes[..];
        numbers.iter().for_each(|n| assert_eq!(take_number(&mut rest), Some(*n)));
        assert_eq!(take_number(&mut rest), None);
        assert_eq!(take_number(&mut &[255; 30][..]), None);
        assert_eq!(take_number(&mut &[128][..]), None);
    }
}
