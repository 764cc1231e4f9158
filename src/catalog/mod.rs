//! Floor 4: name → table. Create, drop, what is on disk at start.
//!
//! ```text
//! data_dir/chimera.lock
//! data_dir/<table>/manifest …            a table; its folder is its name
//! data_dir/.dropped-<uuid>-<n>/          a table on its way out: swept at the next start
//! data_dir/.creating-<uuid>/             a table that was never acknowledged: swept too
//! ```
//!
//! Invariants: a folder under a table's name is a whole table; a name is taken from the moment CREATE has it until DROP has answered;
//! a table that cannot be opened keeps its name and says why, and the others go on.
//!
//! Lock order: `tables` comes before everything of a table, and is never held while one is opened, flushed or closed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::{Mutex, RwLock};

use crate::table::{MANIFEST_NAME, Surroundings, Table, TableError};
use crate::types::{Schema, SharedSettings, TableSettings};

/// Longest table name, in bytes: with its suffixes it must fit into a file name.
const NAME_BYTES_MAX: usize = 128;

/// All tables of a data folder.
pub struct Catalog {
    around: Surroundings,
    dir: PathBuf,
    tables: RwLock<BTreeMap<String, Entry>>,
    /// Held by CREATE and DROP, which touch the data folder.
    changing: Mutex<()>,
    /// Numbers dropped folders, and makes uuids of one run differ.
    counter: AtomicU64,
}

#[derive(Clone)]
enum Entry {
    Open(Arc<Table>),
    Unavailable(String),
}

/// What a name stands for.
pub enum Lookup {
    /// A live table.
    Open(Arc<Table>),
    /// No such table.
    Missing,
    /// It is on disk but could not be opened; says why.
    Unavailable(String),
}

impl Catalog {
    /// Opens every table under the data folder, which exists and is locked by the caller. A table that cannot be opened is logged and
    /// stays unavailable.
    pub fn open(around: Surroundings) -> Result<Catalog, TableError> {
        let dir = around.settings.load().data_dir.clone();
        let disk = around.disk.clone();
        let fail = |e: std::io::Error| TableError::Failed(format!("data folder: {e}"));
        let mut tables = BTreeMap::new();
        for name in disk.list(&dir).map_err(fail)? {
            let path = dir.join(&name);
            let Some(name) = name.to_str() else { continue };
            if name.starts_with(".dropped-") || name.starts_with(".creating-") {
                if let Err(error) = disk.remove_dir(&path) {
                    tracing::warn!("{error}");
                }
                continue;
            }
            if !disk.is_dir(&path) {
                continue;
            }
            if !disk.exists(&path.join(MANIFEST_NAME)) {
                // A folder with a table's files in it was a table; anything else is somebody else's.
                let files = disk.list(&path).map_err(fail)?;
                let is_tables = |f: &PathBuf| f.to_str().is_some_and(|f| f == "binlog" || f.starts_with("chunk."));
                if check_name(name).is_ok() && files.iter().any(is_tables) {
                    let reason = format!("manifest missing: {}", path.join(MANIFEST_NAME).display());
                    tracing::error!("table '{name}' is not available: {reason}");
                    tables.insert(name.to_owned(), Entry::Unavailable(reason));
                }
                continue;
            }
            let opened = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Table::open(around.clone(), path, name)));
            let entry = match opened {
                Ok(Ok(table)) => Entry::Open(table),
                Ok(Err(error)) => Entry::Unavailable(error.to_string()),
                Err(_) => Entry::Unavailable("internal error while opening it, see the log".into()),
            };
            if let Entry::Unavailable(reason) = &entry {
                tracing::error!("table '{name}' is not available: {reason}");
            }
            tables.insert(name.to_owned(), entry);
        }
        Ok(Catalog { around, dir, tables: RwLock::new(tables), changing: Mutex::new(()), counter: AtomicU64::new(0) })
    }

    /// The table called `name` (folded).
    pub fn get(&self, name: &str) -> Lookup {
        match self.tables.read().get(name) {
            Some(Entry::Open(table)) => Lookup::Open(table.clone()),
            Some(Entry::Unavailable(reason)) => Lookup::Unavailable(reason.clone()),
            None => Lookup::Missing,
        }
    }

    /// Names in order, those that could not be opened included.
    pub fn list(&self) -> Vec<String> {
        self.tables.read().keys().cloned().collect()
    }

    /// The open tables, in order of name.
    pub fn open_tables(&self) -> Vec<Arc<Table>> {
        let tables = self.tables.read();
        let open = tables.values().filter_map(|e| if let Entry::Open(t) = e { Some(t.clone()) } else { None });
        open.collect()
    }

    /// The server's settings.
    pub fn settings(&self) -> &SharedSettings {
        &self.around.settings
    }

    /// What tables share: pool, disk, throttle.
    pub fn surroundings(&self) -> &Surroundings {
        &self.around
    }

    /// Makes a table. Durable when it returns.
    pub fn create(&self, name: &str, schema: Schema, settings: TableSettings) -> Result<Arc<Table>, TableError> {
        check_name(name)?;
        let _alone = self.changing.lock();
        if self.tables.read().contains_key(name) {
            return Err(TableError::Failed(format!("table '{name}' already exists")));
        }
        let disk = &*self.around.disk;
        let fail = |e: std::io::Error| TableError::Failed(format!("data folder: {e}"));
        let (uuid, dir) = (self.new_uuid(), self.dir.join(name));
        if disk.exists(&dir) {
            return Err(TableError::Failed(format!("'{}' exists and is not a table of this server; move it away", dir.display())));
        }
        // Made whole under a name that the next start sweeps, then renamed: a crash leaves a table or nothing.
        let making = self.dir.join(format!(".creating-{uuid:032x}"));
        let made = Table::create_files(&self.around, &making, uuid, schema, settings)
            .and_then(|()| disk.rename(&making, &dir).map_err(fail))
            .and_then(|()| disk.sync_dir(&self.dir).map_err(fail))
            .and_then(|()| Table::open(self.around.clone(), dir.clone(), name));
        match made {
            Ok(table) => {
                self.tables.write().insert(name.to_owned(), Entry::Open(table.clone()));
                Ok(table)
            }
            Err(error) => {
                // Nothing was acknowledged, so nothing may stay, whichever of the two names it has by now.
                for left in [&making, &dir] {
                    if disk.exists(left)
                        && let Err(error) = disk.remove_dir(left)
                    {
                        tracing::warn!("CREATE TABLE {name} failed, and its files stay: {error}");
                    }
                }
                Err(error)
            }
        }
    }

    /// Drops a table, also one that could not be opened. Its jobs are stopped; when this returns the name is free, also after a crash.
    /// The files go right after. False: no such table.
    pub fn drop_table(&self, name: &str) -> Result<bool, TableError> {
        let _alone = self.changing.lock();
        let Some(entry) = self.tables.read().get(name).cloned() else { return Ok(false) };
        let mut outside = None;
        if let Entry::Open(table) = &entry {
            if table.is_frozen() {
                return Err(TableError::Frozen(format!("table '{name}' is frozen; UNFREEZE it first")));
            }
            table.close(false);
            outside = table.outside_log_dir();
        }
        let disk = &*self.around.disk;
        let fail = |e: std::io::Error| TableError::Failed(format!("data folder: {e}"));
        let n = self.counter.fetch_add(1, Ordering::Relaxed);
        let away = self.dir.join(format!(".dropped-{:032x}-{n}", self.new_uuid()));
        disk.rename(&self.dir.join(name), &away).map_err(fail)?;
        self.tables.write().remove(name);
        disk.sync_dir(&self.dir).map_err(fail)?;
        drop(entry);
        for dir in [Some(away), outside].into_iter().flatten() {
            if let Err(error) = disk.remove_dir(&dir) {
                tracing::warn!("table '{name}' is dropped, but its files stay until the next start: {error}");
            }
        }
        Ok(true)
    }

    /// Saves and closes all tables: the end of the server.
    pub fn close(&self) {
        self.open_tables().iter().for_each(|t| t.close(true));
    }

    /// Unique among the tables of this folder: time, process and a counter.
    fn new_uuid(&self) -> u128 {
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let n = self.counter.fetch_add(1, Ordering::Relaxed);
        nanos << 48 | (std::process::id() as u128 & 0xffff_ffff) << 16 | (n as u128 & 0xffff)
    }
}

/// Table names are folder names: letters, digits and `_`, not beginning with a digit.
fn check_name(name: &str) -> Result<(), TableError> {
    let good = name.len() <= NAME_BYTES_MAX
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
    match good {
        true => Ok(()),
        false => Err(TableError::Failed(format!(
            "'{name}' is not a table name: letters, digits and '_', not beginning with a digit, at most {NAME_BYTES_MAX} bytes"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use arc_swap::ArcSwap;

    use super::*;
    use crate::merge::MergePool;
    use crate::storage::{CrashDisk, Disk, Keep, Throttle};
    use crate::table::Op;
    use crate::types::{Column, ColumnKind, DocId, Settings, StopToken, Value};

    fn around(disk: &CrashDisk) -> Surroundings {
        let settings = Settings { data_dir: "/".into(), binlog_flush: 1, auto_optimize: false, ..crate::config::defaults() };
        let settings = Arc::new(ArcSwap::from_pointee(settings));
        Surroundings {
            disk: Arc::new(disk.clone()),
            throttle: Arc::new(Throttle::new(settings.clone())),
            settings,
            stop: StopToken::new(),
            pool: Arc::new(MergePool::new(|| 1).expect("a thread")),
        }
    }

    fn schema() -> Schema {
        let n =
            Column { name: "n".into(), kind: ColumnKind::Bigint, uid: 1, indexed: false, stored: false, attribute: true, columnar: false };
        Schema { version: 1, columns: vec![n] }
    }

    fn fill(table: &Table) {
        table.commit(vec![Op::Insert(vec![(DocId(1), vec![Value::Int(1)])])], &StopToken::new()).expect("room");
        table.flush_ramchunk(&StopToken::new()).expect("flushed");
    }

    #[test]
    fn a_reader_of_a_dropped_table_does_not_touch_the_next_of_its_name() {
        let catalog = Catalog::open(around(&CrashDisk::new())).expect("an empty folder");
        let first = catalog.create("t", schema(), TableSettings::default()).expect("created");
        fill(&first);
        let reading = first.snapshot();
        first.truncate().expect("truncated");
        drop(first);
        assert!(catalog.drop_table("t").expect("dropped"));
        let second = catalog.create("t", schema(), TableSettings::default()).expect("created again");
        fill(&second);
        // The reader lets go of a chunk that was retired under the same path.
        drop(reading);
        assert_eq!(second.check(&StopToken::new()).expect("readable"), Vec::<String>::new());
    }

    #[test]
    fn create_and_drop_are_whole_or_nothing_after_a_crash() {
        let disk = CrashDisk::new();
        let catalog = Catalog::open(around(&disk)).expect("an empty folder");
        disk.record();
        for n in 0..3 {
            disk.set_label(2 * n);
            fill(&catalog.create("t", schema(), TableSettings::default()).expect("created"));
            disk.set_label(2 * n + 1);
            catalog.drop_table("t").expect("dropped");
        }
        for n in 0..disk.recorded_count() {
            for keep in [Keep::All, Keep::Nothing, Keep::LastWriteTorn] {
                let Some((_, survivor)) = disk.recorded(n, keep) else { continue };
                let catalog = Catalog::open(around(&survivor)).expect("opens");
                match catalog.get("t") {
                    Lookup::Open(table) => assert!(table.snapshot().alive_count() <= 1, "crash before operation {n}, {keep:?}"),
                    Lookup::Missing => {}
                    Lookup::Unavailable(reason) => panic!("crash before operation {n}, {keep:?}: {reason}"),
                }
                let names = survivor.list("/".as_ref()).expect("a folder");
                assert!(names.iter().all(|n| n.to_str() == Some("t")), "crash before operation {n}, {keep:?}: {names:?}");
                catalog.close();
                catalog.surroundings().pool.shutdown();
            }
        }
    }

    #[test]
    fn a_table_without_its_manifest_keeps_its_name_and_says_why() {
        let disk = CrashDisk::new();
        let catalog = Catalog::open(around(&disk)).expect("an empty folder");
        fill(&catalog.create("t", schema(), TableSettings::default()).expect("created"));
        let after = disk.survivor(Keep::Nothing);
        after.remove_file("/t/manifest".as_ref()).expect("removed");
        let catalog = Catalog::open(around(&after)).expect("opens");
        assert!(matches!(catalog.get("t"), Lookup::Unavailable(reason) if reason.contains("/t/manifest")));
        assert_eq!(catalog.list(), ["t"]);
    }
}
