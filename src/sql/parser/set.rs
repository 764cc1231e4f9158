//! SET.

use super::super::ast::{Assignment, Expr, SetScope, Statement};
use super::super::lexer::Kind;
use super::{Parse, Parser};

impl Parser<'_> {
    pub(super) fn set(&mut self) -> Parse<Statement> {
        self.advance();
        if self.at_word("index") || self.at_word("password") || self.at_word("cluster") {
            let words = format!("SET {}", self.slice(self.now).to_ascii_uppercase());
            return Ok(self.not_built(words));
        }
        let mut all = Vec::new();
        loop {
            self.assignment(&mut all)?;
            if !self.take_symbol(",") {
                return Ok(Statement::Set(all));
            }
        }
    }

    fn assignment(&mut self, all: &mut Vec<Assignment>) -> Parse<()> {
        let mut scope = SetScope::Session;
        match self.now.kind {
            Kind::UserVar => {
                let name = self.user_variable();
                return self.assign(SetScope::User, name, all);
            }
            Kind::SysVar => {
                let token = self.advance();
                let name = self.slice(token)[2..].to_ascii_lowercase();
                let (scope, name) = match name.split_once('.') {
                    Some(("global", rest)) => (SetScope::Global, rest.to_owned()),
                    Some(("session" | "local", rest)) => (SetScope::Session, rest.to_owned()),
                    _ => (SetScope::Session, name),
                };
                return self.assign(scope, name, all);
            }
            _ => {}
        }
        // A variable may itself be called `global`: only a second word makes it a scope.
        if !self.peek_symbol("=") {
            if self.take_word("global") {
                scope = SetScope::Global;
            } else if !self.take_word("session") {
                self.take_word("local");
            }
        }
        if self.now.kind == Kind::UserVar {
            let name = self.user_variable();
            return self.assign(SetScope::User, name, all);
        }
        if self.take_word("names") {
            let value = Expr::Text(self.string_or_word()?);
            all.push(Assignment { scope, name: "names".into(), value });
            if self.take_word("collate") {
                let value = Expr::Text(self.string_or_word()?);
                all.push(Assignment { scope, name: "collation_connection".into(), value });
            }
            return Ok(());
        }
        if self.take_words("character", "set") || self.take_word("charset") {
            let value = Expr::Text(self.string_or_word()?);
            all.push(Assignment { scope, name: "names".into(), value });
            return Ok(());
        }
        if self.at_word("transaction") && !self.peek_symbol("=") {
            self.advance();
            let start = self.now.start;
            while self.now.kind == Kind::Word {
                self.advance();
                if self.at_symbol(",") && self.peek().kind == Kind::Word {
                    self.advance();
                }
            }
            if self.last_end <= start {
                return Err(self.unexpected("ISOLATION LEVEL"));
            }
            let value = Expr::Text(self.text[start..self.last_end].to_ascii_lowercase());
            all.push(Assignment { scope, name: "transaction".into(), value });
            return Ok(());
        }
        let name = self.name("variable")?;
        self.assign(scope, name, all)
    }

    fn user_variable(&mut self) -> String {
        let token = self.advance();
        self.slice(token)[1..].to_ascii_lowercase()
    }

    fn assign(&mut self, scope: SetScope, name: String, all: &mut Vec<Assignment>) -> Parse<()> {
        if self.at_symbol(":") && self.peek_symbol("=") {
            self.advance();
        }
        self.expect_symbol("=")?;
        // ON is reserved and the value of many a variable.
        let value = if self.at_word("on") {
            self.advance();
            Expr::Column("on".into())
        } else {
            self.assigned()?
        };
        all.push(Assignment { scope, name, value });
        Ok(())
    }
}
