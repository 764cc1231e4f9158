//! The power goes at every operation of a script: each time the table opens and holds exactly what was acknowledged.

use std::sync::atomic::Ordering;

use super::harness::{Model, Random, apply, around, contents, create, open, run, script};
use crate::storage::{CrashDisk, Keep};

/// Runs `steps` steps once, and lets the power go before every operation that the disk saw. The table's thread writes UPDATEd rows out
/// at so many bytes.
fn check(seed: u64, steps: usize, edits_limit: usize) {
    let disk = CrashDisk::new();
    let around_whole = around(disk.clone());
    let mut table = create(&around_whole);
    table.edits_limit.store(edits_limit, Ordering::Relaxed);
    let mut model = Model::new();
    // models[n] = what must be there once n steps were acknowledged.
    let mut models = vec![model.clone()];
    disk.record();
    for (n, step) in script(seed, steps).into_iter().enumerate() {
        disk.set_label(2 * n as u64);
        let _ = run(&around_whole, &mut table, &step);
        apply(&mut model, &step);
        models.push(model.clone());
        disk.set_label(2 * n as u64 + 1);
    }
    table.close(false);
    let count = disk.recorded_count();
    assert!(count > steps, "the script must touch the disk: {count} operations");
    for n in 0..count {
        for keep in [Keep::All, Keep::Nothing, Keep::LastWriteTorn] {
            let Some((label, survivor)) = disk.recorded(n, keep) else { continue };
            let around = around(survivor);
            let case = format!("seed {seed}, crash before operation {n} in step {}, {keep:?}", label / 2);
            let table = open(&around).unwrap_or_else(|e| panic!("{case}: {e}"));
            let found = contents(&table);
            // An even label is a step under way, which may have come through whole or not at all; an odd one is acknowledged.
            let step = (label / 2) as usize;
            let before = label % 2 == 0 && found == models[step];
            assert!(before || found == models[step + 1], "{case}: found {found:?}, wanted {:?}", models[step + 1]);
            table.close(false);
            around.pool.shutdown();
        }
    }
}

#[test]
fn every_operation_of_a_long_script_may_be_the_last() {
    // A step of every kind comes often enough in 500; the seed is fixed so that a failure is the same tomorrow.
    check(41, 520, usize::MAX);
}

#[test]
fn short_scripts_of_many_seeds() {
    let mut random = Random(3);
    (0..6).for_each(|_| check(random.below(1 << 40), 40, usize::MAX));
}

#[test]
fn write_outs_at_any_moment() {
    // As much as a few rows take, so that the thread is at it all the time, in the middle of the steps and between them.
    (50..54).for_each(|seed| check(seed, 60, 2_000));
}
