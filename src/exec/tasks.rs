//! The parts of a snapshot as pieces of work, side by side where there is enough of it.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use super::ExecError;
use super::context::ExecContext;
use super::rows::WalkError;
use crate::chunk::{AnyPart, PartView};

/// Rows of one piece at most: large parts are cut, so that two cores share one big chunk. A multiple of the rows of a page of dead rows.
const PIECE_ROWS: u32 = 131_072;
/// Rows from which on helpers are worth waking.
const PARALLEL_ROWS: u64 = 32_768;

/// A run of rows of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub part: usize,
    pub rows: Range<u32>,
}

/// The pieces that parts with these row counts make, in order.
pub(crate) fn pieces(row_counts: impl Iterator<Item = u32>, cut: bool) -> Vec<Piece> {
    let mut out = Vec::new();
    for (part, rows) in row_counts.enumerate() {
        let mut start = 0;
        while start < rows {
            let end = if cut { rows.min(start.saturating_add(PIECE_ROWS)) } else { rows };
            out.push(Piece { part, rows: start..end });
            start = end;
        }
    }
    out
}

/// What `work` gives for each piece, in the order of the pieces. Ends with the first failure.
pub(crate) fn run<T: Send>(
    pieces: &[Piece],
    parts: &[PartView],
    context: &ExecContext<'_>,
    work: impl Fn(&Piece) -> Result<T, WalkError> + Sync,
) -> Result<Vec<T>, ExecError> {
    let guarded = |piece: &Piece| guard(parts, piece.part, || work(piece));
    let rows: u64 = pieces.iter().map(|p| p.rows.len() as u64).sum();
    match context.pool {
        Some(pool) if pieces.len() > 1 && rows >= PARALLEL_ROWS => pool.install(|| pieces.par_iter().map(guarded).collect()),
        _ => pieces.iter().map(guarded).collect(),
    }
}

/// Runs `work` over a part; a panic inside becomes an error that names the part.
pub(crate) fn guard<T>(parts: &[PartView], part: usize, work: impl FnOnce() -> Result<T, WalkError>) -> Result<T, ExecError> {
    // What a piece of work writes to is its own and is thrown away with the panic.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(WalkError::Exec(error))) => Err(error),
        Ok(Err(WalkError::Chunk(source))) => Err(ExecError::chunk(&name(parts, part), source)),
        Err(panic) => {
            let reason = panic.downcast_ref::<&str>().map(|s| (*s).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
            Err(ExecError::Panicked { part: name(parts, part), reason: reason.unwrap_or_else(|| "panic".to_owned()) })
        }
    }
}

/// What a part is called in messages.
fn name(parts: &[PartView], part: usize) -> String {
    match parts.get(part).map(|p| &p.part) {
        Some(AnyPart::Disk(chunk)) => format!("disk chunk {}", chunk.dir().display()),
        Some(AnyPart::Ram(_)) | None => "RAM chunk".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_parts_are_cut() {
        let piece = |part, rows| Piece { part, rows };
        assert_eq!(pieces([3, 0, 200_000].into_iter(), true), [piece(0, 0..3), piece(2, 0..131_072), piece(2, 131_072..200_000)]);
        assert_eq!(pieces([200_000].into_iter(), false), [piece(0, 0..200_000)]);
    }
}
