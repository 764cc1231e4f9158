//! What a table is to the merge pool, and what passes between the two.

use std::sync::Arc;

use super::policy::{ChunkStats, Goal, Job, Limits};
use crate::types::{ChunkId, Progress, Spare, StopToken};

/// A table whose chunks the pool merges.
///
/// The pool calls from its own threads and holds none of its locks while it does. [`Source::name`], [`Source::chunks`],
/// [`Source::limits`] and [`Source::automatic_goal`] are called by the one scheduler thread of all tables: they must answer from
/// memory, without waiting for the disk or for a lock that is held across disk work.
pub trait Source: Send + Sync {
    /// The table's name now, for lists and log lines.
    fn name(&self) -> String;

    /// The disk chunks of the newest published layout, all [`Busy::Free`](super::Busy::Free) but those that the table wants to keep.
    fn chunks(&self) -> Vec<ChunkStats>;

    /// Limits now. Read at each decision, so that SET GLOBAL works at once.
    fn limits(&self) -> Limits;

    /// The goal that holds without being asked for; None while auto_optimize is off.
    fn automatic_goal(&self) -> Option<Goal>;

    /// Does one job and publishes it. Blocks until it is done; looks at the stop token at least every MiB or 4 096 rows.
    ///
    /// Must answer [`Outcome::Nothing`] and change nothing where an input is not in the layout any more. `Err` is the sentence that
    /// the operator reads; the inputs stay as they are. A panic is the same as an `Err`.
    fn run(&self, job: &Job, context: &JobContext) -> Result<Outcome, String>;
}

/// What a job in progress is given by the pool.
pub struct JobContext {
    /// Raised when the job is to end.
    pub stop: StopToken,
    /// What lists read of it.
    pub progress: Arc<Progress>,
    /// The slot beside its own that this job may use while it is idle: so that the last job of a goal, which runs alone, does not leave
    /// half of the machine idle. A job that becomes due starts all the same, since a small one must not wait for a large one: whoever has
    /// the slot then gives it back as soon as the piece of work at hand is done. None = there never is one.
    pub spare: Option<Arc<dyn Spare>>,
}

/// How a job ended, if it did not fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Published: the inputs are out of the layout and the outputs are in.
    Finished {
        /// Chunks that took the place of the inputs: none where no live row was left.
        outputs: Vec<ChunkId>,
        /// Bytes of the inputs.
        bytes_in: u64,
        /// Bytes of the outputs.
        bytes_out: u64,
        /// Rows of the outputs.
        rows: u64,
    },
    /// Ended by the stop token; nothing was published.
    Stopped,
    /// An input was gone; nothing was published.
    Nothing,
}
