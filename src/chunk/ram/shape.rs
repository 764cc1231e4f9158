//! What a schema means to a segment, worked out once.

use std::sync::Arc;

use super::super::rows::RowLayout;
use crate::types::Schema;

/// Full-text fields of a table at most: the number of fields of an entry is one byte.
const FIELDS_MAX: usize = 255;

/// A schema with the lists that each row needs. Shared by the segments of a table.
pub(super) struct Shape {
    pub(super) schema: Arc<Schema>,
    pub(super) layout: RowLayout,
    /// Column of each full-text field.
    pub(super) fields: Vec<usize>,
    /// Columns whose text is stored.
    pub(super) stored: Vec<usize>,
}

impl Shape {
    pub(super) fn new(schema: Arc<Schema>) -> Shape {
        let layout = RowLayout::new(&schema);
        let fields = schema.fields().map(|(_, column)| column).take(FIELDS_MAX).collect();
        let stored = schema.stored().collect();
        Shape { schema, layout, fields, stored }
    }

    /// Whether posting lists must name the field of a hit.
    pub(super) fn many_fields(&self) -> bool {
        self.fields.len() > 1
    }
}
