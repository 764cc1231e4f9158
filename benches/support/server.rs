//! The program itself as a child, on a data folder of its own: its CPU time and memory are the server's and nobody else's.

use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::client::Client;

/// A running server. Dropped, it is killed, and its folder goes.
pub struct Server {
    child: Child,
    /// Of the MySQL protocol.
    pub port: u16,
    dir: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts the release binary with these lines in its `searchd` section, and waits until it answers.
    pub fn start(lines: &[String]) -> Server {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        let mut text = format!("searchd {{\n    listen = 127.0.0.1:{port}:mysql\n    data_dir = {}\n", dir.path().join("data").display());
        text.push_str(&format!("    log = {}\n", dir.path().join("log").display()));
        lines.iter().for_each(|line| text.push_str(&format!("    {line}\n")));
        text.push_str("}\n");
        let config = dir.path().join("chimera.conf");
        std::fs::write(&config, text).expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_chimera"));
        let child = command.arg("--config").arg(&config).stdin(Stdio::null()).spawn().expect("the server starts");
        let mut server = Server { child, port, dir };
        let until = Instant::now() + Duration::from_secs(20);
        while let Err(error) = Client::connect(port) {
            if let Ok(Some(status)) = server.child.try_wait() {
                panic!("the server has ended: {status}");
            }
            assert!(Instant::now() < until, "the server does not answer: {error}");
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    /// A new connection.
    pub fn connect(&self) -> Client {
        Client::connect(self.port).expect("a connection")
    }

    /// The file with the server's messages.
    pub fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    /// CPU time of the server so far, user and system, to a hundredth of a second.
    pub fn cpu(&self) -> Duration {
        let stat = self.file("stat").expect("the server's figures");
        // The name in parentheses may hold spaces; user and system ticks are the 12th and 13th field behind it.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        let ticks: u64 = fields[11..13].iter().map(|f| f.parse::<u64>().expect("ticks")).sum();
        Duration::from_millis(ticks * 10)
    }

    /// Bytes of anonymous memory now.
    pub fn anonymous_bytes(&self) -> u64 {
        let status = self.file("status").expect("the server's figures");
        let line = status.lines().find_map(|l| l.strip_prefix("RssAnon:"));
        line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).expect("RssAnon") << 10
    }

    fn file(&self, name: &str) -> io::Result<String> {
        std::fs::read_to_string(format!("/proc/{}/{name}", self.child.id()))
    }

    /// A figure of SHOW TABLE STATUS.
    pub fn status(client: &mut Client, table: &str, name: &str) -> u64 {
        let super::client::Answer::Rows(rows) = client.query(&format!("SHOW TABLE {table} STATUS")).expect("a status") else {
            panic!("no rows of a status");
        };
        let line = rows.iter().find(|row| row[0].as_deref() == Some(name));
        line.and_then(|row| row[1].as_deref()?.parse().ok()).unwrap_or_else(|| panic!("no figure '{name}' in the status"))
    }
}
