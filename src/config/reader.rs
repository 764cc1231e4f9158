//! From the text of a file to a [`Config`].

use std::collections::HashMap;
use std::path::PathBuf;

use super::syntax::{self, Entry, Section};
use super::table::{self, Place, SETTINGS, Scope};
use super::{ConfigError, ConfigErrors, Listener, Problem, elsewhere};
use crate::types::{Settings, nearest};

/// All that the server is told at start.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Where to accept connections; at least one.
    pub listeners: Vec<Listener>,
    /// What may change while the server runs, and what everyone reads.
    pub settings: Settings,
    /// Where messages are appended; None = standard error.
    pub log: Option<PathBuf>,
    /// Where queries are appended; None = nowhere.
    pub query_log: Option<PathBuf>,
    /// Where the process id is written.
    pub pid_file: Option<PathBuf>,
    /// The version that MySQL clients are told.
    pub version_string: String,
    /// What the operator should know although the server starts, each a sentence with file and line.
    pub warnings: Vec<String>,
}

impl Config {
    /// What holds without any file.
    pub fn builtin() -> Config {
        Config { listeners: vec![Listener::standard()], ..Config::empty() }
    }

    fn empty() -> Config {
        Config {
            listeners: Vec::new(),
            settings: table::defaults(),
            log: None,
            query_log: None,
            pid_file: None,
            // The number in front is for clients that choose their first questions by it; ours follows.
            version_string: concat!("8.0.30-chimera-", env!("CARGO_PKG_VERSION")).to_owned(),
            warnings: Vec::new(),
        }
    }
}

/// Reads `text`, which came from `file` (named in messages). Gives the whole configuration, or everything that is wrong with it.
pub fn read(text: &str, file: &str) -> Result<Config, ConfigErrors> {
    let fail = |problems: Vec<Problem>| Err(ConfigErrors { file: file.to_owned(), problems });
    if text.starts_with("#!") {
        let error = "scripted configurations are not run: run the script and give its output as the file".to_owned();
        return fail(vec![Problem::at(1, ConfigError::Unsupported(error))]);
    }
    let (sections, mut problems) = syntax::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut reader = Reader { config: Config::empty(), file, seen: HashMap::new() };
    for section in &sections {
        reader.section(section, &mut problems);
    }
    let mut config = reader.config;
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.line);
        return fail(problems);
    }
    if config.listeners.is_empty() {
        config.listeners.push(Listener::standard());
    }
    Ok(config)
}

struct Reader<'a> {
    config: Config,
    file: &'a str,
    /// Key → line where it last stood.
    seen: HashMap<&'static str, usize>,
}

impl Reader<'_> {
    fn section(&mut self, section: &Section, problems: &mut Vec<Problem>) {
        let advice = match section.kind.as_str() {
            "searchd" | "common" => {
                for entry in &section.entries {
                    let result = if section.kind == "searchd" { self.searchd(entry) } else { self.common(entry) };
                    problems.extend(result.err().map(|error| Problem::at(entry.line, error)));
                }
                return;
            }
            "table" | "index" => "tables are made by CREATE TABLE, remove the section",
            "source" => "there are no plain tables, load rows by INSERT and remove the section",
            "indexer" => "there is no indexer, remove the section",
            _ => "known sections are 'searchd' and 'common'",
        };
        let error = ConfigError::Unsupported(format!("section '{}' is not supported: {advice}", section.kind));
        problems.push(Problem::at(section.line, error));
    }

    fn searchd(&mut self, entry: &Entry) -> Result<(), ConfigError> {
        let key = entry.key.as_str();
        if key == "auth" {
            // A line that should keep strangers out must not be passed over with a warning.
            return match entry.value.as_str() {
                "" | "0" => Ok(()),
                _ => Err(ConfigError::Unsupported("auth: there is no authentication, every client is let in; remove the line".to_owned())),
            };
        }
        if elsewhere::SEARCHD.contains(&key) {
            self.warn(entry.line, format!("'{key}' has no effect in this server"));
            return Ok(());
        }
        let Some(setting) = SETTINGS.iter().find(|s| s.name == key && s.scope != Scope::Session) else {
            let names = SETTINGS.iter().filter(|s| s.scope != Scope::Session).map(|s| s.name);
            let nearest = nearest(key, names.chain(elsewhere::SEARCHD.iter().copied()));
            return Err(ConfigError::UnknownKey { key: key.to_owned(), nearest });
        };
        match (self.seen.insert(setting.name, entry.line), setting.name) {
            (Some(_), "listen") | (None, _) => {}
            (Some(earlier), _) => self.warn(entry.line, format!("'{key}' replaces the value of line {earlier}")),
        }
        match &setting.place {
            Place::Settings { set, .. } => {
                let value = setting.check(&entry.value)?;
                if setting.name == "data_dir" && entry.value.is_empty() {
                    let expected = "the path of a folder".to_owned();
                    return Err(ConfigError::BadValue { key: key.to_owned(), value: String::new(), expected });
                }
                set(&mut self.config.settings, value);
                Ok(())
            }
            Place::Config(set) => set(&mut self.config, &entry.value),
            Place::Session(_) => Ok(()),
        }
    }

    fn common(&mut self, entry: &Entry) -> Result<(), ConfigError> {
        let key = entry.key.as_str();
        if elsewhere::COMMON.contains(&key) {
            self.warn(entry.line, format!("'{key}' has no effect in this server"));
            return Ok(());
        }
        if table::find(key).is_some_and(|s| s.scope != Scope::Session) || elsewhere::SEARCHD.contains(&key) {
            return Err(ConfigError::Syntax(format!("'{key}' belongs into section 'searchd'")));
        }
        Err(ConfigError::UnknownKey { key: key.to_owned(), nearest: nearest(key, elsewhere::COMMON.iter().copied()) })
    }

    fn warn(&mut self, line: usize, text: String) {
        self.config.warnings.push(format!("{}:{line}: {text}", self.file));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(text: &str) -> Config {
        read(text, "m.conf").unwrap_or_else(|e| panic!("{e}"))
    }

    fn errors(text: &str) -> String {
        read(text, "m.conf").expect_err(text).to_string()
    }

    #[test]
    fn the_packaged_file_of_the_dialect_starts() {
        let config = good(
            "searchd {
                listen = 127.0.0.1:9312
                listen = 127.0.0.1:9306:mysql
                listen = 127.0.0.1:9308:http
                log = /var/log/manticore/searchd.log
                query_log = /var/log/manticore/query.log
                pid_file = /run/manticore/searchd.pid
                data_dir = /var/lib/manticore
            }\n",
        );
        let listeners: Vec<String> = config.listeners.iter().map(Listener::to_string).collect();
        assert_eq!(listeners, ["127.0.0.1:9312:http", "127.0.0.1:9306:mysql", "127.0.0.1:9308:http"]);
        assert_eq!(config.log, Some(PathBuf::from("/var/log/manticore/searchd.log")));
        assert_eq!(config.query_log, Some(PathBuf::from("/var/log/manticore/query.log")));
        assert_eq!(config.pid_file, Some(PathBuf::from("/run/manticore/searchd.pid")));
        assert_eq!(config.settings.data_dir, PathBuf::from("/var/lib/manticore"));
        assert!(config.warnings.is_empty());
    }

    #[test]
    fn nothing_said_means_the_built_in_values() {
        assert_eq!(good(""), Config::builtin());
        assert_eq!(good("searchd {\n}\ncommon {\n}"), Config::builtin());
        assert_eq!(Config::builtin().listeners[0].to_string(), "127.0.0.1:9306:mysql");
    }

    #[test]
    fn values_with_suffixes_and_comments() {
        let settings = good(
            "searchd {
                rt_mem_limit = 512M # half a gigabyte
                network_timeout = 2m
                binlog_path = # off
                auto_optimize = 2
                diskchunk_flush_write_timeout = -1
                max_chunk_size = 3M
                docstore_compression = ZSTD
                threads = 3
                mysql_version_string = 5.0.37
            }",
        );
        assert_eq!(settings.version_string, "5.0.37");
        let settings = settings.settings;
        assert_eq!((settings.rt_mem_limit, settings.network_timeout), (512 << 20, 120));
        assert!(!settings.binlog_enabled && settings.binlog_path.is_none());
        assert!(settings.auto_optimize && settings.auto_optimize_factor == 2);
        assert_eq!((settings.diskchunk_flush_write_timeout, settings.max_chunk_size), (-1, Some(3 << 20)));
        assert_eq!((settings.docstore_compression.as_str(), settings.threads), ("zstd", 3));
        assert_eq!(settings.cutoff(), 6);
    }

    #[test]
    fn every_mistake_is_told_with_its_line() {
        assert_eq!(
            errors("searchd {\n rt_mem_limt = 1M\n threads = 0\n listen = 9306:mysqll\n}\n"),
            "m.conf:2: unknown setting 'rt_mem_limt': did you mean 'rt_mem_limit'?\n\
             m.conf:3: threads = 0: a number from 1 to 1024 expected\n\
             m.conf:4: listen = 9306:mysqll: protocol 'mysql' or 'http' expected"
        );
        for (text, part) in [
            ("table t {\n type = rt\n}", "m.conf:1: section 'table' is not supported: tables are made by CREATE TABLE"),
            ("source s : b {\n}", "section 'source' is not supported"),
            ("indexer {\n mem_limit = 1M\n}", "section 'indexer' is not supported"),
            ("serchd {\n}", "known sections are 'searchd' and 'common'"),
            ("searchd {\n auth = 1\n}", "m.conf:2: auth: there is no authentication"),
            ("searchd {\n log = syslog\n}", "syslog is not supported"),
            ("searchd {\n data_dir =\n}", "the path of a folder"),
            ("searchd {\n autocommit = 0\n}", "unknown setting 'autocommit'"),
            ("searchd {\n listen = 1\n listen = 1:mysql\n}", "m.conf:3: listen = 1:mysql: an earlier line listens on 0.0.0.0:1 already"),
            ("common {\n threads = 1\n}", "'threads' belongs into section 'searchd'"),
            ("common {\n plugin_dri = 1\n}", "did you mean 'plugin_dir'"),
            ("searchd {\n docstore_compression = lz4hc\n}", "m.conf:2: docstore_compression = lz4hc: one of lz4, zstd, none expected"),
            ("#!/usr/bin/php\n", "scripted"),
        ] {
            let found = errors(text);
            assert!(found.contains(part), "{text}: {found}");
        }
    }

    #[test]
    fn keys_without_effect_are_named() {
        let config = good("searchd {\n seamless_rotate = 1\n threads = 2\n threads = 3\n auth = 0\n}\ncommon {\n plugin_dir = /x\n}");
        assert_eq!(
            config.warnings,
            [
                "m.conf:2: 'seamless_rotate' has no effect in this server",
                "m.conf:4: 'threads' replaces the value of line 3",
                "m.conf:8: 'plugin_dir' has no effect in this server",
            ]
        );
        assert_eq!(config.settings.threads, 3);
    }
}
