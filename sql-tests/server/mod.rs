//! The real program as a process, in a folder of its own.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::client::Client;

/// Longest time that a start or an orderly end may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with a configuration and data; kept for a look at it where the test fails.
pub struct Place {
    dir: Option<tempfile::TempDir>,
    pub path: PathBuf,
}

impl Place {
    /// `searchd` are lines of the section, beside the address, the data folder and the log.
    pub fn new(searchd: &[&str]) -> Place {
        Place::below(&std::env::temp_dir(), searchd)
    }

    /// The same in a file system that lives in memory, where the machine has one.
    pub fn in_memory(searchd: &[&str]) -> Place {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Place::below(memory, searchd) } else { Place::new(searchd) }
    }

    fn below(parent: &Path, searchd: &[&str]) -> Place {
        let dir = tempfile::tempdir_in(parent).expect("a folder");
        let path = dir.path().to_owned();
        let place = Place { dir: Some(dir), path };
        fs::create_dir(place.data()).expect("a folder");
        place.configure("chimera.conf", &place.socket(), searchd);
        place
    }

    fn configure(&self, name: &str, socket: &Path, searchd: &[&str]) {
        let mut conf = format!(
            "searchd {{\n  listen = {}:mysql\n  data_dir = {}\n  log = {}\n",
            socket.display(),
            self.data().display(),
            self.log().display()
        );
        for line in searchd {
            conf.push_str(&format!("  {line}\n"));
        }
        conf.push_str("}\n");
        fs::write(self.path.join(name), conf).expect("written");
    }

    /// Another configuration for the same data, with another address.
    pub fn second_conf(&self) -> PathBuf {
        self.configure("second.conf", &self.path.join("second.sock"), &[]);
        self.path.join("second.conf")
    }

    pub fn conf(&self) -> PathBuf {
        self.path.join("chimera.conf")
    }

    pub fn socket(&self) -> PathBuf {
        self.path.join("mysql.sock")
    }

    pub fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    pub fn log(&self) -> PathBuf {
        self.path.join("chimera.log")
    }

    /// The last lines of the log, for messages of failed tests.
    pub fn log_end(&self) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// Starts a server and waits until it answers.
    pub fn start(&self) -> Server {
        let child = command(&self.conf()).spawn().expect("the program starts");
        let mut server = Server { child, socket: self.socket() };
        let started = Instant::now();
        loop {
            match Client::unix(&self.socket()) {
                Ok(_) => return server,
                Err(error) => {
                    if let Some(status) = server.child.try_wait().expect("a child of ours") {
                        panic!("the server ended with {status} at start: {}\n{}", server.said(), self.log_end());
                    }
                    assert!(started.elapsed() < PATIENCE, "the server does not answer: {error}\n{}", self.log_end());
                }
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(dir) = self.dir.take()
        {
            eprintln!("the folder of the failed test is kept: {}", dir.keep().display());
        }
    }
}

/// The program with a configuration.
pub fn command(conf: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chimera"));
    command.arg("--config").arg(conf).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// A running server. Dropped, it is killed.
pub struct Server {
    child: Child,
    socket: PathBuf,
}

impl Server {
    pub fn client(&self) -> Client {
        Client::unix(&self.socket).expect("a server that answers")
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// kill -9.
    pub fn kill(mut self) {
        self.child.kill().expect("a child of ours");
        self.child.wait().expect("a child of ours");
    }

    /// SIGTERM, without waiting.
    pub fn terminate(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a child of ours");
    }

    /// Waits for the process to end by itself.
    pub fn wait(mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                return status;
            }
            assert!(started.elapsed() < PATIENCE, "the server does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// An orderly stop, which must end well.
    pub fn stop(self) {
        self.terminate();
        let status = self.wait();
        assert!(status.success(), "an orderly stop ends with {status}");
    }

    /// Whether the process has not ended.
    pub fn lives(&mut self) -> bool {
        self.child.try_wait().expect("a child of ours").is_none()
    }

    /// What the process wrote to standard error. Only for one that has ended.
    fn said(&mut self) -> String {
        let mut text = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut text);
        }
        text
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
