//! Recorded answers of the dialect, through the analyzer as a whole.

use std::collections::BTreeMap;

use super::*;
use crate::types::WordChars;

fn analyzer(options: &[(&str, &str)]) -> Analyzer {
    let options: BTreeMap<String, String> = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    Analyzer::new(&options, &|_| Err(std::io::ErrorKind::NotFound.into())).unwrap()
}

/// `qpos:tokenized:normalized` of each word, the third only where it differs.
fn keywords(options: &[(&str, &str)], text: &str) -> String {
    let shown = analyzer(options).query(text).into_iter().map(|token| {
        let tail = if token.tokenized == token.normalized { String::new() } else { format!(":{}", token.normalized) };
        format!("{}:{}{tail}", token.position, token.tokenized)
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// `position:word` of each word of a document, and the position returned.
fn indexed(options: &[(&str, &str)], text: &str) -> (String, u32) {
    let mut words = Vec::new();
    let last = analyzer(options).index(text, &mut |word, position| words.push(format!("{position}:{}", str::from_utf8(word).unwrap())));
    (words.join(" "), last)
}

const DEFAULT: &[(&str, &str)] = &[];
const STEM: &[(&str, &str)] = &[("morphology", "stem_en")];
const EXACT: &[(&str, &str)] = &[("morphology", "stem_en"), ("index_exact_words", "1")];
const MIN3: &[(&str, &str)] = &[("min_word_len", "3")];
const STOP: &[(&str, &str)] = &[("stopwords", "en")];
const PREFIX: &[(&str, &str)] = &[("min_prefix_len", "3")];
const INFIX: &[(&str, &str)] = &[("min_infix_len", "3")];

#[test]
fn keywords_of_the_default_charset() {
    for (text, want) in [
        ("Café NAÏVE señor Ærøskøbing Łódź ÅNGSTRÖM", "1:cafe 2:naive 3:senor 4:æroskobing 5:lodz 6:angstrom"),
        ("Привет МИР как", "1:привет 2:мир 3:как"),
        ("ΑΘΗΝΑ ελληνικά", "1:αθηνα 2:ελληνικα"),
        ("3.14 1,000 C++ AT&T foo_bar u.s.a.", "1:3 2:14 3:1 4:000 5:c 6:at 7:t 8:foo 9:bar 10:u 11:s 12:a"),
        ("mother-in-law's rock'n'roll don't", "1:mother 2:in 3:law 4:s 5:rock 6:n 7:roll 8:don 9:t"),
        ("北京欢迎你 hello 東京", "1:hello"),
        ("ＦＵＬＬ ｗｉｄｔｈ", "1:full 2:width"),
        ("straße STRASSE ß", "1:strase 2:strasse 3:s"),
        ("İstanbul ISTANBUL ıiIİ", "1:istanbul 2:istanbul 3:iiii"),
        ("http://example.com/a?b=c", "1:http 2:example 3:com 4:a 5:b 6:c"),
        ("emoji 😀 heart ❤", "1:emoji 2:heart"),
        ("1st 42 007", "1:1st 2:42 3:007"),
        ("don’t “quoted” em—dash ellipsis…", "1:don 2:t 3:quoted 4:em 5:dash 6:ellipsis"),
        ("<b>bold</b> text&amp;more", "1:b 2:bold 3:b 4:text 5:amp 6:more"),
    ] {
        assert_eq!(keywords(DEFAULT, text), want, "{text}");
    }
}

#[test]
fn keywords_of_other_tables() {
    for (options, text, want) in [
        (STEM, "foxes are jumping lazy", "1:foxes:fox 2:are 3:jumping:jump 4:lazy:lazi"),
        (STEM, "running runner ran runs easily fairly", "1:running:run 2:runner 3:ran 4:runs:run 5:easily:easili 6:fairly:fair"),
        (STEM, "les maisons belles", "1:les:le 2:maisons:maison 3:belles:bell"),
        (EXACT, "example.com/a?b=c", "1:example:exampl 2:com 3:a 4:b 5:=c"),
        (MIN3, "mother-in-law's rock'n'roll don't", "1:mother 2:law 3:rock 4:roll 5:don"),
        (STOP, "The quick brown foxes are jumping over dogs", "2:quick 3:brown 4:foxes 6:jumping 8:dogs"),
        (STOP, "a an the of to in", ""),
        (STOP, "mother-in-law's rock'n'roll don't", "1:mother 3:law 5:rock 6:n 7:roll"),
        (PREFIX, "example.com/a?b=c", "1:example 2:com 3:a?b 4:c"),
        (INFIX, "example.com/a?b=c", "1:example 2:com 3:a?b 4:c"),
        (&[("charset_table", "0..9, a..z, A..Z->a..z, _")], "señor İstanbul", "1:se 2:or 3:stanbul"),
        (&[("ngram_chars", "cont"), ("ngram_len", "1")], "北京 hello 東", "1:北 2:京 3:hello 4:東"),
        (&[("ignore_chars", "U+AD, -")], "e-mail co\u{AD}op - x", "1:email 2:coop 3:x"),
        (&[("morphology", "libstemmer_de")], "Häusern muenchen", "1:hausern:haus 2:muenchen:munch"),
    ] {
        assert_eq!(keywords(options, text), want, "{text}");
    }
}

#[test]
fn documents() {
    for (options, text, want, last) in [
        (DEFAULT, "", "", 0),
        (DEFAULT, "Red, red wine", "1:red 2:red 3:wine", 3),
        (EXACT, "Red dogs", "1:=red 1:red 2:=dogs 2:dog", 2),
        (&[("index_exact_words", "1")], "Red dogs", "1:red 2:dogs", 2),
        (MIN3, "mother in law is", "1:mother 3:law", 3),
        (&[("min_word_len", "3"), ("overshort_step", "0")], "mother in law", "1:mother 2:law", 2),
        (STOP, "the cat and the dog", "2:cat 5:dog", 5),
        (STOP, "cat the", "1:cat", 1),
        (&[("stopwords", "en"), ("stopword_step", "0")], "the cat and the dog", "1:cat 2:dog", 2),
        (&[("stopwords", "en"), ("morphology", "stem_en")], "Andes cat", "2:cat", 2),
        (&[("stopwords", "en"), ("morphology", "stem_en"), ("stopwords_unstemmed", "1")], "Andes and cat", "1:and 3:cat", 3),
    ] {
        assert_eq!(indexed(options, text), (want.to_owned(), last), "{text}");
    }
}

#[test]
fn terms_of_a_planner() {
    let exact = analyzer(&[
        ("morphology", "stem_en"),
        ("index_exact_words", "1"),
        ("stopwords", "en"),
        ("min_word_len", "2"),
        ("min_infix_len", "2"),
    ]);
    assert_eq!(exact.term("Running"), QueryTerm::Term("run".into()));
    assert_eq!(exact.exact_term("Running"), QueryTerm::Term("=running".into()));
    assert_eq!(exact.term("THE"), QueryTerm::Stopword);
    assert_eq!(exact.exact_term("the"), QueryTerm::Stopword);
    assert_eq!(exact.term("x"), QueryTerm::TooShort);
    assert_eq!(exact.term("--"), QueryTerm::Nothing);
    assert_eq!(exact.pattern("Lo?É*"), Some("lo?e*".into()));
    assert_eq!(exact.pattern("**"), None);
    assert!(exact.index_exact_words() && exact.wildcards() && exact.min_infix_len() == 2 && exact.min_prefix_len() == 0);

    let plain = analyzer(DEFAULT);
    assert_eq!(plain.exact_term("Running"), QueryTerm::Term("running".into()));
    assert_eq!(plain.exact_key("dogs"), "dogs");
    assert!(plain.is_word('É') && plain.is_word('9') && !plain.is_word('_') && !plain.is_word('=') && !plain.is_word('*'));
    assert!(!plain.wildcards() && !plain.index_exact_words());
}

#[test]
fn gaps_of_a_phrase() {
    let positions = |options: &[(&str, &str)], text: &str| -> Vec<(u32, u32)> {
        analyzer(options).query(text).iter().map(|token| (token.position, token.text_position)).collect()
    };
    assert_eq!(positions(MIN3, "mother in law"), [(1, 1), (2, 3)]);
    assert_eq!(positions(STOP, "out of africa"), [(3, 3)]);
    for (options, text, words, used) in
        [(DEFAULT, "a?b", 2, 2), (INFIX, "a?b", 2, 2), (STOP, "the", 0, 1), (MIN3, "of", 0, 1), (MIN3, "of cats it", 1, 3)]
    {
        let (tokens, positions) = analyzer(options).query_plain(text);
        assert_eq!((tokens.len(), positions), (words, used), "{text}");
    }
    assert_eq!(analyzer(DEFAULT).fold("Lo-É"), "loe");
}

#[test]
fn stopword_files_and_refusals() {
    let read = |path: &str| if path == "/stop.txt" { Ok(b"Caf\xc3\xa9, bar".to_vec()) } else { Err(std::io::ErrorKind::NotFound.into()) };
    let options = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    let found = Analyzer::new(&options("stopwords", "/stop.txt en"), &read).unwrap();
    assert_eq!(found.term("CAFE"), QueryTerm::Stopword);
    assert_eq!(found.term("the"), QueryTerm::Stopword);
    for (name, value, message) in [
        ("stopwords", "/none", "stopwords: cannot read '/none': entity not found"),
        ("stopwords", "xx", "stopwords: no built-in list 'xx'; a file is named by its absolute path"),
        ("morphology", "lemmatize_en", "morphology='lemmatize_en' is not built yet"),
        ("charset_table", "z..a", "charset_table='z..a': 'z..a' is a range that ends before it begins"),
        ("html_strip", "1", "html_strip='1' is not built yet"),
        ("colour", "1", "unknown text option 'colour'"),
    ] {
        assert_eq!(Analyzer::new(&options(name, value), &read).err(), Some(TextError(message.to_owned())));
    }
}
