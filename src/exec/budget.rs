//! The memory of one statement: what the rows, groups and sets that it keeps may take together.
//!
//! Keepers count their own bytes, roughly, as they grow, and take them from the statement's budget in steps, so that counting costs nothing
//! per row. What was taken is never given back: the budget ends with the statement.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ExecError;
use crate::types::Value;

/// Bytes that a keeper grows by between two looks at the budget.
const STEP: u64 = 64 << 10;

/// Shared by all pieces of a statement's work.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: u64,
    used: Arc<AtomicU64>,
}

/// What keeps rows while a statement runs.
pub(super) trait Keeper {
    /// Bytes that it takes now, roughly.
    fn bytes(&self) -> u64;
}

impl Budget {
    /// At most `limit` bytes; 0 = no limit.
    pub fn new(limit: u64) -> Budget {
        Budget { limit: if limit == 0 { u64::MAX } else { limit }, used: Arc::default() }
    }

    /// Takes `bytes` more. Fails once the limit is passed.
    pub(super) fn take(&self, bytes: u64) -> Result<(), ExecError> {
        // Relaxed: the sum publishes nothing else.
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        self.allow(before.saturating_add(bytes))
    }

    /// Whether something of so many bytes alone is past the limit.
    pub(super) fn is_past(&self, bytes: u64) -> bool {
        bytes > self.limit
    }

    /// Fails for something that alone is past the limit.
    pub(super) fn allow(&self, bytes: u64) -> Result<(), ExecError> {
        if !self.is_past(bytes) {
            return Ok(());
        }
        let limit = self.limit;
        Err(ExecError::Rejected(format!(
            "the query keeps more than query_mem_limit = {limit} bytes: ask for fewer rows or groups, or raise it with SET GLOBAL query_mem_limit"
        )))
    }
}

/// What one keeper has taken from the budget so far.
#[derive(Default)]
pub(super) struct Taken(u64);

impl Taken {
    /// To be called as the keeper grows.
    #[inline]
    pub fn follow(&mut self, keeper: &impl Keeper, budget: &Budget) -> Result<(), ExecError> {
        let bytes = keeper.bytes();
        if bytes < self.0 + STEP {
            return Ok(());
        }
        budget.take(bytes - self.0)?;
        self.0 = bytes;
        Ok(())
    }
}

/// Bytes of a value, what it points to included.
pub(super) fn value_bytes(value: &Value) -> u64 {
    let heap = match value {
        Value::Text(s) => s.capacity(),
        Value::Mva(list) => 8 * list.capacity(),
        Value::Json(bytes) => bytes.capacity(),
        Value::Null | Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Double(_) | Value::Avg(_) => 0,
    };
    (size_of::<Value>() + heap) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pile(u64);

    impl Keeper for Pile {
        fn bytes(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn pieces_share_one_limit() {
        let budget = Budget::new(10 * STEP);
        let (mut a, mut b) = (Taken::default(), Taken::default());
        assert!(a.follow(&Pile(6 * STEP), &budget).is_ok() && a.follow(&Pile(6 * STEP + 1), &budget).is_ok());
        assert!(b.follow(&Pile(4 * STEP), &budget).is_ok());
        let error = b.follow(&Pile(5 * STEP), &budget).expect_err("eleven steps").to_string();
        assert!(error.contains("query_mem_limit = 655360 bytes"), "{error}");
        assert!(Budget::new(0).take(u64::MAX).is_ok());
    }
}
