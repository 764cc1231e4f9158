//! What a statement says, before anyone asks what it means.
//!
//! Names are folded to lower case by the parser, except JSON keys, strings and the raw `text` of select items.

/// One statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// SELECT, with or without FROM.
    Select(Box<Select>),
    /// INSERT or REPLACE.
    Insert(Insert),
    /// UPDATE t SET … WHERE ….
    Update(Update),
    /// DELETE FROM t WHERE ….
    Delete(Delete),
    /// CREATE TABLE.
    CreateTable(CreateTable),
    /// CREATE DATABASE \[IF NOT EXISTS\] name.
    CreateDatabase {
        /// Folded name.
        name: String,
    },
    /// DROP TABLE \[IF EXISTS\].
    DropTable {
        /// Table name.
        table: String,
        /// IF EXISTS was said.
        if_exists: bool,
    },
    /// TRUNCATE TABLE.
    Truncate {
        /// Table name.
        table: String,
    },
    /// ALTER TABLE t name='value' ….
    AlterSettings {
        /// Table name.
        table: String,
        /// Settings in order.
        settings: Vec<(String, String)>,
    },
    /// DESC t, DESCRIBE t.
    Describe {
        /// Table name.
        table: String,
        /// LIKE pattern.
        like: Option<String>,
    },
    /// SHOW ….
    Show(Show),
    /// SET ….
    Set(Vec<Assignment>),
    /// BEGIN, START TRANSACTION.
    Begin,
    /// COMMIT.
    Commit,
    /// ROLLBACK.
    Rollback,
    /// USE db.
    Use(String),
    /// OPTIMIZE TABLE t \[OPTION …\].
    Optimize {
        /// Table name.
        table: String,
        /// Options in order.
        options: Vec<(String, OptionValue)>,
        /// EXPLAIN OPTIMIZE: print the plan, run nothing.
        explain: bool,
    },
    /// FLUSH RAMCHUNK t.
    FlushRamchunk {
        /// Table name.
        table: String,
    },
    /// FLUSH TABLE t.
    FlushTable {
        /// Table name.
        table: String,
    },
    /// CHECK TABLE t.
    CheckTable {
        /// Table name.
        table: String,
    },
    /// FREEZE t\[, t\].
    Freeze(Vec<String>),
    /// UNFREEZE t\[, t\].
    Unfreeze(Vec<String>),
    /// CALL KEYWORDS('text', 'table' \[, options\]).
    CallKeywords {
        /// Text to tokenize as a query.
        text: String,
        /// Table name.
        table: String,
        /// `1 AS stats`, or the positional third argument.
        stats: bool,
        /// Further named options, in order.
        options: Vec<(String, OptionValue)>,
    },
    /// LOCK TABLES t READ|WRITE\[, …\]: tables in order, with what each is locked for.
    LockTables(Vec<(String, LockKind)>),
    /// UNLOCK TABLES.
    UnlockTables,
    /// KILL \[QUERY\] n.
    Kill {
        /// Connection or query number as SHOW THREADS prints it.
        id: u64,
    },
    /// Recognised, well-formed as far as looked at, and not built: the words name it for the error message.
    NotBuilt(String),
}

/// What LOCK TABLES asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockKind {
    /// READ: nobody writes.
    Read,
    /// WRITE: nobody else reads or writes.
    Write,
}

/// SELECT.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Select {
    /// DISTINCT.
    pub distinct: bool,
    /// `SELECT /*!40001 SQL_NO_CACHE */`, by which the programs that dump tables say that they want all rows, in a form that can be inserted.
    pub dump: bool,
    /// The select list. `*` is an item of its own.
    pub items: Vec<SelectItem>,
    /// Tables; empty for SELECT without FROM.
    pub from: Vec<String>,
    /// WHERE. MATCH appears as [`Expr::Match`].
    pub filter: Option<Expr>,
    /// GROUP n BY: rows per group; 1 without n.
    pub group_rows: u32,
    /// GROUP BY keys.
    pub group_by: Vec<Expr>,
    /// WITHIN GROUP ORDER BY.
    pub within_group: Vec<OrderKey>,
    /// HAVING.
    pub having: Option<Expr>,
    /// ORDER BY.
    pub order_by: Vec<OrderKey>,
    /// LIMIT; None = 20.
    pub limit: Option<u64>,
    /// OFFSET.
    pub offset: u64,
    /// OPTION, in order.
    pub options: Vec<(String, OptionValue)>,
    /// FACET clauses, each run as a result set of its own.
    pub facets: Vec<Facet>,
}

/// One item of a select list.
#[derive(Debug, Clone, PartialEq)]
pub enum SelectItem {
    /// `*`.
    Star,
    /// An expression.
    Expr {
        /// What to compute.
        expr: Expr,
        /// AS name, folded.
        alias: Option<String>,
        /// The source text between commas, trimmed, as typed: the column's heading where there is no alias.
        text: String,
    },
}

/// FACET a BY b ORDER BY … LIMIT ….
#[derive(Debug, Clone, PartialEq)]
pub struct Facet {
    /// Select list of the facet.
    pub items: Vec<SelectItem>,
    /// BY keys; empty = the items.
    pub by: Vec<Expr>,
    /// DISTINCT column.
    pub distinct: Option<String>,
    /// ORDER BY.
    pub order_by: Vec<OrderKey>,
    /// LIMIT.
    pub limit: Option<u64>,
    /// OFFSET.
    pub offset: u64,
}

/// One key of ORDER BY.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderKey {
    /// Column, alias, or expression.
    pub expr: Expr,
    /// DESC.
    pub descending: bool,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// 42
    Int(i64),
    /// A number above i64's range.
    Uint(u64),
    /// 4.2
    Float(f64),
    /// 'text'
    Text(String),
    /// NULL
    Null,
    /// ? in a prepared statement, counted from 0.
    Parameter(usize),
    /// A column or alias.
    Column(String),
    /// column.key\[3\]\['k'\]: steps behind the column.
    Json {
        /// Column, folded.
        column: String,
        /// Keys keep their case.
        path: Vec<JsonStep>,
    },
    /// @@name, @@global.name, @@session.name: scope stripped.
    SysVar(String),
    /// @name
    UserVar(String),
    /// MATCH('…').
    Match(String),
    /// -x, NOT x
    Unary(UnaryOp, Box<Expr>),
    /// x op y
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// x \[NOT\] IN (…)
    In {
        /// Left side.
        expr: Box<Expr>,
        /// Right side: values, or one UserVar.
        list: Vec<Expr>,
        /// NOT.
        negated: bool,
    },
    /// x \[NOT\] BETWEEN a AND b
    Between {
        /// Left side.
        expr: Box<Expr>,
        /// Lower bound, included.
        low: Box<Expr>,
        /// Upper bound, included.
        high: Box<Expr>,
        /// NOT.
        negated: bool,
    },
    /// x IS \[NOT\] NULL
    IsNull {
        /// Left side.
        expr: Box<Expr>,
        /// NOT.
        negated: bool,
    },
    /// f(a, b); COUNT(*) has the single argument Star, COUNT(DISTINCT x) has `distinct`.
    ///
    /// Two forms have arguments of their own: `ANY(cond FOR x IN list)` is `any` with the single argument
    /// `Call("for", \[cond, Column(x), list\])`; `DATE_ADD(d, INTERVAL 3 DAY)` has the argument `Call("interval", \[3, Text("day")\])`.
    /// MATCH(?) of a prepared statement is `Call("match", \[Parameter\])`.
    Call {
        /// Folded name.
        name: String,
        /// Arguments.
        args: Vec<Expr>,
        /// DISTINCT inside the parentheses.
        distinct: bool,
    },
    /// * as an argument.
    Star,
    /// (1,2,3) or () as a value: an MVA.
    List(Vec<Expr>),
    /// {key=value, …} as an argument.
    Map(Vec<(String, Expr)>),
    /// (SELECT …).
    Subquery(Box<Select>),
}

/// A step of a JSON path.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonStep {
    /// .key or \['key'\]
    Key(String),
    /// \[3\]
    Index(i64),
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// -
    Minus,
    /// NOT
    Not,
    /// ~
    BitNot,
}

/// Infix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the operators")]
pub enum BinaryOp {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    IntDiv,
    Mod,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Like,
    NotLike,
    Regexp,
}

/// A value of OPTION name=value.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionValue {
    /// A number.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// A string.
    Text(String),
    /// A bare word.
    Word(String),
    /// (a=1, b=2)
    Weights(Vec<(String, i64)>),
    /// expr('…') and the like: name and argument.
    Call(String, String),
}

/// INSERT or REPLACE.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// Table name.
    pub table: String,
    /// REPLACE.
    pub replace: bool,
    /// Named columns; empty = id and all columns in order of declaration.
    pub columns: Vec<String>,
    /// Rows of literals: Int, Uint, Float, Text, Null, List, Parameter, Unary minus is folded.
    pub rows: Vec<Vec<Expr>>,
}

/// UPDATE.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// Table name.
    pub table: String,
    /// SET target = value; a target may be a JSON path.
    pub assignments: Vec<(Expr, Expr)>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// OPTION.
    pub options: Vec<(String, OptionValue)>,
}

/// DELETE.
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// Table name.
    pub table: String,
    /// WHERE.
    pub filter: Option<Expr>,
    /// OPTION.
    pub options: Vec<(String, OptionValue)>,
}

/// CREATE TABLE.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTable {
    /// Table name.
    pub table: String,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// Columns in order.
    pub columns: Vec<ColumnDef>,
    /// name='value' after the list, in order.
    pub options: Vec<(String, String)>,
}

/// A column as declared.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDef {
    /// Folded name.
    pub name: String,
    /// Folded type name.
    pub type_name: String,
    /// Bare words behind the type, in order: indexed, stored, attribute, fast_fetch ….
    pub flags: Vec<String>,
    /// name='value' behind the type, in order.
    pub options: Vec<(String, String)>,
}

/// SHOW.
#[derive(Debug, Clone, PartialEq)]
pub enum Show {
    /// SHOW TABLES \[FROM db\] \[LIKE\].
    Tables(Option<String>),
    /// SHOW FULL TABLES \[FROM db\] \[LIKE\]: with a kind per table, as MySQL's tools ask.
    FullTables(Option<String>),
    /// SHOW \[FULL\] COLUMNS FROM t \[LIKE\], SHOW FIELDS.
    Columns {
        /// Table name.
        table: String,
        /// FULL was said.
        full: bool,
        /// LIKE pattern.
        like: Option<String>,
    },
    /// SHOW INDEX FROM t, SHOW KEYS FROM t.
    Keys(String),
    /// SHOW DATABASES, SHOW SCHEMAS.
    Databases(Option<String>),
    /// SHOW CREATE TABLE t.
    CreateTable(String),
    /// SHOW TABLE t STATUS \[LIKE\].
    TableStatus(String, Option<String>),
    /// SHOW TABLE t SETTINGS.
    TableSettings(String),
    /// SHOW TABLE t CHUNKS.
    TableChunks(String),
    /// SHOW MERGES.
    Merges,
    /// SHOW OPTIMIZE HISTORY.
    OptimizeHistory,
    /// SHOW META \[LIKE\].
    Meta(Option<String>),
    /// SHOW WARNINGS.
    Warnings,
    /// SHOW STATUS \[LIKE\].
    Status(Option<String>),
    /// SHOW \[GLOBAL|SESSION\] VARIABLES \[LIKE | WHERE variable_name = …\].
    Variables {
        /// GLOBAL was said.
        global: bool,
        /// Which of them.
        filter: NameFilter,
    },
    /// SHOW THREADS \[OPTION columns=…, format=…\].
    Threads(Vec<(String, OptionValue)>),
    /// SHOW \[FULL\] PROCESSLIST.
    ProcessList,
    /// SHOW QUERIES.
    Queries,
    /// SHOW LOCKS.
    Locks,
    /// SHOW VERSION.
    Version,
    /// Further SHOWs that clients send on connecting: the words behind SHOW, folded (`collation`, `character set`, `engines`, `plugins`, …) with LIKE.
    Other(String, Option<String>),
}

/// Which names a SHOW wants.
#[derive(Debug, Clone, PartialEq)]
pub enum NameFilter {
    /// All of them.
    All,
    /// Those that fit a LIKE pattern.
    Like(String),
    /// These, folded: WHERE variable_name = 'a' OR variable_name IN ('b', 'c').
    Names(Vec<String>),
}

/// One assignment of SET.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// Where.
    pub scope: SetScope,
    /// Folded name; `names` for SET NAMES.
    pub name: String,
    /// Value. A bare word (`SET sql_mode=ansi`) is a [`Expr::Column`].
    pub value: Expr,
}

/// Scope of a SET assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetScope {
    /// SET name, SET SESSION name, SET @@name.
    Session,
    /// SET GLOBAL name, SET @@global.name.
    Global,
    /// SET @name.
    User,
}
