//! From text to the file that knows the statement.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::answer::Answer;
use super::client::Session;
use super::failure::{Done, Failure, not_built};
use super::reply::{ClientGone, Ok as OkReply, Sink, StatementError};
use super::select::failed_meta;
use crate::sql::ast::{Show, Statement};
use crate::sql::{self, Statements, values};
use crate::types::StopToken;

impl Session {
    /// Runs the statements of `text` one after another and sends each one's answer to `sink`. Ends at the first error.
    ///
    /// `Err` means that the sink cannot be written to any more. Whatever else happens is an answer.
    pub fn run(&mut self, text: &[u8], sink: &mut dyn Sink) -> Result<(), ClientGone> {
        match std::str::from_utf8(text) {
            Ok(text) => self.run_text(text, sink),
            Err(error) => {
                let message = format!("the query is not valid UTF-8 at byte {}", error.valid_up_to());
                sink.error(&StatementError::new(message))
            }
        }
    }

    /// [`Session::run`] for text that is known to be UTF-8.
    pub fn run_text(&mut self, text: &str, sink: &mut dyn Sink) -> Result<(), ClientGone> {
        let mut rest = sql::statements(text);
        if !rest.has_more() {
            // Comments alone are what tools send where another server would do something; nothing at all is a mistake.
            let empty = text.trim_matches(|c: char| c.is_whitespace() || c == ';').is_empty();
            return match empty {
                true => sink.error(&StatementError::with_code(1065, b"42000", "query was empty")),
                false => sink.ok(OkReply::default()),
            };
        }
        while rest.has_more() {
            if !self.run_next(&mut rest, sink)? {
                break;
            }
        }
        Ok(())
    }

    /// Runs the next statement. False: it failed, and nothing more is to be run.
    fn run_next(&mut self, rest: &mut Statements<'_>, sink: &mut dyn Sink) -> Result<bool, ClientGone> {
        let (started, stop) = (Instant::now(), self.stop.child());
        self.engine.counters.queries.add(1);
        let running = self.entry.begin(rest.rest(), stop.clone());
        // The session stays usable after a panic: its parts are replaced as wholes, and tables guard themselves.
        let result =
            catch_unwind(AssertUnwindSafe(|| self.next_statement(rest, &mut Answer { sink, more: false, warnings: Vec::new() }, &stop)));
        drop(running);
        self.engine.counters.wall_micros.add(started.elapsed().as_micros() as u64);
        let error = match result {
            Ok(Ok(())) => return Ok(true),
            Ok(Err(Failure::Gone)) => return Err(ClientGone),
            Ok(Err(Failure::Statement(error))) => error,
            Ok(Err(Failure::Stopped)) => self.why_stopped(),
            Err(panic) => {
                let why = panic_text(panic.as_ref());
                tracing::error!(session = self.id(), peer = self.entry.peer(), "a statement panicked: {why}");
                StatementError::with_code(1815, b"HY000", format!("internal error: {why}"))
            }
        };
        self.engine.counters.errors.add(1);
        sink.error(&error)?;
        Ok(false)
    }

    fn why_stopped(&self) -> StatementError {
        match self.engine.stop.is_stopped() {
            true => StatementError::with_code(1053, b"08S01", "server shutdown in progress"),
            false => StatementError::with_code(1317, b"70100", "query execution was interrupted"),
        }
    }

    fn next_statement(&mut self, rest: &mut Statements<'_>, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        stop.check()?;
        if let Some(scan) = values::scan(rest.rest())
            && let Some(done) = self.insert_scanned(scan, rest, answer, stop)
        {
            self.warnings = std::mem::take(&mut answer.warnings);
            return done;
        }
        let Some(parsed) = rest.next() else { return Ok(()) };
        let statement = match parsed {
            Ok(parsed) => parsed.statement,
            Err(e) => {
                // It may have been meant as a search, as every text may that does not say what it is.
                self.meta = failed_meta(e.message.clone());
                return Err(e.into());
            }
        };
        answer.more = rest.has_more();
        let asks_about_the_last = matches!(statement, Statement::Show(Show::Warnings | Show::Meta(_)));
        let done = self.statement(statement, answer, stop);
        if !asks_about_the_last {
            self.warnings = std::mem::take(&mut answer.warnings);
        }
        done
    }

    fn statement(&mut self, statement: Statement, answer: &mut Answer<'_>, stop: &StopToken) -> Done {
        match statement {
            Statement::Select(select) => {
                let done = self.select(*select, answer, stop);
                match &done {
                    Err(Failure::Statement(e)) => self.meta = failed_meta(e.message.clone()),
                    Err(Failure::Stopped) => self.meta = failed_meta(self.why_stopped().message),
                    Ok(()) | Err(Failure::Gone) => {}
                }
                done
            }
            Statement::Insert(insert) => self.insert(insert, answer, stop),
            Statement::Update(update) => self.update(update, answer, stop),
            Statement::Delete(delete) => self.delete(delete, answer, stop),
            Statement::CreateTable(create) => self.create_table(create, answer, stop),
            Statement::CreateDatabase { name } => self.create_database(&name, answer),
            Statement::DropTable { table, if_exists } => self.drop_table(&table, if_exists, answer, stop),
            Statement::Truncate { table } => self.truncate(&table, answer, stop),
            Statement::AlterSettings { table, settings } => self.alter_settings(&table, &settings, answer, stop),
            Statement::Describe { table, like } => self.describe(&table, &like, answer),
            Statement::Show(show) => self.show(show, answer),
            Statement::Set(assignments) => self.set(assignments, answer, stop),
            Statement::Begin => {
                self.commit(stop)?;
                self.transaction.explicit = true;
                answer.ok()
            }
            Statement::Commit => {
                self.commit(stop)?;
                answer.ok()
            }
            Statement::Rollback => {
                self.rollback();
                answer.ok()
            }
            Statement::Use(name) => {
                self.use_database(&name)?;
                answer.ok()
            }
            Statement::Optimize { table, options, explain } => self.optimize(&table, &options, explain, answer, stop),
            Statement::FlushRamchunk { table } => self.flush_ramchunk(&table, answer, stop),
            Statement::FlushTable { table } => self.flush_table(&table, answer),
            Statement::CheckTable { table } => self.check_table(&table, answer, stop),
            Statement::Freeze(tables) => self.freeze(&tables, answer),
            Statement::Unfreeze(tables) => self.unfreeze(&tables, answer),
            Statement::CallKeywords { text, table, stats, options } => self.keywords(&text, &table, stats, &options, answer),
            Statement::LockTables(locks) => self.lock_tables(&locks, answer, stop),
            Statement::UnlockTables => self.unlock_tables(answer),
            Statement::Kill { id } => self.kill(id, answer),
            Statement::NotBuilt(words) => Err(not_built(&words)),
        }
    }
}

/// What a panic said.
fn panic_text(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "a panic without words",
    }
}
