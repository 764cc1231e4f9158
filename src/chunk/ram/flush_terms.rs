//! The words of several segments in lexicographic order: made once, at flush.
//!
//! Term numbers of the inputs are merged, then the distinct words are copied out of the lexicon and sorted by their bytes. No lexicon
//! lock is held afterwards, so that statements go on interning while the chunk is written.

use std::ops::Range;

use super::lexicon::Lexicon;
use super::segment::RamSegment;

/// Where a word is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TermSource {
    /// Place in the list of inputs.
    pub(crate) input: u32,
    /// The word's place in that segment: what [`RamSegment::entries`] takes.
    pub(crate) term: u32,
}

/// One distinct word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlushTerm<'a> {
    /// Its bytes.
    pub(crate) word: &'a [u8],
    /// Inputs that have it, in order of input; at least one.
    pub(crate) sources: &'a [TermSource],
}

/// Distinct words of several segments of one lexicon, sorted by bytes.
#[derive(Default)]
pub(crate) struct FlushTerms {
    /// Distinct terms in the order of their words.
    order: Vec<u32>,
    /// Per distinct term by number: its place in `bytes`.
    words: Vec<Range<usize>>,
    bytes: Vec<u8>,
    /// Per distinct term by number: end of its sources.
    ends: Vec<u32>,
    sources: Vec<TermSource>,
}

impl FlushTerms {
    /// The words of `inputs`, which must share one lexicon.
    pub(crate) fn new(inputs: &[&RamSegment]) -> FlushTerms {
        let Some(first) = inputs.first() else { return FlushTerms::default() };
        let mut ids = Vec::new();
        let (mut ends, mut sources) = (Vec::new(), Vec::with_capacity(inputs.iter().map(|i| i.lists.len()).sum()));
        let mut union = Union::new(inputs.iter().map(|input| input.lists.ids()));
        while let Some(id) = union.next(|input, term| sources.push(TermSource { input, term })) {
            ids.push(id);
            ends.push(sources.len() as u32);
        }
        let mut terms = FlushTerms { order: Vec::new(), words: Vec::new(), bytes: Vec::new(), ends, sources };
        terms.copy_words(first.lexicon(), &ids);
        terms.sort();
        terms
    }

    fn copy_words(&mut self, lexicon: &Lexicon, ids: &[u32]) {
        self.words = vec![0..0; ids.len()];
        let (words, bytes) = (&mut self.words, &mut self.bytes);
        lexicon.with_words(ids, |place, word| {
            words[place] = bytes.len()..bytes.len() + word.len();
            bytes.extend_from_slice(word);
        });
    }

    fn sort(&mut self) {
        // Most words differ in their first eight bytes: those are compared as one number, without a look at the words.
        let mut keyed: Vec<(u64, u32)> = (0..self.words.len() as u32).map(|n| (head(self.word(n)), n)).collect();
        keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.word(a.1).cmp(self.word(b.1))));
        self.order = keyed.into_iter().map(|(_, n)| n).collect();
    }

    fn word(&self, n: u32) -> &[u8] {
        &self.bytes[self.words[n as usize].clone()]
    }

    /// Number of distinct words.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// The word at `place` in byte order; `place` < [`FlushTerms::len`].
    pub(crate) fn get(&self, place: usize) -> FlushTerm<'_> {
        let n = self.order[place];
        let start = if n == 0 { 0 } else { self.ends[n as usize - 1] };
        FlushTerm { word: self.word(n), sources: &self.sources[start as usize..self.ends[n as usize] as usize] }
    }
}

/// The first eight bytes as a number that orders like them.
fn head(word: &[u8]) -> u64 {
    let mut head = [0; 8];
    let len = word.len().min(8);
    head[..len].copy_from_slice(&word[..len]);
    u64::from_be_bytes(head)
}

/// Lists whose current numbers are compared at once, without a branch.
const LANES: usize = 16;
/// Stands behind the end of a list. No term has that number.
const END: u32 = u32::MAX;

/// Walks several ascending lists of term numbers at once.
pub(super) struct Union<'a> {
    lists: Vec<&'a [u32]>,
    places: Vec<u32>,
    /// Current number of each list, in groups.
    heads: Vec<[u32; LANES]>,
    /// Least number of each group.
    least: Vec<u32>,
}

impl<'a> Union<'a> {
    pub(super) fn new(lists: impl Iterator<Item = &'a [u32]>) -> Union<'a> {
        let lists: Vec<&[u32]> = lists.collect();
        let mut heads = vec![[END; LANES]; lists.len().div_ceil(LANES)];
        for (n, list) in lists.iter().enumerate() {
            heads[n / LANES][n % LANES] = list.first().copied().unwrap_or(END);
        }
        let least = heads.iter().map(least_of).collect();
        Union { places: vec![0; lists.len()], lists, heads, least }
    }

    /// The next number; `found(list, place in it)` is called for each list that has it, in order.
    #[inline]
    pub(super) fn next(&mut self, mut found: impl FnMut(u32, u32)) -> Option<u32> {
        // A plain scan over some sixteen numbers is quicker than keeping a heap.
        let id = self.least.iter().copied().min().filter(|id| *id != END)?;
        for (group, (heads, least)) in self.heads.iter_mut().zip(&mut self.least).enumerate() {
            if *least != id {
                continue;
            }
            let mut members = 0u32;
            for (lane, head) in heads.iter().enumerate() {
                members |= ((*head == id) as u32) << lane;
            }
            while members != 0 {
                let lane = members.trailing_zeros() as usize;
                members &= members - 1;
                let list = group * LANES + lane;
                let place = self.places[list];
                found(list as u32, place);
                self.places[list] = place + 1;
                heads[lane] = self.lists[list].get(place as usize + 1).copied().unwrap_or(END);
            }
            *least = least_of(heads);
        }
        Some(id)
    }
}

#[inline]
fn least_of(heads: &[u32; LANES]) -> u32 {
    // Halves against halves: four comparisons deep, all of a level at once.
    let (mut least, mut width) = (*heads, LANES / 2);
    while width > 0 {
        for lane in 0..width {
            least[lane] = least[lane].min(least[lane + width]);
        }
        width /= 2;
    }
    least[0]
}
