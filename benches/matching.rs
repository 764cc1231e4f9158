//! What a search costs, on the same rows in one chunk and in sixteen.
//!
//! Searches are what all the rest is for. Asked are one word in about 1 % of the rows, two such words with AND and with OR, a frequent pair, a
//! phrase of frequent words, and a count alone. The cost of many chunks against one is what merging is worth to a reader.
//!
//! `cargo bench --bench matching -- rows=100000 rounds=5`; the usual size: `rows=1000000`

mod support;

use chimera::table::OptimizeRequest;
use chimera::types::StopToken;
use support::{Bench, Zipf, argument, measure, median, report};

fn main() {
    let (rows, rounds) = (argument("rows", 100_000), argument("rounds", 5));
    let zipf = Zipf::new();
    let bench = Bench::new(|settings| settings.rt_mem_limit = 4 << 30);
    bench.fill_chunks(&zipf, 1..rows + 1, 16);
    bench.wait_until_quiet();
    let questions = questions(&zipf);
    let sixteen = ask(&bench, &questions, rounds);
    bench
        .table
        .optimize(&OptimizeRequest { cutoff: Some(1), sync: true, ..OptimizeRequest::default() }, &StopToken::new())
        .expect("a merge");
    bench.wait_until_quiet();
    let one = ask(&bench, &questions, rounds);
    println!("{rows} rows; milliseconds of CPU and of wall time, medians of {rounds}");
    println!("{:<28} {:>10} {:>10} {:>10} {:>10} {:>9}", "", "16 chunks", "wall", "1 chunk", "wall", "16 ÷ 1");
    for ((name, _), (many, one)) in questions.iter().zip(sixteen.iter().zip(&one)) {
        println!("{name:<28} {:>10.3} {:>10.3} {:>10.3} {:>10.3} {:>9.2}", many.0, many.1, one.0, one.1, many.0 / one.0);
    }
    let slowest = one.iter().map(|f| f.1).fold(0.0, f64::max);
    report("slowest, one chunk, wall time", slowest, "ms", "");
}

fn questions(zipf: &Zipf) -> Vec<(&'static str, String)> {
    let (rare, other) = zipf.pair_in(0.01);
    let (third, fourth) = (zipf.word(2), zipf.word(3));
    let search = |text: String| format!("SELECT id, weight() FROM t WHERE MATCH('{text}') LIMIT 20");
    vec![
        ("one word in 1 %", search(rare.to_owned())),
        ("AND, each in 1 %", search(format!("{rare} {other}"))),
        ("OR, each in 1 %", search(format!("{rare} | {other}"))),
        ("AND, frequent and 1 %", search(format!("{third} {rare}"))),
        ("AND, both frequent", search(format!("{third} {fourth}"))),
        ("phrase of frequent words", search(format!("\"{third} {fourth}\""))),
        ("COUNT of a frequent pair", format!("SELECT COUNT(*) FROM t WHERE MATCH('{third} {fourth}')")),
        ("1 % by number", format!("SELECT id FROM t WHERE MATCH('{rare}') ORDER BY type ASC LIMIT 20")),
        ("COUNT(*)", "SELECT COUNT(*) FROM t".to_owned()),
    ]
}

/// Milliseconds of CPU and of wall time of each question.
fn ask(bench: &Bench, questions: &[(&'static str, String)], rounds: u64) -> Vec<(f64, f64)> {
    let mut client = bench.session();
    let mut figures = Vec::new();
    for (_, text) in questions {
        // The first answer warms the caches.
        client.run(text);
        let (mut cpu, mut wall) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let (_, cost) = measure(|| client.run(text));
            cpu.push(cost.cpu.as_secs_f64() * 1e3);
            wall.push(cost.wall.as_secs_f64() * 1e3);
        }
        figures.push((median(cpu), median(wall)));
    }
    figures
}
