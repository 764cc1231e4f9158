//! Whether a dictionary word is one that a wildcard stands for.

use crate::types::{PatternPiece, WordPattern};

/// A pattern made ready for many words.
pub(crate) enum Matcher {
    /// Literals and `*` only: literal runs in order, each found behind the one before.
    Runs { runs: Vec<Vec<u8>>, open_start: bool, open_end: bool },
    /// With `?` or `%`: a walk over all places of the pattern that the word read so far can have led to.
    Places { prefix: Vec<u8>, places: Vec<Place>, now: Vec<bool>, next: Vec<bool> },
}

/// One step of a pattern.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    Char(char),
    One,
    Maybe,
    Any,
}

impl Matcher {
    pub(crate) fn new(pattern: &WordPattern) -> Matcher {
        let pieces = &pattern.pieces;
        let simple = pieces.iter().all(|p| matches!(p, PatternPiece::Literal(_) | PatternPiece::Any));
        if simple {
            let (mut runs, mut open) = (Vec::<Vec<u8>>::new(), true);
            for piece in pieces {
                if let PatternPiece::Literal(text) = piece {
                    match runs.last_mut() {
                        Some(run) if !open => run.extend_from_slice(text.as_bytes()),
                        _ => runs.push(text.as_bytes().to_vec()),
                    }
                }
                open = matches!(piece, PatternPiece::Any);
            }
            let is_any = |piece: Option<&PatternPiece>| matches!(piece, Some(PatternPiece::Any));
            return Matcher::Runs { runs, open_start: is_any(pieces.first()), open_end: is_any(pieces.last()) };
        }
        let mut places = Vec::new();
        for piece in pieces {
            match piece {
                PatternPiece::Literal(text) => places.extend(text.chars().map(Place::Char)),
                PatternPiece::Any => places.push(Place::Any),
                PatternPiece::One => places.push(Place::One),
                PatternPiece::Maybe => places.push(Place::Maybe),
            }
        }
        let prefix = match pieces.first() {
            Some(PatternPiece::Literal(text)) => text.as_bytes().to_vec(),
            _ => Vec::new(),
        };
        let count = places.len() + 1;
        Matcher::Places { prefix, places, now: vec![false; count], next: vec![false; count] }
    }

    /// Whether the pattern stands for `word`. Cost: at most length of the word × length of the pattern.
    pub(crate) fn matches(&mut self, word: &[u8]) -> bool {
        match self {
            Matcher::Runs { runs, open_start, open_end } => match_runs(runs, *open_start, *open_end, word),
            Matcher::Places { prefix, places, now, next } => {
                if !word.starts_with(prefix) {
                    return false;
                }
                let Ok(word) = std::str::from_utf8(word) else { return false };
                now.fill(false);
                now[0] = true;
                close(places, now);
                for c in word.chars() {
                    next.fill(false);
                    for (at, place) in places.iter().enumerate().filter(|(at, _)| now[*at]) {
                        match place {
                            Place::Char(wanted) if *wanted != c => {}
                            Place::Char(_) | Place::One | Place::Maybe => next[at + 1] = true,
                            Place::Any => next[at] = true,
                        }
                    }
                    std::mem::swap(now, next);
                    close(places, now);
                }
                now[places.len()]
            }
        }
    }
}

/// Adds the places that are reached without reading a character.
fn close(places: &[Place], reached: &mut [bool]) {
    for (at, place) in places.iter().enumerate() {
        if reached[at] && matches!(place, Place::Any | Place::Maybe) {
            reached[at + 1] = true;
        }
    }
}

fn match_runs(runs: &[Vec<u8>], open_start: bool, open_end: bool, word: &[u8]) -> bool {
    let (mut rest, mut runs) = (word, runs);
    if !open_start {
        let Some((first, others)) = runs.split_first() else { return open_end || word.is_empty() };
        let Some(behind) = rest.strip_prefix(&first[..]) else { return false };
        if others.is_empty() {
            return open_end || behind.is_empty();
        }
        (rest, runs) = (behind, others);
    }
    if !open_end {
        let Some((last, others)) = runs.split_last() else { return rest.is_empty() };
        let Some(before) = rest.strip_suffix(&last[..]) else { return false };
        (rest, runs) = (before, others);
    }
    for run in runs {
        match find(rest, run) {
            Some(at) => rest = &rest[at + run.len()..],
            None => return false,
        }
    }
    true
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let Some((first, others)) = wanted.split_first() else { return Some(0) };
    let mut at = 0;
    while at + wanted.len() <= text.len() {
        at += text[at..].iter().position(|b| b == first)?;
        if text[at + 1..].starts_with(others) {
            return Some(at);
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(text: &str) -> WordPattern {
        let mut pieces = Vec::new();
        for c in text.chars() {
            match (c, pieces.last_mut()) {
                ('*', _) => pieces.push(PatternPiece::Any),
                ('?', _) => pieces.push(PatternPiece::One),
                ('%', _) => pieces.push(PatternPiece::Maybe),
                (c, Some(PatternPiece::Literal(text))) => text.push(c),
                (c, _) => pieces.push(PatternPiece::Literal(c.into())),
            }
        }
        WordPattern { pieces }
    }

    fn naive(pattern: &[char], word: &[char]) -> bool {
        match pattern.split_first() {
            None => word.is_empty(),
            Some(('*', rest)) => (0..=word.len()).any(|n| naive(rest, &word[n..])),
            Some(('?', rest)) => !word.is_empty() && naive(rest, &word[1..]),
            Some(('%', rest)) => naive(rest, word) || !word.is_empty() && naive(rest, &word[1..]),
            Some((c, rest)) => word.first() == Some(c) && naive(rest, &word[1..]),
        }
    }

    #[test]
    fn characters_are_not_bytes() {
        assert!(Matcher::new(&pattern("stra?e")).matches("straße".as_bytes()));
        assert!(!Matcher::new(&pattern("stra??e")).matches("straße".as_bytes()));
        assert!(Matcher::new(&pattern("*ß*")).matches("straße".as_bytes()));
        assert!(!Matcher::new(&pattern("a?")).matches(b"a\xff"));
    }

    proptest! {
        #[test]
        fn agrees_with_a_plain_search(text in "[abß*?%]{0,8}", word in "[abß]{0,8}") {
            let wanted = naive(&text.chars().collect::<Vec<_>>(), &word.chars().collect::<Vec<_>>());
            prop_assert_eq!(Matcher::new(&pattern(&text)).matches(word.as_bytes()), wanted);
        }
    }
}
