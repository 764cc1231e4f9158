//! What columnar attributes save, and what they cost, against the same attributes in rows.
//!
//! Chunks of attributes alone, no full-text field: an id, two whole numbers, a time, a price, one of 200 cities, a name that hardly repeats,
//! a set of tags. Both kinds of chunk are built from the same rows in one run, in turns; printed are medians of each and columnar ÷ rows.
//! A scan reads one attribute of every row in order; a fetch reads all attributes of one row after another, at random places.
//!
//! `cargo bench --bench columns -- rows=400000 rounds=5`

mod support;

use std::hint::black_box;
use std::sync::Arc;

use chimera::chunk::disk;
use chimera::chunk::{AnyPart, AttrRef, Lexicon, Part, PartView, SegmentBuilder};
use chimera::storage::{Disk, RealDisk};
use chimera::types::{Column, ColumnKind, DocId, RowId, Schema, Value};
use support::chunks::{analyzer, build_options, view};
use support::{argument, measure, median, report};

/// Inputs of the merge.
const INPUTS: u64 = 8;
/// The column that a scan reads: the time.
const SCANNED: usize = 2;

fn main() {
    let (rows, rounds) = (argument("rows", 400_000), argument("rounds", 5));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let schemas = [false, true].map(|columnar| Arc::new(schema(columnar)));
    let inputs = schemas.each_ref().map(|schema| (0..INPUTS).map(|n| ram_chunk(schema, n, rows / INPUTS)).collect::<Vec<_>>());
    // Per kind: flush, merge, scan, fetch.
    let mut figures: [[Vec<f64>; 4]; 2] = Default::default();
    let mut bytes = [0.0; 2];
    for round in 0..rounds {
        for kind in 0..2 {
            let folder = |name: &str| dir.path().join(format!("{kind}.{round}.{name}"));
            let (chunks, flush) = measure(|| {
                let flushed = |(n, parts): (usize, &Vec<PartView>)| {
                    let built = disk::flush(&disk, parts, &build_options(&schemas[kind], folder(&n.to_string()))).expect("a flush");
                    PartView::new(AnyPart::Disk(built.chunk))
                };
                inputs[kind].iter().enumerate().map(flushed).collect::<Vec<_>>()
            });
            let (built, merge) =
                measure(|| disk::merge(&disk, &chunks, &build_options(&schemas[kind], folder("merged"))).expect("a merge"));
            let chunk = &*built.chunk;
            bytes[kind] = built.bytes as f64 / f64::from(chunk.row_count());
            let value = |row: u32, column: usize| chunk.layout().get(chunk.base_row(RowId(row)), column);
            let (_, scan) = measure(|| {
                let number = |row| if let AttrRef::Int(number) = value(row, SCANNED) { number } else { 0 };
                black_box((0..chunk.row_count()).map(number).fold(0i64, i64::wrapping_add))
            });
            let (_, fetch) = measure(|| {
                let mut at = 1u64;
                for _ in 0..chunk.row_count() {
                    at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let row = (((at >> 32) * u64::from(chunk.row_count())) >> 32) as u32;
                    for column in 0..schemas[kind].columns.len() {
                        black_box(value(row, column));
                    }
                }
            });
            for (figure, cost) in figures[kind].iter_mut().zip([flush, merge, scan, fetch]) {
                figure.push(cost.cpu.as_nanos() as f64 / f64::from(chunk.row_count()));
            }
        }
    }
    println!("{rows} rows, {INPUTS} chunks");
    let [in_rows, in_columns] = figures.map(|kind| kind.map(median));
    for (what, unit, [rows, columns]) in [
        ("bytes of the merged chunk", "bytes/row", bytes),
        ("flush, CPU", "ns/row", [in_rows[0], in_columns[0]]),
        ("merge, CPU", "ns/row", [in_rows[1], in_columns[1]]),
        ("scan of one attribute", "ns/row", [in_rows[2], in_columns[2]]),
        ("fetch of all attributes at random", "ns/row", [in_rows[3], in_columns[3]]),
    ] {
        println!("{what}");
        report("    rows", rows, unit, "");
        report("    columns", columns, unit, "");
        report("    columns ÷ rows", columns / rows, "", "");
    }
}

fn schema(columnar: bool) -> Schema {
    use ColumnKind::{Bigint, Float, Multi, String, Timestamp, Uint};
    let columns =
        [("kind", Uint), ("number", Bigint), ("time", Timestamp), ("price", Float), ("city", String), ("name", String), ("tags", Multi)];
    let column = |(n, (name, kind)): (usize, (&str, ColumnKind))| Column {
        name: name.to_owned(),
        kind,
        uid: n as u32 + 1,
        indexed: false,
        stored: false,
        attribute: true,
        columnar,
    };
    Schema { version: 1, columns: columns.into_iter().enumerate().map(column).collect() }
}

/// The rows of one input in a single segment.
fn ram_chunk(schema: &Arc<Schema>, input: u64, rows: u64) -> Vec<PartView> {
    let (analyzer, lexicon, mut builder) = (analyzer(), Lexicon::new(), SegmentBuilder::new(schema.clone()));
    for id in input * rows + 1..=(input + 1) * rows {
        // Spreads the bits of the id; the top ones are the best.
        let random = id.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let values = vec![
            Value::Int((random >> 60) as i64),
            Value::Int((random >> 20) as i64),
            Value::Int(1_700_000_000 + id as i64 / 10),
            Value::Float((random >> 50) as f32 / 100.0),
            Value::Text(format!("city of {}", (random >> 32) % 200)),
            Value::Text(format!("name {:x}", random >> 24)),
            Value::Mva((0..(random >> 40) % 4).map(|n| (n * 7 + (random >> 45) % 5) as i64).collect()),
        ];
        builder.add(&analyzer, DocId(id), &values);
    }
    vec![view(builder.finish(&lexicon))]
}
