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
