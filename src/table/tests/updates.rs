//! UPDATEd rows and the files that they go into: memory stays bounded, nothing is lost between a page and a map.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::harness::{Model, Step, apply, around, contents, create, open, run};
use crate::merge::{Job, JobContext, JobKind, Reason, Source};
use crate::storage::{CrashDisk, Disk, Keep};
use crate::table::{Surroundings, Table, TableError};
use crate::types::{Progress, Settings, StopToken, TableSettings};

const KEEPS: [Keep; 3] = [Keep::All, Keep::Nothing, Keep::LastWriteTorn];

fn rows(ids: std::ops::RangeInclusive<u64>) -> Step {
    Step::Insert(ids.map(|id| (id, format!("tea number{id}"), id as i64)).collect())
}

fn status(table: &Table, name: &str) -> u64 {
    let value = table.status().into_iter().find(|(n, _)| n == name).map(|(_, v)| v);
    value.and_then(|v| v.parse().ok()).unwrap_or_else(|| panic!("no number {name}"))
}

fn done(around: &Surroundings, table: &mut Arc<Table>, model: &mut Model, step: Step) {
    run(around, table, &step).expect("done");
    apply(model, &step);
}

fn attrs_files(disk: &dyn Disk) -> Vec<String> {
    let names = disk.list("/t".as_ref()).expect("a folder");
    names.iter().map(|n| n.display().to_string()).filter(|n| n.starts_with("attrs.")).collect()
}

/// Files beside those that the manifest names are left to nobody.
fn assert_named(table: &Table, disk: &dyn Disk) {
    let manifest = crate::table::manifest::Manifest::read(disk, table.dir()).expect("sound");
    let mut named: Vec<String> = manifest.all_chunks().flat_map(|c| c.attrs.iter().map(|n| format!("attrs.{n}"))).collect();
    named.sort();
    let mut found = attrs_files(disk);
    found.sort();
    assert_eq!(found, named);
}

#[test]
fn updates_without_end_keep_memory_and_log_bounded() {
    const ROWS: u64 = 8_000;
    const BATCH: u64 = 250;
    const LIMIT: usize = 100_000;
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let (mut table, mut model) = (create(&around_whole), Model::new());
    table.edits_limit.store(LIMIT, Ordering::Relaxed);
    done(&around_whole, &mut table, &mut model, rows(1..=ROWS));
    done(&around_whole, &mut table, &mut model, Step::FlushRam);
    let mut largest = 0;
    for round in 0..6 {
        for first in (1..=ROWS).step_by(BATCH as usize) {
            let changes = (first..first + BATCH).map(|id| (id, round * 100_000 + id as i64)).collect();
            done(&around_whole, &mut table, &mut model, Step::Update(changes));
            largest = largest.max(table.snapshot().unfiled_bytes());
        }
    }
    // The batch that found room just below four times the limit adds its own images and pages.
    let batch = BATCH as usize * 200 + 10_000;
    assert!(largest < 4 * LIMIT + batch, "{largest}");
    assert_eq!(contents(&table), model);
    // 6 × 8 000 changes of about 40 bytes were logged; the RAM chunk is empty, so each write-out trims.
    done(&around_whole, &mut table, &mut model, Step::WriteOut);
    assert!(status(&table, "binlog_bytes") < 100, "{}", status(&table, "binlog_bytes"));
    assert_eq!(status(&table, "tid"), status(&table, "tid_saved"));
    assert!(table.snapshot().unfiled_bytes() == 0);
    assert_named(&table, &disk);
    let files: u64 = attrs_files(&disk).iter().map(|n| disk.len(&std::path::Path::new("/t").join(n)).expect("there")).sum();
    let chunk = &table.disk_chunks()[0];
    assert_eq!((chunk.updated, status(&table, "disk_bytes")), (ROWS, chunk.parts.iter().map(|p| p.1).sum()));
    assert_eq!(table.snapshot().parts[0].edits.file_bytes(), files);
    for keep in KEEPS {
        let after = open(&around(disk.survivor(keep))).expect("opens");
        assert_eq!(contents(&after), model, "{keep:?}");
        assert!(after.snapshot().unfiled_bytes() == 0, "what was written out does not come back into memory");
    }
}

/// A long log of UPDATEs is not replayed into memory without bound.
#[test]
fn replay_writes_out_too() {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let (mut table, mut model) = (create(&around_whole), Model::new());
    table.edits_limit.store(usize::MAX, Ordering::Relaxed);
    done(&around_whole, &mut table, &mut model, rows(1..=60_000));
    done(&around_whole, &mut table, &mut model, Step::FlushRam);
    for round in 0..4 {
        let changes = (1..=60_000).map(|id| (id, round * 100_000 + id as i64)).collect();
        done(&around_whole, &mut table, &mut model, Step::Update(changes));
    }
    assert!(status(&table, "binlog_bytes") > 4_000_000);
    let after = open(&around(disk.survivor(Keep::Nothing))).expect("opens");
    after.edits_limit.store(1_000_000, Ordering::Relaxed);
    assert_eq!(contents(&after), model);
    let before = after.snapshot().unfiled_bytes();
    assert!(before < 8_000_000, "{before}");
}

/// Rows that wait in RAM keep the log, unless saving them costs less than what was logged since.
#[test]
fn the_log_is_trimmed_beside_a_small_ram_chunk() {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let (mut table, mut model) = (create(&around_whole), Model::new());
    for step in [rows(1..=200), Step::FlushRam, rows(201..=300)] {
        done(&around_whole, &mut table, &mut model, step);
    }
    done(&around_whole, &mut table, &mut model, Step::Update(vec![(1, -1)]));
    let (saved, logged) = (status(&table, "tid_saved"), status(&table, "binlog_bytes"));
    assert!(status(&table, "ram_chunk") * 2 > logged);
    done(&around_whole, &mut table, &mut model, Step::WriteOut);
    assert_eq!((status(&table, "tid_saved"), status(&table, "binlog_bytes")), (saved, logged));
    assert_eq!(attrs_files(&disk).len(), 1);
    while status(&table, "ram_chunk") * 2 > status(&table, "binlog_bytes") {
        done(&around_whole, &mut table, &mut model, Step::Update((1..=200).map(|id| (id, id as i64 * 3)).collect()));
    }
    done(&around_whole, &mut table, &mut model, Step::WriteOut);
    assert!(status(&table, "binlog_bytes") < 100);
    assert_eq!(status(&table, "tid_saved"), status(&table, "tid"));
    assert_eq!(status(&table, "disk_chunks"), 1, "saved, not flushed");
    for keep in KEEPS {
        assert_eq!(contents(&open(&around(disk.survivor(keep))).expect("opens")), model, "{keep:?}");
    }
}

/// UPDATEs of rows in RAM count towards the RAM chunk, so that it is flushed in time.
#[test]
fn updates_in_ram_count_towards_its_limit() {
    let around_whole = around(CrashDisk::new());
    let (mut table, mut model) = (create(&around_whole), Model::new());
    done(&around_whole, &mut table, &mut model, rows(1..=2_000));
    let before = status(&table, "ram_chunk");
    done(&around_whole, &mut table, &mut model, Step::Update((1..=1_000).map(|id| (id, 7)).collect()));
    let after = status(&table, "ram_chunk");
    assert!(after >= before + 1_000 * 88, "{before} {after}");
    {
        let writer = table.writer.lock();
        let lexicon = table.lexicon.read().memory_bytes() as u64;
        assert_eq!(writer.active_bytes as u64 + lexicon, after);
    }
    assert_eq!(table.snapshot().unfiled_bytes(), 0, "not those of disk chunks");
    // Room for the first thousand, not for the second.
    let settings = TableSettings { rt_mem_limit: Some(after + 10_000), ..TableSettings::default() };
    table.alter_settings(settings).expect("altered");
    done(&around_whole, &mut table, &mut model, Step::Update((1_001..=2_000).map(|id| (id, 8)).collect()));
    let end = Instant::now() + Duration::from_secs(30);
    while status(&table, "disk_chunks") == 0 {
        assert!(Instant::now() < end, "no flush");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(contents(&table), model);
}

fn pause(around: &Surroundings, paused: bool) {
    around.settings.rcu(|s| Settings { merge_paused: paused, ..Settings::clone(s) });
}

/// A merge of all chunks that has pinned its inputs and goes on only when the pause ends.
fn merge_begun(around: &Surroundings, table: &Arc<Table>, keep: bool) -> std::thread::JoinHandle<()> {
    pause(around, true);
    if keep {
        table.begin_keeping(0).expect("none kept");
    }
    let (table, progress) = (table.clone(), Arc::<Progress>::default());
    let watched = progress.clone();
    let merging = std::thread::spawn(move || {
        let (inputs, bytes) = (table.chunks().iter().map(|c| c.id).collect(), 1);
        let job = Job { kind: JobKind::Merge, inputs, bytes, reason: Reason::AskedSize { target: 1 } };
        let context = JobContext { stop: StopToken::new(), progress, spare: None };
        table.run(&job, &context).expect("merged");
    });
    while watched.expected() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    merging
}

/// Rows are UPDATEd before a merge, during it in memory, during it and written out, and after; some of them in turn.
#[test]
fn a_merge_carries_over_what_was_written_out_meanwhile() {
    for keep in [false, true] {
        let disk = CrashDisk::new();
        let around_whole = around(disk.clone());
        let (mut table, mut model) = (create(&around_whole), Model::new());
        for step in [rows(1..=600), Step::FlushRam, rows(601..=1_200), Step::FlushRam] {
            done(&around_whole, &mut table, &mut model, step);
        }
        let every = |step: usize, n: i64| Step::Update((1..=1_200).step_by(step).map(|id| (id, n * 10_000 + id as i64)).collect());
        for step in [every(2, 1), Step::WriteOut, every(3, 2)] {
            done(&around_whole, &mut table, &mut model, step);
        }
        let merging = merge_begun(&around_whole, &table, keep);
        for step in [
            every(5, 3),
            Step::Delete((1..=1_200).step_by(7).collect()),
            Step::WriteOut,
            every(11, 4),
            // Back to what it was when the merge began, and away from it again.
            Step::Update(vec![(1, 20_001)]),
            Step::WriteOut,
            every(13, 5),
            Step::Update(vec![(1, 1)]),
            Step::WriteOut,
            Step::Replace(vec![(30, "tea again".into(), 30)]),
            every(17, 6),
        ] {
            done(&around_whole, &mut table, &mut model, step);
        }
        pause(&around_whole, false);
        merging.join().expect("no panic");
        assert_eq!(table.snapshot().disk_chunks, 1);
        assert_eq!(contents(&table), model, "keep {keep}");
        assert_named(&table, &disk);
        let edits = &table.snapshot().parts[0].edits;
        // Only what changed since the merge began: rows 1 + 5n, 11n, 13n, 17n, less the dead ones.
        assert!(edits.is_filed() && (300..450).contains(&edits.count()), "{}", edits.count());
        for disk in KEEPS.map(|k| disk.survivor(k)) {
            assert_eq!(contents(&open(&around(disk)).expect("opens")), model, "keep {keep}");
        }
        if keep {
            table.end_keeping();
            done(&around_whole, &mut table, &mut model, every(19, 7));
            done(&around_whole, &mut table, &mut model, Step::WriteOut);
            done(&around_whole, &mut table, &mut model, every(23, 8));
            done(&around_whole, &mut table, &mut model, Step::RollBack);
            assert_eq!((table.snapshot().disk_chunks, contents(&table) == model), (2, true));
            assert_named(&table, &disk);
        }
        done(&around_whole, &mut table, &mut model, Step::Reopen);
        assert_eq!(contents(&table), model, "keep {keep}");
    }
}

/// UPDATEs go on in other threads while files are written: each of them holds.
#[test]
fn updates_during_write_outs_hold() {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let (mut table, mut model) = (create(&around_whole), Model::new());
    done(&around_whole, &mut table, &mut model, rows(1..=400));
    done(&around_whole, &mut table, &mut model, Step::FlushRam);
    std::thread::scope(|scope| {
        for part in 0..2 {
            let (around, mut table) = (&around_whole, table.clone());
            scope.spawn(move || {
                for round in 0..200 {
                    for id in (1..=400).filter(|id| id % 2 == part).skip(round % 50).step_by(50) {
                        run(around, &mut table, &Step::Update(vec![(id, (round * 1_000) as i64 + id as i64)])).expect("an update");
                    }
                }
            });
        }
        let writing = table.clone();
        scope.spawn(move || (0..100).for_each(|_| writing.write_edits_out().expect("room")));
    });
    for round in 0..200 {
        for part in 0..2 {
            for id in (1..=400).filter(|id| id % 2 == part).skip(round % 50).step_by(50) {
                apply(&mut model, &Step::Update(vec![(id, (round * 1_000) as i64 + id as i64)]));
            }
        }
    }
    assert_eq!(contents(&table), model);
    for keep in KEEPS {
        assert_eq!(contents(&open(&around(disk.survivor(keep))).expect("opens")), model, "{keep:?}");
    }
}

/// Where a file cannot be written UPDATEs go on until memory ends, and then say why.
#[test]
fn updates_that_cannot_be_written_out_end_with_a_reason() {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    // The log is in memory only, so that a full disk stops the write-outs alone.
    around_whole.settings.rcu(|s| Settings { binlog_enabled: false, ..Settings::clone(s) });
    let (mut table, mut model) = (create(&around_whole), Model::new());
    table.edits_limit.store(30_000, Ordering::Relaxed);
    done(&around_whole, &mut table, &mut model, rows(1..=5_000));
    done(&around_whole, &mut table, &mut model, Step::FlushRam);
    disk.set_space(Some(100));
    let error = (1..=100u64).find_map(|n| {
        let step = Step::Update((n * 40..n * 40 + 40).map(|id| (id, -1)).collect());
        match run(&around_whole, &mut table, &step) {
            Ok(()) => {
                apply(&mut model, &step);
                None
            }
            Err(error) => Some(error.to_string()),
        }
    });
    let error = error.expect("memory has an end");
    assert!(error.starts_with("the updated rows of table 't' cannot be written out: "), "{error}");
    assert!(table.snapshot().unfiled_bytes() < 4 * 30_000 + 20_000);
    disk.set_space(None);
    done(&around_whole, &mut table, &mut model, Step::WriteOut);
    done(&around_whole, &mut table, &mut model, Step::Update(vec![(1, -2)]));
    assert_eq!(contents(&table), model);
    assert_named(&table, &disk);
}

/// CHECK TABLE finds every turned bit of the files of UPDATEd rows, and so does a start after a kill; a clean start opens without a panic.
#[test]
fn a_turned_bit_in_updated_rows_is_found() {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let (mut table, mut model) = (create(&around_whole), Model::new());
    for step in [rows(1..=70), Step::FlushRam, Step::Update(vec![(1, -5), (66, -7)]), Step::WriteOut] {
        done(&around_whole, &mut table, &mut model, step);
    }
    assert_eq!(table.check(&table.stop).expect("readable"), Vec::<String>::new());
    let killed = disk.survivor(Keep::Nothing);
    let name = attrs_files(&disk).pop().expect("a file");
    let path = std::path::Path::new("/t").join(&name);
    let sound = disk.read(&path).expect("there");
    for at in 0..sound.len() {
        let mut bad = sound.clone();
        bad[at] ^= 1 << (at % 8);
        disk.overwrite(&path, &bad);
        let faults = table.check(&table.stop).expect("readable");
        assert!(faults.len() == 1 && faults[0].contains(&name), "byte {at}: {faults:?}");
        let after = killed.survivor(Keep::All);
        after.overwrite(&path, &bad);
        let error = open(&around(after)).err().unwrap_or_else(|| panic!("byte {at} is not seen")).to_string();
        assert!(error.contains(&name), "byte {at}: {error}");
    }
    disk.overwrite(&path, &sound);
    done(&around_whole, &mut table, &mut model, Step::Reopen);
    table.close(true);
    let clean = disk.survivor(Keep::Nothing);
    for at in 0..sound.len() {
        let mut bad = sound.clone();
        bad[at] ^= 1 << (at % 8);
        let after = clean.survivor(Keep::All);
        after.overwrite(&path, &bad);
        let around = around(after);
        if let Ok(table) = open(&around) {
            let faults = table.check(&table.stop).expect("readable");
            assert!(faults.len() == 1 && faults[0].contains(&name), "byte {at}: {faults:?}");
            let snapshot = table.snapshot();
            let view = &snapshot.parts[0];
            (0..70).for_each(|row| drop(view.part.layout().value(view.row(crate::types::RowId(row)), 1)));
            table.close(false);
        }
        around.pool.shutdown();
    }
}

/// What was damaged on disk is not written anew under a checksum that fits, neither by a merge nor with newer UPDATEs.
#[test]
fn damaged_updates_are_not_written_anew() {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let (mut table, mut model) = (create(&around_whole), Model::new());
    let steps = [rows(1..=70), Step::FlushRam, rows(71..=140), Step::FlushRam, Step::Update(vec![(1, -5), (66, -7)]), Step::WriteOut];
    steps.into_iter().for_each(|step| done(&around_whole, &mut table, &mut model, step));
    table.close(true);
    drop(table);
    let name = attrs_files(&disk).pop().expect("a file");
    let path = std::path::Path::new("/t").join(&name);
    let mut bad = disk.read(&path).expect("there");
    let at = bad.len() - 10;
    bad[at] ^= 1;
    disk.overwrite(&path, &bad);
    let mut table = open(&around_whole).expect("opens: a clean start reads no whole files");
    for step in [Step::Optimize(1), Step::Update(vec![(2, -9)]), Step::WriteOut] {
        match (run(&around_whole, &mut table, &step), &step) {
            (Ok(()), Step::Update(_)) => {}
            (Err(error), _) if error.to_string().contains(&name) => {}
            (result, step) => panic!("{step:?}: {result:?}"),
        }
    }
    assert_eq!((disk.read(&path).expect("there") == bad, table.snapshot().disk_chunks), (true, 2));
}

/// The folder of a table that was closed may be another's by now.
#[test]
fn a_closed_table_writes_nothing() {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let (mut table, mut model) = (create(&around_whole), Model::new());
    for step in [rows(1..=70), Step::FlushRam, Step::Update(vec![(1, -5)])] {
        done(&around_whole, &mut table, &mut model, step);
    }
    table.close(false);
    let before = disk.operations();
    assert!(matches!(table.write_edits_out(), Err(TableError::Stopped(_))));
    assert!(matches!(table.flush_ramchunk(&StopToken::new()), Err(TableError::Stopped(_))));
    assert!(matches!(table.forget_kept(), Err(TableError::Stopped(_))));
    assert_eq!(disk.operations(), before);
}

/// Tables of a format before this one are refused with the file's name.
#[test]
fn an_older_manifest_is_refused() {
    let disk = CrashDisk::new();
    create(&around(disk.clone())).close(true);
    let text = String::from_utf8(disk.read("/t/manifest".as_ref()).expect("there")).expect("text");
    let line = text.lines().next().expect("a line").replace("\"format\":2", "\"format\":1");
    disk.overwrite("/t/manifest".as_ref(), format!("{line}\ncrc32 {:08x}\n", crc32fast::hash(line.as_bytes())).as_bytes());
    let error = open(&around(disk)).err().expect("refused").to_string();
    assert_eq!(error, "/t/manifest: format 1, oldest known is 2");
}
