//! The three files of words, put together out of ranges that come in any order.
//!
//! ```text
//! thread 1   range 0 ──┐        range 2 ────────┐ appends 2, 3   range 5 …
//! thread 2   range 1 ──┴ appends 0, 1   range 3 ┴ range 4 …
//! ```
//!
//! A range waits in memory until all before it are written. Whoever hands in the one whose turn it is appends it, and all that wait behind
//! it, while the other thread goes on. Lists are bytes that stand for themselves, so that they are only copied; words are put into the
//! dictionary here, since its blocks know nothing of ranges. What may wait is bounded (see [`Division`]): a thread that got too far ahead
//! sleeps. The range whose turn it is never waits, and it was begun before all others that were; so somebody always goes on.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::dictionary::{DictionaryMark, DictionaryWriter};
use super::divide::{Division, WordRange};
use super::list::ListMark;
use super::{POSITIONS, POSTINGS, TERMS};
use crate::chunk::ChunkError;
use crate::chunk::disk::writer::{FileWriter, Folder, io_error};

/// Bytes that are written at once where they need not wait: they are still in the core's own cache then.
const APPEND_BYTES: usize = 256 << 10;
/// A stop token cannot wake a sleeper, so it looks at it so often.
const STOP_CHECK: Duration = Duration::from_millis(20);

/// What a range has come to so far: lists and positions one behind the other, and its words.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) postings: Vec<u8>,
    pub(super) positions: Vec<u8>,
    /// Words whose lists are complete, back to back.
    words: Vec<u8>,
    /// Where each word ends, its list, and the most hits of it in a row.
    marks: Vec<(usize, (ListMark, u32))>,
}

impl Piece {
    /// Adds a word whose list was written last, with the most hits of it in a row.
    pub(super) fn add(&mut self, word: &[u8], list: (ListMark, u32)) {
        self.words.extend_from_slice(word);
        self.marks.push((self.words.len(), list));
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.postings.len() + self.positions.len() + self.words.len() + self.marks.len() * size_of::<(usize, (ListMark, u32))>()
    }

    fn clear(&mut self) {
        self.postings.clear();
        self.positions.clear();
        self.words.clear();
        self.marks.clear();
    }
}

/// The files.
struct Files {
    terms: FileWriter,
    postings: FileWriter,
    positions: FileWriter,
    /// The dictionary that is being written.
    dictionary: Option<DictionaryWriter>,
    /// Where it begins in each file.
    at: [u64; 3],
    marks: Vec<DictionaryMark>,
}

impl Files {
    /// Writes what a piece has, and empties it.
    fn append(&mut self, range: &WordRange, piece: &mut Piece) -> io::Result<()> {
        let dictionary = self.dictionary.get_or_insert_with(|| DictionaryWriter::new(range.list.has_positions()));
        self.postings.write_all(&piece.postings)?;
        self.positions.write_all(&piece.positions)?;
        let mut start = 0;
        for (end, list) in &piece.marks {
            dictionary.add(&piece.words[start..*end], *list, &mut self.terms)?;
            start = *end;
        }
        piece.clear();
        Ok(())
    }

    fn end_dictionary(&mut self, range: &WordRange) -> io::Result<()> {
        let dictionary = self.dictionary.take().unwrap_or_else(|| DictionaryWriter::new(range.list.has_positions()));
        let (bytes, mut mark) = dictionary.end(&mut self.terms)?;
        (mark.terms[0], mark.postings[0], mark.positions[0]) = (self.at[0], self.at[1], self.at[2]);
        self.at = [self.at[0] + bytes, self.at[1] + mark.postings[1], self.at[2] + mark.positions[1]];
        self.marks.push(mark);
        Ok(())
    }

    fn close(self) -> io::Result<Vec<DictionaryMark>> {
        [self.terms, self.postings, self.positions].into_iter().try_for_each(FileWriter::close)?;
        Ok(self.marks)
    }
}

struct State {
    /// None while a thread appends, and once all is written.
    files: Option<Files>,
    /// What all came to.
    marks: Option<Vec<DictionaryMark>>,
    /// Finished ranges whose turn has not come.
    waiting: BTreeMap<usize, Piece>,
    waiting_bytes: usize,
    /// Empty ones, whose memory is used again.
    empty: Vec<Piece>,
}

/// Puts ranges together.
pub(super) struct Assembly<'a> {
    folder: &'a Arc<Folder>,
    ranges: &'a [WordRange],
    division: Division,
    /// Number of the range whose turn it is; changed only under the lock.
    turn: AtomicUsize,
    state: Mutex<State>,
    /// A range was appended.
    appended: Condvar,
}

impl<'a> Assembly<'a> {
    /// Begins the files.
    pub(super) fn new(folder: &'a Arc<Folder>, ranges: &'a [WordRange], division: Division) -> Result<Assembly<'a>, ChunkError> {
        let (terms, postings, positions) = (folder.file(TERMS)?, folder.file(POSTINGS)?, folder.file(POSITIONS)?);
        let files = Files { terms, postings, positions, dictionary: None, at: [0; 3], marks: Vec::new() };
        let state = State { files: Some(files), marks: None, waiting: BTreeMap::new(), waiting_bytes: 0, empty: Vec::new() };
        Ok(Assembly { folder, ranges, division, turn: AtomicUsize::new(0), state: Mutex::new(state), appended: Condvar::new() })
    }

    fn is_turn(&self, number: usize) -> bool {
        // Relaxed: what the turn allows is done under the lock.
        self.turn.load(Ordering::Relaxed) == number
    }

    /// Sleeps until `is_due`, for as long as nobody stops the build.
    fn wait(&self, state: &mut MutexGuard<'_, State>, is_due: impl Fn(&State) -> bool) -> Result<(), ChunkError> {
        while !is_due(state) {
            self.folder.stop().check()?;
            self.appended.wait_for(state, STOP_CHECK);
        }
        Ok(())
    }

    /// A piece for a range that is begun; waits while too much waits.
    pub(super) fn begin(&self, range: &WordRange) -> Result<Piece, ChunkError> {
        let mut state = self.state.lock();
        self.wait(&mut state, |state| self.is_turn(range.number) || state.waiting_bytes < self.division.waiting_bytes)?;
        Ok(state.empty.pop().unwrap_or_default())
    }

    /// Writes what a range has so far, if it is its turn and worth it, or if it is so much that it has to wait for its turn.
    #[inline]
    pub(super) fn relieve(&self, range: &WordRange, piece: &mut Piece) -> Result<(), ChunkError> {
        let bytes = piece.bytes();
        if bytes < APPEND_BYTES.min(self.division.held_bytes) { Ok(()) } else { self.relieve_now(range, piece, bytes) }
    }

    #[cold]
    fn relieve_now(&self, range: &WordRange, piece: &mut Piece, bytes: usize) -> Result<(), ChunkError> {
        if !self.is_turn(range.number) && bytes < self.division.held_bytes {
            return Ok(());
        }
        let mut state = self.state.lock();
        // Whoever appended the range before may not have put the files back yet.
        self.wait(&mut state, |state| self.is_turn(range.number) && state.files.is_some())?;
        let mut files = state.files.take();
        drop(state);
        let result = files.as_mut().map_or(Ok(()), |files| files.append(range, piece));
        self.state.lock().files = files;
        result.map_err(|e| io_error(self.folder.dir(), e))
    }

    /// Takes a finished range, and appends all whose turn it is, unless the other thread is at that.
    pub(super) fn hand_in(&self, range: &WordRange, piece: Piece) -> Result<(), ChunkError> {
        let mut state = self.state.lock();
        state.waiting_bytes += piece.bytes();
        state.waiting.insert(range.number, piece);
        loop {
            let turn = self.turn.load(Ordering::Relaxed);
            let now = &mut *state;
            // With the files away somebody appends, and looks here afterwards.
            let Some(mut files) = now.files.take_if(|_| now.waiting.contains_key(&turn)) else { return Ok(()) };
            let mut piece = now.waiting.remove(&turn).unwrap_or_default();
            drop(state);
            let (range, bytes) = (&self.ranges[turn], piece.bytes());
            let mut result = files.append(range, &mut piece);
            if range.to.is_none() {
                result = result.and_then(|()| files.end_dictionary(range));
            }
            let (mut marks, is_last) = (None, turn + 1 == self.ranges.len());
            let files = match result {
                Ok(()) if is_last => {
                    // At once: they are synced while other things are written.
                    result = files.close().map(|all| marks = Some(all));
                    None
                }
                _ => Some(files),
            };
            state = self.state.lock();
            (state.files, state.marks) = (files, marks);
            result.map_err(|e| io_error(self.folder.dir(), e))?;
            state.waiting_bytes -= bytes;
            state.empty.push(piece);
            self.turn.store(turn + 1, Ordering::Relaxed);
            self.appended.notify_all();
        }
    }

    /// Marks of the dictionaries; None before all ranges were handed in.
    pub(super) fn into_marks(self) -> Option<Vec<DictionaryMark>> {
        self.state.into_inner().marks
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::source::List;
    use super::*;
    use crate::chunk::disk::BuildOptions;
    use crate::storage::{CrashDisk, Disk};
    use crate::types::{Schema, StopToken};

    fn options(dir: &str) -> BuildOptions {
        BuildOptions {
            dir: dir.into(),
            table_uuid: 1,
            schema: Arc::new(Schema { version: 1, columns: Vec::new() }),
            compression: "none".to_owned(),
            compression_level: 0,
            block_size: 1024,
            stop: StopToken::new(),
            throttle: None,
            progress: Arc::default(),
            spare: None,
        }
    }

    /// Two dictionaries in several ranges each; some have no words.
    fn ranges() -> Vec<WordRange> {
        let borders = |list: List| Ok::<_, ()>((0..if list.has_positions() { 9u8 } else { 4 }).map(|n| vec![b'b' + n]).collect());
        WordRange::of(2, borders).expect("never fails")
    }

    /// Fewer in each range: of a dictionary it is that of the first range with words.
    fn tf_max(range: &WordRange) -> u32 {
        100 - range.number as u32
    }

    fn piece(range: &WordRange, mut piece: Piece) -> Piece {
        for n in 0..range.number % 5 * 10 {
            let word = [&range.from[..], b"x", n.to_string().as_bytes()].concat();
            let word = if n < 10 { [&range.from[..], b"w", n.to_string().as_bytes()].concat() } else { word };
            piece.postings.extend_from_slice(&word);
            piece.positions.extend(std::iter::repeat_n(n as u8, n));
            let list = ListMark {
                docs: 1,
                hits: 1,
                postings: word.len() as u64,
                positions: if range.list.has_positions() { n as u64 } else { 0 },
            };
            piece.add(&word, (list, tf_max(range)));
        }
        piece
    }

    /// Writes all ranges, handed in in this order; gives the three files and the marks.
    fn write(order: impl IntoIterator<Item = usize>, dir: &str) -> (Vec<Vec<u8>>, Vec<DictionaryMark>) {
        let disk: Arc<dyn Disk> = Arc::new(CrashDisk::new());
        let folder = Folder::create(&disk, &options(dir)).expect("a folder");
        let ranges = ranges();
        let assembly = Assembly::new(&folder, &ranges, Division::SHARED).expect("files");
        for number in order {
            let begun = assembly.begin(&ranges[number]).expect("nobody stops it");
            assembly.hand_in(&ranges[number], piece(&ranges[number], begun)).expect("space");
        }
        let marks = assembly.into_marks().expect("all were handed in");
        let read = |name: &str| disk.read(&Path::new(dir).join(name)).expect("a file");
        (vec![read(TERMS), read(POSTINGS), read(POSITIONS)], marks)
    }

    #[test]
    fn ranges_may_come_in_any_order() {
        let count = ranges().len();
        let expected = write(0..count, "/a");
        // Each dictionary begins with a range without words, in a piece that was used before.
        let found: Vec<(u64, u32)> = expected.1.iter().map(|m| (m.words, m.tf_max)).collect();
        assert_eq!(found, [(200, 99), (200, 89), (100, 79)]);
        assert!(write((0..count).rev(), "/b") == expected);
        assert!(write((0..count).map(|n| n * 7 % count), "/c") == expected);
    }

    #[test]
    fn who_got_too_far_ahead_waits_and_can_be_stopped() {
        let disk: Arc<dyn Disk> = Arc::new(CrashDisk::new());
        let options = options("/a");
        let folder = Folder::create(&disk, &options).expect("a folder");
        let ranges = ranges();
        let division = Division { input_bytes: 1, held_bytes: 100, waiting_bytes: 1 };
        let assembly = Assembly::new(&folder, &ranges, division).expect("files");
        assembly.hand_in(&ranges[1], piece(&ranges[1], Piece::default())).expect("waits");
        std::thread::scope(|scope| {
            let ahead = scope.spawn(|| assembly.begin(&ranges[2]).map(|_| ()));
            // Those whose turn it is go on.
            assembly.hand_in(&ranges[0], assembly.begin(&ranges[0]).expect("its turn")).expect("space");
            ahead.join().expect("no panic").expect("its turn came");
        });
        let mut long = Piece { postings: vec![0; 100], ..Piece::default() };
        assembly.relieve(&ranges[2], &mut long).expect("its turn");
        assert!(long.postings.is_empty());
        std::thread::scope(|scope| {
            let ahead = scope.spawn(|| assembly.relieve(&ranges[3], &mut Piece { postings: vec![0; 100], ..Piece::default() }));
            std::thread::sleep(Duration::from_millis(5));
            options.stop.stop();
            assert!(matches!(ahead.join().expect("no panic"), Err(ChunkError::Stopped)));
        });
    }
}
