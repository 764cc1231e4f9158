//! An engine of its own for each case file, and what is done to its tables before and after statements.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use chimera::catalog::{Catalog, Lookup};
use chimera::config;
use chimera::merge::MergePool;
use chimera::session::{ClientGone, ColumnMeta, End, Engine, Ok as OkReply, Parts, Session, Sink, StatementError};
use chimera::storage::{CrashDisk, Keep, Throttle};
use chimera::table::{Surroundings, Table};
use chimera::types::{AttributeStorage, Settings, StopToken, Value};

/// Where the rows are when a statement reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    /// All in RAM segments.
    Ram,
    /// A disk chunk for each writing statement, nothing in RAM.
    Flushed,
    /// One disk chunk, nothing in RAM.
    Merged,
    /// In RAM, read back from the file that a clean stop wrote.
    Restarted,
    /// In RAM, replayed from the binary log after the power went with all that was not synced.
    Killed,
    /// Each second write in chunks, the others replayed on top of them after the same.
    KilledOverChunks,
    /// As `Flushed`, in tables whose attributes are columnar where they do not say otherwise.
    FlushedColumns,
    /// As `Merged`, in such tables.
    MergedColumns,
}

impl Weather {
    pub fn name(self) -> &'static str {
        match self {
            Weather::Ram => "RAM",
            Weather::Flushed => "flushed",
            Weather::Merged => "merged",
            Weather::Restarted => "restarted",
            Weather::Killed => "killed",
            Weather::KilledOverChunks => "killed over chunks",
            Weather::FlushedColumns => "flushed, columnar",
            Weather::MergedColumns => "merged, columnar",
        }
    }

    fn storage(self) -> AttributeStorage {
        match self {
            Weather::FlushedColumns | Weather::MergedColumns => AttributeStorage::Columnar,
            _ => AttributeStorage::Rowwise,
        }
    }

    pub fn is_columnar(self) -> bool {
        self.storage() == AttributeStorage::Columnar
    }

    fn restarts(self) -> bool {
        matches!(self, Weather::Restarted | Weather::Killed | Weather::KilledOverChunks)
    }
}

/// The engine under one case file.
pub struct House {
    weather: Weather,
    open: Option<Open>,
    writes: u64,
    chunks_max: u64,
    /// The file itself has flushed or merged: chunks in the weather RAM are its own doing.
    storage_was_touched: bool,
}

struct Open {
    disk: CrashDisk,
    catalog: Arc<Catalog>,
    merges: Arc<MergePool>,
    engine: Arc<Engine>,
    session: Session,
}

impl Open {
    fn on(disk: CrashDisk, storage: AttributeStorage) -> Open {
        let settings = Settings {
            data_dir: PathBuf::from("/data"),
            threads: 2,
            auto_optimize: false,
            // The power may go after any statement, so each is synced.
            binlog_flush: 1,
            diskchunk_flush_write_timeout: -1,
            rt_flush_period: 0,
            storage,
            ..config::defaults()
        };
        let settings = Arc::new(ArcSwap::from_pointee(settings));
        let merges = Arc::new(MergePool::new(|| 2).expect("a thread"));
        let shared: Arc<dyn chimera::storage::Disk> = Arc::new(disk.clone());
        if !shared.exists(&settings.load().data_dir) {
            shared.create_dir(&settings.load().data_dir).expect("a folder");
            shared.sync_dir(std::path::Path::new("/")).expect("synced");
        }
        let around = Surroundings {
            disk: shared,
            throttle: Arc::new(Throttle::new(settings.clone())),
            settings,
            stop: StopToken::new(),
            pool: merges.clone(),
        };
        let catalog = Arc::new(Catalog::open(around).expect("a data folder that opens"));
        let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads"));
        let parts = Parts { catalog: catalog.clone(), stop: StopToken::new(), version: "8.0.0 golden".into(), pool };
        let engine = Engine::new(parts);
        let session = Session::open(&engine, "127.0.0.1:1".into());
        Open { disk, catalog, merges, engine, session }
    }

    /// Ends threads and tables; with `save` as a server ends that is told to, else as if it were never told.
    fn end(self, save: bool) -> CrashDisk {
        let Open { disk, catalog, merges, engine, session } = self;
        // What the disk holds at this moment is what the next start finds, so it is taken before anything is closed.
        let left = if save { None } else { Some(disk.survivor(Keep::Nothing)) };
        drop(session);
        merges.shutdown();
        match save {
            true => catalog.close(),
            false => catalog.open_tables().iter().for_each(|t| t.close(false)),
        }
        drop(engine);
        left.unwrap_or(disk)
    }
}

impl House {
    pub fn new(weather: Weather) -> House {
        House { weather, open: Some(Open::on(CrashDisk::new(), weather.storage())), writes: 0, chunks_max: 0, storage_was_touched: false }
    }

    pub fn chunks_max(&self) -> u64 {
        self.chunks_max
    }

    pub fn close(&mut self) {
        if let Some(open) = self.open.take() {
            open.end(true);
        }
    }

    fn open(&mut self) -> &mut Open {
        self.open.as_mut().expect("closed only at the end")
    }

    /// Makes the weather before a statement that reads, and checks that it is what it says.
    pub fn before(&mut self, statement: &str) -> Result<(), String> {
        let open = self.open();
        // What a session has not committed would be gone after a restart, and this is not what the case is about.
        if !reads(statement) || open.session.in_transaction() || !open.session.autocommit() {
            return Ok(());
        }
        if self.weather.restarts() {
            self.restart()?;
        }
        if matches!(self.weather, Weather::Merged | Weather::MergedColumns) {
            for table in self.open().catalog.open_tables() {
                let name = table.name().to_owned();
                self.must(&format!("FLUSH RAMCHUNK {name}"))?;
                self.must(&format!("OPTIMIZE TABLE {name} OPTION sync=1, cutoff=1"))?;
            }
        }
        self.check_weather()
    }

    /// Makes chunks after a statement that writes.
    pub fn after(&mut self, statement: &str, answer: &str) -> Result<(), String> {
        let verb = verb(statement);
        self.storage_was_touched |= ["FLUSH", "OPTIMIZE", "FREEZE"].contains(&verb.as_str());
        let open = self.open();
        if answer.starts_with("error") || !writes(&verb) || open.session.in_transaction() || !open.session.autocommit() {
            return Ok(());
        }
        self.writes += 1;
        let flush = match self.weather {
            Weather::Flushed | Weather::Merged | Weather::FlushedColumns | Weather::MergedColumns => true,
            Weather::KilledOverChunks => self.writes % 2 == 1,
            Weather::Ram | Weather::Restarted | Weather::Killed => false,
        };
        if flush {
            for table in self.open().catalog.open_tables().iter().filter(|t| !t.is_frozen()) {
                self.must(&format!("FLUSH RAMCHUNK {}", table.name()))?;
            }
        }
        Ok(())
    }

    fn restart(&mut self) -> Result<(), String> {
        let tables = |open: &Open| -> Vec<(String, u64, u64)> {
            let of = |t: &Arc<Table>| (t.name().to_owned(), number(t, "tid"), number(t, "disk_chunks"));
            open.catalog.open_tables().iter().map(of).collect()
        };
        let open = self.open.take().expect("closed only at the end");
        let before = tables(&open);
        let disk = open.end(self.weather == Weather::Restarted);
        self.open = Some(Open::on(disk, self.weather.storage()));
        let after = tables(self.open());
        for name in self.open().catalog.list() {
            if let Lookup::Unavailable(why) = self.open().catalog.get(&name) {
                return Err(format!("table '{name}' did not open: {why}"));
            }
        }
        match before == after {
            true => Ok(()),
            false => Err(format!("name, tid and chunks of the tables were {before:?} and are {after:?}")),
        }
    }

    /// SHOW TABLE STATUS of every table against what the weather means.
    fn check_weather(&mut self) -> Result<(), String> {
        for table in self.open().catalog.open_tables() {
            let (chunks, segments) = (number(&table, "disk_chunks"), number(&table, "ram_chunk_segments_count"));
            let (tid, saved) = (number(&table, "tid"), number(&table, "tid_saved"));
            self.chunks_max = self.chunks_max.max(chunks);
            let fits = match self.weather {
                Weather::Ram => chunks == 0 || self.storage_was_touched,
                Weather::Flushed | Weather::FlushedColumns => segments == 0,
                Weather::Merged | Weather::MergedColumns => segments == 0 && chunks <= 1,
                Weather::Restarted => tid == saved,
                Weather::Killed => chunks == 0 || self.storage_was_touched,
                Weather::KilledOverChunks => true,
            };
            if !fits {
                return Err(format!(
                    "'{}' has {segments} RAM segments and {chunks} disk chunks, tid {tid}, tid_saved {saved}",
                    table.name()
                ));
            }
        }
        Ok(())
    }

    fn must(&mut self, statement: &str) -> Result<(), String> {
        let got = self.run(statement.as_bytes(), false);
        if got.starts_with("error") { Err(format!("{statement}: {got}")) } else { Ok(()) }
    }

    /// The answer in the form of case files.
    pub fn run(&mut self, text: &[u8], headings: bool) -> String {
        let mut paper = Paper { headings, ..Paper::default() };
        self.open().session.run(text, &mut paper).expect("paper takes everything");
        paper.lines.join("\n")
    }
}

/// A line of SHOW TABLE STATUS as a number.
fn number(table: &Table, what: &str) -> u64 {
    let status = table.status();
    let (_, value) = status.iter().find(|(name, _)| name == what).unwrap_or_else(|| panic!("SHOW TABLE STATUS has no line {what}"));
    value.parse().unwrap_or_else(|_| panic!("{what} is {value}"))
}

fn verb(statement: &str) -> String {
    // A comment in front is no part of it.
    let statement = match statement.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
        Some((_, rest)) => rest.trim_start(),
        None => statement,
    };
    statement.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_uppercase()
}

fn reads(statement: &str) -> bool {
    let about_the_last = ["SHOW META", "SHOW WARNINGS", "SHOW VARIABLES"].iter().any(|w| statement.to_ascii_uppercase().starts_with(w));
    ["SELECT", "SHOW", "DESC", "DESCRIBE", "CALL", "CHECK"].contains(&verb(statement).as_str()) && !about_the_last
}

fn writes(verb: &str) -> bool {
    ["INSERT", "REPLACE", "UPDATE", "DELETE", "COMMIT", "BEGIN", "START", "SET"].contains(&verb)
}

/// Writes answers down.
#[derive(Default)]
struct Paper {
    lines: Vec<String>,
    headings: bool,
    rows: usize,
}

impl Paper {
    fn put(&mut self, line: String, more: bool) {
        self.lines.push(line);
        self.next(more);
    }

    fn next(&mut self, more: bool) {
        if more {
            self.lines.push("+".to_owned());
        }
    }
}

fn cell(value: &Value) -> String {
    match value.text() {
        None => "NULL".to_owned(),
        Some(text) if text.is_empty() => "''".to_owned(),
        Some(text) => text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n"),
    }
}

impl Sink for Paper {
    fn columns(&mut self, columns: &[ColumnMeta]) -> Result<(), ClientGone> {
        self.rows = 0;
        if self.headings {
            let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
            self.lines.push(names.join("\t"));
        }
        Ok(())
    }

    fn row(&mut self, row: &[Value]) -> Result<(), ClientGone> {
        self.rows += 1;
        self.lines.push(row.iter().map(cell).collect::<Vec<_>>().join("\t"));
        Ok(())
    }

    fn end(&mut self, end: End) -> Result<(), ClientGone> {
        if self.rows == 0 {
            self.lines.push("no rows".to_owned());
        }
        self.next(end.more);
        Ok(())
    }

    fn ok(&mut self, ok: OkReply) -> Result<(), ClientGone> {
        let rows = if ok.affected == 1 { "row" } else { "rows" };
        let warnings = match ok.warnings {
            0 => String::new(),
            1 => ", 1 warning".to_owned(),
            n => format!(", {n} warnings"),
        };
        self.put(format!("{} {rows} affected{warnings}", ok.affected), ok.more);
        Ok(())
    }

    fn error(&mut self, error: &StatementError) -> Result<(), ClientGone> {
        self.put(format!("error {}: {}", error.code, error.message.replace('\n', "\\n")), false);
        Ok(())
    }
}
