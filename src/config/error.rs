//! Why a configuration or a new value is refused.

use std::fmt;

/// One refusal, in words for the operator. Names the setting, the value, and what would be accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The text is not of the file's grammar.
    #[error("{0}")]
    Syntax(String),
    /// No setting has this name.
    #[error("unknown setting '{key}'{}", did_you_mean(.nearest))]
    UnknownKey {
        /// As written.
        key: String,
        /// The known name that is closest, where one is close.
        nearest: Option<&'static str>,
    },
    /// The value is not one of the setting's values.
    #[error("{key} = {value}: {expected} expected")]
    BadValue {
        /// Name of the setting.
        key: String,
        /// As written.
        value: String,
        /// The allowed values in words.
        expected: String,
    },
    /// Known to the dialect, refused here because ignoring it would do something else than it says.
    #[error("{0}")]
    Unsupported(String),
    /// SET GLOBAL names no variable.
    #[error("unknown variable '{name}'{}", did_you_mean(.nearest))]
    UnknownVariable {
        /// As written.
        name: String,
        /// The known name that is closest, where one is close.
        nearest: Option<&'static str>,
    },
    /// SET GLOBAL names a setting that is read at start only.
    #[error("{name} cannot change while the server runs: set it in the configuration file and restart")]
    StartOnly {
        /// Name of the setting.
        name: &'static str,
    },
    /// SET GLOBAL names a variable that each session has for itself.
    #[error("{name} is a session variable: use SET {name} = … without GLOBAL")]
    SessionOnly {
        /// Name of the variable.
        name: &'static str,
    },
}

fn did_you_mean(nearest: &Option<&'static str>) -> String {
    nearest.map(|name| format!(": did you mean '{name}'?")).unwrap_or_default()
}

/// A refusal and the line of the file that caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub error: ConfigError,
}

/// All that is wrong with a file, in order of lines, so that one reading tells everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors {
    /// Name of the file as the operator gave it.
    pub file: String,
    /// At least one.
    pub problems: Vec<Problem>,
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}:{}: {}", self.file, problem.line, problem.error)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}
