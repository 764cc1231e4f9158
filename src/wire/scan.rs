//! Reading fields out of a payload that somebody else wrote: every step can fail, none can panic.

/// What is left of a payload.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    rest: &'a [u8],
}

impl<'a> Scan<'a> {
    pub(super) fn new(payload: &'a [u8]) -> Scan<'a> {
        Scan { rest: payload }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Bytes up to a zero, which is taken too.
    pub(super) fn until_zero(&mut self) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|b| *b == 0)?;
        let taken = self.bytes(end)?;
        self.bytes(1)?;
        Some(taken)
    }

    /// An integer of one to nine bytes, whose first byte tells the length.
    pub(super) fn lenenc(&mut self) -> Option<u64> {
        match self.u8()? {
            0xFC => self.u16().map(u64::from),
            0xFD => self.array::<3>().map(|[a, b, c]| u64::from(u32::from_le_bytes([a, b, c, 0]))),
            0xFE => self.array().map(u64::from_le_bytes),
            0xFB | 0xFF => None,
            small => Some(u64::from(small)),
        }
    }

    /// Bytes behind their length.
    pub(super) fn lenenc_bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.lenenc()?;
        self.bytes(usize::try_from(length).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_length() {
        for (bytes, expected) in [
            (&[250][..], Some(250)),
            (&[0xFC, 1, 2], Some(0x0201)),
            (&[0xFD, 1, 2, 3], Some(0x0003_0201)),
            (&[0xFE, 1, 0, 0, 0, 0, 0, 0, 1], Some(0x0100_0000_0000_0001)),
            (&[0xFB], None),
            (&[0xFC, 1], None),
            (&[], None),
        ] {
            assert_eq!(Scan::new(bytes).lenenc(), expected, "{bytes:?}");
        }
        assert_eq!(Scan::new(&[3, b'a', b'b']).lenenc_bytes(), None);
        assert_eq!(Scan::new(b"ab").until_zero(), None);
        assert_eq!(Scan::new(b"ab\0c").until_zero(), Some(&b"ab"[..]));
    }
}
