//! `chimera load` and `chimera tune` against a running server, both as their users start them.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use chimera::client::{Address, Client};

const BINARY: &str = env!("CARGO_BIN_EXE_chimera");

/// A server on a folder of its own; ended with the test.
struct Server {
    process: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = folder.path().join("chimera.conf");
        let data = folder.path().join("data");
        let text = format!("searchd {{\n listen = 127.0.0.1:{port}:mysql\n data_dir = {}\n}}\n", data.display());
        std::fs::File::create(&config).unwrap().write_all(text.as_bytes()).unwrap();
        let process = Command::new(BINARY).arg("--config").arg(&config).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Server { process, port, folder };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(60), "no answer on port {port}");
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    fn run(&self, command: &str, arguments: &[&str]) -> Output {
        Command::new(BINARY).arg(command).arg(format!("--port={}", self.port)).args(arguments).output().unwrap()
    }

    fn ask(&self, sql: &str) -> Vec<Vec<String>> {
        let address = Address { host: "127.0.0.1".to_owned(), port: self.port };
        Client::connect(&address).unwrap().rows(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const INIT: &str = "--init=CREATE TABLE test(id bigint, name text, type int) optimize_cutoff='16'";
const LOAD: &str = "--load=INSERT INTO test(id,name,type) VALUES(<increment>,'<text/10/100>',<int/1/100>)";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_load_puts_the_same_rows_there_each_time_and_tells_what_it_did() {
    let server = Server::start();
    let line = ["--cache-gen-workers=5", "--drop", "--batch-size=100", "--threads=2", "--total=2000", INIT, LOAD, "--wait", "--json"];
    let names = |server: &Server| server.ask("SELECT id, name, type FROM test WHERE id IN (1, 1000, 2000) ORDER BY id ASC");
    let mut seen = Vec::new();
    for _ in 0..2 {
        let done = server.run("load", &line);
        assert!(done.status.success(), "{}", text(&done.stderr));
        let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!((report["rows"].as_u64(), report["errors"].as_u64(), report["table"].as_str()), (Some(2000), Some(0), Some("test")));
        assert!(report["compacted_seconds"].as_f64() >= report["load_seconds"].as_f64());
        assert_eq!(server.ask("SELECT COUNT(*), MIN(id), MAX(id), MIN(type), MAX(type) FROM test"), [["2000", "1", "2000", "1", "100"]]);
        seen.push(names(&server));
    }
    assert_eq!(seen[0].len(), 3);
    assert_eq!(seen[0], seen[1]);
    assert!((10..=100).contains(&seen[0][0][1].split(' ').count()));
}

#[test]
fn a_grid_and_loads_side_by_side() {
    let server = Server::start();
    let select = "--load=SELECT id FROM test WHERE type=<int/1/100> LIMIT 1";
    let line = ["--drop", "--threads=1,2", "--batch-size=50,100", "--total=500", INIT, LOAD, "--quiet", "--column=kind/write"];
    let side = ["--together", "--total=20", select, "--column=kind/read"];
    let done = server.run("load", &[&line[..], &side[..]].concat());
    assert!(done.status.success(), "{}", text(&done.stderr));
    let lines: Vec<String> = text(&done.stdout).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 9, "{lines:?}");
    assert!(lines[0].starts_with("process;table;threads;batch_size;") && lines[0].ends_with(";kind"));
    assert!(lines[1].starts_with("1;test;1;50;500;500;0;") && lines[2].starts_with("2;test;1;1;20;20;0;"), "{lines:?}");
    assert!(lines[7].starts_with("1;test;2;100;500;500;0;") && lines[7].ends_with(";write"), "{lines:?}");
}

#[test]
fn what_the_server_refuses_is_shown_and_counted() {
    let server = Server::start();
    let twice = "--load=INSERT INTO test(id,name,type) VALUES(<increment/1/10>,'<string/3/5>',<boolean>)";
    let done = server.run("load", &["--drop", "--total=30", INIT, twice]);
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(text(&done.stderr).lines().filter(|line| line.starts_with("error: ")).count(), 5, "{}", text(&done.stderr));
    let report = text(&done.stdout);
    assert!(report.contains("10 of 30 rows") && report.contains("errors             20"), "{report}");
    let done = server.run("load", &["--total=1", "--init=CREATE TABLE", LOAD]);
    assert!(text(&done.stderr).contains(", for: CREATE TABLE"), "{}", text(&done.stderr));
    let done = server.run("load", &["--total=1", "--load=INSERT INTO test VALUES(<incremental>)"]);
    assert!(text(&done.stderr).contains("<incremental> is no pattern"), "{}", text(&done.stderr));
    let words = server.path().join("words.txt");
    std::fs::write(&words, "green tea").unwrap();
    let load = format!("--load=REPLACE INTO test(id,name,type) VALUES(<increment>,'<text/{{{}}}/2/2>',1)", words.display());
    assert!(server.run("load", &["--total=10", &load]).status.success());
    assert_eq!(server.ask("SELECT COUNT(*) FROM test WHERE MATCH('green|tea')"), [["10"]]);
}

#[test]
fn an_interrupt_ends_with_a_report() {
    let server = Server::start();
    let mut load = Command::new(BINARY);
    load.args(["load", "--drop", "--batch-size=10", "--total=100000000", INIT, LOAD, "--wait"]).arg(format!("--port={}", server.port));
    let process = load.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    loop {
        let address = Address { host: "127.0.0.1".to_owned(), port: server.port };
        let count =
            Client::connect(&address).unwrap().rows("SELECT COUNT(*) FROM test").ok().and_then(|rows| rows[0][0].parse::<u64>().ok());
        if count.is_some_and(|count| count > 0) {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "no row came");
        std::thread::sleep(Duration::from_millis(20));
    }
    let process_id = rustix::process::Pid::from_child(&process);
    rustix::process::kill_process(process_id, rustix::process::Signal::INT).unwrap();
    let done = process.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("interrupted"), "{}", text(&done.stdout));
}

#[test]
fn settings_are_played_for_a_table() {
    let server = Server::start();
    assert!(server.run("load", &["--drop", "--batch-size=100", "--total=500", INIT, LOAD]).status.success());
    let tuned = server.run("tune", &["--from-table=test", "--rate=10000", "--minutes=2", "--slots=1", "--fanin=2,unset", "--mem-limit=16"]);
    assert!(tuned.status.success(), "{}", text(&tuned.stderr));
    let table = text(&tuned.stdout);
    assert!(table.contains("cutoff 16\n") && table.contains("optimize_cutoff = 16"), "{table}");
    let missing = server.run("tune", &["--from-table=none", "--rate=1"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).starts_with("error: "), "{}", text(&missing.stderr));
}
