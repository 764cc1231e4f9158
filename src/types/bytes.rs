//! A shared, immutable run of bytes: a mapped file, a heap buffer, or a slice of either.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// Cheap to clone (one reference count) and to slice; keeps its owner alive. Hot loops take `&[u8]` once and keep it.
#[derive(Clone)]
pub struct Bytes {
    owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
    range: Range<usize>,
}

impl Bytes {
    /// Wraps whatever owns the bytes, whole.
    pub fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Bytes {
        let range = 0..owner.as_ref().len();
        Bytes { owner: Arc::new(owner), range }
    }

    /// No bytes.
    pub fn empty() -> Bytes {
        Bytes::new(Vec::new())
    }

    /// The bytes `range` of these, sharing the owner. None where the range lies outside.
    pub fn slice(&self, range: Range<usize>) -> Option<Bytes> {
        if range.start > range.end || range.end > self.range.len() {
            return None;
        }
        Some(Bytes { owner: self.owner.clone(), range: self.range.start + range.start..self.range.start + range.end })
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &(*self.owner).as_ref()[self.range.clone()]
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes::new(bytes)
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bytes({} bytes)", self.len())
    }
}
