//! The functions of one row. An absent argument gives an absent result unless a function says otherwise.

mod cast;
mod condition;
mod math;
mod text;
mod time;

use super::cell::Cell;
use super::eval::{Env, eval_in};
use crate::plan::expr::Expr;
use crate::plan::functions::Function;

/// The value of a call. `args` are as many as the binder counted.
pub(super) fn call<'a>(function: Function, args: &'a [Expr], env: &Env<'a>, element: &Option<Cell<'a>>) -> Cell<'a> {
    let arg = |i: usize| args.get(i).map_or(Cell::Null, |e| eval_in(e, env, element));
    match function {
        // These look at their arguments one by one, since not all may be needed.
        Function::If => return if condition::is_zero(&arg(0)) { arg(2) } else { arg(1) },
        Function::Interval => return condition::interval(&arg(0), (1..args.len()).map(arg)),
        Function::Remap => return condition::remap(&arg(0), || arg(1), &arg(2), &arg(3)),
        _ => {}
    }
    match function {
        Function::If | Function::Interval | Function::Remap => Cell::Null,
        // The binder turns IN() into the operator.
        Function::In => Cell::Null,
        Function::Abs => math::abs(arg(0)),
        Function::Ceil => math::rounded(arg(0), f64::ceil),
        Function::Floor => math::rounded(arg(0), f64::floor),
        Function::Sqrt => math::real(&arg(0), |v| if v <= 0.0 { 0.0 } else { v.sqrt() }),
        Function::Ln => math::real(&arg(0), |v| if v <= 0.0 { 0.0 } else { v.ln() }),
        Function::Log2 => math::real(&arg(0), |v| if v <= 0.0 { 0.0 } else { v.log2() }),
        Function::Log10 => math::real(&arg(0), |v| if v <= 0.0 { 0.0 } else { v.log10() }),
        Function::Exp => math::real(&arg(0), f64::exp),
        Function::Sin => math::real(&arg(0), f64::sin),
        Function::Cos => math::real(&arg(0), f64::cos),
        Function::Pow => math::real_pair(&arg(0), &arg(1), f64::powf),
        Function::Atan2 => math::real_pair(&arg(0), &arg(1), f64::atan2),
        Function::Idiv => math::integer_division(&arg(0), &arg(1)),
        Function::BitDot => math::bit_dot(&arg(0), (1..args.len()).map(arg)),
        Function::Fibonacci => math::fibonacci(&arg(0)),
        Function::Min => math::pick(arg(0), arg(1), true),
        Function::Max => math::pick(arg(0), arg(1), false),
        Function::Least => math::extreme((0..args.len()).map(arg), true),
        Function::Greatest => math::extreme((0..args.len()).map(arg), false),
        Function::Crc32 => text::crc32(&arg(0)),
        Function::Rand => math::random(args.first().map(|_| arg(0)).as_ref()),
        Function::Geodist => math::geodist([arg(0), arg(1), arg(2), arg(3)], arg(4).number(), arg(5).number()),
        Function::Length => condition::length(&arg(0)),
        Function::Concat => text::concat((0..args.len()).map(arg), &env.context.memory),
        Function::ToString => text::to_string(arg(0)),
        Function::Upper => text::mapped(&arg(0), str::to_uppercase),
        Function::Lower => text::mapped(&arg(0), str::to_lowercase),
        Function::SubstringIndex => text::substring_index(&arg(0), &arg(1), &arg(2)),
        Function::Levenshtein => text::levenshtein(&arg(0), &arg(1)),
        Function::Bigint => cast::bigint(arg(0)),
        Function::Sint => cast::sint(&arg(0)),
        Function::Uint => cast::uint(&arg(0)),
        Function::Uint64 => cast::uint64(&arg(0)),
        Function::Double => cast::double(&arg(0)),
        Function::Now => Cell::Int(env.context.now),
        Function::UnixTimestamp if args.is_empty() => Cell::Int(env.context.now),
        Function::UnixTimestamp => time::parsed(&arg(0), &env.context.zone),
        Function::CurDate => time::formatted(env.context.now, &env.context.zone, "%Y-%m-%d"),
        Function::CurTime => time::formatted(env.context.now, &env.context.zone, "%H:%M:%S"),
        Function::UtcTime => time::formatted(env.context.now, &jiff::tz::TimeZone::UTC, "%H:%M:%S"),
        Function::UtcTimestamp => time::formatted(env.context.now, &jiff::tz::TimeZone::UTC, "%Y-%m-%d %H:%M:%S"),
        Function::Date => time::of(&arg(0), |seconds| time::formatted(seconds, &env.context.zone, "%Y-%m-%d")),
        Function::Time => time::of(&arg(0), |seconds| time::formatted(seconds, &env.context.zone, "%H:%M:%S")),
        Function::FromUnixtime => time::of(&arg(0), |seconds| time::formatted(seconds, &env.context.zone, "%Y-%m-%d %H:%M:%S")),
        Function::DateFormat => match arg(1) {
            Cell::Text(format) => time::of(&arg(0), |seconds| time::formatted(seconds, &env.context.zone, &format)),
            _ => Cell::Null,
        },
        Function::DateDiff => time::date_diff(&arg(0), &arg(1), &env.context.zone),
        Function::TimeDiff => time::time_diff(&arg(0), &arg(1)),
        Function::Year
        | Function::Month
        | Function::Day
        | Function::YearMonth
        | Function::YearMonthDay
        | Function::Hour
        | Function::Minute
        | Function::Second
        | Function::DayOfWeek
        | Function::DayOfYear
        | Function::Quarter => time::of(&arg(0), |seconds| time::part(function, seconds, &env.context.zone)),
    }
}
