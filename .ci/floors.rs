//! Imports point down: no file of `src` may name a module on its own floor or above.
//!
//! Reads every file of `src` and every path in it: `use` with its groups, re-exports, paths in code, `$crate` in macros, `super` chains
//! as far as they leave the module. Comments, strings and doc comments do not count; test modules do. Macros that are exported, and so
//! stand at the root, count as items of the module that defines them. Checked besides: only `storage` opens files, `async` stays in `wire`,
//! `http` and `server`, `merge::policy`, `merge::queue` and `merge::course` know nothing but `types` and plain `std` outside of their
//! tests, and `tantivy` is named under `chunk` alone.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The floors, lowest first. `main.rs` and `lib.rs` stand above them all.
const FLOORS: [&[&str]; 8] = [
    &["types"],
    &["storage", "config", "text", "vector", "sql", "query"],
    &["chunk", "merge", "plan"],
    &["table"],
    &["catalog", "exec"],
    &["session"],
    &["wire", "http", "client"],
    &["server", "load", "tune"],
];

/// Modules in which `async` may stand.
const ASYNC: [&str; 3] = ["wire", "http", "server"];

/// Modules that only compute: beside themselves, each other and `types`, they know `std` without what follows.
const PURE: [&str; 3] = ["course", "policy", "queue"];
const IMPURE_STD: [&str; 7] = ["fs", "thread", "time", "sync", "net", "process", "env"];

#[test]
fn imports_point_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dependencies = dependencies(&read(&root.join("Cargo.toml")));
    let mut files = Vec::new();
    walk(&root.join("src"), &mut files);
    files.sort();
    assert!(files.len() > 1, "no files under src");
    let name_of = |file: &Path| file.strip_prefix(root.join("src")).expect("walk stays below src").to_string_lossy().replace('\\', "/");
    let sources: Vec<(String, String)> = files.iter().map(|file| (name_of(file), read(file))).collect();
    let macros: Vec<(String, String)> = sources.iter().flat_map(|(name, source)| exported_macros(name, source)).collect();
    let mut report = String::new();
    let mut count = 0;
    for (name, source) in &sources {
        for (line, message) in check(name, source, &dependencies, &macros) {
            count += 1;
            writeln!(report, "  src/{name}:{line}: {message}").expect("a String takes everything");
        }
    }
    assert!(count == 0, "{count} imports break the rules of src/lib.rs:\n{report}");
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry of a readable folder").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
}

/// Names of the crates in the `[dependencies]` of a Cargo.toml, as code spells them. Those of tests are free.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim() == "[dependencies]" || line.trim().ends_with(".dependencies]");
        } else if let (true, Some((name, _))) = (inside, line.split_once('=')) {
            let name = name.split('.').next().unwrap_or(name);
            names.push(name.trim().replace('-', "_"));
        }
    }
    names
}

// ---------------------------------------------------------------------------------------------------------------- the rules

/// Line and message of each broken rule in the file `name` (relative to `src`, with `/`). `macros`: exported ones and their top module.
fn check(name: &str, source: &str, dependencies: &[String], macros: &[(String, String)]) -> Vec<(usize, String)> {
    let module = module_of(name);
    let top = module.first().cloned().unwrap_or_default();
    let free = module.is_empty();
    let mut broken = Vec::new();
    let own_floor = floor_of(&top);
    if !free && own_floor.is_none() {
        broken.push((1, format!("no floor is known for '{top}'; add it to the table in .ci/floors.rs")));
    }
    let pure = top == "merge" && module.get(1).is_some_and(|part| PURE.contains(&part.as_str()));

    let found = extract(source, &module);
    for Mention { line, path, internal, in_tests } in &found.mentions {
        let (line, text) = (*line, path.join("::"));
        let pure = pure && !in_tests;
        let first = path.first().map_or("", String::as_str);
        if *internal {
            let first = macros.iter().find(|(name, _)| name == first).map_or(first, |(_, home)| home);
            if !free && first != top {
                match floor_of(first).zip(own_floor) {
                    None if floor_of(first).is_none() => {
                        broken.push((line, format!("crate::{text} is no module of a floor; name the module that the item lives in")));
                    }
                    None => {}
                    Some((theirs, ours)) if theirs > ours => {
                        broken.push((line, format!("'{top}' (floor {ours}) names crate::{text} (floor {theirs}) above it")));
                    }
                    Some((theirs, ours)) if theirs == ours => {
                        broken.push((line, format!("'{top}' names its neighbour crate::{text} on floor {ours}")));
                    }
                    Some(_) => {}
                }
            }
            let second = path.get(1).map_or("", String::as_str);
            if pure && first != "types" && !(first == "merge" && PURE.contains(&second)) {
                broken.push((line, format!("merge::{} names crate::{text}; it may know only types and std", module[1])));
            }
            continue;
        }
        let second = path.get(1).map_or("", String::as_str);
        let third = path.get(2).map_or("", String::as_str);
        let opens =
            path.windows(2).any(|pair| pair[0] == "File" && ["open", "create", "create_new", "options"].contains(&pair[1].as_str()))
                || path.iter().any(|part| part == "OpenOptions");
        if top != "storage" && ((first == "std" && second == "fs") || opens) {
            broken.push((line, format!("{text}: only 'storage' opens files")));
        }
        if top != "chunk" && first == "tantivy" {
            broken.push((line, format!("{text}: tantivy is named under 'chunk' only")));
        }
        if pure && first == "std" && IMPURE_STD.contains(&second) {
            broken.push((line, format!("merge::{} names {text}; no file, thread, clock or lock there", module[1])));
        }
        if pure && first == "std" && second == "io" && !third.is_empty() {
            broken.push((line, format!("merge::{} names {text}; no file, thread, clock or lock there", module[1])));
        }
        if pure && path.len() > 1 && dependencies.iter().any(|crate_name| crate_name == first) {
            broken.push((line, format!("merge::{} names {text}; it may know only types and std", module[1])));
        }
    }
    for line in found.asyncs {
        if !ASYNC.contains(&top.as_str()) {
            broken.push((line, "'async' outside of wire, http and server".to_owned()));
        }
    }
    for line in found.path_attributes {
        broken.push((line, "#[path] hides where a module lives".to_owned()));
    }
    broken.sort();
    broken.dedup();
    broken
}

/// Macros with `#[macro_export]` in the file `name`, each with its top module.
fn exported_macros(name: &str, source: &str) -> Vec<(String, String)> {
    let home = module_of(name).first().cloned().unwrap_or_default();
    let tokens = tokens(&without_comments_and_strings(source));
    let mut found = Vec::new();
    let mut exported = false;
    for (at, (_, token)) in tokens.iter().enumerate() {
        match token {
            Token::Word(word) if word == "macro_export" => exported = true,
            Token::Word(word) if word == "macro_rules" && exported => {
                if let Some(Token::Word(name)) = word_at(&tokens, at + 2) {
                    found.push((name.clone(), home.clone()));
                }
                exported = false;
            }
            Token::Word(_) | Token::Colons | Token::Sign(_) => {}
        }
    }
    found
}

fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// Path of the module that a file holds: `chunk/disk/mod.rs` and `chunk/disk.rs` → chunk, disk; `lib.rs` → nothing.
fn module_of(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = name.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod") || matches!(name, "lib.rs" | "main.rs") {
        parts.pop();
    }
    parts
}

// ---------------------------------------------------------------------------------------------------------------- the reader

/// A path that code names.
#[derive(Debug, PartialEq)]
struct Mention {
    line: usize,
    /// Parts from the crate's root if `internal`, else as written.
    path: Vec<String>,
    /// It leads into this crate, by `crate`, `$crate`, `super`, `self` or the crate's own name.
    internal: bool,
    /// It stands in a module called `tests`.
    in_tests: bool,
}

#[derive(Debug, Default)]
struct Found {
    mentions: Vec<Mention>,
    /// Lines with the word `async`.
    asyncs: Vec<usize>,
    /// Lines with an attribute `path`.
    path_attributes: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    /// `::`
    Colons,
    Sign(char),
}

/// All paths of two parts and more in `source`, which is the file of the module `module`; and single ones that lead into the crate.
fn extract(source: &str, module: &[String]) -> Found {
    let tokens = tokens(&without_comments_and_strings(source));
    let mut found = Found::default();
    // Modules written inside the file, with the depth of braces at which each ends.
    let mut inner: Vec<(String, usize)> = Vec::new();
    let mut depth: usize = 0;
    let mut at = 0;
    while at < tokens.len() {
        let (line, token) = &tokens[at];
        match token {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => {
                depth = depth.saturating_sub(1);
                if inner.last().is_some_and(|(_, end)| *end == depth) {
                    inner.pop();
                }
            }
            Token::Word(word) if word == "async" => found.asyncs.push(*line),
            Token::Word(word) if word == "mod" => {
                if let (Some(Token::Word(name)), Some(Token::Sign('{'))) = (word_at(&tokens, at + 1), word_at(&tokens, at + 2)) {
                    inner.push((name.clone(), depth));
                }
            }
            Token::Word(word) if word == "path" && is_attribute(&tokens, at) => found.path_attributes.push(*line),
            Token::Word(_) if begins_path(&tokens, at) => {
                let mut paths = Vec::new();
                let end = read_path(&tokens, at, &mut Vec::new(), &mut paths);
                let here: Vec<String> = module.iter().cloned().chain(inner.iter().map(|(name, _)| name.clone())).collect();
                found.mentions.extend(paths.into_iter().filter_map(|(line, path)| resolve(line, path, &here)));
                at = end;
                continue;
            }
            Token::Word(_) | Token::Colons | Token::Sign(_) => {}
        }
        at += 1;
    }
    found
}

fn word_at(tokens: &[(usize, Token)], at: usize) -> Option<&Token> {
    tokens.get(at).map(|(_, token)| token)
}

/// `#[path` or `#![path`, also within `cfg_attr`, before a `=`.
fn is_attribute(tokens: &[(usize, Token)], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| word_at(tokens, at));
    matches!(before, Some(Token::Sign('[' | ','))) && word_at(tokens, at + 1) == Some(&Token::Sign('='))
}

/// Words after which a path may begin with `::`, or begin at all, although they are words themselves.
const KEYWORDS: [&str; 26] = [
    "use", "pub", "return", "in", "as", "impl", "for", "dyn", "mut", "ref", "match", "if", "else", "while", "loop", "let", "move", "const",
    "static", "where", "break", "unsafe", "type", "fn", "extern", "await",
];

/// Whether the word at `at` is the first part of a path: nothing before it that it belongs to.
fn begins_path(tokens: &[(usize, Token)], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| word_at(tokens, at));
    if matches!(word_at(tokens, at), Some(Token::Word(word)) if KEYWORDS.contains(&word.as_str())) {
        return false;
    }
    match before(1) {
        Some(Token::Colons) => match before(2) {
            // `use ::std` begins one, `Vec::<u8>::new` goes on.
            Some(Token::Word(word)) => KEYWORDS.contains(&word.as_str()),
            Some(Token::Sign(sign)) => !matches!(sign, '>' | ')' | ']'),
            Some(Token::Colons) | None => true,
        },
        // A field or method; but `..crate::X` is a range.
        Some(Token::Sign('.')) => before(2) == Some(&Token::Sign('.')),
        _ => true,
    }
}

/// Reads the path (or, within a group, the item) that begins at `at` behind `prefix`; puts each full path into `out` and returns where reading goes on.
fn read_path(tokens: &[(usize, Token)], mut at: usize, prefix: &mut Vec<String>, out: &mut Vec<(usize, Vec<String>)>) -> usize {
    let own = prefix.len();
    let line = tokens.get(at).map_or(0, |(line, _)| *line);
    loop {
        match word_at(tokens, at) {
            Some(Token::Word(word)) => {
                prefix.push(word.clone());
                at += 1;
                if word_at(tokens, at) == Some(&Token::Colons)
                    && matches!(word_at(tokens, at + 1), Some(Token::Word(_) | Token::Sign('{' | '*')))
                {
                    at += 1;
                    continue;
                }
                // `crate as root` would hide what is named through it.
                if word_at(tokens, at) == Some(&Token::Word("as".to_owned())) && matches!(word.as_str(), "crate" | "super" | "self") {
                    prefix.push("*".to_owned());
                }
                out.push((line, prefix.clone()));
            }
            Some(Token::Sign('*')) => {
                prefix.push("*".to_owned());
                out.push((line, prefix.clone()));
                at += 1;
            }
            Some(Token::Sign('{')) => {
                at = read_group(tokens, at + 1, prefix, out);
            }
            _ => at += 1,
        }
        prefix.truncate(own);
        return at;
    }
}

/// Reads the items of a `use` group behind its `{`.
fn read_group(tokens: &[(usize, Token)], mut at: usize, prefix: &mut Vec<String>, out: &mut Vec<(usize, Vec<String>)>) -> usize {
    while let Some(token) = word_at(tokens, at) {
        match token {
            Token::Sign('}') => return at + 1,
            Token::Word(word) if word == "as" => at += 2,
            Token::Word(word) if word == "self" && word_at(tokens, at + 1) != Some(&Token::Colons) => {
                out.push((tokens[at].0, prefix.clone()));
                at += 1;
            }
            Token::Word(_) | Token::Sign('*' | '{') => at = read_path(tokens, at, prefix, out),
            Token::Colons | Token::Sign(_) => at += 1,
        }
    }
    at
}

/// Follows `crate`, `super` and `self` from the module `here`. None for a lone word, which names nothing outside of its own module.
fn resolve(line: usize, path: Vec<String>, here: &[String]) -> Option<Mention> {
    let in_tests = here.iter().any(|module| module == "tests");
    let mut parts = path.as_slice();
    let mut base: Vec<String> = here.to_vec();
    match parts.first().map(String::as_str) {
        Some("crate" | "chimera") if parts.len() > 1 => {
            base.clear();
            parts = &parts[1..];
        }
        Some("self") if parts.len() > 1 => parts = &parts[1..],
        Some("super") => {}
        _ => return (path.len() > 1).then_some(Mention { line, path, internal: false, in_tests }),
    }
    while parts.first().is_some_and(|part| part == "super") {
        base.pop();
        parts = &parts[1..];
    }
    base.extend_from_slice(parts);
    (!base.is_empty()).then_some(Mention { line, path: base, internal: true, in_tests })
}

/// Words, `::` and other signs with their lines. `$crate` is the word `crate`.
fn tokens(code: &str) -> Vec<(usize, Token)> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\n' {
            line += 1;
        } else if c.is_alphanumeric() || c == '_' {
            let mut word = c.to_string();
            while let Some(&next) = chars.peek().filter(|next| next.is_alphanumeric() || **next == '_') {
                word.push(next);
                chars.next();
            }
            found.push((line, Token::Word(word)));
        } else if c == ':' && chars.peek() == Some(&':') {
            chars.next();
            found.push((line, Token::Colons));
        } else if !c.is_whitespace() && c != '$' {
            found.push((line, Token::Sign(c)));
        }
    }
    found
}

/// The source with comments, strings and character literals blanked out; lines stay where they are.
fn without_comments_and_strings(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    let peek = |at: usize| chars.get(at).copied().unwrap_or('\0');
    while at < chars.len() {
        let start = at;
        let c = chars[at];
        let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
        if c == '/' && peek(at + 1) == '/' {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if c == '/' && peek(at + 1) == '*' {
            let mut nested = 0;
            while at < chars.len() {
                match (chars[at], peek(at + 1)) {
                    ('/', '*') => (nested, at) = (nested + 1, at + 2),
                    ('*', '/') => (nested, at) = (nested - 1, at + 2),
                    _ => at += 1,
                }
                if nested == 0 {
                    break;
                }
            }
        } else if let Some(end) = (!in_word).then(|| raw_string_end(&chars, at)).flatten() {
            at = end;
        } else if c == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if c == '\'' && (peek(at + 1) == '\\' || (peek(at + 2) == '\'' && peek(at + 1) != '\'')) {
            at += if peek(at + 1) == '\\' { 3 } else { 2 };
            while at < chars.len() && chars[at] != '\'' {
                at += 1;
            }
            at += 1;
        } else {
            out.push(c);
            at += 1;
            continue;
        }
        let end = at.min(chars.len());
        out.extend(chars[start..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
        // A literal stays something, or else the words around it would meet.
        out.push(' ');
    }
    out
}

/// End of the raw string that begins at `at` (`r"`, `r#"`, `br#"`, `cr"`), if one does.
fn raw_string_end(chars: &[char], at: usize) -> Option<usize> {
    let mut open = at;
    if matches!(chars.get(open), Some('b' | 'c')) {
        open += 1;
    }
    if chars.get(open) != Some(&'r') {
        return None;
    }
    open += 1;
    let hashes = chars[open..].iter().take_while(|&&c| c == '#').count();
    if chars.get(open + hashes) != Some(&'"') {
        return None;
    }
    let body = open + hashes + 1;
    let closes = |end: usize| chars[end] == '"' && chars[end + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes;
    Some((body..chars.len()).find(|&end| closes(end)).map_or(chars.len(), |end| end + 1 + hashes))
}

// ---------------------------------------------------------------------------------------------------------------- its own tests

/// Paths that lead into the crate, from the file `table/flush.rs`.
fn internal(source: &str) -> Vec<String> {
    let found = extract(source, &["table".to_owned(), "flush".to_owned()]);
    found.mentions.into_iter().filter(|mention| mention.internal).map(|mention| mention.path.join("::")).collect()
}

/// Messages for a file with the crates `rayon` and `tantivy` at hand, and a macro of `chunk` and one of `exec`.
fn messages(name: &str, source: &str) -> Vec<String> {
    let dependencies = ["rayon".to_owned(), "tantivy".to_owned()];
    let mut macros = exported_macros(
        "chunk/part.rs",
        "#[macro_export]\n#[doc(hidden)] macro_rules! with_part { () => {} } macro_rules! own { () => {} }",
    );
    macros.extend(exported_macros("exec/mod.rs", "#[macro_export] macro_rules! rows { () => {} }"));
    assert_eq!(macros.len(), 2);
    check(name, source, &dependencies, &macros).into_iter().map(|(line, message)| format!("{line}: {message}")).collect()
}

#[test]
fn every_form_of_path_is_read() {
    for (source, want) in [
        ("use crate::types::RowId;", &["types::RowId"][..]),
        ("use crate::{chunk::{self, dead::Dead as D}, exec, types::*};", &["chunk", "chunk::dead::Dead", "exec", "types::*"]),
        ("pub use crate::exec::Rows;", &["exec::Rows"]),
        ("pub(in crate::table) fn f() -> crate::exec::Rows {}", &["table", "exec::Rows"]),
        ("fn f(x: &dyn crate::exec::Run) { <X as crate::plan::T>::f(x) }", &["exec::Run", "plan::T"]),
        ("macro_rules! m { () => { $crate::exec::run() } }", &["exec::run"]),
        ("use super::super::exec::run;", &["exec::run"]),
        ("use super::{Table, super::exec};", &["table::Table", "exec"]),
        ("use self::inner::X;", &["table::flush::inner::X"]),
        (
            "mod tests { use super::*; use super::super::Table; mod deep { use super::super::X; } } use super::Y;",
            &["table::flush::*", "table::Table", "table::flush::X", "table::Y"],
        ),
        ("use chimera::exec::run; let a = 1..crate::types::MAX;", &["exec::run", "types::MAX"]),
        ("use crate as root;", &["*"]),
        ("use crate::*;", &["*"]),
        ("self.exec.run(); Self::new(); x.crate_name(); let crate_ = 1; pub(crate) fn f() {}", &[]),
        ("if let Some(x) = y { crate::exec::run(); }", &["exec::run"]),
    ] {
        assert_eq!(internal(source), want, "{source}");
    }
}

#[test]
fn comments_and_strings_are_not_read() {
    for source in [
        "// crate::exec::run()",
        "/// [`crate::exec`]\nfn f() {}",
        "/* crate::exec /* nested */ crate::exec */",
        "let s = \"crate::exec::run \\\" crate::exec::run\";",
        "let s = r#\"crate::exec \" crate::exec\"#; let b = br\"crate::exec\"; let c = b\"crate::exec::x\";",
        "let q = '\"'; let l: &'a str = \"crate::exec\"; let e = '\\''; let u = '\\u{22}'; let f = \"crate::exec\";",
    ] {
        assert_eq!(internal(source), [""; 0], "{source}");
    }
    assert_eq!(internal("let r#type = 1; let c = '\"'; crate::exec::run(\"a\nb\")"), ["exec::run"]);
}

#[test]
fn lines_are_kept() {
    let source = "/* a\nb */\nlet s = \"x\\\ny\";\nuse crate::{\n    types::A,\n    exec::B,\n};\n";
    assert_eq!(messages("table/flush.rs", source), ["7: 'table' (floor 3) names crate::exec::B (floor 4) above it"]);
}

#[test]
fn the_floors() {
    for (name, source, want) in [
        ("table/mod.rs", "use crate::{chunk::X, types::Y, merge::Z, table::flush};", &[][..]),
        ("lib.rs", "pub use crate::server::run; pub mod types;", &[]),
        ("main.rs", "use chimera::server::run;", &[]),
        ("chunk/disk.rs", "use crate::merge::Job;", &["1: 'chunk' names its neighbour crate::merge::Job on floor 2"]),
        ("types/ids.rs", "use crate::text::Analyzer;", &["1: 'types' (floor 0) names crate::text::Analyzer (floor 1) above it"]),
        ("types.rs", "use crate::text::A;", &["1: 'types' (floor 0) names crate::text::A (floor 1) above it"]),
        ("exec/run.rs", "use super::super::session::S;", &["1: 'exec' (floor 4) names crate::session::S (floor 5) above it"]),
        ("chunk/disk.rs", "use crate::Table;", &["1: crate::Table is no module of a floor; name the module that the item lives in"]),
        ("chunk/disk.rs", "use crate::*;", &["1: crate::* is no module of a floor; name the module that the item lives in"]),
        ("table/mod.rs", "crate::with_part!(x)", &[]),
        ("table/mod.rs", "$crate::rows!(x)", &["1: 'table' (floor 3) names crate::rows (floor 4) above it"]),
        ("util/mod.rs", "", &["1: no floor is known for 'util'; add it to the table in .ci/floors.rs"]),
        ("chunk/mod.rs", "#[path = \"../exec/x.rs\"] mod x;", &["1: #[path] hides where a module lives"]),
    ] {
        assert_eq!(messages(name, source), want, "{name}: {source}");
    }
}

#[test]
fn files_async_and_tantivy() {
    for (name, source, want) in [
        ("storage/real.rs", "use std::fs::File; File::open(p)", &[][..]),
        ("main.rs", "std::fs::read(p)", &["1: std::fs::read: only 'storage' opens files"]),
        ("table/log.rs", "use std::{fs, io};", &["1: std::fs: only 'storage' opens files"]),
        ("table/log.rs", "use ::std::fs::File;", &["1: std::fs::File: only 'storage' opens files"]),
        ("table/log.rs", "mod tests { fn f() { File::open(p) } }", &["1: File::open: only 'storage' opens files"]),
        ("table/log.rs", "tokio::fs::OpenOptions::new()", &["1: tokio::fs::OpenOptions::new: only 'storage' opens files"]),
        ("wire/mod.rs", "async fn f() {}", &[]),
        ("session/mod.rs", "// async\nasync fn f() {}", &["2: 'async' outside of wire, http and server"]),
        ("chunk/words.rs", "use tantivy::Index;", &[]),
        ("exec/run.rs", "use tantivy::Index;", &["1: tantivy::Index: tantivy is named under 'chunk' only"]),
    ] {
        assert_eq!(messages(name, source), want, "{name}: {source}");
    }
}

#[test]
fn what_only_computes() {
    for (name, source, want) in [
        ("merge/policy.rs", "use std::collections::BTreeMap; use crate::types::ChunkId; mod tests { use super::*; }", &[][..]),
        ("merge/queue.rs", "use super::policy::Job; let x = u32::from(a).max(iter::once(1));", &[]),
        ("merge/policy/tests.rs", "use super::super::forecast::F; use std::time::Instant;", &[]),
        ("merge/pool.rs", "use std::sync::Mutex; use rayon::join;", &[]),
        (
            "merge/policy.rs",
            "use std::{fmt, time::Instant};",
            &["1: merge::policy names std::time::Instant; no file, thread, clock or lock there"],
        ),
        (
            "merge/queue/claims.rs",
            "use crate::storage::Dir;",
            &["1: merge::queue names crate::storage::Dir; it may know only types and std"],
        ),
        ("merge/policy.rs", "use super::pool::P;", &["1: merge::policy names crate::merge::pool::P; it may know only types and std"]),
        ("merge/policy.rs", "rayon::join(a, b)", &["1: merge::policy names rayon::join; it may know only types and std"]),
        ("merge/policy.rs", "std::io::stdout()", &["1: merge::policy names std::io::stdout; no file, thread, clock or lock there"]),
    ] {
        assert_eq!(messages(name, source), want, "{name}: {source}");
    }
}

#[test]
fn names_of_crates() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\n# a comment\narc-swap = \"1\"\nclap = { version = \"4\" }\n[dev-dependencies]\nproptest = \"1\"\n[lints.rust]\nx = \"y\"\n";
    assert_eq!(dependencies(manifest), ["arc_swap", "clap"]);
}
