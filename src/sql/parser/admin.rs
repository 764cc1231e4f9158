//! Transactions, OPTIMIZE, FLUSH, FREEZE, KILL, CALL, and what is known and not built.

use super::super::ast::{OptionValue, Statement};
use super::super::lexer::Kind;
use super::{Parse, Parser};

/// First words of statements that the dialect or its clients have and that are not built.
const NOT_BUILT: [&str; 19] = [
    "attach",
    "import",
    "backup",
    "restore",
    "reload",
    "debug",
    "join",
    "lock",
    "unlock",
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
            _ => return Err(self.unexpected("a statement")),
        })
    }

    fn optimize(&mut self, explain: bool) -> Parse<Statement> {
        self.advance();
        if !self.take_word("table") {
            self.expect_word("index")?;
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
        } else if self.now.kind == Kind::Word {
            let words = format!("FLUSH {}", self.slice(self.now).to_ascii_uppercase());
            Ok(self.not_built(words))
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

    fn call_statement(&mut self) -> Parse<Statement> {
        self.advance();
        let name = self.name("procedure")?;
        if name != "keywords" {
            return Ok(self.not_built(format!("CALL {}", name.to_ascii_uppercase())));
        }
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
