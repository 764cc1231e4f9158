//! Reading and writing of case files.

use std::path::Path;

/// A file in order, so that writing it back keeps what is not an answer.
pub struct CaseFile {
    pub blocks: Vec<Block>,
    /// The file has no table that is written twice.
    pub one_chunk: bool,
}

/// What lies between two blank lines.
pub enum Block {
    /// Only comments.
    Prose(String),
    Case(Case),
}

/// A statement and its answer.
pub struct Case {
    /// Line of the statement, counted from 1.
    pub line: usize,
    comments: Vec<String>,
    /// As written, before expansion.
    pub statement: String,
    pub answer: String,
    pub ram_only: bool,
    pub rowwise_only: bool,
    pub same_session: bool,
    pub headings: bool,
    raw_bytes: bool,
}

impl CaseFile {
    /// Panics with file and line where the form is not kept.
    pub fn read(path: &Path) -> CaseFile {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let one_chunk = text.lines().any(|l| l == "-- one chunk is enough");
        let mut blocks = Vec::new();
        let mut lines = Vec::new();
        for (i, line) in text.lines().chain([""]).enumerate() {
            if !line.is_empty() {
                lines.push(line);
            } else if !lines.is_empty() {
                blocks.push(block(&lines, i + 1 - lines.len(), path));
                lines.clear();
            }
        }
        CaseFile { blocks, one_chunk }
    }

    pub fn write(&self, path: &Path) {
        let blocks: Vec<String> = self.blocks.iter().map(Block::text).collect();
        std::fs::write(path, blocks.join("\n")).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

fn block(lines: &[&str], first: usize, path: &Path) -> Block {
    let comments: Vec<String> = lines.iter().take_while(|l| l.starts_with("-- ") || **l == "--").map(|l| (*l).to_owned()).collect();
    if comments.len() == lines.len() {
        return Block::Prose(comments.join("\n"));
    }
    let line = first + comments.len();
    let rest = &lines[comments.len()..];
    let bar = rest.iter().position(|l| *l == "----").unwrap_or_else(|| panic!("{}:{line}: a line ---- is missing", path.display()));
    assert!(bar > 0, "{}:{line}: a statement is missing", path.display());
    let says = |what: &str| comments.iter().any(|c| c == what);
    Block::Case(Case {
        line,
        statement: rest[..bar].join("\n"),
        answer: rest[bar + 1..].join("\n"),
        ram_only: says("-- ram only"),
        rowwise_only: says("-- rowwise only"),
        same_session: says("-- same session"),
        headings: says("-- headings"),
        raw_bytes: says("-- bytes"),
        comments,
    })
}

impl Block {
    fn text(&self) -> String {
        match self {
            Block::Prose(text) => format!("{text}\n"),
            Block::Case(case) => {
                let mut out: String = case.comments.iter().map(|c| format!("{c}\n")).collect();
                out.push_str(&format!("{}\n----\n{}\n", case.statement, case.answer));
                out
            }
        }
    }
}

impl Case {
    /// What is sent: expanded, with bytes for `\xNN` where the case says so.
    pub fn bytes(&self) -> Vec<u8> {
        let text = expanded(&self.statement);
        if !self.raw_bytes {
            return text.into_bytes();
        }
        let (mut out, mut rest) = (Vec::new(), text.as_str());
        while let Some(at) = rest.find("\\x") {
            out.extend_from_slice(&rest.as_bytes()[..at]);
            out.push(u8::from_str_radix(&rest[at + 2..at + 4], 16).expect("two hexadecimal digits"));
            rest = &rest[at + 4..];
        }
        out.extend_from_slice(rest.as_bytes());
        out
    }
}

/// The statement with `@{…}` written out.
pub fn expanded(statement: &str) -> String {
    let (mut out, mut rest) = (String::new(), statement);
    while let Some((before, tail)) = rest.split_once("@{") {
        let (inside, after) = tail.split_once('}').expect("a closing brace");
        out.push_str(before);
        if let Some((range, form)) = inside.split_once(':').filter(|(range, _)| range.contains("..")) {
            let (from, to) = range.split_once("..").expect("checked above");
            let number = |s: &str| s.parse::<u64>().expect("a number");
            let items: Vec<String> = (number(from)..=number(to)).map(|n| form.replace('#', &n.to_string())).collect();
            out.push_str(&items.join(","));
        } else {
            let (times, what) = inside.split_once('*').expect("@{n*text} or @{a..b:form}");
            out.push_str(&what.repeat(times.parse().expect("a number")));
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[test]
fn statements_are_written_out() {
    assert_eq!(expanded("INSERT @{1..3:(#,'w#')};"), "INSERT (1,'w1'),(2,'w2'),(3,'w3');");
    assert_eq!(expanded("a@{3*xy}b"), "axyxyxyb");
}
