//! The MATCH language: any text is parsed and bound or refused, whatever the table's charset and options are.
//!
//! The first three bytes choose a table and the statement's options, the rest is the query. Must hold: no panic, no deep recursion; limits of
//! words and nesting are kept; a plan speaks of its own words and fields only; binding twice gives the same plan.

#![no_main]

use std::collections::BTreeMap;
use std::sync::OnceLock;

use chimera::plan::matching::{BindOptions, bind};
use chimera::query;
use chimera::text::Analyzer;
use chimera::types::{Column, ColumnKind, Schema};
use libfuzzer_sys::fuzz_target;

/// Text options of the tables.
const TABLES: [&[(&str, &str)]; 8] = [
    &[],
    &[("min_infix_len", "2"), ("morphology", "stem_en"), ("index_exact_words", "1")],
    &[("min_prefix_len", "3"), ("min_word_len", "3"), ("stopwords", "en")],
    &[("charset_table", "0..9, a..z, A..Z->a..z, _, -, @, !, ^, $, =, U+00E9")],
    &[("charset_table", "non_cont"), ("ngram_len", "1"), ("ngram_chars", "cont")],
    &[("charset_table", "a..z, \", (, ), |, ~, /, *, ?, %, <"), ("min_infix_len", "2")],
    &[("ignore_chars", "U+AD, -, '"), ("overshort_step", "0"), ("stopword_step", "0"), ("min_word_len", "2"), ("stopwords", "en")],
    &[("morphology", "libstemmer_ru, stem_en"), ("min_stemming_len", "4"), ("index_exact_words", "1")],
];

fn analyzers() -> &'static [Analyzer] {
    static ANALYZERS: OnceLock<Vec<Analyzer>> = OnceLock::new();
    ANALYZERS.get_or_init(|| {
        let analyzer = |options: &&[(&str, &str)]| {
            let options: BTreeMap<String, String> = options.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
            Analyzer::new(&options, &|_| Err(std::io::Error::other("no files"))).expect("sound options")
        };
        TABLES.iter().map(analyzer).collect()
    })
}

fn schema(fields: u8) -> Schema {
    let names = ["title", "body", "a_b", "x"];
    let column = |(uid, name): (usize, &&str)| Column {
        name: (*name).to_owned(),
        kind: ColumnKind::Text,
        uid: uid as u32 + 1,
        indexed: true,
        stored: true,
        attribute: false,
        columnar: false,
    };
    Schema { version: 1, columns: names.iter().take(usize::from(fields % 5)).enumerate().map(column).collect() }
}

fuzz_target!(|data: &[u8]| {
    let Some((&[table, options, fields], text)) = data.split_first_chunk::<3>() else { return };
    let text = String::from_utf8_lossy(text);
    let analyzer = &analyzers()[usize::from(table) % TABLES.len()];
    let parsed = query::parse(&text, analyzer);
    let query = match parsed {
        Ok(query) => query,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(query::parse(&text, analyzer).as_ref(), Ok(&query));
    let options = BindOptions {
        not_terms_only_allowed: options & 1 != 0,
        exact_forms: options & 2 != 0,
        implicit_or: options & 4 != 0,
        expand_keywords: options & 8 != 0,
    };
    let schema = schema(fields);
    let plan = bind(&query, &schema, analyzer, options);
    if let Ok(plan) = &plan {
        assert_eq!(plan.field_count, schema.field_count());
        assert!(plan.words.iter().all(|word| word.boost.is_finite()));
    }
    assert_eq!(bind(&query, &schema, analyzer, options), plan);
});
