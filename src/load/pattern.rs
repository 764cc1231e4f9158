//! The patterns in a statement, and the values that they make.
//!
//! | pattern | value |
//! | --- | --- |
//! | `<increment>` | 1, 2, 3 …, one more for each row |
//! | `<increment/N>` | from N on |
//! | `<increment/N/M>` | from N to M, then from N again |
//! | `<text/MIN/MAX>` | MIN to MAX words |
//! | `<text/{file}/MIN/MAX>` | words of a file, each as often as it stands there |
//! | `<string/MIN/MAX>` | MIN to MAX letters and digits |
//! | `<int/MIN/MAX>`, `<float/MIN/MAX>` | a number of the range, both ends included |
//! | `<boolean>` | 0 or 1 |
//! | `<array/MIN/MAX/LOW/HIGH>`, `<array_float/…>` | MIN to MAX numbers from LOW to HIGH, in parentheses unless the pattern stands in some |
//!
//! Values are ready to stand in a statement; texts hold no quote that would end a string.

use std::io::Write as _;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::random::Random;
use super::vocabulary::Vocabulary;

/// Why a pattern cannot be used.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum PatternError {
    /// No such pattern.
    #[error(
        "<{0}> is no pattern; there are increment, increment/N/M, text/MIN/MAX, text/{{file}}/MIN/MAX, int/MIN/MAX, float/MIN/MAX, \
         string/MIN/MAX, boolean, array/MIN/MAX/LOW/HIGH and array_float/MIN/MAX/LOW/HIGH"
    )]
    Unknown(String),
    /// Wrong number of values, or one that is no number.
    #[error("<{pattern}>: {wanted} expected")]
    Arguments {
        /// As written.
        pattern: String,
        /// What should stand there.
        wanted: &'static str,
    },
    /// The file of words.
    #[error("{file}: {reason}")]
    File {
        /// Its path.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Where words come from.
pub(super) struct Words<'a> {
    /// The words of `<text/MIN/MAX>`.
    pub built_in: Arc<Vocabulary>,
    /// Reads a file's text.
    pub read: &'a dyn Fn(&str) -> Result<String, String>,
    /// Files that were read already.
    pub files: FxHashMap<String, Arc<Vocabulary>>,
}

/// A text with patterns in it.
#[derive(Debug, Default)]
pub(super) struct Template(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    Literal(String),
    Increment { start: u64, span: u64 },
    Text { words: Arc<Vocabulary>, count: Range },
    String(Range),
    Int(i64, i64),
    Float(f64, f64),
    Boolean,
    Array { count: Range, of: Numbers, parentheses: bool },
}

#[derive(Debug, Clone, Copy)]
enum Numbers {
    Int(i64, i64),
    Float(f64, f64),
}

/// How many, both ends included.
#[derive(Debug, Clone, Copy)]
struct Range(i64, i64);

impl Template {
    /// Reads `text`. A `<` that no name and no `>` follows is an ordinary sign.
    pub(super) fn read(text: &str, words: &mut Words<'_>) -> Result<Template, PatternError> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('<') {
            literal.push_str(&rest[..open]);
            rest = &rest[open + 1..];
            let Some(pattern) = pattern_at(rest) else {
                literal.push('<');
                continue;
            };
            let enclosed = literal.trim_end().ends_with(['(', '[']);
            if !literal.is_empty() {
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
            }
            pieces.push(piece(pattern, enclosed, words)?);
            rest = &rest[pattern.len() + 1..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Template(pieces))
    }

    /// Appends the text for the row `row`, counted from 0.
    pub(super) fn write(&self, row: u64, random: &mut Random, out: &mut Vec<u8>) {
        for piece in &self.0 {
            match piece {
                Piece::Literal(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Increment { start, span } => number(out, start.wrapping_add(row.checked_rem(*span).unwrap_or(row))),
                Piece::Text { words, count } => {
                    for n in 0..count.draw(random) {
                        if n > 0 {
                            out.push(b' ');
                        }
                        words.draw(random, out);
                    }
                }
                Piece::String(count) => {
                    const SIGNS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
                    out.extend((0..count.draw(random)).map(|_| SIGNS[random.below(36) as usize]));
                }
                Piece::Int(low, high) => number(out, random.within(*low, *high)),
                Piece::Float(low, high) => float(out, *low, *high, random),
                Piece::Boolean => out.push(if random.below(2) == 1 { b'1' } else { b'0' }),
                Piece::Array { count, of, parentheses } => {
                    if *parentheses {
                        out.push(b'(');
                    }
                    for n in 0..count.draw(random) {
                        if n > 0 {
                            out.push(b',');
                        }
                        match *of {
                            Numbers::Int(low, high) => number(out, random.within(low, high)),
                            Numbers::Float(low, high) => float(out, low, high, random),
                        }
                    }
                    if *parentheses {
                        out.push(b')');
                    }
                }
            }
        }
    }
}

impl Range {
    fn draw(self, random: &mut Random) -> i64 {
        random.within(self.0, self.1)
    }
}

fn number(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    write!(out, "{value}").expect("a Vec takes everything");
}

fn float(out: &mut Vec<u8>, low: f64, high: f64, random: &mut Random) {
    write!(out, "{:.6}", low + (high - low) * random.unit()).expect("a Vec takes everything");
}

/// What stands between `<` and `>`, if `rest` begins with a name and a `>` or a `/` after it.
fn pattern_at(rest: &str) -> Option<&str> {
    let name = rest.bytes().take_while(|b| b.is_ascii_lowercase() || *b == b'_').count();
    if name == 0 || !matches!(rest.as_bytes().get(name), Some(b'>' | b'/')) {
        return None;
    }
    let file_end = if rest[name..].starts_with("/{") { rest.find('}')? } else { name };
    rest[file_end..].find('>').map(|end| &rest[..file_end + end])
}

fn piece(pattern: &str, enclosed: bool, words: &mut Words<'_>) -> Result<Piece, PatternError> {
    let (name, arguments) = pattern.split_once('/').unwrap_or((pattern, ""));
    let wrong = |wanted| PatternError::Arguments { pattern: pattern.to_owned(), wanted };
    let split: Vec<&str> = arguments.split('/').collect();
    match name {
        "increment" => {
            const WANTED: &str = "increment, increment/N or increment/N/M with N not above M";
            let start = if arguments.is_empty() { Some(1) } else { whole(split[0]) };
            let start = start.ok_or_else(|| wrong(WANTED))?;
            let span = match split.len() {
                1 => 0,
                2 => whole(split[1]).and_then(|end| end.checked_sub(start)?.checked_add(1)).ok_or_else(|| wrong(WANTED))?,
                _ => return Err(wrong(WANTED)),
            };
            Ok(Piece::Increment { start, span })
        }
        "text" => {
            const WANTED: &str = "text/MIN/MAX or text/{file}/MIN/MAX";
            let (words, sizes) = match arguments.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                Some((file, sizes)) => (from_file(file, words)?, sizes.strip_prefix('/').ok_or_else(|| wrong(WANTED))?),
                None => (words.built_in.clone(), arguments),
            };
            Ok(Piece::Text { words, count: range(sizes).ok_or_else(|| wrong(WANTED))? })
        }
        "string" => range(arguments).map(Piece::String).ok_or_else(|| wrong("string/MIN/MAX")),
        "int" => pair(arguments).map(|(low, high)| Piece::Int(low, high)).ok_or_else(|| wrong("int/MIN/MAX")),
        "float" => finite(arguments).map(|(low, high)| Piece::Float(low, high)).ok_or_else(|| wrong("float/MIN/MAX")),
        "boolean" if arguments.is_empty() => Ok(Piece::Boolean),
        "boolean" => Err(wrong("boolean without values")),
        "array" | "array_float" => {
            const WANTED: &str = "MIN/MAX/LOW/HIGH: how many numbers, and from where to where";
            let [fewest, most, low, high] = split.as_slice() else { return Err(wrong(WANTED)) };
            let values = format!("{low}/{high}");
            let of = if name == "array" {
                pair(&values).map(|(low, high)| Numbers::Int(low, high))
            } else {
                finite(&values).map(|(low, high)| Numbers::Float(low, high))
            };
            let (count, of) = range(&format!("{fewest}/{most}")).zip(of).ok_or_else(|| wrong(WANTED))?;
            Ok(Piece::Array { count, of, parentheses: !enclosed })
        }
        _ => Err(PatternError::Unknown(pattern.to_owned())),
    }
}

fn from_file(file: &str, words: &mut Words<'_>) -> Result<Arc<Vocabulary>, PatternError> {
    if let Some(known) = words.files.get(file) {
        return Ok(known.clone());
    }
    let failed = |reason: String| PatternError::File { file: file.to_owned(), reason };
    let text = (words.read)(file).map_err(failed)?;
    let vocabulary = Arc::new(Vocabulary::of_text(&text).ok_or_else(|| failed("no words in it, or more than 2 GB".to_owned()))?);
    words.files.insert(file.to_owned(), vocabulary.clone());
    Ok(vocabulary)
}

fn whole(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// `MIN/MAX`, in order.
fn pair<T: std::str::FromStr + PartialOrd>(text: &str) -> Option<(T, T)> {
    let (low, high) = text.split_once('/')?;
    let (low, high) = (low.parse().ok()?, high.parse().ok()?);
    (low <= high).then_some((low, high))
}

fn finite(text: &str) -> Option<(f64, f64)> {
    pair::<f64>(text).filter(|(low, high)| low.is_finite() && high.is_finite())
}

/// `MIN/MAX` of a count: not negative, and no more than fit into one value.
fn range(text: &str) -> Option<Range> {
    let (low, high) = pair::<i64>(text)?;
    (low >= 0 && high <= 10_000_000).then_some(Range(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Template, PatternError> {
        let read = |file: &str| if file == "/d/w.txt" { Ok("o'neill".to_owned()) } else { Err("no such file".to_owned()) };
        let built_in = Arc::new(Vocabulary::built_in(100, 1.0, 1));
        Template::read(text, &mut Words { built_in, read: &read, files: FxHashMap::default() })
    }

    fn write(text: &str, row: u64) -> String {
        let mut out = Vec::new();
        read(text).unwrap_or_else(|e| panic!("{e}")).write(row, &mut Random::new(1, row), &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn values_of_each_pattern() {
        for (text, row, want) in [
            ("<increment>", 0, "1"),
            ("(<increment>,<increment/10>)", 4, "(5,14)"),
            ("<increment/10/12>", 3, "10"),
            ("<increment/10/12>", 5, "12"),
            ("<increment/7/7>", 9, "7"),
            ("<text/{/d/w.txt}/2/2>", 0, "o\\'neill o\\'neill"),
            ("<int/-5/-5><string/0/0>", 0, "-5"),
            ("<float/1.5/1.5>", 0, "1.500000"),
            ("<array/2/2/7/7>", 0, "(7,7)"),
            ("( <array/2/2/7/7>)", 0, "( 7,7)"),
            ("[<array_float/1/1/0.25/0.25>]", 0, "[0.250000]"),
            ("a < 5 AND b<c AND <= 3 <>", 0, "a < 5 AND b<c AND <= 3 <>"),
        ] {
            assert_eq!(write(text, row), want, "{text}");
        }
        for row in 0..100 {
            let text = write("<text/2/4>", row);
            assert!((2..=4).contains(&text.split(' ').count()), "{text}");
            assert!((3..=5).contains(&write("<string/3/5>", row).len()));
            assert!((-1..=1).contains(&write("<int/-1/1>", row).parse::<i64>().expect("a number")));
            assert!(["0", "1"].contains(&write("<boolean>", row).as_str()));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, want) in [
            ("<incremental>", "<incremental> is no pattern"),
            ("<int/1>", "<int/1>: int/MIN/MAX expected"),
            ("<int/5/1>", "int/MIN/MAX expected"),
            ("<int/1/x>", "int/MIN/MAX expected"),
            ("<increment/5/1>", "with N not above M expected"),
            ("<increment/0/18446744073709551615>", "with N not above M expected"),
            ("<increment/1/2/3>", "with N not above M expected"),
            ("<text/-1/5>", "text/MIN/MAX or"),
            ("<text/{/d/w.txt}>", "text/MIN/MAX or"),
            ("<text/{/no}/1/2>", "/no: no such file"),
            ("<array/1/2>", "MIN/MAX/LOW/HIGH: how many"),
            ("<boolean/1>", "boolean without values expected"),
            ("<float/nan/1>", "float/MIN/MAX expected"),
            ("<float/1/inf>", "float/MIN/MAX expected"),
        ] {
            let error = read(text).err().unwrap_or_else(|| panic!("{text}")).to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
    }
}
