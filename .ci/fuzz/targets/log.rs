//! The binary log: replay of any bytes at the start of a table.
//!
//! The first byte says what the rest is: a log file as it is; or pieces, each with a length (2) and a head (1) in front, that become records
//! with sound checksums, in one or two files, of which some bytes may be damaged.
//!
//! Must hold: opening ends with a table or with an error, never with a panic; a table that opened can be read whole, closed and opened again, and
//! then holds the same documents.

#![no_main]

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use chimera::chunk::{AnyPart, Part};
use chimera::merge::MergePool;
use chimera::storage::{CrashDisk, Disk, Keep, Throttle};
use chimera::table::{Surroundings, Table};
use chimera::types::{Column, ColumnKind, RowId, Schema, Settings, StopToken, TableSettings};
use libfuzzer_sys::fuzz_target;

const UUID: u128 = 7;
const DIR: &str = "/t";

fn schema() -> Schema {
    let column = |(n, (name, kind)): (usize, (&str, ColumnKind))| {
        let text = kind == ColumnKind::Text;
        Column { name: name.to_owned(), kind, uid: n as u32 + 1, indexed: text, stored: text, attribute: !text, columnar: false }
    };
    let columns = [
        ("f", ColumnKind::Text),
        ("n", ColumnKind::Uint),
        ("s", ColumnKind::String),
        ("x", ColumnKind::Float),
        ("m", ColumnKind::Multi),
        ("j", ColumnKind::Json),
    ];
    Schema { version: 1, columns: columns.into_iter().enumerate().map(column).collect() }
}

/// A table without rows, and what every opening of a copy of it needs besides a disk.
fn empty() -> &'static (CrashDisk, Surroundings) {
    static EMPTY: OnceLock<(CrashDisk, Surroundings)> = OnceLock::new();
    EMPTY.get_or_init(|| {
        let settings = Settings {
            data_dir: PathBuf::from("/"),
            threads: 1,
            binlog_flush: 2,
            auto_optimize: false,
            diskchunk_flush_write_timeout: -1,
            rt_flush_period: 0,
            ..chimera::config::defaults()
        };
        let settings = Arc::new(ArcSwap::from_pointee(settings));
        let disk = CrashDisk::new();
        let around = Surroundings {
            disk: Arc::new(disk.clone()),
            throttle: Arc::new(Throttle::new(settings.clone())),
            settings,
            stop: StopToken::new(),
            pool: Arc::new(MergePool::new(|| 1).expect("a thread")),
        };
        Table::create_files(&around, DIR.as_ref(), UUID, schema(), TableSettings::default()).expect("a table");
        disk.create_dir(Path::new("/t/binlog")).expect("a folder");
        (disk, around)
    })
}

/// The header of a log file, as `table::log::record` writes it.
fn file_header(number: u64) -> Vec<u8> {
    let mut out = b"CHIMLOG1".to_vec();
    out.extend(UUID.to_le_bytes());
    out.extend(number.to_le_bytes());
    out.extend(crc32fast::hash(&out).to_le_bytes());
    out
}

fn record(out: &mut Vec<u8>, lsn: u64, schema_version: u32, payload: &[u8]) {
    let mut head = 0x4C6F_6752_u32.to_le_bytes().to_vec();
    head.extend((payload.len() as u32).to_le_bytes());
    head.extend(lsn.to_le_bytes());
    head.extend(0u32.to_le_bytes());
    head.extend(schema_version.to_le_bytes());
    head.extend(crc32fast::hash(payload).to_le_bytes());
    let mut crc = crc32fast::Hasher::new_with_initial(UUID as u32 ^ (UUID >> 64) as u32);
    crc.update(&head);
    head.extend(crc.finalize().to_le_bytes());
    out.extend(head);
    out.extend(payload);
}

/// The log files of an input.
fn files(data: &[u8]) -> Vec<Vec<u8>> {
    let Some((how, mut rest)) = data.split_first() else { return Vec::new() };
    if how & 1 == 1 {
        return vec![[&file_header(1)[..if how & 2 == 0 { 36 } else { 0 }], rest].concat()];
    }
    let mut files = vec![file_header(1)];
    let mut lsn = 1;
    while let Some((&[low, high, head], tail)) = rest.split_first_chunk::<3>() {
        let length = usize::from(u16::from_le_bytes([low, high]) & 0x03ff).min(tail.len());
        let (payload, tail) = tail.split_at(length);
        if head & 0x0f == 1 {
            files.push(file_header(files.len() as u64 + 1));
        }
        if head & 0x0f == 2 {
            lsn += 1;
        }
        let last = files.last_mut().expect("one at least");
        record(last, lsn, if head & 0x0f == 3 { 2 } else { 1 }, payload);
        if head & 0x0f == 4 {
            let at = last.len() - 1 - length.min(usize::from(head >> 4));
            last[at] ^= 1;
        }
        lsn += 1;
        rest = tail;
    }
    if how & 6 == 6 {
        let last = files.last_mut().expect("one at least");
        last.truncate(last.len().saturating_sub(usize::from(how >> 3)));
    }
    files
}

/// Everything that a table holds, by document.
fn documents(table: &Table) -> Vec<(u64, String)> {
    let (snapshot, schema) = (table.snapshot(), table.schema());
    let mut all = Vec::new();
    for view in &snapshot.parts {
        for row in (0..view.part.row_count()).map(RowId).filter(|row| !view.dead.contains(*row)) {
            let layout = view.part.layout();
            let mut text = String::new();
            for (n, _) in schema.columns.iter().enumerate().filter(|(_, c)| c.attribute) {
                text.push_str(&format!("{:?} ", layout.value(view.row(row), n)));
            }
            let mut take = |n: usize, stored: &str| text.push_str(&format!("{n} {stored:?} "));
            match &view.part {
                AnyPart::Ram(part) => part.stored(row, &mut take),
                AnyPart::Disk(part) => part.stored(row, &mut take),
            }
            .expect("sound rows");
            all.push((view.part.doc_id(row).0, text));
        }
    }
    all.sort();
    all
}

fuzz_target!(|data: &[u8]| {
    let (disk, around) = empty();
    let disk = disk.survivor(Keep::All);
    for (n, bytes) in files(data).into_iter().enumerate() {
        disk.create(&PathBuf::from(format!("/t/binlog/{:06}.log", n + 1))).expect("a file").write(&bytes).expect("space");
    }
    let around = Surroundings { disk: Arc::new(disk), ..around.clone() };
    let table = match Table::open(around.clone(), DIR.into(), "t") {
        Ok(table) => table,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let before = documents(&table);
    assert!(before.windows(2).all(|pair| pair[0].0 < pair[1].0), "a document is there twice");
    // Saved or not, the next start finds the same.
    table.close(data.len() % 2 == 0);
    drop(table);
    let table = Table::open(around, DIR.into(), "t").expect("it opened before");
    assert_eq!(documents(&table), before);
    table.close(false);
});
