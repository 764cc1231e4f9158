//! The calendar. A timestamp is a whole number of seconds since 1970; what lies outside the calendar's range is absent.

use std::borrow::Cow;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

use super::super::cell::Cell;
use super::super::eval::integer;
use crate::plan::functions::Function;

/// Calls `function` with the timestamp that a value is.
pub(super) fn of<'a>(cell: &Cell<'a>, function: impl Fn(i64) -> Cell<'a>) -> Cell<'a> {
    integer(cell).map_or(Cell::Null, function)
}

fn zoned(seconds: i64, zone: &TimeZone) -> Option<ZonedDateTime> {
    Timestamp::from_second(seconds).ok().map(|t| t.to_zoned_datetime(zone.clone()))
}

/// A part of a timestamp.
pub(super) fn part<'a>(function: Function, seconds: i64, zone: &TimeZone) -> Cell<'a> {
    let Some(t) = zoned(seconds, zone) else { return Cell::Null };
    let (year, month, day) = (t.year() as i64, t.month() as i64, t.day() as i64);
    Cell::Int(match function {
        Function::Year => year,
        Function::Month => month,
        Function::Day => day,
        Function::YearMonth => year * 100 + month,
        Function::YearMonthDay => year * 10_000 + month * 100 + day,
        Function::Hour => t.hour() as i64,
        Function::Minute => t.minute() as i64,
        Function::Second => t.second() as i64,
        // 1 is Sunday.
        Function::DayOfWeek => t.weekday().to_sunday_one_offset() as i64,
        Function::DayOfYear => t.day_of_year() as i64,
        Function::Quarter => (month - 1) / 3 + 1,
        _ => return Cell::Null,
    })
}

/// A timestamp in a strftime format; absent where the format is not one.
pub(super) fn formatted<'a>(seconds: i64, zone: &TimeZone, format: &str) -> Cell<'a> {
    let text = zoned(seconds, zone).and_then(|t| jiff::fmt::strtime::format(format, &t).ok());
    text.map_or(Cell::Null, |t| Cell::Text(Cow::Owned(t)))
}

/// UNIX_TIMESTAMP(x): a number stays, a text `YYYY-MM-DD[ hh:mm:ss]` is read in the time zone.
pub(super) fn parsed<'a>(cell: &Cell<'a>, zone: &TimeZone) -> Cell<'a> {
    match cell {
        Cell::Text(s) => {
            let civil = s.trim().parse::<DateTime>().or_else(|_| s.trim().parse::<jiff::civil::Date>().map(|d| d.at(0, 0, 0, 0)));
            match civil.and_then(|c| c.to_zoned_datetime(zone.clone())) {
                Ok(t) => Cell::Int(t.timestamp().as_second()),
                Err(_) => Cell::Null,
            }
        }
        cell => integer(cell).map_or(Cell::Null, Cell::Int),
    }
}

/// Days between the dates of two timestamps.
pub(super) fn date_diff<'a>(a: &Cell<'a>, b: &Cell<'a>, zone: &TimeZone) -> Cell<'a> {
    let date = |cell: &Cell<'_>| integer(cell).and_then(|s| zoned(s, zone)).map(|t| t.date());
    match (date(a), date(b)) {
        (Some(a), Some(b)) => b.until(a).map_or(Cell::Null, |span| Cell::Int(span.get_days() as i64)),
        _ => Cell::Null,
    }
}

/// The time between two timestamps as `[-]hh:mm:ss`.
pub(super) fn time_diff<'a>(a: &Cell<'a>, b: &Cell<'a>) -> Cell<'a> {
    let (Some(a), Some(b)) = (integer(a), integer(b)) else { return Cell::Null };
    let seconds = a as i128 - b as i128;
    let (sign, s) = (if seconds < 0 { "-" } else { "" }, seconds.unsigned_abs());
    Cell::Text(Cow::Owned(format!("{sign}{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(cell: Cell<'_>) -> i64 {
        integer(&cell).unwrap_or(-1)
    }

    #[test]
    fn parts_of_timestamps() {
        let part = |f, s| int(part(f, s, &TimeZone::UTC));
        assert_eq!(part(Function::Year, 86_400 * 365), 1971);
        assert_eq!(part(Function::YearMonth, 86_400 * 40), 197_002);
        assert_eq!(part(Function::Day, 86_400 * 3), 4);
        assert_eq!(part(Function::DayOfWeek, 0), 5);
        assert_eq!(part(Function::Year, i64::MAX), -1);
    }

    #[test]
    fn texts_and_differences() {
        let text = |c: Cell<'_>| c.text().map(Cow::into_owned).unwrap_or_default();
        assert_eq!(text(formatted(86_399, &TimeZone::UTC, "%Y-%m-%d %H:%M:%S")), "1970-01-01 23:59:59");
        assert_eq!(int(parsed(&Cell::Text(Cow::Borrowed("1970-01-02 00:00:01")), &TimeZone::UTC)), 86_401);
        assert_eq!(int(parsed(&Cell::Text(Cow::Borrowed("1970-01-02")), &TimeZone::UTC)), 86_400);
        assert_eq!(int(date_diff(&Cell::Int(86_400 * 40), &Cell::Int(86_399), &TimeZone::UTC)), 40);
        assert_eq!(text(time_diff(&Cell::Int(0), &Cell::Int(3_725))), "-01:02:05");
    }
}
