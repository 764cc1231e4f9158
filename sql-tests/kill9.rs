//! The real program, killed at seeded moments while clients load, update, delete, flush and merge; and what else may happen to its files.
//!
//! Writers work on ranges of ids of their own, each with an oracle: the rows that were acknowledged, and for the statement that was under way
//! when the server died the rows as they would be after it. After the start either of the two must be there, whole: a statement is one
//! commit. `CHIMERA_KILLS` sets the number of kills, `CHIMERA_SEED` where the random numbers begin; both are told when a test fails.

#[allow(dead_code, reason = "each test program uses its part")]
mod client;
mod damage;
mod ddl;
mod load;
mod random;
mod readers;
#[allow(dead_code, reason = "each test program uses its part")]
mod server;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use client::{Answer, Client};
use ddl::Maker;
use load::{Operator, Writer};
use random::Random;
use server::{Place, Server};

/// Kills in an ordinary run of the tests, half of them on a disk and half in memory; `CHIMERA_KILLS=200` for the whole proof.
const KILLS: u64 = 30;
/// One round in so many ends with SIGTERM instead, and one looks for files that nobody names.
const ORDERLY_EVERY: u64 = 13;
const FILES_EVERY: u64 = 7;

/// Everything small, so that flushes and merges happen all the time.
const SMALL: &[&str] = &[
    "binlog_flush = 2",
    "rt_mem_limit = 128K",
    "binlog_max_log_size = 1M",
    "auto_optimize = 1",
    "optimize_cutoff = 2",
    "parallel_chunk_merges = 2",
    "merge_chunks_per_job = 3",
    "diskchunk_flush_write_timeout = -1",
    "threads = 2",
    "shutdown_timeout = 5s",
];

fn number_of(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

/// Where syncs take their time: kills come while files are on their way.
#[test]
fn what_was_acknowledged_survives_kills_on_a_disk() {
    survive_kills(&Place::new(SMALL));
}

/// Where nothing waits: many flushes and merges before each kill.
#[test]
fn what_was_acknowledged_survives_kills_in_memory() {
    survive_kills(&Place::in_memory(SMALL));
}

fn survive_kills(place: &Place) {
    let (kills, seed) = (number_of("CHIMERA_KILLS", KILLS) / 2, number_of("CHIMERA_SEED", 20_261_130));
    let mut server = place.start();
    let mut client = server.client();
    for (table, storage) in [("t", "rowwise"), ("u", "columnar")] {
        client.done(&format!("CREATE TABLE {table} {} engine='{storage}'", load::COLUMNS));
    }
    let mut writers: Vec<Writer> = (0..3).map(|i| Writer::new("t", i * 1_000 + 1, false)).collect();
    writers.push(Writer::new("u", 1, true));
    let mut operators = ["t", "u"].map(Operator::new);
    let mut maker = Maker::default();
    let started = Instant::now();
    let mut round = 0;
    let mut killed = 0;
    while killed < kills {
        round += 1;
        let mut random = Random::new(seed + round);
        let until_kill = Duration::from_millis(random.between(20, 400));
        let orderly = round % ORDERLY_EVERY == 0;
        std::thread::scope(|scope| {
            for (i, writer) in writers.iter_mut().enumerate() {
                let (client, random) = (server.client(), Random::new(seed + round * 1_000 + i as u64));
                scope.spawn(move || writer.work(client, random));
            }
            for (i, operator) in operators.iter_mut().enumerate() {
                let (client, random) = (server.client(), Random::new(seed + round * 1_000 + 900 + i as u64));
                scope.spawn(move || operator.work(client, random));
            }
            let (client, random) = (server.client(), Random::new(seed + round * 1_000 + 950));
            let maker = &mut maker;
            scope.spawn(move || maker.work(client, random));
            std::thread::sleep(until_kill);
            if orderly {
                server.stop();
            } else {
                server.kill();
                killed += 1;
            }
        });
        server = place.start();
        let trouble = |what: String| -> ! {
            let log = place.log_end();
            panic!("round {round}, seed {seed} (CHIMERA_SEED={seed} CHIMERA_KILLS={}): {what}\nthe log ends with\n{log}", 2 * kills)
        };
        let mut client = server.client();
        for writer in &mut writers {
            writer.verify(&mut client, &mut random).unwrap_or_else(|what| trouble(what));
        }
        maker.verify(&mut client).unwrap_or_else(|what| trouble(what));
        for table in ["t", "u"] {
            let expected: usize = writers.iter().filter(|w| w.table() == table).map(Writer::alive).sum();
            let counted = client.rows(&format!("SELECT COUNT(*) FROM {table}"));
            if counted != [[Some(expected.to_string())]] {
                trouble(format!("COUNT(*) of '{table}' is {counted:?}, {expected} rows are alive"));
            }
        }
        if round % FILES_EVERY == 0 {
            wait_until_only_named_files(&place.data()).unwrap_or_else(|what| trouble(what));
        }
        let log = fs::read_to_string(place.log()).expect("a log");
        if let Some(line) = log.lines().find(|l| l.contains("panicked") || l.contains("not available")) {
            trouble(format!("the log says: {line}"));
        }
    }
    check_tables(&mut server.client());
    server.stop();
    wait_until_only_named_files(&place.data()).expect("after an orderly stop");
    let statements: u64 = writers.iter().map(Writer::acknowledged).sum::<u64>() + maker.acknowledged;
    println!("{killed} kills in {round} rounds, {:.1?}: {statements} writing statements acknowledged", started.elapsed());
    for operator in &operators {
        println!("{}", operator.summary());
        assert!(operator.flushes > 0 && operator.merges > 0, "nothing was flushed or merged: {}", operator.summary());
    }
}

fn check_tables(client: &mut Client) {
    for table in ["t", "u"] {
        let rows = client.rows(&format!("CHECK TABLE {table}"));
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!(rows[0][3].as_deref(), Some("OK"), "{rows:?}");
    }
}

/// Waits for merges and readers to end, then demands that each file in the data folder is named by the manifest of its table.
fn wait_until_only_named_files(data: &Path) -> Result<(), String> {
    let started = Instant::now();
    loop {
        let strangers = strangers(data);
        if strangers.is_empty() {
            return Ok(());
        }
        if started.elapsed() > Duration::from_secs(20) {
            return Err(format!("files that no manifest names: {strangers:?}"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Files and folders that no manifest names.
fn strangers(data: &Path) -> Vec<String> {
    let mut strangers = Vec::new();
    let names = |dir: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(dir).into_iter().flatten();
        entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect()
    };
    for table in names(data) {
        if table == "chimera.lock" {
            continue;
        }
        let dir = data.join(&table);
        let Some(named) = named_by_manifest(&dir) else {
            strangers.push(table);
            continue;
        };
        strangers.extend(names(&dir).difference(&named).map(|name| format!("{table}/{name}")));
        strangers
            .extend(named.difference(&names(&dir)).filter(|n| *n != "binlog").map(|name| format!("{table}/{name} is named and missing")));
    }
    strangers
}

fn named_by_manifest(dir: &Path) -> Option<BTreeSet<String>> {
    let text = fs::read_to_string(dir.join("manifest")).ok()?;
    let manifest: serde_json::Value = serde_json::from_str(text.lines().next()?).ok()?;
    let mut named = BTreeSet::from(["manifest".to_owned(), "binlog".to_owned()]);
    for chunk in manifest["chunks"].as_array()? {
        named.insert(format!("chunk.{}", chunk["id"]));
        named.extend(chunk["dead"].as_u64().map(|n| format!("dead.{n}")));
        named.extend(chunk["attrs"].as_array()?.iter().map(|n| format!("attrs.{n}")));
    }
    if let Some(n) = manifest["ram"].as_u64() {
        named.insert(format!("ram.{n}"));
    }
    Some(named)
}

#[test]
fn a_second_server_is_told_who_has_the_folder() {
    let place = Place::new(&[]);
    let server = place.start();
    let second = server::command(&place.second_conf()).output().expect("the program starts");
    let said = String::from_utf8_lossy(&second.stderr).into_owned() + &place.log_end();
    assert!(!second.status.success(), "two servers share a folder");
    assert!(said.contains(&format!("in use by process {}", server.pid())), "{said}");
    assert_eq!(server.client().rows("SELECT 1"), [[Some("1".to_owned())]]);
    server.stop();
    place.start().stop();
}

/// Rows of a table in several chunks, as many as make a merge last; ids begin behind `first`.
fn fill(client: &mut Client, table: &str, first: u64, chunks: u64, rows: u64) {
    for chunk in 0..chunks {
        let values: Vec<String> = (1..=rows).map(|i| load::values(first + chunk * rows + i, 1, 7)).collect();
        client.done(&format!("INSERT INTO {table} {} VALUES {}", load::NAMES, values.join(",")));
        client.done(&format!("FLUSH RAMCHUNK {table}"));
    }
}

#[test]
fn sigterm_while_chunks_are_merged() {
    let place = Place::new(&["auto_optimize = 0", "shutdown_timeout = 5s", "parallel_chunk_merges = 2", "merge_chunks_per_job = 3"]);
    let mut random = Random::new(number_of("CHIMERA_SEED", 20_261_130));
    let mut server = place.start();
    server.client().done(&format!("CREATE TABLE t {}", load::COLUMNS));
    let (mut rows, mut stopped_merges) = (0, 0);
    for round in 0..6 {
        fill(&mut server.client(), "t", rows, 6, 1_000);
        rows += 6_000;
        std::thread::scope(|scope| {
            let mut client = server.client();
            scope.spawn(move || {
                // Done, told of the stop, or cut off: all are right.
                if let Ok(Answer::Error(code, text)) = client.one("OPTIMIZE TABLE t OPTION sync=1, cutoff=1") {
                    assert!(load::says_stop(code, &text), "{code} {text}");
                }
            });
            std::thread::sleep(Duration::from_millis(random.between(1, 60)));
            let asked = Instant::now();
            server.terminate();
            let status = server.wait();
            assert!(status.success(), "round {round}: {status}\n{}", place.log_end());
            assert!(asked.elapsed() < Duration::from_secs(6), "round {round}: the stop took {:?}", asked.elapsed());
        });
        wait_until_only_named_files(&place.data()).expect("after an orderly stop");
        server = place.start();
        let mut client = server.client();
        assert_eq!(client.rows("SELECT COUNT(*) FROM t"), [[Some(rows.to_string())]]);
        let chunks = client.rows("SHOW TABLE t STATUS LIKE 'disk_chunks'")[0][1].clone().expect("a number");
        stopped_merges += u64::from(chunks != "1");
    }
    println!("{stopped_merges} of 6 stops came before the last merge");
    let mut client = server.client();
    client.done("OPTIMIZE TABLE t OPTION sync=1, cutoff=1");
    assert_eq!(client.rows("SHOW TABLE t STATUS LIKE 'disk_chunks'"), [[Some("disk_chunks".to_owned()), Some("1".to_owned())]]);
    assert_eq!(client.rows("SELECT COUNT(*) FROM t WHERE MATCH('common')"), [[Some(rows.to_string())]]);
    server.stop();
}

/// A row that sits in RAM while OPTIMIZE runs is there after a kill: the manifest that the merge writes must not speak for it.
#[test]
fn rows_in_ram_while_merged_survive() {
    let place = Place::new(&["auto_optimize = 0", "diskchunk_flush_write_timeout = -1"]);
    let server = place.start();
    let mut client = server.client();
    client.done(&format!("CREATE TABLE t {}", load::COLUMNS));
    fill(&mut client, "t", 0, 3, 500);
    client.done(&format!("INSERT INTO t {} VALUES {}", load::NAMES, load::values(9_001, 3, 4)));
    client.done("DELETE FROM t WHERE id=17");
    client.done("UPDATE t SET n=99 WHERE id=18");
    client.done("OPTIMIZE TABLE t OPTION sync=1, cutoff=1");
    client.done(&format!("REPLACE INTO t {} VALUES {}", load::NAMES, load::values(19, 5, 6)));
    server.kill();
    let server = place.start();
    let mut client = server.client();
    assert_eq!(client.rows("SELECT COUNT(*) FROM t"), [[Some("1500".to_owned())]]);
    assert_eq!(client.rows("SELECT id FROM t WHERE MATCH('w9001x3')"), [[Some("9001".to_owned())]]);
    assert!(client.rows("SELECT id FROM t WHERE id=17").is_empty() && client.rows("SELECT id FROM t WHERE MATCH('w17x1')").is_empty());
    assert_eq!(client.rows("SELECT n FROM t WHERE id=18"), [[Some("99".to_owned())]]);
    assert_eq!(client.rows("SELECT id FROM t WHERE MATCH('w19x5')"), [[Some("19".to_owned())]]);
    assert!(client.rows("SELECT id FROM t WHERE MATCH('w19x1')").is_empty());
    server.stop();
}

/// A kill list that arrives while a chunk is being saved is there after a kill.
#[test]
fn deletes_during_a_flush_survive() {
    let place = Place::new(&["auto_optimize = 0", "diskchunk_flush_write_timeout = -1"]);
    for round in 0..5u64 {
        let server: Server = place.start();
        let mut client = server.client();
        let table = format!("t{round}");
        client.done(&format!("CREATE TABLE {table} {}", load::COLUMNS));
        let values: Vec<String> = (1..=5_000).map(|id| load::values(id, 1, 7)).collect();
        client.done(&format!("INSERT INTO {table} {} VALUES {}", load::NAMES, values.join(",")));
        let mut gone = Vec::new();
        std::thread::scope(|scope| {
            let (mut flusher, table) = (server.client(), table.clone());
            let flush = scope.spawn(move || flusher.done(&format!("FLUSH RAMCHUNK {table}")));
            while !flush.is_finished() {
                let id = gone.len() as u64 * 3 + 1;
                if id > 5_000 {
                    break;
                }
                assert_eq!(client.done(&format!("DELETE FROM t{round} WHERE id={id}")), 1);
                gone.push(id);
            }
        });
        server.kill();
        let server = place.start();
        let mut client = server.client();
        let left = 5_000 - gone.len();
        assert!(!gone.is_empty(), "the flush was over before the first DELETE");
        assert_eq!(client.rows(&format!("SELECT COUNT(*) FROM {table}")), [[Some(left.to_string())]], "{} were deleted", gone.len());
        assert_eq!(client.rows(&format!("SELECT COUNT(*) FROM {table} WHERE MATCH('common')")), [[Some(left.to_string())]]);
        for id in &gone {
            assert!(client.rows(&format!("SELECT id FROM {table} WHERE id={id}")).is_empty(), "round {round}: {id} is back");
        }
        server.stop();
    }
}
