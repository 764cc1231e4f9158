//! The words of one RAM chunk: word ↔ term number, append-only, shared by all segments of the chunk.
//!
//! The top bits of a word's hash choose its shard. A term number is `index inside the shard << 4 | shard`, so that numbers stay small and
//! arrays can be indexed by them. A number once given stays: readers that hold one never find another word under it.
//!
//! Locks: one shard at a time, none is held while another is taken, and never while calling out of this folder.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::RwLock;

use super::word_table::{self, WordTable};

const SHARD_BITS: u32 = 4;
const SHARDS: usize = 1 << SHARD_BITS;

/// Ids looked up under one lock: short enough that writers of the shard hardly wait.
const LOOKUP_BATCH: usize = 1024;

/// Term number that no word has: shards are never that full.
const NO_TERM: u32 = u32::MAX;

/// Append-only, sharded, shared by all segments of one RAM chunk: word → term number and back. Readers take one shard's read lock.
#[derive(Default)]
pub struct Lexicon {
    shards: [Shard; SHARDS],
    /// Sum over the shards, stored after each change.
    bytes: AtomicUsize,
}

/// On cache lines of its own, so that locks of neighbours do not disturb one another.
#[derive(Default)]
#[repr(align(128))]
struct Shard(RwLock<WordTable>);

fn shard_of(hash: u32) -> u32 {
    hash >> (32 - SHARD_BITS)
}

fn term_id(index: u32, shard: u32) -> u32 {
    index << SHARD_BITS | shard
}

impl Lexicon {
    /// A lexicon without words.
    pub fn new() -> Arc<Lexicon> {
        Arc::default()
    }

    /// Bytes of memory, for rt_mem_limit.
    pub fn memory_bytes(&self) -> usize {
        // Relaxed: a figure for limits, it publishes nothing.
        size_of::<Lexicon>() + self.bytes.load(Ordering::Relaxed)
    }

    /// Number of distinct words.
    pub fn word_count(&self) -> usize {
        self.shards.iter().map(|s| s.0.read().len()).sum()
    }

    /// The number of `word`, if any segment ever had it.
    pub(super) fn find(&self, word: &[u8]) -> Option<u32> {
        let hash = word_table::hash(word);
        let shard = shard_of(hash);
        let index = self.shards[shard as usize].0.read().find(hash, word)?;
        Some(term_id(index, shard))
    }

    /// Calls `take(place in ids, word)` for each of `ids`, shard by shard, not in order. Terms of another lexicon are left out.
    pub(super) fn with_words(&self, ids: &[u32], mut take: impl FnMut(usize, &[u8])) {
        let mut places: [Vec<u32>; SHARDS] = Default::default();
        if ids.len() > 2 * SHARDS {
            places.iter_mut().for_each(|p| p.reserve(ids.len() / SHARDS + ids.len() / SHARDS / 8));
        }
        for (place, id) in ids.iter().enumerate() {
            places[*id as usize % SHARDS].push(place as u32);
        }
        for (shard, places) in self.shards.iter().zip(&places) {
            for batch in places.chunks(LOOKUP_BATCH) {
                let table = shard.0.read();
                for place in batch {
                    let index = ids[*place as usize] >> SHARD_BITS;
                    if (index as usize) < table.len() {
                        take(*place as usize, table.word(index));
                    }
                }
            }
        }
    }

    /// Gives each word of `words` its number: `ids[i]` for word `i`. One pass over each shard's read lock, and one more over the write
    /// lock of those shards that lack some. `order` is scratch and holds nothing of use afterwards.
    pub(super) fn intern_all(&self, words: &WordTable, ids: &mut Vec<u32>, order: &mut Vec<u32>) {
        let hashes = words.hashes();
        ids.clear();
        ids.resize(hashes.len(), NO_TERM);
        // Words by shard: a counting sort.
        let mut ends = [0u32; SHARDS + 1];
        for hash in hashes {
            ends[shard_of(*hash) as usize + 1] += 1;
        }
        for s in 0..SHARDS {
            ends[s + 1] += ends[s];
        }
        order.clear();
        order.resize(hashes.len(), 0);
        let mut next = ends;
        for (word, hash) in hashes.iter().enumerate() {
            let slot = &mut next[shard_of(*hash) as usize];
            order[*slot as usize] = word as u32;
            *slot += 1;
        }
        let mut grown = 0usize;
        for (s, shard) in self.shards.iter().enumerate() {
            let members = &mut order[ends[s] as usize..ends[s + 1] as usize];
            if members.is_empty() {
                continue;
            }
            let mut missing = 0;
            {
                let table = shard.0.read();
                for i in 0..members.len() {
                    let word = members[i];
                    match table.find(hashes[word as usize], words.word(word)) {
                        Some(index) => ids[word as usize] = term_id(index, s as u32),
                        None => {
                            members[missing] = word;
                            missing += 1;
                        }
                    }
                }
            }
            if missing == 0 {
                continue;
            }
            let mut table = shard.0.write();
            let before = table.memory_bytes();
            for word in &members[..missing] {
                let index = table.intern(hashes[*word as usize], words.word(*word));
                ids[*word as usize] = term_id(index, s as u32);
            }
            grown += table.memory_bytes() - before;
        }
        if grown > 0 {
            self.bytes.fetch_add(grown, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(words: impl IntoIterator<Item = String>) -> WordTable {
        let mut table = WordTable::default();
        words.into_iter().for_each(|w| {
            table.intern(word_table::hash(w.as_bytes()), w.as_bytes());
        });
        table
    }

    #[test]
    fn threads_that_intern_the_same_words_agree() {
        let lexicon = Lexicon::new();
        let all: Vec<Vec<(String, u32)>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8usize)
                .map(|t| {
                    let lexicon = &lexicon;
                    scope.spawn(move || {
                        let (mut ids, mut order, mut out) = (Vec::new(), Vec::new(), Vec::new());
                        for round in 0..50usize {
                            // Overlapping slices of one vocabulary, each thread in another order.
                            let words = table((0..200).map(|i| format!("w{}", (i * (2 * t + 1) + round * 40) % 2500)));
                            lexicon.intern_all(&words, &mut ids, &mut order);
                            out.extend((0..words.len()).map(|i| (String::from_utf8_lossy(words.word(i as u32)).into_owned(), ids[i])));
                        }
                        out
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().expect("no panic in a thread")).collect()
        });
        let mut seen = std::collections::HashMap::new();
        for (word, id) in all.into_iter().flatten() {
            assert_eq!(*seen.entry(word.clone()).or_insert(id), id, "{word}");
            assert_eq!(lexicon.find(word.as_bytes()), Some(id));
            let mut spelled = Vec::new();
            lexicon.with_words(&[id], |_, bytes| spelled = bytes.to_vec());
            assert_eq!(spelled, word.into_bytes());
        }
        assert_eq!(lexicon.word_count(), seen.len());
        let ids: std::collections::HashSet<u32> = seen.values().copied().collect();
        assert_eq!(ids.len(), seen.len());
        assert!(ids.iter().all(|id| (*id as usize) < 4 * seen.len()), "numbers are dense enough to index arrays");
        assert_eq!(lexicon.find(b"never"), None);
    }

    #[test]
    fn many_words_are_read_at_once() {
        let lexicon = Lexicon::new();
        let words = table((0..5000).map(|i| format!("word{i}")));
        let (mut ids, mut order) = (Vec::new(), Vec::new());
        assert_eq!(lexicon.memory_bytes(), size_of::<Lexicon>());
        lexicon.intern_all(&words, &mut ids, &mut order);
        assert!(lexicon.memory_bytes() > 5000 * 8);
        let mut got = vec![Vec::new(); ids.len()];
        lexicon.with_words(&ids, |place, word| got[place] = word.to_vec());
        assert!(got.iter().enumerate().all(|(i, w)| *w == format!("word{i}").into_bytes()));
        lexicon.with_words(&[NO_TERM], |_, _| panic!("no such term"));
    }
}
