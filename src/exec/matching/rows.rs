//! The rows of one or more posting lists, walked as one.

use crate::chunk::{NO_ROW, Postings};

/// A union of posting lists: nothing, one list, or a heap of lists.
pub(super) enum Rows<C> {
    None,
    One(C),
    Many(Heap<C>),
}

/// Lists in a binary heap by current row.
pub(super) struct Heap<C> {
    cursors: Vec<C>,
    /// (current row, index of the cursor); the least row is first.
    heap: Vec<(u32, u32)>,
}

impl<C: Postings> Rows<C> {
    pub(super) fn new(mut cursors: Vec<C>) -> Rows<C> {
        if cursors.len() > 1 {
            let mut heap: Vec<(u32, u32)> = cursors.iter().enumerate().map(|(i, c)| (c.row(), i as u32)).collect();
            // A sorted list is a heap.
            heap.sort_unstable();
            return Rows::Many(Heap { cursors, heap });
        }
        match cursors.pop() {
            Some(cursor) => Rows::One(cursor),
            None => Rows::None,
        }
    }

    /// Rows of all lists together; those in several lists count several times.
    pub(super) fn docs(&self) -> u64 {
        match self {
            Rows::None => 0,
            Rows::One(c) => u64::from(c.docs()),
            Rows::Many(h) => h.cursors.iter().map(|c| u64::from(c.docs())).sum(),
        }
    }

    pub(super) fn row(&self) -> u32 {
        match self {
            Rows::None => NO_ROW,
            Rows::One(c) => c.row(),
            Rows::Many(h) => h.heap[0].0,
        }
    }

    #[inline]
    pub(super) fn seek(&mut self, target: u32) -> u32 {
        match self {
            Rows::None => NO_ROW,
            Rows::One(c) => c.seek(target),
            Rows::Many(h) => h.seek(target),
        }
    }

    /// Calls `take` with the index of each list that is at `row`, and the list. The union must be at `row` or beyond.
    pub(super) fn at(&mut self, row: u32, mut take: impl FnMut(usize, &mut C)) {
        match self {
            Rows::None => {}
            Rows::One(c) => {
                if c.row() == row {
                    take(0, c);
                }
            }
            Rows::Many(h) => h.at(0, row, &mut take),
        }
    }
}

impl<C: Postings> Heap<C> {
    fn seek(&mut self, target: u32) -> u32 {
        while self.heap[0].0 < target {
            let cursor = self.heap[0].1;
            self.heap[0].0 = self.cursors[cursor as usize].seek(target);
            self.sift_down();
        }
        self.heap[0].0
    }

    fn sift_down(&mut self) {
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let mut least = at;
            if left < self.heap.len() && self.heap[left].0 < self.heap[least].0 {
                least = left;
            }
            if right < self.heap.len() && self.heap[right].0 < self.heap[least].0 {
                least = right;
            }
            if least == at {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }

    /// Entries with the least row are a connected top of the heap, so that only they and their children are looked at.
    fn at(&mut self, node: usize, row: u32, take: &mut impl FnMut(usize, &mut C)) {
        let Some(&(found, cursor)) = self.heap.get(node) else { return };
        if found != row {
            return;
        }
        take(cursor as usize, &mut self.cursors[cursor as usize]);
        // Depth is the logarithm of the number of lists.
        self.at(2 * node + 1, row, take);
        self.at(2 * node + 2, row, take);
    }
}
