//! The threads that send: one for each connection, a statement at a time, the time of each written down.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use parking_lot::Mutex;

use super::ahead::Ahead;
use super::errors::Errors;
use super::progress::Progress;
use crate::client::{Address, Client, ClientError};

/// Longest latency that is told apart, in microseconds: an hour.
const LATENCY_MAX_US: u64 = 3_600_000_000;

/// Attempts to connect again, and the time between them.
const ATTEMPTS: u32 = 5;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(200);

/// What was sent and answered.
#[derive(Clone)]
pub(super) struct Tally {
    /// Rows of statements that succeeded.
    pub rows: u64,
    /// Microseconds of each statement, failed ones included.
    pub latency: Histogram<u64>,
}

impl Tally {
    pub(super) fn new() -> Tally {
        Tally { rows: 0, latency: Histogram::new_with_bounds(1, LATENCY_MAX_US, 3).expect("the bounds are in order, 3 digits are allowed") }
    }

    pub(super) fn add(&mut self, other: &Tally) {
        self.rows += other.rows;
        // Both have the same bounds.
        let _ = self.latency.add(&other.latency);
    }
}

/// What the connections of one process share.
pub(super) struct Sending {
    pub address: Address,
    pub ahead: Ahead,
    pub errors: Errors,
    /// One for each connection.
    pub tallies: Vec<Mutex<Tally>>,
    /// When the connections that have ended did so, since the start of the load.
    pub ends: Mutex<Vec<Duration>>,
    /// Set by Ctrl-C.
    pub stop: Arc<AtomicBool>,
}

impl Sending {
    /// Sum over all connections.
    pub(super) fn tally(&self) -> Tally {
        let mut sum = Tally::new();
        self.tallies.iter().for_each(|tally| sum.add(&tally.lock()));
        sum
    }

    /// When the last connection ended, if all have.
    pub(super) fn ended(&self) -> Option<Duration> {
        let ends = self.ends.lock();
        if ends.len() < self.tallies.len() { None } else { ends.iter().max().copied() }
    }

    /// Sends until there is nothing left, a stop is asked for, or the server is gone.
    pub(super) fn send(&self, mut client: Client, connection: usize, began: Instant, progress: &Progress) {
        while let Some(statements) = self.ahead.take() {
            for statement in statements {
                if self.stop.load(Ordering::Acquire) {
                    self.ahead.close();
                    break;
                }
                let sent = Instant::now();
                let answer = client.run(&statement.sql);
                let taken = sent.elapsed().as_micros() as u64;
                if let Some(tally) = self.tallies.get(connection) {
                    let mut tally = tally.lock();
                    tally.latency.saturating_record(taken.max(1));
                    tally.rows += if answer.is_ok() { statement.rows } else { 0 };
                }
                let Err(error) = answer else { continue };
                self.report(&error, progress);
                if matches!(error, ClientError::Lost { .. }) {
                    match self.connect_again() {
                        Ok(again) => client = again,
                        Err(error) => {
                            self.report(&error, progress);
                            self.ahead.close();
                            break;
                        }
                    }
                }
            }
        }
        self.ends.lock().push(began.elapsed());
    }

    fn report(&self, error: &ClientError, progress: &Progress) {
        let text = error.to_string();
        if self.errors.add(&text) {
            progress.say(&format!("error: {text}"));
        }
    }

    fn connect_again(&self) -> Result<Client, ClientError> {
        let mut attempt = 1;
        loop {
            match Client::connect(&self.address) {
                Err(_) if attempt < ATTEMPTS && !self.stop.load(Ordering::Acquire) => {
                    attempt += 1;
                    thread::sleep(BETWEEN_ATTEMPTS);
                }
                done => return done,
            }
        }
    }
}
