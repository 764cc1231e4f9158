//! Text to tokens, one at a time.
//!
//! Comments (`-- `, `#`, `/* */`) are skipped wherever a space may stand; `/*! … */` too, as the dialect has it: what MySQL's tools put
//! there has no meaning here. Any text gives a finite run of tokens that ends with [`Kind::End`]; what cannot be read is a token of its own.

use std::borrow::Cow;

/// One token: its kind and the bytes `start..end` of the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// End of the text.
    End,
    /// Identifier or keyword.
    Word,
    /// `identifier` in backticks, which are part of the token.
    Quoted,
    /// 'text' or "text", quotes included.
    Text,
    /// 42, 0x2A.
    Int(u64),
    /// 4.2, 1e5.
    Float(f64),
    /// An integer past u64.
    HugeInt,
    /// @name.
    UserVar,
    /// @@name, @@scope.name.
    SysVar,
    /// ?
    Parameter,
    /// Punctuation.
    Symbol(&'static str),
    /// A string, backticked name or comment without an end.
    Unclosed,
    /// A character that begins nothing.
    Stray,
}

/// Longest first where one begins another.
const SYMBOLS: [&str; 28] = [
    "<=>", "<<", ">>", "<=", ">=", "<>", "!=", "&&", "||", "(", ")", ",", ";", ".", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^",
    "~", "{", "}",
];
const MORE_SYMBOLS: [&str; 4] = ["[", "]", ":", "!"];

/// Whether a byte can be part of a word. All bytes of characters beyond ASCII can.
pub(super) fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80
}

/// Walks a text.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Begins at byte `at`, which must be a character boundary.
    pub fn new(text: &'a str, at: usize) -> Lexer<'a> {
        Lexer { text, at }
    }

    fn byte(&self, ahead: usize) -> u8 {
        // 0 is no part of any token, so it stands for the end as well.
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips spaces and comments. False: a comment has no end; it stands at the current place.
    fn skip_space(&mut self) -> bool {
        loop {
            match self.byte(0) {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'#' => self.skip_line(),
                b'-' if self.byte(1) == b'-' && (self.byte(2).is_ascii_whitespace() || self.at + 2 >= self.text.len()) => self.skip_line(),
                b'/' if self.byte(1) == b'*' => match self.text[self.at + 2..].find("*/") {
                    Some(n) => self.at += 2 + n + 2,
                    None => return false,
                },
                _ => return true,
            }
        }
    }

    fn skip_line(&mut self) {
        self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |n| self.at + n + 1);
    }

    /// The next token; [`Kind::End`] for ever at the end.
    pub fn next(&mut self) -> Token {
        let closed = self.skip_space();
        let start = self.at;
        if !closed {
            self.at = self.text.len();
            return Token { kind: Kind::Unclosed, start, end: self.at };
        }
        let kind = self.kind();
        debug_assert!(self.at > start || kind == Kind::End);
        Token { kind, start, end: self.at }
    }

    fn kind(&mut self) -> Kind {
        if self.at >= self.text.len() {
            return Kind::End;
        }
        let (first, second) = (self.byte(0), self.byte(1));
        match first {
            b'0'..=b'9' => self.number(),
            // `info.5` is a path and `.5` a number: what stands before decides.
            b'.' if second.is_ascii_digit() && !self.follows_name() => self.number(),
            b'\'' | b'"' => self.string(first),
            b'`' => match self.text[self.at + 1..].find('`') {
                Some(n) => {
                    self.at += n + 2;
                    Kind::Quoted
                }
                None => {
                    self.at = self.text.len();
                    Kind::Unclosed
                }
            },
            b'@' => {
                let (skip, kind) = if second == b'@' { (2, Kind::SysVar) } else { (1, Kind::UserVar) };
                self.at += skip;
                let from = self.at;
                while is_word_byte(self.byte(0)) || (self.byte(0) == b'.' && is_word_byte(self.byte(1)) && self.at > from) {
                    self.at += 1;
                }
                if self.at == from { Kind::Stray } else { kind }
            }
            b'?' => {
                self.at += 1;
                Kind::Parameter
            }
            b if is_word_byte(b) => {
                while is_word_byte(self.byte(0)) {
                    self.at += 1;
                }
                Kind::Word
            }
            _ => {
                let rest = &self.text[self.at..];
                for symbol in SYMBOLS.iter().chain(&MORE_SYMBOLS) {
                    if rest.starts_with(symbol) {
                        self.at += symbol.len();
                        return Kind::Symbol(symbol);
                    }
                }
                self.at += 1;
                Kind::Stray
            }
        }
    }

    fn follows_name(&self) -> bool {
        self.at > 0 && matches!(self.text.as_bytes()[self.at - 1], b if is_word_byte(b) || b == b']' || b == b'`')
    }

    fn string(&mut self, quote: u8) -> Kind {
        match string_end(self.text.as_bytes(), self.at + 1, quote) {
            Some((end, _)) => {
                self.at = end + 1;
                Kind::Text
            }
            None => {
                self.at = self.text.len();
                Kind::Unclosed
            }
        }
    }

    fn number(&mut self) -> Kind {
        let from = self.at;
        if self.byte(0) == b'0' && (self.byte(1) | 0x20) == b'x' && self.byte(2).is_ascii_hexdigit() {
            self.at += 2;
            while is_word_byte(self.byte(0)) {
                self.at += 1;
            }
            let digits = &self.text[from + 2..self.at];
            return match digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                true => u64::from_str_radix(digits, 16).map_or(Kind::HugeInt, Kind::Int),
                false => Kind::Word,
            };
        }
        let mut float = false;
        self.skip_digits();
        if self.byte(0) == b'.' && !is_word_byte(self.byte(1)) || self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            float = true;
            self.at += 1;
            self.skip_digits();
        }
        let sign = matches!(self.byte(1), b'+' | b'-') as usize;
        if (self.byte(0) | 0x20) == b'e' && self.byte(1 + sign).is_ascii_digit() {
            float = true;
            self.at += 1 + sign;
            self.skip_digits();
        }
        if is_word_byte(self.byte(0)) && (!float || !self.text[from..self.at].contains('.')) {
            // `4G`, `2nd`: a word that begins with digits.
            while is_word_byte(self.byte(0)) {
                self.at += 1;
            }
            return Kind::Word;
        }
        let digits = &self.text[from..self.at];
        if float {
            return digits.parse().map_or(Kind::Stray, Kind::Float);
        }
        digits.parse().map_or(Kind::HugeInt, Kind::Int)
    }

    fn skip_digits(&mut self) {
        while self.byte(0).is_ascii_digit() {
            self.at += 1;
        }
    }
}

/// Where the string that began before `at` ends: `(offset of its closing quote, whether it needs unescaping)`. A doubled quote is
/// part of the string, and so is whatever stands behind a backslash.
pub(super) fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> Option<(usize, bool)> {
    let mut escaped = false;
    loop {
        let rest = bytes.get(at..)?;
        at += rest.iter().position(|&b| b == quote || b == b'\\')?;
        if bytes[at] == b'\\' || bytes.get(at + 1) == Some(&quote) {
            escaped = true;
            at += 2;
        } else {
            return Some((at, escaped));
        }
    }
}

/// The text that the inside of a string literal stands for: `\n`, `\t`, `\r`, `\0`, `\b`, `\Z` as in MySQL, `\%` and `\_` as they are
/// (LIKE wants them), any other escaped character itself, and a doubled quote once.
pub(super) fn unescape(inside: &str, quote: char) -> Cow<'_, str> {
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(n) = rest.find(['\\', quote]) {
        out.push_str(&rest[..n]);
        let mut chars = rest[n..].chars();
        let (first, second) = (chars.next(), chars.next());
        match (first, second) {
            (Some('\\'), Some(c)) => match c {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                '0' => out.push('\0'),
                'b' => out.push('\u{8}'),
                'Z' => out.push('\u{1a}'),
                '%' | '_' => {
                    out.push('\\');
                    out.push(c);
                }
                c => out.push(c),
            },
            // A quote inside is always doubled.
            (Some(c), _) => out.push(c),
            (None, _) => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The value of a string literal, quotes included in `literal`.
pub(super) fn string_value(literal: &str) -> Cow<'_, str> {
    let quote = if literal.starts_with('"') { '"' } else { '\'' };
    let inside = literal.get(1..literal.len().saturating_sub(1)).unwrap_or("");
    if inside.contains(['\\', quote]) { unescape(inside, quote) } else { Cow::Borrowed(inside) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(text, 0);
        let mut out = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == Kind::End {
                return out;
            }
            out.push((token.kind, &text[token.start..token.end]));
        }
    }

    #[test]
    fn tokens() {
        assert_eq!(kinds("a-1"), [(Kind::Word, "a"), (Kind::Symbol("-"), "-"), (Kind::Int(1), "1")]);
        assert_eq!(kinds("1--1").len(), 4);
        assert_eq!(kinds("1 -- 1\n2 # x\n/* y */3 /*!40101 z */"), [(Kind::Int(1), "1"), (Kind::Int(2), "2"), (Kind::Int(3), "3")]);
        assert_eq!(
            kinds(".5 1.5e3 4G 0x10 1e2"),
            [
                (Kind::Float(0.5), ".5"),
                (Kind::Float(1500.0), "1.5e3"),
                (Kind::Word, "4G"),
                (Kind::Int(16), "0x10"),
                (Kind::Float(100.0), "1e2")
            ]
        );
        assert_eq!(kinds("a.b[0].c").len(), 8);
        assert_eq!(kinds("18446744073709551615 18446744073709551616")[1].0, Kind::HugeInt);
        assert_eq!(kinds("'a''b\\'c' \"d\"\"\"").len(), 2);
        assert_eq!(kinds("@@session.x @v ?"), [(Kind::SysVar, "@@session.x"), (Kind::UserVar, "@v"), (Kind::Parameter, "?")]);
        assert_eq!(kinds("'abc")[0].0, Kind::Unclosed);
        assert_eq!(kinds("/* abc")[0].0, Kind::Unclosed);
        assert_eq!(kinds("'abc\\")[0].0, Kind::Unclosed);
        assert_eq!(kinds("\0\u{1}")[0].0, Kind::Stray);
    }

    #[test]
    fn strings() {
        assert_eq!(string_value(r"'it\'s \\ \n\t\%\q'"), "it's \\ \n\t\\%q");
        assert_eq!(string_value("'it''s \"x\"'"), "it's \"x\"");
        assert_eq!(string_value("\"a\"\"b'c\""), "a\"b'c");
        assert_eq!(string_value("'漢\\字'"), "漢字");
    }
}
