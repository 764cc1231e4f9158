//! The best rows, in order.

use std::cmp::Ordering;

use super::budget::{Keeper, value_bytes};
use super::cell::{self, Cell};
use super::eval::{Env, eval};
use crate::plan::expr::Expr;
use crate::plan::functions::Function;
use crate::plan::select::SortKey;
use crate::types::{DocId, RowId, Value};

/// A row that is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Place of its part in the snapshot.
    pub part: u32,
    pub row: RowId,
    pub id: DocId,
    pub weight: i64,
    /// Values of the order's computed keys.
    pub keys: Vec<Value>,
}

impl Entry {
    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        size_of::<Entry>() as u64 + self.keys.iter().map(value_bytes).sum::<u64>()
    }
}

/// Where a key's value comes from.
#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    Id,
    Weight,
    /// Computed, and kept at this place of an entry's keys.
    Computed(&'a Expr, usize),
}

/// A total order of rows: the keys, then the id ascending, as it is shown.
#[derive(Debug, Clone)]
pub(crate) struct Order<'a> {
    keys: Vec<(Source<'a>, bool)>,
    /// A key gives something else each time it is computed.
    volatile: bool,
}

impl<'a> Order<'a> {
    /// The order of these keys; where there are none, weight descending.
    pub fn new(keys: &'a [SortKey]) -> Order<'a> {
        let mut places = 0;
        let mut source = |expr: &'a Expr| match expr {
            Expr::Id => Source::Id,
            Expr::Weight => Source::Weight,
            expr => {
                places += 1;
                Source::Computed(expr, places - 1)
            }
        };
        let mut list: Vec<(Source<'a>, bool)> = keys.iter().map(|key| (source(&key.expr), key.descending)).collect();
        if list.is_empty() {
            list.push((Source::Weight, true));
        }
        let volatile = keys.iter().any(|k| k.expr.contains(|e| matches!(e, Expr::Call(Function::Rand, _))));
        Order { keys: list, volatile }
    }

    /// The same order with weight descending before the id: what decides between the rows of a group.
    pub fn within_group(keys: &'a [SortKey]) -> Order<'a> {
        let mut order = Order::new(keys);
        order.keys.push((Source::Weight, true));
        order
    }

    /// The computed keys of a row.
    pub fn keys_of(&self, env: &Env<'a>) -> Vec<Value> {
        let computed = self.keys.iter().filter_map(|(source, _)| match source {
            Source::Computed(expr, _) => Some(eval(expr, env).into_value()),
            Source::Id | Source::Weight => None,
        });
        computed.collect()
    }

    /// The order of two rows; never equal unless they are the same document.
    pub fn compare(&self, a: &Entry, b: &Entry) -> Ordering {
        for (source, descending) in &self.keys {
            let order = match source {
                Source::Id => (a.id.0 as i64).cmp(&(b.id.0 as i64)),
                Source::Weight => a.weight.cmp(&b.weight),
                Source::Computed(_, place) => match (a.keys.get(*place), b.keys.get(*place)) {
                    (Some(a), Some(b)) => cell::order(&Cell::of(a), &Cell::of(b)),
                    _ => Ordering::Equal,
                },
            };
            if order.is_ne() {
                return if *descending { order.reverse() } else { order };
            }
        }
        (a.id.0 as i64).cmp(&(b.id.0 as i64))
    }

    /// Whether a row comes before an entry. Computes keys only as far as they are needed, and allocates nothing.
    pub fn precedes(&self, env: &Env<'a>, entry: &Entry) -> bool {
        for (source, descending) in &self.keys {
            let order = match source {
                Source::Id => (env.id.0 as i64).cmp(&(entry.id.0 as i64)),
                Source::Weight => env.weight.cmp(&entry.weight),
                Source::Computed(expr, place) => match entry.keys.get(*place) {
                    Some(key) => cell::order(&eval(expr, env), &Cell::of(key)),
                    None => Ordering::Equal,
                },
            };
            if order.is_ne() {
                return (order == Ordering::Less) != *descending;
            }
        }
        (env.id.0 as i64) < (entry.id.0 as i64)
    }
}

/// The best `limit` rows of those offered, in memory for twice as many.
pub(crate) struct TopK<'a> {
    order: &'a Order<'a>,
    limit: usize,
    entries: Vec<Entry>,
    /// Bytes of the entries.
    bytes: u64,
    /// The worst of the best `limit`, once so many were offered: rows behind it are not looked at further.
    bar: Option<Entry>,
}

impl Keeper for TopK<'_> {
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<'a> TopK<'a> {
    pub fn new(order: &'a Order<'a>, limit: usize) -> TopK<'a> {
        TopK { order, limit, entries: Vec::new(), bytes: 0, bar: None }
    }

    /// Offers a row.
    pub fn offer(&mut self, env: &Env<'a>, part: usize, row: RowId) {
        if self.limit == 0 {
            return;
        }
        if let Some(bar) = &self.bar
            && !self.order.volatile
            && !self.order.precedes(env, bar)
        {
            return;
        }
        self.push(Entry { part: part as u32, row, id: env.id, weight: env.weight, keys: self.order.keys_of(env) });
    }

    /// A row that weighs less cannot come in any more.
    pub fn floor(&self) -> i64 {
        match (&self.bar, self.order.keys.first()) {
            (Some(bar), Some((Source::Weight, true))) if !self.order.volatile => bar.weight,
            _ => i64::MIN,
        }
    }

    fn push(&mut self, entry: Entry) {
        self.bytes += entry.bytes();
        self.entries.push(entry);
        if self.entries.len() >= self.limit.saturating_mul(2).max(64) {
            self.cut();
        }
    }

    /// Drops all but the best `limit`.
    fn cut(&mut self) {
        if self.limit > 0 && self.entries.len() > self.limit {
            self.entries.select_nth_unstable_by(self.limit - 1, |a, b| self.order.compare(a, b));
            self.entries.truncate(self.limit);
            self.bytes = self.entries.iter().map(Entry::bytes).sum();
            self.bar = self.entries.last().cloned();
        }
    }

    /// Takes over what another piece of the work kept.
    pub fn merge(&mut self, other: TopK<'a>) {
        for entry in other.entries {
            self.push(entry);
        }
    }

    /// The best rows, first to last.
    pub fn finish(mut self) -> Vec<Entry> {
        self.cut();
        self.entries.sort_unstable_by(|a, b| self.order.compare(a, b));
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::ExecContext;
    use crate::types::StopToken;

    /// Ids of the best rows of `rows` (id, weight) under `keys`.
    fn best(keys: &[SortKey], limit: usize, rows: &[(u64, i64)]) -> Vec<u64> {
        let context = ExecContext::new(StopToken::new());
        let order = Order::new(keys);
        let mut top = TopK::new(&order, limit);
        for &(id, weight) in rows {
            let mut env = Env::empty(&context);
            (env.id, env.weight) = (DocId(id), weight);
            top.offer(&env, 0, RowId(0));
        }
        top.finish().into_iter().map(|e| e.id.0).collect()
    }

    #[test]
    fn orders_are_total() {
        let key = |expr, descending| SortKey { expr, descending };
        let rows = [(3, 1), (1, 1), (2, 5), (4, 5)];
        assert_eq!(best(&[], 3, &rows), [2, 4, 1]);
        assert_eq!(best(&[key(Expr::Id, true)], 2, &rows), [4, 3]);
        assert_eq!(best(&[key(Expr::Weight, false)], 9, &rows), [1, 3, 2, 4]);
        assert_eq!(best(&[key(Expr::Minus(Box::new(Expr::Id)), false)], 2, &rows), [4, 3]);
        assert!(best(&[], 0, &rows).is_empty());
    }

    #[test]
    fn many_rows_are_cut_to_the_best() {
        let rows: Vec<(u64, i64)> = (1..=5_000u64).map(|i| (i, (i * 7919 % 1_000) as i64)).collect();
        let mut sorted = rows.clone();
        sorted.sort_by_key(|&(id, weight)| (-weight, id));
        assert_eq!(best(&[], 10, &rows), sorted[..10].iter().map(|r| r.0).collect::<Vec<_>>());
    }
}
