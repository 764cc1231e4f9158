//! The table of settings. Each line of the configuration file, each variable of SHOW VARIABLES and each SET GLOBAL is one entry here.

use std::path::PathBuf;

use super::reader::Config;
use super::{ConfigError, Listener, units};
use crate::types::{AttributeStorage, Settings};

/// From where a setting may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only in the configuration file, read at start.
    Start,
    /// In the configuration file, and at run time by SET GLOBAL; holds for every session.
    Global,
    /// By SET, each session for itself; not in the file.
    Session,
}

/// What a setting's value is, which decides how it is read, checked and printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer without unit.
    Count,
    /// Bytes, with k m g t.
    Size,
    /// Seconds, with us ms s m h d w.
    Time,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A file, folder or other text.
    Text,
}

/// Which numbers are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Least allowed value.
    pub min: i64,
    /// Greatest allowed value.
    pub max: i64,
    /// Allowed although it is below `min`, and what it then means.
    pub special: Option<(i64, &'static str)>,
}

/// One setting.
pub struct Setting {
    /// As in the file and in SQL, lower case.
    pub name: &'static str,
    /// Other names of the same variable in SQL.
    pub aliases: &'static [&'static str],
    /// From where it may be changed.
    pub scope: Scope,
    /// What its value is.
    pub kind: Kind,
    /// Allowed numbers, for the kinds that are numbers.
    pub range: Range,
    /// The value where nothing is said, as written in the file; None = unset, see `unset`.
    pub default: Option<&'static str>,
    /// What being unset means, in words.
    pub unset: &'static str,
    /// For the operator: what it does.
    pub doc: &'static str,
    pub(super) place: Place,
}

/// A value that passed its setting's kind and range.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Checked {
    Number(i64),
    Text(String),
    /// Back to unset: the word `default` or `auto` for a setting without default value.
    Unset,
}

/// Where a value lives.
pub(super) enum Place {
    /// In [`Settings`], shared by everyone.
    Settings { set: fn(&mut Settings, Checked), get: fn(&Settings) -> String },
    /// In [`Config`], used once at start.
    Config(fn(&mut Config, &str) -> Result<(), ConfigError>),
    /// In each session; this is what a session begins with.
    Session(&'static str),
}

impl Setting {
    /// Checks `text` against kind and range. The error names this setting, the value and what is allowed.
    pub(super) fn check(&self, text: &str) -> Result<Checked, ConfigError> {
        let text = text.trim();
        let bad = || ConfigError::BadValue { key: self.name.to_owned(), value: text.to_owned(), expected: self.allowed() };
        let unset = text.eq_ignore_ascii_case("default") || (text.eq_ignore_ascii_case("auto") && self.default.is_none());
        if unset && !matches!(self.kind, Kind::Text) {
            return match self.default {
                Some(default) => self.check(default),
                None => Ok(Checked::Unset),
            };
        }
        let number = match self.kind {
            Kind::Count => units::count(text),
            Kind::Size => units::size(text),
            Kind::Time => units::seconds(text),
            Kind::Word(words) => {
                let word = text.to_ascii_lowercase();
                return if words.contains(&word.as_str()) { Ok(Checked::Text(word)) } else { Err(bad()) };
            }
            Kind::Text => return Ok(Checked::Text(text.to_owned())),
        };
        let number = number.ok_or_else(bad)?;
        let special = self.range.special.is_some_and(|(value, _)| value == number);
        if special || (self.range.min..=self.range.max).contains(&number) { Ok(Checked::Number(number)) } else { Err(bad()) }
    }

    /// The allowed values in words: `1 to 64`, `0 (no limit) or 4K to 1G`, `lz4, zstd or none`.
    pub fn allowed(&self) -> String {
        let print = |number| match self.kind {
            Kind::Size => units::print_size(number),
            Kind::Time => units::print_seconds(number),
            Kind::Count | Kind::Word(_) | Kind::Text => number.to_string(),
        };
        let what = match self.kind {
            Kind::Word(words) => return format!("one of {}", words.join(", ")),
            Kind::Text => return "a text".to_owned(),
            Kind::Count => "a number from",
            Kind::Size => "a size from",
            Kind::Time => "a time from",
        };
        let special = self.range.special.map(|(value, meaning)| format!("{value} ({meaning}) or ")).unwrap_or_default();
        format!("{special}{what} {} to {}", print(self.range.min), print(self.range.max))
    }
}

/// The setting called `name` (in any case) or having it as an alias.
pub(super) fn find(name: &str) -> Option<&'static Setting> {
    let name = name.to_ascii_lowercase();
    SETTINGS.iter().find(|s| s.name == name || s.aliases.contains(&name.as_str()))
}

/// What holds where no file says otherwise.
pub fn defaults() -> Settings {
    let mut settings = Settings {
        data_dir: PathBuf::new(),
        threads: 1,
        max_connections: 0,
        max_packet_size: 0,
        network_timeout: 0,
        sphinxql_timeout: 0,
        binlog_path: None,
        binlog_enabled: true,
        binlog_flush: 0,
        binlog_max_log_size: 0,
        rt_flush_period: 0,
        rt_mem_limit: 0,
        query_mem_limit: 0,
        diskchunk_flush_write_timeout: 0,
        diskchunk_flush_search_timeout: 0,
        auto_optimize: false,
        auto_optimize_factor: 1,
        optimize_cutoff: None,
        parallel_chunk_merges: None,
        merge_chunks_per_job: None,
        merge_paused: false,
        insert_throttle_factor: 0,
        max_chunk_size: None,
        rt_merge_iops: 0,
        rt_merge_maxiosize: 0,
        storage: AttributeStorage::default(),
        docstore_compression: String::new(),
        docstore_compression_level: 0,
        docstore_block_size: 0,
        shutdown_timeout: 0,
    };
    for setting in SETTINGS {
        if let Place::Settings { set, .. } = setting.place {
            let value = match setting.default {
                Some(default) => setting.check(default).expect("a default is within its own range, which a test holds"),
                None => Checked::Unset,
            };
            set(&mut settings, value);
        }
    }
    settings
}

/// Half a year: past this a time is a slip of the pen.
const LONG: i64 = 26 * 604_800;
const NO_NUMBER: Range = Range { min: 0, max: 0, special: None };

const fn range(min: i64, max: i64) -> Range {
    Range { min, max, special: None }
}

const fn range_or(special: i64, meaning: &'static str, min: i64, max: i64) -> Range {
    Range { min, max, special: Some((special, meaning)) }
}

/// The number of a checked value; the kinds that reach these setters are numbers or unset.
fn number(value: &Checked) -> Option<i64> {
    match value {
        Checked::Number(number) => Some(*number),
        Checked::Text(_) | Checked::Unset => None,
    }
}

fn text(value: Checked) -> Option<String> {
    match value {
        Checked::Text(text) => Some(text),
        Checked::Number(_) | Checked::Unset => None,
    }
}

/// An entry whose value is a number in one field of [`Settings`].
macro_rules! in_settings {
    ($field:ident as $type:ty) => {
        Place::Settings {
            set: |settings, value| {
                if let Some(number) = number(&value) {
                    settings.$field = number as $type;
                }
            },
            get: |settings| settings.$field.to_string(),
        }
    };
}

const fn start(name: &'static str, kind: Kind, range: Range, default: &'static str, doc: &'static str, place: Place) -> Setting {
    Setting { name, aliases: &[], scope: Scope::Start, kind, range, default: Some(default), unset: "", doc, place }
}

const fn start_unset(name: &'static str, unset: &'static str, doc: &'static str, place: Place) -> Setting {
    Setting { name, aliases: &[], scope: Scope::Start, kind: Kind::Text, range: NO_NUMBER, default: None, unset, doc, place }
}

const fn global(name: &'static str, kind: Kind, range: Range, default: &'static str, doc: &'static str, place: Place) -> Setting {
    Setting { name, aliases: &[], scope: Scope::Global, kind, range, default: Some(default), unset: "", doc, place }
}

const fn global_unset(name: &'static str, kind: Kind, range: Range, unset: &'static str, doc: &'static str, place: Place) -> Setting {
    Setting { name, aliases: &[], scope: Scope::Global, kind, range, default: None, unset, doc, place }
}

const fn session(name: &'static str, default: &'static str) -> Setting {
    Setting {
        name,
        aliases: &[],
        scope: Scope::Session,
        kind: Kind::Text,
        range: NO_NUMBER,
        default: Some(default),
        unset: "",
        doc: "",
        place: Place::Session(default),
    }
}

fn some_path(text: &str) -> Option<PathBuf> {
    if text.is_empty() { None } else { Some(PathBuf::from(text)) }
}

fn log_path(key: &str, text: &str) -> Result<Option<PathBuf>, ConfigError> {
    if text.eq_ignore_ascii_case("syslog") {
        return Err(ConfigError::Unsupported(format!("{key} = {text}: syslog is not supported, name a file")));
    }
    Ok(some_path(text))
}

/// Every setting, in the order in which the example file shows them.
pub static SETTINGS: &[Setting] = &[
    // Clients.
    start_unset(
        "listen",
        "127.0.0.1:9306:mysql",
        "Where clients connect; may be repeated. Forms: port, address:port or /path/to/socket, each with :mysql or :http after it; \
         _vip after the protocol exempts the listener from max_connections. HTTP is not served yet: such a listener answers 501.",
        Place::Config(|config, value| {
            let listener = Listener::parse(value)?;
            if config.listeners.iter().any(|other| other.address == listener.address) {
                return Err(ConfigError::Syntax(format!("listen = {value}: an earlier line listens on {} already", listener.address)));
            }
            config.listeners.push(listener);
            Ok(())
        }),
    ),
    global(
        "max_connections",
        Kind::Count,
        range_or(0, "no limit", 1, 1_000_000),
        "0",
        "Connections at once; one more is answered with error 1040.",
        in_settings!(max_connections as usize),
    ),
    Setting {
        aliases: &["max_allowed_packet"],
        ..global(
            "max_packet_size",
            Kind::Size,
            range(64 << 10, 1 << 30),
            "128M",
            "The longest statement that a client may send; a longer one is answered with error 1153.",
            in_settings!(max_packet_size as u64),
        )
    },
    global(
        "network_timeout",
        Kind::Time,
        range(1, 86_400),
        "5s",
        "A connection is closed when a client does not go on sending a statement, or reading an answer, for so long.",
        in_settings!(network_timeout as u64),
    ),
    Setting {
        aliases: &["wait_timeout", "interactive_timeout", "net_read_timeout", "net_write_timeout"],
        ..global(
            "sphinxql_timeout",
            Kind::Time,
            range(1, LONG),
            "15m",
            "A connection is closed when no statement comes for so long.",
            in_settings!(sphinxql_timeout as u64),
        )
    },
    start_unset(
        "mysql_version_string",
        "the server's own version",
        "The version that clients are told, for those that expect a certain one.",
        Place::Config(|config, value| {
            if value.len() > 60 || value.chars().any(|c| c.is_control()) {
                return Err(ConfigError::BadValue {
                    key: "mysql_version_string".to_owned(),
                    value: value.to_owned(),
                    expected: "at most 60 bytes, such as 8.0.30,".to_owned(),
                });
            }
            if !value.is_empty() {
                config.version_string = value.to_owned();
            }
            Ok(())
        }),
    ),
    // The process.
    start(
        "data_dir",
        Kind::Text,
        NO_NUMBER,
        "./chimera-data",
        "The folder of all tables; created if it is missing. One server at a time uses it.",
        Place::Settings {
            set: |settings, value| settings.data_dir = PathBuf::from(text(value).unwrap_or_default()),
            get: |settings| settings.data_dir.display().to_string(),
        },
    ),
    start_unset(
        "log",
        "standard error",
        "The file to which the server's messages are appended.",
        Place::Config(|config, value| {
            config.log = log_path("log", value)?;
            Ok(())
        }),
    ),
    start_unset(
        "query_log",
        "no log of queries",
        "The file to which every SELECT is appended, with the time it took.",
        Place::Config(|config, value| {
            config.query_log = log_path("query_log", value)?;
            Ok(())
        }),
    ),
    start_unset(
        "pid_file",
        "no such file",
        "The file that holds the server's process id while it runs.",
        Place::Config(|config, value| {
            config.pid_file = some_path(value);
            Ok(())
        }),
    ),
    Setting {
        default: None,
        unset: "the logical cores of the machine",
        ..start(
            "threads",
            Kind::Count,
            range(1, 1024),
            "",
            "Threads that work on queries.",
            Place::Settings {
                set: |settings, value| {
                    settings.threads =
                        number(&value).map_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()), |n| n as usize);
                },
                get: |settings| settings.threads.to_string(),
            },
        )
    },
    global(
        "shutdown_timeout",
        Kind::Time,
        range(0, 86_400),
        "60s",
        "A stop lets running statements go on for so long before it ends them.",
        in_settings!(shutdown_timeout as u64),
    ),
    // The RAM chunk and the binary log.
    global(
        "rt_mem_limit",
        Kind::Size,
        range(64 << 10, 1 << 40),
        "128M",
        "The size at which a table's RAM chunk is saved as a disk chunk, where the table has no rt_mem_limit of its own.",
        in_settings!(rt_mem_limit as u64),
    ),
    global(
        "query_mem_limit",
        Kind::Size,
        range_or(0, "no limit", 1 << 20, 1 << 40),
        "1G",
        "What one statement may keep in memory while it runs: rows in order, groups, GROUP_CONCAT and distinct values, documents to \
         change. Past it the statement fails. Rows that are sent as they are found do not count.",
        in_settings!(query_mem_limit as u64),
    ),
    global(
        "rt_flush_period",
        Kind::Time,
        range_or(0, "never", 10, LONG),
        "10h",
        "RAM chunks are saved this often, so that the binary log can be cut.",
        in_settings!(rt_flush_period as u64),
    ),
    global(
        "diskchunk_flush_write_timeout",
        Kind::Time,
        range_or(-1, "never", 1, LONG),
        "1s",
        "A RAM chunk becomes a disk chunk when nothing was written for so long.",
        in_settings!(diskchunk_flush_write_timeout as i64),
    ),
    global(
        "diskchunk_flush_search_timeout",
        Kind::Time,
        range_or(-1, "searches do not matter", 1, LONG),
        "30s",
        "Such a flush happens only if somebody searched the table within so long.",
        in_settings!(diskchunk_flush_search_timeout as i64),
    ),
    start_unset(
        "binlog_path",
        "inside each table's folder",
        "The folder of the binary log; an empty value switches the log off, and a crash then loses what is only in RAM.",
        Place::Settings {
            set: |settings, value| {
                if let Some(text) = text(value) {
                    settings.binlog_enabled = !text.is_empty();
                    settings.binlog_path = some_path(&text);
                }
            },
            get: |settings| settings.binlog_path.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
        },
    ),
    start(
        "binlog_flush",
        Kind::Count,
        range(0, 2),
        "2",
        "0: the log is written and synced once a second; 1: synced before each answer; 2: written before each answer, synced once a second.",
        in_settings!(binlog_flush as u8),
    ),
    start(
        "binlog_max_log_size",
        Kind::Size,
        range_or(0, "never", 64 << 10, 1 << 40),
        "256M",
        "The size at which a new log file is begun.",
        in_settings!(binlog_max_log_size as u64),
    ),
    // Disk chunks.
    global(
        "auto_optimize",
        Kind::Count,
        range(0, 1000),
        "1",
        "0: chunks are merged only by OPTIMIZE; 1: merged down to optimize_cutoff by themselves; more: to so many times optimize_cutoff.",
        Place::Settings {
            set: |settings, value| {
                if let Some(number) = number(&value) {
                    settings.auto_optimize = number > 0;
                    settings.auto_optimize_factor = number.max(1) as u32;
                }
            },
            get: |settings| if settings.auto_optimize { settings.auto_optimize_factor.to_string() } else { "0".to_owned() },
        },
    ),
    global_unset(
        "optimize_cutoff",
        Kind::Count,
        range(1, 10_000),
        "twice the threads",
        "The number of disk chunks that merging aims at, where neither table nor statement says another.",
        Place::Settings {
            set: |settings, value| settings.optimize_cutoff = number(&value).map(|n| n as u32),
            get: |settings| settings.cutoff().to_string(),
        },
    ),
    global_unset(
        "parallel_chunk_merges",
        Kind::Count,
        range(1, 256),
        "half the threads, at least 2 (1 where there is one thread) and at most 4",
        "Merges at once, over all tables.",
        Place::Settings {
            set: |settings, value| settings.parallel_chunk_merges = number(&value).map(|n| n as usize),
            get: |settings| match (settings.parallel_chunk_merges, settings.threads) {
                (Some(set), _) => set.to_string(),
                (None, 0 | 1) => "1".to_owned(),
                (None, threads) => (threads / 2).clamp(2, 4).to_string(),
            },
        },
    ),
    global_unset(
        "merge_chunks_per_job",
        Kind::Count,
        range(2, 1024),
        "the planner chooses, 2 at least",
        "Chunks that one merge takes.",
        Place::Settings {
            set: |settings, value| settings.merge_chunks_per_job = number(&value).map(|n| n as usize),
            get: |settings| settings.merge_chunks_per_job.map_or_else(|| "auto".to_owned(), |n| n.to_string()),
        },
    ),
    global_unset(
        "max_chunk_size",
        Kind::Size,
        range_or(0, "no cap", 64 << 10, 1 << 44),
        "no cap",
        "The size that chunks made by automatic merges and by OPTIMIZE with a cutoff stay under; OPTIMIZE with target_size may go past it.",
        Place::Settings {
            set: |settings, value| settings.max_chunk_size = number(&value).filter(|n| *n > 0).map(|n| n as u64),
            get: |settings| settings.max_chunk_size.unwrap_or(0).to_string(),
        },
    ),
    global(
        "merge_paused",
        Kind::Count,
        range(0, 1),
        "0",
        "1: no merge starts, and those that run stand still where they are until it is 0 again. One table's automatic merges alone are \
         kept away by ALTER TABLE t auto_optimize='0', and what runs is ended by OPTIMIZE TABLE t OPTION cancel=1.",
        Place::Settings {
            set: |settings, value| settings.merge_paused = number(&value).is_some_and(|n| n > 0),
            get: |settings| u8::from(settings.merge_paused).to_string(),
        },
    ),
    global(
        "insert_throttle_factor",
        Kind::Count,
        range_or(0, "inserts are never slowed down", 1, 10_000),
        "8",
        "While auto_optimize is on and a table has more disk chunks than optimize_cutoff times this, each statement that brings rows \
         waits: a little at first, half a second from twice as many chunks on. SHOW TABLE STATUS shows insert_delay_ms.",
        in_settings!(insert_throttle_factor as u32),
    ),
    global(
        "rt_merge_iops",
        Kind::Count,
        range_or(0, "no limit", 1, 10_000_000),
        "0",
        "I/O operations a second of all merges together.",
        in_settings!(rt_merge_iops as u64),
    ),
    global(
        "rt_merge_maxiosize",
        Kind::Size,
        range_or(0, "no limit", 4 << 10, 1 << 30),
        "0",
        "Bytes of one I/O operation of a merge; a longer one counts as several towards rt_merge_iops.",
        in_settings!(rt_merge_maxiosize as u64),
    ),
    start(
        "engine",
        Kind::Word(&AttributeStorage::NAMES),
        NO_NUMBER,
        "rowwise",
        "How a new table keeps its attributes where CREATE TABLE does not say it: rowwise, all of a row side by side, or columnar, each by itself and compressed.",
        Place::Settings {
            set: |settings, value| settings.storage = text(value).and_then(|name| AttributeStorage::named(&name)).unwrap_or_default(),
            get: |settings| settings.storage.name().to_owned(),
        },
    ),
    start(
        "docstore_compression",
        Kind::Word(&["lz4", "zstd", "none"]),
        NO_NUMBER,
        "lz4",
        "How stored text is compressed in new chunks.",
        Place::Settings {
            set: |settings, value| settings.docstore_compression = text(value).unwrap_or_default(),
            get: |settings| settings.docstore_compression.clone(),
        },
    ),
    start(
        "docstore_compression_level",
        Kind::Count,
        range(1, 22),
        "9",
        "The effort of zstd; lz4 has none.",
        in_settings!(docstore_compression_level as i32),
    ),
    start(
        "docstore_block_size",
        Kind::Size,
        range(1 << 10, 16 << 20),
        "16K",
        "Bytes of text that are compressed together: more saves space, less makes fetching a document faster.",
        in_settings!(docstore_block_size as u64),
    ),
    // What clients ask about, each session for itself.
    session("auto_increment_increment", "1"),
    session("autocommit", "1"),
    session("character_set_client", "utf8mb4"),
    session("character_set_connection", "utf8mb4"),
    session("character_set_results", "utf8mb4"),
    session("character_set_server", "utf8mb4"),
    session("collation_connection", "libc_ci"),
    session("collation_server", "libc_ci"),
    session("init_connect", ""),
    session("last_insert_id", ""),
    session("license", "Apache-2.0"),
    session("lower_case_table_names", "1"),
    session("performance_schema", "0"),
    session("profiling", "0"),
    session("session_read_only", "0"),
    session("sql_mode", ""),
    session("system_time_zone", "UTC"),
    session("time_zone", "SYSTEM"),
    session("transaction_isolation", "READ-COMMITTED"),
    session("tx_isolation", "READ-COMMITTED"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_lower_case_and_not_listed_as_idle() {
        let mut seen = std::collections::HashSet::new();
        for name in SETTINGS.iter().flat_map(|s| s.aliases.iter().chain([&s.name])) {
            assert!(seen.insert(*name), "{name} twice");
            assert_eq!(*name, name.to_ascii_lowercase());
        }
        for setting in SETTINGS.iter().filter(|s| s.scope != Scope::Session) {
            assert!(!super::super::elsewhere::SEARCHD.contains(&setting.name), "{} both works and does nothing", setting.name);
        }
    }

    #[test]
    fn defaults_are_the_dialects() {
        let settings = defaults();
        assert_eq!(settings.max_packet_size, 128 << 20);
        assert_eq!((settings.network_timeout, settings.sphinxql_timeout), (5, 900));
        assert_eq!((settings.rt_mem_limit, settings.rt_flush_period), (128 << 20, 36_000));
        assert_eq!((settings.binlog_flush, settings.binlog_max_log_size), (2, 256 << 20));
        assert!(settings.binlog_enabled && settings.binlog_path.is_none());
        assert_eq!((settings.diskchunk_flush_write_timeout, settings.diskchunk_flush_search_timeout), (1, 30));
        assert!(settings.auto_optimize);
        assert_eq!((settings.docstore_compression.as_str(), settings.docstore_block_size), ("lz4", 16 << 10));
        assert!(settings.threads >= 1);
        assert_eq!(settings.shutdown_timeout, 60);
        assert_eq!((settings.optimize_cutoff, settings.max_chunk_size), (None, None));
    }

    #[test]
    fn a_value_outside_its_range_says_what_is_allowed() {
        for (name, value, expected) in [
            ("threads", "0", "threads = 0: a number from 1 to 1024 expected"),
            ("threads", "many", "threads = many: a number from 1 to 1024 expected"),
            ("rt_mem_limit", "1k", "rt_mem_limit = 1k: a size from 64K to 1T expected"),
            ("rt_merge_maxiosize", "1", "rt_merge_maxiosize = 1: 0 (no limit) or a size from 4K to 1G expected"),
            ("network_timeout", "0", "network_timeout = 0: a time from 1s to 1d expected"),
            ("docstore_compression", "brotli", "docstore_compression = brotli: one of lz4, zstd, none expected"),
            ("merge_chunks_per_job", "1", "merge_chunks_per_job = 1: a number from 2 to 1024 expected"),
        ] {
            let error = find(name).expect("known").check(value).expect_err(value);
            assert_eq!(error.to_string(), expected);
        }
        assert_eq!(find("diskchunk_flush_write_timeout").expect("known").check("-1"), Ok(Checked::Number(-1)));
    }
}
