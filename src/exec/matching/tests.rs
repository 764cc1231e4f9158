//! The matcher against a naive evaluator: hand-made rows, then seeded random queries over random documents, in one part and in two.

use super::double::{MemoryPart, PlainWords, schema};
use super::naive::{Document, runs};
use super::{Matcher, Ranker, Statistics};
use crate::chunk::ChunkError;
use crate::plan::matching::{BindOptions, MatchNode, MatchPlan, bind};
use crate::types::{RowId, StopToken};

fn plan(query: &str, words: &PlainWords, options: BindOptions) -> MatchPlan {
    let tree = crate::query::parse(query, words).unwrap_or_else(|e| panic!("{query}: {e}"));
    bind(&tree, &schema(&["title", "plot"]), words, options).unwrap_or_else(|e| panic!("{query}: {e}"))
}

fn part(words: &PlainWords, rows: &[[&str; 2]]) -> MemoryPart {
    let mut part = MemoryPart::default();
    rows.iter().for_each(|r| part.add(words, r));
    part
}

/// Matching rows of parts side by side, numbered through, with weights.
fn answer(plan: &MatchPlan, parts: &[MemoryPart], ranker: Ranker) -> Vec<(u32, i64)> {
    let stop = StopToken::new();
    let mut statistics = Statistics::new(plan);
    parts.iter().for_each(|p| statistics.add(plan, p, &stop).unwrap());
    let (mut out, mut base) = (Vec::new(), 0);
    for (i, part) in parts.iter().enumerate() {
        let mut matcher = Matcher::new(plan, &statistics, i, part, ranker, &[], &stop).unwrap();
        let mut next = RowId(0);
        while let Some(row) = matcher.next_from(next, |_| true).unwrap() {
            out.push((base + row.0, matcher.weight().unwrap()));
            next = RowId(row.0 + 1);
        }
        base += crate::chunk::Part::row_count(part);
    }
    out
}

#[track_caller]
fn check(query: &str, rows: &[[&str; 2]], want: &[u32]) {
    let words = PlainWords { min_infix_len: 2, ..PlainWords::default() };
    let plan = plan(query, &words, BindOptions { not_terms_only_allowed: true, ..BindOptions::default() });
    let got: Vec<u32> = answer(&plan, &[part(&words, rows)], Ranker::None).iter().map(|r| r.0).collect();
    assert_eq!(got, want, "{query}");
}

#[test]
fn operators_find_their_rows() {
    let rows = [["a b c", "d"], ["c b a", "a b"], ["b", "x x x a"], ["stop c", "abacus abbot"], ["", ""]];
    check("a", &rows, &[0, 1, 2]);
    check("a c", &rows, &[0, 1]);
    check("c | x", &rows, &[0, 1, 2, 3]);
    check("a -d", &rows, &[1, 2]);
    check("-a", &rows, &[3, 4]);
    check("", &rows, &[0, 1, 2, 3, 4]);
    check("stop", &rows, &[]);
    check("stop c", &rows, &[0, 1, 3]);
    check("\"a b\"", &rows, &[0, 1]);
    check("\"b a\"", &rows, &[1]);
    check("\"a * c\"", &rows, &[0]);
    check("\"a stop c\"", &rows, &[0]);
    check("@plot a", &rows, &[1, 2]);
    check("@!title a", &rows, &[1, 2]);
    check("@plot[2] a", &rows, &[1]);
    check("^a", &rows, &[0, 1]);
    check("a$", &rows, &[1, 2]);
    check("\"^c b\"", &rows, &[1]);
    check("a << c", &rows, &[0]);
    check("b NEAR/1 c", &rows, &[0, 1]);
    check("a NOTNEAR/1 b", &rows, &[2]);
    check("b MAYBE x", &rows, &[0, 1, 2]);
    check("\"a x d\"/2", &rows, &[0, 2]);
    check("\"x x x x\"/3", &rows, &[2]);
    check("\"a d x\"/0.5", &rows, &[0, 2]);
    check("\"c a\"~2", &rows, &[0, 1]);
    check("ab*", &rows, &[3]);
    check("*bb*", &rows, &[3]);
    check("ab?ot", &rows, &[3]);
    check("(a | c) -(b d)", &rows, &[1, 2, 3]);
    check("a -\"a b\"", &rows, &[2]);
    check("@@relaxed @nosuch a", &rows, &[]);
}

#[test]
fn dead_rows_and_filters_come_before_positions() {
    let words = PlainWords::default();
    let part = part(&words, &[["a b", ""], ["a b", ""], ["b a", ""]]);
    let plan = plan("\"a b\"", &words, BindOptions::default());
    let stop = StopToken::new();
    let mut statistics = Statistics::new(&plan);
    statistics.add(&plan, &part, &stop).unwrap();
    let mut matcher = Matcher::new(&plan, &statistics, 0, &part, Ranker::default(), &[], &stop).unwrap();
    assert!(!matcher.is_exact());
    let mut asked = Vec::new();
    let row = matcher.next_from(RowId(0), |row| {
        asked.push(row.0);
        row.0 != 0
    });
    assert_eq!((row.unwrap(), asked), (Some(RowId(1)), vec![0, 1]));
    assert_eq!(matcher.seek(RowId(2)).unwrap(), Some(RowId(2)));
    assert!(!matcher.matches().unwrap());
}

#[test]
fn a_stopped_statement_ends_inside_one_call() {
    let words = PlainWords::default();
    let mut part = MemoryPart::default();
    for i in 0..20_000 {
        part.add(&words, &[if i % 2 == 0 { "a" } else { "b" }, ""]);
    }
    let plan = plan("a b", &words, BindOptions::default());
    let stop = StopToken::new();
    let mut statistics = Statistics::new(&plan);
    statistics.add(&plan, &part, &stop).unwrap();
    let mut matcher = Matcher::new(&plan, &statistics, 0, &part, Ranker::None, &[], &stop).unwrap();
    stop.stop();
    assert!(matches!(matcher.seek(RowId(0)), Err(ChunkError::Stopped)));
}

#[test]
fn the_deepest_query_fits_a_thread() {
    let words = PlainWords::default();
    let query = format!("{}a{}", "(".repeat(99), " NEAR/9 b)".repeat(99));
    let plan = plan(&query, &words, BindOptions::default());
    let part = part(&words, &[["a b", ""], ["a", "b"]]);
    assert_eq!(answer(&plan, &[part], Ranker::None), [(0, 1)]);
}

#[test]
fn keywords_count_each_typed_form() {
    let words = PlainWords { min_infix_len: 1, ..PlainWords::default() };
    let part = part(&words, &[["ab", "ac ab"], ["ad", ""]]);
    let plan = plan("a* ab AB", &words, BindOptions::default());
    let mut statistics = Statistics::new(&plan);
    statistics.add(&plan, &part, &StopToken::new()).unwrap();
    let keywords: Vec<_> = statistics.keywords(&plan).into_iter().map(|k| (k.word, k.docs, k.hits)).collect();
    assert_eq!(keywords, [("a*".to_owned(), 3, 4), ("ab".to_owned(), 1, 2)]);
}

/// A small generator of random numbers, so that a seed in a failure message is all that is needed to repeat it.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn text(&mut self) -> String {
        let words = ["a", "b", "c", "d", "aa", "ab", "stop"];
        let length = self.below(9);
        (0..length).map(|_| words[self.below(words.len())]).collect::<Vec<_>>().join(" ")
    }

    fn word(&mut self) -> String {
        let words = ["a", "b", "c", "d", "aa", "stop", "z", "a*", "?a", "^a", "b$", "=c"];
        words[self.below(words.len())].to_owned()
    }

    fn quoted(&mut self) -> String {
        let words: Vec<String> = (0..2 + self.below(3)).map(|_| if self.below(8) == 0 { "*".to_owned() } else { self.word() }).collect();
        format!("\"{}\"", words.join(" "))
    }

    fn query(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 5 } else { 14 }) {
            0..=2 => self.word(),
            3 => self.quoted(),
            4 => match self.below(2) {
                0 => format!("{}~{}", self.quoted(), 1 + self.below(4)),
                _ => format!("{}/{}", self.quoted(), 1 + self.below(3)),
            },
            5 | 6 => format!("({} {})", self.query(depth - 1), self.query(depth - 1)),
            7 | 8 => format!("({} | {})", self.query(depth - 1), self.query(depth - 1)),
            9 => format!("({} -{})", self.query(depth - 1), self.query(depth - 1)),
            10 => format!("({} MAYBE {})", self.query(depth - 1), self.query(depth - 1)),
            11 => format!("(@title {})", self.query(depth - 1)),
            12 => format!("({} << {})", self.query(depth - 1), self.query(depth - 1)),
            _ => {
                let operator = if self.below(2) == 0 { "NEAR" } else { "NOTNEAR" };
                format!("({} {operator}/{} {})", self.query(depth - 1), 1 + self.below(4), self.query(depth - 1))
            }
        }
    }
}

/// Whether the naive evaluator knows the hits, and not only whether there is one.
fn hits_known(node: &MatchNode) -> bool {
    match node {
        MatchNode::All(_) | MatchNode::Nothing | MatchNode::Leaf(_) | MatchNode::Phrase(_) | MatchNode::Quorum(..) => true,
        MatchNode::And(list) | MatchNode::Or(list) => list.iter().all(hits_known),
        MatchNode::AndNot(base, not) => hits_known(base) && not.iter().all(operands_known),
        MatchNode::Maybe(a, b) => hits_known(a) && hits_known(b),
        MatchNode::NotNear(a, b, _) => hits_known(a) && hits_known(b),
        MatchNode::Proximity(..) | MatchNode::Before(_) | MatchNode::Near(..) => false,
    }
}

/// Whether the naive evaluator knows whether the node matches: positional operators need the hits of their operands.
fn operands_known(node: &MatchNode) -> bool {
    match node {
        MatchNode::All(_) | MatchNode::Nothing | MatchNode::Leaf(_) | MatchNode::Phrase(_) | MatchNode::Quorum(..) => true,
        MatchNode::Proximity(..) => true,
        MatchNode::And(list) | MatchNode::Or(list) => list.iter().all(operands_known),
        MatchNode::AndNot(base, not) => operands_known(base) && not.iter().all(operands_known),
        MatchNode::Maybe(a, b) => operands_known(a) && operands_known(b),
        MatchNode::Before(list) => list.iter().all(hits_known),
        MatchNode::Near(a, b, _) | MatchNode::NotNear(a, b, _) => hits_known(a) && hits_known(b),
    }
}

#[test]
fn answers_equal_the_naive_ones_however_rows_are_spread_over_parts() {
    let words = PlainWords { min_infix_len: 1, ..PlainWords::default() };
    let (mut compared, mut weighed, mut found) = (0, 0, 0);
    for seed in 0..3_000 {
        let mut random = Random(seed);
        let texts: Vec<[String; 2]> = (0..1 + random.below(12)).map(|_| [random.text(), random.text()]).collect();
        let rows: Vec<[&str; 2]> = texts.iter().map(|[a, b]| [a.as_str(), b.as_str()]).collect();
        let query = random.query(3);
        let Ok(tree) = crate::query::parse(&query, &words) else { continue };
        let plan = bind(&tree, &schema(&["title", "plot"]), &words, BindOptions::default());
        let Ok(plan) = plan else { continue };
        let whole = answer(&plan, &[part(&words, &rows)], Ranker::ProximityBm25);
        let cut = random.below(rows.len() + 1);
        let spread = answer(&plan, &[part(&words, &rows[..cut]), part(&words, &rows[cut..])], Ranker::ProximityBm25);
        assert_eq!(whole, spread, "seed {seed}: {query}");
        let none = answer(&plan, &[part(&words, &rows)], Ranker::None);
        assert!(none.iter().map(|r| r.0).eq(whole.iter().map(|r| r.0)), "seed {seed}: {query}");
        if !operands_known(&plan.root) {
            continue;
        }
        compared += 1;
        let documents: Vec<Document> = rows.iter().map(|r| Document::new(&words, r)).collect();
        let mut want = Vec::new();
        for (row, document) in documents.iter().enumerate() {
            let mut used = Vec::new();
            let Some(hits) = document.find(&plan, &plan.root, &mut used) else { continue };
            let mut sum = 0.5f32;
            for word in 0..plan.words.len() {
                let n = documents.iter().filter(|d| d.frequency(&plan, word) > 0).count() as f64;
                let (rows, tf) = (rows.len() as f64, document.frequency(&plan, word) as f32);
                let idf = ((rows - n + 1.0) / n).ln() / (2.0 * (rows + 1.0).ln()) / plan.words.len() as f64;
                if used.contains(&word) && tf > 0.0 {
                    sum += tf / (tf + 1.2) * idf as f32;
                }
            }
            want.push((row as u32, runs(&hits, 2) + (sum * 1000.0) as i64));
        }
        found += want.len();
        if hits_known(&plan.root) {
            weighed += 1;
            assert_eq!(whole, want, "seed {seed}: {query}\n{rows:?}");
        } else {
            let rows_of = |list: &[(u32, i64)]| list.iter().map(|r| r.0).collect::<Vec<_>>();
            assert_eq!(rows_of(&whole), rows_of(&want), "seed {seed}: {query}\n{rows:?}");
        }
    }
    // The generator must not degenerate into queries that nothing answers.
    assert!(compared > 1_500 && weighed > 1_000 && found > 3_000, "{compared} {weighed} {found}");
}

#[test]
fn no_row_is_dropped_that_reaches_the_floor() {
    let words = PlainWords::default();
    for seed in 0..300 {
        let mut random = Random(seed);
        let texts: Vec<[String; 2]> = (0..10).map(|_| [random.text(), random.text()]).collect();
        let rows: Vec<[&str; 2]> = texts.iter().map(|[a, b]| [a.as_str(), b.as_str()]).collect();
        let (plan, part) = (plan("a | b c", &words, BindOptions::default()), part(&words, &rows));
        let exact = answer(&plan, &[part], Ranker::ProximityBm25);
        let part = self::part(&words, &rows);
        let stop = StopToken::new();
        let mut statistics = Statistics::new(&plan);
        statistics.add(&plan, &part, &stop).unwrap();
        for floor in [1_000, 2_500, 4_000] {
            let mut matcher = Matcher::new(&plan, &statistics, 0, &part, Ranker::ProximityBm25, &[], &stop).unwrap();
            for (row, weight) in &exact {
                assert_eq!(matcher.next_from(RowId(*row), |_| true).unwrap(), Some(RowId(*row)));
                match matcher.weight_reaching(floor).unwrap() {
                    Some(found) => assert_eq!(found, *weight),
                    None => assert!(*weight < floor, "seed {seed}: row {row} weighs {weight}"),
                }
            }
        }
    }
}
