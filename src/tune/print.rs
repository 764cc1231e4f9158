//! The answer for people: a table with a small plot in each line, and the lines to paste.

use std::fmt::Write as _;

use super::load::Load;
use super::settings::{Outcome, best, end_us};
use crate::merge::simulate::Report;

/// Characters of a plot.
const PLOT_WIDTH: usize = 40;

/// What is played, in two lines and a warning.
pub(super) fn heading(load: &Load) -> String {
    let mb = |bytes: u64| bytes as f64 / 1e6;
    let mut out = format!(
        "{} rows/s of {} bytes for {} min, a flush of {:.0} MB every {:.1} s, cutoff {}\n",
        load.rows_per_second,
        load.row_bytes,
        load.seconds / 60,
        mb(load.flush_bytes),
        load.flush_rows() as f64 / load.rows_per_second as f64,
        load.cutoff
    );
    let _ = writeln!(
        out,
        "{} cores, of which the load takes {:.1}; a merge thread does {:.0} MB/s, a flush {:.0} MB/s",
        load.cores,
        load.load_cores,
        mb(load.merge_speed),
        mb(load.flush_speed)
    );
    if let Some(asked) = load.asked_rows_per_second {
        let _ = writeln!(out, "note: {asked} rows/s are more than the cores can insert; see --cores and --insert-cost");
    }
    out
}

/// One line for each outcome, the best marked, and the configuration for it.
pub(super) fn table(outcomes: &[Outcome], cutoff: u32) -> String {
    let best = best(outcomes);
    let end = outcomes.iter().map(|o| end_us(&o.report)).max().unwrap_or(0);
    let peak = outcomes.iter().map(|o| o.report.chunks_peak).max().unwrap_or(0);
    let mut out = String::from("  slots  fan-in  compacted      tail  chunks: loaded  peak   end  written  chunks over time\n");
    for outcome in outcomes {
        let report = &outcome.report;
        let mark = if best.is_some_and(|best| std::ptr::eq(best, outcome)) { '*' } else { ' ' };
        let _ = writeln!(
            out,
            "{mark} {:>5}  {:>6}  {:>9}  {:>8}  {:>14}  {:>4}  {:>4}  {:>6.2}x  {}",
            outcome.slots,
            outcome.fan_in,
            clock(end_us(report)),
            clock(end_us(report) - report.loaded_us),
            report.chunks_loaded,
            report.chunks_peak,
            report.chunks.len(),
            report.write_amplification(),
            plot(report, end, peak)
        );
    }
    let _ = writeln!(out, "plots: 0 to {} from left to right, 0 to {peak} chunks in height; * the best", clock(end));
    if let Some(best) = best {
        out += &lines_to_paste(best, cutoff);
    }
    out
}

fn lines_to_paste(best: &Outcome, cutoff: u32) -> String {
    let mut out = String::from("\nsearchd {\n");
    for (name, setting) in [("parallel_chunk_merges", best.slots), ("merge_chunks_per_job", best.fan_in)] {
        let _ = match setting.0 {
            Some(number) => writeln!(out, "    {name} = {number}"),
            None => writeln!(out, "    # {name}: leave it unset"),
        };
    }
    let _ = writeln!(out, "    optimize_cutoff = {cutoff}\n}}");
    out
}

/// Chunks over time from 0 to `end_us`, each character the most chunks of its time, in eighths of `peak`.
fn plot(report: &Report, end_us: u64, peak: usize) -> String {
    const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let mut most = [0usize; PLOT_WIDTH];
    let place = |at: u64| (u128::from(at) * PLOT_WIDTH as u128 / u128::from(end_us.max(1))).min(PLOT_WIDTH as u128 - 1) as usize;
    for (n, (from, chunks)) in report.curve.iter().enumerate() {
        let to = report.curve.get(n + 1).map_or(end_us, |(at, _)| *at);
        for slot in &mut most[place(*from)..=place(to.max(*from))] {
            *slot = (*slot).max(*chunks);
        }
    }
    most.iter().map(|chunks| HEIGHTS[(chunks * 8).div_ceil(peak.max(1)).min(8)]).collect()
}

/// Minutes and seconds.
fn clock(us: u64) -> String {
    let tenths = us / 100_000;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::super::arguments::Setting;
    use super::super::arguments::tests::arguments;
    use super::super::server::Measured;
    use super::super::settings::play_all;
    use super::*;
    use crate::merge::ChunkStats;
    use crate::types::ChunkId;

    fn outcome(slots: Option<usize>, fan_in: Option<usize>, (compacted_us, merged): (u64, u64), curve: &[(u64, usize)]) -> Outcome {
        let report = Report {
            loaded_us: 60_000_000,
            compacted_us,
            chunks_loaded: 9,
            chunks_peak: curve.iter().map(|(_, chunks)| *chunks).max().unwrap_or(0),
            bytes_flushed: 1000,
            bytes_merged: merged,
            curve: curve.to_vec(),
            chunks: vec![ChunkStats::new(ChunkId(1), 1, 1, 0); 4],
            ..Report::default()
        };
        Outcome { slots: Setting(slots), fan_in: Setting(fan_in), report }
    }

    #[test]
    fn the_table_of_fixed_outcomes() {
        let curve = |peak| vec![(0, 0), (20_000_000, peak / 2), (40_000_000, peak), (60_000_000, peak / 4), (80_000_000, 4)];
        let outcomes = [
            outcome(None, None, (80_000_000, 2000), &curve(16)),
            outcome(Some(1), Some(2), (120_000_000, 3000), &curve(40)),
            outcome(Some(2), Some(5), (82_000_000, 1500), &curve(20)),
        ];
        assert_eq!(format!("\n{}", table(&outcomes, 4)), TABLE);
    }

    const TABLE: &str = "
  slots  fan-in  compacted      tail  chunks: loaded  peak   end  written  chunks over time
  unset   unset     1:20.0    0:20.0               9    16     4    3.00x        ▂▂▂▂▂▂▂▄▄▄▄▄▄▄▄▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
      1       2     2:00.0    1:00.0               9    40     4    4.00x        ▄▄▄▄▄▄▄████████▂▂▂▂▂▂▁▁▁▁▁▁▁▁▁▁▁▁▁
*     2       5     1:22.0    0:22.0               9    20     4    2.50x        ▂▂▂▂▂▂▂▄▄▄▄▄▄▄▄▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
plots: 0 to 2:00.0 from left to right, 0 to 40 chunks in height; * the best

searchd {
    parallel_chunk_merges = 2
    merge_chunks_per_job = 5
    optimize_cutoff = 4
}
";

    #[test]
    fn the_heading_tells_what_was_played_and_what_cannot_be() {
        let line = "--rate 500000 --row-bytes 400 --cutoff 4 --minutes 2 --slots 1 --fanin 2 --flush-size 100";
        let arguments = arguments(line).unwrap_or_else(|e| panic!("{e}"));
        let load = Load::new(&arguments, &Measured::default(), 2);
        let want = "\
235294 rows/s of 400 bytes for 2 min, a flush of 105 MB every 1.1 s, cutoff 4
2 cores, of which the load takes 2.0; a merge thread does 400 MB/s, a flush 160 MB/s
note: 500000 rows/s are more than the cores can insert; see --cores and --insert-cost
";
        assert_eq!(heading(&load), want);
        // What the engine chooses is always played, and first, so that it is best where nothing is better.
        let outcomes = play_all(&load, &arguments.slots, &arguments.fanin).unwrap_or_else(|e| panic!("{e}"));
        let pairs: Vec<_> = outcomes.iter().map(|o| (o.slots.0, o.fan_in.0, o.report.chunks.len())).collect();
        assert_eq!(pairs, [(None, None, 4), (Some(1), Some(2), 4)]);
    }

    #[test]
    fn plots_and_clocks() {
        let report = Report { curve: vec![(0, 1), (50, 8), (75, 4)], ..Report::default() };
        assert_eq!(plot(&report, 100, 8), format!("{}{}{}", "▁".repeat(20), "█".repeat(11), "▄".repeat(9)));
        assert_eq!(plot(&Report::default(), 0, 0), " ".repeat(40));
        assert_eq!([0, 59_960_000, 754_300_000].map(clock), ["0:00.0", "0:59.9", "12:34.3"]);
    }
}
