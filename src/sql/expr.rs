//! Expressions, by precedence climbing.
//!
//! Weakest first: OR · AND · NOT · comparison, IN, BETWEEN, LIKE, IS · `|` · `&` · `<< >>` · `+ -` · `* / % DIV MOD` · `^` · unary.
//! Chains of AND and of OR become balanced trees, so that a condition of 10 000 members is 14 levels high.

use super::MAX_HEIGHT;
use super::ParseError;
use super::ast::{BinaryOp, Expr, JsonStep, UnaryOp};
use super::lexer::Kind;
use super::parser::{Parse, Parser, is_reserved, signed_value};

/// Binding powers, weakest first. An infix operator at level n takes a right side of n + 1.
const OR: u8 = 1;
const AND: u8 = 3;
const NOT: u8 = 5;
const COMPARISON: u8 = 7;
const BIT_OR: u8 = 9;
const BIT_AND: u8 = 11;
const SHIFT: u8 = 13;
const SUM: u8 = 15;
const PRODUCT: u8 = 17;
const BIT_XOR: u8 = 19;
const UNARY: u8 = 21;

/// An expression and the number of its levels.
type Tall = (Expr, u32);

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        self.climb(0).map(|(expr, _)| expr)
    }

    fn climb(&mut self, weakest: u8) -> Parse<Tall> {
        self.nested(|p| p.climb_here(weakest))
    }

    fn climb_here(&mut self, weakest: u8) -> Parse<Tall> {
        let mut left = self.prefix()?;
        loop {
            let Some((op, level)) = self.infix() else { return Ok(left) };
            if level < weakest {
                return Ok(left);
            }
            left = match op {
                Infix::Chain(op) => self.chain(left, op, level)?,
                Infix::Binary(op) => {
                    self.advance();
                    let right = self.climb(level + 1)?;
                    self.binary(op, left, right)?
                }
                Infix::Predicate => self.predicate(left)?,
            };
        }
    }

    /// All members of `a AND b AND c`, folded from the middle.
    fn chain(&mut self, first: Tall, op: BinaryOp, level: u8) -> Parse<Tall> {
        let mut members = vec![first];
        while matches!(self.infix(), Some((Infix::Chain(o), _)) if o == op) {
            self.advance();
            members.push(self.climb(level + 1)?);
        }
        while members.len() > 1 {
            let mut paired = Vec::with_capacity(members.len() / 2 + 1);
            let mut rest = members.into_iter();
            while let Some(left) = rest.next() {
                paired.push(match rest.next() {
                    Some(right) => self.binary(op, left, right)?,
                    None => left,
                });
            }
            members = paired;
        }
        members.pop().ok_or_else(|| self.unexpected("expression"))
    }

    fn binary(&self, op: BinaryOp, left: Tall, right: Tall) -> Parse<Tall> {
        let height = self.taller(left.1.max(right.1))?;
        Ok((Expr::Binary(op, Box::new(left.0), Box::new(right.0)), height))
    }

    /// One level more, checked.
    fn taller(&self, height: u32) -> Result<u32, ParseError> {
        if height >= MAX_HEIGHT { Err(self.error(&format!("expression of more than {MAX_HEIGHT} levels"))) } else { Ok(height + 1) }
    }

    /// The operator at the current token, if one stands there, and its level.
    fn infix(&mut self) -> Option<(Infix, u8)> {
        use BinaryOp::*;
        let binary = |op, level| Some((Infix::Binary(op), level));
        match self.now.kind {
            Kind::Symbol(symbol) => match symbol {
                "||" => Some((Infix::Chain(Or), OR)),
                "&&" => Some((Infix::Chain(And), AND)),
                "=" => binary(Eq, COMPARISON),
                "<>" | "!=" => binary(Ne, COMPARISON),
                "<" => binary(Lt, COMPARISON),
                "<=" => binary(Le, COMPARISON),
                ">" => binary(Gt, COMPARISON),
                ">=" => binary(Ge, COMPARISON),
                "|" => binary(BitOr, BIT_OR),
                "&" => binary(BitAnd, BIT_AND),
                "<<" => binary(Shl, SHIFT),
                ">>" => binary(Shr, SHIFT),
                "+" => binary(Add, SUM),
                "-" => binary(Sub, SUM),
                "*" => binary(Mul, PRODUCT),
                "/" => binary(Div, PRODUCT),
                "%" => binary(Mod, PRODUCT),
                "^" => binary(BitXor, BIT_XOR),
                _ => None,
            },
            Kind::Word => {
                let word = self.slice(self.now);
                let is = |k: &str| word.eq_ignore_ascii_case(k);
                match word.len() {
                    2 if is("or") => Some((Infix::Chain(Or), OR)),
                    2 if is("in") || is("is") => Some((Infix::Predicate, COMPARISON)),
                    3 if is("and") => Some((Infix::Chain(And), AND)),
                    3 if is("div") => binary(IntDiv, PRODUCT),
                    3 if is("mod") => binary(Mod, PRODUCT),
                    3 if is("not") => {
                        let next = self.peek();
                        let next = if next.kind == Kind::Word { self.slice(next) } else { "" };
                        ["in", "between", "like"].iter().any(|k| next.eq_ignore_ascii_case(k)).then_some((Infix::Predicate, COMPARISON))
                    }
                    4 if is("like") => binary(Like, COMPARISON),
                    6 if is("regexp") => binary(Regexp, COMPARISON),
                    5 if is("rlike") => binary(Regexp, COMPARISON),
                    7 if is("between") => Some((Infix::Predicate, COMPARISON)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// IN, BETWEEN, IS, NOT LIKE behind their left side.
    fn predicate(&mut self, (left, height): Tall) -> Parse<Tall> {
        let expr = Box::new(left);
        if self.take_word("is") {
            let negated = self.take_word("not");
            self.expect_word("null")?;
            return Ok((Expr::IsNull { expr, negated }, self.taller(height)?));
        }
        let negated = self.take_word("not");
        if self.take_word("like") {
            let (right, other) = self.climb(COMPARISON + 1)?;
            return Ok((Expr::Binary(BinaryOp::NotLike, expr, Box::new(right)), self.taller(height.max(other))?));
        }
        if self.take_word("between") {
            let (low, low_height) = self.climb(COMPARISON + 1)?;
            self.expect_word("and")?;
            let (high, high_height) = self.climb(COMPARISON + 1)?;
            let height = self.taller(height.max(low_height).max(high_height))?;
            return Ok((Expr::Between { expr, low: Box::new(low), high: Box::new(high), negated }, height));
        }
        self.expect_word("in")?;
        if self.now.kind == Kind::UserVar {
            let list = vec![self.primary()?.0];
            return Ok((Expr::In { expr, list, negated }, self.taller(height)?));
        }
        self.expect_symbol("(")?;
        if self.at_symbol(")") {
            return Err(self.unexpected("value"));
        }
        if self.at_word("select") {
            let list = vec![self.subquery()?];
            return Ok((Expr::In { expr, list, negated }, self.taller(height.max(1))?));
        }
        let (list, list_height) = self.list_until(")")?;
        Ok((Expr::In { expr, list, negated }, self.taller(height.max(list_height))?))
    }

    /// Expressions between commas and the closing symbol, which is taken. May be empty.
    fn list_until(&mut self, close: &'static str) -> Parse<(Vec<Expr>, u32)> {
        let (mut list, mut height) = (Vec::new(), 0);
        if self.take_symbol(close) {
            return Ok((list, height));
        }
        loop {
            let (item, tall) = self.climb(0)?;
            list.push(item);
            height = height.max(tall);
            if !self.take_symbol(",") {
                self.expect_symbol(close)?;
                return Ok((list, height));
            }
        }
    }

    fn prefix(&mut self) -> Parse<Tall> {
        if self.at_word("not") {
            self.advance();
            let (expr, height) = self.climb(NOT)?;
            return Ok((Expr::Unary(UnaryOp::Not, Box::new(expr)), self.taller(height)?));
        }
        let Kind::Symbol(symbol) = self.now.kind else { return self.primary() };
        let op = match symbol {
            "-" => {
                let folded = match self.peek().kind {
                    Kind::Int(n) => signed_value(true, n).map(Expr::Int),
                    Kind::Float(v) => Some(Expr::Float(-v)),
                    _ => None,
                };
                self.advance();
                if let Some(literal) = folded {
                    self.advance();
                    return Ok((literal, 1));
                }
                if matches!(self.now.kind, Kind::Int(_) | Kind::HugeInt) {
                    return Err(self.out_of_range(true));
                }
                UnaryOp::Minus
            }
            "+" => {
                self.advance();
                return self.climb(UNARY);
            }
            "~" => {
                self.advance();
                UnaryOp::BitNot
            }
            "!" => {
                self.advance();
                UnaryOp::Not
            }
            _ => return self.primary(),
        };
        let (expr, height) = self.climb(UNARY)?;
        Ok((Expr::Unary(op, Box::new(expr)), self.taller(height)?))
    }

    fn primary(&mut self) -> Parse<Tall> {
        let expr = match self.now.kind {
            Kind::Int(n) => i64::try_from(n).map_or(Expr::Uint(n), Expr::Int),
            Kind::HugeInt => return Err(self.out_of_range(false)),
            Kind::Float(v) => Expr::Float(v),
            Kind::Text => return Ok((Expr::Text(self.string()?), 1)),
            Kind::Parameter if self.prepared => return Ok((Expr::Parameter(self.parameter()), 1)),
            Kind::UserVar => Expr::UserVar(self.slice(self.now)[1..].to_ascii_lowercase()),
            Kind::SysVar => Expr::SysVar(strip_scope(&self.slice(self.now)[2..]).to_ascii_lowercase()),
            Kind::Symbol("(") => {
                self.advance();
                if self.take_symbol(")") {
                    return Ok((Expr::List(Vec::new()), 1));
                }
                if self.at_word("select") {
                    return Ok((self.subquery()?, 1));
                }
                let (first, height) = self.climb(0)?;
                if self.take_symbol(")") {
                    return Ok((first, height));
                }
                self.expect_symbol(",")?;
                let (rest, rest_height) = self.list_until(")")?;
                if rest.is_empty() {
                    return Err(self.unexpected("value"));
                }
                let list = std::iter::once(first).chain(rest).collect();
                return Ok((Expr::List(list), self.taller(height.max(rest_height))?));
            }
            Kind::Word => return self.word(),
            Kind::Quoted => {
                let name = self.name("column")?;
                return self.path(name);
            }
            _ => return Err(self.unexpected("expression")),
        };
        self.advance();
        Ok((expr, 1))
    }

    /// A keyword value, a call, or a column with its path.
    fn word(&mut self) -> Parse<Tall> {
        let word = self.slice(self.now);
        let is = |k: &str| word.eq_ignore_ascii_case(k);
        let literal = if is("null") {
            Some(Expr::Null)
        } else if is("true") {
            Some(Expr::Int(1))
        } else if is("false") {
            Some(Expr::Int(0))
        } else {
            None
        };
        if let Some(literal) = literal {
            self.advance();
            return Ok((literal, 1));
        }
        // IN(x, 1, 2), MOD(a, b), KNN(…) and FACET() are functions as well as reserved words.
        let callable = !is_reserved(word) || is("in") || is("mod") || is("knn") || is("left") || is("facet");
        if callable && self.peek_symbol("(") {
            return self.call();
        }
        if is("interval") && matches!(self.peek().kind, Kind::Int(_)) {
            return self.interval();
        }
        let name = self.name("expression")?;
        self.path(name)
    }

    /// `.key`, `[3]` and `['key']` behind a column.
    pub(super) fn path(&mut self, column: String) -> Parse<Tall> {
        let mut path = Vec::new();
        loop {
            if self.take_symbol(".") {
                match self.now.kind {
                    Kind::Word => path.push(JsonStep::Key(self.slice(self.now).to_owned())),
                    Kind::Quoted => path.push(JsonStep::Key(self.slice(self.now).trim_matches('`').to_owned())),
                    _ => return Err(self.unexpected("key")),
                }
                self.advance();
            } else if self.take_symbol("[") {
                path.push(match self.now.kind {
                    Kind::Text => JsonStep::Key(self.string()?),
                    _ => JsonStep::Index(self.signed()?),
                });
                self.expect_symbol("]")?;
            } else if path.is_empty() {
                return Ok((Expr::Column(column), 1));
            } else {
                return Ok((Expr::Json { column, path }, 1));
            }
        }
    }

    /// `3 DAY` behind INTERVAL.
    fn interval(&mut self) -> Parse<Tall> {
        self.advance();
        let amount = Expr::Int(self.signed()?);
        let unit = Expr::Text(self.name("unit")?);
        Ok((Expr::Call { name: "interval".into(), args: vec![amount, unit], distinct: false }, 2))
    }

    fn call(&mut self) -> Parse<Tall> {
        let token = self.advance();
        let name = self.slice(token).to_ascii_lowercase();
        self.advance();
        if name == "match" {
            return self.match_clause();
        }
        let distinct = self.take_word("distinct");
        let (mut args, mut height) = (Vec::new(), 0);
        while !self.at_symbol(")") {
            let (arg, tall) = self.argument()?;
            args.push(arg);
            height = height.max(tall);
            if !self.take_symbol(",") {
                break;
            }
            if self.at_symbol(")") {
                return Err(self.unexpected("argument"));
            }
        }
        self.expect_symbol(")")?;
        Ok((Expr::Call { name, args, distinct }, self.taller(height)?))
    }

    fn argument(&mut self) -> Parse<Tall> {
        if self.at_symbol("*") {
            self.advance();
            return Ok((Expr::Star, 1));
        }
        if self.at_symbol("{") {
            return self.nested(|p| p.map());
        }
        let (condition, height) = self.climb(0)?;
        if !self.take_word("for") {
            return Ok((condition, height));
        }
        let variable = Expr::Column(self.name("variable")?);
        self.expect_word("in")?;
        let (list, list_height) = self.climb(COMPARISON + 1)?;
        let call = Expr::Call { name: "for".into(), args: vec![condition, variable, list], distinct: false };
        Ok((call, self.taller(height.max(list_height))?))
    }

    /// `{key=value, …}`.
    fn map(&mut self) -> Parse<Tall> {
        self.expect_symbol("{")?;
        let (mut entries, mut height) = (Vec::new(), 0);
        while !self.at_symbol("}") {
            let key = match self.now.kind {
                Kind::Text => self.string()?,
                // Reserved words too: `{limit=50}`, `{in=degrees}`.
                Kind::Word => {
                    let token = self.advance();
                    self.slice(token).to_ascii_lowercase()
                }
                _ => return Err(self.unexpected("key")),
            };
            if !self.take_symbol(":") {
                self.expect_symbol("=")?;
            }
            let (value, tall) = self.climb(0)?;
            entries.push((key, value));
            height = height.max(tall);
            if !self.take_symbol(",") {
                break;
            }
        }
        self.expect_symbol("}")?;
        Ok((Expr::Map(entries), self.taller(height)?))
    }

    /// The rest of MATCH('…'), from behind its parenthesis.
    fn match_clause(&mut self) -> Parse<Tall> {
        let inner = self.take_symbol("(");
        let query = match self.now.kind {
            Kind::Parameter if self.prepared => {
                Expr::Call { name: "match".into(), args: vec![Expr::Parameter(self.parameter())], distinct: false }
            }
            _ => Expr::Match(self.string()?),
        };
        if inner {
            self.expect_symbol(")")?;
        }
        if !self.at_symbol(")") {
            return Err(self.unexpected("')'"));
        }
        self.match_count += 1;
        if self.match_count > 1 {
            return Err(self.error("too many MATCH() clauses"));
        }
        self.advance();
        Ok((query, 2))
    }
}

/// What stands between two operands.
enum Infix {
    /// AND, OR.
    Chain(BinaryOp),
    /// Any other operator of two sides.
    Binary(BinaryOp),
    /// IN, BETWEEN, IS, NOT LIKE.
    Predicate,
}

/// `global.x` and `session.x` without the scope.
fn strip_scope(name: &str) -> &str {
    match name.split_once('.') {
        Some((scope, rest)) if ["global", "session", "local"].iter().any(|s| s.eq_ignore_ascii_case(scope)) => rest,
        _ => name,
    }
}
