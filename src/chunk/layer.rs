//! UPDATEd rows of one part in a file that is mapped: what an [`Overlay`](super::Overlay) is made of besides its pages in memory.
//!
//! ```text
//!  0   8  magic "CHIMATT2"
//!  8  16  table uuid
//! 24   8  chunk id
//! 32   4  rows of this file
//! 36   4  rows UPDATEd in this file and those beneath it together
//! 40   4  groups
//! 44   4  pages
//! 48   8  bytes of all images
//! 56   4  crc32 of the 56 bytes above
//! 60   …  groups, of 4 096 rows each, from row 0 on: u64 which of its 64 pages are here, u32 number of the first of them
//!      …  pages, of 64 rows each, only those with a row here: u64 which of its rows are here, u32 number of the first of them
//!      …  per row, and once more behind the last: u64 where its image begins, counted from the first image
//!      …  images back to back, in order of their rows
//!      4  crc32 of everything above
//! ```
//!
//! All numbers little-endian. A look-up counts bits twice and searches nothing: a scan asks for each row of a chunk, so a binary search
//! over a million rows would cost it more than reading the attribute. Groups cost 12 bytes for 4 096 rows of the chunk.
//!
//! Opening checks the head and that the lengths add up; the rest is trusted, as in a chunk, until [`Layer::verify`]. Damage that nobody
//! has looked for reads as rows without UPDATE or as empty values. It never panics.

use std::path::PathBuf;

use super::{AnyPart, ChunkError};
use crate::storage::{Disk, MAP_FROM_BYTES};
use crate::types::{Bytes, ChunkId, RowId};

const MAGIC: &[u8; 8] = b"CHIMATT2";
/// What files began with that held one list of rows, to be read into memory.
const MAGIC_OF_FORMAT_1: &[u8; 8] = b"CHIMATTR";
const HEAD_BYTES: usize = 60;
/// Bytes of a group or a page: 64 bits and a number.
const NODE_BYTES: usize = 12;
/// Rows of one page.
pub(super) const PAGE_ROWS: usize = 64;
/// Pages of one group.
pub(super) const FAN: usize = 64;
/// Images are written in pieces of about this size.
const WRITE_BYTES: usize = 1 << 20;

/// Where a file of UPDATEd rows lies and whose it is.
pub struct LayerPlace<'a> {
    /// The file system.
    pub disk: &'a dyn Disk,
    /// The file.
    pub path: PathBuf,
    /// Number that the manifest names it by.
    pub number: u64,
    /// Identity of the table.
    pub table: u128,
    /// The part that the rows are of.
    pub chunk: ChunkId,
}

impl LayerPlace<'_> {
    pub(super) fn corrupt(&self, reason: impl Into<String>) -> ChunkError {
        ChunkError::Corrupt { file: self.path.display().to_string(), reason: reason.into() }
    }

    fn io(&self, source: std::io::Error) -> ChunkError {
        match source.kind() {
            std::io::ErrorKind::NotFound => self.corrupt("file is missing"),
            _ => ChunkError::Io { file: self.path.display().to_string(), source },
        }
    }
}

/// An open file of UPDATEd rows. Mapped, so that its pages are the system's to drop; unlinking the file leaves the map what it is.
pub struct Layer {
    number: u64,
    path: PathBuf,
    file: Bytes,
    rows: u32,
    whole: u32,
    groups: usize,
    pages: usize,
}

/// The rows of a page that are in a layer.
#[derive(Clone, Copy)]
pub(super) struct LayerPage<'a> {
    /// Which of the 64 they are.
    bits: u64,
    /// Where their images begin, 8 bytes each, and where the last one ends.
    starts: &'a [u8],
    images: &'a [u8],
}

impl<'a> LayerPage<'a> {
    /// The image of row `slot` of the page.
    #[inline]
    pub(super) fn get(&self, slot: usize) -> Option<&'a [u8]> {
        if self.bits >> slot & 1 == 0 {
            return None;
        }
        let at = 8 * rank(self.bits, slot) as usize;
        let place = |at| usize::try_from(u64_at(self.starts, at)?).ok();
        // A damaged index gives an image without bytes, which reads as empty values.
        Some(place(at).zip(place(at + 8)).and_then(|(from, to)| self.images.get(from..to)).unwrap_or(&[]))
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|b| u64::from_le_bytes(*b))
}

/// Set bits below bit `bit`.
fn rank(bits: u64, bit: usize) -> u32 {
    (bits & ((1 << bit) - 1)).count_ones()
}

impl Layer {
    /// Writes `rows`, which ascend and are at least one, into a new file, syncs it and maps it. `whole` as in the format. The folder is the
    /// caller's to sync.
    pub(super) fn write<'r, I>(place: &LayerPlace<'_>, whole: u32, rows: impl Fn() -> I) -> Result<Layer, ChunkError>
    where
        I: Iterator<Item = (RowId, &'r [u8])>,
    {
        let index = Index::of(rows());
        let mut out =
            Output { file: place.disk.create(&place.path).map_err(|e| place.io(e))?, buffer: Vec::new(), crc: crc32fast::Hasher::new() };
        let mut write = || -> std::io::Result<()> {
            out.put(&index.head(place, whole))?;
            out.put(&index.groups)?;
            out.put(&index.pages)?;
            let mut end = 0u64;
            out.put(&end.to_le_bytes())?;
            for (_, image) in rows() {
                end += image.len() as u64;
                out.put(&end.to_le_bytes())?;
            }
            rows().try_for_each(|(_, image)| out.put(image))?;
            out.finish()
        };
        write().map_err(|e| place.io(e))?;
        Layer::open(place)
    }

    /// Maps a file. Fails where it is missing, cut, another table's or part's, or of another format.
    pub fn open(place: &LayerPlace<'_>) -> Result<Layer, ChunkError> {
        let file = place.disk.map(&place.path).map_err(|e| place.io(e))?;
        let bytes = &*file;
        if bytes.starts_with(MAGIC_OF_FORMAT_1) {
            return Err(place.corrupt("format 1 of UPDATEd rows, only 2 can be read"));
        }
        let head = bytes.get(..HEAD_BYTES).ok_or_else(|| place.corrupt("a whole header expected"))?;
        let number = |at| u32_at(head, at).unwrap_or(0);
        if head[..8] != *MAGIC {
            return Err(place.corrupt("a file of UPDATEd rows expected"));
        }
        if number(56) != crc32fast::hash(&head[..56]) {
            return Err(place.corrupt("checksum of the header does not match"));
        }
        if head[8..24] != place.table.to_le_bytes() || head[24..32] != place.chunk.0.to_le_bytes() {
            return Err(place.corrupt("it belongs to another table or chunk"));
        }
        let (rows, whole, groups, pages) = (number(32), number(36), number(40) as usize, number(44) as usize);
        let images = u64_at(head, 48).unwrap_or(0) as u128;
        let wanted = (HEAD_BYTES + 4) as u128 + (NODE_BYTES * (groups + pages)) as u128 + 8 * (u128::from(rows) + 1) + images;
        if bytes.len() as u128 != wanted {
            return Err(place.corrupt(format!("{} bytes found, {wanted} expected", bytes.len())));
        }
        // How many of them the part has is for whoever verifies; no chunk has more than this.
        if whole > 1 << 31 {
            return Err(place.corrupt(format!("{whole} UPDATEd rows, more than a chunk can have")));
        }
        Ok(Layer { number: place.number, path: place.path.clone(), rows, whole, groups, pages, file })
    }

    /// Holds the bytes against their checksum: before they are written anew under one that fits.
    pub(super) fn check_sum(&self) -> Result<(), ChunkError> {
        let (body, crc) = self.file.split_at(self.file.len() - 4);
        if crc32fast::hash(body).to_le_bytes() == crc {
            return Ok(());
        }
        Err(ChunkError::Corrupt { file: self.path.display().to_string(), reason: "checksum does not match".into() })
    }

    /// Opens the file anew and reads all of it against its checksum and against the part that its rows are of.
    pub fn check(place: &LayerPlace<'_>, part: &AnyPart) -> Result<(), ChunkError> {
        Layer::open(place)?.verify(place, part.row_count(), part.layout().stride())
    }

    /// Reads every byte against the checksum and the index against itself: rows that ascend and are fewer than `chunk_rows`, images of
    /// `stride` bytes at least.
    pub(super) fn verify(&self, place: &LayerPlace<'_>, chunk_rows: u32, stride: usize) -> Result<(), ChunkError> {
        let file = &*self.file;
        let (body, crc) = file.split_at(file.len() - 4);
        if crc32fast::hash(body).to_le_bytes() != crc {
            return Err(place.corrupt("checksum does not match"));
        }
        let bad = || place.corrupt("rows do not fit the chunk or each other");
        let (mut pages, mut rows, mut end) = (0, 0, 0);
        for group in 0..self.groups {
            let (bits, first) = self.node(file, group).ok_or_else(bad)?;
            if first != pages {
                return Err(bad());
            }
            pages += bits.count_ones();
            for page in (0..FAN).filter(|p| bits >> p & 1 == 1) {
                let (bits, first) = self.find_page(group * FAN + page).ok_or_else(bad)?;
                let last = (group * FAN + page) * PAGE_ROWS + 63 - bits.leading_zeros().min(63) as usize;
                if bits == 0 || first != rows || last >= chunk_rows as usize {
                    return Err(bad());
                }
                rows += bits.count_ones();
            }
        }
        for row in 0..=self.rows {
            let at = u64_at(file, self.starts_at() + 8 * row as usize).ok_or_else(bad)?;
            if row == 0 && at != 0 || row > 0 && at < u64::saturating_add(end, stride as u64) {
                return Err(bad());
            }
            end = at;
        }
        let images = (body.len() - self.images_at()) as u64;
        if pages as usize != self.pages || rows != self.rows || end != images || self.whole < self.rows || self.whole > chunk_rows {
            return Err(bad());
        }
        Ok(())
    }

    /// The number that the manifest names the file by.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Rows UPDATEd in this file and those beneath it together.
    pub(super) fn whole(&self) -> u32 {
        self.whole
    }

    /// Bytes of the file.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file.len() as u64
    }

    /// Bytes of anonymous memory: small files are copied, not mapped.
    pub(super) fn memory_bytes(&self) -> usize {
        let copied = if (self.file.len() as u64) < MAP_FROM_BYTES { self.file.len() } else { 0 };
        // And the counters of who shares it.
        size_of::<Layer>() + 2 * size_of::<usize>() + copied
    }

    /// Groups that may have rows here.
    pub(super) fn group_count(&self) -> usize {
        self.groups
    }

    /// The image of a row.
    pub(super) fn get(&self, row: RowId) -> Option<&[u8]> {
        self.page(row.0 as usize / PAGE_ROWS)?.get(row.0 as usize % PAGE_ROWS)
    }

    /// Which pages of a group have rows here.
    pub(super) fn group_bits(&self, group: usize) -> u64 {
        if group < self.groups { self.node(&self.file, group).map_or(0, |(bits, _)| bits) } else { 0 }
    }

    /// A page that has rows here.
    pub(super) fn page(&self, page: usize) -> Option<LayerPage<'_>> {
        let (file, (bits, first)) = (&*self.file, self.find_page(page)?);
        let starts = self.starts_at() + 8 * first as usize;
        Some(LayerPage { bits, starts: file.get(starts..).unwrap_or(&[]), images: file.get(self.images_at()..).unwrap_or(&[]) })
    }

    /// Which rows of a page are here, and the number of the first of them.
    fn find_page(&self, page: usize) -> Option<(u64, u32)> {
        if page / FAN >= self.groups {
            return None;
        }
        let file = &*self.file;
        let (bits, first) = self.node(file, page / FAN)?;
        if bits >> (page % FAN) & 1 == 0 {
            return None;
        }
        let number = first as usize + rank(bits, page % FAN) as usize;
        if number < self.pages { self.node(file, self.groups + number) } else { None }
    }

    /// The bits and the number of a group, or of a page behind the groups.
    fn node(&self, file: &[u8], number: usize) -> Option<(u64, u32)> {
        let at = HEAD_BYTES + NODE_BYTES * number;
        let node = file.get(at..at + NODE_BYTES)?;
        Some((u64_at(node, 0)?, u32_at(node, 8)?))
    }

    fn starts_at(&self) -> usize {
        HEAD_BYTES + NODE_BYTES * (self.groups + self.pages)
    }

    fn images_at(&self) -> usize {
        self.starts_at() + 8 * (self.rows as usize + 1)
    }
}

/// Groups and pages as bytes, and what the head says. The places of images, 8 bytes a row, are not held in memory.
struct Index {
    groups: Vec<u8>,
    pages: Vec<u8>,
    rows: u32,
    images: u64,
}

impl Index {
    fn of<'r>(rows: impl Iterator<Item = (RowId, &'r [u8])>) -> Index {
        let mut index = Index { groups: Vec::new(), pages: Vec::new(), rows: 0, images: 0 };
        // Bits of the page and of the group that are being filled; a page or group without a row yet is none.
        let (mut page, mut page_bits, mut page_first) = (0, 0u64, 0);
        let (mut group_bits, mut group_first) = (0u64, 0u32);
        for (row, image) in rows {
            let at = row.0 as usize / PAGE_ROWS;
            if at != page {
                index.end_page(page_bits, page_first, page % FAN, &mut group_bits);
                (page_bits, page_first) = (0, index.rows);
                for _ in page / FAN..at / FAN {
                    node(&mut index.groups, group_bits, group_first);
                    (group_bits, group_first) = (0, (index.pages.len() / NODE_BYTES) as u32);
                }
                page = at;
            }
            page_bits |= 1 << (row.0 as usize % PAGE_ROWS);
            index.rows += 1;
            index.images += image.len() as u64;
        }
        index.end_page(page_bits, page_first, page % FAN, &mut group_bits);
        node(&mut index.groups, group_bits, group_first);
        index
    }

    fn end_page(&mut self, bits: u64, first: u32, slot: usize, group_bits: &mut u64) {
        if bits != 0 {
            node(&mut self.pages, bits, first);
            *group_bits |= 1 << slot;
        }
    }

    fn head(&self, place: &LayerPlace<'_>, whole: u32) -> Vec<u8> {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        head.extend_from_slice(MAGIC);
        head.extend_from_slice(&place.table.to_le_bytes());
        head.extend_from_slice(&place.chunk.0.to_le_bytes());
        for number in [self.rows, whole, (self.groups.len() / NODE_BYTES) as u32, (self.pages.len() / NODE_BYTES) as u32] {
            head.extend_from_slice(&number.to_le_bytes());
        }
        head.extend_from_slice(&self.images.to_le_bytes());
        let crc = crc32fast::hash(&head);
        head.extend_from_slice(&crc.to_le_bytes());
        head
    }
}

fn node(out: &mut Vec<u8>, bits: u64, first: u32) {
    out.extend_from_slice(&bits.to_le_bytes());
    out.extend_from_slice(&first.to_le_bytes());
}

/// The file being written, in sensible pieces, with its checksum.
struct Output {
    file: Box<dyn crate::storage::WriteFile>,
    buffer: Vec<u8>,
    crc: crc32fast::Hasher,
}

impl Output {
    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= WRITE_BYTES { self.write_out() } else { Ok(()) }
    }

    fn write_out(&mut self) -> std::io::Result<()> {
        self.crc.update(&self.buffer);
        self.file.write(&self.buffer)?;
        self.buffer.clear();
        // The last sync is waited for with the manifest locked, so it is to find little to do.
        self.file.start_writeback()
    }

    fn finish(&mut self) -> std::io::Result<()> {
        self.crc.update(&self.buffer);
        self.buffer.extend_from_slice(&self.crc.clone().finalize().to_le_bytes());
        self.file.write(&self.buffer)?;
        self.file.sync()
    }
}
