//! What a flush costs: RAM segments of one RAM chunk to a disk chunk, synced.
//!
//! A flush runs beside the writers and must keep ahead of them; its rate bounds the rate of a load. The segments are those that tidying
//! leaves of statements of a thousand rows. Target: 180 000 rows a second.
//!
//! `cargo bench --bench flush -- rows=125000 rounds=5`

mod support;

use std::sync::Arc;

use chimera::chunk::disk;
use chimera::storage::{Disk, RealDisk};
use support::chunks::{build_options, ram_chunk};
use support::{Zipf, argument, measure, median, report};

fn main() {
    let (rows, rounds) = (argument("rows", 125_000), argument("rounds", 5));
    let (zipf, schema) = (Zipf::new(), Arc::new(support::schema()));
    let inputs = ram_chunk(&zipf, &schema, 1..rows + 1);
    println!("{} segments, {} rows", inputs.len(), rows);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let (mut cpu, mut wall, mut bytes) = (Vec::new(), Vec::new(), 0);
    for round in 0..rounds {
        let options = build_options(&schema, dir.path().join(format!("chunk.{round}")));
        let (built, cost) = measure(|| disk::flush(&disk, &inputs, &options).expect("a flush"));
        assert_eq!(u64::from(built.map.rows()), rows);
        bytes = built.bytes;
        drop(built);
        disk.remove_dir(&options.dir).expect("the chunk's folder");
        cpu.push(cost.rate(rows));
        wall.push(rows as f64 / cost.wall.as_secs_f64());
    }
    report("flush, rows a second of CPU, median", median(cpu), "rows/s", "≥ 180 000");
    report("flush, rows a second of wall time, median", median(wall), "rows/s", "");
    report("bytes a row", bytes as f64 / rows as f64, "bytes", "");
}
