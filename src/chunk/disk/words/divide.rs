//! The pieces in which the words of a chunk are written.
//!
//! A range is some words of one dictionary. Ranges are merged each on its own, on any thread, and put together in their order (see
//! `assembly`), so that what is written does not depend on how it was divided.
//!
//! What a range costs to merge is about its share of the bytes of words, lists and positions. An index knows how many bytes come before
//! a block of words, so a border is found by halving. One input is looked at, the one with the most words: that ranges come out alike is
//! good for speed, and needs no more than that inputs are.

use super::Damage;
use super::dictionary::Dictionary;
use super::source::List;

/// How finely words are divided, and what may wait in memory for its turn to be written.
#[derive(Clone, Copy, Debug)]
pub(in crate::chunk::disk) struct Division {
    /// Bytes of each input that make a range; of few inputs ([`FEW_INPUTS`]) more, of very many ([`MANY_INPUTS`]) less.
    pub(in crate::chunk::disk) input_bytes: u64,
    /// Bytes of a range that wait in memory until it is its turn; a longer one is merged further only then.
    pub(in crate::chunk::disk) held_bytes: usize,
    /// Bytes of finished ranges that wait in memory; with so many, none is begun but the one whose turn it is.
    pub(in crate::chunk::disk) waiting_bytes: usize,
}

/// Fewer inputs are divided as if they were so many: a range has its own cost, too.
const FEW_INPUTS: u64 = 4;
/// More inputs are divided as if they were so many.
const MANY_INPUTS: u64 = 16;

impl Division {
    /// Of merges on two cores. A range takes a core 1 to 5 ms, a hundred times what it costs to find its first word in the inputs; two
    /// threads end within one of each other. What may wait is what the other thread gets ahead while a word that is in every row of a
    /// large chunk is merged, the only piece of work that one thread must do alone.
    pub(in crate::chunk::disk) const SHARED: Division = Division { input_bytes: 128 << 10, held_bytes: 8 << 20, waiting_bytes: 32 << 20 };
    /// Not at all.
    pub(in crate::chunk::disk) const WHOLE: Division = Division { input_bytes: u64::MAX, ..Division::SHARED };
}

/// Some words of one dictionary, without gaps to the ranges before and behind.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::chunk::disk) struct WordRange {
    /// Its place among the ranges of a chunk.
    pub(super) number: usize,
    /// Whose words.
    pub(super) list: List,
    /// The first word that may be in it.
    pub(super) from: Vec<u8>,
    /// The first word behind it; None = it ends the dictionary.
    pub(super) to: Option<Vec<u8>>,
}

impl WordRange {
    /// The ranges of a chunk with so many fields, in the order in which they are written; `borders` tells where those of a dictionary
    /// behind the first begin.
    pub(in crate::chunk::disk) fn of<E>(
        fields: usize,
        mut borders: impl FnMut(List) -> Result<Vec<Vec<u8>>, E>,
    ) -> Result<Vec<WordRange>, E> {
        let mut ranges = Vec::new();
        for list in List::of(fields) {
            let mut from = Vec::new();
            for border in borders(list)? {
                let to = Some(border.clone());
                ranges.push(WordRange { number: ranges.len(), list, from: std::mem::replace(&mut from, border), to });
            }
            ranges.push(WordRange { number: ranges.len(), list, from, to: None });
        }
        Ok(ranges)
    }
}

/// Where to cut the words of these dictionaries, one of each input, so that each range has about so many bytes of an input: ascending.
pub(in crate::chunk::disk) fn borders(inputs: &[&Dictionary], input_bytes: u64) -> Result<Vec<Vec<u8>>, Damage> {
    let Some(guide) = inputs.iter().max_by_key(|d| d.block_count()) else { return Ok(Vec::new()) };
    let range_bytes = input_bytes.saturating_mul((inputs.len() as u64).clamp(FEW_INPUTS, MANY_INPUTS));
    let ranges = inputs.iter().map(|d| d.bytes()).sum::<u64>() / range_bytes.max(1);
    let (mut borders, mut block) = (Vec::<Vec<u8>>::new(), 0);
    for range in 1..ranges.min(guide.block_count() as u64) {
        let wanted = (u128::from(guide.bytes()) * u128::from(range) / u128::from(ranges)) as u64;
        // The first block, behind the border before, with as much before it.
        let (mut low, mut high) = (block + 1, guide.block_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if guide.bytes_before(middle)? < wanted { low = middle + 1 } else { high = middle }
        }
        block = low;
        if block >= guide.block_count() {
            break;
        }
        let border = guide.first_word(block)?;
        // Damaged words may come in any order.
        if borders.last().map_or(&[][..], |last| &last[..]) < border {
            borders.push(border.to_vec());
        }
    }
    Ok(borders)
}

#[cfg(test)]
mod tests {
    use super::super::dictionary::tests::sample;
    use super::*;

    fn dictionary(words: std::ops::Range<u32>) -> Dictionary {
        sample(&words.map(|n| format!("{n:05}").into_bytes()).collect::<Vec<_>>(), true)
    }

    #[test]
    fn ranges_are_of_like_size() {
        let inputs = [dictionary(0..500), dictionary(0..4000), dictionary(3000..3100)];
        let inputs: Vec<&Dictionary> = inputs.iter().collect();
        let bytes: u64 = inputs.iter().map(|d| d.bytes()).sum();
        for wanted in [1, 2, 7, 40] {
            let borders = borders(&inputs, bytes / wanted / FEW_INPUTS).expect("sound");
            assert_eq!(borders.len() as u64, wanted - 1);
            assert!(borders.is_sorted_by(|a, b| a < b));
            // The guide's lists repeat in length every 6 words, so that words divide as bytes do, to within a few blocks.
            for (n, border) in borders.iter().enumerate() {
                let word: u64 = String::from_utf8_lossy(border).parse().expect("a number");
                assert!(word.abs_diff(4000 * (n as u64 + 1) / wanted) < 100, "{word} of border {n} of {wanted}");
            }
        }
    }

    #[test]
    fn few_words_make_few_ranges() {
        assert!(borders(&[], 1).expect("sound").is_empty());
        for (words, blocks) in [(0, 0), (1, 1), (16, 1), (17, 2), (40, 3)] {
            let found = borders(&[&dictionary(0..words)], 1).expect("sound");
            assert!(found.len() <= usize::saturating_sub(blocks, 1), "{words}");
        }
        assert!(borders(&[&dictionary(0..4000)], u64::MAX).expect("sound").is_empty());
    }

    #[test]
    fn ranges_leave_no_gap() {
        let words = |texts: &[&str]| texts.iter().map(|t| t.as_bytes().to_vec()).collect::<Vec<_>>();
        let of_list = |list: List| Ok::<_, ()>(if list.has_positions() { words(&["d", "k"]) } else { vec![] });
        let ranges = WordRange::of(2, of_list).expect("never fails");
        let texts = |r: &WordRange| {
            let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
            format!("{} {} {}..{}", r.number, r.list.number(), text(&r.from), r.to.as_deref().map_or("∞".to_owned(), text))
        };
        let found: Vec<String> = ranges.iter().map(texts).collect();
        assert_eq!(found, ["0 0 ..d", "1 0 d..k", "2 0 k..∞", "3 1 ..d", "4 1 d..k", "5 1 k..∞", "6 2 ..∞"]);
        assert!(WordRange::of(0, of_list).expect("never fails").is_empty());
    }
}
