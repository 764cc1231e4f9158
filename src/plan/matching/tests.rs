//! What queries come to once fields are resolved and words are normalised.

use super::*;
use crate::query;
use crate::types::PatternPiece;
use crate::types::{Column, ColumnKind, Schema, WordChars};

/// Folds to lower case, cuts an `s` at the end; `stop` is a stopword; `short` gives no token and takes no position.
#[derive(Default)]
struct Text {
    infix: u32,
    prefix: u32,
    exact: bool,
}

impl WordChars for Text {
    fn is_word(&self, c: char) -> bool {
        c.is_alphanumeric()
    }
}

impl QueryWords for Text {
    fn words(&self, text: &str) -> (Vec<TypedWord>, u32) {
        let tokenized = text.to_lowercase();
        match tokenized.as_str() {
            "stop" => (Vec::new(), 1),
            "short" => (Vec::new(), 0),
            word => {
                let normalized = word.strip_suffix('s').unwrap_or(word).to_owned();
                (vec![TypedWord { tokenized, normalized, position: 1 }], 1)
            }
        }
    }

    fn fold(&self, text: &str) -> String {
        text.to_lowercase()
    }

    fn min_prefix_len(&self) -> u32 {
        self.prefix
    }

    fn min_infix_len(&self) -> u32 {
        self.infix
    }

    fn index_exact_words(&self) -> bool {
        self.exact
    }
}

fn schema() -> Schema {
    let column = |(uid, (name, kind)): (usize, (&str, ColumnKind))| {
        let text = kind == ColumnKind::Text;
        Column { name: name.to_owned(), kind, uid: uid as u32, indexed: text, stored: text, attribute: !text, columnar: false }
    };
    let columns = [("title", ColumnKind::Text), ("year", ColumnKind::Uint), ("plot", ColumnKind::Text)];
    Schema { version: 1, columns: columns.into_iter().enumerate().map(column).collect() }
}

fn bound(text: &str, words: &Text, options: BindOptions) -> Result<MatchPlan, BindError> {
    bind(&query::parse(text, words).expect("a good query"), &schema(), words, options)
}

/// `word@position`, with the fields of limited leaves.
fn draw(plan: &MatchPlan, node: &MatchNode) -> String {
    let leaf = |l: &Leaf| {
        let mut out = format!("{}@{}", plan.words[l.word].shown, l.position);
        if l.fields != FieldSet::all(plan.field_count) {
            out += &format!("{:?}", l.fields.iter().map(|f| f.0).collect::<Vec<_>>());
        }
        if l.start {
            out.insert(0, '^');
        }
        if l.end {
            out.push('$');
        }
        out
    };
    let list = |name: &str, nodes: &[MatchNode]| format!("({name} {})", nodes.iter().map(|n| draw(plan, n)).collect::<Vec<_>>().join(" "));
    match node {
        MatchNode::All(fields) if fields.is_empty() => "all".to_owned(),
        MatchNode::All(fields) => format!("all{:?}", fields.iter().map(|f| f.0).collect::<Vec<_>>()),
        MatchNode::Nothing => "nothing".to_owned(),
        MatchNode::Leaf(l) => leaf(l),
        MatchNode::And(nodes) => list("and", nodes),
        MatchNode::Or(nodes) => list("or", nodes),
        MatchNode::AndNot(base, not) => format!("({} but {})", draw(plan, base), list("not", not)),
        MatchNode::Maybe(a, b) => format!("(maybe {} {})", draw(plan, a), draw(plan, b)),
        MatchNode::Phrase(words) => {
            format!("\"{}\"", words.iter().map(|w| format!("{}+{}", leaf(&w.leaf), w.offset)).collect::<Vec<_>>().join(" "))
        }
        MatchNode::Proximity(words, n) => format!("\"{}\"~{n}", words.iter().map(leaf).collect::<Vec<_>>().join(" ")),
        MatchNode::Quorum(words, n) => format!("\"{}\"/{n}", words.iter().map(leaf).collect::<Vec<_>>().join(" ")),
        MatchNode::Before(nodes) => list("before", nodes),
        MatchNode::Near(a, b, n) => format!("(near/{n} {} {})", draw(plan, a), draw(plan, b)),
        MatchNode::NotNear(a, b, n) => format!("(notnear/{n} {} {})", draw(plan, a), draw(plan, b)),
    }
}

#[track_caller]
fn check_with(text: &str, words: &Text, options: BindOptions, want: &str) {
    let plan = bound(text, words, options).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(draw(&plan, &plan.root), want, "{text}");
}

#[track_caller]
fn check(text: &str, want: &str) {
    check_with(text, &Text::default(), BindOptions::default(), want);
}

#[test]
fn positions_follow_the_text() {
    check("Dogs cat", "(and dog@1 cat@2)");
    check("a stop b short c", "(and a@1 b@3 c@4)");
    check("a -b c", "((and a@1 c@3) but (not b@2))");
    check("\"a * b\" c", "(and \"a@1+0 b@3+2\" c@4)");
    check("\"stop a stop b\"", "\"a@2+0 b@4+2\"");
    check("\"a\"~3", "a@1");
    check("a NEAR/3 b", "(near/3 a@1 b@3)");
    check("l?ve", "(and l@1 ve@2)");
    check("^ab?cd$", "(and ^ab@1 cd@2$)");
}

#[test]
fn stopwords_vanish() {
    check("", "all");
    check("stop", "nothing");
    check("stop a", "a@2");
    check("stop | a", "a@2");
    check("a -stop", "a@1");
    check("stop -a", "(nothing but (not a@2))");
    check("\"stop\"", "nothing");
}

#[test]
fn fields_are_resolved_without_attributes() {
    check("@plot a", "a@1[1]");
    check("@!title a", "a@1[1]");
    check("@(title,plot) a", "a@1");
    check("@@relaxed @nosuch a", "a@1[]");
    check("@@relaxed @(nosuch,plot) a", "a@1[1]");
    for name in ["nosuch", "year"] {
        let error = bound(&format!("@{name} a"), &Text::default(), BindOptions::default());
        assert_eq!(error, Err(BindError::UnknownField(name.to_owned())));
    }
}

#[test]
fn quorums_are_counted() {
    check("\"a b c\"/2", "\"a@1 b@2 c@3\"/2");
    check("\"a b c\"/0.4", "\"a@1 b@2 c@3\"/2");
    check("\"a b c\"/3", "(and a@1 b@2 c@3)");
    check("\"a b c\"/9", "(and a@1 b@2 c@3)");
    check("\"a stop\"/2", "a@1");
}

#[test]
fn negations_alone_need_the_option() {
    for (text, what) in [("-a", "single NOT operator"), ("-a -b", "node consists of NOT operators only")] {
        let error = bound(text, &Text::default(), BindOptions::default());
        assert_eq!(error, Err(BindError::Query(QueryError::NonComputable(what))));
    }
    let options = BindOptions { not_terms_only_allowed: true, ..BindOptions::default() };
    check_with("-a -b", &Text::default(), options, "(all[0, 1] but (not a@1 b@2))");
    check_with("@plot -a", &Text::default(), options, "(all[1] but (not a@1[1]))");
    check_with("@plot -a @title -b -stop", &Text::default(), options, "(all[0] but (not a@1[1] b@2[0]))");
    check_with("-stop", &Text::default(), options, "all");
}

#[test]
fn exact_forms_and_wildcards_depend_on_the_table() {
    let options = BindOptions::default();
    check("=dogs", "dog@1");
    let exact = Text { exact: true, infix: 2, ..Text::default() };
    check_with("=dogs", &exact, options, "=dogs@1");
    check_with("DO*", &exact, options, "do*@1");
    check_with("dogs", &exact, BindOptions { exact_forms: true, ..options }, "=dogs@1");
    check_with("dogs", &exact, BindOptions { expand_keywords: true, ..options }, "(or dog@1 =dogs@1 *dogs*@1)");
    check_with("a b -c", &exact, BindOptions { implicit_or: true, ..options }, "((or a@1 b@2) but (not c@3))");
    let plan = bound("*og", &exact, options).expect("a good query");
    let pieces = vec![PatternPiece::Literal("=".to_owned()), PatternPiece::Any, PatternPiece::Literal("og".to_owned())];
    assert_eq!(plan.words[0].look_up, LookUp::Pattern(WordPattern { pieces }));
    let prefix = Text { prefix: 2, ..Text::default() };
    check_with("*dog", &prefix, options, "dog@1");
    assert_eq!(bound("d*", &prefix, options).expect("a good query").words[0].look_up, LookUp::Nothing);
    assert_ne!(bound("do*", &prefix, options).expect("a good query").words[0].look_up, LookUp::Nothing);
}

#[test]
fn typed_forms_are_distinct_words() {
    let plan = bound("dog DOG dogs dog^2", &Text::default(), BindOptions::default()).expect("a good query");
    assert_eq!(plan.words.iter().map(|w| (w.shown.as_str(), w.boost)).collect::<Vec<_>>(), [("dog", 1.0), ("dog", 1.0), ("dog", 2.0)]);
}
