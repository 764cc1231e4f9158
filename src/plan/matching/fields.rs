//! A set of full-text fields.

use crate::types::FieldId;

/// Which full-text fields of a table, of the 255 that it may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FieldSet {
    bits: [u64; 4],
}

impl FieldSet {
    /// The first `count` fields.
    pub fn all(count: usize) -> FieldSet {
        let mut set = FieldSet::default();
        for field in 0..count.min(256) {
            set.insert(FieldId(field as u8));
        }
        set
    }

    /// Adds a field.
    pub fn insert(&mut self, field: FieldId) {
        self.bits[usize::from(field.0 / 64)] |= 1 << (field.0 % 64);
    }

    /// Whether a field is in.
    pub fn contains(&self, field: FieldId) -> bool {
        self.bits[usize::from(field.0 / 64)] >> (field.0 % 64) & 1 == 1
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.bits == [0; 4]
    }

    /// Those of the first `count` fields that are not in.
    pub fn complement(&self, count: usize) -> FieldSet {
        let all = FieldSet::all(count);
        FieldSet { bits: std::array::from_fn(|i| all.bits[i] & !self.bits[i]) }
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.bits.iter().map(|b| b.count_ones() as usize).sum()
    }

    /// Fields in order.
    pub fn iter(&self) -> impl Iterator<Item = FieldId> + use<> {
        let mut bits = self.bits;
        let mut word = 0;
        std::iter::from_fn(move || {
            while *bits.get(word)? == 0 {
                word += 1;
            }
            let bit = bits[word].trailing_zeros() as u8;
            bits[word] &= bits[word] - 1;
            Some(FieldId(word as u8 * 64 + bit))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complement_stays_within_the_table() {
        let mut set = FieldSet::default();
        set.insert(FieldId(1));
        assert_eq!(set.complement(3).iter().map(|f| f.0).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(FieldSet::all(200).complement(200).len(), 0);
        assert!(FieldSet::all(255).contains(FieldId(254)) && !FieldSet::all(255).contains(FieldId(255)));
    }
}
