//! The functions of one row: names, number of arguments, and what they give. `exec` computes them.

use super::PlanError;
use super::expr::{Expr, Kind};

/// A function. Aggregates are none: they belong to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the functions")]
pub enum Function {
    Abs,
    Ceil,
    Floor,
    Sqrt,
    Pow,
    Ln,
    Log2,
    Log10,
    Exp,
    Sin,
    Cos,
    Atan2,
    Idiv,
    BitDot,
    Fibonacci,
    Min,
    Max,
    Least,
    Greatest,
    Crc32,
    Rand,
    If,
    In,
    Interval,
    Remap,
    Length,
    Concat,
    ToString,
    Upper,
    Lower,
    SubstringIndex,
    Levenshtein,
    Bigint,
    Sint,
    Uint,
    Uint64,
    Double,
    Year,
    Month,
    Day,
    YearMonth,
    YearMonthDay,
    Hour,
    Minute,
    Second,
    DayOfWeek,
    DayOfYear,
    Quarter,
    Date,
    Time,
    DateFormat,
    DateDiff,
    TimeDiff,
    UnixTimestamp,
    FromUnixtime,
    Now,
    CurDate,
    CurTime,
    UtcTime,
    UtcTimestamp,
    /// With its options, if any, as two further arguments: radians in a unit of the coordinates, and the radius in units of the distance.
    Geodist,
}

/// Name, function, least and greatest number of arguments.
const TABLE: &[(&str, Function, usize, usize)] = &[
    ("abs", Function::Abs, 1, 1),
    ("ceil", Function::Ceil, 1, 1),
    ("floor", Function::Floor, 1, 1),
    ("sqrt", Function::Sqrt, 1, 1),
    ("pow", Function::Pow, 2, 2),
    ("ln", Function::Ln, 1, 1),
    ("log2", Function::Log2, 1, 1),
    ("log10", Function::Log10, 1, 1),
    ("exp", Function::Exp, 1, 1),
    ("sin", Function::Sin, 1, 1),
    ("cos", Function::Cos, 1, 1),
    ("atan2", Function::Atan2, 2, 2),
    ("idiv", Function::Idiv, 2, 2),
    ("bitdot", Function::BitDot, 2, 64),
    ("fibonacci", Function::Fibonacci, 1, 1),
    ("min", Function::Min, 2, 2),
    ("max", Function::Max, 2, 2),
    ("least", Function::Least, 1, 64),
    ("greatest", Function::Greatest, 1, 64),
    ("crc32", Function::Crc32, 1, 1),
    ("rand", Function::Rand, 0, 1),
    ("random", Function::Rand, 0, 0),
    ("if", Function::If, 3, 3),
    ("in", Function::In, 2, usize::MAX),
    ("interval", Function::Interval, 2, usize::MAX),
    ("remap", Function::Remap, 4, 4),
    ("length", Function::Length, 1, 1),
    ("concat", Function::Concat, 1, 64),
    ("to_string", Function::ToString, 1, 1),
    ("upper", Function::Upper, 1, 1),
    ("lower", Function::Lower, 1, 1),
    ("substring_index", Function::SubstringIndex, 3, 3),
    ("levenshtein", Function::Levenshtein, 2, 2),
    ("bigint", Function::Bigint, 1, 1),
    ("integer", Function::Bigint, 1, 1),
    ("sint", Function::Sint, 1, 1),
    ("uint", Function::Uint, 1, 1),
    ("uint64", Function::Uint64, 1, 1),
    ("double", Function::Double, 1, 1),
    ("year", Function::Year, 1, 1),
    ("month", Function::Month, 1, 1),
    ("day", Function::Day, 1, 1),
    ("dayofmonth", Function::Day, 1, 1),
    ("yearmonth", Function::YearMonth, 1, 1),
    ("yearmonthday", Function::YearMonthDay, 1, 1),
    ("hour", Function::Hour, 1, 1),
    ("minute", Function::Minute, 1, 1),
    ("second", Function::Second, 1, 1),
    ("dayofweek", Function::DayOfWeek, 1, 1),
    ("dayofyear", Function::DayOfYear, 1, 1),
    ("quarter", Function::Quarter, 1, 1),
    ("date", Function::Date, 1, 1),
    ("time", Function::Time, 1, 1),
    ("date_format", Function::DateFormat, 2, 2),
    ("datediff", Function::DateDiff, 2, 2),
    ("timediff", Function::TimeDiff, 2, 2),
    ("unix_timestamp", Function::UnixTimestamp, 0, 1),
    ("from_unixtime", Function::FromUnixtime, 1, 1),
    ("now", Function::Now, 0, 0),
    ("curdate", Function::CurDate, 0, 0),
    ("curtime", Function::CurTime, 0, 0),
    ("utc_time", Function::UtcTime, 0, 0),
    ("utc_timestamp", Function::UtcTimestamp, 0, 0),
    ("geodist", Function::Geodist, 4, 5),
];

/// Functions of the dialect that are recognised and missing here.
const NOT_BUILT: &[&str] = &[
    "bm25f",
    "contains",
    "date_histogram",
    "date_range",
    "geopoly2d",
    "highlight",
    "histogram",
    "hybrid_score",
    "knn",
    "knn_dist",
    "minhour",
    "min_top_sortval",
    "min_top_weight",
    "packedfactors",
    "poly2d",
    "query",
    "range",
    "rankfactors",
    "regex",
    "snippet",
    "zonespanlist",
];

/// The function called `name` (folded) with `count` arguments.
pub fn find(name: &str, count: usize) -> Result<Function, PlanError> {
    match TABLE.iter().find(|(n, ..)| *n == name) {
        Some(&(_, function, least, most)) if (least..=most).contains(&count) => Ok(function),
        Some(&(_, _, least, most)) => Err(PlanError::rejected(match (least, most) {
            (least, most) if least == most => format!("{name}() takes {least} argument(s), {count} given"),
            (least, usize::MAX) => format!("{name}() takes {least} arguments or more, {count} given"),
            (least, most) => format!("{name}() takes {least} to {most} arguments, {count} given"),
        })),
        None if NOT_BUILT.contains(&name) => Err(PlanError::not_built(format!("function {name}()"))),
        None => Err(PlanError::rejected(format!("unknown function: {name}"))),
    }
}

impl Function {
    /// What the function gives for arguments of these kinds.
    pub fn kind(self, args: &[Expr]) -> Kind {
        let arg = |i: usize| args.get(i).map_or(Kind::Bigint, Expr::kind);
        let wider = |a: Kind, b: Kind| match (a, b) {
            (Kind::Text, _) | (_, Kind::Text) => Kind::Text,
            (Kind::Json, _) | (_, Kind::Json) => Kind::Json,
            (Kind::Double, _) | (_, Kind::Double) => Kind::Double,
            (Kind::Float, _) | (_, Kind::Float) => Kind::Float,
            _ => Kind::Bigint,
        };
        match self {
            Function::Sqrt
            | Function::Pow
            | Function::Ln
            | Function::Log2
            | Function::Log10
            | Function::Exp
            | Function::Sin
            | Function::Cos
            | Function::Atan2
            | Function::Rand
            | Function::Geodist => Kind::Float,
            Function::Ceil
            | Function::Floor
            | Function::Idiv
            | Function::Fibonacci
            | Function::Crc32
            | Function::In
            | Function::Interval
            | Function::Length
            | Function::Levenshtein
            | Function::Sint
            | Function::Year
            | Function::Month
            | Function::Day
            | Function::YearMonth
            | Function::YearMonthDay
            | Function::Hour
            | Function::Minute
            | Function::Second
            | Function::DayOfWeek
            | Function::DayOfYear
            | Function::Quarter
            | Function::DateDiff
            | Function::UnixTimestamp
            | Function::Now => Kind::Bigint,
            Function::Uint => Kind::Uint,
            Function::Uint64 => Kind::BigUint,
            Function::Double => Kind::Double,
            // BIGINT leaves a float as it is.
            Function::Bigint => match arg(0) {
                Kind::Float => Kind::Float,
                _ => Kind::Bigint,
            },
            Function::Abs => match arg(0) {
                kind if kind.is_int() => Kind::Bigint,
                kind => kind,
            },
            Function::BitDot => args.iter().skip(1).map(Expr::kind).fold(Kind::Bigint, wider),
            Function::Min | Function::Max => wider(arg(0), arg(1)),
            Function::If => wider(arg(1), arg(2)),
            Function::Remap => arg(1),
            Function::Least | Function::Greatest => match args {
                [one] if one.kind() == Kind::Mva => Kind::Bigint,
                [one] => one.kind(),
                more => more.iter().map(Expr::kind).fold(Kind::Bigint, wider),
            },
            Function::Concat
            | Function::ToString
            | Function::Upper
            | Function::Lower
            | Function::SubstringIndex
            | Function::Date
            | Function::Time
            | Function::DateFormat
            | Function::TimeDiff
            | Function::FromUnixtime
            | Function::CurDate
            | Function::CurTime
            | Function::UtcTime
            | Function::UtcTimestamp => Kind::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_counted() {
        assert_eq!(find("abs", 1), Ok(Function::Abs));
        assert_eq!(find("abs", 2).unwrap_err().to_string(), "abs() takes 1 argument(s), 2 given");
        assert_eq!(find("nosuch", 1).unwrap_err().to_string(), "unknown function: nosuch");
        assert_eq!(find("highlight", 0).unwrap_err().to_string(), "function highlight() is not built yet");
    }
}
