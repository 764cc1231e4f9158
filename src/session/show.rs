//! DESC and SHOW of what is ours; what MySQL's tools ask for besides is in [`super::mysql_tools`].

use std::time::Duration;

use super::answer::{Answer, texts};
use super::client::{DATABASE, Session};
use super::failure::{Done, error, required};
use super::like::fits;
use super::registry::Shown;
use crate::sql::ast::{NameFilter, OptionValue, Show};
use crate::sql::render;
use crate::types::Value;

/// Headings of a list of names and values.
const VARIABLES: [&str; 2] = ["Variable_name", "Value"];

impl Session {
    pub(super) fn show(&mut self, show: Show, answer: &mut Answer<'_>) -> Done {
        match show {
            Show::Tables(like) => self.show_tables(&like, answer),
            Show::Databases(like) => {
                let names = ["information_schema", DATABASE];
                answer.table(&["Database"], names.into_iter().filter(|n| fits(&like, n)).map(|n| texts([n])))
            }
            Show::CreateTable(name) => {
                let table = self.table(&name)?;
                let create = render::create_table(&name, &table.schema(), &table.settings());
                answer.table(&["Table", "Create Table"], [texts([name.as_str(), create.as_str()])])
            }
            Show::TableStatus(name, like) => {
                self.engine.counters.status.add(1);
                let status = self.existing(&name, || required("SHOW TABLE STATUS", "table", &name))?.status();
                answer.pairs(VARIABLES, status.into_iter().filter(|(n, _)| fits(&like, n)))
            }
            Show::TableSettings(name) => {
                let table = self.existing(&name, || required("SHOW TABLE SETTINGS", "table", &name))?;
                let options = render::table_options(&table.settings());
                let lines: Vec<String> = options.iter().map(|(n, v)| format!("{n} = {v}")).collect();
                answer.pairs(VARIABLES, [("settings", lines.join("\n"))])
            }
            Show::TableChunks(name) => self.show_chunks(&name, answer),
            Show::Merges => self.show_merges(answer),
            Show::OptimizeHistory => self.show_history(answer),
            Show::Meta(like) => {
                let rows: Vec<(String, String)> = self.meta.iter().filter(|(n, _)| fits(&like, n)).cloned().collect();
                answer.pairs(VARIABLES, rows)
            }
            Show::Warnings => {
                let rows: Vec<[Value; 3]> =
                    self.warnings.iter().map(|w| texts(["warning", w.code.to_string().as_str(), w.message.as_str()])).collect();
                answer.table(&["Level", "Code", "Message"], rows)
            }
            Show::Status(like) => {
                let rows = self.counters().into_iter().chain(self.merge_counters());
                answer.pairs(["Counter", "Value"], rows.filter(|(n, _)| fits(&like, n)))
            }
            Show::Variables { global, filter } => {
                let mut all = self.variables.all(&self.engine.settings.load(), &self.engine.version, !global);
                all.insert("last_insert_id".into(), self.last_id_list());
                all.retain(|name, _| match &filter {
                    NameFilter::All => true,
                    NameFilter::Like(pattern) => super::like::like(pattern, name),
                    NameFilter::Names(names) => names.contains(name),
                });
                answer.pairs(VARIABLES, all)
            }
            Show::Threads(options) => self.show_threads(&options, answer),
            Show::Locks => self.show_locks(answer),
            Show::Queries => {
                let rows: Vec<[Value; 5]> = self.engine.registry.list().into_iter().filter_map(running_query).collect();
                answer.table(&["id", "query", "time", "protocol", "host"], rows)
            }
            Show::Version => answer.pairs(["Component", "Version"], [("Daemon", self.engine.version.clone())]),
            Show::FullTables(like) => self.show_full_tables(&like, answer),
            Show::Columns { table, full, like } => self.show_columns(&table, full, &like, answer),
            Show::Keys(table) => self.show_keys(&table, answer),
            Show::ProcessList => self.show_process_list(answer),
            Show::Other(words, like) => self.show_other(&words, &like, answer),
        }
    }

    fn show_tables(&self, like: &Option<String>, answer: &mut Answer<'_>) -> Done {
        let names = self.engine.catalog.list();
        answer.table(&["Table", "Type"], names.iter().filter(|n| fits(like, n)).map(|n| texts([n.as_str(), "rt"])))
    }

    /// DESC: the columns of a table in order of declaration, id first.
    pub(super) fn describe(&self, name: &str, like: &Option<String>, answer: &mut Answer<'_>) -> Done {
        let schema = self.table(name)?.schema();
        let mut rows = vec![texts(["id", "bigint", if schema.has_columnar_id() { "columnar" } else { "" }])];
        for column in &schema.columns {
            let words: Vec<&str> = render::properties(column).into_iter().chain(column.columnar.then_some("columnar")).collect();
            rows.push(texts([column.name.as_str(), column.kind.desc_name(), words.join(" ").as_str()]));
        }
        rows.retain(|row| matches!(&row[0], Value::Text(field) if fits(like, field)));
        answer.table(&["Field", "Type", "Properties"], rows)
    }

    fn counters(&self) -> Vec<(&'static str, String)> {
        let c = &self.engine.counters;
        let wall = c.wall_micros.get() as f64 / 1e6;
        vec![
            ("uptime", self.engine.uptime().as_secs().to_string()),
            ("connections", c.connections.get().to_string()),
            ("version", self.engine.version.clone()),
            ("command_search", c.search.get().to_string()),
            ("command_insert", c.insert.get().to_string()),
            ("command_replace", c.replace.get().to_string()),
            ("command_update", c.update.get().to_string()),
            ("command_delete", c.delete.get().to_string()),
            ("command_keywords", c.keywords.get().to_string()),
            ("command_status", c.status.get().to_string()),
            ("command_commit", c.commit.get().to_string()),
            ("queries", c.queries.get().to_string()),
            ("query_errors", c.errors.get().to_string()),
            ("query_wall", format!("{wall:.3}")),
            ("threads", self.engine.settings.load().threads.to_string()),
            ("clients", self.engine.session_count().to_string()),
            ("running", self.engine.running_count().to_string()),
            ("tables", self.engine.catalog.list().len().to_string()),
        ]
    }

    fn show_threads(&self, options: &[(String, OptionValue)], answer: &mut Answer<'_>) -> Done {
        let mut width = usize::MAX;
        for (name, value) in options {
            match (name.as_str(), value) {
                ("columns", OptionValue::Int(n)) if *n > 0 => width = usize::try_from(*n).unwrap_or(usize::MAX),
                ("columns", _) => return Err(error("option columns takes a number from 1")),
                // Statements are shown as they came, and every session is on the list, whatever is asked for.
                ("format", OptionValue::Word(word)) if word == "sphinxql" || word == "all" => {}
                ("format", _) => return Err(error("option format takes sphinxql or all")),
                _ => return Err(error(format!("unknown option '{name}'"))),
            }
        }
        let headings =
            ["TID", "Name", "Proto", "State", "Connection from", "ConnID", "This/prev job time", "Jobs done", "Thread status", "Info"];
        let rows: Vec<[Value; 10]> = self.engine.registry.list().iter().map(|shown| thread(shown, width)).collect();
        answer.table(&headings, rows)
    }
}

fn thread(shown: &Shown, width: usize) -> [Value; 10] {
    let id = shown.id.to_string();
    let name = format!("session_{id}");
    let (state, status, time, info) = match &shown.running {
        Some((text, time)) => {
            let mut info: String = text.chars().take(width).collect();
            if let Some(note) = &shown.note {
                info.push_str(&format!(" ({note})"));
            }
            ("query", "working", print_time(*time), info)
        }
        None => ("net_idle", "idling", shown.previous.map(|t| format!("{} (prev)", print_time(t))).unwrap_or_default(), String::new()),
    };
    texts([&id, &name, &shown.protocol, state, &shown.peer, &id, &time, &shown.jobs.to_string(), status, &info])
}

fn running_query(shown: Shown) -> Option<[Value; 5]> {
    let (text, time) = shown.running?;
    Some(texts([&shown.id.to_string(), &text, &print_time(time), &shown.protocol, &shown.peer]))
}

/// A duration in the unit that suits it: `630us`, `12ms`, `3s`.
pub(super) fn print_time(time: Duration) -> String {
    match time.as_micros() {
        micros @ 0..1_000 => format!("{micros}us"),
        micros @ 1_000..1_000_000 => format!("{}ms", micros / 1_000),
        micros => format!("{}s", micros / 1_000_000),
    }
}
