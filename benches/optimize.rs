//! What one OPTIMIZE costs under several pairs of limits, and whether it keeps the cores busy.
//!
//! A table is loaded with automatic merges off, then `OPTIMIZE TABLE t OPTION sync=1, cutoff=1` runs under each pair of parallel_chunk_merges and
//! merge_chunks_per_job. Printed are wall time, CPU time of the process, bytes written ÷ bytes of the table, and CPU ÷ wall until the last job
//! begins: a slot that waits for the disk, or for another job, shows there as a missing core. The last job of a goal runs alone, whatever the
//! limits; it has a line of its own.
//!
//! `cargo bench --bench optimize -- rows=500000 rt_mem_limit=16 pairs=1x2,1x4,2x4,2x16` (rt_mem_limit in megabytes)

mod support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use chimera::table::OptimizeRequest;
use chimera::types::StopToken;
use support::{Bench, Zipf, argument, cpu, measure, report, text_argument};

/// Time between two looks at the clocks.
const EVERY: Duration = Duration::from_millis(2);

fn main() {
    let (rows, limit) = (argument("rows", 500_000), argument("rt_mem_limit", 16));
    let pairs = text_argument("pairs").unwrap_or_else(|| "1x2,1x4,2x4,2x16".into());
    let zipf = Zipf::new();
    for pair in pairs.split(',') {
        let parsed = pair.split_once('x').and_then(|(jobs, fan_in)| Some((jobs.parse().ok()?, fan_in.parse().ok()?)));
        let (jobs, fan_in) = parsed.unwrap_or_else(|| panic!("pairs: '{pair}' is not jobs, 'x', chunks per job"));
        one(&zipf, rows, limit << 20, jobs, fan_in);
    }
}

fn one(zipf: &Zipf, rows: u64, limit: u64, jobs: usize, fan_in: usize) {
    let bench = Bench::new(|settings| {
        settings.rt_mem_limit = limit;
        settings.parallel_chunk_merges = Some(jobs);
        settings.merge_chunks_per_job = Some(fan_in);
    });
    bench.fill(zipf, 1..rows + 1);
    bench.table.flush_ramchunk(&StopToken::new()).expect("a flush");
    bench.wait_until_quiet();
    // What the load has left to be written back is not the merges' to wait for.
    rustix::fs::sync();
    let (chunks, bytes) = (bench.status("disk_chunks"), bench.status("disk_bytes"));

    let ended = AtomicBool::new(false);
    let (samples, cost) = std::thread::scope(|scope| {
        let samples = scope.spawn(|| sample(&ended));
        let (result, cost) = measure(|| {
            let request = OptimizeRequest { cutoff: Some(1), sync: true, ..OptimizeRequest::default() };
            bench.table.optimize(&request, &StopToken::new())
        });
        ended.store(true, Ordering::Relaxed);
        result.expect("an OPTIMIZE");
        (samples.join().expect("a thread"), cost)
    });
    let last_began = bench.around.pool.history().iter().map(|job| job.since).max().expect("a job");
    let [first, before_last] = [samples[0], samples[samples.partition_point(|s| s.0 < last_began) - 1]];
    let until_last = before_last.0.duration_since(first.0).expect("time goes on").as_secs_f64();
    let ratio = (before_last.1 - first.1).as_secs_f64() / until_last;
    assert_eq!((bench.status("disk_chunks"), bench.status("indexed_documents")), (1, rows));

    println!("{rows} rows, {chunks} chunks, {} MB, parallel_chunk_merges {jobs}, merge_chunks_per_job {fan_in}", bytes >> 20);
    report("    wall", cost.wall.as_secs_f64(), "s", "");
    report("    CPU", cost.cpu.as_secs_f64(), "s", "");
    report("    bytes written ÷ bytes of the table", bench.status("merged_bytes") as f64 / bytes as f64, "", "");
    report("    jobs", bench.status("merges") as f64, "", "");
    report("    CPU ÷ wall until the last job begins", ratio, "", if jobs == 2 { "≥ 1.7" } else { "" });
    let last = cost.wall.as_secs_f64() - until_last;
    report("    CPU ÷ wall of the last job", (cost.cpu.as_secs_f64() - ratio * until_last) / last, "", "");
}

/// The clock and the CPU time of the process, again and again until `ended`.
fn sample(ended: &AtomicBool) -> Vec<(SystemTime, Duration)> {
    let mut samples = vec![(SystemTime::now(), cpu())];
    while !ended.load(Ordering::Relaxed) {
        std::thread::sleep(EVERY);
        samples.push((SystemTime::now(), cpu()));
    }
    samples
}
