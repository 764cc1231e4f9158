//! What a merge costs: disk chunks to one disk chunk in one thread; and how long making the result visible keeps writers out.
//!
//! Merging is most of what a table writes in its life, and it competes with queries for the cores. Compared are many inputs against two,
//! whole chunks against chunks with 1 % of the rows dead. The second part merges a live table while a second thread kills 1 % and updates 1 %
//! of the rows: the table's own counter says how long each publication held the writer lock.
//! Targets: 250 000 rows a second in a 16-way merge; the lock held 10 ms at most in 99 of 100 merges.
//!
//! `cargo bench --bench merge -- rows=160000 rounds=3 merges=10 live_rows=80000`; the acceptance: `rows=1000000 merges=100 live_rows=160000`

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chimera::chunk::{PartView, disk};
use chimera::storage::{Disk, RealDisk};
use chimera::table::{Op, OptimizeRequest};
use chimera::types::{DocId, RowId, StopToken, Value};
use support::chunks::{build_options, disk_chunk};
use support::{Bench, Cost, Random, Zipf, argument, commit, measure, median, percentile, report};

const INPUTS: u64 = 16;

fn main() {
    let zipf = Zipf::new();
    throughput(&zipf, argument("rows", 160_000), argument("rounds", 3));
    publishing(&zipf, argument("live_rows", 80_000), argument("merges", 10));
}

fn throughput(zipf: &Zipf, rows: u64, rounds: u64) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let schema = Arc::new(support::schema());
    let chunk = |n: u64, of: u64| {
        let ids = 1 + rows * n / of..1 + rows * (n + 1) / of;
        disk_chunk(&disk, zipf, &schema, ids, dir.path().join(format!("input.{of}.{n}")))
    };
    let many: Vec<PartView> = (0..INPUTS).map(|n| chunk(n, INPUTS)).collect();
    let two: Vec<PartView> = (0..2).map(|n| chunk(n, 2)).collect();
    let mut random = Random(1);
    let mut with_dead = many.clone();
    for view in &mut with_dead {
        let count = view.part.row_count();
        view.dead = view.dead.with((0..count / 100).map(|_| RowId(random.below(count as u64) as u32)));
    }
    let merge = |name: &str, inputs: &[PartView]| -> Cost {
        let options = build_options(&schema, dir.path().join(name));
        let (built, cost) = measure(|| disk::merge(&disk, inputs, &options).expect("a merge"));
        drop(built);
        disk.remove_dir(&options.dir).expect("the chunk's folder");
        cost
    };
    let mut rates: [Vec<f64>; 4] = Default::default();
    for _ in 0..rounds {
        let whole = merge("whole", &many);
        rates[0].push(whole.rate(rows));
        rates[1].push(rows as f64 / whole.wall.as_secs_f64());
        rates[2].push(merge("two", &two).rate(rows));
        rates[3].push(merge("dead", &with_dead).rate(rows));
    }
    let [whole, wall, two, dead] = rates.map(median);
    println!("{rows} rows, medians of {rounds}");
    report("16-way merge, rows a second of CPU", whole, "rows/s", "≥ 250 000");
    report("16-way merge, rows a second of wall time", wall, "rows/s", "");
    report("2-way merge, rows a second of CPU", two, "rows/s", "");
    report("16-way merge with 1 % dead, rows a second of CPU", dead, "rows/s", "");
    report("16-way ÷ 2-way", whole / two, "", "");
    report("1 % dead ÷ whole", dead / whole, "", "");
}

fn publishing(zipf: &Zipf, rows: u64, merges: u64) {
    let bench = Bench::new(|settings| settings.rt_mem_limit = 4 << 30);
    let (mut holds, mut changed, mut expected) = (Vec::new(), 0, Duration::ZERO);
    // The first round is not counted: it says how long a merge takes, so that the changes can be spread over the next ones.
    for round in 0..merges + 1 {
        let first = 1 + round * rows;
        bench.fill_chunks(zipf, first..first + rows, INPUTS);
        let (done, start) = (AtomicBool::new(false), Instant::now());
        let count = std::thread::scope(|scope| {
            let disturber = scope.spawn(|| disturb(&bench, first, rows, expected, &done));
            let request = OptimizeRequest { cutoff: Some(1), sync: true, ..OptimizeRequest::default() };
            bench.table.optimize(&request, &StopToken::new()).expect("a merge");
            done.store(true, Ordering::Relaxed);
            disturber.join().expect("changes during a merge")
        });
        expected = start.elapsed();
        assert_eq!(bench.status("indexed_documents"), rows - count, "rows are there but for those killed");
        if round > 0 {
            holds.push(bench.status("publish_hold_us") as f64 / 1000.0);
            changed += count;
        }
        assert!(bench.status("disk_chunks") <= 1);
        bench.table.truncate().expect("an empty table");
    }
    let share = changed as f64 / (merges * rows) as f64 * 100.0;
    println!("{merges} merges of {rows} rows in {INPUTS} chunks; {share:.2} % of the rows killed and as many updated during each");
    report("writer lock held by a publication, median", percentile(&holds, 0.5), "ms", "");
    report("writer lock held by a publication, 99 of 100", percentile(&holds, 0.99), "ms", "≤ 10");
    report("writer lock held by a publication, longest", percentile(&holds, 1.0), "ms", "");
}

/// Kills 1 % and updates 1 % of the documents, one to a statement, spread over the time that the merge is expected to take; goes on at that
/// pace until the merge is done. Gives the number of documents killed.
fn disturb(bench: &Bench, first: u64, rows: u64, expected: Duration, done: &AtomicBool) -> u64 {
    let mut random = Random(first);
    let (start, each) = (Instant::now(), expected.div_f64((rows / 100).max(1) as f64));
    let (mut count, mut killed) = (0u32, 0);
    // Without a pace, no more than the share that is asked for.
    while !done.load(Ordering::Relaxed) && (!expected.is_zero() || u64::from(count) < rows / 100) {
        let mut one = || DocId(first + random.below(rows));
        commit(&bench.table, Op::Update { rows: vec![(one(), vec![(1, Value::Int(7))])], seen: None });
        killed += commit(&bench.table, Op::Delete { ids: vec![one()], seen: None });
        count += 1;
        std::thread::sleep((each * count).saturating_sub(start.elapsed()));
    }
    killed
}
