//! Segments against plain rows in a list: the same answers however a segment came to be.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::super::postings::{NO_ROW, Postings, WordStats};
use super::super::{AnyPart, ChunkError, DeadRows, Overlay, Part, PartView};
use super::builder::Tokenize;
use super::{Entry, FlushTerms, Lexicon, RamSegment, SegmentBuilder};
use crate::types::{Column, ColumnKind, DocId, FieldId, RowId, Schema, StopToken, Value};
use crate::types::{PatternPiece, WordPattern};

/// Words between blanks; `.` leaves a gap in the positions; a word in capitals is also emitted as an exact form.
pub(super) struct Blanks;

impl Tokenize for Blanks {
    fn tokenize(&self, text: &str, emit: &mut impl FnMut(&[u8], u32)) -> u32 {
        let mut position = 0;
        for word in text.split_ascii_whitespace() {
            position += 1;
            if word != "." {
                emit(word.to_lowercase().as_bytes(), position);
                if word.chars().all(char::is_uppercase) {
                    emit(format!("={}", word.to_lowercase()).as_bytes(), position);
                }
            }
        }
        position
    }
}

/// A row as the user gave it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) id: u64,
    pub(super) values: Vec<Value>,
}

/// Which columns a table has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    /// Text columns, all full-text fields; every second is stored.
    pub(super) texts: usize,
    /// Whether there are attributes with blobs.
    pub(super) blobs: bool,
}

impl Table {
    pub(super) fn schema(self) -> Arc<Schema> {
        let column = |name: String, kind, indexed, stored| Column {
            name,
            kind,
            uid: 0,
            indexed,
            stored,
            attribute: kind != ColumnKind::Text,
            columnar: false,
        };
        let mut columns: Vec<Column> = (0..self.texts).map(|n| column(format!("t{n}"), ColumnKind::Text, true, n % 2 == 0)).collect();
        columns.push(column("n".into(), ColumnKind::Uint, false, false));
        if self.blobs {
            columns.push(column("s".into(), ColumnKind::String, false, false));
            columns.push(column("m".into(), ColumnKind::Multi64, false, false));
        }
        Arc::new(Schema { version: 1, columns })
    }

    fn row(self) -> impl Strategy<Value = Vec<Value>> {
        let text = prop::collection::vec(prop::sample::select(WORDS), 0..9).prop_map(|words| Value::Text(words.join(" ")));
        let mva = prop::collection::btree_set(any::<i64>(), 0..3).prop_map(|set| Value::Mva(set.into_iter().collect()));
        (prop::collection::vec(text, self.texts), any::<u32>(), "[a-zß]{0,6}", mva).prop_map(move |(mut values, n, s, m)| {
            values.push(Value::Int(n as i64));
            if self.blobs {
                values.extend([Value::Text(s), m]);
            }
            values
        })
    }

    fn rows(self, max: usize) -> impl Strategy<Value = Vec<Vec<Value>>> {
        prop::collection::vec(self.row(), 0..max)
    }
}

const WORDS: &[&str] =
    &["a", "a", "a", "b", "b", "c", "abc", "abd", "straße", "X", "YZ", "yz", "rare", ".", "bc", "long_word_that_does_not_end_soon"];

fn tables() -> impl Strategy<Value = Table> {
    (0..4usize, any::<bool>()).prop_map(|(texts, blobs)| Table { texts, blobs })
}

pub(super) fn build(schema: &Arc<Schema>, lexicon: &Arc<Lexicon>, rows: &[Row]) -> RamSegment {
    let mut builder = SegmentBuilder::new(schema.clone());
    for (n, row) in rows.iter().enumerate() {
        assert_eq!(builder.add_with(&Blanks, DocId(row.id), &row.values), RowId(n as u32));
    }
    assert_eq!(builder.row_count() as usize, rows.len());
    builder.finish(lexicon)
}

/// Word → row → field → positions.
type Index = BTreeMap<Vec<u8>, BTreeMap<u32, BTreeMap<u8, Vec<u32>>>>;

fn index(schema: &Schema, rows: &[Row]) -> (Index, Vec<Vec<u32>>) {
    let (mut index, mut lengths) = (Index::new(), Vec::new());
    for (n, row) in rows.iter().enumerate() {
        lengths.push(Vec::new());
        for (field, column) in schema.fields() {
            let Value::Text(text) = &row.values[column] else { panic!("text expected") };
            lengths[n].push(Blanks.tokenize(text, &mut |word, position| {
                index.entry(word.to_vec()).or_default().entry(n as u32).or_default().entry(field.0).or_default().push(position);
            }));
        }
    }
    (index, lengths)
}

/// Walks a cursor by steps and by jumps.
fn check_cursor<P: Postings>(open: impl Fn() -> Option<P>, wanted: &[(u32, u32, Vec<u32>)], with_positions: bool) {
    let Some(mut cursor) = open() else { return assert!(wanted.is_empty(), "rows expected") };
    assert_eq!(cursor.docs() as usize, wanted.len());
    for (row, tf, positions) in wanted {
        assert_eq!((cursor.row(), cursor.tf()), (*row, *tf));
        for _ in 0..2 {
            let mut got = Vec::new();
            cursor.positions(&mut got);
            assert_eq!(got, if with_positions { positions.clone() } else { Vec::new() });
        }
        cursor.advance();
    }
    assert_eq!((cursor.row(), cursor.advance(), cursor.seek(5)), (NO_ROW, NO_ROW, NO_ROW));
    let last = wanted.last().map_or(0, |w| w.0);
    let step = (last / 40).max(1);
    for target in (0..last + 2).step_by(step as usize) {
        let mut cursor = open().expect("it was there before");
        let mut place = 0;
        for seen in [target, target, target.saturating_sub(step), target + step * 3, last, last + 1] {
            // A cursor never goes back.
            place = wanted.partition_point(|w| w.0 < seen).max(place);
            assert_eq!(cursor.seek(seen), wanted.get(place).map_or(NO_ROW, |w| w.0));
            assert_eq!(cursor.tf(), wanted.get(place).map_or(0, |w| w.1));
        }
    }
}

/// Compares everything that a segment answers with the rows it should hold.
pub(super) fn check(segment: &RamSegment, rows: &[Row]) {
    let schema = segment.schema().clone();
    let (index, lengths) = index(&schema, rows);
    assert_eq!(segment.row_count() as usize, rows.len());
    assert_eq!(segment.lists.len(), index.len());
    let fields = schema.field_count();
    for word in index.keys().cloned().chain([b"never".to_vec(), b"".to_vec()]) {
        let list = index.get(&word).cloned().unwrap_or_default();
        let hits = |by_field: &BTreeMap<u8, Vec<u32>>| by_field.values().map(Vec::len).sum::<usize>();
        let stats = WordStats { docs: list.len() as u64, hits: list.values().map(hits).sum::<usize>() as u64 };
        assert_eq!(segment.word_stats(&word).expect("in memory"), stats);
        let any: Vec<_> = list.iter().map(|(row, by_field)| (*row, hits(by_field) as u32, Vec::new())).collect();
        check_cursor(|| segment.any_postings(&word).expect("in memory"), &any, false);
        for field in 0..fields as u8 + 1 {
            let wanted: Vec<_> = list.iter().filter_map(|(row, f)| f.get(&field).map(|p| (*row, p.len() as u32, p.clone()))).collect();
            check_cursor(|| segment.postings(&word, FieldId(field)).expect("in memory"), &wanted, true);
        }
    }
    let mut ids = BTreeMap::new();
    for (n, row) in rows.iter().enumerate() {
        let n = RowId(n as u32);
        ids.insert(row.id, n);
        assert_eq!(segment.doc_id(n), DocId(row.id));
        let mut texts = Vec::new();
        segment.stored(n, &mut |place, text| texts.push((place, text.to_owned()))).expect("in memory");
        let wanted = schema.stored().enumerate().map(|(place, column)| match &row.values[column] {
            Value::Text(text) => (place, text.clone()),
            other => panic!("text expected, not {other:?}"),
        });
        assert_eq!(texts, wanted.collect::<Vec<_>>());
        for (column, value) in row.values.iter().enumerate().filter(|(c, _)| schema.columns[*c].attribute) {
            assert_eq!(segment.layout().value(segment.base_row(n), column), *value);
        }
        for (field, length) in lengths[n.0 as usize].iter().enumerate().take(fields) {
            assert_eq!(segment.field_length(n, FieldId(field as u8)), *length);
        }
    }
    for field in 0..fields + 1 {
        let sum = lengths.iter().map(|l| l.get(field).copied().unwrap_or(0) as u64).sum::<u64>();
        assert_eq!(segment.field_tokens(FieldId(field as u8)), sum);
    }
    for id in ids.keys().flat_map(|id| [id.wrapping_sub(1), *id, id.wrapping_add(1)]).collect::<BTreeSet<_>>() {
        assert_eq!(segment.find(DocId(id)), ids.get(&id).copied(), "id {id}");
    }
    assert_eq!(segment.id_range(), ids.keys().next().map(|id| DocId(*id)).zip(ids.keys().last().map(|id| DocId(*id))));
    let mut all = Vec::new();
    let pattern = WordPattern { pieces: vec![PatternPiece::Any] };
    segment
        .expand(&pattern, &mut |word| {
            all.push(word.to_vec());
            true
        })
        .expect("in memory");
    assert_eq!(all, index.keys().filter(|w| !w.starts_with(b"=")).cloned().collect::<Vec<_>>());
    let terms = FlushTerms::new(&[segment]);
    let flushed: Vec<_> = (0..terms.len()).map(|place| terms.get(place)).collect();
    assert_eq!(flushed.iter().map(|t| t.word.to_vec()).collect::<Vec<_>>(), index.keys().cloned().collect::<Vec<_>>());
    let mut entry = Entry::default();
    for (term, (_, list)) in flushed.iter().zip(&index) {
        let mut entries = segment.entries(term.sources[0].term);
        let mut got = BTreeMap::new();
        while entries.next(&mut entry) {
            got.insert(entry.row, entry.fields().map(|(f, p)| (f.0, p.to_vec())).collect::<BTreeMap<_, _>>());
            assert_eq!(entry.hits() as usize, entry.fields().map(|(_, p)| p.len()).sum::<usize>());
        }
        assert_eq!(got, *list);
    }
}

fn view(segment: &Arc<RamSegment>) -> PartView {
    PartView::new(AnyPart::Ram(segment.clone()))
}

/// Inputs of a merge: rows, which are dead, and new attribute numbers for some.
#[derive(Clone, Debug)]
struct Input {
    rows: Vec<Row>,
    dead: BTreeSet<u32>,
    edits: BTreeMap<u32, Value>,
}

fn inputs(table: Table, ascending: bool) -> impl Strategy<Value = Vec<Input>> {
    let input = (table.rows(12), prop::collection::btree_set(0..12u32, 0..5), prop::collection::btree_map(0..12u32, any::<u32>(), 0..4));
    (prop::collection::vec(input, 1..7), any::<u64>()).prop_map(move |(inputs, seed)| {
        let mut next = 0u64;
        let inputs = inputs.into_iter().enumerate().map(|(n, (rows, dead, edits))| {
            let rows: Vec<Row> = rows
                .into_iter()
                .map(|values| {
                    next += 1;
                    let id = if ascending { next * 3 } else { next.wrapping_mul(seed | 1) };
                    Row { id, values }
                })
                .collect();
            // Every third input keeps all its rows.
            let dead = if n % 3 == 0 { BTreeSet::new() } else { dead.into_iter().filter(|r| (*r as usize) < rows.len()).collect() };
            let edits = edits.into_iter().filter(|(r, _)| (*r as usize) < rows.len()).map(|(r, v)| (r, Value::Int(v as i64))).collect();
            Input { rows, dead, edits }
        });
        inputs.collect()
    })
}

fn apply(input: &Input, schema: &Schema, segment: RamSegment) -> (PartView, Vec<Row>) {
    let column = schema.find("n").expect("each table has it");
    let mut view = view(&Arc::new(segment));
    view.dead = view.dead.with(input.dead.iter().map(|r| RowId(*r)));
    let mut edits = Overlay::default();
    for (row, value) in &input.edits {
        let mut changes = vec![(column, value.clone())];
        if let Some(s) = schema.find("s") {
            changes.push((s, Value::Text(format!("changed {value:?}"))));
        }
        edits = edits.with([(RowId(*row), Arc::new(view.part.layout().edited(view.row(RowId(*row)), schema, &changes)))]);
    }
    view.edits = edits;
    let mut rows = Vec::new();
    for (n, row) in input.rows.iter().enumerate().filter(|(n, _)| !input.dead.contains(&(*n as u32))) {
        let mut row = row.clone();
        if let Some(value) = input.edits.get(&(n as u32)) {
            row.values[column] = value.clone();
            if let Some(s) = schema.find("s") {
                row.values[s] = Value::Text(format!("changed {value:?}"));
            }
        }
        rows.push(row);
    }
    (view, rows)
}

proptest! {
    #[test]
    fn a_segment_answers_like_its_rows(
        (table, rows) in tables().prop_flat_map(|t| (Just(t), t.rows(30))),
        ids in prop::collection::vec(1..60u64, 30),
        sorted in any::<bool>(),
    ) {
        let mut rows: Vec<Row> = rows.into_iter().zip(ids).map(|(values, id)| Row { id, values }).collect();
        if sorted {
            rows.sort_by_key(|row| row.id);
        }
        check(&build(&table.schema(), &Lexicon::new(), &rows), &rows);
    }

    #[test]
    fn a_merge_equals_a_segment_of_the_alive_rows(
        (table, first, second) in (tables(), any::<bool>()).prop_flat_map(|(t, a)| (Just(t), inputs(t, a), inputs(t, a))),
    ) {
        let (schema, lexicon, stop) = (table.schema(), Lexicon::new(), StopToken::new());
        let mut merged = Vec::new();
        for inputs in [first, second] {
            let (views, rows): (Vec<_>, Vec<_>) =
                inputs.iter().map(|i| apply(i, &schema, build(&schema, &lexicon, &i.rows))).unzip();
            let (segment, map) = RamSegment::merge(&views, &stop).expect("nobody stops it");
            let rows: Vec<Row> = rows.into_iter().flatten().collect();
            prop_assert_eq!(map.rows() as usize, rows.len());
            for (n, view) in views.iter().enumerate() {
                for row in (0..view.part.row_count()).map(RowId) {
                    let moved = map.get(n, row);
                    prop_assert_eq!(moved.is_none(), view.dead.contains(row));
                    if let Some(moved) = moved {
                        prop_assert_eq!(segment.doc_id(moved), view.part.doc_id(row));
                    }
                }
            }
            check(&segment, &rows);
            merged.push((segment, rows));
        }
        // What was merged once merges again.
        let views: Vec<PartView> = merged.iter_mut().map(|(s, _)| {
            view(&Arc::new(std::mem::replace(s, build(&schema, &lexicon, &[]))))
        }).collect();
        let (segment, _) = RamSegment::merge(&views, &stop).expect("nobody stops it");
        let mut rows: Vec<Row> = merged.into_iter().flat_map(|(_, rows)| rows).collect();
        // Ids of the two halves repeat: the later row is the one found.
        check(&segment, &rows);
        rows.clear();
    }

    #[test]
    fn what_was_saved_loads_into_another_lexicon((table, rows) in tables().prop_flat_map(|t| (Just(t), t.rows(30)))) {
        let rows: Vec<Row> = rows.into_iter().enumerate().map(|(n, values)| Row { id: n as u64 * 7 % 31 + 1, values }).collect();
        let schema = table.schema();
        let saved = build(&schema, &Lexicon::new(), &rows);
        let mut bytes = b"before".to_vec();
        saved.save(&mut bytes);
        let lexicon = Lexicon::new();
        build(&schema, &lexicon, &rows[rows.len() / 2..]);
        let loaded = RamSegment::load(&bytes[6..], "ram", schema, &lexicon).expect("sound bytes");
        check(&loaded, &rows);
        let mut again = Vec::new();
        loaded.save(&mut again);
        // Words come in another order: the lexicon is another.
        prop_assert_eq!(again.len(), bytes.len() - 6);
    }

    #[test]
    fn damaged_bytes_are_told(
        (table, rows) in tables().prop_flat_map(|t| (Just(t), t.rows(12))),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1..=255u8), 1..4),
        cut in any::<prop::sample::Index>(),
        mend in any::<bool>(),
    ) {
        let rows: Vec<Row> = rows.into_iter().enumerate().map(|(n, values)| Row { id: n as u64 + 1, values }).collect();
        let schema = table.schema();
        let mut bytes = Vec::new();
        build(&schema, &Lexicon::new(), &rows).save(&mut bytes);
        let cut = cut.index(bytes.len());
        let is_corrupt = |bytes: &[u8]| {
            let result = RamSegment::load(bytes, "ram", schema.clone(), &Lexicon::new());
            matches!(result, Err(ChunkError::Corrupt { .. } | ChunkError::TooNew { .. }))
        };
        prop_assert!(is_corrupt(&bytes[..cut]));
        let sound = bytes.clone();
        for (place, flip) in flips {
            let place = place.index(bytes.len());
            bytes[place] ^= flip;
        }
        if bytes == sound {
            return Ok(());
        }
        if mend {
            // With the checksum made good again the bytes may load, but whatever they hold can be read, merged and saved.
            let crc = crc32fast::hash(&bytes[16..]);
            bytes[12..16].copy_from_slice(&crc.to_le_bytes());
            if let Ok(segment) = RamSegment::load(&bytes, "ram", schema.clone(), &Lexicon::new()) {
                read_all(&segment);
                let mut view = view(&Arc::new(segment));
                view.dead = view.dead.with((0..view.part.row_count()).step_by(2).map(RowId));
                let (merged, _) = RamSegment::merge(&[view.clone(), view], &StopToken::new()).expect("nobody stops it");
                read_all(&merged);
            }
        } else {
            prop_assert!(is_corrupt(&bytes));
        }
    }
}

/// Reads whatever a segment holds.
fn read_all(segment: &RamSegment) {
    let mut entry = Entry::default();
    for term in 0..segment.lists.len() as u32 {
        let mut entries = segment.entries(term);
        while entries.next(&mut entry) {}
        for field in [None, Some(FieldId(0)), Some(FieldId(1))] {
            if let Some(mut cursor) = segment.term_postings(term, field) {
                while cursor.row() != NO_ROW {
                    cursor.positions(&mut Vec::new());
                    cursor.seek(cursor.row() + 2);
                }
            }
        }
    }
    for row in (0..segment.row_count()).map(RowId) {
        segment.stored(row, &mut |_, _| ()).expect("checked when it was loaded");
        (0..segment.schema().columns.len()).for_each(|c| drop(segment.layout().value(segment.base_row(row), c)));
        assert!(segment.find(segment.doc_id(row)).is_some());
    }
}

/// Rows with one very common word, so that lists are long enough for skip points.
fn long_rows(from: u64, count: u64) -> Vec<Row> {
    let row = |n: u64| {
        let text = |salt: u64| {
            let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(salt) >> 32;
            let mut text = String::new();
            (0..n % 4).for_each(|_| text.push_str("common "));
            (0..n % 3).for_each(|_| text.push_str(". "));
            text + if n.is_multiple_of(7) { "seventh" } else { "other" } + &format!(" w{}", n % 300)
        };
        Row { id: n + 1, values: vec![Value::Text(text(1)), Value::Text(text(77)), Value::Int(n as i64)] }
    };
    (from..from + count).map(row).collect()
}

#[test]
fn long_lists_are_sought_through_skip_points() {
    let table = Table { texts: 2, blobs: false };
    let (schema, lexicon) = (table.schema(), Lexicon::new());
    let rows = long_rows(0, 3000);
    let whole = build(&schema, &lexicon, &rows);
    let points = |segment: &RamSegment| {
        segment.lists.skips(segment.lists.find(lexicon.find(b"common").expect("there")).expect("there"), usize::MAX).len()
    };
    assert!(points(&whole) > 10);
    check(&whole, &rows);
    let mut bytes = Vec::new();
    whole.save(&mut bytes);
    let loaded = RamSegment::load(&bytes, "ram", schema.clone(), &Lexicon::new()).expect("sound bytes");
    check(&loaded, &rows);
    assert_eq!(loaded.memory_bytes(), whole.memory_bytes());

    // Pieces with and without dead rows, some too short for a point of their own.
    let mut views = Vec::new();
    let mut alive = Vec::new();
    for (n, piece) in rows.chunks(187).enumerate() {
        let mut view = view(&Arc::new(build(&schema, &lexicon, piece)));
        let dead = |row: usize| n % 3 == 1 && row % 5 < 2 || n == 7;
        view.dead = view.dead.with((0..piece.len()).filter(|r| dead(*r)).map(|r| RowId(r as u32)));
        alive.extend(piece.iter().enumerate().filter(|(r, _)| !dead(*r)).map(|(_, row)| row.clone()));
        views.push(view);
    }
    let (merged, _) = RamSegment::merge(&views, &StopToken::new()).expect("nobody stops it");
    assert!(points(&merged) > 10);
    check(&merged, &alive);
    let (again, _) = RamSegment::merge(&[view(&Arc::new(merged))], &StopToken::new()).expect("nobody stops it");
    check(&again, &alive);
}

#[test]
fn a_stopped_merge_says_so() {
    let (schema, lexicon) = (Table { texts: 2, blobs: false }.schema(), Lexicon::new());
    let segment = Arc::new(build(&schema, &lexicon, &long_rows(0, 5000)));
    let stop = StopToken::new();
    stop.stop();
    assert!(matches!(RamSegment::merge(&[view(&segment), view(&segment)], &stop), Err(ChunkError::Stopped)));
    assert!(matches!(RamSegment::merge(&[], &StopToken::new()), Err(ChunkError::Limit(_))));
}

#[test]
fn all_rows_dead_leaves_an_empty_segment() {
    let (schema, lexicon) = (Table { texts: 1, blobs: true }.schema(), Lexicon::new());
    let rows = [Row { id: 9, values: vec![Value::Text("a b".into()), Value::Int(1), Value::Text("s".into()), Value::Mva(vec![1])] }];
    let mut view = view(&Arc::new(build(&schema, &lexicon, &rows)));
    view.dead = DeadRows::default().with([RowId(0)]);
    let (segment, map) = RamSegment::merge(&[view.clone(), view], &StopToken::new()).expect("nobody stops it");
    assert_eq!(map.rows(), 0);
    check(&segment, &[]);
}

#[test]
fn a_small_segment_is_small() {
    let (schema, lexicon) = (Table { texts: 1, blobs: true }.schema(), Lexicon::new());
    let text = (0..55).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    let data = text.len();
    let rows = [Row { id: 9, values: vec![Value::Text(text), Value::Int(1), Value::Text("s".into()), Value::Mva(vec![1])] }];
    let segment = build(&schema, &lexicon, &rows);
    assert!(segment.memory_bytes() < data + 1500, "{} bytes for {data} of text", segment.memory_bytes());
}

#[test]
fn statements_build_side_by_side() {
    let (schema, lexicon) = (Table { texts: 2, blobs: false }.schema(), Lexicon::new());
    std::thread::scope(|scope| {
        for t in 0..4u64 {
            let (schema, lexicon) = (&schema, &lexicon);
            scope.spawn(move || {
                for round in 0..10 {
                    let rows = long_rows(t * 50 + round * 30, 60);
                    check(&build(schema, lexicon, &rows), &rows);
                }
            });
        }
    });
}

#[test]
fn words_of_several_inputs_come_sorted_once() {
    let (schema, lexicon) = (Table { texts: 1, blobs: false }.schema(), Lexicon::new());
    let row = |id, text: &str| Row { id, values: vec![Value::Text(text.into()), Value::Int(0)] };
    let one = build(&schema, &lexicon, &[row(1, "pear apple"), row(2, "apple")]);
    let two = build(&schema, &lexicon, &[row(3, "zebra apple applesauce")]);
    let terms = FlushTerms::new(&[&one, &two]);
    let mut got = Vec::new();
    for term in (0..terms.len()).map(|place| terms.get(place)) {
        for source in term.sources {
            let segment = [&one, &two][source.input as usize];
            got.push(format!("{} {} {}", String::from_utf8_lossy(term.word), source.input, segment.term_stats(source.term).docs));
        }
    }
    assert_eq!(got, ["apple 0 2", "apple 1 1", "applesauce 1 1", "pear 0 1", "zebra 1 1"]);
    assert_eq!(FlushTerms::new(&[]).len(), 0);
}
