//! What surrounds an execution: when to stop, what time it is, which threads may help.

use std::time::{Duration, Instant};

use jiff::tz::TimeZone;

use super::{Budget, ExecError};
use crate::types::StopToken;

/// Rows between two looks at the stop token and the clock.
pub const ROWS_PER_LOOK: u32 = 4_096;

/// Surroundings of one statement.
#[derive(Clone)]
pub struct ExecContext<'a> {
    /// Raised by KILL, a client that is gone, or a server that stops: the statement fails.
    pub stop: StopToken,
    /// From here on the search ends with what it has.
    pub deadline: Option<Instant>,
    /// Threads that may help; None = the calling thread does all.
    pub pool: Option<&'a rayon::ThreadPool>,
    /// Seconds since 1970: the statement's NOW().
    pub now: i64,
    /// In which YEAR() and the like count.
    pub zone: TimeZone,
    /// What the statement may keep in memory.
    pub memory: Budget,
}

impl<'a> ExecContext<'a> {
    /// The present moment in the system's time zone, without helpers or limits.
    pub fn new(stop: StopToken) -> ExecContext<'a> {
        let now = jiff::Timestamp::now().as_second();
        ExecContext { stop, deadline: None, pool: None, now, zone: TimeZone::system(), memory: Budget::new(0) }
    }

    /// These surroundings with an end after `limit`, if that comes first.
    pub(crate) fn until(&self, start: Instant, limit: Option<Duration>) -> ExecContext<'a> {
        let mut context = self.clone();
        let end = limit.and_then(|limit| start.checked_add(limit));
        context.deadline = match (context.deadline, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        context
    }
}

/// Counts rows and looks up from the work now and then.
pub(crate) struct Ticker<'a> {
    stop: &'a StopToken,
    deadline: Option<Instant>,
    left: u32,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    GoOn,
    /// The time is up: end with what there is.
    TimeUp,
}

impl<'a> Ticker<'a> {
    pub fn new(context: &'a ExecContext<'_>) -> Ticker<'a> {
        // The first row looks at once, so that many small parts cannot outrun the token.
        Ticker { stop: &context.stop, deadline: context.deadline, left: 1 }
    }

    /// To be called once per row.
    #[inline]
    pub fn tick(&mut self) -> Result<Pace, ExecError> {
        self.left -= 1;
        if self.left > 0 {
            return Ok(Pace::GoOn);
        }
        self.left = ROWS_PER_LOOK;
        self.stop.check()?;
        Ok(if self.deadline.is_some_and(|d| Instant::now() >= d) { Pace::TimeUp } else { Pace::GoOn })
    }
}
