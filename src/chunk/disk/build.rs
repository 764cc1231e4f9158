//! Flush and merge: one act, two kinds of input.

use std::cell::Cell;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::chunk::panic_text;
use super::header::{FieldMark, HEADER, Header, columns_of};
use super::ids::IdsWatch;
use super::rows_write::{write_attributes, write_id_file, write_lengths};
use super::words::{DictionaryMark, DiskWords, RamWords, WordSource};
use super::writer::{Folder, io_error};
use super::{BuildOptions, Built, DiskChunk, Timings, stored, words};
use crate::chunk::columns::ColumnMark;
use crate::chunk::{AnyPart, ChunkError, PartView, RowLayout, RowMap};
use crate::storage::Disk;
use crate::types::Schema;

/// Writes RAM segments as one disk chunk. `inputs` are RAM parts of one lexicon with their dead rows and UPDATEs. Output rows: alive
/// input rows in the order of `inputs`. On any failure the folder is removed; a panic inside becomes an error.
pub fn flush(disk: &Arc<dyn Disk>, inputs: &[PartView], options: &BuildOptions) -> Result<Built, ChunkError> {
    let segment = |view: &PartView| match &view.part {
        AnyPart::Ram(segment) => Ok(segment.clone()),
        AnyPart::Disk(chunk) => Err(ChunkError::Limit(format!("{}: a disk chunk cannot be flushed", chunk.dir().display()))),
    };
    let segments = inputs.iter().map(segment).collect::<Result<Vec<_>, _>>()?;
    let work = || build(disk, inputs, options, || RamWords::new(segments.iter().map(|s| &**s).collect()));
    guarded(disk, options, work, || options.dir.clone())
}

/// Merges disk chunks (any number, in the calling thread) into one. Output rows: alive input rows in the order of `inputs`, UPDATEs
/// folded in. On any failure the folder is removed; a panic inside becomes an error that names the input being read.
///
/// Every byte of the inputs is checked first: what was damaged on disk must not be written anew under a checksum that fits. That costs
/// about 2 % of a merge, and brings the inputs into the page cache in the order in which they lie.
pub fn merge(disk: &Arc<dyn Disk>, inputs: &[PartView], options: &BuildOptions) -> Result<Built, ChunkError> {
    let chunk = |view: &PartView| match &view.part {
        AnyPart::Disk(chunk) => Ok(chunk.clone()),
        AnyPart::Ram(_) => Err(ChunkError::Limit("a RAM segment cannot be merged with disk chunks".to_owned())),
    };
    let chunks = inputs.iter().map(chunk).collect::<Result<Vec<_>, _>>()?;
    let columns = columns_of(&options.schema);
    if let Some(other) = chunks.iter().find(|c| c.header().columns != columns) {
        return Err(ChunkError::Limit(format!("{}: other columns than the merged chunk is to have", other.dir().display())));
    }
    let reading = Cell::new(None);
    let work = || {
        let look = |bytes| {
            options.progress.add_read(bytes);
            match &options.throttle {
                Some(throttle) => Ok(throttle.pass(bytes, &options.stop)?),
                None => Ok(options.stop.check()?),
            }
        };
        let mut watch = Watch::start();
        chunks.iter().try_for_each(|chunk| chunk.verify_with(look))?;
        inputs.iter().try_for_each(|view| view.edits.check_sums())?;
        let read = watch.lap();
        let mut built = build(disk, inputs, options, || DiskWords::new(chunks.iter().map(|c| &**c).collect(), &reading))?;
        built.timings.read = read;
        Ok(built)
    };
    guarded(disk, options, work, || match reading.get() {
        Some(input) => chunks[input].dir().to_owned(),
        None => options.dir.clone(),
    })
}

/// Runs a build; where it fails, says why and removes the folder. `blame` names the folder that a panic is about.
fn guarded(
    disk: &Arc<dyn Disk>,
    options: &BuildOptions,
    work: impl FnOnce() -> Result<Built, ChunkError>,
    blame: impl FnOnce() -> PathBuf,
) -> Result<Built, ChunkError> {
    if disk.exists(&options.dir) {
        return Err(io_error(&options.dir, io::Error::from(io::ErrorKind::AlreadyExists)));
    }
    // What a panic leaves half-done is the folder, which goes, and values that `work` owns; inputs are not changed by being read.
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let reason = format!("building {} failed: {}", options.dir.display(), panic_text(&*panic));
        Err(ChunkError::Corrupt { file: blame().display().to_string(), reason })
    });
    if result.is_err() {
        if let Err(error) = disk.remove_dir(&options.dir)
            && disk.exists(&options.dir)
        {
            tracing::warn!("a chunk that was not finished stays behind until the next start: {error}");
        }
        // Being stopped shows as whatever error was at hand in the layer that noticed.
        options.stop.check()?;
    }
    result
}

fn build<S: WordSource>(
    disk: &Arc<dyn Disk>,
    inputs: &[PartView],
    options: &BuildOptions,
    source: impl FnOnce() -> S,
) -> Result<Built, ChunkError> {
    options.stop.check()?;
    let (schema, layout) = (&options.schema, RowLayout::new(&options.schema));
    let compression = options.compression()?;
    if inputs.iter().any(|view| *view.part.layout() != layout) {
        return Err(ChunkError::Limit(format!("{}: inputs with other columns than the chunk is to have", options.dir.display())));
    }
    let map = RowMap::new(inputs.iter().map(|view| (view.part.row_count(), view.dead.clone())))
        .ok_or_else(|| ChunkError::Limit(format!("{}: a chunk holds fewer than 2^31 rows", options.dir.display())))?;

    let folder = Folder::create(disk, options)?;
    let row_files = || write_rows(&folder, inputs, options, &map);
    let word_files = || write_words(&folder, inputs, &map, schema, &mut source());
    // Rows and words share nothing but the folder. To divide the words as well was tried, one thread unpacking and one packing lists: it
    // ended no sooner, since packing is four fifths of that.
    let (rows, words) = if options.spare.as_ref().is_some_and(|spare| spare()) {
        std::thread::scope(|scope| {
            let rows = std::thread::Builder::new().name("merge-rows".into()).spawn_scoped(scope, row_files);
            let words = word_files();
            let rows = match rows {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // No thread to be had.
                Err(_) => row_files(),
            };
            (rows, words)
        })
    } else {
        (row_files(), word_files())
    };
    let (rows, words) = (rows?, words?);
    let mut watch = Watch::start();
    let (ids, mut timings) = (&rows.ids, rows.timings);
    timings.words = words.took;
    let (id_min, id_max) = ids.range();
    let header = Header {
        table_uuid: options.table_uuid,
        schema_version: schema.version,
        rows: map.rows(),
        id_min,
        id_max,
        ids_ascend: ids.ascend(),
        compression: compression.code(),
        block_size: options.block_size as u32,
        columns: columns_of(schema),
        fields: words.fields,
        dictionaries: words.dictionaries,
        files: folder.marks(),
        stores: rows.stores,
    };
    // The header is written last and names all the others; its sync may overtake theirs, since a chunk counts only once a manifest names it.
    let mut file = folder.file(HEADER)?;
    file.write_all(&header.encode()).and_then(|()| file.close()).map_err(|e| io_error(&options.dir.join(HEADER), e))?;
    folder.sync()?;
    let chunk = DiskChunk::open(disk, &options.dir, options.table_uuid, schema)?;
    let bytes = chunk.size_bytes();
    timings.sync = watch.lap();
    Ok(Built { chunk, map, bytes, timings })
}

/// What the files of rows came to.
struct RowFiles {
    ids: IdsWatch,
    stores: Vec<ColumnMark>,
    timings: Timings,
}

/// Writes attributes, ids and stored text.
fn write_rows(folder: &Arc<Folder>, inputs: &[PartView], options: &BuildOptions, map: &RowMap) -> Result<RowFiles, ChunkError> {
    let (mut watch, mut timings, mut pace) = (Watch::start(), Timings::default(), folder.pace());
    let (ids, stores) = write_attributes(folder, inputs, &options.schema, &mut pace)?;
    if !ids.ascend() {
        write_id_file(folder, inputs, map.rows(), &mut pace)?;
    }
    timings.attributes = watch.lap();
    match options.schema.stored().next() {
        Some(_) => stored::write(folder, inputs, options, &mut pace)?,
        None => pace.rows_done(u64::from(map.rows())),
    }
    timings.stored = watch.lap();
    Ok(RowFiles { ids, stores, timings })
}

/// What the files of words came to.
struct WordFiles {
    fields: Vec<FieldMark>,
    dictionaries: Vec<DictionaryMark>,
    took: Duration,
}

/// Writes lengths and words.
fn write_words(
    folder: &Arc<Folder>,
    inputs: &[PartView],
    map: &RowMap,
    schema: &Schema,
    source: &mut impl WordSource,
) -> Result<WordFiles, ChunkError> {
    let (mut watch, mut pace) = (Watch::start(), folder.pace());
    let (mut fields, mut dictionaries) = (Vec::new(), Vec::new());
    if schema.field_count() > 0 {
        fields = write_lengths(folder, inputs, schema, &mut pace)?;
        dictionaries = words::write(folder, inputs, map, fields.len(), source, &mut pace)?;
    }
    Ok(WordFiles { fields, dictionaries, took: watch.lap() })
}

/// Tells how long each of several steps took.
struct Watch(Instant);

impl Watch {
    fn start() -> Watch {
        Watch(Instant::now())
    }

    /// Time since the start or the lap before.
    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.0, now)
    }
}
