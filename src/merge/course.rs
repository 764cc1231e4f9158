//! The course of jobs that share slots: when each ends, if a slot that is idle is lent to a job that runs.
//!
//! The model of time behind plans, forecasts and the simulator; the pool is what it models. Work is counted in whatever unit the caller
//! likes, and time in what one thread alone takes for it. Pure.

/// How much faster a job is while a second slot is lent to it (measured: 1.7 to 1.85 on two cores).
pub const LENT_SPEED: f64 = 1.75;

/// Speed of each of `running` jobs on `slots` slots, of a thread alone. Idle slots are lent, one to a job at most; all jobs are supposed
/// to get the same of them.
pub fn speed_of_each(running: usize, slots: usize) -> f64 {
    let lent = slots.saturating_sub(running).min(running);
    1.0 + (LENT_SPEED - 1.0) * lent as f64 / running.max(1) as f64
}

/// Jobs in progress.
#[derive(Clone, Debug)]
pub struct Course<T> {
    slots: usize,
    now: f64,
    /// Work that is left, and what the job is.
    running: Vec<(f64, T)>,
}

impl<T> Course<T> {
    /// Nothing runs yet.
    pub fn new(slots: usize) -> Course<T> {
        Course { slots, now: 0.0, running: Vec::new() }
    }

    /// Time since the beginning, in work of one thread.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// Slots that are not idle, lent ones aside.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// Begins a job.
    pub fn start(&mut self, work: f64, what: T) {
        self.running.push((work, what));
    }

    /// Goes on to the first end of a job, of the one that began first where several end together; None if none runs.
    pub fn finish_next(&mut self) -> Option<T> {
        let first = (0..self.running.len()).min_by(|a, b| self.running[*a].0.total_cmp(&self.running[*b].0))?;
        let speed = speed_of_each(self.running.len(), self.slots);
        let (work, what) = self.running.remove(first);
        self.running.iter_mut().for_each(|(left, _)| *left -= work);
        self.now += work / speed;
        Some(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_slots_make_jobs_faster() {
        assert_eq!([1, 2, 3].map(|slots| speed_of_each(1, slots)), [1.0, LENT_SPEED, LENT_SPEED]);
        assert_eq!([2, 3, 4, 9].map(|slots| speed_of_each(2, slots)), [1.0, 1.375, LENT_SPEED, LENT_SPEED]);
        assert_eq!((speed_of_each(0, 0), speed_of_each(3, 2)), (1.0, 1.0));
    }

    #[test]
    fn what_is_left_of_a_job_goes_faster_once_it_is_alone() {
        let mut course = Course::new(2);
        course.start(10.0, 'a');
        course.start(10.0 + 7.0, 'b');
        course.start(0.0, 'c');
        assert_eq!((course.running(), course.finish_next(), course.now()), (3, Some('c'), 0.0));
        assert_eq!((course.finish_next(), course.now()), (Some('a'), 10.0));
        assert_eq!((course.finish_next(), course.now()), (Some('b'), 14.0));
        assert_eq!((course.running(), course.finish_next(), course.now()), (0, None, 14.0));
    }
}
