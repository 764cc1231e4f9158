//! Chunks against a naive model, damaged files, and builds that are stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::build::merge_divided;
use super::header::Header;
use super::words::Division;
use super::*;
use crate::chunk::ram::{Lexicon, SegmentBuilder};
use crate::chunk::{
    AnyPart, ChunkError, DeadRows, NO_ROW, Overlay, Part, PartView, PatternPiece, Postings, RowLayout, WordPattern, WordStats,
};
use crate::storage::{CrashDisk, Disk};
use crate::text::Analyzer;
use crate::types::{Column, ColumnKind, DocId, FieldId, RowId, Schema, Spare, StopToken, Value};

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 20
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

type Row = (DocId, Vec<Value>);

fn column(name: &str, kind: ColumnKind, uid: u32, flags: &str) -> Column {
    let (indexed, stored, attribute) = (flags.contains('i'), flags.contains('s'), flags.contains('a'));
    Column { name: name.to_owned(), kind, uid, indexed, stored, attribute, columnar: flags.contains('c') }
}

fn one_field() -> Arc<Schema> {
    let columns = vec![column("name", ColumnKind::Text, 1, "is"), column("n", ColumnKind::Uint, 2, "a")];
    Arc::new(Schema { version: 1, columns })
}

fn three_fields() -> Arc<Schema> {
    let columns = vec![
        column("title", ColumnKind::Text, 1, "is"),
        column("n", ColumnKind::Bigint, 2, "a"),
        column("body", ColumnKind::Text, 3, "i"),
        column("tags", ColumnKind::String, 4, "ia"),
        column("note", ColumnKind::Text, 5, "s"),
        column("set", ColumnKind::Multi64, 6, "a"),
        column("yes", ColumnKind::Bool, 7, "a"),
        column("weight", ColumnKind::Float, 8, "a"),
    ];
    Arc::new(Schema { version: 4, columns })
}

fn nothing_stored() -> Arc<Schema> {
    Arc::new(Schema { version: 1, columns: vec![column("name", ColumnKind::Text, 1, "i")] })
}

fn no_fields() -> Arc<Schema> {
    let columns = vec![column("note", ColumnKind::Text, 1, "s"), column("tag", ColumnKind::String, 2, "a")];
    Arc::new(Schema { version: 1, columns })
}

/// Every attribute in a column of its own, the id too.
fn columnar() -> Arc<Schema> {
    let mut schema = Schema::clone(&three_fields());
    schema.columns.iter_mut().for_each(|column| column.columnar = column.attribute);
    schema.columns.push(column("small", ColumnKind::Uint, 9, "ac"));
    Arc::new(schema)
}

/// Columns beside rows.
fn mixed() -> Arc<Schema> {
    let columns = vec![
        column("name", ColumnKind::Text, 1, "is"),
        column("n", ColumnKind::Bigint, 2, "ac"),
        column("tree", ColumnKind::Json, 3, "a"),
        column("tag", ColumnKind::String, 4, "ac"),
        column("yes", ColumnKind::Bool, 5, "a"),
        column("set", ColumnKind::Multi, 6, "a"),
    ];
    Arc::new(Schema { version: 1, columns })
}

fn schemas() -> [Arc<Schema>; 6] {
    [one_field(), three_fields(), nothing_stored(), no_fields(), columnar(), mixed()]
}

fn analyzer() -> Analyzer {
    // Exact forms, so that there are words that begin with '='.
    let options = [("min_infix_len", "2"), ("morphology", "stem_en"), ("index_exact_words", "1")];
    let options = BTreeMap::from(options.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Analyzer::new(&options, &|_| Err(std::io::Error::other("no files"))).expect("sound options")
}

/// Few words, so that many rows share some, with a long tail.
fn text(random: &mut Random, most: u64) -> String {
    let words = random.below(most + 1);
    let word = |random: &mut Random| {
        let range = [4, 30, 3000][random.below(3) as usize];
        format!("w{}ö{}", random.below(range), ["", "x", "yz"][random.below(3) as usize])
    };
    (0..words).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

fn values(schema: &Schema, random: &mut Random) -> Vec<Value> {
    let value = |c: &Column, random: &mut Random| match c.kind {
        // One row in some has hundreds of words, so that lengths need two bytes.
        ColumnKind::Text => {
            let most = if random.below(40) == 0 { 600 } else { 12 };
            Value::Text(text(random, most))
        }
        ColumnKind::String => Value::Text(text(random, 3)),
        ColumnKind::Uint | ColumnKind::Timestamp => Value::Int(random.below(1 << 32) as i64),
        ColumnKind::Bigint => Value::Int(random.next() as i64),
        ColumnKind::Bool => Value::Int(random.below(2) as i64),
        ColumnKind::Float => Value::Float(random.below(1000) as f32 / 8.0),
        ColumnKind::Multi | ColumnKind::Multi64 => {
            let set: BTreeSet<i64> = (0..random.below(4)).map(|_| random.below(50) as i64).collect();
            Value::Mva(set.into_iter().collect())
        }
        ColumnKind::Json => Value::Json(random.next().to_le_bytes().to_vec()),
    };
    schema.columns.iter().map(|c| value(c, random)).collect()
}

/// Rows with ids from `ids`.
fn rows(schema: &Schema, random: &mut Random, ids: impl IntoIterator<Item = u64>) -> Vec<Row> {
    ids.into_iter().map(|id| (DocId(id), values(schema, random))).collect()
}

/// RAM parts of at most `batch` rows each, on one lexicon.
fn ram_parts(schema: &Arc<Schema>, rows: &[Row], batch: usize) -> Vec<PartView> {
    let (lexicon, analyzer) = (Lexicon::new(), analyzer());
    let part = |rows: &[Row]| {
        let mut builder = SegmentBuilder::new(schema.clone());
        for (id, values) in rows {
            builder.add(&analyzer, *id, values);
        }
        PartView::new(AnyPart::Ram(Arc::new(builder.finish(&lexicon))))
    };
    rows.chunks(batch).map(part).collect()
}

const UUID: u128 = 0x1234_5678;

fn options(schema: &Arc<Schema>, dir: &str) -> BuildOptions {
    BuildOptions {
        dir: PathBuf::from(dir),
        table_uuid: UUID,
        schema: schema.clone(),
        compression: "lz4".to_owned(),
        compression_level: 3,
        block_size: 256,
        stop: StopToken::new(),
        throttle: None,
        progress: Arc::default(),
        spare: None,
    }
}

/// A core that nobody else wants.
struct AlwaysSpare;

impl Spare for AlwaysSpare {
    fn take(&self) -> bool {
        true
    }
    fn may_keep(&self) -> bool {
        true
    }
    fn give_back(&self) {}
}

/// Whole, in many ranges, and in ranges of a block that may not wait in memory.
fn divisions() -> [Division; 4] {
    let division = |input_bytes, held_bytes, waiting_bytes| Division { input_bytes, held_bytes, waiting_bytes };
    [Division::WHOLE, Division::SHARED, division(500, 1000, 3000), division(1, 1, 0)]
}

/// Asserts that two folders hold the same, to the byte.
fn same_files(disk: &Arc<dyn Disk>, one: &str, two: &str) {
    let files = disk.list(Path::new(one)).expect("files");
    assert_eq!(disk.list(Path::new(two)).expect("files"), files);
    for file in files {
        let [one, two] = [one, two].map(|dir| disk.read(&Path::new(dir).join(&file)).expect("bytes"));
        assert!(one == two, "{}", file.display());
    }
}

fn disk() -> Arc<dyn Disk> {
    Arc::new(CrashDisk::new())
}

/// Asserts that every method of a part says of `rows` what a naive look at them says.
fn check(chunk: &DiskChunk, schema: &Arc<Schema>, rows: &[Row], random: &mut Random) {
    let layout = RowLayout::new(schema);
    assert_eq!(chunk.row_count() as usize, rows.len());
    assert!(*chunk.layout() == layout);
    assert_eq!(chunk.id_range(), rows.iter().map(|r| r.0).min().zip(rows.iter().map(|r| r.0).max()));
    for (n, (id, values)) in rows.iter().enumerate() {
        let row = RowId(n as u32);
        assert_eq!(chunk.doc_id(row), *id);
        assert_eq!(chunk.find(*id), Some(row));
        let base = chunk.base_row(row);
        for (c, column) in schema.columns.iter().enumerate().filter(|(_, c)| c.attribute) {
            assert_eq!(layout.value(base, c), values[c], "{} of row {n}", column.name);
        }
        let mut texts = Vec::new();
        chunk.stored(row, &mut |n, text| texts.push((n, Value::Text(text.to_owned())))).expect("sound");
        assert_eq!(texts, schema.stored().map(|c| values[c].clone()).enumerate().collect::<Vec<_>>());
    }
    for absent in [0, 3, u64::MAX, random.next()] {
        assert_eq!(chunk.find(DocId(absent)), rows.iter().position(|r| r.0.0 == absent).map(|n| RowId(n as u32)));
    }
    check_words(chunk, schema, rows, random);
}

/// Positions by word, field, row.
type Index = BTreeMap<Vec<u8>, BTreeMap<u8, BTreeMap<u32, Vec<u32>>>>;

fn check_words(chunk: &DiskChunk, schema: &Schema, rows: &[Row], random: &mut Random) {
    let (analyzer, mut index) = (analyzer(), Index::new());
    for (field, column) in schema.fields() {
        let mut total = 0;
        for (n, (_, values)) in rows.iter().enumerate() {
            let Value::Text(text) = &values[column] else { panic!("fields are text") };
            let length = analyzer.index(text, &mut |word, position| {
                let lists = index.entry(word.to_vec()).or_default().entry(field.0).or_default();
                lists.entry(n as u32).or_default().push(position);
            });
            assert_eq!(chunk.field_length(RowId(n as u32), field), length);
            total += u64::from(length);
        }
        assert_eq!(chunk.field_tokens(field), total);
    }
    for (word, fields) in &index {
        let mut any = BTreeMap::<u32, u32>::new();
        for (row, positions) in fields.values().flatten() {
            *any.entry(*row).or_default() += positions.len() as u32;
        }
        let stats = WordStats { docs: any.len() as u64, hits: any.values().map(|tf| u64::from(*tf)).sum() };
        assert_eq!(chunk.word_stats(word).expect("sound"), stats);
        let any: Vec<_> = any.into_iter().map(|(row, tf)| (row, tf, Vec::new())).collect();
        check_list(|| chunk.any_postings(word).expect("sound"), &any, random);
        for (field, _) in schema.fields() {
            let list = fields.get(&field.0).into_iter().flatten();
            let list: Vec<_> = list.map(|(row, positions)| (*row, positions.len() as u32, positions.clone())).collect();
            check_list(|| chunk.postings(word, field).expect("sound"), &list, random);
        }
    }
    assert_eq!(chunk.word_stats(b"absent").expect("sound"), WordStats::default());
    assert!(chunk.any_postings(b"absent").expect("sound").is_none());
    assert!(chunk.postings(b"absent", FieldId(0)).expect("sound").is_none());
    assert!(chunk.postings(b"w1", FieldId(9)).expect("sound").is_none());
    check_patterns(chunk, index.keys());
}

fn check_list<'a>(open: impl Fn() -> Option<DiskPostings<'a>>, expected: &[(u32, u32, Vec<u32>)], random: &mut Random) {
    let Some(mut cursor) = open() else {
        assert!(expected.is_empty());
        return;
    };
    assert_eq!(cursor.docs() as usize, expected.len());
    let mut positions = Vec::new();
    for (row, tf, wanted) in expected {
        assert_eq!((cursor.row(), cursor.tf()), (*row, *tf));
        positions.clear();
        cursor.positions(&mut positions);
        assert_eq!(&positions, wanted);
        cursor.advance();
    }
    assert_eq!((cursor.row(), cursor.advance(), cursor.seek(5)), (NO_ROW, NO_ROW, NO_ROW));

    let (mut cursor, mut target) = (open().expect("opened before"), 0);
    let last = expected.last().map_or(0, |e| e.0);
    while cursor.row() != NO_ROW {
        target = (target + random.below(u64::from(last) / 4 + 2) as u32).max(cursor.row());
        let wanted = expected.iter().find(|(row, ..)| *row >= target);
        assert_eq!(cursor.seek(target), wanted.map_or(NO_ROW, |(row, ..)| *row));
        if let Some((_, tf, wanted)) = wanted {
            assert_eq!(cursor.tf(), *tf);
            positions.clear();
            cursor.positions(&mut positions);
            assert_eq!(&positions, wanted);
        }
    }
    assert_eq!(open().expect("opened before").seek(NO_ROW), NO_ROW);
    assert_eq!(open().expect("opened before").seek(i32::MAX as u32), NO_ROW);
}

fn check_patterns<'a>(chunk: &DiskChunk, words: impl Iterator<Item = &'a Vec<u8>>) {
    let words: Vec<&Vec<u8>> = words.collect();
    let literal = |text: &str| PatternPiece::Literal(text.to_owned());
    let expand = |pieces: Vec<PatternPiece>| {
        let mut found = Vec::new();
        let pattern = WordPattern { pieces };
        chunk
            .expand(&pattern, &mut |word| {
                found.push(word.to_vec());
                true
            })
            .expect("sound");
        found
    };
    let with = |keep: &dyn Fn(&str) -> bool| -> Vec<Vec<u8>> {
        let text = |word: &[u8]| String::from_utf8(word.to_vec()).expect("UTF-8");
        words.iter().filter(|w| !w.starts_with(b"=") && keep(&text(w))).map(|w| w.to_vec()).collect()
    };
    assert_eq!(expand(vec![literal("w1"), PatternPiece::Any]), with(&|w| w.starts_with("w1")));
    assert_eq!(expand(vec![PatternPiece::Any, literal("öx")]), with(&|w| w.ends_with("öx")));
    assert_eq!(expand(vec![literal("w"), PatternPiece::One, literal("ö")]), with(&|w| w.chars().count() == 3 && w.ends_with('ö')));
    assert_eq!(expand(vec![PatternPiece::Any]), with(&|_| true));
    assert_eq!(expand(vec![literal("zz"), PatternPiece::Any]), with(&|_| false));
    let exact: Vec<Vec<u8>> = words.iter().filter(|w| w.starts_with(b"=w1")).map(|w| w.to_vec()).collect();
    assert_eq!(expand(vec![literal("=w1"), PatternPiece::Any]), exact);
    let mut count = 0;
    let pattern = WordPattern { pieces: vec![PatternPiece::Any] };
    chunk
        .expand(&pattern, &mut |_| {
            count += 1;
            count < 3
        })
        .expect("sound");
    assert_eq!(count, with(&|_| true).len().min(3));
}

#[test]
fn a_flushed_chunk_says_what_its_rows_say() {
    for (n, schema) in schemas().iter().enumerate() {
        let mut random = Random(n as u64 + 1);
        let disk = disk();
        let rows = rows(schema, &mut random, (0..700).map(|i| 10 + i * 3));
        let built = flush(&disk, &ram_parts(schema, &rows, 97), &options(schema, "/t/1")).expect("flushed");
        assert_eq!(built.map.rows(), 700);
        check(&built.chunk, schema, &rows, &mut random);
        built.chunk.verify().expect("sound");
        // Opened anew, it is the same.
        let again = DiskChunk::open(&disk, Path::new("/t/1"), UUID, schema).expect("sound");
        check(&again, schema, &rows, &mut random);
        let names = disk.list(Path::new("/t/1")).expect("a folder");
        let bytes: u64 = names.iter().map(|n| disk.len(&Path::new("/t/1").join(n)).expect("a file")).sum();
        assert_eq!((built.bytes, again.size_bytes()), (bytes, bytes));
    }
}

#[test]
fn ids_may_come_in_any_order_and_chunks_may_be_empty() {
    for schema in schemas() {
        let mut random = Random(5);
        let disk = disk();
        let unordered: BTreeSet<u64> = (0..300).map(|_| random.next()).collect();
        let mut unordered: Vec<u64> = unordered.into_iter().collect();
        unordered.reverse();
        unordered.swap(7, 200);
        let rows = rows(&schema, &mut random, unordered);
        let built = flush(&disk, &ram_parts(&schema, &rows, 50), &options(&schema, "/t/1")).expect("flushed");
        check(&built.chunk, &schema, &rows, &mut random);

        let all = |rows: u32| DeadRows::default().with((0..rows).map(RowId));
        let mut view = PartView::new(AnyPart::Disk(built.chunk));
        view.dead = all(300);
        let empty = merge(&disk, &[view], &options(&schema, "/t/2")).expect("merged");
        check(&empty.chunk, &schema, &[], &mut random);
        empty.chunk.verify().expect("sound");
        let none = flush(&disk, &[], &options(&schema, "/t/3")).expect("flushed");
        check(&none.chunk, &schema, &[], &mut random);
        let views = [PartView::new(AnyPart::Disk(none.chunk)), PartView::new(AnyPart::Disk(empty.chunk))];
        check(&merge(&disk, &views, &options(&schema, "/t/4")).expect("merged").chunk, &schema, &[], &mut random);
    }
}

/// Kills and UPDATEs some rows of a view, and of its model.
fn change(view: &mut PartView, schema: &Schema, rows: &[Row], random: &mut Random, kill: u64) -> Vec<Row> {
    let layout = RowLayout::new(schema);
    let (mut dead, mut edits, mut left) = (Vec::new(), Vec::new(), Vec::new());
    for (n, (id, values)) in rows.iter().enumerate() {
        if random.below(100) < kill {
            dead.push(RowId(n as u32));
            continue;
        }
        let mut values = values.clone();
        if random.below(7) == 0 {
            // Only what is an attribute and no field can be UPDATEd.
            let fresh = self::values(schema, random);
            let changes: Vec<(usize, Value)> =
                schema.columns.iter().enumerate().filter(|(_, c)| c.attribute && !c.indexed).map(|(c, _)| (c, fresh[c].clone())).collect();
            changes.iter().for_each(|(c, v)| values[*c] = v.clone());
            edits.push((RowId(n as u32), Arc::new(layout.edited(view.row(RowId(n as u32)), schema, &changes))));
        }
        left.push((*id, values));
    }
    view.dead = DeadRows::default().with(dead);
    view.edits = Overlay::default().with(edits);
    left
}

#[test]
fn a_merged_chunk_says_what_is_left_of_its_inputs() {
    for (n, schema) in schemas().iter().enumerate() {
        for inputs in 1..=5 {
            let mut random = Random(100 * n as u64 + inputs);
            let (disk, mut views, mut left, mut maps) = (disk(), Vec::new(), Vec::new(), Vec::new());
            for input in 0..inputs {
                let count = [500, 3, 130, 1, 260][random.below(5) as usize];
                let rows = rows(schema, &mut random, (0..count).map(|i| 1000 * (7 - input) + i));
                let mut options = options(schema, &format!("/t/{input}"));
                options.compression = ["lz4", "zstd", "none"][random.below(3) as usize].to_owned();
                // Rows that died and were UPDATEd in RAM.
                let mut parts = ram_parts(schema, &rows, 1000);
                let kill = [0, 0, 20][random.below(3) as usize];
                let flushed = match parts.first_mut() {
                    Some(part) => change(part, schema, &rows, &mut random, kill),
                    None => Vec::new(),
                };
                let built = flush(&disk, &parts, &options).expect("flushed");
                check(&built.chunk, schema, &flushed, &mut random);
                let mut view = PartView::new(AnyPart::Disk(built.chunk));
                let kill = [0, 1, 30, 99][random.below(4) as usize];
                maps.push((flushed.len(), left.len()));
                left.extend(change(&mut view, schema, &flushed, &mut random, kill));
                views.push(view);
            }
            let built = merge(&disk, &views, &options(schema, "/t/merged")).expect("merged");
            check(&built.chunk, schema, &left, &mut random);
            built.chunk.verify().expect("sound");
            // However it is divided, and on two threads, it is the same chunk.
            for (n, division) in divisions().into_iter().enumerate() {
                for (with, spare) in [("one", None), ("two", Some(Arc::new(AlwaysSpare) as Arc<dyn Spare>))] {
                    let dir = format!("/t/{n}.{with}");
                    merge_divided(&disk, &views, &BuildOptions { spare, ..options(schema, &dir) }, division).expect("merged");
                    same_files(&disk, "/t/merged", &dir);
                }
            }
            for (input, (view, (rows, first))) in views.iter().zip(maps).enumerate() {
                let mut next = first as u32;
                for row in 0..rows as u32 {
                    let expected = (!view.dead.contains(RowId(row))).then_some(RowId(next));
                    next += u32::from(expected.is_some());
                    assert_eq!(built.map.get(input, RowId(row)), expected);
                }
            }
        }
    }
}

#[test]
fn columns_of_many_blocks_are_merged_and_know_their_ranges() {
    let columns =
        vec![column("n", ColumnKind::Bigint, 1, "ac"), column("f", ColumnKind::Float, 2, "ac"), column("s", ColumnKind::String, 3, "ac")];
    let schema = Arc::new(Schema { version: 1, columns });
    let row = |id: u64| {
        let name = if id.is_multiple_of(3) { format!("name {id}") } else { format!("name {}", id % 10) };
        (DocId(id), vec![Value::Int(id as i64 * -7), Value::Float(id as f32 / 4.0), Value::Text(name)])
    };
    let (disk, mut views, mut left) = (disk(), Vec::new(), Vec::new());
    for input in 0..2u64 {
        let rows: Vec<Row> = (input * 10_000..input * 10_000 + 9_000).map(row).collect();
        let built = flush(&disk, &ram_parts(&schema, &rows, 4_000), &options(&schema, &format!("/t/{input}"))).expect("flushed");
        let mut view = PartView::new(AnyPart::Disk(built.chunk));
        assert_eq!(view.value_range(0, RowId(2000)).map(|r| r.2), Some(2048));
        let rows = change(&mut view, &schema, &rows, &mut Random(input), 5);
        assert_eq!((view.value_range(0, RowId(2000)), view.value_range(1, RowId(2000))), (None, None), "UPDATEs may lie outside");
        left.extend(rows);
        views.push(view);
    }
    let chunk = merge(&disk, &views, &options(&schema, "/t/merged")).expect("merged").chunk;
    check(&chunk, &schema, &left, &mut Random(9));
    let numbers: Vec<i64> = left.iter().map(|(_, values)| if let Value::Int(n) = values[0] { n } else { panic!("a number") }).collect();
    let mut row = 0;
    while (row as usize) < numbers.len() {
        let (least, greatest, next) = chunk.value_range(0, RowId(row)).expect("whole numbers");
        let block = &numbers[row as usize..numbers.len().min(next as usize)];
        assert_eq!((Some(&least), Some(&greatest)), (block.iter().min(), block.iter().max()));
        row = next;
    }
    assert_eq!((chunk.value_range(1, RowId(0)), chunk.value_range(2, RowId(0)), chunk.value_range(9, RowId(0))), (None, None, None));
    // Rows of 8 + 8 + 4 + 8 bytes and blobs of 4 + 8 would be 40 bytes each.
    let attributes = chunk.size_by_part().iter().find(|(name, _)| *name == "attributes").expect("a part").1;
    assert!(attributes < 26 * u64::from(chunk.row_count()), "{attributes}");
}

#[test]
fn a_hit_more_than_a_hundred_blocks_deep_is_found_by_seek() {
    let schema = one_field();
    let rows: Vec<Row> =
        (0..40_000u64).map(|n| (DocId(n + 1), vec![Value::Text(format!("all {}", n % 7)), Value::Int(n as i64)])).collect();
    let disk = disk();
    let built = flush(&disk, &ram_parts(&schema, &rows, 10_000), &options(&schema, "/t/1")).expect("flushed");
    let mut cursor = built.chunk.postings(b"all", FieldId(0)).expect("sound").expect("there");
    for target in [0, 1, 127, 128, 129, 25_000, 39_999] {
        assert_eq!(cursor.seek(target), target);
    }
    assert_eq!(cursor.advance(), NO_ROW);
    let mut cursor = built.chunk.any_postings(b"3").expect("sound").expect("there");
    assert_eq!((cursor.seek(20_000), cursor.docs()), (20_002, 5714));
}

#[test]
fn a_list_that_is_longer_than_what_may_wait_is_merged_by_two_threads() {
    let schema = one_field();
    let disk = disk();
    // Words before and behind it, so that either thread may have it when it is not its turn.
    let text = |n: u64| Value::Text(format!("a{} m m m z{}", n % 50, n % 70));
    let rows: Vec<Row> = (0..20_000u64).map(|n| (DocId(n + 1), vec![text(n), Value::Int(n as i64)])).collect();
    let built = flush(&disk, &ram_parts(&schema, &rows, 10_000), &options(&schema, "/t/1")).expect("flushed");
    let mut view = PartView::new(AnyPart::Disk(built.chunk));
    view.dead = view.dead.with((0..20_000).step_by(3).map(RowId));
    let views = [view.clone(), view];
    merge(&disk, &views, &options(&schema, "/t/merged")).expect("merged");
    for n in 0..20 {
        let division = Division { input_bytes: 1 << (n % 12), held_bytes: 1 << (n % 9), waiting_bytes: 1 << (n % 15) };
        let shared = BuildOptions { spare: Some(Arc::new(AlwaysSpare)), ..options(&schema, &format!("/t/shared.{n}")) };
        merge_divided(&disk, &views, &shared, division).expect("merged");
        same_files(&disk, "/t/merged", &format!("/t/shared.{n}"));
    }
}

/// Copies the files of a chunk and flips one bit of one of them.
fn damaged(disk: &Arc<dyn Disk>, from: &str, to: &str, name: &Path, bit: u64) {
    disk.create_dir(Path::new(to)).expect("a folder");
    for file in disk.list(Path::new(from)).expect("a folder") {
        let mut bytes = disk.read(&Path::new(from).join(&file)).expect("a file");
        if file == name {
            bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
        }
        disk.create(&Path::new(to).join(&file)).expect("a file").write(&bytes).expect("space");
    }
}

/// Reads all there is to read; what comes of it does not matter.
fn read_all(chunk: &DiskChunk, words: &[&[u8]]) {
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        for row in (0..chunk.row_count()).map(RowId) {
            let _ = chunk.find(chunk.doc_id(row));
            let _ = chunk.stored(row, &mut |_, _| {});
            (0..8).for_each(|c| drop(chunk.layout().value(chunk.base_row(row), c)));
            let _ = chunk.field_length(row, FieldId(0));
        }
    }));
    let _ = chunk.expand(&WordPattern { pieces: vec![PatternPiece::Any] }, &mut |_| true);
    for word in words {
        let _ = chunk.word_stats(word);
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut out = Vec::new();
            for cursor in [chunk.any_postings(word), chunk.postings(word, FieldId(0)), chunk.postings(word, FieldId(2))] {
                let Ok(Some(mut cursor)) = cursor else { continue };
                let mut steps = 0;
                while cursor.row() != NO_ROW && steps < 1000 {
                    cursor.positions(&mut out);
                    if steps % 3 == 0 {
                        cursor.advance()
                    } else {
                        cursor.seek(cursor.row().saturating_add(2))
                    };
                    out.clear();
                    steps += 1;
                }
            }
        }));
    }
}

#[test]
fn every_flipped_bit_is_found_and_none_aborts() {
    flip_bits(&three_fields(), 9);
    flip_bits(&mixed(), 11);
}

/// Flips bits in every file of a chunk of this schema, which are so many.
fn flip_bits(schema: &Arc<Schema>, files: usize) {
    let schema = schema.clone();
    let (disk, mut random) = (disk(), Random(9));
    let mut rows = rows(&schema, &mut random, (0..400).map(|n| n * 2 + 1));
    rows.swap(3, 90);
    flush(&disk, &ram_parts(&schema, &rows, 150), &options(&schema, "/t/1")).expect("flushed");
    let names = disk.list(Path::new("/t/1")).expect("a folder");
    assert_eq!(names.len(), files, "{names:?}");
    for name in &names {
        let bits = disk.len(&Path::new("/t/1").join(name)).expect("a file") * 8;
        // Both ends whole, where counts and offsets are, and samples from between.
        let mut at: BTreeSet<u64> = (0..bits.min(80)).chain(bits.saturating_sub(240)..bits).collect();
        at.extend((0..120).map(|_| random.below(bits)));
        for bit in at {
            damaged(&disk, "/t/1", "/t/2", name, bit);
            let opened = DiskChunk::open(&disk, Path::new("/t/2"), UUID, &schema);
            match opened {
                Err(error) => assert!(matches!(error, ChunkError::Corrupt { .. }), "{error}"),
                Ok(chunk) => {
                    let error = chunk.verify().expect_err("damaged").to_string();
                    assert!(error.contains(&*name.to_string_lossy()), "{error} for {}", name.display());
                    read_all(&chunk, &[b"w1\xc3\xb6", b"w2\xc3\xb6x", b"w17\xc3\xb6"]);
                    let merged = merge(&disk, &[PartView::new(AnyPart::Disk(chunk))], &options(&schema, "/t/3"));
                    assert!(matches!(merged, Err(ChunkError::Corrupt { .. })));
                }
            }
            assert!(!disk.exists(Path::new("/t/3")));
            disk.remove_dir(Path::new("/t/2")).expect("a folder");
        }
    }
}

#[test]
fn damage_under_a_checksum_that_fits_ends_a_merge_alike_however_it_is_divided() {
    let schema = three_fields();
    let (disk, mut random) = (disk(), Random(21));
    let rows = rows(&schema, &mut random, 1..300);
    flush(&disk, &ram_parts(&schema, &rows, 150), &options(&schema, "/t/1")).expect("flushed");
    let mut failed = 0;
    for name in ["terms", "postings", "positions", "stored", "attributes"].map(Path::new) {
        let bits = disk.len(&Path::new("/t/1").join(name)).expect("a file") * 8;
        for _ in 0..60 {
            damaged(&disk, "/t/1", "/t/2", name, random.below(bits));
            let bytes = disk.read(Path::new("/t/2/header")).expect("a file");
            let mut header = Header::decode(&bytes, "header").expect("sound");
            let mark = header.files.iter_mut().find(|f| Path::new(&f.name) == name).expect("named");
            mark.crc = crc32fast::hash(&disk.read(&Path::new("/t/2").join(name)).expect("a file"));
            disk.remove_file(Path::new("/t/2/header")).expect("a file");
            disk.create(Path::new("/t/2/header")).expect("a file").write(&header.encode()).expect("space");
            let chunk = DiskChunk::open(&disk, Path::new("/t/2"), UUID, &schema).expect("sound as far as one looks");
            let view = PartView::new(AnyPart::Disk(chunk));
            let whole = merge_divided(&disk, std::slice::from_ref(&view), &options(&schema, "/t/whole"), Division::WHOLE);
            for division in divisions() {
                let shared = BuildOptions { spare: Some(Arc::new(AlwaysSpare)), ..options(&schema, "/t/shared") };
                match (&whole, merge_divided(&disk, std::slice::from_ref(&view), &shared, division)) {
                    (Ok(_), Ok(_)) => {
                        same_files(&disk, "/t/whole", "/t/shared");
                        disk.remove_dir(Path::new("/t/shared")).expect("a folder");
                    }
                    (Err(_), Err(error)) => assert!(matches!(error, ChunkError::Corrupt { .. }), "{error}"),
                    (Ok(_), Err(error)) => panic!("{}, {division:?}: {error}", name.display()),
                    (Err(error), Ok(_)) => panic!("{}, {division:?}: unlike {error}", name.display()),
                }
                assert!(!disk.exists(Path::new("/t/shared")));
            }
            failed += u32::from(whole.is_err());
            if whole.is_ok() {
                disk.remove_dir(Path::new("/t/whole")).expect("a folder");
            }
            disk.remove_dir(Path::new("/t/2")).expect("a folder");
        }
    }
    assert!(failed > 50, "{failed}");
}

#[test]
fn another_table_other_columns_and_missing_files_are_refused() {
    let schema = one_field();
    let (disk, mut random) = (disk(), Random(3));
    let rows = rows(&schema, &mut random, 1..50);
    flush(&disk, &ram_parts(&schema, &rows, 50), &options(&schema, "/t/1")).expect("flushed");
    let refused = |uuid, schema: &Arc<Schema>| match DiskChunk::open(&disk, Path::new("/t/1"), uuid, schema) {
        Err(ChunkError::Corrupt { reason, .. }) => reason,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("opened"),
    };
    assert!(refused(1, &schema).contains("another table"));
    assert!(refused(UUID, &three_fields()).contains("columns"));
    disk.truncate(Path::new("/t/1/postings"), 5).expect("a file");
    assert!(refused(UUID, &schema).contains("5 bytes found"));
    disk.remove_file(Path::new("/t/1/postings")).expect("a file");
    assert!(refused(UUID, &schema).contains("missing"));
    disk.remove_file(Path::new("/t/1/header")).expect("a file");
    assert!(refused(UUID, &schema).contains("missing"));
    let taken = flush(&disk, &[], &options(&schema, "/t/1"));
    assert!(matches!(taken, Err(ChunkError::Io { .. })) && disk.exists(Path::new("/t/1/terms")));
}

#[test]
fn a_retired_chunk_goes_with_its_last_reader() {
    let schema = one_field();
    let (disk, mut random) = (disk(), Random(3));
    let rows = rows(&schema, &mut random, 1..50);
    let chunk = flush(&disk, &ram_parts(&schema, &rows, 50), &options(&schema, "/t/1")).expect("flushed").chunk;
    let reader = chunk.clone();
    chunk.retire(&Arc::default());
    drop(chunk);
    assert!(disk.exists(Path::new("/t/1")));
    check(&reader, &schema, &rows, &mut random);
    drop(reader);
    assert!(!disk.exists(Path::new("/t/1")));
}

#[test]
fn a_chunk_that_crashed_at_any_operation_is_whole_or_has_no_header() {
    let schema = three_fields();
    let mut random = Random(11);
    let rows = rows(&schema, &mut random, 1..40);
    let parts = ram_parts(&schema, &rows, 15);
    let whole = CrashDisk::new();
    flush(&(Arc::new(whole.clone()) as Arc<dyn Disk>), &parts, &options(&schema, "/t/1")).expect("flushed");
    let mut opened = 0;
    for operation in 0..whole.operations() {
        for keep in [crate::storage::Keep::All, crate::storage::Keep::Nothing, crate::storage::Keep::LastWriteTorn] {
            let disk = CrashDisk::new();
            disk.crash_at(operation);
            let shared: Arc<dyn Disk> = Arc::new(disk.clone());
            let built = flush(&shared, &parts, &options(&schema, "/t/1"));
            assert!(built.is_err() || !disk.crashed());
            let after: Arc<dyn Disk> = Arc::new(disk.survivor(keep));
            if after.exists(Path::new("/t/1/header"))
                && let Ok(chunk) = DiskChunk::open(&after, Path::new("/t/1"), UUID, &schema)
            {
                chunk.verify().expect("whole");
                check(&chunk, &schema, &rows, &mut random);
                opened += 1;
            }
        }
    }
    assert!(opened > 0);
}

#[test]
fn a_full_disk_leaves_no_folder() {
    let schema = three_fields();
    let mut random = Random(12);
    let rows = rows(&schema, &mut random, 1..400);
    let parts = ram_parts(&schema, &rows, 1000);
    for space in [0, 100, 5_000, 20_000] {
        let disk = CrashDisk::new();
        disk.set_space(Some(space));
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        let built = flush(&shared, &parts, &options(&schema, "/t/1"));
        assert!(matches!(built, Err(ChunkError::Io { .. })), "{space}");
        assert!(!shared.exists(Path::new("/t/1")));
    }
}

/// A disk that raises the stop flag at its n-th operation.
struct StopAt {
    inner: CrashDisk,
    left: Arc<std::sync::atomic::AtomicI64>,
    stop: StopToken,
}

impl StopAt {
    fn tick(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            self.stop.stop();
        }
    }
}

impl Disk for StopAt {
    fn create(&self, path: &Path) -> std::io::Result<Box<dyn crate::storage::WriteFile>> {
        self.tick();
        self.inner.create(path)
    }
    fn append(&self, path: &Path) -> std::io::Result<Box<dyn crate::storage::WriteFile>> {
        self.inner.append(path)
    }
    fn map(&self, path: &Path) -> std::io::Result<crate::types::Bytes> {
        self.inner.map(path)
    }
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        self.inner.read(path)
    }
    fn len(&self, path: &Path) -> std::io::Result<u64> {
        self.inner.len(path)
    }
    fn exists(&self, path: &Path) -> bool {
        self.inner.exists(path)
    }
    fn list(&self, dir: &Path) -> std::io::Result<Vec<PathBuf>> {
        self.inner.list(dir)
    }
    fn is_dir(&self, path: &Path) -> bool {
        self.inner.is_dir(path)
    }
    fn create_dir(&self, dir: &Path) -> std::io::Result<()> {
        self.tick();
        self.inner.create_dir(dir)
    }
    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        self.inner.rename(from, to)
    }
    fn remove_file(&self, path: &Path) -> std::io::Result<()> {
        self.inner.remove_file(path)
    }
    fn remove_dir(&self, dir: &Path) -> std::io::Result<()> {
        self.inner.remove_dir(dir)
    }
    fn truncate(&self, path: &Path, len: u64) -> std::io::Result<()> {
        self.inner.truncate(path, len)
    }
    fn sync_dir(&self, dir: &Path) -> std::io::Result<()> {
        self.tick();
        self.inner.sync_dir(dir)
    }
    fn free_bytes(&self, path: &Path) -> std::io::Result<u64> {
        self.inner.free_bytes(path)
    }
    fn beside(&self, name: &str, work: Box<dyn FnOnce() + Send>) {
        self.inner.beside(name, work);
    }
}

#[test]
fn a_build_that_is_stopped_in_any_phase_leaves_no_folder() {
    let schema = three_fields();
    let mut random = Random(13);
    let mut rows = rows(&schema, &mut random, 1..400);
    rows.swap(0, 9);
    let parts = ram_parts(&schema, &rows, 100);
    let inner = CrashDisk::new();
    let shared: Arc<dyn Disk> = Arc::new(inner.clone());
    let chunk = flush(&shared, &parts, &options(&schema, "/t/0")).expect("flushed").chunk;
    let views = [PartView::new(AnyPart::Disk(chunk.clone())), PartView::new(AnyPart::Disk(chunk))];
    // The folder, eight files, the folder's sync: each begins a phase. What is stopped during the last sync is done.
    for at in 0..10 {
        for (merged, spare) in [(false, None), (true, None), (true, Some(Arc::new(AlwaysSpare) as Arc<dyn Spare>))] {
            let mut options = BuildOptions { spare, ..options(&schema, "/t/1") };
            options.stop = StopToken::new();
            let disk: Arc<dyn Disk> =
                Arc::new(StopAt { inner: inner.clone(), left: Arc::new((at as i64).into()), stop: options.stop.clone() });
            let built = if merged { merge_divided(&disk, &views, &options, divisions()[at % 4]) } else { flush(&disk, &parts, &options) };
            assert!(matches!(built, Err(ChunkError::Stopped)), "at {at}");
            assert!(!shared.exists(Path::new("/t/1")), "at {at}");
        }
    }
    let mut options = options(&schema, "/t/1");
    options.stop.stop();
    assert!(matches!(flush(&shared, &parts, &options), Err(ChunkError::Stopped)));
    options.stop = StopToken::new();
    let built = flush(&shared, &parts, &options).expect("flushed");
    assert_eq!(options.progress.written(), built.bytes);
    assert_eq!(options.progress.rows(), 399);
}

#[test]
fn many_threads_read_one_chunk() {
    let schema = three_fields();
    let (disk, mut random) = (disk(), Random(14));
    let rows = rows(&schema, &mut random, 1..120);
    let chunk = flush(&disk, &ram_parts(&schema, &rows, 50), &options(&schema, "/t/1")).expect("flushed").chunk;
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (chunk, schema, rows) = (&chunk, &schema, &rows);
            scope.spawn(move || check(chunk, schema, rows, &mut Random(n)));
        }
    });
}
