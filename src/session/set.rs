//! SET.

use super::answer::Answer;
use super::client::Session;
use super::failure::{Done, Failure, error};
use super::variables::{switch, wrong_value};
use crate::config;
use crate::sql::ast::{Assignment, Expr, SetScope};
use crate::types::{StopToken, Value};

/// The one isolation level that there is, as variables show it.
const ISOLATION: &str = "READ-COMMITTED";

impl Session {
    /// Assigns in order; the first that fails ends the statement, and what was assigned before it stays.
    pub(super) fn set(&mut self, assignments: Vec<Assignment>, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        for assignment in assignments {
            self.assign(assignment, answer, stop)?;
        }
        answer.ok()
    }

    fn assign(&mut self, Assignment { scope, name, value }: Assignment, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        match scope {
            SetScope::User => {
                let value = self.user_value(&value, stop)?;
                self.user_variables.insert(name, value);
                Ok(())
            }
            SetScope::Global => {
                let text = self.setting_text(&value, stop)?.unwrap_or_else(|| "default".to_owned());
                config::set_global(&self.engine.settings, &name, &text)?;
                // Slots, limits and goals of merges may be others now; looking at them again costs microseconds where they are not.
                self.engine.catalog.surroundings().pool.settings_changed();
                Ok(())
            }
            SetScope::Session => self.assign_session(&name, &value, answer, stop),
        }
    }

    fn assign_session(&mut self, name: &str, value: &Expr, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        let text = self.setting_text(value, stop)?;
        match name {
            "names" => self.variables.set_names(text.as_deref().unwrap_or("default")),
            "autocommit" => {
                let text = text.unwrap_or_else(|| "1".to_owned());
                let on = switch(&text).ok_or_else(|| wrong_value(name, &text, "0 or 1"))?;
                if on && !self.autocommit {
                    self.commit(stop)?;
                }
                self.autocommit = on;
                self.variables.record("autocommit", if on { "1" } else { "0" });
                Ok(())
            }
            "transaction" => isolation_clause(&text.unwrap_or_default(), answer),
            "transaction_isolation" | "tx_isolation" => {
                let text = text.unwrap_or_else(|| ISOLATION.to_owned());
                isolation_level(&text.replace('-', " ").to_ascii_lowercase(), answer)
            }
            _ => self.variables.set(name, text),
        }
    }

    /// A value as text; None for NULL and DEFAULT: back to what it was at first. A bare word stands for itself.
    fn setting_text(&self, value: &Expr, stop: &StopToken) -> Result<Option<String>, Failure> {
        match value {
            Expr::Column(word) if word == "default" => Ok(None),
            Expr::Column(word) => Ok(Some(word.clone())),
            Expr::Null => Ok(None),
            Expr::List(_) => Err(error("a list is a value of @variables only")),
            other => Ok(self.constant(other, stop)?.text().map(|t| t.into_owned())),
        }
    }

    /// The value of SET @name: a number, a text, a list of whole numbers for IN, or what an expression gives.
    fn user_value(&self, value: &Expr, stop: &StopToken) -> Result<Value, Failure> {
        match value {
            Expr::List(items) => {
                let mut numbers = Vec::with_capacity(items.len());
                for item in items {
                    match item {
                        Expr::Int(n) => numbers.push(*n),
                        _ => return Err(error("the list of an @variable has whole numbers only")),
                    }
                }
                numbers.sort_unstable();
                numbers.dedup();
                Ok(Value::Mva(numbers))
            }
            Expr::Column(word) => Ok(Value::Text(word.clone())),
            other => self.constant(other, stop),
        }
    }

    /// The value of an expression without a table.
    fn constant(&self, value: &Expr, stop: &StopToken) -> Result<Value, Failure> {
        match value {
            Expr::Int(v) => Ok(Value::Int(*v)),
            Expr::Uint(v) => Ok(Value::Uint(*v)),
            Expr::Float(v) => Ok(Value::Double(*v)),
            Expr::Text(v) => Ok(Value::Text(v.clone())),
            Expr::Null => Ok(Value::Null),
            other => match self.known(other) {
                Some(value) => Ok(value),
                None => self.evaluate(other, stop),
            },
        }
    }
}

/// `isolation level read committed, read write` of SET TRANSACTION.
fn isolation_clause(clause: &str, answer: &mut Answer<'_>) -> Done {
    for part in clause.split(',').map(str::trim) {
        match part.strip_prefix("isolation level ") {
            Some(level) => isolation_level(level.trim(), answer)?,
            None if part == "read write" => {}
            None if part == "read only" => return Err(super::failure::not_built("SET TRANSACTION READ ONLY")),
            None => return Err(error(format!("SET TRANSACTION takes ISOLATION LEVEL or READ WRITE, not '{part}'"))),
        }
    }
    Ok(())
}

/// Takes every level that there is and says that only one is kept.
fn isolation_level(level: &str, answer: &mut Answer<'_>) -> Done {
    match level {
        "read committed" => Ok(()),
        "read uncommitted" | "repeatable read" | "serializable" => {
            answer.warn(1105, format!("the isolation level is {ISOLATION}, not {}", level.replace(' ', "-").to_ascii_uppercase()));
            Ok(())
        }
        _ => Err(wrong_value("transaction_isolation", level, "an isolation level")),
    }
}
