//! Writing what a chunk keeps per row besides words and text: attributes, ids, lengths.

use std::io::Write;
use std::sync::Arc;

use super::columns_write::write_columns;
use super::header::FieldMark;
use super::ids::{IdsWatch, write_ids};
use super::lengths::width_for;
use super::writer::{FileWriter, Folder, Pace, io_error};
use crate::chunk::columns::ColumnMark;
use crate::chunk::{ChunkError, Part, PartView, RowLayout, RowRef};
use crate::types::{FieldId, RowId, Schema};
use crate::with_part;

/// Names of the files.
pub(super) const ATTRIBUTES: &str = "attributes";
pub(super) const BLOBS: &str = "blobs";
pub(super) const COLUMNS: &str = "columns";
pub(super) const COLUMN_VALUES: &str = "column_values";
pub(super) const IDS: &str = "ids";
pub(super) const LENGTHS: &str = "lengths";

/// Calls `row` with each alive row of an input and whether it may have been UPDATEd; it gives the bytes it read.
#[inline]
pub(super) fn each_alive(
    view: &PartView,
    pace: &mut Pace,
    mut row: impl FnMut(RowId, bool) -> Result<usize, ChunkError>,
) -> Result<(), ChunkError> {
    let (all_alive, edited) = (view.dead.is_empty(), !view.edits.is_empty());
    for n in 0..view.part.row_count() {
        if all_alive || !view.dead.contains(RowId(n)) {
            let bytes = row(RowId(n), edited)?;
            pace.step(bytes as u64)?;
        }
    }
    Ok(())
}

/// Calls `take` with each alive row of all inputs, UPDATEs folded in; it gives the bytes it read.
#[inline]
pub(super) fn each_row(
    folder: &Folder,
    inputs: &[PartView],
    layout: &RowLayout,
    pace: &mut Pace,
    mut take: impl FnMut(RowRef<'_>) -> Result<usize, ChunkError>,
) -> Result<(), ChunkError> {
    let stride = layout.stride();
    for view in inputs {
        let mut edits = view.reader();
        with_part!(&view.part, part => each_alive(view, pace, |row, edited| {
            let from = if edited { edits.row(row) } else { part.base_row(row) };
            if let RowRef::Whole(bytes) = from && bytes.fixed.len() != stride {
                let file = folder.dir().display().to_string();
                return Err(ChunkError::Corrupt { file, reason: format!("attribute row {} of an input is cut short", row.0) });
            }
            take(from)
        }))?;
    }
    Ok(())
}

/// Writes ids and attributes with UPDATEs folded in; gives where each columnar attribute is.
pub(super) fn write_attributes(
    folder: &Arc<Folder>,
    inputs: &[PartView],
    schema: &Schema,
    pace: &mut Pace,
) -> Result<(IdsWatch, Vec<ColumnMark>), ChunkError> {
    if schema.has_columnar() {
        return write_columns(folder, inputs, schema, pace);
    }
    let (layout, io) = (RowLayout::new(schema), |e| io_error(folder.dir(), e));
    let mut rows = folder.file(ATTRIBUTES)?;
    let mut blobs = if layout.has_blobs() { Some(folder.file(BLOBS)?) } else { None };
    let (stride, mut heap, mut ids) = (layout.stride(), 0u64, IdsWatch::default());
    each_row(folder, inputs, &layout, pace, |row| {
        let RowRef::Whole(from) = row else {
            return Err(ChunkError::Limit(format!("{}: a columnar input of a row-wise chunk", folder.dir().display())));
        };
        ids.add(layout.doc_id(row));
        let Some(blobs) = &mut blobs else {
            rows.write_all(from.fixed).map_err(io)?;
            return Ok(stride);
        };
        let len = layout.blob_len(from);
        rows.write_all(&from.fixed[..stride - 8]).map_err(io)?;
        rows.write_all(&heap.to_le_bytes()).map_err(io)?;
        blobs.write_all(&from.blobs[..len]).map_err(io)?;
        heap += len as u64;
        Ok(stride + len)
    })?;
    rows.close().map_err(io)?;
    blobs.map_or(Ok(()), FileWriter::close).map_err(io)?;
    Ok((ids, Vec::new()))
}

/// Writes the file of ids, where they do not ascend.
pub(super) fn write_id_file(folder: &Arc<Folder>, inputs: &[PartView], rows: u32, pace: &mut Pace) -> Result<(), ChunkError> {
    let mut pairs = Vec::with_capacity(rows as usize);
    for view in inputs {
        with_part!(&view.part, part => each_alive(view, pace, |row, _| {
            pairs.push((part.doc_id(row).0, pairs.len() as u32));
            Ok(0)
        }))?;
    }
    let mut out = folder.file(IDS)?;
    let io = |e| io_error(&folder.dir().join(IDS), e);
    write_ids(&mut pairs, &mut out).map_err(io)?;
    out.close().map_err(io)
}

/// Writes the tokens per row of each field.
pub(super) fn write_lengths(
    folder: &Arc<Folder>,
    inputs: &[PartView],
    schema: &Schema,
    pace: &mut Pace,
) -> Result<Vec<FieldMark>, ChunkError> {
    let mut out = folder.file(LENGTHS)?;
    let io = |e| io_error(&folder.dir().join(LENGTHS), e);
    let mut marks = Vec::new();
    for (field, _) in schema.fields() {
        let (mut tokens, mut longest) = (0u64, 0);
        each_length(inputs, field, pace, |length| {
            tokens += u64::from(length);
            longest = longest.max(length);
            Ok(())
        })?;
        let width = width_for(longest);
        each_length(inputs, field, pace, |length| out.write_all(&length.to_le_bytes()[..width as usize]).map_err(io))?;
        marks.push(FieldMark { tokens, longest, width });
    }
    out.close().map_err(io)?;
    Ok(marks)
}

fn each_length(
    inputs: &[PartView],
    field: FieldId,
    pace: &mut Pace,
    mut take: impl FnMut(u32) -> Result<(), ChunkError>,
) -> Result<(), ChunkError> {
    for view in inputs {
        with_part!(&view.part, part => each_alive(view, pace, |row, _| {
            take(part.field_length(row, field))?;
            Ok(1)
        }))?;
    }
    Ok(())
}
