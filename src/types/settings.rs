//! The server's settings as values. `config` knows their names, units and texts; everyone else reads this struct.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::AttributeStorage;

/// One consistent set of settings. Replaced as a whole by SET GLOBAL, so a reader never sees half a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Folder of all tables.
    pub data_dir: PathBuf,
    /// Threads of the query pool; by default the logical cores.
    pub threads: usize,
    /// Connections at once; 0 = no limit.
    pub max_connections: usize,
    /// Bytes of one client packet.
    pub max_packet_size: u64,
    /// Seconds a single read or write on a client's socket may wait while a statement is under way.
    pub network_timeout: u64,
    /// Seconds an idle MySQL session lives.
    pub sphinxql_timeout: u64,
    /// Where the binary log lives; None = in each table's folder; empty string in the config = no log at all (`binlog_enabled` false).
    pub binlog_path: Option<PathBuf>,
    /// Whether writes are logged.
    pub binlog_enabled: bool,
    /// 0: written and synced once a second; 1: synced before each answer; 2: written before each answer, synced once a second.
    pub binlog_flush: u8,
    /// Bytes after which a new log file is begun; 0 = never.
    pub binlog_max_log_size: u64,
    /// Seconds between two saves of the RAM chunk; 0 = never.
    pub rt_flush_period: u64,
    /// Bytes of RAM chunk at which it is flushed, where the table says nothing.
    pub rt_mem_limit: u64,
    /// Bytes that the rows, groups and values which one statement keeps may take; 0 = no limit.
    pub query_mem_limit: u64,
    /// Seconds without writes after which the RAM chunk is flushed; -1 never.
    pub diskchunk_flush_write_timeout: i64,
    /// A timed flush happens only if a search came within so many seconds; -1 = regardless.
    pub diskchunk_flush_search_timeout: i64,
    /// Whether chunks are merged automatically.
    pub auto_optimize: bool,
    /// Automatic merging aims at the cutoff times this; 1 or more.
    pub auto_optimize_factor: u32,
    /// Disk chunks that merging aims at; None = derived from the cores.
    pub optimize_cutoff: Option<u32>,
    /// Merge jobs at once; None = the planner chooses.
    pub parallel_chunk_merges: Option<usize>,
    /// Whether all merges stand still.
    pub merge_paused: bool,
    /// Disk chunks past the cutoff times this slow inserts down; 0 = never.
    pub insert_throttle_factor: u32,
    /// Chunks per job; None = the planner chooses.
    pub merge_chunks_per_job: Option<usize>,
    /// Bytes that a chunk made by an automatic merge may have; None = no cap.
    pub max_chunk_size: Option<u64>,
    /// I/O operations a second of all merges; 0 = no limit.
    pub rt_merge_iops: u64,
    /// Bytes of one merge I/O operation; 0 = no limit.
    pub rt_merge_maxiosize: u64,
    /// How new tables keep attributes where they do not say it themselves.
    pub storage: AttributeStorage,
    /// `lz4`, `zstd` or `none`.
    pub docstore_compression: String,
    /// Level where the compressor has one.
    pub docstore_compression_level: i32,
    /// Bytes of one compressed block of stored text.
    pub docstore_block_size: u64,
    /// Seconds a clean stop waits for running statements.
    pub shutdown_timeout: u64,
}

impl Settings {
    /// The cutoff that holds where neither table nor config sets one: twice the logical cores.
    pub fn cutoff(&self) -> u32 {
        self.optimize_cutoff.unwrap_or(2 * self.threads.max(1) as u32)
    }
}

/// Settings as everyone holds them: load once per decision, never cache across decisions.
pub type SharedSettings = Arc<ArcSwap<Settings>>;
