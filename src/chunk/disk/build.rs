//! Flush and merge: one act, two kinds of input.

use std::any::Any;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::chunk::panic_text;
use super::crew::{self, Task};
use super::header::{HEADER, Header, columns_of};
use super::ids::IdsWatch;
use super::rows_write::{write_attributes, write_id_file, write_lengths};
use super::words::{DiskWords, Division, List, RamWords, WordRange, WordsWriter};
use super::writer::{Folder, io_error};
use super::{BuildOptions, Built, DiskChunk, Timings, stored, words};
use crate::chunk::columns::ColumnMark;
use crate::chunk::{AnyPart, ChunkError, PartView, RowLayout, RowMap};
use crate::storage::Disk;

/// Writes RAM segments as one disk chunk. `inputs` are RAM parts of one lexicon with their dead rows and UPDATEs. Output rows: alive
/// input rows in the order of `inputs`. On any failure the folder is removed; a panic inside becomes an error.
pub fn flush(disk: &Arc<dyn Disk>, inputs: &[PartView], options: &BuildOptions) -> Result<Built, ChunkError> {
    let segment = |view: &PartView| match &view.part {
        AnyPart::Ram(segment) => Ok(segment.clone()),
        AnyPart::Disk(chunk) => Err(ChunkError::Limit(format!("{}: a disk chunk cannot be flushed", chunk.dir().display()))),
    };
    let segments = inputs.iter().map(segment).collect::<Result<Vec<_>, _>>()?;
    // One thread writes all, and words are sorted once for all fields.
    let source = Mutex::new(None);
    let words = |writer: &WordsWriter<'_>, range: &WordRange| {
        writer.write(range, source.lock().get_or_insert_with(|| RamWords::new(segments.iter().map(|s| &**s).collect())))
    };
    let ranges = WordRange::of(options.schema.field_count(), |_| Ok::<_, ChunkError>(Vec::new()))?;
    guarded(disk, options, || build(disk, inputs, options, Division::WHOLE, ranges, &words))
}

/// Merges disk chunks (any number, in the calling thread and, while a core is spare, in a second one) into one. Output rows: alive input
/// rows in the order of `inputs`, UPDATEs folded in. On any failure the folder is removed; a panic inside becomes an error that names the
/// input being read.
///
/// Every byte of the inputs is checked first: what was damaged on disk must not be written anew under a checksum that fits. That costs
/// about 2 % of a merge, and brings the inputs into the page cache in the order in which they lie.
pub fn merge(disk: &Arc<dyn Disk>, inputs: &[PartView], options: &BuildOptions) -> Result<Built, ChunkError> {
    // Without a second core there is nobody to divide with.
    merge_divided(disk, inputs, options, if options.spare.is_some() { Division::SHARED } else { Division::WHOLE })
}

/// As [`merge`], with words divided as `division` says. Whatever it says, the output is the same, to the byte.
pub(super) fn merge_divided(
    disk: &Arc<dyn Disk>,
    inputs: &[PartView],
    options: &BuildOptions,
    division: Division,
) -> Result<Built, ChunkError> {
    let chunk = |view: &PartView| match &view.part {
        AnyPart::Disk(chunk) => Ok(chunk.clone()),
        AnyPart::Ram(_) => Err(ChunkError::Limit("a RAM segment cannot be merged with disk chunks".to_owned())),
    };
    let chunks = inputs.iter().map(chunk).collect::<Result<Vec<_>, _>>()?;
    let columns = columns_of(&options.schema);
    if let Some(other) = chunks.iter().find(|c| c.header().columns != columns) {
        return Err(ChunkError::Limit(format!("{}: other columns than the merged chunk is to have", other.dir().display())));
    }
    let merged = AtomicU64::new(0);
    let words = |writer: &WordsWriter<'_>, range: &WordRange| {
        let mut source = DiskWords::new(chunks.iter().map(|c| &**c).collect());
        // Caught here, where it is known which input is to blame.
        let result = catch_unwind(AssertUnwindSafe(|| writer.write(range, &mut source))).unwrap_or_else(|panic| {
            let blamed = source.reading().map_or(&*options.dir, |input| chunks[input].dir());
            Err(panicked(options, blamed, &*panic))
        });
        // Relaxed: looked at once the threads are joined.
        merged.fetch_add(source.merged(), Ordering::Relaxed);
        result
    };
    guarded(disk, options, || {
        let mut watch = Watch::start();
        let stop = options.stop.child();
        let look = &|bytes| {
            options.progress.add_read(bytes);
            match &options.throttle {
                Some(throttle) => Ok(throttle.pass(bytes, &stop)?),
                None => Ok(stop.check()?),
            }
        };
        let verify = chunks.iter().map(|chunk| Box::new(move || chunk.verify_with(look)) as Task<'_>);
        let helped = crew::run(verify.collect(), options.spare.as_ref(), &stop)?;
        inputs.iter().try_for_each(|view| view.edits.check_sums())?;
        let read = watch.lap();
        let ranges = WordRange::of(options.schema.field_count(), |list| borders(&chunks, list, division))?;
        let mut built = build(disk, inputs, options, division, ranges, &words)?;
        // Words that are out of order, under a checksum that fits, may lie outside of every range where they stand.
        let there: u64 = chunks.iter().flat_map(|chunk| chunk.dictionaries()).map(|d| d.word_total()).sum();
        if merged.load(Ordering::Relaxed) != there {
            let reason = format!("{} of {there} words of the inputs were found in their order", merged.load(Ordering::Relaxed));
            return Err(ChunkError::Corrupt { file: options.dir.display().to_string(), reason });
        }
        built.timings.read = read;
        built.timings.helped += helped;
        Ok(built)
    })
}

/// Where to cut the words of a list of merged chunks.
fn borders(chunks: &[Arc<DiskChunk>], list: List, division: Division) -> Result<Vec<Vec<u8>>, ChunkError> {
    let dictionaries = chunks.iter().map(|chunk| chunk.dictionary(list.number())).collect::<Result<Vec<_>, _>>()?;
    Ok(words::borders(&dictionaries, division.input_bytes).unwrap_or_else(|damage| {
        // Whose they are is not known here. The merge reads them all, and tells.
        tracing::debug!("words are not divided: {damage}");
        Vec::new()
    }))
}

/// Runs a build; where it fails, says why and removes the folder.
fn guarded(disk: &Arc<dyn Disk>, options: &BuildOptions, work: impl FnOnce() -> Result<Built, ChunkError>) -> Result<Built, ChunkError> {
    if disk.exists(&options.dir) {
        return Err(io_error(&options.dir, io::Error::from(io::ErrorKind::AlreadyExists)));
    }
    // What a panic leaves half-done is the folder, which goes, and values that `work` owns; inputs are not changed by being read.
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(options, &options.dir, &*panic)));
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

/// The error that a panic amounts to; `blamed` is the folder that it is about.
fn panicked(options: &BuildOptions, blamed: &Path, panic: &(dyn Any + Send)) -> ChunkError {
    let reason = format!("building {} failed: {}", options.dir.display(), panic_text(panic));
    ChunkError::Corrupt { file: blamed.display().to_string(), reason }
}

/// Builds a chunk with the words of `ranges`, each written by `write_range`.
fn build(
    disk: &Arc<dyn Disk>,
    inputs: &[PartView],
    options: &BuildOptions,
    division: Division,
    ranges: Vec<WordRange>,
    write_range: &(impl Fn(&WordsWriter<'_>, &WordRange) -> Result<(), ChunkError> + Sync),
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
    let writer = match ranges.len() {
        0 => None,
        _ => Some(WordsWriter::new(&folder, inputs, &map, &ranges, division)?),
    };
    let (rows, fields, words_took) = (Mutex::new(None), Mutex::new(Vec::new()), Mutex::new(Duration::ZERO));
    let row_task = || {
        *rows.lock() = Some(write_rows(&folder, inputs, options, &map)?);
        Ok(())
    };
    let length_task = || {
        let mut watch = Watch::start();
        *fields.lock() = write_lengths(&folder, inputs, schema, &mut folder.pace())?;
        *words_took.lock() += watch.lap();
        Ok(())
    };
    let range_task = &|writer: &WordsWriter<'_>, range: &WordRange| {
        let mut watch = Watch::start();
        write_range(writer, range)?;
        *words_took.lock() += watch.lap();
        Ok(())
    };
    // Rows, lengths and ranges of words share nothing but the folder. The largest comes first, the small ones last, so that two threads
    // end together.
    let mut tasks: Vec<Task<'_>> = vec![Box::new(row_task)];
    if let Some(writer) = &writer {
        tasks.extend(ranges.iter().map(|range| Box::new(move || range_task(writer, range)) as Task<'_>));
        tasks.push(Box::new(length_task));
    }
    let helped = crew::run(tasks, options.spare.as_ref(), folder.stop())?;
    let unfinished = || ChunkError::Limit(format!("{}: not all was written", options.dir.display()));
    let rows = rows.into_inner().ok_or_else(unfinished)?;
    let dictionaries = match writer {
        None => Vec::new(),
        Some(writer) => writer.into_marks().ok_or_else(unfinished)?,
    };
    let mut watch = Watch::start();
    let (ids, mut timings) = (&rows.ids, rows.timings);
    (timings.words, timings.helped) = (words_took.into_inner(), helped);
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
        fields: fields.into_inner(),
        dictionaries,
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
