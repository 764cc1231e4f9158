//! Numbers set inside JSON attributes by UPDATE.

use serde_json::Value as Tree;

use crate::chunk::{AttrRef, RowLayout, RowRef};
use crate::plan::expr::Step;
use crate::plan::update::JsonEdit;
use crate::types::Value;
use crate::types::json::{self, JsonRef};

/// New values of the JSON columns of a row that the edits change, by column.
pub(super) fn changes(edits: &[JsonEdit], layout: &RowLayout, row: RowRef<'_>) -> Vec<(usize, Value)> {
    let mut out: Vec<(usize, Value)> = Vec::new();
    let mut trees: Vec<(usize, Tree, bool)> = Vec::new();
    for edit in edits {
        let place = match trees.iter().position(|(column, ..)| *column == edit.column) {
            Some(place) => place,
            None => {
                let AttrRef::Json(bytes) = layout.get(row, edit.column) else { continue };
                trees.push((edit.column, JsonRef::new(bytes).to_tree(), false));
                trees.len() - 1
            }
        };
        let (_, tree, changed) = &mut trees[place];
        *changed |= set(tree, &edit.path, &edit.number);
    }
    for (column, tree, changed) in trees {
        // A document that was encoded once is no deeper or longer with another number in it.
        if changed && let Ok(bytes) = json::encode_tree(&tree) {
            out.push((column, Value::Json(bytes)));
        }
    }
    out
}

/// Doubles below this, in size, are whole numbers of 64 bits when they are cut.
const WHOLE_MAX: f64 = 9.2e18;

/// Puts `number` in the place of the number at the end of `path`. A whole number stays whole. False where there is none.
fn set(tree: &mut Tree, path: &[Step], number: &Value) -> bool {
    let mut at = tree;
    for step in path {
        let next = match step {
            Step::Key(key) => at.get_mut(key),
            Step::Index(i) => at.get_mut(i),
        };
        match next {
            Some(next) => at = next,
            None => return false,
        }
    }
    let Tree::Number(old) = &*at else { return false };
    *at = match (number, old.is_i64()) {
        (Value::Int(v), true) => Tree::from(*v),
        (Value::Int(v), false) => Tree::from(*v as f64),
        // What no whole number can be stays a double: a number that is far off would be worse than one of another kind.
        (Value::Double(v), true) if v.abs() < WHOLE_MAX => Tree::from(*v as i64),
        (Value::Double(v), true) => Tree::from(*v),
        (Value::Double(v), false) => Tree::from(*v),
        _ => return false,
    };
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_kind() {
        let edited = |text: &str, path: &[Step], number| {
            let mut tree: Tree = serde_json::from_str(text).unwrap();
            (set(&mut tree, path, &number), tree.to_string())
        };
        let path = [Step::Key("tags".into()), Step::Index(0)];
        assert_eq!(edited(r#"{"tags":[1,2]}"#, &path, Value::Int(100)), (true, r#"{"tags":[100,2]}"#.into()));
        assert_eq!(edited(r#"{"tags":[1,2]}"#, &path, Value::Double(1.7)), (true, r#"{"tags":[1,2]}"#.into()));
        assert_eq!(edited(r#"{"tags":[1.5]}"#, &path, Value::Int(2)), (true, r#"{"tags":[2.0]}"#.into()));
        assert_eq!(edited(r#"{"tags":[1]}"#, &path, Value::Double(-1e30)), (true, r#"{"tags":[-1e+30]}"#.into()));
        assert!(!edited(r#"{"tags":["a"]}"#, &path, Value::Int(2)).0);
        assert!(!edited(r#"{}"#, &path, Value::Int(2)).0);
    }
}
