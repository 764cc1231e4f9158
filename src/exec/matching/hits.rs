//! Hits and how operators combine lists of them. Lists are in order of field and position; nothing here knows rows.

/// Where something was found in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    /// Field in the upper half, position of the first word in the lower, so that the order of hits is the order of these numbers.
    pub at: u64,
    /// Position of the first word in the query.
    pub query: u32,
    /// Positions that it covers.
    pub span: u32,
    /// Words that it counts for.
    pub weight: u32,
}

impl Hit {
    pub(super) fn word(field: u8, position: u32, query: u32) -> Hit {
        Hit { at: u64::from(field) << 32 | u64::from(position), query, span: 1, weight: 1 }
    }

    pub(super) fn field(&self) -> u8 {
        (self.at >> 32) as u8
    }

    pub(super) fn position(&self) -> u32 {
        self.at as u32
    }

    /// The first position behind it.
    pub(super) fn end(&self) -> u64 {
        self.at + u64::from(self.span)
    }

    /// Position in the field less position in the query: equal for words that stand as the query has them.
    pub(super) fn shift(&self) -> i64 {
        i64::from(self.position()) - i64::from(self.query)
    }
}

/// Puts hits of several children in order; two at one place in the order of the query.
pub(super) fn order(hits: &mut [Hit]) {
    if !hits.is_sorted() {
        hits.sort_unstable();
    }
}

/// Narrows `starts`, the places where a phrase may begin, to those with one of `hits` `offset` positions behind; for the `first` word
/// that is looked at, fills it instead.
pub(super) fn phrase_starts(hits: &[Hit], offset: u32, first: bool, starts: &mut Vec<u64>) {
    if first {
        starts.extend(hits.iter().filter(|h| h.position() > offset).map(|h| h.at - u64::from(offset)));
        return;
    }
    let mut rest = hits.iter();
    starts.retain(|start| {
        let wanted = start + u64::from(offset);
        // Both ascend, so that each hit is passed once.
        while rest.as_slice().first().is_some_and(|h| h.at < wanted) {
            rest.next();
        }
        rest.as_slice().first().is_some_and(|h| h.at == wanted)
    });
}

/// Hits of a phrase at `starts`, whose words stand at `offsets` and whose first word has position `query`.
pub(super) fn phrase(starts: &[u64], offsets: &[u32], query: u32, out: &mut Vec<Hit>) {
    let span = offsets.last().map_or(1, |offset| offset + 1);
    out.extend(starts.iter().map(|at| Hit { at: *at, query, span, weight: offsets.len() as u32 }));
}

/// Proximity: spans of fewer than `words + distance` positions that hold each of `words` words. `merged` gives (hit, index of its word).
/// A span begins as late as it can; the next one may share all hits with it but the first.
pub(super) fn proximity(merged: &[(Hit, u32)], words: usize, distance: u32, last: &mut Vec<Option<Hit>>, out: &mut Vec<Hit>) {
    last.clear();
    last.resize(words, None);
    let limit = words as u64 + u64::from(distance);
    let mut field = None;
    for (hit, word) in merged {
        if field != Some(hit.field()) {
            field = Some(hit.field());
            last.fill(None);
        }
        last[*word as usize] = Some(*hit);
        let Some(first) = last.iter().try_fold(u64::MAX, |least, h| h.map(|h| least.min(h.at))) else { continue };
        let span = hit.end() - first;
        if span >= limit {
            continue;
        }
        let chosen = || last.iter().flatten();
        let weight = chosen().map(|h| chosen().filter(|o| o.shift() == h.shift()).count()).max().unwrap_or(1) as u32;
        let query = chosen().map(|h| h.query).min().unwrap_or(1);
        out.push(Hit { at: first, query, span: span as u32, weight });
        last.iter_mut().filter(|h| h.is_some_and(|h| h.at == first)).for_each(|h| *h = None);
    }
}

/// Strict order: chains of one hit of each list, each behind the end of the one before it, in one field. Emits the hits of all chains.
pub(super) fn before<'h>(lists: impl Iterator<Item = &'h [Hit]> + Clone, out: &mut Vec<Hit>) {
    let mut rest = lists;
    let Some(first) = rest.next() else { return };
    let mut from = 0;
    'chains: for start in first {
        if start.at < from {
            continue;
        }
        let chain = out.len();
        out.push(*start);
        let mut end = start.end();
        for list in rest.clone() {
            let next = list.partition_point(|h| h.at < end);
            match list.get(next) {
                Some(hit) if hit.field() == start.field() => {
                    out.push(*hit);
                    end = hit.end();
                }
                Some(_) | None => {
                    out.truncate(chain);
                    continue 'chains;
                }
            }
        }
        from = end;
    }
}

/// NEAR: pairs of neighbours in one field, from different lists, with fewer than `distance` positions between the end of one and the start
/// of the other. `merged` gives (hit, 0 for the left list or 1 for the right one).
///
/// A further hit of the list that closed a pair closes another one, which begins at the hit that closed the one before; a hit of the list
/// that opened it begins anew. A pair stands in the query where the hit stands that it begins with.
pub(super) fn near(merged: &[(Hit, u32)], distance: u32, out: &mut Vec<Hit>) {
    let mut open: Option<(Hit, u32)> = None;
    for (hit, side) in merged {
        match open {
            Some((first, opener)) if opener != *side && first.field() == hit.field() && hit.at < first.end() + u64::from(distance) => {
                let span = hit.end().max(first.end()) - first.at;
                out.push(Hit { span: span as u32, weight: first.weight + hit.weight, ..first });
                open = Some((*hit, opener));
            }
            Some(_) | None => open = Some((*hit, *side)),
        }
    }
}

/// NOTNEAR: hits of `left` with no hit of `right` within `distance` positions in the same field, on either side.
pub(super) fn not_near(left: &[Hit], right: &[Hit], distance: u32, out: &mut Vec<Hit>) {
    let distance = u64::from(distance);
    'left: for hit in left {
        for other in right.iter().filter(|o| o.field() == hit.field()) {
            let gap = if other.at >= hit.at { other.at.saturating_sub(hit.end()) } else { hit.at.saturating_sub(other.end()) };
            // Adjacent words are one position apart.
            if gap < distance {
                continue 'left;
            }
        }
        out.push(*hit);
    }
}
