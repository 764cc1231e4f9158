//! The command line.

use clap::Args;

/// A number, or what the engine chooses by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Setting(pub Option<usize>);

impl Setting {
    /// A value of `parallel_chunk_merges`.
    fn slots(text: &str) -> Result<Setting, String> {
        Setting::within(text, 1, 256)
    }

    /// A value of `merge_chunks_per_job`.
    fn fan_in(text: &str) -> Result<Setting, String> {
        Setting::within(text, 2, 1024)
    }

    fn within(text: &str, least: usize, most: usize) -> Result<Setting, String> {
        match text.parse() {
            _ if text == "unset" => Ok(Setting(None)),
            Ok(number) if (least..=most).contains(&number) => Ok(Setting(Some(number))),
            _ => Err(format!("a number from {least} to {most}, or unset, expected")),
        }
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(number) => f.pad(&number.to_string()),
            None => f.pad("unset"),
        }
    }
}

/// Play a load against merge settings in a simulator, and say which are best.
///
/// The load is an even stream of rows for some minutes. For each pair of settings: how long until the table is compacted, how many
/// chunks pile up, how often bytes are written, and the number of chunks over time. The settings as the engine chooses them are always
/// in the table. Speeds are a model: the figures compare settings, they promise no seconds.
#[derive(Args, Clone, Debug)]
#[command(max_term_width = 140)]
pub struct Arguments {
    /// Rows inserted per second [default: 100000, or as measured with --from-table]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(super) rate: Option<u64>,
    /// Bytes of a row in a disk chunk [default: 400, or as the table has]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub(super) row_bytes: Option<u64>,
    /// Chunks that automatic merging goes down to [default: 16, or the table's]
    #[arg(long, value_name = "CHUNKS", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) cutoff: Option<u32>,
    /// How long the load lasts
    #[arg(long, default_value_t = 10, value_name = "MINUTES", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(super) minutes: u64,
    /// Values of parallel_chunk_merges to try
    #[arg(long, value_delimiter = ',', default_value = "1,2,4", value_name = "N[,N…]", value_parser = Setting::slots)]
    pub(super) slots: Vec<Setting>,
    /// Values of merge_chunks_per_job to try
    #[arg(long, value_delimiter = ',', default_value = "2,4,5,8", value_name = "N[,N…]", value_parser = Setting::fan_in)]
    pub(super) fanin: Vec<Setting>,
    /// Megabytes of a table's RAM chunk at which it is flushed (rt_mem_limit) [default: 128, or the table's]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(super) mem_limit: Option<u64>,
    /// Megabytes that a flush writes as a chunk [default: the RAM chunk's × 0.77, or as measured with --from-table]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(super) flush_size: Option<u64>,
    /// Cores of the machine [default: this machine's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(super) cores: Option<u64>,
    /// Megabytes that one merge thread reads per second [default: 1000000 rows, or as measured with --from-table]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(super) merge_speed: Option<u64>,
    /// Megabytes that a flush writes per second [default: 400000 rows]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(super) flush_speed: Option<u64>,
    /// Microseconds of a core that inserting a row takes, flush included
    #[arg(long, default_value_t = 8.5, value_name = "US", value_parser = parse_microseconds)]
    pub(super) insert_cost: f64,
    /// Take rate, sizes and cutoff from this table of a running server, as far as no option says otherwise
    #[arg(long, value_name = "TABLE")]
    pub(super) from_table: Option<String>,
    /// Seconds over which the rate of --from-table is measured
    #[arg(long, default_value_t = 10, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) sample: u64,
    /// Host of the server for --from-table
    #[arg(long, default_value = "127.0.0.1")]
    pub(super) host: String,
    /// Port of the MySQL protocol for --from-table
    #[arg(long, default_value_t = 9306)]
    pub(super) port: u16,
}

fn parse_microseconds(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|us| (0.0..=1e6).contains(us)).ok_or_else(|| "a number from 0 to 1000000 expected".to_owned())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    pub(in crate::tune) fn arguments(line: &str) -> Result<Arguments, clap::Error> {
        Line::try_parse_from(["tune"].into_iter().chain(line.split_whitespace())).map(|line| line.arguments)
    }

    #[test]
    fn lists_may_hold_what_the_engine_chooses() {
        let read = arguments("--rate 100000 --row-bytes 400 --cutoff 16 --minutes 10 --slots 1,2,unset --fanin 2,unset");
        let read = read.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(read.slots, [Setting(Some(1)), Setting(Some(2)), Setting(None)]);
        assert_eq!(format!("{:>6}|{:<6}", read.fanin[0], read.fanin[1]), "     2|unset ");
        for wrong in ["--slots 0", "--fanin 1", "--slots 300", "--slots 1,x", "--minutes 0", "--insert-cost -1", "--row-bytes 0"] {
            assert!(arguments(wrong).is_err(), "{wrong}");
        }
    }
}
