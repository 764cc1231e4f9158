//! What a table's rows look like, and the table's own settings.

use std::collections::BTreeMap;

use super::FieldId;

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ColumnKind {
    /// A document's text. Full-text searchable where `indexed`; kept for display where `stored`; an attribute too where `attribute`.
    Text,
    /// A string attribute; full-text searchable too where `indexed`.
    String,
    /// Unsigned, 32 bits. `int`, `integer`, `uint`.
    Uint,
    /// Signed, 64 bits.
    Bigint,
    /// Single precision.
    Float,
    /// 0 or 1.
    Bool,
    /// Seconds since 1970, unsigned, 32 bits.
    Timestamp,
    /// A set of unsigned 32-bit numbers.
    Multi,
    /// A set of signed 64-bit numbers.
    Multi64,
    /// A JSON document.
    Json,
}

impl ColumnKind {
    /// The name as DESC prints it (`uint`, `mva`, …).
    pub fn desc_name(self) -> &'static str {
        match self {
            ColumnKind::Text => "text",
            ColumnKind::String => "string",
            ColumnKind::Uint => "uint",
            ColumnKind::Bigint => "bigint",
            ColumnKind::Float => "float",
            ColumnKind::Bool => "bool",
            ColumnKind::Timestamp => "timestamp",
            ColumnKind::Multi => "mva",
            ColumnKind::Multi64 => "mva64",
            ColumnKind::Json => "json",
        }
    }

    /// The name as SHOW CREATE TABLE prints it (`integer`, `multi`, …).
    pub fn create_name(self) -> &'static str {
        match self {
            ColumnKind::Uint => "integer",
            ColumnKind::Multi => "multi",
            ColumnKind::Multi64 => "multi64",
            other => other.desc_name(),
        }
    }

    /// Whether values live in the blob heap of a row instead of its fixed part.
    pub fn is_blob(self) -> bool {
        match self {
            ColumnKind::Text | ColumnKind::String | ColumnKind::Multi | ColumnKind::Multi64 | ColumnKind::Json => true,
            ColumnKind::Uint | ColumnKind::Bigint | ColumnKind::Float | ColumnKind::Bool | ColumnKind::Timestamp => false,
        }
    }
}

/// How disk chunks keep attributes: the dialect's `engine`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AttributeStorage {
    /// All attributes of a row side by side.
    #[default]
    Rowwise,
    /// Each attribute by itself, compressed.
    Columnar,
}

impl AttributeStorage {
    /// The names of both.
    pub const NAMES: [&'static str; 2] = ["rowwise", "columnar"];

    /// The storage of this name.
    pub fn named(name: &str) -> Option<AttributeStorage> {
        [AttributeStorage::Rowwise, AttributeStorage::Columnar].into_iter().find(|storage| storage.name() == name)
    }

    /// Its name in SQL and in the config.
    pub fn name(self) -> &'static str {
        match self {
            AttributeStorage::Rowwise => AttributeStorage::NAMES[0],
            AttributeStorage::Columnar => AttributeStorage::NAMES[1],
        }
    }
}

/// One column besides `id`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Lower case, as the dialect folds it.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// Stable across ADD and DROP COLUMN: never given to another column of this table.
    pub uid: u32,
    /// Full-text searchable (only Text and String).
    pub indexed: bool,
    /// The text is kept in the stored part of a row (only Text).
    pub stored: bool,
    /// The value is kept in the attribute part of a row. Always true but for plain `text`.
    pub attribute: bool,
    /// Disk chunks keep the attribute in a column of its own. Never true of JSON, nor of what is no attribute.
    pub columnar: bool,
}

/// The columns of a table, in order of declaration, without `id`, which is always there and comes first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schema {
    /// Grows with each ALTER.
    pub version: u32,
    /// Declared columns.
    pub columns: Vec<Column>,
}

impl Schema {
    /// Index of the column called `name` (already folded to lower case).
    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    /// Full-text fields in order: `(field, index of its column)`.
    pub fn fields(&self) -> impl Iterator<Item = (FieldId, usize)> + '_ {
        self.columns.iter().enumerate().filter(|(_, c)| c.indexed).enumerate().map(|(f, (i, _))| (FieldId(f as u8), i))
    }

    /// Number of full-text fields.
    pub fn field_count(&self) -> usize {
        self.columns.iter().filter(|c| c.indexed).count()
    }

    /// Whether disk chunks have files of columns.
    pub fn has_columnar(&self) -> bool {
        self.columns.iter().any(|column| column.columnar)
    }

    /// Whether the id is kept as a column too: where no attribute is left in rows, which begin with it.
    pub fn has_columnar_id(&self) -> bool {
        self.has_columnar() && self.columns.iter().all(|column| column.columnar || !column.attribute)
    }

    /// Indexes of the columns whose text is stored, in order. The stored part of a row holds exactly these.
    pub fn stored(&self) -> impl Iterator<Item = usize> + '_ {
        self.columns.iter().enumerate().filter(|(_, c)| c.stored).map(|(i, _)| i)
    }
}

/// Options after the column list of CREATE TABLE. None = the server's setting holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableSettings {
    /// Bytes of RAM chunk at which it is flushed.
    pub rt_mem_limit: Option<u64>,
    /// 0: no automatic merges; 1: down to the cutoff; more: to so many times the cutoff.
    pub auto_optimize: Option<u32>,
    /// Disk chunks that automatic merging aims at.
    pub optimize_cutoff: Option<u32>,
    /// Bytes that a chunk made by an automatic merge or a cutoff goal may have.
    pub max_chunk_size: Option<u64>,
    /// Seconds without writes after which the RAM chunk is flushed; -1 never.
    pub diskchunk_flush_write_timeout: Option<i64>,
    /// Seconds since the last search within which a timed flush happens at all.
    pub diskchunk_flush_search_timeout: Option<i64>,
    /// How attributes are kept whose columns do not say it themselves.
    pub storage: AttributeStorage,
    /// Whether text is tokenized and how: option name → value as given (`min_word_len`, `morphology`, `stopwords`, `charset_table`, …).
    /// Checked when the table is created, by `text`.
    pub text: BTreeMap<String, String>,
}
