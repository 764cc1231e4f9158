//! The load of the acceptance: many rows through the MySQL protocol into a table that keeps itself at 16 chunks, searched all the while.
//!
//! Ten times a second a MATCH of two words that are each in about 1 % of the rows, and COUNT(*), run on connections of their own. Printed are
//! their latencies, whether the count ever fell, the server's anonymous memory, the time of the load, and the time until the table is
//! compacted. Targets for 10 000 000 rows: RssAnon under 1.5 GB, each answer within 250 ms, the count never falls.
//!
//! `cargo bench --bench load -- rows=200000 connections=2 batch=1000 jobs=1 fan_in=2 cutoff=16 rt_mem_limit=8M`
//! the acceptance: `rows=10000000 rt_mem_limit=128M jobs=1 fan_in=2`, and the same with `jobs=2 fan_in=5`

mod support;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use support::client::{Answer, Client};
use support::server::Server;
use support::{Zipf, argument, percentile, report, text_argument};

/// Time between two questions of a kind.
const EVERY: Duration = Duration::from_millis(100);
/// What an answer may take.
const LATENCY_MAX_MS: f64 = 250.0;
/// Anonymous memory that the server may have.
const ANONYMOUS_MAX_MB: f64 = 1500.0;

fn main() {
    let rows = argument("rows", 200_000);
    let (connections, batch) = (argument("connections", 2), argument("batch", 1000));
    let (jobs, fan_in, cutoff) = (argument("jobs", 1), argument("fan_in", 2), argument("cutoff", 16));
    let limit = text_argument("rt_mem_limit").unwrap_or_else(|| "8M".into());
    let zipf = Zipf::new();
    let lines = [
        "binlog_flush = 2".to_owned(),
        format!("parallel_chunk_merges = {jobs}"),
        format!("merge_chunks_per_job = {fan_in}"),
        format!("rt_mem_limit = {limit}"),
    ];
    let server = Server::start(&lines);
    let mut client = server.connect();
    client.query(&format!("CREATE TABLE t (name text, type int) optimize_cutoff='{cutoff}'")).expect("a table");
    let (first, second) = zipf.pair_in(0.01);
    let search = format!("SELECT id, weight() FROM t WHERE MATCH('{first} {second}') LIMIT 20");
    println!("{rows} rows, {connections} connections, parallel_chunk_merges {jobs}, merge_chunks_per_job {fan_in}, cutoff {cutoff}");
    println!("search: {search}");

    let (done, next, peak) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let start = Instant::now();
    let (loaded, searches, counts) = std::thread::scope(|scope| {
        let searches = scope.spawn(|| ask(server.connect(), &search, &done, |_| ()));
        let counts = scope.spawn(|| {
            let mut before = 0;
            ask(server.connect(), "SELECT COUNT(*) FROM t", &done, move |answer| {
                let count = first_number(&answer);
                assert!(count >= before, "the count fell from {before} to {count}");
                before = count;
            })
        });
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                peak.fetch_max(server.anonymous_bytes(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let loaders: Vec<_> = (0..connections).map(|_| scope.spawn(|| load(server.connect(), &zipf, &next, rows, batch))).collect();
        for loader in loaders {
            loader.join().expect("a loader ends well");
        }
        let loaded = start.elapsed();
        wait_until_compacted(&mut client);
        done.store(true, Ordering::Relaxed);
        (loaded, searches.join().expect("every search is answered"), counts.join().expect("every count is answered and none falls"))
    });
    let compacted = start.elapsed();
    assert_eq!(client.number("SELECT COUNT(*) FROM t").expect("a count"), rows);

    report("load", loaded.as_secs_f64(), "s", "");
    report("rows a second", rows as f64 / loaded.as_secs_f64(), "rows/s", "");
    report("from the start until compacted", compacted.as_secs_f64(), "s", "");
    report("CPU of the server, a row", server.cpu().as_secs_f64() * 1e6 / rows as f64, "µs", "");
    report("disk chunks at the end", Server::status(&mut client, "t", "disk_chunks") as f64, "", &format!("≤ {cutoff}"));
    report("merges", Server::status(&mut client, "t", "merges") as f64, "", "");
    let (flushed, merged) = (Server::status(&mut client, "t", "flushed_bytes"), Server::status(&mut client, "t", "merged_bytes"));
    report("bytes written to chunks ÷ bytes flushed", (flushed + merged) as f64 / flushed.max(1) as f64, "", "");
    report("statements that waited for room in RAM", Server::status(&mut client, "t", "write_waits") as f64, "", "");
    report("anonymous memory of the server, peak", peak.into_inner() as f64 / 1e6, "MB", "< 1500");
    let mut failures = 0;
    for (what, times) in [("MATCH of two words", &searches), ("COUNT(*)", &counts)] {
        println!("{what}: {} answers", times.len());
        for (name, share) in [("median", 0.5), ("95 of 100", 0.95), ("99 of 100", 0.99), ("longest", 1.0)] {
            report(&format!("    {name}"), percentile(times, share), "ms", if share == 1.0 { "≤ 250" } else { "" });
        }
        failures += u32::from(percentile(times, 1.0) > LATENCY_MAX_MS);
    }
    let memory = Server::status(&mut client, "t", "ram_bytes") as f64 / 1e6;
    report("RAM that the table counts at the end", memory, "MB", "");
    if failures > 0 {
        println!("{failures} of the targets for latency missed");
    }
    println!("limits: {LATENCY_MAX_MS} ms, {ANONYMOUS_MAX_MB} MB");
}

/// Sends batches until all rows are there.
fn load(mut client: Client, zipf: &Zipf, next: &AtomicU64, rows: u64, batch: u64) {
    loop {
        let from = next.fetch_add(batch, Ordering::Relaxed);
        if from >= rows {
            return;
        }
        let to = (from + batch).min(rows);
        // The next statement is made while the server works on this one, as far as the client's core allows.
        let text = zipf.insert("t", from + 1..to + 1);
        assert_eq!(client.query(&text).expect("an answer"), Answer::Done(to - from));
    }
}

/// Asks again and again until `done`; milliseconds of each answer. A question that is late is not made up for.
fn ask(mut client: Client, text: &str, done: &AtomicBool, mut check: impl FnMut(Answer)) -> Vec<f64> {
    let mut times = Vec::new();
    while !done.load(Ordering::Relaxed) {
        let start = Instant::now();
        let answer = client.query(text).expect("an answer");
        let took = start.elapsed();
        check(answer);
        times.push(took.as_secs_f64() * 1e3);
        std::thread::sleep(EVERY.saturating_sub(took));
    }
    times
}

fn first_number(answer: &Answer) -> u64 {
    let Answer::Rows(rows) = answer else { panic!("rows expected") };
    rows.first().and_then(|row| row[0].as_deref()?.parse().ok()).unwrap_or(0)
}

/// Returns when nothing is merged or flushed any more.
fn wait_until_compacted(client: &mut Client) {
    let mut calm = 0;
    while calm < 5 {
        let busy = Server::status(client, "t", "optimizing") + Server::status(client, "t", "ram_bytes_retired");
        calm = if busy == 0 { calm + 1 } else { 0 };
        std::thread::sleep(Duration::from_millis(100));
    }
}
