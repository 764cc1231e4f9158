//! The command line: options of one process of settings, and `--together` between several.

#![expect(rustdoc::invalid_html_tags, reason = "the doc comments are what --help prints, patterns in their brackets")]

use std::ffi::OsString;

use clap::{Args, Parser, ValueEnum};

use crate::client::Address;

/// The whole command line of `chimera load`, as words: each process of settings is read on its own, after `--together` is taken out.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub struct Words {
    /// Options of the load; see `chimera load --help`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl Words {
    /// Reads the words. Help and mistakes end the program, as clap does it.
    pub(super) fn read(self) -> Vec<Process> {
        split(self.words).unwrap_or_else(|error| error.exit())
    }
}

/// Order in which several statements are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Distribution {
    /// One after another, from the first again.
    Sequential,
    /// Any of them each time.
    Random,
}

/// Load a table from made-up rows, or send it made-up queries, and report rate, latencies and what happens to its chunks.
///
/// Patterns in --load are replaced by values, anew for each row:
///   <increment>                    1, 2, 3 …; <increment/N> from N on; <increment/N/M> from N to M, then from N again
///   <text/MIN/MAX>                 MIN to MAX words; <text/{file}/MIN/MAX> words of a file, each as often as it stands there
///   <string/MIN/MAX>               MIN to MAX letters and digits
///   <int/MIN/MAX> <float/MIN/MAX>  a number of the range, both ends included
///   <boolean>                      0 or 1
///   <array/MIN/MAX/LOW/HIGH>       MIN to MAX whole numbers from LOW to HIGH, in parentheses unless the pattern stands in some
///   <array_float/MIN/MAX/LOW/HIGH> the same with fractions
///
/// Numbers with commas between them (--threads=1,2,4 --batch-size=100,1000) are a grid: each combination runs by itself, --drop and
/// --init included. `--together` ends the options of one process of settings and begins the next; all run at the same time, and
/// --host and --port are taken over from the one before. Ctrl-C ends the load after the statements that run and prints the report;
/// a second one ends at once. Exit code: 0, 1 if anything failed, 130 if interrupted.
#[derive(Parser, Clone, PartialEq, Debug)]
#[command(name = "chimera load", verbatim_doc_comment, max_term_width = 140)]
pub(super) struct Process {
    /// Host of the server [default: 127.0.0.1]
    #[arg(long)]
    host: Option<String>,
    /// Port of the MySQL protocol [default: 9306]
    #[arg(long)]
    port: Option<u16>,
    /// Statement to run before the load, on one connection; may be given several times
    #[arg(long, value_name = "SQL")]
    pub init: Vec<String>,
    /// Statement to send, with patterns; may be given several times. Rows of INSERT and REPLACE … VALUES are put together
    #[arg(long, value_name = "SQL", required = true)]
    pub load: Vec<String>,
    /// Which statement comes next where --load is given several times
    #[arg(long, value_enum, default_value = "sequential", value_name = "ORDER")]
    pub load_distribution: Distribution,
    /// Drop the table first; its name is taken from --init or --load
    #[arg(long)]
    pub drop: bool,
    /// Rows of one INSERT or REPLACE; of other statements, how many are sent at once
    #[arg(long, value_delimiter = ',', default_value = "1", value_name = "N[,N…]", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub batch_size: Vec<u64>,
    /// Connections that send at the same time
    #[arg(long, value_delimiter = ',', default_value = "1", value_name = "N[,N…]", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub threads: Vec<u64>,
    /// Rows to write, or other statements to send
    #[arg(long, value_delimiter = ',', required = true, value_name = "N[,N…]", value_parser = clap::value_parser!(u64).range(1..1 << 48))]
    pub total: Vec<u64>,
    /// How often the load is sent: the same random values again, while <increment> goes on
    #[arg(long, value_delimiter = ',', default_value = "1", value_name = "N[,N…]", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub iterations: Vec<u64>,
    /// Threads that make statements ahead of those that send them
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=256))]
    pub cache_gen_workers: u64,
    /// Megabytes of statements that are made ahead; what fits is made before the clock starts
    #[arg(long, default_value_t = 64, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub cache_size: u64,
    /// After the load, wait until the table has no merge running or due
    #[arg(long)]
    pub wait: bool,
    /// Seed of all random values
    #[arg(long, default_value_t = 42, value_name = "N")]
    pub seed: u64,
    /// Different words in <text/MIN/MAX>
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=5_000_000))]
    pub vocabulary: u64,
    /// How much more often the frequent words come: Zipf's exponent, 0 = all words alike, 1 = as in natural language
    #[arg(long, default_value_t = 1.0, value_name = "S", value_parser = parse_skew)]
    pub skew: f64,
    /// Print no progress, and of each process one line of values with semicolons between them, below a line of names
    #[arg(long)]
    pub quiet: bool,
    /// Print each report as one line of JSON
    #[arg(long)]
    pub json: bool,
    /// One more value of the reports, for tables of several runs; may be given several times
    #[arg(long, value_name = "NAME/VALUE", value_parser = parse_column)]
    pub column: Vec<(String, String)>,
}

impl Process {
    pub(super) fn address(&self) -> Address {
        Address { host: self.host.clone().unwrap_or_else(|| "127.0.0.1".to_owned()), port: self.port.unwrap_or(9306) }
    }
}

fn parse_skew(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|skew| (0.0..=5.0).contains(skew)).ok_or_else(|| "a number from 0 to 5 expected".to_owned())
}

fn parse_column(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('/').ok_or("NAME/VALUE expected")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// One process for each part between `--together`s.
fn split(words: Vec<OsString>) -> Result<Vec<Process>, clap::Error> {
    let mut processes: Vec<Process> = Vec::new();
    for part in words.split(|word| word == "--together") {
        let mut process = Process::try_parse_from([OsString::from("chimera load")].iter().chain(part))?;
        if let Some(before) = processes.last() {
            process.host = process.host.or_else(|| before.host.clone());
            process.port = process.port.or(before.port);
        }
        processes.push(process);
    }
    Ok(processes)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::load) fn processes(words: &[&str]) -> Result<Vec<Process>, clap::Error> {
        split(words.iter().map(OsString::from).collect())
    }

    #[test]
    fn the_published_line_is_read() {
        let read = processes(&[
            "--cache-gen-workers=5",
            "--drop",
            "--batch-size=1000",
            "--threads=5",
            "--total=10000000",
            "--init=CREATE TABLE test(id bigint, name text, type int) optimize_cutoff='16'",
            "--load=INSERT INTO test(id,name,type) VALUES(<increment>,'<text/10/100>',<int/1/100>)",
            "--wait",
        ])
        .unwrap_or_else(|e| panic!("{e}"));
        let [process] = read.as_slice() else { panic!("{read:?}") };
        assert_eq!((process.cache_gen_workers, &*process.batch_size, &*process.threads), (5, &[1000][..], &[5][..]));
        assert_eq!((&*process.total, process.drop, process.wait, process.quiet), (&[10_000_000][..], true, true, false));
        assert_eq!(process.address().to_string(), "127.0.0.1:9306");
    }

    #[test]
    fn processes_take_over_the_server() {
        let load = "--load=SELECT 1";
        let read =
            processes(&["--port=1", load, "--total=1", "--together", load, "--total=2,3", "--together", "--port=2", load, "--total=4"])
                .unwrap_or_else(|e| panic!("{e}"));
        let seen: Vec<(u16, &[u64])> = read.iter().map(|p| (p.address().port, &*p.total)).collect();
        assert_eq!(seen, [(1, &[1][..]), (1, &[2, 3]), (2, &[4])]);
    }

    #[test]
    fn mistakes_are_told() {
        for (words, want) in [
            (&["--load=SELECT 1"][..], "--total"),
            (&["--total=1"], "--load"),
            (&["--load=a", "--total=0"], "0 is not in 1.."),
            (&["--load=a", "--total=1", "--threads=1,x"], "invalid value 'x'"),
            (&["--load=a", "--total=1", "--column=x"], "NAME/VALUE expected"),
            (&["--load=a", "--total=1", "--skew=-1"], "a number from 0 to 5"),
            (&["--load=a", "--total=1", "--load-distribution=other"], "sequential, random"),
            (&["--load=a", "--total=1", "--together"], "--load"),
            (&["--load=a", "--total=1", "--bath-size=3"], "--batch-size"),
        ] {
            let error = processes(words).err().unwrap_or_else(|| panic!("{words:?}")).to_string();
            assert!(error.contains(want), "{words:?}: {error}");
        }
    }
}
