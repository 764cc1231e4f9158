//! Writing the words of a chunk out of those of its inputs.
//!
//! Rows are renumbered on the way; a word whose rows are all dead is left out.

use std::sync::{Arc, OnceLock};

use super::assembly::{Assembly, Piece};
use super::dictionary::DictionaryMark;
use super::divide::{Division, WordRange};
use super::list::ListWriter;
use super::source::WordSource;
use crate::chunk::disk::writer::{Folder, io_error};
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

/// Writes the words of a chunk, range by range, on any thread.
pub(in crate::chunk::disk) struct WordsWriter<'a> {
    folder: &'a Arc<Folder>,
    inputs: &'a [PartView],
    map: &'a RowMap,
    /// Per input; made with the first range.
    places: OnceLock<Vec<Places>>,
    assembly: Assembly<'a>,
}

impl<'a> WordsWriter<'a> {
    /// Of the words of `ranges`, with the rows that `map` says.
    pub(in crate::chunk::disk) fn new(
        folder: &'a Arc<Folder>,
        inputs: &'a [PartView],
        map: &'a RowMap,
        ranges: &'a [WordRange],
        division: Division,
    ) -> Result<WordsWriter<'a>, ChunkError> {
        Ok(WordsWriter { folder, inputs, map, places: OnceLock::new(), assembly: Assembly::new(folder, ranges, division)? })
    }

    /// Writes a range. Ranges must be begun in their order.
    pub(in crate::chunk::disk) fn write(&self, range: &WordRange, source: &mut impl WordSource) -> Result<(), ChunkError> {
        let of_inputs = || self.inputs.iter().enumerate().map(|(input, view)| Places::of(input, view, self.map)).collect();
        let places: &Vec<Places> = self.places.get_or_init(of_inputs);
        let (mut pace, mut piece) = (self.folder.pace(), self.assembly.begin(range)?);
        let (mut lists, mut word) = (ListWriter::new(range.list.has_positions()), Vec::new());
        let io = |e| io_error(self.folder.dir(), e);
        source.begin(range)?;
        while source.next(&mut word)? {
            let mut begun = false;
            source.rows(&mut |input, rows, hits, gaps| {
                let Piece { postings, positions, .. } = &mut piece;
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
                self.assembly.relieve(range, &mut piece)?;
                pace.steps(rows.len() as u32)
            })?;
            if begun {
                let list = lists.end(&mut piece.postings, &mut piece.positions).map_err(io)?;
                piece.add(&word, list);
            }
            pace.step(source.bytes_read())?;
        }
        self.assembly.hand_in(range, piece)
    }

    /// Marks of the dictionaries; None before all ranges were written.
    pub(in crate::chunk::disk) fn into_marks(self) -> Option<Vec<DictionaryMark>> {
        self.assembly.into_marks()
    }
}
