//! Figures of a query's words over a whole snapshot.

use crate::chunk::{ChunkError, NO_ROW, Part, PartView, Postings};
use crate::plan::matching::{LookUp, MatchPlan};
use crate::types::StopToken;
use crate::with_part;

/// Most dictionary entries of one part that one wildcard may stand for; beyond, the query fails.
pub const MAX_EXPANSIONS: usize = 65_536;

/// Rows between two looks at the stop token.
const CHECK_EVERY: u32 = 4_096;

/// Rows, hits and dictionary entries of each word of a plan over the parts of one snapshot, dead rows included.
///
/// Belongs to the plan and the parts, in their order, that it was collected from.
pub struct Statistics {
    rows: u64,
    words: Vec<Totals>,
    /// Per part and word: the entries that a wildcard stands for.
    expansions: Vec<Vec<Vec<Box<[u8]>>>>,
    /// Per word: its entry, where it is not a wildcard.
    entries: Vec<Option<Box<[u8]>>>,
}

/// Totals of one word.
#[derive(Clone, Copy, Default)]
struct Totals {
    /// Rows as SHOW META prints them: for a wildcard the sum over its entries.
    docs: u64,
    hits: u64,
    /// Rows with any of its entries.
    rows: u64,
}

/// A word as SHOW META prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// The word, with wildcards and `=`.
    pub word: String,
    /// Rows with it, dead ones included.
    pub docs: u64,
    /// Hits, likewise.
    pub hits: u64,
}

/// The dictionary entries of one word in one part.
#[derive(Clone, Copy)]
pub(super) enum Entries<'a> {
    One(&'a [u8]),
    Many(&'a [Box<[u8]>]),
}

impl<'a> Entries<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Entries::One(_) => 1,
            Entries::Many(list) => list.len(),
        }
    }

    pub(super) fn get(&self, i: usize) -> &'a [u8] {
        match self {
            Entries::One(word) => word,
            Entries::Many(list) => &list[i],
        }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).map(move |i| self.get(i))
    }
}

impl Statistics {
    /// Collects over the parts of a snapshot.
    pub fn collect(plan: &MatchPlan, parts: &[PartView], stop: &StopToken) -> Result<Statistics, ChunkError> {
        let mut statistics = Statistics::new(plan);
        for view in parts {
            with_part!(&view.part, part => statistics.add(plan, part, stop)?);
        }
        Ok(statistics)
    }

    /// Of no part yet.
    pub fn new(plan: &MatchPlan) -> Statistics {
        let entries = plan.words.iter().map(|w| match &w.look_up {
            LookUp::Word(word) => Some(word.as_bytes().into()),
            LookUp::Pattern(_) | LookUp::Nothing => None,
        });
        Statistics { rows: 0, words: vec![Totals::default(); plan.words.len()], expansions: Vec::new(), entries: entries.collect() }
    }

    /// Adds the next part.
    pub fn add<P: Part>(&mut self, plan: &MatchPlan, part: &P, stop: &StopToken) -> Result<(), ChunkError> {
        self.rows += u64::from(part.row_count());
        let mut expansions = Vec::with_capacity(plan.words.len());
        for (word, totals) in plan.words.iter().zip(&mut self.words) {
            let mut entries: Vec<Box<[u8]>> = Vec::new();
            match &word.look_up {
                LookUp::Word(entry) => {
                    let stats = part.word_stats(entry.as_bytes())?;
                    totals.docs += stats.docs;
                    totals.hits += stats.hits;
                    totals.rows += stats.docs;
                }
                LookUp::Nothing => {}
                LookUp::Pattern(pattern) => {
                    stop.check()?;
                    part.expand(pattern, &mut |entry| {
                        entries.push(entry.into());
                        entries.len() <= MAX_EXPANSIONS
                    })?;
                    if entries.len() > MAX_EXPANSIONS {
                        return Err(ChunkError::Limit(format!("'{}' stands for more than {MAX_EXPANSIONS} words", word.shown)));
                    }
                    let mut docs = 0;
                    for entry in &entries {
                        let stats = part.word_stats(entry)?;
                        docs += stats.docs;
                        totals.hits += stats.hits;
                    }
                    totals.docs += docs;
                    totals.rows += if entries.len() > 1 { union_rows(part, &entries, stop)? } else { docs };
                }
            }
            expansions.push(entries);
        }
        self.expansions.push(expansions);
        Ok(())
    }

    /// Rows of the snapshot.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What SHOW META prints: words in the order of the query; those that are shown alike are added up.
    pub fn keywords(&self, plan: &MatchPlan) -> Vec<Keyword> {
        let mut out: Vec<Keyword> = Vec::new();
        for (word, totals) in plan.words.iter().zip(&self.words) {
            match out.iter_mut().find(|k| k.word == word.shown) {
                Some(keyword) => {
                    keyword.docs += totals.docs;
                    keyword.hits += totals.hits;
                }
                None => out.push(Keyword { word: word.shown.clone(), docs: totals.docs, hits: totals.hits }),
            }
        }
        out
    }

    /// Weight of each word in bm25: ln((N − n + 1) / n) / (2 · ln(N + 1)), over the number of words, times the word's boost.
    pub(super) fn idfs(&self, plan: &MatchPlan) -> Vec<f32> {
        let rows = self.rows as f64;
        let idf = |n: u64| match n {
            0 => 0.0,
            n => ((rows - n as f64 + 1.0) / n as f64).ln() / (2.0 * (rows + 1.0).ln()),
        };
        let count = plan.words.len().max(1) as f64;
        plan.words.iter().zip(&self.words).map(|(w, t)| (idf(t.rows) / count * f64::from(w.boost)) as f32).collect()
    }

    /// The entries of a word in a part.
    pub(super) fn entries(&self, part: usize, word: usize) -> Entries<'_> {
        match &self.entries[word] {
            Some(entry) => Entries::One(entry),
            None => Entries::Many(self.expansions.get(part).map_or(&[], |words| &words[word])),
        }
    }
}

/// Rows of `part` with any of `entries`. Takes one bit of memory per row.
fn union_rows<P: Part>(part: &P, entries: &[Box<[u8]>], stop: &StopToken) -> Result<u64, ChunkError> {
    let mut seen = vec![0u64; part.row_count() as usize / 64 + 1];
    let mut steps = 0;
    for entry in entries {
        let Some(mut cursor) = part.any_postings(entry)? else { continue };
        let mut row = cursor.row();
        while row != NO_ROW {
            if let Some(bits) = seen.get_mut(row as usize / 64) {
                *bits |= 1 << (row % 64);
            }
            row = cursor.advance();
            steps += 1;
            if steps == CHECK_EVERY {
                steps = 0;
                stop.check()?;
            }
        }
    }
    Ok(seen.iter().map(|b| u64::from(b.count_ones())).sum())
}
