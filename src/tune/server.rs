//! What a running server tells of a table.

use std::thread;
use std::time::Duration;

use super::arguments::Arguments;
use crate::client::{Address, Client, TableState};

/// As much as is known.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Measured {
    pub rows_per_second: Option<u64>,
    pub row_bytes: Option<u64>,
    pub cutoff: Option<u32>,
    /// Bytes of the chunk that a flush writes.
    pub flush_bytes: Option<u64>,
    pub mem_limit: Option<u64>,
    /// Bytes per second of one merge thread, of all tables.
    pub merge_speed: Option<u64>,
}

/// Looks at the table twice, some seconds apart.
pub(super) fn measure(arguments: &Arguments, table: &str) -> Result<Measured, String> {
    let address = Address { host: arguments.host.clone(), port: arguments.port };
    let mut client = Client::connect(&address).map_err(|error| error.to_string())?;
    let mut look = || TableState::of(&mut client, table).map_err(|error| error.to_string());
    let first = look()?;
    let last = if arguments.rate.is_some() {
        first.clone()
    } else {
        eprintln!("measuring the rate of '{table}' for {} s", arguments.sample);
        thread::sleep(Duration::from_secs(arguments.sample));
        look()?
    };
    let merge_speed = merge_speed(&client.pairs("SHOW STATUS LIKE 'merge_speed_mb_s'").map_err(|error| error.to_string())?);
    let measured = Measured { merge_speed, ..Measured::from(&first, &last, arguments.sample) };
    match (measured.rows_per_second, arguments.rate) {
        (None, None) => Err(format!("no row was added to '{table}' within {} s: give --rate, or run it during a load", arguments.sample)),
        _ => Ok(measured),
    }
}

/// The server's figure in bytes; it has none before the first merge.
fn merge_speed(status: &[(String, String)]) -> Option<u64> {
    let megabytes: f64 = status.first()?.1.parse().ok()?;
    Some((megabytes * 1e6) as u64).filter(|speed| *speed > 0)
}

impl Measured {
    /// From two looks, so many seconds apart.
    fn from(first: &TableState, last: &TableState, seconds: u64) -> Measured {
        let added = last.documents.unwrap_or(0).saturating_sub(first.documents.unwrap_or(0));
        let ram = last.ram_bytes.unwrap_or(0);
        let row_bytes = match (last.documents, last.disk_bytes) {
            // Rows in RAM are counted too; their bytes stand for what they will take on disk, about.
            (Some(rows), Some(disk)) if rows > 0 && disk + ram > 0 => Some(disk.saturating_add(ram).div_ceil(rows)),
            _ => None,
        };
        let flush_bytes = match (last.flushed_bytes, last.flushes) {
            (Some(bytes), Some(flushes)) if bytes > 0 => bytes.checked_div(flushes),
            _ => None,
        };
        Measured {
            rows_per_second: Some(added / seconds.max(1)).filter(|rate| *rate > 0),
            row_bytes,
            cutoff: last.cutoff.map(|cutoff| u32::try_from(cutoff).unwrap_or(u32::MAX)),
            flush_bytes,
            mem_limit: last.mem_limit.filter(|limit| *limit > 0),
            merge_speed: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_looks_make_a_rate() {
        let first = TableState { documents: Some(1_000), ..TableState::default() };
        let last = TableState {
            documents: Some(51_000),
            disk_bytes: Some(10_000_000),
            ram_bytes: Some(200_000),
            flushes: Some(4),
            flushed_bytes: Some(12_000_000),
            cutoff: Some(8),
            mem_limit: Some(1 << 20),
            ..TableState::default()
        };
        let want = Measured {
            rows_per_second: Some(5_000),
            row_bytes: Some(200),
            cutoff: Some(8),
            flush_bytes: Some(3_000_000),
            mem_limit: Some(1 << 20),
            merge_speed: None,
        };
        let status = |value: &str| [("merge_speed_mb_s".to_owned(), value.to_owned())];
        assert_eq!([status("123.4"), status(""), status("0.0")].map(|s| merge_speed(&s)), [Some(123_400_000), None, None]);
        assert_eq!(Measured::from(&first, &last, 10), want);
        assert_eq!(Measured::from(&first, &first, 10), Measured::default());
    }
}
