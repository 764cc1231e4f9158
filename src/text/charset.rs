//! Which characters make up words and what they fold to: the table behind `charset_table`, `ngram_chars` and `ignore_chars`.
//!
//! ASCII has a table of its own, a byte each, since nearly all text is read through it; the rest is a two-stage table over all of
//! Unicode. The default charset is built once and shared by all tables.
//!
//! The value of `charset_table` is a list of entries between commas, the later one deciding:
//!
//! | entry | meaning |
//! | --- | --- |
//! | `a` | `a` is part of words |
//! | `a..z` | each of the range is |
//! | `A->a` | `A` is, and becomes `a`; of `a` itself nothing is said |
//! | `A..Z->a..z` | the same pair by pair |
//! | `A..Z/2` | of each pair the second one is what both become |
//! | `U+410` | a character by its number, wherever a character may stand |
//! | `non_cont`, `non_cjk`, `english`, `russian` | built-in sets |

use std::sync::{Arc, LazyLock};

use super::fold;

/// What the tokenizer does with a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fold {
    /// Ends a word.
    Separator,
    /// Neither ends a word nor adds to it.
    Ignored,
    /// Adds this letter to the word.
    Letter(char),
    /// Is a word by itself (an n-gram of length 1).
    Single(char),
}

/// In [`Charset::ascii`]: the character ends a word.
pub(super) const SEPARATOR: u8 = 0;
/// In [`Charset::ascii`]: ask [`Charset::fold`]. Any greater value is the ASCII letter itself, since letters begin at `!`.
pub(super) const ASK: u8 = 1;

const PAGE: usize = 256;
/// Pages that all of Unicode takes.
const PAGES: usize = 0x11_0000 / PAGE;
/// The least character that may be part of a word.
const LEAST: u32 = 0x21;

/// Folding of every character. Cheap to share, never changed after it was built.
#[derive(Clone)]
pub(super) struct Charset {
    /// By first byte of a character: [`SEPARATOR`], [`ASK`] (all bytes past ASCII) or the folded letter.
    pub(super) ascii: [u8; 256],
    /// Number of the page in `pages` for each 256 characters. Page 0 is all separators.
    index: Vec<u16>,
    pages: Vec<[Fold; PAGE]>,
}

/// The `non_cont` charset: built once, some milliseconds.
static NON_CONT: LazyLock<Arc<Charset>> = LazyLock::new(|| {
    let mut charset = Charset::empty();
    for c in '\0'..=char::MAX {
        match fold::non_cont(c) {
            Fold::Separator => {}
            known => charset.set(c, known),
        }
        // Nothing past the second plane is a letter of this set.
        if c as u32 >= 0x2_0000 {
            break;
        }
    }
    Arc::new(charset)
});

impl Charset {
    /// The default set.
    pub(super) fn non_cont() -> Arc<Charset> {
        Arc::clone(&NON_CONT)
    }

    fn empty() -> Charset {
        let mut ascii = [SEPARATOR; 256];
        ascii[128..].fill(ASK);
        Charset { ascii, index: vec![0; PAGES], pages: vec![[Fold::Separator; PAGE]] }
    }

    /// What becomes of `c`.
    #[inline]
    pub(super) fn fold(&self, c: char) -> Fold {
        let code = c as usize;
        // `index` covers all characters and names only pages that exist.
        self.pages[usize::from(self.index[code / PAGE])][code % PAGE]
    }

    /// Sets what becomes of `c`.
    fn set(&mut self, c: char, to: Fold) {
        let code = c as usize;
        let slot = &mut self.index[code / PAGE];
        if *slot == 0 {
            // At most 4 352 pages exist, so the number fits.
            *slot = self.pages.len() as u16;
            self.pages.push([Fold::Separator; PAGE]);
        }
        self.pages[usize::from(*slot)][code % PAGE] = to;
        if c.is_ascii() {
            self.ascii[code] = match to {
                Fold::Separator => SEPARATOR,
                Fold::Letter(letter) if letter.is_ascii() => letter as u8,
                Fold::Letter(_) | Fold::Ignored | Fold::Single(_) => ASK,
            };
        }
    }

    /// The charset that the value of `charset_table` describes. The error is a sentence about the entry at fault.
    pub(super) fn parse(value: &str) -> Result<Arc<Charset>, String> {
        if matches!(value.trim(), "non_cont" | "non_cjk") {
            return Ok(Charset::non_cont());
        }
        let mut charset = Charset::empty();
        let mut any = false;
        for entry in value.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            any = true;
            match entry {
                "non_cont" | "non_cjk" => charset.take_over(&NON_CONT),
                "english" => charset.add_all("a..z, A..Z->a..z")?,
                "russian" => charset.add_all("U+410..U+42F->U+430..U+44F, U+430..U+44F, U+401->U+451, U+451")?,
                "cont" | "cjk" | "chinese" | "japanese" | "korean" | "thai" => {
                    return Err(format!("the set '{entry}' is not built yet for charset_table; such scripts are indexed by ngram_chars"));
                }
                _ => charset.add(entry)?,
            }
        }
        if any { Ok(Arc::new(charset)) } else { Err("names no character".to_owned()) }
    }

    /// The same charset with the characters of `ngram_chars` as words of their own.
    pub(super) fn with_ngrams(&self, value: &str) -> Result<Charset, String> {
        let mut charset = self.clone();
        for entry in value.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            match entry {
                "cont" | "cjk" => {
                    for c in ('\0'..=char::MAX).filter(|&c| fold::is_continuous(c) && c.is_alphabetic()) {
                        charset.set(c, Fold::Single(c));
                    }
                }
                "chinese" | "japanese" | "korean" | "thai" => {
                    return Err(format!("the set '{entry}' is not built yet; 'cont' holds it"));
                }
                _ => {
                    for (from, to) in mappings(entry)? {
                        charset.set(from, Fold::Single(to));
                    }
                }
            }
        }
        Ok(charset)
    }

    /// The same charset with the characters of `ignore_chars` unnoticed.
    pub(super) fn with_ignored(&self, value: &str) -> Result<Charset, String> {
        let mut charset = self.clone();
        for entry in value.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            for (c, _) in mappings(entry)? {
                charset.set(c, Fold::Ignored);
            }
        }
        Ok(charset)
    }

    fn take_over(&mut self, other: &Charset) {
        // Entries before a built-in set are overridden by it only where it says something.
        for (number, &page) in other.index.iter().enumerate().filter(|&(_, &page)| page != 0) {
            for (at, &known) in other.pages[usize::from(page)].iter().enumerate() {
                if let (false, Some(c)) = (known == Fold::Separator, char::from_u32((number * PAGE + at) as u32)) {
                    self.set(c, known);
                }
            }
        }
    }

    fn add_all(&mut self, entries: &str) -> Result<(), String> {
        entries.split(',').try_for_each(|entry| self.add(entry.trim()))
    }

    fn add(&mut self, entry: &str) -> Result<(), String> {
        for (from, to) in mappings(entry)? {
            self.set(from, Fold::Letter(to));
        }
        Ok(())
    }
}

/// The pairs (character, what it becomes) of one entry.
fn mappings(entry: &str) -> Result<Vec<(char, char)>, String> {
    let wrong = |why: &str| format!("'{entry}' {why}");
    if let Some(range) = entry.strip_suffix("/2") {
        let (first, last) = span(range).map_err(|why| wrong(&why))?;
        let all = chars(first, last);
        if !range.contains("..") || all.len() % 2 == 1 {
            return Err(wrong("needs a range of pairs before '/2'"));
        }
        return Ok(all.chunks_exact(2).flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[1])]).collect());
    }
    let (from, to) = entry.split_once("->").map_or((entry, entry), |(from, to)| (from.trim_end(), to.trim_start()));
    let (from_first, from_last) = span(from).map_err(|why| wrong(&why))?;
    let (to_first, to_last) = span(to).map_err(|why| wrong(&why))?;
    let (from, to) = (chars(from_first, from_last), chars(to_first, to_last));
    if from.len() != to.len() {
        return Err(wrong(&format!("maps {} characters to {}", from.len(), to.len())));
    }
    Ok(from.into_iter().zip(to).collect())
}

fn chars(first: char, last: char) -> Vec<char> {
    (first..=last).collect()
}

/// `a` or `a..z` as first and last character.
fn span(text: &str) -> Result<(char, char), String> {
    // A dot may be an end of the range itself, so the separator is looked for behind the first character.
    let skip = text.chars().next().map_or(0, char::len_utf8);
    let (first, last) = match text.get(skip..).and_then(|rest| rest.find("..")) {
        Some(at) => (text[..skip + at].trim(), text[skip + at + 2..].trim()),
        None => (text, text),
    };
    let (first, last) = (one(first)?, one(last)?);
    if first > last {
        return Err("is a range that ends before it begins".to_owned());
    }
    Ok((first, last))
}

/// A character as itself or as `U+` and its number.
fn one(text: &str) -> Result<char, String> {
    let mut chars = text.chars();
    let found = match (chars.next(), chars.next()) {
        (Some(c), None) => c,
        _ => {
            let digits = text.strip_prefix("U+").or_else(|| text.strip_prefix("u+")).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
            let Some(digits) = digits else {
                return Err(format!("is no character, range, mapping or known set ('{text}')"));
            };
            let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
            code.ok_or_else(|| format!("names no character of Unicode ('{text}')"))?
        }
    };
    if (found as u32) < LEAST || found as u32 == 0x7F {
        return Err(format!("names a control character or a space (U+{:04X}); the least is U+0021", found as u32));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(value: &str, text: &str) -> Result<String, String> {
        let charset = Charset::parse(value)?;
        Ok(text
            .chars()
            .map(|c| match charset.fold(c) {
                Fold::Separator => ' ',
                Fold::Ignored => '.',
                Fold::Letter(letter) | Fold::Single(letter) => letter,
            })
            .collect())
    }

    #[test]
    fn values() {
        for (value, text, want) in [
            ("non_cont", "Ab_É", "ab e"),
            ("non_cjk", "Ab_É", "ab e"),
            ("0..9, a..z, A..Z->a..z, _", "Ab_É9", "ab_ 9"),
            ("english", "Ab9Я", "ab  "),
            ("0..9, english, _", "Ab9_", "ab9_"),
            ("russian", "ЖёЁa", "жёё "),
            ("U+410..U+42F->U+430..U+44F, U+430..U+44F", "ЖжЁ", "жж "),
            ("A..Z/2", "ABCD", "BBDD"),
            ("A->b", "Ab", "b "),
            ("non_cont, U+00E4, U+00C4->U+00E4", "äÄö", "ääo"),
            ("a, +, .", "a+.,", "a+. "),
            ("a->U+e9", "ae", "é "),
        ] {
            assert_eq!(folded(value, text).as_deref(), Ok(want), "{value}");
        }
    }

    #[test]
    fn what_is_refused() {
        for (value, part) in [
            ("", "names no character"),
            ("a..", "is no character"),
            ("a..z->b", "maps 26 characters to 1"),
            ("z..a", "ends before it begins"),
            ("U+20", "U+0021"),
            ("U+D800", "no character of Unicode"),
            ("U+FFFFFFFFF", "no character of Unicode"),
            ("chinese", "not built yet"),
            ("klingon", "'klingon' is no character"),
            ("a..c/2", "range of pairs"),
            ("->", "is no character"),
        ] {
            let error = folded(value, "").unwrap_err();
            assert!(error.contains(part), "{value}: {error}");
        }
    }

    #[test]
    fn ascii_agrees_with_the_pages() {
        for charset in [Charset::non_cont(), Charset::parse("a..z, A->U+e9, B..C->x..y").unwrap()] {
            for byte in 0..128u8 {
                match charset.fold(char::from(byte)) {
                    Fold::Separator => assert_eq!(charset.ascii[usize::from(byte)], SEPARATOR),
                    Fold::Letter(l) if l.is_ascii() => assert_eq!(charset.ascii[usize::from(byte)], l as u8),
                    Fold::Letter(_) | Fold::Ignored | Fold::Single(_) => assert_eq!(charset.ascii[usize::from(byte)], ASK),
                }
            }
        }
    }
}
