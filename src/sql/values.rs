//! The fast reader of `INSERT | REPLACE INTO t [(columns)] VALUES (…),(…)`.
//!
//! Loads are made of this statement, so it is read without tokens or a tree: each row lands in a buffer that the caller reuses, and its
//! texts point into the statement. Whatever is not plain — comments, `?`, other databases, hexadecimal numbers, any mistake — is
//! [`NotMine`]: the parser reads the statement again from its start and says what is wrong. Both give the same rows (a property test holds it).

use std::borrow::Cow;

use super::lexer::{is_word_byte, unescape};
use super::parser::is_reserved;

/// A literal of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Lit<'a> {
    /// 42
    Int(i64),
    /// A number above i64's range.
    Uint(u64),
    /// 4.2
    Float(f64),
    /// 'text', unescaped; borrowed where it had no escapes.
    Text(Cow<'a, str>),
    /// (1,2,3)
    List(Vec<i64>),
    /// NULL
    Null,
}

/// The statement has something that only the parser reads. Rows that were given before do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotMine;

/// Reads the rows of one statement.
#[derive(Debug, Clone)]
pub struct InsertScan<'a> {
    /// Table, folded.
    pub table: String,
    /// REPLACE.
    pub replace: bool,
    /// Named columns, folded; empty = id and all columns.
    pub columns: Vec<String>,
    scan: Scan<'a>,
    first: bool,
}

/// Begins to read at the statement's first character. None: not such a statement, or not a plain one.
pub fn scan(text: &str) -> Option<InsertScan<'_>> {
    let mut scan = Scan { text, bytes: text.as_bytes(), at: 0 };
    let replace = if scan.word("insert") {
        false
    } else if scan.word("replace") {
        true
    } else {
        return None;
    };
    if !scan.word("into") {
        return None;
    }
    let table = scan.name()?;
    let mut columns = Vec::new();
    if scan.take(b'(') {
        loop {
            columns.push(scan.name()?);
            if !scan.take(b',') {
                break;
            }
        }
        if !scan.take(b')') {
            return None;
        }
    }
    if !scan.word("values") {
        return None;
    }
    Some(InsertScan { table, replace, columns, scan, first: true })
}

impl<'a> InsertScan<'a> {
    /// Reads the next row into `row`, which is emptied first. False: the statement has ended.
    pub fn next_row(&mut self, row: &mut Vec<Lit<'a>>) -> Result<bool, NotMine> {
        row.clear();
        if !self.first && !self.scan.take(b',') {
            return match self.scan.peek() {
                None | Some(b';') => Ok(false),
                Some(_) => Err(NotMine),
            };
        }
        self.first = false;
        self.scan.expect(b'(')?;
        loop {
            row.push(self.scan.literal()?);
            match self.scan.peek() {
                Some(b',') => self.scan.at += 1,
                Some(b')') => {
                    self.scan.at += 1;
                    return Ok(true);
                }
                _ => return Err(NotMine),
            }
        }
    }

    /// Bytes read so far; once [`InsertScan::next_row`] said false, the whole statement up to its semicolon.
    pub fn consumed(&self) -> usize {
        self.scan.at
    }
}

#[derive(Debug, Clone)]
struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The next byte that is no space; it is not taken.
    fn peek(&mut self) -> Option<u8> {
        while matches!(self.byte(self.at), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += here as usize;
        here
    }

    fn expect(&mut self, byte: u8) -> Result<(), NotMine> {
        if self.take(byte) { Ok(()) } else { Err(NotMine) }
    }

    fn word(&mut self, word: &str) -> bool {
        self.peek();
        let end = self.at + word.len();
        let here = self.bytes.get(self.at..end).is_some_and(|b| b.eq_ignore_ascii_case(word.as_bytes())) && !is_word_byte(self.byte(end));
        if here {
            self.at = end;
        }
        here
    }

    fn name(&mut self) -> Option<String> {
        let quoted = self.take(b'`');
        self.peek();
        let from = self.at;
        while is_word_byte(self.byte(self.at)) {
            self.at += 1;
        }
        let name = self.text.get(from..self.at)?;
        let odd = name.is_empty() || name.as_bytes()[0].is_ascii_digit();
        if odd || (quoted && (self.bytes[from - 1] != b'`' || self.byte(self.at) != b'`')) || (!quoted && is_reserved(name)) {
            return None;
        }
        self.at += quoted as usize;
        Some(name.to_ascii_lowercase())
    }

    fn literal(&mut self) -> Result<Lit<'a>, NotMine> {
        match self.peek() {
            Some(quote @ (b'\'' | b'"')) => self.string(quote),
            Some(b'0'..=b'9' | b'-' | b'.') => self.number(),
            Some(b'(') => {
                self.at += 1;
                let mut list = Vec::new();
                if self.take(b')') {
                    return Ok(Lit::List(list));
                }
                loop {
                    self.peek();
                    match self.number()? {
                        Lit::Int(v) => list.push(v),
                        _ => return Err(NotMine),
                    }
                    if !self.take(b',') {
                        self.expect(b')')?;
                        return Ok(Lit::List(list));
                    }
                }
            }
            Some(b'n' | b'N') if self.word("null") => Ok(Lit::Null),
            _ => Err(NotMine),
        }
    }

    fn string(&mut self, quote: u8) -> Result<Lit<'a>, NotMine> {
        let from = self.at + 1;
        let mut at = from;
        let mut escaped = false;
        let end = loop {
            at = find_either(self.bytes, at, quote, b'\\').ok_or(NotMine)?;
            if self.bytes[at] == b'\\' || self.byte(at + 1) == quote {
                escaped = true;
                at += 2;
            } else {
                break at;
            }
        };
        self.at = end + 1;
        let inside = self.text.get(from..end).ok_or(NotMine)?;
        Ok(Lit::Text(if escaped { unescape(inside, quote as char) } else { Cow::Borrowed(inside) }))
    }

    fn number(&mut self) -> Result<Lit<'a>, NotMine> {
        let from = self.at;
        let minus = self.byte(self.at) == b'-';
        self.at += minus as usize;
        let digits = self.at;
        let mut value: u64 = 0;
        let mut fits = true;
        while let b @ b'0'..=b'9' = self.byte(self.at) {
            match value.checked_mul(10).and_then(|v| v.checked_add((b - b'0') as u64)) {
                Some(v) => value = v,
                None => fits = false,
            }
            self.at += 1;
        }
        if self.at == digits {
            return Err(NotMine);
        }
        if is_end(self.byte(self.at)) {
            return match (minus, fits) {
                (_, false) => Err(NotMine),
                (true, true) => 0i64.checked_sub_unsigned(value).map(Lit::Int).ok_or(NotMine),
                (false, true) => Ok(i64::try_from(value).map_or(Lit::Uint(value), Lit::Int)),
            };
        }
        if self.byte(self.at) == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if (self.byte(self.at) | 0x20) == b'e' {
            self.at += 1;
            if matches!(self.byte(self.at), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        if !is_end(self.byte(self.at)) {
            return Err(NotMine);
        }
        self.text.get(from..self.at).and_then(|t| t.parse().ok()).map(Lit::Float).ok_or(NotMine)
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), NotMine> {
        if !self.byte(self.at).is_ascii_digit() {
            return Err(NotMine);
        }
        while self.byte(self.at).is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }
}

/// Whether a number may end before this byte.
fn is_end(b: u8) -> bool {
    matches!(b, b',' | b')' | b' ' | b'\n' | b'\t' | b'\r')
}

/// Offset of the first `a` or `b` at `from` or behind, eight bytes at a time.
fn find_either(bytes: &[u8], from: usize, a: u8, b: u8) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // A byte of `zero(x)` has its high bit set where that byte of x is 0; false hits lie only behind a true one.
    let zero = |x: u64| x.wrapping_sub(LOW) & !x & HIGH;
    let (all_a, all_b) = (LOW * a as u64, LOW * b as u64);
    let rest = bytes.get(from..)?;
    let (words, tail) = rest.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let hits = zero(word ^ all_a) | zero(word ^ all_b);
        if hits != 0 {
            return Some(from + 8 * i + hits.trailing_zeros() as usize / 8);
        }
    }
    tail.iter().position(|&x| x == a || x == b).map(|n| from + 8 * words.len() + n)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sql::ast::{Expr, Statement};

    fn all(text: &str) -> Option<(InsertScan<'_>, Vec<Vec<Lit<'_>>>)> {
        let mut scan = scan(text)?;
        let (mut rows, mut row) = (Vec::new(), Vec::new());
        while scan.next_row(&mut row).ok()? {
            rows.push(row.clone());
        }
        Some((scan, rows))
    }

    fn as_expr(lit: &Lit<'_>) -> Expr {
        match lit {
            Lit::Int(v) => Expr::Int(*v),
            Lit::Uint(v) => Expr::Uint(*v),
            Lit::Float(v) => Expr::Float(*v),
            Lit::Text(v) => Expr::Text(v.to_string()),
            Lit::List(v) => Expr::List(v.iter().map(|n| Expr::Int(*n)).collect()),
            Lit::Null => Expr::Null,
        }
    }

    /// What the scanner reads, the parser reads as the same; returns whether the scanner read it.
    fn agree(text: &str) -> bool {
        let Some((scan, rows)) = all(text) else { return false };
        let mut statements = crate::sql::statements(text);
        match statements.next() {
            Some(Ok(parsed)) => {
                let Statement::Insert(insert) = parsed.statement else { panic!("not an insert: {text}") };
                assert_eq!((&insert.table, insert.replace, &insert.columns), (&scan.table, scan.replace, &scan.columns), "{text}");
                let rows: Vec<Vec<Expr>> = rows.iter().map(|r| r.iter().map(as_expr).collect()).collect();
                assert_eq!(insert.rows, rows, "{text}");
                let mut skipped = crate::sql::statements(text);
                skipped.advance(scan.consumed());
                assert_eq!(skipped.rest(), statements.rest());
            }
            other => panic!("scanner read {rows:?}, parser {other:?}: {text}"),
        }
        true
    }

    #[test]
    fn plain() {
        for text in [
            "INSERT INTO t VALUES (1,'a')",
            "replace into `T` (id, `Title`, n) values (1,'it''s \\'x\\' \\\\',-5), ( 18446744073709551615 , \"\" , 1.5e-3 ) ;",
            "INSERT INTO t(a) VALUES((1,-2,3)),(()),(NULL),('漢字 \\漢'); SELECT 1",
            "INSERT INTO t(a) VALUES (-9223372036854775808),(9223372036854775808),(0.25),(1e5)",
        ] {
            assert!(agree(text), "{text}");
        }
    }

    #[test]
    fn unusual() {
        for text in [
            "INSERT INTO t VALUES (1,?)",
            "INSERT INTO t VALUES (1) -- x",
            "INSERT INTO a.t VALUES (1)",
            "INSERT INTO t(select) VALUES (1)",
            "INSERT INTO t VALUES (0x10)",
            "INSERT INTO t VALUES (99999999999999999999)",
            "INSERT INTO t VALUES (-9223372036854775809)",
            "INSERT INTO t VALUES (1),",
            "INSERT INTO t VALUES ('abc",
            "INSERT INTO t VALUES (1) OPTION a=1",
            "INSERT INTO t VALUES ((1.5))",
            "SELECT 1",
            "",
        ] {
            assert!(all(text).is_none(), "{text}");
        }
    }

    #[test]
    fn speed() {
        // A row as the load tool sends them: two numbers and 400 bytes of text. A generous limit, so that a busy machine does not fail it.
        let row = format!("(123456,'{}',1987,'a title')", "lorem ipsum ".repeat(33));
        let text = format!("INSERT INTO t VALUES {}", vec![row; 10_000].join(","));
        let started = std::time::Instant::now();
        let mut scan = scan(&text).unwrap();
        let (mut row, mut rows) = (Vec::new(), 0);
        while scan.next_row(&mut row).unwrap() {
            rows += 1;
        }
        let each = started.elapsed().as_nanos() / rows;
        println!("{each} ns per row");
        assert_eq!(rows, 10_000);
        assert!(each < 20_000);
    }

    fn literal() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<i64>().prop_map(|v| v.to_string()),
            any::<u64>().prop_map(|v| v.to_string()),
            any::<f64>().prop_map(|v| format!("{v:?}")),
            "\\PC*".prop_map(|s| crate::sql::render::quoted(&s)),
            "[a-z'\\\\\"%_nt]{0,12}".prop_map(|s| format!("\"{s}\"")),
            "[a-z'\\\\\"%_nt]{0,12}".prop_map(|s| format!("'{s}'")),
            prop::collection::vec(any::<i64>(), 0..4)
                .prop_map(|v| format!("({})", v.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))),
            Just("NULL".to_owned()),
            "[-+.0-9eExX ]{1,8}",
        ]
    }

    proptest! {
        #[test]
        fn scanner_and_parser_agree(rows in prop::collection::vec(prop::collection::vec(literal(), 1..5), 1..4), space in "[ \n]{0,2}", end in "[; -]{0,3}") {
            let rows: Vec<String> = rows.iter().map(|r| format!("({space}{})", r.join(&format!("{space},")))).collect();
            agree(&format!("INSERT INTO t(a,b) VALUES{space}{}{end}", rows.join(",")));
        }

        #[test]
        fn find_either_is_find(bytes in prop::collection::vec(any::<u8>(), 0..40), from in 0usize..45) {
            let expected = bytes.iter().skip(from).position(|&b| b == 7 || b == 200).map(|n| n + from);
            prop_assert_eq!(find_either(&bytes, from, 7, 200), expected);
        }
    }
}
