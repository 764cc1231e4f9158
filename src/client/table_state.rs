//! What SHOW TABLE t STATUS says of chunks and merges.
//!
//! Variables that a server does not have stay None: the dialect's own server lacks the counters of bytes.

use super::connection::{Client, ClientError};

/// A table at one moment.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TableState {
    /// Rows that are alive.
    pub documents: Option<u64>,
    /// Disk chunks.
    pub disk_chunks: Option<u64>,
    /// Merges that run; a server that has no such variable has none.
    pub optimizing: u64,
    /// Bytes of the disk chunks.
    pub disk_bytes: Option<u64>,
    /// Bytes of the RAM chunk.
    pub ram_bytes: Option<u64>,
    /// Bytes of rows on their way from RAM to disk.
    pub flushing_bytes: u64,
    /// RAM that makes the table flush.
    pub mem_limit: Option<u64>,
    /// Chunks that automatic merging goes down to.
    pub cutoff: Option<u64>,
    /// Flushes since the start.
    pub flushes: Option<u64>,
    /// Bytes that flushes wrote since the start.
    pub flushed_bytes: Option<u64>,
    /// Bytes that merges wrote since the start.
    pub merged_bytes: Option<u64>,
}

impl TableState {
    /// Asks the server.
    pub fn of(client: &mut Client, table: &str) -> Result<TableState, ClientError> {
        client.pairs(&format!("SHOW TABLE {table} STATUS")).map(|pairs| TableState::read(&pairs))
    }

    /// From names and values.
    pub fn read(pairs: &[(String, String)]) -> TableState {
        let value = |name: &str| pairs.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
        let number = |name: &str| value(name).and_then(|text| text.parse::<u64>().ok());
        // Another server calls garbage in RAM by the same name; only one that counts its flushes means rows under way.
        let flushes = number("flushes");
        TableState {
            documents: number("indexed_documents"),
            disk_chunks: number("disk_chunks"),
            optimizing: number("optimizing").unwrap_or(0),
            disk_bytes: number("disk_bytes"),
            ram_bytes: number("ram_chunk"),
            flushing_bytes: if flushes.is_some() { number("ram_bytes_retired").unwrap_or(0) } else { 0 },
            mem_limit: number("mem_limit"),
            cutoff: number("optimize_cutoff"),
            flushes,
            flushed_bytes: number("flushed_bytes"),
            merged_bytes: number("merged_bytes"),
        }
    }

    /// Bytes written by flushes and merges for each byte flushed, where the server counts them.
    pub fn write_amplification(&self) -> Option<f64> {
        match (self.flushed_bytes, self.merged_bytes) {
            (Some(flushed), Some(merged)) if flushed > 0 => Some((flushed as f64 + merged as f64) / flushed as f64),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> TableState {
        let pairs: Vec<(String, String)> = pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        TableState::read(&pairs)
    }

    #[test]
    fn variables_that_are_missing_stay_unknown() {
        let other = read(&[("disk_chunks", "17"), ("optimizing", "1"), ("ram_bytes_retired", "5000"), ("mem_limit", "134217728")]);
        assert_eq!((other.disk_chunks, other.optimizing, other.flushing_bytes), (Some(17), 1, 0));
        assert_eq!((other.cutoff, other.write_amplification()), (None, None));
        let ours = read(&[("flushes", "3"), ("ram_bytes_retired", "5000"), ("flushed_bytes", "100"), ("merged_bytes", "150")]);
        assert_eq!((ours.flushing_bytes, ours.write_amplification()), (5000, Some(2.5)));
        assert_eq!(read(&[("flushed_bytes", "0"), ("merged_bytes", "0"), ("disk_chunks", "many")]).write_amplification(), None);
    }
}
