//! Cuts text into folded words.
//!
//! Two readers over one charset: [`document_words`] for text that is indexed, which is the hot path of INSERT, and [`query_words`]
//! for text of a query, where wildcards and the exact-form sign may be parts of words.

use super::charset::{ASK, Charset, Fold, SEPARATOR};

/// Characters of a word that count. What is longer is cut, in documents and in queries alike, so that it still finds itself.
pub(super) const WORD_CHARS_MAX: usize = 42;
/// Bytes that a cut word may have.
pub(super) const WORD_BYTES_MAX: usize = WORD_CHARS_MAX * 4;

/// The folded word being read, behind a `=`: the word and its exact form are slices of one buffer.
pub(super) struct Word {
    bytes: [u8; 1 + WORD_BYTES_MAX],
    /// Bytes of the word without the sign.
    len: usize,
    chars: usize,
}

impl Word {
    pub(super) fn new() -> Word {
        let mut bytes = [0; 1 + WORD_BYTES_MAX];
        bytes[0] = b'=';
        Word { bytes, len: 0, chars: 0 }
    }

    /// The folded word.
    #[inline]
    pub(super) fn plain(&self) -> &[u8] {
        &self.bytes[1..=self.len]
    }

    /// The folded word with `=` before it.
    #[inline]
    pub(super) fn exact(&self) -> &[u8] {
        &self.bytes[..=self.len]
    }

    /// Characters of the word.
    #[inline]
    pub(super) fn chars(&self) -> usize {
        self.chars
    }

    #[inline]
    fn clear(&mut self) {
        self.len = 0;
        self.chars = 0;
    }

    #[inline]
    fn push_byte(&mut self, byte: u8) {
        if self.chars < WORD_CHARS_MAX {
            self.len += 1;
            self.bytes[self.len] = byte;
            self.chars += 1;
        }
    }

    fn push(&mut self, c: char) {
        if self.chars < WORD_CHARS_MAX {
            let written = c.encode_utf8(&mut self.bytes[1 + self.len..]).len();
            self.len += written;
            self.chars += 1;
        }
    }
}

/// Calls `each` with every word of a document's text, in order. Allocates nothing.
#[inline]
pub(super) fn document_words(charset: &Charset, text: &str, mut each: impl FnMut(&Word)) {
    let bytes = text.as_bytes();
    let mut word = Word::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let folded = charset.ascii[usize::from(byte)];
        if folded > ASK {
            word.push_byte(folded);
            at += 1;
            continue;
        }
        let fold = if folded == SEPARATOR {
            at += 1;
            Fold::Separator
        } else {
            // `at` stands at a character, since whole characters were read so far.
            let Some(c) = text[at..].chars().next() else { break };
            at += c.len_utf8();
            charset.fold(c)
        };
        match fold {
            Fold::Separator => {
                if word.chars > 0 {
                    each(&word);
                    word.clear();
                }
            }
            Fold::Ignored => {}
            Fold::Letter(letter) => word.push(letter),
            Fold::Single(letter) => {
                if word.chars > 0 {
                    each(&word);
                    word.clear();
                }
                word.push(letter);
                each(&word);
                word.clear();
            }
        }
    }
    if word.chars > 0 {
        each(&word);
    }
}

/// Which signs the table's queries give a meaning to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Signs {
    /// `*`, `?` and `%` are parts of words.
    pub(super) wildcards: bool,
    /// `=` before a word asks for its exact form.
    pub(super) exact: bool,
}

/// A word as a query writes it.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct QueryWord {
    /// Folded, wildcards included, without `=`.
    pub(super) text: String,
    /// Characters besides wildcards.
    pub(super) chars: usize,
    pub(super) wildcard: bool,
    pub(super) exact: bool,
}

/// Whether `c` stands for characters: `*` for any number, `?` for one, `%` for one or none.
pub(super) fn is_wildcard(c: char) -> bool {
    matches!(c, '*' | '?' | '%')
}

/// The words of a piece of query text. A backslash takes the meaning from the sign behind it. Wildcards alone are no word.
pub(super) fn query_words(charset: &Charset, signs: Signs, text: &str) -> Vec<QueryWord> {
    let mut found = Vec::new();
    let mut word = QueryWord { text: String::new(), chars: 0, wildcard: false, exact: false };
    let mut end = |word: &mut QueryWord, exact: bool| {
        let next = QueryWord { text: String::new(), chars: 0, wildcard: false, exact };
        let done = std::mem::replace(word, next);
        if done.chars > 0 {
            found.push(done);
        }
    };
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let (c, escaped) = if c == '\\' { (chars.next().unwrap_or(' '), true) } else { (c, false) };
        // A character of the charset is a letter even where it could be a sign.
        match charset.fold(c) {
            Fold::Letter(letter) => {
                if word.chars < WORD_CHARS_MAX {
                    word.text.push(letter);
                    word.chars += 1;
                }
            }
            Fold::Single(letter) => {
                end(&mut word, false);
                word.text.push(letter);
                word.chars = 1;
                end(&mut word, false);
            }
            Fold::Ignored => {}
            Fold::Separator if signs.wildcards && !escaped && is_wildcard(c) => {
                // A pattern has a bound too, so that a long run of wildcards costs nothing.
                if word.text.len() < WORD_BYTES_MAX {
                    word.text.push(c);
                    word.wildcard = true;
                }
            }
            Fold::Separator => end(&mut word, signs.exact && !escaped && c == '='),
        }
    }
    end(&mut word, false);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(charset: &str, text: &str) -> String {
        let charset = Charset::parse(charset).unwrap();
        let mut words = Vec::new();
        document_words(&charset, text, |word| {
            assert_eq!(&word.exact()[1..], word.plain());
            words.push(String::from_utf8(word.plain().to_vec()).unwrap());
        });
        words.join(" ")
    }

    fn query(wildcards: bool, exact: bool, text: &str) -> String {
        let words = query_words(&Charset::non_cont(), Signs { wildcards, exact }, text);
        let shown: Vec<String> = words.iter().map(|w| format!("{}{}", if w.exact { "=" } else { "" }, w.text)).collect();
        shown.join(" ")
    }

    #[test]
    fn documents() {
        for (text, want) in [
            ("", ""),
            (" ,, ", ""),
            ("The quick, BROWN fox", "the quick brown fox"),
            ("foo_bar u.s.a.", "foo bar u s a"),
            ("Café e\u{301}t 北京 x", "cafe et x"),
            ("a😀b", "a b"),
            ("a?b=c*", "a b c"),
        ] {
            assert_eq!(document("non_cont", text), want, "{text}");
        }
        assert_eq!(document("a->U+e9, b", "ab ba cc a"), "éb bé é");
    }

    #[test]
    fn long_words_are_cut_alike() {
        for letter in ["a", "é", "я", "𐐨"] {
            let long = letter.repeat(60);
            let cut = document("non_cont", &long);
            assert_eq!(cut.chars().count(), WORD_CHARS_MAX);
            assert_eq!(query(true, true, &long), cut);
        }
    }

    #[test]
    fn queries() {
        for (wildcards, exact, text, want) in [
            (false, false, "a?b=c x* 'y'", "a b c x y"),
            (true, false, "a?b=c x* %Y * ??", "a?b c x* %y"),
            (false, true, "a?b=C = d ==e =", "a b =c d =e"),
            (true, true, "=love* =*Love", "=love* =*love"),
            (true, true, "a\\*b \\=c\\", "a b c"),
            (true, true, "", ""),
        ] {
            assert_eq!(query(wildcards, exact, text), want, "{text}");
        }
    }

    #[test]
    fn characters_that_are_words() {
        let charset = Charset::non_cont().with_ngrams("cont").unwrap();
        let mut words = Vec::new();
        document_words(&charset, "北京ab欢 x", |word| words.push(String::from_utf8(word.plain().to_vec()).unwrap()));
        assert_eq!(words, ["北", "京", "ab", "欢", "x"]);
        let found = query_words(&charset, Signs { wildcards: true, exact: true }, "北京ab欢 x");
        assert_eq!(found.iter().map(|w| w.text.as_str()).collect::<Vec<_>>(), words);
    }
}
