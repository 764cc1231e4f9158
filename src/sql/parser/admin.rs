//! Transactions, OPTIMIZE, FLUSH, FREEZE, LOCK, KILL, CALL, and what is known and not built.

use super::super::ast::{LockKind, OptionValue, Statement};
use super::super::lexer::Kind;
use super::{Parse, Parser, is_reserved};

/// First words of statements that the dialect or its clients have and that are not built.
const NOT_BUILT: [&str; 17] = [
    "attach",
    "import",
    "backup",
    "restore",
    "reload",
    "debug",
    "join",
    "prepare",
    "execute",
    "deallocate",
    "savepoint",
    "release",
    "grant",
    "revoke",
    "analyze",
    "rename",
    "explain",
];

/// First words of all other statements, for the message about a word that begins none.
const BUILT: [&str; 28] = [
    "alter", "begin", "call", "check", "commit", "create", "delete", "desc", "describe", "drop", "explain", "flush", "freeze", "insert",
    "kill", "lock", "optimize", "replace", "rollback", "select", "set", "show", "start", "truncate", "unfreeze", "unlock", "update", "use",
];

/// What the dialect and its clients flush besides.
const FLUSHED: [&str; 7] = ["attributes", "hostnames", "hosts", "logs", "privileges", "status", "tables"];

/// Procedures of the dialect besides KEYWORDS.
const PROCEDURES: [&str; 7] = ["autocomplete", "chat", "pq", "qsuggest", "snippets", "suggest", "uuid_short"];

impl Parser<'_> {
    /// Any of them, from the first word, which is `first` folded.
    pub(super) fn admin(&mut self, first: &str) -> Parse<Statement> {
        Ok(match first {
            "begin" => {
                self.advance();
                self.take_word("work");
                Statement::Begin
            }
            "start" => {
                self.advance();
                self.expect_word("transaction")?;
                if self.at_word("with") || self.at_word("read") {
                    let words = format!("START TRANSACTION {} …", self.slice(self.now).to_ascii_uppercase());
                    return Ok(self.not_built(words));
                }
                Statement::Begin
            }
            "commit" => {
                self.advance();
                self.take_word("work");
                Statement::Commit
            }
            "rollback" => {
                self.advance();
                self.take_word("work");
                if self.at_word("to") {
                    return Ok(self.not_built("ROLLBACK TO"));
                }
                Statement::Rollback
            }
            "use" => {
                self.advance();
                Statement::Use(self.name("database")?)
            }
            "optimize" => self.optimize(false)?,
            "explain" if self.peek_word("optimize") => {
                self.advance();
                self.optimize(true)?
            }
            "flush" => self.flush()?,
            "check" => {
                self.advance();
                self.expect_word("table")?;
                Statement::CheckTable { table: self.table()? }
            }
            "freeze" => Statement::Freeze(self.tables()?),
            "unfreeze" => Statement::Unfreeze(self.tables()?),
            "lock" => self.lock_tables()?,
            "unlock" => {
                self.advance();
                self.expect_tables()?;
                Statement::UnlockTables
            }
            "kill" => {
                self.advance();
                if !self.take_word("query") {
                    self.take_word("connection");
                }
                Statement::Kill { id: self.count()? }
            }
            "call" => self.call_statement()?,
            _ if NOT_BUILT.contains(&first) => {
                let mut words = first.to_ascii_uppercase();
                let next = self.peek();
                if next.kind == Kind::Word {
                    words.push(' ');
                    words.push_str(&self.slice(next).to_ascii_uppercase());
                }
                self.not_built(words)
            }
            _ if is_reserved(first) => return Err(self.unexpected("a statement")),
            _ => return Err(self.unknown("statement", &[&BUILT[..], &NOT_BUILT[..]].concat())),
        })
    }

    fn optimize(&mut self, explain: bool) -> Parse<Statement> {
        self.advance();
        if !self.take_word("index") {
            self.expect_word("table")?;
        }
        let table = self.table()?;
        Ok(Statement::Optimize { table, options: self.options()?, explain })
    }

    fn flush(&mut self) -> Parse<Statement> {
        self.advance();
        if self.take_word("ramchunk") {
            Ok(Statement::FlushRamchunk { table: self.table()? })
        } else if self.take_word("table") || self.take_word("rtindex") {
            Ok(Statement::FlushTable { table: self.table()? })
        } else if FLUSHED.iter().any(|w| self.at_word(w)) {
            let words = format!("FLUSH {}", self.slice(self.now).to_ascii_uppercase());
            Ok(self.not_built(words))
        } else if self.now.kind == Kind::Word {
            Err(self.unknown("thing to flush", &[&["ramchunk", "table"], &FLUSHED[..]].concat()))
        } else {
            Err(self.unexpected("RAMCHUNK or TABLE"))
        }
    }

    fn tables(&mut self) -> Parse<Vec<String>> {
        self.advance();
        let mut tables = vec![self.table()?];
        while self.take_symbol(",") {
            tables.push(self.table()?);
        }
        Ok(tables)
    }

    /// `LOCK TABLES t [AS name] READ [LOCAL] | [LOW_PRIORITY] WRITE, …`
    fn lock_tables(&mut self) -> Parse<Statement> {
        self.advance();
        self.expect_tables()?;
        let mut locks = Vec::new();
        loop {
            let table = self.table()?;
            if self.take_word("as") {
                self.name("alias")?;
            }
            let kind = if self.take_word("read") {
                // LOCAL lets rows be inserted behind the end of a file; there is no such place here, so it asks for what READ gives.
                self.take_word("local");
                LockKind::Read
            } else {
                self.take_word("low_priority");
                if !self.take_word("write") {
                    return Err(self.unexpected("READ or WRITE"));
                }
                LockKind::Write
            };
            locks.push((table, kind));
            if !self.take_symbol(",") {
                return Ok(Statement::LockTables(locks));
            }
        }
    }

    fn expect_tables(&mut self) -> Parse<()> {
        if self.take_word("table") { Ok(()) } else { self.expect_word("tables") }
    }

    fn call_statement(&mut self) -> Parse<Statement> {
        self.advance();
        if !self.at_word("keywords") {
            if self.now.kind != Kind::Word {
                return Err(self.unexpected("procedure"));
            }
            let name = self.slice(self.now).to_ascii_uppercase();
            if !PROCEDURES.iter().any(|p| p.eq_ignore_ascii_case(&name)) {
                return Err(self.unknown("procedure", &[&["keywords"], &PROCEDURES[..]].concat()));
            }
            return Ok(self.not_built(format!("CALL {name}")));
        }
        self.advance();
        self.expect_symbol("(")?;
        let text = self.string()?;
        self.expect_symbol(",")?;
        let table = self.string()?.to_ascii_lowercase();
        let (mut stats, mut options, mut first) = (false, Vec::new(), true);
        while self.take_symbol(",") {
            let value = self.option_value()?;
            let name = if self.take_word("as") {
                self.name("option name")?
            } else if first {
                "stats".to_owned()
            } else {
                return Err(self.unexpected("AS"));
            };
            first = false;
            match (name.as_str(), &value) {
                ("stats", OptionValue::Int(n)) => stats = *n != 0,
                ("stats", _) => return Err(self.error("stats is 0 or 1")),
                _ => options.push((name, value)),
            }
        }
        self.expect_symbol(")")?;
        Ok(Statement::CallKeywords { text, table, stats, options })
    }
}
