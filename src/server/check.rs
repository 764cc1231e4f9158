//! `chimera --check`: what would keep a server with this configuration from starting, found out without starting one.
//!
//! Addresses are bound and let go again; folders are looked at, and where they are missing, whether they could be made. Nothing is made. Where a
//! server already runs on the data folder, its addresses are its own and are not tried.

use std::net::{TcpListener, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::fs::Access;

use crate::config::{Address, Config};
use crate::storage::{DirLock, Disk, LockError};

/// Bytes of a Unix socket's path that the system takes, without the zero at its end.
const SOCKET_PATH_MAX: usize = 107;

/// What a look at a configuration has found, a line each.
#[derive(Debug, Default, PartialEq)]
pub struct Findings {
    /// A server would not start.
    pub problems: Vec<String>,
    /// What was not looked at, and why.
    pub notes: Vec<String>,
}

/// Looks at everything that [`super::Server::start`] needs of the system.
pub(super) fn check(config: &Config, disk: &dyn Disk) -> Findings {
    let mut found = Findings::default();
    let mut folder =
        |key: &str, dir: &Path| found.problems.extend(missing_or_closed(disk, dir).map(|why| format!("{key} = {}: {why}", dir.display())));
    let settings = &config.settings;
    folder("data_dir", &settings.data_dir);
    if let (true, Some(path)) = (settings.binlog_enabled, &settings.binlog_path) {
        folder("binlog_path", path);
    }
    for (key, path) in [("log", &config.log), ("query_log", &config.query_log), ("pid_file", &config.pid_file)] {
        if let Some(path) = path {
            found.problems.extend(unwritable(disk, path).map(|why| format!("{key} = {}: {why}", path.display())));
        }
    }
    // Making the lock's file would be writing: a folder without one has no server.
    if disk.exists(&settings.data_dir.join("chimera.lock")) {
        let dir = settings.data_dir.display();
        match DirLock::acquire(&settings.data_dir) {
            Ok(_) => {}
            Err(LockError::Held { holder, .. }) => {
                found.notes.push(format!("data_dir = {dir}: a server runs there (process {holder}), so addresses are not tried"));
                return found;
            }
            Err(error @ LockError::Io { .. }) => found.problems.push(format!("data_dir = {dir}: {error}")),
        }
    }
    // Kept to the end, so that an address that is listed twice is found.
    let mut bound = Vec::new();
    for listener in &config.listeners {
        match try_to_listen(&listener.address, disk) {
            Ok(socket) => bound.push(socket),
            Err(why) => found.problems.push(format!("listen = {listener}: {why}")),
        }
    }
    found
}

/// Why a folder can neither be used nor made.
fn missing_or_closed(disk: &dyn Disk, dir: &Path) -> Option<String> {
    if disk.is_dir(dir) {
        return closed(dir).map(|why| format!("the folder cannot be written: {why}"));
    }
    if disk.exists(dir) {
        return Some("it is a file, not a folder".to_owned());
    }
    // Missing folders are made, those above them too.
    let above = dir.ancestors().skip(1).map(|a| if a.as_os_str().is_empty() { Path::new(".") } else { a }).find(|a| disk.exists(a))?;
    if !disk.is_dir(above) {
        return Some(format!("it cannot be made: '{}' is a file, not a folder", above.display()));
    }
    closed(above).map(|why| format!("it cannot be made: folder '{}' cannot be written: {why}", above.display()))
}

/// Why a file can neither be written nor made. Its folder is not made for it.
fn unwritable(disk: &dyn Disk, path: &Path) -> Option<String> {
    if disk.is_dir(path) {
        return Some("it is a folder, not a file".to_owned());
    }
    if disk.exists(path) {
        return rustix::fs::access(path, Access::WRITE_OK).err().map(|e| format!("the file cannot be written: {}", system(e)));
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match disk.is_dir(folder) {
        true => closed(folder).map(|why| format!("it cannot be made: folder '{}' cannot be written: {why}", folder.display())),
        false => Some(format!("there is no folder '{}'", folder.display())),
    }
}

/// Why nothing can be made in a folder.
fn closed(dir: &Path) -> Option<String> {
    rustix::fs::access(dir, Access::WRITE_OK | Access::EXEC_OK).err().map(system)
}

fn system(error: rustix::io::Errno) -> String {
    std::io::Error::from(error).to_string()
}

/// The socket that a server would listen on; None where trying would leave something behind.
fn try_to_listen(address: &Address, disk: &dyn Disk) -> Result<Option<TcpListener>, String> {
    match address {
        Address::Tcp { host, port } => {
            let addresses: Vec<_> = (host.as_str(), *port).to_socket_addrs().map_err(|e| format!("'{host}' is no address: {e}"))?.collect();
            // The one that a server would choose.
            let first = addresses.iter().find(|a| a.is_ipv4()).or(addresses.first()).ok_or_else(|| format!("'{host}' has no address"))?;
            TcpListener::bind(first).map(Some).map_err(|e| super::listen::in_words(&e))
        }
        Address::Unix(path) => {
            if path.as_os_str().len() > SOCKET_PATH_MAX {
                return Err(format!("the path is longer than {SOCKET_PATH_MAX} bytes"));
            }
            if disk.exists(path) {
                return match UnixStream::connect(path) {
                    Ok(_) => Err("the address is in use, perhaps by another server".to_owned()),
                    // Left behind by a server that was killed; the next one removes it.
                    Err(e) if e.kind() == std::io::ErrorKind::ConnectionRefused && !disk.is_dir(path) => Ok(None),
                    Err(e) => Err(format!("something else has the path: {e}")),
                };
            }
            unwritable(disk, path).map_or(Ok(None), Err)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Listener, Protocol};
    use crate::storage::RealDisk;
    use std::os::unix::net::UnixListener;

    fn config(folder: &Path) -> Config {
        let mut config = Config::builtin();
        config.settings.data_dir = folder.join("not/yet/there");
        config.listeners.clear();
        config
    }

    fn tcp(host: &str, port: u16) -> Listener {
        Listener { address: Address::Tcp { host: host.into(), port }, protocol: Protocol::Mysql, vip: false }
    }

    fn unix(path: &Path) -> Listener {
        Listener { address: Address::Unix(path.to_owned()), protocol: Protocol::Mysql, vip: false }
    }

    #[test]
    fn what_can_be_made_is_no_problem_and_is_not_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = config(folder.path());
        config.log = Some(folder.path().join("a.log"));
        config.pid_file = Some(folder.path().join("a.pid"));
        config.listeners = vec![tcp("127.0.0.1", 0), unix(&folder.path().join("a.sock"))];
        assert_eq!(check(&config, &RealDisk), Findings::default());
        assert_eq!(RealDisk.list(folder.path()).expect("listed").len(), 0);
    }

    #[test]
    fn each_problem_is_a_line_that_names_key_and_value() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        RealDisk.create(&file).and_then(|mut f| f.write(b"x")).expect("written");
        let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = taken.local_addr().expect("bound").port();
        let socket = folder.path().join("used.sock");
        let _waiting = UnixListener::bind(&socket).expect("bound");
        let mut config = config(folder.path());
        config.settings.data_dir = file.join("data");
        config.settings.binlog_path = Some(file.clone());
        config.log = Some(folder.path().join("nosuch/a.log"));
        config.query_log = Some(folder.path().to_owned());
        config.pid_file = Some(folder.path().join("nosuch/a.pid"));
        config.listeners =
            vec![tcp("127.0.0.1", port), tcp("no such host", 1), unix(&socket), unix(&folder.path().join("nosuch/a.sock")), unix(&file)];
        let found = check(&config, &RealDisk);
        let expected = [
            ("data_dir = ", "it cannot be made: '"),
            ("binlog_path = ", "it is a file, not a folder"),
            ("log = ", "there is no folder '"),
            ("query_log = ", "it is a folder, not a file"),
            ("pid_file = ", "there is no folder '"),
            ("listen = 127.0.0.1:", "the address is in use"),
            ("listen = no such host:1", "'no such host' is no address: "),
            ("listen = ", "the address is in use"),
            ("listen = ", "there is no folder '"),
        ];
        for ((key, part), line) in expected.iter().zip(&found.problems) {
            assert!(line.starts_with(key) && line.contains(part) && !line.contains('\n'), "{line}");
        }
        // A plain file refuses a connection as a socket that was left behind does; whether it is one shows when the server removes it.
        assert_eq!(found.problems.len(), expected.len(), "{found:?}");
    }

    #[test]
    fn an_address_listed_twice_and_a_folder_in_use() {
        let folder = tempfile::tempdir().expect("a folder");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
        let mut config = config(folder.path());
        config.listeners = vec![tcp("127.0.0.1", free), tcp("127.0.0.1", free)];
        let found = check(&config, &RealDisk);
        assert!(matches!(found.problems.as_slice(), [line] if line.contains("in use")), "{found:?}");
        config.settings.data_dir = folder.path().to_owned();
        let _lock = DirLock::acquire(folder.path()).expect("free");
        let found = check(&config, &RealDisk);
        assert!(found.problems.is_empty() && found.notes.len() == 1, "{found:?}");
    }
}
