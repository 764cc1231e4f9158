//! Headings of result columns.

use crate::sql::ast::Expr;

/// The heading of an item that has no alias: the text as typed, with function and column names folded to lower case. Quoted text and the keys
/// of a JSON path keep their case.
pub(super) fn heading(expr: &Expr, text: &str) -> String {
    match expr {
        Expr::Column(name) => name.clone(),
        Expr::Json { column, .. } => match text.get(column.len()..) {
            // The column's name may be typed in back quotes, in which case the text is longer; then it stands as typed.
            Some(path) if text.is_char_boundary(column.len()) && text[..column.len()].eq_ignore_ascii_case(column) => {
                format!("{column}{path}")
            }
            _ => text.to_owned(),
        },
        _ => fold_outside_quotes(text),
    }
}

fn fold_outside_quotes(text: &str) -> String {
    let (mut out, mut quote, mut escaped) = (String::with_capacity(text.len()), None, false);
    for c in text.chars() {
        match quote {
            Some(q) => {
                if !escaped && c == q {
                    quote = None;
                }
                escaped = !escaped && c == '\\';
                out.push(c);
            }
            None => {
                if matches!(c, '\'' | '"' | '`') {
                    quote = Some(c);
                }
                out.push(c.to_ascii_lowercase());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::ast::JsonStep;

    #[test]
    fn names_fold_and_the_rest_stays() {
        let call = Expr::Call { name: "count".into(), args: vec![Expr::Star], distinct: false };
        assert_eq!(heading(&call, "COUNT(*)"), "count(*)");
        assert_eq!(heading(&call, "COUNT(DISTINCT Year)"), "count(distinct year)");
        assert_eq!(heading(&call, r"CONCAT('A\'B', Title)"), r"concat('A\'B', title)");
        assert_eq!(heading(&Expr::Column("year".into()), "YEAR"), "year");
        let json = Expr::Json { column: "info".into(), path: vec![JsonStep::Key("Cast".into())] };
        assert_eq!(heading(&json, "Info.Cast"), "info.Cast");
    }
}
