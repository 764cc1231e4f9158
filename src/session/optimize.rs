//! OPTIMIZE, FLUSH, CHECK, FREEZE: what the operator does to a table's chunks.

use super::answer::{Answer, texts};
use super::client::Session;
use super::failure::{Done, Failure, error, not_built};
use crate::sql::ast::OptionValue;
use crate::table::OptimizeRequest;
use crate::types::{StopToken, Value};

impl Session {
    pub(super) fn optimize(
        &mut self,
        name: &str,
        options: &[(String, OptionValue)],
        explain: bool,
        answer: &mut Answer<'_>,
        stop: &StopToken,
    ) -> Done {
        let request = request(options)?;
        let table = self.table(name)?;
        if explain {
            return Err(not_built("EXPLAIN OPTIMIZE"));
        }
        table.optimize(&request, stop)?;
        answer.ok()
    }

    pub(super) fn flush_ramchunk(&mut self, name: &str, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        self.table(name)?.flush_ramchunk(stop)?;
        answer.ok()
    }

    pub(super) fn flush_table(&mut self, name: &str, answer: &mut Answer<'_>) -> Done {
        self.table(name)?.flush_table()?;
        answer.ok()
    }

    /// A line per fault, or one that says that there is none, in the columns that MySQL has for it.
    pub(super) fn check_table(&mut self, name: &str, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        let faults = self.table(name)?.check(stop)?;
        let mut rows: Vec<[Value; 4]> = faults.iter().map(|fault| texts([name, "check", "error", fault.as_str()])).collect();
        if rows.is_empty() {
            rows.push(texts([name, "check", "status", "OK"]));
        }
        answer.table(&["Table", "Op", "Msg_type", "Msg_text"], rows)
    }

    /// Freezes the tables and lists their files. Where one cannot be frozen, those before it are thawed again.
    pub(super) fn freeze(&mut self, names: &[String], answer: &mut Answer<'_>) -> Done {
        let tables = names.iter().map(|name| self.table(name)).collect::<Result<Vec<_>, _>>()?;
        let mut files = Vec::new();
        for (i, table) in tables.iter().enumerate() {
            match table.freeze() {
                Ok(more) => files.extend(more),
                Err(e) => {
                    for frozen in &tables[..i] {
                        if let Err(e) = frozen.unfreeze() {
                            tracing::warn!("table '{}' stays frozen: {e}", frozen.name());
                        }
                    }
                    return Err(e.into());
                }
            }
        }
        let rows = files.iter().map(|file| {
            let absolute = std::path::absolute(file).map_or_else(|_| file.clone(), |p| p.display().to_string());
            texts([file.as_str(), absolute.as_str()])
        });
        answer.table(&["file", "normalized"], rows)
    }

    pub(super) fn unfreeze(&mut self, names: &[String], answer: &mut Answer<'_>) -> Done {
        for table in names.iter().map(|name| self.table(name)).collect::<Result<Vec<_>, _>>()? {
            table.unfreeze()?;
        }
        answer.ok()
    }
}

/// What OPTION asks for.
fn request(options: &[(String, OptionValue)]) -> Result<OptimizeRequest, Failure> {
    let mut request = OptimizeRequest::default();
    for (name, value) in options {
        match (name.as_str(), value) {
            ("sync", OptionValue::Int(n @ (0 | 1))) => request.sync = *n == 1,
            ("sync", _) => return Err(error("option sync takes 0 or 1")),
            ("cutoff", OptionValue::Int(n)) if u32::try_from(*n).is_ok_and(|n| n > 0) => request.cutoff = u32::try_from(*n).ok(),
            ("cutoff", _) => return Err(error("option cutoff takes a number from 1")),
            ("target_size", _) => return Err(not_built("option target_size")),
            _ => return Err(error(format!("unknown option '{name}'"))),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        let of = |name: &str, value| request(&[(name.to_owned(), value)]);
        assert!(of("sync", OptionValue::Int(1)).is_ok_and(|r| r.sync && r.cutoff.is_none()));
        assert!(of("cutoff", OptionValue::Int(3)).is_ok_and(|r| r.cutoff == Some(3) && !r.sync));
        for bad in [
            ("sync", OptionValue::Int(2)),
            ("cutoff", OptionValue::Int(0)),
            ("x", OptionValue::Int(1)),
            ("target_size", OptionValue::Int(1)),
        ] {
            assert!(of(bad.0, bad.1).is_err());
        }
    }
}
