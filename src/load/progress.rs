//! The live line: one for each process on a terminal, a plain line every few seconds where stderr is none, nothing if quiet.

use std::collections::VecDeque;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;

use super::sending::Tally;
use crate::client::TableState;

/// Times a second that a terminal's line is drawn.
const DRAWS_PER_SECOND: u8 = 5;

/// Time between lines where there is no terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(5);

/// Time over which the rate is taken.
const RATE_OVER: Duration = Duration::from_secs(2);

/// Where progress and errors are shown.
pub(super) struct Progress {
    how: How,
    lines: Mutex<Vec<Line>>,
}

enum How {
    Quiet,
    Plain,
    Terminal(MultiProgress),
}

/// One process.
struct Line {
    bar: Option<ProgressBar>,
    rows: u64,
    unit: &'static str,
    /// Rows at moments of the last seconds.
    recent: VecDeque<(Duration, u64)>,
    /// When a plain line was printed last.
    printed: Duration,
}

impl Progress {
    pub(super) fn new(quiet: bool) -> Progress {
        let target = ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND);
        let how = match (quiet, target.is_hidden()) {
            (true, _) => How::Quiet,
            (false, true) => How::Plain,
            (false, false) => How::Terminal(MultiProgress::with_draw_target(target)),
        };
        Progress { how, lines: Mutex::default() }
    }

    /// Begins a run: for each process the rows to come and what they are called.
    pub(super) fn begin(&self, processes: impl Iterator<Item = (u64, &'static str)>) {
        let lines = processes.map(|(rows, unit)| {
            let bar = match &self.how {
                How::Terminal(all) => Some(all.add(ProgressBar::new(rows).with_style(style()))),
                How::Quiet | How::Plain => None,
            };
            Line { bar, rows, unit, recent: VecDeque::new(), printed: Duration::ZERO }
        });
        *self.lines.lock() = lines.collect();
    }

    /// Shows where a process is.
    pub(super) fn show(&self, process: usize, at: Duration, tally: &Tally, table: Option<&TableState>, waiting: bool) {
        let mut lines = self.lines.lock();
        let Some(line) = lines.get_mut(process) else { return };
        line.recent.push_back((at, tally.rows));
        while line.recent.len() > 2 && line.recent.get(1).is_some_and(|(then, _)| at - *then >= RATE_OVER) {
            line.recent.pop_front();
        }
        let text = line.text(at, tally, table, waiting);
        match &self.how {
            How::Quiet => {}
            How::Plain if at >= line.printed + PLAIN_EVERY => {
                line.printed = at;
                eprintln!("{text}");
            }
            How::Plain => {}
            How::Terminal(_) => {
                if let Some(bar) = &line.bar {
                    bar.set_position(tally.rows);
                    bar.set_message(text);
                }
            }
        }
    }

    /// Prints a line that stays; also if quiet.
    pub(super) fn say(&self, text: &str) {
        match &self.how {
            How::Quiet | How::Plain => eprintln!("{text}"),
            How::Terminal(all) => all.suspend(|| eprintln!("{text}")),
        }
    }

    /// Ends a run: the live lines go.
    pub(super) fn end(&self) {
        for line in self.lines.lock().drain(..) {
            if let Some(bar) = line.bar {
                bar.finish_and_clear();
            }
        }
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:24} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Line {
    fn text(&self, at: Duration, tally: &Tally, table: Option<&TableState>, waiting: bool) -> String {
        let mut text = format!("{:>3}% {} {}", tally.rows * 100 / self.rows.max(1), tally.rows, self.unit);
        if waiting {
            text += &format!("  waiting for merges, {:.0} s", at.as_secs_f64());
        } else {
            let ms = |quantile| tally.latency.value_at_quantile(quantile) as f64 / 1000.0;
            text += &format!("  {}/s  p50 {:.1} ms  p99 {:.1} ms", thousands(self.rate()), ms(0.5), ms(0.99));
        }
        if let Some(chunks) = table.and_then(|table| table.disk_chunks) {
            text += &format!("  chunks {chunks}");
        }
        match table.map(|table| table.optimizing) {
            Some(0) | None => {}
            Some(merges) => text += &format!("  merging {merges}"),
        }
        text
    }

    /// Rows per second over the last seconds.
    fn rate(&self) -> f64 {
        match (self.recent.front(), self.recent.back()) {
            (Some((from, first)), Some((to, last))) if to > from => (last - first) as f64 / (*to - *from).as_secs_f64(),
            _ => 0.0,
        }
    }
}

/// A number of people's size: 980, 12.3k, 4.56M.
pub(super) fn thousands(number: f64) -> String {
    match number {
        n if n < 1000.0 => format!("{n:.0}"),
        n if n < 1_000_000.0 => format!("{:.1}k", n / 1000.0),
        n => format!("{:.2}M", n / 1_000_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_rate_latency_and_chunks() {
        let mut line = Line { bar: None, rows: 1000, unit: "rows", recent: VecDeque::new(), printed: Duration::ZERO };
        line.recent.extend([(Duration::from_secs(1), 100), (Duration::from_secs(3), 2100)]);
        let mut tally = Tally::new();
        tally.rows = 500;
        tally.latency.saturating_record(2000);
        let table = TableState { disk_chunks: Some(7), optimizing: 2, ..TableState::default() };
        let text = line.text(Duration::from_secs(3), &tally, Some(&table), false);
        assert_eq!(text, " 50% 500 rows  1.0k/s  p50 2.0 ms  p99 2.0 ms  chunks 7  merging 2");
        assert_eq!(line.text(Duration::from_secs(3), &tally, None, true), " 50% 500 rows  waiting for merges, 3 s");
        assert_eq!([999.4, 12_345.0, 4_561_000.0].map(thousands), ["999", "12.3k", "4.56M"]);
    }
}
