//! What the benches share: the rows of the acceptance, a table in a temporary folder, clocks, figures.
//!
//! Rows are `(id bigint, name text of 10 to 100 words, type int)`; words follow Zipf's law with exponent 1 over 100 000 of them. All of it
//! comes from a fixed seed, so that two runs and two versions of the program see the same rows.
//!
//! Costs are CPU time (user and system) of the whole process, threads in the background included: a number that other programs on the
//! machine disturb little. Wall time is printed where waiting is what matters.

#![allow(dead_code, reason = "each bench uses a part of this")]

pub mod chunks;
pub mod client;
pub mod server;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use chimera::catalog::Catalog;
use chimera::merge::MergePool;
use chimera::session::{self, ClientGone, ColumnMeta, End, Engine, Parts, Session, Sink, StatementError};
use chimera::sql::values::{self, Lit};
use chimera::storage::{RealDisk, Throttle};
use chimera::table::{Op, Row, Surroundings, Table};
use chimera::types::{Column, ColumnKind, DocId, Schema, Settings, StopToken, TableSettings, Value};

/// Distinct words.
pub const WORDS: usize = 100_000;
/// Words of a row, least and most.
pub const ROW_WORDS: (u64, u64) = (10, 100);

/// SplitMix64: small, seeded, the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        ((self.next() as u128 * n as u128) >> 64) as u64
    }

    /// A number from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Words drawn by Zipf's law: the word of rank r comes with weight 1/r.
pub struct Zipf {
    words: Vec<String>,
    /// Probability of a rank up to this one.
    upto: Vec<f64>,
    /// First rank to look at for each of 4096 equal parts of the unit interval.
    starts: Vec<u32>,
}

impl Zipf {
    /// The language of all benches.
    pub fn new() -> Zipf {
        let mut sum = 0.0;
        let mut upto: Vec<f64> = (1..=WORDS).map(|r| (sum += 1.0 / r as f64, sum).1).collect();
        upto.iter_mut().for_each(|p| *p /= sum);
        let parts = 4096;
        let starts = (0..parts).map(|n| upto.partition_point(|p| *p <= n as f64 / parts as f64) as u32).collect();
        Zipf { words: (0..WORDS).map(word).collect(), upto, starts }
    }

    /// The word of a rank, counted from 0.
    pub fn word(&self, rank: usize) -> &str {
        &self.words[rank]
    }

    fn rank(&self, random: &mut Random) -> usize {
        let at = random.unit();
        let mut rank = self.starts[(at * self.starts.len() as f64) as usize] as usize;
        while self.upto[rank] <= at && rank + 1 < WORDS {
            rank += 1;
        }
        rank
    }

    /// The text of document `id`: the same for the same id.
    pub fn text(&self, id: u64) -> String {
        let mut random = Random(id.wrapping_mul(0x5851_f42d_4c95_7f2d));
        let count = ROW_WORDS.0 + random.below(ROW_WORDS.1 - ROW_WORDS.0 + 1);
        let mut text = String::with_capacity(count as usize * 6);
        for n in 0..count {
            if n > 0 {
                text.push(' ');
            }
            text.push_str(&self.words[self.rank(&mut random)]);
        }
        text
    }

    /// The document `id` as a row of [`schema`].
    pub fn row(&self, id: u64) -> Row {
        (DocId(id), vec![Value::Text(self.text(id)), Value::Int((id % 100) as i64)])
    }

    /// `INSERT INTO table (id,name,type) VALUES …` of the documents `ids`.
    pub fn insert(&self, table: &str, ids: std::ops::Range<u64>) -> String {
        let mut text = format!("INSERT INTO {table} (id,name,type) VALUES ");
        for id in ids.clone() {
            if id > ids.start {
                text.push(',');
            }
            text.push_str(&format!("({id},'{}',{})", self.text(id), id % 100));
        }
        text
    }

    /// Two neighbouring ranks whose words are each in about the share `share` of the rows.
    pub fn pair_in(&self, share: f64) -> (&str, &str) {
        // A row has 55 words on average: a word of probability p is in about 1 − e^(−55 p) of the rows.
        let mean = (ROW_WORDS.0 + ROW_WORDS.1) as f64 / 2.0;
        let wanted = -(1.0 - share).ln() / mean;
        let rank = (1..WORDS).find(|r| self.upto[*r] - self.upto[r - 1] <= wanted).unwrap_or(1);
        (&self.words[rank], &self.words[rank + 1])
    }
}

/// A word that can be spoken, of two or three syllables: frequent ones are shorter.
fn word(rank: usize) -> String {
    const HEADS: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";
    const VOWELS: &[u8; 5] = b"aeiou";
    // Spread, so that neighbours in rank are no neighbours in the dictionary; 7919 and 10 000 have no common factor, nor has 90 000.
    let number = if rank < 10_000 { rank * 7919 % 10_000 } else { 10_000 + (rank - 10_000) * 7919 % 90_000 };
    let mut rest = number;
    let mut text = String::new();
    for _ in 0..if rank < 10_000 { 2 } else { 3 } {
        text.push(HEADS[rest % 20] as char);
        text.push(VOWELS[rest / 20 % 5] as char);
        rest /= 100;
    }
    text
}

/// Columns of the acceptance's rows.
pub fn schema() -> Schema {
    let column = |name: &str, kind, uid, text| Column {
        name: name.into(),
        kind,
        uid,
        indexed: text,
        stored: text,
        attribute: !text,
        columnar: false,
    };
    Schema { version: 1, columns: vec![column("name", ColumnKind::Text, 1, true), column("type", ColumnKind::Uint, 2, false)] }
}

/// An engine on a temporary folder that goes with it, and its one table `t`.
pub struct Bench {
    pub around: Surroundings,
    pub table: Arc<Table>,
    engine: Arc<Engine>,
    catalog: Arc<Catalog>,
    /// Removed last.
    dir: tempfile::TempDir,
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.around.pool.shutdown();
        self.around.stop.stop();
        self.table.close(false);
    }
}

impl Bench {
    /// A new table; `change` alters the server's settings before it is made. Nothing is merged by itself.
    pub fn new(change: impl FnOnce(&mut Settings)) -> Bench {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut settings = Settings {
            data_dir: dir.path().to_owned(),
            binlog_flush: 2,
            auto_optimize: false,
            diskchunk_flush_write_timeout: -1,
            rt_flush_period: 0,
            ..chimera::config::defaults()
        };
        change(&mut settings);
        let threads = settings.threads;
        let settings = Arc::new(ArcSwap::from_pointee(settings));
        let slots = settings.clone();
        let around = Surroundings {
            disk: Arc::new(RealDisk),
            throttle: Arc::new(Throttle::new(settings.clone())),
            stop: StopToken::new(),
            pool: Arc::new(MergePool::new(move || slots.load().parallel_chunk_merges.unwrap_or(1)).expect("a thread")),
            settings,
        };
        let catalog = Arc::new(Catalog::open(around.clone()).expect("an empty folder"));
        let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
        let parts = Parts { catalog: catalog.clone(), stop: StopToken::new(), version: "bench".into(), pool };
        let engine = Engine::new(parts);
        let table = catalog.create("t", schema(), TableSettings::default()).expect("a new table");
        Bench { around, table, engine, catalog, dir }
    }

    /// A new client, without a socket between.
    pub fn session(&self) -> Client {
        Client { session: Session::open(&self.engine, "bench".into()), sink: Counting::default() }
    }

    /// The folder of everything.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Inserts the documents `ids`, a thousand a statement.
    pub fn fill(&self, zipf: &Zipf, ids: std::ops::Range<u64>) {
        let mut from = ids.start;
        while from < ids.end {
            let to = (from + 1000).min(ids.end);
            commit(&self.table, Op::Insert((from..to).map(|id| zipf.row(id)).collect()));
            from = to;
        }
    }

    /// Inserts the documents `ids` and leaves them in `chunks` disk chunks.
    pub fn fill_chunks(&self, zipf: &Zipf, ids: std::ops::Range<u64>, chunks: u64) {
        let rows = ids.end - ids.start;
        for n in 0..chunks {
            self.fill(zipf, ids.start + rows * n / chunks..ids.start + rows * (n + 1) / chunks);
            self.table.flush_ramchunk(&StopToken::new()).expect("a flush");
        }
        assert_eq!(self.table.snapshot().parts.len() as u64, chunks, "rt_mem_limit is too small for chunks of this size");
    }

    /// A line of SHOW TABLE STATUS as a number.
    pub fn status(&self, name: &str) -> u64 {
        let rows = self.table.status();
        rows.iter().find(|(k, _)| k == name).and_then(|(_, v)| v.parse().ok()).unwrap_or_else(|| panic!("no figure '{name}' in the status"))
    }

    /// Returns once nothing works on the table any more: no merge, no flush, no merging of RAM segments.
    pub fn wait_until_quiet(&self) {
        let mut calm = 0;
        let mut before = (self.status("ram_segment_merges"), cpu());
        while calm < 3 {
            std::thread::sleep(Duration::from_millis(40));
            let now = (self.status("ram_segment_merges"), cpu());
            let busy = !self.around.pool.running().is_empty() || self.status("optimizing") > 0 || self.status("ram_bytes_retired") > 0;
            let still = !busy && now.0 == before.0 && now.1 - before.1 < Duration::from_millis(4);
            calm = if still { calm + 1 } else { 0 };
            before = now;
        }
    }
}

/// One statement's effects, committed. Gives the rows that changed.
pub fn commit(table: &Table, op: Op) -> u64 {
    table.commit(vec![op], &StopToken::new()).expect("a commit").affected.iter().sum()
}

/// A session and what it answered.
pub struct Client {
    session: Session,
    sink: Counting,
}

impl Client {
    /// Runs a statement that must succeed. Gives the rows that changed, or the rows of the answer.
    pub fn run(&mut self, text: &str) -> u64 {
        self.sink = Counting::default();
        self.session.run_text(text, &mut self.sink).expect("a sink is never gone");
        if let Some(error) = &self.sink.error {
            panic!("{}: {error}", &text[..text.len().min(200)]);
        }
        self.sink.rows
    }
}

/// Counts what comes.
#[derive(Default)]
struct Counting {
    rows: u64,
    error: Option<StatementError>,
}

impl Sink for Counting {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), ClientGone> {
        Ok(())
    }

    fn row(&mut self, _: &[Value]) -> Result<(), ClientGone> {
        self.rows += 1;
        Ok(())
    }

    fn end(&mut self, _: End) -> Result<(), ClientGone> {
        Ok(())
    }

    fn ok(&mut self, ok: session::Ok) -> Result<(), ClientGone> {
        self.rows = ok.affected;
        Ok(())
    }

    fn error(&mut self, error: &StatementError) -> Result<(), ClientGone> {
        self.error = Some(error.clone());
        Ok(())
    }
}

/// The rows of an INSERT.
pub fn parse_insert(text: &str) -> Vec<Row> {
    let mut scan = values::scan(text).expect("a plain INSERT");
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    while scan.next_row(&mut row).expect("a plain row") {
        let mut cells = row.drain(..);
        let (Some(Lit::Int(id)), Some(Lit::Text(name)), Some(Lit::Int(kind))) = (cells.next(), cells.next(), cells.next()) else {
            panic!("a row of three columns");
        };
        rows.push((DocId(id as u64), vec![Value::Text(name.into_owned()), Value::Int(kind)]));
    }
    rows
}

/// CPU time of this process so far, all threads, user and system.
pub fn cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec through a pointer to one.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(code, 0, "the clock of the process");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// CPU and wall time of an act.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub cpu: Duration,
    pub wall: Duration,
}

impl Cost {
    /// Microseconds of CPU for each of `n`.
    pub fn cpu_us(&self, n: u64) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / n as f64
    }

    /// How many of `n` a second of CPU does.
    pub fn rate(&self, n: u64) -> f64 {
        n as f64 / self.cpu.as_secs_f64()
    }
}

/// What `act` costs the process.
pub fn measure<R>(act: impl FnOnce() -> R) -> (R, Cost) {
    let (cpu_before, wall_before) = (cpu(), Instant::now());
    let result = act();
    (result, Cost { cpu: cpu() - cpu_before, wall: wall_before.elapsed() })
}

/// The median of some figures.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// The figure that the share `share` of all does not exceed.
pub fn percentile(figures: &[f64], share: f64) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => sorted[((n as f64 * share).ceil() as usize).clamp(1, n) - 1],
    }
}

/// `name=value` of the command line, `default` where it is not given: `cargo bench --bench flush -- rows=125000`.
pub fn argument(name: &str, default: u64) -> u64 {
    let given = text_argument(name);
    given.map_or(default, |v| v.replace('_', "").parse().unwrap_or_else(|_| panic!("{name}={v}: a number expected")))
}

/// `name=value` of the command line.
pub fn text_argument(name: &str) -> Option<String> {
    std::env::args().skip(1).find_map(|a| a.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
}

/// Prints a figure beside its target.
pub fn report(what: &str, figure: f64, unit: &str, target: &str) {
    println!("{what:<58} {figure:>12.2} {unit:<12} {target}");
}

/// How often the calling thread has given up its core to wait for something.
pub fn waits() -> u64 {
    // SAFETY: zeros are a valid `rusage`, and the call writes one through a pointer to one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, &mut usage), 0, "figures of the thread");
        usage
    };
    usage.ru_nvcsw as u64
}
