//! Numbers in as few bytes as they need: seven bits a byte, low bits first, the top bit set where more follow.

/// Appends `value`.
#[inline]
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads the number at `*at` and steps behind it. Behind the end of `bytes` it reads zeros; bits past the 64th are dropped.
#[inline]
pub(super) fn get(bytes: &[u8], at: &mut usize) -> u64 {
    let Some(&first) = bytes.get(*at) else { return 0 };
    *at += 1;
    if first < 0x80 { first as u64 } else { get_long(bytes, at, first) }
}

fn get_long(bytes: &[u8], at: &mut usize, first: u8) -> u64 {
    let mut value = (first & 0x7f) as u64;
    let mut shift = 7;
    while let Some(&byte) = bytes.get(*at) {
        *at += 1;
        if shift < 64 {
            value |= ((byte & 0x7f) as u64) << shift;
        }
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    value
}

/// [`get`] of a number that was put as a u32; higher bits are dropped.
#[inline]
pub(super) fn get_u32(bytes: &[u8], at: &mut usize) -> u32 {
    get(bytes, at) as u32
}

/// Steps over `count` numbers, or to the end of `bytes`.
#[inline]
pub(super) fn skip(bytes: &[u8], at: &mut usize, mut count: u32) {
    // Eight bytes a step while at least eight numbers are left: each byte below 0x80 ends one number.
    while count >= 8 {
        let Some(chunk) = bytes.get(*at..*at + 8) else { break };
        let ends = chunk.iter().filter(|b| **b < 0x80).count() as u32;
        count -= ends;
        *at += 8;
    }
    while count > 0 {
        match bytes.get(*at) {
            Some(byte) => count -= (*byte < 0x80) as u32,
            None => return,
        }
        *at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reads_and_skips_what_was_put(values in prop::collection::vec(prop_oneof![0..200u64, any::<u32>().prop_map(u64::from), any::<u64>()], 0..60)) {
            let mut bytes = Vec::new();
            let mut starts = Vec::new();
            for v in &values {
                starts.push(bytes.len());
                put(&mut bytes, *v);
            }
            starts.push(bytes.len());
            let mut at = 0;
            for v in &values {
                prop_assert_eq!(get(&bytes, &mut at), *v);
            }
            prop_assert_eq!(at, bytes.len());
            for from in 0..starts.len() {
                for to in from..starts.len() {
                    let mut at = starts[from];
                    skip(&bytes, &mut at, (to - from) as u32);
                    prop_assert_eq!(at, starts[to]);
                }
            }
        }

        #[test]
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut at = 0;
            while at < bytes.len() {
                get(&bytes, &mut at);
            }
            let mut at = 0;
            skip(&bytes, &mut at, u32::MAX);
            prop_assert!(at <= bytes.len());
        }
    }
}
