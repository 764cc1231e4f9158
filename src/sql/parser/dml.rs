//! INSERT, REPLACE, UPDATE, DELETE.

use super::super::ast::{Delete, Expr, Insert, Statement, Update};
use super::super::lexer::Kind;
use super::{Parse, Parser, signed_value};

impl Parser<'_> {
    /// INSERT and REPLACE, from their first word.
    pub(super) fn insert(&mut self) -> Parse<Statement> {
        let replace = self.at_word("replace");
        self.advance();
        self.expect_word("into")?;
        let table = self.table()?;
        if replace && self.at_word("set") {
            return Ok(self.not_built("REPLACE INTO … SET"));
        }
        let mut columns = Vec::new();
        if self.take_symbol("(") {
            loop {
                columns.push(self.name("column")?);
                if !self.take_symbol(",") {
                    break;
                }
            }
            self.expect_symbol(")")?;
        }
        if !self.take_word("value") {
            self.expect_word("values")?;
        }
        let mut rows = Vec::new();
        loop {
            self.expect_symbol("(")?;
            rows.push(self.values_until_close(0)?);
            if !self.take_symbol(",") {
                return Ok(Statement::Insert(Insert { table, replace, columns, rows }));
            }
        }
    }

    /// Literals up to the closing parenthesis, which is taken.
    fn values_until_close(&mut self, level: u32) -> Parse<Vec<Expr>> {
        let mut values = Vec::new();
        if self.take_symbol(")") {
            return Ok(values);
        }
        loop {
            values.push(self.value(level)?);
            if !self.take_symbol(",") {
                self.expect_symbol(")")?;
                return Ok(values);
            }
        }
    }

    /// A literal; a list at level 0 only.
    fn value(&mut self, level: u32) -> Parse<Expr> {
        let minus = match self.now.kind {
            Kind::Symbol("(") if level == 0 => {
                self.advance();
                return self.values_until_close(1).map(Expr::List);
            }
            Kind::Symbol("-") => {
                self.advance();
                true
            }
            Kind::Symbol("+") => {
                self.advance();
                false
            }
            _ => false,
        };
        let literal = match self.now.kind {
            Kind::Int(n) => match signed_value(minus, n) {
                Some(v) => Expr::Int(v),
                None if minus => return Err(self.out_of_range(true)),
                None => Expr::Uint(n),
            },
            Kind::HugeInt => return Err(self.out_of_range(minus)),
            Kind::Float(v) => Expr::Float(if minus { -v } else { v }),
            _ if minus => return Err(self.unexpected("number")),
            Kind::Text => return Ok(Expr::Text(self.string()?)),
            Kind::Parameter if self.prepared => return Ok(Expr::Parameter(self.parameter())),
            Kind::Word if self.at_word("null") => Expr::Null,
            Kind::Word if self.at_word("true") => Expr::Int(1),
            Kind::Word if self.at_word("false") => Expr::Int(0),
            _ => return Err(self.unexpected("value")),
        };
        self.advance();
        Ok(literal)
    }

    /// What an assignment may have on its right: an expression, or a list, also of one.
    pub(super) fn assigned(&mut self) -> Parse<Expr> {
        if self.at_symbol("(") { self.value(0) } else { self.expression() }
    }

    pub(super) fn update(&mut self) -> Parse<Statement> {
        self.match_count = 0;
        self.advance();
        let table = self.table()?;
        self.expect_word("set")?;
        let mut assignments = Vec::new();
        loop {
            let target = self.target()?;
            self.expect_symbol("=")?;
            assignments.push((target, self.assigned()?));
            if !self.take_symbol(",") {
                break;
            }
        }
        let filter = self.filter()?;
        Ok(Statement::Update(Update { table, assignments, filter, options: self.options()? }))
    }

    /// A column or a path into a JSON column.
    fn target(&mut self) -> Parse<Expr> {
        let name = self.name("column")?;
        self.path(name).map(|(expr, _)| expr)
    }

    pub(super) fn delete(&mut self) -> Parse<Statement> {
        self.match_count = 0;
        self.advance();
        if self.at_word("cluster") {
            return Ok(self.not_built("DELETE CLUSTER"));
        }
        self.expect_word("from")?;
        let table = self.table()?;
        let filter = self.filter()?;
        Ok(Statement::Delete(Delete { table, filter, options: self.options()? }))
    }
}
