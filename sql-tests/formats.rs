//! Data folders that earlier programs left behind: today's opens them and answers what the one that wrote them did.
//!
//! A folder of `sql-tests/fixtures` is one version of the formats on disk: `data` is the data folder of a server that was killed, with chunks,
//! dead rows, a saved RAM chunk and a binary log to replay; `make.sql` says what it was made with; `answers.sql` has questions and what the
//! maker answered, in the form of the case files of `golden`. A copy is opened, asked, merged, and opened again.
//!
//! `CHIMERA_FIXTURE=format-1 cargo test --test formats` makes data and answers of a folder anew with today's program. That is right while no
//! release has written the format; after that a change of a format is a new version and a new folder, made the same way with a copy of the two
//! files, and the old one stays as it is.

#[allow(dead_code, reason = "each test program uses its part")]
mod cases;
#[allow(dead_code, reason = "each test program uses its part")]
mod client;
#[allow(dead_code, reason = "each test program uses its part")]
mod server;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cases::{Block, Case, CaseFile};
use client::{Answer, Client};
use server::Place;

/// Nothing is flushed, saved or merged by itself, so that rows stay where the fixture has them.
const QUIET: &[&str] =
    &["auto_optimize = 0", "diskchunk_flush_write_timeout = -1", "rt_flush_period = 0", "binlog_flush = 2", "threads = 2"];
/// Bytes that a folder may have.
const BYTES_MAX: u64 = 100_000;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sql-tests/fixtures")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("copied");
        }
    }
}

fn bytes_of(path: &Path) -> u64 {
    if !path.is_dir() {
        return fs::metadata(path).expect("a file").len();
    }
    fs::read_dir(path).expect("a folder").map(|entry| bytes_of(&entry.expect("an entry").path())).sum()
}

/// The answer as case files write it.
fn answer(client: &mut Client, case: &Case) -> String {
    let text = String::from_utf8(case.bytes()).expect("text");
    let cell = |cell: &Option<String>| match cell.as_deref() {
        None => "NULL".to_owned(),
        Some("") => "''".to_owned(),
        Some(text) => text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n"),
    };
    match client.one(&text) {
        Ok(Answer::Done(1)) => "1 row affected".to_owned(),
        Ok(Answer::Done(n)) => format!("{n} rows affected"),
        Ok(Answer::Error(code, text)) => format!("error {code}: {text}"),
        Ok(Answer::Rows(rows)) if rows.is_empty() => "no rows".to_owned(),
        Ok(Answer::Rows(rows)) => rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join("\t")).collect::<Vec<_>>().join("\n"),
        Err(error) => panic!("{text}: {error}"),
    }
}

fn cases(file: &mut CaseFile) -> impl Iterator<Item = &mut Case> {
    file.blocks.iter_mut().filter_map(|block| match block {
        Block::Case(case) => Some(case),
        Block::Prose(_) => None,
    })
}

/// Makes data and answers of a folder with today's program.
fn make(folder: &Path) {
    let statements = fs::read_to_string(folder.join("make.sql")).expect("statements");
    let place = Place::new(QUIET);
    let server = place.start();
    let mut client = server.client();
    for line in statements.lines().filter(|line| !line.starts_with("--")) {
        client.done(&cases::expanded(line));
    }
    let path = folder.join("answers.sql");
    let mut questions = CaseFile::read(&path);
    for case in cases(&mut questions) {
        case.answer = answer(&mut client, case);
    }
    server.kill();
    questions.write(&path);
    let data = folder.join("data");
    if data.exists() {
        fs::remove_dir_all(&data).expect("removed");
    }
    copy(&place.data(), &data);
    // It names a process that is no more.
    fs::remove_file(data.join("chimera.lock")).expect("the lock");
    let bytes = bytes_of(&data);
    assert!(bytes <= BYTES_MAX, "{bytes} bytes are more than a fixture may have");
}

/// Asks everything; gives what is answered otherwise.
fn ask(client: &mut Client, folder: &Path, when: &str, wanted: impl Fn(&Case) -> bool) -> String {
    let path = folder.join("answers.sql");
    let mut differences = String::new();
    for case in cases(&mut CaseFile::read(&path)).filter(|case| wanted(case)) {
        let got = answer(client, case);
        if got != case.answer {
            let place = format!("{}:{}", path.display(), case.line);
            let _ = writeln!(differences, "{place}, {when}: {}\n expected\n{}\n got\n{got}", case.statement, case.answer);
        }
    }
    differences
}

/// Opens a copy of a folder's data and holds the answers against those of its maker, as it was found and once it was rewritten.
fn check(folder: &Path) {
    let place = Place::new(QUIET);
    copy(&folder.join("data"), &place.data());
    let server = place.start();
    let mut client = server.client();
    let mut differences = ask(&mut client, folder, "as found", |_| true);
    let tables: Vec<String> = client.rows("SHOW TABLES").into_iter().filter_map(|row| row.into_iter().next().flatten()).collect();
    assert!(!tables.is_empty());
    for table in &tables {
        let said = format!("{:?}", client.one(&format!("CHECK TABLE {table}")));
        assert!(said.contains("OK"), "{table}: {said}");
        client.done(&format!("FLUSH RAMCHUNK {table}"));
        client.done(&format!("OPTIMIZE TABLE {table} OPTION sync=1, cutoff=1"));
    }
    // Dead rows are gone now, and with them their part in the weights.
    let unweighed = |case: &Case| !case.statement.contains("weight()");
    differences += &ask(&mut client, folder, "merged", unweighed);
    server.stop();
    let server = place.start();
    differences += &ask(&mut server.client(), folder, "merged and opened again", unweighed);
    server.stop();
    assert!(differences.is_empty(), "{differences}{}", place.log_end());
}

#[test]
fn data_of_every_format_opens_and_answers_as_it_did() {
    let anew = std::env::var("CHIMERA_FIXTURE").ok();
    let mut folders: Vec<PathBuf> = fs::read_dir(fixtures()).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    if let Some(name) = &anew {
        make(folders.iter().find(|f| f.ends_with(name)).unwrap_or_else(|| panic!("there is no folder {name}")));
    }
    assert!(!folders.is_empty());
    folders.iter().for_each(|folder| check(folder));
}
