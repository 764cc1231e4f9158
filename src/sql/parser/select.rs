//! SELECT and its clauses; WHERE, ORDER BY and select lists for the other statements too.

use super::super::ast::{Expr, Facet, OrderKey, Select, SelectItem, Statement};
use super::super::lexer::{Kind, string_value};
use super::{Parse, Parser, is_reserved};

/// Words that end a select list or a table list, so that they are no alias.
const CLAUSES: [&str; 14] =
    ["from", "where", "group", "within", "having", "order", "limit", "offset", "option", "facet", "for", "join", "union", "into"];

/// First words of a join.
const JOINS: [&str; 6] = ["join", "left", "inner", "right", "cross", "natural"];

impl Parser<'_> {
    pub(super) fn select_statement(&mut self) -> Parse<Statement> {
        self.match_count = 0;
        Ok(match self.select()? {
            Ok(select) => Statement::Select(Box::new(select)),
            Err(words) => self.not_built(words),
        })
    }

    /// `SELECT …)`, its closing parenthesis included.
    pub(in crate::sql) fn subquery(&mut self) -> Parse<Expr> {
        match self.nested(|p| p.select())? {
            Ok(select) => {
                self.expect_symbol(")")?;
                Ok(Expr::Subquery(Box::new(select)))
            }
            Err(words) => Err(self.error(&format!("{words} in a subquery is not built yet"))),
        }
    }

    /// A SELECT from its first word, or the words for what is not built and stands at the current token.
    fn select(&mut self) -> Parse<Result<Select, &'static str>> {
        self.advance();
        let dump = self.text[self.last_end..self.now.start].contains("SQL_NO_CACHE");
        let distinct = self.take_word("distinct");
        let mut select = Select { distinct, dump, items: self.items(true)?, group_rows: 1, ..Select::default() };
        if self.take_word("from") {
            if self.at_symbol("(") {
                return Ok(Err("SELECT … FROM (SELECT …)"));
            }
            select.from.push(self.table()?);
            while self.take_symbol(",") {
                select.from.push(self.table()?);
            }
            if JOINS.iter().any(|w| self.at_word(w)) {
                return Ok(Err("JOIN"));
            }
            if self.at_word("as") || self.at_alias() && self.peek_ends_table() {
                return Ok(Err("another name for a table (FROM t AS name)"));
            }
        }
        select.filter = self.filter()?;
        if self.take_word("group") {
            if let Kind::Int(n) = self.now.kind {
                select.group_rows = u32::try_from(n).ok().filter(|&n| n > 0).ok_or_else(|| self.error("GROUP N BY wants an N from 1"))?;
                self.advance();
            }
            self.expect_word("by")?;
            select.group_by = self.expressions()?;
        }
        if self.take_word("within") {
            self.expect_word("group")?;
            select.within_group = self.order_by()?.ok_or_else(|| self.unexpected("ORDER"))?;
        }
        if self.take_word("having") {
            select.having = Some(self.expression()?);
        }
        select.order_by = self.order_by()?.unwrap_or_default();
        (select.limit, select.offset) = self.limit()?;
        select.options = self.options()?;
        while self.take_word("facet") {
            match self.facet()? {
                Some(facet) => select.facets.push(facet),
                None => return Ok(Err("FACET … FILTERS, ZEROES and MODE")),
            }
            // Facets may stand with or without commas between them.
            if self.at_symbol(",") && self.peek_word("facet") {
                self.advance();
            }
        }
        if self.at_word("union") {
            return Ok(Err("UNION"));
        }
        Ok(Ok(select))
    }

    /// None: a clause that is not built stands here.
    fn facet(&mut self) -> Parse<Option<Facet>> {
        let items = self.items(false)?;
        let by = if self.take_word("by") { self.expressions()? } else { Vec::new() };
        if ["all", "filters", "exclude", "zeroes", "mode"].iter().any(|w| self.at_word(w)) {
            return Ok(None);
        }
        let distinct = if self.take_word("distinct") { Some(self.name("column")?) } else { None };
        let order_by = self.order_by()?.unwrap_or_default();
        let (limit, offset) = self.limit()?;
        Ok(Some(Facet { items, by, distinct, order_by, limit, offset }))
    }

    /// A select list. `bare_alias`: an alias may stand without AS.
    fn items(&mut self, bare_alias: bool) -> Parse<Vec<SelectItem>> {
        let mut items = vec![self.item(bare_alias)?];
        while self.at_symbol(",") && !self.peek_word("facet") {
            self.advance();
            items.push(self.item(bare_alias)?);
        }
        Ok(items)
    }

    fn item(&mut self, bare_alias: bool) -> Parse<SelectItem> {
        if self.take_symbol("*") {
            return Ok(SelectItem::Star);
        }
        let start = self.now.start;
        let expr = self.expression()?;
        let text = self.text[start..self.last_end].trim().to_owned();
        let alias = if self.take_word("as") {
            match self.now.kind {
                Kind::Text => {
                    let token = self.advance();
                    Some(string_value(self.slice(token)).to_ascii_lowercase())
                }
                _ => Some(self.name("alias")?),
            }
        } else if bare_alias && self.at_alias() {
            Some(self.name("alias")?)
        } else {
            None
        };
        Ok(SelectItem::Expr { expr, alias, text })
    }

    fn at_alias(&self) -> bool {
        match self.now.kind {
            Kind::Quoted => true,
            Kind::Word => {
                let word = self.slice(self.now);
                !is_reserved(word) && !CLAUSES.iter().any(|c| c.eq_ignore_ascii_case(word))
            }
            _ => false,
        }
    }

    /// Whether what follows the current token may stand behind a list of tables, so that the token itself is another name for one.
    fn peek_ends_table(&mut self) -> bool {
        let next = self.peek();
        match next.kind {
            Kind::End | Kind::Symbol(";" | "," | ")") => true,
            Kind::Word => CLAUSES.iter().chain(&JOINS).any(|c| c.eq_ignore_ascii_case(self.slice(next))),
            _ => false,
        }
    }

    /// `WHERE condition`, where it stands.
    pub(super) fn filter(&mut self) -> Parse<Option<Expr>> {
        if self.take_word("where") { self.expression().map(Some) } else { Ok(None) }
    }

    /// Expressions between commas.
    fn expressions(&mut self) -> Parse<Vec<Expr>> {
        let mut list = vec![self.expression()?];
        while self.at_symbol(",") && !self.peek_word("facet") {
            self.advance();
            list.push(self.expression()?);
        }
        Ok(list)
    }

    fn order_by(&mut self) -> Parse<Option<Vec<OrderKey>>> {
        if !self.take_word("order") {
            return Ok(None);
        }
        self.expect_word("by")?;
        let mut keys = Vec::new();
        loop {
            let expr = self.expression()?;
            let descending = self.take_word("desc");
            if !descending {
                self.take_word("asc");
            }
            keys.push(OrderKey { expr, descending });
            if !self.at_symbol(",") || self.peek_word("facet") {
                return Ok(Some(keys));
            }
            self.advance();
        }
    }

    /// `LIMIT n`, `LIMIT offset, n`, `LIMIT n OFFSET m`, `OFFSET m`: (limit, offset).
    fn limit(&mut self) -> Parse<(Option<u64>, u64)> {
        let (mut limit, mut offset) = (None, 0);
        if self.take_word("limit") {
            let first = self.count()?;
            if self.at_symbol(",") && !self.peek_word("facet") {
                self.advance();
                return Ok((Some(self.count()?), first));
            }
            limit = Some(first);
        }
        if self.take_word("offset") {
            offset = self.count()?;
        }
        Ok((limit, offset))
    }
}
