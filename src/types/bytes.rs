//! A shared, immutable run of bytes: a mapped file, a heap buffer, or a slice of either.

use std::ops::{Deref, Range};

/// Cheap to clone (one reference count), to slice and to read; keeps its owner alive.
#[derive(Clone)]
pub struct Bytes(bytes::Bytes);

impl Bytes {
    /// Wraps whatever owns the bytes, whole.
    pub fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Bytes {
        Bytes(bytes::Bytes::from_owner(owner))
    }

    /// No bytes.
    pub fn empty() -> Bytes {
        Bytes(bytes::Bytes::new())
    }

    /// The bytes `range` of these, sharing the owner. None where the range lies outside.
    pub fn slice(&self, range: Range<usize>) -> Option<Bytes> {
        (range.start <= range.end && range.end <= self.0.len()).then(|| Bytes(self.0.slice(range)))
    }
}

impl Deref for Bytes {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(bytes.into())
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bytes({} bytes)", self.len())
    }
}
