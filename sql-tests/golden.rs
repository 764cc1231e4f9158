//! Every case file in every weather: the same statements over rows that sit in RAM, in several chunks, in one chunk, after a restart and
//! after a crash must give the one answer that the file has.
//!
//! ```text
//! -- A replaced row is found by its new words only.
//! REPLACE INTO t (id, title) VALUES (1, 'green tea')
//! ----
//! 1 row affected
//! ```
//!
//! A blank line ends a case. Answers: values with tabs between, one row a line; `no rows`; `N rows affected`; `error 1064: text`; results of
//! several statements in one text have a line `+` between them. In values, `\t \n \\` stand for tab, line feed and backslash, `''` for the
//! empty text. Where an answer is prefixed by `headings`, the first line has the column names.
//!
//! Comments that steer the case below them:
//!
//! | comment | effect |
//! | --- | --- |
//! | `-- ram only` | not run in other weathers: it shows storage |
//! | `-- rowwise only` | run in columnar weathers, but its answer is not looked at: it tells how attributes are kept |
//! | `-- same session` | no weather before it: it needs what the session remembers |
//! | `-- headings` | the answer begins with the names of the columns |
//! | `-- bytes` | `\xNN` in the statement is a byte |
//! | `-- one chunk is enough` | (anywhere) the file need not see two chunks in the weather `flushed` |
//!
//! `@{1..3:(#,'w#')}` in a statement becomes `(1,'w1'),(2,'w2'),(3,'w3')`; `@{5*ab}` becomes `ababababab`.
//!
//! `CHIMERA_BLESS=1` writes the answers of the weather RAM into the files, `CHIMERA_BLESS=new` only where there is none yet; what changed is
//! read in review. `CHIMERA_CASE=name` runs one file.

mod cases;
#[allow(dead_code, reason = "each test program uses its part")]
mod random;
mod random_queries;
mod weather;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cases::{Block, CaseFile};
use weather::{House, Weather};

fn case_files() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql-tests/cases");
    let only = std::env::var("CHIMERA_CASE").ok();
    let wanted = |p: &Path| only.as_ref().is_none_or(|name| p.file_stem().is_some_and(|s| s.to_str() == Some(name)));
    let entries = std::fs::read_dir(dir).expect("the folder of cases").map(|e| e.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|x| x == "sql") && wanted(p)).collect();
    files.sort();
    assert!(!files.is_empty(), "there are no case files");
    files
}

/// Runs every file in one weather; panics with all differences.
fn run(weather: Weather) {
    let bless = std::env::var("CHIMERA_BLESS").ok();
    if bless.is_some() && weather != Weather::Ram {
        return;
    }
    let mut report = String::new();
    let mut failed = 0;
    for path in case_files() {
        let mut file = CaseFile::read(&path);
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let differences = run_file(&mut file, &name, weather, bless.as_deref());
        if bless.is_some() {
            file.write(&path);
        } else if !differences.is_empty() {
            failed += 1;
            report.push_str(&differences);
        }
    }
    assert!(failed == 0, "{failed} case files answer otherwise in the weather '{}':\n{report}", weather.name());
}

fn run_file(file: &mut CaseFile, name: &str, weather: Weather, bless: Option<&str>) -> String {
    let mut report = String::new();
    let mut house = House::new(weather);
    for block in &mut file.blocks {
        let Block::Case(case) = block else { continue };
        if case.ram_only && weather != Weather::Ram {
            continue;
        }
        let trouble = if case.same_session { Ok(()) } else { house.before(&case.statement) };
        if let Err(trouble) = trouble {
            let _ = writeln!(report, "\n{name}.sql:{}: the weather is not what it says: {trouble}\n  before {}", case.line, case.statement);
        }
        let got = house.run(&case.bytes(), case.headings);
        if let Err(trouble) = house.after(&case.statement, &got) {
            let _ = writeln!(report, "\n{name}.sql:{}: the weather is not what it says: {trouble}\n  after {}", case.line, case.statement);
        }
        match bless {
            Some("new") if !case.answer.is_empty() => {}
            Some(_) => {
                case.answer = got;
                continue;
            }
            None => {}
        }
        if got != case.answer && !(case.rowwise_only && weather.is_columnar()) {
            let (statement, answer) = (&case.statement, indented(&case.answer));
            let _ = writeln!(
                report,
                "\n{name}.sql:{} [{}]\n  {statement}\n expected\n{answer}\n got\n{}",
                case.line,
                weather.name(),
                indented(&got)
            );
        }
    }
    if weather == Weather::Flushed && !file.one_chunk && house.chunks_max() < 2 {
        let _ =
            writeln!(report, "\n{name}.sql: no statement saw two disk chunks; write in two statements, or say `-- one chunk is enough`");
    }
    house.close();
    report
}

fn indented(text: &str) -> String {
    text.lines().map(|l| format!("    {l}")).collect::<Vec<_>>().join("\n")
}

#[test]
fn rows_in_ram() {
    run(Weather::Ram);
}

#[test]
fn rows_in_several_chunks() {
    run(Weather::Flushed);
}

#[test]
fn rows_in_one_chunk() {
    run(Weather::Merged);
}

#[test]
fn rows_in_several_chunks_by_columns() {
    run(Weather::FlushedColumns);
}

#[test]
fn rows_in_one_chunk_by_columns() {
    run(Weather::MergedColumns);
}

#[test]
fn after_a_restart() {
    run(Weather::Restarted);
}

#[test]
fn after_a_kill() {
    run(Weather::Killed);
}

#[test]
fn after_a_kill_over_chunks() {
    run(Weather::KilledOverChunks);
}
