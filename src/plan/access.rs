//! Which rows a WHERE makes worth looking at.

use super::expr::{Compare, Expr, Quantifier, Set};
use crate::types::{DocId, Value};

/// How the rows of a table are gone through.
#[derive(Debug, Clone, PartialEq)]
pub enum Access {
    /// All of them.
    Scan,
    /// These documents, ascending, each once.
    Ids(Vec<DocId>),
}

/// Chooses the access path and takes the conditions out that it fulfils.
///
/// `id = n` and `id IN (…)` become look-ups; where there are several, their intersection. With MATCH, which is the better path, conditions
/// on the id stay conditions.
pub(super) fn choose(conditions: Vec<Expr>, has_match: bool) -> (Access, Vec<Expr>) {
    if has_match {
        return (Access::Scan, conditions);
    }
    let (mut ids, mut rest): (Option<Vec<i64>>, _) = (None, Vec::with_capacity(conditions.len()));
    for condition in conditions {
        let found = match &condition {
            Expr::Compare(Compare::Eq, Quantifier::Any, left, right) => match (&**left, &**right) {
                (Expr::Id, Expr::Const(Value::Int(id))) => Some(vec![*id]),
                _ => None,
            },
            Expr::In { expr, set: Set::Ints(list), negated: false, .. } if **expr == Expr::Id => Some(list.clone()),
            _ => None,
        };
        match (found, &mut ids) {
            (None, _) => rest.push(condition),
            (Some(found), None) => ids = Some(found),
            (Some(found), Some(ids)) => ids.retain(|id| found.contains(id)),
        }
    }
    match ids {
        // An id in the upper half of the unsigned range is written as the negative number that it is shown as.
        Some(ids) => {
            let mut ids: Vec<DocId> = ids.into_iter().map(|id| DocId(id as u64)).collect();
            ids.sort_unstable();
            ids.dedup();
            (Access::Ids(ids), rest)
        }
        None => (Access::Scan, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_is(id: i64) -> Expr {
        Expr::Compare(Compare::Eq, Quantifier::Any, Box::new(Expr::Id), Box::new(Expr::Const(Value::Int(id))))
    }

    fn id_in(ids: &[i64]) -> Expr {
        Expr::In { expr: Box::new(Expr::Id), quantifier: Quantifier::Any, set: Set::Ints(ids.to_vec()), negated: false }
    }

    #[test]
    fn ids_are_looked_up() {
        assert_eq!(choose(vec![id_is(7)], false), (Access::Ids(vec![DocId(7)]), vec![]));
        assert_eq!(choose(vec![id_in(&[3, 5]), Expr::Weight, id_is(5)], false), (Access::Ids(vec![DocId(5)]), vec![Expr::Weight]));
        assert_eq!(choose(vec![id_is(1), id_is(2)], false).0, Access::Ids(vec![]));
        assert_eq!(choose(vec![id_is(7)], true), (Access::Scan, vec![id_is(7)]));
        assert_eq!(choose(vec![Expr::Weight], false).0, Access::Scan);
    }
}
