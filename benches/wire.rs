//! What the way through the socket costs: one-row INSERTs and `SELECT 1`, one statement after the other on one connection.
//!
//! The server is the release binary; its CPU time is read from outside, so that the client's own work is not in it. What a one-row INSERT
//! costs beyond the figure of `ingest` is protocol, session and system calls.
//!
//! `cargo bench --bench wire -- statements=20000`

mod support;

use std::time::Instant;

use support::client::Client;
use support::server::Server;
use support::{Zipf, argument, percentile, report};

fn main() {
    let statements = argument("statements", 20_000);
    let zipf = Zipf::new();
    let server = Server::start(&["binlog_flush = 2".into(), "auto_optimize = 0".into()]);
    let mut client = server.connect();
    client.query("CREATE TABLE t (name text, type int)").expect("a table");
    let inserts: Vec<String> = (1..=statements).map(|id| zipf.insert("t", id..id + 1)).collect();
    run(&server, &mut client, "INSERT of one row", inserts.iter().map(String::as_str));
    run(&server, &mut client, "SELECT 1", std::iter::repeat_n("SELECT 1", statements as usize));
    let by_id: Vec<String> = (0..statements).map(|n| format!("SELECT type FROM t WHERE id={}", n * 7919 % statements + 1)).collect();
    run(&server, &mut client, "SELECT by id", by_id.iter().map(String::as_str));
}

fn run<'a>(server: &Server, client: &mut Client, what: &str, texts: impl ExactSizeIterator<Item = &'a str>) {
    let count = texts.len() as f64;
    let (before, start) = (server.cpu(), Instant::now());
    let mut times = Vec::with_capacity(texts.len());
    for text in texts {
        let start = Instant::now();
        client.query(text).expect("an answer");
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let wall = start.elapsed().as_secs_f64();
    // What was left to do in the background belongs to the statements.
    let mut cpu = server.cpu();
    loop {
        std::thread::sleep(std::time::Duration::from_millis(200));
        let now = server.cpu();
        if now - cpu <= std::time::Duration::from_millis(10) {
            break;
        }
        cpu = now;
    }
    report(&format!("{what}: CPU of the server"), (server.cpu() - before).as_secs_f64() * 1e6 / count, "µs", "");
    report(&format!("{what}: a second, one connection"), count / wall, "/s", "");
    report(&format!("{what}: round trip, median"), percentile(&times, 0.5), "µs", "");
    report(&format!("{what}: round trip, 99 of 100"), percentile(&times, 0.99), "µs", "");
}
