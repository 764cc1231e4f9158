//! Where each input row of a flush or merge went.

use super::DeadRows;
use crate::types::RowId;

/// Rows that a part may have.
const ROWS_MAX: u64 = 1 << 31;

/// Output rows are the alive input rows, input after input in the order given: one prefix sum over the dead rows is the whole map.
pub struct RowMap {
    inputs: Vec<Input>,
    rows: u32,
}

struct Input {
    /// Output row of the input's first alive row.
    base: u32,
    rows: u32,
    dead: DeadRows,
    /// Dead rows before each block of 64 rows; empty where none is dead.
    before: Vec<u32>,
}

impl RowMap {
    /// The map of inputs given as (rows, dead rows), in order. `None` where the output would pass 2³¹ rows.
    pub fn new(inputs: impl IntoIterator<Item = (u32, DeadRows)>) -> Option<RowMap> {
        let (mut out, mut base) = (Vec::new(), 0u64);
        for (rows, dead) in inputs {
            let mut before = Vec::new();
            if !dead.is_empty() {
                before = vec![0; rows as usize / 64 + 1];
                let mut count = 0;
                for (block, slot) in before.iter_mut().enumerate() {
                    *slot = count;
                    count += dead.block(block as u32).count_ones();
                }
            }
            let alive = rows.saturating_sub(dead.count()) as u64;
            out.push(Input { base: base as u32, rows, dead, before });
            base += alive;
            if base > ROWS_MAX {
                return None;
            }
        }
        Some(RowMap { inputs: out, rows: base as u32 })
    }

    /// Rows of the output.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Number of inputs.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// Output row of a row of input `input`; None if it was dead, or no row of that input.
    pub fn get(&self, input: usize, row: RowId) -> Option<RowId> {
        let i = &self.inputs[input];
        if row.0 >= i.rows || i.dead.contains(row) {
            return None;
        }
        if i.before.is_empty() {
            return Some(RowId(i.base + row.0));
        }
        let block = row.0 / 64;
        let inside = (i.dead.block(block) & ((1 << (row.0 % 64)) - 1)).count_ones();
        Some(RowId(i.base + row.0 - i.before[block as usize] - inside))
    }

    /// Whether no input has dead rows, so that rows only shift.
    pub fn is_plain(&self, input: usize) -> bool {
        self.inputs[input].before.is_empty()
    }

    /// Output row of the input's first alive row.
    pub fn base(&self, input: usize) -> u32 {
        self.inputs[input].base
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn alive_rows_close_ranks() {
        let map =
            RowMap::new([(100, DeadRows::default().with([RowId(0), RowId(64), RowId(70)])), (10, DeadRows::default())]).expect("few rows");
        assert_eq!(map.rows(), 107);
        assert_eq!(map.get(0, RowId(0)), None);
        assert_eq!(map.get(0, RowId(1)), Some(RowId(0)));
        assert_eq!(map.get(0, RowId(65)), Some(RowId(63)));
        assert_eq!(map.get(0, RowId(99)), Some(RowId(96)));
        assert_eq!(map.get(1, RowId(0)), Some(RowId(97)));
        assert_eq!(map.get(1, RowId(10)), None);
    }

    proptest! {
        #[test]
        fn agrees_with_counting(inputs in prop::collection::vec((0..500u32, prop::collection::btree_set(0..500u32, 0..60)), 0..5)) {
            let inputs: Vec<(u32, Vec<u32>)> =
                inputs.into_iter().map(|(rows, dead)| (rows, dead.into_iter().filter(|r| *r < rows).collect())).collect();
            let dead_rows = |dead: &[u32]| DeadRows::default().with(dead.iter().map(|r| RowId(*r)));
            let map = RowMap::new(inputs.iter().map(|(rows, dead)| (*rows, dead_rows(dead)))).expect("few rows");
            prop_assert_eq!(map.input_count(), inputs.len());
            let mut next = 0;
            for (n, (rows, dead)) in inputs.iter().enumerate() {
                prop_assert_eq!(map.base(n), next);
                prop_assert_eq!(map.is_plain(n), dead.is_empty());
                for row in 0..*rows {
                    let wanted = if dead.contains(&row) { None } else { next += 1; Some(RowId(next - 1)) };
                    prop_assert_eq!(map.get(n, RowId(row)), wanted);
                }
                prop_assert_eq!(map.get(n, RowId(*rows)), None);
            }
            prop_assert_eq!(map.rows(), next);
        }
    }

    #[test]
    fn too_many_rows_are_refused() {
        let half = || (1 << 30, DeadRows::default());
        assert_eq!(RowMap::new([half(), half()]).expect("just as many as fit").rows(), 1 << 31);
        assert!(RowMap::new([half(), half(), (1, DeadRows::default())]).is_none());
        assert!(RowMap::new([half(), half(), (1, DeadRows::default().with([RowId(0)]))]).is_some());
    }
}
