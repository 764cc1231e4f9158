//! Random operations with flushes, merges, truncations and restarts thrown in, against the model.

use super::harness::{Model, Step, apply, around, contents, create, run, script, search};
use crate::storage::CrashDisk;
use crate::table::TableError;

fn check(seed: u64, steps: usize) {
    let around = around(CrashDisk::new());
    let mut table = create(&around);
    let mut model = Model::new();
    for (n, step) in script(seed, steps).into_iter().enumerate() {
        let wanted = apply(&mut model, &step);
        match run(&around, &mut table, &step) {
            Ok(()) => assert!(wanted, "seed {seed} step {n}: {step:?} must be refused"),
            Err(TableError::DuplicateId(_)) => assert!(!wanted && matches!(step, Step::Insert(_)), "seed {seed} step {n}: {step:?}"),
            Err(error) => panic!("seed {seed} step {n}: {step:?}: {error}"),
        }
        assert_eq!(contents(&table), model, "seed {seed} after step {n}: {step:?}");
        let wanted: Vec<u64> = model.iter().filter(|(_, r)| r.0.split(' ').any(|w| w == "tea")).map(|(id, _)| *id).collect();
        assert_eq!(search(&table, "tea"), wanted, "seed {seed} after step {n}: {step:?}");
    }
    assert_eq!(table.check(&table.stop).expect("readable"), Vec::<String>::new(), "seed {seed}");
    table.close(true);
}

#[test]
fn a_table_is_its_model() {
    (1..=12).for_each(|seed| check(seed, 250));
}
