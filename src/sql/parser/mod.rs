//! Recursive descent over tokens, one file per family of statements.
//!
//! Keywords are words that stand where a keyword may stand; only the dialect's reserved words are refused as names. Two tokens of
//! look-ahead are enough everywhere. What is recognised and not built becomes [`Statement::NotBuilt`] with its rest skipped.

mod admin;
mod ddl;
mod dml;
mod select;
mod set;
mod show;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::ast::{OptionValue, Statement};
use super::lexer::{Kind, Lexer, Token, string_value};
use super::{MAX_DEPTH, ParseError, render};
use crate::types::{Value, nearest};

/// Bytes of the rest of the text that a syntax error quotes.
const NEAR_BYTES: usize = 200;

/// Words that cannot be names, as the manual lists them (References, "List of reserved keywords").
pub(super) const RESERVED: [&str; 41] = [
    "and",
    "as",
    "by",
    "columnarscan",
    "distinct",
    "div",
    "docidindex",
    "explain",
    "facet",
    "false",
    "force",
    "from",
    "hybrid_match",
    "ignore",
    "in",
    "indexes",
    "inner",
    "is",
    "join",
    "knn",
    "left",
    "limit",
    "mod",
    "not",
    "no_columnarscan",
    "no_docidindex",
    "no_secondaryindex",
    "null",
    "offset",
    "on",
    "or",
    "order",
    "reload",
    "secondaryindex",
    "select",
    "sysfilters",
    "token",
    "true",
    "where",
    "group",
    "having",
];

/// Whether a word, in any case, is reserved.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.iter().any(|r| r.eq_ignore_ascii_case(word))
}

/// A statement and the text it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed<'a> {
    /// What it says.
    pub statement: Statement,
    /// Its text, without the semicolon.
    pub source: &'a str,
}

/// A statement with `?` in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// What it says; LIMIT ? reads as 0 here.
    pub statement: Statement,
    /// Byte offsets of the `?` in the text, ascending.
    pub parameters: Vec<usize>,
}

/// The statements of a text, in order. Ends after the first error.
#[derive(Debug, Clone)]
pub struct Statements<'a> {
    text: &'a str,
    at: usize,
}

/// Walks the statements of `text`. Empty ones are dropped.
pub fn statements(text: &str) -> Statements<'_> {
    let mut all = Statements { text, at: 0 };
    all.skip_empty();
    all
}

/// All statements of `text`, or the first error.
pub fn parse(text: &str) -> Result<Vec<Statement>, ParseError> {
    statements(text).map(|s| s.map(|p| p.statement)).collect()
}

/// The one statement of `text`. Fails on none and on more than one.
pub fn parse_one(text: &str) -> Result<Statement, ParseError> {
    let mut all = statements(text);
    let first = all.next().unwrap_or_else(|| Err(ParseError { message: "empty statement".into(), offset: 0 }))?;
    match all.has_more() {
        false => Ok(first.statement),
        true => Err(ParseError { message: "one statement expected, found several".into(), offset: all.at }),
    }
}

/// The one statement of `text`, in which `?` may stand for a value.
pub fn prepare(text: &str) -> Result<Prepared, ParseError> {
    let mut parser = Parser::new(text, 0);
    parser.prepared = true;
    while parser.take_symbol(";") {}
    if parser.now.kind == Kind::End {
        return Err(ParseError { message: "empty statement".into(), offset: 0 });
    }
    let statement = parser.statement()?;
    parser.end_of_statement()?;
    while parser.take_symbol(";") {}
    if parser.now.kind != Kind::End {
        return Err(ParseError { message: "a prepared statement is one statement, found several".into(), offset: parser.now.start });
    }
    Ok(Prepared { statement, parameters: parser.parameters })
}

/// The text of a prepared statement with a literal in place of each `?`. None where the numbers differ.
pub fn bind_parameters(text: &str, parameters: &[usize], values: &[Value]) -> Option<String> {
    if parameters.len() != values.len() {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 16 * values.len());
    let mut from = 0;
    for (&at, value) in parameters.iter().zip(values) {
        out.push_str(text.get(from..at)?);
        render::push_literal(&mut out, value);
        from = at + 1;
    }
    out.push_str(text.get(from..)?);
    Some(out)
}

impl<'a> Statements<'a> {
    /// Whether a statement follows, empty ones not counted.
    pub fn has_more(&self) -> bool {
        self.at < self.text.len()
    }

    /// What was not read yet; begins with a statement's first character.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes on `bytes` further, which another reader of [`Statements::rest`] has taken: up to the end of its statement.
    pub fn advance(&mut self, bytes: usize) {
        let at = self.at.saturating_add(bytes).min(self.text.len());
        self.at = if self.text.is_char_boundary(at) { at } else { self.text.len() };
        self.skip_empty();
    }

    fn skip_empty(&mut self) {
        let mut lexer = Lexer::new(self.text, self.at);
        loop {
            let token = lexer.next();
            if token.kind != Kind::Symbol(";") {
                self.at = token.start;
                return;
            }
        }
    }
}

impl<'a> Iterator for Statements<'a> {
    type Item = Result<Parsed<'a>, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.has_more() {
            return None;
        }
        let start = self.at;
        let mut parser = Parser::new(self.text, start);
        let result = parser.statement().and_then(|statement| {
            parser.end_of_statement()?;
            Ok(statement)
        });
        match result {
            Ok(statement) => {
                self.at = parser.now.start;
                self.skip_empty();
                Some(Ok(Parsed { statement, source: self.text[start..parser.last_end.max(start)].trim_end() }))
            }
            Err(error) => {
                self.at = self.text.len();
                Some(Err(error))
            }
        }
    }
}

/// Reads one statement.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    lexer: Lexer<'a>,
    pub(super) now: Token,
    ahead: Option<Token>,
    /// End of the token before `now`.
    pub(super) last_end: usize,
    depth: u32,
    /// MATCH() clauses seen in the current SELECT, DELETE or UPDATE.
    pub(super) match_count: u32,
    pub(super) prepared: bool,
    pub(super) parameters: Vec<usize>,
}

pub(super) type Parse<T> = Result<T, ParseError>;

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Parser<'a> {
        let mut lexer = Lexer::new(text, at);
        let now = lexer.next();
        Parser { text, lexer, now, ahead: None, last_end: at, depth: 0, match_count: 0, prepared: false, parameters: Vec::new() }
    }

    fn statement(&mut self) -> Parse<Statement> {
        if self.now.kind != Kind::Word {
            return Err(self.unexpected("a statement"));
        }
        let first = self.slice(self.now).to_ascii_lowercase();
        match first.as_str() {
            "select" => self.select_statement(),
            "insert" | "replace" => self.insert(),
            "update" => self.update(),
            "delete" => self.delete(),
            "create" | "drop" | "truncate" | "alter" | "describe" | "desc" => self.ddl(&first),
            "show" => self.show(),
            "set" => self.set(),
            _ => self.admin(&first),
        }
    }

    fn end_of_statement(&mut self) -> Parse<()> {
        match self.now.kind {
            Kind::End | Kind::Symbol(";") => Ok(()),
            _ => Err(self.unexpected("end of query")),
        }
    }

    /// Skips to the end of the statement.
    pub(super) fn not_built(&mut self, words: impl Into<String>) -> Statement {
        while !matches!(self.now.kind, Kind::End | Kind::Symbol(";")) {
            self.advance();
        }
        // Skipped parameters would be counted otherwise, and nothing is there to bind them to.
        self.parameters.clear();
        Statement::NotBuilt(words.into())
    }

    // Tokens.

    pub(super) fn advance(&mut self) -> Token {
        let token = self.now;
        self.last_end = token.end;
        self.now = self.ahead.take().unwrap_or_else(|| self.lexer.next());
        token
    }

    pub(super) fn peek(&mut self) -> Token {
        *self.ahead.get_or_insert_with(|| self.lexer.next())
    }

    pub(super) fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    /// Whether the current token is this keyword.
    pub(super) fn at_word(&self, word: &str) -> bool {
        self.now.kind == Kind::Word && self.slice(self.now).eq_ignore_ascii_case(word)
    }

    /// Whether the token behind the current one is this keyword.
    pub(super) fn peek_word(&mut self, word: &str) -> bool {
        let next = self.peek();
        next.kind == Kind::Word && self.slice(next).eq_ignore_ascii_case(word)
    }

    pub(super) fn at_symbol(&self, symbol: &str) -> bool {
        matches!(self.now.kind, Kind::Symbol(s) if s == symbol)
    }

    pub(super) fn peek_symbol(&mut self, symbol: &str) -> bool {
        matches!(self.peek().kind, Kind::Symbol(s) if s == symbol)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let here = self.at_word(word);
        if here {
            self.advance();
        }
        here
    }

    /// Takes all of `words` in a row or none; at most two.
    pub(super) fn take_words(&mut self, first: &str, second: &str) -> bool {
        let here = self.at_word(first) && self.peek_word(second);
        if here {
            self.advance();
            self.advance();
        }
        here
    }

    pub(super) fn take_symbol(&mut self, symbol: &str) -> bool {
        let here = self.at_symbol(symbol);
        if here {
            self.advance();
        }
        here
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&word.to_ascii_uppercase())) }
    }

    pub(super) fn expect_symbol(&mut self, symbol: &str) -> Parse<()> {
        if self.take_symbol(symbol) { Ok(()) } else { Err(self.unexpected(&format!("'{symbol}'"))) }
    }

    // Errors.

    pub(super) fn unexpected(&self, expecting: &str) -> ParseError {
        let what = match self.now.kind {
            Kind::End => "end of query".to_owned(),
            Kind::Word if is_reserved(self.slice(self.now)) => self.slice(self.now).to_ascii_uppercase(),
            Kind::Word | Kind::Quoted => "identifier".to_owned(),
            Kind::Text => "string".to_owned(),
            Kind::Int(_) | Kind::HugeInt => "integer".to_owned(),
            Kind::Float(_) => "float".to_owned(),
            Kind::UserVar => "@variable".to_owned(),
            Kind::SysVar => "@@variable".to_owned(),
            Kind::Parameter => "'?'".to_owned(),
            Kind::Symbol(s) => format!("'{s}'"),
            Kind::Unclosed if self.slice(self.now).starts_with("/*") => "comment without an end".to_owned(),
            Kind::Unclosed => "string without an end".to_owned(),
            Kind::Stray => "character".to_owned(),
        };
        self.error(&format!("syntax error, unexpected {what}, expecting {expecting}"))
    }

    /// An error for the word at the current token, which is none of `known`.
    pub(super) fn unknown(&self, what: &str, known: &[&'static str]) -> ParseError {
        let word = self.slice(self.now);
        let meant = nearest(word, known.iter().copied()).map(|name| format!(", did you mean {}?", name.to_ascii_uppercase()));
        self.error(&format!("syntax error, unknown {what} '{}'{}", shorten(word), meant.unwrap_or_default()))
    }

    /// An error at the current token.
    pub(super) fn error(&self, message: &str) -> ParseError {
        let rest = &self.text[self.now.start..];
        let mut cut = rest.len().min(NEAR_BYTES);
        while !rest.is_char_boundary(cut) {
            cut -= 1;
        }
        ParseError { message: format!("P01: {message} near '{}'", &rest[..cut]), offset: self.now.start }
    }

    /// Runs `inner` one level deeper.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(&format!("nested deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    // Pieces that several statements share.

    /// A name, folded.
    pub(super) fn name(&mut self, expecting: &str) -> Parse<String> {
        match self.now.kind {
            Kind::Word if !is_reserved(self.slice(self.now)) => {
                let token = self.advance();
                Ok(self.slice(token).to_ascii_lowercase())
            }
            Kind::Quoted => {
                let token = self.advance();
                Ok(self.slice(token).trim_matches('`').to_ascii_lowercase())
            }
            _ => Err(self.unexpected(expecting)),
        }
    }

    /// A table's name, folded. The database `manticore` is dropped, any other stays part of the name.
    pub(super) fn table(&mut self) -> Parse<String> {
        let first = self.name("table name")?;
        if !self.take_symbol(".") {
            return Ok(first);
        }
        let second = self.name("table name")?;
        Ok(if first == "manticore" { second } else { format!("{first}.{second}") })
    }

    /// A string literal's value.
    pub(super) fn string(&mut self) -> Parse<String> {
        match self.now.kind {
            Kind::Text => {
                let token = self.advance();
                Ok(string_value(self.slice(token)).into_owned())
            }
            _ => Err(self.unexpected("string")),
        }
    }

    /// A string literal's value, or a word as it stands.
    pub(super) fn string_or_word(&mut self) -> Parse<String> {
        match self.now.kind {
            Kind::Word => {
                let token = self.advance();
                Ok(self.slice(token).to_owned())
            }
            _ => self.string(),
        }
    }

    /// `LIKE 'pattern'`, where it stands.
    pub(super) fn like(&mut self) -> Parse<Option<String>> {
        if self.take_word("like") { self.string().map(Some) } else { Ok(None) }
    }

    /// A count: an integer that is not negative. In a prepared statement, ? reads as 0.
    pub(super) fn count(&mut self) -> Parse<u64> {
        match self.now.kind {
            Kind::Int(n) => {
                self.advance();
                Ok(n)
            }
            Kind::Parameter if self.prepared => {
                self.parameter();
                Ok(0)
            }
            Kind::HugeInt => Err(self.out_of_range(false)),
            _ => Err(self.unexpected("integer")),
        }
    }

    /// Takes a `?` and gives its number.
    pub(super) fn parameter(&mut self) -> usize {
        let token = self.advance();
        self.parameters.push(token.start);
        self.parameters.len() - 1
    }

    /// A whole number with its sign.
    pub(super) fn signed(&mut self) -> Parse<i64> {
        let minus = self.take_symbol("-");
        let n = match self.now.kind {
            Kind::Int(n) => n,
            Kind::HugeInt => return Err(self.out_of_range(minus)),
            _ => return Err(self.unexpected("integer")),
        };
        let value = signed_value(minus, n).ok_or_else(|| self.out_of_range(minus))?;
        self.advance();
        Ok(value)
    }

    /// The error for a number at the current token.
    pub(super) fn out_of_range(&self, minus: bool) -> ParseError {
        let sign = if minus { "-" } else { "" };
        let (low, high) = (i64::MIN, i64::MAX);
        ParseError {
            message: format!("number {sign}{} is out of range [{low}..{high}]", shorten(self.slice(self.now))),
            offset: self.now.start,
        }
    }

    /// `OPTION a=1, b='x'`, where it stands.
    pub(super) fn options(&mut self) -> Parse<Vec<(String, OptionValue)>> {
        let mut options = Vec::new();
        if !self.take_word("option") {
            return Ok(options);
        }
        loop {
            let name = self.name("option name")?;
            self.expect_symbol("=")?;
            options.push((name, self.option_value()?));
            if !self.take_symbol(",") {
                return Ok(options);
            }
        }
    }

    pub(super) fn option_value(&mut self) -> Parse<OptionValue> {
        Ok(match self.now.kind {
            Kind::Int(_) | Kind::HugeInt => OptionValue::Int(self.signed()?),
            Kind::Float(v) => {
                self.advance();
                OptionValue::Float(v)
            }
            Kind::Symbol("-") => {
                if let Kind::Float(v) = self.peek().kind {
                    self.advance();
                    self.advance();
                    OptionValue::Float(-v)
                } else {
                    OptionValue::Int(self.signed()?)
                }
            }
            Kind::Text => OptionValue::Text(self.string()?),
            Kind::Parameter if self.prepared => {
                self.parameter();
                OptionValue::Int(0)
            }
            Kind::Word => {
                let token = self.advance();
                let word = self.slice(token).to_ascii_lowercase();
                if !self.take_symbol("(") {
                    return Ok(OptionValue::Word(word));
                }
                let argument = if self.at_symbol(")") { String::new() } else { self.string()? };
                self.expect_symbol(")")?;
                OptionValue::Call(word, argument)
            }
            Kind::Symbol("(") => {
                self.advance();
                let mut weights = Vec::new();
                while !self.at_symbol(")") {
                    let name = self.name("name")?;
                    self.expect_symbol("=")?;
                    weights.push((name, self.signed()?));
                    if !self.take_symbol(",") {
                        break;
                    }
                }
                self.expect_symbol(")")?;
                OptionValue::Weights(weights)
            }
            _ => return Err(self.unexpected("option value")),
        })
    }

    /// `name = 'value'` pairs with or without commas, up to something else. Words and numbers may stand without quotes.
    pub(super) fn settings(&mut self) -> Parse<Vec<(String, String)>> {
        let mut settings = Vec::new();
        loop {
            if !settings.is_empty() && self.at_symbol(",") {
                self.advance();
            } else if !matches!(self.now.kind, Kind::Word | Kind::Quoted) {
                return Ok(settings);
            }
            let name = self.name("setting name")?;
            self.expect_symbol("=")?;
            settings.push((name, self.setting_value()?.into_owned()));
        }
    }

    fn setting_value(&mut self) -> Parse<Cow<'a, str>> {
        let start = self.now.start;
        self.take_symbol("-");
        match self.now.kind {
            Kind::Text if self.now.start == start => {
                let token = self.advance();
                Ok(string_value(self.slice(token)))
            }
            Kind::Word if self.now.start == start => {
                let token = self.advance();
                Ok(Cow::Borrowed(self.slice(token)))
            }
            Kind::Int(_) | Kind::Float(_) => {
                let token = self.advance();
                Ok(Cow::Borrowed(&self.text[start..token.end]))
            }
            _ => Err(self.unexpected("string")),
        }
    }
}

/// A word as it is shown in messages.
fn shorten(word: &str) -> String {
    if word.chars().count() > 40 { word.chars().take(40).chain("…".chars()).collect() } else { word.to_owned() }
}

/// A literal with its sign folded in. None past the range of i64.
pub(super) fn signed_value(minus: bool, n: u64) -> Option<i64> {
    if minus { 0i64.checked_sub_unsigned(n) } else { i64::try_from(n).ok() }
}
