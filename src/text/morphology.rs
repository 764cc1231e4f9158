//! Stemmers in a row: the value of `morphology`.

use std::borrow::Cow;

use super::TextError;
use super::stem::stem_en;
use super::tokenizer::WORD_BYTES_MAX;

/// The stemmers of a table, in the order they are tried; the first one that changes a word ends the row.
pub(super) struct Morphology {
    stemmers: Vec<Stemmer>,
    /// Characters a word must have to be stemmed.
    min_chars: usize,
}

enum Stemmer {
    /// Own code, in place.
    English,
    /// A Snowball stemmer; allocates where it changes a word.
    Snowball(frostem::Stemmer),
}

/// What stemming made of a word.
#[derive(Clone, Copy)]
pub(super) enum Stem<'a> {
    Same,
    Changed(&'a [u8]),
}

impl<'a> Stem<'a> {
    /// The stem of `plain`, the word that was stemmed.
    #[inline]
    pub(super) fn of(self, plain: &'a [u8]) -> &'a [u8] {
        match self {
            Stem::Same => plain,
            Stem::Changed(stem) => stem,
        }
    }
}

/// Languages of `libstemmer_…` by the codes of the manual.
const SNOWBALL: [(&str, frostem::Algorithm); 23] = [
    ("ar", frostem::Algorithm::Arabic),
    ("ca", frostem::Algorithm::Catalan),
    ("da", frostem::Algorithm::Danish),
    ("de", frostem::Algorithm::German),
    ("el", frostem::Algorithm::Greek),
    ("en", frostem::Algorithm::English),
    ("es", frostem::Algorithm::Spanish),
    ("fi", frostem::Algorithm::Finnish),
    ("fr", frostem::Algorithm::French),
    ("ga", frostem::Algorithm::Irish),
    ("hi", frostem::Algorithm::Hindi),
    ("hu", frostem::Algorithm::Hungarian),
    ("id", frostem::Algorithm::Indonesian),
    ("it", frostem::Algorithm::Italian),
    ("lt", frostem::Algorithm::Lithuanian),
    ("ne", frostem::Algorithm::Nepali),
    ("nl", frostem::Algorithm::Dutch),
    ("no", frostem::Algorithm::Norwegian),
    ("pt", frostem::Algorithm::Portuguese),
    ("ro", frostem::Algorithm::Romanian),
    ("ru", frostem::Algorithm::Russian),
    ("sv", frostem::Algorithm::Swedish),
    ("tr", frostem::Algorithm::Turkish),
];

/// Names of the manual besides `libstemmer_…` that are not built.
const NOT_BUILT: [&str; 16] = [
    "lemmatize_ru",
    "lemmatize_uk",
    "lemmatize_en",
    "lemmatize_de",
    "lemmatize_ru_all",
    "lemmatize_uk_all",
    "lemmatize_en_all",
    "lemmatize_de_all",
    "stem_ru",
    "stem_enru",
    "stem_cz",
    "stem_ar",
    "soundex",
    "metaphone",
    "icu_chinese",
    "jieba_chinese",
];

impl Morphology {
    /// The stemmers called `names`. Fails for an unknown name and for one that is not built.
    pub(super) fn new(names: &[String], min_chars: u32) -> Result<Morphology, TextError> {
        let stemmers = names.iter().map(|name| Stemmer::named(name)).collect::<Result<_, _>>()?;
        Ok(Morphology { stemmers, min_chars: min_chars as usize })
    }

    /// Whether words stay as they are.
    #[inline]
    pub(super) fn is_none(&self) -> bool {
        self.stemmers.is_empty()
    }

    /// Stems the folded word `plain` of `chars` characters. `buffer` holds the stem where it differs.
    #[inline]
    pub(super) fn stem<'a>(&self, plain: &[u8], chars: usize, buffer: &'a mut [u8; WORD_BYTES_MAX]) -> Stem<'a> {
        if self.stemmers.is_empty() || chars < self.min_chars {
            return Stem::Same;
        }
        self.stem_slow(plain, buffer)
    }

    fn stem_slow<'a>(&self, plain: &[u8], buffer: &'a mut [u8; WORD_BYTES_MAX]) -> Stem<'a> {
        for stemmer in &self.stemmers {
            let len = match stemmer {
                Stemmer::English => {
                    let Some(copy) = buffer.get_mut(..plain.len()) else { return Stem::Same };
                    copy.copy_from_slice(plain);
                    stem_en(copy)
                }
                Stemmer::Snowball(snowball) => {
                    let Ok(word) = str::from_utf8(plain) else { return Stem::Same };
                    match snowball.stem(word) {
                        Cow::Borrowed(stem) => copy_cut(stem, buffer),
                        Cow::Owned(stem) => copy_cut(&stem, buffer),
                    }
                }
            };
            if buffer[..len] != *plain && len > 0 {
                return Stem::Changed(&buffer[..len]);
            }
        }
        Stem::Same
    }
}

/// Copies as many whole characters as the buffer takes, and returns their bytes. Only a stem longer than its word could be cut.
fn copy_cut(stem: &str, buffer: &mut [u8; WORD_BYTES_MAX]) -> usize {
    let len = stem.floor_char_boundary(WORD_BYTES_MAX);
    buffer[..len].copy_from_slice(&stem.as_bytes()[..len]);
    len
}

impl Stemmer {
    fn named(name: &str) -> Result<Stemmer, TextError> {
        if name == "stem_en" {
            return Ok(Stemmer::English);
        }
        let code = name.strip_prefix("libstemmer_");
        if let Some((_, algorithm)) = SNOWBALL.iter().find(|(known, _)| Some(*known) == code) {
            return Ok(Stemmer::Snowball(frostem::Stemmer::new(*algorithm)));
        }
        Err(TextError(if NOT_BUILT.contains(&name) {
            format!("morphology='{name}' is not built yet")
        } else {
            format!("morphology: unknown name '{name}'")
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(names: &[&str], min_chars: u32, word: &str) -> String {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let morphology = Morphology::new(&names, min_chars).unwrap();
        let mut buffer = [0; WORD_BYTES_MAX];
        String::from_utf8(morphology.stem(word.as_bytes(), word.chars().count(), &mut buffer).of(word.as_bytes()).to_vec()).unwrap()
    }

    #[test]
    fn stemmers() {
        for (names, min_chars, word, want) in [
            (&[][..], 1, "dogs", "dogs"),
            (&["stem_en"], 1, "dogs", "dog"),
            (&["stem_en"], 5, "dogs", "dogs"),
            (&["stem_en"], 4, "dogs", "dog"),
            (&["libstemmer_de"], 1, "hausern", "haus"),
            (&["libstemmer_fr"], 1, "belles", "bel"),
            (&["libstemmer_ru", "stem_en"], 1, "jumping", "jump"),
            (&["libstemmer_ru", "stem_en"], 1, "бегущие", "бегущ"),
        ] {
            assert_eq!(stem(names, min_chars, word), want, "{word}");
        }
    }

    #[test]
    fn what_is_refused() {
        for (name, message) in [
            ("stem_cz", "morphology='stem_cz' is not built yet"),
            ("libstemmer_xx", "morphology: unknown name 'libstemmer_xx'"),
            ("stem", "morphology: unknown name 'stem'"),
        ] {
            assert_eq!(Morphology::new(&[name.to_owned()], 1).err(), Some(TextError(message.to_owned())));
        }
    }
}
