//! How far long work is: the worker adds, lists read.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of one build.
#[derive(Default, Debug)]
pub struct Progress {
    read: AtomicU64,
    written: AtomicU64,
    rows: AtomicU64,
    expected: AtomicU64,
}

impl Progress {
    /// Bytes of input that were read since the last call.
    pub fn add_read(&self, bytes: u64) {
        // Relaxed, here and below: counters for people, which publish no other write.
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes of output that were written since the last call.
    pub fn add_written(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Rows of output that were made since the last call.
    pub fn add_rows(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Says how many bytes of output will be written, about.
    pub fn expect(&self, bytes: u64) {
        self.expected.store(bytes, Ordering::Relaxed);
    }

    /// Bytes read so far.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Bytes of output that will be written, about; 0 while nobody has said.
    pub fn expected(&self) -> u64 {
        self.expected.load(Ordering::Relaxed)
    }

    /// Rows made so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }
}
