//! Variables of one session, and the ones that clients of MySQL ask for and set.
//!
//! A server-wide setting is `config`'s; what `config` lists with scope session begins with the value given there. [`CLIENT`] adds what
//! drivers and tools set or read on connecting: kept and shown, without meaning here but for `net_read_timeout` and `net_write_timeout`. [`FIXED`] cannot be set.

use std::collections::BTreeMap;

use super::failure::Failure;
use super::reply::StatementError;
use crate::config::{self, SETTINGS, Scope};
use crate::types::Settings;

/// Variables that MySQL's clients set, with what they begin with.
const CLIENT: &[(&str, &str)] = &[
    ("auto_increment_offset", "1"),
    ("big_tables", "0"),
    ("character_set_database", "utf8mb4"),
    ("collation_database", "libc_ci"),
    ("default_storage_engine", "rt"),
    ("foreign_key_checks", "1"),
    ("group_concat_max_len", "1048576"),
    ("information_schema_stats_expiry", "0"),
    ("lc_messages", "en_US"),
    ("lc_time_names", "en_US"),
    ("long_query_time", "10"),
    ("max_execution_time", "0"),
    ("max_join_size", "18446744073709551615"),
    ("max_statement_time", "0"),
    ("net_buffer_length", "16384"),
    ("net_read_timeout", "30"),
    ("net_write_timeout", "60"),
    ("optimizer_switch", ""),
    ("query_cache_type", "OFF"),
    ("session_track_gtids", "OFF"),
    ("session_track_schema", "0"),
    ("session_track_state_change", "OFF"),
    ("session_track_system_variables", ""),
    ("session_track_transaction_info", "OFF"),
    ("sql_auto_is_null", "0"),
    ("sql_big_selects", "1"),
    ("sql_notes", "1"),
    ("sql_quote_show_create", "1"),
    ("sql_safe_updates", "0"),
    ("sql_select_limit", "18446744073709551615"),
    ("sql_warnings", "0"),
    ("storage_engine", "rt"),
    ("transaction_read_only", "0"),
    ("tx_read_only", "0"),
    ("unique_checks", "1"),
];

/// Those of [`CLIENT`] that are names of server-wide settings as well: what is shown is the server's until the session sets its own.
#[cfg(test)]
const OWN_COPIES: &[&str] = &["net_read_timeout", "net_write_timeout"];

/// Variables that clients read and nobody sets.
const FIXED: &[(&str, &str)] = &[
    ("character_set_system", "utf8mb3"),
    ("gtid_mode", "OFF"),
    ("have_profiling", "NO"),
    ("have_query_cache", "NO"),
    ("hostname", "localhost"),
    ("language", "English"),
    ("log_bin", "0"),
    ("lower_case_file_system", "0"),
    ("protocol_version", "10"),
    ("query_cache_size", "0"),
    ("read_only", "0"),
    ("skip_networking", "0"),
    ("version_comment", "Chimera, speaking the dialect of Manticore Search"),
    ("version_compile_machine", std::env::consts::ARCH),
    ("version_compile_os", std::env::consts::OS),
];

/// Variables that `config` lists as a session's own and that say what is, not what is wanted.
const READ_ONLY: &[&str] = &[
    "character_set_server",
    "collation_server",
    "last_insert_id",
    "license",
    "lower_case_table_names",
    "performance_schema",
    "session_read_only",
    "system_time_zone",
];

/// A year, as in MySQL.
const NET_SECONDS_MAX: u64 = 31_536_000;

/// Character sets of texts that are UTF-8 here, whatever they are called.
const UTF8: &[&str] = &["utf8", "utf8mb3", "utf8mb4", "binary", "ascii", "default"];

/// The values that one session gave to variables, and what others are.
#[derive(Debug, Default)]
pub(super) struct Variables {
    own: BTreeMap<String, String>,
}

impl Variables {
    /// Every variable with its value, ascending by name. `own`: the session's own values go before the server's.
    pub fn all(&self, settings: &Settings, version: &str, own: bool) -> BTreeMap<String, String> {
        let mut all: BTreeMap<String, String> = CLIENT.iter().chain(FIXED).map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        all.extend(config::variables(settings).into_iter().map(|(n, v)| (n.to_owned(), v)));
        all.insert("version".into(), version.to_owned());
        if own {
            all.extend(self.own.iter().map(|(n, v)| (n.clone(), v.clone())));
        }
        all
    }

    /// The value of one variable.
    pub fn get(&self, name: &str, settings: &Settings, version: &str) -> Option<String> {
        match self.own.get(name) {
            Some(value) => Some(value.clone()),
            None => self.all(settings, version, false).remove(name),
        }
    }

    /// Whether the session gave `name` a value of its own, and which.
    pub fn own(&self, name: &str) -> Option<&str> {
        self.own.get(name).map(String::as_str)
    }

    /// Gives a variable that is this session's own a value. None = back to what it began with.
    pub fn set(&mut self, name: &str, value: Option<String>) -> Result<(), Failure> {
        let own = SETTINGS.iter().any(|s| s.scope == Scope::Session && s.name == name) || CLIENT.iter().any(|(n, _)| *n == name);
        if READ_ONLY.contains(&name) || name == "version" || FIXED.iter().any(|(n, _)| *n == name) {
            return Err(failure(1238, format!("variable '{name}' is read-only")));
        }
        match (name, value) {
            ("wait_timeout" | "interactive_timeout" | "sphinxql_timeout", Some(value)) => {
                let seconds: u64 = value.parse().map_err(|_| wrong_value(name, &value, "seconds"))?;
                for name in ["wait_timeout", "interactive_timeout", "sphinxql_timeout"] {
                    self.own.insert(name.to_owned(), seconds.to_string());
                }
            }
            ("wait_timeout" | "interactive_timeout" | "sphinxql_timeout", None) => {
                for name in ["wait_timeout", "interactive_timeout", "sphinxql_timeout"] {
                    self.own.remove(name);
                }
            }
            // Programs that dump tables set these long, since they read as fast as somebody else writes.
            ("net_read_timeout" | "net_write_timeout", Some(value)) => match value.parse::<u64>() {
                Ok(seconds @ 1..=NET_SECONDS_MAX) => {
                    self.own.insert(name.to_owned(), seconds.to_string());
                }
                _ => return Err(wrong_value(name, &value, "1 to 31536000 seconds")),
            },
            _ if !own => {
                return Err(match SETTINGS.iter().any(|s| s.name == name || s.aliases.contains(&name)) {
                    true => failure(1229, format!("variable '{name}' is a global one: use SET GLOBAL {name} = …")),
                    false => failure(1193, format!("unknown system variable '{name}'")),
                });
            }
            ("profiling", Some(value)) if switch(&value) != Some(false) => return Err(super::failure::not_built("profiling")),
            (name, Some(value)) if name.starts_with("character_set_") => {
                self.own.insert(name.to_owned(), charset(&value)?);
            }
            (name, Some(value)) => {
                self.own.insert(name.to_owned(), value);
            }
            (name, None) => {
                self.own.remove(name);
            }
        }
        Ok(())
    }

    /// SET NAMES: what the client sends and wants to get. All text is UTF-8.
    pub fn set_names(&mut self, value: &str) -> Result<(), Failure> {
        let name = charset(value)?;
        for variable in ["character_set_client", "character_set_connection", "character_set_results"] {
            self.own.insert(variable.to_owned(), name.clone());
        }
        Ok(())
    }

    /// Records a value that the caller has checked.
    pub fn record(&mut self, name: &str, value: impl Into<String>) {
        self.own.insert(name.to_owned(), value.into());
    }
}

fn charset(value: &str) -> Result<String, Failure> {
    let name = value.to_ascii_lowercase();
    match name.as_str() {
        "default" | "null" => Ok("utf8mb4".to_owned()),
        name if UTF8.contains(&name) => Ok(name.to_owned()),
        _ => Err(failure(1115, format!("unknown character set: '{value}'; all text is utf8mb4"))),
    }
}

/// 1, on, true and their opposites.
pub(super) fn switch(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "1" | "on" | "true" => Some(true),
        "0" | "off" | "false" => Some(false),
        _ => None,
    }
}

/// A value that a variable does not take.
pub(super) fn wrong_value(name: &str, value: &str, wanted: &str) -> Failure {
    failure(1231, format!("variable '{name}' cannot be '{value}': {wanted} expected"))
}

fn failure(code: u16, message: String) -> Failure {
    Failure::Statement(StatementError::with_code(code, b"HY000", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_names_do_not_overlap() {
        let mut seen = std::collections::BTreeSet::new();
        for (name, _) in CLIENT.iter().chain(FIXED) {
            assert!(seen.insert(*name), "{name} twice");
            let server_wide = SETTINGS.iter().any(|s| s.name == *name || s.aliases.contains(name));
            assert!(!server_wide || OWN_COPIES.contains(name), "{name} is config's");
        }
        for name in READ_ONLY {
            assert!(SETTINGS.iter().any(|s| s.name == *name), "{name} is unknown to config");
        }
    }

    #[test]
    fn what_clients_ask_and_set() {
        let settings = config::defaults();
        let mut v = Variables::default();
        let get = |v: &Variables, name: &str| v.get(name, &settings, "8.0").unwrap_or_else(|| panic!("{name}"));
        for name in [
            "lower_case_table_names",
            "sql_mode",
            "max_allowed_packet",
            "character_set_client",
            "version",
            "version_comment",
            "wait_timeout",
            "autocommit",
            "tx_isolation",
            "transaction_isolation",
            "auto_increment_increment",
            "net_write_timeout",
            "interactive_timeout",
            "license",
            "time_zone",
            "system_time_zone",
            "init_connect",
            "query_cache_size",
            "performance_schema",
            "collation_connection",
        ] {
            get(&v, name);
        }
        for name in ["sql_mode", "net_write_timeout", "character_set_results", "sql_select_limit", "wait_timeout", "unique_checks"] {
            let value = if name.starts_with("char") { "utf8" } else { "5" };
            v.set(name, Some(value.into())).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            assert_eq!(get(&v, name), value);
        }
        assert_eq!(get(&v, "interactive_timeout"), "5");
        assert_eq!(v.own("wait_timeout"), Some("5"));
        v.set("sql_mode", None).expect("known");
        assert_eq!(get(&v, "sql_mode"), "");
        v.set_names("UTF8").expect("known");
        assert_eq!(get(&v, "character_set_client"), "utf8");
        let code = |r: Result<(), Failure>| match r {
            Err(Failure::Statement(e)) => e.code,
            other => panic!("{other:?}"),
        };
        assert_eq!(code(v.set("version", Some("1".into()))), 1238);
        assert_eq!(code(v.set("nosuch", Some("1".into()))), 1193);
        assert_eq!(code(v.set("rt_mem_limit", Some("1".into()))), 1229);
        assert_eq!(code(v.set("wait_timeout", Some("x".into()))), 1231);
        assert_eq!(code(v.set("net_write_timeout", Some("0".into()))), 1231);
        assert_eq!(code(v.set_names("latin1")), 1115);
        assert_eq!(code(v.set("profiling", Some("1".into()))), 1064);
        assert!(v.set("profiling", Some("0".into())).is_ok());
    }
}
