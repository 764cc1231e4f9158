//! Parts of a table without the table: RAM chunks and disk chunks, for the benches of flush and merge.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use chimera::chunk::disk::{self, BuildOptions};
use chimera::chunk::{AnyPart, Lexicon, PartView, RamSegment, SegmentBuilder};
use chimera::storage::Disk;
use chimera::text::Analyzer;
use chimera::types::{Schema, StopToken};

use super::Zipf;

/// The analyzer of a table without options.
pub fn analyzer() -> Analyzer {
    Analyzer::new(&Default::default(), &|_| Err(std::io::ErrorKind::NotFound.into())).expect("no options, nothing to refuse")
}

/// A segment as a part that nothing has changed.
pub fn view(segment: RamSegment) -> PartView {
    PartView::new(AnyPart::Ram(Arc::new(segment)))
}

/// The ladder of RAM merges: four segments of a tier become one of the next.
#[derive(Default)]
pub struct Ladder {
    tiers: Vec<Vec<PartView>>,
}

impl Ladder {
    /// Adds a new segment and merges what is due.
    pub fn push(&mut self, segment: RamSegment) {
        let mut next = view(segment);
        for tier in 0.. {
            if self.tiers.len() == tier {
                self.tiers.push(Vec::new());
            }
            self.tiers[tier].push(next);
            if self.tiers[tier].len() < 4 {
                return;
            }
            let four = std::mem::take(&mut self.tiers[tier]);
            next = view(RamSegment::merge(&four, &StopToken::new()).expect("a merge").0);
        }
    }

    /// The segments, oldest first.
    pub fn into_parts(self) -> Vec<PartView> {
        self.tiers.into_iter().rev().flatten().collect()
    }
}

/// The documents `ids` as segments of one RAM chunk, a thousand to a statement, as tidying leaves them.
pub fn ram_chunk(zipf: &Zipf, schema: &Arc<Schema>, ids: Range<u64>) -> Vec<PartView> {
    let (analyzer, lexicon, mut ladder) = (analyzer(), Lexicon::new(), Ladder::default());
    for from in ids.clone().step_by(1000) {
        let mut builder = SegmentBuilder::new(schema.clone());
        for id in from..(from + 1000).min(ids.end) {
            let (id, values) = zipf.row(id);
            builder.add(&analyzer, id, &values);
        }
        ladder.push(builder.finish(&lexicon));
    }
    ladder.into_parts()
}

/// The documents `ids` as a disk chunk in `dir`.
pub fn disk_chunk(disk: &Arc<dyn Disk>, zipf: &Zipf, schema: &Arc<Schema>, ids: Range<u64>, dir: PathBuf) -> PartView {
    let inputs = ram_chunk(zipf, schema, ids);
    PartView::new(AnyPart::Disk(disk::flush(disk, &inputs, &build_options(schema, dir)).expect("a flush").chunk))
}

/// How a chunk is built where the settings say nothing.
pub fn build_options(schema: &Arc<Schema>, dir: PathBuf) -> BuildOptions {
    let settings = chimera::config::defaults();
    BuildOptions {
        dir,
        table_uuid: 7,
        schema: schema.clone(),
        compression: settings.docstore_compression,
        compression_level: settings.docstore_compression_level,
        block_size: settings.docstore_block_size as usize,
        stop: StopToken::new(),
        throttle: None,
        progress: Arc::default(),
        spare: None,
    }
}
