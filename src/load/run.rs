//! The doer: sets up each run, starts its threads, shows where it is and prints the reports.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::ahead::{Ahead, Plan};
use super::arguments::Process;
use super::errors::Errors;
use super::grid::{Cell, expand};
use super::monitor::{Chunks, Monitor};
use super::pattern::Words;
use super::progress::Progress;
use super::report::Report;
use super::sending::{Sending, Tally};
use super::statement::{StatementTemplate, table_name};
use super::vocabulary::Vocabulary;
use crate::client::Client;
use crate::storage::{Disk, RealDisk};

/// Time between two looks at a run.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long the state of the table after the load may take to come.
const LAST_LOOK_MAX: Duration = Duration::from_secs(5);

/// The shell's convention for a process that SIGINT ended.
const INTERRUPTED: u8 = 130;

/// Runs the command line: the whole of `chimera load`.
pub fn run(words: super::Words) -> ExitCode {
    match run_all(&words.read()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run_all(processes: &[Process]) -> Result<ExitCode, String> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag down, the second one up.
        flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), stop.clone())
            .and_then(|_| flag::register(signal, stop.clone()))
            .map_err(|error| format!("signals cannot be heard: {error}"))?;
    }
    let (quiet, json) = (processes.iter().any(|p| p.quiet), processes.iter().any(|p| p.json));
    let progress = Progress::new(quiet);
    let mut failed = false;
    let mut heading = None;
    for cells in expand(processes) {
        if stop.load(Ordering::Acquire) {
            break;
        }
        let reports = run_once(processes, &cells, &stop, &progress)?;
        for report in &reports {
            failed |= report.errors > 0;
            if json {
                println!("{}", report.json());
            } else if quiet {
                let (names, values) = report.quiet();
                if heading.as_ref() != Some(&names) {
                    println!("{names}");
                    heading = Some(names);
                }
                println!("{values}");
            } else {
                println!("{}", report.text());
            }
        }
    }
    Ok(if stop.load(Ordering::Acquire) {
        ExitCode::from(INTERRUPTED)
    } else if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// One process of one run, ready to start.
struct Prepared<'a> {
    process: &'a Process,
    cell: Cell,
    unit: &'static str,
    table: Option<String>,
    sending: Sending,
    clients: Vec<Client>,
    monitor: Monitor,
}

fn prepare<'a>(process: &'a Process, cell: Cell, stop: &Arc<AtomicBool>) -> Result<Prepared<'a>, String> {
    let built_in = Arc::new(Vocabulary::built_in(process.vocabulary as usize, process.skew, process.seed));
    let mut words = Words { built_in, read: &read_text, files: FxHashMap::default() };
    let templates = process.load.iter().map(|text| StatementTemplate::read(text, &mut words));
    let templates = templates.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let named = process.init.iter().find_map(|text| table_name(text));
    let table = named.or_else(|| templates.iter().find_map(|template| template.table().map(str::to_owned)));
    if table.is_none() && (process.drop || process.wait) {
        return Err("--drop and --wait need a table: neither --init nor --load names one".to_owned());
    }

    let address = process.address();
    let connect = || Client::connect(&address).map_err(|error| error.to_string());
    let mut client = connect()?;
    let drop = table.as_deref().filter(|_| process.drop).map(|table| format!("DROP TABLE IF EXISTS {}", quoted(table)));
    for statement in drop.iter().chain(&process.init) {
        client.run(statement).map_err(|error| format!("{error}, for: {statement}"))?;
    }
    let clients = [Ok(client)].into_iter().chain((1..cell.threads).map(|_| connect())).collect::<Result<Vec<_>, _>>()?;

    let unit = if templates.iter().all(StatementTemplate::is_insert) { "rows" } else { "statements" };
    let plan = Plan { templates, distribution: process.load_distribution, cell, seed: process.seed };
    let sending = Sending {
        address,
        ahead: Ahead::new(plan, process.cache_size << 20),
        errors: Errors::default(),
        tallies: clients.iter().map(|_| Tally::new().into()).collect(),
        ends: Vec::new().into(),
        stop: stop.clone(),
    };
    Ok(Prepared { process, cell, unit, table, sending, clients, monitor: Monitor::default() })
}

/// One run of all processes. `Err` if it could not begin.
fn run_once(processes: &[Process], cells: &[Cell], stop: &Arc<AtomicBool>, progress: &Progress) -> Result<Vec<Report>, String> {
    let mut all = processes.iter().zip(cells).map(|(p, cell)| prepare(p, *cell, stop)).collect::<Result<Vec<_>, _>>()?;
    let clients: Vec<Vec<Client>> = all.iter_mut().map(|prepared| std::mem::take(&mut prepared.clients)).collect();
    let chunks = thread::scope(|scope| {
        for prepared in &all {
            for _ in 0..prepared.process.cache_gen_workers {
                scope.spawn(|| prepared.sending.ahead.work());
            }
        }
        // What fits into the store is made before the clock starts, so that a short load measures the server alone.
        all.iter().for_each(|prepared| prepared.sending.ahead.wait_until_full());
        progress.begin(all.iter().map(|prepared| (prepared.cell.rows(), prepared.unit)));
        let began = Instant::now();
        let mut monitors = Vec::new();
        for (prepared, clients) in all.iter().zip(clients) {
            for (connection, client) in clients.into_iter().enumerate() {
                scope.spawn(move || prepared.sending.send(client, connection, began, progress));
            }
            if let Some(table) = &prepared.table {
                monitors.push(scope.spawn(move || prepared.monitor.watch(&prepared.sending.address, &quoted(table), began)));
            }
        }
        let chunks = follow(&all, began, stop, progress);
        for (prepared, monitor) in all.iter().filter(|prepared| prepared.table.is_some()).zip(&monitors) {
            prepared.monitor.end();
            monitor.thread().unpark();
        }
        chunks
    });
    progress.end();
    let count = all.len();
    let reports = all.into_iter().zip(chunks).enumerate().map(|(index, (prepared, chunks))| {
        let interrupted = stop.load(Ordering::Acquire);
        Report {
            process: (index + 1, count),
            load: prepared.sending.ended().unwrap_or_default(),
            tally: prepared.sending.tally(),
            errors: prepared.sending.errors.count(),
            error_texts: prepared.sending.errors.list(),
            table: prepared.table,
            cell: prepared.cell,
            unit: prepared.unit,
            chunks,
            wait: prepared.process.wait,
            interrupted,
            columns: prepared.process.column.clone(),
        }
    });
    Ok(reports.collect())
}

/// Shows the run until every load has ended and what is to be waited for has come.
fn follow(all: &[Prepared<'_>], began: Instant, stop: &AtomicBool, progress: &Progress) -> Vec<Chunks> {
    let mut chunks: Vec<Chunks> = all.iter().map(|_| Chunks::default()).collect();
    let mut told = vec![false; all.len()];
    loop {
        let stopped = stop.load(Ordering::Acquire);
        let mut done = true;
        for (index, prepared) in all.iter().enumerate() {
            if stopped {
                // Connections that wait for a statement to be made look at nothing else.
                prepared.sending.ahead.close();
            }
            let ended = prepared.sending.ended();
            let chunks = &mut chunks[index];
            for (at, state) in prepared.monitor.take() {
                chunks.see(at, state, ended);
            }
            let now = began.elapsed();
            let failure = prepared.monitor.failure(now);
            if let Some(failure) = failure.as_ref().filter(|_| !std::mem::replace(&mut told[index], true)) {
                progress.say(&format!("warning: chunks cannot be watched: {failure}"));
            }
            let waits = prepared.process.wait && !stopped && failure.is_none();
            done &= ended.is_some_and(|ended| {
                // The state at the end of the load is worth a moment, but not for ever.
                let seen = prepared.table.is_none() || chunks.loaded.is_some() || failure.is_some() || now - ended > LAST_LOOK_MAX;
                seen && (!waits || chunks.compacted.is_some())
            });
            let waiting = ended.is_some();
            progress.show(index, now, &prepared.sending.tally(), chunks.latest.as_ref(), waiting && prepared.process.wait);
        }
        if done {
            return chunks;
        }
        thread::sleep(LOOK_EVERY);
    }
}

fn read_text(file: &str) -> Result<String, String> {
    let bytes = RealDisk.read(std::path::Path::new(file)).map_err(|error| error.to_string())?;
    String::from_utf8(bytes.to_vec()).map_err(|error| format!("not valid UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}

/// A table's name as it may stand in a statement.
fn quoted(table: &str) -> String {
    let plain = table.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':' || byte == b'.');
    if plain { table.to_owned() } else { format!("`{table}`") }
}
