//! Merging by size, with real chunks: what stays, what becomes of it, and what is refused.

use std::sync::Arc;
use std::time::Duration;

use super::harness::{Model, Random, Step, apply, around, contents, create, run};
use crate::merge::{JobKind, Overrides, Source, TargetSize};
use crate::storage::CrashDisk;
use crate::table::{OptimizeRequest, Surroundings, Table, TableError};
use crate::types::{Settings, StopToken, TableSettings};

/// Rows with words that do not compress, about 1M of files for 800 of them.
fn rows(random: &mut Random, ids: std::ops::Range<u64>) -> Vec<(u64, String, i64)> {
    ids.map(|id| (id, (0..40).map(|_| format!("{:012x}", random.below(1 << 48))).collect::<Vec<_>>().join(" "), id as i64)).collect()
}

fn set(around: &Surroundings, change: impl Fn(&mut Settings)) {
    let mut settings = Settings::clone(&around.settings.load());
    change(&mut settings);
    around.settings.store(Arc::new(settings));
}

/// A table of `count` chunks of about 1M each, and what it holds.
fn table(around: &Surroundings, count: u64) -> (Arc<Table>, Model) {
    let (mut table, mut model, mut random) = (create(around), Model::new(), Random(5));
    for n in 0..count {
        for step in [Step::Insert(rows(&mut random, n * 800 + 1..n * 800 + 801)), Step::FlushRam] {
            run(around, &mut table, &step).expect("room");
            apply(&mut model, &step);
        }
    }
    (table, model)
}

fn sizes(table: &Table) -> Vec<u64> {
    table.chunks().iter().map(|c| c.bytes).collect()
}

fn optimize(table: &Table, request: OptimizeRequest) -> Result<(), TableError> {
    table.optimize(&OptimizeRequest { sync: true, ..request }, &StopToken::new())
}

fn by_size(bytes: u64) -> OptimizeRequest {
    OptimizeRequest { target: Some(TargetSize::Bytes(bytes)), ..OptimizeRequest::default() }
}

#[test]
fn five_chunks_stay_under_the_cap_and_become_three_of_a_size() {
    let around = around(CrashDisk::new());
    let (table, model) = table(&around, 5);
    let one = sizes(&table)[0];
    assert!(one > 1 << 20, "{one}");
    // A cap of one and a half: nothing fits together, neither automatically nor for a number of chunks.
    let settings = TableSettings { max_chunk_size: Some(one * 3 / 2), optimize_cutoff: Some(1), ..TableSettings::default() };
    table.alter_settings(settings).expect("alter");
    optimize(&table, OptimizeRequest::default()).expect("nothing to do");
    assert_eq!(sizes(&table).len(), 5);
    assert_eq!(table.explain(&OptimizeRequest::default()).expect("a plan").forecast.steps, []);
    // A target of two: 2 + 2 + 1.
    let plan = table.explain(&by_size(2 * one)).expect("a plan").forecast;
    assert_eq!((plan.steps.len(), plan.chunks.len()), (2, 3));
    optimize(&table, by_size(2 * one)).expect("merged");
    let mut found = sizes(&table);
    found.sort_unstable();
    let near = |bytes: u64, wanted: u64| bytes.abs_diff(wanted) <= wanted / 10;
    assert!(found.len() == 3 && near(found[0], one) && near(found[1], 2 * one) && near(found[2], 2 * one), "{one}: {found:?}");
    assert_eq!(contents(&table), model);
    assert_eq!(table.disk_chunks().iter().map(|c| c.level).collect::<Vec<_>>(), [0, 1, 1]);
    // Below the cap, both sizes are named.
    let error = optimize(&table, by_size(one)).expect_err("below the cap").to_string();
    assert!(error.contains(&format!("{one} bytes")) && error.contains(&format!("{} bytes", one * 3 / 2)), "{error}");
    table.freeze().expect("frozen");
    assert!(matches!(optimize(&table, by_size(2 * one)), Err(TableError::Frozen(_))));
    assert!(matches!(table.explain(&by_size(2 * one)), Err(TableError::Frozen(_))));
}

#[test]
fn large_chunks_are_cut() {
    let around = around(CrashDisk::new());
    let (table, model) = table(&around, 3);
    optimize(&table, OptimizeRequest { cutoff: Some(1), ..OptimizeRequest::default() }).expect("merged");
    let whole = sizes(&table)[0];
    optimize(&table, by_size(whole / 2)).expect("cut");
    let found = sizes(&table);
    assert!(found.len() == 2 && found.iter().all(|bytes| bytes.abs_diff(whole / 2) <= whole / 20), "{whole}: {found:?}");
    assert_eq!(contents(&table), model);
}

#[test]
fn without_space_nothing_is_begun() {
    let disk = CrashDisk::new();
    let around = around(disk.clone());
    let (table, model) = table(&around, 2);
    disk.set_space(Some(100_000));
    for request in [by_size(1 << 30), OptimizeRequest { cutoff: Some(1), ..OptimizeRequest::default() }] {
        let error = optimize(&table, request).expect_err("no space").to_string();
        let needed: u64 = sizes(&table).iter().sum();
        assert!(error.contains(&format!("{needed} bytes needed, 100000 bytes free")), "{error}");
    }
    disk.set_space(None);
    optimize(&table, by_size(1 << 30)).expect("space again");
    assert_eq!((sizes(&table).len(), contents(&table) == model), (1, true));
    assert_eq!(around.pool.totals().failed, 1);
}

#[test]
fn a_statement_brings_limits_of_its_own() {
    let around = around(CrashDisk::new());
    let (table, _) = table(&around, 4);
    let pairs =
        OptimizeRequest { cutoff: Some(1), overrides: Overrides { max_jobs: Some(1), fan_in: Some(2) }, ..OptimizeRequest::default() };
    assert_eq!(table.explain(&pairs).expect("a plan").forecast.steps.len(), 3);
    optimize(&table, pairs).expect("merged");
    let kinds: Vec<(JobKind, usize)> = around.pool.history().into_iter().map(|h| (h.job.kind, h.job.inputs.len())).collect();
    assert_eq!(kinds, vec![(JobKind::Merge, 2); 3]);
    assert!(around.pool.speed().is_measured());
}

#[test]
fn inserts_are_slowed_while_merges_stand_still() {
    let around = around(CrashDisk::new());
    set(&around, |s| (s.auto_optimize, s.optimize_cutoff, s.insert_throttle_factor, s.merge_paused) = (true, Some(1), 2, true));
    let mut table = create(&around);
    for id in 1..=3 {
        for step in [Step::Insert(vec![(id, "tea".into(), 1)]), Step::FlushRam] {
            run(&around, &mut table, &step).expect("room");
        }
    }
    // Three chunks beside a limit of two: half of it too many, (1/2)² of half a second. The merge that is due stands still.
    assert_eq!((sizes(&table).len(), table.insert_delay()), (3, Duration::from_millis(125)));
    run(&around, &mut table, &Step::Insert(vec![(4, "tea".into(), 1)])).expect("room");
    run(&around, &mut table, &Step::Delete(vec![4])).expect("brings no rows");
    let status = |name: &str| table.status().into_iter().find(|(n, _)| n == name).map(|(_, v)| v).expect("a line");
    assert_eq!([status("insert_delay_ms"), status("inserts_slowed"), status("optimizing")], ["125.0", "1", "1"]);
    // A table that is not merged automatically is not slowed down either.
    table.alter_settings(TableSettings { auto_optimize: Some(0), ..TableSettings::default() }).expect("alter");
    assert_eq!(table.insert_delay(), Duration::ZERO);
    table.alter_settings(TableSettings::default()).expect("alter");
    set(&around, |s| s.insert_throttle_factor = 0);
    assert_eq!((sizes(&table).len(), table.insert_delay()), (3, Duration::ZERO));
    set(&around, |s| s.merge_paused = false);
    around.pool.settings_changed();
    optimize(&table, OptimizeRequest { cutoff: Some(1), ..OptimizeRequest::default() }).expect("merged");
    assert_eq!(sizes(&table).len(), 1);
}
