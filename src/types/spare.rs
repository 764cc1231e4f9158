//! A core that is lent.

use std::sync::Arc;

/// Says whether a second core may take a share of some work now, and keeps the account of who has one.
pub trait Spare: Send + Sync {
    /// Takes the core, if one is idle. Whoever got `true` gives it back.
    fn take(&self) -> bool;
    /// Whether nobody else has use for the core that was taken.
    fn may_keep(&self) -> bool;
    /// Gives back what was taken.
    fn give_back(&self);
}

/// A core that was lent; dropping it gives it back, also where the work panics.
pub struct Lent<'a>(&'a Arc<dyn Spare>);

impl<'a> Lent<'a> {
    /// Takes the core, if one is idle.
    pub fn take(spare: &'a Arc<dyn Spare>) -> Option<Lent<'a>> {
        spare.take().then(|| Lent(spare))
    }

    /// Whether nobody else has use for it.
    pub fn may_keep(&self) -> bool {
        self.0.may_keep()
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.0.give_back();
    }
}
