//! The two well-known ways to lose rows, each by itself.

use super::harness::{Step, around, contents, create, open, run};
use crate::storage::{CrashDisk, Keep};

fn row(id: u64) -> (u64, String, i64) {
    (id, format!("tea number{id}"), id as i64)
}

/// A row sits in RAM while OPTIMIZE runs and writes its manifest; then the server is killed.
#[test]
fn a_merge_does_not_trim_what_is_only_in_ram() {
    for keep in [Keep::All, Keep::Nothing, Keep::LastWriteTorn] {
        let disk = CrashDisk::new();
        let around_whole = around(disk.clone());
        let mut table = create(&around_whole);
        for step in [
            Step::Insert(vec![row(1)]),
            Step::FlushRam,
            Step::Insert(vec![row(2)]),
            Step::FlushRam,
            Step::Insert(vec![row(3)]),
            Step::Delete(vec![1]),
            Step::Optimize(1),
        ] {
            run(&around_whole, &mut table, &step).expect("no crash yet");
        }
        let after = open(&around(disk.survivor(keep))).expect("opens");
        assert_eq!(contents(&after).keys().copied().collect::<Vec<_>>(), [2, 3], "{keep:?}");
    }
}

/// Kills that arrive while a chunk is being built must hold for the chunk.
#[test]
fn kills_during_a_flush_reach_the_new_chunk() {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let mut table = create(&around_whole);
    run(&around_whole, &mut table, &Step::Insert((1..=2000).map(row).collect())).expect("room");
    let flushing = table.clone();
    let flush = std::thread::spawn(move || flushing.flush_ramchunk(&crate::types::StopToken::new()));
    // Wherever the flush is by now, each of these is acknowledged and must hold afterwards.
    for id in 1..=500 {
        run(&around_whole, &mut table, &Step::Delete(vec![id])).expect("a delete");
        run(&around_whole, &mut table, &Step::Update(vec![(id + 1000, -1)])).expect("an update");
        run(&around_whole, &mut table, &Step::Replace(vec![(id + 500, "again".into(), -2)])).expect("a replace");
    }
    flush.join().expect("no panic").expect("flushed");
    let check = |found: super::harness::Model, case: &str| {
        assert_eq!(found.len(), 1500, "{case}");
        assert!(found.keys().all(|id| *id > 500), "{case}");
        assert!((1001..=1500).all(|id| found[&id].1 == -1), "{case}");
        assert!((501..=1000).all(|id| found[&id].0 == "again"), "{case}");
    };
    check(contents(&table), "alive");
    for keep in [Keep::All, Keep::Nothing, Keep::LastWriteTorn] {
        let after = open(&around(disk.survivor(keep))).expect("opens");
        check(contents(&after), &format!("{keep:?}"));
    }
}

/// A flush fails on a full disk and leaves its rows sealed; then the RAM chunk is saved, flushed in part, and the server is killed.
#[test]
fn a_failed_flush_and_a_saved_ram_chunk_do_not_lose_each_others_rows() {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let mut table = create(&around_whole);
    run(&around_whole, &mut table, &Step::Insert((1..=200).map(row).collect())).expect("room");
    disk.set_space(Some(2_000));
    run(&around_whole, &mut table, &Step::FlushRam).expect_err("no space for a chunk");
    disk.set_space(None);
    run(&around_whole, &mut table, &Step::Insert((201..=300).map(row).collect())).expect("room");
    run(&around_whole, &mut table, &Step::Save).expect("space again");
    let wanted: Vec<u64> = (1..=300).collect();
    for keep in [Keep::All, Keep::Nothing, Keep::LastWriteTorn] {
        let after = open(&around(disk.survivor(keep))).expect("opens");
        assert_eq!(contents(&after).keys().copied().collect::<Vec<_>>(), wanted, "{keep:?} after the save");
    }
    run(&around_whole, &mut table, &Step::FlushRam).expect("space again");
    for keep in [Keep::All, Keep::Nothing, Keep::LastWriteTorn] {
        let after = open(&around(disk.survivor(keep))).expect("opens");
        assert_eq!(contents(&after).keys().copied().collect::<Vec<_>>(), wanted, "{keep:?} after the flush");
    }
}

/// With `binlog_flush = 0` the last second is in memory; a clean stop writes it out even where the table is frozen.
#[test]
fn a_clean_stop_of_a_frozen_table_writes_its_log() {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    around_whole.settings.rcu(|s| crate::types::Settings { binlog_flush: 0, ..crate::types::Settings::clone(s) });
    let mut table = create(&around_whole);
    table.freeze().expect("frozen");
    run(&around_whole, &mut table, &Step::Insert(vec![row(1)])).expect("a frozen table takes writes");
    table.close(true);
    let after = open(&around(disk.survivor(Keep::Nothing))).expect("opens");
    assert_eq!(contents(&after).len(), 1);
}

/// The log of a table that was killed is replayed from where it is, whatever the config says now.
#[test]
fn a_changed_binlog_path_does_not_leave_the_log_behind() {
    let disk = CrashDisk::new();
    let mut table = create(&around(disk.clone()));
    run(&around(disk.clone()), &mut table, &Step::Insert(vec![row(1)])).expect("room");
    let disk = disk.survivor(Keep::Nothing);
    let elsewhere = around(disk.clone());
    elsewhere.settings.rcu(|s| crate::types::Settings { binlog_path: Some("/logs".into()), ..crate::types::Settings::clone(s) });
    let mut table = open(&elsewhere).expect("opens");
    assert_eq!(contents(&table).len(), 1);
    run(&elsewhere, &mut table, &Step::Insert(vec![row(2)])).expect("room");
    table.close(true);
    let mut table = open(&elsewhere).expect("opens after a clean stop, with its log elsewhere");
    run(&elsewhere, &mut table, &Step::Insert(vec![row(3)])).expect("room");
    // Killed, and back to the table's own folder.
    let after = open(&around(disk.survivor(Keep::Nothing))).expect("opens");
    assert_eq!(contents(&after).keys().copied().collect::<Vec<_>>(), [1, 2, 3]);
}

/// A log file that is gone from the middle is told, not skipped.
#[test]
fn a_missing_log_file_is_told() {
    use crate::storage::Disk;
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let mut table = create(&around_whole);
    for id in 1..=3 {
        run(&around_whole, &mut table, &Step::Insert(vec![row(id)])).expect("room");
        table.rotate_log();
    }
    let after = disk.survivor(Keep::All);
    let logs = after.list("/t/binlog".as_ref()).expect("files");
    after.remove_file(&std::path::Path::new("/t/binlog").join(&logs[1])).expect("removed");
    let error = open(&around(after)).err().expect("a gap").to_string();
    assert!(error.contains("record 2 expected, 3 found"), "{error}");
}

/// Between a statement's search and its commit another statement changes the row.
#[test]
fn a_row_that_changed_since_the_search_is_looked_at_again() {
    use crate::table::{Op, Seen};
    use crate::types::{DocId, StopToken, Value};
    let around_whole = around(CrashDisk::new());
    let mut table = create(&around_whole);
    run(&around_whole, &mut table, &Step::Insert(vec![(1, "tea".into(), 1), (2, "tea".into(), 1)])).expect("room");
    let n_is = |wanted: i64| -> crate::table::Recheck {
        Box::new(move |view, row| view.part.layout().value(view.row(row), 1) == Value::Int(wanted))
    };
    let snapshot = table.snapshot();
    let seen = || Some(Seen { snapshot: snapshot.clone(), recheck: n_is(1), recompute: None });
    run(&around_whole, &mut table, &Step::Update(vec![(1, 2)])).expect("an update");
    let stop = StopToken::new();
    let set = Op::Update { rows: [1, 2].map(|id| (DocId(id), vec![(1, Value::Int(9))])).into(), seen: seen() };
    assert_eq!(table.commit(vec![set], &stop).expect("committed").affected, [1], "UPDATE … SET n=9 WHERE n=1");
    let gone = Op::Delete { ids: vec![DocId(1), DocId(2)], seen: seen() };
    assert_eq!(table.commit(vec![gone], &stop).expect("committed").affected, [0], "DELETE … WHERE n=1");
    assert_eq!(contents(&table).values().map(|r| r.1).collect::<Vec<_>>(), [2, 9]);

    // n = n + 1, asked twice on one snapshot, counts twice.
    let snapshot = table.snapshot();
    for _ in 0..2 {
        let plus_one: crate::table::Recompute = Box::new(|view, row| match view.part.layout().value(view.row(row), 1) {
            Value::Int(n) => vec![(1, Value::Int(n + 1))],
            _ => Vec::new(),
        });
        let seen = Some(Seen { snapshot: snapshot.clone(), recheck: Box::new(|_, _| true), recompute: Some(plus_one) });
        let op = Op::Update { rows: vec![(DocId(1), vec![(1, Value::Int(3))])], seen };
        assert_eq!(table.commit(vec![op], &stop).expect("committed").affected, [1]);
    }
    assert_eq!(contents(&table)[&1].1, 4);
}

/// CHECK TABLE finds every turned bit of the log, also in the record that was written last.
#[test]
fn check_finds_a_turned_bit_anywhere_in_the_log() {
    use crate::storage::Disk;
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let mut table = create(&around_whole);
    run(&around_whole, &mut table, &Step::Insert(vec![row(1)])).expect("room");
    table.rotate_log();
    run(&around_whole, &mut table, &Step::Insert(vec![row(2)])).expect("room");
    assert_eq!(table.check(&table.stop).expect("readable"), Vec::<String>::new());
    for name in disk.list("/t/binlog".as_ref()).expect("files") {
        let path = std::path::Path::new("/t/binlog").join(name);
        let sound = disk.read(&path).expect("there");
        // The header of a file without records says nothing that is missed.
        if sound.len() <= 36 {
            continue;
        }
        for at in 0..sound.len() {
            let mut bad = sound.clone();
            bad[at] ^= 1;
            disk.overwrite(&path, &bad);
            let faults = table.check(&table.stop).expect("readable");
            assert!(faults.iter().any(|f| f.contains(&path.display().to_string())), "byte {at} of {}: {faults:?}", path.display());
        }
        disk.overwrite(&path, &sound);
    }
}
