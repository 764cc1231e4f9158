//! Characters to tokens. Works on the text left to right and never looks at a dictionary.
//!
//! A character that is a word character is never an operator. A backslash takes the meaning as an operator from the next character; such a
//! character separates words unless it belongs to one.

use std::sync::Arc;

use super::error::QueryError;
use super::tree::{FieldLimit, LimitKind, Piece};
use crate::types::WordChars;

/// One token outside quotes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(RawWord),
    /// `"`, with whether a `=` stood before it.
    Quote {
        exact: bool,
    },
    Open,
    Close,
    Or,
    Not,
    Before,
    Maybe,
    Near(u32),
    NotNear(u32),
    Sentence,
    Paragraph,
    Slash,
    Tilde,
    Limit(Arc<FieldLimit>),
    End,
}

/// One token inside quotes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Quoted {
    Word(RawWord),
    AnyWord,
    Close,
}

/// A word with its modifiers, without its field limit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RawWord {
    pub pieces: Vec<Piece>,
    pub exact: bool,
    pub start: bool,
    pub end: bool,
    pub boost: f32,
}

/// What [`Lexer::word`] found.
enum Scan {
    Word(RawWord),
    /// Only wildcards; `star` if one of them was `*`.
    Wildcards {
        star: bool,
    },
    /// Nothing, and nothing was taken.
    Other,
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    chars: &'a dyn WordChars,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, chars: &'a dyn WordChars) -> Lexer<'a> {
        Lexer { text, at: 0, chars }
    }

    /// Byte offset of the next character.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// The text from `offset` on, cut for an error message.
    pub(super) fn near(&self, offset: usize) -> String {
        self.text.get(offset..).unwrap_or("").chars().take(40).collect()
    }

    /// Takes `@@relaxed` where the query begins with it.
    pub(super) fn relaxed(&mut self) -> bool {
        self.skip_space();
        let Some(rest) = self.rest().strip_prefix("@@relaxed") else { return false };
        let ends = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        if ends {
            self.at += "@@relaxed".len();
        }
        ends
    }

    /// The next token outside quotes, with the offset where it begins.
    pub(super) fn next(&mut self) -> Result<(usize, Token), QueryError> {
        loop {
            let from = self.at;
            let Some(c) = self.peek() else { return Ok((from, Token::End)) };
            match self.word() {
                Scan::Word(word) => return Ok((from, self.keyword(word)?)),
                Scan::Wildcards { .. } => continue,
                Scan::Other => {}
            }
            let glued = self.behind_word();
            self.bump(c);
            let token = match c {
                '\\' => {
                    // The escaped character is no word character, or a word would have begun here.
                    if let Some(escaped) = self.peek() {
                        self.bump(escaped);
                    }
                    continue;
                }
                '"' => Token::Quote { exact: false },
                '=' if self.peek() == Some('"') => {
                    self.bump('"');
                    Token::Quote { exact: true }
                }
                '(' => Token::Open,
                ')' => Token::Close,
                '|' => Token::Or,
                '!' => Token::Not,
                // A dash inside or right behind a word, or with a space behind it, is punctuation.
                '-' if !glued && self.peek().is_some_and(|c| !c.is_whitespace()) => Token::Not,
                '/' => Token::Slash,
                '~' => Token::Tilde,
                '<' if self.peek() == Some('<') => {
                    self.bump('<');
                    Token::Before
                }
                // `name@host` is no field limit.
                '@' if !glued => Token::Limit(self.limit(from)?),
                _ => continue,
            };
            return Ok((from, token));
        }
    }

    /// The next token inside quotes.
    pub(super) fn next_quoted(&mut self) -> Result<Quoted, QueryError> {
        loop {
            let from = self.at;
            let Some(c) = self.peek() else { return Err(self.unexpected("$end", from)) };
            match self.word() {
                Scan::Word(word) => return Ok(Quoted::Word(word)),
                Scan::Wildcards { star: true } => return Ok(Quoted::AnyWord),
                Scan::Wildcards { star: false } => continue,
                Scan::Other => {}
            }
            self.bump(c);
            match c {
                '\\' => {
                    if let Some(escaped) = self.peek() {
                        self.bump(escaped);
                    }
                }
                '"' => return Ok(Quoted::Close),
                '(' => return Err(QueryError::NotBuilt("a group inside quotes")),
                _ => {}
            }
        }
    }

    /// A number right here, as typed: digits and at most one point. Skips spaces before it.
    pub(super) fn number(&mut self) -> Option<&'a str> {
        self.skip_space();
        let rest = self.rest();
        let mut points = 0;
        let len = rest
            .bytes()
            .position(|b| match b {
                b'0'..=b'9' => false,
                b'.' => {
                    points += 1;
                    points > 1
                }
                _ => true,
            })
            .unwrap_or(rest.len());
        let digits = &rest[..len];
        // A point that ends the number ends a sentence.
        let digits = digits.strip_suffix('.').unwrap_or(digits);
        if digits.is_empty() {
            return None;
        }
        self.at += digits.len();
        Some(digits)
    }

    /// Takes `c` if it is the next character.
    pub(super) fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.bump(c);
        }
        found
    }

    pub(super) fn unexpected(&self, found: &str, offset: usize) -> QueryError {
        QueryError::Unexpected { found: found.to_owned(), near: self.near(offset) }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self, c: char) {
        self.at += c.len_utf8();
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.peek().filter(|c| c.is_whitespace()) {
            self.bump(c);
        }
    }

    /// Whether the character before this one belongs to a word.
    fn behind_word(&self) -> bool {
        self.text.get(..self.at).and_then(|t| t.chars().next_back()).is_some_and(|c| self.chars.is_word(c))
    }

    /// Takes a word if one begins here, modifiers included, or a run of wildcards that belong to none.
    fn word(&mut self) -> Scan {
        let from = self.at;
        let (mut exact, mut start) = (false, false);
        while let Some(c) = self.peek().filter(|c| !self.chars.is_word(*c)) {
            match c {
                '=' if !exact => exact = true,
                '^' if !start => start = true,
                _ => break,
            }
            self.bump(c);
        }
        let pieces = self.pieces();
        if pieces.is_empty() {
            self.at = from;
            return Scan::Other;
        }
        if !pieces.iter().any(|p| matches!(p, Piece::Text(_))) {
            return Scan::Wildcards { star: pieces.contains(&Piece::Any) };
        }
        let mut word = RawWord { pieces, exact, start, end: false, boost: 1.0 };
        if self.peek() == Some('$') {
            self.bump('$');
            word.end = true;
        }
        if self.peek() == Some('^') && self.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
            self.bump('^');
            // Digits with at most one point always parse.
            word.boost = self.number().and_then(|n| n.parse().ok()).filter(|b: &f32| b.is_finite()).unwrap_or(1.0);
        }
        Scan::Word(word)
    }

    /// Word characters and wildcards from here on.
    fn pieces(&mut self) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        while let Some(c) = self.peek() {
            let piece = match c {
                c if self.chars.is_word(c) => None,
                '\\' => {
                    let escaped = self.rest().chars().nth(1).filter(|c| self.chars.is_word(*c));
                    let Some(escaped) = escaped else { break };
                    self.bump('\\');
                    self.bump(escaped);
                    push_char(&mut pieces, escaped);
                    continue;
                }
                '*' => Some(Piece::Any),
                '?' => Some(Piece::One),
                '%' => Some(Piece::Maybe),
                _ => break,
            };
            self.bump(c);
            match piece {
                None => push_char(&mut pieces, c),
                // Two stars say what one says.
                Some(Piece::Any) if pieces.last() == Some(&Piece::Any) => {}
                Some(piece) => pieces.push(piece),
            }
        }
        pieces
    }

    /// The operator that a word is, or the word. Operators that are words are in upper case and carry no modifier.
    fn keyword(&mut self, word: RawWord) -> Result<Token, QueryError> {
        let plain = !word.exact && !word.start && !word.end && word.boost == 1.0;
        let text = match word.pieces.as_slice() {
            [Piece::Text(text)] if plain => text.as_str(),
            _ => return Ok(Token::Word(word)),
        };
        let next = self.peek();
        Ok(match text {
            "MAYBE" => Token::Maybe,
            "SENTENCE" => Token::Sentence,
            "PARAGRAPH" => Token::Paragraph,
            "NEAR" if next == Some('/') => Token::Near(self.distance()?),
            "NOTNEAR" if next == Some('/') => Token::NotNear(self.distance()?),
            "ZONE" | "ZONESPAN" if next == Some(':') => return Err(QueryError::NotBuilt("ZONE")),
            "REGEX" if next == Some('(') => return Err(QueryError::NotBuilt("REGEX")),
            _ => Token::Word(word),
        })
    }

    /// `/n` behind NEAR or NOTNEAR.
    fn distance(&mut self) -> Result<u32, QueryError> {
        let from = self.at;
        self.bump('/');
        let digits = if self.peek().is_some_and(|c| c.is_ascii_digit()) { self.number() } else { None };
        match digits.and_then(|d| d.parse().ok()) {
            Some(n) if n > 0 => Ok(n),
            Some(_) | None => Err(QueryError::BadNumber { what: "NEAR needs a distance of 1 or more", near: self.near(from) }),
        }
    }

    /// What follows the `@` at `from`.
    fn limit(&mut self, from: usize) -> Result<Arc<FieldLimit>, QueryError> {
        let except = self.take('!');
        let kind = if self.take('*') {
            if except {
                return Err(self.unexpected("'*'", from));
            }
            LimitKind::All
        } else {
            let names = if self.take('(') { self.names()? } else { vec![self.name()?] };
            if except { LimitKind::Except(names) } else { LimitKind::Only(names) }
        };
        // The manual writes both `@body[50]` and `@body [50]`.
        let after = self.at;
        self.skip_space();
        let max_position = if self.take('[') {
            let n = self.number().and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 0);
            self.skip_space();
            match n {
                Some(n) if self.take(']') => Some(n),
                Some(_) | None => {
                    return Err(QueryError::BadNumber { what: "a position limit is a number of 1 or more in [ ]", near: self.near(after) });
                }
            }
        } else {
            self.at = after;
            None
        };
        Ok(Arc::new(FieldLimit { kind, max_position }))
    }

    /// Names up to the closing parenthesis.
    fn names(&mut self) -> Result<Vec<String>, QueryError> {
        let mut names = Vec::new();
        loop {
            self.skip_space();
            names.push(self.name()?);
            self.skip_space();
            if self.take(')') {
                return Ok(names);
            }
            let from = self.at;
            if !self.take(',') {
                return Err(self.unexpected(&self.found(), from));
            }
        }
    }

    fn name(&mut self) -> Result<String, QueryError> {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if len == 0 {
            return Err(self.unexpected(&self.found(), self.at));
        }
        self.at += len;
        Ok(rest[..len].to_lowercase())
    }

    /// The next character as an error names it.
    fn found(&self) -> String {
        match self.peek() {
            Some(c) => format!("'{c}'"),
            None => "$end".to_owned(),
        }
    }
}

fn push_char(pieces: &mut Vec<Piece>, c: char) {
    match pieces.last_mut() {
        Some(Piece::Text(text)) => text.push(c),
        _ => pieces.push(Piece::Text(c.to_string())),
    }
}
