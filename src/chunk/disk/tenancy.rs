//! Whether a folder is still the table's whose chunks lie in it.

use parking_lot::Mutex;

/// Shared by the chunks of one table and the table itself.
///
/// A retired chunk removes its folder when its last reader lets go, which may be long after the table was dropped; by then a new table
/// may have taken the name, and the path names a chunk of that one. Ending the tenancy waits for removals under way and forbids later
/// ones: whoever ends it takes the whole folder away.
#[derive(Default)]
pub struct Tenancy {
    ended: Mutex<bool>,
}

impl Tenancy {
    /// From now on no chunk removes its folder.
    pub fn end(&self) {
        *self.ended.lock() = true;
    }

    /// Runs `remove` unless the tenancy has ended; it does not end meanwhile.
    pub(super) fn while_it_lasts(&self, remove: impl FnOnce()) {
        let ended = self.ended.lock();
        if !*ended {
            remove();
        }
    }
}
