//! SHOW.

use super::super::ast::BinaryOp;
use super::super::ast::{Expr, NameFilter, Show, Statement};
use super::super::lexer::Kind;
use super::{Parse, Parser};

/// SHOWs of other servers and of features that are absent, and that clients send unasked: answered with what little there is to say.
const OTHERS: [&str; 8] = ["collation", "charset", "engines", "plugins", "events", "triggers", "privileges", "scroll"];

/// Words that SHOW takes and that are not among [`OTHERS`], for the message about a word that is none of them.
const BUILT: [&str; 28] = [
    "character",
    "columns",
    "create",
    "databases",
    "fields",
    "full",
    "function",
    "global",
    "index",
    "indexes",
    "keys",
    "local",
    "locks",
    "merges",
    "meta",
    "optimize",
    "procedure",
    "processlist",
    "queries",
    "schemas",
    "session",
    "status",
    "storage",
    "table",
    "tables",
    "threads",
    "variables",
    "version",
];

/// What else the dialect and its clients show.
const NOT_BUILT: [&str; 24] = [
    "agent",
    "binary",
    "binlog",
    "buddy",
    "chat",
    "count",
    "engine",
    "errors",
    "grants",
    "master",
    "mv",
    "mvs",
    "open",
    "permissions",
    "plan",
    "profile",
    "replica",
    "settings",
    "sharding",
    "slave",
    "source",
    "sources",
    "token",
    "usage",
];

/// What SHOW CREATE takes.
const CREATED: [&str; 9] = ["table", "database", "schema", "view", "function", "procedure", "trigger", "event", "user"];

impl Parser<'_> {
    pub(super) fn show(&mut self) -> Parse<Statement> {
        self.advance();
        if self.now.kind != Kind::Word {
            return Err(self.unexpected("what to show"));
        }
        let word = self.slice(self.now).to_ascii_lowercase();
        let show = match word.as_str() {
            "tables" => {
                self.advance();
                self.database()?;
                Show::Tables(self.like()?)
            }
            "databases" | "schemas" => {
                self.advance();
                Show::Databases(self.like()?)
            }
            "full" => return self.show_full(),
            "columns" | "fields" => self.show_columns(false)?,
            // The dialect's older word for a table. FROM and IN are reserved, so that no table is called so.
            "index" if !["from", "in"].iter().any(|word| self.peek_word(word)) => return self.show_table(),
            "index" | "indexes" | "keys" => {
                self.advance();
                self.expect_from()?;
                let table = self.table()?;
                self.database()?;
                Show::Keys(table)
            }
            "create" => {
                self.advance();
                if !self.take_word("table") {
                    if self.now.kind != Kind::Word {
                        return Err(self.unexpected("TABLE"));
                    }
                    if !CREATED.iter().any(|w| self.at_word(w)) {
                        return Err(self.unknown("kind of object", &CREATED));
                    }
                    let words = format!("SHOW CREATE {}", self.slice(self.now).to_ascii_uppercase());
                    return Ok(self.not_built(words));
                }
                let table = self.table()?;
                if self.at_word("option") {
                    return Ok(self.not_built("SHOW CREATE TABLE … OPTION"));
                }
                Show::CreateTable(table)
            }
            "table" => return self.show_table(),
            "meta" => {
                self.advance();
                Show::Meta(self.like()?)
            }
            "warnings" => {
                self.advance();
                Show::Warnings
            }
            "status" => {
                self.advance();
                Show::Status(self.like()?)
            }
            "variables" => self.variables(false)?,
            "global" | "session" | "local" => {
                self.advance();
                if self.take_word("status") {
                    Show::Status(self.like()?)
                } else if self.at_word("variables") {
                    self.variables(word == "global")?
                } else {
                    return Err(self.unexpected("VARIABLES"));
                }
            }
            "threads" => {
                self.advance();
                Show::Threads(self.options()?)
            }
            "processlist" => {
                self.advance();
                Show::ProcessList
            }
            "merges" => {
                self.advance();
                Show::Merges
            }
            "optimize" => {
                self.advance();
                self.expect_word("history")?;
                Show::OptimizeHistory
            }
            "locks" => {
                self.advance();
                Show::Locks
            }
            "queries" => {
                self.advance();
                Show::Queries
            }
            "version" => {
                self.advance();
                Show::Version
            }
            "character" => {
                self.advance();
                self.expect_word("set")?;
                Show::Other("character set".into(), self.like()?)
            }
            "storage" => {
                self.advance();
                self.expect_word("engines")?;
                Show::Other("engines".into(), None)
            }
            "function" | "procedure" => {
                self.advance();
                self.expect_word("status")?;
                if self.take_word("where") {
                    // mysqldump: WHERE Db = '…'. There are none in any database.
                    self.expression()?;
                }
                Show::Other(format!("{word} status"), self.like()?)
            }
            other if OTHERS.contains(&other) => {
                self.advance();
                if other != "collation" && other != "charset" {
                    self.database()?;
                }
                let word = if other == "charset" { "character set" } else { other };
                Show::Other(word.into(), self.like()?)
            }
            other if NOT_BUILT.contains(&other) => {
                let words = format!("SHOW {}", word.to_ascii_uppercase());
                return Ok(self.not_built(words));
            }
            _ => {
                let known: Vec<&str> = BUILT.iter().chain(&OTHERS).chain(&NOT_BUILT).copied().collect();
                return Err(self.unknown("thing to show", &known));
            }
        };
        Ok(Statement::Show(show))
    }

    /// `FROM db` or `IN db`, where it stands. Every name is taken: there is one set of tables.
    fn database(&mut self) -> Parse<()> {
        if self.take_word("from") || self.take_word("in") {
            self.name("database")?;
        }
        Ok(())
    }

    fn expect_from(&mut self) -> Parse<()> {
        if self.take_word("in") { Ok(()) } else { self.expect_word("from") }
    }

    fn show_full(&mut self) -> Parse<Statement> {
        self.advance();
        Ok(Statement::Show(if self.take_word("tables") {
            self.database()?;
            if self.at_word("where") {
                return Ok(self.not_built("SHOW FULL TABLES … WHERE"));
            }
            Show::FullTables(self.like()?)
        } else if self.take_word("processlist") {
            Show::ProcessList
        } else if self.at_word("columns") || self.at_word("fields") {
            self.show_columns(true)?
        } else {
            return Err(self.unexpected("TABLES"));
        }))
    }

    fn show_columns(&mut self, full: bool) -> Parse<Show> {
        self.advance();
        self.expect_from()?;
        let table = self.table()?;
        self.database()?;
        Ok(Show::Columns { table, full, like: self.like()? })
    }

    /// SHOW TABLE t STATUS and its like, and MySQL's SHOW TABLE STATUS.
    fn show_table(&mut self) -> Parse<Statement> {
        self.advance();
        let of_a_table = ["status", "settings", "chunks", "indexes"].iter().any(|word| self.peek_word(word));
        if self.at_word("status") && !of_a_table {
            self.advance();
            self.database()?;
            return Ok(Statement::Show(Show::Other("table status".into(), self.like()?)));
        }
        let table = self.table()?;
        Ok(Statement::Show(if self.take_word("status") {
            Show::TableStatus(table, self.like()?)
        } else if self.take_word("settings") {
            Show::TableSettings(table)
        } else if self.take_word("chunks") {
            Show::TableChunks(table)
        } else if self.at_word("indexes") {
            return Ok(self.not_built("SHOW TABLE … INDEXES"));
        } else if self.at_word("chunk") || self.at_symbol(".") {
            return Ok(self.not_built("SHOW TABLE … CHUNK … SETTINGS"));
        } else {
            return Err(self.unexpected("STATUS"));
        }))
    }

    fn variables(&mut self, global: bool) -> Parse<Show> {
        self.advance();
        let filter = if let Some(pattern) = self.like()? {
            NameFilter::Like(pattern)
        } else if self.take_word("where") {
            let near = self.unexpected("variable_name = 'name' [OR …]");
            let mut names = Vec::new();
            let condition = self.expression()?;
            if !variable_names(&condition, &mut names) {
                return Err(near);
            }
            NameFilter::Names(names)
        } else {
            NameFilter::All
        };
        Ok(Show::Variables { global, filter })
    }
}

/// Collects the names of `variable_name = 'a' OR variable_name IN ('b')`. False: it says something else.
fn variable_names(condition: &Expr, names: &mut Vec<String>) -> bool {
    let is_name = |e: &Expr| matches!(e, Expr::Column(c) if c == "variable_name");
    match condition {
        Expr::Binary(BinaryOp::Or, a, b) => variable_names(a, names) && variable_names(b, names),
        Expr::Binary(BinaryOp::Eq | BinaryOp::Like, a, b) if is_name(a) => match &**b {
            Expr::Text(name) => {
                names.push(name.to_ascii_lowercase());
                true
            }
            _ => false,
        },
        Expr::In { expr, list, negated: false } if is_name(expr) => list.iter().all(|item| match item {
            Expr::Text(name) => {
                names.push(name.to_ascii_lowercase());
                true
            }
            _ => false,
        }),
        _ => false,
    }
}
