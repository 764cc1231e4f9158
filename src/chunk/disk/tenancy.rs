//! Removing retired chunks: beside whoever let go of them last, and only while the folder is still the table's.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::storage::Disk;
use crate::types::Bytes;

/// Shared by the chunks of one table and the table itself.
///
/// A retired chunk's folder is removed when its last reader lets go. Freeing a chunk of a gigabyte takes the file system a tenth of a second
/// and more, which is not for a query or a merge to wait for: a thread of its own does it, which ends when nothing is left.
///
/// The last reader may let go long after the table was dropped; by then a new table may have taken the name, and the path names a chunk
/// of that one. Ending the tenancy waits for the removal under way and forbids later ones: whoever ends it takes the whole folder away.
#[derive(Default)]
pub struct Tenancy {
    state: Mutex<State>,
    /// Nothing is being removed any more.
    idle: Condvar,
}

#[derive(Default)]
struct State {
    ended: bool,
    leaving: Vec<Leaving>,
    /// Someone works off `leaving`.
    removing: bool,
}

/// A chunk that nobody reads any more.
pub(super) struct Leaving {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) dir: PathBuf,
    /// Its maps. The last of them to go makes the file system free the blocks, so they go where that may take its time.
    pub(super) files: Vec<Bytes>,
}

impl Tenancy {
    /// From now on no chunk's folder is removed.
    pub fn end(&self) {
        self.state.lock().ended = true;
        self.settle();
    }

    /// Returns once what has been let go of so far is removed, and its space is free.
    pub fn settle(&self) {
        let mut state = self.state.lock();
        while state.removing {
            self.idle.wait(&mut state);
        }
    }

    /// Removes the chunk's folder unless the tenancy has ended.
    pub(super) fn remove(self: &Arc<Self>, leaving: Leaving) {
        let disk = leaving.disk.clone();
        let mut state = self.state.lock();
        state.leaving.push(leaving);
        if !std::mem::replace(&mut state.removing, true) {
            drop(state);
            let tenancy = self.clone();
            disk.beside("retire", Box::new(move || tenancy.work_off()));
        }
    }

    fn work_off(&self) {
        loop {
            let mut state = self.state.lock();
            let Some(Leaving { disk, dir, files }) = state.leaving.pop() else {
                state.removing = false;
                self.idle.notify_all();
                return;
            };
            if !state.ended {
                drop(state);
                if let Err(error) = disk.remove_dir(&dir) {
                    tracing::warn!("a retired chunk stays behind until the next start: {error}");
                }
            }
            // Behind the removal: as long as a map is there, the blocks are in use.
            drop(files);
        }
    }
}
