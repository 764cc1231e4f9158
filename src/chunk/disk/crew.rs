//! The threads of a build: the one that was called and, while a core is spare, a helper.
//!
//! The work is a list of tasks that know nothing of each other, the large ones first. Each thread takes the next one off the list until
//! none is left, so that the two end at about the same time whenever the helper joins, if the last tasks are small.
//!
//! The helper is there from the start, asleep but for a look at the spare core every few milliseconds: a job that began while all cores
//! were busy gets its second one when another job ends. Between two tasks it gives the core back where somebody else has use for it, and
//! goes on looking. A task that was begun is done to its end: most take milliseconds, the longest a third of the build.
//!
//! The first failure, an error or a panic, is what the caller gets: it empties the list and stops what the other thread is at.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::chunk::ChunkError;
use crate::types::{Lent, Spare, StopToken};

/// Time between two looks of the helper at the spare core: less than a task takes; a look costs about 5 µs.
const LOOK_EVERY: Duration = Duration::from_millis(4);

/// A piece of work. What it makes it puts where its maker finds it.
pub(super) type Task<'a> = Box<dyn FnOnce() -> Result<(), ChunkError> + Send + 'a>;

/// Does all tasks and gives the time that the helper worked. `stop` is raised where one fails, so that the one beside it ends: a token of
/// this build alone, that the tasks look at.
pub(super) fn run(tasks: Vec<Task<'_>>, spare: Option<&Arc<dyn Spare>>, stop: &StopToken) -> Result<Duration, ChunkError> {
    let spare = spare.filter(|_| tasks.len() > 1);
    let crew = Crew { tasks: Mutex::new(tasks.into()), none_left: Condvar::new(), failure: Mutex::default(), stop };
    let helped = match spare {
        None => {
            crew.work();
            Duration::ZERO
        }
        Some(spare) => std::thread::scope(|scope| {
            // At the priority of the calling thread, which it inherits.
            let helper = std::thread::Builder::new().name("merge-helper".into()).spawn_scoped(scope, || crew.help(spare));
            crew.work();
            match helper {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // No thread to be had: then the calling one has done everything.
                Err(_) => Duration::ZERO,
            }
        }),
    };
    match crew.failure.into_inner() {
        None => Ok(helped),
        Some(Failure::Error(error)) => Err(error),
        Some(Failure::Panic(panic)) => resume_unwind(panic),
    }
}

enum Failure {
    Error(ChunkError),
    Panic(Box<dyn Any + Send>),
}

struct Crew<'a> {
    tasks: Mutex<VecDeque<Task<'a>>>,
    /// The helper has nothing to wait for any more.
    none_left: Condvar,
    /// The first one.
    failure: Mutex<Option<Failure>>,
    stop: &'a StopToken,
}

impl<'a> Crew<'a> {
    /// Does tasks until none is left.
    fn work(&self) {
        while let Some(task) = self.next() {
            self.execute(task);
        }
    }

    /// The same whenever a core is spare: the time that it did so.
    fn help(&self, spare: &Arc<dyn Spare>) -> Duration {
        let mut helped = Duration::ZERO;
        loop {
            if let Some(lent) = Lent::take(spare) {
                let start = Instant::now();
                while let Some(task) = self.next() {
                    self.execute(task);
                    if !lent.may_keep() {
                        break;
                    }
                }
                helped += start.elapsed();
            }
            let mut tasks = self.tasks.lock();
            if !tasks.is_empty() {
                self.none_left.wait_for(&mut tasks, LOOK_EVERY);
            }
            if tasks.is_empty() {
                return helped;
            }
        }
    }

    fn next(&self) -> Option<Task<'a>> {
        let mut tasks = self.tasks.lock();
        let task = tasks.pop_front();
        if tasks.is_empty() {
            self.none_left.notify_all();
        }
        task
    }

    fn execute(&self, task: Task<'a>) {
        // What a panic leaves half-done belongs to the build, which fails as a whole.
        let failure = match catch_unwind(AssertUnwindSafe(task)) {
            Ok(Ok(())) => return,
            Ok(Err(error)) => Failure::Error(error),
            Err(panic) => Failure::Panic(panic),
        };
        // Before the token is raised: what the other thread says of being stopped must come second.
        self.failure.lock().get_or_insert(failure);
        self.stop.stop();
        self.tasks.lock().clear();
        self.none_left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    use super::*;

    /// A core that is spare when a test says so.
    #[derive(Default)]
    struct Core {
        idle: AtomicBool,
        wanted: AtomicBool,
        taken: AtomicUsize,
        given_back: AtomicUsize,
    }

    impl Spare for Core {
        fn take(&self) -> bool {
            let idle = self.idle.swap(false, Ordering::SeqCst);
            self.taken.fetch_add(usize::from(idle), Ordering::SeqCst);
            idle
        }
        fn may_keep(&self) -> bool {
            !self.wanted.load(Ordering::SeqCst)
        }
        fn give_back(&self) {
            self.given_back.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn core(idle: bool) -> (Arc<Core>, Arc<dyn Spare>) {
        let core = Arc::new(Core { idle: idle.into(), ..Core::default() });
        (core.clone(), core)
    }

    fn error(reason: &str) -> ChunkError {
        ChunkError::Limit(reason.to_owned())
    }

    fn is_helper() -> bool {
        std::thread::current().name() == Some("merge-helper")
    }

    #[test]
    fn each_task_is_done_once_with_a_core_and_without() {
        for idle in [None, Some(false), Some(true)] {
            let (done, core) = (AtomicUsize::new(0), idle.map(core));
            let tasks = (0..20).map(|n| {
                let done = &done;
                Box::new(move || {
                    done.fetch_add(1 << n, Ordering::SeqCst);
                    Ok(())
                }) as Task<'_>
            });
            run(tasks.collect(), core.as_ref().map(|c| &c.1), &StopToken::new()).expect("done");
            assert_eq!(done.into_inner(), (1 << 20) - 1);
            if let Some((core, _)) = core {
                assert_eq!(core.taken.load(Ordering::SeqCst), core.given_back.load(Ordering::SeqCst));
            }
        }
    }

    #[test]
    fn a_core_that_falls_idle_late_is_used() {
        let (core, spare) = core(false);
        let (helped, done) = channel::<bool>();
        let core_here = core.clone();
        let first: Task<'_> = Box::new(move || {
            core_here.idle.store(true, Ordering::SeqCst);
            // Ends once somebody else has done the second one.
            assert!(done.recv().expect("the other task"));
            Ok(())
        });
        let second: Task<'_> = Box::new(move || {
            helped.send(is_helper()).expect("somebody waits");
            Ok(())
        });
        assert!(run(vec![first, second], Some(&spare), &StopToken::new()).expect("done") > Duration::ZERO);
        assert_eq!(core.given_back.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_core_that_is_wanted_back_goes_after_the_task_at_hand() {
        let (core, spare) = core(true);
        let (begun, has_begun) = channel();
        let (has_begun, helper_tasks) = (Mutex::new(has_begun), AtomicUsize::new(0));
        let (core_here, has_begun, count) = (&core, &has_begun, &helper_tasks);
        let mut tasks: Vec<Task<'_>> = Vec::new();
        // Whichever thread takes which, the helper has one before the caller's is done.
        for _ in 0..2 {
            let begun = begun.clone();
            tasks.push(Box::new(move || {
                if is_helper() {
                    count.fetch_add(1, Ordering::SeqCst);
                    core_here.wanted.store(true, Ordering::SeqCst);
                    begun.send(()).expect("somebody waits");
                } else {
                    has_begun.lock().recv().expect("the helper");
                    while core_here.given_back.load(Ordering::SeqCst) == 0 {
                        std::thread::yield_now();
                    }
                }
                Ok(())
            }));
        }
        for _ in 0..50 {
            tasks.push(Box::new(move || {
                count.fetch_add(usize::from(is_helper()), Ordering::SeqCst);
                Ok(())
            }));
        }
        run(tasks, Some(&spare), &StopToken::new()).expect("done");
        assert_eq!((helper_tasks.load(Ordering::SeqCst), core.taken.load(Ordering::SeqCst)), (1, 1));
    }

    #[test]
    fn the_first_failure_is_what_counts_and_stops_the_other() {
        for (on_helper, panics) in [(false, false), (false, true), (true, false), (true, true)] {
            let ((_core, spare), stop) = (core(true), StopToken::new());
            let (of_task, begun) = (stop.clone(), Arc::new(std::sync::Barrier::new(2)));
            let task = || {
                let (stop, begun) = (of_task.clone(), begun.clone());
                Box::new(move || {
                    begun.wait();
                    if is_helper() == on_helper {
                        if panics {
                            panic!("damaged");
                        }
                        return Err(error("damaged"));
                    }
                    while !stop.is_stopped() {
                        std::thread::yield_now();
                    }
                    Err(error("stopped"))
                }) as Task<'_>
            };
            let never: Task<'_> = Box::new(|| panic!("the list was emptied"));
            let result = catch_unwind(AssertUnwindSafe(|| run(vec![task(), task(), never], Some(&spare), &stop)));
            match result {
                Ok(result) => assert!(!panics && result.expect_err("failed").to_string().contains("damaged")),
                Err(panic) => assert!(panics && panic.downcast_ref::<&str>() == Some(&"damaged")),
            }
        }
    }
}
