//! A table on a double of a disk, a script of operations, and the naive model that says what must be there.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arc_swap::ArcSwap;

use crate::merge::{Busy, Job, JobContext, JobKind, MergePool, Reason, Source};
use crate::storage::{CrashDisk, Throttle};
use crate::table::{Op, OptimizeRequest, Row, Surroundings, Table, TableError};
use crate::types::{Column, ColumnKind, DocId, Schema, Settings, StopToken, TableSettings, Value};

/// What a table must hold: text and number of each document.
pub type Model = BTreeMap<u64, (String, i64)>;

/// One operation of a script.
#[derive(Clone, Debug)]
pub enum Step {
    Insert(Vec<(u64, String, i64)>),
    Replace(Vec<(u64, String, i64)>),
    Delete(Vec<u64>),
    Update(Vec<(u64, i64)>),
    FlushRam,
    Save,
    /// UPDATEd rows go into files, as they do past a size.
    WriteOut,
    Optimize(u32),
    /// All disk chunks become so many of equal size.
    Regroup(u64),
    /// OPTIMIZE that keeps its inputs.
    Keep(u32),
    /// The kept chunks are put back, if there are any.
    RollBack,
    /// The kept chunks go, if there are any.
    Forget,
    Truncate,
    Reopen,
}

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
    Schema { version: 1, columns: vec![column("title", ColumnKind::Text, 1, true), column("n", ColumnKind::Bigint, 2, false)] }
}

/// Surroundings on `disk`: nothing happens by itself, every commit is synced.
pub fn around(disk: CrashDisk) -> Surroundings {
    let settings = Settings {
        data_dir: PathBuf::from("/"),
        threads: 2,
        binlog_flush: 1,
        auto_optimize: false,
        diskchunk_flush_write_timeout: -1,
        rt_flush_period: 0,
        ..crate::config::defaults()
    };
    let settings = Arc::new(ArcSwap::from_pointee(settings));
    Surroundings {
        disk: Arc::new(disk),
        throttle: Arc::new(Throttle::new(settings.clone())),
        settings,
        stop: StopToken::new(),
        pool: Arc::new(MergePool::new(|| 2).expect("a thread")),
    }
}

pub const DIR: &str = "/t";

/// A fresh table.
pub fn create(around: &Surroundings) -> Arc<Table> {
    Table::create_files(around, DIR.as_ref(), 7, schema(), TableSettings::default()).expect("a new table");
    around.disk.sync_dir("/".as_ref()).expect("a folder");
    open(around).expect("a new table opens")
}

pub fn open(around: &Surroundings) -> Result<Arc<Table>, TableError> {
    Table::open(around.clone(), DIR.into(), "t")
}

fn rows(rows: &[(u64, String, i64)]) -> Vec<Row> {
    rows.iter().map(|(id, text, n)| (DocId(*id), vec![Value::Text(text.clone()), Value::Int(*n)])).collect()
}

/// Does one step. The table is replaced by REOPEN.
pub fn run(around: &Surroundings, table: &mut Arc<Table>, step: &Step) -> Result<(), TableError> {
    let stop = StopToken::new();
    let commit = |op| table.commit(vec![op], &stop).map(|_| ());
    match step {
        Step::Insert(new) => commit(Op::Insert(rows(new))),
        Step::Replace(new) => commit(Op::Replace(rows(new))),
        Step::Delete(ids) => commit(Op::Delete { ids: ids.iter().map(|i| DocId(*i)).collect(), seen: None }),
        Step::Update(changes) => {
            let rows = changes.iter().map(|(id, n)| (DocId(*id), vec![(1, Value::Int(*n))])).collect();
            commit(Op::Update { rows, seen: None })
        }
        Step::FlushRam => table.flush_ramchunk(&stop),
        Step::Save => table.flush_table(),
        Step::WriteOut => table.write_edits_out(),
        Step::Optimize(cutoff) => {
            table.optimize(&OptimizeRequest { cutoff: Some(*cutoff), sync: true, ..OptimizeRequest::default() }, &stop)
        }
        Step::Regroup(parts) => regroup(table, *parts),
        Step::Keep(cutoff) => {
            table.forget_kept()?;
            let request = OptimizeRequest { cutoff: Some(*cutoff), sync: true, keep_seconds: Some(0), ..OptimizeRequest::default() };
            table.optimize(&request, &stop)
        }
        Step::RollBack if table.kept_space().is_none() => Ok(()),
        Step::RollBack => table.roll_back(&stop),
        Step::Forget => table.forget_kept().map(|_| ()),
        Step::Truncate => table.truncate(),
        Step::Reopen => {
            table.close(true);
            let limit = table.edits_limit();
            *table = open(around)?;
            table.edits_limit.store(limit, Ordering::Relaxed);
            Ok(())
        }
    }
}

/// The job that a forced merge by size would run, without the least size that the planner keeps to.
fn regroup(table: &Table, parts: u64) -> Result<(), TableError> {
    let chunks: Vec<_> = table.chunks().into_iter().filter(|c| c.busy == Busy::Free).collect();
    let bytes: u64 = chunks.iter().map(|c| c.bytes).sum();
    let job = Job {
        kind: JobKind::Regroup { outputs: vec![bytes / parts; parts as usize] },
        inputs: chunks.iter().map(|c| c.id).collect(),
        bytes,
        reason: Reason::AskedSize { target: bytes / parts },
    };
    if chunks.is_empty() {
        return Ok(());
    }
    // On one thread, so that operations come in one order.
    let context = JobContext { stop: StopToken::new(), progress: Arc::default(), spare: None };
    table.run(&job, &context).map(|_| ()).map_err(TableError::Failed)
}

/// What the step does to a model. False where it must be refused.
pub fn apply(model: &mut Model, step: &Step) -> bool {
    match step {
        Step::Insert(rows) => {
            if rows.iter().any(|r| model.contains_key(&r.0)) {
                return false;
            }
            model.extend(rows.iter().map(|(id, text, n)| (*id, (text.clone(), *n))));
        }
        Step::Replace(rows) => model.extend(rows.iter().map(|(id, text, n)| (*id, (text.clone(), *n)))),
        Step::Delete(ids) => ids.iter().for_each(|id| drop(model.remove(id))),
        Step::Update(changes) => {
            for (id, n) in changes {
                if let Some(row) = model.get_mut(id) {
                    row.1 = *n;
                }
            }
        }
        Step::Truncate => model.clear(),
        Step::FlushRam | Step::Save | Step::WriteOut | Step::Optimize(_) | Step::Regroup(_) => {}
        Step::Keep(_) | Step::RollBack | Step::Forget | Step::Reopen => {}
    }
    true
}

/// What the table holds, read from its newest snapshot; panics where a document is alive twice or cannot be found by id.
pub fn contents(table: &Table) -> Model {
    use crate::chunk::Part;
    let snapshot = table.snapshot();
    let mut model = Model::new();
    for view in &snapshot.parts {
        for row in (0..view.part.row_count()).map(crate::types::RowId).filter(|r| !view.dead.contains(*r)) {
            let id = view.part.doc_id(row);
            let mut text = String::new();
            crate::with_part!(&view.part, p => p.stored(row, &mut |_, t| text = t.to_owned())).expect("readable");
            let Value::Int(n) = view.part.layout().value(view.row(row), 1) else { panic!("a number") };
            assert!(model.insert(id.0, (text, n)).is_none(), "document {id} is alive twice");
            assert!(snapshot.locate(id).is_some(), "document {id} cannot be found by id");
        }
    }
    model
}

/// Rows that hold `word`, by id.
pub fn search(table: &Table, word: &str) -> Vec<u64> {
    use crate::chunk::{NO_ROW, Part, Postings};
    let snapshot = table.snapshot();
    let mut ids = Vec::new();
    for view in &snapshot.parts {
        crate::with_part!(&view.part, p => {
            if let Some(mut cursor) = p.any_postings(word.as_bytes()).expect("readable") {
                while cursor.row() != NO_ROW {
                    let row = crate::types::RowId(cursor.row());
                    if !view.dead.contains(row) {
                        ids.push(p.doc_id(row).0);
                    }
                    cursor.advance();
                }
            }
        });
    }
    ids.sort_unstable();
    ids
}

/// A deterministic random script.
pub fn script(seed: u64, steps: usize) -> Vec<Step> {
    let mut random = Random(seed);
    let words = ["red", "green", "blue", "tea", "rose", "stone", "river"];
    let row = move |random: &mut Random| {
        let text = (0..random.below(6) + 1).map(|_| words[random.below(7) as usize]).collect::<Vec<_>>().join(" ");
        (random.below(60) + 1, text, random.below(1000) as i64)
    };
    let unique = |random: &mut Random, count: u64| {
        let mut rows: Vec<(u64, String, i64)> = (0..count).map(|_| row(random)).collect();
        rows.sort();
        rows.dedup_by_key(|r| r.0);
        rows
    };
    (0..steps)
        .map(|_| match random.below(100) {
            0..25 => {
                let count = random.below(4) + 1;
                Step::Insert(unique(&mut random, count))
            }
            25..55 => {
                let count = random.below(8) + 1;
                Step::Replace(unique(&mut random, count))
            }
            55..70 => Step::Delete((0..random.below(3) + 1).map(|_| random.below(60) + 1).collect()),
            70..80 => Step::Update((0..random.below(3) + 1).map(|_| (random.below(60) + 1, random.below(1000) as i64)).collect()),
            80..83 => {
                let n = random.below(1000) as i64;
                Step::Update((1..=60).filter(|_| random.below(3) > 0).map(|id| (id, n + id as i64)).collect())
            }
            83..86 => Step::WriteOut,
            86..90 => Step::FlushRam,
            90 => Step::Save,
            91..93 => Step::Optimize(random.below(3) as u32 + 1),
            93 => Step::Regroup(random.below(3) + 2),
            94 => Step::Keep(random.below(2) as u32 + 1),
            95 => Step::RollBack,
            96 => Step::Forget,
            97 => Step::Truncate,
            _ => Step::Reopen,
        })
        .collect()
}

/// SplitMix64: small, seeded, the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}
