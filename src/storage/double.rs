//! A file system in memory that forgets, as a machine does when the power goes.
//!
//! Every call that changes something is one operation. [`CrashDisk::crash_at`] names the operation before which the power goes; from
//! then on every call fails. [`CrashDisk::survivor`] gives the disk that the next start finds: with all unsynced bytes and names, with
//! none of them, or with all but the second half of the last write.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::disk::{Disk, Syncing, WriteFile};
use crate::types::Bytes;

/// What of the unsynced a crash leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All of it: the process was killed, the machine lived.
    All,
    /// Nothing: the power went.
    Nothing,
    /// All but the second half of the last write.
    LastWriteTorn,
}

/// The double. Clones share one disk.
#[derive(Clone, Default)]
pub struct CrashDisk {
    state: Arc<Mutex<State>>,
}

struct State {
    nodes: Vec<Node>,
    operations: u64,
    crash_at: Option<u64>,
    /// File and length before the last write.
    last_write: Option<(usize, usize)>,
    /// Remaining bytes before writes fail with "no space"; None = endless.
    space: Option<u64>,
    label: u64,
    recorded: Option<Vec<Recorded>>,
}

/// Contents are shared between a disk and what was recorded of it, and copied when one of them changes.
#[derive(Clone)]
enum Node {
    File { now: Arc<Vec<u8>>, synced: Arc<Vec<u8>> },
    Dir { now: Arc<BTreeMap<String, usize>>, synced: Arc<BTreeMap<String, usize>> },
}

/// A disk as it was just before an operation, with the label that was in force.
struct Recorded {
    label: u64,
    nodes: Vec<Node>,
    last_write: Option<(usize, usize)>,
}

const ROOT: usize = 0;

impl Default for State {
    fn default() -> State {
        State { nodes: vec![Node::empty_dir()], operations: 0, crash_at: None, last_write: None, space: None, label: 0, recorded: None }
    }
}

impl Node {
    fn empty_dir() -> Node {
        Node::Dir { now: Arc::default(), synced: Arc::default() }
    }
}

fn absent(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("{}: no such file or folder", path.display()))
}

fn wrong_kind(path: &Path) -> io::Error {
    io::Error::other(format!("{}: a folder where a file was expected, or the other way round", path.display()))
}

fn names(path: &Path) -> Vec<String> {
    path.components()
        .filter_map(|c| match c {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect()
}

impl CrashDisk {
    /// An empty disk that never crashes.
    pub fn new() -> CrashDisk {
        CrashDisk::default()
    }

    /// Lets the power go before operation `n`, counted from 0 since the disk was made.
    pub fn crash_at(&self, n: u64) {
        self.state.lock().crash_at = Some(n);
    }

    /// Lets writes fail once `bytes` more have been written; None lifts the limit.
    pub fn set_space(&self, bytes: Option<u64>) {
        self.state.lock().space = bytes;
    }

    /// Changes the bytes of a file under the feet of whoever has it open, as a failing disk does.
    pub fn overwrite(&self, path: &Path, bytes: &[u8]) {
        let mut state = self.state.lock();
        if let Some(file) = state.find(path)
            && let Node::File { now, synced } = &mut state.nodes[file]
        {
            *now = Arc::new(bytes.to_vec());
            *synced = now.clone();
        }
    }

    /// Operations so far.
    pub fn operations(&self) -> u64 {
        self.state.lock().operations
    }

    /// Whether the power has gone.
    pub fn crashed(&self) -> bool {
        let state = self.state.lock();
        state.crash_at.is_some_and(|n| state.operations > n)
    }

    /// The disk that the next start finds.
    pub fn survivor(&self, keep: Keep) -> CrashDisk {
        let state = self.state.lock();
        survivor(&state.nodes, state.last_write, keep)
    }

    /// From now on remembers the disk before each operation, for [`CrashDisk::recorded`]: a crash at every operation of one run.
    pub fn record(&self) {
        self.state.lock().recorded.get_or_insert_default();
    }

    /// Marks what is recorded from now on, so that a test knows what was acknowledged by then.
    pub fn set_label(&self, label: u64) {
        self.state.lock().label = label;
    }

    /// Number of operations recorded.
    pub fn recorded_count(&self) -> usize {
        self.state.lock().recorded.as_ref().map_or(0, Vec::len)
    }

    /// Label and disk of a crash just before recorded operation `n`. None where so many were not recorded.
    pub fn recorded(&self, n: usize, keep: Keep) -> Option<(u64, CrashDisk)> {
        let state = self.state.lock();
        let then = state.recorded.as_ref()?.get(n)?;
        Some((then.label, survivor(&then.nodes, then.last_write, keep)))
    }
}

fn survivor(nodes: &[Node], last_write: Option<(usize, usize)>, keep: Keep) -> CrashDisk {
    let mut nodes = nodes.to_vec();
    for node in &mut nodes {
        match (node, keep) {
            (Node::File { now, synced }, Keep::Nothing) => *now = synced.clone(),
            (Node::Dir { now, synced }, Keep::Nothing) => *now = synced.clone(),
            (Node::File { now, synced }, _) => *synced = now.clone(),
            (Node::Dir { now, synced }, _) => *synced = now.clone(),
        }
    }
    if let (Keep::LastWriteTorn, Some((file, before))) = (keep, last_write)
        && let Node::File { now, synced } = &mut nodes[file]
    {
        let length = before + now.len().saturating_sub(before) / 2;
        Arc::make_mut(now).truncate(length);
        *synced = now.clone();
    }
    let state = State { nodes, ..State::default() };
    CrashDisk { state: Arc::new(Mutex::new(state)) }
}

impl State {
    fn operation(&mut self) -> io::Result<()> {
        self.alive()?;
        let n = self.operations;
        self.operations += 1;
        if let Some(recorded) = &mut self.recorded {
            recorded.push(Recorded { label: self.label, nodes: self.nodes.clone(), last_write: self.last_write });
        }
        if self.crash_at.is_some_and(|at| n >= at) {
            return Err(io::Error::other("the power is gone"));
        }
        Ok(())
    }

    fn alive(&self) -> io::Result<()> {
        match self.crash_at {
            Some(n) if self.operations > n => Err(io::Error::other("the power is gone")),
            _ => Ok(()),
        }
    }

    fn find(&self, path: &Path) -> Option<usize> {
        names(path).iter().try_fold(ROOT, |at, name| match &self.nodes[at] {
            Node::Dir { now, .. } => now.get(name).copied(),
            Node::File { .. } => None,
        })
    }

    /// The entries of the folder that `path` lies in, and its last name.
    fn parent(&mut self, path: &Path) -> io::Result<(&mut BTreeMap<String, usize>, String)> {
        let mut all = names(path);
        let last = all.pop().ok_or_else(|| wrong_kind(path))?;
        let mut at = ROOT;
        for name in &all {
            at = match &self.nodes[at] {
                Node::Dir { now, .. } => *now.get(name).ok_or_else(|| absent(path))?,
                Node::File { .. } => return Err(wrong_kind(path)),
            };
        }
        match &mut self.nodes[at] {
            Node::Dir { now, .. } => Ok((Arc::make_mut(now), last)),
            Node::File { .. } => Err(wrong_kind(path)),
        }
    }

    fn file(&self, path: &Path) -> io::Result<&[u8]> {
        self.alive()?;
        match &self.nodes[self.find(path).ok_or_else(|| absent(path))?] {
            Node::File { now, .. } => Ok(now),
            Node::Dir { .. } => Err(wrong_kind(path)),
        }
    }

    fn new_file(&mut self, path: &Path) -> io::Result<usize> {
        let fresh = self.nodes.len();
        let (entries, name) = self.parent(path)?;
        entries.insert(name, fresh);
        self.nodes.push(Node::File { now: Arc::default(), synced: Arc::default() });
        Ok(fresh)
    }

    fn sync_file(&mut self, file: usize) -> io::Result<()> {
        self.operation()?;
        if let Node::File { now, synced } = &mut self.nodes[file] {
            *synced = now.clone();
        }
        // What was synced is not torn.
        if self.last_write.is_some_and(|(f, _)| f == file) {
            self.last_write = None;
        }
        Ok(())
    }
}

impl Disk for CrashDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let mut state = self.state.lock();
        state.operation()?;
        // A new node even where the name exists: the old content stays what the old name holds until the folder is synced.
        let file = state.new_file(path)?;
        Ok(Box::new(DoubleFile { disk: self.clone(), file, path: path.to_owned() }))
    }

    fn append(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let mut state = self.state.lock();
        let file = match state.find(path) {
            Some(file) => file,
            None => {
                state.operation()?;
                state.new_file(path)?
            }
        };
        Ok(Box::new(DoubleFile { disk: self.clone(), file, path: path.to_owned() }))
    }

    fn map(&self, path: &Path) -> io::Result<Bytes> {
        self.read(path).map(Bytes::from)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.state.lock().file(path).map(|f| f.to_vec())
    }

    fn len(&self, path: &Path) -> io::Result<u64> {
        self.state.lock().file(path).map(|f| f.len() as u64)
    }

    fn exists(&self, path: &Path) -> bool {
        self.state.lock().find(path).is_some()
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>> {
        let state = self.state.lock();
        state.alive()?;
        match &state.nodes[state.find(dir).ok_or_else(|| absent(dir))?] {
            Node::Dir { now, .. } => Ok(now.keys().map(PathBuf::from).collect()),
            Node::File { .. } => Err(wrong_kind(dir)),
        }
    }

    fn is_dir(&self, path: &Path) -> bool {
        let state = self.state.lock();
        state.find(path).is_some_and(|n| matches!(state.nodes[n], Node::Dir { .. }))
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.state.lock();
        state.operation()?;
        let mut at = ROOT;
        for name in names(dir) {
            let fresh = state.nodes.len();
            let Node::Dir { now, .. } = &mut state.nodes[at] else { return Err(wrong_kind(dir)) };
            at = *Arc::make_mut(now).entry(name).or_insert(fresh);
            if at == fresh {
                state.nodes.push(Node::empty_dir());
            }
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state.lock();
        state.operation()?;
        let (entries, name) = state.parent(from)?;
        let node = entries.remove(&name).ok_or_else(|| absent(from))?;
        let (entries, name) = state.parent(to)?;
        entries.insert(name, node);
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state.lock();
        state.operation()?;
        let (entries, name) = state.parent(path)?;
        entries.remove(&name).map(|_| ()).ok_or_else(|| absent(path))
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        self.remove_file(dir)
    }

    fn truncate(&self, path: &Path, len: u64) -> io::Result<()> {
        let mut state = self.state.lock();
        state.operation()?;
        let file = state.find(path).ok_or_else(|| absent(path))?;
        if let Node::File { now, synced } = &mut state.nodes[file] {
            Arc::make_mut(now).resize(len as usize, 0);
            *synced = now.clone();
        }
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.state.lock();
        state.operation()?;
        let node = state.find(dir).ok_or_else(|| absent(dir))?;
        match &mut state.nodes[node] {
            Node::Dir { now, synced } => *synced = now.clone(),
            Node::File { .. } => return Err(wrong_kind(dir)),
        }
        Ok(())
    }

    fn free_bytes(&self, _path: &Path) -> io::Result<u64> {
        Ok(self.state.lock().space.unwrap_or(u64::MAX))
    }

    fn beside(&self, _name: &str, work: Box<dyn FnOnce() + Send>) {
        // At once, as in `sync_behind`.
        work();
    }
}

struct DoubleFile {
    disk: CrashDisk,
    file: usize,
    path: PathBuf,
}

impl WriteFile for DoubleFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.disk.state.lock();
        state.operation()?;
        let fitting = state.space.map_or(bytes.len(), |s| bytes.len().min(s as usize));
        if let Some(space) = &mut state.space {
            *space -= fitting as u64;
        }
        if let Node::File { now, .. } = &mut state.nodes[self.file] {
            let before = now.len();
            Arc::make_mut(now).extend_from_slice(&bytes[..fitting]);
            state.last_write = Some((self.file, before));
        }
        if fitting < bytes.len() {
            return Err(io::Error::new(io::ErrorKind::StorageFull, format!("{}: no space left on device", self.path.display())));
        }
        Ok(())
    }

    fn start_writeback(&mut self) -> io::Result<()> {
        self.disk.state.lock().alive()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.disk.state.lock().sync_file(self.file)
    }

    fn sync_behind(mut self: Box<Self>) -> Syncing {
        // At once, so that operations come in one order and a crash at the n-th is the same crash each time.
        Syncing::ended(self.sync())
    }

    fn sync_handle(&self) -> io::Result<Box<dyn Fn() -> io::Result<()> + Send + Sync>> {
        let (disk, file) = (self.disk.clone(), self.file);
        Ok(Box::new(move || disk.state.lock().sync_file(file)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::write_durably;
    use super::*;

    #[test]
    fn a_durable_write_is_old_or_new_at_every_operation() {
        for keep in [Keep::All, Keep::Nothing, Keep::LastWriteTorn] {
            for n in 0.. {
                let disk = CrashDisk::new();
                disk.create_dir(Path::new("/d")).expect("no crash yet");
                disk.sync_dir(Path::new("/")).expect("no crash yet");
                write_durably(&disk, Path::new("/d/f"), b"old").expect("no crash yet");
                let before = disk.operations();
                disk.crash_at(before + n);
                let done = write_durably(&disk, Path::new("/d/f"), b"new and longer").is_ok();
                let found = disk.survivor(keep).read(Path::new("/d/f")).expect("one of them");
                assert!(found == b"new and longer" || !done && found == b"old", "{keep:?} at {n}: {found:?}");
                if done {
                    break;
                }
            }
        }
    }

    #[test]
    fn unsynced_names_and_bytes_go() {
        let disk = CrashDisk::new();
        let mut file = disk.append(Path::new("/log")).expect("new");
        file.write(b"one").expect("write");
        assert!(!disk.survivor(Keep::Nothing).exists(Path::new("/log")));
        disk.sync_dir(Path::new("/")).expect("sync");
        file.sync().expect("sync");
        file.write(b"two!").expect("write");
        assert_eq!(disk.survivor(Keep::Nothing).read(Path::new("/log")).expect("there"), b"one");
        assert_eq!(disk.survivor(Keep::LastWriteTorn).read(Path::new("/log")).expect("there"), b"onetw");
        assert_eq!(disk.survivor(Keep::All).read(Path::new("/log")).expect("there"), b"onetwo!");
    }
}
