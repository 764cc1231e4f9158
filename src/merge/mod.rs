//! Merging disk chunks: what to merge, what goes first, and the threads that do it.
//!
//! ```text
//! goal → plan → job → run → publish → retire
//! ───────────────────────   ────────────────
//!  decided and started here  done by the table
//! ```
//!
//! - [`policy`] turns one table's chunks and a goal into jobs with reasons. Pure.
//! - [`forecast`] plays a plan to its end without running it: EXPLAIN OPTIMIZE. Pure.
//! - [`queue`] keeps goals and claims of all tables and says which job starts now. Pure.
//! - [`source`] is what a table implements: the trait [`Source`], and what passes between a table and its jobs.
//! - [`pool`] is the doer: a scheduler thread that asks the two above, and one thread per job.
//! - [`speed`] is how fast merging was lately: estimates. Pure.
//! - [`course`] is when jobs that share slots end: the model of time of [`policy`], [`forecast`] and [`simulate`]. Pure.
//! - [`simulate`] plays a load through policy and queue in virtual time: tests, and the `tune` command.
//!
//! Nothing here knows what a chunk is made of: a chunk is a number, bytes, rows and dead rows.
//!
//! Invariants: a chunk is in at most one job; a job that merges by count has two inputs or more and never takes a table below its
//! goal; no lock is held while a table is asked for anything; a job that fails, panics or is stopped leaves its inputs free again.

pub mod course;
pub mod forecast;
pub mod policy;
pub mod pool;
pub mod queue;
pub mod simulate;
pub mod source;
pub mod speed;

pub use forecast::Forecast;
pub use policy::{Busy, ChunkStats, Goal, Job, JobId, JobKind, Limits, Machine, Reason, TargetError, TargetSize, plan, resolve_target};
pub use pool::{HistoryEntry, MergePool, PauseGuard, QueuedWork, RunningJob, TableTicket, Totals, Waiter};
pub use queue::{Done, Ending, Failure, Overrides, RequestId};
pub use source::{JobContext, Outcome, Source};
pub use speed::Speed;
