//! Floor 1: the only user of `std::fs`.
//!
//! Everyone above names files by path and talks to a [`Disk`]: the real one, or the crash double that tests use, which loses unsynced
//! bytes at any operation it is told to. A file is durable after [`WriteFile::sync`]; its name is durable after [`Disk::sync_dir`].

mod disk;
mod double;
mod lock;
mod real;
mod throttle;

pub use disk::{Disk, Replacement, Syncing, WriteFile, write_durably};
pub use double::{CrashDisk, Keep};
pub use lock::{DirLock, LockError};
pub use real::{MAP_FROM_BYTES, RealDisk};
pub use throttle::Throttle;
