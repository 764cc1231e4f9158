//! OPTIMIZE, FLUSH, CHECK, FREEZE: what the operator does to a table's chunks.

use super::answer::{Answer, texts};
use super::client::Session;
use super::failure::{Done, Failure, error, required};
use super::merges::{progress, show_explanation};
use super::table_settings::{seconds, size};
use crate::merge::{Goal, TargetSize};
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
        let wanted = wanted(options)?;
        let table = self.existing(name, || required("OPTIMIZE TABLE", "RT, distributed, or shard table", name))?;
        match wanted {
            Wanted::Cancel | Wanted::RollBack if explain => Err(error("EXPLAIN OPTIMIZE takes neither cancel nor rollback")),
            Wanted::RollBack => {
                table.roll_back(stop)?;
                answer.ok()
            }
            Wanted::Cancel => {
                table.cancel_merges();
                answer.ok()
            }
            Wanted::Optimize(request) if explain => show_explanation(&table.explain(&request)?, answer),
            Wanted::Optimize(request) => {
                let mut target = None;
                table.optimize_watched(&request, stop, &mut |goal, waiter| {
                    if let Goal::TargetSize(bytes) = goal {
                        target = Some(bytes);
                    }
                    if let (true, Some(number)) = (request.sync, waiter.request()) {
                        let pool = self.engine.catalog.surroundings().pool.clone();
                        self.entry.note(move || progress(&pool, number));
                    }
                })?;
                // Which size `0` and `'auto'` came to.
                match target {
                    Some(bytes) => answer.ok_saying(format!("target_size is {bytes} bytes")),
                    None => answer.ok(),
                }
            }
        }
    }

    pub(super) fn flush_ramchunk(&mut self, name: &str, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        self.existing(name, || required("FLUSH RAMCHUNK", "RT table", name))?.flush_ramchunk(stop)?;
        answer.ok()
    }

    pub(super) fn flush_table(&mut self, name: &str, answer: &mut Answer<'_>) -> Done {
        self.existing(name, || required("FLUSH RTINDEX", "RT table", name))?.flush_table()?;
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
#[derive(Debug)]
enum Wanted {
    Optimize(OptimizeRequest),
    /// Put the chunks back that an OPTIMIZE with keep=1 replaced.
    RollBack,
    /// End what was asked for before.
    Cancel,
}

fn wanted(options: &[(String, OptionValue)]) -> Result<Wanted, Failure> {
    let mut request = OptimizeRequest::default();
    let mut keep_seconds = None;
    for (name, value) in options {
        match (name.as_str(), value) {
            ("sync", OptionValue::Int(n @ (0 | 1))) => request.sync = *n == 1,
            ("sync", _) => return Err(error("option sync takes 0 or 1")),
            ("cancel", OptionValue::Int(1)) if options.len() == 1 => return Ok(Wanted::Cancel),
            ("cancel", _) => return Err(error("option cancel takes 1, and stands alone")),
            ("rollback", OptionValue::Int(1)) if options.len() == 1 => return Ok(Wanted::RollBack),
            ("rollback", _) => return Err(error("option rollback takes 1, and stands alone")),
            ("keep", OptionValue::Int(0)) => request.forget_kept = true,
            ("keep", OptionValue::Int(1)) => request.keep_seconds = Some(0),
            ("keep", _) => return Err(error("option keep takes 0 or 1")),
            ("keep_time", value) => keep_seconds = Some(keep_time(value)?),
            ("cutoff", OptionValue::Int(n)) if u32::try_from(*n).is_ok_and(|n| n > 0) => request.cutoff = u32::try_from(*n).ok(),
            ("cutoff", _) => return Err(error("option cutoff takes a number from 1")),
            ("target_size", value) => request.target = Some(target_size(value)?),
            ("parallel" | "parallel_chunk_merges", value) => request.overrides.max_jobs = Some(number(name, value, 1, 256)?),
            ("chunks_per_job" | "merge_chunks_per_job", value) => request.overrides.fan_in = Some(number(name, value, 2, 1024)?),
            _ => return Err(error(format!("unknown option '{name}'"))),
        }
    }
    if request.cutoff.is_some() && request.target.is_some() {
        return Err(error("options cutoff and target_size exclude each other: the one is a number of chunks, the other their size"));
    }
    if request.forget_kept && request.keep_seconds.is_some() {
        return Err(error("option keep stands once"));
    }
    match (request.keep_seconds, keep_seconds) {
        (None, Some(_)) => return Err(error("option keep_time needs keep=1")),
        (Some(_), Some(seconds)) => request.keep_seconds = Some(seconds),
        (_, None) => {}
    }
    Ok(Wanted::Optimize(request))
}

fn number(name: &str, value: &OptionValue, min: i64, max: i64) -> Result<usize, Failure> {
    match value {
        OptionValue::Int(n) if (min..=max).contains(n) => Ok(*n as usize),
        _ => Err(error(format!("option {name} takes a number from {min} to {max}"))),
    }
}

/// Seconds from 1; `30m` and its like are what they say.
fn keep_time(value: &OptionValue) -> Result<u64, Failure> {
    let seconds = match value {
        OptionValue::Int(n) => Some(*n),
        OptionValue::Text(text) | OptionValue::Word(text) => seconds(text),
        OptionValue::Float(_) | OptionValue::Weights(_) | OptionValue::Call(..) => None,
    };
    let seconds = seconds.and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
    seconds.ok_or_else(|| error("option keep_time takes seconds, or a time such as '30m'"))
}

/// A bare number is megabytes, 0 the cap, `auto` or the largest number the engine's choice; `4G` and its like are what they say.
fn target_size(value: &OptionValue) -> Result<TargetSize, Failure> {
    let of_megabytes = |n: u64| match n {
        0 => Some(TargetSize::Cap),
        _ if n == i64::MAX as u64 => Some(TargetSize::Auto),
        _ => n.checked_mul(1 << 20).map(TargetSize::Bytes),
    };
    let target = match value {
        OptionValue::Int(n) => u64::try_from(*n).ok().and_then(of_megabytes),
        OptionValue::Text(text) | OptionValue::Word(text) => match text.trim() {
            auto if auto.eq_ignore_ascii_case("auto") => Some(TargetSize::Auto),
            digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok().and_then(of_megabytes),
            sized => size(sized).map(|bytes| if bytes == 0 { TargetSize::Cap } else { TargetSize::Bytes(bytes) }),
        },
        OptionValue::Float(_) | OptionValue::Weights(_) | OptionValue::Call(..) => None,
    };
    target.ok_or_else(|| error("option target_size takes megabytes, a size such as '4G', 0 (the size of max_chunk_size) or 'auto'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(options: &[(&str, OptionValue)]) -> Result<OptimizeRequest, String> {
        let options: Vec<(String, OptionValue)> = options.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect();
        match wanted(&options) {
            Ok(Wanted::Optimize(request)) => Ok(request),
            Ok(Wanted::Cancel) => Err("cancel".into()),
            Ok(Wanted::RollBack) => Err("rollback".into()),
            Err(Failure::Statement(e)) => Err(e.message),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn options() {
        use OptionValue::{Int, Text, Word};
        assert!(request(&[("sync", Int(1))]).is_ok_and(|r| r.sync && r.cutoff.is_none()));
        assert!(request(&[("cutoff", Int(3))]).is_ok_and(|r| r.cutoff == Some(3) && !r.sync));
        let own = request(&[("parallel", Int(3)), ("merge_chunks_per_job", Int(5))]).expect("known");
        assert_eq!((own.overrides.max_jobs, own.overrides.fan_in), (Some(3), Some(5)));
        assert_eq!(request(&[("cancel", Int(1))]).unwrap_err(), "cancel");
        assert_eq!(request(&[("rollback", Int(1))]).unwrap_err(), "rollback");
        let kept = |options: &[(&str, OptionValue)]| request(options).map(|r| (r.keep_seconds, r.forget_kept)).expect("known");
        assert_eq!(kept(&[("keep", Int(1)), ("sync", Int(1))]), (Some(0), false));
        assert_eq!(kept(&[("keep_time", Text("2h".into())), ("keep", Int(1))]), (Some(7200), false));
        assert_eq!(kept(&[("keep", Int(0))]), (None, true));
        for (value, target) in [
            (Int(0), TargetSize::Cap),
            (Text("0".into()), TargetSize::Cap),
            (Int(32), TargetSize::Bytes(32 << 20)),
            (Text(" 512 ".into()), TargetSize::Bytes(512 << 20)),
            (Text("512M".into()), TargetSize::Bytes(512 << 20)),
            (Word("4g".into()), TargetSize::Bytes(4 << 30)),
            (Text("Auto".into()), TargetSize::Auto),
            (Int(i64::MAX), TargetSize::Auto),
        ] {
            assert_eq!(request(&[("target_size", value.clone())]).expect("a size").target, Some(target), "{value:?}");
        }
        for (options, part) in [
            (vec![("sync", Int(2))], "0 or 1"),
            (vec![("cutoff", Int(0))], "from 1"),
            (vec![("x", Int(1))], "unknown option 'x'"),
            (vec![("cancel", Int(0))], "stands alone"),
            (vec![("rollback", Int(1)), ("sync", Int(1))], "stands alone"),
            (vec![("keep", Int(2))], "0 or 1"),
            (vec![("keep", Int(0)), ("keep", Int(1))], "stands once"),
            (vec![("keep_time", Int(5))], "needs keep=1"),
            (vec![("keep", Int(1)), ("keep_time", Int(0))], "takes seconds"),
            (vec![("cancel", Int(1)), ("sync", Int(1))], "stands alone"),
            (vec![("target_size", Int(-1))], "takes megabytes"),
            (vec![("target_size", Int(i64::MAX - 1))], "takes megabytes"),
            (vec![("target_size", Text("".into()))], "takes megabytes"),
            (vec![("target_size", Text("4X".into()))], "takes megabytes"),
            (vec![("target_size", OptionValue::Float(1.5))], "takes megabytes"),
            (vec![("chunks_per_job", Int(1))], "from 2 to 1024"),
            (vec![("parallel", Word("auto".into()))], "from 1 to 256"),
            (vec![("cutoff", Int(1)), ("target_size", Int(1))], "exclude each other"),
        ] {
            let message = request(&options).expect_err(part);
            assert!(message.contains(part), "{message}");
        }
    }
}
