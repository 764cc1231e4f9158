//! Random queries over random rows: every weather gives the answer of RAM, weights included.

use crate::random::Random;
use crate::weather::{House, Weather};

const WORDS: [&str; 12] = ["alpha", "beta", "gamma", "delta", "omega", "sun", "moon", "sea", "sky", "tree", "leaf", "root"];
/// Rows are written in so many statements.
const BATCHES: u64 = 5;
const QUERIES: u64 = 300;

fn text(random: &mut Random) -> String {
    let words: Vec<&str> = (0..random.between(0, 9)).map(|_| word(random)).collect();
    words.join(" ")
}

/// Early words are common, late ones rare.
fn word(random: &mut Random) -> &'static str {
    let high = random.between(0, WORDS.len() as u64 - 1);
    WORDS[random.between(0, high) as usize]
}

fn insert(random: &mut Random, first: u64, rows: u64) -> String {
    let values: Vec<String> = (first..first + rows)
        .map(|id| {
            let (a, b, n) = (text(random), text(random), random.between(0, 9));
            let (f, s) = (random.between(0, 40) as f64 / 4.0, word(random));
            let m: Vec<String> = (0..random.between(0, 4)).map(|_| random.between(1, 6).to_string()).collect();
            format!("({id},'{a}','{b}',{n},{f},'{s}',({}),'{{\"k\":{},\"w\":\"{}\"}}')", m.join(","), random.between(0, 5), word(random))
        })
        .collect();
    format!("INSERT INTO t(id,a,b,n,f,s,m,j) VALUES {}", values.join(","))
}

/// An expression of the MATCH language.
fn expression(random: &mut Random, depth: u64) -> String {
    let w = |random: &mut Random| word(random).to_owned();
    match random.between(0, if depth == 0 { 5 } else { 11 }) {
        0 | 1 => w(random),
        2 => format!("\"{} {}\"", w(random), w(random)),
        3 => format!("\"{} {} {}\"~{}", w(random), w(random), w(random), random.between(1, 5)),
        4 => format!("\"{} {} {}\"/{}", w(random), w(random), w(random), random.between(1, 3)),
        5 => match random.between(0, 3) {
            0 => format!("^{}", w(random)),
            1 => format!("{}$", w(random)),
            2 => format!("{}*", &w(random)[..3]),
            _ => format!("({})", w(random)),
        },
        6 | 7 => format!("{} {}", expression(random, depth - 1), expression(random, depth - 1)),
        8 | 9 => format!("({} | {})", expression(random, depth - 1), expression(random, depth - 1)),
        10 => format!("{} -{}", expression(random, depth - 1), w(random)),
        _ => format!("(@{} {})", ["a", "b", "(a,b)", "!a"][random.between(0, 3) as usize], expression(random, depth - 1)),
    }
}

fn condition(random: &mut Random, depth: u64) -> String {
    let n = random.between(0, 9);
    match random.between(0, if depth == 0 { 9 } else { 12 }) {
        0 => format!("n={n}"),
        1 => format!("n BETWEEN {n} AND {}", n + 3),
        2 => format!("n NOT IN ({n},{},77)", n + 2),
        3 => format!("f>{}.25", n),
        4 => format!("s='{}'", word(random)),
        5 => format!("s IN ('{}','{}')", word(random), word(random)),
        6 => format!("m={}", random.between(1, 6)),
        7 => format!("ALL(m)<{}", random.between(2, 6)),
        8 => format!("j.k>={}", random.between(0, 5)),
        9 => format!("id>{}", random.between(0, 400)),
        10 => format!("({} OR {})", condition(random, depth - 1), condition(random, depth - 1)),
        11 => format!("({} AND {})", condition(random, depth - 1), condition(random, depth - 1)),
        _ => format!("NOT ({})", condition(random, depth - 1)),
    }
}

fn query(random: &mut Random) -> String {
    let mut conditions = Vec::new();
    if random.percent(75) {
        conditions.push(format!("MATCH('{}')", expression(random, 3)));
    }
    if random.percent(50) || conditions.is_empty() {
        conditions.push(condition(random, 2));
    }
    let filter = conditions.join(" AND ");
    let limit = match random.between(0, 2) {
        0 => String::new(),
        1 => format!(" LIMIT {}", random.between(1, 30)),
        _ => format!(" LIMIT {},{}", random.between(0, 20), random.between(1, 200)),
    };
    let ranker = if random.percent(30) {
        [" OPTION ranker=bm25", " OPTION ranker=none", " OPTION ranker=wordcount", " OPTION field_weights=(a=3,b=7)"]
            [random.between(0, 3) as usize]
    } else {
        ""
    };
    match random.between(0, 9) {
        0..=3 => format!("SELECT id, weight() FROM t WHERE {filter}{limit}{ranker}"),
        4 => format!("SELECT * FROM t WHERE {filter} ORDER BY n DESC, s ASC{limit}{ranker}"),
        5 => format!("SELECT id, n*2+f AS x, weight() FROM t WHERE {filter} ORDER BY x DESC, weight() DESC{limit}{ranker}"),
        6 => format!(
            "SELECT n, COUNT(*) c, SUM(f), AVG(id), MIN(s), MAX(f), COUNT(DISTINCT s), GROUP_CONCAT(id) FROM t WHERE {filter} GROUP BY n ORDER BY c DESC, n ASC{limit}"
        ),
        7 => format!("SELECT s, j.k k, COUNT(*) c FROM t WHERE {filter} GROUP BY s, k HAVING c>1 ORDER BY s ASC, c DESC, k ASC{limit}"),
        8 => format!(
            "SELECT id, s, weight() w FROM t WHERE {filter} GROUP BY s WITHIN GROUP ORDER BY f DESC, id ASC ORDER BY w DESC, id ASC{limit}"
        ),
        _ => format!("SELECT GROUPBY() g, COUNT(*) FROM t WHERE {filter} GROUP BY m ORDER BY g ASC{limit}"),
    }
}

/// What changes rows of the first `written`.
fn change(random: &mut Random, written: u64) -> String {
    match random.between(0, 5) {
        0 => format!("DELETE FROM t WHERE {} AND n={}", condition(random, 0), random.between(0, 9)),
        1 => {
            let first = random.between(1, 380);
            format!("DELETE FROM t WHERE id BETWEEN {first} AND {}", first + 9)
        }
        2 => format!("UPDATE t SET n={}, f={}.5 WHERE {}", random.between(0, 9), random.between(0, 9), condition(random, 1)),
        3 => format!(
            "UPDATE t SET s='{}', m=({},{}) WHERE MATCH('{}')",
            word(random),
            random.between(1, 6),
            random.between(1, 6),
            word(random)
        ),
        4 => format!("UPDATE t SET j.k={} WHERE {}", random.between(0, 5), condition(random, 0)),
        _ => {
            let first = random.between(1, written - 19);
            insert(random, first, 20).replace("INSERT", "REPLACE")
        }
    }
}

/// Runs the writes in every weather and compares what the queries answer with what they answer in RAM.
fn compare(seed: u64, writes: &[String], queries: &[String]) {
    let answers = |weather: Weather| -> Vec<String> {
        let mut house = House::new(weather);
        house.run(b"CREATE TABLE t(a text, b text, n int, f float, s string, m multi, j json) min_prefix_len='3'", false);
        let mut answers = Vec::new();
        for sql in writes {
            let answer = house.run(sql.as_bytes(), false);
            assert!(answer.ends_with("affected"), "{sql:.300}: {answer}");
            house.after(sql, &answer).expect("the weather");
            answers.push(answer);
        }
        house.before("SELECT").expect("the weather");
        answers.extend(queries.iter().map(|sql| house.run(sql.as_bytes(), true)));
        house.close();
        answers
    };
    let expected = answers(Weather::Ram);
    let count = queries.len();
    let found = &expected[writes.len()..];
    let failed = found.iter().filter(|a| a.starts_with("error")).count();
    let empty = found.iter().filter(|a| a.contains("no rows")).count();
    assert!(failed < count / 10 && empty < count * 3 / 4, "of {count} queries {failed} fail and {empty} find nothing");
    for weather in [
        Weather::Flushed,
        Weather::Merged,
        Weather::Restarted,
        Weather::Killed,
        Weather::KilledOverChunks,
        Weather::FlushedColumns,
        Weather::MergedColumns,
    ] {
        let statements = writes.iter().chain(queries);
        for ((sql, expected), got) in statements.zip(&expected).zip(answers(weather)) {
            assert!(got == *expected, "seed {seed}, weather '{}'\n{sql}\n expected\n{expected}\n got\n{got}", weather.name());
            assert!(!got.contains("internal error"), "{sql}\n{got}");
        }
    }
}

fn seed() -> u64 {
    std::env::var("CHIMERA_SEED").map_or(1, |s| s.parse().expect("a number"))
}

#[test]
fn random_queries_answer_alike_in_all_weathers() {
    let mut random = Random::new(seed());
    let writes: Vec<String> = (0..BATCHES).map(|i| insert(&mut random, i * 80 + 1, 80)).collect();
    let queries: Vec<String> =
        (0..QUERIES).map(|_| format!("{}; SHOW META LIKE '%o%'; SHOW META LIKE '%s[%'", query(&mut random))).collect();
    compare(seed(), &writes, &queries);
}

/// Rows that are dead and not merged away may still count in weights, so these queries show none.
#[test]
fn random_queries_answer_alike_after_changes() {
    let mut random = Random::new(seed() + 1_000_000);
    let mut writes = Vec::new();
    for i in 0..BATCHES {
        writes.push(insert(&mut random, i * 80 + 1, 80));
        writes.extend((0..4).map(|_| change(&mut random, (i + 1) * 80)));
    }
    let mut queries = Vec::new();
    while queries.len() < QUERIES as usize {
        let sql = query(&mut random);
        if !sql.contains("weight()") {
            queries.push(format!("{sql}; SHOW META LIKE 'total%'"));
        }
    }
    compare(seed(), &writes, &queries);
}
