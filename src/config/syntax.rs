//! The grammar of the file: sections of `key = value` lines.
//!
//! `#` begins a comment anywhere in a line, `\#` is a plain `#`; a `\` at the end of a line joins the next one to it; a section is a
//! word, `{`, lines, `}`. A value goes to the end of its line; on the line where its section begins, it ends before a `}` that ends the line, so that
//! `searchd { listen = 9306 }` is a whole section. Meaning is given by [`super::reader`].

use super::{ConfigError, Problem};

/// A section as written.
#[derive(Debug, PartialEq)]
pub(super) struct Section {
    /// Lower case: `searchd`, `common`, or a word that the reader refuses.
    pub kind: String,
    /// Where it begins.
    pub line: usize,
    /// Its lines in order.
    pub entries: Vec<Entry>,
}

/// A `key = value` line.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    /// Where it begins.
    pub line: usize,
    /// Lower case.
    pub key: String,
    /// Without comment and outer blanks; may be empty.
    pub value: String,
}

/// Cuts `text` into sections. What cannot be read is reported and passed over, so that one reading finds every mistake.
pub(super) fn parse(text: &str) -> (Vec<Section>, Vec<Problem>) {
    let mut sections: Vec<Section> = Vec::new();
    let mut problems = Vec::new();
    let mut open: Option<Section> = None;
    // A section's name whose `{` is still to come.
    let mut named: Option<(String, usize)> = None;
    for (line, content) in logical_lines(text) {
        let mut rest = content.trim();
        let mut opened_here = false;
        while !rest.is_empty() {
            if let Some(section) = &mut open {
                if let Some(after) = rest.strip_prefix('}') {
                    sections.extend(open.take());
                    rest = after.trim_start();
                    continue;
                }
                let (entry, closes) = match rest.strip_suffix('}') {
                    Some(entry) if opened_here => (entry.trim_end(), true),
                    _ => (rest, false),
                };
                match entry.split_once('=') {
                    Some((key, value)) if is_key(key.trim()) => {
                        section.entries.push(Entry { line, key: key.trim().to_ascii_lowercase(), value: value.trim().to_owned() })
                    }
                    _ => problems.push(problem(line, format!("'{}': 'key = value' expected", shorten(entry)))),
                }
                if closes {
                    sections.extend(open.take());
                }
                rest = "";
            } else if let Some((kind, begin)) = named.take() {
                match rest.strip_prefix('{') {
                    Some(after) => {
                        open = Some(Section { kind, line: begin, entries: Vec::new() });
                        opened_here = true;
                        rest = after.trim_start();
                    }
                    None => {
                        problems.push(problem(line, format!("'{{' expected after '{kind}', found '{}'", shorten(rest))));
                        rest = "";
                    }
                }
            } else {
                // `searchd {`, or `table child : parent {`: only the first word matters.
                let end = rest.find('{').unwrap_or(rest.len());
                let kind = rest[..end].split([' ', '\t', ':']).next().unwrap_or_default().to_ascii_lowercase();
                if kind.is_empty() || !is_key(&kind) || rest[..end].contains('=') {
                    problems.push(problem(line, format!("'{}': a section such as 'searchd {{' expected", shorten(rest))));
                    rest = "";
                } else {
                    named = Some((kind, line));
                    rest = &rest[end..];
                }
            }
        }
    }
    if let Some(section) = open {
        problems.push(problem(section.line, format!("section '{}' is not closed: a line with '}}' expected", section.kind)));
        sections.push(section);
    }
    if let Some((kind, line)) = named {
        problems.push(problem(line, format!("'{{' expected after '{kind}'")));
    }
    (sections, problems)
}

/// Lines without comments, continued ones joined with a blank, each with the number of its first line.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut continued = false;
    for (number, raw) in text.lines().enumerate() {
        let content = strip_comment(raw);
        let trimmed = content.trim_end();
        let (content, continues) = match trimmed.strip_suffix('\\') {
            Some(rest) => (rest, true),
            None => (trimmed, false),
        };
        match lines.last_mut() {
            Some((_, line)) if continued => {
                line.push(' ');
                line.push_str(content.trim());
            }
            _ => lines.push((number + 1, content.to_owned())),
        }
        continued = continues;
    }
    lines
}

fn strip_comment(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '#' => break,
            '\\' if chars.peek() == Some(&'#') => {
                chars.next();
                out.push('#');
            }
            _ => out.push(c),
        }
    }
    out
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn shorten(text: &str) -> String {
    if text.chars().count() > 40 { text.chars().take(40).chain("…".chars()).collect() } else { text.to_owned() }
}

fn problem(line: usize, text: String) -> Problem {
    Problem { line, error: ConfigError::Syntax(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws what was read: `kind@line[key@line=value …]`, then `!line message`.
    fn draw(text: &str) -> String {
        let (sections, problems) = parse(text);
        let mut out = Vec::new();
        for section in sections {
            let entries: Vec<String> = section.entries.iter().map(|e| format!("{}@{}={}", e.key, e.line, e.value)).collect();
            out.push(format!("{}@{}[{}]", section.kind, section.line, entries.join(" ")));
        }
        out.extend(problems.iter().map(|p| format!("!{} {}", p.line, p.error)));
        out.join(" ")
    }

    #[test]
    fn sections_comments_and_continuation() {
        assert_eq!(draw(""), "");
        assert_eq!(draw("searchd {\n listen = 9306:mysql # here\n}\n"), "searchd@1[listen@2=9306:mysql]");
        assert_eq!(draw("# c\nsearchd\n{\n}\ncommon {\na=1\n}"), "searchd@2[] common@5[a@6=1]");
        assert_eq!(draw("searchd {\n log = a\\\n  b\n pid_file =\n}"), "searchd@1[log@2=a b pid_file@4=]");
        assert_eq!(draw("searchd {\n log = a\\#b # c\n}"), "searchd@1[log@2=a#b]");
        assert_eq!(draw("searchd { LOG = x\n} common { }"), "searchd@1[log@1=x] common@2[]");
        assert_eq!(draw("searchd { listen = 9306 } # all of it\ncommon {}"), "searchd@1[listen@1=9306] common@2[]");
        assert_eq!(draw("searchd\n{ listen = 9306 }"), "searchd@1[listen@2=9306]");
        assert_eq!(draw("searchd {\n log = a}\n}"), "searchd@1[log@2=a}]");
        assert_eq!(draw("table a : b {\n type = rt\n}"), "table@1[type@2=rt]");
        assert_eq!(draw("searchd {\r\n log = x\r\n}\r\n"), "searchd@1[log@2=x]");
    }

    #[test]
    fn mistakes_name_their_line() {
        assert_eq!(draw("searchd {\n log\n}"), "searchd@1[] !2 'log': 'key = value' expected");
        assert_eq!(draw("searchd {\n a b = c\n}"), "searchd@1[] !2 'a b = c': 'key = value' expected");
        assert_eq!(draw("searchd {\n log = x\n"), "searchd@1[log@2=x] !1 section 'searchd' is not closed: a line with '}' expected");
        assert_eq!(draw("listen = 9306"), "!1 'listen = 9306': a section such as 'searchd {' expected");
        assert_eq!(draw("searchd\nlog = x"), "!2 '{' expected after 'searchd', found 'log = x'");
        assert_eq!(draw("searchd"), "!1 '{' expected after 'searchd'");
        assert_eq!(draw("}"), "!1 '}': a section such as 'searchd {' expected");
    }
}
