//! One table's text options at work: text in, words with positions out.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::charset::{Charset, Fold};
use super::morphology::{Morphology, Stem};
use super::options::Options;
use super::stopwords;
use super::tokenizer::{QueryWord, Signs, WORD_BYTES_MAX, document_words, is_wildcard, query_words};
use crate::types::WordChars;

/// Why text options were refused. The message names option and value.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("{0}")]
pub struct TextError(pub String);

/// How one table's text becomes words. Immutable and shared; built once from the table's text options.
pub struct Analyzer {
    charset: Arc<Charset>,
    morphology: Morphology,
    stopwords: Stopwords,
    min_word_len: usize,
    min_prefix_len: u32,
    min_infix_len: u32,
    exact_words: bool,
    stopword_step: u32,
    overshort_step: u32,
}

/// A word of query text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryToken {
    /// The word as written, folded; `=` and wildcards included where the table gives them a meaning.
    pub tokenized: String,
    /// The word as the dictionary holds it: stemmed, or `=word` for an exact form, or the pattern of a wildcard.
    pub normalized: String,
    /// Counts words and, where `stopword_step` is 1, stopwords, from 1; words that are too short take no number. The `qpos` of CALL
    /// KEYWORDS.
    pub position: u32,
    /// The position that the word would have in a document with this text, from 1: too short words count where `overshort_step` is 1.
    pub text_position: u32,
}

/// What becomes of one word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryTerm {
    /// Look this key up in the dictionary.
    Term(String),
    /// A stopword: matches nothing and demands nothing, but takes `stopword_step` positions.
    Stopword,
    /// Shorter than `min_word_len`: matches nothing and demands nothing, but takes `overshort_step` positions.
    TooShort,
    /// No character of the charset in it.
    Nothing,
}

impl Analyzer {
    /// Builds the analyzer from option name (lower case) → value as given in CREATE TABLE.
    ///
    /// `read_file` gives the bytes of a stopwords file. Fails for an unknown option, a bad value, a file that cannot be read,
    /// and for what is not built; the message names option and value.
    pub fn new(options: &BTreeMap<String, String>, read_file: &dyn Fn(&str) -> std::io::Result<Vec<u8>>) -> Result<Analyzer, TextError> {
        let options = Options::read(options)?;
        let refused = |name: &str, value: &str, why: String| TextError(format!("{name}='{value}': {why}"));
        let mut charset = Charset::parse(&options.charset_table).map_err(|why| refused("charset_table", &options.charset_table, why))?;
        if !options.ngram_chars.is_empty() {
            let with = charset.with_ngrams(&options.ngram_chars);
            charset = Arc::new(with.map_err(|why| refused("ngram_chars", &options.ngram_chars, why))?);
        }
        if !options.ignore_chars.is_empty() {
            let with = charset.with_ignored(&options.ignore_chars);
            charset = Arc::new(with.map_err(|why| refused("ignore_chars", &options.ignore_chars, why))?);
        }
        let morphology = Morphology::new(&options.morphology, options.min_stemming_len)?;
        let stopwords = Stopwords::new(&options, &charset, &morphology, read_file)?;
        Ok(Analyzer {
            charset,
            stopwords,
            min_word_len: options.min_word_len as usize,
            min_prefix_len: options.min_prefix_len,
            min_infix_len: options.min_infix_len,
            // Without morphology a word is its own exact form, and a second copy of each word would be waste.
            exact_words: options.index_exact_words && !morphology.is_none(),
            stopword_step: u32::from(options.stopword_step),
            overshort_step: u32::from(options.overshort_step),
            morphology,
        })
    }

    /// Calls `emit(word, position)` for each word of a document's text and returns the position of the last one, 0 if there is none.
    ///
    /// Positions count from 1. With `index_exact_words` each word comes twice at one position: first as `=word`, then stemmed. Stopwords
    /// and words shorter than `min_word_len` are not emitted, but take a position where their step says so. Words past 42 characters are
    /// cut. The hot path of INSERT: allocates nothing but for `libstemmer_…` morphology.
    pub fn index(&self, text: &str, emit: &mut impl FnMut(&[u8], u32)) -> u32 {
        let mut position: u32 = 0;
        let mut last = 0;
        let mut buffer = [0; WORD_BYTES_MAX];
        document_words(&self.charset, text, |word| {
            let plain = word.plain();
            if word.chars() < self.min_word_len {
                position = position.saturating_add(self.overshort_step);
                return;
            }
            let stem = self.morphology.stem(plain, word.chars(), &mut buffer);
            if self.stopwords.stops(plain, stem.of(plain)) {
                position = position.saturating_add(self.stopword_step);
                return;
            }
            position = position.saturating_add(1);
            last = position;
            if self.exact_words {
                emit(word.exact(), position);
            }
            emit(stem.of(plain), position);
        });
        last
    }

    /// The words of a piece of query text that has no operators in it, as CALL KEYWORDS shows them. Stopwords and too short words are left
    /// out.
    ///
    /// `=` and wildcards have their meaning where the table allows them; a backslash takes it away.
    pub fn query(&self, text: &str) -> Vec<QueryToken> {
        self.tokens(text, Signs { wildcards: self.wildcards(), exact: self.exact_words }).0
    }

    /// The words of a piece of query text in which no character is a sign, and the positions that the text takes in a document.
    ///
    /// The count holds stopwords and too short words as far as their steps say so, also where no word is left: `the` gives no words and 1.
    pub fn query_plain(&self, text: &str) -> (Vec<QueryToken>, u32) {
        self.tokens(text, Signs { wildcards: false, exact: false })
    }

    fn tokens(&self, text: &str, signs: Signs) -> (Vec<QueryToken>, u32) {
        let (mut position, mut text_position): (u32, u32) = (0, 0);
        let mut tokens = Vec::new();
        for word in query_words(&self.charset, signs, text) {
            let term = self.resolve(&word);
            let (step, text_step) = match term {
                QueryTerm::Term(_) => (1, 1),
                QueryTerm::Stopword => (self.stopword_step, self.stopword_step),
                QueryTerm::TooShort => (0, self.overshort_step),
                QueryTerm::Nothing => (0, 0),
            };
            position = position.saturating_add(step);
            text_position = text_position.saturating_add(text_step);
            if let QueryTerm::Term(normalized) = term {
                let tokenized = if word.exact { format!("={}", word.text) } else { word.text };
                tokens.push(QueryToken { tokenized, normalized, position, text_position });
            }
        }
        (tokens, text_position)
    }

    /// What the dictionary is asked for where a query says `word`: one word without operators and wildcards, in any case.
    ///
    /// A `word` of several (it may have separators inside, if the caller does not cut by [`WordChars`]) gives the first of them; use
    /// [`Analyzer::query`] for text.
    pub fn term(&self, word: &str) -> QueryTerm {
        self.first(word, false)
    }

    /// What the dictionary is asked for where a query says `=word`, or says `word` with `OPTION morphology=none`.
    ///
    /// Without exact words in the table it is the folded word itself, unstemmed: found only where stemming changes nothing.
    pub fn exact_term(&self, word: &str) -> QueryTerm {
        self.first(word, true)
    }

    fn first(&self, word: &str, exact: bool) -> QueryTerm {
        let found = query_words(&self.charset, Signs { wildcards: false, exact: false }, word).into_iter().next();
        found.map_or(QueryTerm::Nothing, |mut word| {
            word.exact = exact;
            self.resolve(&word)
        })
    }

    /// The key of the exact form of a word that is folded already: `=word` in a table with exact words, else the word.
    pub fn exact_key(&self, folded: &str) -> String {
        if self.exact_words { format!("={folded}") } else { folded.to_owned() }
    }

    /// A pattern with its letters folded and its wildcards kept (`*` any number of characters, `?` one, `%` one or none), or None if it has
    /// no letter.
    ///
    /// Patterns match words as written, not stems: in a table with exact words they are held against the keys that begin with `=`, behind
    /// the sign ([`Analyzer::exact_key`]), else against all keys. Neither stopwords nor `min_word_len` touch a pattern. Characters outside
    /// the charset are dropped.
    pub fn pattern(&self, pattern: &str) -> Option<String> {
        let mut folded = String::with_capacity(pattern.len());
        let mut letters = false;
        for c in pattern.chars().take(WORD_BYTES_MAX) {
            match self.charset.fold(c) {
                Fold::Letter(letter) | Fold::Single(letter) => {
                    folded.push(letter);
                    letters = true;
                }
                Fold::Separator if is_wildcard(c) => folded.push(c),
                Fold::Separator | Fold::Ignored => {}
            }
        }
        letters.then_some(folded)
    }

    /// The letters of `text`, folded, without whatever is no letter; neither cut nor stemmed. What a word or a part of a pattern looks like
    /// in the dictionary.
    pub fn fold(&self, text: &str) -> String {
        let letters = text.chars().filter_map(|c| match self.charset.fold(c) {
            Fold::Letter(letter) | Fold::Single(letter) => Some(letter),
            Fold::Separator | Fold::Ignored => None,
        });
        letters.collect()
    }

    /// Whether a query may use wildcards: the table has prefix or infix search.
    pub fn wildcards(&self) -> bool {
        self.min_prefix_len > 0 || self.min_infix_len > 0
    }

    /// Least characters of a prefix before `*`; 0 = no prefix search.
    pub fn min_prefix_len(&self) -> u32 {
        self.min_prefix_len
    }

    /// Least characters of a part between wildcards; 0 = no infix search.
    pub fn min_infix_len(&self) -> u32 {
        self.min_infix_len
    }

    /// Whether the dictionary holds `=word` beside each stem. False without morphology, whatever the option says: words are exact then.
    pub fn index_exact_words(&self) -> bool {
        self.exact_words
    }

    /// Whether words are stemmed.
    pub fn has_morphology(&self) -> bool {
        !self.morphology.is_none()
    }

    /// Positions that a stopword takes: 0 or 1.
    pub fn stopword_step(&self) -> u32 {
        self.stopword_step
    }

    /// Positions that a word shorter than `min_word_len` takes: 0 or 1.
    pub fn overshort_step(&self) -> u32 {
        self.overshort_step
    }

    fn resolve(&self, word: &QueryWord) -> QueryTerm {
        if word.wildcard {
            return QueryTerm::Term(if word.exact { self.exact_key(&word.text) } else { word.text.clone() });
        }
        if word.chars < self.min_word_len {
            return QueryTerm::TooShort;
        }
        let plain = word.text.as_bytes();
        let mut buffer = [0; WORD_BYTES_MAX];
        let stem = self.morphology.stem(plain, word.chars, &mut buffer);
        if self.stopwords.stops(plain, stem.of(plain)) {
            return QueryTerm::Stopword;
        }
        QueryTerm::Term(match (word.exact, stem) {
            (true, _) => self.exact_key(&word.text),
            (false, Stem::Same) => word.text.clone(),
            // Stemmers cut and replace ASCII letters at the end only, so the rest stays whole characters.
            (false, stem) => String::from_utf8_lossy(stem.of(plain)).into_owned(),
        })
    }
}

impl WordChars for Analyzer {
    fn is_word(&self, c: char) -> bool {
        self.charset.fold(c) != Fold::Separator
    }
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyzer")
            .field("min_word_len", &self.min_word_len)
            .field("stopwords", &self.stopwords.words.len())
            .finish_non_exhaustive()
    }
}

/// Words that are left out.
struct Stopwords {
    /// Stemmed, unless `unstemmed`.
    words: FxHashSet<Box<[u8]>>,
    /// Bytes of the longest; spares the look-up for longer words.
    longest: usize,
    /// Compared with the word before stemming.
    unstemmed: bool,
}

impl Stopwords {
    /// Lists are cut into words as documents are. Short words count too.
    fn new(
        options: &Options,
        charset: &Charset,
        morphology: &Morphology,
        read_file: &dyn Fn(&str) -> std::io::Result<Vec<u8>>,
    ) -> Result<Stopwords, TextError> {
        let mut words: FxHashSet<Box<[u8]>> = FxHashSet::default();
        let mut buffer = [0; WORD_BYTES_MAX];
        stopwords::for_each_list(&options.stopwords, read_file, |text| {
            document_words(charset, text, |word| {
                let plain = word.plain();
                let stem = if options.stopwords_unstemmed { Stem::Same } else { morphology.stem(plain, word.chars(), &mut buffer) };
                words.insert(stem.of(plain).into());
            });
        })?;
        let longest = words.iter().map(|word| word.len()).max().unwrap_or(0);
        Ok(Stopwords { words, longest, unstemmed: options.stopwords_unstemmed })
    }

    #[inline]
    fn stops(&self, plain: &[u8], stem: &[u8]) -> bool {
        let word = if self.unstemmed { plain } else { stem };
        word.len() <= self.longest && self.words.contains(word)
    }
}
