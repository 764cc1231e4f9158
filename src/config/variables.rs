//! Settings as SQL sees them: SHOW VARIABLES and SET GLOBAL.

use std::sync::Arc;

use super::table::{Place, SETTINGS, Scope, find};
use super::{ConfigError, Problem};
use crate::types::{Settings, SharedSettings, nearest};

/// Name and value of every variable, ascending by name. Sizes are in bytes, times in seconds. Variables of scope session have the value
/// that a session begins with; whoever keeps the session's own puts it in their place.
pub fn variables(settings: &Settings) -> Vec<(&'static str, String)> {
    let mut out: Vec<(&'static str, String)> = Vec::with_capacity(SETTINGS.len() + 8);
    for setting in SETTINGS {
        let value = match setting.place {
            Place::Settings { get, .. } => get(settings),
            Place::Session(default) => default.to_owned(),
            Place::Config(_) => continue,
        };
        out.extend(setting.aliases.iter().map(|alias| (*alias, value.clone())));
        out.push((setting.name, value));
    }
    out.sort_unstable();
    out
}

/// Gives the global variable `name` the value `value` (as in the file: `64M`, `10h`; `default` goes back to the built-in one). Readers
/// that load the settings afterwards see it. Fails, changing nothing, if there is no such variable, if it is not global, or if the value is
/// out of its range.
pub fn set_global(shared: &SharedSettings, name: &str, value: &str) -> Result<(), ConfigError> {
    let Some(setting) = find(name) else {
        let names = SETTINGS.iter().filter(|s| s.scope == Scope::Global).flat_map(|s| s.aliases.iter().chain([&s.name]).copied());
        return Err(ConfigError::UnknownVariable { name: name.to_owned(), nearest: nearest(name, names) });
    };
    match (setting.scope, &setting.place) {
        (Scope::Session, _) => Err(ConfigError::SessionOnly { name: setting.name }),
        (Scope::Start, _) | (Scope::Global, Place::Config(_) | Place::Session(_)) => Err(ConfigError::StartOnly { name: setting.name }),
        (Scope::Global, Place::Settings { set, .. }) => {
            let checked = setting.check(value)?;
            // Another SET GLOBAL may come between: the closure then runs again on what that one stored.
            shared.rcu(|current| {
                let mut next = Settings::clone(current);
                set(&mut next, checked.clone());
                Arc::new(next)
            });
            Ok(())
        }
    }
}

impl Problem {
    /// A refusal at a line.
    pub(super) fn at(line: usize, error: ConfigError) -> Problem {
        Problem { line, error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::defaults;
    use arc_swap::ArcSwap;

    fn shared() -> SharedSettings {
        Arc::new(ArcSwap::from_pointee(defaults()))
    }

    fn shown(settings: &SharedSettings, name: &str) -> String {
        let all = variables(&settings.load());
        all.into_iter().find(|(n, _)| *n == name).map(|(_, v)| v).unwrap_or_else(|| panic!("{name} is not shown"))
    }

    #[test]
    fn set_global_is_seen_by_the_next_reader() {
        let settings = shared();
        for (name, value, expected) in [
            ("rt_mem_limit", "64M", "67108864"),
            ("RT_MERGE_IOPS", "40", "40"),
            ("auto_optimize", "3", "3"),
            ("auto_optimize", "0", "0"),
            ("optimize_cutoff", "1", "1"),
            ("parallel_chunk_merges", "8", "8"),
            ("merge_chunks_per_job", "4", "4"),
            ("max_chunk_size", "3M", "3145728"),
            ("max_chunk_size", "0", "0"),
            ("wait_timeout", "28800", "28800"),
            ("max_allowed_packet", "1g", "1073741824"),
            ("diskchunk_flush_write_timeout", "-1", "-1"),
        ] {
            set_global(&settings, name, value).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(shown(&settings, &name.to_ascii_lowercase()), expected, "{name}");
        }
        set_global(&settings, "merge_chunks_per_job", "default").expect("allowed");
        assert_eq!(settings.load().merge_chunks_per_job, None);
        assert_eq!(shown(&settings, "merge_chunks_per_job"), "auto");
        set_global(&settings, "parallel_chunk_merges", "auto").expect("allowed");
        assert_eq!(settings.load().parallel_chunk_merges, None);
        assert_eq!(shown(&settings, "sphinxql_timeout"), "28800");
    }

    #[test]
    fn refusals_change_nothing() {
        let settings = shared();
        let before = settings.load_full();
        for (name, value, part) in [
            ("merge_chunks_per_job", "1", "2 to 1024"),
            ("rt_merge_iops", "-5", "0 (no limit)"),
            ("parallel_chunk_merges", "1000000000000", "1 to 256"),
            ("threads", "4", "restart"),
            ("listen", "9306", "restart"),
            ("autocommit", "0", "session variable"),
            ("rt_merge_iop", "5", "did you mean 'rt_merge_iops'"),
            ("nonsense", "5", "unknown variable 'nonsense'"),
        ] {
            let error = set_global(&settings, name, value).expect_err(name).to_string();
            assert!(error.contains(part), "{name}: {error}");
        }
        assert_eq!(*before, *settings.load_full());
    }

    #[test]
    fn clients_find_the_variables_they_ask_for() {
        let settings = shared();
        assert_eq!(shown(&settings, "autocommit"), "1");
        assert_eq!(shown(&settings, "max_allowed_packet"), "134217728");
        assert_eq!(shown(&settings, "character_set_client"), "utf8mb4");
        assert_eq!(shown(&settings, "wait_timeout"), "900");
        let all = variables(&settings.load());
        assert!(all.is_sorted_by_key(|(name, _)| *name));
    }
}
