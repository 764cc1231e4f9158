//! Writing the words of a chunk out of those of its inputs.
//!
//! Rows are renumbered on the way; a word whose rows are all dead is left out.

use std::io;
use std::sync::Arc;

use super::dictionary::{DictionaryMark, DictionaryWriter};
use super::list::ListWriter;
use super::source::{List, WordSource};
use super::{POSITIONS, POSTINGS, TERMS};
use crate::chunk::disk::writer::{FileWriter, Folder, Pace, io_error};
use crate::chunk::postings::NO_ROW;
use crate::chunk::{ChunkError, PartView, RowMap};
use crate::types::RowId;

/// New numbers of an input's rows.
enum Places {
    /// None is dead: all move by so many.
    Shifted(u32),
    /// One by one; [`NO_ROW`] for the dead.
    Listed(Vec<u32>),
}

impl Places {
    fn of(input: usize, view: &PartView, map: &RowMap) -> Places {
        if map.is_plain(input) {
            return Places::Shifted(map.base(input));
        }
        let mut next = map.base(input);
        let place = |row| {
            if view.dead.contains(RowId(row)) {
                return NO_ROW;
            }
            next += 1;
            next - 1
        };
        Places::Listed((0..view.part.row_count()).map(place).collect())
    }
}

/// The three files.
struct Files {
    terms: FileWriter,
    postings: FileWriter,
    positions: FileWriter,
}

/// Writes the words of all fields.
pub(in crate::chunk::disk) fn write(
    folder: &Arc<Folder>,
    inputs: &[PartView],
    map: &RowMap,
    fields: usize,
    source: &mut impl WordSource,
    pace: &mut Pace,
) -> Result<Vec<DictionaryMark>, ChunkError> {
    let places: Vec<Places> = inputs.iter().enumerate().map(|(input, view)| Places::of(input, view, map)).collect();
    let mut files = Files { terms: folder.file(TERMS)?, postings: folder.file(POSTINGS)?, positions: folder.file(POSITIONS)? };
    let mut marks: Vec<DictionaryMark> = Vec::new();
    let mut at = [0u64; 3];
    for list in List::of(fields) {
        source.begin(list)?;
        let (bytes, mut mark) = write_list(source, list.has_positions(), &places, &mut files, pace, &|e| io_error(folder.dir(), e))?;
        (mark.terms[0], mark.postings[0], mark.positions[0]) = (at[0], at[1], at[2]);
        at = [at[0] + bytes, at[1] + mark.postings[1], at[2] + mark.positions[1]];
        marks.push(mark);
    }
    let Files { terms, postings, positions } = files;
    [terms, postings, positions].into_iter().try_for_each(FileWriter::close).map_err(|e| io_error(folder.dir(), e))?;
    Ok(marks)
}

fn write_list(
    source: &mut impl WordSource,
    positions: bool,
    places: &[Places],
    files: &mut Files,
    pace: &mut Pace,
    io: &impl Fn(io::Error) -> ChunkError,
) -> Result<(u64, DictionaryMark), ChunkError> {
    let (mut lists, mut dictionary, mut word) = (ListWriter::new(positions), DictionaryWriter::new(positions), Vec::new());
    let Files { terms, postings, positions } = files;
    while source.next(&mut word)? {
        let mut begun = false;
        source.rows(&mut |input, rows, hits, gaps| {
            match &places[input] {
                Places::Shifted(by) => {
                    begun |= !rows.is_empty();
                    lists.add_all(*by, rows, hits, gaps, postings, positions).map_err(io)?;
                }
                Places::Listed(places) => {
                    let mut at = 0;
                    for (&row, &tf) in rows.iter().zip(hits) {
                        // A list without positions has no gaps.
                        let end = (at + tf as usize).min(gaps.len());
                        let place = places.get(row as usize).copied().unwrap_or(NO_ROW);
                        if place != NO_ROW {
                            begun = true;
                            lists.add(place, tf, &gaps[at..end], postings, positions).map_err(io)?;
                        }
                        at = end;
                    }
                }
            }
            pace.steps(rows.len() as u32)
        })?;
        if begun {
            let mark = lists.end(postings, positions).map_err(io)?;
            dictionary.add(&word, mark, terms).map_err(io)?;
        }
        pace.step(source.bytes_read())?;
    }
    dictionary.end(lists.tf_max(), terms).map_err(io)
}
