//! The text options of a table: names, values, defaults, and what is refused.
//!
//! Whatever the dialect's manual names and this program does not do is refused with "not built yet", unless the value asks for
//! nothing (`html_strip='0'`); an unknown name is refused by name. So no option is accepted and ignored.

use std::collections::BTreeMap;

use super::TextError;

/// Options as read, before files and built-in lists are opened.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Options {
    pub(super) charset_table: String,
    /// Characters that are words of their own; empty = none.
    pub(super) ngram_chars: String,
    pub(super) ngram_len: u32,
    /// Characters that words do not notice; empty = none.
    pub(super) ignore_chars: String,
    /// Stemmers in order.
    pub(super) morphology: Vec<String>,
    /// Letters a word must have to be stemmed.
    pub(super) min_stemming_len: u32,
    /// Letters a word must have to be indexed.
    pub(super) min_word_len: u32,
    /// 0 = no prefix search.
    pub(super) min_prefix_len: u32,
    /// 0 = no infix search; else at least 2.
    pub(super) min_infix_len: u32,
    pub(super) index_exact_words: bool,
    /// Names of lists and files between spaces.
    pub(super) stopwords: String,
    /// Whether a stopword takes a position.
    pub(super) stopword_step: bool,
    /// Whether stopwords are compared before stemming.
    pub(super) stopwords_unstemmed: bool,
    /// Whether a word shorter than `min_word_len` takes a position.
    pub(super) overshort_step: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            charset_table: "non_cont".to_owned(),
            ngram_chars: String::new(),
            ngram_len: 0,
            ignore_chars: String::new(),
            morphology: Vec::new(),
            min_stemming_len: 1,
            min_word_len: 1,
            min_prefix_len: 0,
            min_infix_len: 0,
            index_exact_words: false,
            stopwords: String::new(),
            stopword_step: true,
            stopwords_unstemmed: false,
            overshort_step: true,
        }
    }
}

/// A length that no word reaches asks for nothing that anyone can want.
const LENGTH_MAX: u32 = super::tokenizer::WORD_CHARS_MAX as u32;

/// Options of the manual that are not built, with the values besides the empty one that ask for nothing.
const NOT_BUILT: [(&str, &[&str]); 33] = [
    ("bigram_delimiter", &["none"]),
    ("bigram_freq_words", &[]),
    ("bigram_index", &["none"]),
    ("blend_chars", &[]),
    ("blend_mode", &["trim_none"]),
    ("dict", &["keywords"]),
    ("embedded_limit", &["16384", "16k", "16K"]),
    ("exceptions", &[]),
    ("exceptions_list", &[]),
    ("expand_keywords", &["0"]),
    ("global_idf", &[]),
    ("hitless_words", &["none"]),
    ("hitless_words_list", &[]),
    ("html_index_attrs", &[]),
    ("html_remove_elements", &[]),
    ("html_strip", &["0"]),
    ("index_field_lengths", &["0"]),
    ("index_sp", &["0"]),
    ("index_token_filter", &[]),
    ("index_zones", &[]),
    ("infix_fields", &[]),
    ("jieba_hmm", &["1"]),
    ("jieba_mode", &["accurate"]),
    ("jieba_user_dict_path", &[]),
    ("max_substring_len", &["0"]),
    ("morphology_skip_fields", &[]),
    ("phrase_boundary", &[]),
    ("phrase_boundary_step", &["0"]),
    ("prefix_fields", &[]),
    ("regexp_filter", &[]),
    ("stopwords_list", &[]),
    ("wordforms", &[]),
    ("wordforms_list", &[]),
];

impl Options {
    /// Reads option name → value as given in CREATE TABLE, names in lower case.
    pub(super) fn read(given: &BTreeMap<String, String>) -> Result<Options, TextError> {
        let mut options = Options::default();
        for (name, value) in given {
            let value = value.trim();
            match name.as_str() {
                "charset_table" => options.charset_table = value.to_owned(),
                "ngram_chars" => options.ngram_chars = value.to_owned(),
                "ngram_len" => options.ngram_len = number(name, value, 0, 1)?,
                "ignore_chars" => options.ignore_chars = value.to_owned(),
                "morphology" => options.morphology = list(value),
                "min_stemming_len" => options.min_stemming_len = number(name, value, 1, LENGTH_MAX)?,
                "min_word_len" => options.min_word_len = number(name, value, 1, LENGTH_MAX)?,
                "min_prefix_len" => options.min_prefix_len = number(name, value, 0, LENGTH_MAX)?,
                "min_infix_len" => options.min_infix_len = number(name, value, 0, LENGTH_MAX)?,
                "index_exact_words" => options.index_exact_words = flag(name, value)?,
                "stopwords" => options.stopwords = value.to_owned(),
                "stopword_step" => options.stopword_step = flag(name, value)?,
                "stopwords_unstemmed" => options.stopwords_unstemmed = flag(name, value)?,
                "overshort_step" => options.overshort_step = flag(name, value)?,
                _ => refuse(name, value)?,
            }
        }
        if options.min_infix_len == 1 {
            return Err(TextError("min_infix_len: must be 0 or at least 2, not '1'".to_owned()));
        }
        if options.ngram_len == 0 && !options.ngram_chars.is_empty() {
            // The dialect's default length of n-grams is 0, which switches them off.
            options.ngram_chars.clear();
        }
        Ok(options)
    }
}

/// Names between commas, without those that mean nothing.
fn list(value: &str) -> Vec<String> {
    value.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "none").map(str::to_owned).collect()
}

fn number(name: &str, value: &str, least: u32, most: u32) -> Result<u32, TextError> {
    match value.parse() {
        Ok(found) if (least..=most).contains(&found) => Ok(found),
        _ => Err(TextError(format!("{name}: a number from {least} to {most} expected, not '{value}'"))),
    }
}

fn flag(name: &str, value: &str) -> Result<bool, TextError> {
    Ok(number(name, value, 0, 1)? == 1)
}

fn refuse(name: &str, value: &str) -> Result<(), TextError> {
    match NOT_BUILT.iter().find(|(known, _)| *known == name) {
        Some((_, neutral)) if value.is_empty() || neutral.contains(&value) => Ok(()),
        Some(_) => Err(TextError(format!("{name}='{value}' is not built yet"))),
        None => Err(TextError(format!("unknown text option '{name}'"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, value: &str) -> Result<Options, String> {
        Options::read(&BTreeMap::from([(name.to_owned(), value.to_owned())])).map_err(|error| error.0)
    }

    #[test]
    fn values() {
        assert_eq!(Options::read(&BTreeMap::new()), Ok(Options::default()));
        assert_eq!(read("min_word_len", " 3 ").unwrap().min_word_len, 3);
        assert_eq!(read("morphology", "stem_en, none, soundex").unwrap().morphology, ["stem_en", "soundex"]);
        assert!(!read("stopword_step", "0").unwrap().stopword_step);
        assert_eq!(read("html_strip", "0"), Ok(Options::default()));
        assert_eq!(read("wordforms", ""), Ok(Options::default()));
        assert_eq!(read("ngram_chars", "cont").unwrap().ngram_chars, "");
    }

    #[test]
    fn what_is_refused() {
        for (name, value, message) in [
            ("html_strip", "1", "html_strip='1' is not built yet"),
            ("blend_chars", "+, &", "blend_chars='+, &' is not built yet"),
            ("colour", "red", "unknown text option 'colour'"),
            ("min_infix_len", "1", "min_infix_len: must be 0 or at least 2, not '1'"),
            ("min_word_len", "0", "min_word_len: a number from 1 to 42 expected, not '0'"),
            ("min_word_len", "-1", "min_word_len: a number from 1 to 42 expected, not '-1'"),
            ("min_prefix_len", "99999999999", "min_prefix_len: a number from 0 to 42 expected, not '99999999999'"),
            ("index_exact_words", "yes", "index_exact_words: a number from 0 to 1 expected, not 'yes'"),
            ("ngram_len", "2", "ngram_len: a number from 0 to 1 expected, not '2'"),
        ] {
            assert_eq!(read(name, value), Err(message.to_owned()));
        }
    }
}
