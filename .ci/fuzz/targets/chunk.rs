//! A disk chunk whose files were damaged: flipped, overwritten, cut, lengthened or lost bytes in files that the input chooses.
//!
//! The first byte chooses one of three sound chunks, the second whether checksums are made to fit the damage, so that it reaches the readers
//! behind them. Then come edits of eight bytes: file, what to do, place (2), and four bytes to do it with.
//!
//! Must hold: opening, checking, looking up words and merging end with a value or a `ChunkError`, never with a panic; without made-up
//! checksums damage is found by opening or by checking; a merge that fails leaves no folder, and one that succeeds gives a sound chunk. What
//! reads rows, texts and lists may panic, since queries catch that (`exec::tasks::guard`), and nothing may abort, go on for ever or
//! take memory without end.

#![no_main]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use chimera::chunk::disk::{BuildOptions, flush, merge};
use chimera::chunk::ram::{Lexicon, SegmentBuilder};
use chimera::chunk::{AnyPart, ChunkError, DeadRows, DiskChunk, NO_ROW, Part, PartView, PatternPiece, Postings, WordPattern};
use chimera::storage::{CrashDisk, Disk};
use chimera::text::Analyzer;
use chimera::types::{Column, ColumnKind, DocId, FieldId, RowId, Schema, StopToken, Value, json};
use libfuzzer_sys::fuzz_target;

const UUID: u128 = 0x1234_5678;
const FROM: &str = "/t/1";
const DAMAGED: &str = "/t/2";
const MERGED: &str = "/t/3";
/// More rows than any list of a chunk here has: a cursor that gives more goes on for ever.
const STEPS_MAX: usize = 100_000;

/// A sound chunk as its files.
struct Base {
    schema: Arc<Schema>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

fn column(name: &str, kind: ColumnKind, uid: u32, flags: &str) -> Column {
    let (indexed, stored, attribute) = (flags.contains('i'), flags.contains('s'), flags.contains('a'));
    Column { name: name.to_owned(), kind, uid, indexed, stored, attribute, columnar: flags.contains('c') }
}

fn schemas() -> [Vec<Column>; 5] {
    [
        vec![
            column("title", ColumnKind::Text, 1, "is"),
            column("n", ColumnKind::Bigint, 2, "a"),
            column("body", ColumnKind::Text, 3, "i"),
            column("tags", ColumnKind::String, 4, "ia"),
            column("note", ColumnKind::Text, 5, "s"),
            column("set", ColumnKind::Multi64, 6, "a"),
            column("yes", ColumnKind::Bool, 7, "a"),
            column("weight", ColumnKind::Float, 8, "a"),
        ],
        vec![column("name", ColumnKind::Text, 1, "is"), column("n", ColumnKind::Uint, 2, "a")],
        vec![column("name", ColumnKind::Text, 1, "isa"), column("j", ColumnKind::Json, 2, "a"), column("m", ColumnKind::Multi, 3, "a")],
        vec![
            column("name", ColumnKind::Text, 1, "i"),
            column("n", ColumnKind::Bigint, 2, "ac"),
            column("s", ColumnKind::String, 3, "ac"),
            column("m", ColumnKind::Multi64, 4, "ac"),
            column("f", ColumnKind::Float, 5, "ac"),
        ],
        vec![column("n", ColumnKind::Uint, 1, "ac"), column("j", ColumnKind::Json, 2, "a"), column("s", ColumnKind::String, 3, "ac")],
    ]
}

/// Few words in many rows, and many in few.
fn words(row: u64, salt: u64, most: u64) -> String {
    let word = |n: u64| {
        let x = (row * 31 + salt * 7 + n * 131) * 2_654_435_761 % 1_000_003;
        format!("w{}{}", x % [3, 17, 400][(n % 3) as usize], ["", "ö", "yz"][(x / 7 % 3) as usize])
    };
    let count = if row == 20 { 300 } else { (row * 5 + salt) % most };
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

fn value(kind: ColumnKind, row: u64, salt: u64) -> Value {
    match kind {
        ColumnKind::Text => Value::Text(words(row, salt, 12)),
        ColumnKind::String => Value::Text(words(row, salt, 3)),
        ColumnKind::Uint | ColumnKind::Timestamp => Value::Int((row * 77_777_777 % (1 << 32)) as i64),
        ColumnKind::Bigint => Value::Int((row as i64 - 60) << 40),
        ColumnKind::Bool => Value::Int((row % 2) as i64),
        ColumnKind::Float => Value::Float(row as f32 / 8.0),
        ColumnKind::Multi | ColumnKind::Multi64 => Value::Mva((0..row % 4).map(|n| (n * 9 + row) as i64).collect()),
        ColumnKind::Json => {
            let text = format!("{{\"n\":{row},\"s\":\"x{row}\",\"list\":[1,2.5,null,true,{{\"deep\":[-{row}]}}],\"big\":{}}}", row << 40);
            Value::Json(json::encode_text(&text).expect("JSON"))
        }
    }
}

fn analyzer() -> Analyzer {
    let options = [("min_infix_len", "2"), ("morphology", "stem_en"), ("index_exact_words", "1")];
    let options = BTreeMap::from(options.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Analyzer::new(&options, &|_| Err(std::io::Error::other("no files"))).expect("sound options")
}

fn options(schema: &Arc<Schema>, dir: &str, compression: &str) -> BuildOptions {
    BuildOptions {
        dir: PathBuf::from(dir),
        table_uuid: UUID,
        schema: schema.clone(),
        compression: compression.to_owned(),
        compression_level: 3,
        block_size: 256,
        stop: StopToken::new(),
        throttle: None,
        spare: None,
        progress: Arc::default(),
    }
}

fn base(n: usize, columns: Vec<Column>) -> Base {
    let schema = Arc::new(Schema { version: 1, columns });
    let (analyzer, mut builder) = (analyzer(), SegmentBuilder::new(schema.clone()));
    // More than a block of 128 rows. The first chunk has its ids in disorder, and so a file of ids.
    for row in 1..200u64 {
        let id = if n == 0 { row * 7_919 % 1_009 + 1 } else { row * 3 };
        let values: Vec<Value> = schema.columns.iter().map(|c| value(c.kind, row, u64::from(c.uid))).collect();
        builder.add(&analyzer, DocId(id), &values);
    }
    let disk: Arc<dyn Disk> = Arc::new(CrashDisk::new());
    let part = PartView::new(AnyPart::Ram(Arc::new(builder.finish(&Lexicon::new()))));
    flush(&disk, &[part], &options(&schema, FROM, ["lz4", "zstd", "none"][n % 3])).expect("a sound chunk");
    let mut names = disk.list(Path::new(FROM)).expect("a folder");
    names.sort();
    let files = names.into_iter().map(|name| (name.clone(), disk.read(&Path::new(FROM).join(name)).expect("a file"))).collect();
    Base { schema, files }
}

fn bases() -> &'static [Base] {
    static BASES: OnceLock<Vec<Base>> = OnceLock::new();
    BASES.get_or_init(|| {
        // Panics that are caught below are not worth a line each, and an escaped one is told by the guard around the target.
        std::panic::set_hook(Box::new(|_| {}));
        schemas().into_iter().enumerate().map(|(n, columns)| base(n, columns)).collect()
    })
}

/// Does one edit; gives whether it changed anything. None stands for a file that is gone.
fn edit(file: &mut Option<Vec<u8>>, what: u8, place: usize, with: [u8; 4]) {
    let Some(bytes) = file else { return };
    // From the start or from the end, where counts and offsets are.
    let at = if what & 0x80 == 0 { place } else { bytes.len().wrapping_sub(place).wrapping_sub(1) };
    match what & 0x0f {
        0..=4 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= with[0];
            }
        }
        5..=9 => {
            for (n, new) in with.iter().enumerate() {
                if let Some(byte) = bytes.get_mut(at.wrapping_add(n)) {
                    *byte = *new;
                }
            }
        }
        10 => bytes.truncate(at),
        11 => bytes.extend_from_slice(&with),
        12 => {
            let end = at.saturating_add(usize::from(with[0])).min(bytes.len());
            if let Some(piece) = bytes.get_mut(at..end) {
                piece.fill(with[1]);
            }
        }
        13 => {
            let end = at.saturating_add(usize::from(with[0])).min(bytes.len());
            if at < end {
                let piece = bytes[at..end].to_vec();
                let to = usize::from(u16::from_le_bytes([with[1], with[2]])) % bytes.len();
                let room = piece.len().min(bytes.len() - to);
                bytes[to..to + room].copy_from_slice(&piece[..room]);
            }
        }
        14 if with[0] > 200 => *file = None,
        _ => {}
    }
}

/// Writes length and checksum of each file into the header, and the header's own.
fn fit_checksums(base: &Base, files: &mut [(PathBuf, Option<Vec<u8>>)]) {
    let marks: Vec<(Vec<u8>, u64, u32)> = files
        .iter()
        .filter_map(|(name, bytes)| {
            bytes.as_ref().map(|b| (name.to_string_lossy().as_bytes().to_vec(), b.len() as u64, crc32fast::hash(b)))
        })
        .collect();
    let sound = &base.files.iter().find(|(name, _)| name == Path::new("header")).expect("a header").1;
    let Some((_, Some(header))) = files.iter_mut().find(|(name, _)| name == Path::new("header")) else { return };
    for (name, len, crc) in marks {
        let pattern = [&(name.len() as u16).to_le_bytes()[..], &name].concat();
        let Some(at) = sound.windows(pattern.len()).rposition(|w| w == pattern) else { continue };
        let at = at + pattern.len();
        if let Some(mark) = header.get_mut(at..at + 12) {
            mark[..8].copy_from_slice(&len.to_le_bytes());
            mark[8..].copy_from_slice(&crc.to_le_bytes());
        }
    }
    if header.len() > 20 {
        let first = crc32fast::hash(&header[..12]);
        header[12..16].copy_from_slice(&first.to_le_bytes());
        let end = header.len() - 4;
        let whole = crc32fast::hash(&header[..end]);
        header[end..].copy_from_slice(&whole.to_le_bytes());
    }
}

/// Reads all that a query reads. Panics are what `exec` catches.
fn read_all(chunk: &DiskChunk, schema: &Schema) {
    let caught = |read: &mut dyn FnMut()| drop(catch_unwind(AssertUnwindSafe(read)));
    for row in (0..chunk.row_count().min(300)).map(RowId) {
        caught(&mut || {
            let _ = chunk.find(chunk.doc_id(row));
        });
        caught(&mut || drop(chunk.stored(row, &mut |_, _| {})));
        for (n, _) in schema.columns.iter().enumerate().filter(|(_, c)| c.attribute) {
            caught(&mut || drop(chunk.layout().value(chunk.base_row(row), n).text()));
        }
        for field in 0..=schema.field_count() as u8 {
            caught(&mut || {
                let _ = chunk.field_length(row, FieldId(field));
            });
        }
    }
    let literal = |text: &str| PatternPiece::Literal(text.to_owned());
    let mut found = Vec::new();
    for pieces in [
        vec![PatternPiece::Any],
        vec![literal("w1"), PatternPiece::Any],
        vec![PatternPiece::Any, literal("y"), PatternPiece::One],
        vec![literal("=w"), PatternPiece::Any],
    ] {
        let _ = chunk.expand(&WordPattern { pieces }, &mut |word| {
            found.push(word.to_vec());
            assert!(found.len() < STEPS_MAX, "a dictionary without end");
            true
        });
    }
    for word in ["w1", "w2ö", "w0yz", "w11", "=w2", "absent", ""] {
        found.push(word.as_bytes().to_vec());
    }
    for word in found.iter().rev().take(40) {
        let _ = chunk.word_stats(word);
        let fields = (0..=schema.field_count() as u8).map(|field| chunk.postings(word, FieldId(field)));
        for (n, cursor) in fields.chain([chunk.any_postings(word)]).enumerate() {
            let Ok(Some(mut cursor)) = cursor else { continue };
            let mut steps = 0;
            caught(&mut || {
                let mut positions = Vec::new();
                while cursor.row() != NO_ROW && steps < STEPS_MAX {
                    let _ = cursor.tf();
                    if n < schema.field_count() {
                        cursor.positions(&mut positions);
                    }
                    positions.clear();
                    if steps % 3 == n % 3 {
                        cursor.seek(cursor.row().saturating_add(2));
                    } else {
                        cursor.advance();
                    }
                    steps += 1;
                }
            });
            assert!(steps < STEPS_MAX, "a list without end");
        }
    }
}

fn target(data: &[u8]) {
    let bases = bases();
    let Some((&[which, fit], edits)) = data.split_first_chunk::<2>() else { return };
    let base = &bases[usize::from(which) % bases.len()];
    let mut files: Vec<(PathBuf, Option<Vec<u8>>)> = base.files.iter().map(|(name, bytes)| (name.clone(), Some(bytes.clone()))).collect();
    for piece in edits.as_chunks::<8>().0.iter().take(40) {
        let [file, what, low, high, with @ ..] = *piece;
        let number = usize::from(file) % files.len();
        edit(&mut files[number].1, what, usize::from(u16::from_le_bytes([low, high])), with);
    }
    let sound = files.iter().zip(&base.files).all(|(new, old)| new.1.as_ref() == Some(&old.1));
    if fit & 1 != 0 {
        fit_checksums(base, &mut files);
    }
    let disk: Arc<dyn Disk> = Arc::new(CrashDisk::new());
    disk.create_dir(Path::new(DAMAGED)).expect("a folder");
    for (name, bytes) in &files {
        if let Some(bytes) = bytes {
            disk.create(&Path::new(DAMAGED).join(name)).expect("a file").write(bytes).expect("space");
        }
    }
    let chunk = match DiskChunk::open(&disk, Path::new(DAMAGED), UUID, &base.schema) {
        Ok(chunk) => chunk,
        Err(error) => {
            assert!(!sound, "{error}");
            return;
        }
    };
    let verified = chunk.verify();
    match &verified {
        Ok(()) => assert!(sound || fit & 1 != 0, "damage was not found"),
        Err(error) => assert!(!sound && matches!(error, ChunkError::Corrupt { .. }), "{error}"),
    }
    read_all(&chunk, &base.schema);
    let mut view = PartView::new(AnyPart::Disk(chunk));
    view.dead = DeadRows::default().with((0..view.part.row_count().min(50)).step_by(9).map(RowId));
    for views in [&[view.clone()][..], &[view.clone(), view.clone()]] {
        match merge(&disk, views, &options(&base.schema, MERGED, "lz4")) {
            Ok(built) => {
                assert!(verified.is_ok(), "a damaged chunk was merged");
                built.chunk.verify().expect("a sound chunk");
                drop(built);
                disk.remove_dir(Path::new(MERGED)).expect("a folder");
            }
            Err(error) => {
                assert!(!sound || views.len() > 1, "{error}");
                assert!(!disk.exists(Path::new(MERGED)), "a failed merge leaves its folder");
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    if let Err(panic) = catch_unwind(|| target(data)) {
        let text = panic.downcast_ref::<String>().cloned().or(panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        eprintln!("escaped: {}", text.unwrap_or_default());
        // Once more with the usual hook, so that the place is told.
        drop(std::panic::take_hook());
        target(data);
        panic!("it did not happen again");
    }
});
