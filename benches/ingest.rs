//! What a row costs on its way in, all work in the background included, until the table is quiet.
//!
//! Three questions: a statement of one row into a large table; a row of a batch of 1 000, down to flushed chunks; how much two connections
//! are worth. Then the pieces of the path one by one, on the same rows, to see where the time goes. `binlog_flush` is 2.
//! For two connections there is a second ratio, to one connection that has one core, since one with more has its merging and flushing done beside it.
//! Targets: 50 µs a one-row statement, 12 µs a row of a batch, two connections 1.7 times as fast as one.
//!
//! `cargo bench --bench ingest -- table=200000 statements=50000 rows=200000`; the acceptance: `table=1000000 statements=200000 rows=1000000`

mod support;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use chimera::chunk::disk;
use chimera::chunk::{Lexicon, SegmentBuilder};
use chimera::storage::{Disk, RealDisk};
use chimera::types::StopToken;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use support::chunks::{Ladder, analyzer, build_options};
use support::{Bench, Cost, Zipf, argument, measure, parse_insert, report, waits};

fn main() {
    let zipf = Zipf::new();
    let only = support::text_argument("only");
    let wanted = |part: &str| only.as_deref().is_none_or(|o| o == part);
    if wanted("one_row") {
        one_row(&zipf, argument("table", 200_000), argument("statements", 50_000));
    }
    if wanted("batches") {
        batches(&zipf, argument("rows", 200_000));
    }
    if wanted("pieces") {
        pieces(&zipf, argument("rows", 200_000).min(200_000), 1000);
        pieces(&zipf, argument("statements", 50_000).min(50_000), 1);
    }
}

fn one_row(zipf: &Zipf, table: u64, statements: u64) {
    let bench = Bench::new(|settings| settings.rt_mem_limit = 4 << 30);
    bench.fill_chunks(zipf, 1..table + 1, 16);
    bench.wait_until_quiet();
    let texts: Vec<String> = (0..statements).map(|n| table + 1 + n).map(|id| zipf.insert("t", id..id + 1)).collect();
    let mut client = bench.session();
    let ((), cost) = measure(|| {
        texts.iter().for_each(|text| assert_eq!(client.run(text), 1));
        bench.wait_until_quiet();
    });
    println!("{statements} statements of one row into {table} rows in 16 chunks");
    report("a statement of one row, CPU", cost.cpu_us(statements), "µs", "≤ 50");
    report("a statement of one row, wall time", cost.wall.as_secs_f64() * 1e6 / statements as f64, "µs", "");
}

fn batches(zipf: &Zipf, rows: u64) {
    let texts: Vec<String> = (1..=rows).step_by(1000).map(|id| zipf.insert("t", id..id + 1000)).collect();
    let load = |connections: usize| -> Cost {
        let bench = Bench::new(|_| ());
        let (next, waited) = (AtomicUsize::new(0), AtomicU64::new(0));
        let (wall, mut cost) = measure(|| {
            let start = std::time::Instant::now();
            std::thread::scope(|scope| {
                for _ in 0..connections {
                    scope.spawn(|| {
                        let (mut client, before) = (bench.session(), waits());
                        while let Some(text) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
                            assert_eq!(client.run(text), 1000);
                        }
                        waited.fetch_add(waits() - before, Ordering::Relaxed);
                    });
                }
            });
            // The time of the clients ends with the last answer; the cost ends when all is in chunks.
            let wall = start.elapsed();
            bench.table.flush_ramchunk(&StopToken::new()).expect("a flush");
            bench.wait_until_quiet();
            wall
        });
        assert_eq!(bench.status("indexed_documents"), rows);
        let (chunks, room, waited) = (bench.status("disk_chunks"), bench.status("write_waits"), waited.into_inner());
        println!("    {connections} connections: {chunks} chunks, {room} waits for room, clients waited {waited} times for anything");
        cost.wall = wall;
        cost
    };
    let (one, two) = (load(1), load(2));
    let cores = sched_getaffinity(None).expect("the cores of the process");
    // Threads begin on the cores of those that start them: this confines all of the engine.
    confine(&cores, 1);
    let one_on_one = load(1);
    confine(&cores, cores.count());
    println!("{rows} rows in batches of 1 000, to flushed chunks");
    report("a row, CPU, one connection", one.cpu_us(rows), "µs", "≤ 12");
    report("a row, CPU, two connections", two.cpu_us(rows), "µs", "");
    report("rows a second, wall time, one connection", rows as f64 / one.wall.as_secs_f64(), "rows/s", "");
    report("rows a second, wall time, two connections", rows as f64 / two.wall.as_secs_f64(), "rows/s", "");
    report("cores busy with one connection", one.cpu.as_secs_f64() / one.wall.as_secs_f64(), "", "");
    report("two connections ÷ one", one.wall.as_secs_f64() / two.wall.as_secs_f64(), "", "≥ 1.7");
    // One connection's merging and flushing goes on beside it: where it keeps a second core busy, two connections can only share what is left.
    // This takes that away: does a second connection with a second core get in the way of the first?
    report("two connections ÷ one that has one core", one_on_one.wall.as_secs_f64() / two.wall.as_secs_f64(), "", "");
}

/// Lets this thread, and those that it starts, run on the first `count` of `cores` alone.
fn confine(cores: &CpuSet, count: u32) {
    let mut allowed = CpuSet::new();
    (0..CpuSet::MAX_CPU).filter(|core| cores.is_set(*core)).take(count as usize).for_each(|core| allowed.set(core));
    sched_setaffinity(None, &allowed).expect("fewer cores than before");
}

/// The steps of an INSERT one by one, for statements of `batch` rows.
fn pieces(zipf: &Zipf, rows: u64, batch: u64) {
    let schema = Arc::new(support::schema());
    let analyzer = analyzer();
    let texts: Vec<String> = (1..=rows).step_by(batch as usize).map(|id| zipf.insert("t", id..id + batch)).collect();
    println!("pieces, {rows} rows, {batch} to a statement: µs of CPU a row");
    let mut sum = 0.0;
    let mut piece = |name: &str, cost: f64| {
        sum += cost;
        report(name, cost, "µs", "");
    };

    let (statements, cost) = measure(|| texts.iter().map(|t| parse_insert(t)).collect::<Vec<_>>());
    piece("parse", cost.cpu_us(rows));

    let (tokens, cost) = measure(|| {
        let mut tokens = 0u64;
        for (_, values) in statements.iter().flatten() {
            if let chimera::types::Value::Text(text) = &values[0] {
                analyzer.index(text, &mut |_, _| tokens += 1);
            }
        }
        tokens
    });
    let tokenize = cost.cpu_us(rows);
    piece("tokenize", tokenize);

    let lexicon = Lexicon::new();
    let (segments, cost) = measure(|| {
        let build = |rows: &Vec<chimera::table::Row>| {
            let mut builder = SegmentBuilder::new(schema.clone());
            for (id, values) in rows {
                builder.add(&analyzer, *id, values);
            }
            builder.finish(&lexicon)
        };
        statements.iter().map(build).collect::<Vec<_>>()
    });
    piece("invert", cost.cpu_us(rows) - tokenize);

    let dir = tempfile::tempdir().expect("a temporary folder");
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let ((), cost) = measure(|| {
        // As the log does it: the bytes of the rows, a checksum, one write a statement.
        let mut file = std::fs::File::create(dir.path().join("log")).expect("a file");
        let mut payload = Vec::new();
        for rows in &statements {
            payload.clear();
            for (id, values) in rows {
                payload.extend_from_slice(&id.0.to_le_bytes());
                if let chimera::types::Value::Text(text) = &values[0] {
                    payload.extend_from_slice(text.as_bytes());
                }
            }
            payload.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
            file.write_all(&payload).expect("a write");
        }
        file.sync_data().expect("a sync");
    });
    piece("log", cost.cpu_us(rows));

    let (parts, cost) = measure(|| {
        let mut ladder = Ladder::default();
        segments.into_iter().for_each(|segment| ladder.push(segment));
        ladder.into_parts()
    });
    piece("RAM merges", cost.cpu_us(rows));

    let (_, cost) = measure(|| disk::flush(&disk, &parts, &build_options(&schema, dir.path().join("chunk"))).expect("a flush"));
    piece("flush", cost.cpu_us(rows));
    report("sum", sum, "µs", "");
    println!("    {:.1} tokens a row, {} words", tokens as f64 / rows as f64, lexicon.word_count());
}
