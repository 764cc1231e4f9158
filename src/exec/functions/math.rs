//! Numbers. Functions of reals give single precision, as in the dialect.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering as Memory};

use super::super::cell::{Cell, Number, order};
use super::super::eval::integer;
use crate::chunk::mva_iter;
use crate::types::json::JsonKind;

/// A function of one real.
pub(super) fn real<'a>(cell: &Cell<'a>, function: impl Fn(f64) -> f64) -> Cell<'a> {
    cell.number().map_or(Cell::Null, |n| Cell::Float(function(n.double()) as f32))
}

/// A function of two reals.
pub(super) fn real_pair<'a>(a: &Cell<'a>, b: &Cell<'a>, function: impl Fn(f64, f64) -> f64) -> Cell<'a> {
    match (a.number(), b.number()) {
        (Some(a), Some(b)) => Cell::Float(function(a.double(), b.double()) as f32),
        _ => Cell::Null,
    }
}

/// CEIL and FLOOR.
pub(super) fn rounded(cell: Cell<'_>, function: impl Fn(f64) -> f64) -> Cell<'_> {
    match cell.number() {
        Some(Number::Int(_)) => cell,
        Some(n) => Cell::Int(function(n.double()) as i64),
        None => Cell::Null,
    }
}

pub(super) fn abs(cell: Cell<'_>) -> Cell<'_> {
    match cell {
        Cell::Int(v) => Cell::Int(v.wrapping_abs()),
        Cell::Float(v) => Cell::Float(v.abs()),
        Cell::Double(v) | Cell::Avg(v) => Cell::Double(v.abs()),
        Cell::Uint(_) | Cell::Json(_) => cell,
        Cell::Null | Cell::Text(_) | Cell::Mva(_) | Cell::Numbers(_) => Cell::Null,
    }
}

/// IDIV; division by zero gives zero.
pub(super) fn integer_division<'a>(a: &Cell<'a>, b: &Cell<'a>) -> Cell<'a> {
    match (integer(a), integer(b)) {
        (Some(_), Some(0)) => Cell::Int(0),
        (Some(a), Some(b)) => Cell::Int(a.wrapping_div(b)),
        _ => Cell::Null,
    }
}

/// Sum of the weights whose bit is set in the mask.
pub(super) fn bit_dot<'a>(mask: &Cell<'a>, weights: impl Iterator<Item = Cell<'a>>) -> Cell<'a> {
    let Some(mask) = integer(mask) else { return Cell::Null };
    let (mut whole, mut real, mut is_real) = (0i64, 0.0, false);
    for (bit, weight) in weights.enumerate().take(64) {
        if mask >> bit & 1 == 0 {
            continue;
        }
        match weight.number() {
            Some(Number::Int(v)) => whole = whole.wrapping_add(v as i64),
            Some(n) => {
                is_real = true;
                real += n.double();
            }
            None => return Cell::Null,
        }
    }
    if is_real { Cell::Float((real + whole as f64) as f32) } else { Cell::Int(whole) }
}

/// The n-th Fibonacci number, computed in 32 bits.
pub(super) fn fibonacci<'a>(cell: &Cell<'a>) -> Cell<'a> {
    let Some(n) = integer(cell) else { return Cell::Null };
    let (mut a, mut b) = (0u32, 1u32);
    // In 32 bits the sequence repeats with this period, so that no argument makes the loop long.
    const PERIOD: i64 = 3 << 31;
    let n = n.max(0) % PERIOD;
    if n > 1_000 {
        return Cell::Int(fibonacci_fast(n as u64) as i64);
    }
    for _ in 0..n {
        (a, b) = (b, a.wrapping_add(b));
    }
    Cell::Int(a as i64)
}

/// By doubling: F(2k) = F(k)·(2F(k+1) − F(k)), F(2k+1) = F(k)² + F(k+1)².
fn fibonacci_fast(n: u64) -> u32 {
    let (mut a, mut b) = (0u32, 1u32);
    for bit in (0..64 - n.leading_zeros()).rev() {
        let even = a.wrapping_mul(b.wrapping_mul(2).wrapping_sub(a));
        let odd = a.wrapping_mul(a).wrapping_add(b.wrapping_mul(b));
        (a, b) = if n >> bit & 1 == 1 { (odd, even.wrapping_add(odd)) } else { (even, odd) };
    }
    a
}

/// The lesser or the greater of two numbers, in the wider kind of both.
pub(super) fn pick<'a>(a: Cell<'a>, b: Cell<'a>, least: bool) -> Cell<'a> {
    let (Some(x), Some(y)) = (a.number(), b.number()) else { return Cell::Null };
    let chosen = if (order(&a, &b) == Ordering::Less) == least { x } else { y };
    match (x, y) {
        (Number::Int(_), Number::Int(_)) => {
            if (order(&a, &b) == Ordering::Less) == least {
                a
            } else {
                b
            }
        }
        (Number::Double(_), _) | (_, Number::Double(_)) => Cell::Double(chosen.double()),
        _ => Cell::Float(chosen.double() as f32),
    }
}

/// LEAST and GREATEST: of a set's or a JSON array's values, or of the arguments.
pub(super) fn extreme<'a>(cells: impl Iterator<Item = Cell<'a>>, least: bool) -> Cell<'a> {
    let mut best: Option<Cell<'a>> = None;
    let mut offer = |cell: Cell<'a>| {
        let better = match &best {
            None => true,
            Some(old) => order(&cell, old) == if least { Ordering::Less } else { Ordering::Greater },
        };
        if better && !matches!(cell, Cell::Null) {
            best = Some(cell);
        }
    };
    for cell in cells {
        match cell {
            Cell::Mva(bytes) => mva_iter(bytes).for_each(|v| offer(Cell::Int(v))),
            Cell::Numbers(list) => list.iter().for_each(|v| offer(Cell::Int(*v))),
            Cell::Json(json) if json.kind() == JsonKind::Array => json.iter().for_each(|v| offer(Cell::json(v))),
            single => offer(single),
        }
    }
    best.unwrap_or(Cell::Null)
}

/// A float in [0, 1). With a seed the same seed gives the same number; without, the next of a sequence that starts anywhere.
pub(super) fn random<'a>(seed: Option<&Cell<'a>>) -> Cell<'a> {
    static SEQUENCE: AtomicU64 = AtomicU64::new(0);
    let state = match seed {
        Some(seed) => match integer(seed) {
            Some(seed) => seed as u64,
            None => return Cell::Null,
        },
        // Relaxed: numbers need only differ, they publish nothing.
        None => match SEQUENCE.fetch_add(1, Memory::Relaxed) {
            0 => {
                let start = std::time::UNIX_EPOCH.elapsed().map_or(1, |d| d.as_nanos() as u64) << 16;
                SEQUENCE.fetch_add(start, Memory::Relaxed);
                start
            }
            n => n,
        },
    };
    // SplitMix64 (Steele, Lea, Flood 2014): every counter value gives an independent-looking number.
    let mut z = state.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    // 24 bits are what a single holds.
    Cell::Float(((z ^ (z >> 31)) >> 40) as f32 / (1u32 << 24) as f32)
}

/// The distance between two points on a sphere (haversine): in metres on one of 6 371 km between points in radians, unless `angle`, the radians
/// in a unit of the coordinates, and `radius` say otherwise.
pub(super) fn geodist<'a>(cells: [Cell<'a>; 4], angle: Option<Number>, radius: Option<Number>) -> Cell<'a> {
    let (angle, radius) = (angle.map_or(1.0, Number::double), radius.map_or(6_371_000.0, Number::double));
    let [Some(lat1), Some(lon1), Some(lat2), Some(lon2)] = cells.map(|c| c.number().map(|n| n.double() * angle)) else {
        return Cell::Null;
    };
    let (dlat, dlon) = ((lat2 - lat1) / 2.0, (lon2 - lon1) / 2.0);
    let h = dlat.sin().powi(2) + lat1.cos() * lat2.cos() * dlon.sin().powi(2);
    Cell::Float((2.0 * radius * h.sqrt().min(1.0).asin()) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fibonacci_wraps_at_32_bits() {
        let fib = |n| match fibonacci(&Cell::Int(n)) {
            Cell::Int(v) => v,
            _ => -1,
        };
        assert_eq!([fib(0), fib(1), fib(2), fib(10), fib(47)], [0, 1, 1, 55, 2_971_215_073]);
        assert_eq!(fib(48), 4_807_526_976 % (1 << 32));
        assert_eq!(fibonacci_fast(10), 55);
        assert_eq!(fibonacci_fast(48) as i64, fib(48));
        assert!(fib(i64::MAX) >= 0);
    }

    #[test]
    fn random_is_in_range() {
        for _ in 0..1000 {
            assert!(matches!(random(None), Cell::Float(v) if (0.0..1.0).contains(&v)));
        }
    }

    #[test]
    fn extremes_of_sets() {
        let list = [4, 7, 9];
        let set = || Cell::Numbers(std::borrow::Cow::Borrowed(&list[..]));
        assert!(matches!(extreme([set()].into_iter(), true), Cell::Int(4)));
        assert!(matches!(extreme([set()].into_iter(), false), Cell::Int(9)));
        assert!(matches!(extreme([Cell::Int(3), Cell::Int(2)].into_iter(), true), Cell::Int(2)));
        assert!(matches!(extreme([Cell::Mva(&[])].into_iter(), true), Cell::Null));
    }
}
