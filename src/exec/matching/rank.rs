//! Rankers: hits and word frequencies to a weight.

use super::hits::Hit;

/// How weights are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ranker {
    /// Σ over fields (longest common run × field weight) × 1000 + bm25.
    #[default]
    ProximityBm25,
    /// Σ field weights of the fields with hits × 1000 + bm25.
    Bm25,
    /// 1.
    None,
    /// Σ over fields (hits × field weight).
    WordCount,
    /// Σ over fields (longest common run × field weight).
    Proximity,
    /// Σ over fields (distinct words, and the longest common run above all else) × field weight.
    MatchAny,
    /// One bit per field with hits, field 0 lowest.
    FieldMask,
    /// Like [`Ranker::ProximityBm25`], with the run four times, 2 for a hit at the very start and 1 for a field that is the query.
    Sph04,
}

/// A ranker that does not exist or is not built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RankerError {
    /// No such ranker.
    #[error("unknown ranker '{0}'")]
    Unknown(String),
    /// A known one that this server does not have yet.
    #[error("ranker '{0}' is not built yet")]
    NotBuilt(String),
}

impl Ranker {
    /// The ranker of `OPTION ranker=…`, upper or lower case.
    pub fn parse(name: &str) -> Result<Ranker, RankerError> {
        let lower = name.to_lowercase();
        Ok(match lower.as_str() {
            "proximity_bm25" => Ranker::ProximityBm25,
            "bm25" => Ranker::Bm25,
            "none" => Ranker::None,
            "wordcount" => Ranker::WordCount,
            "proximity" => Ranker::Proximity,
            "matchany" => Ranker::MatchAny,
            "fieldmask" => Ranker::FieldMask,
            "sph04" => Ranker::Sph04,
            "expr" | "export" => return Err(RankerError::NotBuilt(lower)),
            _ => return Err(RankerError::Unknown(name.to_owned())),
        })
    }

    /// Whether weights depend on how often words occur.
    pub(super) fn needs_tf(self) -> bool {
        match self {
            Ranker::ProximityBm25 | Ranker::Bm25 | Ranker::Sph04 => true,
            Ranker::None | Ranker::WordCount | Ranker::Proximity | Ranker::MatchAny | Ranker::FieldMask => false,
        }
    }

    /// What the ranker needs of a field in which a single word of a plain query stands.
    pub(super) fn presence(self) -> Presence {
        match self {
            Ranker::Bm25 | Ranker::FieldMask | Ranker::None => Presence::Always,
            Ranker::ProximityBm25 | Ranker::Proximity | Ranker::MatchAny => Presence::SingleWord,
            Ranker::WordCount | Ranker::Sph04 => Presence::Never,
        }
    }
}

/// When it is enough to know that words stand in a field, without their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// However many words stand there.
    Always,
    /// Where one does: then the longest run is one word.
    SingleWord,
    /// Positions are always needed.
    Never,
}

/// What a ranker gathers per field, kept between rows.
pub(super) struct Fields {
    fields: Vec<Field>,
    /// Fields with hits in the current row.
    touched: Vec<u8>,
}

#[derive(Clone, Default)]
struct Field {
    hits: u32,
    run: u32,
    /// The run that is going on, the shift that continues it, and where its last hit stands.
    current: u32,
    shift: i64,
    last: u64,
    starts: bool,
    exact: bool,
    /// Distinct words, by position in the query; more than 64 count as one.
    words: u64,
}

/// Weights of the fields and figures of the query.
pub(super) struct Weights {
    pub field_weights: Vec<i64>,
    /// Words that a whole run would have.
    pub query_words: u32,
}

impl Fields {
    pub(super) fn new(count: usize) -> Fields {
        Fields { fields: vec![Field::default(); count], touched: Vec::new() }
    }

    /// Forgets the row before.
    pub(super) fn clear(&mut self) {
        self.touched.clear();
    }

    /// One word of the query stands in a field.
    pub(super) fn single(&mut self, number: u8) {
        if let Some(field) = self.fields.get_mut(usize::from(number)) {
            *field = Field { hits: 1, run: 1, words: 1, ..Field::default() };
            self.touched.push(number);
        }
    }

    /// Reads the hits of one row, in order. `length` gives the length of a field.
    pub(super) fn read(&mut self, hits: &[Hit], query_words: u32, length: &mut dyn FnMut(u8) -> u32) {
        for hit in hits {
            let number = hit.field();
            let Some(field) = self.fields.get_mut(usize::from(number)) else { continue };
            if self.touched.last() != Some(&number) {
                *field = Field { shift: i64::MIN, last: u64::MAX, ..Field::default() };
                self.touched.push(number);
            }
            field.hits += 1;
            let shift = hit.shift();
            field.current = if shift == field.shift && hit.at != field.last { field.current + hit.weight } else { hit.weight };
            field.shift = shift;
            field.last = hit.at;
            field.starts |= hit.position() == 1;
            field.words |= 1 << hit.query.min(63);
            if field.current > field.run {
                field.run = field.current;
            }
            if field.current == query_words && hit.position() + hit.span - 1 == query_words && length(number) == query_words {
                field.exact = true;
            }
        }
    }

    /// The weight of the row that was read, without bm25.
    pub(super) fn weight(&self, ranker: Ranker, weights: &Weights) -> i64 {
        let each = |value: &dyn Fn(&Field) -> i64| -> i64 {
            let sum = self.touched.iter().map(|f| {
                let f = usize::from(*f);
                value(&self.fields[f]).saturating_mul(weights.field_weights[f])
            });
            sum.fold(0, i64::saturating_add)
        };
        match ranker {
            Ranker::None => 1,
            Ranker::ProximityBm25 => each(&|f| i64::from(f.run)).saturating_mul(1000),
            Ranker::Proximity => each(&|f| i64::from(f.run)),
            Ranker::Bm25 => each(&|_| 1).saturating_mul(1000),
            Ranker::WordCount => each(&|f| i64::from(f.hits)),
            Ranker::MatchAny => {
                let phrase = i64::from(weights.query_words).saturating_mul(weights.field_weights.iter().sum());
                each(&|f| i64::from(f.words.count_ones()) + i64::from(f.run.saturating_sub(1)).saturating_mul(phrase))
            }
            Ranker::FieldMask => self.touched.iter().filter(|f| **f < 63).map(|f| 1i64 << f).sum(),
            Ranker::Sph04 => each(&|f| {
                4 * i64::from(f.run)
                    + if f.exact {
                        3
                    } else if f.starts {
                        2
                    } else {
                        0
                    }
            })
            .saturating_mul(1000),
        }
    }
}

/// bm25 as the dialect has it: ⌊1000 × (½ + Σ tf · idf / (tf + 1.2))⌋, over (tf, idf) of the words in the row.
pub(super) fn bm25(words: impl Iterator<Item = (u32, f32)>) -> i64 {
    let mut sum = 0.5f32;
    for (tf, idf) in words {
        let tf = tf as f32;
        sum += tf / (tf + 1.2) * idf;
    }
    (sum * 1000.0) as i64
}
