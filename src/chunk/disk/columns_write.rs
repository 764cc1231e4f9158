//! Writing columnar attributes: one column after another, each over the alive rows of all inputs.

use std::io::Write;
use std::sync::Arc;

use super::ids::IdsWatch;
use super::rows_write::{ATTRIBUTES, BLOBS, COLUMN_VALUES, COLUMNS, each_row};
use super::writer::{FileWriter, Folder, Pace, io_error};
use crate::chunk::columns::{ColumnMark, HeapWriter, NumberWriter, number_of, number_of_id};
use crate::chunk::{AttrRef, ChunkError, PartView, RowLayout, RowRef};
use crate::types::Schema;

/// Writes ids and attributes, UPDATEs folded in; gives where each column is.
pub(super) fn write_columns(
    folder: &Arc<Folder>,
    inputs: &[PartView],
    schema: &Schema,
    pace: &mut Pace,
) -> Result<(IdsWatch, Vec<ColumnMark>), ChunkError> {
    let heap = schema.columns.iter().any(|column| column.columnar && column.kind.is_blob());
    let values = if heap { Some(folder.file(COLUMN_VALUES)?) } else { None };
    let layout = RowLayout::new(schema);
    let mut writer =
        ColumnsWriter { inputs, layout, folder, pace, file: folder.file(COLUMNS)?, values, at: 0, values_at: 0, marks: Vec::new() };
    let mut ids = IdsWatch::default();
    if schema.has_columnar_id() {
        writer.numbers(|layout, row| {
            let id = layout.doc_id(row);
            ids.add(id);
            number_of_id(id)
        })?;
    } else {
        writer.rest(&RowLayout::beside_columns(schema), &mut ids)?;
    }
    for (number, _) in schema.columns.iter().enumerate().filter(|(_, column)| column.columnar) {
        if schema.columns[number].kind.is_blob() {
            writer.heap(number)?;
        } else {
            writer.numbers(|layout, row| number_of(layout.get(row, number)).unwrap_or(0))?;
        }
    }
    Ok((ids, writer.end()?))
}

struct ColumnsWriter<'a> {
    inputs: &'a [PartView],
    layout: RowLayout,
    folder: &'a Arc<Folder>,
    pace: &'a mut Pace,
    file: FileWriter,
    values: Option<FileWriter>,
    /// Bytes of the two files so far.
    at: u64,
    values_at: u64,
    marks: Vec<ColumnMark>,
}

impl ColumnsWriter<'_> {
    /// Writes a column of what `number` gives for each row.
    fn numbers(&mut self, mut number: impl FnMut(&RowLayout, RowRef<'_>) -> i64) -> Result<(), ChunkError> {
        let ColumnsWriter { inputs, layout, folder, pace, file, .. } = self;
        let io = |e| io_error(&folder.dir().join(COLUMNS), e);
        let mut column = NumberWriter::new();
        each_row(folder, inputs, layout, pace, |row| {
            column.add(number(layout, row), file).map_err(io)?;
            Ok(size_of::<i64>())
        })?;
        let bytes = column.end(file).map_err(io)?;
        self.mark(bytes);
        Ok(())
    }

    /// Writes a column of strings or sets.
    fn heap(&mut self, number: usize) -> Result<(), ChunkError> {
        let ColumnsWriter { inputs, layout, folder, pace, file, values, values_at, .. } = self;
        let Some(values) = values else { return Ok(()) };
        let io = |e| io_error(&folder.dir().join(COLUMN_VALUES), e);
        let mut column = HeapWriter::new(*values_at);
        each_row(folder, inputs, layout, pace, |row| {
            let value = match layout.get(row, number) {
                AttrRef::Text(text) => text.as_bytes(),
                AttrRef::Mva(bytes) | AttrRef::Json(bytes) => bytes,
                AttrRef::Int(_) | AttrRef::Float(_) | AttrRef::Absent => &[],
            };
            column.add(value, values, file).map_err(io)?;
            Ok(value.len())
        })?;
        let (bytes, end) = column.end(values, file).map_err(io)?;
        self.values_at = end;
        self.mark(bytes);
        Ok(())
    }

    fn mark(&mut self, [blocks, index]: [u64; 2]) {
        self.marks.push([self.at, blocks]);
        self.at += blocks + index;
    }

    /// Writes the attributes that are not columnar, as rows that begin with the id.
    fn rest(&mut self, rest: &RowLayout, ids: &mut IdsWatch) -> Result<(), ChunkError> {
        let io = |e| io_error(self.folder.dir(), e);
        let mut rows = self.folder.file(ATTRIBUTES)?;
        let mut blobs = if rest.has_blobs() { Some(self.folder.file(BLOBS)?) } else { None };
        let (mut fixed, mut heap, mut blobs_at) = (Vec::new(), Vec::new(), 0u64);
        each_row(self.folder, self.inputs, &self.layout, self.pace, |row| {
            fixed.clear();
            heap.clear();
            ids.add(self.layout.doc_id(row));
            match row {
                RowRef::Columns(columns) if let Some(bytes) = columns.rest() => rest.copy(bytes, &mut fixed, &mut heap),
                row => rest.append_from(&self.layout, row, &mut fixed, &mut heap),
            }
            if let Some(blobs) = &mut blobs {
                rest.move_blobs(&mut fixed, 0, blobs_at);
                blobs.write_all(&heap).map_err(io)?;
                blobs_at += heap.len() as u64;
            }
            rows.write_all(&fixed).map_err(io)?;
            Ok(fixed.len() + heap.len())
        })?;
        rows.close().map_err(io)?;
        blobs.map_or(Ok(()), FileWriter::close).map_err(io)
    }

    /// Closes the files.
    fn end(self) -> Result<Vec<ColumnMark>, ChunkError> {
        let io = |e| io_error(self.folder.dir(), e);
        self.file.close().map_err(io)?;
        self.values.map_or(Ok(()), FileWriter::close).map_err(io)?;
        Ok(self.marks)
    }
}
