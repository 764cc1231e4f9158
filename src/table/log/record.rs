//! Frames around payloads: how a log file is divided, and what counts as damage.
//!
//! ```text
//! file    8  magic "CHIMLOG1"
//!        16  table uuid
//!         8  number of the file
//!         4  crc32 of the 32 bytes above
//! record  4  magic 0x4C6F6752
//!         4  length of the payload
//!         8  LSN
//!         4  truncation epoch
//!         4  schema version
//!         4  crc32 of the payload
//!         4  crc32 of the 28 bytes above, seeded with the table's uuid, so that no text of a user can look like a record
//!         …  payload
//! ```
//! A bad record with valid ones behind it is damage, and the table is not opened. A bad record with nothing valid behind it is a torn tail,
//! the write that the crash interrupted, if it looks like one: it ends early, as a killed process leaves it, or a sector of it reads as
//! zeros, as a lost write-back does. A last record that is all there and yet wrong was turned afterwards: damage too.

use crate::types::Lsn;

/// Bytes before the first record of a file.
pub const FILE_HEADER_BYTES: usize = 36;
/// Bytes before a record's payload.
pub const RECORD_HEADER_BYTES: usize = 32;

/// What a disk writes as a whole. File systems write back in larger pieces; zeros that begin or end within one tell of no crash.
const SECTOR_BYTES: usize = 512;

const FILE_MAGIC: &[u8; 8] = b"CHIMLOG1";
const RECORD_MAGIC: [u8; 4] = 0x4C6F_6752_u32.to_le_bytes();

/// What identifies a record beside its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// Position in the log.
    pub lsn: Lsn,
    /// Truncation epoch at the time of writing.
    pub epoch: u32,
    /// Version of the schema that the payload's values follow.
    pub schema_version: u32,
}

/// The header of a file.
pub fn file_header(uuid: u128, number: u64) -> [u8; FILE_HEADER_BYTES] {
    let mut out = [0; FILE_HEADER_BYTES];
    out[..8].copy_from_slice(FILE_MAGIC);
    out[8..24].copy_from_slice(&uuid.to_le_bytes());
    out[24..32].copy_from_slice(&number.to_le_bytes());
    let crc = crc32fast::hash(&out[..32]);
    out[32..].copy_from_slice(&crc.to_le_bytes());
    out
}

/// The header of a record whose payload has the given length and checksum.
pub fn record_header(uuid: u128, head: RecordHead, payload_len: usize, payload_crc: u32) -> [u8; RECORD_HEADER_BYTES] {
    let mut out = [0; RECORD_HEADER_BYTES];
    out[..4].copy_from_slice(&RECORD_MAGIC);
    out[4..8].copy_from_slice(&(payload_len as u32).to_le_bytes());
    out[8..16].copy_from_slice(&head.lsn.0.to_le_bytes());
    out[16..20].copy_from_slice(&head.epoch.to_le_bytes());
    out[20..24].copy_from_slice(&head.schema_version.to_le_bytes());
    out[24..28].copy_from_slice(&payload_crc.to_le_bytes());
    let crc = header_crc(uuid, &out[..28]);
    out[28..].copy_from_slice(&crc.to_le_bytes());
    out
}

fn header_crc(uuid: u128, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(uuid as u32 ^ (uuid >> 64) as u32);
    hasher.update(bytes);
    hasher.finalize()
}

/// What a file's bytes turned out to be.
#[derive(Debug, PartialEq)]
pub enum Scan<'a> {
    /// Records in order; `good` bytes from the start are whole. Bytes behind `good` are a torn tail.
    Records {
        /// Head and payload of each.
        records: Vec<(RecordHead, &'a [u8])>,
        /// Length of the whole part.
        good: usize,
    },
    /// Damage at a byte offset.
    Damaged {
        /// Where.
        offset: usize,
        /// What was expected there.
        expected: &'static str,
    },
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// The record at `at`, if a whole valid one starts there, and the offset behind it.
fn record_at(bytes: &[u8], uuid: u128, at: usize) -> Option<(RecordHead, &[u8], usize)> {
    let header = bytes.get(at..at + RECORD_HEADER_BYTES)?;
    if header[..4] != RECORD_MAGIC || header_crc(uuid, &header[..28]) != u32_at(header, 28) {
        return None;
    }
    let start = at + RECORD_HEADER_BYTES;
    let payload = bytes.get(start..start.checked_add(u32_at(header, 4) as usize)?)?;
    if crc32fast::hash(payload) != u32_at(header, 24) {
        return None;
    }
    let lsn = Lsn(u32_at(header, 8) as u64 | (u32_at(header, 12) as u64) << 32);
    let head = RecordHead { lsn, epoch: u32_at(header, 16), schema_version: u32_at(header, 20) };
    Some((head, payload, start + payload.len()))
}

/// Reads a whole log file of table `uuid`.
pub fn scan(bytes: &[u8], uuid: u128) -> Scan<'_> {
    if bytes.len() < FILE_HEADER_BYTES {
        // The file was made and the crash came before its header was whole; no record can be in it.
        return Scan::Records { records: Vec::new(), good: 0 };
    }
    let header = &bytes[..FILE_HEADER_BYTES];
    if header[..8] != *FILE_MAGIC || crc32fast::hash(&header[..32]) != u32_at(header, 32) {
        return match has_record(bytes, uuid, 0) || !has_zero_sector(bytes, 0) {
            false => Scan::Records { records: Vec::new(), good: 0 },
            true => Scan::Damaged { offset: 0, expected: "a log file header" },
        };
    }
    if header[8..24] != uuid.to_le_bytes() {
        return Scan::Damaged { offset: 8, expected: "the uuid of this table" };
    }
    let (mut records, mut at) = (Vec::new(), FILE_HEADER_BYTES);
    while at < bytes.len() {
        match record_at(bytes, uuid, at) {
            Some((head, payload, end)) => {
                records.push((head, payload));
                at = end;
            }
            None if has_record(bytes, uuid, at + 1) => return Scan::Damaged { offset: at, expected: "a whole record" },
            None if is_torn(bytes, uuid, at) => break,
            None => {
                return Scan::Damaged { offset: at, expected: "a whole record, or one that ends early or in zeros, as a crash leaves it," };
            }
        }
    }
    Scan::Records { records, good: at }
}

/// Whether the bad record at `at`, behind which there is none, is what a crash leaves of a write.
fn is_torn(bytes: &[u8], uuid: u128, at: usize) -> bool {
    let Some(header) = bytes.get(at..at + RECORD_HEADER_BYTES) else { return true };
    let sound = header[..4] == RECORD_MAGIC && header_crc(uuid, &header[..28]) == u32_at(header, 28);
    let ends_early = sound && bytes.len() - at - RECORD_HEADER_BYTES < u32_at(header, 4) as usize;
    ends_early || has_zero_sector(bytes, at)
}

/// Whether a sector of the file, as far as it lies at or behind `from`, holds nothing but zeros.
fn has_zero_sector(bytes: &[u8], from: usize) -> bool {
    let first = from.next_multiple_of(SECTOR_BYTES).min(bytes.len());
    let mut sectors = std::iter::once(&bytes[from..first]).filter(|s| !s.is_empty()).chain(bytes[first..].chunks(SECTOR_BYTES));
    sectors.any(|sector| sector.iter().all(|b| *b == 0))
}

/// Whether a valid record starts anywhere at or behind `from`.
fn has_record(bytes: &[u8], uuid: u128, from: usize) -> bool {
    let mut at = from;
    while let Some(rest) = bytes.get(at..) {
        // Looking for one byte first keeps the scan of a long tail at memory speed.
        let Some(hit) = rest.iter().position(|b| *b == RECORD_MAGIC[0]) else { return false };
        if record_at(bytes, uuid, at + hit).is_some() {
            return true;
        }
        at += hit + 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(payloads: &[&[u8]]) -> Vec<u8> {
        let mut out = file_header(9, 1).to_vec();
        for (i, p) in payloads.iter().enumerate() {
            let head = RecordHead { lsn: Lsn(1 + i as u64), epoch: 0, schema_version: 1 };
            out.extend_from_slice(&record_header(9, head, p.len(), crc32fast::hash(p)));
            out.extend_from_slice(p);
        }
        out
    }

    fn check(bytes: &[u8]) -> Result<usize, usize> {
        match scan(bytes, 9) {
            Scan::Records { records, .. } => Ok(records.len()),
            Scan::Damaged { offset, .. } => Err(offset),
        }
    }

    #[test]
    fn a_torn_tail_is_cut_and_damage_inside_is_named() {
        let whole = file(&[b"one", b"two", b"three"]);
        assert_eq!(check(&whole), Ok(3));
        let last = whole.len() - RECORD_HEADER_BYTES - 5;
        for cut in last..whole.len() {
            assert_eq!(check(&whole[..cut]), Ok(2), "cut at {cut}");
        }
        for flip in FILE_HEADER_BYTES..last {
            let mut bad = whole.clone();
            bad[flip] ^= 1;
            assert!(check(&bad).is_err(), "flip at {flip}");
        }
        for flip in (0..FILE_HEADER_BYTES).chain(last..whole.len()) {
            let mut bad = whole.clone();
            bad[flip] ^= 1;
            assert!(check(&bad).is_err(), "flip at {flip}");
        }
        assert_eq!(check(&whole[..10]), Ok(0));
        assert_eq!(scan(&whole, 8), Scan::Damaged { offset: 8, expected: "the uuid of this table" });
    }

    #[test]
    fn sectors_that_were_never_written_back_are_torn() {
        let long = [7; 3000];
        let whole = file(&[b"one", &long]);
        let last = whole.len() - RECORD_HEADER_BYTES - long.len();
        for sector in 0..whole.len().div_ceil(SECTOR_BYTES) {
            let mut lost = whole.clone();
            let end = ((sector + 1) * SECTOR_BYTES).min(lost.len());
            lost[(sector * SECTOR_BYTES).max(last)..end].fill(0);
            assert_eq!(check(&lost), Ok(1), "sector {sector}");
        }
        let mut turned = whole.clone();
        turned[last + 1000] ^= 4;
        assert_eq!(check(&turned), Err(last));
        // The length too is under a checksum: a turned bit in it does not make the record look short.
        let mut longer = whole.clone();
        longer[last + 6] ^= 1;
        assert_eq!(check(&longer), Err(last));
        assert_eq!(check(&[0; 1000]), Ok(0));
    }
}
