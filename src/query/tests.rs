//! Queries and the trees that they make, malformed ones and random bytes included.

use super::*;

struct Plain;

impl WordChars for Plain {
    fn is_word(&self, c: char) -> bool {
        c.is_alphanumeric() || c == '_'
    }
}

fn draw_word(word: &Word) -> String {
    let mut out = String::new();
    if word.start {
        out.push('^');
    }
    if word.exact {
        out.push('=');
    }
    for piece in &word.pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Any => out.push('*'),
            Piece::One => out.push('?'),
            Piece::Maybe => out.push('%'),
        }
    }
    if word.end {
        out.push('$');
    }
    if word.boost != 1.0 {
        out.push_str(&format!("^{}", word.boost));
    }
    out + &draw_limit(&word.limit)
}

fn draw_limit(limit: &FieldLimit) -> String {
    let fields = match &limit.kind {
        LimitKind::All => String::new(),
        LimitKind::Only(names) => format!("@{}", names.join(",")),
        LimitKind::Except(names) => format!("@!{}", names.join(",")),
    };
    fields + &limit.max_position.map_or(String::new(), |n| format!("[{n}]"))
}

fn draw(node: &Node) -> String {
    let list = |name: &str, nodes: &[Node]| format!("({name} {})", nodes.iter().map(draw).collect::<Vec<_>>().join(" "));
    match node {
        Node::Word(word) => draw_word(word),
        Node::Phrase(phrase) => {
            let items = phrase.items.iter().map(|item| match item {
                PhraseItem::Word(word) => draw_word(&Word { limit: Default::default(), ..word.clone() }),
                PhraseItem::AnyWord => "*".to_owned(),
            });
            let kind = match phrase.kind {
                PhraseKind::Phrase => String::new(),
                PhraseKind::Proximity(n) => format!("~{n}"),
                PhraseKind::Quorum(Threshold::Count(n)) => format!("/{n}"),
                PhraseKind::Quorum(Threshold::Share(n)) => format!("/{n:?}"),
            };
            format!("\"{}\"{kind}{}", items.collect::<Vec<_>>().join(" "), draw_limit(&phrase.limit))
        }
        Node::And(nodes) => list("and", nodes),
        Node::Or(nodes) => list("or", nodes),
        Node::Not(inner) => format!("-{}", draw(inner)),
        Node::Maybe(a, b) => format!("(maybe {} {})", draw(a), draw(b)),
        Node::Before(nodes) => list("before", nodes),
        Node::Near(a, b, n) => format!("(near/{n} {} {})", draw(a), draw(b)),
        Node::NotNear(a, b, n) => format!("(notnear/{n} {} {})", draw(a), draw(b)),
        Node::Within(Unit::Sentence, nodes) => list("sentence", nodes),
        Node::Within(Unit::Paragraph, nodes) => list("paragraph", nodes),
    }
}

#[track_caller]
fn good(text: &str, want: &str) {
    match parse(text, &Plain) {
        Ok(query) => assert_eq!(query.root.as_ref().map_or(String::new(), draw), want, "{text}"),
        Err(error) => panic!("{text}: {error}"),
    }
}

#[track_caller]
fn bad(text: &str, want: &str) {
    match parse(text, &Plain) {
        Ok(query) => panic!("{text}: parsed as {query:?}"),
        Err(error) => assert_eq!(error.to_string(), want, "{text}"),
    }
}

#[test]
fn boolean_operators_bind_as_the_dialect_has_it() {
    good("", "");
    good("  \t ", "");
    good("love", "love");
    good("love war", "(and love war)");
    good("love & war", "(and love war)");
    good("a | b c", "(and (or a b) c)");
    good("a | b | c", "(or a b c)");
    good("a (b | (c | d))", "(and a (or b c d))");
    good("(a b) c", "(and a b c)");
    good("a -b", "(and a -b)");
    good("a !b|c", "(and a -(or b c))");
    good("-(a b)", "-(and a b)");
    good("-(-a)", "a");
    good("-a -b", "(and -a -b)");
    good("a MAYBE b c", "(and (maybe a b) c)");
    good("a << b c << d", "(before a (and b c) d)");
    good("a NEAR/3 b NOTNEAR/4 c", "(notnear/4 (near/3 a b) c)");
    good("a SENTENCE b SENTENCE c", "(sentence a b c)");
    good("near NEAR love", "(and near NEAR love)");
}

#[test]
fn punctuation_separates_words_where_it_is_no_operator() {
    good("love-story", "(and love story)");
    good("love - story", "(and love story)");
    good("mary's", "(and mary s)");
    good("u.s.", "(and u s)");
    good("foo@example.com", "(and foo example com)");
    good("a < b > c", "(and a b c)");
    good("a = b", "(and a b)");
    good("a ^ b $ c", "(and a b c)");
    good("* ? love ***", "love");
    good("love \\( war \\)", "(and love war)");
    good("love\\/2", "(and love 2)");
    good("\\-love", "love");
    good("lo\\ve", "love");
    good("love \\", "love");
    good("привет мир", "(and привет мир)");
}

#[test]
fn words_carry_modifiers() {
    good("^start end$", "(and ^start end$)");
    good("=exact ^=both", "(and =exact ^=both)");
    good("turns^2.5 | nation", "(or turns^2.5 nation)");
    good("end$^1.5", "end$^1.5");
    good("pre* *in* po?tray sch%ol", "(and pre* *in* po?tray sch%ol)");
    good("a^.5", "(and a 5)");
}

#[test]
fn field_limits_hold_until_the_next_one_or_the_end_of_a_group() {
    good("@title a b", "(and a@title b@title)");
    good("@title a @plot b @* c", "(and a@title b@plot c)");
    good("@(title, plot) a", "a@title,plot");
    good("@!title a", "a@!title");
    good("@!(Title,plot) a", "a@!title,plot");
    good("@plot[10] a", "a@plot[10]");
    good("@plot [10] a", "a@plot[10]");
    good("(@title a) b", "(and a@title b)");
    good("@title (a @plot b) c", "(and a@title b@plot c@title)");
    good("@title a | @plot b", "(or a@title b@plot)");
    assert!(parse("@@relaxed @nosuch a", &Plain).unwrap().relaxed);
    assert!(!parse("@relaxed a", &Plain).unwrap().relaxed);
}

#[test]
fn quotes_hold_phrases_proximities_and_quorums() {
    good("\"hello world\"", "\"hello world\"");
    good("\"law * the\"", "\"law * the\"");
    good("=\"a b\"", "\"=a =b\"");
    good("\"^a b$\"", "\"^a b$\"");
    good("\"a - b | @x\"", "\"a b x\"");
    good("\"a b\"~4 c", "(and \"a b\"~4 c)");
    good("\"a b c\"/2", "\"a b c\"/2");
    good("\"a b c\"/0.5", "\"a b c\"/0.5");
    good("\"a b c\"/2.", "\"a b c\"/2");
    good("@title \"a b\" c", "(and \"a b\"@title c@title)");
    good("\"\"", "\"\"");
    good("\"a\\\"b\"", "\"a b\"");
}

#[test]
fn malformed_queries_say_where() {
    bad("\"love story", "P08: syntax error, unexpected $end near ''");
    bad("love |", "P08: syntax error, unexpected $end near ''");
    bad("@", "P08: syntax error, unexpected $end near ''");
    bad("@title", "P08: syntax error, unexpected $end near ''");
    bad("love!", "P08: syntax error, unexpected $end near ''");
    bad("love/2", "P08: syntax error, unexpected '/' near '/2'");
    bad("love near/2 war", "P08: syntax error, unexpected '/' near '/2 war'");
    bad("love MAYBE", "P08: syntax error, unexpected $end near ''");
    bad("MAYBE love", "P08: syntax error, unexpected MAYBE near 'MAYBE love'");
    bad("SENTENCE", "P08: syntax error, unexpected SENTENCE near 'SENTENCE'");
    bad("love << ", "P08: syntax error, unexpected $end near ''");
    bad("(love", "P08: syntax error, unexpected $end near ''");
    bad("love)", "P08: syntax error, unexpected ')' near ')'");
    bad("()", "P08: syntax error, unexpected ')' near ')'");
    bad("a | -b", "P08: syntax error, unexpected '-' near '-b'");
    bad("@(title a", "P08: syntax error, unexpected 'a' near 'a'");
    bad("@title[0] a", "P08: syntax error, a position limit is a number of 1 or more in [ ] near '[0] a'");
    bad("\"a b\"~", "P08: syntax error, a proximity is a number of 1 or more near '~'");
    bad("\"a b\"/0", "P08: syntax error, a quorum is a number of 1 or more, or a share between 0.0 and 1.0 near '/0'");
    bad("a NEAR/0 b", "P08: syntax error, NEAR needs a distance of 1 or more near '/0 b'");
    bad("a | (-b)", "query error: query is non-computable (NOT is not allowed within OR, MAYBE, NEAR or <<)");
    bad("REGEX(/a.*/)", "REGEX is not built yet");
    bad("\"(a | b) c\"", "a group inside quotes is not built yet");
}

#[test]
fn depth_and_size_are_bounded() {
    let nested = |n: usize| format!("{}a{}", "(".repeat(n), ")".repeat(n));
    good(&nested(MAX_DEPTH), "a");
    for text in [
        nested(MAX_DEPTH + 1),
        "(".repeat(100_000),
        "-(".repeat(100_000),
        "a MAYBE ".repeat(MAX_DEPTH + 2) + "a",
        "a NEAR/1 ".repeat(MAX_DEPTH + 2) + "a",
        "(".repeat(20) + &"a NEAR/1 a NEAR/1 a NEAR/1 a NEAR/1 a NEAR/1 a NEAR/1 a) MAYBE ".repeat(20) + "a",
    ] {
        assert_eq!(parse(&text, &Plain), Err(QueryError::TooDeep));
    }
    assert!(parse(&"a ".repeat(MAX_WORDS), &Plain).is_ok());
    assert_eq!(parse(&"a ".repeat(MAX_WORDS + 1), &Plain), Err(QueryError::TooManyWords));
    assert_eq!(parse(&format!("\"{}\"/2", "a ".repeat(256)), &Plain), Err(QueryError::TooManyQuorumWords));
    // Long runs of one character must cost no more than their length.
    for run in ["*", "?", "\\", "=", "^", "$", "!", "\"", "@", "<", "a?"] {
        let _ = parse(&run.repeat(200_000), &Plain);
    }
}

#[test]
fn any_text_is_answered_without_panic() {
    let alphabet = [
        "a",
        "b",
        " ",
        "(",
        ")",
        "|",
        "-",
        "!",
        "@",
        "@title",
        "@(",
        "[",
        "5",
        "]",
        "\"",
        "~",
        "/",
        "0.5",
        "^",
        "$",
        "=",
        "<<",
        "\\",
        "*",
        "?",
        "%",
        "MAYBE",
        "NEAR/2",
        "é",
        "\0",
        "SENTENCE",
        "@@relaxed",
        ",",
        "REGEX(",
        "ZONE:",
    ];
    let mut state = 7u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..(state >> 40) % 24 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(alphabet[(state >> 33) as usize % alphabet.len()]);
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if let Ok(Query { root: Some(root), .. }) = parse(&text, &Plain) {
            check_shape(&root, true);
        }
    }
}

/// What the head of the module promises of every tree.
fn check_shape(node: &Node, not_allowed: bool) {
    match node {
        Node::Word(word) => assert!(word.pieces.iter().any(|p| matches!(p, Piece::Text(_)))),
        Node::Phrase(_) => {}
        Node::And(list) => {
            assert!(list.len() > 1);
            list.iter().for_each(|n| check_shape(n, true));
        }
        Node::Or(list) | Node::Before(list) | Node::Within(_, list) => {
            assert!(list.len() > 1);
            list.iter().for_each(|n| check_shape(n, false));
        }
        Node::Not(inner) => {
            assert!(not_allowed);
            check_shape(inner, false);
        }
        Node::Maybe(a, b) | Node::Near(a, b, _) | Node::NotNear(a, b, _) => {
            check_shape(a, false);
            check_shape(b, false);
        }
    }
}
