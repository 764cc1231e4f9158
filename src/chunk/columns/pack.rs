//! Whole numbers packed at a fixed width, any of which is read by itself.

/// Widest numbers that, wherever their first bit lies in a byte, end within eight bytes. Wider ones take all 64 bits.
const WIDTH_MAX: u8 = 56;

/// Bits that each of several numbers up to `most` takes.
pub(super) fn width_for(most: u64) -> u8 {
    match 64 - most.leading_zeros() as u8 {
        width @ ..=WIDTH_MAX => width,
        _ => 64,
    }
}

/// Bytes of `count` numbers.
pub(super) fn packed_len(count: usize, width: u8) -> usize {
    (count * width as usize).div_ceil(8)
}

/// Appends numbers of at most `width` bits.
pub(super) fn pack(numbers: impl Iterator<Item = u64>, width: u8, out: &mut Vec<u8>) {
    let (mut word, mut bits) = (0u64, 0u32);
    for number in numbers {
        word |= number << bits;
        bits += u32::from(width);
        if bits >= 64 {
            out.extend_from_slice(&word.to_le_bytes());
            bits -= 64;
            // What of the number lay past the word; nothing where it ended with it.
            word = if bits == 0 { 0 } else { number >> (u32::from(width) - bits) };
        }
    }
    out.extend_from_slice(&word.to_le_bytes()[..bits.div_ceil(8) as usize]);
}

/// Number `at` of those that begin with `data`, which may run on. None where `data` ends before it, or where `width` is none that is written.
#[inline]
pub(super) fn unpack(data: &[u8], width: u8, at: usize) -> Option<u64> {
    if width > WIDTH_MAX && width != 64 {
        return None;
    }
    let bit = at.checked_mul(width as usize)?;
    let word = match data.get(bit / 8..)?.first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        // The last numbers of a file.
        None => {
            let rest = &data[bit / 8..];
            if rest.len() * 8 < bit % 8 + width as usize {
                return None;
            }
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(bytes)
        }
    };
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    Some(word >> (bit % 8) & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_every_width_comes_back() {
        for bits in 0..=64u32 {
            let most = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
            let width = width_for(most);
            assert_eq!(u32::from(width), if bits > 56 { 64 } else { bits });
            for count in [0usize, 1, 7, 8, 9, 100] {
                let numbers: Vec<u64> = (0..count as u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) & most).collect();
                let mut packed = Vec::new();
                pack(numbers.iter().copied(), width, &mut packed);
                assert_eq!(packed.len(), packed_len(count, width));
                for behind in [0, 20] {
                    let data = [&packed[..], &vec![255; behind]].concat();
                    let read: Vec<Option<u64>> = (0..count).map(|at| unpack(&data, width, at)).collect();
                    assert_eq!(read, numbers.iter().copied().map(Some).collect::<Vec<_>>(), "width {width}");
                }
                if width > 0 {
                    assert_eq!(unpack(&packed, width, count + 8), None);
                }
            }
        }
        assert_eq!((unpack(&[255; 64], 57, 0), unpack(&[255; 64], 255, 0), unpack(&[255; 64], 8, usize::MAX)), (None, None, None));
    }
}
