//! Parsed expression → typed expression.

use super::PlanError;
use super::expr::{Arith, Compare, Expr, Kind, Loop, Quantifier, Set, Step};
use super::functions::{self, Function};
use super::geodist;
use super::names::{Aggregate, Place, Scope};
use crate::sql::ast::{self, BinaryOp, JsonStep, UnaryOp};
use crate::types::Value;

/// Binds one expression. Fails on unknown names and functions, on operands of the wrong kind, and on MATCH, which only WHERE has.
pub(super) fn expression(ast: &ast::Expr, place: Place, scope: &mut Scope<'_>) -> Result<Expr, PlanError> {
    Ok(match ast {
        ast::Expr::Int(v) => Expr::Const(Value::Int(*v)),
        ast::Expr::Uint(v) => Expr::Const(Value::Uint(*v)),
        ast::Expr::Float(v) => Expr::Const(Value::Float(*v as f32)),
        ast::Expr::Text(s) => Expr::Const(Value::Text(s.clone())),
        ast::Expr::Null => Expr::Const(Value::Null),
        ast::Expr::Parameter(i) => match scope.context.parameters.get(*i) {
            Some(value) => Expr::Const(value.clone()),
            None => return Err(PlanError::rejected(format!("parameter {} has no value", i + 1))),
        },
        ast::Expr::Column(name) => scope.resolve(name, place)?,
        ast::Expr::Json { column, path } => {
            let steps = path.iter().map(|step| json_step(step, scope)).collect::<Result<Box<[Step]>, _>>()?;
            if scope.loops.last().is_some_and(|v| v == column) {
                Expr::Element(steps)
            } else {
                Expr::Json(scope.json_column(column, place)?, steps)
            }
        }
        ast::Expr::SysVar(name) => {
            known_to_session(ast, scope).ok_or_else(|| PlanError::rejected(format!("unknown variable: @@{name}")))?
        }
        ast::Expr::UserVar(name) => match name.as_str() {
            "id" => Expr::Id,
            "weight" => Expr::Weight,
            "count" if aggregates_allowed(place) => scope.aggregate(Aggregate::Count),
            "groupby" => Expr::GroupKey(scope.group_kind),
            _ => known_to_session(ast, scope).ok_or_else(|| PlanError::rejected(format!("unknown variable: @{name}")))?,
        },
        ast::Expr::Match(_) => return Err(PlanError::rejected("MATCH() can only be one of the conditions of WHERE that AND joins")),
        ast::Expr::Unary(op, inner) => unary(*op, expression(inner, place, scope)?, scope)?,
        ast::Expr::Binary(op, left, right) => binary(*op, left, right, place, scope)?,
        ast::Expr::In { expr, list, negated } => {
            let (quantifier, expr) = quantified(expr, place, scope)?;
            let set = set(&expr, list, place, scope)?;
            Expr::In { expr: Box::new(expr), quantifier, set, negated: *negated }
        }
        ast::Expr::Between { expr, low, high, negated } => {
            let (quantifier, expr) = quantified(expr, place, scope)?;
            let (low, high) = (beside(low, &expr, Asked::Order, place, scope)?, beside(high, &expr, Asked::Order, place, scope)?);
            check_comparable(&expr, &low, scope)?;
            check_comparable(&expr, &high, scope)?;
            Expr::Between { expr: Box::new(expr), quantifier, low: Box::new(low), high: Box::new(high), negated: *negated }
        }
        ast::Expr::IsNull { expr, negated } => {
            let test = Expr::IsNull(Box::new(expression(expr, place, scope)?));
            if *negated { Expr::Not(Box::new(test)) } else { test }
        }
        ast::Expr::Call { name, args, distinct } => call(ast, name, args, *distinct, place, scope)?,
        ast::Expr::Star => return Err(PlanError::rejected("'*' is no value")),
        ast::Expr::List(items) => {
            let mut numbers = Vec::with_capacity(items.len());
            for item in items {
                match expression(item, place, scope)? {
                    Expr::Const(Value::Int(v)) => numbers.push(v),
                    _ => return Err(PlanError::rejected("a list of values may hold whole numbers only")),
                }
            }
            Expr::Const(Value::Mva(numbers))
        }
        ast::Expr::Subquery(_) => return Err(PlanError::not_built("a subquery")),
        ast::Expr::Map(_) => return Err(PlanError::not_built("an argument in braces")),
    })
}

/// The value that only the session knows, if it does.
fn known_to_session(ast: &ast::Expr, scope: &Scope<'_>) -> Option<Expr> {
    (scope.context.session)(ast).map(Expr::Const)
}

fn aggregates_allowed(place: Place) -> bool {
    match place {
        Place::Item | Place::Order | Place::Having => true,
        Place::Where | Place::Group | Place::Within => false,
    }
}

fn json_step(step: &JsonStep, scope: &Scope<'_>) -> Result<Step, PlanError> {
    match step {
        JsonStep::Key(key) => Ok(Step::Key(key.clone())),
        JsonStep::Index(i) => {
            usize::try_from(*i).map(Step::Index).map_err(|_| scope.error(format_args!("index [{i}] of a json array is negative")))
        }
    }
}

fn unary(op: UnaryOp, inner: Expr, scope: &Scope<'_>) -> Result<Expr, PlanError> {
    Ok(match (op, inner) {
        (UnaryOp::Not, inner) => Expr::Not(Box::new(inner)),
        (UnaryOp::Minus, Expr::Const(Value::Int(v))) => Expr::Const(Value::Int(v.wrapping_neg())),
        (UnaryOp::Minus, Expr::Const(Value::Float(v))) => Expr::Const(Value::Float(-v)),
        (UnaryOp::Minus, Expr::Const(Value::Uint(v))) if v == 1 << 63 => Expr::Const(Value::Int(i64::MIN)),
        (UnaryOp::Minus, Expr::Const(Value::Uint(v))) => return Err(out_of_range(format!("-{v}"))),
        (UnaryOp::Minus, inner) => {
            check_numeric(&inner, "'-'", scope)?;
            Expr::Minus(Box::new(inner))
        }
        (UnaryOp::BitNot, inner) => {
            check_numeric(&inner, "'~'", scope)?;
            Expr::BitNot(Box::new(inner))
        }
    })
}

fn out_of_range(number: impl std::fmt::Display) -> PlanError {
    PlanError::rejected(format!("number {number} is out of range [{}..{}]", i64::MIN, i64::MAX))
}

fn binary(op: BinaryOp, left: &ast::Expr, right: &ast::Expr, place: Place, scope: &mut Scope<'_>) -> Result<Expr, PlanError> {
    let arith = match op {
        BinaryOp::And => return Ok(Expr::And(chain(BinaryOp::And, left, right, place, scope)?)),
        BinaryOp::Or => return Ok(Expr::Or(chain(BinaryOp::Or, left, right, place, scope)?)),
        BinaryOp::Eq => return compare(Compare::Eq, left, right, place, scope),
        BinaryOp::Ne => return compare(Compare::Ne, left, right, place, scope),
        BinaryOp::Lt => return compare(Compare::Lt, left, right, place, scope),
        BinaryOp::Le => return compare(Compare::Le, left, right, place, scope),
        BinaryOp::Gt => return compare(Compare::Gt, left, right, place, scope),
        BinaryOp::Ge => return compare(Compare::Ge, left, right, place, scope),
        BinaryOp::Like => return like(left, right, place, scope),
        BinaryOp::NotLike => return Ok(Expr::Not(Box::new(like(left, right, place, scope)?))),
        BinaryOp::Regexp => return Err(PlanError::not_built("REGEXP")),
        BinaryOp::Add => Arith::Add,
        BinaryOp::Sub => Arith::Sub,
        BinaryOp::Mul => Arith::Mul,
        BinaryOp::Div => Arith::Div,
        BinaryOp::IntDiv => Arith::IntDiv,
        BinaryOp::Mod => Arith::Mod,
        BinaryOp::BitAnd => Arith::BitAnd,
        BinaryOp::BitOr => Arith::BitOr,
        BinaryOp::BitXor => Arith::BitXor,
        BinaryOp::Shl => Arith::Shl,
        BinaryOp::Shr => Arith::Shr,
    };
    let (left, right) = (expression(left, place, scope)?, expression(right, place, scope)?);
    check_numeric(&left, "arithmetic", scope)?;
    check_numeric(&right, "arithmetic", scope)?;
    if arith == Arith::Div && !matches!(left.kind(), Kind::Double | Kind::Json) {
        // The recorded figures show it: 1900/7 is 271.428589, which is 1900 times the single-precision reciprocal of 7.
        match &right {
            Expr::Const(Value::Int(d)) if *d != 0 => return Ok(Expr::Scale(Box::new(left), 1.0 / *d as f32)),
            Expr::Const(Value::Float(d)) if *d != 0.0 => return Ok(Expr::Scale(Box::new(left), 1.0 / *d)),
            _ => {}
        }
    }
    let kind = result_kind(arith, left.kind(), right.kind());
    Ok(Expr::Arith(arith, kind, Box::new(left), Box::new(right)))
}

fn result_kind(arith: Arith, left: Kind, right: Kind) -> Kind {
    match arith {
        Arith::IntDiv | Arith::BitAnd | Arith::BitOr | Arith::BitXor | Arith::Shl | Arith::Shr => Kind::Bigint,
        Arith::Div | Arith::Add | Arith::Sub | Arith::Mul | Arith::Mod => match (left, right) {
            (Kind::Double, _) | (_, Kind::Double) => Kind::Double,
            // Whether a JSON number is whole shows with each row.
            (Kind::Json, _) | (_, Kind::Json) => Kind::Json,
            (Kind::Float, _) | (_, Kind::Float) => Kind::Float,
            _ if arith == Arith::Div => Kind::Float,
            _ => Kind::Bigint,
        },
    }
}

/// The operands of a run of ANDs or ORs, flat. Goes down the left side in a loop, since that is where a parser nests long runs.
fn chain(op: BinaryOp, left: &ast::Expr, right: &ast::Expr, place: Place, scope: &mut Scope<'_>) -> Result<Vec<Expr>, PlanError> {
    let (mut parts, mut rest) = (vec![right], left);
    while let ast::Expr::Binary(inner, a, b) = rest {
        if *inner != op {
            break;
        }
        parts.push(b);
        rest = a;
    }
    parts.push(rest);
    parts.into_iter().rev().map(|part| expression(part, place, scope)).collect()
}

/// The quantifier that ANY() or ALL() around an expression asks for, and the expression inside. Without either it is ANY.
fn quantified(ast: &ast::Expr, place: Place, scope: &mut Scope<'_>) -> Result<(Quantifier, Expr), PlanError> {
    if let ast::Expr::Call { name, args, distinct: false } = ast
        && let (quantifier @ ("any" | "all"), [arg]) = (name.as_str(), args.as_slice())
        && !is_loop(arg)
    {
        let inner = expression(arg, place, scope)?;
        return match inner.kind() {
            Kind::Mva | Kind::Json => Ok((if quantifier == "any" { Quantifier::Any } else { Quantifier::All }, inner)),
            _ => Err(scope.error(format_args!("{quantifier}() takes a multi-value attribute or a json array"))),
        };
    }
    Ok((Quantifier::Any, expression(ast, place, scope)?))
}

fn compare(op: Compare, left: &ast::Expr, right: &ast::Expr, place: Place, scope: &mut Scope<'_>) -> Result<Expr, PlanError> {
    let (mut op, mut left_ast, mut right_ast) = (op, left, right);
    let is_plain = |e: &ast::Expr| {
        matches!(
            e,
            ast::Expr::Int(_) | ast::Expr::Uint(_) | ast::Expr::Float(_) | ast::Expr::Text(_) | ast::Expr::Parameter(_) | ast::Expr::Null
        )
    };
    if is_plain(left) && !is_plain(right) {
        // The side that varies goes left, where sets may stand.
        (op, left_ast, right_ast) = (op.mirrored(), right, left);
    }
    let (quantifier, left) = quantified(left_ast, place, scope)?;
    let right = match op {
        Compare::Eq | Compare::Ne => beside(right_ast, &left, Asked::Equality, place, scope)?,
        Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge => beside(right_ast, &left, Asked::Order, place, scope)?,
    };
    if let Expr::Const(Value::Null) = right {
        let test = Expr::IsNull(Box::new(left));
        return match op {
            Compare::Eq => Ok(test),
            Compare::Ne => Ok(Expr::Not(Box::new(test))),
            Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge => Err(PlanError::rejected("NULL has no order")),
        };
    }
    check_comparable(&left, &right, scope)?;
    Ok(Expr::Compare(op, quantifier, Box::new(left), Box::new(right)))
}

/// What a comparison asks about two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Equality,
    Order,
}

/// Binds what is compared with `other`: literals take the other side's kind where it is finer or where a number came in quotes.
///
/// A document id has 64 bits without a sign and is shown with one. Which id is meant is clear in either form; which of two comes first is not, and
/// the order is that of the form that is shown.
fn beside(ast: &ast::Expr, other: &Expr, asked: Asked, place: Place, scope: &mut Scope<'_>) -> Result<Expr, PlanError> {
    let kind = other.kind();
    let exact = match ast {
        ast::Expr::Float(v) => Some(*v),
        ast::Expr::Unary(UnaryOp::Minus, inner) => match &**inner {
            ast::Expr::Float(v) => Some(-*v),
            _ => None,
        },
        _ => None,
    };
    match (exact, kind) {
        (Some(v), Kind::Json | Kind::Double | Kind::Bigint | Kind::BigUint | Kind::Uint | Kind::Mva) => {
            return Ok(Expr::Const(Value::Double(v)));
        }
        (Some(_), Kind::Float | Kind::Text | Kind::Null) | (None, _) => {}
    }
    match expression(ast, place, scope)? {
        Expr::Const(Value::Uint(v)) if kind != Kind::BigUint => unsigned(v, other, asked),
        Expr::Const(Value::Text(s))
            if matches!(kind, Kind::Uint | Kind::Bigint | Kind::BigUint | Kind::Float | Kind::Double | Kind::Mva) =>
        {
            let number = s.trim();
            match (number.parse::<i128>(), number.parse::<f64>()) {
                (Ok(v), _) => match (i64::try_from(v), u64::try_from(v)) {
                    (Ok(v), _) => Ok(Expr::Const(Value::Int(v))),
                    (_, Ok(v)) if kind == Kind::BigUint => Ok(Expr::Const(Value::Uint(v))),
                    (_, Ok(v)) => unsigned(v, other, asked),
                    _ => Err(out_of_range(v)),
                },
                (_, Ok(v)) if v.is_finite() => Ok(Expr::Const(Value::Double(v))),
                _ => Err(scope.error(format_args!("{} is a number: it cannot be compared with '{s}'", describe(other, scope)))),
            }
        }
        bound => Ok(bound),
    }
}

/// A number past the range of i64 beside something whose numbers are in that range, unless it is an id.
fn unsigned(v: u64, other: &Expr, asked: Asked) -> Result<Expr, PlanError> {
    match (other, asked) {
        (Expr::Id, Asked::Equality) => Ok(Expr::Const(Value::Int(v as i64))),
        (Expr::Id, Asked::Order) => Err(PlanError::rejected(format!("{}: compare UINT64(id) instead", out_of_range(v)))),
        _ => Err(out_of_range(v)),
    }
}

/// An expression in a message: the column's name where it is one.
fn describe(expr: &Expr, scope: &Scope<'_>) -> String {
    match expr {
        Expr::Id => "column 'id'".to_owned(),
        Expr::Column(index, _) | Expr::Json(index, _) => {
            scope.schema.columns.get(*index).map_or_else(|| "column".to_owned(), |c| format!("column '{}'", c.name))
        }
        Expr::Stored(slot) => {
            let column = scope.schema.stored().nth(*slot).and_then(|index| scope.schema.columns.get(index));
            column.map_or_else(|| "column".to_owned(), |c| format!("column '{}'", c.name))
        }
        _ => "the expression".to_owned(),
    }
}

/// A kind in a message.
fn what_it_is(kind: Kind) -> &'static str {
    match kind {
        Kind::Uint | Kind::Bigint | Kind::BigUint | Kind::Float | Kind::Double => "a number",
        Kind::Text => "a string",
        Kind::Mva => "a multi-value attribute",
        Kind::Json => "a json value",
        Kind::Null => "NULL",
    }
}

fn check_comparable(left: &Expr, right: &Expr, scope: &Scope<'_>) -> Result<(), PlanError> {
    let fine = match (left.kind(), right.kind()) {
        (Kind::Json | Kind::Null, _) | (_, Kind::Json | Kind::Null) => true,
        (Kind::Text, Kind::Text) => true,
        (Kind::Text, _) | (_, Kind::Text) => false,
        (_, Kind::Mva) => false,
        _ => true,
    };
    if fine {
        return Ok(());
    }
    Err(match (left.kind(), right.kind()) {
        (Kind::Text, _) => scope.error(format_args!("{} is a string: it can only be compared with a string", describe(left, scope))),
        (_, Kind::Mva) => scope.error("a multi-value attribute can only stand on the left of a comparison"),
        _ => scope.error(format_args!("{} is a number: it cannot be compared with a string", describe(left, scope))),
    })
}

fn check_numeric(expr: &Expr, what: &str, scope: &Scope<'_>) -> Result<(), PlanError> {
    if expr.kind().is_numeric() {
        return Ok(());
    }
    Err(scope.error(format_args!("{what} needs numbers: {} is {}", describe(expr, scope), what_it_is(expr.kind()))))
}

fn set(expr: &Expr, list: &[ast::Expr], place: Place, scope: &mut Scope<'_>) -> Result<Set, PlanError> {
    let mut values = Vec::with_capacity(list.len());
    for item in list {
        match (item, beside(item, expr, Asked::Equality, place, scope)?) {
            // A variable of the session may hold a whole list.
            (ast::Expr::UserVar(_), Expr::Const(Value::Mva(numbers))) => values.extend(numbers.into_iter().map(Value::Int)),
            (_, bound @ Expr::Const(_)) => {
                check_comparable(expr, &bound, scope)?;
                let Expr::Const(value) = bound else { continue };
                values.push(value);
            }
            _ => return Err(PlanError::rejected("IN() takes literals only")),
        }
    }
    if values.iter().all(|v| matches!(v, Value::Int(_))) {
        let mut ints: Vec<i64> = values.iter().filter_map(|v| if let Value::Int(v) = v { Some(*v) } else { None }).collect();
        ints.sort_unstable();
        ints.dedup();
        return Ok(Set::Ints(ints));
    }
    Ok(Set::Values(values))
}

fn like(left: &ast::Expr, right: &ast::Expr, place: Place, scope: &mut Scope<'_>) -> Result<Expr, PlanError> {
    let left = expression(left, place, scope)?;
    match (left.kind(), expression(right, place, scope)?) {
        (Kind::Text | Kind::Json, Expr::Const(Value::Text(pattern))) => Ok(Expr::Like(Box::new(left), pattern)),
        (Kind::Text | Kind::Json, _) => Err(PlanError::rejected("LIKE takes a literal pattern")),
        (kind, _) => Err(scope.error(format_args!("LIKE needs a string: {} is {}", describe(&left, scope), what_it_is(kind)))),
    }
}

fn call(ast: &ast::Expr, name: &str, args: &[ast::Expr], distinct: bool, place: Place, scope: &mut Scope<'_>) -> Result<Expr, PlanError> {
    match (name, args) {
        ("weight", []) => return Ok(Expr::Weight),
        ("id", []) => return Ok(Expr::Id),
        ("groupby", []) => return Ok(Expr::GroupKey(scope.group_kind)),
        ("any" | "all" | "indexof", [arg]) if is_loop(arg) => return for_each(name, arg, place, scope),
        ("any" | "all", [_]) => {
            return Err(scope.error(format_args!("{name}() can only stand on the left of a comparison, IN or BETWEEN")));
        }
        _ => {}
    }
    if let Some(aggregate) = aggregate(name, args, distinct, place, scope)? {
        return Ok(scope.aggregate(aggregate));
    }
    if distinct {
        return Err(PlanError::rejected(format!("{name}() takes no DISTINCT")));
    }
    let function = match functions::find(name, args.len()) {
        Ok(function) => function,
        Err(error) => return known_to_session(ast, scope).ok_or(error),
    };
    if function == Function::In {
        let (quantifier, expr) = quantified(&args[0], place, scope)?;
        let set = set(&expr, &args[1..], place, scope)?;
        return Ok(Expr::In { expr: Box::new(expr), quantifier, set, negated: false });
    }
    let (args, units) = match args {
        [points @ .., ast::Expr::Map(options)] if function == Function::Geodist && points.len() == 4 => {
            (points, Some(geodist::units(options)?))
        }
        args if function == Function::Geodist && args.len() != 4 => {
            return Err(PlanError::rejected("geodist() takes two points and {in=…, out=…}"));
        }
        args => (args, None),
    };
    let mut args = args.iter().map(|arg| expression(arg, place, scope)).collect::<Result<Vec<_>, _>>()?;
    if let Some(units) = units {
        args.extend([units.angle, units.radius].map(|v| Expr::Const(Value::Double(v))));
    }
    check_arguments(function, name, &args, scope)?;
    Ok(Expr::Call(function, args))
}

/// Whether an argument is `cond FOR x IN list`, which the parser gives as a call of `for`.
fn is_loop(arg: &ast::Expr) -> bool {
    matches!(arg, ast::Expr::Call { name, args, .. } if name == "for" && args.len() == 3)
}

fn for_each(name: &str, arg: &ast::Expr, place: Place, scope: &mut Scope<'_>) -> Result<Expr, PlanError> {
    let ast::Expr::Call { args, .. } = arg else { return Err(PlanError::rejected(format!("{name}() takes a loop"))) };
    let [condition, ast::Expr::Column(variable), list] = args.as_slice() else {
        return Err(PlanError::rejected(format!("{name}() takes a condition FOR a variable IN a json array")));
    };
    let list = expression(list, place, scope)?;
    if !matches!(list.kind(), Kind::Json | Kind::Mva) {
        return Err(scope.error(format_args!("{name}() goes over a json array or a multi-value attribute")));
    }
    scope.loops.push(variable.clone());
    let condition = expression(condition, place, scope);
    scope.loops.pop();
    let kind = match name {
        "any" => Loop::Any,
        "all" => Loop::All,
        _ => Loop::IndexOf,
    };
    Ok(Expr::ForEach(kind, Box::new(condition?), Box::new(list)))
}

/// The aggregate that a call is, if it is one. MIN and MAX of two arguments are functions of a row.
fn aggregate(name: &str, args: &[ast::Expr], distinct: bool, place: Place, scope: &mut Scope<'_>) -> Result<Option<Aggregate>, PlanError> {
    let known = match (name, args.len()) {
        ("count", _) | ("sum" | "avg" | "min" | "max" | "group_concat", 1) => true,
        ("sum" | "avg" | "group_concat", n) => {
            return Err(PlanError::rejected(format!("{name}() takes 1 argument(s), {n} given")));
        }
        _ => false,
    };
    if !known {
        return Ok(None);
    }
    if !aggregates_allowed(place) {
        return Err(scope.error(format_args!("{name}() is an aggregate: it can stand in the select list, HAVING and ORDER BY only")));
    }
    if name == "count" {
        return Ok(Some(match (args, distinct) {
            ([ast::Expr::Star], false) => Aggregate::Count,
            ([], _) => return Err(PlanError::rejected("count() takes '*' or DISTINCT and a column")),
            (args, true) => Aggregate::CountDistinct(args.iter().map(|a| expression(a, Place::Group, scope)).collect::<Result<_, _>>()?),
            ([one], false) => Aggregate::CountPresent(expression(one, Place::Group, scope)?),
            _ => return Err(PlanError::rejected("count() of several columns needs DISTINCT")),
        }));
    }
    if distinct {
        return Err(PlanError::not_built(format!("{name}(DISTINCT …)")));
    }
    let input = expression(&args[0], Place::Group, scope)?;
    if matches!(name, "sum" | "avg") {
        check_numeric(&input, &format!("{name}()"), scope)?;
    }
    Ok(Some(match name {
        "sum" => Aggregate::Sum(input),
        "avg" => Aggregate::Avg(input),
        "min" => Aggregate::Min(input),
        "max" => Aggregate::Max(input),
        _ => Aggregate::Concat(input),
    }))
}

/// Refuses arguments of a kind that the function cannot take; JSON values are taken everywhere and looked at with each row.
fn check_arguments(function: Function, name: &str, args: &[Expr], scope: &Scope<'_>) -> Result<(), PlanError> {
    let all_numeric = || args.iter().try_for_each(|a| check_numeric(a, &format!("{name}()"), scope));
    let is_string = |a: &Expr| matches!(a.kind(), Kind::Text | Kind::Json | Kind::Null);
    let strings = |list: &[Expr]| match list.iter().find(|a| !is_string(a)) {
        None => Ok(()),
        Some(_) => Err(PlanError::rejected(format!("{name}() takes strings: enclose numbers in TO_STRING()"))),
    };
    match function {
        Function::Abs
        | Function::Ceil
        | Function::Floor
        | Function::Sqrt
        | Function::Pow
        | Function::Ln
        | Function::Log2
        | Function::Log10
        | Function::Exp
        | Function::Sin
        | Function::Cos
        | Function::Atan2
        | Function::Idiv
        | Function::BitDot
        | Function::Fibonacci
        | Function::Interval
        | Function::Geodist
        | Function::Rand => all_numeric(),
        Function::Concat | Function::Crc32 | Function::Upper | Function::Lower | Function::Levenshtein => strings(args),
        Function::SubstringIndex => strings(&args[..2]),
        Function::Remap => match (&args[2], &args[3]) {
            (Expr::Const(Value::Mva(a)), Expr::Const(Value::Mva(b))) if a.len() == b.len() => Ok(()),
            _ => Err(PlanError::rejected("remap() takes two lists of whole numbers of the same length")),
        },
        Function::Length if !matches!(args[0].kind(), Kind::Text | Kind::Mva | Kind::Json | Kind::Null) => {
            Err(PlanError::rejected("length() takes a string, a multi-value attribute or a json value"))
        }
        Function::DateFormat if !matches!(args[1], Expr::Const(Value::Text(_))) => {
            Err(PlanError::rejected("date_format() takes a literal format"))
        }
        _ => Ok(()),
    }
}
