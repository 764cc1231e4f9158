//! The words that `<text>` is made of.
//!
//! Built in are words of made-up syllables, the frequent ones short, drawn with the skew of Zipf's law: the word of rank r is drawn
//! 1 ÷ rˢ as often as the first. From a file, a word is drawn as often as it stands there, so that its own skew is kept.
//! A draw costs one random number and two look-ups: an alias table (Walker 1977, Vose 1991).

use rustc_hash::{FxHashMap, FxHashSet};

use super::random::Random;

/// Words and how often each is drawn.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    /// All words, ready to stand in a quoted string.
    words: Vec<Word>,
    /// Words that do not fit into a [`Word`].
    long: Vec<String>,
    /// For each slot of equal chance: below which fraction of 2³² it is its own word, and the word it is otherwise.
    slots: Vec<(u32, u32)>,
}

/// Up to 15 bytes, zeros behind them, and their number: the usual word is copied in one step, since making text is most of what a load
/// costs its own machine. A word that is longer has [`LONG`] for a number, and its place in the list of long ones in the first bytes.
type Word = [u8; 16];

const LONG: u8 = 255;

impl Vocabulary {
    /// `count` different words; the same ones for the same `seed`. `skew` is Zipf's exponent, 0 draws all alike.
    pub(super) fn built_in(count: usize, skew: f64, seed: u64) -> Vocabulary {
        let count = count.max(1);
        let mut random = Random::new(seed, 0x0077_6F72_6473);
        let mut seen = FxHashSet::default();
        let mut words = Vec::with_capacity(count);
        while words.len() < count {
            let mut syllables = match words.len() {
                0..200 => 1,
                200..5_000 => 2,
                5_000..50_000 => 3,
                _ => 4,
            };
            let mut word = String::new();
            while word.is_empty() || syllables > 0 || !seen.insert(word.clone()) {
                syllable(&mut word, &mut random);
                syllables = usize::saturating_sub(syllables, 1);
            }
            words.push(word);
        }
        let weights: Vec<f64> = (1..=count).map(|rank| (rank as f64).powf(-skew)).collect();
        Vocabulary::new(words.iter().map(String::as_str), &weights)
    }

    /// The words of a text. None if it has none, or more than can be numbered.
    pub(super) fn of_text(text: &str) -> Option<Vocabulary> {
        let mut counts: FxHashMap<&str, (usize, f64)> = FxHashMap::default();
        for word in text.split_whitespace() {
            let next = counts.len();
            counts.entry(word).or_insert((next, 0.0)).1 += 1.0;
        }
        let fits = !counts.is_empty() && text.len() < u32::MAX as usize / 2;
        let mut words: Vec<(usize, &str, f64)> = counts.into_iter().map(|(word, (order, count))| (order, word, count)).collect();
        words.sort_unstable_by_key(|(order, ..)| *order);
        let weights: Vec<f64> = words.iter().map(|(.., count)| *count).collect();
        fits.then(|| Vocabulary::new(words.iter().map(|(_, word, _)| *word), &weights))
    }

    fn new<'a>(texts: impl Iterator<Item = &'a str>, weights: &[f64]) -> Vocabulary {
        let mut vocabulary = Vocabulary { slots: alias_table(weights), ..Vocabulary::default() };
        for text in texts {
            let mut escaped = String::with_capacity(text.len());
            for c in text.chars() {
                if matches!(c, '\'' | '"' | '\\') {
                    escaped.push('\\');
                }
                escaped.push(c);
            }
            let mut word = [0; 16];
            if let Some(short) = word[..15].get_mut(..escaped.len()) {
                short.copy_from_slice(escaped.as_bytes());
                word[15] = escaped.len() as u8;
            } else {
                word[..4].copy_from_slice(&(vocabulary.long.len() as u32).to_le_bytes());
                word[15] = LONG;
                vocabulary.long.push(escaped);
            }
            vocabulary.words.push(word);
        }
        vocabulary
    }

    /// Appends a word.
    pub(super) fn draw(&self, random: &mut Random, out: &mut Vec<u8>) {
        let number = random.next();
        let slot = ((number >> 32) * self.slots.len() as u64) >> 32;
        let Some(&(own_below, other)) = self.slots.get(slot as usize) else { return };
        let word = if (number as u32) < own_below { slot as u32 } else { other };
        if let Some(word) = self.words.get(word as usize) {
            self.write(word, out);
        }
    }

    fn write(&self, word: &Word, out: &mut Vec<u8>) {
        if word[15] == LONG {
            let place = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            out.extend_from_slice(self.long.get(place as usize).map_or(&[], |text| text.as_bytes()));
        } else {
            let end = out.len() + usize::from(word[15]);
            out.extend_from_slice(word);
            out.truncate(end);
        }
    }
}

fn syllable(word: &mut String, random: &mut Random) {
    const ONSETS: [&str; 24] =
        ["b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "br", "ch", "gr", "pl", "st", "tr"];
    const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
    const CODAS: [&str; 8] = ["", "", "", "n", "r", "s", "l", "t"];
    for parts in [&ONSETS[..], &VOWELS, &CODAS] {
        word.push_str(parts[random.below(parts.len() as u64) as usize]);
    }
}

/// Slots of equal chance for the weights, of which none is negative and one is above zero.
fn alias_table(weights: &[f64]) -> Vec<(u32, u32)> {
    let scale = weights.len() as f64 / weights.iter().sum::<f64>();
    let mut left: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..weights.len()).partition(|&i| left[i] < 1.0);
    let mut slots: Vec<(u32, u32)> = (0..weights.len() as u32).map(|i| (u32::MAX, i)).collect();
    while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
        small.pop();
        slots[poor] = ((left[poor] * (1u64 << 32) as f64) as u32, rich as u32);
        left[rich] -= 1.0 - left[poor];
        if left[rich] < 1.0 {
            large.pop();
            small.push(rich);
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(vocabulary: &Vocabulary, count: usize) -> FxHashMap<String, usize> {
        let mut random = Random::new(3, 0);
        let mut counts = FxHashMap::default();
        for _ in 0..count {
            let mut word = Vec::new();
            vocabulary.draw(&mut random, &mut word);
            *counts.entry(String::from_utf8(word).expect("text")).or_insert(0) += 1;
        }
        counts
    }

    #[test]
    fn built_in_words_are_different_and_follow_the_skew() {
        let words = Vocabulary::built_in(1000, 1.0, 42);
        assert_eq!(words.words.len(), 1000);
        let word = |i: usize| {
            let mut out = Vec::new();
            words.write(&words.words[i], &mut out);
            String::from_utf8(out).expect("text")
        };
        assert_eq!((0..1000).map(word).collect::<FxHashSet<_>>().len(), 1000);
        assert!((0..1000).all(|i| word(i).bytes().all(|b| b.is_ascii_lowercase())));
        let counts = draws(&words, 100_000);
        let share = |i: usize| counts.get(&word(i)).copied().unwrap_or(0) as f64 / 100_000.0;
        // 1 ÷ (r × H(1000)), H(1000) = 7.485
        assert!((share(0) - 0.1336).abs() < 0.01, "{}", share(0));
        assert!((share(1) - 0.0668).abs() < 0.01, "{}", share(1));
        assert!((share(9) - 0.0134).abs() < 0.004, "{}", share(9));
        let even = draws(&Vocabulary::built_in(10, 0.0, 42), 100_000);
        assert!(even.len() == 10 && even.values().all(|&n| (9_000..11_000).contains(&n)), "{even:?}");
        assert_eq!(Vocabulary::built_in(50, 1.0, 1).words, Vocabulary::built_in(50, 0.0, 1).words);
        assert_ne!(Vocabulary::built_in(50, 1.0, 1).words, Vocabulary::built_in(50, 1.0, 2).words);
    }

    #[test]
    fn a_text_keeps_its_own_frequencies() {
        let counts = draws(&Vocabulary::of_text("tea tea\ntea tea it's a-word-past-fifteen").expect("words"), 10_000);
        assert_eq!(counts.len(), 3);
        assert!((6_200..7_200).contains(&counts["tea"]), "{counts:?}");
        assert!(counts.contains_key("it\\'s") && counts.contains_key("a-word-past-fifteen"));
        assert!(Vocabulary::of_text(" \n").is_none());
    }
}
