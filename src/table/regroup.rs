//! Which rows of which inputs go into which output, when several chunks become several.
//!
//! The alive rows of all inputs stand in a row and are cut where the bytes of an output are reached; an output takes whole inputs and at
//! most two cut ones. Rows beyond a cut are marked dead for that build, so that an ordinary merge writes exactly the rest.
//!
//! ```text
//! inputs     aaaaaaa bbbbbbbbbbbb cccc
//! outputs    └────1────┘└───2───┘└─3─┘
//! ```

use crate::chunk::{AnyPart, PartView};
use crate::types::RowId;

/// Plans of the outputs, in order: per output the inputs that it takes rows of, as (place of the input, view to merge).
/// `sizes` are the bytes wanted of each output; a last one takes what is left. Outputs without rows are left out.
pub fn split(inputs: &[(usize, PartView)], sizes: &[u64]) -> Vec<Vec<(usize, PartView)>> {
    // Bytes of one alive row of an input, supposing that all its rows are alike.
    let row_bytes = |view: &PartView| match &view.part {
        AnyPart::Disk(chunk) => chunk.size_bytes() as f64 / f64::from(view.part.row_count().max(1)),
        AnyPart::Ram(_) => 1.0,
    };
    let mut plans: Vec<Vec<(usize, PartView)>> = vec![Vec::new()];
    let mut sizes = sizes.iter();
    let mut room = sizes.next().map_or(f64::INFINITY, |s| *s as f64);
    for (place, view) in inputs {
        let (bytes, alive) = (row_bytes(view), view.alive_count());
        let mut from = 0;
        while from < alive {
            let fitting = (room / bytes).round().max(0.0);
            let take = if sizes.len() == 0 { alive - from } else { (alive - from).min(fitting as u32) };
            if take > 0 {
                if let Some(plan) = plans.last_mut() {
                    plan.push((*place, only(view, from, from + take)));
                }
                room -= f64::from(take) * bytes;
                from += take;
            }
            if from < alive {
                // The output is full; the next one begins inside this input.
                plans.push(Vec::new());
                room = sizes.next().map_or(f64::INFINITY, |s| *s as f64);
            }
        }
    }
    plans.retain(|plan| !plan.is_empty());
    plans
}

/// `view` with all but its alive rows number `from..to` dead.
fn only(view: &PartView, from: u32, to: u32) -> PartView {
    if from == 0 && to == view.alive_count() {
        return view.clone();
    }
    let alive = (0..view.part.row_count()).map(RowId).filter(|row| !view.dead.contains(*row));
    let outside = alive.enumerate().filter(|(n, _)| (*n as u32) < from || *n as u32 >= to).map(|(_, row)| row);
    PartView { dead: view.dead.with(outside), ..view.clone() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::chunk::{Lexicon, SegmentBuilder};
    use crate::text::Analyzer;
    use crate::types::{DocId, Schema};

    fn view(ids: std::ops::Range<u64>, dead: &[u32]) -> PartView {
        let analyzer = Analyzer::new(&BTreeMap::new(), &|_| Err(std::io::ErrorKind::NotFound.into())).expect("defaults");
        let mut builder = SegmentBuilder::new(Arc::new(Schema::default()));
        for id in ids {
            builder.add(&analyzer, DocId(id), &[]);
        }
        let mut view = PartView::new(AnyPart::Ram(Arc::new(builder.finish(&Lexicon::new()))));
        view.dead = view.dead.with(dead.iter().map(|r| RowId(*r)));
        view
    }

    /// Ids of each output; a row of RAM counts as one byte.
    fn check(inputs: &[PartView], sizes: &[u64]) -> Vec<Vec<u64>> {
        let inputs: Vec<(usize, PartView)> = inputs.iter().cloned().enumerate().collect();
        let ids = |(_, view): &(usize, PartView)| {
            let alive = (0..view.part.row_count()).map(RowId).filter(|r| !view.dead.contains(*r));
            alive.map(|r| view.part.doc_id(r).0).collect::<Vec<_>>()
        };
        split(&inputs, sizes).iter().map(|plan| plan.iter().flat_map(ids).collect()).collect()
    }

    #[test]
    fn alive_rows_are_cut_where_an_output_is_full() {
        let inputs = [view(1..8, &[]), view(8..20, &[0, 11]), view(20..24, &[])];
        assert_eq!(check(&inputs, &[9, 8, 4]), [vec![1, 2, 3, 4, 5, 6, 7, 9, 10], (11..19).collect(), (20..24).collect()]);
        assert_eq!(check(&inputs, &[100]), [(1..8).chain(9..19).chain(20..24).collect::<Vec<_>>()]);
        assert_eq!(check(&inputs, &[7, 7])[0], (1..8).collect::<Vec<_>>());
        assert_eq!(check(&[view(1..3, &[0, 1])], &[1, 1]), Vec::<Vec<u64>>::new());
    }
}
