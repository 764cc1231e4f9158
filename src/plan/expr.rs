//! The typed form of an expression: every name is an index, every operator knows its operands' kinds.
//!
//! Truth has two values: a comparison with something absent is false, its negation true. Integers are 64 bits and wrap; as soon as one
//! operand is a float, arithmetic is in single precision, as in the dialect; JSON numbers and DOUBLE() make it double.

use super::functions::Function;
use crate::types::{ColumnKind, Value};

/// What an expression gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number of 32 bits, unsigned: uint, bool, timestamp.
    Uint,
    /// A number of 64 bits, signed.
    Bigint,
    /// A number of 64 bits, unsigned.
    BigUint,
    /// Single precision.
    Float,
    /// Double precision.
    Double,
    /// A string.
    Text,
    /// A set of numbers.
    Mva,
    /// A JSON value: what it is shows with each row.
    Json,
    /// NULL itself.
    Null,
}

impl Kind {
    /// The kind of a column's values.
    pub fn of_column(kind: ColumnKind) -> Kind {
        match kind {
            ColumnKind::Text | ColumnKind::String => Kind::Text,
            ColumnKind::Uint | ColumnKind::Bool | ColumnKind::Timestamp => Kind::Uint,
            ColumnKind::Bigint => Kind::Bigint,
            ColumnKind::Float => Kind::Float,
            ColumnKind::Multi | ColumnKind::Multi64 => Kind::Mva,
            ColumnKind::Json => Kind::Json,
        }
    }

    /// The kind of a value at hand.
    pub fn of_value(value: &Value) -> Kind {
        match value {
            Value::Null => Kind::Null,
            Value::Int(_) => Kind::Bigint,
            Value::Uint(_) => Kind::BigUint,
            Value::Float(_) => Kind::Float,
            Value::Double(_) | Value::Avg(_) => Kind::Double,
            Value::Text(_) => Kind::Text,
            Value::Mva(_) => Kind::Mva,
            Value::Json(_) => Kind::Json,
        }
    }

    /// Whole numbers.
    pub fn is_int(self) -> bool {
        matches!(self, Kind::Uint | Kind::Bigint | Kind::BigUint)
    }

    /// Numbers, and JSON values, which may be numbers.
    pub fn is_numeric(self) -> bool {
        match self {
            Kind::Uint | Kind::Bigint | Kind::BigUint | Kind::Float | Kind::Double | Kind::Json | Kind::Null => true,
            Kind::Text | Kind::Mva => false,
        }
    }
}

/// Which of an MVA's or a JSON array's values must meet a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// One or more.
    Any,
    /// Every one, and there is one.
    All,
}

/// What `FOR x IN list` gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// 1 where the condition holds for one element or more.
    Any,
    /// 1 where it holds for all.
    All,
    /// Index of the first element for which it holds, or -1.
    IndexOf,
}

/// Arithmetic and bit operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the operators")]
pub enum Arith {
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
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the operators")]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Compare {
    /// The operator with its sides exchanged.
    pub fn mirrored(self) -> Compare {
        match self {
            Compare::Eq => Compare::Eq,
            Compare::Ne => Compare::Ne,
            Compare::Lt => Compare::Gt,
            Compare::Le => Compare::Ge,
            Compare::Gt => Compare::Lt,
            Compare::Ge => Compare::Le,
        }
    }
}

/// A step of a JSON path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A member of an object.
    Key(String),
    /// An element of an array.
    Index(usize),
}

/// Values to look for, sorted where order helps.
#[derive(Debug, Clone, PartialEq)]
pub enum Set {
    /// Whole numbers, ascending, each once.
    Ints(Vec<i64>),
    /// Anything else, compared one by one.
    Values(Vec<Value>),
}

/// A typed expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A literal, or what was computed from literals alone.
    Const(Value),
    /// The document id.
    Id,
    /// An attribute: index in the schema.
    Column(usize, ColumnKind),
    /// Text that is only in the stored part of a row: its place among the stored columns. Known for rows that are sent, never before.
    Stored(usize),
    /// A value inside a JSON attribute: index in the schema, and the way from its root.
    Json(usize, Box<[Step]>),
    /// The current element of the loop around it, and the way on from there.
    Element(Box<[Step]>),
    /// weight().
    Weight,
    /// An aggregate of the group: index in the plan's list.
    Aggregate(usize, Kind),
    /// groupby(): the group's key; of several the first.
    GroupKey(Kind),
    /// -x
    Minus(Box<Expr>),
    /// ~x
    BitNot(Box<Expr>),
    /// NOT x
    Not(Box<Expr>),
    /// All of them.
    And(Vec<Expr>),
    /// One or more of them.
    Or(Vec<Expr>),
    /// Arithmetic; the kind is that of the result.
    Arith(Arith, Kind, Box<Expr>, Box<Expr>),
    /// Division by a constant as the dialect does it: times the reciprocal, in single precision.
    Scale(Box<Expr>, f32),
    /// A comparison. The quantifier counts where the left side is a set.
    Compare(Compare, Quantifier, Box<Expr>, Box<Expr>),
    /// x IN (…); negated, it asks per value of a set whether that one is outside.
    In {
        /// Left side.
        expr: Box<Expr>,
        /// Counts where the left side is a set.
        quantifier: Quantifier,
        /// What is looked for.
        set: Set,
        /// NOT IN.
        negated: bool,
    },
    /// low ≤ x ≤ high, both for the same value of a set.
    Between {
        /// Left side.
        expr: Box<Expr>,
        /// Counts where the left side is a set.
        quantifier: Quantifier,
        /// Lower bound, included.
        low: Box<Expr>,
        /// Upper bound, included.
        high: Box<Expr>,
        /// NOT BETWEEN.
        negated: bool,
    },
    /// x IS NULL: a JSON path that leads nowhere or to null.
    IsNull(Box<Expr>),
    /// x LIKE 'pattern' with % and _.
    Like(Box<Expr>, String),
    /// cond FOR x IN list.
    ForEach(Loop, Box<Expr>, Box<Expr>),
    /// A function of one row.
    Call(Function, Vec<Expr>),
}

impl Expr {
    /// What the expression gives.
    pub fn kind(&self) -> Kind {
        match self {
            Expr::Const(v) => Kind::of_value(v),
            Expr::Id | Expr::Weight | Expr::BitNot(_) => Kind::Bigint,
            Expr::Column(_, kind) => Kind::of_column(*kind),
            Expr::Stored(_) => Kind::Text,
            Expr::Json(..) | Expr::Element(_) => Kind::Json,
            Expr::Aggregate(_, kind) | Expr::GroupKey(kind) => *kind,
            Expr::Minus(inner) => match inner.kind() {
                kind if kind.is_int() => Kind::Bigint,
                kind => kind,
            },
            Expr::Not(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Compare(..)
            | Expr::In { .. }
            | Expr::Between { .. }
            | Expr::IsNull(_)
            | Expr::Like(..) => Kind::Uint,
            Expr::Arith(_, kind, ..) => *kind,
            Expr::Scale(..) => Kind::Float,
            Expr::ForEach(..) => Kind::Bigint,
            Expr::Call(function, args) => function.kind(args),
        }
    }

    /// The expressions directly inside.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Const(_)
            | Expr::Id
            | Expr::Column(..)
            | Expr::Stored(_)
            | Expr::Json(..)
            | Expr::Element(_)
            | Expr::Weight
            | Expr::Aggregate(..)
            | Expr::GroupKey(_) => Vec::new(),
            Expr::Minus(e) | Expr::BitNot(e) | Expr::Not(e) | Expr::Scale(e, _) | Expr::IsNull(e) | Expr::Like(e, _) => vec![e],
            Expr::In { expr, .. } => vec![expr],
            Expr::Arith(_, _, a, b) | Expr::Compare(_, _, a, b) | Expr::ForEach(_, a, b) => vec![a, b],
            Expr::Between { expr, low, high, .. } => vec![expr, low, high],
            Expr::And(list) | Expr::Or(list) | Expr::Call(_, list) => list.iter().collect(),
        }
    }

    /// Calls `visit` with this expression and all inside it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        self.children().into_iter().for_each(|e| e.walk(visit));
    }

    /// Number of expressions inside, this one included, and how deep they are nested.
    pub fn size(&self) -> (usize, usize) {
        let inside = self.children().into_iter().map(Expr::size).fold((0, 0), |(n, d), (m, e)| (n + m, d.max(e)));
        (inside.0 + 1, inside.1 + 1)
    }

    /// Whether `wanted` holds for this expression or one inside it.
    pub fn contains(&self, wanted: impl Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= wanted(e));
        found
    }
}
