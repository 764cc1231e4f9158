//! The same answers the slow way: a document is a list of words, and every operator is its definition tried out.

use super::double::{PlainWords, stands_for};
use crate::plan::matching::{FieldSet, Leaf, LookUp, MatchNode, MatchPlan};
use crate::types::{FieldId, WordChars};

/// Words per field; the stopword is a word here that nothing asks for.
pub(super) struct Document {
    fields: Vec<Vec<String>>,
}

/// (field, position, query position, span, weight)
pub(super) type Found = (u8, i64, i64, i64, u32);

impl Document {
    pub(super) fn new(words: &PlainWords, fields: &[&str]) -> Document {
        let split = |text: &&str| {
            let words = text.split(|c| !words.is_word(c)).filter(|w| !w.is_empty());
            words.map(|w| w.to_lowercase()).collect()
        };
        Document { fields: fields.iter().map(split).collect() }
    }

    fn is_word(plan: &MatchPlan, word: usize, text: &str) -> bool {
        match &plan.words[word].look_up {
            LookUp::Word(entry) => entry.strip_prefix('=').unwrap_or(entry) == text,
            LookUp::Pattern(pattern) => {
                let chars: Vec<char> = text.chars().collect();
                stands_for(&pattern.pieces, &chars)
            }
            LookUp::Nothing => false,
        }
    }

    /// Hits of a word in all fields.
    pub(super) fn frequency(&self, plan: &MatchPlan, word: usize) -> u32 {
        self.fields.iter().flatten().filter(|w| Document::is_word(plan, word, w)).count() as u32
    }

    fn leaf(&self, plan: &MatchPlan, leaf: &Leaf) -> Vec<Found> {
        let mut out = Vec::new();
        for (f, words) in self.fields.iter().enumerate() {
            for (i, word) in words.iter().enumerate() {
                let position = i as u32 + 1;
                let allowed = leaf.fields.contains(FieldId(f as u8))
                    && leaf.max_position.is_none_or(|m| position <= m)
                    && (!leaf.start || i == 0)
                    && (!leaf.end || i + 1 == words.len());
                if allowed && Document::is_word(plan, leaf.word, word) {
                    out.push((f as u8, i64::from(position), i64::from(leaf.position), 1, 1));
                }
            }
        }
        out
    }

    /// Hits of a node, None where it does not match. `used` collects the words that take part.
    pub(super) fn find(&self, plan: &MatchPlan, node: &MatchNode, used: &mut Vec<usize>) -> Option<Vec<Found>> {
        let mut out = Vec::new();
        match node {
            MatchNode::All(_) => return Some(out),
            MatchNode::Nothing => return None,
            MatchNode::Leaf(leaf) => {
                out = self.leaf(plan, leaf);
                used.push(leaf.word);
            }
            MatchNode::And(list) => {
                for child in list {
                    out.extend(self.find(plan, child, used)?);
                }
                out.sort_unstable();
                return Some(out);
            }
            MatchNode::Or(list) => {
                let mut any = false;
                for child in list {
                    let mut words = Vec::new();
                    if let Some(hits) = self.find(plan, child, &mut words) {
                        any = true;
                        out.extend(hits);
                        used.extend(words);
                    }
                }
                out.sort_unstable();
                return any.then_some(out);
            }
            MatchNode::AndNot(base, not) => {
                out = self.find(plan, base, used)?;
                return (!not.iter().any(|n| self.find(plan, n, &mut Vec::new()).is_some())).then_some(out);
            }
            MatchNode::Maybe(base, more) => {
                out = self.find(plan, base, used)?;
                let mut words = Vec::new();
                if let Some(hits) = self.find(plan, more, &mut words) {
                    out.extend(hits);
                    used.extend(words);
                }
                out.sort_unstable();
                return Some(out);
            }
            MatchNode::Phrase(words) => {
                let lists: Vec<_> = words.iter().map(|w| self.leaf(plan, &w.leaf)).collect();
                let span = i64::from(words[words.len() - 1].offset) + 1;
                for hit in &lists[0] {
                    let stands = |(w, list): (_, &Vec<Found>)| {
                        let word: &crate::plan::matching::PhraseWord = w;
                        list.iter().any(|h| h.0 == hit.0 && h.1 == hit.1 + i64::from(word.offset))
                    };
                    if words.iter().zip(&lists).all(stands) {
                        out.push((hit.0, hit.1, hit.2, span, words.len() as u32));
                    }
                }
                used.extend(words.iter().map(|w| w.leaf.word));
            }
            MatchNode::Proximity(words, distance) => {
                // Whether it matches is what is compared: some window of the allowed size holds every word.
                used.extend(words.iter().map(|w| w.word));
                let lists: Vec<_> = words.iter().map(|w| self.leaf(plan, w)).collect();
                let size = (words.len() as i64 + i64::from(*distance)).min(1_000) - 1;
                for (f, text) in self.fields.iter().enumerate() {
                    for start in 1..=text.len() as i64 {
                        let inside = |h: &Found| usize::from(h.0) == f && h.1 >= start && h.1 < start + size;
                        if lists.iter().all(|l| l.iter().any(inside)) {
                            out.push((f as u8, start, 1, size, 1));
                        }
                    }
                }
            }
            MatchNode::Quorum(words, need) => {
                let mut distinct: Vec<(&Leaf, u32)> = Vec::new();
                for word in words {
                    match distinct.iter_mut().find(|(l, _)| l.word == word.word) {
                        Some((_, times)) => *times += 1,
                        None => distinct.push((word, 1)),
                    }
                }
                let mut count = 0;
                for (leaf, times) in distinct {
                    let hits = self.leaf(plan, leaf);
                    count += times.min(hits.len() as u32);
                    if !hits.is_empty() {
                        used.push(leaf.word);
                    }
                    out.extend(hits);
                }
                out.sort_unstable();
                return (count >= *need).then_some(out);
            }
            MatchNode::Before(list) => {
                let lists: Vec<_> = list.iter().map(|n| self.find(plan, n, used)).collect::<Option<_>>()?;
                for f in 0..self.fields.len() {
                    let mut end = 0;
                    let chain = lists.iter().all(|list| {
                        let next = list.iter().filter(|h| usize::from(h.0) == f && h.1 >= end).min_by_key(|h| (h.1, h.3));
                        next.inspect(|h| end = h.1 + h.3).is_some()
                    });
                    if chain {
                        out.push((f as u8, 1, 1, 1, 1));
                    }
                }
            }
            MatchNode::Near(a, b, distance) => {
                let (left, right) = (self.find(plan, a, used)?, self.find(plan, b, used)?);
                for x in &left {
                    for y in &right {
                        let (first, second) = if x.1 <= y.1 { (x, y) } else { (y, x) };
                        if x.0 == y.0 && second.1 < first.1 + first.3 + i64::from(*distance) {
                            out.push(*first);
                        }
                    }
                }
            }
            MatchNode::NotNear(a, b, distance) => {
                let left = self.find(plan, a, used)?;
                let right = self.find(plan, b, &mut Vec::new()).unwrap_or_default();
                for x in left {
                    let close = |y: &Found| {
                        let gap = if y.1 >= x.1 { y.1 - (x.1 + x.3) } else { x.1 - (y.1 + y.3) };
                        y.0 == x.0 && gap < i64::from(*distance)
                    };
                    if !right.iter().any(close) {
                        out.push(x);
                    }
                }
            }
        }
        (!out.is_empty()).then_some(out)
    }
}

/// Σ of the longest runs × 1000: a run goes on while hits stand as the query has them.
pub(super) fn runs(hits: &[Found], field_count: usize) -> i64 {
    let mut sum = 0;
    for f in FieldSet::all(field_count).iter() {
        let hits: Vec<&Found> = hits.iter().filter(|h| h.0 == f.0).collect();
        let mut best = 0;
        for start in 0..hits.len() {
            let (mut length, mut end) = (i64::from(hits[start].4), start);
            while end + 1 < hits.len() && hits[end + 1].1 != hits[end].1 && hits[end + 1].1 - hits[end + 1].2 == hits[end].1 - hits[end].2 {
                end += 1;
                length += i64::from(hits[end].4);
            }
            best = best.max(length);
        }
        sum += best * 1000;
    }
    sum
}
